// SPDX-License-Identifier: Apache-2.0
// Tensors with handlers, what handlers may give, and the thread's sets around them
// (opyard/mode.h). In what order handlers are asked, and the texts, are those of PyTorch 1.13
// and 2.6 (__torch_dispatch__).
#include "layers/handlers.h"

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

// --------------------------------------------------------------------- disabling

static void PY_01_a_wrapper_has_no_data(void** state) {
  (void)state;
  static const int64_t sizes[] = {2, 2}, strides[] = {1, 2}, negative[] = {-1, 2};
  oy_ints shape = {sizes, 2}, steps = {strides, 2}, none = {NULL, 0};
  oy_device cpu = oy_device_cpu();
  oy_tensor* x = oy_tensor_wrapper(&g_base, oy_tensor_retain(g_x), shape, steps, 3,
                                   OY_DTYPE_F32, cpu);
  assert_non_null(x);
  assert_int_equal(oy_tensor_device(x).backend, OY_BACKEND_CPU);
  assert_int_equal(oy_tensor_strides(x).data[1], 2);
  assert_int_equal(oy_tensor_storage_offset(x), 3);
  oy_tensor* sum = oy_add_Tensor(g_y, x, oy_int(2));
  assert_elements(inner_of(sum), OY_DIMS(2, 2), 12, 24, 36, 48);
  oy_guard guard = oy_guard_without_handlers();
  assert_fails(
      oy_neg(x),
      "aten::neg: expected tensors with data, got fake tensors or wrappers while "
      "handlers are off");
  oy_guard_end(&guard);
  // The data is taken over whatever happens.
  const struct {
    oy_ints sizes, strides;
    int64_t offset;
    oy_device device;
  } bad[] = {{{negative, 2}, none, 0, cpu},  {shape, {strides, 1}, 0, cpu},
             {shape, {negative, 2}, 0, cpu}, {shape, none, -1, cpu},
             {shape, none, INT64_MAX, cpu},  {shape, none, 0, {.backend = 999}}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_null(oy_tensor_wrapper(&g_base, oy_tensor_retain(g_x), bad[i].sizes,
                                  bad[i].strides, bad[i].offset, OY_DTYPE_F32,
                                  bad[i].device));
    oy_error_clear();
  }
  oy_tensor_release(sum);
  oy_tensor_release(x);
}

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
  oy_value result = oy_none();
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

static bool runs(void) {
  oy_tensor* wrapped = wrap(&g_base, g_x);
  oy_tensor* sum = wrapped ? oy_add_Tensor(wrapped, g_y, ALPHA1) : NULL;
  bool good = sum && oy_sub__Tensor(sum, sum, ALPHA1);
  oy_tensor_release(sum);
  oy_tensor_release(wrapped);
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
      T(PY_01_a_tensor_handles_its_calls),
      T(PY_01_modes_come_before_tensors),
      T(PY_01_the_outer_mode_is_not_asked_for_the_inner_one),
      T(PY_01_subclasses_before_their_base),
      T(PY_01_autograd_above_a_handler),
      T(PY_01_printed_by_the_name_of_the_class),
      T(PY_01_a_wrapper_has_no_data),
      T(PY_03_the_guard),
      T(PY_03_a_handler_that_calls_itself_ends),
      T(PY_04_types_of_results),
      T(PY_04_numbers_of_results),
      T(PY_04_nothing_to_return),
      T(PY_04_results_are_converted),
      T(PY_04_handlers_that_break_the_rules),
      T(without_memory),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
