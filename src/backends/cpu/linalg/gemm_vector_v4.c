// SPDX-License-Identifier: Apache-2.0
// Products with a vector for AVX-512, of matrices whose rows lie together and are short: a
// register for each of several rows, which are added up across all at once.
#include <string.h>

#include "backends/cpu/linalg/gemm.h"
#include "backends/cpu/linalg/gemm_across_body.h"
#include "tensor/half.h"

static inline __m512i counted_32(void) {
  return _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}
static inline __m512i counted_64(void) {
  return _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
}

// ------------------------------------------------------------------------- real numbers

#define PARTS    1
#define BEGIN(x) (x)
// What a sum makes of the number at |to|.
#define STORE(g, sums, i, to)                                                        \
  do {                                                                               \
    const W value = (W)(g)->alpha.re * (sums)[i];                                    \
    *(to) = TO_T((g)->beta.re == 0 ? value : value + (W)(g)->beta.re * FROM_T(*to)); \
  } while (0)

#define ADD_TO(g, sums, old)                     \
  ((g)->beta.re == 0 ? (W)(g)->alpha.re * (sums) \
                     : (W)(g)->alpha.re * (sums) + (W)(g)->beta.re * (old))

#define W                float
#define ROWS             16
#define LANES            16
#define VECTOR           __m512
#define BEGUN            __m512
#define FIRST(count)     first(count, 16)
#define ADD(sum, row, x) _mm512_fmadd_ps(row, x, sum)
#define ADD_ACROSS       across_16
#define PERMUTE(at, x)   _mm512_permutexvar_ps(at, x)
#define ROW_OF(first, inverse)                                                     \
  _mm512_srli_epi32(                                                               \
      _mm512_mullo_epi32(_mm512_add_epi32(counted_32(), _mm512_set1_epi32(first)), \
                         _mm512_set1_epi32(inverse)),                              \
      16)

#define T                   float
#define ID                  f32
#define FROM_T(x)           (x)
#define TO_T(x)             (x)
#define LOAD(at, mask)      _mm512_maskz_loadu_ps((__mmask16)(mask), at)
#define PUT(to, rows, sums) _mm512_mask_storeu_ps(to, (__mmask16)FIRST(rows), sums)
#include "backends/cpu/linalg/gemm_vector_tmpl.h"
#undef T
#undef ID
#undef FROM_T
#undef TO_T
#undef LOAD
#undef PUT

// As oyi_bf16_from_float has them.
static inline __m256i nearest(__m512 x) {
  const __m512i u = _mm512_castps_si512(x);
  const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(u, 16), _mm512_set1_epi32(1));
  const __m512i up =
      _mm512_add_epi32(_mm512_add_epi32(u, odd), _mm512_set1_epi32(0x7fff));
  const __m512i rounded = _mm512_mask_mov_epi32(_mm512_srli_epi32(up, 16),
                                                _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q),
                                                _mm512_set1_epi32(0x7fc0));
  return _mm512_cvtepi32_epi16(rounded);
}
static inline __m512 wide(__m256i x) {
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(x), 16));
}
#define T              uint16_t
#define ID             bf16
#define FROM_T(x)      oyi_bf16_to_float(x)
#define TO_T(x)        oyi_bf16_from_float(x)
#define LOAD(at, mask) wide(_mm256_maskz_loadu_epi16((__mmask16)(mask), at))
#define PUT(to, rows, sums) \
  _mm256_mask_storeu_epi16(to, (__mmask16)FIRST(rows), nearest(sums))
#include "backends/cpu/linalg/gemm_vector_tmpl.h"
// Rows of two that follow each other: pairs lie as words do, and need not be added up across.
static __attribute__((noinline)) void pairs_by_vector_bf16(const oyi_gemm* g,
                                                           const uint16_t* x) {
  const __m512 first_x = _mm512_set1_ps(oyi_bf16_to_float(x[0]));
  const __m512 second_x = _mm512_set1_ps(oyi_bf16_to_float(x[1]));
  const uint16_t* a = g->a;
  uint16_t* to = g->c;
  for (int64_t i = 0; i < g->n; i += LANES) {
    const __mmask16 there = (__mmask16)FIRST(g->n - i);
    const __m512i pairs = _mm512_maskz_loadu_epi32(there, a + 2 * i);
    const __m512 even = _mm512_castsi512_ps(_mm512_slli_epi32(pairs, 16));
    const __m512 odd = _mm512_castsi512_ps(
        _mm512_and_si512(pairs, _mm512_set1_epi32((int32_t)UINT32_C(0xffff0000))));
    const __m512 sums = _mm512_fmadd_ps(odd, second_x, _mm512_mul_ps(even, first_x));
    PUT(to + i, g->n - i, sums);
  }
}
#undef T
#undef ID
#undef FROM_T
#undef TO_T
#undef LOAD
#undef PUT
#undef W
#undef ROWS
#undef LANES
#undef VECTOR
#undef BEGUN
#undef FIRST
#undef ADD
#undef ADD_ACROSS
#undef PERMUTE
#undef ROW_OF

#define W                double
#define T                double
#define ID               f64
#define ROWS             8
#define LANES            8
#define VECTOR           __m512d
#define BEGUN            __m512d
#define FIRST(count)     first(count, 8)
#define FROM_T(x)        (x)
#define TO_T(x)          (x)
#define ADD(sum, row, x) _mm512_fmadd_pd(row, x, sum)
#define ADD_ACROSS       across_8
#define PERMUTE(at, x)   _mm512_permutexvar_pd(at, x)
#define ROW_OF(first, inverse)                                                   \
  _mm512_srli_epi64(                                                             \
      _mm512_mul_epu32(_mm512_add_epi64(counted_64(), _mm512_set1_epi64(first)), \
                       _mm512_set1_epi64(inverse)),                              \
      16)
#define LOAD(at, mask)      _mm512_maskz_loadu_pd((__mmask8)(mask), at)
#define PUT(to, rows, sums) _mm512_mask_storeu_pd(to, (__mmask8)FIRST(rows), sums)
#include "backends/cpu/linalg/gemm_vector_tmpl.h"
#undef W
#undef T
#undef ID
#undef VECTOR
#undef BEGUN
#undef FROM_T
#undef TO_T
#undef ADD
#undef ADD_ACROSS
#undef PERMUTE
#undef ROW_OF
#undef LOAD
#undef PUT
#undef PARTS
#undef BEGIN
#undef STORE
#undef ADD_TO

// ----------------------------------------------------------------------- complex numbers

// Both parts twice, the imaginary one with the signs that it has in a product.
typedef struct twice {
  __m512 re, im;
} twice;
static inline twice begin_complex(__m512 x) {
  const __m512i sign = _mm512_set1_epi64(INT64_C(0x80000000));
  const __m512i im = _mm512_castps_si512(_mm512_movehdup_ps(x));
  return (twice){_mm512_moveldup_ps(x), _mm512_castsi512_ps(_mm512_xor_si512(im, sign))};
}
static inline __m512 add_complex(__m512 sum, __m512 row, twice x) {
  sum = _mm512_fmadd_ps(row, x.re, sum);
  return _mm512_fmadd_ps(_mm512_permute_ps(row, 0xb1), x.im, sum);
}
static inline void store_complex(const oyi_gemm* g, __m512 sums, int64_t i, float* to) {
  const oyi_number alpha = g->alpha, beta = g->beta;
  const double re = sums[2 * i], im = sums[2 * i + 1], a = to[0], b = to[1];
  const bool reads = beta.re != 0 || beta.im != 0;
  to[0] =
      (float)(alpha.re * re - alpha.im * im + (reads ? beta.re * a - beta.im * b : 0));
  to[1] =
      (float)(alpha.re * im + alpha.im * re + (reads ? beta.re * b + beta.im * a : 0));
}
#define T          float
#define ID         c64
#define PARTS      2
#define VECTOR     __m512
#define BEGUN      twice
#define BEGIN(x)   begin_complex(x)
#define ADD        add_complex
#define ADD_ACROSS across_8_complex
#define LOAD(at, mask) \
  _mm512_castpd_ps(    \
      _mm512_maskz_loadu_pd((__mmask8)(mask), (const double*)(const void*)(at)))
#define PUT(to, rows, sums)                                          \
  _mm512_mask_storeu_pd((double*)(void*)(to), (__mmask8)FIRST(rows), \
                        _mm512_castps_pd(sums))
#define STORE                store_complex
#define ADD_TO(g, sums, old) (sums)
#include "backends/cpu/linalg/gemm_vector_tmpl.h"

// ------------------------------------------------------------------------- the choice

// What reads |x| for |k| elements of |item| bytes: where it lies, or copied together.
static const void* together(const oyi_gemm* g, int64_t item, char* room, int64_t most) {
  if (g->b_row == 1) return g->b;
  if (g->k * item > most) return NULL;
  for (int64_t p = 0; p < g->k; p++)
    memcpy(room + p * item, (const char*)g->b + p * g->b_row * item, (size_t)item);
  return room;
}

static bool is_plain(const oyi_gemm* g) {
  return g->alpha.re == 1 && g->alpha.im == 0 && g->beta.re == 0 && g->beta.im == 0 &&
         g->c_row == 1;
}

// Few columns that follow each other.
static bool by_narrow(oy_dtype dtype, const oyi_gemm* g) {
  if (g->b_row != 1) return false;
  switch (dtype) {
    case OY_DTYPE_F32: narrow_by_vector_f32(g, g->b); return true;
    case OY_DTYPE_BF16: narrow_by_vector_bf16(g, g->b); return true;
    case OY_DTYPE_F64:
      if (g->n > 8) return false;
      narrow_by_vector_f64(g, g->b);
      return true;
    default: return false;
  }
}

bool oyi_gemm_by_vector_v4(oy_dtype dtype, const oyi_gemm* g) {
  enum { MANY = 16, MANY_BF16 = 8, MANY_F64 = 6, ROOM = 4096 };
  const int64_t many = dtype == OY_DTYPE_F64    ? MANY_F64
                       : dtype == OY_DTYPE_BF16 ? MANY_BF16
                                                : MANY;
  char room[ROOM] __attribute__((aligned(64)));
  if (oyi_gemm_is_narrow(g)) return by_narrow(dtype, g);
  if (g->m != 1 || g->n < many || g->k < 1 || g->conjugate ||
      (g->a_column != 1 && g->k > 1))
    return false;
  const int64_t item = oyi_dtype_bytes[dtype];
  const void* x = together(g, item, room, ROOM);
  if (!x) return false;
  switch (dtype) {
    case OY_DTYPE_F32: by_vector_f32(g, x); return true;
    case OY_DTYPE_F64: by_vector_f64(g, x); return true;
    case OY_DTYPE_BF16:
      if (g->k == 2 && g->a_row == 2 && is_plain(g))
        pairs_by_vector_bf16(g, x);
      else
        by_vector_bf16(g, x);
      return true;
    case OY_DTYPE_C64: by_vector_c64(g, x); return true;
    default: return false;
  }
}
