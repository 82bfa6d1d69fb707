// SPDX-License-Identifier: Apache-2.0
// sum, nansum, mean and prod: what they have in common is how the dtype is found.
#include "backends/cpu/reduce/reduce_loops.h"
#include "backends/cpu/reduce/reduce_single.h"

// The dtype asked for, else that of |out|, else the input's, integers widened.
static oy_status result_dtype(const oyi_reduction* r, oy_value dtype,
                              const oy_object* out, oy_dtype* result) {
  oy_dtype in = r->in->header.dtype;
  oy_dtype own = oy_dtype_is_integral(in, true) ? OY_DTYPE_I64 : in;
  return oyi_dtype_argument(dtype, out ? out->dtype : own, result);
}

// The reducer that computes results of this dtype; NULL with the error set.
static const oyi_fold* find(const oyi_fold* table, oy_dtype result, const char* name) {
  if (result == OY_DTYPE_F16 || result == OY_DTYPE_BF16)
    result = OY_DTYPE_F32;
  else if (oy_dtype_is_integral(result, false))
    result = OY_DTYPE_I64;
  return oyi_fold_for(table, result, name);
}

typedef struct kind {
  const oyi_fold* table;
  const oyi_fold* bools;  // for results that are bool
  const char* name;
  bool divides, multiplies, skips_nan;
} kind;

// Whether each result was an element, and is written.
static bool is_single(const oyi_reduction* r, const kind* k, oy_dtype result) {
  const oy_dtype in = r->in->header.dtype;
  if (r->count != 1 || result == OY_DTYPE_BOOL) return false;
  if (k->multiplies && oy_dtype_is_complex(result))
    return oyi_reduce_single_sum(r, OYI_SINGLE_PRODUCT);
  if (k->multiplies)
    return (in == result || oy_dtype_is_integral(in, true)) &&
           oyi_reduce_single(r, OYI_SINGLE_ELEMENT);
  return oyi_reduce_single_sum(r, k->skips_nan ? OYI_SINGLE_NANSUM
                                  : k->divides ? OYI_SINGLE_MEAN
                                               : OYI_SINGLE_SUM);
}

static oy_object* finish(oyi_reduction* r, const kind* k, oy_value dtype,
                         oy_object* out) {
  oy_dtype result;
  if (result_dtype(r, dtype, out, &result) != 0) return NULL;
  const oyi_fold* reducer =
      result == OY_DTYPE_BOOL
          ? oyi_fold_for(k->bools, oyi_reduce_dtype(r->in->header.dtype), k->name)
          : find(k->table, result, k->name);
  if (!reducer || oyi_reduction_output(r, out, result, OYI_OUT_EXACT) != 0) return NULL;
  double count = (double)r->count;
  if (!r->meta && !is_single(r, k, result))
    oyi_reduce(r, reducer, k->divides ? &count : NULL);
  return oyi_reduction_end(r, OY_OK);
}

static oy_object* sum(oy_object* self, oy_ints dim, bool keepdim, oy_value dtype,
                      oy_object* out) {
  oyi_reduction r;
  if (oyi_reduction_begin(&r, self, dim, keepdim) != 0) return NULL;
  kind k = {oyi_sum_reducers(), oyi_any_reducers(), "sum_cpu", false, false, false};
  return finish(&r, &k, dtype, out);
}

OYI_CPU(sum_dim_IntList) {
  return sum(self, dim, keepdim, dtype, NULL);
}
OYI_CPU(sum_IntList_out) {
  return sum(self, dim, keepdim, dtype, out);
}

// Of floats nansum gives floats, and says this in words of its own; of integers it is sum.
static oy_status check_floating(const oyi_reduction* r, oy_value dtype,
                                const oy_object* out) {
  oy_dtype asked;
  OY_TRY(result_dtype(r, dtype, out, &asked));
  OY_CHECK(!out || out->dtype == asked, TYPE_MISMATCH,
           "nansum: provided dtype must match dtype of result. Got %s and %s.",
           oy_dtype_pytorch_name(out->dtype), oy_dtype_pytorch_name(asked));
  OY_CHECK(oy_dtype_is_floating(asked), NOT_IMPLEMENTED,
           "\"nansum_cpu\" not implemented for '%s'", oy_dtype_pytorch_name(asked));
  return OY_OK;
}

static oy_object* nansum(oy_object* self, oy_ints dim, bool keepdim, oy_value dtype,
                         oy_object* out) {
  oyi_reduction r;
  if (oyi_reduction_begin(&r, self, dim, keepdim) != 0) return NULL;
  if (oy_dtype_is_complex(self->dtype)) {
    OY_FAIL(TYPE_MISMATCH, "nansum does not support complex inputs");
    return NULL;
  }
  // Integers have none to skip, whatever they are added up as.
  const bool skips = oy_dtype_is_floating(self->dtype);
  if (skips && check_floating(&r, dtype, out) != 0) return NULL;
  kind k = {skips ? oyi_nansum_reducers() : oyi_sum_reducers(),
            oyi_any_reducers(),
            "nansum_cpu",
            false,
            false,
            skips};
  return finish(&r, &k, dtype, out);
}

OYI_CPU(nansum) {
  return nansum(self, dim, keepdim, dtype, NULL);
}
OYI_CPU(nansum_out) {
  return nansum(self, dim, keepdim, dtype, out);
}

static oy_object* mean(oy_object* self, oy_ints dim, bool keepdim, oy_value dtype,
                       oy_object* out) {
  oyi_reduction r;
  oy_dtype from;
  if (oyi_reduction_begin(&r, self, dim, keepdim) != 0 ||
      oyi_dtype_argument(dtype, self->dtype, &from) != 0)
    return NULL;
  if (oy_dtype_is_integral(from, true)) {
    OY_FAIL(TYPE_MISMATCH,
            "mean(): could not infer output dtype. %s dtype must be either a floating "
            "point or complex dtype. Got: %s",
            dtype.tag == OY_TAG_NONE ? "Input" : "Optional", oy_dtype_pytorch_name(from));
    return NULL;
  }
  // A sum that cannot hold its quotient.
  if (dtype.tag == OY_TAG_NONE && out && oy_dtype_is_integral(out->dtype, true)) {
    OY_FAIL(TYPE_MISMATCH,
            "result type Float can't be cast to the desired output type %s",
            oy_dtype_pytorch_name(out->dtype));
    return NULL;
  }
  kind k = {oyi_sum_reducers(), oyi_any_reducers(), "mean_cpu", true, false, false};
  return finish(&r, &k, dtype, out);
}

OYI_CPU(mean_dim) {
  return mean(self, dim, keepdim, dtype, NULL);
}
OYI_CPU(mean_out) {
  return mean(self, dim, keepdim, dtype, out);
}

static oy_object* prod(oy_object* self, oy_value dim, bool keepdim, oy_value dtype,
                       oy_object* out) {
  oyi_reduction r;
  if (oyi_reduction_begin_dim(&r, self, dim, keepdim) != 0) return NULL;
  kind k = {oyi_prod_reducers(), oyi_all_reducers(), "prod_cpu", false, true, false};
  return finish(&r, &k, dtype, out);
}

OYI_CPU(prod) {
  return prod(self, oy_none(), false, dtype, NULL);
}
OYI_CPU(prod_dim_int) {
  return prod(self, oy_int(dim), keepdim, dtype, NULL);
}
OYI_CPU(prod_int_out) {
  return prod(self, oy_int(dim), keepdim, dtype, out);
}
