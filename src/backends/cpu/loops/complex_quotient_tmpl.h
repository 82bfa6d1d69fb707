// SPDX-License-Identifier: Apache-2.0
// Quotients of complex numbers that lie side by side, T with parts of type R, by vectors of
// real parts and of imaginary ones: what `over` of complex_ratio_tmpl.h computes, with its
// roundings. Compilers divide both ways and choose then, and divisions are what takes time.
//
// Given: ID, BITS, an unsigned integer as wide as R, LANES, REAL and IMAGINARY, the places
// of parts in two vectors, and LOW and HIGH, which bring them back.
#define V    OYI_LOOP_JOIN(parts, ID)
#define B    OYI_LOOP_JOIN(bits, ID)
#define F(f) OYI_LOOP_JOIN(f, ID)

typedef R V __attribute__((vector_size(LANES * sizeof(R))));
typedef BITS B __attribute__((vector_size(LANES * sizeof(R))));

static inline V F(either)(B mask, V yes, V no) {
  return (V)(((B)yes & mask) | ((B)no & ~mask));
}
// Of two, the one that |either| was not.
static inline V F(other)(V a, V b, V either) {
  return (V)((B)a ^ (B)b ^ (B)either);
}

static inline void F(quotient)(V* x, V* y, V re, V im) {
  const V zero = {0}, minus_zero = -zero;
  const B sign = (B)minus_zero;
  const B upright = (B)((V)((B)re & ~sign) < (V)((B)im & ~sign));
  const B nothing = (B)(re == zero) & (B)(im == zero);
  const V greater = F(either)(upright, im, re), less = F(other)(re, im, greater);
  const V ratio = less / greater;
  const V scale = (R)1 / (V)((B)(greater + less * ratio) & ~nothing);
  const V p = F(either)(upright, *x, *y), q = F(other)(*x, *y, p);
  const V part = q * ratio, from = F(either)(upright, part, p);
  const V u = p * ratio + q, v = from - F(other)(part, p, from);
  *x = F(either)(nothing, *x, u) * scale;
  *y = F(either)(nothing, *y, v) * scale;
}

static inline V F(parts_at)(const char* at) {
  V v;
  memcpy(&v, at, sizeof(v));
  return v;
}

static void F(quotients)(int64_t n, char* const* data, const int64_t* strides,
                         const void* args) {
  const int64_t item = 2 * sizeof(R);
  char* o = data[0];
  char *a = data[1], *b = data[2];
  int64_t left = n;
  if (strides[0] == item && strides[1] == item && strides[2] == item)
    for (; left >= LANES; left -= LANES) {
      const V a0 = F(parts_at)(a), a1 = F(parts_at)(a + sizeof(V));
      const V b0 = F(parts_at)(b), b1 = F(parts_at)(b + sizeof(V));
      V x = __builtin_shufflevector(a0, a1, REAL);
      V y = __builtin_shufflevector(a0, a1, IMAGINARY);
      const V re = __builtin_shufflevector(b0, b1, REAL);
      const V im = __builtin_shufflevector(b0, b1, IMAGINARY);
      F(quotient)(&x, &y, re, im);
      const V low = __builtin_shufflevector(x, y, LOW);
      const V high = __builtin_shufflevector(x, y, HIGH);
      memcpy(o, &low, sizeof(V));
      memcpy(o + sizeof(V), &high, sizeof(V));
      a += 2 * sizeof(V), b += 2 * sizeof(V), o += 2 * sizeof(V);
    }
  F(div)(left, (char*[]){o, a, b}, strides, args);
}
#undef V
#undef B
#undef F
