// SPDX-License-Identifier: Apache-2.0
// where, clamp, lerp, addcmul and addcdiv.
#include <math.h>

#include "backends/cpu/pointwise/elementwise.h"
#include "ops/rules/rules.h"

enum { INPLACE = OYI_ITER_INPLACE, INTO = OYI_ITER_SAME_DTYPE };

// ----------------------------------------------------------------------- where

static oy_object* choose(oy_object* out, oy_object* condition, oy_object* self,
                         oy_object* other) {
  if (condition->dtype != OY_DTYPE_BOOL && condition->dtype != OY_DTYPE_U8)
    return OYI_REFUSE(
        "where expected condition to be a boolean tensor, but got a tensor with dtype %s",
        oy_dtype_pytorch_name(condition->dtype));
  return oyi_cpu_ternary_with(out, condition, self, other, OYI_ITER_MASK, OYI_LOOP_where,
                              NULL);
}
OYI_CPU(where_self) {
  return choose(NULL, condition, self, other);
}
OYI_CPU(where_self_out) {
  return choose(out, condition, self, other);
}

// ----------------------------------------------------------------------- clamp

static bool is_complex_number(oy_value number) {
  return number.tag == OY_TAG_COMPLEX;
}

// Numbers that do not change the dtype of |self| go to the loop as they are.
static bool keeps_dtype(const oy_object* self, oy_value number) {
  if (oy_dtype_is_floating(self->dtype)) return true;
  return oy_dtype_is_integral(self->dtype, false) && number.tag != OY_TAG_FLOAT;
}

static bool is_nan(oy_value number) {
  return number.tag == OY_TAG_FLOAT && number.as.d != number.as.d;
}

oy_object* oyi_cpu_clamp(oy_object* out, oy_object* self, oy_scalar min, oy_scalar max,
                         unsigned flags) {
  const bool low = min.tag != OY_TAG_NONE, high = max.tag != OY_TAG_NONE;
  // Everything becomes NaN then, which the loops that follow would have to look for.
  if ((is_nan(min) || is_nan(max)) && oy_dtype_is_floating(self->dtype))
    return oyi_cpu_unary_with(out, self, flags, OYI_LOOP_scale,
                              OYI_NUMBERS(oy_float(NAN)));
  if (low && high)
    return oyi_cpu_unary_with(out, self, flags, OYI_LOOP_clamp, OYI_NUMBERS(min, max));
  return oyi_cpu_unary_with(out, self, flags,
                            low ? OYI_LOOP_clamp_min : OYI_LOOP_clamp_max,
                            OYI_NUMBERS(low ? min : max));
}

static oy_object* clamp_numbers(oy_object* out, oy_object* self, oy_value min,
                                oy_value max, unsigned flags) {
  bool low = min.tag != OY_TAG_NONE, high = max.tag != OY_TAG_NONE;
  if (!low && !high) {
    OY_FAIL(INVALID_ARGUMENT,
            "torch.clamp: At least one of 'min' or 'max' must not be None");
    return NULL;
  }
  if (oy_dtype_is_complex(self->dtype) || is_complex_number(min) ||
      is_complex_number(max))
    return OYI_REFUSE("clamp is not supported for complex types");
  if ((!low || keeps_dtype(self, min)) && (!high || keeps_dtype(self, max)))
    return oyi_cpu_clamp(out, self, min, max, flags);
  if (!high) return oyi_cpu_binary_number(out, self, min, flags, OYI_LOOP_maximum);
  if (!low) return oyi_cpu_binary_number(out, self, max, flags, OYI_LOOP_minimum);
  oy_object* a = oyi_wrap_number(min);
  oy_object* b = oyi_wrap_number(max);
  oy_object* result =
      a && b ? oyi_cpu_ternary_with(out, self, a, b, flags, OYI_LOOP_clamp_tensor, NULL)
             : NULL;
  oy_tensor_release(a);
  oy_tensor_release(b);
  return result;
}

static oy_object* clamp_tensors(oy_object* out, oy_object* self, oy_object* min,
                                oy_object* max, unsigned flags) {
  bool low = !oy_object_is_none(min), high = !oy_object_is_none(max);
  if (!low && !high) {
    OY_FAIL(INVALID_ARGUMENT,
            "torch.clamp: At least one of 'min' or 'max' must not be None");
    return NULL;
  }
  if (oy_dtype_is_complex(self->dtype) || (low && oy_dtype_is_complex(min->dtype)) ||
      (high && oy_dtype_is_complex(max->dtype)))
    return OYI_REFUSE("clamp is not supported for complex types");
  if (!high) return oyi_cpu_binary(out, self, min, flags, OYI_LOOP_maximum);
  if (!low) return oyi_cpu_binary(out, self, max, flags, OYI_LOOP_minimum);
  return oyi_cpu_ternary_with(out, self, min, max, flags, OYI_LOOP_clamp_tensor, NULL);
}

OYI_CPU(clamp) {
  return clamp_numbers(NULL, self, min, max, 0);
}
OYI_CPU(clamp_out) {
  return clamp_numbers(out, self, min, max, INTO);
}
OYI_CPU(clamp_) {
  return clamp_numbers(self, self, min, max, INPLACE);
}
OYI_CPU(clamp_min) {
  return clamp_numbers(NULL, self, min, oy_none(), 0);
}
OYI_CPU(clamp_min_out) {
  return clamp_numbers(out, self, min, oy_none(), INTO);
}
OYI_CPU(clamp_min_) {
  return clamp_numbers(self, self, min, oy_none(), INPLACE);
}
OYI_CPU(clamp_max) {
  return clamp_numbers(NULL, self, oy_none(), max, 0);
}
OYI_CPU(clamp_max_out) {
  return clamp_numbers(out, self, oy_none(), max, INTO);
}
OYI_CPU(clamp_max_) {
  return clamp_numbers(self, self, oy_none(), max, INPLACE);
}
OYI_CPU(clamp_Tensor) {
  return clamp_tensors(NULL, self, min, max, 0);
}
OYI_CPU(clamp_Tensor_out) {
  return clamp_tensors(out, self, min, max, 0);
}
OYI_CPU(clamp__Tensor) {
  return clamp_tensors(self, self, min, max, INPLACE);
}
OYI_CPU(clamp_min_Tensor) {
  return oyi_cpu_binary(NULL, self, min, 0, OYI_LOOP_maximum);
}
OYI_CPU(clamp_min_Tensor_out) {
  return oyi_cpu_binary(out, self, min, 0, OYI_LOOP_maximum);
}
OYI_CPU(clamp_min__Tensor) {
  return oyi_cpu_binary(self, self, min, INPLACE, OYI_LOOP_maximum);
}
OYI_CPU(clamp_max_Tensor) {
  return oyi_cpu_binary(NULL, self, max, 0, OYI_LOOP_minimum);
}
OYI_CPU(clamp_max_Tensor_out) {
  return oyi_cpu_binary(out, self, max, 0, OYI_LOOP_minimum);
}
OYI_CPU(clamp_max__Tensor) {
  return oyi_cpu_binary(self, self, max, INPLACE, OYI_LOOP_minimum);
}

// ------------------------------------------------------------------------ lerp

// No promotion: all are of one dtype.
static bool is_dtype_of(const oy_object* self, const oy_object* other, const char* name) {
  if (self->dtype == other->dtype) return true;
  OY_FAIL(TYPE_MISMATCH, "expected dtype %s for `%s` but got dtype %s",
          oyi_dtype_cpp_name(self->dtype), name, oyi_dtype_cpp_name(other->dtype));
  return false;
}

static oy_object* lerp_number(oy_object* out, oy_object* self, oy_object* end,
                              oy_scalar weight, unsigned flags) {
  if (!is_dtype_of(self, end, "end")) return NULL;
  return oyi_cpu_binary_with(out, self, end, flags, OYI_LOOP_lerp, OYI_NUMBERS(weight));
}
static oy_object* lerp_tensor(oy_object* out, oy_object* self, oy_object* end,
                              oy_object* weight, unsigned flags) {
  if (!is_dtype_of(self, end, "end") || !is_dtype_of(self, weight, "weight")) return NULL;
  return oyi_cpu_ternary_with(out, self, end, weight, flags, OYI_LOOP_lerp_tensor, NULL);
}
OYI_CPU(lerp_Scalar) {
  return lerp_number(NULL, self, end, weight, 0);
}
OYI_CPU(lerp_Scalar_out) {
  return lerp_number(out, self, end, weight, 0);
}
OYI_CPU(lerp__Scalar) {
  return lerp_number(self, self, end, weight, INPLACE);
}
OYI_CPU(lerp_Tensor) {
  return lerp_tensor(NULL, self, end, weight, 0);
}
OYI_CPU(lerp_Tensor_out) {
  return lerp_tensor(out, self, end, weight, INTO);
}
OYI_CPU(lerp__Tensor) {
  return lerp_tensor(self, self, end, weight, INPLACE);
}

// ---------------------------------------------------------- products and quotients

OYI_CPU(addcmul) {
  return oyi_cpu_ternary_with(NULL, self, tensor1, tensor2, 0, OYI_LOOP_addcmul,
                              OYI_NUMBERS(value));
}
OYI_CPU(addcmul_out) {
  return oyi_cpu_ternary_with(out, self, tensor1, tensor2, 0, OYI_LOOP_addcmul,
                              OYI_NUMBERS(value));
}
OYI_CPU(addcmul_) {
  return oyi_cpu_ternary_with(self, self, tensor1, tensor2, INPLACE, OYI_LOOP_addcmul,
                              OYI_NUMBERS(value));
}

static oy_object* add_quotient(oy_object* out, oy_object* self, oy_object* tensor1,
                               oy_object* tensor2, oy_scalar value, unsigned flags) {
  if (oy_dtype_is_integral(tensor1->dtype, true) &&
      oy_dtype_is_integral(tensor2->dtype, true))
    return OYI_REFUSE(
        "Integer division with addcdiv is no longer supported, and in a future  release "
        "addcdiv will perform a true division of tensor1 and tensor2. The historic "
        "addcdiv behavior can be implemented as (input + value * torch.trunc(tensor1 / "
        "tensor2)).to(input.dtype) for integer inputs and as (input + value * tensor1 / "
        "tensor2) for float inputs. The future addcdiv behavior is just the latter "
        "implementation: (input + value * tensor1 / tensor2), for all dtypes.");
  return oyi_cpu_ternary_with(out, self, tensor1, tensor2, flags, OYI_LOOP_addcdiv,
                              OYI_NUMBERS(value));
}
OYI_CPU(addcdiv) {
  return add_quotient(NULL, self, tensor1, tensor2, value, 0);
}
OYI_CPU(addcdiv_out) {
  return add_quotient(out, self, tensor1, tensor2, value, 0);
}
OYI_CPU(addcdiv_) {
  return add_quotient(self, self, tensor1, tensor2, value, INPLACE);
}
