// SPDX-License-Identifier: Apache-2.0
// Loops of integers of one type that go on for a piece of pairs together until the last of them
// is ready, in whole vectors: T and ID as in loop_define.h, and TURNS, the unsigned type that
// powers are computed in, are given; of up to 32 bits REAL, a float that holds them all, and GCD,
// of lanes of that, else LANES_ARE_WIDE is 1. What rounds floats is for processors that do.
#include "backends/cpu/loops/lanes_int.h"

#define F(f)  OYI_LOOP_JOIN(f, ID)
#define LANES OYI_INT_LANES

// Operands of a piece where they lie, if they do side by side, else in |room|, 1 after the end.
static inline const T* F(lanes_of)(T* room, const char* x, int64_t step, int64_t n,
                                   int64_t lanes) {
  if (step == (int64_t)sizeof(T) && n == lanes) return (const T*)(const void*)x;
  if (step == 0) {
    const T same = OYI_GET(x);
    for (int64_t i = 0; i < lanes; i++) room[i] = same;
    return room;
  }
  for (int64_t i = 0; i < n; i++) room[i] = OYI_GET(x + i * step);
  for (int64_t i = n; i < lanes; i++) room[i] = 1;
  return room;
}

// |slow| is of one pair: a few take less time than a piece.
typedef void (*F(lanes_fn))(T* o, const T* a, const T* b, int64_t lanes);
typedef int64_t (*F(slow_fn))(int64_t a, int64_t b);
static inline __attribute__((always_inline)) void F(lanes_run)(F(lanes_fn) piece,
                                                               F(slow_fn) slow, int64_t n,
                                                               char* const* data,
                                                               const int64_t* strides) {
  enum { FEW = 8, STEP = OYI_INT_LANES_STEP };
  T left[LANES], right[LANES], result[LANES];
  char* out = data[0];
  const char *x = data[1], *y = data[2];
  const int64_t so = strides[0], sx = strides[1], sy = strides[2];
  for (int64_t some; n > 0; n -= some, out += some * so, x += some * sx, y += some * sy) {
    some = n < LANES ? n : LANES;
    if (some <= FEW) {
      for (int64_t i = 0; i < some; i++)
        OYI_AT(T, out + i * so) = (T)slow(OYI_GET(x + i * sx), OYI_GET(y + i * sy));
      continue;
    }
    const int64_t lanes = (some + STEP - 1) / STEP * STEP;
    const T* a = F(lanes_of)(left, x, sx, some, lanes);
    const T* b = F(lanes_of)(right, y, sy, some, lanes);
    if (so == (int64_t)sizeof(T) && some == lanes) {
      piece((T*)(void*)out, a, b, lanes);
      continue;
    }
    piece(result, a, b, lanes);
    for (int64_t i = 0; i < some; i++) OYI_AT(T, out + i * so) = result[i];
  }
}
#define LANES_LOOP(name, slow)                             \
  OYI_LOOP_FN(name) {                                      \
    (void)args;                                            \
    F(lanes_run)(F(name##_lanes), slow, n, data, strides); \
  }

// Without vectors that multiply them, 64 bits are sooner raised one by one.
#if !LANES_ARE_WIDE || defined(__AVX2__)
static inline void F(pow_lanes)(T* o, const T* a, const T* b, int64_t lanes) {
  TURNS result[LANES], base[LANES], left[LANES], any = 0;
  int32_t negative = 0;
  for (int64_t k = 0; k < lanes; k++) {
    result[k] = 1;
    base[k] = (TURNS)a[k];
    left[k] = b[k] < 0 ? 0 : (TURNS)b[k];
    any |= left[k];
    negative |= b[k] < 0;
  }
  for (; any; any >>= 1)
    for (int64_t k = 0; k < lanes; k++) {
      result[k] = (TURNS)(1u * result[k] * (left[k] & 1 ? base[k] : 1u));
      base[k] = (TURNS)(1u * base[k] * base[k]);
      left[k] >>= 1;
    }
  if (OY_UNLIKELY(negative))
    for (int64_t k = 0; k < lanes; k++)
      if (b[k] < 0) result[k] = (TURNS)oyi_int_pow(a[k], b[k]);
  for (int64_t k = 0; k < lanes; k++) o[k] = (T)result[k];
}
LANES_LOOP(pow, oyi_int_pow)
#endif

#if defined(__SSE4_1__)
static inline int64_t F(gcd_slow)(int64_t a, int64_t b) {
  return oyi_int_gcd_of((T)oyi_int_abs(a), (T)oyi_int_abs(b));
}
#if LANES_ARE_WIDE
// Numbers that doubles do not hold go one by one.
static inline void F(gcd_lanes)(T* o, const T* a, const T* b, int64_t lanes) {
  double x[LANES], y[LANES];
  if (OY_UNLIKELY(!oyi_lanes_fit(a, b, lanes))) {
    for (int64_t k = 0; k < lanes; k++) o[k] = oyi_int_gcd(a[k], b[k]);
    return;
  }
  for (int64_t k = 0; k < lanes; k++) {
    x[k] = __builtin_fabs(oyi_double_of_lane(a[k]));
    y[k] = __builtin_fabs(oyi_double_of_lane(b[k]));
  }
  oyi_gcd_of_doubles(x, y, lanes);
  OYI_INDEPENDENT
  for (int64_t k = 0; k < lanes; k++) o[k] = oyi_lane_of_double(y[k]);
}

#if defined(__AVX512DQ__)
// Of any numbers: a quotient of doubles, which is near, and that of what it leaves, which is less
// than one away; what is left then says on which side. All wraps, as the least number by -1 does.
static inline __attribute__((always_inline)) void F(wide_quotients)(
    T* o, const T* p, const T* q, int64_t lanes, const bool floors, const bool is_rest) {
  enum { EACH = 8 };
  const __m512i one = _mm512_set1_epi64(1);
  for (int64_t k = 0; k < lanes; k += EACH) {
    const __m512i a = _mm512_loadu_si512(p + k), b = _mm512_loadu_si512(q + k);
    const __mmask8 divides = _mm512_test_epi64_mask(b, b);
    const __m512d divisor = _mm512_cvtepi64_pd(_mm512_mask_mov_epi64(one, divides, b));
    const __m512d by = _mm512_div_pd(_mm512_set1_pd(1), divisor);
    __m512i near = _mm512_cvttpd_epi64(_mm512_mul_pd(_mm512_cvtepi64_pd(a), by));
    __m512i rest = _mm512_sub_epi64(a, _mm512_mullo_epi64(near, b));
    const __m512i more = _mm512_cvtpd_epi64(_mm512_mul_pd(_mm512_cvtepi64_pd(rest), by));
    near = _mm512_add_epi64(near, more);
    rest = _mm512_sub_epi64(rest, _mm512_mullo_epi64(more, b));
    // The rest has the sign of what is divided, or of the divisor, when all is done.
    const __mmask8 moves = _mm512_movepi64_mask(_mm512_xor_si512(rest, floors ? b : a)) &
                           _mm512_test_epi64_mask(rest, rest);
    const __mmask8 up = floors ? 0 : moves & _mm512_movepi64_mask(_mm512_xor_si512(a, b));
    const __mmask8 down = moves & (__mmask8)~up;
    near = _mm512_mask_sub_epi64(near, down, near, one);
    near = _mm512_mask_add_epi64(near, up, near, one);
    rest = _mm512_mask_add_epi64(rest, down, rest, b);
    rest = _mm512_mask_sub_epi64(rest, up, rest, b);
    _mm512_storeu_si512(o + k, _mm512_maskz_mov_epi64(divides, is_rest ? rest : near));
  }
}
static void F(div_trunc_wide)(T* o, const T* p, const T* q, int64_t lanes) {
  F(wide_quotients)(o, p, q, lanes, false, false);
}
static void F(div_floor_wide)(T* o, const T* p, const T* q, int64_t lanes) {
  F(wide_quotients)(o, p, q, lanes, true, false);
}
static void F(fmod_wide)(T* o, const T* p, const T* q, int64_t lanes) {
  F(wide_quotients)(o, p, q, lanes, false, true);
}
static void F(remainder_wide)(T* o, const T* p, const T* q, int64_t lanes) {
  F(wide_quotients)(o, p, q, lanes, true, true);
}
#define EACH_WIDE(name, slow) F(name##_wide)(o, p, q, lanes)
#else
#define EACH_WIDE(name, slow) \
  for (int64_t k = 0; k < lanes; k++) o[k] = slow(p[k], q[k])
#endif

// The expression sees a and b as doubles, and the quotient.
#define QUOTIENT_LANES(name, slow, ...)                                              \
  static inline void F(name##_lanes)(T * o, const T* p, const T* q, int64_t lanes) { \
    if (OY_LIKELY(oyi_lanes_fit(p, q, lanes))) {                                     \
      OYI_INDEPENDENT                                                                \
      for (int64_t k = 0; k < lanes; k++) {                                          \
        const double a = oyi_double_of_lane(p[k]);                                   \
        const double b = oyi_double_of_lane(q[k]), quotient = a / b;                 \
        o[k] = b == 0 ? 0 : oyi_lane_of_double(__VA_ARGS__);                         \
      }                                                                              \
    } else {                                                                         \
      EACH_WIDE(name, slow);                                                         \
    }                                                                                \
  }                                                                                  \
  LANES_LOOP(name, slow)
QUOTIENT_LANES(div_trunc, oyi_int_div, __builtin_trunc(quotient))
QUOTIENT_LANES(div_floor, oyi_int_div_floor, __builtin_floor(quotient))
QUOTIENT_LANES(fmod, oyi_int_rem, a - __builtin_trunc(quotient) * b)
QUOTIENT_LANES(remainder, oyi_int_mod, a - __builtin_floor(quotient) * b)
#undef EACH_WIDE
#undef QUOTIENT_LANES
#else
static inline void F(gcd_lanes)(T* o, const T* a, const T* b, int64_t lanes) {
  REAL x[LANES], y[LANES];
  for (int64_t k = 0; k < lanes; k++) {
    x[k] = (REAL)(T)(a[k] < 0 ? 0u - (uint32_t)a[k] : (uint32_t)a[k]);
    y[k] = (REAL)(T)(b[k] < 0 ? 0u - (uint32_t)b[k] : (uint32_t)b[k]);
  }
  GCD(x, y, lanes);
  OYI_INDEPENDENT
  for (int64_t k = 0; k < lanes; k++) o[k] = (T)(int32_t)y[k];
}
#endif
LANES_LOOP(gcd, F(gcd_slow))
#endif
#undef F
#undef LANES
#undef LANES_LOOP
