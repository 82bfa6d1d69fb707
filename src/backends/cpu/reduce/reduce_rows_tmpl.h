// SPDX-License-Identifier: Apache-2.0
// Results of many short rows for one operator and type. Given, and undefined here:
//
//   NAME        of the function, oyi_NAME_rows
//   START       a vector of the running value of nothing
//   OP(a, b)    what two vectors of running values come to
//   AGAIN(a, x, n, row_step, rows)  (may be left out) what the vector |a| of results becomes
//   where some of them have to be found otherwise
//
// Given for several:
//
//   R, V, MASK  results, vectors of WIDTH running values or parts of them, what their masks are
//   EVEN, ODD, FIRSTS, SECONDS  lanes of two vectors, by turns
//   ITEM        bytes of an element
//   READS       (WIDTH if left out) elements that LOAD makes a vector of
//   PARTS       of an element and its result: lanes of a vector
//   LOAD(p, mask, none)  a vector of what |mask| has from |p| on, and of |none|
//   PUT(to, a, args)  writes the results that a vector has
#ifndef READS
#define READS WIDTH
#define READS_WIDTH
#endif
#define FN(what) OYI_JOIN(NAME, what)

// The running values of WIDTH rows, one vector each, become one a lane, or PARTS of them.
static inline __attribute__((always_inline)) void FN(join)(V* a) {
#define HALVE(count, FIRST, SECOND)     \
  OYI_UNROLL                            \
  for (int k = 0; k < (count) / 2; k++) \
  a[k] = OP(FIRST(a[2 * k], a[2 * k + 1]), SECOND(a[2 * k], a[2 * k + 1]))
#if PARTS == 1
  HALVE(WIDTH, EVEN, ODD);
#endif
#if IS_NARROW
  HALVE(WIDTH / 2, EVEN_PAIRS, ODD_PAIRS);
#endif
  HALVE(4 * PARTS, FIRSTS, SECONDS);
  HALVE(2 * PARTS, FIRSTS, SECONDS);
#undef HALVE
}

// The running values of WIDTH rows go on with READS elements each from |x| on, or with those
// of |mask|. Where there are only |rows| of them the first stands for others.
static inline __attribute__((always_inline)) void FN(step)(V* a, const char* x,
                                                           int64_t row_step,
                                                           const int64_t rows, MASK mask,
                                                           const bool begins) {
  const V none = START;
  (void)none;  // where LOAD has zeros, which is that
  OYI_UNROLL
  for (int k = 0; k < WIDTH; k++) {
    const V b = LOAD(x + (k < rows ? k : 0) * row_step, mask, none);
    if (begins)
      a[k] = b;
    else
      a[k] = OP(a[k], b);
  }
}

// Of WIDTH rows of |n| elements, or parts of them; their results are in the first PARTS vectors
// of |a|. Loads of whole vectors without a mask are fewer instructions.
static inline __attribute__((always_inline)) void FN(group)(V* a, const char* x,
                                                            int64_t n, int64_t row_step,
                                                            const int64_t rows) {
  const int64_t rest = n % READS, whole = n - rest;
  const MASK all = (MASK)-1, some = (MASK)(((uint64_t)1 << rest) - 1);
  if (whole == 0) {
    FN(step)(a, x, row_step, rows, some, true);
  } else {
    FN(step)(a, x, row_step, rows, all, true);
    for (int64_t i = READS; i < whole; i += READS)
      FN(step)(a, x + i * ITEM, row_step, rows, all, false);
    if (rest > 0) FN(step)(a, x + whole * ITEM, row_step, rows, some, false);
  }
  FN(join)(a);
#ifdef AGAIN
  a[0] = AGAIN(a[0], x, n, row_step, rows);
#endif
}

// WIDTH rows of results at |to|.
static inline __attribute__((always_inline)) void FN(put)(R* to, const char* x, int64_t n,
                                                          int64_t row_step,
                                                          const int64_t rows,
                                                          const void* args) {
  V a[WIDTH];
  (void)args;
  FN(group)(a, x, n * PARTS, row_step, rows);
  for (int k = 0; k < PARTS; k++) PUT(to + k * WIDTH / PARTS, a[k], args);
}

// Fewer than WIDTH rows.
static __attribute__((noinline)) void FN(few)(R* to, int64_t rows, const char* x,
                                              int64_t n, int64_t row_step,
                                              const void* args) {
  R all[WIDTH];
  FN(put)(all, x, n, row_step, rows, args);
  for (int64_t i = 0; i < rows; i++) to[i] = all[i];
}

void OYI_JOIN(oyi, FN(rows))(void* out, int64_t rows, const char* x, int64_t n,
                             int64_t row_step, const void* args) {
  if (rows < WIDTH) {
    FN(few)(out, rows, x, n, row_step, args);
    return;
  }
  R *to = out, *last = to + rows - WIDTH;
  for (; to <= last; to += WIDTH, x += WIDTH * row_step)
    FN(put)(to, x, n, row_step, WIDTH, args);
  // The last ones begin with some of those before them.
  if (to < last + WIDTH)
    FN(put)(last, x + (last - to) * row_step, n, row_step, WIDTH, args);
}
#ifdef READS_WIDTH
#undef READS
#undef READS_WIDTH
#endif
#undef FN
#undef NAME
#undef START
#undef OP
#undef AGAIN
