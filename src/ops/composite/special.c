// SPDX-License-Identifier: Apache-2.0
// The gamma function of several variables, fractions with their powers, types of results.
#include <math.h>

#include "ops/composite/composite.h"
#include "ops/composite/held.h"
#include "ops/rules/shape.h"

#define HOLD(...) oyi_hold(&h, __VA_ARGS__)

// ------------------------------------------------------------------------- mvlgamma

static oy_status check_mvlgamma(oy_object* self, int64_t p) {
  if (!oyi_tensor_of(self)) return oy_failure();
  OY_CHECK(self->dtype != OY_DTYPE_BOOL, TYPE_MISMATCH,
           "The input tensor may not be a boolean tensor.");
  OY_CHECK(p >= 1, INVALID_ARGUMENT, "p has to be greater than or equal to 1");
  OY_CHECK(!oy_dtype_is_complex(self->dtype), NOT_IMPLEMENTED,
           "\"arange_cpu\" not implemented for '%s'", oy_dtype_pytorch_name(self->dtype));
  return OY_OK;
}

// The sum of lgamma(x - j / 2), j < p, and p (p - 1) / 4 log(pi).
OYI_COMPOSITE(mvlgamma) {
  if (check_mvlgamma(self, p) != 0) return NULL;
  oyi_held h = {0};
  const oy_dtype dtype =
      oy_dtype_is_floating(self->dtype) ? self->dtype : oy_dtype_default();
  oy_object* halves = HOLD(oyi_call_arange_start_step(
      oy_float(0.5 * (1 - (double)p)), oy_float(0.5), oy_float(0.5), oy_int(dtype),
      oy_none(), oy_value_device(oyi_tensor_device(oyi_tensor_cast(self))), oy_none()));
  oy_object* column = halves ? HOLD(oyi_call_unsqueeze(self, -1)) : NULL;
  oy_object* each = column ? HOLD(oyi_call_add_Tensor(column, halves, oy_int(1))) : NULL;
  oy_object* logs = each ? HOLD(oyi_call_lgamma(each)) : NULL;
  const int64_t last = -1;
  oy_object* sum =
      logs ? HOLD(oyi_call_sum_dim_IntList(logs, (oy_ints){&last, 1}, false, oy_none()))
           : NULL;
  const double rest = (double)p * ((double)p - 1) / 4 * log(M_PI);
  return oyi_held_end(&h,
                      sum ? oyi_call_add_Scalar(sum, oy_float(rest), oy_int(1)) : NULL);
}
OYI_COMPOSITE(mvlgamma_) {
  if (check_mvlgamma(self, p) != 0) return NULL;
  if (!oy_dtype_is_floating(self->dtype)) {
    OY_FAIL(TYPE_MISMATCH, "step must be nonzero");  // 1/2 as an integer
    return NULL;
  }
  oy_object* made = oyi_call_mvlgamma(self, p);
  oy_object* done = made ? oyi_call_copy_(self, made, false) : NULL;
  oy_tensor_release(made);
  return done;
}
OYI_COMPOSITE(special_multigammaln) {
  return oyi_call_mvlgamma(self, p);
}
OYI_COMPOSITE(special_multigammaln_out) {
  return oyi_call_mvlgamma_out(self, p, out);
}

// ---------------------------------------------------------------------------- frexp

OYI_COMPOSITE(frexp_Tensor) {
  *out_mantissa = *out_exponent = NULL;
  if (!oyi_tensor_of(self)) return oy_failure();
  OY_CHECK(oy_dtype_is_floating(self->dtype), TYPE_MISMATCH,
           "torch.frexp() only supports floating-point dtypes");
  oy_object* mantissa =
      oyi_call_empty_like(self, oy_none(), oy_none(), oy_none(), oy_none(), oy_none());
  oy_object* exponent = mantissa
                            ? oyi_call_empty_like(self, oy_int(OY_DTYPE_I32), oy_none(),
                                                  oy_none(), oy_none(), oy_none())
                            : NULL;
  oy_object* written[2];
  oy_status status = exponent ? oyi_call_frexp_Tensor_out(self, mantissa, exponent,
                                                          &written[0], &written[1])
                              : oy_failure();
  if (status == 0) {
    *out_mantissa = mantissa;
    *out_exponent = exponent;
    return OY_OK;
  }
  oy_tensor_release(mantissa);
  oy_tensor_release(exponent);
  return status;
}

// ---------------------------------------------------------------------- result_type

static oy_status type_of_two(oy_object* a, oy_object* b, int64_t* out) {
  if (!oyi_tensor_of(a) || !oyi_tensor_of(b)) return oy_failure();
  oy_object* both[] = {a, b};
  oy_dtype dtype;
  OY_TRY(oy_result_type(both, 2, &dtype));
  *out = dtype;
  return OY_OK;
}
static oy_status type_with_number(oy_object* a, oy_scalar number, int64_t* out) {
  oy_object* b = oyi_wrap_number(number);
  oy_status status = b ? type_of_two(a, b, out) : oy_failure();
  oy_tensor_release(b);
  return status;
}
OYI_COMPOSITE(result_type_Tensor) {
  return type_of_two(tensor, other, out_result);
}
OYI_COMPOSITE(result_type_Scalar) {
  return type_with_number(tensor, other, out_result);
}
OYI_COMPOSITE(result_type_Scalar_Tensor) {
  return type_with_number(tensor, scalar, out_result);
}
OYI_COMPOSITE(result_type_Scalar_Scalar) {
  oy_object* a = oyi_wrap_number(scalar1);
  oy_status status = a ? type_with_number(a, scalar2, out_result) : oy_failure();
  oy_tensor_release(a);
  return status;
}
