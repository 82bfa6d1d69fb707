// SPDX-License-Identifier: Apache-2.0
// histc and bincount: how many elements fall into which bin.
#include <math.h>

#include "backends/cpu/kernels.h"
#include "backends/cpu/staging.h"
#include "ops/rules/reduction.h"
#include "tensor/element.h"
#include "tensor/iterator.h"

// ----------------------------------------------------------------------------- histc

typedef struct range {
  double least, greatest;
} range;

// That of the elements, where the one that was asked for is empty.
static oy_status find_range(const double* x, int64_t n, range* r) {
  OY_CHECK(r->greatest >= r->least, INVALID_ARGUMENT,
           "torch.histc: max must be larger than min");
  if (r->least == r->greatest && n > 0) {
    r->least = r->greatest = x[0];
    for (int64_t i = 0; i < n; i++) {
      if (!(x[i] >= r->least)) r->least = x[i];
      if (!(x[i] <= r->greatest)) r->greatest = x[i];
    }
  }
  OY_CHECK(isfinite(r->least) && isfinite(r->greatest), INVALID_ARGUMENT,
           "torch.histc: range of [%g, %g] is not finite", r->least, r->greatest);
  if (r->least == r->greatest) {
    r->least -= 1;
    r->greatest += 1;
  }
  return OY_OK;
}

// Both ends belong to a bin.
static void count_bins(const double* x, int64_t n, const range* r, double* bins,
                       int64_t count) {
  for (int64_t i = 0; i < n; i++) {
    if (!(x[i] >= r->least && x[i] <= r->greatest)) continue;
    double part = (x[i] - r->least) * (double)count / (r->greatest - r->least);
    int64_t at = (int64_t)part;
    bins[at < count ? at : count - 1] += 1;
  }
}

static oy_status compute_histc(oyi_tensor* out, const oyi_tensor* t, int64_t bins,
                               range r) {
  oyi_tensor* x = oyi_converted(t, OY_DTYPE_F64);
  oyi_tensor* counts =
      x ? oyi_tensor_new((oy_ints){&bins, 1}, OY_DTYPE_F64, oy_device_cpu()) : NULL;
  oy_status status = counts ? OY_OK : OY_OUT_OF_MEMORY;
  if (status == 0) status = find_range(oyi_data(x), t->numel, &r);
  if (status == 0) {
    memset(oyi_data(counts), 0, (size_t)bins * sizeof(double));
    count_bins(oyi_data(x), t->numel, &r, oyi_data(counts), bins);
    oyi_convert(out, counts);
  }
  if (counts) oy_tensor_release(&counts->header);
  if (x) oy_tensor_release(&x->header);
  return status;
}

static oy_object* histc(oy_object* self, int64_t bins, oy_scalar min, oy_scalar max,
                        oy_object* out) {
  oyi_reduction r;
  if (oyi_reduction_begin(&r, self, oy_dims_none(), false) != 0) return NULL;
  if (!oy_dtype_is_floating(self->dtype)) {
    OY_FAIL(NOT_IMPLEMENTED, "\"histogram_cpu\" not implemented for '%s'",
            oy_dtype_pytorch_name(self->dtype));
    return NULL;
  }
  if (bins <= 0) {
    OY_FAIL(INVALID_ARGUMENT,
            "torch.histogram(): bins must be > 0, but got %lld for dimension 0",
            (long long)bins);
    return NULL;
  }
  range ends;
  if (oyi_scalar_to_double(min, &ends.least) != 0 ||
      oyi_scalar_to_double(max, &ends.greatest) != 0)
    return NULL;
  r.ndim = 1;
  r.sizes[0] = bins;
  if (oyi_reduction_output(&r, out, self->dtype, OYI_OUT_EXACT) != 0) return NULL;
  return oyi_reduction_end(&r,
                           r.meta ? OY_OK : compute_histc(r.out[0], r.in, bins, ends));
}

OYI_CPU(histc) {
  return histc(self, bins, min, max, NULL);
}
OYI_CPU(histc_out) {
  return histc(self, bins, min, max, out);
}

// -------------------------------------------------------------------------- bincount

static oy_status check_bincount(const oyi_tensor* t, const oyi_tensor* weights,
                                int64_t minlength) {
  OY_CHECK(oy_dtype_is_integral(t->header.dtype, false), NOT_IMPLEMENTED,
           "\"bincount_cpu\" not implemented for '%s'",
           oy_dtype_pytorch_name(t->header.dtype));
  OY_CHECK(minlength >= 0, INVALID_ARGUMENT, "minlength should be >= 0");
  OY_CHECK(t->ndim == 1, INVALID_ARGUMENT,
           "bincount only supports 1-d non-negative integral inputs.");
  OY_CHECK(!weights || (weights->ndim == 1 && weights->numel == t->numel),
           INVALID_ARGUMENT, "weights should be 1-d and have the same length as input");
  OY_CHECK(!oyi_is_meta(t), NOT_IMPLEMENTED,
           "bincount on the meta device: the elements decide the shape of the result");
  OY_TRY(oyi_check_memory(t));
  return weights ? oyi_check_memory(weights) : OY_OK;
}

static inline uint64_t greater(uint64_t a, int64_t b) {
  return a > (uint64_t)b ? a : (uint64_t)b;
}

// Negative ones are the greatest of all here; without a way out between, which every
// element would have to wait for.
static oy_status length_of(const int64_t* x, int64_t n, int64_t* length) {
  uint64_t a = 0, b = 0, c = 0, d = 0;
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    a = greater(a, x[i]), b = greater(b, x[i + 1]);
    c = greater(c, x[i + 2]), d = greater(d, x[i + 3]);
  }
  for (; i < n; i++) a = greater(a, x[i]);
  const uint64_t most = greater(greater(a, (int64_t)b), (int64_t)greater(c, (int64_t)d));
  OY_CHECK(most < INT64_MAX, INVALID_ARGUMENT,
           "bincount only supports 1-d non-negative integral inputs.");
  if (n > 0 && (int64_t)most >= *length) *length = (int64_t)most + 1;
  return OY_OK;
}

static oyi_tensor* zeros(int64_t length, oy_dtype dtype) {
  oyi_tensor* t = oyi_tensor_new((oy_ints){&length, 1}, dtype, oy_device_cpu());
  if (t && length > 0) memset(oyi_data(t), 0, (size_t)(length * oyi_item(t)));
  return t;
}

static oyi_tensor* count(const oyi_tensor* x, int64_t length) {
  oyi_tensor* out = zeros(length, OY_DTYPE_I64);
  const int64_t *at = oyi_data(x), n = out ? x->numel : 0;
  int64_t* bins = out ? oyi_data(out) : NULL;
  for (int64_t i = 0; i < n; i++) bins[at[i]]++;
  return out;
}

// Weights are added up as double; those of float32 give float32.
static oyi_tensor* add_weights(const oyi_tensor* x, oyi_tensor* weights, int64_t length) {
  oyi_tensor* w = oyi_stage_in(weights, OY_DTYPE_F64);
  oyi_tensor* sums = w ? zeros(length, OY_DTYPE_F64) : NULL;
  oyi_tensor* out = sums;
  if (sums) {
    const int64_t* at = oyi_data(x);
    const double* from = oyi_data(w);
    double* bins = oyi_data(sums);
    for (int64_t i = 0; i < x->numel; i++) bins[at[i]] += from[i];
    if (weights->header.dtype == OY_DTYPE_F32) {
      out = oyi_converted(sums, OY_DTYPE_F32);
      oy_tensor_release(&sums->header);
    }
  }
  if (w) oy_tensor_release(&w->header);
  return out;
}

OYI_CPU(bincount) {
  oyi_tensor* t = oyi_tensor_of(self);
  oyi_tensor* w = t && !oy_object_is_none(weights) ? oyi_tensor_of(weights) : NULL;
  if (!t || (!w && !oy_object_is_none(weights)) || check_bincount(t, w, minlength) != 0)
    return NULL;
  // Nothing to count, whatever the weights.
  if (t->numel == 0) return oyi_tensor_object(zeros(minlength, OY_DTYPE_I64));
  oyi_tensor* x = oyi_stage_in(t, OY_DTYPE_I64);
  if (!x) return NULL;
  int64_t length = minlength;
  oyi_tensor* out = NULL;
  if (length_of(oyi_data(x), x->numel, &length) == 0)
    out = w ? add_weights(x, w, length) : count(x, length);
  oy_tensor_release(&x->header);
  return oyi_tensor_object(out);
}
