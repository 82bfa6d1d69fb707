// SPDX-License-Identifier: Apache-2.0
// Loops with vectors of their own: sums, differences, products, quotients and extremes of
// bf16 are those of C's float, rounded to 8 bits as IEEE 754 says, whatever the bits of the
// operands, and so are bounds, whole numbers and the like; quotients of complex numbers do not
// depend on where they are, and are near C's, as their sizes and signs are; clamp; nextafter is
// C's; products of bytes are theirs modulo 256.
#include <complex.h>
#include <float.h>

#include "base/memory.h"
#include "support/tensors.h"

enum { COUNT = 5003 };

static uint64_t g_state = 1;

// Knuth's MMIX generator.
static uint32_t next_bits(void) {
  g_state = g_state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(g_state >> 32);
}

static float single_of(uint16_t bits) {
  const uint32_t wide = (uint32_t)bits << 16;
  float f;
  memcpy(&f, &wide, sizeof(f));
  return f;
}

// To a multiple of the last of 8 bits, or of the least number; ties go to even ones.
static float rounded(float x) {
  if (isnan(x) || isinf(x) || x == 0) return x;
  int exponent;
  frexp((double)x, &exponent);
  const double unit = ldexp(1, exponent - 8 > -133 ? exponent - 8 : -133);
  const double near = nearbyint((double)x / unit) * unit;
  return fabs(near) < 0x1p128 ? (float)near : copysignf(INFINITY, x);
}

static oy_tensor* taken(oy_tensor* t) {
  oy_tensor* made = oy_scope_take(t);
  assert_non_null(made);
  return made;
}

// The first of equal ones; NaN where either is.
static float greatest(float x, float y) {
  return isnan(x) || isnan(y) ? NAN : x < y ? y : x;
}
static float least(float x, float y) {
  return isnan(x) || isnan(y) ? NAN : x > y ? y : x;
}

static void check_bf16(oy_tensor* r, const uint16_t* a, int64_t step, const uint16_t* b,
                       int64_t count, char op) {
  const uint16_t* got = oy_tensor_data(r);
  for (int64_t i = 0; i < count; i++) {
    const float x = single_of(a[i * step]), y = single_of(b[i]);
    const float want = rounded(op == '+'   ? x + y
                               : op == '-' ? x - y
                               : op == '*' ? x * y
                               : op == '>' ? greatest(x, y)
                               : op == '<' ? least(x, y)
                                           : x / y);
    const float have = single_of(got[i]);
    if (isnan(want) ? got[i] != 0x7fc0 : have != want || signbit(have) != signbit(want))
      fail_msg("%a %c %a: %a, not %a", (double)x, op, (double)y, (double)have,
               (double)want);
  }
}

static void OPS_bf16_is_rounded_once(void** state) {
  (void)state;
  const int64_t counts[] = {1, 15, 16, 17, 31, COUNT};
  for (size_t k = 0; k < sizeof(counts) / sizeof(counts[0]); k++)
    for (int64_t step = 0; step < 3; step++) {
      const int64_t n = counts[k];
      oy_scope scope;
      oy_scope_open(&scope);
      oy_tensor* x =
          taken(oy_tensor_empty(OY_DIMS(2 * n), OY_DTYPE_BF16, oy_device_cpu()));
      oy_tensor* y = taken(oy_tensor_empty(OY_DIMS(n), OY_DTYPE_BF16, oy_device_cpu()));
      uint16_t *a = oy_tensor_data(x), *b = oy_tensor_data(y);
      for (int64_t i = 0; i < 2 * n; i++) a[i] = (uint16_t)next_bits();
      for (int64_t i = 0; i < n; i++) b[i] = (uint16_t)next_bits();
      if (step == 0) a[0] = 0x4049;
      oy_tensor* part = taken(oy_tensor_as_strided(x, OY_DIMS(n), OY_DIMS(step), 0));
      check_bf16(oy_add_Tensor(part, y, oy_int(1)), a, step, b, n, '+');
      check_bf16(oy_sub_Tensor(part, y, oy_int(1)), a, step, b, n, '-');
      check_bf16(oy_mul_Tensor(part, y), a, step, b, n, '*');
      check_bf16(oy_div_Tensor(part, y), a, step, b, n, '/');
      check_bf16(oy_maximum(part, y), a, step, b, n, '>');
      check_bf16(oy_minimum(part, y), a, step, b, n, '<');
      oy_scope_close(&scope);
    }
}

typedef struct bf16_row {
  const char* name;
  float (*want)(float x);
} bf16_row;
static float want_square(float x) {
  return x * x;
}
static float want_leaky(float x) {
  return x > 0 ? x : x * 0.25f;
}
static float want_clamp(float x) {
  return x < -1.5f ? -1.5f : x > 2.25f ? 2.25f : x;
}
static float want_least(float x) {
  return x < -1.5f ? -1.5f : x;
}
static float want_most(float x) {
  return x > 2.25f ? 2.25f : x;
}
static const bf16_row g_bf16_rows[] = {
    {"square", want_square},   {"leaky_relu", want_leaky}, {"clamp", want_clamp},
    {"clamp_min", want_least}, {"clamp_max", want_most},   {"floor", floorf},
    {"ceil", ceilf},           {"trunc", truncf},          {"round", rintf}};
static oy_tensor* bf16_call(size_t row, oy_tensor* x) {
  const oy_value low = oy_float(-1.5), high = oy_float(2.25);
  switch (row) {
    case 0: return oy_square(x);
    case 1: return oy_leaky_relu(x, oy_float(0.25));
    case 2: return oy_clamp(x, low, high);
    case 3: return oy_clamp(x, low, oy_none());
    case 4: return oy_clamp(x, oy_none(), high);
    case 5: return oy_floor(x);
    case 6: return oy_ceil(x);
    case 7: return oy_trunc(x);
    default: return oy_round(x);
  }
}

// Of every bit pattern, side by side and apart.
static void OPS_bf16_of_one_operand(void** state) {
  (void)state;
  enum { ALL = 1 << 16 };
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* x = taken(oy_tensor_empty(OY_DIMS(ALL), OY_DTYPE_BF16, oy_device_cpu()));
  uint16_t* a = oy_tensor_data(x);
  for (int i = 0; i < ALL; i++) a[i] = (uint16_t)i;
  for (int64_t step = 1; step <= 2; step++) {
    const int64_t n = ALL / step - step;
    oy_tensor* part = taken(oy_tensor_as_strided(x, OY_DIMS(n), OY_DIMS(step), 0));
    for (size_t k = 0; k < sizeof(g_bf16_rows) / sizeof(g_bf16_rows[0]); k++) {
      const uint16_t* got = oy_tensor_data(bf16_call(k, part));
      for (int64_t i = 0; i < n; i++) {
        const float in = single_of(a[i * step]), want = rounded(g_bf16_rows[k].want(in));
        const float have = single_of(got[i]);
        if (isnan(want) ? !isnan(have) : have != want || signbit(have) != signbit(want))
          fail_msg("%s(%a): %a, not %a", g_bf16_rows[k].name, (double)in, (double)have,
                   (double)want);
      }
    }
  }
  oy_scope_close(&scope);
}

// Bits of NaN stay.
static void OPS_signs_of_halves_are_bits(void** state) {
  (void)state;
  const oy_dtype dtypes[] = {OY_DTYPE_BF16, OY_DTYPE_F16};
  for (int64_t step = 1; step <= 2; step++)
    for (int d = 0; d < 2; d++) {
      oy_scope scope;
      oy_scope_open(&scope);
      oy_tensor* x =
          taken(oy_tensor_empty(OY_DIMS(2 * COUNT), dtypes[d], oy_device_cpu()));
      oy_tensor* y = taken(oy_tensor_empty(OY_DIMS(COUNT), dtypes[d], oy_device_cpu()));
      uint16_t *a = oy_tensor_data(x), *b = oy_tensor_data(y);
      for (int i = 0; i < 2 * COUNT; i++) a[i] = (uint16_t)next_bits();
      for (int i = 0; i < COUNT; i++) b[i] = (uint16_t)next_bits();
      oy_tensor* part = taken(oy_tensor_as_strided(x, OY_DIMS(COUNT), OY_DIMS(step), 0));
      const uint16_t* got = oy_tensor_data(oy_copysign_Tensor(part, y));
      for (int i = 0; i < COUNT; i++)
        assert_int_equal(got[i], (a[i * step] & 0x7fff) | (b[i] & 0x8000));
      oy_scope_close(&scope);
    }
}

static float any_part(void) {
  static const float special[] = {0,         -0.0f, 1,      -1,   INFINITY,
                                  -INFINITY, NAN,   1e-40f, 3e38f};
  const uint32_t bits = next_bits();
  if (bits % 3 == 0) return special[bits / 3 % (sizeof(special) / sizeof(special[0]))];
  return ldexpf((float)(int32_t)next_bits(), (int)(bits >> 8) % 60 - 60);
}

static bool same_part(float a, float b) {
  return isnan(a) ? isnan(b) : a == b && signbit(a) == signbit(b);
}

static void OPS_quotients_are_the_same_everywhere(void** state) {
  (void)state;
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* x = taken(oy_tensor_empty(OY_DIMS(COUNT), OY_DTYPE_C64, oy_device_cpu()));
  oy_tensor* y = taken(oy_tensor_empty(OY_DIMS(COUNT), OY_DTYPE_C64, oy_device_cpu()));
  float *a = oy_tensor_data(x), *b = oy_tensor_data(y);
  for (int64_t i = 0; i < 2 * COUNT; i++) a[i] = any_part(), b[i] = any_part();
  const float* all = oy_tensor_data(oy_div_Tensor(x, y));
  for (int64_t i = 0; i < COUNT; i++) {
    oy_tensor* u = taken(oy_tensor_as_strided(x, OY_DIMS(1), OY_DIMS(1), i));
    oy_tensor* v = taken(oy_tensor_as_strided(y, OY_DIMS(1), OY_DIMS(1), i));
    oy_tensor* one = oy_div_Tensor(u, v);
    const float* alone = oy_tensor_data(one);
    const float *p = a + 2 * i, *q = b + 2 * i;
    if (!same_part(all[2 * i], alone[0]) || !same_part(all[2 * i + 1], alone[1]))
      fail_msg("(%a, %a) by (%a, %a)", (double)p[0], (double)p[1], (double)q[0],
               (double)q[1]);
    const double complex want = __builtin_complex((double)p[0], (double)p[1]) /
                                __builtin_complex((double)q[0], (double)q[1]);
    const double size = cabs(want),
                 error =
                     cabs(__builtin_complex((double)alone[0], (double)alone[1]) - want);
    // Neither overflows nor underflows on the way.
    if (size > 1e-10 && size < 1e10 && fabs((double)q[0]) > 1e-25 &&
        fabs((double)q[1]) > 1e-25 && fabs((double)p[0]) > 1e-25 &&
        fabs((double)p[1]) > 1e-25)
      assert_true(error < 1e-6 * size);
  }
  oy_scope_close(&scope);
}

// Parts of any exponent, and those that are special.
static double any_wide_part(void) {
  static const double special[] = {0, -0.0, INFINITY, -INFINITY, NAN, 0x1p-1074, DBL_MAX};
  const uint32_t bits = next_bits();
  if (bits % 8 == 0) return special[bits / 8 % OY_ARRAY_SIZE(special)];
  const double part = (double)(int32_t)next_bits() * 0x1p-31;
  return bits % 2 ? part : ldexp(part, (int)(bits / 8 % 2100) - 1070);
}
static bool same_wide_part(double a, double b) {
  return isnan(a) ? isnan(b) : a == b && signbit(a) == signbit(b);
}

static void OPS_wide_quotients_are_the_same_everywhere(void** state) {
  (void)state;
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* x = taken(oy_tensor_empty(OY_DIMS(COUNT), OY_DTYPE_C128, oy_device_cpu()));
  oy_tensor* y = taken(oy_tensor_empty(OY_DIMS(COUNT), OY_DTYPE_C128, oy_device_cpu()));
  double *a = oy_tensor_data(x), *b = oy_tensor_data(y);
  for (int64_t i = 0; i < 2 * COUNT; i++) a[i] = any_wide_part(), b[i] = any_wide_part();
  const double* all = oy_tensor_data(oy_div_Tensor(x, y));
  for (int64_t i = 0; i < COUNT; i++) {
    oy_tensor* u = taken(oy_tensor_as_strided(x, OY_DIMS(1), OY_DIMS(1), i));
    oy_tensor* v = taken(oy_tensor_as_strided(y, OY_DIMS(1), OY_DIMS(1), i));
    const double* alone = oy_tensor_data(oy_div_Tensor(u, v));
    for (int64_t k = 0; k < 2; k++)
      if (!same_wide_part(all[2 * i + k], alone[k]))
        fail_msg("(%a, %a) by (%a, %a)", a[2 * i], a[2 * i + 1], b[2 * i], b[2 * i + 1]);
  }
  oy_scope_close(&scope);
}

// Near those by long double, or below the least normal number; a number without size is 0.
static void OPS_signs_of_wide_numbers(void** state) {
  (void)state;
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* x = taken(oy_tensor_empty(OY_DIMS(COUNT), OY_DTYPE_C128, oy_device_cpu()));
  double* a = oy_tensor_data(x);
  for (int64_t i = 0; i < 2 * COUNT; i++) a[i] = any_wide_part();
  const double* signs = oy_tensor_data(oy_sgn(x));
  for (int64_t i = 0; i < 2 * COUNT; i++) {
    const double re = a[i & ~1], im = a[i | 1];
    const long double size = hypotl((long double)re, (long double)im);
    const double want = size == 0 ? 0 : (double)((long double)a[i] / size);
    const bool good =
        isnan(want) ? isnan(signs[i])
                    : fabs(signs[i] - want) <= 3 * DBL_EPSILON * fabs(want) + DBL_MIN;
    if (!good) fail_msg("(%a, %a): %a, not %a", re, im, signs[i], want);
  }
  oy_scope_close(&scope);
}

// As PyTorch 1.13 gives it, the sign of zero with it.
static void OPS_bounds_of_nan_make_nan(void** state) {
  (void)state;
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* x = taken(oy_tensor_empty(OY_DIMS(20), OY_DTYPE_F32, oy_device_cpu()));
  float* a = oy_tensor_data(x);
  for (int64_t i = 0; i < 20; i++) a[i] = i % 4 == 3 ? NAN : (float)(i % 4 - 1) * 2;
  a[1] = a[17] = -0.0f;
  const float* low = oy_tensor_data(oy_clamp(x, oy_float(NAN), oy_float(1)));
  const float* high = oy_tensor_data(oy_clamp(x, oy_float(0), oy_float(NAN)));
  const float* both = oy_tensor_data(oy_clamp(x, oy_float(-1), oy_float(1)));
  const float* positive = oy_tensor_data(oy_relu(x));
  for (int64_t i = 0; i < 20; i++) {
    assert_true(isnan(low[i]) && isnan(high[i]));
    const float held = a[i] < -1 ? -1 : a[i] > 1 ? 1 : a[i];
    assert_true(same_part(both[i], held));
    assert_true(same_part(positive[i], a[i] < 0 ? 0 : a[i]));
  }
  oy_scope_close(&scope);
}

static void OPS_hardswish_of_any_length(void** state) {
  (void)state;
  static const float special[] = {0, -0.0f, INFINITY, -INFINITY, NAN, 3, -3, -1e30f};
  for (int64_t n = 1; n < 70; n++) {
    oy_scope scope;
    oy_scope_open(&scope);
    oy_tensor* x = taken(oy_tensor_empty(OY_DIMS(n), OY_DTYPE_F32, oy_device_cpu()));
    float* a = oy_tensor_data(x);
    for (int64_t i = 0; i < n; i++)
      a[i] = i % 3 ? (float)(int)(next_bits() % 1000) * 0.01f - 5 : special[i / 3 % 8];
    const float* got = oy_tensor_data(oy_hardswish(x));
    for (int64_t i = 0; i < n; i++) {
      const double up = (double)a[i] + 3, part = up < 0 ? 0 : up > 6 ? 6 : up;
      const double want = (double)a[i] * part / 6;
      assert_true(isnan(want) ? isnan(got[i])
                  : isinf(want)
                      ? (double)got[i] == want
                      : fabs((double)got[i] - want) <= 4e-7 * fabs(want) + 1e-6);
    }
    oy_scope_close(&scope);
  }
}

// The next of C's floats towards |b| that is a number of 16 bits too.
static float next_short(float a, float b) {
  uint32_t bits;
  do {
    a = nextafterf(a, b);
    memcpy(&bits, &a, sizeof(bits));
  } while ((bits & 0xffff) != 0 && a != b);
  return a;
}

// All pairs of some numbers, and what nextafter of both as |dtype| is, as float or double.
typedef struct next_pairs {
  int count;
  float a[256], b[256];
} next_pairs;

static void pair_up(next_pairs* p, const float* numbers, int some) {
  p->count = some * some;
  assert_true(p->count <= (int)OY_ARRAY_SIZE(p->a));
  for (int i = 0; i < p->count; i++)
    p->a[i] = numbers[i / some], p->b[i] = numbers[i % some];
}

static const void* next_of(const next_pairs* p, oy_dtype dtype, oy_dtype shown) {
  const oy_value none = oy_none();
  oy_tensor* x = taken(oy_tensor_from_data(p->a, OY_DIMS(p->count), OY_DTYPE_F32));
  oy_tensor* y = taken(oy_tensor_from_data(p->b, OY_DIMS(p->count), OY_DTYPE_F32));
  oy_tensor* next = oy_nextafter(oy_to_dtype(x, dtype, false, false, none),
                                 oy_to_dtype(y, dtype, false, false, none));
  return oy_tensor_data(oy_to_dtype(next, shown, false, false, none));
}

static void OPS_next_numbers_of_bf16_lie_between_no_others(void** state) {
  (void)state;
  static const float numbers[] = {
      0,         -0.0f,    1,         -1,          2.5f,      0x1p-133f,   -0x1p-133f,
      0x1p-126f, INFINITY, -INFINITY, 0x1.fep127f, 0x1.fep0f, -0x1.fep-3f, NAN};
  next_pairs p;
  pair_up(&p, numbers, OY_ARRAY_SIZE(numbers));
  oy_scope scope;
  oy_scope_open(&scope);
  const float* got = next_of(&p, OY_DTYPE_BF16, OY_DTYPE_F32);
  for (int i = 0; i < p.count; i++) {
    const float a = p.a[i], b = p.b[i];
    assert_true(same_part(got[i], a == b ? b : next_short(a, b)));
  }
  oy_scope_close(&scope);
}

static void OPS_next_numbers_are_those_of_c(void** state) {
  (void)state;
  static const float numbers[] = {0,         -0.0f,      1,        -1,       2.5f,
                                  0x1p-126f, FLT_MAX,    -FLT_MAX, INFINITY, -INFINITY,
                                  NAN,       -0x1p-149f, 0x1p-149f};
  next_pairs p;
  pair_up(&p, numbers, OY_ARRAY_SIZE(numbers));
  oy_scope scope;
  oy_scope_open(&scope);
  const float* got = next_of(&p, OY_DTYPE_F32, OY_DTYPE_F32);
  const double* wide = next_of(&p, OY_DTYPE_F64, OY_DTYPE_F64);
  for (int i = 0; i < p.count; i++) {
    const double want = nextafter((double)p.a[i], (double)p.b[i]);
    assert_true(same_part(got[i], nextafterf(p.a[i], p.b[i])));
    assert_true(isnan(want) ? isnan(wide[i])
                            : wide[i] == want && signbit(wide[i]) == signbit(want));
  }
  oy_scope_close(&scope);
}

// Of two numbers C's fmax and fmin; NaN where any operand has it. In rows of all lengths up to
// three vectors, beside a row and beside one element.
static void OPS_extremes_pass_nan_on(void** state) {
  (void)state;
  enum { MOST = 50 };
  for (int64_t n = 1; n <= MOST; n++)
    for (int64_t step = 0; step < 2; step++) {
      oy_scope scope;
      oy_scope_open(&scope);
      float a[MOST], b[MOST];
      for (int64_t i = 0; i < n; i++) a[i] = any_part(), b[i] = any_part();
      oy_tensor* x = taken(oy_tensor_from_data(a, OY_DIMS(n), OY_DTYPE_F32));
      oy_tensor* all = taken(oy_tensor_from_data(b, OY_DIMS(n), OY_DTYPE_F32));
      oy_tensor* y = taken(oy_tensor_as_strided(all, OY_DIMS(n), OY_DIMS(step), 0));
      const float* most = oy_tensor_data(oy_maximum(x, y));
      const float* least = oy_tensor_data(oy_minimum(x, y));
      for (int64_t i = 0; i < n; i++) {
        const float p = a[i], q = b[i * step];
        const bool is_nan = isnan(p) || isnan(q);
        if (is_nan ? !isnan(most[i]) || !isnan(least[i])
                   : most[i] != fmaxf(p, q) || least[i] != fminf(p, q))
          fail_msg("%a and %a: %a and %a", (double)p, (double)q, (double)most[i],
                   (double)least[i]);
      }
      oy_scope_close(&scope);
    }
}

// Of all pairs, from any place on and of any length; |b| is one number where |one|.
static void check_bytes(oy_tensor* a, oy_tensor* b, int64_t from, int64_t n, bool one) {
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* x = oy_slice_Tensor(a, 0, oy_int(from), oy_int(from + n), 1);
  oy_tensor* y = oy_slice_Tensor(b, 0, oy_int(from), oy_int(from + (one ? 1 : n)), 1);
  oy_tensor* made[] = {oy_mul_Tensor(x, y), one ? oy_mul_Tensor(y, x) : NULL,
                       oy_clone(x, oy_none())};
  assert_non_null(oy_mul__Tensor(made[2], y));
  const uint8_t *p = oy_tensor_data(x), *q = oy_tensor_data(y);
  for (int k = 0; k < 3; k++)
    for (int64_t i = 0; made[k] && i < n; i++) {
      const unsigned want = (unsigned)p[i] * q[one ? 0 : i] % 256;
      const uint8_t have = ((const uint8_t*)oy_tensor_data(made[k]))[i];
      if (have != want) fail_msg("%u * %u: %u, not %u", p[i], q[one ? 0 : i], have, want);
    }
  oy_scope_close(&scope);
}
static void OPS_products_of_bytes(void** state) {
  (void)state;
  enum { ALL = 1 << 16 };
  static uint8_t first[ALL], second[ALL];
  for (int i = 0; i < ALL; i++) first[i] = (uint8_t)(i >> 8), second[i] = (uint8_t)i;
  for (int is_signed = 0; is_signed < 2; is_signed++) {
    const oy_dtype dtype = is_signed ? OY_DTYPE_I8 : OY_DTYPE_U8;
    oy_tensor* a = oy_tensor_from_data(first, OY_DIMS(ALL), dtype);
    oy_tensor* b = oy_tensor_from_data(second, OY_DIMS(ALL), dtype);
    check_bytes(a, b, 0, ALL, false);
    for (int64_t n = 1; n < 200; n += n < 70 ? 1 : 13)
      for (int64_t from = 65000; from < 65003; from++) {
        check_bytes(a, b, from, n, false);
        check_bytes(b, a, from, n, true);
      }
    oy_tensor_release(a);
    oy_tensor_release(b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(OPS_bf16_is_rounded_once),
      cmocka_unit_test(OPS_bf16_of_one_operand),
      cmocka_unit_test(OPS_bounds_of_nan_make_nan),
      cmocka_unit_test(OPS_extremes_pass_nan_on),
      cmocka_unit_test(OPS_hardswish_of_any_length),
      cmocka_unit_test(OPS_next_numbers_of_bf16_lie_between_no_others),
      cmocka_unit_test(OPS_next_numbers_are_those_of_c),
      cmocka_unit_test(OPS_products_of_bytes),
      cmocka_unit_test(OPS_quotients_are_the_same_everywhere),
      cmocka_unit_test(OPS_signs_of_halves_are_bits),
      cmocka_unit_test(OPS_signs_of_wide_numbers),
      cmocka_unit_test(OPS_wide_quotients_are_the_same_everywhere)};
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
