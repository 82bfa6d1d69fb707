// SPDX-License-Identifier: Apache-2.0
// Conjugation, negation and zeros that are put off (reference, 6.8), the fallbacks of Named and
// Tracer. Expected numbers and texts are by hand and from the reference.
#include <unistd.h>

#include "base/memory.h"
#include "opyard/files.h"
#include "slices.h"

static void release(oy_tensor** t, size_t count) {
  for (size_t i = 0; i < count; i++) oy_tensor_release(t[i]);
}
// 1+2j, 3-4j
static oy_tensor* complexes(void) {
  const double data[] = {1, 2, 3, -4};
  return oy_tensor_from_data(data, OY_DIMS(2), OY_DTYPE_C128);
}
static bool asks(oy_status (*question)(oy_tensor*, bool*), oy_tensor* t) {
  bool result;
  MUST(question(t, &result));
  return result;
}
// The two parts of all elements, as they are shown.
static void assert_parts_(oy_tensor* t, const double* want, int line) {
  if (!t) print_error("line %d: %s\n", line, oy_error_get()->message);
  assert_non_null(t);
  for (int64_t i = 0; i < oy_tensor_numel(t); i++) {
    oy_scalar s;
    const int64_t index[] = {i};
    MUST(oy_tensor_get(t, (oy_ints){index, oy_tensor_sizes(t).size}, &s));
    const oy_complex got = *s.as.complex_data;
    oy_value_release(&s);
    if (got.re == want[2 * i] && got.im == want[2 * i + 1]) continue;
    print_error("line %d: element %d is %g%+gj\n", line, (int)i, got.re, got.im);
    fail();
  }
}
#define assert_parts(t, ...) assert_parts_(t, (const double[]){__VA_ARGS__}, __LINE__)

static void misc_01_conj_is_a_view(void** state) {
  (void)state;
  oy_tensor *x = complexes(), *c = oy_conj(x), *again = oy_conj(c);
  assert_true(asks(oy_is_conj, c));
  assert_false(asks(oy_is_conj, x) || asks(oy_is_conj, again) || asks(oy_is_neg, c));
  assert_ptr_equal(oy_tensor_data(c), oy_tensor_data(x));
  assert_parts(c, 1, -2, 3, 4);
  assert_parts(again, 1, 2, 3, -4);
  assert_prints(c, "tensor([1.-2.j, 3.+4.j], dtype=torch.complex128)");
  // Views keep the bit, others get numbers.
  oy_tensor *last = oy_narrow(c, 0, 1, 1), *sum = oy_add_Tensor(c, x, oy_int(1));
  assert_true(asks(oy_is_conj, last));
  assert_parts(last, 3, 4);
  assert_false(asks(oy_is_conj, sum));
  assert_parts(sum, 2, 0, 6, 0);
  oy_tensor *plain = oy_resolve_conj(c), *same = oy_resolve_conj(x);
  assert_false(asks(oy_is_conj, plain));
  assert_ptr_equal(same, x);
  assert_ptr_not_equal(oy_tensor_data(plain), oy_tensor_data(x));
  assert_parts(plain, 1, -2, 3, 4);
  oy_tensor* copy = oy_clone(c, oy_none());
  assert_false(asks(oy_is_conj, copy));
  assert_parts(copy, 1, -2, 3, 4);
  // Real numbers are their own.
  oy_tensor *r = F64(OY_DIMS(2), 1, 2), *own = oy_conj(r);
  assert_ptr_equal(own, r);
  oy_tensor* all[] = {x, c, again, last, sum, plain, same, copy, r, own};
  release(all, 10);
}

static void misc_01_parts(void** state) {
  (void)state;
  oy_tensor *x = complexes(), *c = oy_conj(x);
  oy_tensor *re = oy_real(c), *im = oy_imag(c);
  assert_elements(re, OY_DIMS(2), 1, 3);
  assert_true(asks(oy_is_neg, im) && !asks(oy_is_neg, re));
  assert_elements(im, OY_DIMS(2), -2, 4);
  assert_ptr_equal((char*)oy_tensor_data(im), (char*)oy_tensor_data(x) + 8);
  // A write through the view is one to x.
  assert_ptr_equal(oy_fill__Scalar(im, oy_int(7)), im);
  assert_parts(x, 1, -7, 3, -7);
  oy_tensor* plain = oy_resolve_neg(im);
  assert_elements(plain, OY_DIMS(2), 7, 7);
  assert_false(asks(oy_is_neg, plain));
  assert_fails(
      oy_view_as_real(c),
      "view_as_real doesn't work on unresolved conjugated tensors.  To resolve the "
      "conjugate tensor so you can view it as real, use self.resolve_conj(); however, be "
      "warned that the resulting tensor will NOT alias the original.");
  assert_fails(oy_view_dtype(c, OY_DTYPE_F64),
               "torch.Tensor.view is not supported for conjugate view tensors when "
               "converting to a different dtype.");
  assert_fails(
      oy_view_dtype(im, OY_DTYPE_I64),
      "torch.Tensor.view is not supported for tensors with negative bit set when "
      "converting to a different dtype.");
  oy_tensor* all[] = {x, c, re, im, plain};
  release(all, 5);
}

// The parts of what is negated are, too; two negations are none.
static void misc_01_parts_of_a_negation(void** state) {
  (void)state;
  oy_tensor *x = complexes(), *n = oy__neg_view(x), *pairs = oy_view_as_real(n);
  oy_tensor *re = oy_real(n), *im = oy_imag(n), *c = oy_conj(n), *both = oy_imag(c);
  assert_true(asks(oy_is_neg, pairs) && asks(oy_is_neg, re) && asks(oy_is_neg, im));
  assert_false(asks(oy_is_neg, both));
  assert_elements(pairs, OY_DIMS(2, 2), -1, -2, -3, 4);
  assert_elements(re, OY_DIMS(2), -1, -3);
  assert_elements(im, OY_DIMS(2), -2, 4);
  assert_elements(both, OY_DIMS(2), 2, -4);
  oy_tensor* again = oy_view_as_complex(pairs);
  assert_true(asks(oy_is_neg, again));
  assert_parts(again, -1, -2, -3, 4);
  oy_tensor* all[] = {x, n, pairs, re, im, c, both, again};
  release(all, 8);
}

static void misc_01_writes(void** state) {
  (void)state;
  oy_tensor *x = complexes(), *c = oy_conj(x);
  uint32_t version = oy_tensor_version(x);
  const oy_complex i = {0, 1};
  assert_ptr_equal(oy_add__Scalar(c, oy_complex_value(&i), oy_int(1)), c);
  assert_int_equal(oy_tensor_version(x), version + 1);
  assert_parts(c, 1, -1, 3, 5);
  assert_parts(x, 1, 1, 3, -5);
  oy_tensor* y = complexes();
  assert_ptr_equal(oy_copy_(c, y, false), c);
  assert_parts(x, 1, -2, 3, 4);
  assert_ptr_equal(oy_copy_(y, c, false), y);
  assert_parts(y, 1, 2, 3, -4);
  assert_ptr_equal(oy_mul_out(y, y, c), c);
  assert_parts(c, -3, 4, -7, -24);
  oy_tensor *d = oy_conj(y), *first, *second;
  assert_int_equal(oy_max_dim_max(x, 0, false, c, d, &first, &second),
                   OY_FAILED_PRECONDITION);
  assert_error(
      "conjugate fallback does not support operators with more than one mutable tensors "
      "with conjugatebit set to true.");
  assert_int_equal(oy_unbind_copy_int_out(x, 0, (oy_tensors){&d, 1}),
                   OY_FAILED_PRECONDITION);
  assert_error(
      "conjugate fallback doesn't currently support mutable TensorLists with conjugate "
      "inputs. Please materialize all the conjugate input tensor(s) in the mutable "
      "TensorList inputs before calling aten::unbind_copy");
  oy_tensor* all[] = {x, c, y, d};
  release(all, 4);
}

// Files have what is shown, whatever order it lies in. Bytes wrap.
static void misc_01_files(void** state) {
  (void)state;
  char folder[64] = "/tmp/opyard-lazy-XXXXXX", path[128];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof(path), "%s/a.npy", folder);
  const double data[] = {1, 2, 3, -4, 0, 1, 2, 0, 5, 5, 6, 6};
  oy_tensor* x = oy_tensor_from_data(data, OY_DIMS(2, 3), OY_DTYPE_C128);
  oy_tensor *c = oy_conj(x), *h = oy_mH(x), *back, *flat;
  MUST(oy_npy_save(path, c));
  back = oy_npy_load(path);
  flat = oy_view(back, OY_DIMS(6));
  assert_parts(flat, 1, -2, 3, 4, 0, -1, 2, 0, 5, -5, 6, -6);
  oy_tensor_release(flat);
  oy_tensor_release(back);
  MUST(oy_npy_save(path, h));
  back = oy_npy_load(path);
  assert_dims(oy_tensor_sizes(back), OY_DIMS(3, 2));
  flat = oy_reshape(back, OY_DIMS(6));
  assert_parts(flat, 1, -2, 2, 0, 3, 4, 5, -5, 0, -1, 6, -6);
  const uint8_t bytes[] = {0, 1, 255};
  oy_tensor* b = oy_tensor_from_data(bytes, OY_DIMS(3), OY_DTYPE_U8);
  oy_tensor *n = oy__neg_view(b), *copy = oy_resolve_neg(n);
  assert_elements(n, OY_DIMS(3), 0, 255, 1);
  assert_elements(copy, OY_DIMS(3), 0, 255, 1);
  oy_tensor* all[] = {x, c, h, back, flat, b, n, copy};
  release(all, 8);
  unlink(path);
  assert_int_equal(rmdir(folder), 0);
}

// (A A^H) is Hermitian; adjoint and mH are views.
static void misc_01_products(void** state) {
  (void)state;
  const double data[] = {1, 2, 3, -4, 0, 1, 2, 0};
  oy_tensor* a = oy_tensor_from_data(data, OY_DIMS(2, 2), OY_DTYPE_C128);
  oy_tensor *h = oy_mH(a), *p = oy_mm(a, h), *m = oy_matmul(a, h);
  assert_true(asks(oy_is_conj, h));
  assert_ptr_equal(oy_tensor_data(h), oy_tensor_data(a));
  oy_tensor *flat = oy_view(p, OY_DIMS(4)), *other = oy_view(m, OY_DIMS(4));
  // |1+2j|^2 + |3-4j|^2; (1+2j)(-j) + (3-4j) 2
  assert_parts(flat, 30, 0, 8, -9, 8, 9, 5, 0);
  assert_parts(other, 30, 0, 8, -9, 8, 9, 5, 0);
  oy_tensor* all[] = {a, h, p, m, flat, other};
  release(all, 6);
}

// Lists of tensors, indices, and what reads elements past the operators.
static void misc_01_lists_and_elements(void** state) {
  (void)state;
  oy_tensor *x = complexes(), *c = oy_conj(x), *both[] = {x, c};
  oy_tensor* joined = oy_cat((oy_tensors){both, 2}, 0);
  assert_parts(joined, 1, 2, 3, -4, 1, -2, 3, 4);
  oy_tensor *one = I64(OY_DIMS(2), -1, -2), *at = oy__neg_view(one);
  oy_tensor *five = F64(OY_DIMS(5), 1, 2, 3, 4, 5), *picked, *indices[] = {at};
  picked = oy_index_Tensor(five, (oy_tensors){indices, 1});
  assert_elements(picked, OY_DIMS(2), 2, 3);
  oy_value parts;
  MUST(oy_tensor_split_tensor_indices_or_sections(five, at, 0, &parts));
  assert_int_equal(parts.count, 3);
  assert_elements(parts.as.tensors[1], OY_DIMS(1), 2);
  oy_value_release(&parts);
  const oy_complex i = {0, 1};
  MUST(oy_tensor_set(c, OY_DIMS(0), oy_complex_value(&i)));
  assert_parts(x, 0, -1, 3, -4);
  assert_fails(oy__conj(five), "_conj: expected a complex tensor, got one of float64");
  assert_fails(oy_tensor_copy_to(c, OY_DTYPE_ANY, oy_device_cpu()),
               "expected a tensor without the conjugate or negative bit; use "
               "resolve_conj() and resolve_neg() first");
  oy_tensor* like =
      oy_empty_like(c, oy_none(), oy_none(), oy_none(), oy_none(), oy_none());
  assert_false(asks(oy_is_conj, like));
  oy_tensor* all[] = {x, c, joined, one, at, five, picked, like};
  release(all, 8);
}

// conj(A) = diag(-2i, 1)
static void misc_01_linear_algebra(void** state) {
  (void)state;
  const double data[] = {0, 2, 0, 0, 0, 0, 1, 0}, right[] = {2, 0, 3, 0};
  oy_tensor* a = oy_tensor_from_data(data, OY_DIMS(2, 2), OY_DTYPE_C128);
  oy_tensor* b = oy_tensor_from_data(right, OY_DIMS(2), OY_DTYPE_C128);
  oy_tensor *c = oy_conj(a), *x = oy_linalg_solve(c, b, true);
  assert_parts(x, 0, 1, 3, 0);
  oy_tensor *inverse = oy_linalg_inv(c), *flat = oy_reshape(inverse, OY_DIMS(4));
  assert_parts(flat, 0, 0.5, 0, 0, 0, 0, 1, 0);
  oy_tensor* det = oy_linalg_det(c);
  assert_parts(det, 0, -2);
  // A copy that is laid out as what it is of.
  oy_tensor *h = oy_mH(a), *plain = oy_resolve_conj(h);
  assert_dims(oy_tensor_strides(plain), OY_DIMS(1, 2));
  oy_tensor* all[] = {a, b, c, x, inverse, flat, det, h, plain};
  release(all, 9);
}

// Gradients go through the views: of |z|^2 summed, written as z conj(z).
static void misc_01_gradients(void** state) {
  (void)state;
  oy_tensor* x = oy_requires_grad_(complexes(), true);
  oy_tensor *c = oy_conj(x), *square = oy_mul_Tensor(x, c), *re = oy_real(square);
  oy_tensor* sum = oy_sum(re, oy_none());
  assert_true(element(sum, 0) == 30);
  MUST(oy_backward(sum, NULL, false));
  assert_parts(oy_grad(x), 2, 4, 6, -8);
  oy_tensor *z = oy_requires_grad_(complexes(), true), *cz = oy_conj(z);
  oy_tensor *im = oy_imag(cz), *total = oy_sum(im, oy_none());
  MUST(oy_backward(total, NULL, false));
  assert_parts(oy_grad(z), 0, -1, 0, -1);
  oy_tensor* all[] = {x, c, square, re, sum, z, cz, im, total};
  release(all, 9);
}

// Writes through the view and to what it views, of tensors that have a history.
static void misc_01_gradients_of_writes(void** state) {
  (void)state;
  const double units[] = {0, 1, 0, 1};
  oy_tensor* i = oy_tensor_from_data(units, OY_DIMS(2), OY_DTYPE_C128);
  oy_tensor* x = oy_requires_grad_(complexes(), true);
  // y = conj(conj(x) i) = -i x
  oy_tensor *y = oy_clone(x, oy_none()), *c = oy_conj(y);
  assert_non_null(oy_mul__Tensor(c, i));
  assert_parts(y, 2, -1, -4, -3);
  oy_tensor *re = oy_real(y), *sum = oy_sum(re, oy_none());
  MUST(oy_backward(sum, NULL, false));
  assert_parts(oy_grad(x), 0, 1, 0, 1);
  // im(conj(2 z)) = -2 im(z)
  oy_tensor *z = oy_requires_grad_(complexes(), true), *w = oy_clone(z, oy_none());
  oy_tensor* cw = oy_conj(w);
  assert_non_null(oy_mul__Scalar(w, oy_int(2)));
  oy_tensor *im = oy_imag(cw), *total = oy_sum(im, oy_none());
  MUST(oy_backward(total, NULL, false));
  assert_parts(oy_grad(z), 0, -2, 0, -2);
  oy_tensor* all[] = {i, x, y, c, re, sum, z, w, cw, im, total};
  release(all, 11);
}

// Differences are of the numbers that are shown, of inputs and results.
static oy_status conjugated(void* data, oy_tensor* const* in, size_t count,
                            oy_tensor** outputs, size_t* out_count) {
  (void)data, (void)count;
  outputs[0] = oy_conj(in[0]);
  outputs[1] = oy_imag(outputs[0]);
  *out_count = 2;
  return outputs[0] && outputs[1] ? OY_OK : oy_failure();
}
static void misc_01_differences(void** state) {
  (void)state;
  oy_tensor *x = complexes(), *plain = oy_requires_grad_(oy_clone(x, oy_none()), true);
  oy_tensor* turned = oy_requires_grad_(oy_conj(x), true);
  MUST(oy_gradcheck(conjugated, NULL, &plain, 1, NULL));
  MUST(oy_gradcheck(conjugated, NULL, &turned, 1, NULL));
  assert_parts(x, 1, 2, 3, -4);
  oy_tensor* all[] = {x, plain, turned};
  release(all, 3);
}

// im of conj(x), for each row; a program that writes through the views.
static oy_status turned(void* data, oy_tensor* const* in, size_t count, oy_tensor** out,
                        size_t outputs) {
  (void)data, (void)count, (void)outputs;
  oy_tensor *z = oy_clone(in[0], oy_none()), *w = oy_view_as_complex(z);
  oy_tensor *c = oy_conj(w), *im = oy_imag(c);
  bool ok = im && oy_add__Scalar(im, oy_int(10), oy_int(1));
  out[0] = ok ? oy_clone(z, oy_none()) : NULL;
  oy_tensor* all[] = {z, w, c, im};
  release(all, 4);
  return out[0] ? OY_OK : oy_failure();
}
static void misc_01_in_transforms(void** state) {
  (void)state;
  oy_tensor *x = F64(OY_DIMS(2, 3, 2), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12), *y;
  const oy_vmap_params v = {.fn = turned};
  MUST(oy_vmap(&v, &x, 1, &y, 1));
  assert_elements(y, OY_DIMS(2, 3, 2), 1, -8, 3, -6, 5, -4, 7, -2, 9, 0, 11, 2);
  oy_tensor_release(y);
  for (int remove = 0; remove < 2; remove++) {
    const oy_functionalize_params f = {.fn = turned,
                                       .remove = (oy_functionalize_remove)remove};
    MUST(oy_functionalize(&f, &x, 1, &y, 1));
    assert_elements(y, OY_DIMS(2, 3, 2), 1, -8, 3, -6, 5, -4, 7, -2, 9, 0, 11, 2);
    oy_tensor_release(y);
  }
  oy_tensor_release(x);
}

// ---------------------------------------------------------------------------- zeros

static void misc_02_zero_tensors(void** state) {
  (void)state;
  const oy_value none = oy_none();
  oy_tensor* z =
      oy__efficientzerotensor(OY_DIMS(2, 3), oy_int(OY_DTYPE_F64), none, none, none);
  assert_true(asks(oy__is_zerotensor, z));
  assert_null(oy_tensor_data(z));
  oy_tensor *t = oy_t(z), *x = F64(OY_DIMS(2, 3), 1, 2, 3, 4, 5, 6);
  assert_true(asks(oy__is_zerotensor, t));
  assert_dims(oy_tensor_sizes(t), OY_DIMS(3, 2));
  oy_tensor *sum = oy_add_Tensor(x, z, oy_int(1)), *product = oy_mul_Tensor(z, x);
  assert_elements(sum, OY_DIMS(2, 3), 1, 2, 3, 4, 5, 6);
  assert_elements(product, OY_DIMS(2, 3), 0, 0, 0, 0, 0, 0);
  oy_tensor *copy = oy_clone(z, none), *wide = oy_mm(x, t);
  assert_false(asks(oy__is_zerotensor, copy));
  assert_non_null(oy_add__Scalar(copy, oy_int(1), oy_int(1)));
  assert_elements(copy, OY_DIMS(2, 3), 1, 1, 1, 1, 1, 1);
  assert_elements(wide, OY_DIMS(2, 2), 0, 0, 0, 0);
  static const char text[] =
      "ZeroTensors are immutable. Please use the materialized zero tensor obtained using "
      ".clone() if you want a mutable tensor.";
  assert_fails(oy_add__Scalar(z, oy_int(1), oy_int(1)), text);
  assert_fails(
      oy_copy_(t, t, false),
      "ZeroTensors are immutable. Please materialize the tensor using `.clone()`, "
      "if you want a mutable zero tensor.");
  assert_fails(oy_add_out(x, x, oy_int(1), z), text);
  assert_non_null(oy_copy_(x, z, false));
  assert_elements(x, OY_DIMS(2, 3), 0, 0, 0, 0, 0, 0);
  assert_prints(z, "tensor([[0., 0., 0.],\n        [0., 0., 0.]], dtype=torch.float64)");
  oy_scalar number;
  MUST(oy_tensor_get(z, OY_DIMS(1, 2), &number));
  assert_true(number.tag == OY_TAG_FLOAT && number.as.d == 0);
  assert_int_equal(oy_tensor_set(z, OY_DIMS(1, 2), oy_int(1)), OY_FAILED_PRECONDITION);
  assert_error("ZeroTensors are immutable");
  oy_tensor* like = oy_ones_like(z, none, none, none, none, none);
  assert_elements(like, OY_DIMS(2, 3), 1, 1, 1, 1, 1, 1);
  oy_tensor* all[] = {z, t, x, sum, product, copy, wide, like};
  release(all, 8);
  assert_null(oy__efficientzerotensor(OY_DIMS(-1), none, none, none, none));
  oy_error_clear();
}

// What PyTorch 1.13 gives for the same expressions.
static void misc_02_rules(void** state) {
  (void)state;
  const oy_value none = oy_none(), f32 = oy_int(OY_DTYPE_F32), f64 = oy_int(OY_DTYPE_F64);
  const oy_value i64 = oy_int(OY_DTYPE_I64), c64 = oy_int(OY_DTYPE_C64);
  oy_tensor* z = oy__efficientzerotensor(OY_DIMS(2, 3), f32, none, none, none);
  oy_tensor* row = oy__efficientzerotensor(OY_DIMS(3), f64, none, none, none);
  oy_tensor* whole = oy__efficientzerotensor(OY_DIMS(3), i64, none, none, none);
  oy_tensor* complex_row = oy__efficientzerotensor(OY_DIMS(3), c64, none, none, none);
  oy_tensor *x = F32(OY_DIMS(1, 3), 1, -2, 4), *v = F32(OY_DIMS(3), 1, -2, 4);
  const oy_value one = oy_int(1);
  const struct {
    oy_tensor* got;
    bool is_zeros;
    oy_dtype dtype;
    oy_ints sizes;
    double elements[6];
  } rows[] = {
      {oy_add_Tensor(z, x, one),
       false,
       OY_DTYPE_F32,
       OY_DIMS(2, 3),
       {1, -2, 4, 1, -2, 4}},
      {oy_add_Tensor(x, z, one),
       false,
       OY_DTYPE_F32,
       OY_DIMS(2, 3),
       {1, -2, 4, 1, -2, 4}},
      {oy_add_Tensor(row, v, oy_int(3)), false, OY_DTYPE_F64, OY_DIMS(3), {3, -6, 12}},
      {oy_add_Tensor(v, whole, oy_int(3)), false, OY_DTYPE_F32, OY_DIMS(3), {1, -2, 4}},
      {oy_add_Tensor(z, row, one), true, OY_DTYPE_F64, OY_DIMS(2, 3), {0}},
      {oy_sub_Tensor(row, v, oy_int(2)), false, OY_DTYPE_F64, OY_DIMS(3), {-2, 4, -8}},
      {oy_sub_Tensor(v, row, oy_int(2)), false, OY_DTYPE_F64, OY_DIMS(3), {1, -2, 4}},
      {oy_add_Scalar(row, oy_int(2), one), false, OY_DTYPE_F64, OY_DIMS(3), {2, 2, 2}},
      {oy_mul_Tensor(x, z), true, OY_DTYPE_F32, OY_DIMS(2, 3), {0}},
      {oy_mul_Tensor(complex_row, v), true, OY_DTYPE_C64, OY_DIMS(3), {0}},
      {oy_mul_Scalar(row, oy_float((double)NAN)), true, OY_DTYPE_F64, OY_DIMS(3), {0}},
      {oy_mul_Scalar(z, oy_int(2)), true, OY_DTYPE_F32, OY_DIMS(2, 3), {0}},
      {oy_div_Tensor(row, v), true, OY_DTYPE_F64, OY_DIMS(3), {0}},
      {oy_div_Tensor(whole, whole), false, OY_DTYPE_F32, OY_DIMS(3), {NAN, NAN, NAN}},
      {oy_div_Tensor(v, whole),
       false,
       OY_DTYPE_F32,
       OY_DIMS(3),
       {INFINITY, INFINITY, INFINITY}},
      {oy_linalg_cross(row, row, -1), true, OY_DTYPE_F64, OY_DIMS(3), {0}},
      {oy_neg(row), false, OY_DTYPE_F64, OY_DIMS(3), {-0.0, -0.0, -0.0}},
  };
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    oy_tensor* got = rows[i].got;
    if (!got) print_error("row %zu: %s\n", i, oy_error_get()->message);
    assert_non_null(got);
    assert_int_equal(asks(oy__is_zerotensor, got), rows[i].is_zeros);
    assert_int_equal(got->dtype, rows[i].dtype);
    assert_dims(oy_tensor_sizes(got), rows[i].sizes);
    if (!oy_dtype_is_complex(got->dtype))
      assert_close_(got, rows[i].sizes, rows[i].elements, 0, __FILE__, __LINE__);
    oy_tensor_release(got);
  }
  // Shapes are checked all the same.
  oy_tensor* two = F32(OY_DIMS(2), 1, 1);
  assert_null(oy_mul_Tensor(z, two));
  assert_null(oy_copy_(two, z, false));
  oy_error_clear();
  oy_tensor *t = oy_t(z), *copy = oy_clone(t, none), *dot = oy_dot(row, row);
  assert_dims(oy_tensor_strides(copy), OY_DIMS(1, 3));
  assert_true(asks(oy__is_zerotensor, dot));
  assert_int_equal(oy_tensor_ndim(dot), 0);
  oy_tensor* all[] = {z, row, whole, complex_row, x, v, two, t, copy, dot};
  release(all, 10);
}

// ------------------------------------------------------------------- Named, Tracer

static void misc_03_named(void** state) {
  (void)state;
  oy_tensor* x = F64(OY_DIMS(2), 1, 2);
  oy_guard guard = oy_guard_include(oy_keyset_of(OY_KEY_Named));
  oy_tensor* y = oy_cumsum(x, 0, oy_none());
  oy_guard_end(&guard);
  assert_fails(
      y,
      "aten::cumsum is not yet supported with named tensors. Please drop names via "
      "`tensor = tensor.rename(None)`, call the op with an unnamed tensor, and set names "
      "on the result of the operation.");
  oy_tensor_release(x);
}

static void misc_04_tracer(void** state) {
  (void)state;
  oy_tensor* x = F32(OY_DIMS(2, 3), 1, 2, 3, 4, 5, 6);
  oy_call_recorder *recorder, *inner;
  MUST(oy_call_recorder_create(&recorder));
  MUST(oy_call_recorder_create(&inner));
  assert_non_null(oy_requires_grad_(x, true));
  oy_tracer_guard guard = oy_tracer_begin(recorder);
  // A composed operator is one node, with a history or without.
  oy_tensor* y = oy_reshape(x, OY_DIMS(3, 2));
  oy_tracer_guard within = oy_tracer_begin(inner);
  oy_tensor* s = oy_sum(y, oy_none());
  oy_tracer_end(&within);
  oy_tensor* z = oy_mul_Tensor(s, s);
  assert_null(oy_mm(x, x));
  oy_error_clear();
  oy_tracer_end(&guard);
  oy_tensor* after = oy_neg(z);
  assert_true(oy_requires_grad(z));
  assert_string_equal(oy_call_recorder_text(recorder),
                      "aten.reshape.default(float32[2, 3], [3, 2]) -> float32[3, 2]\n"
                      "aten.mul.Tensor(float32[], float32[]) -> float32[]\n");
  assert_string_equal(oy_call_recorder_text(inner),
                      "aten.sum.default(float32[3, 2]) -> float32[]\n");
  assert_false(oy_included_has(OY_KEY_Tracer));
  oy_call_recorder_destroy(recorder);
  oy_call_recorder_destroy(inner);
  oy_tensor* all[] = {x, y, s, z, after};
  release(all, 5);
}

// --------------------------------------------------------------------------- memory

static oy_tensor *g_x, *g_c;
static bool without_memory(void) {
  if (!oy_copy_(g_c, g_x, false)) return false;
  oy_tensor* both[] = {g_x, g_c};
  oy_tensor* y = oy_cat((oy_tensors){both, 2}, 0);
  oy_tensor_release(y);
  if (!y) return false;
  y = oy_resolve_conj(g_c);
  oy_tensor_release(y);
  return y != NULL;
}
static void misc_01_without_memory(void** state) {
  (void)state;
  g_x = complexes();
  oy_tensor* other = complexes();
  g_c = oy_conj(other);
  assert_true(without_memory());
  fail_each_allocation(without_memory);
  oy_tensor* all[] = {g_x, g_c, other};
  release(all, 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(misc_01_conj_is_a_view),
      cmocka_unit_test(misc_01_parts),
      cmocka_unit_test(misc_01_parts_of_a_negation),
      cmocka_unit_test(misc_01_writes),
      cmocka_unit_test(misc_01_files),
      cmocka_unit_test(misc_01_products),
      cmocka_unit_test(misc_01_lists_and_elements),
      cmocka_unit_test(misc_01_linear_algebra),
      cmocka_unit_test(misc_01_gradients),
      cmocka_unit_test(misc_01_gradients_of_writes),
      cmocka_unit_test(misc_01_differences),
      cmocka_unit_test(misc_01_in_transforms),
      cmocka_unit_test(misc_02_zero_tensors),
      cmocka_unit_test(misc_02_rules),
      cmocka_unit_test(misc_03_named),
      cmocka_unit_test(misc_04_tracer),
      cmocka_unit_test(misc_01_without_memory),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
