// SPDX-License-Identifier: Apache-2.0
// Results of many short rows for one operator and type. Given, and undefined here:
//
//   NAME        of the function, oyi_NAME_rows
//   START       a vector of the running value of nothing
//   OP(a, b)    what two vectors of running values come to
//
// Given for several:
//
//   R, V, MASK  results, vectors of WIDTH running values or parts of them, what their masks are
//   EVEN, ODD, FIRSTS, SECONDS  lanes of two vectors, by turns
//   ITEM        bytes of what a lane of a vector is read from
//   PARTS       of an element and its result: lanes of a vector
//   LOAD(p, mask, none)  a vector of what |mask| has from |p| on, and of |none|
//   PUT(to, a, args)  writes the results that a vector has
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

// Of WIDTH rows of |n| lanes; their results are in the first PARTS vectors of |a|.
static inline __attribute__((always_inline)) void FN(group)(V* a, const char* x,
                                                            int64_t n, int64_t row_step) {
  const int64_t rest = n % WIDTH;
  const MASK all = (MASK)-1, some = (MASK)(rest ? (1 << rest) - 1 : -1);
  const MASK first = n < WIDTH ? some : all;
  const V none = START;
  OYI_UNROLL
  for (int k = 0; k < WIDTH; k++) a[k] = LOAD(x + k * row_step, first, none);
  for (int64_t i = WIDTH; i < n; i += WIDTH) {
    const MASK here = n - i < WIDTH ? some : all;
    x += WIDTH * ITEM;
    OYI_UNROLL
    for (int k = 0; k < WIDTH; k++) {
      const V b = LOAD(x + k * row_step, here, none);
      a[k] = OP(a[k], b);
    }
  }
  FN(join)(a);
}

void OYI_JOIN(oyi, FN(rows))(void* out, int64_t rows, const char* x, int64_t n,
                             int64_t row_step, const void* args) {
  R* to = out;
  V a[WIDTH];
  (void)args;
  int64_t i = 0;
  for (; i + WIDTH <= rows; i += WIDTH, x += WIDTH * row_step) {
    FN(group)(a, x, n * PARTS, row_step);
    for (int k = 0; k < PARTS; k++) PUT(to + i + k * WIDTH / PARTS, a[k], args);
  }
  // The rest one by one, as if there were more of each.
  for (; i < rows; i++, x += row_step) {
    R same[WIDTH / PARTS];
    FN(group)(a, x, n * PARTS, 0);
    PUT(same, a[0], args);
    to[i] = same[0];
  }
}
#undef FN
#undef NAME
#undef START
#undef OP
