// SPDX-License-Identifier: Apache-2.0
// Complex numbers that lie |step| bytes from each other, as many as a vector holds, brought
// together in registers: written side by side and read again they would wait for each other. For
// loops_arith_body.h, which takes those of its vectors.

// Of two floats each, which are moved as one double.
static inline double at_c64(const char* at) {
  double pair;
  memcpy(&pair, at, sizeof(pair));
  return pair;
}
// Of two doubles.
typedef double one_c128 __attribute__((vector_size(16)));
static inline one_c128 one_apart_c128(const char* at, int64_t step) {
  one_c128 pair;
  (void)step;
  memcpy(&pair, at, sizeof(pair));
  return pair;
}

#if defined(__AVX2__)
// A number is put above another as it is read, which compilers make two steps of themselves.
static inline __m256d two_apart_c128(const char* at, int64_t step) {
  return _mm256_insertf128_pd(_mm256_castpd128_pd256(one_apart_c128(at, step)),
                              one_apart_c128(at + step, step), 1);
}
static inline __m256d four_apart_c64(const char* at, int64_t step) {
  const one_c128 low = {at_c64(at), at_c64(at + step)};
  const one_c128 high = {at_c64(at + 2 * step), at_c64(at + 3 * step)};
  return _mm256_insertf128_pd(_mm256_castpd128_pd256(low), high, 1);
}
#else
static inline one_c128 two_apart_c64(const char* at, int64_t step) {
  return (one_c128){at_c64(at), at_c64(at + step)};
}
#endif

#if defined(__AVX512F__)
static inline __m512d four_apart_c128(const char* at, int64_t step) {
  return _mm512_insertf64x4(_mm512_castpd256_pd512(two_apart_c128(at, step)),
                            two_apart_c128(at + 2 * step, step), 1);
}
static inline __m512d eight_apart_c64(const char* at, int64_t step) {
  return _mm512_insertf64x4(_mm512_castpd256_pd512(four_apart_c64(at, step)),
                            four_apart_c64(at + 4 * step, step), 1);
}
#endif
