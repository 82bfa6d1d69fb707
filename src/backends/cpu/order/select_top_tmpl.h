// SPDX-License-Identifier: Apache-2.0
// What oyi_top_fn of select.h is for one type, as a part of select_tmpl.h: elements are compared
// with one of a sample that a few more than are wanted come before, and those are kept, until they
// are not many more.

// One that about |k| of |n| elements come before, and |slack| of those of a sample more. False: all
// that were looked at are NaN.
static bool F(limit)(const T* x, int64_t n, int64_t k, int64_t slack, bool descending,
                     K* out) {
  K sample[FEW], values[2];
  int64_t count = 0;
  for (int64_t i = 0; i < FEW; i++) {
    const K here = (K)OF(x[sample_place(i, n, FEW)]);
    sample[count] = here;
    count += !IS_NAN(here);
  }
  if (count == 0) return false;
  // In descending order NaN comes before all of them.
  int64_t rank = k * FEW / n + slack - (descending ? FEW - count : 0);
  rank = rank < 0 ? 0 : rank < count ? rank : count - 1;
  if (descending) rank = count - 1 - rank;
  F(rank_few)(sample, count, &rank, rank, values);
  *out = values[0];
  return true;
}

// Which of up to BLOCK elements come before |limit|, a number, or are the same.
#define BITS(is_there)                \
  uint8_t truth[BLOCK] = {0};         \
  if (n >= BLOCK) {                   \
    for (int j = 0; j < BLOCK; j++) { \
      const K here = (K)OF(x[j]);     \
      truth[j] = (is_there);          \
    }                                 \
  } else {                            \
    for (int64_t j = 0; j < n; j++) { \
      const K here = (K)OF(x[j]);     \
      truth[j] = (is_there);          \
    }                                 \
  }                                   \
  return bits_of(truth)
static inline uint64_t F(bits_before)(const T* x, int64_t n, K limit, bool descending) {
  if (descending) {
    BITS(!(here <= limit));
  } else {
    BITS(here < limit);
  }
}
static inline uint64_t F(bits_same)(const T* x, int64_t n, K limit) {
  BITS(here == limit);
}
#undef BITS

// The places of those that come before |limit|, and of the first |*same| of those that are it, of
// which |*same| are missing in the end: how many there are.
static int64_t F(list)(const T* x, int64_t n, K limit, bool descending, int64_t* same,
                       int32_t* places) {
  int64_t found = 0;
  for (int64_t i = 0; i < n; i += BLOCK) {
    uint64_t bits = F(bits_before)(x + i, n - i, limit, descending);
    if (*same > 0) bits |= first_bits(F(bits_same)(x + i, n - i, limit), same);
    for (; bits; bits &= bits - 1) places[found++] = (int32_t)i + __builtin_ctzll(bits);
  }
  return found;
}

// The places of about |k| of |n| elements or a few more, among which the |k| first are: how many;
// 0: they are not. Most samples are off by less than a few.
static int64_t F(list_first)(const T* x, int64_t n, int64_t k, bool descending,
                             int32_t* places) {
  enum { FIRST_SLACK = 3, MOST_SLACK = 9 };
  for (int64_t slack = FIRST_SLACK; slack <= MOST_SLACK; slack *= FIRST_SLACK) {
    K limit;
    if (!F(limit)(x, n, k, slack, descending, &limit)) return 0;
    int64_t same = 0, found = F(list)(x, n, limit, descending, &same, places);
    if (found >= k) return found;
    same = k - found;
    found = F(list)(x, n, limit, descending, &same, places);
    if (same == 0) return found;
  }
  return 0;
}

// How many of |n| were kept; 0: no fewer than there were, or nobody knows which. |at|, their
// places, or NULL, and |x| may be what is written.
static int64_t F(narrow)(const T* x, const int32_t* at, int64_t n, int64_t k,
                         bool descending, T* to, int32_t* places, int32_t* spare) {
  const int64_t found = F(list_first)(x, n, k, descending, spare);
  if (found >= n) return 0;
  for (int64_t i = 0; i < found; i++) {
    to[i] = x[spare[i]];
    places[i] = at ? at[spare[i]] : spare[i];
  }
  return found;
}

static int64_t F(top)(const void* elements, int64_t n, int64_t k, bool descending,
                      void* to, int32_t* places, int32_t* spare) {
  int64_t found = F(narrow)(elements, NULL, n, k, descending, to, places, spare);
  for (int64_t left = found; left > 2 * k + FEW; found = left ? left : found)
    left = F(narrow)(to, places, left, k, descending, to, places, spare);
  return found;
}
