// SPDX-License-Identifier: Apache-2.0
// Products for AVX-512 of whole numbers, of rows and columns that lie together: as inner products,
// a few of each at once. Given: T, unsigned, and ID; LANES of a vector; LANES_AT(at, there); TIMES
// and PLUS of vectors; ADD_LANES(v, to), the sums of each of four vectors.

typedef struct OYI_JOIN(tile, ID) {
  const T *a[SIDE], *b[SIDE];  // where there are fewer, others stand in for them
} OYI_JOIN(tile, ID);

static inline __attribute__((always_inline)) void OYI_JOIN(dots, ID)(
    const int columns, const OYI_JOIN(tile, ID) * t, int64_t k, T (*sums)[SIDE]) {
  __m512i all[SIDE][SIDE];
  OYI_UNROLL
  for (int i = 0; i < SIDE; i++) OYI_UNROLL
  for (int j = 0; j < SIDE; j++) all[i][j] = _mm512_setzero_si512();
  for (int64_t p = 0; p < k; p += LANES) {
    const __mmask16 there =
        (__mmask16)(k - p >= LANES ? (1u << LANES) - 1 : (1u << (k - p)) - 1);
    __m512i b[SIDE];
    OYI_UNROLL
    for (int j = 0; j < columns; j++) b[j] = LANES_AT(t->b[j] + p, there);
    OYI_UNROLL
    for (int i = 0; i < SIDE; i++) {
      const __m512i a = LANES_AT(t->a[i] + p, there);
      OYI_UNROLL
      for (int j = 0; j < columns; j++) all[i][j] = PLUS(all[i][j], TIMES(a, b[j]));
    }
  }
  OYI_UNROLL
  for (int i = 0; i < SIDE; i++) ADD_LANES(all[i], sums[i]);
}

static void OYI_JOIN(put, ID)(const oyi_gemm* g, int64_t i0, int64_t j0,
                              T (*sums)[SIDE]) {
  const T alpha = (T)NUMBER(g->alpha), beta = (T)NUMBER(g->beta);
  for (int64_t i = i0; i < g->n && i < i0 + SIDE; i++) {
    T* to = (T*)g->c + i * g->c_row + j0 * g->c_column;
    for (int64_t j = 0; j < SIDE && j < g->m - j0; j++, to += g->c_column)
      *to = alpha * sums[i - i0][j] + (beta == 0 ? 0 : beta * *to);
  }
}

static void OYI_JOIN(inner, ID)(const oyi_gemm* g) {
  OYI_JOIN(tile, ID) t;
  T sums[SIDE][SIDE];
  for (int64_t i = 0; i < g->n; i += SIDE) {
    for (int64_t s = 0; s < SIDE; s++)
      t.a[s] = (const T*)g->a + (i + s < g->n ? i + s : g->n - 1) * g->a_row;
    for (int64_t j = 0; j < g->m; j += SIDE) {
      for (int64_t s = 0; s < SIDE; s++)
        t.b[s] = (const T*)g->b + (j + s < g->m ? j + s : g->m - 1) * g->b_column;
      switch (g->m - j) {
        case 1: OYI_JOIN(dots, ID)(1, &t, g->k, sums); break;
        case 2: OYI_JOIN(dots, ID)(2, &t, g->k, sums); break;
        case 3: OYI_JOIN(dots, ID)(3, &t, g->k, sums); break;
        default: OYI_JOIN(dots, ID)(4, &t, g->k, sums);
      }
      OYI_JOIN(put, ID)(g, i, j, sums);
    }
  }
}
