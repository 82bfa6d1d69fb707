// SPDX-License-Identifier: Apache-2.0
// What files of reduce_rows_tmpl.h begin with: how vectors of eight and of sixteen lanes are
// joined, for AVX-512.
#ifndef OPYARD_SRC_BACKENDS_CPU_REDUCE_REDUCE_ROWS_LANES_H_
#define OPYARD_SRC_BACKENDS_CPU_REDUCE_REDUCE_ROWS_LANES_H_

#include <immintrin.h>
#include <math.h>

#include "backends/cpu/reduce/reduce_rows.h"
#include "base/template.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#define OYI_UNROLL OYI_UNROLL_BY(16)

// Of pairs of vectors: lanes, and pairs of lanes, by turns of one and the other.
#define EVEN_8(a, b)    __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14)
#define ODD_8(a, b)     __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15)
#define FIRSTS_8(a, b)  __builtin_shufflevector(a, b, 0, 1, 4, 5, 8, 9, 12, 13)
#define SECONDS_8(a, b) __builtin_shufflevector(a, b, 2, 3, 6, 7, 10, 11, 14, 15)
// Of sixteen lanes, and fours of them.
#define EVEN_16(a, b) \
  __builtin_shufflevector(a, b, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30)
#define ODD_16(a, b) \
  __builtin_shufflevector(a, b, 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31)
#define EVEN_PAIRS(a, b) \
  __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
#define ODD_PAIRS(a, b)                                                                 \
  __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, \
                          31)
#define FIRSTS_16(a, b) \
  __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27)
#define SECONDS_16(a, b)                                                                \
  __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, \
                          31)

#define ADD(a, b)      ((a) + (b))
#define MULTIPLY(a, b) ((a) * (b))
#define ALL_OF(x) \
  { x, x, x, x, x, x, x, x }

// Sums with the number of elements as |args| are means.
static inline void put_f64(void* to, __m512d a, const void* args) {
  if (args) a /= *(const double*)args;
  _mm512_storeu_pd(to, a);
}
// Of complex numbers: where a part is infinite, or no number, the other one is none.
static inline void put_c128(void* to, __m512d a, const void* args) {
  if (args) {
    a /= *(const double*)args;
    const __m512d others = _mm512_mul_pd(_mm512_permute_pd(a, 0x55), _mm512_setzero_pd());
    a = _mm512_fmsubadd_pd(a, _mm512_set1_pd(1), others);
  }
  _mm512_storeu_pd(to, a);
}
static inline void put_roots(void* to, __m512d a, const void* args) {
  (void)args;
  _mm512_storeu_pd(to, _mm512_sqrt_pd(a));
}

// 64-bit integers, which wrap.
typedef uint64_t integers __attribute__((vector_size(64)));
static inline void put_i64(void* to, integers a, const void* args) {
  (void)args;
  _mm512_storeu_si512(to, (__m512i)a);
}

#endif  // OPYARD_SRC_BACKENDS_CPU_REDUCE_REDUCE_ROWS_LANES_H_
