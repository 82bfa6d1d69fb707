// SPDX-License-Identifier: Apache-2.0
// The loops of vector functions of one CPU capability: LEVELED(name) is the name for
// it. libmvec has at most 4 ULP, and treats NaN, infinities and denormals right.
#include <complex.h>
#include <float.h>
#include <math.h>
#if defined(__FMA__)
#include <immintrin.h>
#endif

#include "backends/cpu/loops/loop_define.h"
#include "backends/cpu/loops/loops.h"
#include "backends/cpu/pointwise/special_math.h"
#include "base/template.h"

#undef I  // <complex.h> takes it

// All of libmvec's functions that are used here came with glibc 2.35.
#if defined(__x86_64__) && defined(__GLIBC__)
#if __GLIBC_PREREQ(2, 35)
#define OYI_HAVE_LIBMVEC 1
#endif
#endif
#ifndef OYI_HAVE_LIBMVEC
#define OYI_HAVE_LIBMVEC 0
#endif
#define OYI_MVEC_(letter, lanes, kind, f) _ZGV##letter##N##lanes##kind##_##f
#define OYI_MVEC(letter, lanes, kind, f)  OYI_MVEC_(letter, lanes, kind, f)
#if defined(__AVX512F__)
#define OYI_VEC_LETTER e
#define OYI_VEC_BYTES  64
#define F32_LANES      16
#define F64_LANES      8
#elif defined(__AVX2__)
#define OYI_VEC_LETTER d
#define OYI_VEC_BYTES  32
#define F32_LANES      8
#define F64_LANES      4
#else
#define OYI_VEC_LETTER b
#define OYI_VEC_BYTES  16
#define F32_LANES      4
#define F64_LANES      2
#endif

#if defined(__FMA__)
#include "backends/cpu/loops/angle_vector.h"
#endif

#define MAP(name, ...)                            \
  static V F(of_##name)(V a, const T* arg) {      \
    (void)arg;                                    \
    return (__VA_ARGS__);                         \
  }                                               \
  OYI_LOOP_FN(name) {                             \
    F(map)(n, data, strides, args, F(of_##name)); \
  }
#define MAP_INLINE(name, ...)                                                      \
  static inline __attribute__((always_inline)) V F(of_##name)(V a, const T* arg) { \
    (void)arg;                                                                     \
    return (__VA_ARGS__);                                                          \
  }                                                                                \
  OYI_LOOP_FN(name) {                                                              \
    F(map_inline)(n, data, strides, args, F(of_##name));                           \
  }
#define MAP2(name, ...)                            \
  static V F(of_##name)(V a, V b, const T* arg) {  \
    (void)arg;                                     \
    return (__VA_ARGS__);                          \
  }                                                \
  OYI_LOOP_FN(name) {                              \
    F(map2)(n, data, strides, args, F(of_##name)); \
  }
#define MAP2_INLINE(name, ...)                                                          \
  static inline __attribute__((always_inline)) V F(of_##name)(V a, V b, const T* arg) { \
    (void)arg;                                                                          \
    return (__VA_ARGS__);                                                               \
  }                                                                                     \
  OYI_LOOP_FN(name) {                                                                   \
    F(map2_inline)(n, data, strides, args, F(of_##name));                               \
  }
// Of vectors of elements of as many bits.
#if defined(__AVX512F__)
#define MASKED_BITS(f, bits) _mm512_##f##_epi##bits
#elif defined(__AVX2__)
#define MASKED_BITS(f, bits) _mm256_##f##_epi##bits
#endif
#define T              float
#define INT            int32_t
#define ID             f32
#define FN(name)       name##f
#define LANES          F32_LANES
#define MASKED(f)      MASKED_BITS(f, 32)
#define OWN_NORMAL_CDF 1
#if defined(__FMA__)
#define OWN_EXP 1
#else
#define OWN_EXP 0
#endif
// Where exp is a normal number, about; above EXP_MOST it is infinite, below EXP_ZERO it is 0.
#define EXP_NEAR  87.3
#define EXP_MOST  88.72283172607422
#define EXP_ZERO  -104
#define EXP_SHIFT 60
#define EXP_UP    1.1420073898156842e26
#define EXP_DOWN  8.75651076269652e-27
#define SINH_MOST 89.41598510742188
#define ERFC_MOST 10.06
// Angles that libmvec makes no sine, or tangent, of by vectors, up to those that it does again.
#define FAR_SINE     10000
#define FAR_MOST     FLT_MAX
#define LEAST_NORMAL FLT_MIN
#define GREATEST     FLT_MAX
#define LOG_SCALE    0x1p24
#define LOG_TWOS     24
// A whole number and its fraction have no room in one from POW_DIGITS on. POW_NEAR is well within
// the logarithms, to base 2, of normal numbers, of which LOG2_ABOUT finds at least 70 %: lines
// between powers of 2. Above POW_UP a power is infinite, below POW_DOWN it is 0.
#define POW_DIGITS 0x1p23
#define POW_NEAR   86
#define POW_UP     128.01
#define POW_DOWN   -151
typedef uint32_t bits_f32 __attribute__((vector_size(OYI_VEC_BYTES)));
#define LOG2_ABOUT(x)                                                                   \
  (__builtin_convertvector((ints_f32)((bits_f32)(x) - (uint32_t)0x3f800000), vec_f32) * \
   0x1p-23f)
#include "backends/cpu/loops/vmath_tmpl.h"
#undef T
#undef INT
#undef ID
#undef FN
#undef LANES
#undef MASKED
#undef OWN_NORMAL_CDF
#undef OWN_EXP
#undef EXP_NEAR
#undef EXP_MOST
#undef EXP_ZERO
#undef EXP_SHIFT
#undef EXP_UP
#undef EXP_DOWN
#undef SINH_MOST
#undef ERFC_MOST
#undef FAR_SINE
#undef FAR_MOST
#undef LEAST_NORMAL
#undef GREATEST
#undef LOG_SCALE
#undef LOG_TWOS
#undef POW_DIGITS
#undef POW_NEAR
#undef POW_UP
#undef POW_DOWN
#undef LOG2_ABOUT
#define T              double
#define INT            int64_t
#define ID             f64
#define FN(name)       name
#define LANES          F64_LANES
#define MASKED(f)      MASKED_BITS(f, 64)
#define OWN_NORMAL_CDF 0
#define OWN_EXP        0
#define EXP_NEAR       708
#define EXP_MOST       709.782712893384
#define EXP_ZERO       -746
#define EXP_SHIFT      100
#define EXP_UP         2.6881171418161356e43
#define EXP_DOWN       3.720075976020836e-44
#define SINH_MOST      710.4758600739439
#define ERFC_MOST      27.23
#define FAR_SINE       8388600
#define FAR_MOST       DBL_MAX
#define FAR_TANGENT    127000
#define LEAST_NORMAL   DBL_MIN
#define GREATEST       DBL_MAX
#define LOG_SCALE      0x1p54
#define LOG_TWOS       54
#define POW_DIGITS     0x1p52
#define POW_NEAR       700
#define POW_UP         1024.01
#define POW_DOWN       -1077
typedef uint64_t bits_f64 __attribute__((vector_size(OYI_VEC_BYTES)));
#define LOG2_ABOUT(x)                                                    \
  (((vec_f64)(((bits_f64)(x) >> 20) | (uint64_t)0x4330000000000000ull) - \
    (0x1p52 + 1023 * 0x1p32)) *                                          \
   0x1p-32)
#include "backends/cpu/loops/vmath_tmpl.h"
#undef T
#undef INT
#undef ID
#undef FN
#undef LANES
#undef MASKED
#undef OWN_NORMAL_CDF
#undef OWN_EXP

typedef float narrow_f64 __attribute__((vector_size(OYI_VEC_BYTES / 2)));

// Floats through a function of vectors of doubles.
static inline __attribute__((always_inline)) void map_wide(int64_t n, char* const* data,
                                                           const int64_t* strides,
                                                           vec_f64 (*fn)(vec_f64)) {
  char* o = data[0];
  const char* x = data[1];
  const bool is_dense = strides[0] == sizeof(float) && strides[1] == sizeof(float);
  for (; n > 0;
       n -= F64_LANES, o += strides[0] * F64_LANES, x += strides[1] * F64_LANES) {
    if (is_dense && n >= F64_LANES) {
      narrow_f64 some;
      memcpy(&some, x, sizeof(some));
      some =
          __builtin_convertvector(fn(__builtin_convertvector(some, vec_f64)), narrow_f64);
      memcpy(o, &some, sizeof(some));
      continue;
    }
    const int64_t count = n < F64_LANES ? n : F64_LANES;
    vec_f64 wide = v_splat_f64(1);
    for (int64_t i = 0; i < count; i++)
      wide[i] = (double)*(const float*)(const void*)(x + i * strides[1]);
    wide = fn(wide);
    for (int64_t i = 0; i < count; i++)
      *(float*)(void*)(o + i * strides[0]) = (float)wide[i];
  }
}

static vec_f64 entr_of(vec_f64 a) {
  return v_of_special_entr_f64(a, NULL);
}
static void entr_wide_f32(int64_t n, char* const* data, const int64_t* strides,
                          const void* args) {
  (void)args;
  map_wide(n, data, strides, entr_of);
}

#include "backends/cpu/loops/bessel_vector.h"
#include "backends/cpu/loops/complex_sigmoid_vector.h"
#include "backends/cpu/loops/digamma_vector.h"
#include "backends/cpu/loops/erfcx_vector.h"
#include "backends/cpu/loops/igamma_vector.h"
#include "backends/cpu/loops/igamma_wide_vector.h"
#include "backends/cpu/loops/loop_list.h"
#include "backends/cpu/loops/polynomial_vector.h"
#include "backends/cpu/loops/quantile_vector.h"
#include "backends/cpu/loops/trigamma_vector.h"
#include "backends/cpu/loops/vmath_bf16.h"
#undef MAP
#undef MAP_INLINE
#undef MAP2
#undef MAP2_INLINE
#define MAP(name, ...)         OYI_LOOP_ROW(name)
#define MAP_INLINE(name, ...)  OYI_LOOP_ROW(name)
#define MAP2(name, ...)        OYI_LOOP_ROW(name)
#define MAP2_INLINE(name, ...) OYI_LOOP_ROW(name)
const oyi_loop_entry LEVELED(oyi_loops_vmath)[] = {
#define ID   f32
#define KIND F32
#include "backends/cpu/loops/loops_vmath.def"
#undef ID
#undef KIND
#define ID   f64
#define KIND F64
#include "backends/cpu/loops/loops_vmath.def"
#undef MAP
#undef MAP2
#undef MAP2_INLINE
#undef ID
#undef KIND
#define MAP(name, ...)
#define MAP2(name, ...)
#define MAP2_INLINE(name, ...)
#define ID   bf16
#define KIND BF16
#include "backends/cpu/loops/loops_vmath.def"
    BESSEL_ROWS POLYNOMIAL_ROWS  //
    {OYI_LOOP_digamma, OY_DTYPE_F32, digamma_vector_f32},
    {OYI_LOOP_digamma, OY_DTYPE_F64, digamma_vector_f64},
    {OYI_LOOP_erfinv, OY_DTYPE_F32, erfinv_vector_f32},
    {OYI_LOOP_igamma, OY_DTYPE_F32, igamma_vector_f32},
    {OYI_LOOP_igammac, OY_DTYPE_F32, igammac_vector_f32},
    {OYI_LOOP_igamma, OY_DTYPE_F64, igamma_vector_f64},
    {OYI_LOOP_igammac, OY_DTYPE_F64, igammac_vector_f64},
    {OYI_LOOP_lgamma, OY_DTYPE_F32, lgamma_vector_f32},
    {OYI_LOOP_lgamma, OY_DTYPE_F64, lgamma_vector_f64},
    {OYI_LOOP_special_ndtri, OY_DTYPE_F32, ndtri_vector_f32},
    {OYI_LOOP_special_erfcx, OY_DTYPE_F32, erfcx_vector_f32},
    {OYI_LOOP_special_entr, OY_DTYPE_F32, entr_wide_f32},
    {OYI_LOOP_trigamma, OY_DTYPE_F32, trigamma_vector_f32},
    {OYI_LOOP_trigamma, OY_DTYPE_F64, trigamma_vector_f64},
    {OYI_LOOP_angle, OY_DTYPE_C64, v_angle_complex_f32},
    {OYI_LOOP_angle, OY_DTYPE_C128, v_angle_complex_f64},
    {OYI_LOOP_exp, OY_DTYPE_C64, v_exp_complex_f32},
    {OYI_LOOP_exp, OY_DTYPE_C128, v_exp_complex_f64},
    {OYI_LOOP_sigmoid, OY_DTYPE_C64, sigmoid_complex_f32},
    {OYI_LOOP_silu, OY_DTYPE_C64, silu_complex_f32},
    {OYI_LOOP_silu, OY_DTYPE_C128, silu_complex_f64},
    {OYI_LOOP_sigmoid, OY_DTYPE_C128, sigmoid_complex_f64},
    {OYI_LOOP_polar, OY_DTYPE_F32, v_polar_f32},
    {OYI_LOOP_polar, OY_DTYPE_F64, v_polar_f64},
    {0, 0, NULL}};
