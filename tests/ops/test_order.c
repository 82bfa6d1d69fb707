// SPDX-License-Identifier: Apache-2.0
// Ranks, modes, running extremes, searches and distinct elements against loops over doubles: every
// dtype with an order, lines side by side and down columns, at lengths around those where another
// way begins.
#include "base/memory.h"
#include "support/tensors.h"

static const oy_dtype g_dtypes[] = {OY_DTYPE_U8,   OY_DTYPE_I8,  OY_DTYPE_I16,
                                    OY_DTYPE_I32,  OY_DTYPE_I64, OY_DTYPE_F16,
                                    OY_DTYPE_BF16, OY_DTYPE_F32, OY_DTYPE_F64};
static const int64_t g_lengths[] = {1,   2,   4,   3,   6,    7,    5,    8,    9,  12,
                                    13,  15,  16,  17,  31,   32,   33,   63,   64, 65,
                                    128, 200, 256, 257, 1000, 2048, 2049, 17000};
// Random, few values, equal, rising, falling, periodic, zeros of either sign, some NaN, some
// infinite, all NaN.
enum { FORMS = 10 };
enum { LINES = 7, MANY_LINES = 70 };

static uint32_t g_seed = 1;
static double drawn(int below) {
  g_seed = g_seed * 1664525u + 1013904223u;
  return (double)((g_seed >> 8) % (uint32_t)below);
}

static double number_of(size_t form, bool is_float, int64_t i) {
  switch (form) {
    case 0: return is_float ? drawn(100000) / 1000 - 50 : drawn(100);
    case 1: return drawn(5);
    case 2: return 3;
    case 3: return (double)(i / 20);
    case 4: return (double)(100 - i / 200);
    case 5: return (double)(i % 31);
    case 6: return is_float ? (drawn(2) > 0 ? 0.0 : -0.0) : 0;
    case 7: return is_float && drawn(20) == 0 ? NAN : drawn(50);
    case 8: return is_float ? (drawn(2) > 0 ? INFINITY : -INFINITY) : 100 * drawn(2);
    default: return is_float ? NAN : drawn(2);
  }
}

// [lines, n] of a dtype, and as doubles.
typedef struct sample {
  oy_tensor *t, *wide;
  const double* x;
  int64_t n;
} sample;

static oy_tensor* cast(oy_tensor* t, oy_dtype dtype) {
  oy_tensor* to = oy_to_dtype(t, dtype, false, true, oy_none());
  if (!to) fail_msg("%s", oy_error_get()->message);
  return to;
}

static sample make_sample(oy_dtype dtype, size_t form, int64_t lines, int64_t n) {
  double* data = malloc((size_t)(lines * n) * sizeof(double));
  for (int64_t i = 0; i < lines * n; i++)
    data[i] = number_of(form, oy_dtype_is_floating(dtype), i % n);
  oy_tensor* made = oy_tensor_from_data(data, OY_DIMS(lines, n), OY_DTYPE_F64);
  free(data);
  sample s = {.t = cast(made, dtype), .n = n};
  oy_tensor_release(made);
  s.wide = cast(s.t, OY_DTYPE_F64);
  s.x = oy_tensor_data(s.wide);
  return s;
}

// Lines down columns, if |dim| is 0.
static oy_tensor* laid(const sample* s, int64_t dim) {
  return dim ? s->t : oy_contiguous(oy_t(s->t), OY_MEMORY_CONTIGUOUS);
}

static bool is_below(double a, double b) {
  return isnan(b) ? !isnan(a) : a < b;
}
static bool is_same(double a, double b) {
  return a == b || (isnan(a) && isnan(b));
}

static void expect_bytes(const sample* s, int64_t at, oy_tensor* values, int64_t i) {
  const size_t item = oy_dtype_size(s->t->dtype);
  const char *want = oy_tensor_data(s->t), *got = oy_tensor_data(values);
  assert_memory_equal(got + (size_t)i * item, want + (size_t)at * item, item);
}

typedef void (*check_fn)(const sample* s, int64_t dim);

static void each_sample(check_fn check, int64_t longest) {
  for (size_t d = 0; d < OY_ARRAY_SIZE(g_dtypes); d++)
    for (size_t f = 0; f < FORMS; f++)
      for (size_t k = 0; k < OY_ARRAY_SIZE(g_lengths) && g_lengths[k] <= longest; k++)
        for (int64_t dim = 0; dim < 2; dim++) {
          oy_scope scope;
          oy_scope_open(&scope);
          // Few lines are gone down one by one, and many short ones together.
          const int64_t many = g_lengths[k] > 64 ? LINES : MANY_LINES;
          const sample s = make_sample(g_dtypes[d], f, k % 2 ? many : 3, g_lengths[k]);
          check(&s, dim);
          oy_scope_close(&scope);
        }
}

// ------------------------------------------------------------------------------ ranks

// Equal ones are in the order of their places.
static void expect_rank(const sample* s, int64_t line, oy_tensor* values,
                        oy_tensor* places, int64_t rank, const char* name) {
  const int64_t at = ((const int64_t*)oy_tensor_data(places))[line];
  const double* x = s->x + line * s->n;
  int64_t before = 0;
  assert_in_range(at, 0, s->n - 1);
  for (int64_t j = 0; j < s->n; j++)
    before += is_below(x[j], x[at]) || (j < at && is_same(x[j], x[at]));
  if (before != rank)
    fail_msg("%s of %s, %lld: rank %lld at %lld, expected %lld", name,
             oy_dtype_name(s->t->dtype), (long long)s->n, (long long)before,
             (long long)at, (long long)rank);
  expect_bytes(s, line * s->n + at, values, line);
}

static void check_ranks(const sample* s, int64_t dim) {
  const int64_t ranks[] = {0, s->n / 3, s->n - 1}, lines = oy_tensor_sizes(s->t).data[0];
  oy_tensor *t = laid(s, dim), *values, *places;
  for (int r = 0; r < 3; r++) {
    assert_int_equal(oy_kthvalue(t, ranks[r] + 1, dim, false, &values, &places), OY_OK);
    for (int64_t l = 0; l < lines; l++)
      expect_rank(s, l, values, places, ranks[r], "kthvalue");
  }
  for (int skips = 0; skips < 2; skips++) {
    assert_int_equal(
        (skips ? oy_nanmedian_dim : oy_median_dim)(t, dim, false, &values, &places),
        OY_OK);
    for (int64_t l = 0; l < lines; l++) {
      int64_t nans = 0;
      for (int64_t j = 0; j < s->n; j++) nans += isnan(s->x[l * s->n + j]) != 0;
      const int64_t others = s->n - nans;
      const int64_t rank = nans == 0 || (skips && others) ? (others - 1) / 2
                           : skips                        ? 0
                                                          : others;
      expect_rank(s, l, values, places, rank, skips ? "nanmedian" : "median");
    }
  }
}

static void ranks_are_found(void** state) {
  (void)state;
  each_sample(check_ranks, 17000);
}

// The first of its equals; of many elements more than a sample of them is left.
static void medians_of_all(void** state) {
  (void)state;
  for (size_t d = 0; d < OY_ARRAY_SIZE(g_dtypes); d++)
    for (size_t f = 0; f < FORMS; f++) {
      oy_scope scope;
      oy_scope_open(&scope);
      const sample s = make_sample(g_dtypes[d], f, 1, 150001);
      oy_tensor *middle = oy_nanmedian(s.t), *wide = cast(middle, OY_DTYPE_F64);
      const double found = *(const double*)oy_tensor_data(wide);
      int64_t below = 0, same = 0, nans = 0, first = -1;
      for (int64_t i = 0; i < s.n; i++) {
        below += s.x[i] < found;
        nans += isnan(s.x[i]) != 0;
        if (is_same(s.x[i], found) && same++ == 0) first = i;
      }
      const int64_t rank = nans == s.n ? 0 : (s.n - nans - 1) / 2;
      assert_true(below <= rank && rank < below + same);
      expect_bytes(&s, first, middle, 0);
      if (nans) assert_true(isnan(element(oy_median(s.t), 0)));
      oy_scope_close(&scope);
    }
}

// A few of each line, as a stable sort has them.
static void check_first(const sample* s, int64_t dim) {
  static const int64_t counts[] = {1, 2, 3, 7, 16, 17};
  oy_tensor *sorted, *order, *values, *places, *t = laid(s, dim);
  for (int largest = 0; largest < 2; largest++) {
    assert_int_equal(oy_sort_stable(t, oy_bool(true), dim, largest, &sorted, &order),
                     OY_OK);
    for (size_t c = 0; c < OY_ARRAY_SIZE(counts) && counts[c] <= s->n; c++) {
      const int64_t k = counts[c], all = oy_tensor_numel(t) / s->n * k;
      assert_int_equal(oy_topk(t, k, dim, largest, true, &values, &places), OY_OK);
      for (int64_t i = 0; i < all; i++) {
        const int64_t from = dim ? i / k * s->n + i % k : i;
        assert_true(is_same(element(values, i), element(sorted, from)));
        // Which of equal ones is greatest, max says, which has the first of them.
        if (k > 1) assert_true(element(places, i) == element(order, from));
      }
    }
  }
}

static void first_ones_are_found(void** state) {
  (void)state;
  each_sample(check_first, 257);
}

// ------------------------------------------------------------------------------- mode

static void check_mode(const sample* s, int64_t dim) {
  oy_tensor *values, *places;
  assert_int_equal(oy_mode(laid(s, dim), dim, false, &values, &places), OY_OK);
  for (int64_t l = 0; l < oy_tensor_sizes(s->t).data[0]; l++) {
    const double* x = s->x + l * s->n;
    int64_t want = -1, most = 0;
    for (int64_t i = 0; i < s->n; i++) {
      int64_t count = 0;
      for (int64_t j = 0; j < s->n; j++) count += is_same(x[j], x[i]);
      if (count < most || (count == most && is_below(x[want], x[i]))) continue;
      want = i;
      most = count;
    }
    assert_int_equal(((const int64_t*)oy_tensor_data(places))[l], want);
    expect_bytes(s, l * s->n + want, values, l);
  }
}

static void modes_are_found(void** state) {
  (void)state;
  each_sample(check_mode, 200);
}

// ------------------------------------------------------------------- running extremes

static void check_extremes(const sample* s, int64_t dim) {
  const int64_t lines = oy_tensor_sizes(s->t).data[0];
  for (int least = 0; least < 2; least++) {
    oy_tensor *values, *places;
    assert_int_equal((least ? oy_cummin : oy_cummax)(laid(s, dim), dim, &values, &places),
                     OY_OK);
    const int64_t* at = oy_tensor_data(places);
    for (int64_t l = 0; l < lines; l++) {
      const double* x = s->x + l * s->n;
      for (int64_t i = 0, best = 0; i < s->n; i++) {
        const bool good = least ? x[i] <= x[best] : x[i] >= x[best];
        if (good || isnan(x[i])) best = i;
        const int64_t to = dim ? l * s->n + i : i * lines + l;
        if (at[to] != best)
          fail_msg("%s of %s, %lld: %lld at %lld, expected %lld",
                   least ? "cummin" : "cummax", oy_dtype_name(s->t->dtype),
                   (long long)s->n, (long long)at[to], (long long)i, (long long)best);
        expect_bytes(s, l * s->n + best, values, to);
      }
    }
  }
}

static void extremes_run(void** state) {
  (void)state;
  each_sample(check_extremes, 2049);
}

// ----------------------------------------------------------------------------- search

static void check_search(const sample* s, int64_t dim) {
  static const int64_t counts[] = {1, 7, 8, 9, 300};
  if (dim == 0) return;
  oy_tensor *rows, *order;
  assert_int_equal(oy_sort(s->t, 1, false, &rows, &order), OY_OK);
  for (int k = 0; k < 10; k++) {
    const int64_t m = counts[k / 2], lines = oy_tensor_sizes(s->t).data[0];
    const bool right = k % 2;
    const sample v = make_sample(s->t->dtype, (size_t)(k % 3 ? 0 : 7), lines, m);
    oy_tensor* found =
        oy_searchsorted_Tensor(rows, v.t, false, right, oy_none(), &oy_none_object);
    if (!found) fail_msg("%s", oy_error_get()->message);
    const int64_t* got = oy_tensor_data(found);
    for (int64_t i = 0; i < lines * m; i++) {
      const double* x = s->x + i / m * s->n;
      int64_t want = 0;
      for (int64_t j = 0; j < s->n; j++)
        want += is_below(x[j], v.x[i]) || (right && is_same(x[j], v.x[i]));
      assert_int_equal(got[i], want);
    }
  }
}

static void places_are_found(void** state) {
  (void)state;
  each_sample(check_search, 2049);
}

// --------------------------------------------------------------------------- distinct ones

// They rise, each occurs, and every element is its own, so that nothing else is among them; a NaN
// is like no other.
static void check_distinct(const sample* s, int64_t dim) {
  if (dim == 0) return;
  oy_tensor *values, *numbers, *counts;
  assert_int_equal(oy__unique2(s->t, true, true, true, &values, &numbers, &counts),
                   OY_OK);
  const oy_tensor* wide = cast(values, OY_DTYPE_F64);
  const double* v = oy_tensor_data(wide);
  const int64_t *at = oy_tensor_data(numbers), *count = oy_tensor_data(counts);
  const int64_t n = oy_tensor_numel(s->t), found = oy_tensor_numel(values);
  int64_t* seen = calloc((size_t)found, sizeof(*seen));
  for (int64_t i = 0; i < n; i++) {
    assert_in_range(at[i], 0, found - 1);
    assert_true(is_same(v[at[i]], s->x[i]));
    seen[at[i]]++;
  }
  for (int64_t k = 0; k < found; k++) {
    assert_true(k == 0 || is_below(v[k - 1], v[k]) || isnan(v[k]));
    assert_true(isnan(v[k]) ? seen[k] == 1 : seen[k] > 0);
    assert_int_equal(count[k], seen[k]);
  }
  free(seen);
}

// Runs of like elements, of which a NaN is no part; numbers and lengths come where they are asked
// for.
static void check_runs(const sample* s, int64_t dim) {
  if (dim == 0) return;
  const int64_t n = oy_tensor_numel(s->t);
  for (int asked = 0; asked < 4; asked++) {
    oy_tensor *values, *numbers, *counts;
    assert_int_equal(oy_unique_consecutive(s->t, asked & 1, asked & 2, oy_none(), &values,
                                           &numbers, &counts),
                     OY_OK);
    const int64_t *at = oy_tensor_data(numbers), *count = oy_tensor_data(counts);
    assert_int_equal(oy_tensor_numel(numbers), asked & 1 ? n : 0);
    int64_t runs = 0, length = 0;
    for (int64_t i = 0; i < n; i++) {
      const bool begins = i == 0 || s->x[i] != s->x[i - 1];
      if (begins && runs > 0 && asked & 2) assert_int_equal(count[runs - 1], length);
      length = begins ? 1 : length + 1;
      if (begins) expect_bytes(s, i, values, runs++);
      if (asked & 1) assert_int_equal(at[i], runs - 1);
    }
    if (asked & 2) assert_int_equal(count[runs - 1], length);
    assert_int_equal(oy_tensor_numel(values), runs);
    assert_int_equal(oy_tensor_numel(counts), asked & 2 ? runs : 0);
  }
}

static void runs_are_found(void** state) {
  (void)state;
  each_sample(check_runs, 2049);
}

static void distinct_ones_are_found(void** state) {
  (void)state;
  each_sample(check_distinct, 17000);
}

// -------------------------------------------------------------------------- a few

// NaN is the greatest.
static bool comes_before(double a, double b, bool largest) {
  return largest ? is_below(b, a) : is_below(a, b);
}

// In their order, no place twice, and no other element before the last of them; alone, the first
// of its equals.
static void expect_few(const sample* s, int64_t line, oy_tensor* values,
                       const int64_t* places, int64_t k, bool largest) {
  const double* x = s->x + line * s->n;
  int64_t before = 0;
  for (int64_t i = 0; i < s->n; i++)
    before += comes_before(x[i], x[places[k - 1]], largest);
  if (before >= k)
    fail_msg("%s, %lld of %lld: %lld before the last", oy_dtype_name(s->t->dtype),
             (long long)k, (long long)s->n, (long long)before);
  for (int64_t i = 0; i < places[0] && k == 1; i++)
    assert_true(comes_before(x[places[0]], x[i], largest));
  for (int64_t i = 0; i < k; i++) {
    assert_in_range(places[i], 0, s->n - 1);
    expect_bytes(s, line * s->n + places[i], values, line * k + i);
    assert_false(i > 0 && comes_before(x[places[i]], x[places[i - 1]], largest));
    for (int64_t other = 0; other < i; other++) assert_true(places[other] != places[i]);
  }
}

static void check_few(const sample* s, int64_t dim) {
  static const int64_t counts[] = {1, 2, 3, 4, 5, 7, 8, 12, 20};
  const int64_t lines = oy_tensor_sizes(s->t).data[0];
  for (size_t c = 0; c < 2 * OY_ARRAY_SIZE(counts); c++) {
    const int64_t k = counts[c / 2];
    const bool largest = c % 2;
    if (k > s->n) continue;
    oy_tensor *values, *places;
    assert_int_equal(oy_topk(laid(s, dim), k, dim, largest, true, &values, &places),
                     OY_OK);
    if (dim == 0) {
      values = oy_contiguous(oy_t(values), OY_MEMORY_CONTIGUOUS);
      places = oy_contiguous(oy_t(places), OY_MEMORY_CONTIGUOUS);
    }
    const int64_t* at = oy_tensor_data(places);
    for (int64_t line = 0; line < lines; line++)
      expect_few(s, line, values, at + line * k, k, largest);
  }
}

static void few_are_found(void** state) {
  (void)state;
  each_sample(check_few, 17000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ranks_are_found),
      cmocka_unit_test(medians_of_all),
      cmocka_unit_test(first_ones_are_found),
      cmocka_unit_test(modes_are_found),
      cmocka_unit_test(extremes_run),
      cmocka_unit_test(places_are_found),
      cmocka_unit_test(distinct_ones_are_found),
      cmocka_unit_test(runs_are_found),
      cmocka_unit_test(few_are_found),
  };
  return cmocka_run_group_tests_name("order", tests, init_library, shut_library);
}
