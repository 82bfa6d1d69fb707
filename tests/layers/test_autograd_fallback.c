// SPDX-License-Identifier: Apache-2.0
// Operators without an autograd kernel (reference, 6.1): what their calls leave behind, what
// the backward says, in each of the three modes.
#include "support/tensors.h"

#define MUST(call) assert_int_equal(call, OY_OK)

#define TEXT_OF(op)                                                                      \
  op ": an autograd kernel was not registered to the Autograd key(s) but we are trying " \
     "to backprop through it. This may lead to silently incorrect behavior. This "       \
     "behavior is deprecated and will be removed in a future version of PyTorch. If "    \
     "your operator is differentiable, please ensure you have registered an autograd "   \
     "kernel to the correct Autograd key (e.g. DispatchKey::Autograd, "                  \
     "DispatchKey::CompositeImplicitAutograd). If your operator is not "                 \
     "differentiable, or to squash this warning and use the previous behavior, please "  \
     "register torch::CppFunction::makeFallthrough() to DispatchKey::Autograd."

static oy_tensor* leaf(oy_tensor* t) {
  return oy_requires_grad_(t, true);
}

// ------------------------------------------------------------------------- operators

static oy_value owned(oy_object* result) {
  oy_value value = oy_value_tensor(result);
  value.owned = 1;
  return value;
}
// Takes |count| arguments off and leaves one result, owned.
static oy_status give(oy_stack* stack, size_t count, oy_object* result) {
  oy_stack_drop(stack, count);
  return result ? oy_stack_push(stack, owned(result)) : oy_failure();
}
static oy_object* argument(oy_stack* stack, size_t count, size_t i) {
  return oy_stack_last(stack, count)[i].as.object;
}
// Computes out of autograd's sight.
static oy_status twice(const oy_op* op, oy_keyset keys, oy_stack* stack,
                       const oy_kernel* kernel) {
  (void)op, (void)keys, (void)kernel;
  oy_guard below = oy_guard_below_autograd();
  oy_tensor* y = oy_mul_Scalar(argument(stack, 1, 0), oy_int(2));
  oy_guard_end(&below);
  return give(stack, 1, y);
}
// Calls what is differentiable.
static oy_status composed(const oy_op* op, oy_keyset keys, oy_stack* stack,
                          const oy_kernel* kernel) {
  (void)op, (void)keys, (void)kernel;
  return give(stack, 1, oy_mul_Scalar(argument(stack, 1, 0), oy_int(3)));
}
static oy_status is_even(const oy_op* op, oy_keyset keys, oy_stack* stack,
                         const oy_kernel* kernel) {
  (void)op, (void)keys, (void)kernel;
  return give(stack, 1, I64(OY_DIMS(2), 0, 1));
}
static oy_status clear(const oy_op* op, oy_keyset keys, oy_stack* stack,
                       const oy_kernel* kernel) {
  (void)op, (void)keys, (void)kernel;
  oy_guard below = oy_guard_below_autograd();
  oy_object* self = argument(stack, 2, 0);
  oy_object_retain(self);
  oy_tensor* done = oy_zero_(self);
  oy_guard_end(&below);
  return give(stack, 2, done);
}
static oy_status refuse(const oy_op* op, oy_keyset keys, oy_stack* stack,
                        const oy_kernel* kernel) {
  (void)op, (void)keys, (void)kernel;
  oy_stack_drop(stack, 1);
  return OY_FAIL(OUT_OF_RANGE, "never");
}
// The two tensors of a list, copied.
static oy_status both(const oy_op* op, oy_keyset keys, oy_stack* stack,
                      const oy_kernel* kernel) {
  (void)op, (void)keys, (void)kernel;
  oy_guard below = oy_guard_below_autograd();
  const oy_value* list = oy_stack_last(stack, 2);
  oy_tensor* made[2];
  for (int i = 0; i < 2; i++) made[i] = oy_clone(list->as.tensors[i], oy_none());
  oy_guard_end(&below);
  oy_stack_drop(stack, 2);
  OY_TRY(oy_stack_push(stack, owned(made[0])));
  return oy_stack_push(stack, owned(made[1]));
}

static oy_library* g_library;
static const struct {
  const char *schema, *name;
  oy_boxed_fn kernel;
} g_rows[] = {
    {"tst::twice(Tensor x) -> Tensor", "twice", twice},
    {"tst::twice.again(Tensor x) -> Tensor", "twice.again", twice},
    {"tst::composed(Tensor x) -> Tensor", "composed", composed},
    {"tst::is_even(Tensor x) -> Tensor", "is_even", is_even},
    {"tst::clear_(Tensor(a!) x, Tensor y) -> Tensor(a!)", "clear_", clear},
    {"tst::refuse(Tensor x) -> Tensor", "refuse", refuse},
    {"tst::both(Tensor[] xs, str s) -> (Tensor, Tensor)", "both", both},
    {"tst::quiet(Tensor x) -> Tensor", "quiet", twice},
};

static char g_said[2000];
static int g_warnings;
static void hear(void* unused, const char* message) {
  (void)unused;
  g_warnings++;
  snprintf(g_said, sizeof(g_said), "%s", message);
}

static int open_library(void** state) {
  if (init_library(state) != 0) return -1;
  oy_library_params params = {.kind = OY_LIBRARY_DEF, .ns = "tst", .file = __FILE__};
  MUST(oy_library_create(&params, &g_library));
  for (size_t i = 0; i < sizeof(g_rows) / sizeof(g_rows[0]); i++) {
    oy_def_params def = {.schema = g_rows[i].schema, .place = OY_HERE};
    oy_impl_params impl = {.name = g_rows[i].name,
                           .key = OY_KEY_CPU,
                           .kernel = OY_BOXED(g_rows[i].kernel),
                           .place = OY_HERE};
    MUST(oy_library_def(g_library, &def, NULL));
    MUST(oy_library_impl(g_library, &impl, NULL));
  }
  oy_impl_params quiet = {.name = "quiet",
                          .key = OY_KEY_Autograd,
                          .kernel = OY_FALLTHROUGH,
                          .place = OY_HERE};
  MUST(oy_library_impl(g_library, &quiet, NULL));
  oy_warning_handler_set(hear, NULL);
  return 0;
}
static int close_library(void** state) {
  oy_warning_handler_set(NULL, NULL);
  oy_library_close(g_library);
  return shut_library(state);
}
static int quiet_start(void** state) {
  (void)state;
  g_warnings = 0;
  g_said[0] = '\0';
  return 0;
}
static int default_again(void** state) {
  (void)state;
  oy_autograd_fallback_set(OY_AUTOGRAD_FALLBACK_WARN);
  return 0;
}

// Calls tst::|name| with |count| tensors, borrowed.
static oy_tensor* call(const char* name, oy_tensor* x, oy_tensor* y) {
  const oy_op* op;
  MUST(oy_op_find(oy_registry_default(), oy_str_of(name), &op));
  oy_value storage[4];
  oy_stack stack;
  oy_stack_init(&stack, storage, 4);
  MUST(oy_stack_push(&stack, oy_value_tensor(x)));
  if (y) MUST(oy_stack_push(&stack, oy_value_tensor(y)));
  oy_tensor* result = NULL;
  if (oy_op_call_boxed(op, &stack) == OY_OK) {
    assert_int_equal(stack.size, 1);
    result = oy_stack_pop(&stack).as.object;
  }
  assert_int_equal(stack.size, 0);
  oy_stack_reset(&stack);
  return result;
}
static oy_status backward_of(oy_tensor* y) {
  oy_tensor* sum = oy_sum(y, oy_none());
  oy_status status = oy_backward(sum, NULL, false);
  oy_tensor_release(sum);
  return status;
}

// ------------------------------------------------------------------------------ tests

static void AG_02_warns_at_first(void** state) {
  (void)state;
  assert_int_equal(oy_autograd_fallback_get(), OY_AUTOGRAD_FALLBACK_WARN);
  oy_tensor* x = leaf(F32(OY_DIMS(2), 1, 2));
  oy_tensor* y = call("tst::twice", x, NULL);
  assert_elements(y, OY_DIMS(2), 2, 4);
  assert_true(oy_requires_grad(y));
  assert_string_equal(oy_grad_fn_name(y), "WarnNotImplemented");
  assert_int_equal(g_warnings, 0);
  oy_tensor* z = oy_mul_Tensor(y, x);
  MUST(backward_of(z));
  assert_int_equal(g_warnings, 1);
  assert_string_equal(g_said, TEXT_OF("tst::twice"));
  assert_elements(oy_grad(x), OY_DIMS(2), 2, 4);  // the other way alone: y
  oy_tensor_release(z);
  oy_tensor_release(y);
  y = call("tst::twice.again", x, NULL);
  MUST(backward_of(y));
  assert_string_equal(g_said, TEXT_OF("tst::twice"));  // without the overload
  oy_tensor_release(y);
  oy_tensor_release(x);
}

static void AG_02_nothing_is_needed(void** state) {
  (void)state;
  oy_tensor* n = F32(OY_DIMS(2), 1, 2);
  oy_tensor* x = leaf(F32(OY_DIMS(2), 1, 2));
  oy_tensor* made[] = {call("tst::twice", n, NULL), NULL, call("tst::is_even", x, NULL),
                       call("tst::quiet", x, NULL)};
  oy_grad_guard guard = oy_no_grad();
  made[1] = call("tst::twice", x, NULL);
  oy_grad_guard_end(&guard);
  for (int i = 0; i < 4; i++) {
    assert_non_null(made[i]);
    assert_false(oy_requires_grad(made[i]));
    oy_tensor_release(made[i]);
  }
  assert_fails(call("tst::refuse", x, NULL), "never");
  oy_tensor_release(x);
  oy_tensor_release(n);
}

// What the kernel records stays, and is right; the backward warns all the same.
static void AG_02_a_kernel_that_records(void** state) {
  (void)state;
  oy_tensor* x = leaf(F32(OY_DIMS(2), 1, 2));
  oy_tensor* y = call("tst::composed", x, NULL);
  assert_string_equal(oy_grad_fn_name(y), "MulBackward1");
  MUST(backward_of(y));
  assert_elements(oy_grad(x), OY_DIMS(2), 3, 3);
  assert_int_equal(g_warnings, 1);
  assert_string_equal(g_said, TEXT_OF("tst::composed"));
  oy_tensor_release(y);
  oy_tensor_release(x);
}

static void AG_02_lists_and_several_results(void** state) {
  (void)state;
  oy_tensor* x = leaf(F32(OY_DIMS(2), 1, 2));
  oy_tensor* n = F32(OY_DIMS(2), 3, 4);
  const oy_op* op;
  MUST(oy_op_find(oy_registry_default(), oy_str_of("tst::both"), &op));
  oy_tensor* list[] = {n, x};
  oy_value storage[4];
  oy_stack stack;
  oy_stack_init(&stack, storage, 4);
  MUST(oy_stack_push(&stack, oy_value_pointer(OY_TAG_TENSOR_LIST, list, 2)));
  MUST(oy_stack_push(&stack, oy_value_str(oy_str_of("text"))));
  MUST(oy_op_call_boxed(op, &stack));
  assert_int_equal(stack.size, 2);
  oy_tensor* second = oy_stack_pop(&stack).as.object;
  oy_tensor* first = oy_stack_pop(&stack).as.object;
  assert_string_equal(oy_grad_fn_name(first), "WarnNotImplemented");
  assert_int_equal(oy_output_nr(first), 0);
  assert_int_equal(oy_output_nr(second), 1);
  oy_tensor* both_of = oy_add_Tensor(first, second, ALPHA1);
  MUST(backward_of(both_of));
  assert_int_equal(g_warnings, 1);  // one node
  assert_null(oy_grad(x));
  oy_tensor_release(both_of);
  oy_tensor_release(second);
  oy_tensor_release(first);
  oy_stack_reset(&stack);
  oy_tensor_release(n);
  oy_tensor_release(x);
}

static void AG_02_written_arguments(void** state) {
  (void)state;
  oy_tensor* x = leaf(F32(OY_DIMS(2), 1, 2));
  oy_tensor* n = F32(OY_DIMS(2), 3, 4);
  oy_tensor* m = oy_mul_Scalar(x, oy_int(2));
  // Without history it stays so: it may be anybody's.
  oy_tensor* same = call("tst::clear_", n, x);
  assert_ptr_equal(same, n);
  assert_false(oy_requires_grad(n));
  oy_tensor_release(same);
  // With one, the backward says that something is wrong.
  same = call("tst::clear_", m, x);
  assert_string_equal(oy_grad_fn_name(m), "MulBackward1");
  MUST(backward_of(m));
  assert_int_equal(g_warnings, 1);
  assert_string_equal(g_said, TEXT_OF("tst::clear_"));
  oy_tensor_release(same);
  oy_tensor_release(m);
  // Of a view, the base says it as well.
  m = oy_mul_Scalar(x, oy_int(2));
  oy_tensor* v = oy_view(m, OY_DIMS(2, 1));
  same = call("tst::clear_", v, x);
  MUST(backward_of(m));
  assert_int_equal(g_warnings, 2);
  oy_tensor_release(same);
  oy_tensor_release(v);
  oy_tensor_release(m);
  oy_tensor_release(n);
  oy_tensor_release(x);
}

static void AG_02_mode_nothing(void** state) {
  (void)state;
  oy_autograd_fallback_set(OY_AUTOGRAD_FALLBACK_NOTHING);
  assert_int_equal(oy_autograd_fallback_get(), OY_AUTOGRAD_FALLBACK_NOTHING);
  oy_tensor* x = leaf(F32(OY_DIMS(2), 1, 2));
  oy_tensor* y = call("tst::twice", x, NULL);
  assert_false(oy_requires_grad(y));
  oy_tensor* z = call("tst::composed", x, NULL);
  MUST(backward_of(z));
  assert_elements(oy_grad(x), OY_DIMS(2), 3, 3);
  assert_int_equal(g_warnings, 0);
  oy_tensor_release(z);
  oy_tensor_release(y);
  oy_tensor_release(x);
}

static void AG_02_mode_error(void** state) {
  (void)state;
  oy_autograd_fallback_set(OY_AUTOGRAD_FALLBACK_ERROR);
  oy_tensor* x = leaf(F32(OY_DIMS(2), 1, 2));
  oy_tensor* n = F32(OY_DIMS(2, 2), 1, 2, 3, 4);
  oy_tensor* y = call("tst::twice", x, NULL);
  assert_elements(y, OY_DIMS(2), 2, 4);
  assert_int_equal(backward_of(y), OY_NOT_IMPLEMENTED);
  assert_error("derivative for tst::twice is not implemented");
  oy_tensor* z = call("tst::composed", x, NULL);
  assert_int_equal(backward_of(z), OY_NOT_IMPLEMENTED);
  assert_error("derivative for tst::composed is not implemented");
  assert_fails(
      call("tst::clear_", x, x),
      "a leaf Variable that requires grad is being used in an in-place operation.");
  oy_tensor* row = oy_select_int(n, 0, 0);
  oy_tensor* same = call("tst::clear_", row, x);
  assert_string_equal(oy_grad_fn_name(n), "CopySlices");
  assert_int_equal(backward_of(n), OY_NOT_IMPLEMENTED);
  assert_error("derivative for tst::clear_ is not implemented");
  assert_int_equal(g_warnings, 0);
  oy_tensor_release(same);
  oy_tensor_release(row);
  oy_tensor_release(z);
  oy_tensor_release(y);
  oy_tensor_release(n);
  oy_tensor_release(x);
}

// Operators of the table that have no gradient are not missing one.
static void AG_02_operators_without_a_gradient(void** state) {
  (void)state;
  oy_autograd_fallback_set(OY_AUTOGRAD_FALLBACK_ERROR);
  oy_tensor* x = leaf(F32(OY_DIMS(2), 1, 2));
  oy_tensor* made[] = {
      oy_eq_Tensor(x, x), oy_argmax(x, oy_none(), false),
      oy_zeros_like(x, oy_none(), oy_none(), oy_none(), oy_none(), oy_none()),
      oy_isnan(x)};
  for (int i = 0; i < 4; i++) {
    assert_non_null(made[i]);
    assert_false(oy_requires_grad(made[i]));
    oy_tensor_release(made[i]);
  }
  const oy_op* op;
  MUST(oy_op_find(oy_registry_default(), oy_str_of("aten::eq.Tensor"), &op));
  assert_true(oy_op_is_fallthrough(op, OY_KEY_AutogradCPU));
  MUST(oy_op_find(oy_registry_default(), oy_str_of("tst::twice"), &op));
  assert_false(oy_op_is_fallthrough(op, OY_KEY_AutogradCPU));
  oy_tensor_release(x);
}

static bool runs(void) {
  oy_tensor* x = F32(OY_DIMS(2), 1, 2);
  oy_tensor* y = x && oy_requires_grad_(x, true) ? call("tst::composed", x, NULL) : NULL;
  oy_tensor* z = y ? call("tst::twice", y, NULL) : NULL;
  bool good = z && oy_grad_fn_name(z);
  oy_tensor_release(z);
  oy_tensor_release(y);
  oy_tensor_release(x);
  return good;
}
static void AG_02_without_memory(void** state) {
  (void)state;
  assert_true(runs());
  fail_each_allocation(runs);
}

#define QUIETLY(f) cmocka_unit_test_setup_teardown(f, quiet_start, default_again)

int main(void) {
  const struct CMUnitTest tests[] = {
      QUIETLY(AG_02_warns_at_first),
      QUIETLY(AG_02_nothing_is_needed),
      QUIETLY(AG_02_a_kernel_that_records),
      QUIETLY(AG_02_lists_and_several_results),
      QUIETLY(AG_02_written_arguments),
      QUIETLY(AG_02_mode_nothing),
      QUIETLY(AG_02_mode_error),
      QUIETLY(AG_02_operators_without_a_gradient),
      QUIETLY(AG_02_without_memory),
  };
  return cmocka_run_group_tests(tests, open_library, close_library);
}
