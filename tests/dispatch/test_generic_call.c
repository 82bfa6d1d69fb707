// SPDX-License-Identifier: Apache-2.0
// The generic trampolines against the compiler. For each signature of
// generic_call_rows.def there is a kernel and a call in plain C: what the
// compiler passes where must be what the trampolines read and write, in all
// directions: typed call of a boxed kernel, boxed call of a typed kernel, typed
// call by dtype. Argument i of a kind always has the same value, so that each
// side can tell whether it got its own.
#include "dispatch/each.h"
#include "dispatch/generic_call.h"
#include "dispatch/registry.h"
#include "dispatch/support.h"
#include "opyard/trampoline.h"

enum { SLOTS = 24 };
static test_tensor g_tensors[SLOTS];
static int64_t g_ints[SLOTS];
static double g_floats[SLOTS];
static bool g_bools[SLOTS];
static oy_value g_values[SLOTS];
static oy_object* g_objects[SLOTS];
static int g_ran;

static void destroy_nothing(oy_object* o) {
  (void)o;
}
static const oy_object_class g_thing_class = {"Thing", destroy_nothing};
static oy_object g_generators[SLOTS], g_things[SLOTS];

static int setup(void** state) {
  (void)state;
  // No keys but those of the arguments.
  (void)oy_guard_force(oy_keyset_empty(), oy_keyset_empty());
  for (int i = 0; i < SLOTS; i++) {
    g_tensors[i] = test_tensor_of(TEST_PLAIN(CPU));
    g_tensors[i].object.dtype = OY_DTYPE_F32;
    g_objects[i] = &g_tensors[i].object;
    g_ints[i] = -1000 - i;
    g_floats[i] = i + 0.25;
    g_bools[i] = i % 3 == 0;
    g_values[i] = oy_value_str(oy_str_of(i % 2 ? "odd" : "even"));
    g_generators[i] = g_things[i] =
        (oy_object){.klass = &g_thing_class, .flags = OY_OBJECT_STATIC};
  }
  return 0;
}

// ---------------------------------------------- types, values and checks by letter

#define TYPE_t oy_object*
#define TYPE_i int64_t
#define TYPE_b bool
#define TYPE_d double
#define TYPE_z oy_complex
#define TYPE_s oy_str
#define TYPE_D oy_device
#define TYPE_v oy_value
#define TYPE_T oy_tensors
#define TYPE_I oy_ints
#define TYPE_F oy_floats
#define TYPE_B oy_bools
#define TYPE_V oy_values
#define TYPE_M oy_values
#define TYPE_g oy_object*
#define TYPE_o oy_object*
// What a result pointer points to.
#define RESULT_t oy_object*
#define RESULT_i int64_t
#define RESULT_b bool
#define RESULT_d double
#define RESULT_z oy_complex
#define RESULT_s oy_value
#define RESULT_D oy_device
#define RESULT_v oy_value
#define RESULT_T oy_value
#define RESULT_I oy_value
#define RESULT_F oy_value
#define RESULT_B oy_value
#define RESULT_V oy_value
#define RESULT_M oy_value
#define RESULT_g oy_object*
#define RESULT_o oy_object*

static oy_object* give_t(int i) {
  return &g_tensors[i].object;
}
static int64_t give_i(int i) {
  return ((int64_t)i << 40) - 7;
}
static bool give_b(int i) {
  return i % 2 == 0;
}
static double give_d(int i) {
  return i + 0.5;
}
static oy_complex give_z(int i) {
  return (oy_complex){i + 0.125, -i};
}
static oy_str give_s(int i) {
  return (oy_str){"abcdefghijklmnopqrstuvwxyz", (size_t)i};
}
static oy_device give_D(int i) {
  return (oy_device){(int16_t)i, (int16_t)(i - 1), 0};
}
static oy_value give_v(int i) {
  return i % 3 == 0 ? oy_int(i) : i % 3 == 1 ? oy_float(i) : oy_none();
}
// One in four is None.
static oy_tensors give_T(int i) {
  return (oy_tensors){i % 4 == 3 ? NULL : g_objects, i % 4 == 3 ? 0 : (size_t)i};
}
static oy_ints give_I(int i) {
  return (oy_ints){i % 4 == 3 ? NULL : g_ints, i % 4 == 3 ? 0 : (size_t)i};
}
static oy_floats give_F(int i) {
  return (oy_floats){g_floats, (size_t)i};
}
static oy_bools give_B(int i) {
  return (oy_bools){g_bools, (size_t)i};
}
static oy_values give_V(int i) {
  return (oy_values){g_values, (size_t)i};
}
static oy_values give_M(int i) {
  return (oy_values){g_values, (size_t)i / 2};
}
static oy_object* give_g(int i) {
  return &g_generators[i];
}
static oy_object* give_o(int i) {
  return &g_things[i];
}

static void check_same(const void* a, const void* b, size_t size, int i, char letter) {
  if (memcmp(a, b, size) != 0)
    fail_msg("argument %d (%c) came with other bits", i, letter);
}
#define CHECKER(l)                                    \
  static void check_##l(int i, TYPE_##l got) {        \
    TYPE_##l wanted = give_##l(i);                    \
    check_same(&got, &wanted, sizeof(got), i, #l[0]); \
  }
CHECKER(t)
CHECKER(i)
CHECKER(b)
CHECKER(d)
CHECKER(z)
CHECKER(s)
CHECKER(D)
CHECKER(v)
CHECKER(T)
CHECKER(I)
CHECKER(F)
CHECKER(B)
CHECKER(V)
CHECKER(M)
CHECKER(g)
CHECKER(o)

// The boxed form of argument |i|; complex numbers live in the caller's array.
static oy_value boxed_argument(char letter, int i, oy_complex* complexes) {
#define BOX(l) \
  if (letter == #l[0]) return oy_box_##l(give_##l(i));
  BOX(t)
  BOX(i)
  BOX(b)
  BOX(d)
  BOX(s)
  BOX(D)
  BOX(v) BOX(T) BOX(I) BOX(F) BOX(B) BOX(V) BOX(M) BOX(g) BOX(o) complexes[i] = give_z(i);
  return oy_box_z(&complexes[i]);
}

// ------------------------------------------------------------------- the rows

#define LETTER(i, l)        #l
#define PARAMETER(i, l)     , TYPE_##l a##i
#define CHECK(i, l)         check_##l(i, a##i);
#define GIVE(i, l)          , give_##l(i)
#define OUT_PARAMETER(i, l) , RESULT_##l* r##i
#define OUT_LOCAL(i, l)     RESULT_##l r##i;
#define OUT_PASS(i, l)      , &r##i
#define OUT_PUT(i, l)       put_result_##l(i + 2, r##i);
#define OUT_CHECK(i, l)     check_result_##l(i + 2, &r##i);

// Results are the values of arguments 2, 3, ...
#define PLAIN_RESULT(l)                                  \
  static void put_result_##l(int i, RESULT_##l* out) {   \
    *out = give_##l(i);                                  \
  }                                                      \
  static void check_result_##l(int i, RESULT_##l* got) { \
    check_##l(i, *got);                                  \
  }
PLAIN_RESULT(t)
PLAIN_RESULT(i)
PLAIN_RESULT(b)
PLAIN_RESULT(d)
PLAIN_RESULT(z)
PLAIN_RESULT(D)
PLAIN_RESULT(g)
PLAIN_RESULT(o)
#define VALUE_RESULT(l)                                    \
  static void put_result_##l(int i, oy_value* out) {       \
    *out = oy_box_##l(give_##l(i));                        \
    assert_ok(oy_value_own(out));                          \
  }                                                        \
  static void check_result_##l(int i, oy_value* got) {     \
    if (!oy_value_equal(*got, oy_box_##l(give_##l(i))))    \
      fail_msg("result %d (%c) is another", i - 2, #l[0]); \
    oy_value_release(got);                                 \
  }
VALUE_RESULT(s)
VALUE_RESULT(v)
VALUE_RESULT(T)
VALUE_RESULT(I)
VALUE_RESULT(F)
VALUE_RESULT(B)
VALUE_RESULT(V)
VALUE_RESULT(M)
#define LIST(...)          __VA_OPT__(, ) __VA_ARGS__
#define EACH_OF(each, ...) each(__VA_ARGS__)
#define TYPES(i, l)        , TYPE_##l
#define OUT_TYPES(i, l)    , RESULT_##l*

#define OBJECT_ROW_(name, wanted, given, n, letters)                                 \
  typedef oy_object* (*fn_##name)(const oy_op*,                                      \
                                  oy_keyset EACH_OF(EACH_##n, TYPES LIST letters));  \
  static oy_object* kernel_##name(                                                   \
      const oy_op* op, oy_keyset keys EACH_OF(EACH_##n, PARAMETER LIST letters)) {   \
    (void)op;                                                                        \
    (void)keys;                                                                      \
    EACH_OF(EACH_##n, CHECK LIST letters)                                            \
    g_ran++;                                                                         \
    return given;                                                                    \
  }                                                                                  \
  static void call_##name(const oy_op* op, oy_keyset keys, oy_typed_fn fn) {         \
    assert_ptr_equal(((fn_##name)fn)(op, keys EACH_OF(EACH_##n, GIVE LIST letters)), \
                     wanted);                                                        \
  }
#define OBJECT_ROW(name, n, letters)      OBJECT_ROW_(name, give_t(2), give_t(2), n, letters)
#define ARGUMENT_ROW(name, k, n, letters) OBJECT_ROW_(name, give_t(k), a##k, n, letters)

#define STATUS_ROW(name, m, results, n, letters)                                  \
  typedef oy_status (*fn_##name)(const oy_op*,                                    \
                                 oy_keyset EACH_OF(EACH_##n, TYPES LIST letters)  \
                                     EACH_OF(EACH_##m, OUT_TYPES LIST results));  \
  static oy_status kernel_##name(                                                 \
      const oy_op* op, oy_keyset keys EACH_OF(EACH_##n, PARAMETER LIST letters)   \
                           EACH_OF(EACH_##m, OUT_PARAMETER LIST results)) {       \
    (void)op;                                                                     \
    (void)keys;                                                                   \
    EACH_OF(EACH_##n, CHECK LIST letters)                                         \
    EACH_OF(EACH_##m, OUT_PUT LIST results) g_ran++;                              \
    return OY_OK;                                                                 \
  }                                                                               \
  static void call_##name(const oy_op* op, oy_keyset keys, oy_typed_fn fn) {      \
    EACH_OF(EACH_##m, OUT_LOCAL LIST results)                                     \
    assert_ok(((fn_##name)fn)(op, keys EACH_OF(EACH_##n, GIVE LIST letters)       \
                                      EACH_OF(EACH_##m, OUT_PASS LIST results))); \
    EACH_OF(EACH_##m, OUT_CHECK LIST results)                                     \
  }

#include "generic_call_rows.def"
#undef OBJECT_ROW
#undef ARGUMENT_ROW
#undef STATUS_ROW

typedef struct row {
  const char* name;
  const char* letters;
  const char* results;
  oy_typed_fn kernel;
  void (*call)(const oy_op* op, oy_keyset keys, oy_typed_fn fn);
} row;

#define OBJECT_ROW(name, n, letters)                                                  \
  {#name, "" EACH_OF(EACH_##n, LETTER LIST letters), "t", (oy_typed_fn)kernel_##name, \
   call_##name},
#define ARGUMENT_ROW(name, k, n, letters)                                                \
  {#name, "" EACH_OF(EACH_##n, LETTER LIST letters), "r" #k, (oy_typed_fn)kernel_##name, \
   call_##name},
#define STATUS_ROW(name, m, results, n, letters)     \
  {#name, "" EACH_OF(EACH_##n, LETTER LIST letters), \
   "" EACH_OF(EACH_##m, LETTER LIST results), (oy_typed_fn)kernel_##name, call_##name},
static const row g_rows[] = {
#include "generic_call_rows.def"
};

// ------------------------------------------------------------------ harness

static const char* type_text(char letter) {
  static const char* const texts[128] = {['t'] = "Tensor",    ['i'] = "int",
                                         ['b'] = "bool",      ['d'] = "float",
                                         ['z'] = "complex",   ['s'] = "str",
                                         ['D'] = "Device",    ['v'] = "Scalar?",
                                         ['T'] = "Tensor[]",  ['I'] = "int[]?",
                                         ['F'] = "float[]",   ['B'] = "bool[]",
                                         ['V'] = "str[]",     ['M'] = "Dict(str, str)",
                                         ['g'] = "Generator", ['o'] = "Storage"};
  return texts[(int)letter];
}

static const char* schema_of(const row* r) {
  const char* text = "test::op(";
  int self = r->results[0] == 'r' ? atoi(r->results + 1) : -1;
  for (int i = 0; r->letters[i]; i++)
    text = test_printf("%s%s%s%s a%d", text, i ? ", " : "", type_text(r->letters[i]),
                       i == self ? "(a!)" : "", i);
  text = test_printf("%s) -> ", text);
  if (self >= 0) return test_printf("%sTensor(a!)", text);
  bool one = strlen(r->results) == 1;
  text = test_printf("%s%s", text, one ? "" : "(");
  for (int i = 0; r->results[i]; i++)
    text = test_printf("%s%s%s", text, i ? ", " : "", type_text(r->results[i]));
  return test_printf("%s%s", text, one ? "" : ")");
}

static const row* g_row;

// Checks the arguments on the stack and gives the row's results, one in two
// borrowed: the trampoline has to cope with either.
static oy_status boxed_kernel(const oy_op* op, oy_keyset keys, oy_stack* stack,
                              const oy_kernel* kernel) {
  (void)keys;
  assert_ptr_equal(kernel->user_data, g_rows);
  assert_true(stack->from_typed);
  oy_complex complexes[SLOTS];
  assert_int_equal(stack->size, op->argument_count);
  for (size_t i = 0; i < stack->size; i++) {
    assert_false(stack->data[i].owned);
    if (!oy_value_equal(stack->data[i],
                        boxed_argument(g_row->letters[i], (int)i, complexes)))
      fail_msg("%s: argument %zu is another", g_row->name, i);
  }
  oy_value self = oy_none();
  if (g_row->results[0] == 'r') self = stack->data[atoi(g_row->results + 1)];
  oy_stack_drop(stack, op->argument_count);
  g_ran++;
  if (g_row->results[0] == 'r') {
    assert_ok(oy_value_own(&self));
    return oy_stack_push(stack, self);
  }
  for (int i = 0; g_row->results[i]; i++) {
    oy_value v = boxed_argument(g_row->results[i], i + 2, complexes);
    if (i % 2 || g_row->results[i] == 'z') assert_ok(oy_value_own(&v));
    OY_TRY(oy_stack_push(stack, v));
  }
  return OY_OK;
}

static oy_library* open_op(oy_registry* registry, const row* r,
                           const oy_kernel_params* kernel, const oy_op** out_op) {
  g_row = r;
  oy_library* library =
      test_library(registry, OY_LIBRARY_FRAGMENT, "test", OY_KEY_Undefined);
  assert_ok(oy_library_def(
      library, &(oy_def_params){.schema = schema_of(r), .place = OY_HERE}, NULL));
  assert_ok(oy_library_impl(library,
                            &(oy_impl_params){.name = "test::op",
                                              .key = OY_KEY_CompositeImplicitAutograd,
                                              .kernel = *kernel,
                                              .place = OY_HERE},
                            NULL));
  *out_op = test_find(registry, "test::op");
  char* abi = NULL;
  assert_ok(oy_schema_abi(oy_op_schema(*out_op), &abi));
  assert_string_equal(abi, test_printf("%s>%s", r->letters, r->results));
  oy_text_free(abi);
  assert_ptr_equal(oyi_op_signature(*out_op)->unbox, oyi_generic_unbox);
  return library;
}

static bool has_tensor(const row* r) {
  return strpbrk(r->letters, "tT") != NULL;
}

static void typed_call(const row* r, const oy_op* op) {
  oy_keyset keys = has_tensor(r) ? TEST_PLAIN(CPU) : oy_keyset_empty();
  uint64_t before = oy_call_enter();
  const oy_kernel* kernel = oy_select_call(op, &keys);
  g_ran = 0;
  r->call(op, keys, kernel->typed);
  assert_int_equal(g_ran, 1);
  oy_call_leave(before);
}

// BOX-02, BOX-05, BOX-06
static void box_02_every_signature_boxed(void** state) {
  (void)state;
  for (size_t i = 0; i < TEST_COUNT(g_rows); i++) {
    oy_registry* registry = test_registry();
    const oy_op* op;
    oy_kernel_params kernel = {.boxed = boxed_kernel, .state = (void*)(uintptr_t)g_rows};
    oy_library* library = open_op(registry, &g_rows[i], &kernel, &op);
    typed_call(&g_rows[i], op);
    oy_library_close(library);
    oy_registry_destroy(registry);
  }
}

static void check_results(const row* r, oy_stack* stack) {
  oy_complex complexes[SLOTS];
  if (r->results[0] == 'r') {
    assert_int_equal(stack->size, 2);
    assert_ptr_equal(stack->data[1].as.object, give_t(atoi(r->results + 1)));
    return;
  }
  assert_int_equal(stack->size, 1 + strlen(r->results));
  for (int i = 0; r->results[i]; i++)
    if (!oy_value_equal(stack->data[1 + i],
                        boxed_argument(r->results[i], i + 2, complexes)))
      fail_msg("%s: result %d is another", r->name, i);
}

// BOX-01, BOX-05, BOX-06, BOX-10
static void box_01_every_signature_unboxed(void** state) {
  (void)state;
  for (size_t i = 0; i < TEST_COUNT(g_rows); i++) {
    const row* r = &g_rows[i];
    oy_registry* registry = test_registry();
    const oy_op* op;
    oy_kernel_params kernel = {.typed = r->kernel};
    oy_library* library = open_op(registry, r, &kernel, &op);
    oy_value storage[SLOTS];
    oy_complex complexes[SLOTS];
    oy_stack stack;
    oy_stack_init(&stack, storage, SLOTS);
    assert_ok(oy_stack_push(&stack, oy_int(4711)));
    for (int k = 0; r->letters[k]; k++) {
      oy_value v = boxed_argument(r->letters[k], k, complexes);
      if (k % 2) assert_ok(oy_value_own(&v));
      // Lists and complex numbers that are copies have other addresses.
      if (k % 2 && strchr("sTIFBVM", r->letters[k])) {
        oy_value_release(&v);
        v = boxed_argument(r->letters[k], k, complexes);
      }
      assert_ok(oy_stack_push(&stack, v));
    }
    g_ran = 0;
    assert_ok(oy_op_call_boxed(op, &stack));
    assert_int_equal(g_ran, 1);
    assert_int_equal(stack.data[0].as.i, 4711);
    check_results(r, &stack);
    oy_stack_reset(&stack);
    oy_library_close(library);
    oy_registry_destroy(registry);
  }
}

static void by_dtype_every_signature(void** state) {
  (void)state;
  for (size_t i = 0; i < TEST_COUNT(g_rows); i++) {
    const row* r = &g_rows[i];
    if (!has_tensor(r)) continue;
    oy_registry* registry = test_registry();
    const oy_op* op;
    // Row 0 takes no argument; a T of index 0 or 3 is empty, its call any dtype.
    oy_kernel_params kernel = {.typed = r->kernel};
    if (strchr(r->letters, 't')) kernel.dtype_filter = OY_FOR_DTYPE(OY_DTYPE_F32);
    oy_library* library = open_op(registry, r, &kernel, &op);
    typed_call(r, op);
    oy_library_close(library);
    oy_registry_destroy(registry);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(box_02_every_signature_boxed),
      cmocka_unit_test(box_01_every_signature_unboxed),
      cmocka_unit_test(by_dtype_every_signature),
  };
  return cmocka_run_group_tests(tests, setup, NULL);
}
