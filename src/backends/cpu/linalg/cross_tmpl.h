// SPDX-License-Identifier: Apache-2.0
// Cross products of elements T, named by ID: included once for each type. See cross.c.

static inline void JOIN(cross_one, ID)(const T* a, const T* b, T* c, int64_t step) {
  const double x = a[0], y = a[step], z = a[2 * step];
  const double u = b[0], v = b[step], w = b[2 * step];
  c[0] = (T)(y * w - z * v);
  c[step] = (T)(z * u - x * w);
  c[2 * step] = (T)(x * v - y * u);
}

// Vectors |first| to below |last|; their elements are |step| apart.
static void JOIN(cross_some, ID)(const void* a_, const void* b_, void* c_, int64_t step,
                                 int64_t first, int64_t last) {
  const T *a = a_, *b = b_;
  T* c = c_;
  if (step == 1)
    for (int64_t i = first; i < last; i++)
      JOIN(cross_one, ID)(a + 3 * i, b + 3 * i, c + 3 * i, 1);
  for (int64_t i = first, n; step > 1 && i < last; i += n) {
    const int64_t j = i % step, at = (i - j) * 3 + j;
    n = step - j < last - i ? step - j : last - i;
    for (int64_t k = at; k < at + n; k++) JOIN(cross_one, ID)(a + k, b + k, c + k, step);
  }
}
