// SPDX-License-Identifier: Apache-2.0
// Element types against the frozen numbers of PyTorch (reference, section 8.6),
// and the object that stands for no tensor.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "opyard/object.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct row {
  int number;
  const char* pytorch;
  const char* name;
  size_t size;
} g_rows[] = {
    {0, "Byte", "uint8", 1},
    {1, "Char", "int8", 1},
    {2, "Short", "int16", 2},
    {3, "Int", "int32", 4},
    {4, "Long", "int64", 8},
    {5, "Half", "float16", 2},
    {6, "Float", "float32", 4},
    {7, "Double", "float64", 8},
    {8, "ComplexHalf", "complex32", 4},
    {9, "ComplexFloat", "complex64", 8},
    {10, "ComplexDouble", "complex128", 16},
    {11, "Bool", "bool", 1},
    {12, "QInt8", "qint8", 1},
    {13, "QUInt8", "quint8", 1},
    {14, "QInt32", "qint32", 4},
    {15, "BFloat16", "bfloat16", 2},
    {23, "Float8_e5m2", "float8_e5m2", 1},
    {24, "Float8_e4m3fn", "float8_e4m3fn", 1},
    {25, "Float8_e5m2fnuz", "float8_e5m2fnuz", 1},
    {26, "Float8_e4m3fnuz", "float8_e4m3fnuz", 1},
    {27, "UInt16", "uint16", 2},
    {28, "UInt32", "uint32", 4},
    {29, "UInt64", "uint64", 8},
};

static void TYPE_05_numbers_names_and_sizes(void** state) {
  (void)state;
  for (size_t i = 0; i < COUNT(g_rows); i++) {
    oy_dtype dtype = (oy_dtype)g_rows[i].number;
    assert_string_equal(oy_dtype_name(dtype), g_rows[i].name);
    assert_int_equal(oy_dtype_size(dtype), g_rows[i].size);
  }
}

static void TYPE_find_by_each_name(void** state) {
  (void)state;
  oy_dtype dtype;
  for (size_t i = 0; i < COUNT(g_rows); i++) {
    assert_true(oy_dtype_find(oy_str_of(g_rows[i].name), &dtype));
    assert_int_equal(dtype, g_rows[i].number);
    assert_true(oy_dtype_find(oy_str_of(g_rows[i].pytorch), &dtype));
    assert_int_equal(dtype, g_rows[i].number);
  }
  static const struct {
    const char* name;
    int number;
  } rows[] = {
      {"f32", 6},   {"float", 6},   {"double", 7}, {"half", 5},     {"long", 4},
      {"int", 3},   {"short", 2},   {"i8", 1},     {"u8", 0},       {"bf16", 15},
      {"f64", 7},   {"c64", 9},     {"cfloat", 9}, {"cdouble", 10}, {"chalf", 8},
      {"bool", 11}, {"f8e4m3", 24}, {"u64", 29},   {"i64", 4},      {"f16", 5},
  };
  for (size_t i = 0; i < COUNT(rows); i++) {
    assert_true(oy_dtype_find(oy_str_of(rows[i].name), &dtype));
    assert_int_equal(dtype, rows[i].number);
  }
}

static void TYPE_what_is_no_dtype(void** state) {
  (void)state;
  static const int numbers[] = {16, 22, 30, 43, 44, 45, 46, 100, OY_DTYPE_ANY};
  for (size_t i = 0; i < COUNT(numbers); i++) {
    assert_null(oy_dtype_name((oy_dtype)numbers[i]));
    assert_int_equal(oy_dtype_size((oy_dtype)numbers[i]), 0);
  }
  static const char* const names[] = {"", "float31", "F", "float ", "FLOAT", "Undefined"};
  oy_dtype dtype = 77;
  for (size_t i = 0; i < COUNT(names); i++)
    assert_false(oy_dtype_find(oy_str_of(names[i]), &dtype));
  assert_int_equal(dtype, 77);
  assert_true(OY_DTYPE_ANY >= OY_DTYPE_LIMIT);
}

static void TYPE_none_object(void** state) {
  (void)state;
  assert_true(oy_object_is_none(&oy_none_object));
  assert_false(oy_object_is_none(NULL));
  assert_true(oy_keyset_is_empty(oy_none_object.keys));
  assert_string_equal(oy_none_object.klass->name, "None");
  int32_t before = oy_none_object.references;
  for (int i = 0; i < 3; i++) oy_object_release(&oy_none_object);
  oy_object_retain(&oy_none_object);
  assert_int_equal(oy_none_object.references, before);
  oy_object_retain(NULL);
  oy_object_release(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(TYPE_05_numbers_names_and_sizes),
      cmocka_unit_test(TYPE_find_by_each_name),
      cmocka_unit_test(TYPE_what_is_no_dtype),
      cmocka_unit_test(TYPE_none_object),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
