// SPDX-License-Identifier: Apache-2.0
// Quotients of complex numbers that lie side by side, T with parts of type R, by vectors of
// real parts and of imaginary ones: what `over` of complex_ratio_tmpl.h computes, with its
// roundings. Compilers divide both ways and choose then, and divisions are what takes time.
//
// What waits in a processor is few steps of this loop, and each takes long: the divisor that
// is 0, which nearly none is, has a branch of its own, and vectors are as wide as there are.
//
// Given: ID, BITS, an unsigned integer as wide as R, LANES, REAL and IMAGINARY, the places of
// parts in two vectors, and LOW and HIGH, which bring them back. May be given: ANY(mask),
// whether a lane of it is set; and MASK, a type with a bit or more for each lane, with LESS,
// EQUAL and UNEQUAL, which make one of two vectors, and PICK(mask, yes, no); and TAKE(none,
// mask, at) and PUT(at, mask, v), which read and write those lanes alone.
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

// |count| elements at |at|, fewer than two vectors hold, before as many of |none|.
static inline __attribute__((always_inline)) void F(take_last)(int64_t count,
                                                               const char* at, V none,
                                                               V* first, V* second) {
#ifdef TAKE
  const uint64_t mask = ((uint64_t)1 << 2 * count) - 1;
  *first = TAKE(none, mask & LANES_MASK, at);
  *second = TAKE(none, mask >> LANES, at + sizeof(V));
#else
  V both[2] = {none, none};
  memcpy(both, at, (size_t)count * 2 * sizeof(R));
  *first = both[0], *second = both[1];
#endif
}

static inline __attribute__((always_inline)) void F(put_last)(int64_t count, char* o, V x,
                                                              V y) {
  const V low = __builtin_shufflevector(x, y, LOW);
  const V high = __builtin_shufflevector(x, y, HIGH);
#ifdef TAKE
  const uint64_t mask = ((uint64_t)1 << 2 * count) - 1;
  PUT(o, mask & LANES_MASK, low);
  PUT(o + sizeof(V), mask >> LANES, high);
#else
  const V both[2] = {low, high};
  memcpy(o, both, (size_t)count * 2 * sizeof(R));
#endif
}

// |number| times |a|, and |more| to the quotient, where they are not NULL. Of a divisor that is the
// same everywhere only the products are left in the loop. The last
// elements, fewer than a vector has, are filled up.
static inline __attribute__((always_inline)) void F(quotient_row)(
    int64_t n, char* o, const R* number, const char* a, const char* b, const bool same_b,
    const char* more) {
  R first[2];
  memcpy(first, b, sizeof(first));
  const V zero = {0}, one = zero + (R)1;
  const V first_re = zero + first[0], first_im = zero + first[1];
  for (int64_t i = 0; i < n; i += LANES) {
    const int64_t at = i * 2 * (int64_t)sizeof(R);
    V a0, a1, b0 = zero, b1 = zero;
    if (n - i >= LANES) {
      a0 = F(parts_at)(a + at), a1 = F(parts_at)(a + at + sizeof(V));
      if (!same_b) b0 = F(parts_at)(b + at), b1 = F(parts_at)(b + at + sizeof(V));
    } else {
      F(take_last)(n - i, a + at, zero, &a0, &a1);
      if (!same_b) F(take_last)(n - i, b + at, one, &b0, &b1);
    }
    const V re = same_b ? first_re : __builtin_shufflevector(b0, b1, REAL);
    const V im = same_b ? first_im : __builtin_shufflevector(b0, b1, IMAGINARY);
    V x = __builtin_shufflevector(a0, a1, REAL);
    V y = __builtin_shufflevector(a0, a1, IMAGINARY);
    if (number) {
      const V part = number[0] * x - number[1] * y;
      y = number[0] * y + number[1] * x;
      x = part;
    }
    F(quotient)(&x, &y, re, im);
    if (more) {
      V c0, c1;
      if (n - i >= LANES)
        c0 = F(parts_at)(more + at), c1 = F(parts_at)(more + at + sizeof(V));
      else
        F(take_last)(n - i, more + at, zero, &c0, &c1);
      x = __builtin_shufflevector(c0, c1, REAL) + x;
      y = __builtin_shufflevector(c0, c1, IMAGINARY) + y;
    }
    if (n - i >= LANES)
      F(put_parts)(o + at, x, y);
    else
      F(put_last)(n - i, o + at, x, y);
  }
}

static void F(quotients)(int64_t n, char* const* data, const int64_t* strides,
                         const void* args) {
  enum { FEW = 2 };
  const int64_t item = 2 * sizeof(R);
  if (n < FEW || strides[0] != item || strides[1] != item)
    F(div)(n, data, strides, args);
  else if (strides[2] == item)
    F(quotient_row)(n, data[0], NULL, data[1], data[2], false, NULL);
  else if (strides[2] == 0)
    F(quotient_row)(n, data[0], NULL, data[1], data[2], true, NULL);
  else
    F(div)(n, data, strides, args);
}

// Of 1 by each of them.
static inline __attribute__((always_inline)) void F(reciprocal_of)(V b0, V b1, V* x,
                                                                   V* y) {
  const V zero = {0};
  *x = zero + (R)1, *y = zero;
  F(quotient)
  (x, y, __builtin_shufflevector(b0, b1, REAL),
   __builtin_shufflevector(b0, b1, IMAGINARY));
}

// The last ones go with some before them, which are read before anything is written.
static void F(reciprocals)(int64_t n, char* const* data, const int64_t* strides,
                           const void* args) {
  const int64_t item = 2 * sizeof(R), behind = (n - LANES) * item;
  if (n < 2 || strides[0] != item || strides[1] != item) {
    F(reciprocal)(n, data, strides, args);
    return;
  }
  const char* b = data[1];
  V x, y, last0, last1;
  if (n >= LANES) {
    last0 = F(parts_at)(b + behind), last1 = F(parts_at)(b + behind + sizeof(V));
  } else {
    const V zero = {0};
    F(take_last)(n, b, zero + (R)1, &last0, &last1);
  }
  for (int64_t i = 0; i + LANES < n; i += LANES) {
    F(reciprocal_of)
    (F(parts_at)(b + i * item), F(parts_at)(b + i * item + sizeof(V)), &x, &y);
    F(put_parts)(data[0] + i * item, x, y);
  }
  F(reciprocal_of)(last0, last1, &x, &y);
  if (n >= LANES)
    F(put_parts)(data[0] + behind, x, y);
  else
    F(put_last)(n, data[0], x, y);
}

// a + number * b / c; what does not lie together is brought together, a piece at a time.
static void F(addcdivs)(int64_t n, char* const* data, const int64_t* strides,
                        const void* args) {
  enum { PIECE = 64 };
  typedef R _Complex pair;
  const R* given = args;
  const R number[2] = {given ? given[0] : 0, given ? given[1] : 0};
  const int64_t item = sizeof(pair);
  pair pieces[4][PIECE];
  char* at[4] = {data[0], data[1], data[2], data[3]};
  if (strides[0] == item && strides[1] == item && strides[2] == item &&
      (strides[3] == item || strides[3] == 0)) {
    if (strides[3] == 0)
      F(quotient_row)(n, at[0], number, at[2], at[3], true, at[1]);
    else
      F(quotient_row)(n, at[0], number, at[2], at[3], false, at[1]);
    return;
  }
  for (int64_t count; n > 0; n -= count) {
    count = n < PIECE ? n : PIECE;
    for (int k = 1; k < 4; k++)
      for (int64_t i = 0; i < count; i++, at[k] += strides[k])
        pieces[k][i] = *(const pair*)(const void*)at[k];
    F(quotient_row)
    (count, (char*)pieces[0], number, (const char*)pieces[2], (const char*)pieces[3],
     false, (const char*)pieces[1]);
    for (int64_t i = 0; i < count; i++, at[0] += strides[0])
      *(pair*)(void*)at[0] = pieces[0][i];
  }
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
#undef TAKE
#undef PUT
#undef LANES_MASK
