// SPDX-License-Identifier: Apache-2.0
// Sums and products of many short rows of integers of less than 64 bits for AVX-512, read as
// they lie. A lane takes several of them at once: so few bytes and 16-bit numbers fit into
// sums of 32 bits, and products of 64 bits hold 8 bytes, or 4 of 16 bits.
#include "backends/cpu/reduce/reduce_rows_lanes.h"

_Static_assert(OYI_REDUCE_MANY*(1 << 15) < INT32_MAX, "sums of 32 bits hold a row");

// ------------------------------------------------------------------------------- sums

typedef int32_t sums __attribute__((vector_size(64)));

static inline sums load_i16(const char* p, __mmask32 mask, sums none) {
  (void)none;
  const __m512i x = _mm512_maskz_loadu_epi16(mask, p);
  return (sums)_mm512_madd_epi16(x, _mm512_set1_epi16(1));
}
static inline sums load_i8(const char* p, __mmask64 mask, sums none) {
  (void)none;
  const __m512i x = _mm512_maskz_loadu_epi8(mask, p);
  const __m512i pairs = _mm512_maddubs_epi16(_mm512_set1_epi8(1), x);
  return (sums)_mm512_madd_epi16(pairs, _mm512_set1_epi16(1));
}
static inline sums load_u8(const char* p, __mmask64 mask, sums none) {
  (void)none;
  const __m512i x = _mm512_maskz_loadu_epi8(mask, p);
  const __m512i pairs = _mm512_maddubs_epi16(x, _mm512_set1_epi8(1));
  return (sums)_mm512_madd_epi16(pairs, _mm512_set1_epi16(1));
}
static inline void put_sums(void* to, sums a, const void* args) {
  (void)args;
  const __m512i x = (__m512i)a;
  _mm512_storeu_si512(to, _mm512_cvtepi32_epi64(_mm512_castsi512_si256(x)));
  _mm512_storeu_si512((char*)to + 64,
                      _mm512_cvtepi32_epi64(_mm512_extracti32x8_epi32(x, 1)));
}

#define IS_NARROW 1
#define EVEN      EVEN_16
#define ODD       ODD_16
#define FIRSTS    FIRSTS_16
#define SECONDS   SECONDS_16
#define V         sums
#define R         int64_t
#define WIDTH     16
#define PARTS     1
#define PUT       put_sums
#define MASK      __mmask32
#define READS     32
#define ITEM      (int64_t)sizeof(int16_t)
#define LOAD      load_i16
#define NAME      sum_i16
#define START \
  (sums) {    \
    0         \
  }
#define OP ADD
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
#undef MASK
#undef READS
#undef ITEM
#undef LOAD
#define MASK  __mmask64
#define READS 64
#define ITEM  1
#define LOAD  load_i8
#define NAME  sum_i8
#define START \
  (sums) {    \
    0         \
  }
#define OP ADD
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
#undef LOAD
#define LOAD load_u8
#define NAME sum_u8
#define START \
  (sums) {    \
    0         \
  }
#define OP ADD
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
#undef IS_NARROW
#undef EVEN
#undef ODD
#undef FIRSTS
#undef SECONDS
#undef V
#undef R
#undef WIDTH
#undef PUT
#undef MASK
#undef READS
#undef ITEM
#undef LOAD

// --------------------------------------------------------------------------- products

// Each lane of 64 bits by halves, of which products have as many bits.
static inline integers of_halves(__m512i x) {
  return (integers)_mm512_mul_epi32(x, _mm512_srli_epi64(x, 32));
}
static inline __m512i of_words(__m512i x) {
  const __m512i low = _mm512_srai_epi32(_mm512_slli_epi32(x, 16), 16);
  return _mm512_mullo_epi32(low, _mm512_srai_epi32(x, 16));
}

static inline integers load_i32(const char* p, __mmask8 mask, integers none) {
  const __m256i x = _mm256_maskz_loadu_epi32(mask, p);
  return (integers)_mm512_mask_cvtepi32_epi64((__m512i)none, mask, x);
}
static inline integers load_product_i32(const char* p, __mmask16 mask, integers none) {
  (void)none;
  return of_halves(_mm512_mask_loadu_epi32(_mm512_set1_epi32(1), mask, p));
}
static inline integers load_product_i16(const char* p, __mmask32 mask, integers none) {
  (void)none;
  return of_halves(of_words(_mm512_mask_loadu_epi16(_mm512_set1_epi16(1), mask, p)));
}
static inline integers load_product_i8(const char* p, __mmask64 mask, integers none) {
  (void)none;
  const __m512i x = _mm512_mask_loadu_epi8(_mm512_set1_epi8(1), mask, p);
  const __m512i low = _mm512_srai_epi16(_mm512_slli_epi16(x, 8), 8);
  const __m512i pairs = _mm512_mullo_epi16(low, _mm512_srai_epi16(x, 8));
  return of_halves(of_words(pairs));
}
static inline integers load_product_u8(const char* p, __mmask64 mask, integers none) {
  (void)none;
  const __m512i x = _mm512_mask_loadu_epi8(_mm512_set1_epi8(1), mask, p);
  const __m512i low = _mm512_and_si512(x, _mm512_set1_epi16(0xff));
  const __m512i pairs = _mm512_mullo_epi16(low, _mm512_srli_epi16(x, 8));
  const __m512i fours = _mm512_mullo_epi32(
      _mm512_and_si512(pairs, _mm512_set1_epi32(0xffff)), _mm512_srli_epi32(pairs, 16));
  return (integers)_mm512_mul_epu32(fours, _mm512_srli_epi64(fours, 32));
}

#define IS_NARROW 0
#define EVEN      EVEN_8
#define ODD       ODD_8
#define FIRSTS    FIRSTS_8
#define SECONDS   SECONDS_8
#define V         integers
#define R         uint64_t
#define WIDTH     8
#define PUT       put_i64
#define MASK      __mmask8
#define ITEM      (int64_t)sizeof(int32_t)
#define LOAD      load_i32
#define NAME      sum_i32
#define START     ALL_OF(0)
#define OP        ADD
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
#undef MASK
#undef LOAD
#define MASK  __mmask16
#define READS 16
#define LOAD  load_product_i32
#define NAME  prod_i32
#define START ALL_OF(1)
#define OP    MULTIPLY
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
#undef MASK
#undef READS
#undef ITEM
#undef LOAD
#define MASK  __mmask32
#define READS 32
#define ITEM  (int64_t)sizeof(int16_t)
#define LOAD  load_product_i16
#define NAME  prod_i16
#define START ALL_OF(1)
#define OP    MULTIPLY
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
#undef MASK
#undef READS
#undef ITEM
#undef LOAD
#define MASK  __mmask64
#define READS 64
#define ITEM  1
#define LOAD  load_product_i8
#define NAME  prod_i8
#define START ALL_OF(1)
#define OP    MULTIPLY
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
#undef LOAD
#define LOAD  load_product_u8
#define NAME  prod_u8
#define START ALL_OF(1)
#define OP    MULTIPLY
#include "backends/cpu/reduce/reduce_rows_tmpl.h"
