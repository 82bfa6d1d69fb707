// SPDX-License-Identifier: Apache-2.0
// Default values as the parser stores them. Expected values come from PyTorch 2.6,
// and for numbers from the C compiler.
#include <math.h>
#include <stdio.h>

#include "schema_test.h"

typedef struct number {
  const char* argument;
  oy_default_kind kind;
  int64_t i;
  double re;
  double im;
} number;

static void SCH_04_numbers_and_words(void** state) {
  static const number rows[] = {
      {"int x=1", OY_DEFAULT_INT, 1, 0, 0},
      {"int x=-100", OY_DEFAULT_INT, -100, 0, 0},
      {"int x=9223372036854775807", OY_DEFAULT_INT, INT64_MAX, 0, 0},
      {"int x=-9223372036854775808", OY_DEFAULT_INT, INT64_MIN, 0, 0},
      {"SymInt x=0", OY_DEFAULT_INT, 0, 0, 0},
      {"float x=1", OY_DEFAULT_FLOAT, 0, 1, 0},
      {"float x=1.", OY_DEFAULT_FLOAT, 0, 1, 0},
      {"float x=.5", OY_DEFAULT_FLOAT, 0, 0.5, 0},
      {"float x=1e-5", OY_DEFAULT_FLOAT, 0, 1e-5, 0},
      {"float x=-2.5E+3", OY_DEFAULT_FLOAT, 0, -2500, 0},
      {"float x=1.7976931348623157e308", OY_DEFAULT_FLOAT, 0, 1.7976931348623157e308, 0},
      {"float x=5e-324", OY_DEFAULT_FLOAT, 0, 5e-324, 0},
      {"float x=inf", OY_DEFAULT_FLOAT, 0, INFINITY, 0},
      {"float x=-inf", OY_DEFAULT_FLOAT, 0, -INFINITY, 0},
      {"float? x=1", OY_DEFAULT_INT, 1, 0, 0},
      {"float? x=0.5", OY_DEFAULT_FLOAT, 0, 0.5, 0},
      {"Scalar x=1", OY_DEFAULT_INT, 1, 0, 0},
      {"Scalar x=1.", OY_DEFAULT_FLOAT, 0, 1, 0},
      {"Scalar x=1e2", OY_DEFAULT_FLOAT, 0, 100, 0},
      {"Scalar x=True", OY_DEFAULT_BOOL, 1, 0, 0},
      {"Scalar x=2j", OY_DEFAULT_COMPLEX, 0, 0, 2},
      {"complex x=1.5j", OY_DEFAULT_COMPLEX, 0, 0, 1.5},
      {"complex x=-1j", OY_DEFAULT_COMPLEX, 0, 0, -1},
      {"complex x=3.-4.j", OY_DEFAULT_COMPLEX, 0, 3, -4},
      {"bool x=True", OY_DEFAULT_BOOL, 1, 0, 0},
      {"bool? x=False", OY_DEFAULT_BOOL, 0, 0, 0},
      {"bool x=None", OY_DEFAULT_NONE, 0, 0, 0},
      {"Tensor? x=None", OY_DEFAULT_NONE, 0, 0, 0},
      {"Generator? x=None", OY_DEFAULT_NONE, 0, 0, 0},
      {"int[]? x=None", OY_DEFAULT_NONE, 0, 0, 0},
      {"MemoryFormat x=contiguous_format", OY_DEFAULT_INT, 0, 0, 0},
      {"Layout? x=strided", OY_DEFAULT_INT, 0, 0, 0},
      {"int x=Mean", OY_DEFAULT_INT, 1, 0, 0},
      {"int x=long", OY_DEFAULT_INT, 4, 0, 0},
      {"ScalarType x=long", OY_DEFAULT_INT, 4, 0, 0},
      {"ScalarType x=float", OY_DEFAULT_INT, 6, 0, 0},
      {"ScalarType x=complex", OY_DEFAULT_INT, 9, 0, 0},
      {"ScalarType? x=float64", OY_DEFAULT_INT, 7, 0, 0},
      {"ScalarType x=uint8", OY_DEFAULT_INT, 0, 0, 0},
      {"ScalarType x=bool", OY_DEFAULT_INT, 11, 0, 0},
      {"ScalarType x=bfloat16", OY_DEFAULT_INT, 15, 0, 0},
      {"ScalarType x=uint64", OY_DEFAULT_INT, 29, 0, 0},
  };
  (void)state;
  for (size_t i = 0; i < COUNT(rows); i++) {
    char text[120];
    snprintf(text, sizeof(text), "m::f(%s) -> ()", rows[i].argument);
    oy_schema* s = parse(text);
    const oy_default* d = &s->arguments[0].default_value;
    if (d->kind != rows[i].kind || d->i != rows[i].i || d->re != rows[i].re ||
        d->im != rows[i].im)
      fail_msg("%s: kind %d, %lld, %g, %g", text, d->kind, (long long)d->i, d->re, d->im);
    oy_schema_free(s);
  }
}

static void SCH_04_nan_and_absent(void** state) {
  (void)state;
  oy_schema* s = parse("m::f(int y, float x=nan, float z=-nan) -> ()");
  assert_int_equal(s->arguments[0].default_value.kind, OY_DEFAULT_ABSENT);
  assert_true(isnan(s->arguments[1].default_value.re));
  assert_true(isnan(s->arguments[2].default_value.re));
  oy_schema_free(s);
}

static void SCH_04_strings(void** state) {
  static const struct {
    const char* literal;
    const char* value;
    size_t size;
  } rows[] = {
      {"\"linear\"", "linear", 6},
      {"'it''s'", NULL, 0},
      {"\"\"", "", 0},
      {"' '", " ", 1},
      {"\"it's\"", "it's", 4},
      {"\"\\\"\\'\\\\\"", "\"'\\", 3},
      {"\" \\n\\t\\f\\v\"", " \n\t\f\v", 5},
      {"\"\\a\\b\\r\"", "\a\b\r", 3},
      {"\"\\0\\001\\377\\1018\"", "\0\1\377A8", 5},
      {"\"\xc3\xa9\"", "\xc3\xa9", 2},
      {"\"a, b) -> # x\"", "a, b) -> # x", 12},
  };
  (void)state;
  for (size_t i = 0; i < COUNT(rows); i++) {
    char text[120];
    snprintf(text, sizeof(text), "m::f(str x=%s) -> ()", rows[i].literal);
    if (!rows[i].value) {
      assert_refused(text, "expected ) but found 'string_literal' here:");
      continue;
    }
    oy_schema* s = parse(text);
    const oy_default* d = &s->arguments[0].default_value;
    assert_int_equal(d->kind, OY_DEFAULT_STR);
    assert_int_equal(d->text.size, rows[i].size);
    assert_memory_equal(d->text.data, rows[i].value, rows[i].size);
    oy_schema_free(s);
  }
}

static void SCH_04_device_and_names_written(void** state) {
  (void)state;
  oy_schema* s = parse("m::f(Device d='cuda:0', Layout l=strided, Dimname n='N') -> ()");
  assert_int_equal(s->arguments[0].default_value.kind, OY_DEFAULT_STR);
  assert_str(s->arguments[0].default_value.text, "cuda:0");
  assert_str(s->arguments[1].default_value.text, "strided");
  assert_str(s->arguments[2].default_value.text, "N");
  oy_schema_free(s);
}

static void SCH_04_lists(void** state) {
  (void)state;
  oy_schema* s = parse(
      "m::f(int[] a=[], int[] b=[-2, -1], float[] c=[1, 2.5], "
      "bool[] d=[True, False], complex[] e=[1j, 2], "
      "int[]? g=[7]) -> ()");
  static const size_t counts[] = {0, 2, 2, 2, 2, 1};
  for (size_t i = 0; i < COUNT(counts); i++) {
    assert_int_equal(s->arguments[i].default_value.kind, OY_DEFAULT_LIST);
    assert_int_equal(s->arguments[i].default_value.item_count, counts[i]);
    assert_false(s->arguments[i].default_value.broadcast);
  }
  assert_int_equal(s->arguments[1].default_value.items[0].i, -2);
  assert_true(s->arguments[2].default_value.items[0].re == 1);
  assert_int_equal(s->arguments[3].default_value.items[0].i, 1);
  assert_true(s->arguments[4].default_value.items[0].im == 1);
  assert_true(s->arguments[4].default_value.items[1].re == 2);
  oy_schema_free(s);
}

static void SCH_06_broadcast(void** state) {
  (void)state;
  oy_schema* s = parse(
      "m::f(int[2] x=1, SymInt[3] y=-7, bool[2] z=True, "
      "int[1] w=[0], int[2] v=[3, 4]) -> ()");
  const oy_argument* a = s->arguments;
  static const size_t counts[] = {2, 3, 2, 1, 2};
  for (size_t i = 0; i < COUNT(counts); i++) {
    assert_int_equal(a[i].default_value.kind, OY_DEFAULT_LIST);
    assert_int_equal(a[i].default_value.item_count, counts[i]);
    assert_int_equal(a[i].default_value.broadcast, i < 3);
  }
  assert_int_equal(a[0].default_value.items[1].i, 1);
  assert_int_equal(a[1].default_value.items[2].i, -7);
  oy_schema_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(SCH_04_numbers_and_words),
      cmocka_unit_test(SCH_04_nan_and_absent),
      cmocka_unit_test(SCH_04_strings),
      cmocka_unit_test(SCH_04_device_and_names_written),
      cmocka_unit_test(SCH_04_lists),
      cmocka_unit_test(SCH_06_broadcast),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
