// SPDX-License-Identifier: Apache-2.0
// Products of float for AVX-512 of long rows and columns that lie together: as inner products, a
// few of each at once, since packing would take longer than what it makes faster.
#include <immintrin.h>

#include "backends/cpu/linalg/gemm_words.h"
#include "base/template.h"

enum { SIDE = 4, LANES = 16 };

// Rows and columns of a tile; what stands in for those that there are none of is not written.
typedef struct tile {
  const float *a[SIDE], *b[SIDE];
} tile;

static inline __m512 lanes_of(const float* at, int64_t left) {
  return left >= LANES ? _mm512_loadu_ps(at)
                       : _mm512_maskz_loadu_ps((__mmask16)((1u << left) - 1), at);
}

// The sums of four vectors.
static inline __m128 add_lanes(const __m512* v) {
  __m256 half[SIDE];
  OYI_UNROLL_BY(4)
  for (int i = 0; i < SIDE; i++)
    half[i] =
        _mm256_add_ps(_mm512_castps512_ps256(v[i]), _mm512_extractf32x8_ps(v[i], 1));
  const __m256 low = _mm256_hadd_ps(half[0], half[1]),
               high = _mm256_hadd_ps(half[2], half[3]);
  const __m256 both = _mm256_hadd_ps(low, high);
  return _mm_add_ps(_mm256_castps256_ps128(both), _mm256_extractf128_ps(both, 1));
}

static __attribute__((noinline)) void dots(const tile* t, int64_t k, __m128* sums) {
  __m512 all[SIDE][SIDE];
  OYI_UNROLL_BY(4)
  for (int i = 0; i < SIDE; i++) OYI_UNROLL_BY(4)
  for (int j = 0; j < SIDE; j++) all[i][j] = _mm512_setzero_ps();
  const float *const a0 = t->a[0], *const a1 = t->a[1], *const a2 = t->a[2],
                     *const a3 = t->a[3];
  for (int64_t p = 0; p < k; p += LANES) {
    const int64_t left = k - p;
    const __m512 x[SIDE] = {lanes_of(a0 + p, left), lanes_of(a1 + p, left),
                            lanes_of(a2 + p, left), lanes_of(a3 + p, left)};
    OYI_UNROLL_BY(4)
    for (int j = 0; j < SIDE; j++) {
      const __m512 y = lanes_of(t->b[j] + p, left);
      OYI_UNROLL_BY(4)
      for (int i = 0; i < SIDE; i++) all[i][j] = _mm512_fmadd_ps(x[i], y, all[i][j]);
    }
  }
  OYI_UNROLL_BY(4)
  for (int i = 0; i < SIDE; i++) sums[i] = add_lanes(all[i]);
}

static void put(const oyi_gemm* g, int64_t i0, int64_t j0, const __m128* sums,
                const float* by_row) {
  const float alpha = (float)g->alpha.re, beta = (float)g->beta.re;
  for (int64_t i = i0; i < g->n && i < i0 + SIDE; i++) {
    float* to = (float*)g->c + i * g->c_row + j0 * g->c_column;
    const float more = by_row ? by_row[i] : 0;
    for (int64_t j = 0; j < SIDE && j < g->m - j0; j++, to += g->c_column) {
      const float sum = alpha * sums[i - i0][j];
      *to = by_row ? sum + more : beta == 0 ? sum : sum + beta * *to;
    }
  }
}

static inline int64_t up_to(int64_t i, int64_t n) {
  return i < n ? i : n - 1;
}

void oyi_gemm_inner_f32(const oyi_gemm* g, const float* by_row) {
  tile t;
  for (int64_t i = 0; i < g->n; i += SIDE) {
    for (int s = 0; s < SIDE; s++)
      t.a[s] = (const float*)g->a + up_to(i + s, g->n) * g->a_row;
    for (int64_t j = 0; j < g->m; j += SIDE) {
      __m128 sums[SIDE];
      for (int s = 0; s < SIDE; s++)
        t.b[s] = (const float*)g->b + up_to(j + s, g->m) * g->b_column;
      dots(&t, g->k, sums);
      put(g, i, j, sums, by_row);
    }
  }
}
