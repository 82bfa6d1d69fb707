// SPDX-License-Identifier: Apache-2.0
// oy_op_push_defaults: placing keywords, conversions, defaults, and what is said
// when it does not fit (row SCH-15).
#include "dispatch/support.h"

typedef struct fixture {
  oy_registry* registry;
  oy_library* library;
  oy_value storage[72];
  oy_stack stack;
} fixture;

static test_tensor g_tensor;

static const char* const g_schemas[] = {
    "add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
    "conv(Tensor x, int[2] stride=1, float p=1, bool flag=False, str mode=\"same\", "
    "float[2] scale=2, int? n=None) -> Tensor",
    "lists(Tensor?[] a, int?[] b, str[] c, bool[2] d, int[] e=[1, 2], float[] f=[]) -> "
    "()",
    "deep(Dict(str, int) m, (int, float) pair, float[][] rows) -> ()",
    "types(complex z, Device d, Generator? g=None, ScalarType? t=None, Any any=None, "
    "Tensor? opt=None) -> ()",
    "none() -> ()",
    "tensors(Tensor[] xs) -> ()",
};

static int open_fixture(void** state) {
  (void)test_setup(state);
  fixture* f = calloc(1, sizeof(*f));
  g_tensor = test_tensor_of(TEST_PLAIN(CPU));
  f->registry = test_registry();
  f->library = test_library(f->registry, OY_LIBRARY_DEF, "t", OY_KEY_Undefined);
  for (size_t i = 0; i < TEST_COUNT(g_schemas); i++)
    assert_ok(oy_library_def(
        f->library, &(oy_def_params){.schema = g_schemas[i], .place = OY_HERE}, NULL));
  oy_stack_init(&f->stack, f->storage, TEST_COUNT(f->storage));
  assert_ok(oy_stack_push(&f->stack, oy_int(-1)));  // not the call's business
  *state = f;
  return 0;
}

static int close_fixture(void** state) {
  fixture* f = *state;
  assert_int_equal(f->stack.data[0].as.i, -1);
  oy_stack_reset(&f->stack);
  oy_library_close(f->library);
  oy_registry_destroy(f->registry);
  free(f);
  return 0;
}

static oy_value tensor(void) {
  return oy_value_tensor(&g_tensor.object);
}

static oy_status push(fixture* f, const char* op, const oy_value* values, size_t count,
                      const char* const* names, size_t name_count) {
  oy_str texts[16];
  for (size_t i = 0; i < name_count; i++) texts[i] = oy_str_of(names[i]);
  for (size_t i = 0; i < count; i++) assert_ok(oy_stack_push(&f->stack, values[i]));
  oy_status status = oy_op_push_defaults(test_find(f->registry, op), &f->stack, count,
                                         texts, name_count);
  if (status != OY_OK) assert_int_equal(f->stack.size, 1);
  return status;
}
#define VALUES(...) \
  (const oy_value[]){__VA_ARGS__}, TEST_COUNT(((const oy_value[]){__VA_ARGS__}))
#define NAMES(...) \
  (const char*[]){__VA_ARGS__}, TEST_COUNT(((const char*[]){__VA_ARGS__}))
#define NO_NAMES NULL, 0

static const oy_value* argument(fixture* f, size_t i) {
  return &f->stack.data[1 + i];
}

#define ADD "t::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor"

static void sch_15_defaults(void** state) {
  fixture* f = *state;
  assert_ok(push(f, "t::conv", VALUES(tensor()), NO_NAMES));
  assert_int_equal(f->stack.size, 8);
  assert_int_equal(argument(f, 1)->tag, OY_TAG_INT_LIST);
  assert_int_equal(argument(f, 1)->count, 2);
  assert_int_equal(argument(f, 1)->as.ints[1], 1);
  assert_int_equal(argument(f, 2)->tag, OY_TAG_FLOAT);
  assert_int_equal(argument(f, 3)->tag, OY_TAG_BOOL);
  assert_true(oy_value_equal(*argument(f, 4), oy_value_str(oy_str_of("same"))));
  assert_int_equal(argument(f, 5)->tag, OY_TAG_FLOAT_LIST);
  assert_true(argument(f, 5)->as.floats[1] == 2.0);
  assert_int_equal(argument(f, 6)->tag, OY_TAG_NONE);
}

static oy_value empty_list(void) {
  return oy_value_list(OY_TAG_LIST, "", 0);
}

static void sch_15_default_lists(void** state) {
  fixture* f = *state;
  assert_ok(push(f, "t::lists",
                 VALUES(empty_list(), empty_list(), empty_list(), empty_list()),
                 NO_NAMES));
  assert_int_equal(f->stack.size, 7);
  assert_int_equal(argument(f, 0)->tag, OY_TAG_TENSOR_LIST);
  assert_int_equal(argument(f, 1)->tag, OY_TAG_LIST);
  assert_int_equal(argument(f, 2)->tag, OY_TAG_LIST);
  assert_int_equal(argument(f, 3)->tag, OY_TAG_BOOL_LIST);
  assert_int_equal(argument(f, 4)->as.ints[1], 2);
  assert_int_equal(argument(f, 5)->tag, OY_TAG_FLOAT_LIST);
  assert_int_equal(argument(f, 5)->count, 0);
}

static void sch_15_no_arguments(void** state) {
  fixture* f = *state;
  assert_ok(push(f, "t::none", NULL, 0, NO_NAMES));
  assert_int_equal(f->stack.size, 1);
}

static void sch_15_keywords_find_their_place(void** state) {
  fixture* f = *state;
  assert_ok(push(f, "t::conv", VALUES(tensor(), oy_int(7), oy_bool(true), oy_int(3)),
                 NAMES("n", "flag", "stride")));
  assert_int_equal(argument(f, 1)->as.ints[0], 3);
  assert_int_equal(argument(f, 3)->as.i, 1);
  assert_int_equal(argument(f, 6)->as.i, 7);
}

static void sch_15_conversions(void** state) {
  fixture* f = *state;
  int64_t ints[] = {1, 2};
  oy_value mixed[] = {oy_int(1), oy_none()};
  oy_value tensors[] = {tensor(), oy_none()};
  oy_value texts[] = {oy_value_str(oy_str_of("a"))};
  assert_ok(push(
      f, "t::lists",
      VALUES(oy_value_list(OY_TAG_LIST, tensors, 2), oy_value_list(OY_TAG_LIST, mixed, 2),
             oy_value_list(OY_TAG_LIST, texts, 1), oy_bool(true),
             oy_value_list(OY_TAG_LIST, mixed, 1),
             oy_value_list(OY_TAG_INT_LIST, ints, 2)),
      NO_NAMES));
  assert_ptr_equal(argument(f, 0)->as.tensors[0], &g_tensor.object);
  assert_ptr_equal(argument(f, 0)->as.tensors[1], &oy_none_object);
  assert_int_equal(argument(f, 1)->as.values[1].tag, OY_TAG_NONE);
  assert_int_equal(argument(f, 3)->count, 2);
  assert_true(argument(f, 3)->as.bools[1]);
  assert_int_equal(argument(f, 4)->tag, OY_TAG_INT_LIST);
  assert_true(argument(f, 5)->as.floats[1] == 2.0);
}

static void sch_15_nested_conversions(void** state) {
  fixture* f = *state;
  int64_t ints[] = {1, 2};
  oy_value dict[] = {oy_value_str(oy_str_of("k")), oy_int(1)};
  oy_value pair[] = {oy_int(1), oy_int(2)};
  oy_value rows[] = {oy_value_list(OY_TAG_INT_LIST, ints, 2)};
  assert_ok(push(
      f, "t::deep",
      VALUES(oy_value_list(OY_TAG_DICT, dict, 1), oy_value_list(OY_TAG_LIST, pair, 2),
             oy_value_list(OY_TAG_LIST, rows, 1)),
      NO_NAMES));
  assert_int_equal(argument(f, 1)->as.values[0].tag, OY_TAG_INT);
  assert_int_equal(argument(f, 1)->as.values[1].tag, OY_TAG_FLOAT);
  assert_int_equal(argument(f, 2)->as.values[0].tag, OY_TAG_FLOAT_LIST);
  assert_true(argument(f, 2)->as.values[0].as.floats[1] == 2.0);
}

static void sch_15_other_types(void** state) {
  fixture* f = *state;
  oy_object generator = {.flags = OY_OBJECT_STATIC};
  oy_value g = oy_value_make(OY_TAG_GENERATOR);
  g.as.object = &generator;
  assert_ok(push(f, "t::types",
                 VALUES(oy_float(1.5), oy_value_device((oy_device){0, -1, 0}), g,
                        oy_int(6), oy_bool(true), tensor()),
                 NO_NAMES));
  assert_int_equal(argument(f, 0)->tag, OY_TAG_COMPLEX);
  assert_true(argument(f, 0)->as.complex_data->re == 1.5);
  assert_int_equal(argument(f, 4)->tag, OY_TAG_BOOL);
}

static void sch_15_too_many(void** state) {
  fixture* f = *state;
  assert_error(push(f, "t::add.Tensor", VALUES(tensor(), tensor(), oy_int(1), oy_int(2)),
                    NO_NAMES),
               OY_INVALID_ARGUMENT,
               "t::add() expected at most 3 argument(s) but received 4 argument(s). "
               "Declaration: " ADD);
  assert_string_equal(oy_error_get()->op, "t::add.Tensor");
  // The count comes before the names.
  assert_error_part(push(f, "t::add.Tensor",
                         VALUES(tensor(), tensor(), oy_int(1), oy_int(2)), NAMES("z")),
                    OY_INVALID_ARGUMENT, "t::add() expected at most 3 argument(s)");
}

static void sch_15_missing(void** state) {
  fixture* f = *state;
  assert_error(push(f, "t::add.Tensor", VALUES(tensor()), NO_NAMES), OY_INVALID_ARGUMENT,
               "t::add() is missing value for argument 'other'. Declaration: " ADD);
  assert_string_equal(oy_error_get()->argument, "other");
}

static void sch_15_unknown_keyword(void** state) {
  fixture* f = *state;
  assert_error(
      push(f, "t::add.Tensor", VALUES(tensor(), tensor(), oy_int(1)), NAMES("z")),
      OY_INVALID_ARGUMENT,
      "Unknown keyword argument 'z' for operator 't::add'. Schema: " ADD);
}

static void sch_15_specified_twice(void** state) {
  fixture* f = *state;
  assert_error(
      push(f, "t::add.Tensor", VALUES(tensor(), tensor(), tensor()), NAMES("other")),
      OY_INVALID_ARGUMENT,
      "Argument 'other' specified twice for operator 't::add'. Schema: " ADD);
  assert_error_part(push(f, "t::add.Tensor", VALUES(tensor(), tensor(), tensor()),
                         NAMES("other", "other")),
                    OY_INVALID_ARGUMENT, "Argument 'other' specified twice");
}

static void sch_15_wrong_type(void** state) {
  fixture* f = *state;
  assert_error(
      push(f, "t::add.Tensor", VALUES(oy_int(3), tensor()), NO_NAMES), OY_TYPE_MISMATCH,
      "t::add() Expected a value of type 'Tensor' for argument 'self' but instead "
      "found type 'int'.\nPosition: 0\nValue: 3\nDeclaration: " ADD);
  assert_string_equal(oy_error_get()->argument, "self");
  assert_error(
      push(f, "t::add.Tensor", VALUES(tensor(), oy_value_str(oy_str_of("x"))),
           NAMES("other")),
      OY_TYPE_MISMATCH,
      "t::add() Expected a value of type 'Tensor' for argument 'other' but instead "
      "found type 'str'.\nValue: 'x'\nDeclaration: " ADD);
}

// What does not convert: value, operator, position and the words of the message.
typedef struct mismatch {
  const char* op;
  oy_value value;
  const char* keyword;
  const char* text;
} mismatch;

static void sch_15_no_such_conversion(void** state) {
  fixture* f = *state;
  static const double floats[] = {1.5};
  static const bool bools[] = {true};
  oy_object* none[] = {&oy_none_object};
  const mismatch rows[] = {
      {"t::conv", oy_bool(true), "n",
       "'Optional[int]' for argument 'n' but instead found type 'bool'.\nValue: True"},
      {"t::conv", oy_float(1.5), "n", "found type 'float'.\nValue: 1.5"},
      {"t::conv", oy_bool(true), "stride",
       "'List[int]' for argument 'stride' but instead found type 'bool'"},
      {"t::conv", oy_float(2), "stride", "found type 'float'.\nValue: 2.0"},
      {"t::conv", oy_value_list(OY_TAG_FLOAT_LIST, floats, 1), "stride",
       "found type 'List[float]'.\nValue: [1.5]"},
      {"t::conv", oy_value_list(OY_TAG_BOOL_LIST, bools, 1), "stride",
       "found type 'List[bool]'.\nValue: [True]"},
      {"t::conv", oy_int(1), "flag",
       "'bool' for argument 'flag' but instead found type 'int'"},
      {"t::conv", oy_none(), "p",
       "'float' for argument 'p' but instead found type 'NoneType'.\nValue: None"},
      {"t::conv", oy_bool(true), "p", "found type 'bool'"},
      {"t::conv", oy_int(1), "mode", "'str' for argument 'mode'"},
  };
  for (size_t i = 0; i < TEST_COUNT(rows); i++)
    assert_error_part(
        push(f, rows[i].op, VALUES(tensor(), rows[i].value), NAMES(rows[i].keyword)),
        OY_TYPE_MISMATCH, rows[i].text);
  assert_error_part(
      push(f, "t::add.Tensor", VALUES(tensor(), tensor(), oy_none()), NO_NAMES),
      OY_TYPE_MISMATCH, "'number' for argument 'alpha'");
  assert_error_part(push(f, "t::add.Tensor", VALUES(tensor(), oy_none()), NO_NAMES),
                    OY_TYPE_MISMATCH, "found type 'NoneType'");
  assert_error_part(
      push(f, "t::tensors", VALUES(oy_value_list(OY_TAG_TENSOR_LIST, none, 1)), NO_NAMES),
      OY_TYPE_MISMATCH, "'List[Tensor]'");
}

static void sch_15_owned_values_are_released(void** state) {
  fixture* f = *state;
  int before = test_tensors_alive();
  oy_value owned = oy_value_tensor(test_tensor_new(TEST_PLAIN(CPU), 1));
  owned.owned = 1;
  (void)push(f, "t::add.Tensor", VALUES(owned, oy_int(3)), NO_NAMES);
  assert_int_equal(test_tensors_alive(), before);
}

static void sch_15_no_memory(void** state) {
  fixture* f = *state;
  const oy_op* op = test_find(f->registry, "t::lists");
  assert_non_null(oy_op_schema(op));  // made by the first question, and kept
  test_heap heap = {0};
  test_heap_install(&heap);
  oy_status status = OY_OUT_OF_MEMORY;
  for (int64_t at = 1; status != OY_OK; at++) {
    oy_value tensors[] = {tensor(), oy_none()};
    assert_ok(oy_stack_push(&f->stack, oy_value_list(OY_TAG_LIST, tensors, 2)));
    int64_t numbers[] = {1, 2};
    assert_ok(oy_stack_push(&f->stack, oy_value_list(OY_TAG_INT_LIST, numbers, 2)));
    assert_ok(oy_stack_push(&f->stack, empty_list()));
    assert_ok(oy_stack_push(&f->stack, oy_bool(true)));
    int64_t blocks = heap.blocks;
    heap.fail_at = heap.requests + at;
    status = oy_op_push_defaults(op, &f->stack, 4, NULL, 0);
    heap.fail_at = 0;
    if (status == OY_OK) break;
    assert_int_equal(status, OY_OUT_OF_MEMORY);
    assert_int_equal(f->stack.size, 1);
    assert_int_equal(heap.blocks, blocks);
    assert_true(at < 100);
  }
  oy_stack_drop(&f->stack, f->stack.size - 1);
  test_heap_remove(&heap);
}

#define FIXTURE(name) cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)

int main(void) {
  const struct CMUnitTest tests[] = {
      FIXTURE(sch_15_defaults),
      FIXTURE(sch_15_default_lists),
      FIXTURE(sch_15_no_arguments),
      FIXTURE(sch_15_keywords_find_their_place),
      FIXTURE(sch_15_conversions),
      FIXTURE(sch_15_nested_conversions),
      FIXTURE(sch_15_other_types),
      FIXTURE(sch_15_too_many),
      FIXTURE(sch_15_missing),
      FIXTURE(sch_15_unknown_keyword),
      FIXTURE(sch_15_specified_twice),
      FIXTURE(sch_15_wrong_type),
      FIXTURE(sch_15_no_such_conversion),
      FIXTURE(sch_15_owned_values_are_released),
      FIXTURE(sch_15_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
