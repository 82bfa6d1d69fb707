// SPDX-License-Identifier: Apache-2.0
// Arithmetic composed of other operators: forms with numbers, forms that are copied
// into |out|, and operators by other names.
#include "ops/composite/composite.h"
#include "ops/out.h"

// -------------------------------------------------------------- with a number

OYI_COMPOSITE(add_Scalar_out) {
  return oyi_into_out(oyi_call_add_Scalar(self, other, alpha), out);
}
OYI_COMPOSITE(sub_Scalar_out) {
  return oyi_into_out(oyi_call_sub_Scalar(self, other, alpha), out);
}
OYI_COMPOSITE(rsub_Scalar) {
  OYI_WITH_NUMBER(number, other, oyi_call_rsub_Tensor(self, number, alpha));
}
OYI_COMPOSITE(rsub_Tensor_out) {
  return oyi_into_out(oyi_call_rsub_Tensor(self, other, alpha), out);
}
OYI_COMPOSITE(rsub_Scalar_out) {
  return oyi_into_out(oyi_call_rsub_Scalar(self, other, alpha), out);
}
OYI_COMPOSITE(mul_Scalar_out) {
  return oyi_into_out(oyi_call_mul_Scalar(self, other), out);
}
OYI_COMPOSITE(div_Scalar_out) {
  return oyi_into_out(oyi_call_div_Scalar(self, other), out);
}
OYI_COMPOSITE(div_Scalar_mode) {
  OYI_WITH_NUMBER(number, other, oyi_call_div_Tensor_mode(self, number, rounding_mode));
}
OYI_COMPOSITE(div__Scalar_mode) {
  OYI_WITH_NUMBER(number, other, oyi_call_div__Tensor_mode(self, number, rounding_mode));
}
OYI_COMPOSITE(div_Scalar_mode_out) {
  return oyi_into_out(oyi_call_div_Scalar_mode(self, other, rounding_mode), out);
}
OYI_COMPOSITE(floor_divide_Scalar) {
  OYI_WITH_NUMBER(number, other, oyi_call_floor_divide(self, number));
}
OYI_COMPOSITE(floor_divide__Scalar) {
  OYI_WITH_NUMBER(number, other, oyi_call_floor_divide__Tensor(self, number));
}
OYI_COMPOSITE(floor_divide_Scalar_out) {
  OYI_WITH_NUMBER(number, other, oyi_call_floor_divide_out(self, number, out));
}
OYI_COMPOSITE(remainder_Scalar_Tensor_out) {
  return oyi_into_out(oyi_call_remainder_Scalar_Tensor(self, other), out);
}
OYI_COMPOSITE(copysign_Scalar) {
  OYI_WITH_NUMBER(number, other, oyi_call_copysign_Tensor(self, number));
}
OYI_COMPOSITE(copysign__Scalar) {
  OYI_WITH_NUMBER(number, other, oyi_call_copysign__Tensor(self, number));
}
OYI_COMPOSITE(copysign_Scalar_out) {
  OYI_WITH_NUMBER(number, other, oyi_call_copysign_out(self, number, out));
}
OYI_COMPOSITE(xlogy_Scalar_Self) {
  OYI_WITH_NUMBER(number, self, oyi_call_xlogy_Tensor(number, other));
}
OYI_COMPOSITE(xlogy_OutScalar_Self) {
  OYI_WITH_NUMBER(number, self, oyi_call_xlogy_OutTensor(number, other, out));
}
OYI_COMPOSITE(xlogy_Scalar_Other) {
  OYI_WITH_NUMBER(number, other, oyi_call_xlogy_Tensor(self, number));
}
OYI_COMPOSITE(xlogy_OutScalar_Other) {
  OYI_WITH_NUMBER(number, other, oyi_call_xlogy_OutTensor(self, number, out));
}
OYI_COMPOSITE(xlogy__Scalar_Other) {
  OYI_WITH_NUMBER(number, other, oyi_call_xlogy__Tensor(self, number));
}

// ------------------------------------------------------------------ other names

#define ARITHMETIC_ALIAS(name, of)                           \
  OYI_COMPOSITE(name##_Tensor) {                             \
    return oyi_call_##of##_Tensor(OYI_ARGS_##of##_Tensor);   \
  }                                                          \
  OYI_COMPOSITE(name##_out) {                                \
    return oyi_call_##of##_out(OYI_ARGS_##of##_out);         \
  }                                                          \
  OYI_COMPOSITE(name##__Tensor) {                            \
    return oyi_call_##of##__Tensor(OYI_ARGS_##of##__Tensor); \
  }                                                          \
  OYI_COMPOSITE(name##_Scalar) {                             \
    return oyi_call_##of##_Scalar(OYI_ARGS_##of##_Scalar);   \
  }                                                          \
  OYI_COMPOSITE(name##__Scalar) {                            \
    return oyi_call_##of##__Scalar(OYI_ARGS_##of##__Scalar); \
  }
ARITHMETIC_ALIAS(subtract, sub)
ARITHMETIC_ALIAS(multiply, mul)
ARITHMETIC_ALIAS(divide, div)
ARITHMETIC_ALIAS(true_divide, div)
OYI_COMPOSITE(divide_Tensor_mode) {
  return oyi_call_div_Tensor_mode(self, other, rounding_mode);
}
OYI_COMPOSITE(divide_out_mode) {
  return oyi_call_div_out_mode(self, other, rounding_mode, out);
}
OYI_COMPOSITE(divide__Tensor_mode) {
  return oyi_call_div__Tensor_mode(self, other, rounding_mode);
}
OYI_COMPOSITE(divide_Scalar_mode) {
  return oyi_call_div_Scalar_mode(self, other, rounding_mode);
}
OYI_COMPOSITE(divide__Scalar_mode) {
  return oyi_call_div__Scalar_mode(self, other, rounding_mode);
}
OYI_COMPOSITE(arctan2) {
  return oyi_call_atan2(self, other);
}
OYI_COMPOSITE(arctan2_out) {
  return oyi_call_atan2_out(self, other, out);
}
OYI_COMPOSITE(arctan2_) {
  return oyi_call_atan2_(self, other);
}
OYI_COMPOSITE(max_other) {
  return oyi_call_maximum(self, other);
}
OYI_COMPOSITE(max_out) {
  return oyi_call_maximum_out(self, other, out);
}
OYI_COMPOSITE(min_other) {
  return oyi_call_minimum(self, other);
}
OYI_COMPOSITE(min_out) {
  return oyi_call_minimum_out(self, other, out);
}

// ----------------------------------------------------------------------- powers

OYI_COMPOSITE(ldexp_Tensor) {
  OYI_LAST_USE(power, oyi_call_pow_Scalar(oy_float(2), other),
               oyi_call_mul_Tensor(self, power));
}
OYI_COMPOSITE(ldexp_out) {
  OYI_LAST_USE(power, oyi_call_pow_Scalar(oy_float(2), other),
               oyi_call_mul_out(self, power, out));
}
OYI_COMPOSITE(ldexp_) {
  return oyi_call_ldexp_out(self, other, self);
}

// Double precision, complex if an operand is.
static oy_dtype power_dtype(oy_dtype a, oy_dtype b) {
  return oy_dtype_is_complex(a) || oy_dtype_is_complex(b) ? OY_DTYPE_C128 : OY_DTYPE_F64;
}
static oy_dtype number_dtype(oy_scalar number) {
  return number.tag == OY_TAG_COMPLEX ? OY_DTYPE_C128 : OY_DTYPE_F64;
}
static oy_object* as_dtype(oy_object* tensor, oy_dtype dtype) {
  return oyi_call_to_dtype(tensor, dtype, false, false, oy_none());
}
static oy_scalar as_number(oy_scalar number) {
  if (number.tag == OY_TAG_COMPLEX || number.tag == OY_TAG_FLOAT) return number;
  return oy_float((double)number.as.i);
}
// The dtype of an output is not converted to: it must be the one that is computed in.
static bool has_dtype(const oy_object* out, oy_dtype dtype, bool inplace) {
  if (out->dtype == dtype) return true;
  OY_FAIL(TYPE_MISMATCH,
          inplace ? "the base given to float_power_ has dtype %s but the operation's "
                    "result requires dtype %s"
                  : "the output given to float_power has dtype %s but the operation's "
                    "result requires dtype %s",
          oy_dtype_pytorch_name(out->dtype), oy_dtype_pytorch_name(dtype));
  return false;
}

// Both operands in |dtype|; |out| NULL makes a new tensor.
static oy_object* power_of(oy_object* self, oy_object* exponent, oy_dtype dtype,
                           oy_object* out) {
  oy_object* base = as_dtype(self, dtype);
  oy_object* power = as_dtype(exponent, dtype);
  oy_object* result = out ? oyi_call_pow_Tensor_Tensor_out(base, power, out)
                          : oyi_call_pow_Tensor_Tensor(base, power);
  oy_tensor_release(base);
  oy_tensor_release(power);
  return result;
}
OYI_COMPOSITE(float_power_Tensor_Tensor) {
  return power_of(self, exponent, power_dtype(self->dtype, exponent->dtype), NULL);
}
OYI_COMPOSITE(float_power_Tensor_Tensor_out) {
  oy_dtype dtype = power_dtype(self->dtype, exponent->dtype);
  return has_dtype(out, dtype, false) ? power_of(self, exponent, dtype, out) : NULL;
}
OYI_COMPOSITE(float_power__Tensor) {
  oy_dtype dtype = power_dtype(self->dtype, exponent->dtype);
  if (!has_dtype(self, dtype, true)) return NULL;
  OYI_LAST_USE(power, as_dtype(exponent, dtype), oyi_call_pow__Tensor(self, power));
}
OYI_COMPOSITE(float_power_Tensor_Scalar) {
  oy_dtype dtype = power_dtype(self->dtype, number_dtype(exponent));
  OYI_LAST_USE(base, as_dtype(self, dtype),
               oyi_call_pow_Tensor_Scalar(base, as_number(exponent)));
}
OYI_COMPOSITE(float_power_Tensor_Scalar_out) {
  oy_dtype dtype = power_dtype(self->dtype, number_dtype(exponent));
  if (!has_dtype(out, dtype, false)) return NULL;
  OYI_LAST_USE(base, as_dtype(self, dtype),
               oyi_call_pow_Tensor_Scalar_out(base, as_number(exponent), out));
}
OYI_COMPOSITE(float_power__Scalar) {
  oy_dtype dtype = power_dtype(self->dtype, number_dtype(exponent));
  if (!has_dtype(self, dtype, true)) return NULL;
  return oyi_call_pow__Scalar(self, as_number(exponent));
}
OYI_COMPOSITE(float_power_Scalar) {
  oy_dtype dtype = power_dtype(number_dtype(self), exponent->dtype);
  OYI_LAST_USE(power, as_dtype(exponent, dtype),
               oyi_call_pow_Scalar(as_number(self), power));
}
OYI_COMPOSITE(float_power_Scalar_out) {
  oy_dtype dtype = power_dtype(number_dtype(self), exponent->dtype);
  if (!has_dtype(out, dtype, false)) return NULL;
  OYI_LAST_USE(power, as_dtype(exponent, dtype),
               oyi_call_pow_Scalar_out(as_number(self), power, out));
}
