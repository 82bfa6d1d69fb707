// SPDX-License-Identifier: Apache-2.0
// Distances between rows. Computed in double, rounded once.
#include <math.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "backends/cpu/kernels.h"
#include "backends/cpu/linalg/distance_product.h"
#include "backends/cpu/staging.h"
#include "backends/cpu/work.h"
#include "base/cpu.h"
#include "base/template.h"
#include "base/threads.h"
#include "ops/rules/rules.h"
#include "tensor/element.h"
#include "tensor/iterator.h"

// ----------------------------------------------------------------------- distances

typedef double pair __attribute__((vector_size(16)));
typedef int64_t pair_bits __attribute__((vector_size(16)));
enum { STEP = 8 };
#define UNROLL OYI_UNROLL_BY(4)

// How many rows are compared with one at a time, so that their sums do not wait for each
// other.
enum { FOUR = 4 };
// The p-norms of the differences of row |a| from one row, or from four that lie one after
// the other, of |n| elements, a multiple of STEP.
typedef void (*some_fn)(const double* a, const double* b, int64_t n, double* out);
typedef struct norm {
  some_fn four, one;
} norm;

// What |difference| adds to the sum for p of 0, 1 or 2.
static inline pair term(pair difference, int p) {
  const pair_bits magnitude = {INT64_MAX, INT64_MAX};
  if (p == 0) return (pair)((difference != 0) & (pair_bits)((pair){1, 1}));
  if (p == 1) return (pair)((pair_bits)difference & magnitude);
  return difference * difference;
}

// Eight sums that do not wait for each other.
static inline __attribute__((always_inline)) double sum_terms(const double* a,
                                                              const double* b, int64_t n,
                                                              int p) {
  pair sums[STEP / 2] = {{0, 0}};
  for (int64_t i = 0; i < n; i += STEP)
    for (int k = 0; k < STEP / 2; k++) {
      pair x, y;
      memcpy(&x, a + i + 2 * k, sizeof(x));
      memcpy(&y, b + i + 2 * k, sizeof(y));
      sums[k] += term(x - y, p);
    }
  const pair all = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  return all[0] + all[1];
}

static inline __attribute__((always_inline)) void some_pairs(const double* a,
                                                             const double* b, int64_t n,
                                                             int p, int rows,
                                                             double* out) {
  for (int j = 0; j < rows; j++) {
    const double sum = sum_terms(a, b + j * n, n, p);
    out[j] = p == 2 ? sqrt(sum) : sum;
  }
}

#define NORM_OF(p, level, attribute, some)                                              \
  attribute static void four_##p##_##level(const double* a, const double* b, int64_t n, \
                                           double* out) {                               \
    some(a, b, n, p, FOUR, out);                                                        \
  }                                                                                     \
  attribute static void one_##p##_##level(const double* a, const double* b, int64_t n,  \
                                          double* out) {                                \
    some(a, b, n, p, 1, out);                                                           \
  }
#define NORM_ROW(p, level) \
  { four_##p##_##level, one_##p##_##level }

#if defined(__x86_64__)
// The same eight sums of each, added up in the same order, four to a vector.
typedef double quad __attribute__((vector_size(32)));
typedef int64_t quad_bits __attribute__((vector_size(32)));
#define AVX2    __attribute__((target("avx2")))
#define SHUFFLE __builtin_shufflevector

AVX2 static inline __attribute__((always_inline)) quad quad_term(quad d, int p) {
  const quad_bits magnitude = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
  const quad one = {1, 1, 1, 1};
  if (p == 0) return (quad)((d != 0) & (quad_bits)one);
  return p == 1 ? (quad)((quad_bits)d & magnitude) : d * d;
}

// What comes of the eight sums of |rows| rows, one or four; |low| is written to.
AVX2 static inline __attribute__((always_inline)) void add_quads(quad* low,
                                                                 const quad* high, int p,
                                                                 int rows, double* out) {
  UNROLL for (int j = 0; j < rows; j++) low[j] =
      SHUFFLE(low[j], high[j], 0, 1, 4, 5) + SHUFFLE(low[j], high[j], 2, 3, 6, 7);
  if (rows < FOUR) {
    const double sum = (low[0][0] + low[0][2]) + (low[0][1] + low[0][3]);
    *out = p == 2 ? sqrt(sum) : sum;
    return;
  }
  const quad two =
      SHUFFLE(low[0], low[1], 0, 1, 4, 5) + SHUFFLE(low[0], low[1], 2, 3, 6, 7);
  const quad more =
      SHUFFLE(low[2], low[3], 0, 1, 4, 5) + SHUFFLE(low[2], low[3], 2, 3, 6, 7);
  quad sum = SHUFFLE(two, more, 0, 2, 4, 6) + SHUFFLE(two, more, 1, 3, 5, 7);
  if (p == 2) sum = _mm256_sqrt_pd(sum);
  memcpy(out, &sum, sizeof(sum));
}

AVX2 static inline __attribute__((always_inline)) void some_quads(const double* a,
                                                                  const double* b,
                                                                  int64_t n, int p,
                                                                  int rows, double* out) {
  quad low[FOUR], high[FOUR];
  UNROLL for (int j = 0; j < rows; j++) low[j] = high[j] = (quad){0};
  for (int64_t i = 0; i < n; i += STEP) {
    quad first, second, x, y;
    memcpy(&first, a + i, sizeof(first));
    memcpy(&second, a + i + 4, sizeof(second));
    UNROLL for (int j = 0; j < rows; j++) {
      memcpy(&x, b + j * n + i, sizeof(x));
      memcpy(&y, b + j * n + i + 4, sizeof(y));
      low[j] += quad_term(first - x, p);
      high[j] += quad_term(second - y, p);
    }
  }
  add_quads(low, high, p, rows, out);
}

// All eight in one vector.
typedef double oct __attribute__((vector_size(64)));
typedef int64_t oct_bits __attribute__((vector_size(64)));
#define AVX512 __attribute__((target("avx512f,avx512vl,avx512dq,avx2")))

AVX512 static inline __attribute__((always_inline)) oct oct_term(oct d, int p) {
  const oct zero = {0}, one = zero + 1;
  if (p == 0) return (oct)((d != zero) & (oct_bits)one);
  return p == 1 ? (oct)((oct_bits)d & ~(oct_bits)-zero) : d * d;
}

AVX512 static inline __attribute__((always_inline)) void some_octs(
    const double* a, const double* b, int64_t n, int p, int rows, double* out) {
  oct sums[FOUR];
  UNROLL for (int j = 0; j < rows; j++) sums[j] = (oct){0};
  for (int64_t i = 0; i < n; i += STEP) {
    oct one, x;
    memcpy(&one, a + i, sizeof(one));
    UNROLL for (int j = 0; j < rows; j++) {
      memcpy(&x, b + j * n + i, sizeof(x));
      sums[j] += oct_term(one - x, p);
    }
  }
  quad low[FOUR], high[FOUR];
  UNROLL for (int j = 0; j < rows; j++) {
    low[j] = SHUFFLE(sums[j], sums[j], 0, 1, 2, 3);
    high[j] = SHUFFLE(sums[j], sums[j], 4, 5, 6, 7);
  }
  add_quads(low, high, p, rows, out);
}
#define NORM(p) NORM_OF(p, avx512, AVX512, some_octs)
NORM(0)
NORM(1)
NORM(2)
#undef NORM
#define NORM(p) NORM_OF(p, avx2, AVX2, some_quads)
NORM(0)
NORM(1)
NORM(2)
#undef NORM
#endif
#define NORM(p) NORM_OF(p, any, , some_pairs)
NORM(0)
NORM(1)
NORM(2)

// That of p = 0, 1 or 2; p = 0 counts what differs.
static norm norm_of(double p) {
#if defined(__x86_64__)
  static const norm avx2[] = {NORM_ROW(0, avx2), NORM_ROW(1, avx2), NORM_ROW(2, avx2)};
  static const norm avx512[] = {NORM_ROW(0, avx512), NORM_ROW(1, avx512),
                                NORM_ROW(2, avx512)};
  if (oyi_cpu_level() > 1) return avx512[(int)p];
  if (oyi_cpu_level() > 0) return avx2[(int)p];
#endif
  static const norm any[] = {NORM_ROW(0, any), NORM_ROW(1, any), NORM_ROW(2, any)};
  return any[(int)p];
}
static bool is_plain(double p) {
  return p == 0 || p == 1 || p == 2;
}

// Any other p-norm of the difference of two rows.
static double distance(const double* a, const double* b, int64_t n, double p) {
  double sum = 0;
  for (int64_t i = 0; i < n; i++) {
    const double d = fabs(a[i] - b[i]);
    if (isinf(p))
      sum = d > sum || isnan(d) ? d : sum;
    else
      sum += pow(d, p);
  }
  return isinf(p) ? sum : pow(sum, 1 / p);
}

// Of row |a| from |rows| others, that lie one after the other.
static void distances_of(const double* a, const double* b, int64_t rows, int64_t n,
                         double p, double* out) {
  int64_t j = 0;
  if (is_plain(p)) {
    const norm by = norm_of(p);
    for (; j + FOUR <= rows; j += FOUR) by.four(a, b + j * n, n, out + j);
    for (; j < rows; j++) by.one(a, b + j * n, n, out + j);
  }
  for (; j < rows; j++) out[j] = distance(a, b + j * n, n, p);
}

// Rows of |t|, contiguous doubles, filled up with zeros to whole steps where that adds
// nothing; takes |t| over. NULL without memory, or without |t|.
static oyi_tensor* in_steps(oyi_tensor* t, double p) {
  if (!t) return NULL;
  const int64_t n = t->sizes[t->ndim - 1], width = (n + STEP - 1) / STEP * STEP;
  if (n == width || !is_plain(p)) return t;
  const int64_t rows = t->numel / n;
  oyi_tensor* wide = oyi_tensor_new(OY_DIMS(rows, width), OY_DTYPE_F64, oy_device_cpu());
  double* to = wide ? oyi_data(wide) : NULL;
  const double* from = oyi_data(t);
  for (int64_t i = 0; wide && i < rows; i++, to += width, from += n) {
    memcpy(to, from, (size_t)n * sizeof(double));
    memset(to + n, 0, (size_t)(width - n) * sizeof(double));
  }
  oy_tensor_release(&t->header);
  return wide;
}

// |object|, contiguous and as |dtype|, expanded to |sizes|: itself, or a copy.
static oyi_tensor* as_dtype(oy_object* object, oy_ints sizes, oy_dtype dtype) {
  oy_object* wide = oy_tensor_expand(object, sizes);
  if (!wide) return NULL;
  oyi_tensor* staged = oyi_stage_in(oyi_tensor_cast(wide), dtype);
  oy_tensor_release(wide);
  return staged;
}

typedef struct distances {
  const double *a, *b;
  double* out;
  int64_t a_rows, b_rows, columns, rows, chunk;
  double p;
} distances;

// Rows of x1 against all rows of x2 in their batch.
static oy_status some_rows(int64_t index, void* context) {
  const distances* d = context;
  const int64_t end = (index + 1) * d->chunk;
  for (int64_t row = index * d->chunk; row < end && row < d->rows; row++)
    distances_of(d->a + row * d->columns, d->b + row / d->a_rows * d->b_rows * d->columns,
                 d->b_rows, d->columns, d->p, d->out + row * d->b_rows);
  return OY_OK;
}

// |a| and |b| as in_steps() left them.
static oy_status measure(oyi_tensor* out, oyi_tensor* a, oyi_tensor* b, double p) {
  oyi_tensor* found = oyi_stage_out(out, OY_DTYPE_F64);
  if (!a || !b || !found) {
    oy_tensor_release(oyi_tensor_object(found));
    return oy_failure();
  }
  distances d = {.a = oyi_data(a),
                 .b = oyi_data(b),
                 .out = oyi_data(found),
                 .a_rows = out->sizes[out->ndim - 2],
                 .b_rows = out->sizes[out->ndim - 1],
                 .columns = a->sizes[a->ndim - 1],
                 .p = p};
  d.rows = out->numel / d.b_rows;
  d.chunk = oyi_stretch(d.b_rows * d.columns);
  return oyi_unstage(out, found,
                     oyi_parallel_chunks(oyi_stretches(d.rows, d.chunk), some_rows, &d));
}

static oy_status measure_products(oyi_tensor* out, const oyi_tensor* a,
                                  const oyi_tensor* b, oyi_gemm_fn gemm) {
  oyi_tensor* found =
      a && b ? oyi_stage_out(out, oyi_compute_dtype(a->header.dtype)) : NULL;
  if (!found) return oy_failure();
  return oyi_unstage(out, found, oyi_distance_products(found, a, b, gemm));
}

static oy_status cdist_shape(const oyi_tensor* a, const oyi_tensor* b, double p,
                             int64_t* sizes, size_t* ndim) {
  OY_CHECK(a->sizes[a->ndim - 1] == b->sizes[b->ndim - 1], INVALID_ARGUMENT,
           "X1 and X2 must have the same number of columns. X1: %lld X2: %lld",
           (long long)a->sizes[a->ndim - 1], (long long)b->sizes[b->ndim - 1]);
  OY_CHECK(p >= 0, INVALID_ARGUMENT, "cdist only supports non-negative p values");
  OY_TRY(oyi_check_same_device(a, b));
  OY_TRY(oyi_broadcast((oy_ints){a->sizes, a->ndim - 2u},
                       (oy_ints){b->sizes, b->ndim - 2u}, sizes, ndim));
  sizes[(*ndim)++] = a->sizes[a->ndim - 2];
  sizes[(*ndim)++] = b->sizes[b->ndim - 2];
  return OY_OK;
}

static oy_status check_rows(const oyi_tensor* t, const char* name) {
  OY_CHECK(t->ndim >= 2, INVALID_ARGUMENT,
           "cdist only supports at least 2D tensors, %s got: %dD", name, t->ndim);
  OY_CHECK(oy_dtype_is_floating(t->header.dtype), INVALID_ARGUMENT,
           "cdist only supports floating-point dtypes, %s got: %s", name,
           oy_dtype_pytorch_name(t->header.dtype));
  return OY_OK;
}

// |out| has elements.
static oy_status compute_cdist(oyi_tensor* out, oy_object* x1, oy_object* x2, double p,
                               oyi_distance_way by) {
  int64_t sizes[OY_TENSOR_MAX_DIMS + 2];
  const size_t ndim = out->ndim;
  memcpy(sizes, out->sizes, ndim * sizeof(*sizes));
  sizes[ndim - 1] = oyi_tensor_cast(x1)->sizes[oyi_tensor_cast(x1)->ndim - 1];
  oyi_tensor* x = as_dtype(x1, (oy_ints){sizes, ndim}, by.as);
  sizes[ndim - 2] = out->sizes[ndim - 1];
  oyi_tensor* y = x ? as_dtype(x2, (oy_ints){sizes, ndim}, by.as) : NULL;
  if (!by.product) {
    x = in_steps(x, p);
    y = in_steps(y, p);
  }
  const oy_status status =
      by.product ? measure_products(out, x, y, by.product) : measure(out, x, y, p);
  oy_tensor_release(oyi_tensor_object(x));
  oy_tensor_release(oyi_tensor_object(y));
  return status;
}

oy_object* oyi_cpu_cdist(oy_object* x1, oy_object* x2, double p, oy_value compute_mode,
                         oyi_gemm_pick pick) {
  const oyi_tensor* a = oyi_tensor_of(x1);
  const oyi_tensor* b = a ? oyi_tensor_of(x2) : NULL;
  int64_t sizes[OY_TENSOR_MAX_DIMS + 2];
  size_t ndim;
  if (!b) return NULL;
  if (check_rows(a, "X1") != OY_OK || check_rows(b, "X2") != OY_OK) return NULL;
  if (cdist_shape(a, b, p, sizes, &ndim) != 0) return NULL;
  oy_dtype dtype;
  if (oy_result_type((oy_object*[]){x1, x2}, 2, &dtype) != 0) return NULL;
  oyi_tensor* out = oyi_tensor_new((oy_ints){sizes, ndim}, dtype, oyi_tensor_device(a));
  if (!out || oyi_is_meta(out) || out->numel == 0) return oyi_tensor_object(out);
  const int64_t rows = sizes[ndim - 2], others = sizes[ndim - 1];
  oyi_distance_way by = {NULL, OY_DTYPE_F64};
  if (oyi_distance_by_product(p, compute_mode, rows, others))
    by = oyi_distance_way_of(dtype, rows, others, a->sizes[a->ndim - 1], pick);
  if (compute_cdist(out, x1, x2, p, by) == OY_OK) return &out->header;
  oy_tensor_release(&out->header);
  return NULL;
}

OYI_CPU(_cdist_forward) {
  return oyi_cpu_cdist(x1, x2, p, compute_mode, oyi_gemm_portable);
}

OYI_CPU(_pdist_forward) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  if (t->ndim != 2 || !oy_dtype_is_floating(self->dtype)) {
    OY_FAIL(INVALID_ARGUMENT, "_pdist_forward requires a floating matrix, got %dD %s",
            t->ndim, oy_dtype_pytorch_name(self->dtype));
    return NULL;
  }
  const int64_t n = t->sizes[0], pairs = n * (n - 1) / 2;
  oyi_tensor* out =
      oyi_tensor_new((oy_ints){&pairs, 1}, self->dtype, oyi_tensor_device(t));
  if (!out || oyi_is_meta(out) || pairs == 0) return oyi_tensor_object(out);
  oyi_tensor* rows = in_steps(oyi_converted(t, OY_DTYPE_F64), p);
  oyi_tensor* found = oyi_stage_out(out, OY_DTYPE_F64);
  oy_status status = rows && found ? OY_OK : oy_failure();
  if (status == OY_OK) {
    const int64_t width = rows->sizes[rows->ndim - 1];
    const double* x = oyi_data(rows);
    double* to = oyi_data(found);
    for (int64_t i = 0; i < n; to += n - ++i)
      distances_of(x + i * width, x + (i + 1) * width, n - i - 1, width, p, to);
  }
  status = oyi_unstage(out, found, status);
  oy_tensor_release(oyi_tensor_object(rows));
  if (status == OY_OK) return &out->header;
  oy_tensor_release(&out->header);
  return NULL;
}
