// SPDX-License-Identifier: Apache-2.0
// Sums of bf16 as they lie, a part of reduce_sum_loops_tmpl.h. Four are added in float, whose
// 24 bits hold the sum of numbers of 8 bits but for those that differ by 2^16 and more, and
// the fours in double: the result is off by less than 2^-22 of the sum of all magnitudes,
// where bf16 keeps 2^-9.

typedef uint32_t bf16_pairs __attribute__((vector_size(32)));
typedef uint32_t loaded_pairs __attribute__((vector_size(32), aligned(2), may_alias));

enum { BF16_STEP = 64, BF16_PIECE = 64 * BF16_STEP };

// Sets |to| to the sums of fours: of the two in each word, and of those of two words.
static inline __attribute__((always_inline)) void bf16_fours(eight* to,
                                                             const uint16_t* p) {
  const bf16_pairs low = ((const loaded_pairs*)(const void*)p)[0];
  const bf16_pairs high = ((const loaded_pairs*)(const void*)p)[1];
  *to = ((eight)(low << 16) + (eight)(low & 0xffff0000)) +
        ((eight)(high << 16) + (eight)(high & 0xffff0000));
}

// Of |n| elements, a multiple of BF16_STEP.
static inline double bf16_in_fours(const uint16_t* p, int64_t n) {
  wide_lanes a = {0}, b = {0}, c = {0}, d = {0};
  for (int64_t i = 0; i < n; i += BF16_STEP) {
    eight some, more;
    bf16_fours(&some, p + i);
    bf16_fours(&more, p + i + BF16_STEP / 2);
    a = ADD_LANES(a, HALF_WIDE(some, 0));
    b = ADD_LANES(b, HALF_WIDE(some, 1));
    c = ADD_LANES(c, HALF_WIDE(more, 0));
    d = ADD_LANES(d, HALF_WIDE(more, 1));
  }
  const wide_lanes all = (a + c) + (b + d);
  return (all[0] + all[2]) + (all[1] + all[3]);
}

// Four may be more than float holds where their sum with others is not.
static double bf16_in_double(const uint16_t* p, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; i++) sum += (double)oyi_bf16_to_float(p[i]);
  return sum;
}
static inline double bf16_sum(const uint16_t* p, int64_t n) {
  const double sum = bf16_in_fours(p, n);
  return OY_LIKELY(sum - sum == 0) ? sum : bf16_in_double(p, n);
}

static void sum_bf16_row(void* state, int64_t at, const char* x, int64_t n,
                         const void* args) {
  const uint16_t* p = (const uint16_t*)(const void*)x;
  for (int64_t some; n >= BF16_STEP; n -= some, p += some) {
    some = n < BF16_PIECE ? n / BF16_STEP * BF16_STEP : BF16_PIECE;
    sum_join_f32(state, at, bf16_sum(p, some), args);
  }
  if (n == 0) return;
  uint16_t rest[BF16_STEP] = {0};
  memcpy(rest, p, (size_t)n * sizeof(*rest));
  sum_join_f32(state, at, bf16_sum(rest, BF16_STEP), args);
}
