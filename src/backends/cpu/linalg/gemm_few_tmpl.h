// SPDX-License-Identifier: Apache-2.0
// Products of one type of matrices of which two sides are a few numbers, as many points by a
// transformation: loops over these have constant lengths, so that sums stay in registers.
// Given: T, W, ID, LOAD(x), STORE(w) and TIMES(w, w), as gemm_tmpl.h has them.

// Rows of |k| numbers by |k| x |m|, to rows or to columns.
static inline __attribute__((always_inline)) void OYI_JOIN(points_of,
                                                           ID)(const int k, const int m,
                                                               const bool rows,
                                                               const oyi_gemm* g) {
  W by[8][4];
  for (int p = 0; p < k; p++)
    for (int j = 0; j < m; j++)
      by[p][j] = (W)LOAD(((const T*)g->b)[p * g->b_row + j * g->b_column]);
  const T* restrict a = g->a;
  T* restrict to = g->c;
  const int64_t row = rows ? m : 1, column = rows ? 1 : g->c_column;
  for (int64_t i = 0; i < g->n; i++) {
    OYI_UNROLL
    for (int j = 0; j < m; j++) {
      W sum = TIMES((W)LOAD(a[i * k]), by[0][j]);
      OYI_UNROLL
      for (int p = 1; p < k; p++) sum += TIMES((W)LOAD(a[i * k + p]), by[p][j]);
      to[i * row + j * column] = (T)STORE(sum);
    }
  }
}

// |n| columns by as many, all along: sums of every LANES-th row side by side.
static inline __attribute__((always_inline)) void OYI_JOIN(squares_of,
                                                           ID)(const int n,
                                                               const oyi_gemm* g) {
  enum { LANES = GEMM_BYTES / sizeof(W) };
  W sums[4][4][LANES] = {{{0}}};
  const T *a = g->a, *b = g->b;
  int64_t p = 0;
  for (; p + LANES <= g->k; p += LANES, a += n * LANES, b += n * LANES)
    for (int l = 0; l < LANES; l++) {
      OYI_UNROLL
      for (int i = 0; i < n; i++) OYI_UNROLL
      for (int j = 0; j < n; j++)
        sums[i][j][l] += TIMES((W)LOAD(a[l * n + i]), (W)LOAD(b[l * n + j]));
    }
  for (int l = 0; p < g->k; p++, l++)
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        sums[i][j][l] += TIMES((W)LOAD(a[l * n + i]), (W)LOAD(b[l * n + j]));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      W sum = 0;
      for (int l = 0; l < LANES; l++) sum += sums[i][j][l];
      ((T*)g->c)[i * g->c_row + j * g->c_column] = (T)STORE(sum);
    }
}

#define POINTS(rows)                                             \
  switch (4 * g->k + g->m) {                                     \
    case 8 + 2: OYI_JOIN(points_of, ID)(2, 2, rows, g); return;  \
    case 8 + 3: OYI_JOIN(points_of, ID)(2, 3, rows, g); return;  \
    case 8 + 4: OYI_JOIN(points_of, ID)(2, 4, rows, g); return;  \
    case 12 + 2: OYI_JOIN(points_of, ID)(3, 2, rows, g); return; \
    case 12 + 3: OYI_JOIN(points_of, ID)(3, 3, rows, g); return; \
    case 12 + 4: OYI_JOIN(points_of, ID)(3, 4, rows, g); return; \
    case 16 + 2: OYI_JOIN(points_of, ID)(4, 2, rows, g); return; \
    case 16 + 3: OYI_JOIN(points_of, ID)(4, 3, rows, g); return; \
    default: OYI_JOIN(points_of, ID)(4, 4, rows, g); return;     \
  }
static __attribute__((noinline)) void OYI_JOIN(points, ID)(const oyi_gemm* g) {
  if (g->c_column == 1 && g->c_row == g->m) POINTS(true)
  POINTS(false)
}
#undef POINTS

static __attribute__((noinline)) void OYI_JOIN(squares, ID)(const oyi_gemm* g) {
  switch (g->n) {
    case 2: OYI_JOIN(squares_of, ID)(2, g); break;
    case 3: OYI_JOIN(squares_of, ID)(3, g); break;
    default: OYI_JOIN(squares_of, ID)(4, g);
  }
}

// |k| rows of b, each of them times an element of a row of a, added up in rows of c.
static inline __attribute__((always_inline)) void OYI_JOIN(shallow_of,
                                                           ID)(const int k,
                                                               const oyi_gemm* g) {
  const int64_t m = g->m, step = g->b_row;
  const T *a = g->a, *restrict b = g->b;
  for (int64_t i = 0; i < g->n; i++, a += g->a_row) {
    T* restrict to = (T*)g->c + i * g->c_row;
    W by[8];
    for (int p = 0; p < k; p++) by[p] = (W)LOAD(a[p * g->a_column]);
    for (int64_t j = 0; j < m; j++) {
      W sum = TIMES(by[0], (W)LOAD(b[j]));
      OYI_UNROLL
      for (int p = 1; p < k; p++) sum += TIMES(by[p], (W)LOAD(b[j + p * step]));
      to[j] = (T)STORE(sum);
    }
  }
}

static __attribute__((noinline)) bool OYI_JOIN(shallow, ID)(const oyi_gemm* g) {
  enum { WIDE = 16 };
  if (g->m < WIDE || g->b_column != 1 || g->c_column != 1) return false;
  switch (g->k) {
    case 2: OYI_JOIN(shallow_of, ID)(2, g); return true;
    case 3: OYI_JOIN(shallow_of, ID)(3, g); return true;
    case 4: OYI_JOIN(shallow_of, ID)(4, g); return true;
    case 5: OYI_JOIN(shallow_of, ID)(5, g); return true;
    case 6: OYI_JOIN(shallow_of, ID)(6, g); return true;
    case 7: OYI_JOIN(shallow_of, ID)(7, g); return true;
    case 8: OYI_JOIN(shallow_of, ID)(8, g); return true;
    default: return false;
  }
}

// Rows of a few numbers by a vector.
static __attribute__((noinline)) bool OYI_JOIN(vector_of_few, ID)(const oyi_gemm* g) {
  enum { MANY = 32 };
  if (g->n < MANY || g->a_column != 1 || g->a_row != g->k || g->c_row != 1) return false;
  switch (g->k) {
    case 2: OYI_JOIN(points_of, ID)(2, 1, true, g); return true;
    case 3: OYI_JOIN(points_of, ID)(3, 1, true, g); return true;
    case 4: OYI_JOIN(points_of, ID)(4, 1, true, g); return true;
    case 5: OYI_JOIN(points_of, ID)(5, 1, true, g); return true;
    case 6: OYI_JOIN(points_of, ID)(6, 1, true, g); return true;
    case 7: OYI_JOIN(points_of, ID)(7, 1, true, g); return true;
    case 8:
      if (sizeof(T) == 1) return false;  // compilers take eight bytes apart one by one
      OYI_JOIN(points_of, ID)(8, 1, true, g);
      return true;
    default: return false;
  }
}

// Whether it did: with results that are sums alone.
static inline bool OYI_JOIN(few, ID)(const oyi_gemm* g) {
  switch (oyi_gemm_few_of(g)) {
    case OYI_GEMM_POINTS: OYI_JOIN(points, ID)(g); return true;
    case OYI_GEMM_TURNED: {
      const oyi_gemm flipped = oyi_gemm_flipped(g);
      OYI_JOIN(points, ID)(&flipped);
      return true;
    }
    case OYI_GEMM_SQUARES: OYI_JOIN(squares, ID)(g); return true;
    default: break;
  }
  return g->m == 1 ? OYI_JOIN(vector_of_few, ID)(g) : OYI_JOIN(shallow, ID)(g);
}
