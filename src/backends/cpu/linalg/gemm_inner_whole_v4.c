// SPDX-License-Identifier: Apache-2.0
// Inner products of int32 and int64, which wrap. Where few columns are to be made, the tiles of the
// blocked product would be empty for the most part, and a pass for each takes rows of a again.
#include <immintrin.h>

#include "backends/cpu/linalg/gemm.h"
#include "backends/cpu/linalg/gemm_across_body.h"

#define NUMBER(x) ((x).kind == OYI_NUMBER_FLOAT ? (int64_t)(x).re : (x).i)

enum { SIDE = 4 };

static inline __m256i halves_i64(__m512i a, __m512i b) {
  const __m512i sums =
      _mm512_add_epi64(_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b));
  return _mm256_add_epi64(_mm512_castsi512_si256(sums),
                          _mm512_extracti64x4_epi64(sums, 1));
}
static inline __attribute__((always_inline)) void add_i64(const __m512i* v, void* to) {
  const __m256i low = halves_i64(v[0], v[1]), high = halves_i64(v[2], v[3]);
  _mm256_storeu_si256(to, _mm256_add_epi64(_mm256_permute2x128_si256(low, high, 0x20),
                                           _mm256_permute2x128_si256(low, high, 0x31)));
}

#define T                   uint32_t
#define ID                  i32
#define LANES               16
#define LANES_AT(at, there) _mm512_maskz_loadu_epi32(there, at)
#define TIMES(a, b)         _mm512_mullo_epi32(a, b)
#define PLUS(a, b)          _mm512_add_epi32(a, b)
#define ADD_LANES(v, to)    _mm_storeu_si128((__m128i*)(void*)(to), across_4_i32(v))
#include "backends/cpu/linalg/gemm_inner_whole_tmpl.h"
#undef T
#undef ID
#undef LANES
#undef LANES_AT
#undef TIMES
#undef PLUS
#undef ADD_LANES

#define T                   uint64_t
#define ID                  i64
#define LANES               8
#define LANES_AT(at, there) _mm512_maskz_loadu_epi64((__mmask8)(there), at)
#define TIMES(a, b)         _mm512_mullo_epi64(a, b)
#define PLUS(a, b)          _mm512_add_epi64(a, b)
#define ADD_LANES(v, to)    add_i64(v, to)
#include "backends/cpu/linalg/gemm_inner_whole_tmpl.h"

// Of a vector others take more at once where rows are long.
static bool is_worth(const oyi_gemm* g) {
  enum { FEW = 8, SHORT = 8, SOME = 8, TILED = 4, LONG = 512 };
  if (g->n < SOME || g->m > FEW || g->k < SHORT) return false;
  if (g->m == 1) return g->k >= 2 * SHORT && g->k <= LONG;
  return g->m < TILED || g->k >= 2 * SHORT;  // tiles are worth packing for short rows
}

bool oyi_gemm_inner_whole_v4(oy_dtype dtype, const oyi_gemm* given) {
  const oyi_gemm flipped = oyi_gemm_flipped(given);
  const oyi_gemm* g = given->n < given->m ? &flipped : given;
  if (g->a_column != 1 || g->b_row != 1 || !is_worth(g)) return false;
  if (dtype == OY_DTYPE_I32)
    inner_i32(g);
  else
    inner_i64(g);
  return true;
}
