// SPDX-License-Identifier: Apache-2.0
// Factors of small matrices, each in a lane of vectors, in one precision: T, I, integers of
// its size up to MOST, LEAST, its least normal number, ROUNDING, its epsilon, and NAME(x).
// LU_BYTES is the width of a vector.
typedef T NAME(vec) __attribute__((vector_size(LU_BYTES)));
typedef I NAME(mask) __attribute__((vector_size(LU_BYTES)));
#define V       NAME(vec)
#define M       NAME(mask)
#define LANES   (LU_BYTES / (int)sizeof(T))
#define X(i, j) x[(i) + (j)*m]

static inline V NAME(size_of)(V x) {
  return (V)((M)x & ((M){0} + MOST));
}
static inline void NAME(exchange)(V* a, V* b, M where) {
  const M both = ((M)*a ^ (M)*b) & where;
  *a = (V)((M)*a ^ both), *b = (V)((M)*b ^ both);
}

// The row of the greatest number of column |k| from row |k| on; |out_size| is its size.
static inline M NAME(find_pivots)(int64_t m, int64_t k, const V* x, V* out_size) {
  V size = NAME(size_of)(X(k, k));
  M at = (M){0} + (I)k;
  for (int64_t i = k + 1; i < m; i++) {
    const V other = NAME(size_of)(X(i, k));
    const M more = other > size;
    size = (V)(((M)other & more) | ((M)size & ~more));
    at = (((M){0} + (I)i) & more) | (at & ~more);
  }
  *out_size = size;
  return at;
}

// Exchanges row |k| and row |at|, by rows or by lanes, whichever are fewer.
static inline void NAME(exchange_rows)(int64_t m, int64_t n, int64_t k, M at, V* x) {
  for (int64_t i = k + 1; i < m && m - k - 1 <= LANES; i++) {
    const M here = at == (M){0} + (I)i;
    for (int64_t j = 0; j < n; j++) NAME(exchange)(&X(k, j), &X(i, j), here);
  }
  for (int l = 0; l < LANES && m - k - 1 > LANES; l++) {
    M here = {0};
    here[l] = -1;
    const int64_t i = at[l];
    for (int64_t j = 0; i != k && j < n; j++) NAME(exchange)(&X(k, j), &X(i, j), here);
  }
}

// Column |k| of U, and of L but for the factor, from those before it. Products are added up
// before they are taken away, each rounded, as BLAS does with few: what is singular there by
// the last bit is so here.
static inline void NAME(column)(int64_t m, int64_t k, V* x) {
  for (int64_t i = 1; i < m; i++) {
    const int64_t depth = i < k ? i : k;
    V sum = X(i, 0) * X(0, k);
    for (int64_t p = 1; p < depth; p++) sum += X(i, p) * X(p, k);
    X(i, k) -= sum;
  }
}

// Gives the lanes whose numbers are all finite, of pivots that are normal and far from what
// rounding leaves of the greatest: what is singular is the library's to tell.
static inline M NAME(factor)(int64_t m, int64_t n, V* x, M* pivots) {
  M good = ~(M){0};
  V most = {0};
  for (int64_t k = 0; k < n; k++) {
    if (k > 0) NAME(column)(m, k, x);
    if (k >= m) continue;
    V size;
    pivots[k] = NAME(find_pivots)(m, k, x, &size);
    const M more = size > most;
    most = (V)(((M)size & more) | ((M)most & ~more));
    good &= (size >= (V){0} + LEAST) & (size >= most * (256 * ROUNDING));
    NAME(exchange_rows)(m, n, k, pivots[k], x);
    const V scale = 1 / X(k, k);
    for (int64_t i = k + 1; i < m; i++) X(i, k) *= scale;
  }
  V nothing = {0};
  for (int64_t i = 0; i < m * n; i++) nothing += x[i] * 0;
  return good & (nothing == 0);
}

// |count| matrices, no more than there are lanes; a lane to spare is like the first.
static inline void NAME(lu_group)(int64_t m, int64_t n, int count, T* a, int32_t* pivots,
                                  int32_t* info) {
  V x[OYI_LINALG_SMALL * OYI_LINALG_SMALL];
  M rows[OYI_LINALG_SMALL];
  const int64_t size = m * n, least = m < n ? m : n;
  for (int l = 0; l < LANES; l++)
    for (int64_t i = 0; i < size; i++) x[i][l] = a[i + (l < count ? l : 0) * size];
  const M good = NAME(factor)(m, n, x, rows);
  for (int l = 0; l < count; l++, a += size, pivots += least) {
    info[l] = good[l] ? 0 : -1;
    for (int64_t k = 0; k < least; k++) pivots[k] = (int32_t)rows[k][l] + 1;
    for (int64_t i = 0; i < size && good[l]; i++) a[i] = x[i][l];
  }
}

static void NAME(lu)(int64_t m, int64_t n, int64_t count, T* a, int32_t* pivots,
                     int32_t* info) {
  for (int64_t i = 0; i < count; i += LANES) NAME(lu_group)
  (m, n, count - i < LANES ? (int)(count - i) : LANES, a + i * m * n,
   pivots + i * (m < n ? m : n), info + i);
}
#undef V
#undef M
#undef LANES
#undef X
