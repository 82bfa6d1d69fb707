// SPDX-License-Identifier: Apache-2.0
// histc: how many elements fall into which bin.
#include <math.h>

#include "backends/cpu/kernels.h"
#include "backends/cpu/staging.h"
#include "ops/rules/reduction.h"
#include "tensor/element.h"

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
