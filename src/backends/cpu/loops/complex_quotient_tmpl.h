// SPDX-License-Identifier: Apache-2.0
// Quotients of complex numbers that lie side by side, T with parts of type R, by vectors of
// real parts and of imaginary ones: what `over` of complex_ratio_tmpl.h computes, with its
// roundings. Compilers divide both ways and choose then, and divisions are what takes time.
//
// What waits in a processor is few steps of this loop, and each takes long: the divisor that
// is 0, which nearly none is, has a branch of its own, and vectors are as wide as there are.
//
// Given: ID, BITS, an unsigned integer as wide as R, LANES, REAL and IMAGINARY, the places
// of parts in two vectors, and LOW and HIGH, which bring them back. May be given: ANY(mask),
// whether a lane of it is set; and MASK, a type with a bit or more for each lane, with LESS,
// EQUAL and UNEQUAL, which make one of two vectors, and PICK(mask, yes, no).
#define V    OYI_LOOP_JOIN(parts, ID)
#define B    OYI_LOOP_JOIN(bits, ID)
#define F(f) OYI_LOOP_JOIN(f, ID)

typedef R V __attribute__((vector_size(LANES * sizeof(R))));
typedef BITS B __attribute__((vector_size(LANES * sizeof(R))));

#ifndef MASK
static inline V F(either)(B mask, V yes, V no) {
  return (V)(((B)yes & mask) | ((B)no & ~mask));
}
#define MASK                B
#define LESS(a, b)          (B)((a) < (b))
#define EQUAL(a, b)         (B)((a) == (b))
#define UNEQUAL(a, b)       (B)((a) != (b))
#define PICK(mask, yes, no) F(either)(mask, yes, no)
#endif
#ifndef ANY
static inline bool F(any)(B mask) {
  BITS all = 0;
  for (int k = 0; k < LANES; k++) all |= mask[k];
  return all != 0;
}
#define ANY(mask) F(any)(mask)
#endif

static inline __attribute__((always_inline)) void F(quotient)(V* x, V* y, V re, V im) {
  const V zero = {0};
  const B sign = (B)-zero;
  const MASK upright = LESS((V)((B)re & ~sign), (V)((B)im & ~sign));
  const V greater = PICK(upright, im, re), less = PICK(upright, re, im);
  const V ratio = less / greater;
  const V p = PICK(upright, *y, *x), q = PICK(upright, *x, *y), part = p * ratio;
  V size = greater + less * ratio;
  V u = p + q * ratio, v = PICK(upright, part - q, q - part);
  // 0 over 0 is not a number.
  if (__builtin_expect(ANY(UNEQUAL(size, size)), 0)) {
    const MASK nothing = EQUAL(re, zero) & EQUAL(im, zero);
    size = PICK(nothing, zero, size);
    u = PICK(nothing, *x, u);
    v = PICK(nothing, *y, v);
  }
  const V scale = (R)1 / size;
  *x = u * scale;
  *y = v * scale;
}

static inline V F(parts_at)(const char* at) {
  V v;
  memcpy(&v, at, sizeof(v));
  return v;
}

static inline void F(put_parts)(char* o, V x, V y) {
  const V low = __builtin_shufflevector(x, y, LOW);
  const V high = __builtin_shufflevector(x, y, HIGH);
  memcpy(o, &low, sizeof(V));
  memcpy(o + sizeof(V), &high, sizeof(V));
}

// As many whole vectors as |n| has; their number. Of a divisor that is the same everywhere
// only the products are left in the loop.
static inline __attribute__((always_inline)) int64_t F(quotient_row)(int64_t n, char* o,
                                                                     const char* a,
                                                                     const char* b,
                                                                     const bool same_b) {
  R first[2];
  memcpy(first, b, sizeof(first));
  const V zero = {0}, first_re = zero + first[0], first_im = zero + first[1];
  int64_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    const int64_t at = i * 2 * (int64_t)sizeof(R);
    const V a0 = F(parts_at)(a + at), a1 = F(parts_at)(a + at + sizeof(V));
    const V b0 = same_b ? zero : F(parts_at)(b + at);
    const V b1 = same_b ? zero : F(parts_at)(b + at + sizeof(V));
    const V re = same_b ? first_re : __builtin_shufflevector(b0, b1, REAL);
    const V im = same_b ? first_im : __builtin_shufflevector(b0, b1, IMAGINARY);
    V x = __builtin_shufflevector(a0, a1, REAL);
    V y = __builtin_shufflevector(a0, a1, IMAGINARY);
    F(quotient)(&x, &y, re, im);
    F(put_parts)(o + at, x, y);
  }
  return i;
}

static void F(quotients)(int64_t n, char* const* data, const int64_t* strides,
                         const void* args) {
  const int64_t item = 2 * sizeof(R);
  int64_t done = 0;
  if (n > 0 && strides[0] == item && strides[1] == item) {
    if (strides[2] == item)
      done = F(quotient_row)(n, data[0], data[1], data[2], false);
    else if (strides[2] == 0)
      done = F(quotient_row)(n, data[0], data[1], data[2], true);
  }
  char* rest[3];
  for (int k = 0; k < 3; k++) rest[k] = data[k] + done * strides[k];
  F(div)(n - done, rest, strides, args);
}

// Of 1 by each of them.
static void F(reciprocals)(int64_t n, char* const* data, const int64_t* strides,
                           const void* args) {
  const int64_t item = 2 * sizeof(R);
  const V zero = {0};
  int64_t i = 0;
  if (strides[0] == item && strides[1] == item)
    for (; i + LANES <= n; i += LANES) {
      const V b0 = F(parts_at)(data[1] + i * item);
      const V b1 = F(parts_at)(data[1] + i * item + sizeof(V));
      const V re = __builtin_shufflevector(b0, b1, REAL);
      const V im = __builtin_shufflevector(b0, b1, IMAGINARY);
      V x = zero + (R)1, y = zero;
      F(quotient)(&x, &y, re, im);
      F(put_parts)(data[0] + i * item, x, y);
    }
  char* const rest[] = {data[0] + i * strides[0], data[1] + i * strides[1]};
  F(reciprocal)(n - i, rest, strides, args);
}
#undef V
#undef B
#undef F
#undef MASK
#undef COMPARE
#undef LESS
#undef EQUAL
#undef UNEQUAL
#undef PICK
#undef ANY
