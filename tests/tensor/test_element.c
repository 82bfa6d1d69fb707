// SPDX-License-Identifier: Apache-2.0
// Small floats, against the definition: every bit pattern is decoded with ldexp, and
// rounding goes to the nearest of all patterns, found by search.
#include "support/tensors.h"
#include "tensor/element.h"
#include "tensor/half.h"

// What the greatest exponent, or the pattern of all ones, means.
typedef enum specials { IEEE, FN, FNUZ } specials;

typedef struct format {
  int exp, man, bias;
  specials specials;
  float (*to_float)(uint32_t bits);
  uint32_t (*from_float)(float f);
} format;

#define FUNCTIONS(name, type)                 \
  static float name##_to(uint32_t bits) {     \
    return oyi_##name##_to_float((type)bits); \
  }                                           \
  static uint32_t name##_from(float f) {      \
    return oyi_##name##_from_float(f);        \
  }
FUNCTIONS(f16, uint16_t)
FUNCTIONS(bf16, uint16_t)
FUNCTIONS(f8e5m2, uint8_t)
FUNCTIONS(f8e4m3, uint8_t)
FUNCTIONS(f8e5m2fnuz, uint8_t)
FUNCTIONS(f8e4m3fnuz, uint8_t)

static const format g_formats[] = {
    {5, 10, 15, IEEE, f16_to, f16_from},
    {8, 7, 127, IEEE, bf16_to, bf16_from},
    {5, 2, 15, IEEE, f8e5m2_to, f8e5m2_from},
    {4, 3, 7, FN, f8e4m3_to, f8e4m3_from},
    {5, 2, 16, FNUZ, f8e5m2fnuz_to, f8e5m2fnuz_from},
    {4, 3, 8, FNUZ, f8e4m3fnuz_to, f8e4m3fnuz_from},
};
enum { FORMATS = sizeof(g_formats) / sizeof(*g_formats) };

static float decode(const format* f, uint32_t bits) {
  int top = (1 << f->exp) - 1, e = (int)(bits >> f->man) & top;
  uint32_t m = bits & ((1u << f->man) - 1);
  double sign = bits >> (f->exp + f->man) & 1 ? -1 : 1;
  if (f->specials == IEEE && e == top) return m ? NAN : (float)(sign * INFINITY);
  if (f->specials == FN && e == top && m == (1u << f->man) - 1) return NAN;
  if (f->specials == FNUZ && bits == 1u << (f->exp + f->man)) return NAN;
  double value = e ? ldexp(1 + (double)m / (1 << f->man), e - f->bias)
                   : ldexp((double)m / (1 << f->man), 1 - f->bias);
  return (float)(sign * value);
}

static void every_pattern_is_decoded(void** state) {
  (void)state;
  for (size_t i = 0; i < FORMATS; i++) {
    const format* f = &g_formats[i];
    for (uint32_t bits = 0; bits < 1u << (1 + f->exp + f->man); bits++) {
      float want = decode(f, bits), got = f->to_float(bits);
      assert_true(isnan(want) ? isnan(got)
                              : want == got && !signbit(want) == !signbit(got));
      if (!isnan(want)) assert_int_equal(f->from_float(want), bits);
    }
  }
}

// Between neighbours: below, at and above the middle.
static void rounding_is_to_nearest_even(void** state) {
  (void)state;
  for (size_t i = 0; i < FORMATS; i++) {
    const format* f = &g_formats[i];
    for (uint32_t bits = 0; bits < (1u << (f->exp + f->man)) - 2; bits++) {
      float a = decode(f, bits), b = decode(f, bits + 1);
      if (!isfinite(a) || !isfinite(b)) continue;
      double middle = ((double)a + (double)b) / 2;
      float mid = (float)middle;
      assert_true((double)mid == middle);
      assert_int_equal(f->from_float(nextafterf(mid, 0)), bits);
      assert_int_equal(f->from_float(nextafterf(mid, INFINITY)), bits + 1);
      assert_int_equal(f->from_float(mid), bits & 1 ? bits + 1 : bits);
    }
  }
}

static void too_great_and_not_a_number(void** state) {
  (void)state;
  assert_int_equal(oyi_f16_from_float(65519), 0x7bff);
  assert_int_equal(oyi_f16_from_float(65520), 0x7c00);
  assert_int_equal(oyi_f16_from_float(-INFINITY), 0xfc00);
  assert_true(isnan(oyi_f16_to_float(oyi_f16_from_float(NAN))));
  assert_true(isnan(oyi_bf16_to_float(oyi_bf16_from_float(NAN))));
  assert_int_equal(oyi_bf16_from_float(3.4e38f), 0x7f80);
  assert_int_equal(oyi_f8e4m3_from_float(448), 0x7e);
  assert_int_equal(oyi_f8e4m3_from_float(1e9f), 0x7f);  // it has no infinity
  assert_int_equal(oyi_f8e5m2_from_float(1e9f), 0x7c);
  assert_int_equal(oyi_f8e5m2_from_float(NAN), 0x7f);
  assert_int_equal(oyi_f8e4m3_from_float(464), 0x7e);  // a tie, to even
  assert_int_equal(oyi_f8e4m3_from_float(465), 0x7f);
  assert_int_equal(oyi_f8e4m3fnuz_from_float(240), 0x7f);
  assert_int_equal(oyi_f8e4m3fnuz_from_float(1e9f), 0x80);
  assert_int_equal(oyi_f8e4m3fnuz_from_float(-0.0f), 0);
  assert_int_equal(oyi_f8e4m3fnuz_from_float(-1e-9f), 0);
  assert_int_equal(oyi_f8e5m2fnuz_from_float(57344), 0x7f);
  assert_int_equal(oyi_f8e5m2fnuz_from_float(INFINITY), 0x80);
  assert_int_equal(oyi_f8e5m2fnuz_from_float(NAN), 0x80);
}

// Each pair of dtypes: small integers survive every conversion.
static void conversions_between_all_dtypes(void** state) {
  (void)state;
  for (oy_dtype from = 0; from < OY_DTYPE_LIMIT; from++) {
    if (!oy_dtype_size(from)) continue;
    for (oy_dtype to = 0; to < OY_DTYPE_LIMIT; to++) {
      if (!oy_dtype_size(to)) continue;
      char a[4 * 16] = {0}, b[4 * 16] = {0};
      bool is_bool = from == OY_DTYPE_BOOL || to == OY_DTYPE_BOOL;
      for (int i = 0; i < 4; i++)
        oyi_element_store(from, a + i * oyi_dtype_bytes[from],
                          oyi_number_of_scalar(oy_int(is_bool ? i % 2 : i)));
      oyi_convert_row(to, b, oyi_dtype_bytes[to], from, a, oyi_dtype_bytes[from], 4);
      for (int i = 0; i < 4; i++) {
        oyi_number n = oyi_element_load(to, b + i * oyi_dtype_bytes[to]);
        assert_true(n.re == (is_bool ? i % 2 : i));
      }
    }
  }
}

static void TYPE_04_integers_wrap(void** state) {
  (void)state;
  uint8_t byte;
  oyi_element_store(OY_DTYPE_U8, &byte, oyi_number_of_scalar(oy_int(1000)));
  assert_int_equal(byte, 232);
  int64_t big;
  oyi_element_store(OY_DTYPE_I64, &big, oyi_number_of_scalar(oy_float(NAN)));
  assert_true(big == INT64_MIN);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_pattern_is_decoded),
      cmocka_unit_test(rounding_is_to_nearest_even),
      cmocka_unit_test(too_great_and_not_a_number),
      cmocka_unit_test(conversions_between_all_dtypes),
      cmocka_unit_test(TYPE_04_integers_wrap),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
