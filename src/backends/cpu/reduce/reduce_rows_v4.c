// SPDX-License-Identifier: Apache-2.0
// Results of many short rows for AVX-512. Floats run in double, as they do one row at a time.
#include "backends/cpu/reduce/reduce_rows.h"

#include <immintrin.h>
#include <math.h>

#include "base/template.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#define OYI_UNROLL OYI_UNROLL_BY(16)

// Of pairs of vectors: lanes, and pairs of lanes, by turns of one and the other.
#define EVEN(a, b)    __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14)
#define ODD(a, b)     __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15)
#define FIRSTS(a, b)  __builtin_shufflevector(a, b, 0, 1, 4, 5, 8, 9, 12, 13)
#define SECONDS(a, b) __builtin_shufflevector(a, b, 2, 3, 6, 7, 10, 11, 14, 15)

#define ADD(a, b)      ((a) + (b))
#define MULTIPLY(a, b) ((a) * (b))
#define ALL_OF(x) \
  { x, x, x, x, x, x, x, x }

// The more extreme one of two numbers is one instruction, which takes the second operand where
// one is none: so a NaN stays that is there, and what comes as one is taken past it.
static inline __m512d greatest(__m512d a, __m512d x) {
  return _mm512_mask_max_pd(x, _mm512_cmp_pd_mask(x, x, _CMP_ORD_Q), x, a);
}
static inline __m512d least(__m512d a, __m512d x) {
  return _mm512_mask_min_pd(x, _mm512_cmp_pd_mask(x, x, _CMP_ORD_Q), x, a);
}

// Of numbers whose parts lie together, by the plain formula.
static inline __m512d product(__m512d a, __m512d b) {
  const __m512d across =
      _mm512_mul_pd(_mm512_permute_pd(a, 0x55), _mm512_permute_pd(b, 0xff));
  return _mm512_fmaddsub_pd(a, _mm512_movedup_pd(b), across);
}

static inline __m512d load_f32(const char* p, __mmask8 mask, __m512d none) {
  const __m256 x = _mm256_maskz_loadu_ps(mask, p);
  return _mm512_mask_cvtps_pd(none, mask, x);
}
static inline __m512d load_f64(const char* p, __mmask8 mask, __m512d none) {
  return _mm512_mask_loadu_pd(none, mask, p);
}

// Sums with the number of elements as |args| are means.
static inline void put_f64(void* to, __m512d a, const void* args) {
  if (args) a /= *(const double*)args;
  _mm512_storeu_pd(to, a);
}

static inline __m512d load_squares(const char* p, __mmask8 mask, __m512d none) {
  const __m512d x = load_f32(p, mask, none);
  return x * x;
}
static inline void put_roots(void* to, __m512d a, const void* args) {
  (void)args;
  _mm512_storeu_pd(to, _mm512_sqrt_pd(a));
}

#define IS_NARROW 0
#define WIDTH     8
#define MASK      __mmask8
#define V         __m512d
#define R         double
#define PARTS     1
#define PUT       put_f64
#define ITEM      (int64_t)sizeof(float)
#define LOAD      load_f32
#define NAME      sum_f32
#define START     ALL_OF(0)
#define OP        ADD
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
#define NAME  prod_f32
#define START ALL_OF(1)
#define OP    MULTIPLY
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
#undef LOAD
#undef PUT
#define LOAD  load_squares
#define PUT   put_roots
#define NAME  norm2_f32
#define START ALL_OF(0)
#define OP    ADD
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
#undef ITEM
#undef LOAD
#undef PUT
#define PUT   put_f64
#define ITEM  (int64_t)sizeof(double)
#define LOAD  load_f64
#define NAME  sum_f64
#define START ALL_OF(0)
#define OP    ADD
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
#define NAME  prod_f64
#define START ALL_OF(1)
#define OP    MULTIPLY
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
#define NAME  amax_f64
#define START ALL_OF(-INFINITY)
#define OP    greatest
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
#define NAME  amin_f64
#define START ALL_OF(INFINITY)
#define OP    least
#include "backends/cpu/reduce/reduce_rows_tmpl.h"

#undef R
#undef PARTS
#define R     double _Complex
#define PARTS 2
#define NAME  sum_c128
#define START ALL_OF(0)
#define OP    ADD
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
#define NAME prod_c128
#define START \
  { 1, 0, 1, 0, 1, 0, 1, 0 }
#define OP product
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
#undef ITEM
#undef LOAD
#define ITEM  (int64_t)sizeof(float)
#define LOAD  load_f32
#define NAME  sum_c64
#define START ALL_OF(0)
#define OP    ADD
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
#define NAME prod_c64
#define START \
  { 1, 0, 1, 0, 1, 0, 1, 0 }
#define OP product
#include "backends/cpu/reduce/reduce_rows_tmpl.h"

typedef uint64_t integers __attribute__((vector_size(64)));
static inline integers load_i64(const char* p, __mmask8 mask, integers none) {
  return (integers)_mm512_mask_loadu_epi64((__m512i)none, mask, p);
}
static inline void put_i64(void* to, integers a, const void* args) {
  (void)args;
  _mm512_storeu_si512(to, (__m512i)a);
}
#undef V
#undef R
#undef PARTS
#undef PUT
#undef ITEM
#undef LOAD
#define V     integers
#define R     uint64_t
#define PARTS 1
#define PUT   put_i64
#define ITEM  (int64_t)sizeof(uint64_t)
#define LOAD  load_i64
#define NAME  sum_i64
#define START ALL_OF(0)
#define OP    ADD
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
#define NAME  prod_i64
#define START ALL_OF(1)
#define OP    MULTIPLY
#include "backends/cpu/reduce/reduce_rows_tmpl.h"

// Of 16 floats.
static inline __m512 greatest_float(__m512 a, __m512 x) {
  return _mm512_mask_max_ps(x, _mm512_cmp_ps_mask(x, x, _CMP_ORD_Q), x, a);
}
static inline __m512 least_float(__m512 a, __m512 x) {
  return _mm512_mask_min_ps(x, _mm512_cmp_ps_mask(x, x, _CMP_ORD_Q), x, a);
}
static inline void put_floats(void* to, __m512 a, const void* args) {
  (void)args;
  _mm512_storeu_ps(to, a);
}
#undef EVEN
#undef ODD
#undef FIRSTS
#undef SECONDS
#undef ALL_OF
#undef V
#undef R
#undef MASK
#undef WIDTH
#undef PUT
#undef ITEM
#undef LOAD
#undef IS_NARROW
#define IS_NARROW 1
#define EVEN(a, b) \
  __builtin_shufflevector(a, b, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30)
#define ODD(a, b) \
  __builtin_shufflevector(a, b, 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31)
#define EVEN_PAIRS(a, b) \
  __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
#define ODD_PAIRS(a, b)                                                                 \
  __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, \
                          31)
#define FIRSTS(a, b) \
  __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27)
#define SECONDS(a, b)                                                                   \
  __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, \
                          31)
#define ALL_OF(x)           _mm512_set1_ps(x)
#define V                   __m512
#define R                   float
#define MASK                __mmask16
#define WIDTH               16
#define PUT                 put_floats
#define ITEM                (int64_t)sizeof(float)
#define LOAD(p, mask, none) _mm512_mask_loadu_ps(none, mask, p)
#define NAME                amax_f32
#define START               ALL_OF(-INFINITY)
#define OP                  greatest_float
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
#define NAME  amin_f32
#define START ALL_OF(INFINITY)
#define OP    least_float
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
