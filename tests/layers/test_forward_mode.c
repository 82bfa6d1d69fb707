// SPDX-License-Identifier: Apache-2.0
// Forward mode: levels, dual tensors, what views and writes do to tangents, what fails. What
// is expected, also of texts, is what PyTorch 1.13 gives for the same calls. Tangents of all
// operators are checked by differences.c.
#include "support/tensors.h"

#define MUST(call) assert_int_equal(call, OY_OK)

static int64_t g_level;

// A dual tensor of two rows: 1 2 3, 4 5 6 and tangents 1 -1 2, 0.5 3 -2.
static oy_tensor* dual_rows(oy_tensor** out_tangent) {
  oy_tensor* x = F64(OY_DIMS(2, 3), 1, 2, 3, 4, 5, 6);
  oy_tensor* t = F64(OY_DIMS(2, 3), 1, -1, 2, 0.5, 3, -2);
  oy_tensor* dual = oy_make_dual(x, t, g_level);
  assert_non_null(dual);
  oy_tensor_release(x);
  if (out_tangent)
    *out_tangent = t;
  else
    oy_tensor_release(t);
  return dual;
}

static oy_tensor* dual_of(double value, double tangent) {
  oy_tensor *x = F64(OY_DIMS(1), value), *t = F64(OY_DIMS(1), tangent);
  oy_tensor* dual = oy_make_dual(x, t, g_level);
  oy_tensor_release(x);
  oy_tensor_release(t);
  assert_non_null(dual);
  return dual;
}

// The tangent of |dual|, which may be none.
static oy_tensor* tangent_of(oy_tensor* dual) {
  oy_tensor *primal, *tangent;
  assert_int_equal(oy_unpack_dual(dual, g_level, &primal, &tangent), OY_OK);
  oy_tensor_release(primal);
  return tangent;
}

#define ASSERT_TANGENT(dual, dims, ...)           \
  do {                                            \
    oy_tensor* tangent_ = tangent_of(dual);       \
    assert_non_null(tangent_);                    \
    assert_elements(tangent_, dims, __VA_ARGS__); \
    oy_tensor_release(tangent_);                  \
  } while (0)
#define ASSERT_NO_TANGENT(dual) assert_null(tangent_of(dual))

static int enter(void** state) {
  (void)state;
  return oy_dual_level_enter(&g_level) == OY_OK ? 0 : -1;
}
static int leave(void** state) {
  (void)state;
  return oy_dual_level_exit(g_level) == OY_OK ? 0 : -1;
}

// ------------------------------------------------------------------------------ levels

static void ENG_15_levels(void** state) {
  (void)state;
  int64_t level, other;
  oy_tensor* x = F64(OY_DIMS(1), 2);
  assert_int_equal(oy_dual_level(), -1);
  assert_int_equal(oy_dual_level_exit(-1), OY_FAILED_PRECONDITION);
  assert_error("Dual level must be a positive number.");
  assert_null(oy_make_dual(x, x, -1));
  assert_error(
      "Trying to create a dual Tensor for forward AD but no level exists, make sure to "
      "enter_dual_level() first.");
  assert_int_equal(oy_dual_level_enter(&level), OY_OK);
  assert_int_equal(level, 0);
  assert_int_equal(oy_dual_level_enter(&other), OY_FAILED_PRECONDITION);
  assert_error("Nested forward mode AD is not supported at the moment");
  assert_int_equal(oy_dual_level_exit(3), OY_FAILED_PRECONDITION);
  assert_error(
      "Trying to exit a forward AD level that was not the last one that was created. "
      "This "
      "is not supported.");
  assert_int_equal(oy_dual_level_exit(level), OY_OK);
  assert_int_equal(oy_dual_level(), -1);
  oy_tensor_release(x);
}

static void ENG_15_tangents_end_with_the_level(void** state) {
  (void)state;
  assert_int_equal(oy_dual_level_enter(&g_level), OY_OK);
  oy_tensor* dual = dual_rows(NULL);
  assert_int_equal(oy_dual_level_exit(g_level), OY_OK);
  assert_int_equal(oy_dual_level_enter(&g_level), OY_OK);
  ASSERT_NO_TANGENT(dual);
  oy_tensor* twice = oy_mul_Scalar(dual, oy_int(2));
  ASSERT_NO_TANGENT(twice);
  assert_int_equal(oy_dual_level_exit(g_level), OY_OK);
  oy_tensor *primal, *tangent;
  assert_int_equal(oy_unpack_dual(dual, -1, &primal, &tangent), OY_OK);
  assert_ptr_equal(primal, dual);
  assert_null(tangent);
  oy_tensor_release(primal);
  oy_tensor_release(twice);
  oy_tensor_release(dual);
}

// ----------------------------------------------------------------------- making duals

static void refused(oy_tensor* x, oy_tensor* t, const char* text) {
  assert_null(oy_make_dual(x, t, g_level));
  assert_error(text);
}

static void ENG_15_what_cannot_be_dual(void** state) {
  (void)state;
  oy_tensor *two = F32(OY_DIMS(2), 1, 2), *three = F32(OY_DIMS(3), 1, 2, 3);
  oy_tensor* whole = I64(OY_DIMS(2), 1, 2);
  refused(two, three,
          "Trying to set a forward gradient that has a different size than that of the "
          "original Tensor, this is not supported. Tensor is of size [2] while the given "
          "forward gradient is of size [3].");
  refused(whole, two,
          "Expected primal to be floating point or complex, but got: torch.int64");
  refused(two, whole,
          "Expected tangent to be floating point or complex, but got: torch.int64");
  assert_null(oy_make_dual(two, two, 2));
  assert_error("Invalid level given to _make_dual");
  oy_tensor* dual = oy_make_dual(two, two, g_level);
  refused(dual, two,
          "Making a dual Tensor based on a Tensor that already has a forward gradient at "
          "the same level 0 is not supported.");
  oy_tensor_release(dual);
  oy_tensor_release(two);
  oy_tensor_release(three);
  oy_tensor_release(whole);
}

static void ENG_15_unpack(void** state) {
  (void)state;
  oy_tensor *t, *primal, *tangent;
  oy_tensor* dual = dual_rows(&t);
  assert_int_equal(oy_unpack_dual(dual, g_level, &primal, &tangent), OY_OK);
  // The tangent that was given, of the same layout, is kept as it is.
  assert_ptr_equal(tangent, t);
  assert_elements(primal, OY_DIMS(2, 3), 1, 2, 3, 4, 5, 6);
  assert_ptr_equal(oy_tensor_data(primal), oy_tensor_data(dual));
  ASSERT_NO_TANGENT(primal);
  oy_tensor_release(primal);
  oy_tensor_release(tangent);
  oy_tensor_release(t);
  oy_tensor_release(dual);
}

// ------------------------------------------------------------------------- operators

static void ENG_15_operators(void** state) {
  (void)state;
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* d = dual_rows(NULL);
  ASSERT_TANGENT(oy_mul_Tensor(d, d), OY_DIMS(2, 3), 2, -4, 12, 4, 30, -24);
  ASSERT_TANGENT(oy_sum(d, oy_none()), ((oy_ints){NULL, 0}), 3.5);
  ASSERT_TANGENT(oy_ceil(d), OY_DIMS(2, 3), 0, 0, 0, 0, 0, 0);
  ASSERT_TANGENT(oy_mm(d, oy_t(d)), OY_DIMS(2, 2), 10, 11.5, 11.5, 10);
  // Composed of others.
  ASSERT_TANGENT(oy_matmul(d, oy_select_int(d, 0, 0)), OY_DIMS(2), 10, 11.5);
  oy_tensor *values, *places;
  assert_int_equal(oy_max_dim(d, 1, false, &values, &places), OY_OK);
  ASSERT_TANGENT(values, OY_DIMS(2), 2, -2);
  ASSERT_NO_TANGENT(places);
  ASSERT_NO_TANGENT(oy_gt_Scalar(d, oy_int(2)));
  ASSERT_NO_TANGENT(oy_detach(d));
  ASSERT_NO_TANGENT(
      oy_zeros_like(d, oy_none(), oy_none(), oy_none(), oy_none(), oy_none()));
  assert_false(oy_requires_grad(oy_mul_Tensor(d, d)));
  oy_scope_close(&scope);
  oy_tensor_release(d);
}

static void ENG_15_modes(void** state) {
  (void)state;
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* d = dual_rows(NULL);
  oy_grad_guard off = oy_no_grad();
  oy_tensor* product = oy_mul_Scalar(d, oy_int(3));
  oy_grad_guard_end(&off);
  ASSERT_TANGENT(product, OY_DIMS(2, 3), 3, -3, 6, 1.5, 9, -6);
  oy_inference_guard guard = oy_inference_mode(true);
  oy_tensor* bare = oy_mul_Scalar(d, oy_int(3));
  oy_inference_guard_end(&guard);
  ASSERT_NO_TANGENT(bare);
  oy_scope_close(&scope);
  oy_tensor_release(d);
}

static void ENG_15_unsupported(void** state) {
  (void)state;
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* d = dual_rows(NULL);
  oy_tensor* ones =
      oy_ones_like(d, oy_none(), oy_none(), oy_none(), oy_none(), oy_none());
  assert_null(oy_mul_out(ones, d, ones));
  assert_error(
      "Trying to use forward AD with mul_out that does not support it because it is an "
      "out= function");
  assert_null(oy_mul_out(ones, ones, d));
  // By the first argument it has no derivative.
  assert_null(oy_igamma(d, ones));
  assert_error(
      "Trying to use forward AD with igamma that does not support it because it has not "
      "been implemented yet.");
  oy_tensor* copy = oy_clone(d, oy_none());
  assert_null(oy_resize_(copy, OY_DIMS(3, 3), oy_none()));
  assert_error("cannot resize variables that has a forward grad");
  oy_scope_close(&scope);
  oy_tensor_release(d);
}

static oy_status twice(oy_function_context* c, oy_tensor* const* inputs, size_t count,
                       oy_tensor** outputs) {
  (void)c, (void)count;
  outputs[0] = oy_mul_Scalar(inputs[0], oy_int(2));
  return outputs[0] ? OY_OK : oy_failure();
}

static void ENG_15_custom_functions(void** state) {
  (void)state;
  const oy_function function = {.name = "Twice", .forward = twice, .outputs = 1};
  oy_tensor *d = dual_of(3, 2), *x = F64(OY_DIMS(1), 3), *out;
  assert_int_equal(oy_function_apply(&function, NULL, &d, 1, &out), OY_NOT_IMPLEMENTED);
  assert_error(
      "You must implement the jvp function for custom autograd.Function to use it with "
      "forward mode AD.");
  assert_int_equal(oy_function_apply(&function, NULL, &x, 1, &out), OY_OK);
  assert_elements(out, OY_DIMS(1), 6);
  oy_tensor_release(out);
  oy_tensor_release(x);
  oy_tensor_release(d);
}

// --------------------------------------------------------------------- views and writes

static void ENG_15_views(void** state) {
  (void)state;
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* t;
  oy_tensor* d = dual_rows(&t);
  oy_tensor* row = oy_select_int(d, 0, 0);
  ASSERT_TANGENT(row, OY_DIMS(3), 1, -1, 2);
  // A write to the view is one to the tensor and to its tangent.
  assert_non_null(oy_mul__Scalar(row, oy_int(4)));
  assert_elements(d, OY_DIMS(2, 3), 4, 8, 12, 4, 5, 6);
  ASSERT_TANGENT(d, OY_DIMS(2, 3), 4, -4, 8, 0.5, 3, -2);
  assert_elements(t, OY_DIMS(2, 3), 4, -4, 8, 0.5, 3, -2);
  oy_tensor* copy = oy_clone(d, oy_none());
  assert_non_null(oy_t_(copy));
  ASSERT_TANGENT(copy, OY_DIMS(3, 2), 4, 0.5, -4, 3, 8, -2);
  oy_value rows;
  assert_int_equal(oy_split_Tensor(d, 1, 0, &rows), OY_OK);
  ASSERT_TANGENT(rows.as.tensors[1], OY_DIMS(1, 3), 0.5, 3, -2);
  oy_value_release(&rows);
  oy_scope_close(&scope);
  oy_tensor_release(d);
  oy_tensor_release(t);
}

// The base had no tangent: its other parts have zeros.
static void ENG_15_write_to_a_view(void** state) {
  (void)state;
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor *d = dual_rows(NULL), *base = F64(OY_DIMS(2, 3), 9, 9, 9, 9, 9, 9);
  oy_tensor *before = oy_view(base, OY_DIMS(6)), *part = oy_select_int(base, 0, 1);
  assert_non_null(oy_copy_(part, oy_select_int(d, 0, 0), false));
  ASSERT_TANGENT(base, OY_DIMS(2, 3), 0, 0, 0, 1, -1, 2);
  ASSERT_TANGENT(part, OY_DIMS(3), 1, -1, 2);
  ASSERT_TANGENT(before, OY_DIMS(6), 0, 0, 0, 1, -1, 2);
  ASSERT_TANGENT(oy_select_int(base, 0, 0), OY_DIMS(3), 0, 0, 0);
  assert_elements(base, OY_DIMS(2, 3), 9, 9, 9, 1, 2, 3);
  oy_scope_close(&scope);
  oy_tensor_release(base);
  oy_tensor_release(d);
}

static void ENG_15_writes(void** state) {
  (void)state;
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor *d = dual_of(3, 2), *x = F64(OY_DIMS(1), 5);
  assert_non_null(oy_mul__Tensor(x, d));
  assert_elements(x, OY_DIMS(1), 15);
  ASSERT_TANGENT(x, OY_DIMS(1), 10);
  assert_non_null(oy_mul__Tensor(x, x));
  ASSERT_TANGENT(x, OY_DIMS(1), 300);
  // A tangent is nobody else's: d's is as it was.
  oy_tensor* sum = F64(OY_DIMS(1), 1);
  assert_non_null(oy_add__Tensor(sum, d, oy_int(1)));
  assert_non_null(oy_mul__Scalar(sum, oy_int(7)));
  ASSERT_TANGENT(sum, OY_DIMS(1), 14);
  ASSERT_TANGENT(d, OY_DIMS(1), 2);
  assert_non_null(oy_zero_(x));
  ASSERT_TANGENT(x, OY_DIMS(1), 0);
  ASSERT_NO_TANGENT(oy_detach_(sum));
  oy_tensor_release(sum);
  oy_tensor_release(x);
  oy_tensor_release(d);
  oy_scope_close(&scope);
}

// --------------------------------------------------------------- with the other direction

// x^3 at 1, 2 along 3, 4: the gradient 3 x^2 changes by 6 x t.
static void ENG_15_gradients_have_tangents(void** state) {
  (void)state;
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor *x = F64(OY_DIMS(2), 1, 2), *t = F64(OY_DIMS(2), 3, 4), *grad;
  assert_non_null(oy_requires_grad_(x, true));
  oy_tensor* d = oy_make_dual(x, t, g_level);
  oy_tensor* sum = oy_sum(oy_pow_Tensor_Scalar(d, oy_int(3)), oy_none());
  assert_int_equal(oy_gradients(&sum, NULL, 1, &d, 1, NULL, &grad), OY_OK);
  assert_elements(grad, OY_DIMS(2), 3, 12);
  ASSERT_TANGENT(grad, OY_DIMS(2), 18, 48);
  oy_tensor_release(grad);
  // Also where the gradient is made of the result.
  sum = oy_sum(oy_reciprocal(d), oy_none());
  assert_int_equal(oy_gradients(&sum, NULL, 1, &d, 1, NULL, &grad), OY_OK);
  ASSERT_TANGENT(grad, OY_DIMS(2), 6, 1);
  oy_tensor_release(grad);
  oy_tensor_release(d);
  oy_tensor_release(t);
  oy_tensor_release(x);
  oy_scope_close(&scope);
}

static void ENG_15_tangents_have_gradients(void** state) {
  (void)state;
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor *x = F64(OY_DIMS(2), 1, 2), *t = F64(OY_DIMS(2), 3, 4), *grads[2];
  assert_non_null(oy_requires_grad_(x, true));
  assert_non_null(oy_requires_grad_(t, true));
  oy_tensor* d = oy_make_dual(x, t, g_level);
  oy_tensor* change = tangent_of(oy_sum(oy_pow_Tensor_Scalar(d, oy_int(3)), oy_none()));
  assert_elements(change, ((oy_ints){NULL, 0}), 57);
  oy_tensor* by[] = {x, t};
  assert_int_equal(oy_gradients(&change, NULL, 1, by, 2, NULL, grads), OY_OK);
  assert_elements(grads[0], OY_DIMS(2), 18, 48);
  assert_elements(grads[1], OY_DIMS(2), 3, 12);
  oy_tensor_release(grads[0]);
  oy_tensor_release(grads[1]);
  oy_tensor_release(change);
  oy_tensor_release(d);
  oy_tensor_release(t);
  oy_tensor_release(x);
  oy_scope_close(&scope);
}

// --------------------------------------------------------------------------- memory

static bool short_of_memory(void) {
  oy_tensor *x = F64(OY_DIMS(2), 1, 2), *t = F64(OY_DIMS(2), 3, 4);
  oy_tensor* d = x && t ? oy_make_dual(x, t, g_level) : NULL;
  oy_tensor* product = d ? oy_mul_Tensor(d, d) : NULL;
  oy_tensor* written = product ? oy_mul__Tensor(product, d) : NULL;
  oy_tensor_release(product);
  oy_tensor_release(d);
  oy_tensor_release(t);
  oy_tensor_release(x);
  return written != NULL;
}
// An element that is written twice: the tangent is that of what stays.
static void ENG_15_elements_written_twice(void** state) {
  (void)state;
  oy_tensor *self = F64(OY_DIMS(3), 1, 2, 3), *values = F64(OY_DIMS(2), 5, 6);
  oy_tensor *ts = F64(OY_DIMS(3), 10, 20, 30), *tv = F64(OY_DIMS(2), 50, 60);
  oy_tensor* index = I64(OY_DIMS(2), 1, 1);
  oy_tensor* source = oy_make_dual(values, tv, 0);
  oy_tensor* both = oy_make_dual(self, ts, 0);
  oy_tensor *primal, *tangent;
  oy_tensor* y = oy_scatter_src(both, 0, index, source);
  MUST(oy_unpack_dual(y, 0, &primal, &tangent));
  assert_elements(primal, OY_DIMS(3), 1, 6, 3);
  assert_elements(tangent, OY_DIMS(3), 10, 60, 30);
  oy_tensor_release(primal);
  oy_tensor_release(tangent);
  // The target alone, and in place the source alone.
  oy_tensor* z = oy_scatter_src(both, 0, index, values);
  MUST(oy_unpack_dual(z, 0, &primal, &tangent));
  assert_elements(tangent, OY_DIMS(3), 10, 0, 30);
  oy_tensor_release(primal);
  oy_tensor_release(tangent);
  assert_ptr_equal(oy_scatter__src(self, 0, index, source), self);
  MUST(oy_unpack_dual(self, 0, &primal, &tangent));
  assert_elements(primal, OY_DIMS(3), 1, 6, 3);
  assert_elements(tangent, OY_DIMS(3), 0, 60, 0);
  oy_tensor* all[] = {primal, tangent, z, y, both, source, index, ts, tv, self, values};
  for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) oy_tensor_release(all[i]);
}

// As PyTorch 1.13 prints them.
static void ENG_15_prints(void** state) {
  (void)state;
  static const struct {
    double value, tangent;
    const char* text;
  } rows[] = {{2.5, 3, "tensor(2.5000, dtype=torch.float64, tangent=3.0)"},
              {2, 1e-5, "tensor(2., dtype=torch.float64, tangent=1e-05)"},
              {2, 1e15, "tensor(2., dtype=torch.float64, tangent=1000000000000000.0)"},
              {2, 1e20, "tensor(2., dtype=torch.float64, tangent=1e+20)"},
              {2, NAN, "tensor(2., dtype=torch.float64, tangent=nan)"},
              {2, -INFINITY, "tensor(2., dtype=torch.float64, tangent=-inf)"}};
  char* text;
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
    oy_tensor *p = F64(oy_dims_none(), rows[i].value),
              *t = F64(oy_dims_none(), rows[i].tangent);
    oy_tensor* dual = oy_make_dual(p, t, 0);
    MUST(oy_tensor_print(dual, &text));
    assert_string_equal(text, rows[i].text);
    oy_text_free(text);
    oy_tensor* all[] = {dual, p, t};
    for (size_t k = 0; k < 3; k++) oy_tensor_release(all[k]);
  }
  oy_tensor* w = oy_requires_grad_(F32(OY_DIMS(2), 1, 2), true);
  oy_tensor *t = F32(OY_DIMS(2), 3, 4), *dual = oy_make_dual(w, t, 0);
  MUST(oy_tensor_print(dual, &text));
  assert_string_equal(text,
                      "tensor([1., 2.], grad_fn=<ViewBackward0>, "
                      "tangent=tensor([3., 4.]))");
  oy_text_free(text);
  oy_tensor* all[] = {dual, t, w};
  for (size_t k = 0; k < 3; k++) oy_tensor_release(all[k]);
}

static void ENG_15_memory(void** state) {
  (void)state;
  fail_each_allocation(short_of_memory);
}

#define IN_LEVEL(f) cmocka_unit_test_setup_teardown(f, enter, leave)
int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ENG_15_levels),
      cmocka_unit_test(ENG_15_tangents_end_with_the_level),
      IN_LEVEL(ENG_15_what_cannot_be_dual),
      IN_LEVEL(ENG_15_unpack),
      IN_LEVEL(ENG_15_operators),
      IN_LEVEL(ENG_15_modes),
      IN_LEVEL(ENG_15_unsupported),
      IN_LEVEL(ENG_15_custom_functions),
      IN_LEVEL(ENG_15_views),
      IN_LEVEL(ENG_15_write_to_a_view),
      IN_LEVEL(ENG_15_writes),
      IN_LEVEL(ENG_15_gradients_have_tangents),
      IN_LEVEL(ENG_15_tangents_have_gradients),
      IN_LEVEL(ENG_15_elements_written_twice),
      IN_LEVEL(ENG_15_prints),
      IN_LEVEL(ENG_15_memory),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
