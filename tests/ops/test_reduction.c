// SPDX-License-Identifier: Apache-2.0
// Sums and means, over every subset of dimensions of a strided tensor.
#include "opyard/threads.h"
#include "support/tensors.h"

// 2 x 3 x 4, transposed to 4 x 3 x 2.
static oy_tensor* sample(void) {
  double data[24];
  for (int i = 0; i < 24; i++) data[i] = i * i - 7.5 * i;
  oy_tensor* t = oy_tensor_from_data(data, OY_DIMS(2, 3, 4), OY_DTYPE_F64);
  oy_tensor* v = oy_tensor_transpose(t, 0, 2);
  oy_tensor_release(t);
  return v;
}

static double expected(const oy_tensor* t, unsigned mask, const int64_t* at, int* count) {
  double sum = 0;
  *count = 0;
  oy_ints sizes = oy_tensor_sizes(t);
  for (int64_t i = 0; i < 24; i++) {
    int64_t index[3] = {i / (sizes.data[1] * sizes.data[2]),
                        i / sizes.data[2] % sizes.data[1], i % sizes.data[2]};
    bool counts = true;
    for (int d = 0; d < 3; d++) counts = counts && (mask >> d & 1 || index[d] == at[d]);
    if (!counts) continue;
    oy_scalar s;
    assert_int_equal(oy_tensor_get(t, (oy_ints){index, 3}, &s), OY_OK);
    sum += s.as.d;
    ++*count;
  }
  return sum;
}

static void check_subset(oy_tensor* t, unsigned mask, bool keepdim) {
  int64_t dims[3], n = 0;
  for (int d = 0; d < 3; d++)
    if (mask >> d & 1) dims[n++] = d % 2 ? d - 3 : d;
  oy_ints dim = {dims, (size_t)n};
  oy_tensor* sum = oy_sum_dim_IntList(t, dim, keepdim, oy_none());
  oy_tensor* mean = oy_mean_dim(t, dim, keepdim, oy_none());
  if (mask == 0) mask = 7;  // no dimensions: all
  assert_int_equal(oy_tensor_ndim(sum), keepdim ? 3 : 3 - __builtin_popcount(mask));
  for (int64_t i = 0; i < oy_tensor_numel(sum); i++) {
    int64_t at[3] = {0}, left = i;
    for (int d = 2; d >= 0; d--) {
      if (mask >> d & 1) continue;
      at[d] = left % oy_tensor_size(t, d);
      left /= oy_tensor_size(t, d);
    }
    int count;
    double want = expected(t, mask, at, &count);
    assert_true(fabs(element(sum, i) - want) < 1e-9);
    assert_true(fabs(element(mean, i) - want / count) < 1e-9);
  }
  oy_tensor_release(mean);
  oy_tensor_release(sum);
}

static void every_subset_of_dimensions(void** state) {
  (void)state;
  oy_tensor* t = sample();
  for (unsigned mask = 0; mask < 8; mask++) {
    check_subset(t, mask, false);
    check_subset(t, mask, true);
  }
  oy_tensor_release(t);
}

static void dtypes_of_results(void** state) {
  (void)state;
  oy_tensor* u = U8(OY_DIMS(3), 200, 200, 200);
  oy_tensor* r = oy_sum(u, oy_none());
  assert_int_equal(r->dtype, OY_DTYPE_I64);
  assert_elements(r, oy_dims_none(), 600);
  oy_tensor_release(r);
  r = oy_sum(u, oy_int(OY_DTYPE_F32));
  assert_int_equal(r->dtype, OY_DTYPE_F32);
  assert_elements(r, oy_dims_none(), 600);
  oy_tensor_release(r);
  assert_fails(oy_mean(u, oy_none()),
               "mean(): could not infer output dtype. Input dtype must be either a "
               "floating point or complex dtype. Got: Byte");
  r = oy_mean(u, oy_int(OY_DTYPE_F64));
  assert_elements(r, oy_dims_none(), 200);
  oy_tensor_release(r);
  oy_tensor_release(u);
  oy_tensor* b = BOOLS(OY_DIMS(4), true, true, false, true);
  r = oy_sum(b, oy_none());
  assert_elements(r, oy_dims_none(), 3);
  oy_tensor_release(r);
  oy_tensor_release(b);
}

static void nothing_to_reduce(void** state) {
  (void)state;
  oy_tensor* t = oy_tensor_empty(OY_DIMS(2, 0), OY_DTYPE_F32, oy_device_cpu());
  oy_tensor* r = oy_sum_dim_IntList(t, OY_DIMS(1), false, oy_none());
  assert_elements(r, OY_DIMS(2), 0, 0);
  oy_tensor_release(r);
  r = oy_mean(t, oy_none());
  assert_elements(r, oy_dims_none(), NAN);
  oy_tensor_release(r);
  r = oy_sum_dim_IntList(t, OY_DIMS(0), false, oy_none());
  assert_dims(oy_tensor_sizes(r), OY_DIMS(0));
  oy_tensor_release(r);
  oy_tensor_release(t);
  t = oy_tensor_from_scalar(oy_float(3));
  r = oy_sum_dim_IntList(t, OY_DIMS(-1), false, oy_none());
  assert_elements(r, oy_dims_none(), 3);
  oy_tensor_release(r);
  oy_tensor_release(t);
}

static void long_sums_are_accurate(void** state) {
  (void)state;
  enum { N = 1000003 };
  float* data = malloc(N * sizeof(float));
  for (int i = 0; i < N; i++) data[i] = 0.1f;
  oy_tensor* t = oy_tensor_from_data(data, OY_DIMS(N), OY_DTYPE_F32);
  oy_tensor* r = oy_sum(t, oy_none());
  double want = (double)0.1f * N;
  assert_true(fabs(element(r, 0) - want) <= want * 6e-8);
  oy_tensor_release(r);
  oy_tensor_release(t);
  free(data);
}

static oy_tensor* bf16_of(const double* data, int64_t n) {
  oy_tensor* plain = oy_tensor_from_data(data, OY_DIMS(n), OY_DTYPE_F64);
  oy_tensor* t = oy__to_copy(plain, oy_int(OY_DTYPE_BF16), oy_none(), oy_none(),
                             oy_none(), false, oy_none());
  oy_tensor_release(plain);
  return t;
}

// Some of them are too great for float together, all of them are not.
static void bf16_sums_of_great_numbers(void** state) {
  (void)state;
  enum { N = 256 };
  static const struct {
    double first, second, want;
  } rows[] = {{0x1p127, 0, 0},
              {0x1p127, 0x1p120, 0x1p120},
              {INFINITY, 0, NAN},
              {INFINITY, INFINITY, NAN},
              {NAN, 1, NAN}};
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
    double data[N] = {0};
    for (int k = 0; k < N / 2; k++) data[k] = rows[i].first;
    for (int k = N / 2; k < N; k++) data[k] = -rows[i].first;
    oy_tensor* t = bf16_of(data, N);
    oy_tensor* more = bf16_of(&rows[i].second, 1);
    oy_tensor* both = oy_cat((oy_tensors){(oy_tensor*[]){t, more}, 2}, 0);
    oy_tensor* r = oy_sum(both, oy_none());
    const double got = element(r, 0);
    assert_true(isnan(rows[i].want) ? isnan(got) : got == rows[i].want);
    oy_tensor* made[] = {r, both, more, t};
    for (size_t k = 0; k < sizeof(made) / sizeof(*made); k++) oy_tensor_release(made[k]);
  }
}

static double norm_of_bf16(oy_tensor* t) {
  oy_tensor* r =
      oy_linalg_vector_norm(t, oy_int(2), oy_dims_none(), false, oy_int(OY_DTYPE_F32));
  const double norm = element(r, 0);
  oy_tensor_release(r);
  return norm;
}

static void check_bf16_sum(oy_tensor* t, const double* x, int64_t n) {
  double want = 0;
  for (int64_t i = 0; i < n; i++) want += x[i];
  oy_tensor* r = oy_sum(t, oy_int(OY_DTYPE_F32));
  assert_elements(r, oy_dims_none(), want);
  oy_tensor_release(r);
}

static void check_bf16_norm(oy_tensor* t, const double* x, int64_t n) {
  double squares = 0;
  for (int64_t i = 0; i < n; i++) squares += x[i] * x[i];
  assert_true(norm_of_bf16(t) == (float)sqrt(squares));
}

// Whole numbers that bf16 holds, at any length and start: float holds the sums of them and
// of their squares.
static void bf16_rows_of_any_length(void** state) {
  (void)state;
  enum { N = 9000 };
  double* data = malloc(N * sizeof(double));
  for (int i = 0; i < N; i++) data[i] = i * 37 % 255 - 100;
  oy_tensor* all = bf16_of(data, N);
  for (int64_t n = 0; n < N; n += n < 200 ? 1 : 997) {
    for (int64_t from = 0; from < 2 && from + n <= N; from++) {
      oy_tensor* t = oy_narrow(all, 0, from, n);
      check_bf16_sum(t, data + from, n);
      check_bf16_norm(t, data + from, n);
      oy_tensor_release(t);
    }
  }
  oy_tensor_release(all);
  free(data);
}

// Squares that float does not hold, or loses bits of, in a row of 256 alike numbers.
static void bf16_norms_of_any_size(void** state) {
  (void)state;
  enum { N = 256 };
  static const struct {
    double each, want;
  } rows[] = {{0x1p100, 0x1p104},
              {0x1p-100, 0x1p-96},
              {0x1p-70, 0x1p-66},
              {0x1p-34, 0x1p-30},
              {INFINITY, INFINITY},
              {NAN, NAN},
              {0, 0}};
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
    double data[N];
    for (int k = 0; k < N; k++) data[k] = k & 1 ? -rows[i].each : rows[i].each;
    oy_tensor* t = bf16_of(data, N);
    const double got = norm_of_bf16(t);
    assert_true(isnan(rows[i].want) ? isnan(got) : got == rows[i].want);
    oy_tensor_release(t);
  }
}

// ------------------------------------------------------------------- sums of floats

// |rows| times |columns| numbers whose sizes differ by up to 2^20, of both signs.
static float* mixed_numbers(int64_t count) {
  float* data = malloc((size_t)count * sizeof(float));
  uint32_t state = 12345;
  for (int64_t i = 0; i < count; i++) {
    state = state * 1664525u + 1013904223u;
    const double size = 1 + (double)(state >> 8 & 0xffff) / 65536;
    data[i] = (float)ldexp(state >> 31 ? size : -size, (int)(state >> 24 & 127) % 21);
  }
  return data;
}
// Each result is off by less than 2^-21 of the sum of all magnitudes.
static void check_sums(const float* data, int64_t rows, int64_t columns, int64_t dim) {
  oy_tensor* t = oy_tensor_from_data(data, OY_DIMS(rows, columns), OY_DTYPE_F32);
  oy_tensor* r = oy_sum_dim_IntList(t, OY_DIMS(dim), false, oy_none());
  const int64_t results = dim ? rows : columns, each = dim ? columns : rows;
  for (int64_t i = 0; i < results; i++) {
    double want = 0, all = 0;  // floats of these sizes add up exactly in double
    for (int64_t k = 0; k < each; k++) {
      const double x = dim ? data[i * columns + k] : data[k * columns + i];
      want += x;
      all += fabs(x);
    }
    const double off = fabs(element(r, i) - want);
    if (off > all * 0x1p-21 + fabs(want) * 0x1p-24)
      fail_msg("%lld by %lld along %lld: result %lld is off by %g of %g", (long long)rows,
               (long long)columns, (long long)dim, (long long)i, off, all);
  }
  oy_tensor_release(r);
  oy_tensor_release(t);
}
static void floats_within_their_bound(void** state) {
  (void)state;
  float* data = mixed_numbers(1 << 20);
  for (int64_t n = 1; n < 700; n += n < 300 ? 1 : 37) {
    check_sums(data, 3, n, 1);
    check_sums(data, n, 37, 0);
  }
  check_sums(data, 1, 1 << 20, 1);
  check_sums(data, 1 << 14, 64, 0);
  free(data);
}

// Parts may be more than float holds where the sum is not.
static void floats_that_add_up_to_too_much(void** state) {
  (void)state;
  enum { N = 512, COLUMNS = 24 };
  static const double ends[][2] = {{0, 0}, {0x1p120, 0x1p120}, {NAN, NAN}};
  for (size_t e = 0; e < sizeof(ends) / sizeof(*ends); e++) {
    float* data = calloc(N * COLUMNS, sizeof(float));
    for (int64_t i = 0; i < N - 1; i++)
      for (int64_t c = 0; c < COLUMNS; c++)
        data[i * COLUMNS + c] = (i / 8 + c) % 2 ? 0x1.8p127f : -0x1.8p127f;
    // The same number of each sign in a column, but for the last few rows.
    for (int64_t i = N - 16; i < N; i++)
      for (int64_t c = 0; c < COLUMNS; c++) data[i * COLUMNS + c] = 0;
    for (int64_t c = 0; c < COLUMNS; c++) data[(N - 1) * COLUMNS + c] = (float)ends[e][0];
    oy_tensor* t = oy_tensor_from_data(data, OY_DIMS(N, COLUMNS), OY_DTYPE_F32);
    oy_tensor* columns = oy_sum_dim_IntList(t, OY_DIMS(0), false, oy_none());
    oy_tensor *view = oy_t(t), *turned = oy_contiguous(view, OY_MEMORY_CONTIGUOUS);
    oy_tensor* rows = oy_sum_dim_IntList(turned, OY_DIMS(1), false, oy_none());
    for (int64_t c = 0; c < COLUMNS; c++) {
      const double got[] = {element(columns, c), element(rows, c)};
      for (int k = 0; k < 2; k++)
        assert_true(isnan(ends[e][1]) ? isnan(got[k]) : got[k] == ends[e][1]);
    }
    oy_tensor* made[] = {rows, turned, view, columns, t};
    for (size_t k = 0; k < sizeof(made) / sizeof(*made); k++) oy_tensor_release(made[k]);
    free(data);
  }
}

// Rows of |n|, of which several make one result: brought together before they are added up.
static void short_rows(void** state) {
  (void)state;
  for (int64_t n = 1; n <= 140; n += n < 8 ? 1 : 19) {
    enum { OUTER = 45, KEPT = 3 };
    const int64_t size = OUTER * KEPT * n;
    double* data = malloc((size_t)size * sizeof(double));
    double want[KEPT] = {0};
    for (int64_t i = 0; i < size; i++) {
      data[i] = (double)(i * 29 % 101) - 40;
      want[i / n % KEPT] += data[i];
    }
    oy_tensor* plain = oy_tensor_from_data(data, OY_DIMS(OUTER, KEPT, n), OY_DTYPE_F64);
    static const oy_dtype dtypes[] = {OY_DTYPE_F64, OY_DTYPE_F32, OY_DTYPE_BF16,
                                      OY_DTYPE_I16};
    for (size_t k = 0; k < sizeof(dtypes) / sizeof(*dtypes); k++) {
      oy_tensor* t = oy__to_copy(plain, oy_int(dtypes[k]), oy_none(), oy_none(),
                                 oy_none(), false, oy_none());
      oy_tensor* r = oy_sum_dim_IntList(t, OY_DIMS(0, 2), false, oy_int(OY_DTYPE_F64));
      assert_elements(r, OY_DIMS(KEPT), want[0], want[1], want[2]);
      oy_tensor_release(r);
      oy_tensor_release(t);
    }
    oy_tensor_release(plain);
    free(data);
  }
}

// Powers of those far below the greatest are no normal numbers, or none at all.
static void logarithms_of_powers_of_integers(void** state) {
  (void)state;
  enum { ROWS = 3, N = 67 };
  oy_scope scope;
  oy_scope_open(&scope);
  double data[ROWS * N];
  for (int i = 0; i < ROWS * N; i++)
    data[i] = i / N == 0 ? i * 37 % 211 - 100 : i / N == 1 ? i * -90 : 1000000;
  oy_tensor* wide = oy_tensor_from_data(data, OY_DIMS(ROWS, N), OY_DTYPE_F64);
  assert_non_null(oy_scope_take(wide));
  oy_tensor* x = oy_to_dtype(wide, OY_DTYPE_I32, false, true, oy_none());
  oy_tensor* found = oy_logsumexp(x, OY_DIMS(1), false);
  assert_int_equal(found->dtype, OY_DTYPE_F32);
  for (int r = 0; r < ROWS; r++) {
    double most = -INFINITY, sum = 0;
    for (int i = 0; i < N; i++) most = fmax(most, data[r * N + i]);
    for (int i = 0; i < N; i++) sum += exp(data[r * N + i] - most);
    const double want = most + log(sum);
    assert_true(fabs(element(found, r) - want) <= 1e-6 * fabs(want));
  }
  oy_scope_close(&scope);
}

// An expanded element counts as often as it is seen: sums and means, by dimension.
static void expanded_elements(void** state) {
  (void)state;
  static const struct {
    oy_dtype dtype;
    int64_t seen[3];
    double data[3], sum, nansum, of_first;  // column
  } rows[] = {{OY_DTYPE_F32, {4, 5, 3}, {1, 2, -7}, -80, -80, 20},
              {OY_DTYPE_F64, {1, 3, 3}, {0.1, 0.2, 0.3}, 1.8, 1.8, 0.3},
              {OY_DTYPE_F32, {2, 7, 3}, {1, NAN, 4}, NAN, 70, 14},
              {OY_DTYPE_F64, {2, 7, 3}, {NAN, NAN, INFINITY}, NAN, INFINITY, NAN},
              {OY_DTYPE_F32, {0, 7, 3}, {1, 2, 3}, 0, 0, 0},
              {OY_DTYPE_I64, {1000, 9, 3}, {1, -2, 5}, 36000, 36000, 9000}};
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
    oy_tensor* plain = oy_tensor_from_data(rows[i].data, OY_DIMS(3), OY_DTYPE_F64);
    oy_tensor* t = oy__to_copy(plain, oy_int(rows[i].dtype), oy_none(), oy_none(),
                               oy_none(), false, oy_none());
    oy_tensor* wide = oy_tensor_expand(t, (oy_ints){rows[i].seen, 3});
    oy_tensor* results[] = {
        oy_sum(wide, oy_none()),
        oy_nansum(wide, OY_DIMS(0, 1, 2), false, oy_none()),
        oy_sum_dim_IntList(wide, OY_DIMS(0, 1), false, oy_none()),
        wide,
        t,
        plain,
    };
    assert_close(results[0], oy_dims_none(), 1e-15, rows[i].sum);
    assert_close(results[1], oy_dims_none(), 1e-15, rows[i].nansum);
    const double column = rows[i].of_first;
    const double first = element(results[2], 0);
    assert_true(isnan(column) ? isnan(first) : fabs(first - column) < 1e-15);
    for (size_t k = 0; k < sizeof(results) / sizeof(*results); k++)
      oy_tensor_release(results[k]);
  }
}

// What |run| gives is the same to the last bit with one thread and with several.
static void check_threads(oy_tensor* (*run)(oy_tensor* t), oy_tensor* t) {
  int before = oy_get_num_threads();
  oy_tensor* results[2];
  for (int k = 0; k < 2; k++) {
    assert_int_equal(oy_set_num_threads(k ? 4 : 1), OY_OK);
    results[k] = run(t);
    assert_non_null(results[k]);
  }
  assert_int_equal(oy_set_num_threads(before), OY_OK);
  size_t size = (size_t)oy_tensor_numel(results[0]) * oy_dtype_size(results[0]->dtype);
  assert_memory_equal(oy_tensor_data(results[0]), oy_tensor_data(results[1]), size);
  oy_tensor_release(results[0]);
  oy_tensor_release(results[1]);
}

static oy_tensor* sum_all(oy_tensor* t) {
  return oy_sum(t, oy_none());
}
static oy_tensor* sum_rows(oy_tensor* t) {
  return oy_sum_dim_IntList(t, OY_DIMS(1), false, oy_none());
}
static oy_tensor* sum_columns(oy_tensor* t) {
  return oy_sum_dim_IntList(t, OY_DIMS(0), false, oy_none());
}
static oy_tensor* variance(oy_tensor* t) {
  return oy_var(t, true);
}
static oy_tensor* place(oy_tensor* t) {
  return oy_argmax(t, oy_none(), false);
}
static oy_tensor* norm(oy_tensor* t) {
  return oy_norm_Scalar(t, oy_float(3));
}

static void results_do_not_depend_on_threads(void** state) {
  (void)state;
  enum { ROWS = 300, COLUMNS = 1001, N = ROWS * COLUMNS };
  double* data = malloc(N * sizeof(double));
  for (int i = 0; i < N; i++) data[i] = sin(i * 0.7) * (i % 1000);
  data[N - 5000] = 5000;
  oy_tensor* t = oy_tensor_from_data(data, OY_DIMS(ROWS, COLUMNS), OY_DTYPE_F64);
  oy_tensor* wide = oy_tensor_transpose(t, 0, 1);
  oy_tensor* (*const runs[])(oy_tensor*) = {sum_all,  sum_rows, sum_columns,
                                            variance, place,    norm};
  for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++) {
    check_threads(runs[i], t);
    check_threads(runs[i], wide);
  }
  oy_tensor* at = place(t);
  assert_elements(at, oy_dims_none(), N - 5000);
  oy_tensor_release(at);
  oy_tensor_release(wide);
  oy_tensor_release(t);
  free(data);
}

// PyTorch divides the sum by a complex number: of a part that is infinite, or no number, the
// other one becomes none. Along rows and columns of |n|, one or more.
static void check_endless_mean(double re, double im, int64_t n, oy_dtype dtype) {
  enum { ROWS = 20, MOST = 40 };
  static double data[ROWS * MOST * 2];
  for (int64_t i = 0; i < ROWS * n * 2; i++) data[i] = 1;
  for (int64_t i = 0; i < ROWS * n; i += 3) data[2 * i] = re, data[2 * i + 1] = im;
  for (int k = 0; k < 2; k++) {
    oy_scope scope;
    oy_scope_open(&scope);
    const int64_t size[] = {k ? n : ROWS, k ? ROWS : n, 2};
    oy_tensor* parts = oy_tensor_from_data(data, (oy_ints){size, 3}, OY_DTYPE_F64);
    assert_non_null(oy_scope_take(parts));
    oy_tensor* x = oy_to_dtype(oy_view_as_complex(parts), dtype, false, true, oy_none());
    oy_tensor* got = oy_view_as_real(oy_mean_dim(x, OY_DIMS(1 - k), false, oy_none()));
    assert_non_null(got);
    for (int64_t i = 0; i < ROWS; i++) {
      bool has = false;
      for (int64_t j = 0; j < n; j++) has |= (k ? j * ROWS + i : i * n + j) % 3 == 0;
      const double want[] = {!has           ? 1
                             : isfinite(im) ? re
                                            : (double)NAN,
                             !has           ? 1
                             : isfinite(re) ? im
                                            : (double)NAN};
      for (int p = 0; p < 2; p++) {
        const double found = element(got, 2 * i + p);
        assert_true(isnan(want[p])   ? isnan(found)
                    : isinf(want[p]) ? found == want[p]
                                     : isfinite(found));
      }
    }
    oy_scope_close(&scope);
  }
}
static void means_of_endless_parts(void** state) {
  (void)state;
  static const double pairs[][2] = {{INFINITY, 1}, {2, -INFINITY}, {INFINITY, INFINITY},
                                    {NAN, 1},      {1, NAN},       {3, 4}};
  for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)
    for (int64_t n = 1; n <= 40; n += 1 + n / 2) {
      check_endless_mean(pairs[i][0], pairs[i][1], n, OY_DTYPE_C64);
      check_endless_mean(pairs[i][0], pairs[i][1], n, OY_DTYPE_C128);
    }
}

static void out_forms_and_errors(void** state) {
  (void)state;
  oy_tensor* t = F32(OY_DIMS(2, 2), 1, 2, 3, 4);
  oy_tensor* out = oy_tensor_empty(OY_DIMS(0), OY_DTYPE_F64, oy_device_cpu());
  assert_ptr_equal(oy_sum_IntList_out(t, OY_DIMS(0), false, oy_none(), out), out);
  assert_elements(out, OY_DIMS(2), 4, 6);
  assert_ptr_equal(oy_mean_out(t, OY_DIMS(0, 1), true, oy_none(), out), out);
  assert_elements(out, OY_DIMS(1, 1), 2.5);
  assert_fails(oy_sum_dim_IntList(t, OY_DIMS(2), false, oy_none()),
               "Dimension out of range (expected to be in range of [-2, 1], but got 2)");
  assert_fails(oy_sum_dim_IntList(t, OY_DIMS(0, -2), false, oy_none()),
               "dim 0 appears multiple times in the list of dims");
  oy_tensor_release(out);
  oy_tensor_release(t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_subset_of_dimensions),
      cmocka_unit_test(dtypes_of_results),
      cmocka_unit_test(nothing_to_reduce),
      cmocka_unit_test(long_sums_are_accurate),
      cmocka_unit_test(floats_within_their_bound),
      cmocka_unit_test(floats_that_add_up_to_too_much),
      cmocka_unit_test(bf16_sums_of_great_numbers),
      cmocka_unit_test(bf16_rows_of_any_length),
      cmocka_unit_test(bf16_norms_of_any_size),
      cmocka_unit_test(short_rows),
      cmocka_unit_test(logarithms_of_powers_of_integers),
      cmocka_unit_test(expanded_elements),
      cmocka_unit_test(results_do_not_depend_on_threads),
      cmocka_unit_test(means_of_endless_parts),
      cmocka_unit_test(out_forms_and_errors),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
