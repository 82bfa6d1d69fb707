// SPDX-License-Identifier: Apache-2.0
// Sorts, ranks and scans by those that write into given tensors, and the other way.
#include "ops/calls.h"
#include "ops/kernels.h"
#include "ops/out_form.h"
#include "ops/rules/rules.h"
#include "tensor/impl.h"

// The second of two results; the first is given up.
static oy_object* second_of(oy_status status, oy_object** pair) {
  if (status != 0) return NULL;
  oy_tensor_release(pair[0]);
  return pair[1];
}
static oy_object* first_of(oy_status status, oy_object** pair) {
  if (status != 0) return NULL;
  oy_tensor_release(pair[1]);
  return pair[0];
}

OYI_COMPOSITE(sort) {
  return oyi_call_sort_stable(self, oy_bool(false), dim, descending, out_values,
                              out_indices);
}
OYI_COMPOSITE(sort_values) {
  return oyi_call_sort_values_stable(self, oy_bool(false), dim, descending, values,
                                     indices, out_values, out_indices);
}
OYI_COMPOSITE(argsort) {
  oy_object* pair[2];
  oy_status status = oyi_call_sort(self, dim, descending, &pair[0], &pair[1]);
  return second_of(status, pair);
}
OYI_COMPOSITE(argsort_stable_out) {
  return oyi_into_exact_out(out, oyi_call_argsort_stable(self, stable, dim, descending));
}
OYI_COMPOSITE(msort) {
  oy_object* pair[2];
  oy_status status = oyi_call_sort(self, 0, false, &pair[0], &pair[1]);
  return first_of(status, pair);
}
OYI_COMPOSITE(msort_out) {
  oy_object *places = oy_tensor_empty(OY_DIMS(0), OY_DTYPE_I64, oy_tensor_device(self)),
            *pair[2];
  if (!places) return NULL;
  oy_status status =
      oyi_call_sort_values(self, 0, false, out, places, &pair[0], &pair[1]);
  oy_tensor_release(places);
  return status == 0 ? out : NULL;
}

// ------------------------------------------------------- by forms with given outputs

typedef struct pair {
  oy_object *values, *indices;
} pair;

// Empty tensors that a form with given outputs resizes.
static oy_status make_pair(oy_object* self, pair* p) {
  const oyi_tensor* t = oyi_tensor_of(self);
  p->values = p->indices = NULL;
  if (!t) return oy_failure();
  oy_device device = oyi_tensor_device(t);
  static const int64_t none = 0;
  oy_ints sizes = {&none, 1};
  p->values = oyi_tensor_object(oyi_tensor_new(sizes, self->dtype, device));
  if (p->values)
    p->indices = oyi_tensor_object(oyi_tensor_new(sizes, OY_DTYPE_I64, device));
  if (p->indices) return OY_OK;
  oy_tensor_release(p->values);
  return oy_failure();
}

// Hands the pair over, or gives it up if |status| is a failure.
static oy_status give_pair(oy_status status, const pair* p, oy_object** values,
                           oy_object** indices) {
  *values = *indices = NULL;
  if (status != 0) {
    oy_tensor_release(p->values);
    oy_tensor_release(p->indices);
    return status;
  }
  *values = p->values;
  *indices = p->indices;
  return OY_OK;
}

#define BY_GIVEN_OUTPUTS(call) \
  pair p;                      \
  oy_object *v, *i;            \
  OY_TRY(make_pair(self, &p)); \
  oy_status status = call;     \
  return give_pair(status, &p, out_values, out_indices)

OYI_COMPOSITE(kthvalue) {
  BY_GIVEN_OUTPUTS(
      oyi_call_kthvalue_values(self, k, dim, keepdim, p.values, p.indices, &v, &i));
}
OYI_COMPOSITE(median_dim) {
  BY_GIVEN_OUTPUTS(
      oyi_call_median_dim_values(self, dim, keepdim, p.values, p.indices, &v, &i));
}
OYI_COMPOSITE(nanmedian_dim) {
  BY_GIVEN_OUTPUTS(
      oyi_call_nanmedian_dim_values(self, dim, keepdim, p.values, p.indices, &v, &i));
}
OYI_COMPOSITE(median_out) {
  return oyi_into_exact_out(out, oyi_call_median(self));
}
OYI_COMPOSITE(nanmedian_out) {
  return oyi_into_exact_out(out, oyi_call_nanmedian(self));
}

// ------------------------------------------------------------------ running extremes

// A shape and dtypes for the helper, which writes; |out| of any other shape is resized.
static oy_status prepare(oy_object* self, oy_object* values, oy_object* indices) {
  const oyi_tensor* t = oyi_tensor_of(self);
  oyi_tensor* v = t ? oyi_tensor_of(values) : NULL;
  oyi_tensor* i = v ? oyi_tensor_of(indices) : NULL;
  if (!i) return oy_failure();
  OY_CHECK(v->header.dtype == self->dtype, TYPE_MISMATCH,
           "expected scalar_type %s but found %s", oy_dtype_pytorch_name(self->dtype),
           oy_dtype_pytorch_name(v->header.dtype));
  OY_CHECK(i->header.dtype == OY_DTYPE_I64, TYPE_MISMATCH,
           "expected scalar_type Long but found %s",
           oy_dtype_pytorch_name(i->header.dtype));
  OY_TRY(oyi_output_exact(v, oyi_sizes_view(t), self->dtype, oyi_tensor_device(t)));
  return oyi_output_exact(i, oyi_sizes_view(t), OY_DTYPE_I64, oyi_tensor_device(t));
}

typedef oy_status (*helper_fn)(oy_object* self, oy_object* values, oy_object* indices,
                               int64_t dim);
static oy_status greatest(oy_object* self, oy_object* values, oy_object* indices,
                          int64_t dim) {
  return oyi_call__cummax_helper(self, values, indices, dim);
}
static oy_status least(oy_object* self, oy_object* values, oy_object* indices,
                       int64_t dim) {
  return oyi_call__cummin_helper(self, values, indices, dim);
}

static oy_status into(oy_object* self, const pair* p, int64_t dim, helper_fn helper,
                      oy_object** values, oy_object** indices) {
  *values = *indices = NULL;
  OY_TRY(prepare(self, p->values, p->indices));
  OY_TRY(helper(self, p->values, p->indices, dim));
  *values = p->values;
  *indices = p->indices;
  return OY_OK;
}

static oy_status into_new(oy_object* self, int64_t dim, helper_fn helper,
                          oy_object** values, oy_object** indices) {
  pair p;
  oy_object *v, *i;
  *values = *indices = NULL;
  OY_TRY(make_pair(self, &p));
  return give_pair(into(self, &p, dim, helper, &v, &i), &p, values, indices);
}

OYI_COMPOSITE(cummax) {
  return into_new(self, dim, greatest, out_values, out_indices);
}
OYI_COMPOSITE(cummin) {
  return into_new(self, dim, least, out_values, out_indices);
}
OYI_COMPOSITE(cummax_out) {
  return into(self, &(pair){values, indices}, dim, greatest, out_values, out_indices);
}
OYI_COMPOSITE(cummin_out) {
  return into(self, &(pair){values, indices}, dim, least, out_values, out_indices);
}

OYI_COMPOSITE(logcumsumexp) {
  return oyi_call__logcumsumexp(self, dim);
}
OYI_COMPOSITE(logcumsumexp_out) {
  if (!oyi_tensor_of(self) || !oyi_tensor_of(out)) return NULL;
  if (out->dtype != self->dtype) {
    OY_FAIL(TYPE_MISMATCH, "expected scalar_type %s but found %s",
            oy_dtype_pytorch_name(self->dtype), oy_dtype_pytorch_name(out->dtype));
    return NULL;
  }
  return oyi_call__logcumsumexp_out(self, dim, out);
}
OYI_COMPOSITE(trace_out) {
  return oyi_into_exact_out(out, oyi_call_trace(self));
}

// --------------------------------------------------------- copies into given outputs

static oy_status check_mode_output(const oy_object* out, oy_dtype dtype,
                                   const char* what) {
  OY_CHECK(out->dtype == dtype, TYPE_MISMATCH,
           "expected scalar type '%s' but got '%s' for %s output",
           oy_dtype_pytorch_name(dtype), oy_dtype_pytorch_name(out->dtype), what);
  return OY_OK;
}

OYI_COMPOSITE(mode_values) {
  oy_object *made[2], *const outs[] = {values, indices};
  *out_values = *out_indices = NULL;
  if (!oyi_tensor_of(self) || !oyi_tensor_of(values) || !oyi_tensor_of(indices))
    return oy_failure();
  OY_TRY(check_mode_output(values, self->dtype, "values"));
  OY_TRY(check_mode_output(indices, OY_DTYPE_I64, "indices"));
  oy_status status = oyi_call_mode(self, dim, keepdim, &made[0], &made[1]);
  OY_TRY(oyi_into_outs(status, outs, made, 2));
  *out_values = values;
  *out_indices = indices;
  return OY_OK;
}

// Gives |outs|, three of them, as results.
static oy_status give_three(oy_status status, oy_object* const* outs,
                            oy_object* const* made, oy_object*** results) {
  for (int k = 0; k < 3; k++) *results[k] = NULL;
  OY_TRY(oyi_into_outs(status, outs, made, 3));
  for (int k = 0; k < 3; k++) *results[k] = outs[k];
  return OY_OK;
}

#define THREE_INTO_OUTS(call)                             \
  oy_object *made[3], *const outs[] = {out0, out1, out2}; \
  oy_object** results[] = {out_0, out_1, out_2};          \
  oy_status status = call;                                \
  return give_three(status, outs, made, results)

OYI_COMPOSITE(_unique2_out) {
  THREE_INTO_OUTS(oyi_call__unique2(self, sorted, return_inverse, return_counts, &made[0],
                                    &made[1], &made[2]));
}
OYI_COMPOSITE(unique_dim_out) {
  THREE_INTO_OUTS(oyi_call_unique_dim(self, dim, sorted, return_inverse, return_counts,
                                      &made[0], &made[1], &made[2]));
}
OYI_COMPOSITE(unique_consecutive_out) {
  THREE_INTO_OUTS(oyi_call_unique_consecutive(self, return_inverse, return_counts, dim,
                                              &made[0], &made[1], &made[2]));
}
OYI_COMPOSITE(unique_dim_consecutive_out) {
  THREE_INTO_OUTS(oyi_call_unique_dim_consecutive(
      self, dim, return_inverse, return_counts, &made[0], &made[1], &made[2]));
}
OYI_COMPOSITE(_unique_out) {
  oy_object *made[2], *const outs[] = {out0, out1};
  *out_0 = *out_1 = NULL;
  oy_status status = oyi_call__unique(self, sorted, return_inverse, &made[0], &made[1]);
  OY_TRY(oyi_into_outs(status, outs, made, 2));
  *out_0 = out0;
  *out_1 = out1;
  return OY_OK;
}

OYI_COMPOSITE(bucketize_Scalar_out) {
  return oyi_into_exact_out(
      out, oyi_call_bucketize_Scalar(self, boundaries, out_int32, right));
}
OYI_COMPOSITE(bincount_out) {
  return oyi_into_exact_out(out, oyi_call_bincount(self, weights, minlength));
}
