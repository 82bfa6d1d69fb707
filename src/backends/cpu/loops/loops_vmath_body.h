// SPDX-License-Identifier: Apache-2.0
// The loops of vector functions of one CPU capability: LEVELED(name) is the name for
// it. libmvec has at most 4 ULP, and treats NaN, infinities and denormals right.
#include <complex.h>
#include <math.h>
#if defined(__FMA__)
#include <immintrin.h>
#endif

#include "backends/cpu/loops/loop_define.h"
#include "backends/cpu/loops/loops.h"

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

#define MAP(name, ...)                            \
  static V F(of_##name)(V a, const T* arg) {      \
    (void)arg;                                    \
    return (__VA_ARGS__);                         \
  }                                               \
  OYI_LOOP_FN(name) {                             \
    F(map)(n, data, strides, args, F(of_##name)); \
  }
#define MAP2(name, ...)                            \
  static V F(of_##name)(V a, V b, const T* arg) {  \
    (void)arg;                                     \
    return (__VA_ARGS__);                          \
  }                                                \
  OYI_LOOP_FN(name) {                              \
    F(map2)(n, data, strides, args, F(of_##name)); \
  }
#define T              float
#define INT            int32_t
#define ID             f32
#define FN(name)       name##f
#define LANES          F32_LANES
#define OWN_NORMAL_CDF 1
#include "backends/cpu/loops/vmath_tmpl.h"
#undef T
#undef INT
#undef ID
#undef FN
#undef LANES
#undef OWN_NORMAL_CDF
#define T              double
#define INT            int64_t
#define ID             f64
#define FN(name)       name
#define LANES          F64_LANES
#define OWN_NORMAL_CDF 0
#include "backends/cpu/loops/vmath_tmpl.h"
#undef T
#undef INT
#undef ID
#undef FN
#undef LANES
#undef OWN_NORMAL_CDF

#include "backends/cpu/loops/lgamma_vector.h"
#include "backends/cpu/loops/loop_list.h"
#undef MAP
#undef MAP2
#define MAP(name, ...)  OYI_LOOP_ROW(name)
#define MAP2(name, ...) OYI_LOOP_ROW(name)
const oyi_loop_entry LEVELED(oyi_loops_vmath)[] = {
#define ID   f32
#define KIND F32
#include "backends/cpu/loops/loops_vmath.def"
#undef ID
#undef KIND
#define ID   f64
#define KIND F64
#include "backends/cpu/loops/loops_vmath.def"
    {OYI_LOOP_lgamma, OY_DTYPE_F32, lgamma_vector_f32},
    {OYI_LOOP_angle, OY_DTYPE_C64, v_angle_complex_f32},
    {OYI_LOOP_angle, OY_DTYPE_C128, v_angle_complex_f64},
    {OYI_LOOP_exp, OY_DTYPE_C64, v_exp_complex_f32},
    {OYI_LOOP_exp, OY_DTYPE_C128, v_exp_complex_f64},
    {0, 0, NULL}};
