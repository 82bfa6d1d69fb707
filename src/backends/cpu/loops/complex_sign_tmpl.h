// SPDX-License-Identifier: Apache-2.0
// sgn of complex numbers that lie side by side, by the vectors of complex_quotient_tmpl.h:
// divided by how far each is from 0. What has squares that overflow, or vanish, is brought near
// 1 first, which loses only results below the least normal number. An infinite part outweighs
// NaN.
//
// Given: what complex_quotient_tmpl.h takes, ROOT(x), of a vector, and bounds: parts are left as
// they are from LEAST to MOST, and multiplied by UP below, DOWN above.
#define V    OYI_LOOP_JOIN(parts, ID)
#define B    OYI_LOOP_JOIN(bits, ID)
#define F(f) OYI_LOOP_JOIN(f, ID)

static inline V F(sign_pick)(B mask, V yes, V no) {
  return (V)(((B)yes & mask) | ((B)no & ~mask));
}

static inline V F(sign_root)(V x) {
#ifdef ROOT
  return (V)ROOT(x);
#else
  for (int k = 0; k < LANES; k++) x[k] = (R)sqrt(x[k]);
  return x;
#endif
}

static inline __attribute__((always_inline)) void F(sign_of_parts)(V* x, V* y) {
  const V zero = {0}, one = zero + (R)1;
  const B sign = (B)-zero;
  const V a = (V)((B)*x & ~sign);
  const V b = (V)((B)*y & ~sign);
  const V most = F(sign_pick)((B)(a > b), a, b);
  const V less = F(sign_pick)((B)(most < (R)LEAST), zero + (R)UP, one);
  const V by = F(sign_pick)((B)(most > (R)MOST), zero + (R)DOWN, less);
  const V re = *x * by, im = *y * by, root = F(sign_root)(re * re + im * im);
  const B infinite = (B)(a == (R)INFINITY) | (B)(b == (R)INFINITY);
  const V size = F(sign_pick)(infinite, zero + (R)INFINITY, root);
  const B some = (B)(size != zero);
  *x = (V)((B)(re / size) & some);
  *y = (V)((B)(im / size) & some);
}

// One vector of each part, from and to memory.
static inline void F(sign_step)(char* o, const char* at) {
  const V p = F(parts_at)(at), q = F(parts_at)(at + sizeof(p));
  V x = __builtin_shufflevector(p, q, REAL);
  V y = __builtin_shufflevector(p, q, IMAGINARY);
  F(sign_of_parts)(&x, &y);
  F(put_parts)(o, x, y);
}

// What lies apart, and the last ones, are brought together.
static void F(sgn_parts)(int64_t n, char* const* data, const int64_t* strides,
                         const void* args) {
  enum { ITEM = 2 * sizeof(R) };
  (void)args;
  char* o = data[0];
  const char* x = data[1];
  const bool together = strides[0] == ITEM && strides[1] == ITEM;
  for (; together && n >= LANES; n -= LANES, o += LANES * ITEM, x += LANES * ITEM)
    F(sign_step)(o, x);
  for (; n > 0; n -= LANES, o += LANES * strides[0], x += LANES * strides[1]) {
    char some[LANES * ITEM] = {0};
    const int64_t count = n < LANES ? n : LANES;
    for (int64_t i = 0; i < count; i++) memcpy(some + i * ITEM, x + i * strides[1], ITEM);
    F(sign_step)(some, some);
    for (int64_t i = 0; i < count; i++) memcpy(o + i * strides[0], some + i * ITEM, ITEM);
  }
}
#undef V
#undef B
#undef F
