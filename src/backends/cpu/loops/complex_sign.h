// SPDX-License-Identifier: Apache-2.0
// sgn of complex floats that lie side by side, by the vectors of complex_quotient_tmpl.h:
// divided by how far each is from 0. In floats alone, of which a vector holds twice as many as
// of doubles: what has squares that overflow, or vanish, is brought near 1 first, which loses
// nothing. An infinite part outweighs NaN.
typedef parts_c64 sign_part;
typedef bits_c64 sign_bits;

static inline sign_part sign_pick(sign_bits mask, sign_part yes, sign_part no) {
  return (sign_part)(((sign_bits)yes & mask) | ((sign_bits)no & ~mask));
}

static inline sign_part sign_root(sign_part x) {
#if defined(__AVX512F__)
  return (sign_part)_mm512_sqrt_ps((__m512)x);
#elif defined(__AVX2__)
  return (sign_part)_mm256_sqrt_ps((__m256)x);
#elif defined(__SSE2__)
  return (sign_part)_mm_sqrt_ps((__m128)x);
#else
  for (int k = 0; k < LANES; k++) x[k] = sqrtf(x[k]);
  return x;
#endif
}

static inline __attribute__((always_inline)) void sign_of_parts(sign_part* x,
                                                                sign_part* y) {
  const sign_part zero = {0}, one = zero + 1.0f;
  const sign_bits sign = (sign_bits)-zero;
  const sign_part a = (sign_part)((sign_bits)*x & ~sign);
  const sign_part b = (sign_part)((sign_bits)*y & ~sign);
  const sign_part most = sign_pick((sign_bits)(a > b), a, b);
  const sign_part less = sign_pick((sign_bits)(most < 0x1p-60f), zero + 0x1p90f, one);
  const sign_part by = sign_pick((sign_bits)(most > 0x1p60f), zero + 0x1p-68f, less);
  const sign_part re = *x * by, im = *y * by, root = sign_root(re * re + im * im);
  const sign_bits infinite = (sign_bits)(a == INFINITY) | (sign_bits)(b == INFINITY);
  const sign_part size = sign_pick(infinite, zero + INFINITY, root);
  const sign_bits some = (sign_bits)(size != zero);
  *x = (sign_part)((sign_bits)(re / size) & some);
  *y = (sign_part)((sign_bits)(im / size) & some);
}

// One vector of each part, from and to memory.
static inline void sign_step(char* o, const char* at) {
  const sign_part p = parts_at_c64(at), q = parts_at_c64(at + sizeof(p));
  sign_part x = __builtin_shufflevector(p, q, REAL);
  sign_part y = __builtin_shufflevector(p, q, IMAGINARY);
  sign_of_parts(&x, &y);
  const sign_part low = __builtin_shufflevector(x, y, LOW);
  const sign_part high = __builtin_shufflevector(x, y, HIGH);
  memcpy(o, &low, sizeof(low));
  memcpy(o + sizeof(low), &high, sizeof(high));
}

// What lies apart, and the last ones, are brought together.
static void sgn_parts_c64(int64_t n, char* const* data, const int64_t* strides,
                          const void* args) {
  enum { ITEM = 2 * sizeof(float) };
  (void)args;
  char* o = data[0];
  const char* x = data[1];
  const bool together = strides[0] == ITEM && strides[1] == ITEM;
  for (; together && n >= LANES; n -= LANES, o += LANES * ITEM, x += LANES * ITEM)
    sign_step(o, x);
  for (; n > 0; n -= LANES, o += LANES * strides[0], x += LANES * strides[1]) {
    char some[LANES * ITEM] = {0};
    const int64_t count = n < LANES ? n : LANES;
    for (int64_t i = 0; i < count; i++) memcpy(some + i * ITEM, x + i * strides[1], ITEM);
    sign_step(some, some);
    for (int64_t i = 0; i < count; i++) memcpy(o + i * strides[0], some + i * ITEM, ITEM);
  }
}
