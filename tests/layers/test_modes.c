// SPDX-License-Identifier: Apache-2.0
// Modes and tensors with handlers (opyard/mode.h). What a mode sees of composed operators and
// of a backward, in what order handlers are asked, and the texts are those of PyTorch 1.13 and
// 2.6 (torch.utils._python_dispatch).
#include <pthread.h>

#include "support/tensors.h"

#define MUST(call) assert_int_equal(call, OY_OK)

// What handlers saw: a line for each, "name aten::mm".
static char g_seen[4096];
static void see(const char* name, const oy_op* op) {
  size_t at = strlen(g_seen);
  oy_str text = oy_op_name_of(op);
  snprintf(g_seen + at, sizeof(g_seen) - at, "%s %.*s\n", name, OY_STR_ARG(text));
}
#define assert_seen(text)              \
  do {                                 \
    assert_string_equal(g_seen, text); \
    g_seen[0] = '\0';                  \
  } while (0)

static oy_tensor *g_x, *g_y;
static int open_tensors(void** state) {
  (void)state;
  g_x = F32(OY_DIMS(2, 2), 1, 2, 3, 4);
  g_y = F32(OY_DIMS(2, 2), 10, 20, 30, 40);
  g_seen[0] = '\0';
  oy_error_clear();
  return 0;
}
// Every test leaves the thread as it was.
static int close_tensors(void** state) {
  (void)state;
  oy_tensor_release(g_x);
  oy_tensor_release(g_y);
  bool clean = !oy_mode_innermost() && !oy_included_has(OY_KEY_Python) &&
               !oy_included_has(OY_KEY_PythonTLSSnapshot) &&
               !oy_excluded_has(OY_KEY_AutogradFunctionality);
  return clean ? 0 : -1;
}

static oy_status pass(oy_handler_call* call) {
  see(call->data, call->op);
  return oy_handler_run(call);
}
static oy_status decline(oy_handler_call* call) {
  see(call->data, call->op);
  call->not_implemented = true;
  return OY_OK;
}
static oy_status fail_it(oy_handler_call* call) {
  (void)call;
  return OY_FAIL(INVALID_ARGUMENT, "no");
}
// Gives what |data| points to instead.
static oy_status give(oy_handler_call* call) {
  return oy_handler_return(call, *(oy_value*)call->data);
}

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

// ------------------------------------------------------- tensors with handlers

// A wrapper holds a tensor in its data, and gives wrappers.
static oy_tensor* wrap(const oy_tensor_handler* handler, oy_tensor* inner);
static oy_status unwrap_and_run(oy_handler_call* call, const oy_tensor_handler* handler) {
  oy_value* v = oy_handler_arguments(call);
  for (size_t i = 0; i < call->op->argument_count; i++) {
    void* inner;
    if (v[i].tag != OY_TAG_TENSOR) continue;
    if (!oy_tensor_get_handler(v[i].as.object, &inner)) continue;
    oy_value_release(&v[i]);
    v[i] = oy_value_tensor(inner);
  }
  OY_TRY(oy_handler_run(call));
  oy_value* result = oy_stack_last(call->stack, 1);
  if (result->tag != OY_TAG_TENSOR) return OY_OK;
  oy_tensor* wrapped = wrap(handler, result->as.object);
  if (!wrapped) return oy_failure();
  oy_value_release(result);
  *result = oy_value_tensor(wrapped);
  result->owned = 1;
  return OY_OK;
}
static void release_inner(void* inner) {
  oy_tensor_release(inner);
}
static oy_status base_handler(oy_handler_call* call);
static const oy_tensor_handler g_base = {"Base", base_handler, NULL, release_inner};
static oy_status base_handler(oy_handler_call* call) {
  see("Base", call->op);
  return unwrap_and_run(call, &g_base);
}
static oy_status derived_declines(oy_handler_call* call) {
  see("Derived", call->op);
  call->not_implemented = true;
  return OY_OK;
}
static const oy_tensor_handler g_derived = {"Derived", derived_declines, &g_base,
                                            release_inner};
static oy_status stubborn_declines(oy_handler_call* call) {
  see("Stubborn", call->op);
  call->not_implemented = true;
  return OY_OK;
}
static const oy_tensor_handler g_stubborn = {"Stubborn", stubborn_declines, NULL, NULL};

static oy_tensor* wrap(const oy_tensor_handler* handler, oy_tensor* inner) {
  oy_device device = oy_tensor_device(inner);
  oy_tensor* t = oy_tensor_opaque(oy_tensor_keys_for(device, inner->dtype),
                                  oy_tensor_sizes(inner), inner->dtype, device);
  if (t && oy_tensor_set_handler(t, handler, oy_tensor_retain(inner)) == OY_OK) return t;
  oy_tensor_release(t);
  return NULL;
}
static oy_tensor* inner_of(const oy_tensor* t) {
  void* inner = NULL;
  assert_non_null(oy_tensor_get_handler(t, &inner));
  return inner;
}

static void PY_01_a_tensor_handles_its_calls(void** state) {
  (void)state;
  oy_tensor* x = wrap(&g_base, g_x);
  assert_true(oy_keyset_has(x->keys, OY_KEY_Python));
  assert_true(oy_keyset_has(x->keys, OY_KEY_PythonTLSSnapshot));
  oy_tensor* sum = oy_add_Tensor(g_y, x, oy_int(2));
  assert_seen("Base aten::add.Tensor\n");
  assert_elements(inner_of(sum), OY_DIMS(2, 2), 12, 24, 36, 48);
  // A tensor has one handler.
  assert_int_equal(oy_tensor_set_handler(x, &g_stubborn, NULL), OY_ALREADY_EXISTS);
  assert_ptr_equal(oy_tensor_get_handler(x, NULL), &g_base);
  assert_null(oy_tensor_get_handler(g_x, NULL));
  oy_error_clear();
  oy_tensor_release(sum);
  oy_tensor_release(x);
}

static void PY_01_modes_come_before_tensors(void** state) {
  (void)state;
  oy_tensor* x = wrap(&g_base, g_x);
  oy_dispatch_mode mode;
  oy_mode_push(&mode, "mode", pass, "m", NULL);
  oy_tensor_release(oy_neg(x));
  // The tensor's own handler calls on with the mode on: no, the mode runs it, off itself.
  assert_seen("m aten::neg\nBase aten::neg\n");
  MUST(oy_mode_pop(&mode));
  // A mode that does not want the call leaves it to the tensor, and sees what that calls.
  oy_mode_push(&mode, "mode", decline, "m", NULL);
  assert_null(oy_neg(x));
  assert_seen("m aten::neg\nBase aten::neg\nm aten::neg\n");
  MUST(oy_mode_pop(&mode));
  assert_int_equal(oy_error_get()->code, OY_TYPE_MISMATCH);
  oy_error_clear();
  oy_tensor_release(x);
}

static void PY_01_the_outer_mode_is_not_asked_for_the_inner_one(void** state) {
  (void)state;
  oy_dispatch_mode outer, inner;
  oy_mode_push(&outer, "outer", pass, "o", NULL);
  oy_mode_push(&inner, "inner", decline, "i", NULL);
  assert_null(oy_neg(g_x));
  assert_seen("i aten::neg\n");
  MUST(oy_mode_pop(&inner));
  MUST(oy_mode_pop(&outer));
  assert_error(
      "Multiple dispatch failed for 'aten::neg'; all __torch_dispatch__ handlers "
      "returned "
      "NotImplemented:\n\n  - mode object inner\n\nFor more information, try re-running "
      "with TORCH_LOGS=not_implemented");
}

static void PY_01_subclasses_before_their_base(void** state) {
  (void)state;
  oy_tensor *base = wrap(&g_base, g_x), *derived = wrap(&g_derived, g_y);
  // Left to right would be Base first.
  oy_tensor* sum = oy_add_Tensor(base, derived, ALPHA1);
  assert_seen("Derived aten::add.Tensor\nBase aten::add.Tensor\n");
  assert_elements(inner_of(sum), OY_DIMS(2, 2), 11, 22, 33, 44);
  oy_tensor* stubborn = F32(OY_DIMS(2, 2), 0, 0, 0, 0);
  MUST(oy_tensor_set_handler(stubborn, &g_stubborn, NULL));
  assert_null(oy_add_Tensor(stubborn, derived, ALPHA1));
  assert_seen("Stubborn aten::add.Tensor\nDerived aten::add.Tensor\n");
  assert_error(
      "Multiple dispatch failed for 'aten::add.Tensor'; all __torch_dispatch__ handlers "
      "returned NotImplemented:\n\n  - tensor subclass Stubborn\n  - tensor subclass "
      "Derived\n\nFor more information, try re-running with TORCH_LOGS=not_implemented");
  oy_tensor* all[] = {base, derived, sum, stubborn};
  for (int i = 0; i < 4; i++) oy_tensor_release(all[i]);
}

static void PY_01_autograd_above_a_handler(void** state) {
  (void)state;
  oy_tensor* x = wrap(&g_base, g_x);
  assert_non_null(oy_requires_grad_(x, true));
  oy_tensor* twice = oy_mul_Tensor(x, x);
  assert_string_equal(oy_grad_fn_name(twice), "MulBackward0");
  assert_elements(inner_of(twice), OY_DIMS(2, 2), 1, 4, 9, 16);
  oy_tensor* ones = F32(OY_DIMS(2, 2), 1, 1, 1, 1);
  oy_tensor* grad = wrap(&g_base, ones);
  // What the node saved of x still has the handler.
  MUST(oy_backward(twice, grad, false));
  assert_elements(inner_of(oy_grad(x)), OY_DIMS(2, 2), 2, 4, 6, 8);
  oy_tensor* all[] = {x, twice, ones, grad};
  for (int i = 0; i < 4; i++) oy_tensor_release(all[i]);
}

static void PY_01_printed_by_the_name_of_the_class(void** state) {
  (void)state;
  MUST(oy_tensor_set_handler(g_x, &g_stubborn, NULL));
  assert_prints(g_x, "Stubborn([[1., 2.],\n          [3., 4.]])");
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

// --------------------------------------------------------------------- disabling

static void PY_03_the_guard(void** state) {
  (void)state;
  oy_dispatch_mode mode;
  oy_mode_push(&mode, "mode", fail_it, NULL, NULL);
  oy_guard guard = oy_guard_without_handlers();
  oy_tensor* result = oy_neg(g_x);
  oy_guard_end(&guard);
  assert_elements(result, OY_DIMS(2, 2), -1, -2, -3, -4);
  assert_fails(oy_neg(g_x), "no");
  MUST(oy_mode_pop(&mode));
  oy_tensor_release(result);
}

static int g_runs;
static oy_status run_with_itself(oy_handler_call* call) {
  g_runs++;
  if (!call->data) return oy_handler_run(call);
  oy_guard guard = oy_guard_without_handlers();
  oy_status status = oy_handler_run(call);
  oy_guard_end(&guard);
  return status;
}
static const oy_tensor_handler g_itself = {"Itself", run_with_itself, NULL, NULL};
static void PY_03_a_handler_that_calls_itself_ends(void** state) {
  (void)state;
  g_runs = 0;
  MUST(oy_tensor_set_handler(g_x, &g_itself, NULL));
  assert_null(oy_neg(g_x));
  assert_non_null(strstr(oy_error_get()->message, "maximum recursion depth exceeded"));
  assert_true(g_runs > 100 && g_runs < 10000);
  oy_error_clear();
  // With the guard it runs once.
  g_runs = 0;
  MUST(oy_tensor_set_handler(g_y, &g_itself, &g_runs));
  oy_tensor* result = oy_neg(g_y);
  assert_elements(result, OY_DIMS(2, 2), -10, -20, -30, -40);
  assert_int_equal(g_runs, 1);
  oy_tensor_release(result);
}

// ----------------------------------------------------------------------- results

// Calls |name| boxed, with one tensor, under a mode that gives these values.
typedef struct gift {
  oy_value values[3];
  size_t count;
} gift;
static oy_status give_all(oy_handler_call* call) {
  const gift* g = call->data;
  oy_stack_drop(call->stack, call->op->argument_count);
  for (size_t i = 0; i < g->count; i++) OY_TRY(oy_stack_push(call->stack, g->values[i]));
  return OY_OK;
}
static oy_status call_with(const gift* g, const char* name, oy_value* out_result) {
  const oy_op* op;
  MUST(oy_op_find(oy_registry_default(), oy_str_of(name), &op));
  oy_value storage[8];
  oy_stack stack;
  oy_stack_init(&stack, storage, 8);
  MUST(oy_stack_push(&stack, oy_value_tensor(g_x)));
  size_t given = oy_op_schema(op)->argument_count > 1 &&
                         oy_op_schema(op)->arguments[1].type->kind == OY_TYPE_TENSOR
                     ? 2
                     : 1;
  if (given == 2) MUST(oy_stack_push(&stack, oy_value_tensor(g_y)));
  if (!strcmp(name, "aten::max.dim")) MUST(oy_stack_push(&stack, oy_int(given++ - 1)));
  MUST(oy_op_push_defaults(op, &stack, given, NULL, 0));
  oy_dispatch_mode mode;
  oy_mode_push(&mode, "mode", give_all, (void*)(uintptr_t)g, NULL);
  oy_status status = oy_op_call_boxed(op, &stack);
  MUST(oy_mode_pop(&mode));
  if (status == OY_OK && out_result) *out_result = oy_stack_pop(&stack);
  if (status != OY_OK) assert_int_equal(stack.size, 0);
  oy_stack_reset(&stack);
  return status;
}
#define assert_refused(name, text, n, ...)                         \
  do {                                                             \
    gift g = {{__VA_ARGS__}, n};                                   \
    assert_int_equal(call_with(&g, name, NULL), OY_TYPE_MISMATCH); \
    assert_error(text);                                            \
  } while (0)

static void PY_04_types_of_results(void** state) {
  (void)state;
  const char* add = "aten::add.Tensor";
  assert_refused(add, "Unable to cast 5 to Tensor", 1, oy_int(5));
  assert_refused(add, "Unable to cast 2.5 to Tensor", 1, oy_float(2.5));
  assert_refused(add, "Unable to cast True to Tensor", 1, oy_bool(true));
  assert_refused(add, "Unable to cast [1, 2] to Tensor", 1,
                 oy_value_pointer(OY_TAG_INT_LIST, (const int64_t[]){1, 2}, 2));
  assert_refused("aten::max.dim", "Unable to cast 3 to Tensor", 2, oy_value_tensor(g_x),
                 oy_int(3));
  assert_refused("aten::is_same_size", "Unable to cast 1.5 to bool", 1, oy_float(1.5));
}

static void PY_04_numbers_of_results(void** state) {
  (void)state;
  assert_refused("aten::add.Tensor",
                 "Expected __torch_dispatch__ for aten::add.Tensor to return 1 value but "
                 "it returned 0 instead.",
                 0, oy_none());
  assert_refused(
      "aten::max.dim",
      "Expected __torch_dispatch__ for aten::max.dim to return 2 values but it "
      "returned 1 instead.",
      1, oy_value_tensor(g_x));
}

static void PY_04_nothing_to_return(void** state) {
  (void)state;
  oy_library* library;
  oy_library_params params = {NULL, OY_LIBRARY_DEF, "quiet", 0, __FILE__, __LINE__};
  MUST(oy_library_create(&params, &library));
  oy_def_params def = {.schema = "nothing(Tensor x) -> ()", .place = OY_HERE};
  MUST(oy_library_def(library, &def, NULL));
  assert_refused("quiet::nothing",
                 "Expected __torch_dispatch__ for quiet::nothing to return None but it "
                 "returned something else instead.",
                 1, oy_value_tensor(g_x));
  // An operator without kernels can be handled.
  gift none = {.count = 0};
  MUST(call_with(&none, "quiet::nothing", NULL));
  oy_library_close(library);
}

static void PY_04_results_are_converted(void** state) {
  (void)state;
  // What is borrowed becomes owned.
  gift g = {{oy_value_tensor(g_y)}, 1};
  oy_value result;
  MUST(call_with(&g, "aten::neg", &result));
  assert_true(result.owned && result.as.object == g_y);
  oy_value_release(&result);
}

static oy_status decline_without_arguments(oy_handler_call* call) {
  oy_stack_drop(call->stack, call->op->argument_count);
  call->not_implemented = true;
  return OY_OK;
}
static oy_status take_too_much(oy_handler_call* call) {
  oy_stack_drop(call->stack, call->op->argument_count);
  return OY_OK;
}
static void PY_04_handlers_that_break_the_rules(void** state) {
  (void)state;
  oy_handler_fn const rude[] = {decline_without_arguments, take_too_much, fail_it};
  for (size_t i = 0; i < 3; i++) {
    oy_dispatch_mode mode;
    oy_mode_push(&mode, NULL, rude[i], NULL, NULL);
    assert_null(oy_add_Tensor(g_x, g_y, ALPHA1));
    assert_int_not_equal(oy_error_get()->code, OY_OK);
    oy_error_clear();
    MUST(oy_mode_pop(&mode));
  }
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
    oy_tensor* wrapped = joined ? wrap(&g_base, joined) : NULL;
    oy_tensor* negative = wrapped ? oy_neg(wrapped) : NULL;
    good = negative != NULL;
    oy_tensor_release(negative);
    oy_tensor_release(wrapped);
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

#define T(f) cmocka_unit_test_setup_teardown(f, open_tensors, close_tensors)

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
      T(PY_01_a_tensor_handles_its_calls),
      T(PY_01_modes_come_before_tensors),
      T(PY_01_the_outer_mode_is_not_asked_for_the_inner_one),
      T(PY_01_subclasses_before_their_base),
      T(PY_01_autograd_above_a_handler),
      T(PY_01_printed_by_the_name_of_the_class),
      T(PY_02_sets_are_restored_around_a_handler),
      T(PY_02_the_snapshot_of_the_entry),
      T(PY_02_a_handler_cannot_pop_what_it_did_not_push),
      T(PY_02_a_mode_pushed_within_a_handler),
      T(PY_03_the_guard),
      T(PY_03_a_handler_that_calls_itself_ends),
      T(PY_04_types_of_results),
      T(PY_04_numbers_of_results),
      T(PY_04_nothing_to_return),
      T(PY_04_results_are_converted),
      T(PY_04_handlers_that_break_the_rules),
      T(counting),
      T(recording),
      T(without_memory),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
