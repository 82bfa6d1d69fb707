// SPDX-License-Identifier: Apache-2.0
// Few rows by few columns of one type, of which gemm_thin_v4.c keeps the choice. Given: T; ID;
// VECTOR, of LANES; FIRST(count), as a mask; LOAD(at, mask), zeros where it is not set; PUT(at,
// mask, x); ALL(x), |x| in each lane; FMA(a, b, c), a x b + c; ADD_ACROSS(sums, count, to), the
// sums of each of |count| vectors.

// |rows| rows of |m| results each, |row| apart in |sums|, as they are or with what was there.
static inline __attribute__((always_inline)) void OYI_JOIN(put, ID)(const oyi_gemm* g,
                                                                    const T* sums,
                                                                    int64_t row, T* to) {
  const T alpha = (T)g->alpha.re, beta = (T)g->beta.re;
  for (int64_t i = 0; i < g->n; i++, sums += row, to += g->c_row)
    for (int64_t j = 0; j < g->m; j++) {
      T* at = to + j * g->c_column;
      *at = beta == 0 ? alpha * sums[j] : alpha * sums[j] + beta * *at;
    }
}

// ------------------------------------------------- rows of b, times numbers of a

// |rows| rows of c, all columns in a vector; |sets|: of sums, which do not wait for each other.
static inline __attribute__((always_inline)) void OYI_JOIN(some_rows, ID)(
    const int rows, const int sets, const oyi_gemm* g, const T* a, const T* b,
    __mmask16 there, VECTOR* sums) {
  const int64_t row = g->a_row, column = g->a_column, step = g->b_row;
  VECTOR all[8][8];
  for (int s = 0; s < sets; s++) OYI_UNROLL
  for (int i = 0; i < rows; i++) all[s][i] = (VECTOR){0};
  int64_t left = g->k;
  for (; left >= sets; left -= sets, a += sets * column, b += sets * step) OYI_UNROLL
  for (int s = 0; s < sets; s++) {
    const VECTOR x = LOAD(b + s * step, there);
    OYI_UNROLL
    for (int i = 0; i < rows; i++)
      all[s][i] = FMA(ALL(a[i * row + s * column]), x, all[s][i]);
  }
  for (; left > 0; left--, a += column, b += step) {
    const VECTOR x = LOAD(b, there);
    OYI_UNROLL
    for (int i = 0; i < rows; i++) all[0][i] = FMA(ALL(a[i * row]), x, all[0][i]);
  }
  OYI_UNROLL
  for (int i = 0; i < rows; i++) {
    sums[i] = all[0][i];
    if (sets > 1) sums[i] += all[1][i];
    if (sets > 2) sums[i] += all[2][i] + all[3][i];
    if (sets > 4) sums[i] += (all[4][i] + all[5][i]) + (all[6][i] + all[7][i]);
  }
}

static inline __attribute__((always_inline)) void OYI_JOIN(all_by_rows, ID)(
    const int rows, const int sets, const oyi_gemm* g, const oyi_gemm_steps* steps) {
  const __mmask16 there = FIRST(g->m);
  const bool is_plain = g->alpha.re == 1 && g->beta.re == 0 && g->c_column == 1;
  const T *a = g->a, *b = g->b;
  T* to = g->c;
  for (int64_t i = 0; i < steps->count; i++) {
    VECTOR sums[8];
    OYI_JOIN(some_rows, ID)(rows, sets, g, a, b, there, sums);
    if (is_plain) {
      OYI_UNROLL
      for (int r = 0; r < rows; r++) PUT(to + r * g->c_row, there, sums[r]);
    } else {
      T values[8 * LANES] __attribute__((aligned(64)));
      memcpy(values, sums, (size_t)rows * sizeof(VECTOR));
      OYI_JOIN(put, ID)(g, values, LANES, to);
    }
    a += steps->a, b += steps->b, to += steps->c;
  }
}

static __attribute__((noinline)) void OYI_JOIN(by_rows, ID)(const oyi_gemm* g,
                                                            const oyi_gemm_steps* steps) {
  switch (g->n) {
    case 1: OYI_JOIN(all_by_rows, ID)(1, 8, g, steps); break;
    case 2: OYI_JOIN(all_by_rows, ID)(2, 4, g, steps); break;
    case 3: OYI_JOIN(all_by_rows, ID)(3, 2, g, steps); break;
    case 4: OYI_JOIN(all_by_rows, ID)(4, 2, g, steps); break;
    case 5: OYI_JOIN(all_by_rows, ID)(5, 1, g, steps); break;
    case 6: OYI_JOIN(all_by_rows, ID)(6, 1, g, steps); break;
    case 7: OYI_JOIN(all_by_rows, ID)(7, 1, g, steps); break;
    default: OYI_JOIN(all_by_rows, ID)(8, 1, g, steps);
  }
}

// ------------------------------------------------------- rows by columns, along both

// A row by |columns| columns.
static inline __attribute__((always_inline)) void OYI_JOIN(along, ID)(
    const int columns, const oyi_gemm* g, const T* a, const T* b, VECTOR* sums) {
  VECTOR all[4];
  OYI_UNROLL
  for (int j = 0; j < columns; j++) all[j] = (VECTOR){0};
  for (int64_t p = 0; p < g->k; p += LANES) {
    const __mmask16 there = FIRST(g->k - p);
    const VECTOR x = LOAD(a + p, there);
    OYI_UNROLL
    for (int j = 0; j < columns; j++)
      all[j] = FMA(LOAD(b + j * g->b_column + p, there), x, all[j]);
  }
  OYI_UNROLL
  for (int j = 0; j < columns; j++) sums[j] = all[j];
}

// Sums of a row by all columns.
static inline __attribute__((always_inline)) void OYI_JOIN(row_along,
                                                           ID)(const oyi_gemm* g,
                                                               const T* a, const T* b,
                                                               VECTOR* sums) {
  int64_t left = g->m;
  for (; left >= 4; left -= 4, b += 4 * g->b_column, sums += 4)
    OYI_JOIN(along, ID)(4, g, a, b, sums);
  switch (left) {
    case 3: OYI_JOIN(along, ID)(3, g, a, b, sums); break;
    case 2: OYI_JOIN(along, ID)(2, g, a, b, sums); break;
    case 1: OYI_JOIN(along, ID)(1, g, a, b, sums); break;
    default: break;
  }
}

static __attribute__((noinline)) void OYI_JOIN(by_columns,
                                               ID)(const oyi_gemm* g,
                                                   const oyi_gemm_steps* steps) {
  const T *a = g->a, *b = g->b;
  T* to = g->c;
  VECTOR sums[ALONG];
  memset(sums, 0, sizeof(sums));
  for (int64_t i = 0; i < steps->count; i++) {
    T values[ALONG];
    for (int64_t r = 0; r < g->n; r++)
      OYI_JOIN(row_along, ID)(g, a + r * g->a_row, b, sums + r * g->m);
    ADD_ACROSS(sums, g->n * g->m, values);
    OYI_JOIN(put, ID)(g, values, g->m, to);
    a += steps->a, b += steps->b, to += steps->c;
  }
}

// Whether it did. What takes less than adding up across vectors does is left to others.
static inline bool OYI_JOIN(thin, ID)(const oyi_gemm* given,
                                      const oyi_gemm_steps* steps) {
  enum { FEW = 4, SHORT = 64, ROWS = 8 };
  const oyi_gemm flipped = oyi_gemm_flipped(given);
  const oyi_gemm_steps turned = {steps->count, steps->b, steps->a, steps->c};
  const bool is_wide = given->n <= given->m;
  const oyi_gemm *g = is_wide ? given : &flipped, *other = is_wide ? &flipped : given;
  const oyi_gemm_steps *by = is_wide ? steps : &turned, *back = is_wide ? &turned : steps;
  if (g->a_column == 1 && g->b_row == 1 && g->n * g->m <= ALONG) {
    if (g->k < FEW || (g->n == 1 && g->m * g->k <= SHORT)) return false;
    OYI_JOIN(by_columns, ID)(g, by);
  } else if (g->b_column == 1 && g->m <= LANES) {
    OYI_JOIN(by_rows, ID)(g, by);
  } else if (other->b_column == 1 && other->n <= ROWS) {
    OYI_JOIN(by_rows, ID)(other, back);
  } else {
    return false;
  }
  return true;
}
