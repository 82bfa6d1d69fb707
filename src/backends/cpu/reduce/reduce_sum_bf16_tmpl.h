// SPDX-License-Identifier: Apache-2.0
// Sums of bf16 as they lie, a part of reduce_sum_loops_tmpl.h. Four are added in float, whose
// 24 bits hold the sum of numbers of 8 bits but for those that differ by 2^16 and more, and
// the fours in double: the result is off by less than 2^-22 of the sum of all magnitudes,
// where bf16 keeps 2^-9.

typedef uint32_t bf16_pairs __attribute__((vector_size(32)));
typedef uint32_t loaded_pairs __attribute__((vector_size(32), aligned(2), may_alias));

enum { BF16_STEP = 64, BF16_PIECE = 64 * BF16_STEP };

// Behind nothing all: from the |k|-th on, what keeps the last |k| of BF16_STEP elements.
static const uint16_t bf16_last[2 * BF16_STEP] = {[BF16_STEP... 2 * BF16_STEP - 1] =
                                                      UINT16_MAX};

// Sets |to| to the sums of fours: of the two in each word, and of those of two words.
static inline __attribute__((always_inline)) void bf16_fours(eight* to, const uint16_t* p,
                                                             const uint16_t* kept) {
  bf16_pairs low = ((const loaded_pairs*)(const void*)p)[0];
  bf16_pairs high = ((const loaded_pairs*)(const void*)p)[1];
  if (kept) {
    low &= ((const loaded_pairs*)(const void*)kept)[0];
    high &= ((const loaded_pairs*)(const void*)kept)[1];
  }
  *to = ((eight)(low << 16) + (eight)(low & 0xffff0000)) +
        ((eight)(high << 16) + (eight)(high & 0xffff0000));
}

// The running values |all| go on with BF16_STEP elements, of which those that |kept| has all bits
// of count; NULL: all.
static inline __attribute__((always_inline)) void bf16_step(wide_lanes* all,
                                                            const uint16_t* p,
                                                            const uint16_t* kept) {
  eight some, more;
  bf16_fours(&some, p, kept);
  bf16_fours(&more, p + BF16_STEP / 2, kept ? kept + BF16_STEP / 2 : NULL);
  all[0] = ADD_LANES(all[0], HALF_WIDE(some, 0));
  all[1] = ADD_LANES(all[1], HALF_WIDE(some, 1));
  all[2] = ADD_LANES(all[2], HALF_WIDE(more, 0));
  all[3] = ADD_LANES(all[3], HALF_WIDE(more, 1));
}

// Of |n| elements, BF16_STEP or more.
static inline double bf16_in_fours(const uint16_t* p, int64_t n) {
  wide_lanes all[4] = {{0}};
  int64_t i = 0;
  for (; i + BF16_STEP <= n; i += BF16_STEP) bf16_step(all, p + i, NULL);
  // With some that have been added.
  if (i < n) bf16_step(all, p + n - BF16_STEP, bf16_last + (n - i));
  const wide_lanes sum = (all[0] + all[2]) + (all[1] + all[3]);
  return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}

// With |skips| what is no number counts as 0.
static inline double bf16_wide(uint16_t x, bool skips) {
  const double wide = (double)oyi_bf16_to_float(x);
  return skips && wide != wide ? 0 : wide;
}

// Four may be more than float holds where their sum with others is not.
static double bf16_in_double(const uint16_t* p, int64_t n, bool skips) {
  double sum = 0;
  for (int64_t i = 0; i < n; i++) sum += bf16_wide(p[i], skips);
  return sum;
}
static inline double bf16_sum(const uint16_t* p, int64_t n, bool skips) {
  const double sum = bf16_in_fours(p, n);
  return OY_LIKELY(sum - sum == 0) ? sum : bf16_in_double(p, n, skips);
}

// Rows that are added in float before they are in double. A load has two columns in each word,
// of which the lower ones come first.
enum { BF16_ROWS = 8 };

// Adds |rows| rows of |n| columns, a multiple of HALF_COLUMNS, to |even| and |odd|.
static inline __attribute__((always_inline)) void bf16_rows(double* even, double* odd,
                                                            int64_t n, const char* x,
                                                            const int rows,
                                                            int64_t row_step) {
  for (int64_t i = 0; i < n / 2; i += EIGHT) {
    const char* from = x + i * (int64_t)sizeof(uint32_t);
    eight low = {0}, high = {0};
    OYI_UNROLL
    for (int r = 0; r < rows; r++) {
      const bf16_pairs both = *(const loaded_pairs*)(const void*)(from + r * row_step);
      low += (eight)(both << 16);
      high += (eight)(both & 0xffff0000);
    }
    GET(even + i, 0) = ADD_LANES(GET(even + i, 0), HALF_WIDE(low, 0));
    GET(even + i, 1) = ADD_LANES(GET(even + i, 1), HALF_WIDE(low, 1));
    GET(odd + i, 0) = ADD_LANES(GET(odd + i, 0), HALF_WIDE(high, 0));
    GET(odd + i, 1) = ADD_LANES(GET(odd + i, 1), HALF_WIDE(high, 1));
  }
}

// Columns |from| to |n| - 1, one after the other, in double.
static void bf16_columns_in_double(double* to, int64_t from, int64_t n, const char* x,
                                   int64_t rows, int64_t row_step, bool skips) {
  for (int64_t i = from; i < n; i++) to[i] = 0;
  for (; rows > 0; rows--, x += row_step) {
    const uint16_t* p = (const uint16_t*)(const void*)x;
    for (int64_t i = from; i < n; i++) to[i] += bf16_wide(p[i], skips);
  }
}

// The sums of columns, of which a multiple of HALF_COLUMNS is done; false: one of them is more
// than float holds, or no number.
static bool bf16_columns(double* to, int64_t n, const char* x, int64_t rows,
                         int64_t row_step) {
  double even[OYI_REDUCE_WIDE / 2], odd[OYI_REDUCE_WIDE / 2];
  for (int64_t i = 0; i < n / 2; i++) even[i] = odd[i] = 0;
  for (; rows >= BF16_ROWS; rows -= BF16_ROWS, x += BF16_ROWS * row_step)
    bf16_rows(even, odd, n, x, BF16_ROWS, row_step);
  for (; rows > 0; rows--, x += row_step) bf16_rows(even, odd, n, x, 1, row_step);
  for (int64_t i = 0; i < n / 2; i++) {
    to[2 * i] = even[i];
    to[2 * i + 1] = odd[i];
  }
  return !any_endless(to, n);
}

// The sums of |n| columns, a multiple of HALF_COLUMNS, by the vectors of a type, false if one is
// endless; and of columns |from| to |n| - 1 in double, one after the other.
typedef bool (*half_columns_fn)(double* to, int64_t n, const char* x, int64_t rows,
                                int64_t row_step);
typedef void (*half_in_double_fn)(double* to, int64_t from, int64_t n, const char* x,
                                  int64_t rows, int64_t row_step, bool skips);
enum { HALF_COLUMNS = 16 };

static inline __attribute__((always_inline)) void add_half_columns(
    void* state, int64_t n, const char* x, int64_t rows, int64_t row_step,
    const void* args, bool skips, half_columns_fn columns, half_in_double_fn in_double) {
  double part[OYI_REDUCE_WIDE];
  int64_t done = n / HALF_COLUMNS * HALF_COLUMNS;
  bool whole = columns(part, done, x, rows, row_step);
  if (0 < done && done < n) {
    // The last ones lie over those before.
    const int64_t last = n - HALF_COLUMNS;
    whole &= columns(part + last, HALF_COLUMNS, x + last * (int64_t)sizeof(uint16_t),
                     rows, row_step);
    done = n;
  }
  in_double(part, done, n, x, rows, row_step, skips);
  if (OY_UNLIKELY(!whole)) {
    double exact[OYI_REDUCE_WIDE];
    in_double(exact, 0, done, x, rows, row_step, skips);
    replace_endless(part, exact, done);
  }
  for (int64_t i = 0; i < n; i++) sum_join_f32(state, i, part[i], args);
}

static void add_bf16_row(void* state, int64_t at, const char* x, int64_t n,
                         const void* args, bool skips) {
  const uint16_t* p = (const uint16_t*)(const void*)x;
  for (; n >= BF16_PIECE + BF16_STEP; n -= BF16_PIECE, p += BF16_PIECE)
    sum_join_f32(state, at, bf16_sum(p, BF16_PIECE, skips), args);
  if (n >= BF16_STEP) {
    sum_join_f32(state, at, bf16_sum(p, n, skips), args);
    return;
  }
  uint16_t rest[BF16_STEP] = {0};
  memcpy(rest, p, (size_t)n * sizeof(*rest));
  sum_join_f32(state, at, bf16_sum(rest, BF16_STEP, skips), args);
}

#define BF16_REDUCER(name, skips)                                                      \
  static void name##_bf16_row(void* state, int64_t at, const char* x, int64_t n,       \
                              const void* args) {                                      \
    add_bf16_row(state, at, x, n, args, skips);                                        \
  }                                                                                    \
  static void name##_bf16_columns(void* state, int64_t n, const char* x, int64_t rows, \
                                  int64_t row_step, const void* args) {                \
    add_half_columns(state, n, x, rows, row_step, args, skips, bf16_columns,           \
                     bf16_columns_in_double);                                          \
  }
BF16_REDUCER(sum, false)
BF16_REDUCER(nansum, true)
#undef BF16_REDUCER
