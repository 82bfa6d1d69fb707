// SPDX-License-Identifier: Apache-2.0
// Views, factories, copies and products as operators, and that the Meta backend
// agrees with the CPU about every shape.
#include "support/tensors.h"

static oy_tensor* counting(oy_ints sizes) {
  oy_tensor* t = oy_tensor_empty(sizes, OY_DTYPE_F64, oy_device_cpu());
  double* data = oy_tensor_data(t);
  for (int64_t i = 0; i < oy_tensor_numel(t); i++) data[i] = (double)i + 1;
  return t;
}

static void factories(void** state) {
  (void)state;
  oy_value none = oy_none();
  oy_tensor* t = oy_ones(OY_DIMS(2, 2), none, none, none, none);
  assert_int_equal(t->dtype, OY_DTYPE_F32);
  assert_elements(t, OY_DIMS(2, 2), 1, 1, 1, 1);
  assert_int_equal(oy_tensor_version(t), 0);
  oy_tensor* z = oy_zeros_like(t, oy_int(OY_DTYPE_I64), none, none, none, none);
  assert_int_equal(z->dtype, OY_DTYPE_I64);
  assert_elements(z, OY_DIMS(2, 2), 0, 0, 0, 0);
  assert_int_equal(oy_tensor_version(z), 0);
  oy_tensor* f = oy_full(OY_DIMS(3), oy_int(7), none, none, none, none);
  assert_int_equal(f->dtype, OY_DTYPE_I64);
  assert_elements(f, OY_DIMS(3), 7, 7, 7);
  oy_tensor* l =
      oy_full_like(f, oy_float(2.5), oy_int(OY_DTYPE_F64), none, none, none, none);
  assert_elements(l, OY_DIMS(3), 2.5, 2.5, 2.5);
  oy_tensor* s = oy_scalar_tensor(oy_int(3), none, none, none, none);
  assert_int_equal(s->dtype, OY_DTYPE_F32);
  assert_elements(s, oy_dims_none(), 3);
  oy_tensor* m =
      oy_zeros(OY_DIMS(2), none, none, oy_value_device(oy_device_meta()), none);
  assert_int_equal(oy_tensor_device(m).backend, OY_BACKEND_Meta);
  assert_null(oy_tensor_data(m));
  oy_tensor* all[] = {t, z, f, l, s, m};
  for (int i = 0; i < 6; i++) oy_tensor_release(all[i]);
  assert_null(oy_zeros(OY_DIMS(-1), none, none, none, none));
  assert_error("Trying to create tensor with negative dimension -1: [-1]");
  assert_fails(oy_empty_memory_format(OY_DIMS(2), none, none, none, none,
                                      oy_int(OY_MEMORY_PRESERVE)),
               "unsupported memory format Preserve");
  assert_fails(oy_empty_memory_format(OY_DIMS(2), none, none, none, none,
                                      oy_int(OY_MEMORY_CHANNELS_LAST)),
               "required rank 4 tensor to use channels_last format");
}

static void likeness_keeps_the_layout(void** state) {
  (void)state;
  oy_tensor* t = counting(OY_DIMS(2, 3));
  oy_tensor* u = oy_t(t);
  oy_tensor* c = oy_clone(u, oy_none());
  assert_dims(oy_tensor_strides(c), OY_DIMS(1, 3));
  assert_elements(c, OY_DIMS(3, 2), 1, 4, 2, 5, 3, 6);
  assert_false(oy_tensor_is_alias_of(c, t));
  oy_tensor* k = oy_contiguous(u, OY_MEMORY_CONTIGUOUS);
  assert_dims(oy_tensor_strides(k), OY_DIMS(2, 1));
  oy_tensor* same = oy_contiguous(t, OY_MEMORY_CONTIGUOUS);
  assert_ptr_equal(same, t);
  oy_tensor* e = oy_expand(t, OY_DIMS(2, 2, 3), false);
  oy_tensor* l = oy_empty_like(e, oy_none(), oy_none(), oy_none(), oy_none(), oy_none());
  assert_true(oy_tensor_is_contiguous(l, OY_MEMORY_CONTIGUOUS));
  oy_tensor* all[] = {t, u, c, k, same, e, l};
  for (int i = 0; i < 7; i++) oy_tensor_release(all[i]);
}

// Strides that reach nothing are kept too, as PyTorch keeps them in what is like a tensor.
static void likeness_keeps_strides_of_single_elements(void** state) {
  (void)state;
  static const int64_t sizes[][4] = {
      {3, 3, 3, 1}, {0, 1, 3, 2}, {1, 1, 1, 1}, {1, 2, 1, 3}};
  static const int64_t strides[][4] = {
      {9, 3, 1, 50}, {2, 7, 2, 1}, {9, 8, 7, 6}, {40, 3, 1, 1}};
  const oy_value none = oy_none();
  for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
    oy_scope scope;
    oy_scope_open(&scope);
    const oy_ints kept = {strides[i], 4};
    oy_tensor* t = oy_empty_strided((oy_ints){sizes[i], 4}, kept, none, none, none, none);
    oy_zero_(t);
    oy_tensor* like[] = {oy_clone(t, none),
                         oy_empty_like(t, none, none, none, none, none),
                         oy_zeros_like(t, none, none, none, none, none),
                         oy_ones_like(t, none, none, none, none, none),
                         oy_to_dtype(t, OY_DTYPE_F64, false, false, none),
                         oy_flip(t, OY_DIMS(1))};
    for (size_t k = 0; k < sizeof(like) / sizeof(like[0]); k++)
      assert_dims(oy_tensor_strides(like[k]), kept);
    // Sums, and copies that shall be contiguous, have the strides of their sizes.
    oy_tensor* laid_out[] = {oy_add_Tensor(t, t, oy_int(1)),
                             oy_clone(t, oy_int(OY_MEMORY_CONTIGUOUS))};
    for (size_t k = 0; k < sizeof(laid_out) / sizeof(laid_out[0]); k++)
      assert_true(sizes[i][3] != 1 || oy_tensor_strides(laid_out[k]).data[3] == 1);
    oy_scope_close(&scope);
  }
}

static void view_operators(void** state) {
  (void)state;
  oy_tensor* t = counting(OY_DIMS(2, 3));
  oy_tensor* r = oy_reshape(t, OY_DIMS(3, -1));
  assert_true(oy_tensor_is_alias_of(r, t));
  oy_tensor* u = oy_transpose_int(t, 0, 1);
  oy_tensor* c = oy_reshape(u, OY_DIMS(6));
  assert_false(oy_tensor_is_alias_of(c, t));
  assert_elements(c, OY_DIMS(6), 1, 4, 2, 5, 3, 6);
  oy_tensor* q = oy_unsqueeze(t, -1);
  assert_dims(oy_tensor_sizes(q), OY_DIMS(2, 3, 1));
  oy_tensor* p = oy_squeeze_dim(q, 2);
  assert_dims(oy_tensor_sizes(p), OY_DIMS(2, 3));
  oy_tensor* n = oy_squeeze_dim(q, 0);
  assert_dims(oy_tensor_sizes(n), OY_DIMS(2, 3, 1));
  oy_tensor* s = oy_select_int(t, 1, -1);
  assert_elements(s, OY_DIMS(2), 3, 6);
  assert_fails(oy_select_int(t, 0, 2),
               "select(): index 2 out of range for tensor of size [2, 3] at dimension 0");
  oy_tensor* a = oy_as_strided(t, OY_DIMS(2), OY_DIMS(3), oy_int(1));
  assert_elements(a, OY_DIMS(2), 2, 5);
  assert_fails(oy_t(q), "t() expects a tensor with <= 2 dimensions, but self is 3D");
  oy_tensor* all[] = {t, r, u, c, q, p, n, s, a};
  for (int i = 0; i < 9; i++) oy_tensor_release(all[i]);
}

static void copies_and_numbers(void** state) {
  (void)state;
  oy_tensor* t = counting(OY_DIMS(2, 2));
  oy_tensor* i = I64(OY_DIMS(2), 7, 8);
  assert_ptr_equal(oy_copy_(t, i, false), t);
  assert_elements(t, OY_DIMS(2, 2), 7, 8, 7, 8);
  assert_int_equal(oy_tensor_version(t), 1);
  assert_null(oy_copy_(i, t, false));
  oy_error_clear();
  assert_ptr_equal(oy_fill__Scalar(t, oy_float(1.5)), t);
  assert_elements(t, OY_DIMS(2, 2), 1.5, 1.5, 1.5, 1.5);
  assert_ptr_equal(oy_zero_(t), t);
  oy_tensor* f = oy_to_dtype(i, OY_DTYPE_F32, false, false, oy_none());
  assert_int_equal(f->dtype, OY_DTYPE_F32);
  assert_elements(f, OY_DIMS(2), 7, 8);
  oy_tensor* same = oy_to_dtype(i, OY_DTYPE_I64, false, false, oy_none());
  assert_ptr_equal(same, i);
  oy_value number;
  assert_int_equal(oy_item(f, &number), OY_INVALID_ARGUMENT);
  assert_error("a Tensor with 2 elements cannot be converted to Scalar");
  oy_tensor* s = oy_sum(f, oy_none());
  assert_int_equal(oy_item(s, &number), OY_OK);
  assert_true(number.tag == OY_TAG_FLOAT && number.as.d == 15);
  oy_tensor* m = oy_tensor_empty(oy_dims_none(), OY_DTYPE_F32, oy_device_meta());
  assert_int_equal(oy_item(m, &number), OY_NOT_IMPLEMENTED);
  assert_error("Tensor.item() cannot be called on meta tensors");
  assert_fails(oy_copy_(s, m, false), "Cannot copy out of meta tensor; no data!");
  oy_tensor* all[] = {t, i, f, same, s, m};
  for (int k = 0; k < 6; k++) oy_tensor_release(all[k]);
}

// ------------------------------------------------------------------- products

// By the definition, for operands that broadcast as matmul's do.
static void check_matmul(oy_ints sa, oy_ints sb, oy_ints want) {
  oy_tensor *a = counting(sa), *b = counting(sb);
  oy_tensor* got = oy_matmul(a, b);
  assert_non_null(got);
  assert_dims(oy_tensor_sizes(got), want);
  int64_t k = sa.data[sa.size - 1];
  int64_t n = sa.size > 1 ? sa.data[sa.size - 2] : 1;
  int64_t m = sb.size > 1 ? sb.data[sb.size - 1] : 1;
  int64_t batch = n * m > 0 ? oy_tensor_numel(got) / (n * m) : 0;
  int64_t batch_a = oy_tensor_numel(a) / (n * k), batch_b = oy_tensor_numel(b) / (k * m);
  for (int64_t x = 0; x < batch; x++) {
    for (int64_t i = 0; i < n; i++) {
      for (int64_t j = 0; j < m; j++) {
        double sum = 0;
        for (int64_t l = 0; l < k; l++)
          sum += element(a, (x % batch_a) * n * k + i * k + l) *
                 element(b, (x % batch_b) * k * m + l * m + j);
        assert_true(element(got, (x * n + i) * m + j) == sum);
      }
    }
  }
  oy_tensor_release(got);
  oy_tensor_release(a);
  oy_tensor_release(b);
}

static void matmul_of_every_rank(void** state) {
  (void)state;
  check_matmul(OY_DIMS(3), OY_DIMS(3), oy_dims_none());
  check_matmul(OY_DIMS(2, 3), OY_DIMS(3), OY_DIMS(2));
  check_matmul(OY_DIMS(3), OY_DIMS(3, 2), OY_DIMS(2));
  check_matmul(OY_DIMS(2, 3), OY_DIMS(3, 4), OY_DIMS(2, 4));
  check_matmul(OY_DIMS(2, 3), OY_DIMS(3, 9), OY_DIMS(2, 9));
  check_matmul(OY_DIMS(2, 2, 3), OY_DIMS(3, 4), OY_DIMS(2, 2, 4));
  check_matmul(OY_DIMS(2, 2, 3), OY_DIMS(3), OY_DIMS(2, 2));
  check_matmul(OY_DIMS(2, 2, 3), OY_DIMS(2, 3, 4), OY_DIMS(2, 2, 4));
  check_matmul(OY_DIMS(2, 3), OY_DIMS(5, 3, 4), OY_DIMS(5, 2, 4));
  check_matmul(OY_DIMS(2, 1, 2, 3), OY_DIMS(1, 3, 4), OY_DIMS(2, 1, 2, 4));
  check_matmul(OY_DIMS(3), OY_DIMS(5, 3, 4), OY_DIMS(5, 4));
  // Of few columns.
  check_matmul(OY_DIMS(2, 9), OY_DIMS(5, 9, 3), OY_DIMS(5, 2, 3));
  check_matmul(OY_DIMS(20, 8), OY_DIMS(2, 3, 8, 7), OY_DIMS(2, 3, 20, 7));
  check_matmul(OY_DIMS(1, 8), OY_DIMS(2, 8, 1), OY_DIMS(2, 1, 1));
  check_matmul(OY_DIMS(9), OY_DIMS(3, 9, 2), OY_DIMS(3, 2));
}

static void products_of_strided_and_empty_operands(void** state) {
  (void)state;
  oy_tensor* a = counting(OY_DIMS(3, 2));
  oy_tensor* t = oy_t(a);
  for (int wide = 0; wide < 2; wide++) {
    oy_tensor* b = counting(wide ? OY_DIMS(3, 16) : OY_DIMS(3, 2));
    oy_tensor* r = oy_mm(t, b);
    for (int i = 0; i < 2; i++)
      for (int64_t j = 0; j < oy_tensor_size(b, 1); j++) {
        double sum = 0;
        for (int k = 0; k < 3; k++)
          sum += element(a, k * 2 + i) * element(b, k * oy_tensor_size(b, 1) + j);
        assert_true(element(r, i * oy_tensor_size(b, 1) + j) == sum);
      }
    oy_tensor_release(r);
    oy_tensor_release(b);
  }
  oy_tensor* none = counting(OY_DIMS(2, 0));
  oy_tensor* other = counting(OY_DIMS(0, 3));
  oy_tensor* r = oy_mm(none, other);
  assert_elements(r, OY_DIMS(2, 3), 0, 0, 0, 0, 0, 0);
  oy_tensor_release(r);
  r = oy_mm(other, a);
  assert_dims(oy_tensor_sizes(r), OY_DIMS(0, 2));
  oy_tensor_release(r);
  oy_tensor_release(none);
  oy_tensor_release(other);
  assert_fails(oy_mm(a, a), "mat1 and mat2 shapes cannot be multiplied (3x2 and 3x2)");
  oy_tensor* square = counting(OY_DIMS(2, 2));
  assert_null(oy_mm_out(a, square, a));
  oy_error_clear();
  oy_tensor* out = oy_tensor_empty(OY_DIMS(0), OY_DTYPE_F64, oy_device_cpu());
  assert_ptr_equal(oy_mm_out(square, square, out), out);
  assert_elements(out, OY_DIMS(2, 2), 7, 10, 15, 22);
  oy_tensor* flipped = oy_tensor_transpose(out, 0, 1);
  assert_ptr_equal(oy_mm_out(square, square, flipped), flipped);
  assert_elements(flipped, OY_DIMS(2, 2), 7, 10, 15, 22);
  oy_tensor* single = F32(OY_DIMS(2, 2), 1, 2, 3, 4);
  assert_fails(oy_mm(square, single),
               "expected m1 and m2 to have the same dtype, but got: double != float");
  oy_tensor* all[] = {single, flipped, out, square, t, a};
  for (int i = 0; i < 6; i++) oy_tensor_release(all[i]);
}

// ----------------------------------------------------------------------- Meta

typedef oy_tensor* (*shape_case)(oy_device device);

static oy_tensor* on(oy_device device, oy_ints sizes, oy_dtype dtype) {
  oy_value d = oy_value_device(device), none = oy_none();
  return oy_zeros(sizes, oy_int(dtype), none, d, none);
}
static oy_tensor* both(oy_tensor* a, oy_tensor* b,
                       oy_tensor* (*op)(oy_tensor* a, oy_tensor* b)) {
  oy_tensor* r = op(a, b);
  oy_tensor_release(a);
  oy_tensor_release(b);
  return r;
}
static oy_tensor* case_mul(oy_device d) {
  return both(on(d, OY_DIMS(2, 1), OY_DTYPE_I32), on(d, OY_DIMS(3), OY_DTYPE_F64),
              oy_mul_Tensor);
}
static oy_tensor* case_div(oy_device d) {
  return both(on(d, OY_DIMS(2), OY_DTYPE_I32), on(d, OY_DIMS(2), OY_DTYPE_I64),
              oy_div_Tensor);
}
static oy_tensor* case_lt(oy_device d) {
  return both(on(d, OY_DIMS(2), OY_DTYPE_F32), on(d, OY_DIMS(4, 2), OY_DTYPE_F32),
              oy_lt_Tensor);
}
static oy_tensor* case_mm(oy_device d) {
  return both(on(d, OY_DIMS(2, 3), OY_DTYPE_F32), on(d, OY_DIMS(3, 4), OY_DTYPE_F32),
              oy_mm);
}
static oy_tensor* case_matmul(oy_device d) {
  return both(on(d, OY_DIMS(5, 2, 3), OY_DTYPE_F32), on(d, OY_DIMS(3), OY_DTYPE_F32),
              oy_matmul);
}
static oy_tensor* case_bmm(oy_device d) {
  return both(on(d, OY_DIMS(5, 2, 3), OY_DTYPE_F64),
              on(d, OY_DIMS(5, 3, 1), OY_DTYPE_F64), oy_bmm);
}
static oy_tensor* case_sum(oy_device d) {
  oy_tensor* t = on(d, OY_DIMS(2, 3, 4), OY_DTYPE_U8);
  oy_tensor* r = oy_sum_dim_IntList(t, OY_DIMS(1), true, oy_none());
  oy_tensor_release(t);
  return r;
}
static oy_tensor* case_transposed_neg(oy_device d) {
  oy_tensor* t = on(d, OY_DIMS(2, 3), OY_DTYPE_F32);
  oy_tensor* u = oy_t(t);
  oy_tensor* r = oy_neg(u);
  oy_tensor_release(u);
  oy_tensor_release(t);
  return r;
}
static oy_tensor* case_clone_expand(oy_device d) {
  oy_tensor* t = on(d, OY_DIMS(2, 1), OY_DTYPE_F32);
  oy_tensor* u = oy_expand(t, OY_DIMS(2, 5), false);
  oy_tensor* r = oy_clone(u, oy_none());
  oy_tensor_release(u);
  oy_tensor_release(t);
  return r;
}

static void meta_kernels_agree_with_the_cpu(void** state) {
  (void)state;
  static const shape_case cases[] = {
      case_mul,         case_div,    case_lt,  case_mm,
      case_bmm,         case_matmul, case_sum, case_transposed_neg,
      case_clone_expand};
  for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
    oy_tensor* real = cases[i](oy_device_cpu());
    oy_tensor* meta = cases[i](oy_device_meta());
    assert_non_null(real);
    assert_non_null(meta);
    assert_int_equal(real->dtype, meta->dtype);
    assert_dims(oy_tensor_sizes(meta), oy_tensor_sizes(real));
    assert_dims(oy_tensor_strides(meta), oy_tensor_strides(real));
    assert_int_equal(oy_tensor_device(meta).backend, OY_BACKEND_Meta);
    oy_tensor_release(real);
    oy_tensor_release(meta);
  }
}

static void TI_08_devices_must_agree(void** state) {
  (void)state;
  oy_tensor* c = on(oy_device_cpu(), OY_DIMS(2, 2), OY_DTYPE_F32);
  oy_tensor* m = on(oy_device_meta(), OY_DIMS(2, 2), OY_DTYPE_F32);
  assert_fails(oy_mm(c, m),
               "Expected all tensors to be on the same device, but found at least two "
               "devices, cpu and meta!");
  assert_null(oy_add_Tensor(m, c, ALPHA1));
  oy_error_clear();
  oy_tensor* s = on(oy_device_cpu(), oy_dims_none(), OY_DTYPE_F32);
  oy_tensor* r = oy_add_Tensor(m, s, ALPHA1);  // one 0-d CPU tensor may
  assert_dims(oy_tensor_sizes(r), OY_DIMS(2, 2));
  oy_tensor* all[] = {r, s, m, c};
  for (int i = 0; i < 4; i++) oy_tensor_release(all[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(factories),
      cmocka_unit_test(likeness_keeps_the_layout),
      cmocka_unit_test(likeness_keeps_strides_of_single_elements),
      cmocka_unit_test(view_operators),
      cmocka_unit_test(copies_and_numbers),
      cmocka_unit_test(matmul_of_every_rank),
      cmocka_unit_test(products_of_strided_and_empty_operands),
      cmocka_unit_test(meta_kernels_agree_with_the_cpu),
      cmocka_unit_test(TI_08_devices_must_agree),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
