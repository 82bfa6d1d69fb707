// SPDX-License-Identifier: Apache-2.0
// Random numbers: distributions by their moments and by chi-square, with bounds that a
// right one misses about once in 10^6 seeds (the seeds are fixed); the same numbers for
// any layout; and what is refused. Message texts are PyTorch's.
#include "backends/cpu/loops/philox.h"
#include "support/tensors.h"

#define NONE oy_none()
enum { MANY = 40000 };

static oy_tensor* many(oy_dtype dtype) {
  return oy_tensor_empty(OY_DIMS(MANY), dtype, oy_device_cpu());
}

// The reference implementation's known answers (Random123, kat_vectors).
static void philox_has_the_known_answers(void** state) {
  (void)state;
  static const struct {
    uint64_t seed, step, stream;
    uint32_t want[4];
  } rows[] = {
      {0, 0, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
      {~0ull, ~0ull, ~0ull, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
      {0x299f31d0a4093822,
       0x85a308d3243f6a88,
       0x0370734413198a2e,
       {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
  };
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
    uint32_t got[4];
    oyi_philox((oy_generator_state){rows[i].seed, 0}, rows[i].step, rows[i].stream, 1,
               got);
    assert_memory_equal(got, rows[i].want, sizeof(got));
  }
}

// --------------------------------------------------------------------- moments

typedef struct moments {
  double mean, variance, least, most;
} moments;

static moments moments_of(oy_tensor* t) {
  moments m = {0, 0, INFINITY, -INFINITY};
  oy_tensor* d = oy_to_dtype(t, OY_DTYPE_F64, false, false, NONE);
  const double* x = oy_tensor_data(d);
  int64_t n = oy_tensor_numel(d);
  for (int64_t i = 0; i < n; i++) {
    m.mean += x[i] / (double)n;
    m.least = fmin(m.least, x[i]);
    m.most = fmax(m.most, x[i]);
  }
  for (int64_t i = 0; i < n; i++)
    m.variance += (x[i] - m.mean) * (x[i] - m.mean) / (double)n;
  oy_tensor_release(d);
  return m;
}

// |t|, which is released, has this mean and variance, within 5 standard errors (those of
// the variance by the fourth moment, |kurtosis| times the variance squared).
static void assert_moments_(oy_tensor* t, double mean, double variance, double kurtosis,
                            const char* file, int line) {
  if (!t) print_error("%s\n", oy_error_get()->message);
  if (!t) _fail(file, line);
  moments m = moments_of(t);
  double n = (double)oy_tensor_numel(t);
  bool good = fabs(m.mean - mean) <= 5 * sqrt(variance / n) &&
              fabs(m.variance - variance) <= 5 * variance * sqrt((kurtosis - 1) / n);
  oy_tensor_release(t);
  if (good) return;
  print_error("mean %g and not %g, variance %g and not %g\n", m.mean, mean, m.variance,
              variance);
  _fail(file, line);
}
#define assert_moments(t, mean, variance, kurtosis) \
  assert_moments_(t, mean, variance, kurtosis, __FILE__, __LINE__)

static void continuous_distributions(void** state) {
  (void)state;
  static const oy_dtype floats[] = {OY_DTYPE_F16, OY_DTYPE_BF16, OY_DTYPE_F32,
                                    OY_DTYPE_F64};
  oy_manual_seed(1);
  for (int i = 0; i < 4; i++) {
    oy_tensor* u = oy_uniform_(many(floats[i]), -1, 3, NONE);
    moments m = moments_of(u);
    assert_true(m.least >= -1 && m.most < 3 && m.least < -0.98 && m.most > 2.9);
    // Numbers are rounded down to the bits that a dtype has: half a step below.
    double step = i == 0 ? 4.0 / 2048 : i == 1 ? 4.0 / 256 : 0;
    assert_moments(u, 1 - step / 2, 16.0 / 12, 1.8);
    assert_moments(oy_normal_(many(floats[i]), 2, 3, NONE), 2, 9, 3);
    assert_moments(oy_exponential_(many(floats[i]), 2, NONE), 0.5, 0.25, 9);
  }
  assert_moments(oy_log_normal_(many(OY_DTYPE_F64), 0, 0.25, NONE), exp(0.03125),
                 (exp(0.0625) - 1) * exp(0.0625), 3.3);
  // The Cauchy distribution has no moments, but its arctangent is uniform.
  oy_tensor* c = oy_cauchy_(many(OY_DTYPE_F64), 1, 2, NONE);
  double* x = oy_tensor_data(c);
  for (int i = 0; i < MANY; i++) x[i] = atan((x[i] - 1) / 2);
  assert_moments(c, 0, M_PI * M_PI / 12, 1.8);
  oy_tensor* z = oy_normal_(oy_tensor_empty(OY_DIMS(MANY), OY_DTYPE_C64, oy_device_cpu()),
                            0, 1, NONE);
  assert_moments(oy_view_as_real_copy(z), 0, 0.5, 3);
  oy_tensor_release(z);
}

// The three numbers of a normal one that are easily wrong: how many lie within one and
// within two deviations, and that neighbours do not depend on each other.
static void normal_numbers_are_normal(void** state) {
  (void)state;
  oy_manual_seed(2);
  oy_tensor* t = oy_normal_(many(OY_DTYPE_F32), 0, 1, NONE);
  const float* x = oy_tensor_data(t);
  double one = 0, two = 0, product = 0;
  for (int i = 0; i < MANY; i++) {
    one += fabsf(x[i]) < 1;
    two += fabsf(x[i]) < 2;
    product += i ? (double)(x[i] * x[i - 1]) : 0;
  }
  assert_true(fabs(one / MANY - 0.682689) < 5 * sqrt(0.6827 * 0.3173 / MANY));
  assert_true(fabs(two / MANY - 0.954500) < 5 * sqrt(0.9545 * 0.0455 / MANY));
  assert_true(fabs(product / MANY) < 5 / sqrt(MANY));
  oy_tensor_release(t);
}

// ------------------------------------------------------------------- chi-square

// |t| holds integers from |base| on with these probabilities; it is released.
static void assert_counts_(oy_tensor* t, int64_t base, const double* p, int bins,
                           const char* file, int line) {
  double counts[64] = {0}, chi = 0, n = (double)oy_tensor_numel(t);
  for (int64_t i = 0; i < oy_tensor_numel(t); i++) {
    int64_t at = (int64_t)element(t, i) - base;
    if (at < 0 || at >= bins) print_error("%lld is out of range\n", (long long)at);
    if (at < 0 || at >= bins) _fail(file, line);
    counts[at]++;
  }
  oy_tensor_release(t);
  int free = -1;
  for (int i = 0; i < bins; i++) {
    free += p[i] > 0;
    if (p[i] > 0) chi += (counts[i] - n * p[i]) * (counts[i] - n * p[i]) / (n * p[i]);
    if (p[i] <= 0 && counts[i] > 0) _fail(file, line);
  }
  if (chi < free + 5 * sqrt(2.0 * free) + 8) return;
  print_error("chi-square is %g for %d degrees of freedom\n", chi, free);
  _fail(file, line);
}
#define assert_counts(t, base, bins, ...) \
  assert_counts_(t, base, (const double[]){__VA_ARGS__}, bins, __FILE__, __LINE__)

static void discrete_distributions(void** state) {
  (void)state;
  static const oy_dtype dtypes[] = {OY_DTYPE_U8,  OY_DTYPE_I8,  OY_DTYPE_I16,
                                    OY_DTYPE_I32, OY_DTYPE_I64, OY_DTYPE_F16,
                                    OY_DTYPE_F32, OY_DTYPE_F64};
  oy_manual_seed(3);
  for (int i = 0; i < 8; i++)
    assert_counts(oy_random__from(many(dtypes[i]), 3, oy_int(8), NONE), 3, 5, 0.2, 0.2,
                  0.2, 0.2, 0.2);
  assert_counts(oy_random_(many(OY_DTYPE_BOOL), NONE), 0, 2, 0.5, 0.5);
  assert_counts(oy_random__to(many(OY_DTYPE_I64), 2, NONE), 0, 2, 0.5, 0.5);
  assert_moments(oy_random_(many(OY_DTYPE_U8), NONE), 127.5, 65535.0 / 12, 1.8);
  assert_moments(oy_random_(many(OY_DTYPE_I64), NONE), 0x1p62, 0x1p126 / 12, 1.8);
  assert_moments(oy_random__from(many(OY_DTYPE_I64), INT64_MIN, oy_int(INT64_MAX), NONE),
                 0, 0x1p128 / 12, 1.8);
  assert_counts(oy_bernoulli__float(many(OY_DTYPE_BOOL), 0.3, NONE), 0, 2, 0.7, 0.3);
  assert_counts(oy_bernoulli__float(many(OY_DTYPE_F32), 1, NONE), 1, 1, 1);
  assert_moments(oy_geometric_(many(OY_DTYPE_I64), 0.25, NONE), 4, 12, 9.1);
  oy_tensor* p = F32(OY_DIMS(2, 1), 0, 0.6);
  oy_tensor* wide = oy_expand(p, OY_DIMS(2, MANY), false);
  oy_tensor* drawn = oy_bernoulli(wide, NONE);
  assert_counts(oy_select_copy_int(drawn, 0, 0), 0, 1, 1);
  assert_counts(oy_select_copy_int(drawn, 0, 1), 0, 2, 0.4, 0.6);
  oy_tensor* all[] = {p, wide, drawn};
  for (int i = 0; i < 3; i++) oy_tensor_release(all[i]);
}

static void counts_with_a_rate(void** state) {
  (void)state;
  oy_manual_seed(4);
  static const double rates[] = {0.5, 4, 9.9, 10.1, 60, 1e6};
  for (int i = 0; i < 6; i++) {
    oy_tensor* rate = oy_fill__Scalar(many(OY_DTYPE_F64), oy_float(rates[i]));
    assert_moments(oy_poisson(rate, NONE), rates[i], rates[i], 3 + 1 / rates[i]);
    oy_tensor_release(rate);
  }
  static const double trials[][2] = {
      {10, 0.3}, {40, 0.9}, {1000, 0.004}, {500, 0.4}, {3, 0.5}};
  for (int i = 0; i < 5; i++) {
    double n = trials[i][0], p = trials[i][1], pq = p * (1 - p);
    oy_tensor* count = oy_fill__Scalar(many(OY_DTYPE_F64), oy_float(n));
    oy_tensor* prob = oy_tensor_from_scalar(oy_float(p));
    oy_tensor* drawn = oy_binomial(count, prob, NONE);
    moments m = moments_of(drawn);
    assert_true(m.least >= 0 && m.most <= n);
    // The probability is a float32 number.
    assert_moments(drawn, n * p, n * pq, 3 + (1 - 6 * pq) / (n * pq));
    oy_tensor_release(count);
    oy_tensor_release(prob);
  }
  oy_tensor* three = F64(OY_DIMS(1), 3);
  oy_tensor* half = F64(OY_DIMS(1), 0.5);
  oy_tensor* wide = oy_expand(three, OY_DIMS(MANY), false);
  assert_counts(oy_binomial(wide, half, NONE), 0, 4, 0.125, 0.375, 0.375, 0.125);
  oy_tensor* all[] = {three, half, wide};
  for (int i = 0; i < 3; i++) oy_tensor_release(all[i]);
}

// All of many categories come once, those of no weight last and in order; fewer samples are
// the first of them.
static void check_orders(void) {
  enum { CATEGORIES = 1000, EMPTY = 10 };
  oy_tensor* w = oy_arange(oy_int(CATEGORIES), oy_int(OY_DTYPE_F32), NONE, NONE, NONE);
  oy_tensor* less = oy_sub_Scalar(w, oy_int(EMPTY - 1), oy_int(1));
  oy_tensor* some = oy_relu(less);
  oy_manual_seed(8);
  oy_tensor* all = oy_multinomial(some, CATEGORIES, false, NONE);
  bool seen[CATEGORIES] = {false};
  for (int i = 0; i < CATEGORIES; i++) seen[(int)element(all, i)] = true;
  for (int i = 0; i < CATEGORIES; i++) assert_true(seen[i]);
  for (int i = 0; i < EMPTY; i++) assert_true(element(all, CATEGORIES - EMPTY + i) == i);
  const int64_t counts[] = {1, 2, 10, 257, 990};
  for (size_t k = 0; k < sizeof(counts) / sizeof(*counts); k++) {
    oy_manual_seed(8);
    oy_tensor* first = oy_multinomial(some, counts[k], false, NONE);
    for (int64_t i = 0; i < counts[k]; i++)
      assert_true(element(first, i) == element(all, i));
    oy_tensor_release(first);
  }
  oy_tensor* made[] = {w, less, some, all};
  for (int i = 0; i < 4; i++) oy_tensor_release(made[i]);
}

static void indices_by_weight(void** state) {
  (void)state;
  oy_manual_seed(5);
  oy_tensor* w = F32(OY_DIMS(4), 1, 0, 3, 4);
  assert_counts(oy_multinomial(w, MANY, true, NONE), 0, 4, 0.125, 0, 0.375, 0.5);
  // Without replacement the first of three is drawn as with it, and all are different.
  oy_tensor* rows = oy_expand(w, OY_DIMS(MANY, 4), false);
  oy_tensor* drawn = oy_multinomial(rows, 3, false, NONE);
  assert_dims(oy_tensor_sizes(drawn), OY_DIMS(MANY, 3));
  for (int i = 0; i < 100; i++)
    assert_true(element(drawn, 3 * i) + element(drawn, 3 * i + 1) +
                    element(drawn, 3 * i + 2) ==
                5);
  assert_counts(oy_select_copy_int(drawn, 1, 0), 0, 4, 0.125, 0, 0.375, 0.5);
  oy_tensor_release(drawn);
  check_orders();
  assert_fails(oy_multinomial(w, 5, false, NONE),
               "cannot sample n_sample > prob_dist.size(-1) samples without replacement");
  assert_fails(oy_multinomial(w, 0, true, NONE), "cannot sample n_sample <= 0 samples");
  oy_tensor* bad = F32(OY_DIMS(2), 1, -1);
  assert_fails(oy_multinomial(bad, 1, true, NONE),
               "probability tensor contains either `inf`, `nan` or element < 0");
  oy_tensor* out = oy_tensor_empty(OY_DIMS(0), OY_DTYPE_I64, oy_device_cpu());
  assert_ptr_equal(oy_multinomial_out(w, 7, true, NONE, out), out);
  assert_dims(oy_tensor_sizes(out), OY_DIMS(7));
  oy_tensor* all[] = {w, rows, bad, out};
  for (int i = 0; i < 4; i++) oy_tensor_release(all[i]);
}

static void permutations(void** state) {
  (void)state;
  oy_manual_seed(6);
  double counts[3] = {0};
  for (int k = 0; k < 3000; k++) {
    oy_tensor* p = oy_randperm(3, oy_int(OY_DTYPE_I64), NONE, NONE, NONE);
    const int64_t* x = oy_tensor_data(p);
    assert_int_equal(1 << x[0] | 1 << x[1] | 1 << x[2], 7);
    counts[x[0]]++;
    oy_tensor_release(p);
  }
  for (int i = 0; i < 3; i++) assert_true(fabs(counts[i] - 1000) < 5 * sqrt(667));
  assert_fails(oy_randperm(-1, NONE, NONE, NONE, NONE), "n must be non-negative, got-1");
  assert_fails(oy_randperm(300, oy_int(OY_DTYPE_U8), NONE, NONE, NONE),
               "n is too large for result tensor type: 'Byte'");
}

// --------------------------------------------------------------- the same numbers

static void a_seed_gives_the_same_numbers(void** state) {
  (void)state;
  oy_generator* g = oy_generator_create(oy_device_cpu());
  oy_value from;
  from = oy_value_make(OY_TAG_GENERATOR);
  from.as.object = g;
  oy_tensor* out = oy_tensor_empty(OY_DIMS(0), OY_DTYPE_F32, oy_device_cpu());
  oy_tensor* column = oy_tensor_empty(OY_DIMS(3, 100), OY_DTYPE_F32, oy_device_cpu());
  oy_tensor* turned = oy_t(column);
  assert_int_equal(oy_generator_manual_seed(g, 7), OY_OK);
  oy_tensor* a = oy_randn_generator(OY_DIMS(100, 3), from, NONE, NONE, NONE, NONE);
  assert_int_equal(oy_generator_manual_seed(g, 7), OY_OK);
  assert_ptr_equal(oy_randn_generator_out(OY_DIMS(100, 3), from, out), out);
  assert_int_equal(oy_generator_manual_seed(g, 7), OY_OK);
  assert_ptr_equal(oy_normal_(turned, 0, 1, from), turned);
  oy_manual_seed(7);
  oy_tensor* b = oy_randn(OY_DIMS(100, 3), NONE, NONE, NONE, NONE);
  oy_tensor* c = oy_randn(OY_DIMS(100, 3), NONE, NONE, NONE, NONE);
  bool differs = false;
  for (int64_t i = 0; i < 300; i++) {
    assert_true(element(a, i) == element(out, i) && element(a, i) == element(turned, i));
    assert_true(element(a, i) == element(b, i));
    differs = differs || element(b, i) != element(c, i);
  }
  assert_true(differs);
  // A prefix: number i does not depend on how many there are.
  oy_manual_seed(7);
  oy_tensor* few = oy_randn(OY_DIMS(5), NONE, NONE, NONE, NONE);
  for (int64_t i = 0; i < 5; i++) assert_true(element(few, i) == element(a, i));
  oy_tensor* all[] = {out, turned, column, a, b, c, few, g};
  for (int i = 0; i < 8; i++) oy_tensor_release(all[i]);
}

// ------------------------------------------------------------------ the other forms

// Each other form gives what the first one does after the same seed.
static void forms_agree(void** state) {
  (void)state;
  oy_tensor* x = oy_zeros(OY_DIMS(6), NONE, NONE, NONE, NONE);
  oy_tensor* half = oy_fill_Scalar(x, oy_float(0.5));
  oy_tensor* n[64];
  int count = 0, same[64];
#define FORM(group, call)                                                  \
  do {                                                                     \
    oy_manual_seed(8);                                                     \
    same[count] = group;                                                   \
    n[count++] = call;                                                     \
    if (!n[count - 1]) fail_msg("%s: %s", #call, oy_error_get()->message); \
  } while (0)
#define OUT     oy_tensor_empty(OY_DIMS(0), OY_DTYPE_F32, oy_device_cpu())
#define OPTIONS NONE, NONE, NONE, NONE
  FORM(0, oy_rand(OY_DIMS(6), OPTIONS));
  FORM(0, oy_rand_out(OY_DIMS(6), OUT));
  FORM(0, oy_rand_generator_out(OY_DIMS(6), NONE, OUT));
  FORM(0, oy_rand_generator(OY_DIMS(6), NONE, OPTIONS));
  FORM(0, oy_rand_like(x, OPTIONS, NONE));
  FORM(0, oy_rand_like_out(x, NONE, OUT));
  FORM(0, oy_uniform(x, 0, 1, NONE));
  FORM(0, oy_uniform_out(x, 0, 1, NONE, OUT));
  FORM(1, oy_randn(OY_DIMS(6), OPTIONS));
  FORM(1, oy_randn_out(OY_DIMS(6), OUT));
  FORM(1, oy_randn_like(x, OPTIONS, NONE));
  FORM(1, oy_randn_like_out(x, NONE, OUT));
  FORM(1, oy_normal_functional(x, 0, 1, NONE));
  FORM(1, oy_normal_out(x, 0, 1, NONE, OUT));
  FORM(1, oy_normal_float_float(0, 1, OY_DIMS(6), NONE, OPTIONS));
  FORM(1, oy_normal_float_float_out(0, 1, OY_DIMS(6), NONE, OUT));
  FORM(1, oy_normal_Tensor_float(x, 1, NONE));
  FORM(1, oy_normal_Tensor_float_out(x, 1, NONE, OUT));
  FORM(2, oy_normal_float_Tensor(0, half, NONE));
  FORM(2, oy_normal_float_Tensor_out(0, half, NONE, OUT));
  FORM(2, oy_normal_Tensor_Tensor(x, half, NONE));
  FORM(2, oy_normal_Tensor_Tensor_out(x, half, NONE, OUT));
  FORM(2, oy_normal_functional(x, 0, 0.5, NONE));
  FORM(3, oy_randint(9, OY_DIMS(6), OPTIONS));
  FORM(3, oy_randint_out(9, OY_DIMS(6), OUT));
  FORM(3, oy_randint_generator(9, OY_DIMS(6), NONE, OPTIONS));
  FORM(3, oy_randint_generator_out(9, OY_DIMS(6), NONE, OUT));
  FORM(3, oy_randint_low(0, 9, OY_DIMS(6), OPTIONS));
  FORM(3, oy_randint_low_out(0, 9, OY_DIMS(6), OUT));
  FORM(3, oy_randint_low_generator(0, 9, OY_DIMS(6), NONE, OPTIONS));
  FORM(3, oy_randint_low_generator_out(0, 9, OY_DIMS(6), NONE, OUT));
  FORM(3, oy_randint_like(x, 9, OPTIONS, NONE));
  FORM(3, oy_randint_like_out(x, 9, NONE, OUT));
  FORM(3, oy_randint_like_low_dtype(x, 0, 9, OPTIONS, NONE));
  FORM(3, oy_randint_like_low_dtype_out(x, 0, 9, NONE, OUT));
  FORM(3, oy_random_to(x, 9, NONE));
  FORM(3, oy_random_to_out(x, 9, NONE, OUT));
  FORM(3, oy_random_from(x, 0, oy_int(9), NONE));
  FORM(3, oy_random_from_out(x, 0, oy_int(9), NONE, OUT));
  FORM(4, oy_random(x, NONE));
  FORM(4, oy_random_out(x, NONE, OUT));
  FORM(5, oy_randperm(6, oy_int(OY_DTYPE_F32), NONE, NONE, NONE));
  FORM(5, oy_randperm_generator(6, NONE, oy_int(OY_DTYPE_F32), NONE, NONE, NONE));
  FORM(5, oy_randperm_out(6, OUT));
  FORM(5, oy_randperm_generator_out(6, NONE, OUT));
  FORM(6, oy_exponential(x, 2, NONE));
  FORM(6, oy_exponential_out(x, 2, NONE, OUT));
  FORM(7, oy_geometric(x, 0.2, NONE));
  FORM(7, oy_geometric_out(x, 0.2, NONE, OUT));
  FORM(8, oy_log_normal(x, 1, 2, NONE));
  FORM(8, oy_log_normal_out(x, 1, 2, NONE, OUT));
  FORM(9, oy_cauchy(x, 0, 1, NONE));
  FORM(9, oy_cauchy_out(x, 0, 1, NONE, OUT));
  FORM(10, oy_bernoulli_p(x, 0.5, NONE));
  FORM(10, oy_bernoulli_float_out(x, 0.5, NONE, OUT));
  FORM(11, oy_bernoulli(half, NONE));
  FORM(11, oy_bernoulli_out(half, NONE, OUT));
  FORM(11, oy_bernoulli_Tensor(x, half, NONE));
  FORM(11, oy_bernoulli_Tensor_out(x, half, NONE, OUT));
  FORM(12, oy_poisson(half, NONE));
  FORM(12, oy_poisson_out(half, NONE, OUT));
  FORM(13, oy_binomial(half, half, NONE));
  FORM(13, oy_binomial_out(half, half, NONE, OUT));
  for (int i = 1; i < count; i++)
    for (int64_t k = 0; k < 6 && same[i] == same[i - 1]; k++)
      if (element(n[i], k) != element(n[i - 1], k)) fail_msg("form %d differs", i);
  for (int i = 0; i < count; i++) oy_tensor_release(n[i]);
  oy_tensor_release(x);
  oy_tensor_release(half);
}

static void dropping(void** state) {
  (void)state;
  oy_manual_seed(9);
  oy_tensor* x = oy_ones(OY_DIMS(50, 40), NONE, NONE, NONE, NONE);
  oy_tensor *out, *mask;
  assert_int_equal(oy_native_dropout(x, 0.2, oy_bool(true), &out, &mask), OY_OK);
  assert_int_equal(mask->dtype, OY_DTYPE_BOOL);
  for (int64_t i = 0; i < 2000; i++)
    assert_true(fabs(element(out, i) - element(mask, i) * 1.25) < 1e-6);
  oy_tensor* back = oy_native_dropout_backward(x, mask, 1.25);
  assert_true(element(back, 3) == element(out, 3));
  oy_tensor* into = oy_tensor_empty(OY_DIMS(0), OY_DTYPE_F32, oy_device_cpu());
  assert_ptr_equal(oy_native_dropout_backward_out(x, mask, 1.25, into), into);
  assert_moments(mask, 0.8, 0.16, 3.25);
  oy_tensor* flags = oy_tensor_empty(OY_DIMS(0), OY_DTYPE_BOOL, oy_device_cpu());
  oy_tensor *given, *given_flags;
  assert_int_equal(
      oy_native_dropout_out(x, 0.2, oy_bool(false), into, flags, &given, &given_flags),
      OY_OK);
  assert_true(element(into, 0) == 1 && element(flags, 0) == 1);
  oy_tensor* same = oy_dropout(x, 0.5, false);
  assert_ptr_equal(same, x);
  oy_tensor* channels = oy_feature_dropout(x, 0.5, true);
  oy_tensor* none = oy_dropout(x, 1, true);
  assert_true(element(none, 7) == 0);
  assert_ptr_equal(oy_dropout_(out, 0, true), out);
  assert_ptr_equal(oy_feature_dropout_(out, 0.5, false), out);
  assert_fails(oy_dropout(x, 2, true),
               "dropout probability has to be between 0 and 1, but got 2");
  oy_tensor* all[] = {x, out, back, into, flags, same, channels, none};
  for (int i = 0; i < 8; i++) oy_tensor_release(all[i]);
}

static void parameters_are_checked(void** state) {
  (void)state;
  oy_tensor* f = F32(OY_DIMS(2), 0, 0);
  oy_tensor* i = I64(OY_DIMS(2), 0, 0);
  oy_tensor* bad = F32(OY_DIMS(2), 2, -1);
  assert_fails(oy_uniform_(f, 2, 1, NONE),
               "uniform_ expects to return a [from, to) range, but found from=2 > to=1");
  assert_fails(oy_normal_(f, 0, -1, NONE), "normal expects std >= 0.0, but found std -1");
  assert_fails(oy_normal_(i, 0, 1, NONE),
               "\"normal_kernel_cpu\" not implemented for 'Long'");
  assert_fails(oy_normal_float_Tensor(0, bad, NONE),
               "normal expects all elements of std >= 0.0");
  assert_fails(oy_exponential_(f, 0, NONE),
               "exponential_ expects lambda > 0.0, but found lambda=0");
  assert_fails(oy_exponential_(i, 1, NONE),
               "Exponential distribution is a continuous probability distribution. dtype "
               "must be a floating point but you specified Long");
  assert_fails(oy_geometric_(f, 1, NONE),
               "geometric_ expects p to be in (0, 1), but got p=1");
  assert_fails(oy_log_normal_(f, 0, 0, NONE),
               "log_normal_ expects std > 0.0, but found std=0");
  assert_fails(oy_cauchy_(f, 0, 0, NONE),
               "cauchy_ expects sigma > 0.0, but found sigma=0");
  assert_fails(oy_random__from(i, 5, oy_int(3), NONE),
               "random_ expects 'from' to be less than 'to', but got from=5 >= to=3");
  assert_fails(oy_bernoulli__float(f, 2, NONE),
               "bernoulli_ expects p to be in [0, 1], but got p=2");
  assert_null(oy_bernoulli(bad, NONE));
  oy_error_clear();
  assert_fails(oy_poisson(bad, NONE),
               "invalid Poisson rate, expected rate to be non-negative");
  oy_value generator = oy_value_make(OY_TAG_GENERATOR);
  generator.as.object = oy_generator_default(oy_device_make(OY_BACKEND_CUDA, -1));
  assert_null(oy_uniform_(f, 0, 1, generator));  // there is no kernel for CUDA
  oy_error_clear();
  oy_tensor* wide = oy_expand(f, OY_DIMS(3, 2), false);
  assert_null(oy_uniform_(wide, 0, 1, NONE));
  oy_error_clear();
  oy_tensor* all[] = {f, i, bad, wide};
  for (int k = 0; k < 4; k++) oy_tensor_release(all[k]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(philox_has_the_known_answers),
      cmocka_unit_test(continuous_distributions),
      cmocka_unit_test(normal_numbers_are_normal),
      cmocka_unit_test(discrete_distributions),
      cmocka_unit_test(counts_with_a_rate),
      cmocka_unit_test(indices_by_weight),
      cmocka_unit_test(permutations),
      cmocka_unit_test(a_seed_gives_the_same_numbers),
      cmocka_unit_test(forms_agree),
      cmocka_unit_test(dropping),
      cmocka_unit_test(parameters_are_checked),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
