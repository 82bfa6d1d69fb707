// SPDX-License-Identifier: Apache-2.0
// abs of complex numbers that lie side by side, by the vectors of complex_quotient_tmpl.h: the
// root of the sum of squares, and what its own square lacks of that sum, which is exact but for
// the last bits of a few terms: within 0.51 of the last place. What has squares that overflow,
// or vanish, is brought near 1 first. An infinite part outweighs NaN.
//
// A number has the same size at every place and every CPU capability: norms look for one.
//
// Given: what complex_sign_tmpl.h takes and made, SPLIT, 2 to half of the digits of R and 1,
// and ORDER, the places in a vector of parts of the numbers one after the other. May be given:
// SQUARE_LESS(a, b), a * a - b rounded once.
#define V    OYI_LOOP_JOIN(parts, ID)
#define B    OYI_LOOP_JOIN(bits, ID)
#define F(f) OYI_LOOP_JOIN(f, ID)

// What |square|, of |a|, was rounded by: the halves of |a| have exact products.
static inline V F(size_rounding)(V a, V square) {
#ifdef SQUARE_LESS
  return (V)SQUARE_LESS(a, square);
#else
  const V great = a * (R)SPLIT, high = great - (great - a), low = a - high;
  return low * low - ((square - high * high) - (high + high) * low);
#endif
}

static inline __attribute__((always_inline)) V F(size_of_parts)(V x, V y) {
  const V zero = {0}, one = zero + (R)1;
  const B sign = (B)-zero;
  const V a = (V)((B)x & ~sign), b = (V)((B)y & ~sign);
  const B first = (B)(a > b);
  const V most = F(sign_pick)(first, a, b), least = F(sign_pick)(first, b, a);
  const B small = (B)(most < (R)LEAST), great = (B)(most > (R)MOST);
  const V by =
      F(sign_pick)(great, zero + (R)DOWN, F(sign_pick)(small, zero + (R)UP, one));
  const V back =
      F(sign_pick)(great, one / (R)DOWN, F(sign_pick)(small, one / (R)UP, one));
  const V p = most * by, q = least * by, pp = p * p, qq = q * q;
  const V root = F(sign_root)(pp + qq), square = root * root;
  const V rounded = F(size_rounding)(p, pp) + F(size_rounding)(q, qq);
  const V lacks = ((pp - square) + qq) + (rounded - F(size_rounding)(root, square));
  const V size = root + lacks / (root + root);
  const B infinite = (B)(a == (R)INFINITY) | (B)(b == (R)INFINITY);
  const V finite = F(sign_pick)((B)(root > zero), size, root) * back;
  return F(sign_pick)(infinite, zero + (R)INFINITY, finite);
}

static inline void F(size_step)(char* o, const char* at) {
  const V p = F(parts_at)(at), q = F(parts_at)(at + sizeof(p));
  const V x = __builtin_shufflevector(p, q, REAL);
  const V y = __builtin_shufflevector(p, q, IMAGINARY);
  const V size = F(size_of_parts)(x, y);
  const V ordered = __builtin_shufflevector(size, size, ORDER);
  memcpy(o, &ordered, sizeof(V));
}

// What lies apart, and the last ones, are brought together.
static void F(abs_parts)(int64_t n, char* const* data, const int64_t* strides,
                         const void* args) {
  enum { ITEM = 2 * sizeof(R), SIZE = sizeof(R) };
  (void)args;
  char* o = data[0];
  const char* x = data[1];
  const bool together = strides[0] == SIZE && strides[1] == ITEM;
  for (; together && n >= LANES; n -= LANES, o += LANES * SIZE, x += LANES * ITEM)
    F(size_step)(o, x);
  for (; n > 0; n -= LANES, o += LANES * strides[0], x += LANES * strides[1]) {
    char some[LANES * ITEM] = {0}, sizes[LANES * SIZE];
    const int64_t count = n < LANES ? n : LANES;
    for (int64_t i = 0; i < count; i++) memcpy(some + i * ITEM, x + i * strides[1], ITEM);
    F(size_step)(sizes, some);
    for (int64_t i = 0; i < count; i++)
      memcpy(o + i * strides[0], sizes + i * SIZE, SIZE);
  }
}
#undef V
#undef B
#undef F
#undef SPLIT
#undef ORDER
#undef SQUARE_LESS
