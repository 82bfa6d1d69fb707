// SPDX-License-Identifier: Apache-2.0
// Checkpoints (opyard/checkpoint.h) against the same program without them, and walks within
// walks.
#include "support/tensors.h"

#define MUST(call) assert_int_equal(call, OY_OK)

static oy_tensor* leaf(oy_tensor* t) {
  return oy_requires_grad_(t, true);
}
static oy_tensor *g_w, *g_x;
static int g_runs;

// sin(x w) w; |w| is not among the inputs.
static oy_status wave(void* data, oy_tensor* const* in, size_t count, oy_tensor** out) {
  (void)data, (void)count;
  g_runs++;
  oy_tensor* product = oy_mul_Tensor(in[0], g_w);
  oy_tensor* sine = oy_sin(product);
  out[0] = oy_mul_Tensor(sine, g_w);
  oy_tensor_release(sine);
  oy_tensor_release(product);
  return out[0] ? OY_OK : oy_failure();
}

static oy_status backward_of(oy_tensor* y) {
  oy_tensor* sum = oy_sum(y, oy_none());
  oy_status status = sum ? oy_backward(sum, NULL, false) : oy_failure();
  oy_tensor_release(sum);
  return status;
}
static int open_inputs(void** state) {
  (void)state;
  g_w = leaf(F64(OY_DIMS(3), 0.5, -1, 2));
  g_x = leaf(F64(OY_DIMS(3), 1, 2, -0.5));
  g_runs = 0;
  return 0;
}
static int close_inputs(void** state) {
  (void)state;
  oy_tensor_release(g_w);
  oy_tensor_release(g_x);
  return 0;
}

static void gradients_are_those_without(void** state) {
  (void)state;
  oy_tensor *direct, *checked;
  MUST(wave(NULL, &g_x, 1, &direct));
  MUST(backward_of(direct));
  oy_tensor* want[] = {oy_clone(oy_grad(g_x), oy_none()),
                       oy_clone(oy_grad(g_w), oy_none())};
  MUST(oy_set_grad(g_x, NULL));
  MUST(oy_set_grad(g_w, NULL));
  MUST(oy_checkpoint(wave, NULL, NULL, &g_x, 1, &checked, 1));
  assert_string_equal(oy_grad_fn_name(checked), "CheckpointFunctionBackward");
  MUST(backward_of(checked));
  assert_int_equal(g_runs, 3);
  for (int64_t i = 0; i < 3; i++) {
    assert_true(element(direct, i) == element(checked, i));
    assert_true(element(oy_grad(g_x), i) == element(want[0], i));
    assert_true(element(oy_grad(g_w), i) == element(want[1], i));
  }
  oy_tensor* all[] = {direct, checked, want[0], want[1]};
  for (int i = 0; i < 4; i++) oy_tensor_release(all[i]);
}

static oy_status drop(void* data, oy_tensor* const* in, size_t count, oy_tensor** out) {
  (void)data, (void)count;
  return (out[0] = oy_dropout(in[0], 0.5, true)) ? OY_OK : oy_failure();
}
static void the_same_random_numbers_again(void** state) {
  (void)state;
  oy_tensor *x = leaf(oy_tensor_from_data((double[64]){0}, OY_DIMS(64), OY_DTYPE_F64)),
            *y;
  oy_grad_guard guard = oy_no_grad();
  assert_non_null(oy_fill__Scalar(x, oy_int(1)));
  oy_grad_guard_end(&guard);
  oy_manual_seed(7);
  MUST(oy_checkpoint(drop, NULL, NULL, &x, 1, &y, 1));
  oy_generator_state after, now;
  MUST(oy_generator_get_state(oy_generator_default(oy_device_cpu()), &after));
  MUST(backward_of(y));
  for (int64_t i = 0; i < 64; i++) assert_true(element(oy_grad(x), i) == element(y, i));
  // And the ones after that are what they would have been.
  MUST(oy_generator_get_state(oy_generator_default(oy_device_cpu()), &now));
  assert_true(after.offset == now.offset && after.seed == now.seed);
  oy_tensor_release(x);
  oy_tensor_release(y);
}

static void what_is_refused(void** state) {
  (void)state;
  oy_tensor *y, *sum, *grad = NULL;
  MUST(oy_checkpoint(wave, NULL, NULL, &g_x, 1, &y, 1));
  sum = oy_sum(y, oy_none());
  assert_int_equal(oy_gradients(&sum, NULL, 1, &g_x, 1, NULL, &grad),
                   OY_FAILED_PRECONDITION);
  assert_error(
      "Checkpointing is not compatible with .grad() or when an `inputs` parameter "
      "is passed to .backward(). Please use .backward() and do not pass its "
      "`inputs` argument.");
  oy_tensor_release(sum);
  oy_tensor_release(y);
}

// Each level is a checkpoint of the next: walks within walks.
static oy_status nested(void* data, oy_tensor* const* in, size_t count, oy_tensor** out) {
  (void)count;
  int* levels = data;
  if (levels[0] == 0)
    return (out[0] = oy_mul_Scalar(in[0], oy_int(2))) ? OY_OK : oy_failure();
  oy_tensor* y;
  OY_TRY(oy_checkpoint(nested, levels - 1, NULL, in, 1, &y, 1));
  out[0] = oy_mul_Scalar(y, oy_float(1));
  oy_tensor_release(y);
  return out[0] ? OY_OK : oy_failure();
}
static void ENG_11_sixty_walks_deep(void** state) {
  (void)state;
  enum { LEVELS = 60 };
  static int levels[LEVELS + 1];
  for (int i = 0; i <= LEVELS; i++) levels[i] = i;
  oy_tensor* y;
  // Recomputing a level recomputes those below without a graph: quadratic, not more.
  MUST(oy_checkpoint(nested, &levels[LEVELS], NULL, &g_x, 1, &y, 1));
  MUST(backward_of(y));
  assert_elements(oy_grad(g_x), OY_DIMS(3), 2, 2, 2);
  oy_tensor_release(y);
}

static bool runs(void) {
  oy_tensor* y;
  if (oy_checkpoint(wave, NULL, NULL, &g_x, 1, &y, 1) != OY_OK) return false;
  bool good = backward_of(y) == OY_OK;
  oy_tensor_release(y);
  return oy_set_grad(g_x, NULL) == OY_OK && oy_set_grad(g_w, NULL) == OY_OK && good;
}
static void without_memory(void** state) {
  (void)state;
  assert_true(runs());
  fail_each_allocation(runs);
}

#define WITH_INPUTS(f) cmocka_unit_test_setup_teardown(f, open_inputs, close_inputs)

int main(void) {
  const struct CMUnitTest tests[] = {
      WITH_INPUTS(gradients_are_those_without),
      cmocka_unit_test(the_same_random_numbers_again),
      WITH_INPUTS(what_is_refused),
      WITH_INPUTS(ENG_11_sixty_walks_deep),
      WITH_INPUTS(without_memory),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
