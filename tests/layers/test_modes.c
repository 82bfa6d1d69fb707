// SPDX-License-Identifier: Apache-2.0
// Modes (opyard/mode.h). What a mode sees of composed operators and of a backward, and the
// texts, are those of PyTorch 1.13 and 2.6 (torch.utils._python_dispatch).
#include <pthread.h>

#include "layers/handlers.h"

// ---------------------------------------------------------------------- modes

static void PY_01_the_innermost_mode_sees_a_call_first(void** state) {
  (void)state;
  oy_dispatch_mode outer, inner;
  oy_mode_push(&outer, "outer", pass, "outer", NULL);
  oy_mode_push(&inner, "inner", pass, "inner", NULL);
  assert_ptr_equal(oy_mode_innermost(), &inner);
  oy_tensor* sum = oy_add_Tensor(g_x, g_y, ALPHA1);
  assert_elements(sum, OY_DIMS(2, 2), 11, 22, 33, 44);
  oy_tensor_release(sum);
  assert_seen("inner aten::add.Tensor\nouter aten::add.Tensor\n");
  MUST(oy_mode_pop(&inner));
  oy_tensor_release(oy_neg(g_x));
  assert_seen("outer aten::neg\n");
  MUST(oy_mode_pop(&outer));
  oy_tensor_release(oy_neg(g_x));
  assert_seen("");
}

static void PY_01_a_mode_sees_the_parts_of_what_is_composed(void** state) {
  (void)state;
  oy_dispatch_mode mode;
  oy_mode_push(&mode, "mode", pass, "m", NULL);
  // PyTorch 1.13: aten.mm.default alone, with and without a gradient.
  oy_tensor* product = oy_matmul(g_x, g_y);
  assert_elements(product, OY_DIMS(2, 2), 70, 100, 150, 220);
  assert_seen("m aten::mm\n");
  assert_non_null(oy_requires_grad_(g_x, true));
  oy_tensor* recorded = oy_matmul(g_x, g_y);
  assert_string_equal(oy_grad_fn_name(recorded), "MmBackward0");
  assert_seen("m aten::mm\n");
  MUST(oy_mode_pop(&mode));
  oy_tensor_release(product);
  oy_tensor_release(recorded);
}

static void PY_01_factories_are_seen(void** state) {
  (void)state;
  oy_dispatch_mode mode;
  oy_mode_push(&mode, "mode", pass, "m", NULL);
  oy_tensor* zeros = oy_zeros(OY_DIMS(2), oy_none(), oy_none(), oy_none(), oy_none());
  assert_elements(zeros, OY_DIMS(2), 0, 0);
  assert_seen("m aten::zeros\n");
  MUST(oy_mode_pop(&mode));
  oy_tensor_release(zeros);
}

static void PY_01_lists_of_tensors(void** state) {
  (void)state;
  oy_dispatch_mode mode;
  oy_mode_push(&mode, "mode", pass, "m", NULL);
  oy_tensor* both[] = {g_x, g_y};
  oy_tensor* joined = oy_cat((oy_tensors){both, 2}, 0);
  assert_elements(joined, OY_DIMS(4, 2), 1, 2, 3, 4, 10, 20, 30, 40);
  assert_seen("m aten::cat\n");
  oy_tensor *values, *indices;
  MUST(oy_max_dim(g_x, 0, false, &values, &indices));
  assert_elements(values, OY_DIMS(2), 3, 4);
  assert_elements(indices, OY_DIMS(2), 1, 1);
  assert_seen("m aten::max.dim\n");
  MUST(oy_mode_pop(&mode));
  oy_tensor_release(joined);
  oy_tensor_release(values);
  oy_tensor_release(indices);
}

static void PY_01_autograd_records_above_and_its_backward_is_seen(void** state) {
  (void)state;
  assert_non_null(oy_requires_grad_(g_x, true));
  oy_dispatch_mode mode;
  oy_mode_push(&mode, "mode", pass, "m", NULL);
  oy_tensor* squares = oy_mul_Tensor(g_x, g_x);
  oy_tensor* sum = oy_sum(squares, oy_none());
  assert_seen("m aten::mul.Tensor\nm aten::sum\n");
  MUST(oy_backward(sum, NULL, false));
  assert_non_null(strstr(g_seen, "m aten::ones_like\n"));
  assert_non_null(strstr(g_seen, "m aten::expand\n"));
  assert_non_null(strstr(g_seen, "m aten::mul.Tensor\n"));
  g_seen[0] = '\0';
  MUST(oy_mode_pop(&mode));
  assert_elements(oy_grad(g_x), OY_DIMS(2, 2), 2, 4, 6, 8);
  oy_tensor_release(squares);
  oy_tensor_release(sum);
}

static void PY_01_a_mode_that_replaces_results(void** state) {
  (void)state;
  oy_tensor* other = F32(OY_DIMS(1), 7);
  oy_value given = oy_value_tensor(other);
  oy_dispatch_mode mode;
  oy_mode_push(&mode, "mode", give, &given, NULL);
  oy_tensor* sum = oy_add_Tensor(g_x, g_y, ALPHA1);
  // In place, the result is the argument (PyTorch 1.13 drops what the handler gave).
  assert_ptr_equal(oy_mul__Tensor(g_x, g_y), g_x);
  MUST(oy_mode_pop(&mode));
  assert_ptr_equal(sum, other);
  assert_elements(g_x, OY_DIMS(2, 2), 1, 2, 3, 4);
  oy_tensor_release(sum);
  oy_tensor_release(other);
}

// Autograd writes history to what is new: an argument that a handler gives is not.
static void PY_01_an_argument_given_for_a_result_gets_no_history(void** state) {
  (void)state;
  assert_non_null(oy_requires_grad_(g_x, true));
  oy_value given = oy_value_tensor(g_x);
  oy_dispatch_mode mode;
  oy_mode_push(&mode, "mode", give, &given, NULL);
  oy_tensor* sum = oy_add_Tensor(g_x, g_y, ALPHA1);
  MUST(oy_mode_pop(&mode));
  assert_true(sum != g_x);
  assert_true(oy_is_leaf(g_x));
  assert_string_equal(oy_grad_fn_name(sum), "AddBackward0");
  assert_elements(sum, OY_DIMS(2, 2), 1, 2, 3, 4);
  oy_tensor_release(sum);
}

// lift_fresh gives what it gets, and autograd has nothing to do with it.
static void PY_01_an_argument_that_is_the_result(void** state) {
  (void)state;
  assert_non_null(oy_requires_grad_(g_x, true));
  oy_dispatch_mode mode;
  oy_mode_push(&mode, "mode", pass, "m", NULL);
  oy_tensor* same = oy_lift_fresh(g_x);
  MUST(oy_mode_pop(&mode));
  assert_ptr_equal(same, g_x);
  oy_tensor_release(same);
}

static void PY_01_views_and_versions_above(void** state) {
  (void)state;
  oy_dispatch_mode mode;
  oy_mode_push(&mode, "mode", pass, "m", NULL);
  oy_tensor* view = oy_t(g_x);
  assert_ptr_equal(oy_add__Tensor(view, g_y, ALPHA1), view);
  MUST(oy_mode_pop(&mode));
  assert_int_equal(oy_tensor_version(g_x), 1);
  assert_elements(g_x, OY_DIMS(2, 2), 11, 32, 23, 44);
  oy_tensor_release(view);
}

static void* other_thread(void* seen) {
  oy_tensor_release(oy_neg(g_x));
  oy_dispatch_mode mode;
  oy_mode_push(&mode, "theirs", pass, "theirs", NULL);
  bool* clean = seen;
  *clean = oy_mode_innermost() == &mode && !mode.outer;
  *clean &= oy_mode_pop(&mode) == OY_OK && !oy_mode_innermost();
  return NULL;
}
static void PY_01_threads_do_not_see_each_others_modes(void** state) {
  (void)state;
  oy_dispatch_mode mode;
  oy_mode_push(&mode, "mode", pass, "m", NULL);
  pthread_t thread;
  bool clean = false;
  assert_int_equal(pthread_create(&thread, NULL, other_thread, &clean), 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
  assert_true(clean);
  assert_seen("");
  MUST(oy_mode_pop(&mode));
}

// Sets that were carried to a thread without modes: calls go on as if there were none.
static oy_status negate(int64_t begin, int64_t end, void* context) {
  oy_tensor** out = context;
  for (int64_t i = begin; i < end; i++)
    if (!(out[i] = oy_neg(g_x))) return oy_failure();
  return OY_OK;
}
static void* carried_thread(void* state) {
  oy_tensor* out = NULL;
  oy_dispatch_state_set(*(oy_dispatch_state*)state);
  return negate(0, 1, &out) == OY_OK ? out : NULL;
}
static void PY_01_sets_without_their_modes(void** state) {
  (void)state;
  oy_dispatch_mode mode;
  oy_mode_push(&mode, "mode", pass, "m", NULL);
  oy_dispatch_state sets = oy_dispatch_state_get();
  MUST(oy_mode_pop(&mode));
  pthread_t thread;
  void* result;
  assert_int_equal(pthread_create(&thread, NULL, carried_thread, &sets), 0);
  assert_int_equal(pthread_join(thread, &result), 0);
  assert_elements(result, OY_DIMS(2, 2), -1, -2, -3, -4);
  oy_tensor_release(result);
  assert_seen("");
}

static int g_destroyed;
static void destroy(void* data) {
  (void)data;
  g_destroyed++;
}
static void PY_01_pushing_and_popping(void** state) {
  (void)state;
  oy_dispatch_mode outer, inner;
  g_destroyed = 0;
  oy_mode_push(&outer, "outer", pass, "o", destroy);
  oy_mode_push(&inner, "inner", pass, "i", destroy);
  assert_int_equal(oy_mode_pop(&outer), OY_FAILED_PRECONDITION);
  assert_int_equal(oy_mode_pop(NULL), OY_FAILED_PRECONDITION);
  assert_int_equal(g_destroyed, 0);
  MUST(oy_mode_pop(&inner));
  MUST(oy_mode_pop(&outer));
  assert_int_equal(g_destroyed, 2);
  assert_int_equal(oy_mode_pop(&outer), OY_FAILED_PRECONDITION);
  oy_error_clear();
}

// ------------------------------------------------------------ the thread's sets

static oy_keyset g_included, g_excluded;
static oy_status look_and_break(oy_handler_call* call) {
  g_included = oy_included_get();
  g_excluded = oy_excluded_get();
  // All of this is undone.
  MUST(oy_included_set(OY_KEY_Tracer, true));
  MUST(oy_excluded_set(OY_KEY_Dense, true));
  static oy_dispatch_mode left_behind;
  oy_mode_push(&left_behind, "left behind", pass, "left behind", NULL);
  return call->data ? OY_FAIL(INVALID_ARGUMENT, "no") : oy_handler_run(call);
}
static void PY_02_sets_are_restored_around_a_handler(void** state) {
  (void)state;
  for (int fails = 0; fails < 2; fails++) {
    oy_dispatch_mode mode;
    oy_mode_push(&mode, "mode", look_and_break, fails ? &fails : NULL, NULL);
    oy_keyset included = oy_included_get(), excluded = oy_excluded_get();
    assert_null(oy_neg(g_x));
    assert_ptr_equal(oy_mode_innermost(), &mode);
    assert_true(oy_keyset_equal(oy_included_get(), included));
    assert_true(oy_keyset_equal(oy_excluded_get(), excluded));
    MUST(oy_mode_pop(&mode));
    oy_error_clear();
    // In the handler everything above Python is out, and the mode itself is off.
    assert_true(oy_keyset_has(g_excluded, OY_KEY_AutogradFunctionality));
    assert_true(oy_keyset_has(g_excluded, OY_KEY_ADInplaceOrView));
    assert_true(oy_keyset_has(g_excluded, OY_KEY_PythonTLSSnapshot));
    assert_false(oy_keyset_has(g_excluded, OY_KEY_Python));
    assert_false(oy_keyset_has(g_excluded, OY_KEY_BackendSelect));
    assert_false(oy_keyset_has(g_included, OY_KEY_Python));
  }
}

// Under the sets of the entry, autograd records what the handler calls.
static oy_status with_entry_sets(oy_handler_call* call) {
  oy_entry_guard guard;
  OY_TRY(oy_entry_guard_begin(&guard));
  oy_status status = oy_handler_run(call);
  oy_entry_guard_end(&guard);
  oy_tensor* result = oy_stack_last(call->stack, 1)->as.object;
  const char* name = oy_grad_fn_name(result);
  snprintf(g_seen, sizeof(g_seen), "%s", name ? name : "none");
  return status;
}
static void PY_02_the_snapshot_of_the_entry(void** state) {
  (void)state;
  assert_non_null(oy_requires_grad_(g_x, true));
  oy_dispatch_mode mode;
  oy_mode_push(&mode, "mode", with_entry_sets, NULL, NULL);
  oy_tensor* result = oy_neg(g_x);
  assert_seen("NegBackward0");
  MUST(oy_mode_pop(&mode));
  assert_string_equal(oy_grad_fn_name(result), "NegBackward0");
  oy_tensor_release(result);
  oy_entry_guard guard;
  assert_int_equal(oy_entry_guard_begin(&guard), OY_FAILED_PRECONDITION);
  assert_error(
      "Accessing torch dispatch state outside of '__torch_dispatch__' is not allowed.");
}

static oy_status pop_outer(oy_handler_call* call) {
  oy_status status = oy_mode_pop(call->data);
  assert_int_equal(status, OY_FAILED_PRECONDITION);
  oy_error_clear();
  return oy_handler_run(call);
}
static void PY_02_a_handler_cannot_pop_what_it_did_not_push(void** state) {
  (void)state;
  oy_dispatch_mode outer, inner;
  oy_mode_push(&outer, "outer", pass, "o", NULL);
  oy_mode_push(&inner, "inner", pop_outer, &outer, NULL);
  oy_tensor_release(oy_neg(g_x));
  assert_seen("o aten::neg\n");
  MUST(oy_mode_pop(&inner));
  MUST(oy_mode_pop(&outer));
}

static oy_status push_within(oy_handler_call* call) {
  oy_dispatch_mode mode;
  oy_mode_push(&mode, "within", pass, "within", NULL);
  oy_status status = oy_handler_run(call);
  MUST(oy_mode_pop(&mode));
  return status;
}
static void PY_02_a_mode_pushed_within_a_handler(void** state) {
  (void)state;
  oy_dispatch_mode outer, inner;
  oy_mode_push(&outer, "outer", pass, "o", NULL);
  oy_mode_push(&inner, "inner", push_within, NULL, NULL);
  oy_tensor_release(oy_neg(g_x));
  assert_seen("within aten::neg\no aten::neg\n");
  MUST(oy_mode_pop(&inner));
  MUST(oy_mode_pop(&outer));
}

// ---------------------------------------------------------------- modes to be used

static void counting(void** state) {
  (void)state;
  oy_call_counter* counter;
  MUST(oy_call_counter_create(&counter));
  oy_dispatch_mode mode;
  oy_call_counter_push(counter, &mode);
  for (int i = 0; i < 3; i++) oy_tensor_release(oy_neg(g_x));
  oy_tensor_release(oy_add_Tensor(g_x, g_y, ALPHA1));
  MUST(oy_mode_pop(&mode));
  oy_tensor_release(oy_neg(g_x));
  const oy_op* neg;
  MUST(oy_op_find(oy_registry_default(), oy_str_of("aten::neg"), &neg));
  assert_int_equal(oy_call_counter_get(counter, neg), 3);
  assert_int_equal(oy_call_counter_get(counter, NULL), 4);
  char* text;
  MUST(oy_call_counter_print(counter, &text));
  assert_string_equal(text, "aten::neg 3\naten::add.Tensor 1\n");
  oy_text_free(text);
  oy_call_counter_destroy(counter);
}

static void recording(void** state) {
  (void)state;
  oy_call_recorder* recorder;
  MUST(oy_call_recorder_create(&recorder));
  assert_string_equal(oy_call_recorder_text(recorder), "");
  oy_dispatch_mode mode;
  oy_call_recorder_push(recorder, &mode);
  oy_tensor *values, *indices, *both[] = {g_x, g_y};
  oy_tensor_release(oy_add_Tensor(g_x, g_y, ALPHA1));
  oy_tensor_release(oy_add_Tensor(g_x, g_y, oy_int(2)));
  oy_tensor_release(oy_cat((oy_tensors){both, 2}, 1));
  MUST(oy_max_dim(g_x, 0, true, &values, &indices));
  assert_null(oy_mm(g_x, values));
  MUST(oy_mode_pop(&mode));
  oy_error_clear();
  assert_string_equal(
      oy_call_recorder_text(recorder),
      "aten.add.Tensor(float32[2, 2], float32[2, 2]) -> float32[2, 2]\n"
      "aten.add.Tensor(float32[2, 2], float32[2, 2], alpha=2) -> float32[2, 2]\n"
      "aten.cat.default([float32[2, 2], float32[2, 2]], 1) -> float32[2, 4]\n"
      "aten.max.dim(float32[2, 2], 0, True) -> float32[1, 2], int64[1, 2]\n");
  oy_tensor_release(values);
  oy_tensor_release(indices);
  oy_call_recorder_destroy(recorder);
}

static bool runs(void) {
  oy_call_counter* counter = NULL;
  oy_call_recorder* recorder = NULL;
  oy_dispatch_mode modes[2];
  bool good = oy_call_counter_create(&counter) == OY_OK &&
              oy_call_recorder_create(&recorder) == OY_OK;
  if (good) {
    oy_call_counter_push(counter, &modes[0]);
    oy_call_recorder_push(recorder, &modes[1]);
    oy_tensor* both[] = {g_x, g_y};
    oy_tensor* joined = oy_cat((oy_tensors){both, 2}, 1);
    oy_tensor* negative = joined ? oy_neg(joined) : NULL;
    good = negative != NULL;
    oy_tensor_release(negative);
    oy_tensor_release(joined);
    good &= oy_mode_pop(&modes[1]) == OY_OK;
    good &= oy_mode_pop(&modes[0]) == OY_OK;
  }
  oy_call_recorder_destroy(recorder);
  oy_call_counter_destroy(counter);
  return good;
}
static void without_memory(void** state) {
  (void)state;
  assert_true(runs());
  fail_each_allocation(runs);
}

#define T(f) WITH_TENSORS(f)

int main(void) {
  const struct CMUnitTest tests[] = {
      T(PY_01_the_innermost_mode_sees_a_call_first),
      T(PY_01_a_mode_sees_the_parts_of_what_is_composed),
      T(PY_01_factories_are_seen),
      T(PY_01_lists_of_tensors),
      T(PY_01_autograd_records_above_and_its_backward_is_seen),
      T(PY_01_a_mode_that_replaces_results),
      T(PY_01_an_argument_given_for_a_result_gets_no_history),
      T(PY_01_an_argument_that_is_the_result),
      T(PY_01_views_and_versions_above),
      T(PY_01_threads_do_not_see_each_others_modes),
      T(PY_01_sets_without_their_modes),
      T(PY_01_pushing_and_popping),
      T(PY_02_sets_are_restored_around_a_handler),
      T(PY_02_the_snapshot_of_the_entry),
      T(PY_02_a_handler_cannot_pop_what_it_did_not_push),
      T(PY_02_a_mode_pushed_within_a_handler),
      T(counting),
      T(recording),
      T(without_memory),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
