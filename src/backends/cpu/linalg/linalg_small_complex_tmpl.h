// SPDX-License-Identifier: Apache-2.0
// Equations with a small triangle of complex numbers, some right sides at once: real parts and
// imaginary ones are vectors of a lane for each. The including file defines T, LANES and
// NAME(x).

typedef T NAME(vec) __attribute__((vector_size(LANES * sizeof(T))));
typedef struct NAME(parts) {
  NAME(vec) re, im;
} NAME(parts);

// |lanes| columns of |n|; the lanes left over are like the first.
static void NAME(load)(NAME(parts) * x, int lanes, int64_t n, const T* a) {
  for (int l = 0; l < LANES; l++) {
    const T* from = l < lanes ? a + 2 * l * n : a;
    for (int64_t i = 0; i < n; i++)
      x[i].re[l] = from[2 * i], x[i].im[l] = from[2 * i + 1];
  }
}
static void NAME(store)(const NAME(parts) * x, int lanes, int64_t n, T* a) {
  for (int l = 0; l < lanes; l++, a += 2 * n)
    for (int64_t i = 0; i < n; i++) a[2 * i] = x[i].re[l], a[2 * i + 1] = x[i].im[l];
}

// 1 / (re + im i): by the ratio of the smaller part to the greater one, so that no square is
// too great.
static void NAME(invert)(T re, T im, T* to) {
  const bool is_steep = (im < 0 ? -im : im) > (re < 0 ? -re : re);
  const T great = is_steep ? im : re, ratio = (is_steep ? re : im) / great;
  const T scale = 1 / (great * (1 + ratio * ratio));
  to[0] = is_steep ? ratio * scale : scale;
  to[1] = is_steep ? -scale : -ratio * scale;
}

// |inverse|: of the diagonal, conjugated as |sign|, 1 or -1, conjugates the triangle.
static inline void NAME(substitute)(const oyi_triangle* how, int64_t n, const T* a,
                                    const T* inverse, T sign, NAME(parts) * x) {
  const bool flips = how->op != 'N', down = how->upper == flips;
  const int64_t row = flips ? n : 1, column = flips ? 1 : n;
  for (int64_t s = 0; s < n; s++) {
    const int64_t k = down ? s : n - 1 - s;
    const int64_t from = down ? k + 1 : 0, to = down ? n : k;
    const T re = inverse[2 * k], im = inverse[2 * k + 1];
    NAME(parts) known = x[k];
    if (!how->unit)
      x[k] = (NAME(parts)){known.re * re - known.im * im, known.re * im + known.im * re};
    known = x[k];
    for (int64_t i = from; i < to; i++) {
      const T* at = a + 2 * (k * column + i * row);
      const T at_im = sign * at[1];
      x[i].re -= at[0] * known.re - at_im * known.im;
      x[i].im -= at[0] * known.im + at_im * known.re;
    }
  }
}

// op(A) X = B in place of B.
static void NAME(solve_triangle)(const oyi_triangle* how, int64_t n, int64_t columns,
                                 const T* a, T* b) {
  NAME(parts) x[OYI_LINALG_SMALL];
  T inverse[2 * OYI_LINALG_SMALL];
  const T sign = how->op == 'C' ? -1 : 1;
  for (int64_t k = 0; k < n; k++) {
    const T* diagonal = a + 2 * (k + k * n);
    NAME(invert)(diagonal[0], sign * diagonal[1], inverse + 2 * k);
  }
  for (int64_t left = columns; left > 0; left -= LANES, b += 2 * n * LANES) {
    const int lanes = left < LANES ? (int)left : LANES;
    NAME(load)(x, lanes, n, b);
    NAME(substitute)(how, n, a, inverse, sign, x);
    NAME(store)(x, lanes, n, b);
  }
}
#undef T
#undef NAME
