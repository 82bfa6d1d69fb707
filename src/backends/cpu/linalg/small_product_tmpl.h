// SPDX-License-Identifier: Apache-2.0
// A product of at most as many columns as a register has elements. Given: NAME(x);
// VECTOR; MASK; MASK_OF(columns); LOAD(at, mask), zeros where it is not set; STORE(at,
// mask, x); ALL(x), |x| in each lane; FMA(a, b, c), a x b + c; ZERO.

// |rows| rows of c; |m| is the step from row to row of b and c.
static inline __attribute__((always_inline)) void NAME(rows)(const int rows, int64_t k,
                                                             int64_t m, const float* a,
                                                             const float* b, float* c,
                                                             MASK mask) {
  VECTOR sums[8];
  OYI_UNROLL
  for (int i = 0; i < rows; i++) sums[i] = ZERO;
  const float* end = a + k;
  do {
    const VECTOR x = LOAD(b, mask);
    OYI_UNROLL
    for (int i = 0; i < rows; i++) sums[i] = FMA(ALL(a[i * k]), x, sums[i]);
    b += m;
  } while (++a < end);
  OYI_UNROLL
  for (int i = 0; i < rows; i++) STORE(c + i * m, mask, sums[i]);
}

static inline void NAME(product)(int64_t n, int64_t k, int64_t m, int64_t columns,
                                 const float* a, const float* b, float* c) {
  const MASK mask = MASK_OF(columns);
  for (; n >= 8; n -= 8, a += 8 * k, c += 8 * m) NAME(rows)(8, k, m, a, b, c, mask);
  if (n & 4) {
    NAME(rows)(4, k, m, a, b, c, mask);
    a += 4 * k;
    c += 4 * m;
  }
  if (n & 2) {
    NAME(rows)(2, k, m, a, b, c, mask);
    a += 2 * k;
    c += 2 * m;
  }
  if (n & 1) NAME(rows)(1, k, m, a, b, c, mask);
}
#undef NAME
#undef VECTOR
#undef MASK
#undef MASK_OF
#undef LOAD
#undef STORE
#undef ALL
#undef FMA
#undef ZERO
