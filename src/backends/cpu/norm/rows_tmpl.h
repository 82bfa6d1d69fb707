// SPDX-License-Identifier: Apache-2.0
// The functions of rows.h for one type: T, its integers INT and UINT, ID, and the
// constants of exp. ROW_BYTES is the width of a vector.
#define F(name) OYI_JOIN(name, ID)
#define V       F(vec)
#define VU      F(bits)
#define LANES   ((int64_t)(ROW_BYTES / sizeof(T)))

typedef T V __attribute__((vector_size(ROW_BYTES)));
typedef INT F(ints) __attribute__((vector_size(ROW_BYTES)));
typedef UINT VU __attribute__((vector_size(ROW_BYTES)));

static inline V F(splat)(T x) {
  return x - (V){0};
}
static inline V F(load)(const T* at) {
  V v;
  memcpy(&v, at, sizeof(v));
  return v;
}
static inline void F(store)(T* at, V v) {
  memcpy(at, &v, sizeof(v));
}
static inline V F(choose)(F(ints) mask, V yes, V no) {
  return (V)(((VU)mask & (VU)yes) | (~(VU)mask & (VU)no));
}
// Which lanes are below |n|.
static inline F(ints) F(below)(int64_t n) {
  static const INT places[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  F(ints) place;
  memcpy(&place, places, sizeof(place));
  return place < (INT)n;
}
// |n| elements, no more than a vector has, and |fill| behind them. Masked loads and stores,
// where there are any, are faster than to go through memory.
static inline V F(load_some)(const T* at, int64_t n, T fill) {
#ifdef LOAD_MASKED
  return F(choose)(F(below)(n), LOAD_MASKED(at, F(below)(n)), F(splat)(fill));
#else
  V v = F(splat)(fill);
  memcpy(&v, at, (size_t)n * sizeof(T));
  return v;
#endif
}
static inline void F(store_some)(T* at, int64_t n, V v) {
#ifdef STORE_MASKED
  STORE_MASKED(at, F(below)(n), v);
#else
  memcpy(at, &v, (size_t)n * sizeof(T));
#endif
}
static inline double F(add_lanes)(V v) {
  double sums[LANES];
  for (int64_t i = 0; i < LANES; i++) sums[i] = (double)v[i];
  OYI_UNROLL
  for (int64_t half = LANES / 2; half > 0; half /= 2)
    for (int64_t i = 0; i < half; i++) sums[i] += sums[i + half];
  return sums[0];
}

// x = n * log(2) + r, |r| <= log(2) / 2; e^r by its series. 2^n is applied in two steps,
// for results below the least normal number. Right within 2 ULP; NaN stays.
static inline V F(exp)(V x) {
#ifdef CLAMP
  x = CLAMP(x, EXP_LOW, EXP_HIGH);
#else
  x = F(choose)(x < F(splat)(EXP_LOW), F(splat)(EXP_LOW), x);
  x = F(choose)(x > F(splat)(EXP_HIGH), F(splat)(EXP_HIGH), x);
#endif
  V shifted = x * (T)1.4426950408889634 + (T)EXP_MAGIC;
  V n = shifted - (T)EXP_MAGIC;
  V r = x - n * (T)EXP_LN2_HIGH - n * (T)EXP_LN2_LOW;
  static const double series[] = {EXP_SERIES};
  V sum = F(splat)((T)series[0]);
  for (size_t i = 1; i < sizeof(series) / sizeof(*series); i++)
    sum = sum * r + (T)series[i];
#ifdef SCALE
  return SCALE(sum, n);
#else
  F(ints) whole = (F(ints))((VU)shifted - (VU)F(splat)((T)EXP_MAGIC));
  F(ints) half = whole >> 1;
  V low = (V)((VU)(half + EXP_BIAS) << EXP_SHIFT);
  V high = (V)((VU)(whole - half + EXP_BIAS) << EXP_SHIFT);
  return sum * low * high;
#endif
}

// NaN may be lost: it comes out of the exponentials again.
static T F(greatest)(int64_t n, const T* in) {
  V a = F(splat)(-(T)INFINITY), b = a;
  int64_t i = 0;
  for (; i + 2 * LANES <= n; i += 2 * LANES) {
    V x = F(load)(in + i), y = F(load)(in + i + LANES);
    a = F(choose)(x > a, x, a);
    b = F(choose)(y > b, y, b);
  }
  a = F(choose)(b > a, b, a);
  for (; i < n; i += LANES) {
    V x = n - i < LANES ? F(load_some)(in + i, n - i, -(T)INFINITY) : F(load)(in + i);
    a = F(choose)(x > a, x, a);
  }
  T greatest[LANES];
  F(store)(greatest, a);
  OYI_UNROLL
  for (int64_t half = LANES / 2; half > 0; half /= 2)
    for (int64_t k = 0; k < half; k++)
      greatest[k] = greatest[k] > greatest[k + half] ? greatest[k] : greatest[k + half];
  return greatest[0];
}

// A row of a few vectors, which stay as they are until they are written: to read again what was
// just written in part takes longer than to compute it.
enum { F(HELD) = 8 };

static void F(softmax_held)(int64_t n, const T* in, T* out) {
  const int64_t last = (n - 1) / LANES, left = n - last * LANES;
  const T top = F(greatest)(n, in);
  V x[F(HELD)], a = F(splat)(0);
  for (int64_t k = 0; k < last; k++) {
    x[k] = F(exp)(F(load)(in + k * LANES) - top);
    a += x[k];
  }
  x[last] = F(exp)(F(load_some)(in + last * LANES, left, -(T)INFINITY) - top);
  // What is behind the row is NaN where all of it is infinite.
  a += F(choose)(F(below)(left), x[last], F(splat)(0));
  const T sum = (T)F(add_lanes)(a);
  for (int64_t k = 0; k < last; k++) F(store)(out + k * LANES, x[k] / sum);
  F(store_some)(out + last * LANES, left, x[last] / sum);
}

static void F(softmax)(int64_t n, const void* in_, void* out_) {
  const T* in = in_;
  T* out = out_;
  if (n > 0 && n <= F(HELD) * LANES) {
    F(softmax_held)(n, in, out);
    return;
  }
  const T top = F(greatest)(n, in);
  V a = F(splat)(0), b = a;
  int64_t i = 0;
  for (; i + 2 * LANES <= n; i += 2 * LANES) {
    V x = F(exp)(F(load)(in + i) - top), y = F(exp)(F(load)(in + i + LANES) - top);
    F(store)(out + i, x);
    F(store)(out + i + LANES, y);
    a += x;
    b += y;
  }
  for (; i < n; i += LANES) {
    int64_t left = n - i < LANES ? n - i : LANES;
    V x = F(exp)(F(load_some)(in + i, left, -(T)INFINITY) - top);
    F(store_some)(out + i, left, x);
    // What is behind the row is NaN where all of it is infinite.
    a += F(choose)(F(below)(left), x, F(splat)(0));
  }
  const T sum = (T)F(add_lanes)(a + b);
  for (i = 0; i < n; i++) out[i] /= sum;
}

static void F(log_softmax)(int64_t n, const void* in_, void* out_) {
  const T* in = in_;
  T* out = out_;
  const T top = F(greatest)(n, in);
  V a = F(splat)(0), b = a;
  int64_t i = 0;
  for (; i + 2 * LANES <= n; i += 2 * LANES) {
    a += F(exp)(F(load)(in + i) - top);
    b += F(exp)(F(load)(in + i + LANES) - top);
  }
  for (; i < n; i += LANES) {
    int64_t left = n - i < LANES ? n - i : LANES;
    a += F(exp)(F(load_some)(in + i, left, -(T)INFINITY) - top);
  }
  const T log_sum = (T)log(F(add_lanes)(a + b));
  for (i = 0; i < n; i++) out[i] = in[i] - top - log_sum;
}

// The sum of |term|, an expression of the vectors x = in[i] and y = in2[i], in stretches
// that are added up in double. Behind the row x and y are |fill| and 0.
#define SUM_BLOCK 2048
#define SUM_OF(term, in, in2, fill)                                  \
  double total = 0;                                                  \
  for (int64_t from = 0; from < n; from += SUM_BLOCK) {              \
    const int64_t to = n - from < SUM_BLOCK ? n : from + SUM_BLOCK;  \
    V a = F(splat)(0), b = a;                                        \
    int64_t i = from;                                                \
    for (; i + 2 * LANES <= to; i += 2 * LANES) {                    \
      V x = F(load)((in) + i), y = F(load)((in2) + i);               \
      a += (term);                                                   \
      x = F(load)((in) + i + LANES), y = F(load)((in2) + i + LANES); \
      b += (term);                                                   \
    }                                                                \
    for (; i < to; i += LANES) {                                     \
      int64_t left = to - i < LANES ? to - i : LANES;                \
      V x = F(load_some)((in) + i, left, fill);                      \
      V y = F(load_some)((in2) + i, left, 0);                        \
      a += (term);                                                   \
    }                                                                \
    total += F(add_lanes)(a + b);                                    \
  }

static double F(sum)(int64_t n, const void* in_) {
  const T* in = in_;
  SUM_OF(x + 0 * (y - y), in, in, 0)
  return total;
}
static double F(square_deviations)(int64_t n, const void* in_, double mean_) {
  const T *in = in_, mean = (T)mean_;
  SUM_OF((x - mean) * (x - mean) + 0 * y, in, in, mean)
  return total;
}
static double F(dot)(int64_t n, const T* left_in, const T* right_in) {
  SUM_OF(x * y, left_in, right_in, 0)
  return total;
}

static void F(softmax_backward)(int64_t n, const void* grad_, const void* result_,
                                void* out_) {
  const T *grad = grad_, *result = result_;
  T* out = out_;
  const T sum = (T)F(dot)(n, grad, result);
  OYI_INDEPENDENT
  for (int64_t i = 0; i < n; i++) out[i] = (grad[i] - sum) * result[i];
}

static void F(log_softmax_backward)(int64_t n, const void* grad_, const void* result_,
                                    void* out_) {
  const T *grad = grad_, *result = result_;
  T* out = out_;
  const T sum = (T)F(sum)(n, grad);
  int64_t i = 0;
  for (; i + 2 * LANES <= n; i += 2 * LANES) {
    const V x = F(exp)(F(load)(result + i)), y = F(exp)(F(load)(result + i + LANES));
    F(store)(out + i, F(load)(grad + i) - x * sum);
    F(store)(out + i + LANES, F(load)(grad + i + LANES) - y * sum);
  }
  for (; i < n; i += LANES) {
    int64_t left = n - i < LANES ? n - i : LANES;
    V x =
        F(load_some)(grad + i, left, 0) - F(exp)(F(load_some)(result + i, left, 0)) * sum;
    F(store_some)(out + i, left, x);
  }
}

static void F(normalise)(int64_t n, const void* in_, void* out_, double mean_,
                         double rstd_, const void* weight_, const void* bias_) {
  const T *in = in_, *weight = weight_, *bias = bias_;
  T *out = out_, mean = (T)mean_, rstd = (T)rstd_;
  if (weight && bias) {
    OYI_INDEPENDENT
    for (int64_t i = 0; i < n; i++) out[i] = (in[i] - mean) * rstd * weight[i] + bias[i];
  } else if (weight) {
    OYI_INDEPENDENT
    for (int64_t i = 0; i < n; i++) out[i] = (in[i] - mean) * rstd * weight[i];
  } else if (bias) {
    OYI_INDEPENDENT
    for (int64_t i = 0; i < n; i++) out[i] = (in[i] - mean) * rstd + bias[i];
  } else {
    OYI_INDEPENDENT
    for (int64_t i = 0; i < n; i++) out[i] = (in[i] - mean) * rstd;
  }
}

static void F(affine)(int64_t n, const void* in_, void* out_, double mean_, double scale_,
                      double shift_) {
  const T *in = in_, mean = (T)mean_, scale = (T)scale_, shift = (T)shift_;
  T* out = out_;
  OYI_INDEPENDENT
  for (int64_t i = 0; i < n; i++) out[i] = (in[i] - mean) * scale + shift;
}

#include "backends/cpu/norm/rows_channels_tmpl.h"
#include "backends/cpu/norm/rows_columns_tmpl.h"
#include "backends/cpu/norm/rows_gradient_tmpl.h"
#include "backends/cpu/norm/rows_short_tmpl.h"

enum { OYI_JOIN(SHORT_ROW, ID) = 2 * LANES };

#undef SUM_BLOCK
#undef SUM_OF
#undef F
#undef V
#undef VU
#undef LANES
