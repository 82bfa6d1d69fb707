// SPDX-License-Identifier: Apache-2.0
// Quotients and remainders of integers against their definitions: every pair of 8 bits, and
// the ends of wider types, at lengths that fill vectors and leave a rest.
#include <stdlib.h>

#include "base/memory.h"
#include "support/tensors.h"

enum { ENDS = 11, PAIRS = ENDS * (ENDS - 1), BYTES = 256 * 255 };

// What is too great for the type wraps, as the quotient of the least number by -1.
static __int128 trunc_of(__int128 a, __int128 b) {
  return a / b;
}
static __int128 floor_of(__int128 a, __int128 b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static int64_t wrapped(__int128 x, oy_dtype dtype) {
  switch (dtype) {
    case OY_DTYPE_U8: return (uint8_t)x;
    case OY_DTYPE_I8: return (int8_t)x;
    case OY_DTYPE_I16: return (int16_t)x;
    case OY_DTYPE_I32: return (int32_t)x;
    default: return (int64_t)x;
  }
}

static void expect_all(const char* name, oy_tensor* got, oy_tensor* x, oy_tensor* y,
                       __int128 (*quotient)(__int128, __int128), bool is_rest) {
  const oy_dtype dtype = x->dtype;
  oy_tensor* wide[3] = {oy_to_dtype(got, OY_DTYPE_I64, false, false, oy_none()),
                        oy_to_dtype(x, OY_DTYPE_I64, false, false, oy_none()),
                        oy_to_dtype(y, OY_DTYPE_I64, false, false, oy_none())};
  const int64_t *r = oy_tensor_data(wide[0]), *a = oy_tensor_data(wide[1]),
                *b = oy_tensor_data(wide[2]);
  for (int64_t i = 0; i < oy_tensor_numel(x); i++) {
    const __int128 q = quotient(a[i], b[i]);
    const int64_t want = wrapped(is_rest ? (__int128)a[i] - q * b[i] : q, dtype);
    if (r[i] != want)
      fail_msg("%s of %s: %lld and %lld gave %lld, expected %lld", name,
               oy_dtype_name(dtype), (long long)a[i], (long long)b[i], (long long)r[i],
               (long long)want);
  }
  for (int k = 0; k < 3; k++) oy_tensor_release(wide[k]);
  oy_tensor_release(got);
}

static void check_pairs(const int64_t* a, const int64_t* b, int64_t n, oy_dtype dtype) {
  oy_tensor* wide[2] = {oy_tensor_from_data(a, OY_DIMS(n), OY_DTYPE_I64),
                        oy_tensor_from_data(b, OY_DIMS(n), OY_DTYPE_I64)};
  oy_tensor *x = oy_to_dtype(wide[0], dtype, false, false, oy_none()),
            *y = oy_to_dtype(wide[1], dtype, false, false, oy_none());
  const oy_value whole = oy_value_str(oy_str_of("trunc"));
  const oy_value down = oy_value_str(oy_str_of("floor"));
  expect_all("div trunc", oy_div_Tensor_mode(x, y, whole), x, y, trunc_of, false);
  expect_all("div floor", oy_div_Tensor_mode(x, y, down), x, y, floor_of, false);
  expect_all("fmod", oy_fmod_Tensor(x, y), x, y, trunc_of, true);
  expect_all("remainder", oy_remainder_Tensor(x, y), x, y, floor_of, true);
  oy_tensor* const made[] = {x, y, wide[0], wide[1]};
  for (int k = 0; k < 4; k++) oy_tensor_release(made[k]);
}

static void every_pair_of_bytes(void** state) {
  (void)state;
  int64_t *a = malloc(BYTES * sizeof(*a)), *b = malloc(BYTES * sizeof(*b)), n = 0;
  for (int x = 0; x < 256; x++)
    for (int y = 1; y < 256; y++, n++) a[n] = x, b[n] = y;
  check_pairs(a, b, n, OY_DTYPE_U8);
  for (int64_t i = 0; i < n; i++) a[i] = (int8_t)a[i], b[i] = (int8_t)b[i];
  check_pairs(a, b, n, OY_DTYPE_I8);
  free(a);
  free(b);
}

static void ends_of_wider_types(void** state) {
  (void)state;
  static const struct {
    oy_dtype dtype;
    int64_t least, most;
  } types[] = {{OY_DTYPE_I16, INT16_MIN, INT16_MAX},
               {OY_DTYPE_I32, INT32_MIN, INT32_MAX},
               {OY_DTYPE_I64, INT64_MIN, INT64_MAX}};
  for (size_t t = 0; t < OY_ARRAY_SIZE(types); t++) {
    const int64_t low = types[t].least, high = types[t].most;
    const int64_t ends[ENDS] = {low, low + 1, low / 2,  -7,       -1,  0,
                                1,   3,       high / 2, high - 1, high};
    int64_t a[PAIRS], b[PAIRS], n = 0;
    for (int x = 0; x < ENDS; x++)
      for (int y = 0; y < ENDS; y++)
        if (ends[y] != 0) a[n] = ends[x], b[n++] = ends[y];
    check_pairs(a, b, n, types[t].dtype);
    check_pairs(a, b, n - 3, types[t].dtype);
  }
}

// Of any number of bits, and those next to multiples of the divisor.
static void drawn_pairs_of_64_bits(void** state) {
  (void)state;
  enum { N = 40000 };
  uint64_t word = 1;
  int64_t *a = malloc(N * sizeof(*a)), *b = malloc(N * sizeof(*b));
  for (int i = 0; i < N; i++) {
    int64_t drawn[2];
    for (int k = 0; k < 2; k++) {
      word ^= word << 13, word ^= word >> 7, word ^= word << 17;
      drawn[k] = (int64_t)word >> (word * 0x9e3779b97f4a7c15u >> 58);
    }
    b[i] = drawn[1] ? drawn[1] : 1;
    const __int128 multiple = (__int128)(drawn[0] / b[i]) * b[i] + i % 5 - 2;
    a[i] = i % 2 ? drawn[0] : (int64_t)multiple;
  }
  check_pairs(a, b, N, OY_DTYPE_I64);
  check_pairs(a + 1, b, 77, OY_DTYPE_I64);
  free(a);
  free(b);
}

// By Euclid's rests of numbers without a sign; the least number, whose size no number is, is
// left out.
static void gcd_of_ends(void** state) {
  (void)state;
  const int64_t high = INT64_MAX,
                some[ENDS] = {-high, -high / 2, -7,      -1,       0,   1,
                              48,    3 * 48,    1 << 30, high / 3, high};
  int64_t a[PAIRS], b[PAIRS];
  for (int i = 0; i < PAIRS; i++) a[i] = some[i / ENDS], b[i] = some[i % ENDS];
  oy_tensor *x = oy_tensor_from_data(a, OY_DIMS(PAIRS), OY_DTYPE_I64),
            *y = oy_tensor_from_data(b, OY_DIMS(PAIRS), OY_DTYPE_I64),
            *found = oy_gcd(x, y);
  const int64_t* got = oy_tensor_data(found);
  for (int i = 0; i < PAIRS; i++) {
    uint64_t p = (uint64_t)llabs(a[i]), q = (uint64_t)llabs(b[i]);
    while (p != 0) {
      const uint64_t rest = q % p;
      q = p, p = rest;
    }
    if ((uint64_t)got[i] != q)
      fail_msg("gcd of %lld and %lld: %lld", (long long)a[i], (long long)b[i],
               (long long)got[i]);
  }
  oy_tensor_release(found);
  oy_tensor_release(x);
  oy_tensor_release(y);
}

// Whether numbers are among others, by a search from end to end: others that lie near each
// other, far apart, and at the ends of what there is.
static void members_are_found(void** state) {
  (void)state;
  enum { N = 500, OTHERS = 60 };
  static const int64_t steps[] = {1, 3, 1000, INT64_MAX / OTHERS};
  for (size_t s = 0; s < OY_ARRAY_SIZE(steps); s++)
    for (int64_t count = 0; count <= OTHERS; count += OTHERS / 3) {
      int64_t data[N], others[OTHERS];
      for (int64_t i = 0; i < count; i++)
        others[i] = (i * 37 % OTHERS - OTHERS / 2) * steps[s];
      for (int64_t i = 0; i < N; i++) data[i] = (i % 97 - 48) * (steps[s] / 2) + i % 2;
      data[0] = INT64_MIN;
      data[1] = INT64_MAX;
      oy_tensor *x = oy_tensor_from_data(data, OY_DIMS(N), OY_DTYPE_I64),
                *in = oy_tensor_from_data(others, OY_DIMS(count), OY_DTYPE_I64);
      oy_tensor* found = oy_isin_Tensor_Tensor(x, in, false, false);
      const bool* is = oy_tensor_data(found);
      for (int64_t i = 0; i < N; i++) {
        bool want = false;
        for (int64_t k = 0; k < count; k++) want |= others[k] == data[i];
        if (is[i] != want)
          fail_msg("%lld among %lld others, %lld apart: %d", (long long)data[i],
                   (long long)count, (long long)steps[s], is[i]);
      }
      oy_tensor* const made[] = {found, in, x};
      for (int k = 0; k < 3; k++) oy_tensor_release(made[k]);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_pair_of_bytes),    cmocka_unit_test(ends_of_wider_types),
      cmocka_unit_test(drawn_pairs_of_64_bits), cmocka_unit_test(gcd_of_ends),
      cmocka_unit_test(members_are_found),
  };
  return cmocka_run_group_tests_name("quotients", tests, init_library, shut_library);
}
