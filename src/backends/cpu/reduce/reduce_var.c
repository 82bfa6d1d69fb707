// SPDX-License-Identifier: Apache-2.0
// Variances and standard deviations, with their means or without.
#include "backends/cpu/reduce/reduce_loops.h"
#include "tensor/promotion.h"

typedef struct request {
  oy_ints dim;
  oy_value correction;
  bool keepdim, is_std, with_mean;
} request;

static oy_status begin(oyi_reduction* r, oy_object* self, const request* q,
                       const oyi_fold** reducer) {
  OY_TRY(oyi_reduction_begin(r, self, q->dim, q->keepdim));
  OY_CHECK(oy_dtype_is_floating(self->dtype) || oy_dtype_is_complex(self->dtype),
           TYPE_MISMATCH, "%s only support floating point and complex dtypes",
           !q->with_mean ? "std and var"
           : q->is_std   ? "std_mean"
                         : "var_mean");
  *reducer = oyi_fold_for(oyi_var_reducers(), oyi_reduce_dtype(self->dtype),
                          q->is_std ? "std_cpu" : "var_cpu");
  return *reducer ? OY_OK : OY_NOT_IMPLEMENTED;
}

static void compute(const oyi_reduction* r, const request* q, const oyi_fold* reducer) {
  oyi_var_args args = {1, q->is_std};
  if (q->correction.tag == OY_TAG_FLOAT)
    args.correction = q->correction.as.d;
  else if (q->correction.tag != OY_TAG_NONE)
    args.correction = (double)q->correction.as.i;
  if (!r->meta) oyi_reduce(r, reducer, &args);
}

static oy_object* spread(oy_object* self, oy_object* out, request q) {
  oyi_reduction r;
  const oyi_fold* reducer = NULL;
  if (begin(&r, self, &q, &reducer) != 0 ||
      oyi_reduction_output(&r, out, oyi_real_dtype(self->dtype), OYI_OUT_CAST) != 0)
    return NULL;
  compute(&r, &q, reducer);
  return oyi_reduction_end(&r, OY_OK);
}

OYI_CPU(var_correction) {
  return spread(self, NULL, (request){dim, correction, keepdim, false, false});
}
OYI_CPU(var_correction_out) {
  return spread(self, out, (request){dim, correction, keepdim, false, false});
}
OYI_CPU(std_correction) {
  return spread(self, NULL, (request){dim, correction, keepdim, true, false});
}
OYI_CPU(std_correction_out) {
  return spread(self, out, (request){dim, correction, keepdim, true, false});
}

static oy_status spread_and_mean(oy_object* self, request q, oy_object** first,
                                 oy_object** second) {
  oyi_reduction r;
  const oyi_fold* reducer = NULL;
  OY_TRY(begin(&r, self, &q, &reducer));
  OY_TRY(oyi_reduction_output(&r, NULL, oyi_real_dtype(self->dtype), OYI_OUT_CAST));
  OY_TRY(oyi_reduction_output(&r, NULL, self->dtype, OYI_OUT_CAST));
  compute(&r, &q, reducer);
  return oyi_reduction_end_pair(&r, OY_OK, first, second);
}

OYI_CPU(var_mean_correction) {
  return spread_and_mean(self, (request){dim, correction, keepdim, false, true}, out_0,
                         out_1);
}
OYI_CPU(std_mean_correction) {
  return spread_and_mean(self, (request){dim, correction, keepdim, true, true}, out_0,
                         out_1);
}
