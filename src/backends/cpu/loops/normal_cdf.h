// SPDX-License-Identifier: Apache-2.0
// The distribution function of normal numbers, of floats, for gelu and its gradient: one
// exponential gives the density and the smaller tail, which is exp(-a^2 / 2) times a
// ratio of polynomials of |a|. Part of vmath_tmpl.h.
// e^x of -87 to 0: x = n * log(2) + r, and the series of e^r, |r| <= log(2) / 2.
// 1.5 * 2^23 rounds to an integer; log(2) is in two parts.
static inline __attribute__((always_inline)) V F(exp_negative)(V x) {
  static const T series[] = {1 / 720.0f, 1 / 120.0f, 1 / 24.0f, 1 / 6.0f, 0.5f, 1, 1};
  const V shifted = F(fma)(x, F(splat)(1.44269504f), F(splat)(12582912.0f));
  const V n = shifted - 12582912.0f;
  V r = F(fma)(n, F(splat)(-0x1.62e4p-1f), x);
  r = F(fma)(n, F(splat)(-0x1.7f7d1cp-20f), r);
  // What is far out of range wraps, and is masked by who calls.
  typedef uint32_t bits __attribute__((vector_size(OYI_VEC_BYTES)));
  return (V)((bits)F(polynomial)(r, 7, series) + ((bits)shifted << 23));
}

// The ratio is right within 6e-9 up to |a| = 14.5; below 2^-125 the tail is 0. Infinite
// numbers have a tail of 0, NaN stays.
static inline __attribute__((always_inline)) V F(normal_cdf)(V a, V* density) {
  static const T over[] = {0.00411681674415f, 0.0406368061234f, 0.183245911229f,
                           0.438309676576f, 0.500000002917f};
  static const T under[] = {0.0103192096157f, 0.101867809585f, 0.469498992071f,
                            1.20254819701f,   1.67450433217f,  1};
  const V x = a * a * -0.5f, size = F(abs)(a);
  const I is_zero = x < F(splat)(-87);
  const V e = (V)((I)F(exp_negative)(x) & ~is_zero);
  const V ratio = e * F(polynomial)(size, 5, over) / F(polynomial)(size, 6, under);
  const V tail = (V)((I)ratio & ~is_zero);
  *density = e * (T)(M_2_SQRTPI * M_SQRT1_2 * 0.5);
  return F(select)(a < F(splat)(0), tail, (T)1 - tail);
}
