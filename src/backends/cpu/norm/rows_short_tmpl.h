// SPDX-License-Identifier: Apache-2.0
// Many rows of one or two vectors, for one type: a call for each, and sums that go
// to double, would take longer than their elements. Part of rows_tmpl.h.

// A row in vectors, the last of which has |left| elements, and zeros behind.
static inline __attribute__((always_inline)) void F(load_row)(const int count,
                                                              int64_t left, const T* at,
                                                              V* x) {
  OYI_UNROLL
  for (int i = 0; i < count; i++)
    x[i] =
        i + 1 < count ? F(load)(at + i * LANES) : F(load_some)(at + i * LANES, left, 0);
}
static inline __attribute__((always_inline)) void F(store_row)(const int count,
                                                               int64_t left, T* at,
                                                               const V* x) {
  OYI_UNROLL
  for (int i = 0; i < count; i++)
    if (i + 1 < count)
      F(store)(at + i * LANES, x[i]);
    else
      F(store_some)(at + i * LANES, left, x[i]);
}
static inline __attribute__((always_inline)) T F(sum_of)(const int count, const V* x) {
  return ADD_ACROSS(count == 2 ? x[0] + x[1] : x[0]);
}

static inline __attribute__((always_inline)) void F(softmax_backward_of)(
    const int count, int64_t n, int64_t rows, const T* grad, const T* result, T* out) {
  const int64_t left = n - (count - 1) * LANES;
  for (int64_t r = 0; r < rows; r++, grad += n, result += n, out += n) {
    V x[2], y[2], both[2];
    F(load_row)(count, left, grad, x);
    F(load_row)(count, left, result, y);
    OYI_UNROLL
    for (int i = 0; i < count; i++) both[i] = x[i] * y[i];
    const T sum = F(sum_of)(count, both);
    OYI_UNROLL
    for (int i = 0; i < count; i++) x[i] = (x[i] - sum) * y[i];
    F(store_row)(count, left, out, x);
  }
}

static void F(softmax_backward_short)(int64_t n, int64_t rows, const void* grad,
                                      const void* result, void* out) {
  if (n <= LANES)
    F(softmax_backward_of)(1, n, rows, grad, result, out);
  else
    F(softmax_backward_of)(2, n, rows, grad, result, out);
}

// Of a weight or a bias that is not there: |otherwise|.
static inline __attribute__((always_inline)) void F(load_affine)(const int count,
                                                                 int64_t left,
                                                                 const T* at, T otherwise,
                                                                 V* x) {
  for (int i = 0; i < count; i++) x[i] = F(splat)(otherwise);
  if (at) F(load_row)(count, left, at, x);
}

static inline __attribute__((always_inline)) void F(normalise_of)(
    const int count, const oyi_short_rows* s) {
  const int64_t n = s->n, left = n - (count - 1) * LANES;
  const F(ints) there = F(below)(left);
  const T *in = s->in, by = 1 / (T)n;
  T *out = s->out, *mean = s->mean, *rstd = s->rstd;
  V weight[2], bias[2];
  F(load_affine)(count, left, s->weight, 1, weight);
  F(load_affine)(count, left, s->bias, 0, bias);
  for (int64_t r = 0; r < s->rows; r++, in += n, out += n) {
    V x[2], squares[2];
    F(load_row)(count, left, in, x);
    const T middle = F(sum_of)(count, x) * by;
    OYI_UNROLL
    for (int i = 0; i < count; i++) {
      x[i] = i + 1 < count ? x[i] - middle : F(choose)(there, x[i] - middle, F(splat)(0));
      squares[i] = x[i] * x[i];
    }
    const double variance = (double)(F(sum_of)(count, squares) * by);
    const T scale = (T)(1 / sqrt(variance + s->eps));
    OYI_UNROLL
    for (int i = 0; i < count; i++) x[i] = x[i] * scale * weight[i] + bias[i];
    F(store_row)(count, left, out, x);
    mean[r] = middle;
    rstd[r] = scale;
  }
}

static void F(normalise_short)(const oyi_short_rows* s) {
  if (s->n <= LANES)
    F(normalise_of)(1, s);
  else
    F(normalise_of)(2, s);
}

static inline __attribute__((always_inline)) void F(normalise_backward_of)(
    const int count, const oyi_short_rows* s) {
  const int64_t n = s->n, left = n - (count - 1) * LANES;
  const T *grad = s->grad, *in = s->in, *mean = s->mean, *rstd = s->rstd;
  const T by = 1 / (T)n;
  T* out = s->out;
  V weight[2], weights[2], biases[2];
  F(load_affine)(count, left, s->weight, 1, weight);
  for (int i = 0; i < count; i++) weights[i] = biases[i] = F(splat)(0);
  for (int64_t r = 0; r < s->rows; r++, grad += n, in += n, out += n) {
    V g[2], x[2], both[2];
    F(load_row)(count, left, grad, g);
    F(load_row)(count, left, in, x);
    const T middle = mean[r], scale = rstd[r];
    OYI_UNROLL
    for (int i = 0; i < count; i++) {
      x[i] = (x[i] - middle) * scale;
      weights[i] += g[i] * x[i];
      biases[i] += g[i];
      g[i] *= weight[i];
      both[i] = g[i] * x[i];
    }
    const T shift = F(sum_of)(count, g) * by, slope = F(sum_of)(count, both) * by;
    OYI_UNROLL
    for (int i = 0; i < count; i++) x[i] = (g[i] - shift - x[i] * slope) * scale;
    F(store_row)(count, left, out, x);
  }
  if (!s->weights) return;
  F(store_row)(count, left, s->weights, weights);
  F(store_row)(count, left, s->biases, biases);
}

static void F(normalise_backward_short)(const oyi_short_rows* s) {
  if (s->n <= LANES)
    F(normalise_backward_of)(1, s);
  else
    F(normalise_backward_of)(2, s);
}
