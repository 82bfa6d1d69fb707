// SPDX-License-Identifier: Apache-2.0
// The blocked product of one type. Given: T, the type in memory; W, the type it is
// computed in; ID; LOAD(x) and STORE(w) between them; TIMES(w, w); NUMBER(n), an oyi_number as W;
// GEMM_BYTES, the width of a vector register; GEMM_ROWS, rows of a tile.
//
// Panels of both operands are packed first, as W and in the order they are read, so
// strides and small types cost nothing in the inner loop (Goto and van de Geijn,
// "Anatomy of high-performance matrix multiplication", 2008).
typedef W OYI_JOIN(vector, ID)
    __attribute__((vector_size(GEMM_BYTES), aligned(sizeof(W))));
#define VECTOR OYI_JOIN(vector, ID)
#define LANES  ((int64_t)(GEMM_BYTES / sizeof(W)))
#define TILE   (2 * LANES)  // columns of a tile: two registers

// |rows| <= GEMM_ROWS rows of a, from column |p0| on, |depth| long; zeros behind.
static void OYI_JOIN(pack_a, ID)(const oyi_gemm* g, int64_t i0, int64_t rows, int64_t p0,
                                 int64_t depth, W* to) {
  const T* from = (const T*)g->a + i0 * g->a_row + p0 * g->a_column;
  for (int64_t p = 0; p < depth; p++, from += g->a_column)
    for (int64_t i = 0; i < GEMM_ROWS; i++)
      *to++ = i < rows ? (W)LOAD(from[i * g->a_row]) : (W)0;
}

static void OYI_JOIN(pack_b, ID)(const oyi_gemm* g, int64_t j0, int64_t columns,
                                 int64_t p0, int64_t depth, W* to) {
  const T* from = (const T*)g->b + j0 * g->b_column + p0 * g->b_row;
  for (int64_t p = 0; p < depth; p++, from += g->b_row, to += TILE) {
    if (columns == TILE && g->b_column == 1) {
      for (int64_t j = 0; j < TILE; j++) to[j] = (W)LOAD(from[j]);
    } else {
      for (int64_t j = 0; j < TILE; j++)
        to[j] = j < columns ? (W)LOAD(from[j * g->b_column]) : (W)0;
    }
  }
}

// One tile: sums over |depth|, added to what |sums| holds.
static inline __attribute__((always_inline)) void OYI_JOIN(tile, ID)(int64_t depth,
                                                                     const W* a,
                                                                     const W* b,
                                                                     W* restrict sums) {
  VECTOR low[GEMM_ROWS] = {0}, high[GEMM_ROWS] = {0};
  for (int64_t p = 0; p < depth; p++, a += GEMM_ROWS, b += TILE) {
    const VECTOR x = *(const VECTOR*)(const void*)b;
    const VECTOR y = *(const VECTOR*)(const void*)(b + LANES);
    OYI_UNROLL
    for (int i = 0; i < GEMM_ROWS; i++) {
      low[i] += a[i] * x;
      high[i] += a[i] * y;
    }
  }
  OYI_UNROLL
  for (int i = 0; i < GEMM_ROWS; i++) {
    memcpy(sums + i * TILE, &low[i], sizeof(VECTOR));
    memcpy(sums + i * TILE + LANES, &high[i], sizeof(VECTOR));
  }
}

// A row of them where c lies together.
static inline __attribute__((always_inline)) void OYI_JOIN(put_row, ID)(
    int64_t columns, const W* restrict sums, W alpha, W beta, T* restrict to) {
  if (beta == 0)
    for (int64_t j = 0; j < columns; j++) to[j] = (T)STORE(TIMES(alpha, sums[j]));
  else
    for (int64_t j = 0; j < columns; j++)
      to[j] = (T)STORE(TIMES(alpha, sums[j]) + TIMES(beta, (W)LOAD(to[j])));
}

// Adds a tile's sums to c; what c held before counts |beta| times the first time.
static void OYI_JOIN(put, ID)(const oyi_gemm* g, int64_t i0, int64_t rows, int64_t j0,
                              int64_t columns, const W* sums, W alpha, W beta) {
  for (int64_t i = 0; i < rows; i++) {
    T* to = (T*)g->c + (i0 + i) * g->c_row + j0 * g->c_column;
    if (g->c_column == 1) {
      OYI_JOIN(put_row, ID)(columns, sums + i * TILE, alpha, beta, to);
      continue;
    }
    for (int64_t j = 0; j < columns; j++, to += g->c_column) {
      const W value = TIMES(alpha, sums[i * TILE + j]);
      *to = (T)STORE(beta == 0 ? value : value + TIMES(beta, (W)LOAD(*to)));
    }
  }
}

// Of nothing to add up: c times |beta|.
static __attribute__((noinline)) oy_status OYI_JOIN(scale, ID)(const oyi_gemm* g,
                                                               W beta) {
  for (int64_t i = 0; i < g->n; i++) {
    T* to = (T*)g->c + i * g->c_row;
    for (int64_t j = 0; j < g->m; j++, to += g->c_column)
      *to = (T)STORE(beta == 0 ? (W)0 : TIMES(beta, (W)LOAD(*to)));
  }
  return OY_OK;
}

// Some rows by some columns, each sum in the order of k. Where fewer are left the last one stands
// in for the others, which are not written.
static inline __attribute__((always_inline)) void OYI_JOIN(square, ID)(
    const int rows, const int columns, const oyi_gemm* g, int64_t i, int64_t j, W alpha,
    W beta) {
  const int64_t rows_left = g->n - i, columns_left = g->m - j;
  const int64_t a_column = g->a_column, b_row = g->b_row;
  const T *a = (const T*)g->a + i * g->a_row, *b = (const T*)g->b + j * g->b_column;
  int64_t a_at[2], b_at[4];
  W sums[2][4];
  for (int r = 0; r < rows; r++) a_at[r] = (r < rows_left ? r : rows_left - 1) * g->a_row;
  for (int c = 0; c < columns; c++)
    b_at[c] = (c < columns_left ? c : columns_left - 1) * g->b_column;
  for (int r = 0; r < rows; r++)
    for (int c = 0; c < columns; c++) sums[r][c] = 0;
  int64_t p = g->k;
  do {
    W x[2], y[4];
    OYI_UNROLL
    for (int r = 0; r < rows; r++) x[r] = (W)LOAD(a[a_at[r]]);
    OYI_UNROLL
    for (int c = 0; c < columns; c++) y[c] = (W)LOAD(b[b_at[c]]);
    OYI_UNROLL
    for (int r = 0; r < rows; r++) OYI_UNROLL
    for (int c = 0; c < columns; c++) sums[r][c] += TIMES(x[r], y[c]);
    a += a_column;
    b += b_row;
  } while (--p > 0);
  T* to = (T*)g->c + i * g->c_row + j * g->c_column;
  for (int r = 0; r < rows && r < rows_left; r++, to += g->c_row)
    for (int c = 0; c < columns && c < columns_left; c++) {
      T* at = to + c * g->c_column;
      const W sum = TIMES(sums[r][c], alpha);
      *at = (T)STORE(beta == 0 ? sum : sum + TIMES(beta, (W)LOAD(*at)));
    }
}

// Small ones are not worth packing: four sums at a time, which do not wait for each other. Apart,
// since the other way needs a large frame.
static __attribute__((noinline)) oy_status OYI_JOIN(small, ID)(const oyi_gemm* given,
                                                               W alpha, W beta) {
  oyi_gemm flipped;
  const oyi_gemm* g = given;
  if (OY_UNLIKELY(g->k <= 0)) return OYI_JOIN(scale, ID)(g, beta);
  if (g->m == 1 && g->n > 1) flipped = oyi_gemm_flipped(g), g = &flipped;
  if (g->n == 1) {
    for (int64_t j = 0; j < g->m; j += 4)
      OYI_JOIN(square, ID)(1, 4, g, 0, j, alpha, beta);
    return OY_OK;
  }
  for (int64_t i = 0; i < g->n; i += 2)
    for (int64_t j = 0; j < g->m; j += 2)
      OYI_JOIN(square, ID)(2, 2, g, i, j, alpha, beta);
  return OY_OK;
}

// A row of c by a number and a row of b: |added| counts |beta| times, c itself where it is NULL.
// What is written lies apart from the rest, or in small types compilers go one by one.
static inline void OYI_JOIN(outer_row, ID)(int64_t m, W by, const T* restrict b, W beta,
                                           const T* restrict added, T* restrict to) {
  if (beta == 0)
    for (int64_t j = 0; j < m; j++) to[j] = (T)STORE(TIMES(by, (W)LOAD(b[j])));
  else if (added)
    for (int64_t j = 0; j < m; j++)
      to[j] = (T)STORE(TIMES(by, (W)LOAD(b[j])) + TIMES(beta, (W)LOAD(added[j])));
  else
    for (int64_t j = 0; j < m; j++)
      to[j] = (T)STORE(TIMES(by, (W)LOAD(b[j])) + TIMES(beta, (W)LOAD(to[j])));
}

// Of two vectors, with rows of c that lie together: nothing to add up, one pass over c.
static __attribute__((noinline)) oy_status OYI_JOIN(outer, ID)(const oyi_gemm* g, W alpha,
                                                               W beta) {
  const T* added = beta == 0 ? NULL : g->added;
  T* to = g->c;
  for (int64_t i = 0; i < g->n; i++, to += g->c_row) {
    const W by = TIMES(alpha, (W)LOAD(((const T*)g->a)[i * g->a_row]));
    OYI_JOIN(outer_row, ID)(g->m, by, g->b, beta, added, to);
    if (added) added += g->added_row;
  }
  return OY_OK;
}

// The same of short rows, and by a vector that is copied together. False: not such.
static __attribute__((noinline)) bool OYI_JOIN(outer_short, ID)(const oyi_gemm* given,
                                                                W alpha, W beta) {
  enum { MOST = 256 };
  oyi_gemm g = given->c_column == 1 ? *given : oyi_gemm_flipped(given);
  if (g.c_column != 1 || g.m < 4 || g.m > MOST) return false;
  T near[MOST];
  for (int64_t j = 0; j < g.m; j++) near[j] = ((const T*)g.b)[j * g.b_column];
  g.b = near, g.added = NULL;
  return OYI_JOIN(outer, ID)(&g, alpha, beta) == OY_OK;
}

// Whole sums are kept where one pass over k does not do: rounding to T in between would
// show for small types.
static void OYI_JOIN(column_panel, ID)(const oyi_gemm* g, int64_t j0, W* packed_b,
                                       W* packed_a, W alpha, W beta) {
  const int64_t columns = g->m - j0 < TILE ? g->m - j0 : TILE;
  OYI_JOIN(pack_b, ID)(g, j0, columns, 0, g->k, packed_b);
  for (int64_t i0 = 0; i0 < g->n; i0 += GEMM_ROWS) {
    const int64_t rows = g->n - i0 < GEMM_ROWS ? g->n - i0 : GEMM_ROWS;
    W sums[GEMM_ROWS * TILE];
    W* a = packed_a + i0 * g->k;
    if (j0 == 0) OYI_JOIN(pack_a, ID)(g, i0, rows, 0, g->k, a);
    OYI_JOIN(tile, ID)(g->k, a, packed_b, sums);
    OYI_JOIN(put, ID)(g, i0, rows, j0, columns, sums, alpha, beta);
  }
}

static __attribute__((noinline)) oy_status OYI_JOIN(blocked, ID)(const oyi_gemm* g,
                                                                 W alpha, W beta) {
  const int64_t rows = (g->n + GEMM_ROWS - 1) / GEMM_ROWS * GEMM_ROWS;
  size_t size;
  W local[2048];
  if (__builtin_mul_overflow((size_t)(rows + TILE), (size_t)g->k * sizeof(W), &size))
    return OY_FAIL(OUT_OF_MEMORY, "a matrix product of this size cannot be packed");
  void* context = NULL;
  W* packed = size <= sizeof(local) ? local : oyi_data_alloc(size, &context);
  if (!packed) return OY_OUT_OF_MEMORY;
  for (int64_t j0 = 0; j0 < g->m; j0 += TILE)
    OYI_JOIN(column_panel, ID)(g, j0, packed + rows * g->k, packed, alpha, beta);
  if (packed != local) oyi_data_free(context, packed);
  return OY_OK;
}

// Of |k| elements that lie together: sums side by side, in several registers.
static inline W OYI_JOIN(inner, ID)(int64_t k, const T* a, const T* b) {
  enum { SIDES = 4 * GEMM_BYTES / sizeof(W) };
  W sums[SIDES] = {0};
  int64_t p = 0;
  for (; p + SIDES <= k; p += SIDES)
    for (int i = 0; i < SIDES; i++)
      sums[i] += TIMES((W)LOAD(a[p + i]), (W)LOAD(b[p + i]));
  for (int i = 0; p < k; p++, i++) sums[i] += TIMES((W)LOAD(a[p]), (W)LOAD(b[p]));
  OYI_UNROLL
  for (int half = SIDES / 2; half > 0; half /= 2)
    for (int i = 0; i < half; i++) sums[i] += sums[i + half];
  return sums[0];
}

// Where rows of a, and a vector, lie together.
static oy_status OYI_JOIN(inners, ID)(const oyi_gemm* g, W alpha, W beta) {
  const T* a = g->a;
  T* to = g->c;
  for (int64_t i = 0; i < g->n; i++, a += g->a_row, to += g->c_row) {
    const W sum = TIMES(alpha, OYI_JOIN(inner, ID)(g->k, a, g->b));
    *to = (T)STORE(beta == 0 ? sum : sum + TIMES(beta, (W)LOAD(*to)));
  }
  return OY_OK;
}

// A vector that does not lie together is worth a copy; without memory for one only time is lost.
static oy_status OYI_JOIN(inners_apart, ID)(const oyi_gemm* g, W alpha, W beta) {
  enum { NEAR = 1024 };
  T near[NEAR];
  void* context = NULL;
  T* together = g->k <= NEAR ? near : oyi_data_alloc((size_t)g->k * sizeof(T), &context);
  if (!together) {
    oy_error_clear();
    return OYI_JOIN(small, ID)(g, alpha, beta);
  }
  for (int64_t p = 0; p < g->k; p++) together[p] = ((const T*)g->b)[p * g->b_row];
  oyi_gemm packed = *g;
  packed.b = together, packed.b_row = 1;
  const oy_status status = OYI_JOIN(inners, ID)(&packed, alpha, beta);
  if (together != near) oyi_data_free(context, together);
  return status;
}

// Adds |columns| products to each of |rows| sums, one after another.
static inline __attribute__((always_inline)) void OYI_JOIN(add_columns, ID)(
    const oyi_gemm* g, const T* a, const T* b, int64_t rows, int columns, sides of,
    W* restrict sums) {
  W by[of.count * columns];
  for (int s = 0; s < of.count; s++)
    for (int c = 0; c < columns; c++)
      by[s * columns + c] = (W)LOAD(b[c * g->b_row + s * of.b_step]);
  for (int64_t r = 0; r < rows; r++) {
    OYI_UNROLL
    for (int s = 0; s < of.count; s++) {
      W sum = sums[s * SOME + r];
      OYI_UNROLL
      for (int c = 0; c < columns; c++)
        sum += TIMES((W)LOAD(a[c * g->a_column + r]), by[s * columns + c]);
      sums[s * SOME + r] = sum;
    }
  }
}

// Some rows at once, a few columns after others.
static inline __attribute__((always_inline)) void OYI_JOIN(columns_by,
                                                           ID)(const oyi_gemm* g, W alpha,
                                                               W beta, sides of) {
  enum { AT_ONCE = 8 };
  for (int64_t i = 0; i < g->n; i += SOME) {
    const int64_t rows = g->n - i < SOME ? g->n - i : SOME;
    W sums[2 * SOME];
    memset(sums, 0, (size_t)of.count * SOME * sizeof(W));
    const T *a = (const T*)g->a + i, *b = g->b;
    int64_t p = 0;
    for (; p + AT_ONCE <= g->k; p += AT_ONCE) OYI_JOIN(add_columns, ID)
    (g, a + p * g->a_column, b + p * g->b_row, rows, AT_ONCE, of, sums);
    for (; p < g->k; p++) OYI_JOIN(add_columns, ID)
    (g, a + p * g->a_column, b + p * g->b_row, rows, 1, of, sums);
    for (int s = 0; s < of.count; s++) {
      T* to = (T*)g->c + i * g->c_row + s * of.c_step;
      for (int64_t r = 0; r < rows; r++, to += g->c_row) {
        const W sum = TIMES(alpha, sums[s * SOME + r]);
        *to = (T)STORE(beta == 0 ? sum : sum + TIMES(beta, (W)LOAD(*to)));
      }
    }
  }
}

static oy_status OYI_JOIN(columns, ID)(const oyi_gemm* g, W alpha, W beta) {
  OYI_JOIN(columns_by, ID)(g, alpha, beta, (sides){1, 0, 0});
  return OY_OK;
}
static void OYI_JOIN(columns_twice, ID)(const oyi_gemm* g, W alpha, W beta,
                                        int64_t b_step, int64_t c_step) {
  OYI_JOIN(columns_by, ID)(g, alpha, beta, (sides){2, b_step, c_step});
}

// A row is taken as a column of the product of both turned around.
static inline oyi_gemm OYI_JOIN(turned, ID)(const oyi_gemm* g) {
  oyi_gemm turned = *g;
  if (g->n == 1 && g->m > 1) {
    turned.n = g->m, turned.m = 1;
    turned.a = g->b, turned.a_row = g->b_column, turned.a_column = g->b_row;
    turned.b = g->a, turned.b_row = g->a_column;
    turned.c_row = g->c_column;
  }
  return turned;
}

// By a vector.
static oy_status OYI_JOIN(by_vector, ID)(const oyi_gemm* g, W alpha, W beta) {
  // Of a row that is less than one step the rest is most, in small types all of it.
  enum { STEP = 4 * GEMM_BYTES / sizeof(W) };
  oyi_gemm turned;
  const oyi_gemm* t = g;
  if (g->n == 1 && g->m > 1) turned = OYI_JOIN(turned, ID)(g), t = &turned;
  const bool is_rest =
      sizeof(W) < 8 && t->k < STEP && (sizeof(T) <= 2 ? t->k < STEP / 2 : t->k % 16 != 0);
  if (is_rest && t->a_column == 1) return OYI_JOIN(small, ID)(g, alpha, beta);
  if (t->a_column == 1 && t->k >= 16 && t->b_row == 1)
    return OYI_JOIN(inners, ID)(t, alpha, beta);
  if (t->a_column == 1 && t->k >= 16 && t->n >= 4)
    return OYI_JOIN(inners_apart, ID)(t, alpha, beta);
  if (t->a_row == 1 && t->n >= 16 && t->k > 0)
    return OYI_JOIN(columns, ID)(t, alpha, beta);
  return OYI_JOIN(small, ID)(g, alpha, beta);
}

// By few rows or columns, one after another, or two at once where the other matrix is read
// by its columns.
static oy_status OYI_JOIN(by_few, ID)(const oyi_gemm* g, W alpha, W beta) {
  const bool rows = g->n <= g->m;
  const int64_t count = rows ? g->n : g->m;
  if (count == 1) return OYI_JOIN(by_vector, ID)(g, alpha, beta);
  const int64_t step = rows ? g->a_row : g->b_column;
  const int64_t c_step = rows ? g->c_row : g->c_column;
  oyi_gemm one = *g;
  *(rows ? &one.n : &one.m) = 1;
  for (int64_t i = 0; i < count; i++) {
    if (rows)
      one.a = (const T*)g->a + i * step;
    else
      one.b = (const T*)g->b + i * step;
    one.c = (T*)g->c + i * c_step;
    const oyi_gemm turned = OYI_JOIN(turned, ID)(&one);
    if (i + 1 < count && turned.m == 1 && turned.a_row == 1 && turned.a_column != 1 &&
        turned.n >= 16 && turned.k > 0) {
      OYI_JOIN(columns_twice, ID)(&turned, alpha, beta, step, c_step);
      i++;
    } else {
      (void)OYI_JOIN(by_vector, ID)(&one, alpha, beta);  // never fails
    }
  }
  return OY_OK;
}

static oy_status OYI_JOIN(gemm, ID)(const oyi_gemm* g) {
  const W alpha = (W)NUMBER(g->alpha), beta = (W)NUMBER(g->beta);
  if (alpha == 1 && beta == 0 && OYI_JOIN(few, ID)(g)) return OY_OK;
  // Processors multiply whole numbers one by one more slowly than in vectors.
  const int64_t little = (W)0.5 != 0 ? 256 : 64;
  const bool is_little = g->n <= little && g->m <= little && g->n * g->m * g->k <= little;
  if (g->n >= 4 && g->m >= 4 && g->k >= 2)
    return is_little ? OYI_JOIN(small, ID)(g, alpha, beta)
                     : OYI_JOIN(blocked, ID)(g, alpha, beta);
  if (oyi_gemm_is_outer(g)) return OYI_JOIN(outer, ID)(g, alpha, beta);
  const bool is_short = g->k < 16 || ((is_little || g->k < 32) && g->n > 1 && g->m > 1);
  if (g->n * g->m < 64 && is_short) return OYI_JOIN(small, ID)(g, alpha, beta);
  if (g->k == 1 && OYI_JOIN(outer_short, ID)(g, alpha, beta)) return OY_OK;
  return OYI_JOIN(by_few, ID)(g, alpha, beta);
}
#undef VECTOR
#undef LANES
#undef TILE
