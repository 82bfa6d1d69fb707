// SPDX-License-Identifier: Apache-2.0
// Cross products. Computed in double, rounded once; integers wrap.
#include "backends/cpu/kernels.h"
#include "backends/cpu/staging.h"
#include "backends/cpu/work.h"
#include "base/threads.h"
#include "ops/rules/rules.h"
#include "tensor/element.h"
#include "tensor/iterator.h"

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

#define JOIN_(a, b) a##_##b
#define JOIN(a, b)  JOIN_(a, b)
#define T           float
#define ID          f32
#include "backends/cpu/linalg/cross_tmpl.h"
#undef T
#undef ID
#define T  double
#define ID f64
#include "backends/cpu/linalg/cross_tmpl.h"

typedef struct products {
  void (*some)(const void*, const void*, void*, int64_t, int64_t, int64_t);
  const void *a, *b;
  void* c;
  int64_t step, count, chunk;
} products;

static oy_status run_some(int64_t index, void* context) {
  const products* p = context;
  const int64_t end = (index + 1) * p->chunk;
  p->some(p->a, p->b, p->c, p->step, index * p->chunk, end < p->count ? end : p->count);
  return OY_OK;
}

// Floats or doubles, contiguous and of one shape.
static oy_status cross_real(oyi_tensor* c, const oyi_tensor* a, const oyi_tensor* b,
                            int64_t dim) {
  products p = {c->header.dtype == OY_DTYPE_F32 ? cross_some_f32 : cross_some_f64,
                oyi_data(a),
                oyi_data(b),
                oyi_data(c),
                oyi_strides(c)[dim],
                c->numel / 3,
                oyi_stretch(3)};
  return oyi_parallel_chunks(oyi_stretches(p.count, p.chunk), run_some, &p);
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

// Complex numbers or integers.
static void cross_others(oyi_tensor* c, const oyi_tensor* a, const oyi_tensor* b,
                         int64_t dim) {
  const bool is_complex = oy_dtype_is_complex(c->header.dtype);
  const int64_t parts = is_complex ? 2 : 1, step = oyi_strides(c)[dim] * parts;
  const int64_t block = step * 3, total = c->numel * parts;
  for (int64_t i = 0; i < total; i += block)
    for (int64_t j = i; j < i + step; j += parts) {
      if (is_complex)
        cross_complex((double*)oyi_data(a) + j, (double*)oyi_data(b) + j,
                      (double*)oyi_data(c) + j, step);
      else
        cross_integers((uint64_t*)oyi_data(a) + j, (uint64_t*)oyi_data(b) + j,
                       (uint64_t*)oyi_data(c) + j, step);
    }
}

// Floats and doubles as they are, others in a type that holds every product.
static oy_dtype working_dtype(oy_dtype dtype) {
  if (dtype == OY_DTYPE_F32 || dtype == OY_DTYPE_F64) return dtype;
  if (oy_dtype_is_complex(dtype)) return OY_DTYPE_C128;
  return oy_dtype_is_floating(dtype) ? OY_DTYPE_F64 : OY_DTYPE_I64;
}

// Takes |a|, |b| and |c|, contiguous and of one shape; any may be NULL.
static oy_status cross_staged(oyi_tensor* out, oyi_tensor* a, oyi_tensor* b,
                              oyi_tensor* c, int64_t dim) {
  oy_status status = a && b && c ? OY_OK : oy_failure();
  const bool is_real =
      c && (c->header.dtype == OY_DTYPE_F32 || c->header.dtype == OY_DTYPE_F64);
  if (status == OY_OK && is_real)
    status = cross_real(c, a, b, dim);
  else if (status == OY_OK)
    cross_others(c, a, b, dim);
  status = oyi_unstage(out, c, status);
  oy_tensor_release(oyi_tensor_object(a));
  oy_tensor_release(oyi_tensor_object(b));
  return status;
}

static bool shares_memory(const oyi_tensor* a, const oyi_tensor* b) {
  return a->storage && a->storage == b->storage;
}

static oy_status cross_into(oyi_tensor* out, oy_object* self, oy_object* other,
                            int64_t dim) {
  const oy_ints sizes = oyi_sizes_view(out);
  const oy_dtype work = working_dtype(out->header.dtype);
  oy_object *x = oy_tensor_expand(self, sizes), *y = oy_tensor_expand(other, sizes);
  oyi_tensor* a = x ? oyi_stage_in(oyi_tensor_cast(x), work) : NULL;
  oyi_tensor* b = y && a ? oyi_stage_in(oyi_tensor_cast(y), work) : NULL;
  // An output that an operand lies in is written last.
  const bool is_apart = a && b && !shares_memory(out, a) && !shares_memory(out, b);
  oyi_tensor* c = NULL;
  if (b)
    c = is_apart ? oyi_stage_out(out, work)
                 : oyi_tensor_new(sizes, work, oy_device_cpu());
  oy_status status = cross_staged(out, a, b, c, dim);
  oy_tensor_release(x);
  oy_tensor_release(y);
  return status;
}

static oy_object* cross(oy_object* self, oy_object* other, int64_t dim, oy_object* out) {
  const oyi_tensor* a = oyi_tensor_of(self);
  const oyi_tensor* b = a ? oyi_tensor_of(other) : NULL;
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  size_t ndim;
  if (!b || cross_shape(a, b, dim, sizes, &ndim) != 0) return NULL;
  const oy_dtype dtype = self->dtype;
  if (other->dtype != dtype) {
    OY_FAIL(TYPE_MISMATCH, "expected scalar type %s but found %s",
            oy_dtype_pytorch_name(dtype), oy_dtype_pytorch_name(other->dtype));
    return NULL;
  }
  oy_ints shape = {sizes, ndim};
  oyi_tensor* c = out ? oyi_tensor_of(out) : NULL;
  if (out && (!c || oyi_output_check_shape(c, a, shape) != 0 ||
              oyi_output_check_shape(c, b, shape) != 0 ||
              oyi_output_exact(c, shape, dtype, oyi_tensor_device(a)) != 0))
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
