// SPDX-License-Identifier: Apache-2.0
// Rows of elements of type T, of which |V| holds LANES and MASK has a bit for each. What no
// whole vector holds is read and written by masks. WORD(f) is an instruction for elements of
// that size, and MM(f) and IS_NAN those for floats.
#define V    OYI_JOIN(rows_vector, ID)
#define F(f) OYI_JOIN(f, ID)

typedef T V __attribute__((vector_size(64)));
typedef V (*F(rows_fn))(V a, V b, V number);

static inline V F(sum)(V a, V b, V number) {
  return a + number * b;
}
static inline V F(product)(V a, V b, V number) {
  (void)number;
  return a * b;
}

static inline V F(negative)(V a, V b, V number) {
  (void)b, (void)number;
  return -a;
}

#ifdef MM
static inline V F(quotient)(V a, V b, V number) {
  (void)number;
  return a / b;
}
// What is not greater is the second operand, NaN and a 0 of either sign, too.
static inline V F(at_least)(V a, V b, V number) {
  (void)b;
  return (V)MM(max)(number, a);
}
static inline V F(size)(V a, V b, V number) {
  (void)b, (void)number;
  return (V)MM(abs)(a);
}
static inline V F(square)(V a, V b, V number) {
  (void)b, (void)number;
  return a * a;
}
// The instruction gives its second operand where one is NaN.
static inline V F(or_nan)(V found, V b) {
  return (V)MM(mask_mov)(found, IS_NAN(b), b);
}
static inline V F(greater)(V a, V b, V number) {
  (void)number;
  return F(or_nan)((V)MM(max)(b, a), b);
}
static inline V F(smaller)(V a, V b, V number) {
  (void)number;
  return F(or_nan)((V)MM(min)(b, a), b);
}
#else
static inline V F(size)(V a, V b, V number) {
  (void)b, (void)number;
  return (V)WORD(abs)((__m512i)a);
}
static inline V F(greater)(V a, V b, V number) {
  (void)number;
  return (V)WORD(max)((__m512i)a, (__m512i)b);
}
static inline V F(smaller)(V a, V b, V number) {
  (void)number;
  return (V)WORD(min)((__m512i)a, (__m512i)b);
}
#endif

static inline V F(all_of)(const void* p) {
  WORD_TYPE word;
  memcpy(&word, p, sizeof(word));
  return (V)WORD(set1)(word);
}

// Of which the output is not read, so that it may be an input.
static inline __attribute__((always_inline)) void F(rows)(
    int64_t n, int64_t rows, char* const* data, const int64_t* down, const bool same_a,
    const bool same_b, V number, F(rows_fn) fn) {
  enum { VECTOR = sizeof(V), LANES = VECTOR / sizeof(T) };
  const int64_t whole = n / LANES * VECTOR;
  const MASK rest = (MASK)((1u << n % LANES) - 1);
  char* o = data[0];
  const char *p = data[1], *q = data[2];
  for (; rows > 0; rows--, o += down[0], p += down[1], q += down[2]) {
    const V first_a = same_a ? F(all_of)(p) : number;
    const V first_b = same_b ? F(all_of)(q) : number;
    int64_t i = 0;
    OYI_UNROLL_BY(2)
    for (; i < whole; i += VECTOR) {
      const V a = same_a ? first_a : (V)WORD(loadu)(p + i);
      const V b = same_b ? first_b : (V)WORD(loadu)(q + i);
      WORD(storeu)(o + i, (__m512i)fn(a, b, number));
    }
    if (rest == 0) continue;
    const V a = same_a ? first_a : (V)WORD(maskz_loadu)(rest, p + i);
    const V b = same_b ? first_b : (V)WORD(maskz_loadu)(rest, q + i);
    WORD(mask_storeu)(o + i, rest, (__m512i)fn(a, b, number));
  }
}

static inline __attribute__((always_inline)) void F(of_rows)(int64_t n, int64_t rows,
                                                             char* const* data,
                                                             const int64_t* along,
                                                             const int64_t* down,
                                                             T number, F(rows_fn) fn) {
  const V all = F(all_of)(&number);
  if (along[1] == 0)
    F(rows)(n, rows, data, down, true, false, all, fn);
  else if (along[2] == 0)
    F(rows)(n, rows, data, down, false, true, all, fn);
  else
    F(rows)(n, rows, data, down, false, false, all, fn);
}

#define ROWS(name, number, fn)                                           \
  static void F(name##_rows)(int64_t n, int64_t rows, char* const* data, \
                             const int64_t* along, const int64_t* down,  \
                             const void* args) {                         \
    const T given = args ? *(const T*)args : (T)0;                       \
    (void)given;                                                         \
    F(of_rows)(n, rows, data, along, down, number, F(fn));               \
  }
ROWS(add, given, sum)
ROWS(sub, (T)-given, sum)
ROWS(mul, given, product)
ROWS(maximum, given, greater)
ROWS(minimum, given, smaller)
// Of one input; the other one is not read.
#define ROWS_OF_ONE(name, fn)                                                         \
  static void F(name##_rows)(int64_t n, int64_t rows, char* const* data,              \
                             const int64_t* along, const int64_t* down,               \
                             const void* args) {                                      \
    const T given = args ? *(const T*)args : (T)0;                                    \
    (void)along;                                                                      \
    F(rows)                                                                           \
    (n, rows, (char*[]){data[0], data[1], data[1]},                                   \
     (int64_t[]){down[0], down[1], down[1]}, false, false, F(all_of)(&given), F(fn)); \
  }
ROWS_OF_ONE(neg, negative)
ROWS_OF_ONE(abs, size)
#ifdef MM
ROWS_OF_ONE(relu, at_least)
ROWS_OF_ONE(square, square)
ROWS(div, given, quotient)
#endif
#undef ROWS_OF_ONE

#undef ROWS
#undef F
#undef V
