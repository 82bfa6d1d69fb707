// SPDX-License-Identifier: Apache-2.0
// sigmoid and silu of complex numbers by vectors of doubles. Squares of floats neither overflow
// nor vanish: 1 / b is b's conjugate over |b|^2. What might overflow a float, and parts that are
// no numbers or too little for normal floats, go through the C library's functions in float.
// Doubles are scaled by the greater part.
#define T          float _Complex
#define R          float
#define FN(name)   name##f
#define RE(x)      (__real__(x))
#define IM(x)      (__imag__(x))
#define PAIR(x, y) __builtin_complex((R)(x), (R)(y))
#include "backends/cpu/loops/complex_ratio_tmpl.h"

static T sigmoid_in_float(R re, R im) {
  return overf((T)1, (T)1 + cexpf(-PAIR(re, im)));
}
static T silu_in_float(R re, R im) {
  return overf(PAIR(re, im), (T)1 + cexpf(-PAIR(re, im)));
}
#undef T
#undef R
#undef FN
#define T        double _Complex
#define R        double
#define FN(name) name
#include "backends/cpu/loops/complex_ratio_tmpl.h"

static T sigmoid_in_double(R re, R im) {
  return over((T)1, (T)1 + cexp(-PAIR(re, im)));
}
static T silu_in_double(R re, R im) {
  return over(PAIR(re, im), (T)1 + cexp(-PAIR(re, im)));
}
#undef T
#undef R
#undef FN
#undef RE
#undef IM
#undef PAIR

#if F64_LANES == 8
#define REAL      0, 2, 4, 6, 8, 10, 12, 14
#define IMAGINARY 1, 3, 5, 7, 9, 11, 13, 15
#define TOGETHER  0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15
#elif F64_LANES == 4
#define REAL      0, 2, 4, 6
#define IMAGINARY 1, 3, 5, 7
#define TOGETHER  0, 4, 1, 5, 2, 6, 3, 7
#else
#define REAL      0, 2
#define IMAGINARY 1, 3
#define TOGETHER  0, 2, 1, 3
#endif

// sigmoid of F64_LANES numbers, or their products with it.
static inline __attribute__((always_inline)) vec_f32 share_of_parts(vec_f32 parts,
                                                                    const bool is_silu) {
  enum { MOST = 60 };
  const vec_f64 zero = {0};
  const narrow_f64 re = __builtin_shufflevector(parts, parts, REAL);
  const narrow_f64 im = __builtin_shufflevector(parts, parts, IMAGINARY);
  const vec_f64 x = -__builtin_convertvector(re, vec_f64);
  const vec_f64 y = -__builtin_convertvector(im, vec_f64);
  const vec_f64 size = v_exp_f64(x);
  // In the sum with 1 no zero is below 0.
  const vec_f64 p = size * v_cos_f64(y) + 1.0, sine = size * v_sin_f64(y);
  const vec_f64 q = is_silu ? sine + 0.0 : sine;
  const vec_f64 scale = 1.0 / (p * p + q * q);
  const vec_f64 u = (is_silu ? -x * p - y * q : p) * scale;
  const vec_f64 v = is_silu ? (-y * p + x * q) * scale : zero - q * scale;
  const narrow_f64 low = __builtin_convertvector(u, narrow_f64);
  const narrow_f64 high = __builtin_convertvector(v, narrow_f64);
  vec_f32 found = __builtin_shufflevector(low, high, TOGETHER);
  ints_f64 is_small = (v_abs_f64(v) < 0x1p-126) & (v != zero);
  if (is_silu) is_small |= (v_abs_f64(u) < 0x1p-126) & (u != zero);
  const ints_f64 is_plain = (v_abs_f64(x) < (double)MOST) & (v_abs_f64(y) < INFINITY);
  const ints_f64 others = is_small | ~is_plain;
  int64_t any = 0;
  for (int k = 0; k < F64_LANES; k++) any |= others[k];
  for (int k = 0; OY_UNLIKELY(any != 0) && k < F64_LANES; k++) {
    if (others[k] == 0) continue;
    const float _Complex a = is_silu ? silu_in_float(parts[2 * k], parts[2 * k + 1])
                                     : sigmoid_in_float(parts[2 * k], parts[2 * k + 1]);
    found[2 * k] = __real__(a);
    found[2 * k + 1] = __imag__(a);
  }
  return found;
}
#undef REAL
#undef IMAGINARY
#undef TOGETHER

static inline __attribute__((always_inline)) void shares_f32(int64_t n, char* const* data,
                                                             const int64_t* strides,
                                                             const bool is_silu) {
  enum { ITEM = 2 * sizeof(float) };
  char* o = data[0];
  const char* x = data[1];
  const bool is_dense = strides[0] == ITEM && strides[1] == ITEM;
  for (; n > 0;
       n -= F64_LANES, o += strides[0] * F64_LANES, x += strides[1] * F64_LANES) {
    vec_f32 parts = {0};
    if (is_dense && n >= F64_LANES) {
      memcpy(&parts, x, sizeof(parts));
      parts = share_of_parts(parts, is_silu);
      memcpy(o, &parts, sizeof(parts));
      continue;
    }
    const int64_t count = n < F64_LANES ? n : F64_LANES;
    float some[F32_LANES] = {0};
    for (int64_t i = 0; i < count; i++) memcpy(some + 2 * i, x + i * strides[1], ITEM);
    memcpy(&parts, some, sizeof(parts));
    parts = share_of_parts(parts, is_silu);
    memcpy(some, &parts, sizeof(parts));
    for (int64_t i = 0; i < count; i++) memcpy(o + i * strides[0], some + 2 * i, ITEM);
  }
}

static void sigmoid_complex_f32(int64_t n, char* const* data, const int64_t* strides,
                                const void* args) {
  (void)args;
  shares_f32(n, data, strides, false);
}
static void silu_complex_f32(int64_t n, char* const* data, const int64_t* strides,
                             const void* args) {
  (void)args;
  shares_f32(n, data, strides, true);
}

static __attribute__((noinline)) void shares_each(vec_f64* re, vec_f64* im, vec_f64 x,
                                                  vec_f64 y, ints_f64 is_plain,
                                                  bool is_silu) {
  for (int k = 0; k < F64_LANES; k++) {
    if (is_plain[k]) continue;
    const double _Complex a =
        is_silu ? silu_in_double(x[k], y[k]) : sigmoid_in_double(x[k], y[k]);
    (*re)[k] = __real__ a;
    (*im)[k] = __imag__ a;
  }
}

// As `over` of complex_ratio_tmpl.h divides 1, or a number, which leaves out what may be nothing.
static inline __attribute__((always_inline)) void shares_f64(int64_t n, char* const* data,
                                                             const int64_t* strides,
                                                             const bool is_silu) {
  const vec_f64 zero = {0}, one = zero + 1.0;
  char* o = data[0];
  const char* at = data[1];
  for (; n > 0;
       n -= F64_LANES, o += strides[0] * F64_LANES, at += strides[1] * F64_LANES) {
    const int64_t count = n < F64_LANES ? n : F64_LANES;
    vec_f64 x, y;
    v_load_parts_f64(&x, &y, at, strides[1], count);
    const vec_f64 size = v_exp_f64(-x);
    const vec_f64 p = size * v_cos_f64(y) + 1.0, q = zero - size * v_sin_f64(y);
    const ints_f64 upright = v_abs_f64(p) < v_abs_f64(q);
    const vec_f64 greater = v_select_f64(upright, q, p);
    const vec_f64 less = v_select_f64(upright, p, q);
    const vec_f64 ratio = less / greater, scale = 1.0 / (greater + less * ratio);
    vec_f64 re = v_select_f64(upright, ratio, one);
    vec_f64 im = zero - v_select_f64(upright, one, ratio);
    if (is_silu) {
      re = v_select_f64(upright, x * ratio, x) + v_select_f64(upright, y, y * ratio);
      im = v_select_f64(upright, y * ratio, y) - v_select_f64(upright, x, x * ratio);
    }
    re *= scale, im *= scale;
    const ints_f64 is_plain =
        (v_abs_f64(x) < 700.0) & (v_abs_f64(y) < INFINITY) & (greater != zero);
    if (OY_UNLIKELY(v_any_f64(~is_plain))) shares_each(&re, &im, x, y, is_plain, is_silu);
    v_store_parts_f64(o, strides[0], count, re, im);
  }
}

static void sigmoid_complex_f64(int64_t n, char* const* data, const int64_t* strides,
                                const void* args) {
  (void)args;
  shares_f64(n, data, strides, false);
}
static void silu_complex_f64(int64_t n, char* const* data, const int64_t* strides,
                             const void* args) {
  (void)args;
  shares_f64(n, data, strides, true);
}
