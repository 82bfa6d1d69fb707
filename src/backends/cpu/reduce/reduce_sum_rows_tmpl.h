// SPDX-License-Identifier: Apache-2.0
// Sums of columns, a part of reduce_sum_loops_tmpl.h: ROWS_OF, the name of the type of elements,
// ITEM, their bytes, and EIGHT_OF(p), eight of them as floats, are given and undefined here.
// FLOAT_ROWS rows are added in float, in two sums of four each, and those sums in double:
// four roundings to float at most. More rows at once come slower: each is a stream of its own,
// and only so many are fetched ahead.
#define FN(what) OYI_JOIN(what, OYI_JOIN(of, ROWS_OF))
enum { FN(FLOAT_ROWS) = 8, FN(FEW_ROWS) = 4, FN(SUMS) = 2 };

// Adds |rows| rows of |n| columns, a multiple of STRIP_OF, to what is there, or to 0.
static inline __attribute__((always_inline)) void FN(rows)(double* to, int64_t n,
                                                           const char* x, const int rows,
                                                           int64_t row_step,
                                                           const bool adds) {
  for (int64_t i = 0; i < n; i += STRIP_OF) {
    double* at = to + i;
    const char* row = x + i * ITEM;
    eight f[FN(SUMS)] = {{0}}, g[FN(SUMS)] = {{0}};
    OYI_UNROLL
    for (int r = 0; r < FN(SUMS) && r < rows; r++) {
      f[r] = EIGHT_OF(row + r * row_step);
      g[r] = EIGHT_OF(row + r * row_step + EIGHT * ITEM);
    }
    OYI_UNROLL_BY(16)
    for (int r = FN(SUMS); r < rows; r++) {
      f[r % FN(SUMS)] += EIGHT_OF(row + r * row_step);
      g[r % FN(SUMS)] += EIGHT_OF(row + r * row_step + EIGHT * ITEM);
    }
    const eight left = f[0] + f[1], right = g[0] + g[1];
    const wide_lanes parts[] = {HALF_WIDE(left, 0), HALF_WIDE(left, 1),
                                HALF_WIDE(right, 0), HALF_WIDE(right, 1)};
    OYI_UNROLL
    for (int k = 0; k < 4; k++) {
      const wide_lanes sum = adds ? (wide_lanes)GET(at, k) : (wide_lanes){0};
      GET(at, k) = ADD_LANES(sum, parts[k]);
    }
  }
}

// As many of |rows| as are added at once: how many.
static inline __attribute__((always_inline)) int FN(some_rows)(double* to, int64_t n,
                                                               const char* x,
                                                               int64_t rows,
                                                               int64_t row_step,
                                                               const bool adds) {
  switch (rows < FN(FEW_ROWS)     ? (int)rows
          : rows < FN(FLOAT_ROWS) ? FN(FEW_ROWS)
                                  : FN(FLOAT_ROWS)) {
    case 1: FN(rows)(to, n, x, 1, row_step, adds); return 1;
    case 2: FN(rows)(to, n, x, 2, row_step, adds); return 2;
    case 3: FN(rows)(to, n, x, 3, row_step, adds); return 3;
    case FN(FEW_ROWS):
      FN(rows)(to, n, x, FN(FEW_ROWS), row_step, adds);
      return FN(FEW_ROWS);
    default: FN(rows)(to, n, x, FN(FLOAT_ROWS), row_step, adds); return FN(FLOAT_ROWS);
  }
}

// False: one of them is more than float holds, or no number.
static bool FN(columns)(double* to, int64_t n, const char* x, int64_t rows,
                        int64_t row_step) {
  int done = 0;
  if (rows > 0)
    done = FN(some_rows)(to, n, x, rows, row_step, false);
  else
    for (int64_t i = 0; i < n; i++) to[i] = 0;
  for (rows -= done, x += done * row_step; rows > 0; rows -= done, x += done * row_step)
    done = FN(some_rows)(to, n, x, rows, row_step, true);
  return OY_LIKELY(!any_endless(to, n));
}
#undef FN
#undef ROWS_OF
#undef ITEM
#undef EIGHT_OF
