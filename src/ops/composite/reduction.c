// SPDX-License-Identifier: Apache-2.0
// Reductions by more general ones, and forms with given outputs by those without.
#include "ops/calls.h"
#include "ops/kernels.h"
#include "ops/out_form.h"
#include "opyard/tensor.h"

// No list of dimensions: all of them.
static const oy_ints g_all = {NULL, 0};

OYI_COMPOSITE(sum) {
  return oyi_call_sum_dim_IntList(self, oy_dims_none(), false, dtype);
}
OYI_COMPOSITE(sum_out) {
  return oyi_call_sum_IntList_out(self, oy_dims_none(), false, dtype, out);
}
OYI_COMPOSITE(mean) {
  return oyi_call_mean_dim(self, oy_dims_none(), false, dtype);
}
OYI_COMPOSITE(mean_dtype_out) {
  return oyi_call_mean_out(self, oy_dims_none(), false, dtype, out);
}
OYI_COMPOSITE(prod_out) {
  return oyi_into_exact_out(out, oyi_call_prod(self, dtype));
}

OYI_COMPOSITE(var) {
  return oyi_call_var_correction(self, g_all, oy_int(unbiased), false);
}
OYI_COMPOSITE(var_dim) {
  return oyi_call_var_correction(self, dim, oy_int(unbiased), keepdim);
}
OYI_COMPOSITE(var_out) {
  return oyi_call_var_correction_out(self, dim, oy_int(unbiased), keepdim, out);
}
OYI_COMPOSITE(std) {
  return oyi_call_std_correction(self, g_all, oy_int(unbiased), false);
}
OYI_COMPOSITE(std_dim) {
  return oyi_call_std_correction(self, dim, oy_int(unbiased), keepdim);
}
OYI_COMPOSITE(std_out) {
  return oyi_call_std_correction_out(self, dim, oy_int(unbiased), keepdim, out);
}
OYI_COMPOSITE(var_mean) {
  return oyi_call_var_mean_correction(self, g_all, oy_int(unbiased), false, out_0, out_1);
}
OYI_COMPOSITE(var_mean_dim) {
  return oyi_call_var_mean_correction(self, dim, oy_int(unbiased), keepdim, out_0, out_1);
}
OYI_COMPOSITE(std_mean) {
  return oyi_call_std_mean_correction(self, g_all, oy_int(unbiased), false, out_0, out_1);
}
OYI_COMPOSITE(std_mean_dim) {
  return oyi_call_std_mean_correction(self, dim, oy_int(unbiased), keepdim, out_0, out_1);
}

// Gives the outputs as results.
static oy_status give_pair(oy_status status, oy_object* const* outs,
                           oy_object* const* results, oy_object** first,
                           oy_object** second) {
  *first = *second = NULL;
  OY_TRY(oyi_into_outs(status, outs, results, 2));
  *first = outs[0];
  *second = outs[1];
  return OY_OK;
}

OYI_COMPOSITE(var_mean_correction_out) {
  oy_object *made[2], *const outs[] = {out0, out1};
  oy_status status =
      oyi_call_var_mean_correction(self, dim, correction, keepdim, &made[0], &made[1]);
  return give_pair(status, outs, made, out_0, out_1);
}
OYI_COMPOSITE(std_mean_correction_out) {
  oy_object *made[2], *const outs[] = {out0, out1};
  oy_status status =
      oyi_call_std_mean_correction(self, dim, correction, keepdim, &made[0], &made[1]);
  return give_pair(status, outs, made, out_0, out_1);
}
OYI_COMPOSITE(_aminmax_out) {
  oy_object *made[2], *const outs[] = {out0, out1};
  oy_status status = oyi_call__aminmax(self, &made[0], &made[1]);
  return give_pair(status, outs, made, out_0, out_1);
}
OYI_COMPOSITE(_aminmax_dim_out) {
  oy_object *made[2], *const outs[] = {out0, out1};
  oy_status status = oyi_call__aminmax_dim(self, dim, keepdim, &made[0], &made[1]);
  return give_pair(status, outs, made, out_0, out_1);
}

OYI_COMPOSITE(norm_Scalar) {
  return oyi_call_norm_ScalarOpt_dim(self, p, oy_dims_none(), false);
}
OYI_COMPOSITE(norm_Scalar_out) {
  return oyi_into_exact_out(out, oyi_call_norm_Scalar(self, p));
}
OYI_COMPOSITE(norm_ScalarOpt_dtype) {
  return oyi_call_norm_ScalarOpt_dim_dtype(self, p, oy_dims_none(), false, dtype);
}
OYI_COMPOSITE(norm_ScalarOpt_dtype_out) {
  return oyi_into_exact_out(out, oyi_call_norm_ScalarOpt_dtype(self, p, dtype));
}
OYI_COMPOSITE(dist) {
  oy_object* difference = oyi_call_sub_Tensor(self, other, oy_int(1));
  oy_object* result = oyi_call_norm_Scalar(difference, p);
  oy_tensor_release(difference);
  return result;
}
OYI_COMPOSITE(dist_out) {
  return oyi_into_exact_out(out, oyi_call_dist(self, other, p));
}

OYI_COMPOSITE(count_nonzero) {
  oy_ints dims = {&dim.as.i, dim.tag == OY_TAG_NONE ? 0 : 1};
  return oyi_call_count_nonzero_dim_IntList(self, dims);
}
OYI_COMPOSITE(count_nonzero_out) {
  return oyi_into_exact_out(out, oyi_call_count_nonzero(self, dim));
}
OYI_COMPOSITE(count_nonzero_dim_IntList_out) {
  return oyi_into_exact_out(out, oyi_call_count_nonzero_dim_IntList(self, dim));
}
