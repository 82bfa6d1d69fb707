// SPDX-License-Identifier: Apache-2.0
// Typed and boxed, in all four combinations of caller and kernel: the 28 cases of
// the reference's section 10.3, every type that an argument can have, ownership,
// and what is said when a kernel does not keep to its side (rows BOX-01 to
// BOX-10). That the trampolines agree with the compiler is test_generic_call.c.
#include "dispatch/generic_call.h"
#include "dispatch/registry.h"
#include "dispatch/support.h"

static oy_registry* g_registry;
static oy_library* g_library;
static const oy_op* g_op;
static int64_t g_sum;

static int open_registry(void** state) {
  (void)test_setup(state);
  (void)oy_guard_force(oy_keyset_empty(), oy_keyset_empty());
  g_registry = test_registry();
  g_library = test_library(g_registry, OY_LIBRARY_DEF, "t", OY_KEY_Undefined);
  g_sum = 0;
  return 0;
}

static int close_registry(void** state) {
  (void)state;
  oy_library_close(g_library);
  oy_registry_destroy(g_registry);
  return 0;
}

// Defines t::f and gives it |kernel| for all keys.
static void define(const char* schema, oy_kernel_params kernel) {
  assert_ok(oy_library_def(
      g_library, &(oy_def_params){.schema = schema, .kernel = &kernel, .place = OY_HERE},
      NULL));
  g_op = test_find(g_registry, "t::f");
}

// The typed entry for a call without keys.
static oy_typed_fn entry(void) {
  return oy_select_exact(g_op, oy_keyset_empty())->typed;
}
#define CALL(type, ...) ((type)entry())(g_op, oy_keyset_empty(), ##__VA_ARGS__)

typedef oy_status (*int_fn)(const oy_op*, oy_keyset, int64_t, int64_t, int64_t*);
typedef oy_status (*void_fn)(const oy_op*, oy_keyset, int64_t, int64_t);
typedef oy_status (*multi_fn)(const oy_op*, oy_keyset, int64_t, int64_t, int64_t*,
                              int64_t*);
typedef oy_object* (*tensor_fn)(const oy_op*, oy_keyset, oy_object*);
typedef oy_object* (*inplace_fn)(const oy_op*, oy_keyset, oy_object*, int64_t);
typedef oy_object* (*out_fn)(const oy_op*, oy_keyset, int64_t, oy_object*);
typedef oy_status (*outs_fn)(const oy_op*, oy_keyset, int64_t, oy_object*, oy_object*,
                             oy_object**, oy_object**);

// ------------------------------------------------------------ boxed kernels: 12 cases

typedef enum form { RETURN, VOID, MULTI, INPLACE, OUT, OUTS, FORM_COUNT } form;
static const char* const g_forms[] = {
    [RETURN] = "f(int a, int b) -> int",
    [VOID] = "f(int a, int b) -> ()",
    [MULTI] = "f(int a, int b) -> (int, int)",
    [INPLACE] = "f(Tensor(a!) self, int b) -> Tensor(a!)",
    [OUT] = "f(int b, *, Tensor(a!) out) -> Tensor(a!)",
    [OUTS] = "f(int b, *, Tensor(a!) x, Tensor(b!) y) -> (Tensor(a!), Tensor(b!))",
};
static form g_form;
static test_tensor g_x, g_y;

// Sums the ints; gives that, or the tensors that it got.
static oy_status boxed_form(const oy_op* op, oy_keyset keys, oy_stack* stack,
                            const oy_kernel* kernel) {
  (void)keys;
  (void)kernel;
  oy_value tensors[2];
  size_t count = 0;
  oy_value* v = oy_stack_last(stack, op->argument_count);
  for (size_t i = 0; i < op->argument_count; i++) {
    if (v[i].tag == OY_TAG_INT)
      g_sum += v[i].as.i;
    else
      assert_ok(oy_value_copy(v[i], &tensors[count++]));
  }
  oy_stack_drop(stack, op->argument_count);
  for (size_t i = 0; i < count; i++) OY_TRY(oy_stack_push(stack, tensors[i]));
  for (size_t i = count; i < op->return_count; i++)
    OY_TRY(oy_stack_push(stack, oy_int(g_sum + (int64_t)i)));
  return OY_OK;
}

static void push_form(oy_stack* stack) {
  static const char* const arguments[] = {"ii", "ii", "ii", "xi", "ix", "ixy"};
  int64_t next = 3;
  for (const char* p = arguments[g_form]; *p; p++)
    assert_ok(oy_stack_push(stack, *p == 'x'   ? oy_value_tensor(&g_x.object)
                                   : *p == 'y' ? oy_value_tensor(&g_y.object)
                                               : oy_int(next++)));
}

static void check_form_boxed(oy_stack* stack) {
  const oy_value* v = stack->data;
  static const size_t counts[] = {1, 0, 2, 1, 1, 2};
  assert_int_equal(stack->size, counts[g_form]);
  if (g_form == RETURN || g_form == MULTI) assert_int_equal(v[0].as.i, 7);
  if (g_form == MULTI) assert_int_equal(v[1].as.i, 8);
  if (g_form >= INPLACE) assert_ptr_equal(v[0].as.object, &g_x.object);
  if (g_form == OUTS) assert_ptr_equal(v[1].as.object, &g_y.object);
}

static void call_form_typed(void) {
  int64_t a = 0, b = 0;
  oy_object *x = NULL, *y = NULL;
  switch (g_form) {
    case RETURN:
      assert_ok(CALL(int_fn, 3, 4, &a));
      assert_int_equal(a, 7);
      break;
    case VOID: assert_ok(CALL(void_fn, 3, 4)); break;
    case MULTI:
      assert_ok(CALL(multi_fn, 3, 4, &a, &b));
      assert_int_equal(a, 7);
      assert_int_equal(b, 8);
      break;
    case INPLACE: assert_ptr_equal(CALL(inplace_fn, &g_x.object, 3), &g_x.object); break;
    case OUT: assert_ptr_equal(CALL(out_fn, 3, &g_x.object), &g_x.object); break;
    default:
      assert_ok(CALL(outs_fn, 3, &g_x.object, &g_y.object, &x, &y));
      assert_ptr_equal(x, &g_x.object);
      assert_ptr_equal(y, &g_y.object);
  }
}

static void box_02_box_03_box_04_box_05_boxed_kernel(void** state) {
  (void)close_registry(state);
  for (int boxed = 0; boxed < 2; boxed++) {
    for (int i = 0; i < FORM_COUNT; i++) {
      (void)open_registry(state);
      g_form = (form)i;
      g_x = test_tensor_of(oy_keyset_empty());
      g_y = test_tensor_of(oy_keyset_empty());
      define(g_forms[i], OY_BOXED(boxed_form));
      if (boxed) {
        oy_value storage[4];
        oy_stack stack;
        oy_stack_init(&stack, storage, 4);
        push_form(&stack);
        assert_ok(oy_op_call_boxed(g_op, &stack));
        check_form_boxed(&stack);
        oy_stack_reset(&stack);
      } else {
        call_form_typed();
      }
      assert_int_equal(g_sum, i < INPLACE ? 7 : 3);
      (void)close_registry(state);
    }
  }
  (void)open_registry(state);
}

// ------------------------------------------------------------ typed kernels: 16 cases

static oy_status typed_return(const oy_op* op, oy_keyset keys, int64_t a, int64_t b,
                              int64_t* out) {
  (void)op;
  (void)keys;
  g_sum = a == 3 && b == 4;
  *out = 5;
  return OY_OK;
}
static oy_status typed_void(const oy_op* op, oy_keyset keys, int64_t a, int64_t b) {
  (void)op;
  (void)keys;
  g_sum = a == 3 && b == 4;
  return OY_OK;
}

// The ways to hand over a typed kernel: plain, with its signature, with state, and
// a pointer that is only known at run time.
static oy_kernel_params typed_kernel(int way, bool returns) {
  static volatile oy_typed_fn later[2];
  later[0] = (oy_typed_fn)typed_void;
  later[1] = (oy_typed_fn)typed_return;
  oy_typed_fn fn = later[returns];
  if (way == 0) return returns ? OY_TYPED(typed_return) : OY_TYPED(typed_void);
  if (way == 1)
    return OY_TYPED_SIGNATURE(fn, returns ? "(int, int) -> int" : "(int, int) -> ()");
  return (oy_kernel_params){.typed = fn, .state = way == 2 ? &g_sum : NULL};
}

static void call_typed_kernel(bool returns, bool boxed) {
  int64_t result = 5;
  oy_value storage[2] = {oy_int(3), oy_int(4)};
  oy_stack stack;
  oy_stack_init(&stack, storage, 2);
  stack.size = 2;
  if (boxed) {
    assert_ok(oy_op_call_boxed(g_op, &stack));
    assert_int_equal(stack.size, returns);
    if (returns) result = stack.data[0].as.i;
  } else if (returns) {
    result = 0;
    assert_ok(CALL(int_fn, 3, 4, &result));
  } else {
    assert_ok(CALL(void_fn, 3, 4));
  }
  assert_int_equal(result, 5);
  assert_int_equal(g_sum, 1);
}

static void box_01_typed_kernel(void** state) {
  (void)close_registry(state);
  for (int i = 0; i < 16; i++) {
    bool returns = i & 1, boxed = i & 2;
    (void)open_registry(state);
    define(g_forms[returns ? RETURN : VOID], typed_kernel(i >> 2, returns));
    call_typed_kernel(returns, boxed);
    (void)close_registry(state);
  }
  (void)open_registry(state);
}

// ------------------------------------------------------------------- every type

#define IDENTITY(name, type, result, give)                                      \
  static oy_status name(const oy_op* op, oy_keyset keys, type x, result* out) { \
    (void)op;                                                                   \
    (void)keys;                                                                 \
    *out = give;                                                                \
    return OY_OK;                                                               \
  }
IDENTITY(same_i, int64_t, int64_t, x)
IDENTITY(same_d, double, double, x)
IDENTITY(same_b, bool, bool, x)
IDENTITY(same_s, oy_str, oy_value, oy_value_str(x))
IDENTITY(same_v, oy_value, oy_value, x)
IDENTITY(same_I, oy_ints, oy_value, oy_value_list(OY_TAG_INT_LIST, x.data, x.size))
IDENTITY(same_F, oy_floats, oy_value, oy_value_list(OY_TAG_FLOAT_LIST, x.data, x.size))
IDENTITY(same_B, oy_bools, oy_value, oy_value_list(OY_TAG_BOOL_LIST, x.data, x.size))
IDENTITY(same_T, oy_tensors, oy_value, oy_value_list(OY_TAG_TENSOR_LIST, x.data, x.size))
IDENTITY(same_V, oy_values, oy_value, oy_value_list(OY_TAG_LIST, x.data, x.size))
IDENTITY(same_M, oy_values, oy_value, oy_value_list(OY_TAG_DICT, x.data, x.size))
static oy_object* same_t(const oy_op* op, oy_keyset keys, oy_object* x) {
  (void)op;
  (void)keys;
  oy_object_retain(x);
  return x;
}

static void pass_through(const char* type, oy_typed_fn kernel, oy_value value) {
  for (int boxed = 0; boxed < 2; boxed++) {
    (void)open_registry(NULL);
    define(test_printf("f(%s x) -> %s", type, type),
           boxed ? OY_BOXED(test_kernel_boxed) : (oy_kernel_params){.typed = kernel});
    oy_value storage[1] = {value};
    oy_stack stack;
    oy_stack_init(&stack, storage, 1);
    stack.size = 1;
    assert_ok(oy_op_call_boxed(g_op, &stack));
    assert_int_equal(stack.size, 1);
    if (!oy_value_equal(stack.data[0], value)) fail_msg("%s came back as another", type);
    oy_stack_reset(&stack);
    (void)close_registry(NULL);
  }
}

static oy_value list(oy_tag tag, const void* data, size_t count) {
  return oy_value_list(tag, data, count);
}
static oy_value text(const char* s) {
  return oy_value_str(oy_str_of(s));
}

static void box_06_every_type(void** state) {
  (void)close_registry(state);
  test_tensor t = test_tensor_of(oy_keyset_empty());
  oy_object* tensors[] = {&t.object, &t.object};
  int64_t ints[] = {1, -2};
  double floats[] = {1.5, -2};
  bool bools[] = {true, false};
  oy_value texts[] = {text("a"), text("")}, some[] = {oy_int(1), oy_none()};
  oy_value to_text[] = {text("k"), text("v")};
  oy_value to_tensor[] = {oy_int(1), oy_value_tensor(&t.object)};
  oy_value inner[] = {oy_int(1), text("v")};
  oy_value dicts[] = {list(OY_TAG_DICT, inner, 1), oy_none()};
  oy_value outer[] = {text("k"), list(OY_TAG_LIST, dicts, 2)};
  oy_value deep[] = {list(OY_TAG_DICT, outer, 1)};
  const struct {
    const char* type;
    oy_typed_fn kernel;
    oy_value value;
  } rows[] = {
      {"float", (oy_typed_fn)same_d, oy_float(1.5)},
      {"int", (oy_typed_fn)same_i, oy_int(-1)},
      {"bool", (oy_typed_fn)same_b, oy_bool(true)},
      {"str", (oy_typed_fn)same_s, text("text")},
      {"str", (oy_typed_fn)same_s, text("")},
      {"Tensor", (oy_typed_fn)same_t, oy_value_tensor(&t.object)},
      {"float?", (oy_typed_fn)same_v, oy_float(1.5)},
      {"float?", (oy_typed_fn)same_v, oy_none()},
      {"int?", (oy_typed_fn)same_v, oy_int(3)},
      {"bool?", (oy_typed_fn)same_v, oy_none()},
      {"str?", (oy_typed_fn)same_v, text("x")},
      {"Tensor?", (oy_typed_fn)same_t, oy_value_tensor(&t.object)},
      {"Tensor?", (oy_typed_fn)same_t, oy_none()},
      {"float[]", (oy_typed_fn)same_F, list(OY_TAG_FLOAT_LIST, floats, 2)},
      {"int[]", (oy_typed_fn)same_I, list(OY_TAG_INT_LIST, ints, 2)},
      {"int[]", (oy_typed_fn)same_I, list(OY_TAG_INT_LIST, ints, 0)},
      {"bool[]", (oy_typed_fn)same_B, list(OY_TAG_BOOL_LIST, bools, 2)},
      {"str[]", (oy_typed_fn)same_V, list(OY_TAG_LIST, texts, 2)},
      {"str[]", (oy_typed_fn)same_V, list(OY_TAG_LIST, texts, 0)},
      {"Tensor[]", (oy_typed_fn)same_T, list(OY_TAG_TENSOR_LIST, tensors, 2)},
      {"Tensor[]", (oy_typed_fn)same_T, list(OY_TAG_TENSOR_LIST, tensors, 0)},
      {"int[2]", (oy_typed_fn)same_I, list(OY_TAG_INT_LIST, ints, 2)},
      {"int[]?", (oy_typed_fn)same_I, oy_none()},
      {"int[]?", (oy_typed_fn)same_I, list(OY_TAG_INT_LIST, ints, 0)},
      {"int[]?", (oy_typed_fn)same_I, list(OY_TAG_INT_LIST, ints, 2)},
      {"int?[]", (oy_typed_fn)same_V, list(OY_TAG_LIST, some, 2)},
      {"Dict(str, str)", (oy_typed_fn)same_M, list(OY_TAG_DICT, to_text, 1)},
      {"Dict(int, Tensor)", (oy_typed_fn)same_M, list(OY_TAG_DICT, to_tensor, 1)},
      {"Dict(str, Dict(int, str)?[])[]", (oy_typed_fn)same_V, list(OY_TAG_LIST, deep, 1)},
      {"SymInt", (oy_typed_fn)same_i, oy_int(5)},  // BOX-07
      {"SymInt[]", (oy_typed_fn)same_I, list(OY_TAG_INT_LIST, ints, 2)},
      {"SymInt?", (oy_typed_fn)same_v, oy_int(5)},
  };
  for (size_t i = 0; i < TEST_COUNT(rows); i++)
    pass_through(rows[i].type, rows[i].kernel, rows[i].value);
  (void)open_registry(state);
}

// -------------------------------------------------------------- ownership, failures

static oy_object* new_result(const oy_op* op, oy_keyset keys, oy_object* x) {
  (void)op;
  (void)keys;
  (void)x;
  return test_tensor_new(oy_keyset_empty(), 1);
}
static oy_object* give_back(const oy_op* op, oy_keyset keys, oy_object* x) {
  (void)op;
  (void)keys;
  return x;
}
static oy_object* fail_with_error(const oy_op* op, oy_keyset keys, oy_object* x) {
  (void)op;
  (void)keys;
  (void)x;
  OY_FAIL(OUT_OF_RANGE, "kernel's own");
  return NULL;
}
static oy_object* fail_without(const oy_op* op, oy_keyset keys, oy_object* x) {
  (void)op;
  (void)keys;
  (void)x;
  return NULL;
}

// Calls t::f boxed with an owned tensor above a value that is not its business.
static oy_status call_with_owned(oy_value* out_result) {
  oy_value storage[4];
  oy_stack stack;
  oy_stack_init(&stack, storage, 4);
  oy_value x = oy_value_tensor(test_tensor_new(oy_keyset_empty(), 0));
  x.owned = 1;
  assert_ok(oy_stack_push(&stack, oy_int(4711)));
  assert_ok(oy_stack_push(&stack, x));
  oy_status status = oy_op_call_boxed(g_op, &stack);
  assert_int_equal(stack.size, status == OY_OK ? 2 : 1);
  if (status == OY_OK) *out_result = oy_stack_pop(&stack);
  assert_int_equal(stack.data[0].as.i, 4711);
  return status;
}

static void box_08_references_are_exact(void** state) {
  (void)state;
  int before = test_tensors_alive();
  define("f(Tensor x) -> Tensor", OY_TYPED(new_result));
  oy_value result = oy_none();
  assert_ok(call_with_owned(&result));
  assert_int_equal(test_tensors_alive(), before + 1);
  assert_true(result.owned);
  oy_value_release(&result);
  assert_int_equal(test_tensors_alive(), before);
}

static void box_03_box_04_box_08_result_is_the_argument(void** state) {
  (void)state;
  int before = test_tensors_alive();
  define("f(Tensor(a!) x) -> Tensor(a!)", OY_TYPED(give_back));
  oy_value result = oy_none();
  assert_ok(call_with_owned(&result));
  assert_int_equal(result.as.object->references, 1);
  oy_value_release(&result);
  assert_int_equal(test_tensors_alive(), before);
}

static void box_10_failed_typed_kernel(void** state) {
  (void)state;
  int before = test_tensors_alive();
  define("f(Tensor x) -> Tensor", OY_TYPED(fail_with_error));
  oy_value result;
  assert_error(call_with_owned(&result), OY_OUT_OF_RANGE, "kernel's own");
  assert_int_equal(test_tensors_alive(), before);
}

static void box_10_null_without_an_error(void** state) {
  (void)state;
  define("f(Tensor x) -> Tensor", OY_TYPED(fail_without));
  oy_value result;
  assert_error(call_with_owned(&result), OY_INTERNAL,
               "t::f: the kernel returned NULL, expected it to set an error too");
}

// |state| says what it leaves on the stack: "", "ii", "i", or "!" for a failure.
static oy_status leave(const oy_op* op, oy_keyset keys, oy_stack* stack,
                       const oy_kernel* kernel) {
  (void)keys;
  oy_stack_drop(stack, op->argument_count);
  for (const char* p = kernel->user_data; *p; p++) {
    if (*p == '!') return OY_FAIL(OUT_OF_RANGE, "kernel's own");
    oy_value v = oy_int(1);
    if (*p == 't') v = oy_value_tensor(test_tensor_new(oy_keyset_empty(), 1));
    v.owned = *p == 't';
    OY_TRY(oy_stack_push(stack, v));
  }
  return OY_OK;
}

static void box_10_what_a_boxed_kernel_leaves(void** state) {
  static const struct {
    const char* leaves;
    oy_status code;
    const char* message;
  } rows[] = {
      {"", OY_SCHEMA_MISMATCH,
       "t::f: expected the boxed kernel to leave 1 results on the stack, got 0"},
      {"tt", OY_SCHEMA_MISMATCH, "got 2"},
      {"i", OY_SCHEMA_MISMATCH,
       "t::f: expected Tensor as result 0 of the boxed kernel, got int"},
      {"t!", OY_OUT_OF_RANGE, "kernel's own"},
  };
  int before = test_tensors_alive();
  for (size_t i = 0; i < TEST_COUNT(rows); i++) {
    oy_kernel_params kernel = {.boxed = leave, .state = (void*)(uintptr_t)rows[i].leaves};
    define("f(Tensor x) -> Tensor", kernel);
    test_tensor x = test_tensor_of(oy_keyset_empty());
    assert_null(CALL(tensor_fn, &x.object));
    assert_int_equal(oy_error_get()->code, rows[i].code);
    assert_contains(test_message(), rows[i].message);
    (void)close_registry(state);
    (void)open_registry(state);
  }
  assert_int_equal(test_tensors_alive(), before);
}

static void box_02_null_tensor(void** state) {
  (void)state;
  define("f(Tensor x) -> Tensor", OY_BOXED(test_kernel_boxed));
  assert_null(CALL(tensor_fn, NULL));
  assert_string_equal(oy_error_get()->argument, "x");
}

static void box_01_values_that_do_not_fit(void** state) {
  (void)state;
  define("f(float[] x) -> float[]", (oy_kernel_params){.typed = (oy_typed_fn)same_F});
  int64_t ints[] = {1, 2};
  oy_value storage[2] = {oy_value_list(OY_TAG_INT_LIST, ints, 2)};
  oy_stack stack;
  oy_stack_init(&stack, storage, 2);
  stack.size = 1;
  assert_ok(oy_op_call_boxed(g_op, &stack));
  assert_true(stack.data[0].as.floats[1] == 2);
  oy_stack_reset(&stack);
  assert_ok(oy_stack_push(&stack, oy_bool(true)));
  assert_error_part(oy_op_call_boxed(g_op, &stack), OY_TYPE_MISMATCH,
                    "t::f: expected float[] on the stack for argument 'x', got bool");
  assert_int_equal(stack.size, 0);
}

// --------------------------------------------------------------------- trampolines

static oy_status unbox_here(const oy_op* op, oy_keyset keys, oy_stack* stack,
                            const oy_kernel* kernel) {
  g_sum++;
  return oyi_generic_unbox(op, keys, stack, kernel);
}

// Rows apply to classes that come to life after them; the first row stays.
static void trampolines_are_taken_up(void** state) {
  static const char schema[] = "f(Tensor x, float a, float b, int c) -> Tensor";
  static const oy_trampolines rows[] = {{"tddi>t", (oy_typed_fn)oyi_generic_box,
                                         unbox_here, (oy_typed_fn)oyi_generic_variant}};
  static const oy_trampolines later[] = {{"tddi>t", (oy_typed_fn)oyi_generic_box,
                                          oyi_generic_unbox,
                                          (oy_typed_fn)oyi_generic_variant}};
  define(schema, OY_TYPED(new_result));
  assert_ptr_equal(oyi_op_signature(g_op)->unbox, oyi_generic_unbox);
  assert_ok(oy_trampolines_register(rows, 1));
  assert_ok(oy_trampolines_register(later, 1));
  assert_ok(oy_library_def(
      g_library,
      &(oy_def_params){.schema = "g(Tensor x, float a, float b, int c) -> Tensor",
                       .place = OY_HERE},
      NULL));
  assert_ptr_equal(oyi_op_signature(test_find(g_registry, "t::g"))->unbox, unbox_here);
  (void)close_registry(state);
  (void)open_registry(state);
  define(schema, OY_TYPED(new_result));
  oy_value storage[4] = {oy_value_tensor(&oy_none_object), oy_float(1), oy_float(2),
                         oy_int(3)};
  oy_stack stack;
  oy_stack_init(&stack, storage, 4);
  stack.size = 4;
  assert_ok(oy_op_call_boxed(g_op, &stack));
  assert_int_equal(g_sum, 1);
  oy_stack_reset(&stack);
}

static void sch_10_abi_texts(void** state) {
  (void)state;
  static const char* const rows[][2] = {
      {"f(Tensor a, Tensor? b, Scalar s) -> Tensor", "ttv>t"},
      {"f(Tensor(a!) a, Tensor b) -> Tensor(a!)", "tt>r0"},
      {"f(Tensor[] a, Tensor?[] b) -> Tensor[]", "TT>T"},
      {"f(SymInt a, ScalarType b, Layout c, MemoryFormat d, QScheme e) -> int",
       "iiiii>i"},
      {"f(int? a, Device b, Device? c, Generator d, Generator? e) -> ()", "vDvgv>"},
      {"f(int[2] a, float[]? b, bool[3] c, str[] d, int?[] e) -> float", "IFBVV>d"},
      {"f(Dict(str, int) a, (int, int) b, Storage c, Stream d) -> bool", "MVoo>b"},
      {"f(Tensor a) -> (Tensor, Tensor(x))", "t>tt"},
      {"f(str s, complex z) -> (str, complex)", "sz>sz"},
  };
  for (size_t i = 0; i < TEST_COUNT(rows); i++) {
    oy_schema* schema;
    char* abi;
    assert_ok(oy_schema_parse(oy_str_of(rows[i][0]), OY_SCHEMA_DEFAULT, &schema));
    assert_ok(oy_schema_abi(schema, &abi));
    assert_string_equal(abi, rows[i][1]);
    oy_text_free(abi);
    oy_schema_free(schema);
  }
}

#define ROW(name) cmocka_unit_test_setup_teardown(name, open_registry, close_registry)

int main(void) {
  const struct CMUnitTest tests[] = {
      ROW(box_02_box_03_box_04_box_05_boxed_kernel),
      ROW(box_01_typed_kernel),
      ROW(box_06_every_type),
      ROW(box_08_references_are_exact),
      ROW(box_03_box_04_box_08_result_is_the_argument),
      ROW(box_10_failed_typed_kernel),
      ROW(box_10_null_without_an_error),
      ROW(box_10_what_a_boxed_kernel_leaves),
      ROW(box_02_null_tensor),
      ROW(box_01_values_that_do_not_fit),
      ROW(trampolines_are_taken_up),
      ROW(sch_10_abi_texts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
