// SPDX-License-Identifier: Apache-2.0
// Quotients of complex numbers that lie side by side, T with parts of type R, by vectors of
// real parts and of imaginary ones: what `over` of complex_ratio_tmpl.h computes, with its
// roundings. Compilers divide both ways and choose then, and divisions are what takes time.
//
// What waits in a processor is few steps of this loop, and each takes long: the divisor that
// is 0, which nearly none is, has a branch of its own, and vectors are as wide as there are.
//
// Given: ID, BITS, an unsigned integer as wide as R, LANES, REAL and IMAGINARY, the places of
// parts in two vectors, and LOW and HIGH, which bring them back; EVEN, the places in doubles of
// every other number of two vectors, and APART(at, step), a vector of numbers |step| bytes from
// each other. May be given: ANY(mask), whether a lane of it is set; and MASK, a type with a bit or
// more for each lane, with LESS, EQUAL and UNEQUAL, which make one of two vectors, and PICK(mask,
// yes, no); and TAKE(none, mask, at) and PUT(at, mask, v), which read and write those lanes alone.
#define V    OYI_LOOP_JOIN(parts, ID)
#define P    OYI_LOOP_JOIN(pairs, ID)
#define B    OYI_LOOP_JOIN(bits, ID)
#define F(f) OYI_LOOP_JOIN(f, ID)

typedef R V __attribute__((vector_size(LANES * sizeof(R))));
typedef BITS B __attribute__((vector_size(LANES * sizeof(R))));
// Numbers of two floats, moved as one.
typedef double P __attribute__((vector_size(LANES * sizeof(R))));

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

// Every other element of two vectors.
static inline V F(every_other)(const char* at) {
  const P p = (P)F(parts_at)(at), q = (P)F(parts_at)(at + sizeof(V));
  return (V)__builtin_shufflevector(p, q, EVEN);
}

// Two vectors of LANES elements, |step| bytes from each other; |more| follow.
static inline __attribute__((always_inline)) void F(take_parts)(const char* at,
                                                                int64_t step,
                                                                const bool more, V* first,
                                                                V* second) {
  const int64_t item = 2 * sizeof(R);
  if (step == item) {
    *first = F(parts_at)(at);
    *second = F(parts_at)(at + sizeof(V));
  } else if (step == 2 * item && more) {
    *first = F(every_other)(at);
    *second = F(every_other)(at + LANES * item);
  } else {
    *first = APART(at, step);
    *second = APART(at + LANES / 2 * step, step);
  }
}

static inline void F(put_parts)(char* o, V x, V y) {
  const V low = __builtin_shufflevector(x, y, LOW);
  const V high = __builtin_shufflevector(x, y, HIGH);
  memcpy(o, &low, sizeof(V));
  memcpy(o + sizeof(V), &high, sizeof(V));
}

// |count| elements at |at|, fewer than two vectors hold, before as many of |none|.
static inline __attribute__((always_inline)) void F(take_last)(int64_t count,
                                                               const char* at,
                                                               int64_t step, V none,
                                                               V* first, V* second) {
  const int64_t item = 2 * sizeof(R);
  if (step != item) {
    V both[2] = {none, none};
    for (int64_t i = 0; i < count; i++)
      memcpy((char*)both + i * item, at + i * step, (size_t)item);
    *first = both[0], *second = both[1];
    return;
  }
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

// |number| times |a|, which is 1 where it is NULL, over |b|, or its square, and |more| to the
// quotient, where these are not NULL. |step_a| and |step_b| are bytes from element to element: of
// a divisor that is the same everywhere only the products are left in the loop. The last elements,
// fewer than a vector has, are filled up.
static inline __attribute__((always_inline)) void F(quotient_row)(
    int64_t n, char* o, const R* number, const char* a, int64_t step_a, const char* b,
    int64_t step_b, const bool squares, const char* more) {
  const int64_t item = 2 * sizeof(R);
  const bool same_b = step_b == 0;
  R first[2];
  memcpy(first, b, sizeof(first));
  const V zero = {0}, one = zero + (R)1;
  const V first_re = zero + first[0], first_im = zero + first[1];
  for (int64_t i = 0; i < n; i += LANES) {
    const int64_t at = i * item;
    V a0 = zero, a1 = zero, b0 = zero, b1 = zero;
    if (n - i >= LANES) {
      if (a) F(take_parts)(a + i * step_a, step_a, n - i > LANES, &a0, &a1);
      if (!same_b) F(take_parts)(b + i * step_b, step_b, n - i > LANES, &b0, &b1);
    } else {
      if (a) F(take_last)(n - i, a + i * step_a, step_a, zero, &a0, &a1);
      if (!same_b) F(take_last)(n - i, b + i * step_b, step_b, one, &b0, &b1);
    }
    V re = same_b ? first_re : __builtin_shufflevector(b0, b1, REAL);
    V im = same_b ? first_im : __builtin_shufflevector(b0, b1, IMAGINARY);
    if (squares) {
      const V part = re * re - im * im;
      im = re * im + im * re;
      re = part;
    }
    V x = a ? __builtin_shufflevector(a0, a1, REAL) : one;
    V y = a ? __builtin_shufflevector(a0, a1, IMAGINARY) : zero;
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
        F(take_last)(n - i, more + at, item, zero, &c0, &c1);
      x = __builtin_shufflevector(c0, c1, REAL) + x;
      y = __builtin_shufflevector(c0, c1, IMAGINARY) + y;
    }
    if (n - i >= LANES)
      F(put_parts)(o + at, x, y);
    else
      F(put_last)(n - i, o + at, x, y);
  }
}

// |count| operands, of which some do not lie together, as |loop| takes them, which is the last one
// of several also where it is the same everywhere: a piece at a time.
static void F(pieces)(int64_t n, char* const* data, const int64_t* strides,
                      const void* args, int count, oyi_loop loop) {
  enum { PIECE = 64, MOST = 4 };
  typedef R _Complex pair;
  pair pieces[MOST][PIECE];
  char* at[MOST];
  for (int k = 0; k < count; k++) at[k] = data[k];
  for (int64_t some; n > 0; n -= some) {
    some = n < PIECE ? n : PIECE;
    char* there[MOST];
    int64_t steps[MOST];
    for (int k = 0; k < count; k++) {
      const bool same = strides[k] == 0 && k > 1 && k + 1 == count;
      const bool as_it_lies = same || strides[k] == (int64_t)sizeof(pair);
      there[k] = as_it_lies ? at[k] : (char*)pieces[k];
      steps[k] = as_it_lies ? strides[k] : (int64_t)sizeof(pair);
      for (int64_t i = 0; k > 0 && !as_it_lies && i < some; i++)
        pieces[k][i] = *(const pair*)(const void*)(at[k] + i * strides[k]);
    }
    loop(some, there, steps, args);
    for (int64_t i = 0; there[0] != at[0] && i < some; i++)
      *(pair*)(void*)(at[0] + i * strides[0]) = pieces[0][i];
    for (int k = 0; k < count; k++) at[k] += some * strides[k];
  }
}

// Apart from the others, which have fewer registers to save for it.
static __attribute__((noinline)) void F(quotients_apart)(int64_t n, char* const* data,
                                                         const int64_t* strides) {
  F(quotient_row)
  (n, data[0], NULL, data[1], strides[1], data[2], strides[2], false, NULL);
}

static void F(quotients)(int64_t n, char* const* data, const int64_t* strides,
                         const void* args) {
  enum { FEW = 2 };
  const int64_t item = 2 * sizeof(R), by = strides[2];
  if (n < FEW || strides[1] == 0)
    F(div)(n, data, strides, args);
  else if (strides[0] != item)
    F(pieces)(n, data, strides, args, 3, F(quotients));
  else if (strides[1] == item && by == item)
    F(quotient_row)(n, data[0], NULL, data[1], item, data[2], item, false, NULL);
  else if (strides[1] == item && by == 0)
    F(quotient_row)(n, data[0], NULL, data[1], item, data[2], 0, false, NULL);
  else
    F(quotients_apart)(n, data, strides);
}

// Of 1 by each of them, and by its square.
static void F(reciprocals)(int64_t n, char* const* data, const int64_t* strides,
                           const void* args) {
  const int64_t item = 2 * sizeof(R);
  if (n < 2 || strides[1] == 0)
    F(reciprocal)(n, data, strides, args);
  else if (strides[0] != item)
    F(pieces)(n, data, strides, args, 2, F(reciprocals));
  else if (strides[1] == item)
    F(quotient_row)(n, data[0], NULL, NULL, 0, data[1], item, false, NULL);
  else
    F(quotient_row)(n, data[0], NULL, NULL, 0, data[1], strides[1], false, NULL);
}
static void F(inverse_squares)(int64_t n, char* const* data, const int64_t* strides,
                               const void* args) {
  const int64_t item = 2 * sizeof(R);
  if (strides[0] != item || strides[1] != item)
    F(pieces)(n, data, strides, args, 2, F(inverse_squares));
  else
    F(quotient_row)(n, data[0], NULL, NULL, 0, data[1], item, true, NULL);
}

// a + number * b / c
static void F(addcdivs)(int64_t n, char* const* data, const int64_t* strides,
                        const void* args) {
  const R* given = args;
  const R number[2] = {given ? given[0] : 0, given ? given[1] : 0};
  const int64_t item = 2 * sizeof(R);
  const char *a = data[1], *b = data[2], *c = data[3];
  if (strides[0] != item || strides[1] != item || strides[2] != item ||
      (strides[3] != item && strides[3] != 0))
    F(pieces)(n, data, strides, args, 4, F(addcdivs));
  else if (strides[3] == 0)
    F(quotient_row)(n, data[0], number, b, item, c, 0, false, a);
  else
    F(quotient_row)(n, data[0], number, b, item, c, item, false, a);
}
#undef V
#undef P
#undef B
#undef F
#undef MASK
#undef COMPARE
#undef LESS
#undef EQUAL
#undef UNEQUAL
#undef PICK
#undef ANY
#undef APART
#undef EVEN
#undef TAKE
#undef PUT
#undef LANES_MASK
