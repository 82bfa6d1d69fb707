// SPDX-License-Identifier: Apache-2.0
// Program 1: x = [1, 2], w = [3, 4] that requires a gradient; add, sum, backward. The
// layers that each operator passes are seen in the trace.
#include "support/tensors.h"

static char g_trace[4096];

static void keep_line(void* user_data, const char* line) {
  (void)user_data;
  strncat(g_trace, line, sizeof(g_trace) - strlen(g_trace) - 2);
  strcat(g_trace, "\n");
}

static void start_trace(void) {
  g_trace[0] = '\0';
  oy_trace_set_sink(keep_line, NULL);
  oy_trace_set(true);
}
static void stop_trace(void) {
  oy_trace_set(false);
  oy_trace_set_sink(NULL, NULL);
}

static void gradients_of_add_and_sum(void** state) {
  (void)state;
  oy_tensor* x = F32(OY_DIMS(2), 1, 2);
  oy_tensor* w = oy_requires_grad_(F32(OY_DIMS(2), 3, 4), true);
  oy_tensor* y = oy_add_Tensor(x, w, oy_int(1));
  assert_elements(y, OY_DIMS(2), 4, 6);
  oy_tensor* loss = oy_sum(y, oy_none());
  assert_elements(loss, oy_dims_none(), 10);
  assert_int_equal(oy_backward(loss, NULL, false), OY_OK);
  assert_null(oy_grad(x));
  assert_elements(oy_grad(w), OY_DIMS(2), 1, 1);
  oy_tensor_release(loss);
  oy_tensor_release(y);
  oy_tensor_release(w);
  oy_tensor_release(x);
}

static void trace_shows_the_layers(void** state) {
  (void)state;
  oy_tensor* x = F32(OY_DIMS(2), 1, 2);
  oy_tensor* w = oy_requires_grad_(F32(OY_DIMS(2), 3, 4), true);
  start_trace();
  oy_tensor* y = oy_add_Tensor(x, w, oy_int(1));
  oy_tensor* loss = oy_sum(y, oy_none());
  stop_trace();
  assert_string_equal(g_trace,
                      " [call] op=[aten::add.Tensor], key=[AutogradCPU]\n"
                      "  [redispatch] op=[aten::add.Tensor], key=[CPU]\n"
                      " [call] op=[aten::sum], key=[AutogradCPU]\n"
                      "  [redispatch] op=[aten::sum], key=[CPU]\n"
                      "   [call] op=[aten::sum.dim_IntList], key=[CPU]\n");
  start_trace();
  assert_int_equal(oy_backward(loss, NULL, false), OY_OK);
  stop_trace();
  // No operator of the backward walk goes to Autograd, since nothing is recorded there.
  assert_null(strstr(g_trace, "AutogradCPU"));
  assert_non_null(strstr(g_trace, "op=[aten::expand]"));
  oy_tensor_release(loss);
  oy_tensor_release(y);
  oy_tensor_release(w);
  oy_tensor_release(x);
}

static void what_needs_no_gradient_never_visits_autograd(void** state) {
  (void)state;
  oy_tensor* x = F32(OY_DIMS(2), 1, 2);
  start_trace();
  oy_tensor* y = oy_add_Tensor(x, x, oy_int(1));
  assert_ptr_equal(oy_add__Tensor(y, x, oy_int(1)), y);
  stop_trace();
  assert_string_equal(g_trace,
                      " [call] op=[aten::add.Tensor], key=[CPU]\n"
                      " [call] op=[aten::add_.Tensor], key=[ADInplaceOrView]\n"
                      "  [redispatch] op=[aten::add_.Tensor], key=[CPU]\n");
  oy_tensor_release(y);
  oy_tensor_release(x);
}

// In one expression, with a scope for what is in between.
static void the_same_with_a_scope(void** state) {
  (void)state;
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* x = F32(OY_DIMS(2), 1, 2);
  oy_tensor* w = oy_requires_grad_(F32(OY_DIMS(2), 3, 4), true);
  oy_tensor* loss = oy_sum(oy_mul_Tensor(oy_add_Tensor(x, w, oy_int(1)), x), oy_none());
  assert_int_equal(oy_backward(loss, NULL, false), OY_OK);
  assert_elements(oy_grad(w), OY_DIMS(2), 1, 2);
  oy_scope_close(&scope);
  oy_tensor_release(w);
  oy_tensor_release(x);
}

static bool run_program(void) {
  oy_tensor* x = F32(OY_DIMS(2), 1, 2);
  oy_tensor* w = F32(OY_DIMS(2), 3, 4);
  if (w && !oy_requires_grad_(w, true)) {
    oy_tensor_release(w);
    w = NULL;
  }
  oy_tensor* y = oy_add_Tensor(x, w, oy_int(1));
  oy_tensor* z = oy_mul_Tensor(y, w);
  oy_tensor* loss = oy_sum(z, oy_none());
  bool good = loss && oy_backward(loss, NULL, false) == OY_OK;
  oy_tensor_release(loss);
  oy_tensor_release(z);
  oy_tensor_release(y);
  oy_tensor_release(w);
  oy_tensor_release(x);
  return good;
}

static void allocations_fail_in_turn(void** state) {
  (void)state;
  assert_true(run_program());
  fail_each_allocation(run_program);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients_of_add_and_sum),
      cmocka_unit_test(trace_shows_the_layers),
      cmocka_unit_test(what_needs_no_gradient_never_visits_autograd),
      cmocka_unit_test(the_same_with_a_scope),
      cmocka_unit_test(allocations_fail_in_turn),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
