// SPDX-License-Identifier: Apache-2.0
// Equations with a small triangle, some right sides at once, each a lane of vectors. The
// including file defines T, LANES and NAME(x).

typedef T NAME(vec) __attribute__((vector_size(LANES * sizeof(T))));

// |lanes| columns of |n|; the lanes left over are like the first.
static void NAME(load)(NAME(vec) * x, int lanes, int64_t n, const T* a) {
  const T* from[LANES];
  for (int l = 0; l < LANES; l++) from[l] = l < lanes ? a + l * n : a;
  for (int64_t i = 0; i < n; i++) {
    NAME(vec) all;
    OYI_UNROLL_BY(8)
    for (int l = 0; l < LANES; l++) all[l] = from[l][i];
    x[i] = all;
  }
}
static void NAME(store)(const NAME(vec) * x, int lanes, int64_t n, T* a) {
  for (int l = 0; l < lanes; l++, a += n)
    for (int64_t i = 0; i < n; i++) a[i] = x[i][l];
}

// |inverse|: of the diagonal.
static inline void NAME(substitute)(const oyi_triangle* how, int64_t n, const T* a,
                                    const T* inverse, NAME(vec) * x) {
  const bool flips = how->op != 'N', down = how->upper == flips;
  const int64_t row = flips ? n : 1, column = flips ? 1 : n;
  for (int64_t s = 0; s < n; s++) {
    const int64_t k = down ? s : n - 1 - s;
    const int64_t from = down ? k + 1 : 0, to = down ? n : k;
    if (!how->unit) x[k] *= inverse[k];
    const NAME(vec) known = x[k];
    const T* ak = a + k * column;
    for (int64_t i = from; i < to; i++) x[i] -= ak[i * row] * known;
  }
}

// op(A) X = B in place of B.
static void NAME(solve_triangle)(const oyi_triangle* how, int64_t n, int64_t columns,
                                 const T* a, T* b) {
  NAME(vec) x[OYI_LINALG_SMALL];
  T inverse[OYI_LINALG_SMALL];
  for (int64_t k = 0; k < n; k++) inverse[k] = 1 / a[k + k * n];
  for (int64_t left = columns; left > 0; left -= LANES, b += n * LANES) {
    const int lanes = left < LANES ? (int)left : LANES;
    NAME(load)(x, lanes, n, b);
    NAME(substitute)(how, n, a, inverse, x);
    NAME(store)(x, lanes, n, b);
  }
}
#undef T
#undef NAME
