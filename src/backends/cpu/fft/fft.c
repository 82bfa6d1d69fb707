// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of tensors: one dimension after the other, lines side by side.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#include "backends/cpu/fft/fft.h"

#include <math.h>
#include <string.h>

#include "backends/cpu/fft/fft_walk.h"
#include "backends/cpu/kernels.h"
#include "backends/cpu/work.h"
#include "base/threads.h"
#include "ops/calls.h"
#include "ops/out.h"
#include "ops/rules/reduction.h"
#include "ops/rules/shape.h"
#include "tensor/block_cache.h"
#include "tensor/move.h"

typedef struct job {
  oyi_fft_plan plan;
  enum { COMPLEX, FROM_REAL, TO_REAL } kind;
  int64_t n;  // elements of a signal
  bool backward;
  bool halved;    // a real line of even length as complex numbers
  bool mirrored;  // the second half of what a real line gives is stored too
  double scale;
  walk lines;
  int64_t in_step, out_step;  // in bytes
  int64_t stretch;            // of a thread, in blocks
} job;

#define T       float
#define NAME(x) x##_f32
#include "backends/cpu/fft/fft_move_tmpl.h"
#undef T
#undef NAME
#define T       double
#define NAME(x) x##_f64
#include "backends/cpu/fft/fft_move_tmpl.h"

static oy_status run_blocks(int64_t chunk, void* context) {
  const job* j = context;
  const int lanes = j->lines.count > 1 ? OYI_FFT_LANES : 1;
  const int64_t numbers = oyi_fft_work(&j->plan, lanes);
  const size_t item = j->plan.is_float ? sizeof(float) : sizeof(double);
  // The tables of the plan, which are no shorter, were allocated: this cannot overflow.
  void* owner = NULL;
  char* work = oyi_data_alloc((size_t)numbers * 2 * item, &owner);
  if (!work) return oy_failure();
  void* other = work + (size_t)numbers * item;
  spot at = spot_of(&j->lines, chunk * j->stretch * OYI_FFT_LANES);
  lines in, out;
  for (int64_t i = 0; i < j->stretch && next_lines(&j->lines, &at, &in, &out); i++)
    if (j->plan.is_float)
      block_f32(j, &in, &out, (float*)(void*)work, other);
    else
      block_f64(j, &in, &out, (double*)(void*)work, other);
  oyi_data_free(owner, work);
  return OY_OK;
}

// Transforms the lines along |dim| of |in| into |out|, which may be |in|.
static oy_status transform(job* j, const oyi_tensor* in, const oyi_tensor* out,
                           int64_t dim) {
  if (out->numel == 0) return OY_OK;
  j->in_step = oyi_strides(in)[dim] * oyi_item(in);
  j->out_step = oyi_strides(out)[dim] * oyi_item(out);
  j->lines = lines_along(in, out, dim);
  j->halved = j->kind != COMPLEX && j->n % 2 == 0;
  oy_dtype dtype = out->header.dtype;
  bool is_float = dtype == OY_DTYPE_F32 || dtype == OY_DTYPE_C64;
  oy_status status =
      oyi_fft_plan_begin(&j->plan, j->halved ? j->n / 2 : j->n, is_float, j->halved);
  const int64_t blocks = oyi_stretches(j->lines.count, OYI_FFT_LANES);
  j->stretch = oyi_stretch(j->plan.length * OYI_FFT_LANES);
  if (status == 0)
    status = oyi_parallel_chunks(oyi_stretches(blocks, j->stretch), run_blocks, j);
  oyi_fft_plan_end(&j->plan);
  return status;
}

// ------------------------------------------------------------------------- checks

enum { NO_FACTOR, BY_ROOT, BY_ALL };

// Dimensions in range, each once, of at least one element; |dims| gets them.
static oy_status read_dims(const oyi_tensor* t, oy_ints dim, int64_t normalization,
                           int64_t* dims) {
  uint64_t mask;
  OY_TRY(oyi_dims_mask(dim, t->ndim, &mask));
  OY_CHECK(t->ndim > 0 || dim.size == 0, INVALID_ARGUMENT,
           "Dimension specified as %lld but tensor has no dimensions",
           (long long)dim.data[0]);
  for (size_t i = 0; i < dim.size; i++) {
    dims[i] = oyi_dim_wrap(dim.data[i], t->ndim);
    OY_CHECK(t->sizes[dims[i]] > 0, INVALID_ARGUMENT,
             "Invalid number of data points (%lld) specified",
             (long long)t->sizes[dims[i]]);
  }
  OY_CHECK(normalization >= NO_FACTOR && normalization <= BY_ALL, INVALID_ARGUMENT,
           "Unsupported normalization type: %lld", (long long)normalization);
  return oyi_check_memory(t);
}

static double factor_of(double elements, int64_t normalization) {
  if (normalization == NO_FACTOR) return 1;
  return 1 / (normalization == BY_ALL ? elements : sqrt(elements));
}
static double elements_of(const oyi_tensor* t, const int64_t* dims, size_t count) {
  double elements = 1;
  for (size_t i = 0; i < count; i++) elements *= (double)t->sizes[dims[i]];
  return elements;
}

static oy_object* finish(oyi_tensor* out, oy_status status) {
  if (status == OY_OK) return &out->header;
  oy_tensor_release(&out->header);
  return NULL;
}

static bool is_of(oy_object* self, bool is_complex, const char* name) {
  oy_dtype d = self->dtype;
  if (is_complex ? d == OY_DTYPE_C64 || d == OY_DTYPE_C128
                 : d == OY_DTYPE_F32 || d == OY_DTYPE_F64)
    return true;
  OY_FAIL(TYPE_MISMATCH, "%s: expected a %s tensor, got %s", name,
          is_complex ? "ComplexFloat or ComplexDouble" : "Float or Double",
          oy_dtype_pytorch_name(d));
  return false;
}

// Lines along each of |dims|, in place once one is transformed. A line of one number is
// its own transform.
static oy_status transform_each(const oyi_tensor* in, const oyi_tensor* out,
                                const int64_t* dims, size_t count, bool forward,
                                double scale) {
  for (size_t i = count; i-- > 0;) {
    if (out->sizes[dims[i]] == 1 && (in == out || i > 0)) continue;
    job j = {.kind = COMPLEX, .n = out->sizes[dims[i]], .backward = !forward};
    j.scale = scale;
    OY_TRY(transform(&j, in, out, dims[i]));
    in = out;
    scale = 1;
  }
  return OY_OK;
}

// ------------------------------------------------------------------------ kernels

OYI_CPU(_fft_c2c) {
  const oyi_tensor* t = oyi_tensor_of(self);
  int64_t dims[OY_TENSOR_MAX_DIMS];
  if (!t || !is_of(self, true, "_fft_c2c") || read_dims(t, dim, normalization, dims) != 0)
    return NULL;
  if (dim.size == 0) return oyi_call_clone(self, oy_none());
  oyi_tensor* out = oyi_tensor_new(oyi_sizes_view(t), self->dtype, oyi_tensor_device(t));
  if (!out || oyi_is_meta(out)) return oyi_tensor_object(out);
  double scale = factor_of(elements_of(t, dims, dim.size), normalization);
  return finish(out, transform_each(t, out, dims, dim.size, forward, scale));
}

OYI_CPU(_fft_r2c) {
  const oyi_tensor* t = oyi_tensor_of(self);
  int64_t dims[OY_TENSOR_MAX_DIMS], sizes[OY_TENSOR_MAX_DIMS];
  if (!t || !is_of(self, false, "_fft_r2c") ||
      read_dims(t, dim, normalization, dims) != 0)
    return NULL;
  if (dim.size == 0) {
    OY_FAIL(INVALID_ARGUMENT, "_fft_r2c: expected at least one dimension, got none");
    return NULL;
  }
  const int64_t last = dims[dim.size - 1];
  memcpy(sizes, t->sizes, t->ndim * sizeof(int64_t));
  if (onesided) sizes[last] = sizes[last] / 2 + 1;
  oy_dtype dtype = self->dtype == OY_DTYPE_F32 ? OY_DTYPE_C64 : OY_DTYPE_C128;
  oyi_tensor* out =
      oyi_tensor_new((oy_ints){sizes, t->ndim}, dtype, oyi_tensor_device(t));
  if (!out || oyi_is_meta(out)) return oyi_tensor_object(out);
  job j = {.kind = FROM_REAL, .n = t->sizes[last], .mirrored = !onesided};
  j.scale = factor_of(elements_of(t, dims, dim.size), normalization);
  oy_status status = transform(&j, t, out, last);
  if (status == 0) status = transform_each(out, out, dims, dim.size - 1, true, 1);
  return finish(out, status);
}

// The dimensions before the last are transformed in a copy.
static oy_status to_real(const oyi_tensor* t, const oyi_tensor* out, const int64_t* dims,
                         size_t count, double scale) {
  oyi_tensor* work = NULL;
  if (count > 1) {
    work = oyi_tensor_new(oyi_sizes_view(t), t->header.dtype, oy_device_cpu());
    if (!work) return oy_failure();
  }
  oy_status status = work ? transform_each(t, work, dims, count - 1, false, 1) : OY_OK;
  job j = {.kind = TO_REAL, .n = out->sizes[dims[count - 1]], .backward = true};
  j.scale = scale;
  if (status == 0) status = transform(&j, work ? work : t, out, dims[count - 1]);
  if (work) oy_tensor_release(&work->header);
  return status;
}

OYI_CPU(_fft_c2r) {
  const oyi_tensor* t = oyi_tensor_of(self);
  int64_t dims[OY_TENSOR_MAX_DIMS], sizes[OY_TENSOR_MAX_DIMS];
  if (!t || !is_of(self, true, "_fft_c2r") || read_dims(t, dim, normalization, dims) != 0)
    return NULL;
  const int64_t last = dim.size ? dims[dim.size - 1] : 0;
  if (dim.size == 0 || last_dim_size < 1 || t->sizes[last] < last_dim_size / 2 + 1) {
    OY_FAIL(
        INVALID_ARGUMENT,
        "_fft_c2r: expected a dimension, and %lld / 2 + 1 elements or more in the last "
        "one, got a tensor of size %s",
        (long long)last_dim_size, oyi_dims_print(oyi_sizes_view(t)).text);
    return NULL;
  }
  memcpy(sizes, t->sizes, t->ndim * sizeof(int64_t));
  sizes[last] = last_dim_size;
  oy_dtype dtype = self->dtype == OY_DTYPE_C64 ? OY_DTYPE_F32 : OY_DTYPE_F64;
  oyi_tensor* out =
      oyi_tensor_new((oy_ints){sizes, t->ndim}, dtype, oyi_tensor_device(t));
  if (!out || oyi_is_meta(out)) return oyi_tensor_object(out);
  double scale = factor_of(elements_of(out, dims, dim.size), normalization);
  return finish(out, to_real(t, out, dims, dim.size, scale));
}

OYI_CPU(_fft_c2c_out) {
  return oyi_into_out(oyi_call__fft_c2c(self, dim, normalization, forward), out);
}
OYI_CPU(_fft_r2c_out) {
  return oyi_into_out(oyi_call__fft_r2c(self, dim, normalization, onesided), out);
}
OYI_CPU(_fft_c2r_out) {
  return oyi_into_out(oyi_call__fft_c2r(self, dim, normalization, last_dim_size), out);
}
