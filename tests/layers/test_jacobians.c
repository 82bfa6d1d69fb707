// SPDX-License-Identifier: Apache-2.0
// Forward mode, Jacobians and Hessians; expected numbers are derivatives by hand.
#include "slices.h"

static void release(oy_tensor** t, size_t count) {
  for (size_t i = 0; i < count; i++) oy_tensor_release(t[i]);
}

// sin(x) y, x y summed.
static oy_status two_outputs(void* data, oy_tensor* const* in, size_t count,
                             oy_tensor** out, size_t outputs) {
  (void)data, (void)count, (void)outputs;
  oy_tensor *sine = oy_sin(in[0]), *product = oy_mul_Tensor(in[0], in[1]);
  out[0] = sine ? oy_mul_Tensor(sine, in[1]) : NULL;
  out[1] = product ? oy_sum(product, oy_none()) : NULL;
  oy_tensor_release(sine);
  oy_tensor_release(product);
  return out[0] && out[1] ? OY_OK : oy_failure();
}
static oy_status jvp_of(void* data, oy_tensor* const* in, size_t count, oy_tensor** out,
                        size_t outputs) {
  oy_tensor* values[2] = {NULL};
  (void)count;
  oy_status status = oy_jvp_of(data, in, 2, in + 2, values, outputs, out);
  release(values, 2);
  return status;
}
// x^3 summed.
static oy_status cubes(void* data, oy_tensor* const* in, size_t count, oy_tensor** out,
                       size_t outputs) {
  (void)data, (void)count, (void)outputs;
  oy_tensor* cube = oy_pow_Tensor_Scalar(in[0], oy_int(3));
  out[0] = cube ? oy_sum(cube, oy_none()) : NULL;
  oy_tensor_release(cube);
  return out[0] ? OY_OK : oy_failure();
}

#define X_DATA 0.5, -1, 2
#define Y_DATA 3, 0.25, -2
static const double g_x[] = {X_DATA}, g_y[] = {Y_DATA};

static void eng_15_jvp(void** state) {
  (void)state;
  oy_tensor *x = F64(OY_DIMS(3), X_DATA), *y = F64(OY_DIMS(3), Y_DATA);
  oy_tensor *tx = F64(OY_DIMS(3), 1, 2, -1), *ty = F64(OY_DIMS(3), 0.5, 0, 4);
  oy_tensor *in[] = {x, y}, *tangents[] = {tx, ty}, *values[2], *out[2];
  const oy_grad_params p = {.fn = two_outputs, .argnums = OY_DIMS(0, 1)};
  MUST(oy_jvp_of(&p, in, 2, tangents, values, 2, out));
  double sum = 0, change = 0;
  for (int i = 0; i < 3; i++) {
    double dx = element(tx, i), dy = element(ty, i);
    double want = cos(g_x[i]) * g_y[i] * dx + sin(g_x[i]) * dy;
    assert_true(fabs(element(out[0], i) - want) < 1e-12);
    assert_true(fabs(element(values[0], i) - sin(g_x[i]) * g_y[i]) < 1e-12);
    change += g_y[i] * dx + g_x[i] * dy;
    sum += g_x[i] * g_y[i];
  }
  assert_true(element(out[1], 0) == change && element(values[1], 0) == sum);
  assert_false(oy_requires_grad(out[0]) || oy_requires_grad(values[0]));
  // Of one input alone, mapped over tangents.
  const oy_grad_params first = {.fn = two_outputs};
  oy_tensor *many = F64(OY_DIMS(2, 3), 1, 0, 0, 0, 1, 0), *mapped[2];
  oy_tensor* with[] = {x, y, many};
  const oy_vmap_params v = {.fn = jvp_of,
                            .data = (void*)(uintptr_t)&first,
                            .in_dims = OY_DIMS(OY_VMAP_NONE, OY_VMAP_NONE, 0)};
  MUST(oy_vmap(&v, with, 3, mapped, 2));
  assert_close(mapped[0], OY_DIMS(2, 3), 1e-12, cos(0.5) * 3, 0, 0, 0, cos(-1) * 0.25, 0);
  assert_elements(mapped[1], OY_DIMS(2), 3, 0.25);
  oy_tensor* all[] = {values[0], values[1], out[0],    out[1],    x,   y,
                      tx,        ty,        mapped[0], mapped[1], many};
  release(all, 11);
}

// The derivative of a jvp, and a jvp of a gradient.
static oy_tensor* g_direction;
static oy_status slope(void* data, oy_tensor* const* in, size_t count, oy_tensor** out,
                       size_t outputs) {
  (void)data, (void)count, (void)outputs;
  const oy_grad_params p = {.fn = cubes};
  oy_tensor* value;
  oy_status status = oy_jvp_of(&p, in, 1, &g_direction, &value, 1, out);
  oy_tensor_release(value);
  return status;
}
static oy_status gradient(void* data, oy_tensor* const* in, size_t count, oy_tensor** out,
                          size_t outputs) {
  (void)outputs;
  return oy_grad_of(data, in, count, NULL, out);
}
static void eng_15_nests(void** state) {
  (void)state;
  oy_tensor *x = F64(OY_DIMS(3), X_DATA), *out, *value;
  g_direction = F64(OY_DIMS(3), 1, 2, -1);
  const oy_grad_params of_slope = {.fn = slope};
  MUST(oy_grad_of(&of_slope, &x, 1, NULL, &out));
  assert_elements(out, OY_DIMS(3), 3, -12, -12);
  oy_tensor_release(out);
  oy_grad_params p = {.fn = cubes};
  const oy_grad_params of_gradient = {.fn = gradient, .data = &p};
  MUST(oy_jvp_of(&of_gradient, &x, 1, &g_direction, &value, 1, &out));
  assert_elements(out, OY_DIMS(3), 3, -12, -12);
  assert_elements(value, OY_DIMS(3), 0.75, 3, 12);
  oy_tensor* all[] = {x, out, value, g_direction};
  release(all, 4);
}

static void eng_15_jacobians(void** state) {
  (void)state;
  oy_tensor *in[] = {F64(OY_DIMS(3), X_DATA), F64(OY_DIMS(3), Y_DATA)}, *j[4];
  const oy_grad_params p = {.fn = two_outputs, .argnums = OY_DIMS(0, 1)};
  uint64_t loops = oy_vmap_fallback_count(NULL);
  for (int forward = 0; forward < 2; forward++) {
    MUST(forward ? oy_jacfwd_of(&p, in, 2, 2, j) : oy_jacrev_of(&p, in, 2, 2, j));
    for (int64_t i = 0; i < 9; i++) {
      const int64_t r = i / 3, c = i % 3;
      assert_true(fabs(element(j[0], i) - (r == c ? cos(g_x[r]) * g_y[r] : 0)) < 1e-12);
      assert_true(fabs(element(j[1], i) - (r == c ? sin(g_x[r]) : 0)) < 1e-12);
    }
    assert_dims(oy_tensor_sizes(j[0]), OY_DIMS(3, 3));
    assert_elements(j[2], OY_DIMS(3), Y_DATA);
    assert_elements(j[3], OY_DIMS(3), X_DATA);
    release(j, 4);
  }
  assert_int_equal(oy_vmap_fallback_count(NULL), loops);
  release(in, 2);
}

static void eng_15_hessian(void** state) {
  (void)state;
  oy_tensor *x = F64(OY_DIMS(3), X_DATA), *h;
  const oy_grad_params p = {.fn = cubes};
  MUST(oy_hessian_of(&p, &x, 1, &h));
  assert_elements(h, OY_DIMS(3, 3), 3, 0, 0, 0, -6, 0, 0, 0, 12);
  oy_tensor_release(h);
  oy_tensor_release(x);
}

MAPPED(constant, oy_clone(in[1], oy_none()))
MAPPED(whole, oy_to_dtype(in[0], OY_DTYPE_I64, false, false, oy_none()))
MAPPED(twice_missing, oy_view_dtype(in[0], OY_DTYPE_F32))

static void eng_15_errors(void** state) {
  (void)state;
  oy_tensor *in[] = {F64(OY_DIMS(3), X_DATA), F64(OY_DIMS(2), 1, 2)}, *value, *out;
  oy_grad_params p = {.fn = constant};
  // What plays no part has no tangent, and rows of zeros.
  MUST(oy_jvp_of(&p, in, 2, in, &value, 1, &out));
  assert_elements(out, OY_DIMS(2), 0, 0);
  oy_tensor_release(value);
  oy_tensor_release(out);
  MUST(oy_jacrev_of(&p, in, 2, 1, &out));
  assert_elements(out, OY_DIMS(2, 3), 0, 0, 0, 0, 0, 0);
  oy_tensor_release(out);
  assert_int_equal(oy_jvp_of(&p, in, 2, in + 1, &value, 1, &out), OY_INVALID_ARGUMENT);
  assert_error("jvp: expected tangent 0 of the sizes of its input, [3], got [2]");
  assert_null(out);
  p.fn = whole;
  assert_int_equal(oy_jvp_of(&p, in, 2, in, &value, 1, &out), OY_INVALID_ARGUMENT);
  assert_error(
      "jvp(f, primals, tangents): expected f to return floating-point or complex "
      "tensors, got one of torch.int64");
  p.fn = twice_missing;
  assert_int_equal(oy_jvp_of(&p, in, 2, in, &value, 1, &out), OY_NOT_IMPLEMENTED);
  assert_error(
      "Trying to use forward AD with aten::view.dtype that does not support it because "
      "it has not been implemented yet.");
  p.argnums = OY_DIMS(4);
  assert_int_equal(oy_jacfwd_of(&p, in, 2, 1, &out), OY_INVALID_ARGUMENT);
  assert_error("Got argnum=4, but only 2 positional inputs");
  p = (oy_grad_params){0};
  assert_int_equal(oy_hessian_of(&p, in, 1, &out), OY_INVALID_ARGUMENT);
  assert_error("hessian: expected a function, got NULL");
  assert_int_equal(oy_transform_level(), 0);
  release(in, 2);
}

static oy_tensor* g_in;
static bool without_memory(void) {
  const oy_grad_params p = {.fn = cubes};
  oy_tensor* h;
  if (oy_hessian_of(&p, &g_in, 1, &h) != OY_OK) return false;
  oy_tensor_release(h);
  return true;
}
static void eng_15_without_memory(void** state) {
  (void)state;
  g_in = F64(OY_DIMS(2), 1, 2);
  assert_true(without_memory());
  fail_each_allocation(without_memory);
  oy_tensor_release(g_in);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(eng_15_jvp),       cmocka_unit_test(eng_15_nests),
      cmocka_unit_test(eng_15_jacobians), cmocka_unit_test(eng_15_hessian),
      cmocka_unit_test(eng_15_errors),    cmocka_unit_test(eng_15_without_memory),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
