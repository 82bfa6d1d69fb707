// SPDX-License-Identifier: Apache-2.0
// The arithmetic loops of one CPU capability: LEVELED(name) is the name for it.
#include <math.h>
#include <stdbool.h>
#include <string.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "backends/cpu/loops/lanes_int.h"
#include "backends/cpu/loops/loops.h"
#include "base/template.h"

// Bytes are never below 0, and the same lines serve them.
#pragma GCC diagnostic ignored "-Wtype-limits"

#define RE(x)      (__real__(x))
#define IM(x)      (__imag__(x))
#define PAIR(x, y) __builtin_complex((R)(x), (R)(y))
#define T          float _Complex
#define R          float
#define FN(name)   name##f
#include "backends/cpu/loops/complex_ratio_tmpl.h"
// In double nothing overflows; an infinite part outweighs NaN.
static inline float sizef(T a) {
  const double x = (double)RE(a), y = (double)IM(a);
  const bool infinite = (fabsf(RE(a)) == INFINITY) | (fabsf(IM(a)) == INFINITY);
  return infinite ? INFINITY : (float)sqrt(x * x + y * y);
}
#undef T
#undef R
#undef FN
#define T        double _Complex
#define R        double
#define FN(name) name
#include "backends/cpu/loops/complex_ratio_tmpl.h"
// What the line makes; the table has complex_size_tmpl.h in its place.
static inline double size(T a) {
  return hypot(RE(a), IM(a));
}
#undef T
#undef R
#undef FN

// A rounded quotient as an integer: 0 where it was divided by 0, and the one that is too great,
// of the least number and -1, wraps.
static inline int32_t short_quotient(double rounded, int32_t by) {
  const double fits = rounded < 0x1p31 ? rounded : -0x1p31;
  return by == 0 ? 0 : (int32_t)fits;
}

#include "backends/cpu/loops/next_after.h"

#include "backends/cpu/loops/loop_define.h"
#include "backends/cpu/loops/loops_arith_types.h"

#define T              float
#define ID             f32
#define FN(name)       name##f
#define REST_IN_DOUBLE 1
#include "backends/cpu/loops/loops_rest_tmpl.h"
#undef T
#undef ID
#undef FN
#undef REST_IN_DOUBLE
#define T              double
#define ID             f64
#define FN(name)       name
#define REST_IN_DOUBLE 0
#include "backends/cpu/loops/loops_rest_tmpl.h"
#undef T
#undef ID
#undef FN
#undef REST_IN_DOUBLE

#include "backends/cpu/loops/lanes_int_types.h"
#include "backends/cpu/loops/loops_bf16_tmpl.h"

// Of 16-bit floats of either kind, by their bits.
static void copysign_halves(int64_t n, char* const* data, const int64_t* strides,
                            const void* args) {
  (void)args;
  char* o = data[0];
  const char *x = data[1], *y = data[2];
  if (strides[0] == BF16 && strides[1] == BF16 && strides[2] == BF16) {
    for (int64_t i = 0; i < n; i++) {
      const uint16_t size = ((const uint16_t*)(const void*)x)[i] & 0x7fff;
      ((uint16_t*)(void*)o)[i] = size | (((const uint16_t*)(const void*)y)[i] & 0x8000);
    }
    return;
  }
  for (int64_t i = 0; i < n; i++, o += strides[0], x += strides[1], y += strides[2])
    *(uint16_t*)(void*)o = (*(const uint16_t*)(const void*)x & 0x7fff) |
                           (*(const uint16_t*)(const void*)y & 0x8000);
}

static void nextafter_bf16(int64_t n, char* const* data, const int64_t* strides,
                           const void* args) {
  (void)args;
  char* o = data[0];
  const char *x = data[1], *y = data[2];
  for (int64_t i = 0; i < n; i++, o += strides[0], x += strides[1], y += strides[2])
    *(uint16_t*)(void*)o = next_after_bf16(*(const uint16_t*)(const void*)x,
                                           *(const uint16_t*)(const void*)y);
}

#include "backends/cpu/loops/bytes_vector.h"
#if defined(__AVX2__)
#define T     float
#define ID    f32
#define MM(f) _mm256_##f##_ps
#include "backends/cpu/loops/extremes_vector.h"
#undef T
#undef ID
#undef MM
#define T     double
#define ID    f64
#define MM(f) _mm256_##f##_pd
#include "backends/cpu/loops/extremes_vector.h"
#undef T
#undef ID
#undef MM
#endif

#include "backends/cpu/loops/complex_apart.h"
#define R    float
#define BITS uint32_t
#define ID   c64
#if defined(__AVX512F__)
#define APART(at, step)     (V) eight_apart_c64(at, step)
#define EVEN                0, 2, 4, 6, 8, 10, 12, 14
#define LANES               16
#define REAL                0, 2, 16, 18, 4, 6, 20, 22, 8, 10, 24, 26, 12, 14, 28, 30
#define IMAGINARY           1, 3, 17, 19, 5, 7, 21, 23, 9, 11, 25, 27, 13, 15, 29, 31
#define LOW                 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29
#define HIGH                2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31
#define MASK                __mmask16
#define COMPARE(how, a, b)  _mm512_cmp_ps_mask((__m512)(a), (__m512)(b), how)
#define LESS(a, b)          COMPARE(_CMP_LT_OQ, a, b)
#define EQUAL(a, b)         COMPARE(_CMP_EQ_OQ, a, b)
#define UNEQUAL(a, b)       COMPARE(_CMP_NEQ_UQ, a, b)
#define ANY(mask)           (mask)
#define ROOT(x)             _mm512_sqrt_ps((__m512)(x))
#define PICK(mask, yes, no) (V) _mm512_mask_mov_ps((__m512)(no), mask, (__m512)(yes))
#define LANES_MASK          0xffff
#define TAKE(none, mask, at) \
  (V) _mm512_mask_loadu_ps((__m512)(none), (__mmask16)(mask), at)
#define PUT(at, mask, v) _mm512_mask_storeu_ps(at, (__mmask16)(mask), (__m512)(v))
#elif defined(__AVX2__)
#define APART(at, step) (V) four_apart_c64(at, step)
#define EVEN            0, 2, 4, 6
#define LANES           8
#define REAL            0, 2, 8, 10, 4, 6, 12, 14
#define IMAGINARY       1, 3, 9, 11, 5, 7, 13, 15
#define LOW             0, 8, 1, 9, 4, 12, 5, 13
#define HIGH            2, 10, 3, 11, 6, 14, 7, 15
#define ANY(mask)       _mm256_movemask_ps((__m256)(mask))
#define ROOT(x)         _mm256_sqrt_ps((__m256)(x))
#else
#define APART(at, step) (V) two_apart_c64(at, step)
#define EVEN            0, 2
#define LANES           4
#define REAL            0, 2, 4, 6
#define IMAGINARY       1, 3, 5, 7
#define LOW             0, 4, 1, 5
#define HIGH            2, 6, 3, 7
#if defined(__SSE2__)
#define ANY(mask) _mm_movemask_ps((__m128)(mask))
#define ROOT(x)   _mm_sqrt_ps((__m128)(x))
#endif
#endif
#include "backends/cpu/loops/complex_quotient_tmpl.h"
#define LEAST 0x1p-60
#define UP    0x1p90
#define MOST  0x1p60
#define DOWN  0x1p-68
#include "backends/cpu/loops/complex_sign_tmpl.h"
#undef LEAST
#undef UP
#undef MOST
#undef DOWN
#undef ROOT
#undef R
#undef BITS
#undef ID
#undef LANES
#undef REAL
#undef IMAGINARY
#undef LOW
#undef HIGH

// Places are those of one instruction, within 16 bytes.
#define R    double
#define BITS uint64_t
#define ID   c128
#if defined(__AVX512F__)
#define APART(at, step)     (V) four_apart_c128(at, step)
#define EVEN                0, 1, 4, 5, 8, 9, 12, 13
#define LANES               8
#define REAL                0, 8, 2, 10, 4, 12, 6, 14
#define IMAGINARY           1, 9, 3, 11, 5, 13, 7, 15
#define MASK                __mmask8
#define COMPARE(how, a, b)  _mm512_cmp_pd_mask((__m512d)(a), (__m512d)(b), how)
#define LESS(a, b)          COMPARE(_CMP_LT_OQ, a, b)
#define EQUAL(a, b)         COMPARE(_CMP_EQ_OQ, a, b)
#define UNEQUAL(a, b)       COMPARE(_CMP_NEQ_UQ, a, b)
#define ANY(mask)           (mask)
#define ROOT(x)             _mm512_sqrt_pd((__m512d)(x))
#define PICK(mask, yes, no) (V) _mm512_mask_mov_pd((__m512d)(no), mask, (__m512d)(yes))
#define LANES_MASK          0xff
#define TAKE(none, mask, at) \
  (V) _mm512_mask_loadu_pd((__m512d)(none), (__mmask8)(mask), at)
#define PUT(at, mask, v)  _mm512_mask_storeu_pd(at, (__mmask8)(mask), (__m512d)(v))
#define SQUARE_LESS(a, b) _mm512_fmsub_pd((__m512d)(a), (__m512d)(a), (__m512d)(b))
#define ORDER             0, 2, 4, 6, 1, 3, 5, 7
#elif defined(__AVX2__)
#define APART(at, step)   (V) two_apart_c128(at, step)
#define EVEN              0, 1, 4, 5
#define LANES             4
#define REAL              0, 4, 2, 6
#define IMAGINARY         1, 5, 3, 7
#define ORDER             0, 2, 1, 3
#define ANY(mask)         _mm256_movemask_pd((__m256d)(mask))
#define ROOT(x)           _mm256_sqrt_pd((__m256d)(x))
#define SQUARE_LESS(a, b) _mm256_fmsub_pd((__m256d)(a), (__m256d)(a), (__m256d)(b))
#else
#define APART(at, step) (V) one_apart_c128(at, step)
#define EVEN            0, 1
#define LANES           2
#define REAL            0, 2
#define IMAGINARY       1, 3
#define ORDER           0, 1
#if defined(__SSE2__)
#define ANY(mask) _mm_movemask_pd((__m128d)(mask))
#define ROOT(x)   _mm_sqrt_pd((__m128d)(x))
#endif
#endif
#define LOW  REAL
#define HIGH IMAGINARY
#include "backends/cpu/loops/complex_quotient_tmpl.h"
#define LEAST 0x1p-480
#define UP    0x1p720
#define MOST  0x1p480
#define DOWN  0x1p-544
#include "backends/cpu/loops/complex_sign_tmpl.h"
#define SPLIT 0x1.0000002p27
#include "backends/cpu/loops/complex_size_tmpl.h"
#undef LEAST
#undef UP
#undef MOST
#undef DOWN
#undef ROOT
#undef R
#undef BITS
#undef ID
#undef LANES
#undef REAL
#undef IMAGINARY
#undef LOW
#undef HIGH

#include "backends/cpu/loops/where_body.h"

#include "backends/cpu/loops/loop_list.h"
#define WHERE_ROW(kind, loop) \
  { OYI_LOOP_where, OY_DTYPE_##kind, loop }
#define LANES_ROW(name, kind, id) \
  { OYI_LOOP_##name, OY_DTYPE_##kind, name##_##id }
#define LANES_ROWS(name)                                                         \
  LANES_ROW(name, I32, i32), LANES_ROW(name, I16, i16), LANES_ROW(name, I8, i8), \
      LANES_ROW(name, U8, u8)
const oyi_loop_entry LEVELED(oyi_loops_arith)[] = {
#include "backends/cpu/loops/loops_arith_types.h"
    {OYI_LOOP_fmod, OY_DTYPE_F32, fmod_f32},
    {OYI_LOOP_fmod, OY_DTYPE_F64, fmod_f64},
    {OYI_LOOP_remainder, OY_DTYPE_F32, remainder_f32},
    {OYI_LOOP_remainder, OY_DTYPE_F64, remainder_f64},
    {OYI_LOOP_div_floor, OY_DTYPE_F32, div_floor_f32},
    {OYI_LOOP_div_floor, OY_DTYPE_F64, div_floor_f64},
    {OYI_LOOP_div, OY_DTYPE_C64, quotients_c64},  // in place of what the line made
    {OYI_LOOP_div, OY_DTYPE_C128, quotients_c128},
    {OYI_LOOP_addcdiv, OY_DTYPE_C64, addcdivs_c64},
    {OYI_LOOP_addcdiv, OY_DTYPE_C128, addcdivs_c128},
    {OYI_LOOP_reciprocal, OY_DTYPE_C64, reciprocals_c64},
    {OYI_LOOP_reciprocal, OY_DTYPE_C128, reciprocals_c128},
    {OYI_LOOP_inverse_square, OY_DTYPE_C64, inverse_squares_c64},
    {OYI_LOOP_inverse_square, OY_DTYPE_C128, inverse_squares_c128},
    {OYI_LOOP_abs, OY_DTYPE_C128, abs_parts_c128},
    {OYI_LOOP_sgn, OY_DTYPE_C64, sgn_parts_c64},
    {OYI_LOOP_sgn, OY_DTYPE_C128, sgn_parts_c128},
    LANES_ROWS(pow),
#if defined(__SSE4_1__)
    LANES_ROWS(gcd),
    LANES_ROW(gcd, I64, i64),
    LANES_ROW(div_trunc, I64, i64),
    LANES_ROW(div_floor, I64, i64),
    LANES_ROW(fmod, I64, i64),
    LANES_ROW(remainder, I64, i64),
#endif
#if defined(__AVX2__)
    LANES_ROW(pow, I64, i64),
    {OYI_LOOP_maximum, OY_DTYPE_F32, maximum_vector_f32},
    {OYI_LOOP_maximum, OY_DTYPE_F64, maximum_vector_f64},
    {OYI_LOOP_minimum, OY_DTYPE_F32, minimum_vector_f32},
    {OYI_LOOP_minimum, OY_DTYPE_F64, minimum_vector_f64},
    {OYI_LOOP_hardswish, OY_DTYPE_F32, hardswish_vector_f32},
    {OYI_LOOP_hardswish, OY_DTYPE_F64, hardswish_vector_f64},
    {OYI_LOOP_clamp_tensor, OY_DTYPE_F32, clamp_tensor_vector_f32},
    {OYI_LOOP_clamp_tensor, OY_DTYPE_F64, clamp_tensor_vector_f64},
#endif
    {OYI_LOOP_mul, OY_DTYPE_U8, mul_vector_u8},
    {OYI_LOOP_mul, OY_DTYPE_I8, mul_vector_i8},
    {OYI_LOOP_add, OY_DTYPE_U8, add_vector_u8},
    {OYI_LOOP_add, OY_DTYPE_I8, add_vector_i8},
    {OYI_LOOP_sub, OY_DTYPE_U8, sub_vector_u8},
    {OYI_LOOP_sub, OY_DTYPE_I8, sub_vector_i8},
    {OYI_LOOP_add, OY_DTYPE_BF16, add_bf16},
    {OYI_LOOP_sub, OY_DTYPE_BF16, sub_bf16},
    {OYI_LOOP_mul, OY_DTYPE_BF16, mul_bf16},
    {OYI_LOOP_div, OY_DTYPE_BF16, div_bf16},
    {OYI_LOOP_threshold, OY_DTYPE_BF16, threshold_bf16},
    {OYI_LOOP_maximum, OY_DTYPE_BF16, maximum_bf16},
    {OYI_LOOP_minimum, OY_DTYPE_BF16, minimum_bf16},
    {OYI_LOOP_eq, OY_DTYPE_BF16, eq_bf16},
    {OYI_LOOP_ne, OY_DTYPE_BF16, ne_bf16},
    {OYI_LOOP_lt, OY_DTYPE_BF16, lt_bf16},
    {OYI_LOOP_le, OY_DTYPE_BF16, le_bf16},
    {OYI_LOOP_gt, OY_DTYPE_BF16, gt_bf16},
    {OYI_LOOP_ge, OY_DTYPE_BF16, ge_bf16},
    {OYI_LOOP_neg, OY_DTYPE_BF16, neg_bf16},
    {OYI_LOOP_abs, OY_DTYPE_BF16, abs_bf16},
    {OYI_LOOP_relu, OY_DTYPE_BF16, relu_bf16},
    {OYI_LOOP_reciprocal, OY_DTYPE_BF16, reciprocal_bf16},
    {OYI_LOOP_square, OY_DTYPE_BF16, square_bf16},
    {OYI_LOOP_leaky_relu, OY_DTYPE_BF16, leaky_relu_bf16},
    {OYI_LOOP_clamp, OY_DTYPE_BF16, clamp_bf16},
    {OYI_LOOP_clamp_min, OY_DTYPE_BF16, clamp_min_bf16},
    {OYI_LOOP_clamp_max, OY_DTYPE_BF16, clamp_max_bf16},
    {OYI_LOOP_addcmul, OY_DTYPE_BF16, addcmul_bf16},
    {OYI_LOOP_copysign, OY_DTYPE_BF16, copysign_halves},
    {OYI_LOOP_copysign, OY_DTYPE_F16, copysign_halves},
    {OYI_LOOP_nextafter, OY_DTYPE_BF16, nextafter_bf16},
#if defined(__AVX2__)
    {OYI_LOOP_sqrt, OY_DTYPE_BF16, sqrt_bf16},
    {OYI_LOOP_ceil, OY_DTYPE_BF16, ceil_bf16},
    {OYI_LOOP_floor, OY_DTYPE_BF16, floor_bf16},
    {OYI_LOOP_trunc, OY_DTYPE_BF16, trunc_bf16},
    {OYI_LOOP_round, OY_DTYPE_BF16, round_bf16},
#endif
    WHERE_ROW(BOOL, where_1),
    WHERE_ROW(U8, where_1),
    WHERE_ROW(I8, where_1),
    WHERE_ROW(I16, where_2),
    WHERE_ROW(F16, where_2),
    WHERE_ROW(BF16, where_2),
    WHERE_ROW(I32, where_4),
    WHERE_ROW(F32, where_4),
    WHERE_ROW(C32, where_4),
    WHERE_ROW(I64, where_8),
    WHERE_ROW(F64, where_8),
    WHERE_ROW(C64, where_8),
    WHERE_ROW(C128, where_16),
    {0, 0, NULL}};
