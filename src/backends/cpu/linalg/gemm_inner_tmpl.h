// SPDX-License-Identifier: Apache-2.0
// Products for AVX-512 of long rows and columns that lie together: as inner products, a few of each
// at once, since packing would take longer than what it makes faster. Given: T, the type in
// memory; LANES, how many a vector has; LANES_AT(at, left), those at |at|, zeros from |left| on;
// ADD(sums, a, b), sixteen sums and the products of vectors of these; LOAD(x) and STORE(w), as in
// gemm_tmpl.h. Leaves inner(g, by_row).
#include "backends/cpu/linalg/gemm_across_body.h"

enum { SIDE = 4 };

// Rows and columns of a tile; what stands in for those that there are none of is not written.
typedef struct tile {
  const T *a[SIDE], *b[SIDE];
} tile;

static __attribute__((noinline)) void dots(const tile* t, int64_t k, __m128* sums) {
  __m512 all[SIDE][SIDE];
  OYI_UNROLL_BY(4)
  for (int i = 0; i < SIDE; i++) OYI_UNROLL_BY(4)
  for (int j = 0; j < SIDE; j++) all[i][j] = _mm512_setzero_ps();
  const T *const a0 = t->a[0], *const a1 = t->a[1], *const a2 = t->a[2],
                 *const a3 = t->a[3];
  for (int64_t p = 0; p < k; p += LANES) {
    const int64_t left = k - p;
    const __m512i x[SIDE] = {LANES_AT(a0 + p, left), LANES_AT(a1 + p, left),
                             LANES_AT(a2 + p, left), LANES_AT(a3 + p, left)};
    OYI_UNROLL_BY(4)
    for (int j = 0; j < SIDE; j++) {
      const __m512i y = LANES_AT(t->b[j] + p, left);
      OYI_UNROLL_BY(4)
      for (int i = 0; i < SIDE; i++) all[i][j] = ADD(all[i][j], x[i], y);
    }
  }
  OYI_UNROLL_BY(4)
  for (int i = 0; i < SIDE; i++) sums[i] = across_4(all[i]);
}

static void put(const oyi_gemm* g, int64_t i0, int64_t j0, const __m128* sums,
                const float* by_row) {
  const float alpha = (float)g->alpha.re, beta = (float)g->beta.re;
  for (int64_t i = i0; i < g->n && i < i0 + SIDE; i++) {
    T* to = (T*)g->c + i * g->c_row + j0 * g->c_column;
    const float more = by_row ? by_row[i] : 0;
    for (int64_t j = 0; j < SIDE && j < g->m - j0; j++, to += g->c_column) {
      const float sum = alpha * sums[i - i0][j];
      *to = STORE(by_row ? sum + more : beta == 0 ? sum : sum + beta * LOAD(*to));
    }
  }
}

static inline int64_t up_to(int64_t i, int64_t n) {
  return i < n ? i : n - 1;
}

static void inner(const oyi_gemm* g, const float* by_row) {
  tile t;
  for (int64_t i = 0; i < g->n; i += SIDE) {
    for (int s = 0; s < SIDE; s++)
      t.a[s] = (const T*)g->a + up_to(i + s, g->n) * g->a_row;
    for (int64_t j = 0; j < g->m; j += SIDE) {
      __m128 sums[SIDE];
      for (int s = 0; s < SIDE; s++)
        t.b[s] = (const T*)g->b + up_to(j + s, g->m) * g->b_column;
      dots(&t, g->k, sums);
      put(g, i, j, sums, by_row);
    }
  }
}
