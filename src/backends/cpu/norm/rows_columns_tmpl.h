// SPDX-License-Identifier: Apache-2.0
// Softmax down columns that lie side by side, |stride| elements from one row to the next,
// without moving them: several vectors of columns at a time. Part of rows_tmpl.h.
#define GROUP 4  // vectors

// Natural logarithm of what is 1 or more: x = 2^n * m, log(m) = 2 * artanh((m-1) / (m+1)).
static inline V F(log)(V x) {
  const VU half_root = (VU)F(splat)((T)0.70710678118654752);
  const VU shifted = (VU)x - half_root;
  const F(ints) whole = (F(ints))shifted >> EXP_SHIFT;
  const V m = (V)((VU)x - ((VU)whole << EXP_SHIFT));
  const V t = (m - (T)1) / (m + (T)1), square = t * t;
  V sum = F(splat)((T)0);
  for (int i = LOG_TERMS; i > 0; i--) sum = sum * square + (T)(1.0 / (2 * i + 1));
  const V n = __builtin_convertvector(whole, V);
  // The last term: NaN stays.
  return n * (T)EXP_LN2_HIGH +
         (t * (T)2 + (t * square * sum * (T)2 + n * (T)EXP_LN2_LOW)) + (x - x);
}

// Vector |i| of a row of |left| elements.
static inline V F(column)(const T* at, int64_t left, int i, T fill) {
  if (left >= (i + 1) * LANES) return F(load)(at + i * LANES);
  return F(load_some)(at + i * LANES, left - i * LANES, fill);
}
static inline void F(put_column)(T* at, int64_t left, int i, V v) {
  if (left >= (i + 1) * LANES)
    F(store)(at + i * LANES, v);
  else
    F(store_some)(at + i * LANES, left - i * LANES, v);
}

// What each of |count| vectors of columns adds up to, in stretches, so that rounding does
// not grow with their length: |term| of x, row |r|'s vector |i|.
#define COLUMN_SUMS(sums, term)                                           \
  for (int64_t from = 0; from < n; from += COLUMN_BLOCK) {                \
    const int64_t to = n - from < COLUMN_BLOCK ? n : from + COLUMN_BLOCK; \
    V part[GROUP];                                                        \
    for (int i = 0; i < count; i++) part[i] = F(splat)(0);                \
    for (int64_t r = from; r < to; r++) {                                 \
      OYI_UNROLL                                                          \
      for (int i = 0; i < count; i++) part[i] += (term);                  \
    }                                                                     \
    for (int i = 0; i < count; i++) (sums)[i] += part[i];                 \
  }
#define COLUMN_BLOCK 512

static inline __attribute__((always_inline)) void F(tops)(int64_t n, int64_t stride,
                                                          int64_t left, int count,
                                                          const T* in, V* top) {
  for (int i = 0; i < count; i++) top[i] = F(splat)(-(T)INFINITY);
  for (int64_t r = 0; r < n; r++) {
    OYI_UNROLL
    for (int i = 0; i < count; i++) {
      V x = F(column)(in + r * stride, left, i, 0);
      top[i] = F(choose)(x > top[i], x, top[i]);
    }
  }
}

static inline V F(exp_column)(const T* in, T* out, int64_t left, int i, V top) {
  V x = F(exp)(F(column)(in, left, i, 0) - top);
  if (out) F(put_column)(out, left, i, x);
  return x;
}

// Divides part of a vector of each row: several are read before the first of them is written,
// for a vector that is read where part of one was just written waits until that is in memory,
// even if it is another part.
static inline __attribute__((always_inline)) void F(divide_part)(int64_t n,
                                                                 int64_t stride,
                                                                 int64_t left, V by,
                                                                 T* to) {
  enum { AT_ONCE = 8 };
  for (; n >= AT_ONCE; n -= AT_ONCE, to += AT_ONCE * stride) {
    V x[AT_ONCE];
    OYI_UNROLL
    for (int k = 0; k < AT_ONCE; k++) x[k] = F(column)(to + k * stride, left, 0, 0) / by;
    OYI_UNROLL
    for (int k = 0; k < AT_ONCE; k++) F(put_column)(to + k * stride, left, 0, x[k]);
  }
  for (; n > 0; n--, to += stride)
    F(put_column)(to, left, 0, F(column)(to, left, 0, 0) / by);
}

static inline __attribute__((always_inline)) void F(softmax_group)(
    int64_t n, int64_t stride, int64_t left, int count, bool logarithm, const T* in,
    T* out) {
  V top[GROUP], sum[GROUP] = {{0}};
  F(tops)(n, stride, left, count, in, top);
  if (logarithm) {
    COLUMN_SUMS(sum, F(exp_column)(in + r * stride, NULL, left, i, top[i]))
    for (int i = 0; i < count; i++) sum[i] = F(log)(sum[i]);
  } else {
    COLUMN_SUMS(sum, F(exp_column)(in + r * stride, out + r * stride, left, i, top[i]))
  }
  if (!logarithm && left < LANES) {
    F(divide_part)(n, stride, left, sum[0], out);
    return;
  }
  for (int64_t r = 0; r < n; r++) {
    OYI_UNROLL
    for (int i = 0; i < count; i++) {
      T* to = out + r * stride;
      V x = logarithm ? F(column)(in + r * stride, left, i, 0) - top[i] - sum[i]
                      : F(column)(to, left, i, 0) / sum[i];
      F(put_column)(to, left, i, x);
    }
  }
}

// What the halves of a vector come to together is in both of them.
static inline V F(both_halves)(V x, bool is_sum) {
  T lanes[LANES], turned[LANES];
  F(store)(lanes, x);
  for (int64_t i = 0; i < LANES; i++) turned[i] = lanes[(i + LANES / 2) % LANES];
  const V y = F(load)(turned);
  return is_sum ? x + y : F(choose)(y > x, y, x);
}

// Half as many columns as a vector has lanes, rows of which follow each other: it has two rows.
static inline __attribute__((always_inline)) void F(softmax_halves)(int64_t rows,
                                                                    bool logarithm,
                                                                    const T* in, T* out) {
  const int64_t n = rows / 2, stride = LANES, half = LANES / 2, odd = n * stride;
  const bool is_odd = rows % 2 != 0;
  const int count = 1;
  V top[1], sum[GROUP] = {{0}};
  F(tops)(n, stride, LANES, 1, in, top);
  if (is_odd) {
    const V x = F(load_some)(in + odd, half, -(T)INFINITY);
    top[0] = F(choose)(x > top[0], x, top[0]);
  }
  const V greatest = F(both_halves)(top[0], false);
  COLUMN_SUMS(sum, F(exp_column)(in + r * stride, logarithm ? NULL : out + r * stride,
                                 LANES, i, greatest))
  if (is_odd) {
    const V x = F(exp_column)(in + odd, logarithm ? NULL : out + odd, half, 0, greatest);
    sum[0] += F(choose)(F(below)(half), x, F(splat)(0));
  }
  V all = F(both_halves)(sum[0], true);
  if (logarithm) all = F(log)(all);
  for (int64_t r = 0; r <= n - !is_odd; r++) {
    const int64_t left = r < n ? LANES : half, at = r * stride;
    F(put_column)
    (out + at, left, 0,
     logarithm ? F(column)(in + at, left, 0, 0) - greatest - all
               : F(column)(out + at, left, 0, 0) / all);
  }
}

static inline __attribute__((always_inline)) void F(backward_group)(
    int64_t n, int64_t stride, int64_t left, int count, bool logarithm, const T* grad,
    const T* result, T* out) {
  V sum[GROUP] = {{0}};
  if (logarithm) {
    COLUMN_SUMS(sum, F(column)(grad + r * stride, left, i, 0))
  } else {
    COLUMN_SUMS(sum, F(column)(grad + r * stride, left, i, 0) *
                         F(column)(result + r * stride, left, i, 0))
  }
  for (int64_t r = 0; r < n; r++) {
    OYI_UNROLL
    for (int i = 0; i < count; i++) {
      V g = F(column)(grad + r * stride, left, i, 0);
      V y = F(column)(result + r * stride, left, i, 0);
      F(put_column)
      (out + r * stride, left, i, logarithm ? g - F(exp)(y) * sum[i] : (g - sum[i]) * y);
    }
  }
}

// No more than |GROUP| vectors, of which the last need not be full, at once: in short columns each
// would wait for its own exponentials.
static inline __attribute__((always_inline)) void F(softmax_some)(
    int64_t n, int64_t stride, int64_t left, bool logarithm, const T* in, T* out) {
  _Static_assert(GROUP == 4, "each has its own loop");
  switch ((left + LANES - 1) / LANES) {
    case 1: F(softmax_group)(n, stride, left, 1, logarithm, in, out); break;
    case 2: F(softmax_group)(n, stride, left, 2, logarithm, in, out); break;
    case 3: F(softmax_group)(n, stride, left, 3, logarithm, in, out); break;
    case GROUP: F(softmax_group)(n, stride, left, 4, logarithm, in, out); break;
  }
}

static inline __attribute__((always_inline)) void F(softmax_all)(
    int64_t n, int64_t stride, int64_t columns, bool logarithm, const T* in, T* out) {
  if (2 * columns == LANES && stride == columns) {
    F(softmax_halves)(n, logarithm, in, out);
    return;
  }
  int64_t at = 0;
  for (; at + GROUP * LANES <= columns; at += GROUP * LANES)
    F(softmax_group)(n, stride, GROUP * LANES, GROUP, logarithm, in + at, out + at);
  // Part of a vector is written and read again on its own, but for logarithms.
  const int64_t left = columns - at, part = logarithm ? 0 : left % LANES;
  F(softmax_some)(n, stride, left - part, logarithm, in + at, out + at);
  at = columns - part;
  if (part) F(softmax_group)(n, stride, part, 1, logarithm, in + at, out + at);
}
static void F(softmax_columns)(int64_t n, int64_t stride, int64_t columns, const void* in,
                               void* out) {
  F(softmax_all)(n, stride, columns, false, in, out);
}
static void F(log_softmax_columns)(int64_t n, int64_t stride, int64_t columns,
                                   const void* in, void* out) {
  F(softmax_all)(n, stride, columns, true, in, out);
}

static inline __attribute__((always_inline)) void F(backward_all)(
    int64_t n, int64_t stride, int64_t columns, bool logarithm, const T* grad,
    const T* result, T* out) {
  int64_t at = 0;
  for (; at + GROUP * LANES <= columns; at += GROUP * LANES) F(backward_group)
  (n, stride, GROUP * LANES, GROUP, logarithm, grad + at, result + at, out + at);
  const int64_t left = columns - at;
  grad += at, result += at, out += at;
  switch ((left + LANES - 1) / LANES) {
    case 1: F(backward_group)(n, stride, left, 1, logarithm, grad, result, out); break;
    case 2: F(backward_group)(n, stride, left, 2, logarithm, grad, result, out); break;
    case 3: F(backward_group)(n, stride, left, 3, logarithm, grad, result, out); break;
    case GROUP:
      F(backward_group)(n, stride, left, 4, logarithm, grad, result, out);
      break;
  }
}
static void F(softmax_columns_backward)(int64_t n, int64_t stride, int64_t columns,
                                        const void* grad, const void* result, void* out) {
  F(backward_all)(n, stride, columns, false, grad, result, out);
}
static void F(log_softmax_columns_backward)(int64_t n, int64_t stride, int64_t columns,
                                            const void* grad, const void* result,
                                            void* out) {
  F(backward_all)(n, stride, columns, true, grad, result, out);
}

#undef GROUP
#undef COLUMN_SUMS
#undef COLUMN_BLOCK
