// SPDX-License-Identifier: Apache-2.0
// Promotion: PyTorch's whole table as text, the errors, result_type, casts.
#include "support/tensors.h"

static oy_dtype dtype_of(const char* name) {
  static const struct {
    const char* name;
    oy_dtype dtype;
  } names[] = {{"u8", OY_DTYPE_U8},     {"i8", OY_DTYPE_I8},   {"i16", OY_DTYPE_I16},
               {"i32", OY_DTYPE_I32},   {"i64", OY_DTYPE_I64}, {"f16", OY_DTYPE_F16},
               {"bf16", OY_DTYPE_BF16}, {"f32", OY_DTYPE_F32}, {"f64", OY_DTYPE_F64},
               {"c32", OY_DTYPE_C32},   {"c64", OY_DTYPE_C64}, {"c128", OY_DTYPE_C128},
               {"b1", OY_DTYPE_BOOL}};
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
    if (strcmp(name, names[i].name) == 0) return names[i].dtype;
  fail_msg("no dtype %s", name);
  return 0;
}

// As printed by PyTorch 2.6.
static const char* const g_table[] = {
    "-    u8 i8 i16 i32 i64 f16 bf16 f32 f64 c32 c64 c128 b1",
    "u8   u8 i16 i16 i32 i64 f16 bf16 f32 f64 c32 c64 c128 u8",
    "i8   i16 i8 i16 i32 i64 f16 bf16 f32 f64 c32 c64 c128 i8",
    "i16  i16 i16 i16 i32 i64 f16 bf16 f32 f64 c32 c64 c128 i16",
    "i32  i32 i32 i32 i32 i64 f16 bf16 f32 f64 c32 c64 c128 i32",
    "i64  i64 i64 i64 i64 i64 f16 bf16 f32 f64 c32 c64 c128 i64",
    "f16  f16 f16 f16 f16 f16 f16 f32 f32 f64 c32 c64 c128 f16",
    "bf16 bf16 bf16 bf16 bf16 bf16 f32 bf16 f32 f64 c64 c64 c128 bf16",
    "f32  f32 f32 f32 f32 f32 f32 f32 f32 f64 c64 c64 c128 f32",
    "f64  f64 f64 f64 f64 f64 f64 f64 f64 f64 c128 c128 c128 f64",
    "c32  c32 c32 c32 c32 c32 c32 c64 c64 c128 c32 c64 c128 c32",
    "c64  c64 c64 c64 c64 c64 c64 c64 c64 c128 c64 c64 c128 c64",
    "c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128 c128",
    "b1   u8 i8 i16 i32 i64 f16 bf16 f32 f64 c32 c64 c128 b1"};

static size_t split(const char* line, char words[16][8]) {
  int used;
  size_t n = 0;
  for (; sscanf(line, "%7s%n", words[n], &used) == 1; n++) line += used;
  return n;
}

static void TYPE_01_promotion_table(void** state) {
  (void)state;
  char head[16][8], row[16][8];
  assert_int_equal(split(g_table[0], head), 14);
  for (size_t i = 1; i < 14; i++) {
    assert_int_equal(split(g_table[i], row), 14);
    for (size_t j = 1; j < 14; j++) {
      oy_dtype got;
      assert_int_equal(oy_dtype_promote(dtype_of(row[0]), dtype_of(head[j]), &got), 0);
      assert_int_equal(got, dtype_of(row[j]));
    }
  }
}

static void TYPE_01_dtypes_that_do_not_promote(void** state) {
  (void)state;
  oy_dtype got;
  assert_int_equal(oy_dtype_promote(OY_DTYPE_QI8, OY_DTYPE_F32, &got), OY_TYPE_MISMATCH);
  assert_error(
      "promoteTypes with quantized numbers is not handled yet; figure out what the "
      "correct rules should be, offending types: QInt8 Float");
  assert_int_equal(oy_dtype_promote(OY_DTYPE_F8E4M3, OY_DTYPE_F32, &got),
                   OY_TYPE_MISMATCH);
  assert_error(
      "Promotion for Float8 Types is not supported, attempted to promote Float8_e4m3fn "
      "and Float");
  assert_int_equal(oy_dtype_promote(OY_DTYPE_U16, OY_DTYPE_I32, &got), OY_TYPE_MISMATCH);
  assert_error(
      "Promotion for uint16, uint32, uint64 types is not supported, attempted to "
      "promote UInt16 and Int");
  assert_int_equal(oy_dtype_promote(OY_DTYPE_U32, OY_DTYPE_F16, &got), OY_OK);
  assert_int_equal(got, OY_DTYPE_F16);
  assert_int_equal(oy_dtype_promote(OY_DTYPE_QI8, OY_DTYPE_QI8, &got), OY_OK);
  assert_int_equal(got, OY_DTYPE_QI8);
  assert_int_equal(oy_dtype_promote(OY_DTYPE_ANY, OY_DTYPE_F32, &got), OY_OK);
  assert_int_equal(got, OY_DTYPE_ANY);
}

enum { TENSOR, ZERO_DIM, NUMBER };
static oy_tensor* operand(int kind, oy_dtype dtype) {
  oy_ints dims = kind == TENSOR ? OY_DIMS(2) : oy_dims_none();
  oy_tensor* t = oy_tensor_empty(dims, dtype, oy_device_cpu());
  if (kind == NUMBER) t->flags |= OY_OBJECT_WRAPPED_NUMBER;
  return t;
}

static void TYPE_02_result_type(void** state) {
  (void)state;
  static const struct {
    int kind_a;
    oy_dtype a;
    int kind_b;
    oy_dtype b, want;
  } rows[] = {
      {TENSOR, OY_DTYPE_I32, NUMBER, OY_DTYPE_F64, OY_DTYPE_F32},
      {TENSOR, OY_DTYPE_BOOL, NUMBER, OY_DTYPE_I64, OY_DTYPE_I64},
      {TENSOR, OY_DTYPE_U8, NUMBER, OY_DTYPE_I64, OY_DTYPE_U8},
      {TENSOR, OY_DTYPE_F32, ZERO_DIM, OY_DTYPE_F64, OY_DTYPE_F32},
      {TENSOR, OY_DTYPE_I32, ZERO_DIM, OY_DTYPE_F64, OY_DTYPE_F64},
      {ZERO_DIM, OY_DTYPE_F16, ZERO_DIM, OY_DTYPE_F32, OY_DTYPE_F32},
      {ZERO_DIM, OY_DTYPE_F16, NUMBER, OY_DTYPE_F64, OY_DTYPE_F16},
      {TENSOR, OY_DTYPE_F32, NUMBER, OY_DTYPE_C128, OY_DTYPE_C64},
      {TENSOR, OY_DTYPE_F64, NUMBER, OY_DTYPE_C128, OY_DTYPE_C128},
      {TENSOR, OY_DTYPE_F32, TENSOR, OY_DTYPE_F64, OY_DTYPE_F64},
      {NUMBER, OY_DTYPE_F64, NUMBER, OY_DTYPE_I64, OY_DTYPE_F32},
  };
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
    oy_dtype got;
    oy_tensor* t[2] = {operand(rows[i].kind_a, rows[i].a),
                       operand(rows[i].kind_b, rows[i].b)};
    assert_int_equal(oy_result_type(t, 2, &got), OY_OK);
    assert_int_equal(got, rows[i].want);
    oy_tensor* swapped[3] = {t[1], &oy_none_object, t[0]};
    assert_int_equal(oy_result_type(swapped, 3, &got), OY_OK);
    assert_int_equal(got, rows[i].want);
    oy_tensor_release(t[0]);
    oy_tensor_release(t[1]);
  }
}

static void TYPE_03_can_cast(void** state) {
  (void)state;
  assert_false(oy_dtype_can_cast(OY_DTYPE_C64, OY_DTYPE_F32));
  assert_false(oy_dtype_can_cast(OY_DTYPE_F32, OY_DTYPE_I64));
  assert_false(oy_dtype_can_cast(OY_DTYPE_F32, OY_DTYPE_BOOL));
  assert_false(oy_dtype_can_cast(OY_DTYPE_I64, OY_DTYPE_BOOL));
  assert_true(oy_dtype_can_cast(OY_DTYPE_BOOL, OY_DTYPE_BOOL));
  assert_true(oy_dtype_can_cast(OY_DTYPE_BOOL, OY_DTYPE_U8));
  assert_true(oy_dtype_can_cast(OY_DTYPE_F64, OY_DTYPE_F16));
  assert_true(oy_dtype_can_cast(OY_DTYPE_I64, OY_DTYPE_U8));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(TYPE_01_promotion_table),
      cmocka_unit_test(TYPE_01_dtypes_that_do_not_promote),
      cmocka_unit_test(TYPE_02_result_type),
      cmocka_unit_test(TYPE_03_can_cast),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
