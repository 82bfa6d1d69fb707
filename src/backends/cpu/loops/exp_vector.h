// SPDX-License-Identifier: Apache-2.0
// exp of floats without the C library, where products and sums can be fused: no number is far
// from 0 to it, which takes another way elsewhere (vmath_domain_tmpl.h), and there is no call.
// Right within 1 ULP. Part of vmath_tmpl.h, for floats.
#if defined(__AVX512F__)
static inline V F(fma)(V a, V b, V c) {
  return (V)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
}
#elif defined(__FMA__)
static inline V F(fma)(V a, V b, V c) {
  return (V)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}
#else
static inline V F(fma)(V a, V b, V c) {
  return a * b + c;
}
#endif

// |factors|, the highest power's first.
static inline __attribute__((always_inline)) V F(polynomial)(V x, int count,
                                                             const T* factors) {
  V sum = F(splat)(factors[0]);
  OYI_UNROLL_BY(8)
  for (int i = 1; i < count; i++) sum = F(fma)(sum, x, F(splat)(factors[i]));
  return sum;
}

#if OWN_EXP
// x = n * log(2) + r, |r| <= log(2) / 2, where log(2) is in two parts; the factors are those that
// make the greatest error of e^r least, 3e-9. Beyond EXP_ZERO all is 0, beyond 89 infinite. The
// instructions for it give their second operand where one is NaN.
static inline __attribute__((always_inline)) V F(exp)(V a) {
  static const T factors[] = {0x1.6a23cfp-10f,
                              0x1.123a2p-7f,
                              0x1.5558f2p-5f,
                              0x1.555492p-3f,
                              0x1.fffffcp-2f,
                              1,
                              1};
  const V low = F(splat)((T)EXP_ZERO), high = F(splat)(89);
  const V log2_e = F(splat)(0x1.715476p+0f);
  const V above = F(splat)(-0x1.62e43p-1f), below = F(splat)(0x1.05c61p-29f);
#if defined(__AVX512F__)
  const __m512 x = _mm512_min_ps((__m512)high, _mm512_max_ps((__m512)low, (__m512)a));
  const V n = (V)_mm512_roundscale_ps(x * (__m512)log2_e, _MM_FROUND_TO_NEAREST_INT);
  const V r = F(fma)(n, below, F(fma)(n, above, (V)x));
  return (V)_mm512_scalef_ps((__m512)F(polynomial)(r, 7, factors), (__m512)n);
#else
  // 1.5 * 2^23 rounds to an integer. 2^n is applied in two steps, for results that are no normal
  // numbers.
  typedef uint32_t bits __attribute__((vector_size(OYI_VEC_BYTES)));
  const V magic = F(splat)(0x1.8p23f);
  const V x = (V)_mm256_min_ps((__m256)high, _mm256_max_ps((__m256)low, (__m256)a));
  const V shifted = F(fma)(x, log2_e, magic), n = shifted - magic;
  const V r = F(fma)(n, below, F(fma)(n, above, x));
  const I whole = (I)((bits)shifted - (bits)magic), half = whole >> 1;
  const V first = (V)((bits)(half + 127) << 23);
  const V second = (V)((bits)(whole - half + 127) << 23);
  return F(polynomial)(r, 7, factors) * first * second;
#endif
}
#endif
