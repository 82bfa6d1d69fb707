// SPDX-License-Identifier: Apache-2.0
// Functions of one tensor, and special functions, composed of other operators.
#include <math.h>

#include "ops/composite/composite.h"
#include "ops/out.h"

OYI_COMPOSITE(positive) {
  if (!oyi_tensor_of(self)) return NULL;
  if (self->dtype != OY_DTYPE_BOOL) return oy_tensor_retain(self);
  OY_FAIL(TYPE_MISMATCH, "The `+` operator, on a bool tensor is not supported.");
  return NULL;
}
OYI_COMPOSITE(square) {
  return oyi_call_pow_Tensor_Scalar(self, oy_int(2));
}
OYI_COMPOSITE(square_out) {
  return oyi_call_pow_Tensor_Scalar_out(self, oy_int(2), out);
}
OYI_COMPOSITE(square_) {
  return oyi_call_pow__Scalar(self, oy_int(2));
}

static bool is_real(const oy_object* self, const char* name) {
  if (!oy_dtype_is_complex(self->dtype)) return true;
  OY_FAIL(TYPE_MISMATCH, "%s is not supported for complex tensors.", name);
  return false;
}
#define ANGLE(name, factor)                                                         \
  OYI_COMPOSITE(name) {                                                             \
    if (!is_real(self, #name)) return NULL;                                         \
    OYI_WITH_NUMBER(number, oy_float(factor), oyi_call_mul_Tensor(self, number));   \
  }                                                                                 \
  OYI_COMPOSITE(name##_out) {                                                       \
    if (!is_real(self, #name)) return NULL;                                         \
    OYI_WITH_NUMBER(number, oy_float(factor), oyi_call_mul_out(self, number, out)); \
  }                                                                                 \
  OYI_COMPOSITE(name##_) {                                                          \
    if (!is_real(self, #name)) return NULL;                                         \
    OYI_WITH_NUMBER(number, oy_float(factor), oyi_call_mul__Tensor(self, number));  \
  }
ANGLE(deg2rad, M_PI / 180)
ANGLE(rad2deg, 180 / M_PI)

OYI_COMPOSITE(nan_to_num) {
  oy_object* out =
      oyi_call_empty_like(self, oy_none(), oy_none(), oy_none(), oy_none(), oy_none());
  oy_object* result = oyi_call_nan_to_num_out(self, nan, posinf, neginf, out);
  if (!result) oy_tensor_release(out);
  return result;
}
OYI_COMPOSITE(nan_to_num_) {
  return oyi_call_nan_to_num_out(self, nan, posinf, neginf, self);
}
OYI_COMPOSITE(polygamma_) {
  return oyi_call_polygamma_out(n, self, self);
}

OYI_COMPOSITE(conj_physical) {
  if (!oyi_tensor_of(self)) return NULL;
  if (!oy_dtype_is_complex(self->dtype)) return oy_tensor_retain(self);
  return oyi_call__conj_physical(self);
}
OYI_COMPOSITE(_conj_physical) {
  oy_object* out =
      oyi_call_empty_like(self, oy_none(), oy_none(), oy_none(), oy_none(), oy_none());
  oy_object* result = oyi_call_conj_physical_out(self, out);
  if (!result) oy_tensor_release(out);
  return result;
}
OYI_COMPOSITE(conj_physical_) {
  if (!oyi_tensor_of(self)) return NULL;
  if (!oy_dtype_is_complex(self->dtype)) return self;
  return oyi_call_conj_physical_out(self, self);
}

// ---------------------------------------------------------------------- finite

OYI_COMPOSITE(isnan_out) {
  return oyi_into_out(oyi_call_isnan(self), out);
}
static oy_object* filled_like(oy_object* self, int value) {
  return oyi_call_full_like(self, oy_int(value), oy_int(OY_DTYPE_BOOL), oy_none(),
                            oy_none(), oy_none(), oy_none());
}
// The absolute value of a complex number is infinite if a part is.
OYI_COMPOSITE(isinf) {
  if (oy_dtype_is_integral(self->dtype, true)) return filled_like(self, 0);
  OYI_LAST_USE(size, oyi_call_abs(self), oyi_call_eq_Scalar(size, oy_float(INFINITY)));
}
OYI_COMPOSITE(isinf_out) {
  return oyi_into_out(oyi_call_isinf(self), out);
}
OYI_COMPOSITE(isreal) {
  if (!oy_dtype_is_complex(self->dtype)) return filled_like(self, 1);
  OYI_LAST_USE(part, oyi_call_imag(self), oyi_call_eq_Scalar(part, oy_int(0)));
}
OYI_COMPOSITE(isfinite) {
  if (oy_dtype_is_integral(self->dtype, true)) return filled_like(self, 1);
  oy_object* number = oyi_call_eq_Tensor(self, self);
  oy_object* size = oyi_call_abs(self);
  oy_object* bounded = oyi_call_ne_Scalar(size, oy_float(INFINITY));
  oy_object* result = oyi_call_mul_Tensor(number, bounded);
  oy_tensor_release(number);
  oy_tensor_release(size);
  oy_tensor_release(bounded);
  return result;
}

// --------------------------------------------------------------- special functions

// With a number in either place.
#define WITH_NUMBERS(name)                                                    \
  OYI_COMPOSITE(name##_self_scalar) {                                         \
    OYI_WITH_NUMBER(number, self, oyi_call_##name(number, other));            \
  }                                                                           \
  OYI_COMPOSITE(name##_self_scalar_out) {                                     \
    OYI_WITH_NUMBER(number, self, oyi_call_##name##_out(number, other, out)); \
  }                                                                           \
  OYI_COMPOSITE(name##_other_scalar) {                                        \
    OYI_WITH_NUMBER(number, other, oyi_call_##name(self, number));            \
  }                                                                           \
  OYI_COMPOSITE(name##_other_scalar_out) {                                    \
    OYI_WITH_NUMBER(number, other, oyi_call_##name##_out(self, number, out)); \
  }
WITH_NUMBERS(special_xlog1py)
WITH_NUMBERS(special_zeta)

OYI_COMPOSITE(special_xlogy) {
  return oyi_call_xlogy_Tensor(self, other);
}
OYI_COMPOSITE(special_xlogy_out) {
  return oyi_call_xlogy_OutTensor(self, other, out);
}
OYI_COMPOSITE(special_xlogy_self_scalar) {
  return oyi_call_xlogy_Scalar_Self(self, other);
}
OYI_COMPOSITE(special_xlogy_self_scalar_out) {
  return oyi_call_xlogy_OutScalar_Self(self, other, out);
}
OYI_COMPOSITE(special_xlogy_other_scalar) {
  return oyi_call_xlogy_Scalar_Other(self, other);
}
OYI_COMPOSITE(special_xlogy_other_scalar_out) {
  return oyi_call_xlogy_OutScalar_Other(self, other, out);
}
OYI_COMPOSITE(special_logit) {
  return oyi_call_logit(self, eps);
}
OYI_COMPOSITE(special_logit_out) {
  return oyi_call_logit_out(self, eps, out);
}
OYI_COMPOSITE(special_round) {
  return oyi_call_round_decimals(self, decimals);
}
OYI_COMPOSITE(special_round_out) {
  return oyi_call_round_decimals_out(self, decimals, out);
}
OYI_COMPOSITE(special_polygamma) {
  return oyi_call_polygamma(n, self);
}
OYI_COMPOSITE(special_polygamma_out) {
  return oyi_call_polygamma_out(n, self, out);
}

// erfc(-x / sqrt(2)) / 2
OYI_COMPOSITE(special_ndtr) {
  oy_object* scaled = oyi_call_mul_Scalar(self, oy_float(-M_SQRT1_2));
  oy_object* twice = oyi_call_erfc(scaled);
  oy_object* result = oyi_call_mul_Scalar(twice, oy_float(0.5));
  oy_tensor_release(scaled);
  oy_tensor_release(twice);
  return result;
}
OYI_COMPOSITE(special_ndtr_out) {
  return oyi_into_out(oyi_call_special_ndtr(self), out);
}
