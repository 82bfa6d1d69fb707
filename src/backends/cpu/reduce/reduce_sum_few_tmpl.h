// SPDX-License-Identifier: Apache-2.0
// Sums of a few columns of 8 bytes, a part of reduce_sum_loops_tmpl.h.

// Of a few columns of doubles, whose sums stay in registers from row to row, in the order of TREE;
// |numbers|: without those that are none.
typedef int64_t wide_masks __attribute__((vector_size(32)));
#define ROW_OF(p, k) (*(const kept_lanes*)(const void*)((p) + (k)*row_step))
#define TERM(x) \
  (numbers ? (wide_lanes)((wide_masks)(x) & (wide_masks)((x) == (x))) : (wide_lanes)(x))
static inline __attribute__((always_inline)) bool few_lanes(double* to, int64_t n,
                                                            const char* x, int64_t rows,
                                                            int64_t row_step,
                                                            const bool numbers) {
  if (n < LANES || n > 4 * LANES) return false;
  for (int64_t i = 0; i < n; i += LANES) {
    const int64_t at = i + LANES <= n ? i : n - LANES;
    const char* p = x + at * (int64_t)sizeof(double);
    wide_lanes a = {0};
    int64_t r = 0;
    for (; rows - r >= 4; r += 4, p += 4 * row_step) {
      const wide_lanes first = ROW_OF(p, 0), second = ROW_OF(p, 1);
      const wide_lanes third = ROW_OF(p, 2), fourth = ROW_OF(p, 3);
      a += (TERM(first) + TERM(second)) + (TERM(third) + TERM(fourth));
    }
    for (; r < rows; r++, p += row_step) {
      const wide_lanes one = ROW_OF(p, 0);
      a += TERM(one);
    }
    GET(to + at, 0) = a;
  }
  return true;
}

// The same of FEW_LANES columns of many rows, read once, in fewer roundings for as many as
// FEW_ROWS; what those come to keeps its rounding errors in |rest|.
enum { FEW_VECTORS = 4, FEW_LANES = FEW_VECTORS * LANES, FEW_ROWS = 32, MANY_ROWS = 64 };
static inline __attribute__((always_inline)) void few_rows_of_lanes(
    wide_lanes* a, const char* x, int64_t rows, int64_t row_step, const bool numbers) {
  enum { VECTOR = sizeof(wide_lanes), TREE_ROWS = 8 };
  for (; rows >= TREE_ROWS; rows -= TREE_ROWS, x += TREE_ROWS * row_step) {
    OYI_UNROLL
    for (int k = 0; k < FEW_VECTORS; k++) {
      const char *p = x + k * VECTOR, *q = p + 4 * row_step;
      const wide_lanes first = (TERM(ROW_OF(p, 0)) + TERM(ROW_OF(p, 1))) +
                               (TERM(ROW_OF(p, 2)) + TERM(ROW_OF(p, 3)));
      a[k] += first + ((TERM(ROW_OF(q, 0)) + TERM(ROW_OF(q, 1))) +
                       (TERM(ROW_OF(q, 2)) + TERM(ROW_OF(q, 3))));
    }
  }
  for (; rows > 0; rows--, x += row_step) {
    OYI_UNROLL
    for (int k = 0; k < FEW_VECTORS; k++) a[k] += TERM(ROW_OF(x + k * VECTOR, 0));
  }
}
static inline __attribute__((always_inline)) bool many_rows_of_lanes(
    double* to, double* rest, int64_t n, const char* x, int64_t rows, int64_t row_step,
    const bool numbers) {
  if (n != FEW_LANES || rows <= MANY_ROWS) return false;
  wide_lanes sum[FEW_VECTORS] = {{0}}, lost[FEW_VECTORS] = {{0}};
  for (int64_t some; rows > 0; rows -= some, x += some * row_step) {
    wide_lanes a[FEW_VECTORS] = {{0}};
    some = rows < FEW_ROWS ? rows : FEW_ROWS;
    few_rows_of_lanes(a, x, some, row_step, numbers);
    OYI_UNROLL
    for (int k = 0; k < FEW_VECTORS; k++) {
      const wide_lanes all = sum[k] + a[k], part = all - sum[k];
      lost[k] += (sum[k] - (all - part)) + (a[k] - part);
      sum[k] = all;
    }
  }
  memcpy(to, sum, sizeof(sum));
  memcpy(rest, lost, sizeof(lost));
  return true;
}
static bool exact_doubles(double* to, double* rest, int64_t n, const char* x,
                          int64_t rows, int64_t row_step) {
  return many_rows_of_lanes(to, rest, n, x, rows, row_step, false);
}
static bool exact_numbers(double* to, double* rest, int64_t n, const char* x,
                          int64_t rows, int64_t row_step) {
  return many_rows_of_lanes(to, rest, n, x, rows, row_step, true);
}

// There is no rounding error of an infinite sum.
static bool add_errors(double* to, const double* rest) {
  for (int k = 0; k < FEW_LANES; k++) to[k] += rest[k] - rest[k] == 0 ? rest[k] : 0;
  return true;
}
static bool few_doubles(double* to, int64_t n, const char* x, int64_t rows,
                        int64_t row_step) {
  double rest[FEW_LANES];
  if (exact_doubles(to, rest, n, x, rows, row_step)) return add_errors(to, rest);
  return few_lanes(to, n, x, rows, row_step, false);
}
static bool few_numbers(double* to, int64_t n, const char* x, int64_t rows,
                        int64_t row_step) {
  double rest[FEW_LANES];
  if (exact_numbers(to, rest, n, x, rows, row_step)) return add_errors(to, rest);
  return few_lanes(to, n, x, rows, row_step, true);
}

// Of FEW_LANES columns of whole numbers.
typedef uint64_t whole_lanes __attribute__((vector_size(32)));
typedef uint64_t whole_kept
    __attribute__((vector_size(32), aligned(sizeof(uint64_t)), may_alias));
static bool few_whole(uint64_t* to, int64_t n, const char* x, int64_t rows,
                      int64_t row_step) {
  if (n != FEW_LANES || rows <= MANY_ROWS) return false;
  whole_lanes a = {0}, b = {0}, c = {0}, d = {0};
  for (; rows > 0; rows--, x += row_step) {
    const whole_kept* row = (const whole_kept*)(const void*)x;
    a += row[0], b += row[1], c += row[2], d += row[3];
  }
  whole_kept* all = (whole_kept*)(void*)to;
  all[0] = a, all[1] = b, all[2] = c, all[3] = d;
  return true;
}
