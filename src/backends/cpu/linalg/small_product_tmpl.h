// SPDX-License-Identifier: Apache-2.0
// A product of at most as many columns as |panels| registers have elements, one or two; who
// calls it says how many. Given: NAME(x); VECTOR; WIDTH, its elements; MASK; MASK_OF(columns);
// LOAD(at, mask), zeros where it is not set; STORE(at, mask, x); ALL(x), |x| in each lane;
// FMA(a, b, c), a x b + c; ZERO.

// |rows| rows of c; |m| is the step from row to row of b and c. All panels but the last are
// |whole|.
static inline __attribute__((always_inline)) void NAME(rows)(const int rows,
                                                             const int panels, int64_t k,
                                                             int64_t m, const float* a,
                                                             const float* b, float* c,
                                                             MASK whole, MASK mask) {
  VECTOR sums[8][2];
  OYI_UNROLL
  for (int i = 0; i < rows; i++)
    for (int p = 0; p < panels; p++) sums[i][p] = ZERO;
  const float* end = a + k;
  do {
    VECTOR x[2];
    for (int p = 0; p < panels; p++)
      x[p] = LOAD(b + p * WIDTH, p + 1 < panels ? whole : mask);
    OYI_UNROLL
    for (int i = 0; i < rows; i++) {
      const VECTOR y = ALL(a[i * k]);
      for (int p = 0; p < panels; p++) sums[i][p] = FMA(y, x[p], sums[i][p]);
    }
    b += m;
  } while (++a < end);
  OYI_UNROLL
  for (int i = 0; i < rows; i++)
    for (int p = 0; p < panels; p++)
      STORE(c + i * m + p * WIDTH, p + 1 < panels ? whole : mask, sums[i][p]);
}

static inline __attribute__((always_inline)) void NAME(product)(
    const int panels, int64_t n, int64_t k, int64_t m, int64_t columns, const float* a,
    const float* b, float* c) {
  const MASK whole = MASK_OF(WIDTH), mask = MASK_OF(columns - (panels - 1) * WIDTH);
  for (; n >= 8; n -= 8, a += 8 * k, c += 8 * m)
    NAME(rows)(8, panels, k, m, a, b, c, whole, mask);
  if (n & 4) {
    NAME(rows)(4, panels, k, m, a, b, c, whole, mask);
    a += 4 * k;
    c += 4 * m;
  }
  if (n & 2) {
    NAME(rows)(2, panels, k, m, a, b, c, whole, mask);
    a += 2 * k;
    c += 2 * m;
  }
  if (n & 1) NAME(rows)(1, panels, k, m, a, b, c, whole, mask);
}
#undef NAME
#undef VECTOR
#undef WIDTH
#undef MASK
#undef MASK_OF
#undef LOAD
#undef STORE
#undef ALL
#undef FMA
#undef ZERO
