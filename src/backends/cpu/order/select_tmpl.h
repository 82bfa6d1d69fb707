// SPDX-License-Identifier: Apache-2.0
// The selection of select.h for one type. Given and undefined here: T, as elements lie, K, as
// they are compared, C, an integer as wide, LAST, above which no number is, and ID. Given for
// several: OF(x), which makes one of the other, IS_PLAIN, whether they are the same, and
// IS_NAN(x).
#define F(name) OYI_JOIN(name, ID)
// As many as are ranked sooner than parted: what a vector is compared with four times.
#define RANKED (4 * VECTOR / (int)sizeof(K))

static void F(count_parts)(const K* x, int64_t n, const K bounds[2], counts* c) {
  const K low = bounds[0], high = bounds[1];
  *c = (counts){0};
  for (int64_t i = 0; i < n; i += BLOCK, x += BLOCK) {
    const int count = n - i < BLOCK ? (int)(n - i) : BLOCK;
    C below = 0, to_low = 0, below_high = 0, to_high = 0, numbers = 0;
    for (int j = 0; j < count; j++) {
      below += (C)(x[j] < low);
      to_low += (C)(x[j] <= low);
      below_high += (C)(x[j] < high);
      to_high += (C)(x[j] <= high);
      numbers += (C)!IS_NAN(x[j]);
    }
    c->below += below;
    c->to_low += to_low;
    c->below_high += below_high;
    c->to_high += to_high;
    c->numbers += numbers;
  }
}

// The numbers of one part, into |to|, which has room for one more and may be |x|. Each is
// written, and stays if it is one of them: which are cannot be foretold. Not inlined: where other
// things take the registers, conditions went through memory.
static __attribute__((noinline)) void F(gather_part)(const K* x, int64_t n,
                                                     const K bounds[2], part p, K* to) {
  const K low = bounds[0], high = bounds[1];
  int64_t found = 0;
#define GATHER(is_there)            \
  for (int64_t i = 0; i < n; i++) { \
    const K here = x[i];            \
    to[found] = here;               \
    found += (is_there);            \
  }
  if (p == BELOW) {
    GATHER(here < low)
  } else if (p == BETWEEN) {
    GATHER((here > low) & (here < high))
  } else {
    GATHER((here > high) & !IS_NAN(here))
  }
#undef GATHER
}

typedef K F(vec) __attribute__((vector_size(VECTOR)));
typedef K F(any_vec) __attribute__((vector_size(VECTOR), aligned(sizeof(K)), may_alias));
typedef C F(lanes) __attribute__((vector_size(VECTOR)));

// How many of up to RANKED elements are less than each, by comparing each with each, a vector or
// two at once with the same. Behind the last there is no more than what |all| has room for.
static void F(count_less)(const K* all, int64_t n, C* less) {
  enum { LANES = VECTOR / sizeof(K) };
  for (int64_t i = 0; i < n; i += 2 * LANES) {
    const F(vec) here = *(const F(any_vec)*)(const void*)(all + i);
    const F(vec) next = *(const F(any_vec)*)(const void*)(all + i + LANES);
    F(lanes) count = {0}, next_count = {0};
    for (int64_t j = 0; j < n; j++) {
      const F(vec) other = (F(vec)){0} + all[j];
      count -= (F(lanes))(other < here);
      next_count -= (F(lanes))(other < next);
    }
    memcpy(less + i, &count, VECTOR);
    memcpy(less + i + LANES, &next_count, VECTOR);
  }
}

// The element that |k| is the rank of or of an equal one: of those with no more than |k| before
// them one with the most. |*which| becomes which one of its equals it is.
static K F(of_rank)(const K* all, const C* less, int64_t n, int64_t k, int64_t* which) {
  enum { LANES = VECTOR / sizeof(K) };
  const F(lanes) limit = (F(lanes)){0} + (C)k;
  F(lanes) most = {0};
  for (int64_t i = 0; i < n; i += LANES) {
    F(lanes) here;
    memcpy(&here, less + i, VECTOR);
    here &= (F(lanes))(here <= limit);
    const F(lanes) is_more = (F(lanes))(here > most);
    most = (here & is_more) | (most & ~is_more);
  }
  C lanes[LANES], greatest = 0;
  memcpy(lanes, &most, VECTOR);
  for (int l = 0; l < LANES; l++) greatest = lanes[l] > greatest ? lanes[l] : greatest;
  int64_t i = 0;
  while (less[i] != greatest) i++;
  *which = k - greatest;
  return all[i];
}

// The |*k|-th and the |l|-th of up to FEW or RANKED numbers. |*k| becomes which one of its equals
// it is.
static void F(rank_few)(const K* x, int64_t n, int64_t* k, int64_t l, K values[2]) {
  enum { MOST = FEW > RANKED ? FEW : RANKED };
  K all[MOST + 2 * VECTOR / sizeof(K)];
  C less[MOST + 2 * VECTOR / sizeof(K)];
  int64_t which;
  memcpy(all, x, (size_t)n * sizeof(K));
  // So that they have no number before them that another one has not.
  for (size_t i = 0; i < 2 * VECTOR / sizeof(K); i++) all[(size_t)n + i] = (K)LAST;
  F(count_less)(all, n, less);
  values[1] = F(of_rank)(all, less, n, l, &which);
  values[0] = *k == l ? values[1] : F(of_rank)(all, less, n, *k, &which);
  *k = which;
}

// A number with some below and some above it, as a rule.
static K F(middle)(const K* x, int64_t n) {
  const K a = x[n / 4], b = x[n / 2], c = x[n - 1 - n / 4];
  const K low = a < b ? a : b, high = a < b ? b : a;
  return c < low ? low : c > high ? high : c;
}

// Parts up to HALVED numbers by one of them. True: it is the |*k|-th, and |*k| becomes which one
// of its equals. Each is written to both sides, and stays where it belongs.
static bool F(halve)(K* x, int64_t* n, int64_t* k, K* middle) {
  K above[HALVED];
  const K by = *middle = F(middle)(x, *n);
  int64_t low = 0, same = 0;
  for (int64_t i = 0; i < *n; i++) {
    const K here = x[i];
    x[low] = here;
    above[i - low] = here;
    low += here < by;
  }
  const int64_t high = *n - low;
  *n = low;
  if (*k < low) return false;
  *k -= low;
  for (int64_t i = 0; i < high; i++) same += above[i] == by;
  if (*k < same) return true;
  // What is taken out makes fewer of them where none is below.
  *k -= same;
  *n = 0;
  for (int64_t i = 0; i < high; i++) {
    x[*n] = above[i];
    *n += above[i] != by;
  }
  return false;
}

static K F(select)(K* x, int64_t n, int64_t* k);

// Two elements, below and above the |k|-th as a rule, from a sample.
static void F(choose_bounds)(const K* x, int64_t n, int64_t k, K bounds[2]) {
  enum { MANY = 512, LONG = 16384, SLACK = 4, MANY_SLACK = 30 };
  K sample[MANY], moved[MANY];
  const int64_t wanted = n < LONG ? FEW : MANY, slack = n < LONG ? SLACK : MANY_SLACK;
  int64_t count = 0;
  for (int64_t i = 0; i < wanted; i++) {
    sample[count] = x[sample_place(i, n, wanted)];
    count += !IS_NAN(sample[count]);
  }
  bounds[0] = bounds[1] = 0;
  if (count == 0) return;
  const int64_t rank = k * count / n;
  int64_t low = rank > slack ? rank - slack : 0;
  int64_t high = rank + slack < count ? rank + slack : count - 1;
  if (count <= FEW) {
    F(rank_few)(sample, count, &low, high, bounds);
    return;
  }
  memcpy(moved, sample, (size_t)count * sizeof(K));
  bounds[0] = F(select)(sample, count, &low);
  bounds[1] = F(select)(moved, count, &high);
}

// The |*k|-th of numbers, which are moved, and which one of its equals.
static K F(select)(K* x, int64_t n, int64_t* k) {
  K bounds[2];
  while (n > RANKED) {
    if (n <= HALVED) {
      if (F(halve)(x, &n, k, bounds)) return bounds[0];
      continue;
    }
    counts c;
    F(choose_bounds)(x, n, *k, bounds);
    F(count_parts)(x, n, bounds, &c);
    const int64_t all = n;
    const part p = part_of(&c, k, &n);
    if (p == AT_LOW || p == AT_HIGH) return bounds[p == AT_HIGH];
    F(gather_part)(x, all, bounds, p, x);
  }
  F(rank_few)(x, n, k, *k, bounds);
  return bounds[0];
}

// The place of the |which|-th that is |value|, or that is NaN; it is there.
static int64_t F(find)(const K* x, int64_t n, K value, bool is_nan, int64_t which) {
  int64_t i = 0;
  for (; i + BLOCK <= n; i += BLOCK) {
    C count = 0;
    for (int j = 0; j < BLOCK; j++)
      count += (C)(is_nan ? IS_NAN(x[i + j]) : x[i + j] == value);
    if (which < count) break;
    which -= count;
  }
  while (!(is_nan ? IS_NAN(x[i]) : x[i] == value) || which-- > 0) i++;
  return i;
}

// The |*k|-th of what is between |bounds|, or below or above, as |c| says, and which one of
// its equals. |spare| has room for SHORT and one more.
static oy_status F(select_rest)(const K* x, int64_t n, const K bounds[2], const counts* c,
                                K* spare, int64_t* k, K* out) {
  int64_t left;
  const part p = part_of(c, k, &left);
  if (p == AT_LOW || p == AT_HIGH) {
    *out = bounds[p == AT_HIGH];
    return OY_OK;
  }
  K* kept = left <= SHORT ? spare : oyi_malloc((size_t)(left + 1) * sizeof(K));
  if (!kept) return OY_OUT_OF_MEMORY;
  F(gather_part)(x, n, bounds, p, kept);
  *out = F(select)(kept, left, k);
  if (kept != spare) oyi_free(kept);
  return OY_OK;
}

// How many there are, which go to |to|; most often all of them.
static int64_t F(take_numbers)(const K* x, int64_t n, K* to) {
  C nans = 0;
  for (int64_t i = 0; i < n; i++) nans |= (C)IS_NAN(x[i]);
  if (!nans) {
    memcpy(to, x, (size_t)n * sizeof(K));
    return n;
  }
  int64_t numbers = 0;
  for (int64_t i = 0; i < n; i++) {
    to[numbers] = x[i];
    numbers += !IS_NAN(x[i]);
  }
  return numbers;
}

// Of elements side by side.
static oy_status F(place_among)(const oyi_selection* s, const K* x, K* spare,
                                int64_t* out) {
  const int64_t n = s->n;
  K bounds[2] = {0};
  counts c = {0};
  if (n <= HALVED) {
    c.numbers = F(take_numbers)(x, n, spare);
  } else {
    F(choose_bounds)(x, n, s->rank(n, 0, s->k), bounds);
    F(count_parts)(x, n, bounds, &c);
  }
  int64_t k = s->rank(n, n - c.numbers, s->k);
  const bool is_nan = k >= c.numbers;
  if (is_nan)
    k -= c.numbers;
  else if (n <= HALVED)
    bounds[0] = F(select)(spare, c.numbers, &k);
  else
    OY_TRY(F(select_rest)(x, n, bounds, &c, spare, &k, bounds));
  *out = F(find)(x, n, bounds[0], is_nan, s->is_first ? 0 : k);
  return OY_OK;
}

// Of a few, at most TINY.
static int64_t F(place_of_tiny)(const oyi_selection* s) {
  K x[TINY];
  int64_t numbers = 0, place = 0;
  for (int64_t i = 0; i < s->n; i++) {
    x[i] = (K)OF(*(const T*)(const void*)(s->x + i * s->step));
    numbers += !IS_NAN(x[i]);
  }
  const int64_t k = s->rank(s->n, s->n - numbers, s->k);
  for (int64_t i = 0; i < s->n; i++) {
    // Equal ones, and NaN after all of them, are in the order of their places.
    int64_t before = IS_NAN(x[i]) ? numbers : 0;
    for (int64_t j = 0; j < s->n && !IS_NAN(x[i]); j++) before += x[j] < x[i];
    for (int64_t j = 0; j < i; j++)
      before += (x[j] == x[i]) | (IS_NAN(x[j]) & IS_NAN(x[i]));
    place = before == k ? i : place;
  }
  for (int64_t j = 0; s->is_first && j < place; j++)
    if ((x[j] == x[place]) | (IS_NAN(x[j]) & IS_NAN(x[place]))) return j;
  return place;
}

static oy_status F(place)(const oyi_selection* s, int64_t* out) {
  if (s->n <= TINY) {
    *out = F(place_of_tiny)(s);
    return OY_OK;
  }
  K line[SHORT], spare[SHORT + 1];
  if (IS_PLAIN && s->step == sizeof(T))
    return F(place_among)(s, (const K*)(const void*)s->x, spare, out);
  K* x = s->n <= SHORT ? line : oyi_malloc((size_t)s->n * sizeof(K));
  if (!x) return OY_OUT_OF_MEMORY;
  if (s->step == sizeof(T)) {
    for (int64_t i = 0; i < s->n; i++) x[i] = (K)OF(((const T*)(const void*)s->x)[i]);
  } else {
    for (int64_t i = 0; i < s->n; i++)
      x[i] = (K)OF(*(const T*)(const void*)(s->x + i * s->step));
  }
  const oy_status status = F(place_among)(s, x, spare, out);
  if (x != line) oyi_free(x);
  return status;
}
// What oyi_next_fn is. A step of vectors says whether one of its elements is there.
static int64_t F(next)(const void* elements, int64_t i, int64_t n, int64_t bound,
                       bool descending) {
  enum { STEP = 128 / sizeof(T) };
  const T* x = elements;
  const K limit = (K)OF(x[bound]);
#define NEXT(is_there)                  \
  do {                                  \
    for (; i + STEP <= n; i += STEP) {  \
      C any = 0;                        \
      for (int j = 0; j < STEP; j++) {  \
        const K here = (K)OF(x[i + j]); \
        (void)here;                     \
        any |= (C)(is_there);           \
      }                                 \
      if (any) break;                   \
    }                                   \
    for (; i < n; i++) {                \
      const K here = (K)OF(x[i]);       \
      (void)here;                       \
      if (is_there) break;              \
    }                                   \
  } while (0)
  if (IS_NAN(limit)) {
    if (descending) return n;
    NEXT(!IS_NAN(here));
  } else if (descending) {
    NEXT(!(here <= limit));
  } else {
    NEXT(here < limit);
  }
#undef NEXT
  return i;
}
#include "backends/cpu/order/select_top_tmpl.h"
#undef F
#undef RANKED
#undef T
#undef K
#undef C
#undef LAST
#undef ID
