// SPDX-License-Identifier: Apache-2.0
// What integers go through in vectors, by floats or together: common divisors, powers and
// quotients, against loops of one pair, about the widths of vectors and of pieces and about the
// greatest numbers that floats hold.
#include "base/memory.h"
#include "support/tensors.h"

static const int64_t lengths[] = {0, 1, 8, 9, 15, 16, 17, 63, 64, 65, 72, 73, 130, 200};
enum { MOST = 200 };

static int64_t wrapped(uint64_t x, oy_dtype dtype) {
  switch (dtype) {
    case OY_DTYPE_U8: return (uint8_t)x;
    case OY_DTYPE_I8: return (int8_t)x;
    case OY_DTYPE_I16: return (int16_t)x;
    case OY_DTYPE_I32: return (int32_t)x;
    default: return (int64_t)x;
  }
}

// By rests, which the least number of a type, whose magnitude is itself, leaves the sign to, as
// PyTorch does: gcd(124, -128) of int8 is -4.
static uint64_t gcd_of(int64_t a, int64_t b, oy_dtype dtype) {
  int64_t x = wrapped(a < 0 ? 0 - (uint64_t)a : (uint64_t)a, dtype),
          y = wrapped(b < 0 ? 0 - (uint64_t)b : (uint64_t)b, dtype);
  while (x != 0) {
    const int64_t rest = (int64_t)((__int128)y % x);
    y = x, x = rest;
  }
  return (uint64_t)y;
}
static uint64_t pow_of(int64_t a, int64_t b, oy_dtype dtype) {
  (void)dtype;
  if (b < 0) return a == 1 ? 1 : a != -1 ? 0 : b % 2 == 0 ? 1 : UINT64_MAX;
  uint64_t result = 1, base = (uint64_t)a;
  for (uint64_t left = (uint64_t)b; left > 0; left >>= 1, base *= base)
    if (left & 1) result *= base;
  return result;
}
static uint64_t floor_of(int64_t a, int64_t b, oy_dtype dtype) {
  (void)dtype;
  const __int128 x = a, y = b;
  return (uint64_t)(x / y - (x % y != 0 && (x < 0) != (y < 0)));
}
static uint64_t trunc_of(int64_t a, int64_t b, oy_dtype dtype) {
  (void)dtype;
  return (uint64_t)((__int128)a / b);
}
static uint64_t fmod_of(int64_t a, int64_t b, oy_dtype dtype) {
  (void)dtype;
  return (uint64_t)((__int128)a % b);
}
static uint64_t remainder_of(int64_t a, int64_t b, oy_dtype dtype) {
  return (uint64_t)a - floor_of(a, b, dtype) * (uint64_t)b;
}

// By a type's width or more, or by less than nothing, all is shifted out, and to the right the sign
// stays (since 2.1).
static bool is_far(int64_t b, oy_dtype dtype) {
  return b < 0 || b >= 8 * (int64_t)oy_dtype_size(dtype);
}
static uint64_t left_of(int64_t a, int64_t b, oy_dtype dtype) {
  return is_far(b, dtype) ? 0 : (uint64_t)a << b;
}
static uint64_t right_of(int64_t a, int64_t b, oy_dtype dtype) {
  return is_far(b, dtype) ? (a < 0 ? UINT64_MAX : 0) : (uint64_t)(a >> b);
}

static oy_tensor* floor_quotient(oy_tensor* a, oy_tensor* b) {
  return oy_div_Tensor_mode(a, b, oy_value_str(oy_str_of("floor")));
}
static oy_tensor* trunc_quotient(oy_tensor* a, oy_tensor* b) {
  return oy_div_Tensor_mode(a, b, oy_value_str(oy_str_of("trunc")));
}
static const struct operation {
  const char* name;
  oy_tensor* (*run)(oy_tensor*, oy_tensor*);
  uint64_t (*want)(int64_t, int64_t, oy_dtype);
  bool divides;
} operations[] = {{"gcd", oy_gcd, gcd_of, false},
                  {"pow", oy_pow_Tensor_Tensor, pow_of, false},
                  {"div floor", floor_quotient, floor_of, true},
                  {"div trunc", trunc_quotient, trunc_of, true},
                  {"fmod", oy_fmod_Tensor, fmod_of, true},
                  {"remainder", oy_remainder_Tensor, remainder_of, true},
                  {"shift left", oy_bitwise_left_shift_Tensor, left_of, false},
                  {"shift right", oy_bitwise_right_shift_Tensor, right_of, false}};

// Numbers of up to |bits| bits of either sign, as |dtype| has them; some are its ends.
static void fill(int64_t* x, int bits, oy_dtype dtype, uint64_t seed) {
  for (int i = 0; i < MOST; i++) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    const int64_t any = (int64_t)(seed ^ seed >> 29) >> (64 - bits);
    x[i] = wrapped((uint64_t)any, dtype);
  }
  x[3] = x[70] = wrapped((uint64_t)1 << (bits - 1), dtype);
  x[5] = x[90] = wrapped(((uint64_t)1 << (bits - 1)) - 1, dtype);
}

static oy_tensor* of_dtype(const int64_t* x, oy_ints sizes, oy_dtype dtype) {
  oy_tensor* wide = oy_tensor_from_data(x, sizes, OY_DTYPE_I64);
  oy_tensor* t = oy_to_dtype(wide, dtype, false, false, oy_none());
  oy_tensor_release(wide);
  return t;
}

static void expect(const struct operation* o, oy_tensor* a, oy_tensor* b,
                   const int64_t* x, const int64_t* y, int64_t x_step, int64_t y_step,
                   oy_dtype dtype) {
  oy_tensor* result = o->run(a, b);
  assert_non_null(result);
  oy_tensor* wide = oy_to_dtype(result, OY_DTYPE_I64, false, false, oy_none());
  const int64_t* got = oy_tensor_data(wide);
  for (int64_t i = 0; i < oy_tensor_numel(result); i++) {
    const int64_t p = x[i * x_step], q = y[i * y_step];
    const int64_t want = wrapped(o->want(p, q, dtype), dtype);
    if (got[i] != want)
      fail_msg("%s of %s: %lld and %lld, number %lld, gave %lld, expected %lld", o->name,
               oy_dtype_name(dtype), (long long)p, (long long)q, (long long)i,
               (long long)got[i], (long long)want);
  }
  oy_tensor_release(wide);
  oy_tensor_release(result);
}

// Side by side, one for all on either side, and every other one.
static void check_length(const struct operation* o, const int64_t* x, const int64_t* y,
                         int64_t n, oy_dtype dtype) {
  oy_tensor *a = of_dtype(x, OY_DIMS(n), dtype), *b = of_dtype(y, OY_DIMS(n), dtype),
            *one = of_dtype(x, OY_DIMS(1), dtype), *by = of_dtype(y, OY_DIMS(1), dtype),
            *apart = oy_slice_Tensor(a, 0, oy_none(), oy_none(), 2),
            *others = oy_slice_Tensor(b, 0, oy_none(), oy_none(), 2);
  expect(o, a, b, x, y, 1, 1, dtype);
  expect(o, one, b, x, y, 0, 1, dtype);
  expect(o, a, by, x, y, 1, 0, dtype);
  expect(o, apart, others, x, y, 2, 2, dtype);
  oy_tensor* const made[] = {a, b, one, by, apart, others};
  for (size_t k = 0; k < OY_ARRAY_SIZE(made); k++) oy_tensor_release(made[k]);
}

static void all_lengths_and_sizes(void** state) {
  (void)state;
  static const oy_dtype dtypes[] = {OY_DTYPE_U8, OY_DTYPE_I8, OY_DTYPE_I16, OY_DTYPE_I32,
                                    OY_DTYPE_I64};
  static const int bits[] = {4, 8, 16, 32, 51, 52, 53, 54, 64};
  int64_t x[MOST], y[MOST], nonzero[MOST];
  for (size_t d = 0; d < OY_ARRAY_SIZE(dtypes); d++)
    for (size_t k = 0; k < OY_ARRAY_SIZE(bits); k++) {
      fill(x, bits[k], dtypes[d], 1);
      fill(y, bits[(k * 2 + 1) % OY_ARRAY_SIZE(bits)], dtypes[d], 2);
      for (int i = 0; i < MOST; i++) nonzero[i] = y[i] ? y[i] : 7;
      for (size_t o = 0; o < OY_ARRAY_SIZE(operations); o++)
        for (size_t n = 0; n < OY_ARRAY_SIZE(lengths); n++)
          check_length(&operations[o], x, operations[o].divides ? nonzero : y, lengths[n],
                       dtypes[d]);
    }
}

static void results_may_be_operands(void** state) {
  (void)state;
  int64_t x[MOST], y[MOST];
  fill(x, 40, OY_DTYPE_I64, 3);
  fill(y, 40, OY_DTYPE_I64, 4);
  oy_tensor *a = of_dtype(x, OY_DIMS(MOST), OY_DTYPE_I64),
            *b = of_dtype(y, OY_DIMS(MOST), OY_DTYPE_I64);
  assert_ptr_equal(oy_pow__Tensor(a, b), a);
  assert_ptr_equal(oy_gcd_(b, b), b);
  const int64_t *powers = oy_tensor_data(a), *own = oy_tensor_data(b);
  for (int i = 0; i < MOST; i++) {
    assert_int_equal(powers[i], pow_of(x[i], y[i], OY_DTYPE_I64));
    assert_int_equal(own[i], gcd_of(y[i], y[i], OY_DTYPE_I64));
  }
  oy_tensor_release(a);
  oy_tensor_release(b);
}

// 0 is found wherever it lies, in numbers of every size, and nothing is written then.
static void zeros_are_found(void** state) {
  (void)state;
  static const oy_dtype dtypes[] = {OY_DTYPE_U8, OY_DTYPE_I8, OY_DTYPE_I16, OY_DTYPE_I32,
                                    OY_DTYPE_I64};
  for (size_t d = 0; d < OY_ARRAY_SIZE(dtypes); d++)
    for (int at = 0; at < MOST; at++) {
      int64_t x[MOST];
      for (int i = 0; i < MOST; i++) x[i] = wrapped((uint64_t)1 << i % 64, dtypes[d]) | 1;
      x[at] = 0;
      oy_tensor* a = of_dtype(x, OY_DIMS(MOST), dtypes[d]);
      assert_null(floor_quotient(a, a));
      assert_string_equal(oy_error_get()->message, "ZeroDivisionError");
      oy_error_clear();
      oy_tensor_release(a);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(all_lengths_and_sizes),
                                     cmocka_unit_test(results_may_be_operands),
                                     cmocka_unit_test(zeros_are_found)};
  return cmocka_run_group_tests_name("integer_lanes", tests, init_library, shut_library);
}
