// SPDX-License-Identifier: Apache-2.0
// Distances between rows, and cross products. Computed in double, rounded once.
#include <math.h>
#include <string.h>

#include "backends/cpu/kernels.h"
#include "base/cpu.h"
#include "base/threads.h"
#include "ops/rules.h"
#include "tensor/element.h"
#include "tensor/iterator.h"

// ----------------------------------------------------------------------- distances

typedef double pair __attribute__((vector_size(16)));
typedef int64_t pair_bits __attribute__((vector_size(16)));
enum { STEP = 8 };

// What |difference| adds to the sum for p of 0, 1 or 2.
static inline pair term(pair difference, int p) {
  const pair_bits magnitude = {INT64_MAX, INT64_MAX};
  if (p == 0) return (pair)((difference != 0) & (pair_bits)((pair){1, 1}));
  if (p == 1) return (pair)((pair_bits)difference & magnitude);
  return difference * difference;
}

// The terms of |n| elements, a multiple of STEP, in eight sums that do not wait for each
// other.
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

#if defined(__x86_64__)
// The same eight sums, added up in the same order, four to a vector.
typedef double quad __attribute__((vector_size(32)));
typedef int64_t quad_bits __attribute__((vector_size(32)));
#define AVX2 __attribute__((target("avx2")))

AVX2 static inline __attribute__((always_inline)) double sum_quads(const double* a,
                                                                   const double* b,
                                                                   int64_t n, int p) {
  const quad_bits magnitude = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
  const quad one = {1, 1, 1, 1};
  quad sums[STEP / 4] = {{0}};
  for (int64_t i = 0; i < n; i += STEP)
    for (int k = 0; k < STEP / 4; k++) {
      quad x, y;
      memcpy(&x, a + i + 4 * k, sizeof(x));
      memcpy(&y, b + i + 4 * k, sizeof(y));
      const quad d = x - y;
      if (p == 0)
        sums[k] += (quad)((d != 0) & (quad_bits)one);
      else
        sums[k] += p == 1 ? (quad)((quad_bits)d & magnitude) : d * d;
    }
  const double even = (sums[0][0] + sums[0][2]) + (sums[1][0] + sums[1][2]);
  return even + ((sums[0][1] + sums[0][3]) + (sums[1][1] + sums[1][3]));
}

AVX2 static double sum_whole_quads(const double* a, const double* b, int64_t n,
                                   double p) {
  if (p == 2) return sum_quads(a, b, n, 2);
  return p == 1 ? sum_quads(a, b, n, 1) : sum_quads(a, b, n, 0);
}
#endif

static double sum_whole_steps(const double* a, const double* b, int64_t n, double p) {
#if defined(__x86_64__)
  if (oyi_cpu_level() > 0) return sum_whole_quads(a, b, n, p);
#endif
  if (p == 2) return sum_terms(a, b, n, 2);
  return p == 1 ? sum_terms(a, b, n, 1) : sum_terms(a, b, n, 0);
}

// The p-norm of the difference of two rows; p = 0 counts what differs.
static double distance(const double* a, const double* b, int64_t n, double p) {
  const bool plain = p == 0 || p == 1 || p == 2;
  const int64_t done = plain ? n / STEP * STEP : 0;
  double sum = done ? sum_whole_steps(a, b, done, p) : 0;
  for (int64_t i = done; i < n; i++) {
    double d = fabs(a[i] - b[i]);
    if (p == 0)
      sum += d != 0;
    else if (p == 1)
      sum += d;
    else if (p == 2)
      sum += d * d;
    else if (isinf(p))
      sum = d > sum || isnan(d) ? d : sum;
    else
      sum += pow(d, p);
  }
  return p == 2 ? sqrt(sum) : p == 0 || p == 1 || isinf(p) ? sum : pow(sum, 1 / p);
}

// A contiguous copy in double of |object|, expanded to |sizes|.
static oyi_tensor* as_double(oy_object* object, oy_ints sizes) {
  oy_object* wide = oy_tensor_expand(object, sizes);
  if (!wide) return NULL;
  oyi_tensor* copy = oyi_converted(oyi_tensor_cast(wide), OY_DTYPE_F64);
  oy_tensor_release(wide);
  return copy;
}

typedef struct distances {
  const double *a, *b;
  double* out;
  int64_t a_rows, b_rows, columns;
  double p;
} distances;

// One row of x1 against all rows of x2 in its batch.
static oy_status one_row(int64_t row, void* context) {
  const distances* d = context;
  const double* other = d->b + row / d->a_rows * d->b_rows * d->columns;
  for (int64_t j = 0; j < d->b_rows; j++)
    d->out[row * d->b_rows + j] =
        distance(d->a + row * d->columns, other + j * d->columns, d->columns, d->p);
  return OY_OK;
}

static oy_status measure(oyi_tensor* out, oyi_tensor* a, oyi_tensor* b, double p) {
  oyi_tensor* found = oyi_tensor_new(oyi_sizes_view(out), OY_DTYPE_F64, oy_device_cpu());
  if (!a || !b || !found) {
    oy_tensor_release(oyi_tensor_object(found));
    return oy_failure();
  }
  distances d = {oyi_data(a),
                 oyi_data(b),
                 oyi_data(found),
                 a->sizes[a->ndim - 2],
                 b->sizes[b->ndim - 2],
                 a->sizes[a->ndim - 1],
                 p};
  oy_status status = oyi_parallel_chunks(found->numel / d.b_rows, one_row, &d);
  if (status == OY_OK) oyi_convert(out, found);
  oy_tensor_release(&found->header);
  return status;
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

OYI_CPU(_cdist_forward) {
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
  const int64_t columns = a->sizes[a->ndim - 1], rows_b = sizes[ndim - 1];
  sizes[ndim - 1] = columns;
  oyi_tensor* x = as_double(x1, (oy_ints){sizes, ndim});
  sizes[ndim - 2] = rows_b;
  oyi_tensor* y = x ? as_double(x2, (oy_ints){sizes, ndim}) : NULL;
  oy_status status = measure(out, x, y, p);
  oy_tensor_release(oyi_tensor_object(x));
  oy_tensor_release(oyi_tensor_object(y));
  if (status == OY_OK) return &out->header;
  oy_tensor_release(&out->header);
  return NULL;
}

OYI_CPU(_pdist_forward) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  if (t->ndim != 2 || !oy_dtype_is_floating(self->dtype)) {
    OY_FAIL(INVALID_ARGUMENT, "_pdist_forward requires a floating matrix, got %dD %s",
            t->ndim, oy_dtype_pytorch_name(self->dtype));
    return NULL;
  }
  const int64_t n = t->sizes[0], m = t->sizes[1], pairs = n * (n - 1) / 2;
  oyi_tensor* out =
      oyi_tensor_new((oy_ints){&pairs, 1}, self->dtype, oyi_tensor_device(t));
  if (!out || oyi_is_meta(out) || pairs == 0) return oyi_tensor_object(out);
  oyi_tensor* rows = oyi_converted(t, OY_DTYPE_F64);
  oyi_tensor* found = oyi_tensor_new((oy_ints){&pairs, 1}, OY_DTYPE_F64, oy_device_cpu());
  if (rows && found) {
    double *x = oyi_data(rows), *to = oyi_data(found);
    for (int64_t i = 0; i < n; i++)
      // NOLINT: a tensor with elements has data
      for (int64_t j = i + 1; j < n; j++) *to++ = distance(x + i * m, x + j * m, m, p);
    oyi_convert(out, found);
  }
  oy_tensor_release(oyi_tensor_object(rows));
  oy_tensor_release(oyi_tensor_object(found));
  if (rows && found) return &out->header;
  oy_tensor_release(&out->header);
  return NULL;
}

// --------------------------------------------------------------------------- cross

static oy_status cross_shape(const oyi_tensor* a, const oyi_tensor* b, int64_t dim,
                             int64_t* sizes, size_t* ndim) {
  OY_CHECK(a->ndim == b->ndim, INVALID_ARGUMENT,
           "linalg.cross: inputs must have the same number of dimensions.");
  int64_t d = oyi_dim_wrap(dim, a->ndim);
  if (d < 0) return oy_failure();
  OY_CHECK(a->ndim > 0 && a->sizes[d] == 3 && b->sizes[d] == 3, INVALID_ARGUMENT,
           "linalg.cross: inputs dimension %lld must have length 3. Got %lld and %lld",
           (long long)dim, (long long)(a->ndim ? a->sizes[d] : 1),
           (long long)(b->ndim ? b->sizes[d] : 1));
  OY_TRY(oyi_check_same_device(a, b));
  return oyi_broadcast(oyi_sizes_view(a), oyi_sizes_view(b), sizes, ndim);
}

static void cross_row(const double* a, const double* b, double* c, int64_t step) {
  c[0] = a[step] * b[2 * step] - a[2 * step] * b[step];
  c[step] = a[2 * step] * b[0] - a[0] * b[2 * step];
  c[2 * step] = a[0] * b[step] - a[step] * b[0];
}

// Complex numbers lie as pairs; |parts| is 2 for them.
static void cross_complex(const double* a, const double* b, double* c, int64_t step) {
  for (int i = 0; i < 3; i++) {
    const double *x1 = a + (i + 1) % 3 * step, *y1 = b + (i + 2) % 3 * step;
    const double *x2 = a + (i + 2) % 3 * step, *y2 = b + (i + 1) % 3 * step;
    c[i * step] = x1[0] * y1[0] - x1[1] * y1[1] - (x2[0] * y2[0] - x2[1] * y2[1]);
    c[i * step + 1] = x1[0] * y1[1] + x1[1] * y1[0] - (x2[0] * y2[1] + x2[1] * y2[0]);
  }
}

// Integers wrap, in 64 bits; what is stored takes the low ones.
static void cross_integers(const uint64_t* a, const uint64_t* b, uint64_t* c,
                           int64_t step) {
  for (int i = 0; i < 3; i++)
    c[i * step] = a[(i + 1) % 3 * step] * b[(i + 2) % 3 * step] -
                  a[(i + 2) % 3 * step] * b[(i + 1) % 3 * step];
}

static void cross_all(oyi_tensor* c, const oyi_tensor* a, const oyi_tensor* b,
                      int64_t dim) {
  const bool is_complex = oy_dtype_is_complex(c->header.dtype);
  const int64_t parts = is_complex ? 2 : 1, step = oyi_strides(c)[dim] * parts;
  const int64_t block = step * 3, total = c->numel * parts;
  for (int64_t i = 0; i < total; i += block)
    for (int64_t j = i; j < i + step; j += parts) {
      if (is_complex)
        cross_complex((double*)oyi_data(a) + j, (double*)oyi_data(b) + j,
                      (double*)oyi_data(c) + j, step);
      else if (c->header.dtype == OY_DTYPE_I64)
        cross_integers((uint64_t*)oyi_data(a) + j, (uint64_t*)oyi_data(b) + j,
                       (uint64_t*)oyi_data(c) + j, step);
      else
        cross_row((double*)oyi_data(a) + j, (double*)oyi_data(b) + j,
                  (double*)oyi_data(c) + j, step);
    }
}

// Contiguous copies of both, broadcast, in a type that holds every product.
static oy_status cross_into(oyi_tensor* out, oy_object* self, oy_object* other,
                            int64_t dim) {
  oy_ints sizes = oyi_sizes_view(out);
  oy_dtype wide = oy_dtype_is_complex(out->header.dtype)    ? OY_DTYPE_C128
                  : oy_dtype_is_floating(out->header.dtype) ? OY_DTYPE_F64
                                                            : OY_DTYPE_I64;
  oy_object *x = oy_tensor_expand(self, sizes), *y = oy_tensor_expand(other, sizes);
  oyi_tensor* a = x ? oyi_converted(oyi_tensor_cast(x), wide) : NULL;
  oyi_tensor* b = y ? oyi_converted(oyi_tensor_cast(y), wide) : NULL;
  oyi_tensor* c = a && b ? oyi_tensor_new(sizes, wide, oy_device_cpu()) : NULL;
  if (c) {
    cross_all(c, a, b, dim);
    oyi_convert(out, c);
  }
  oy_object* all[] = {x, y, oyi_tensor_object(a), oyi_tensor_object(b),
                      oyi_tensor_object(c)};
  for (size_t i = 0; i < 5; i++) oy_tensor_release(all[i]);
  return c ? OY_OK : oy_failure();
}

static oy_object* cross(oy_object* self, oy_object* other, int64_t dim, oy_object* out) {
  const oyi_tensor* a = oyi_tensor_of(self);
  const oyi_tensor* b = a ? oyi_tensor_of(other) : NULL;
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  size_t ndim;
  oy_dtype dtype;
  if (!b || cross_shape(a, b, dim, sizes, &ndim) != 0 ||
      oy_result_type((oy_object*[]){self, other}, 2, &dtype) != 0)
    return NULL;
  oy_ints shape = {sizes, ndim};
  oyi_tensor* c = out ? oyi_tensor_of(out) : NULL;
  if (out && (!c || oyi_output_prepare(c, shape, dtype, oyi_tensor_device(a)) != 0))
    return NULL;
  if (!out) c = oyi_tensor_new(shape, dtype, oyi_tensor_device(a));
  if (!c || oyi_is_meta(c) || c->numel == 0) return oyi_tensor_object(c);
  if (cross_into(c, self, other, dim < 0 ? dim + c->ndim : dim) == 0) return &c->header;
  if (!out) oy_tensor_release(&c->header);
  return NULL;
}

OYI_CPU(linalg_cross) {
  return cross(self, other, dim, NULL);
}
OYI_CPU(linalg_cross_out) {
  return cross(self, other, dim, out);
}
