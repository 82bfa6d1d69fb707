// SPDX-License-Identifier: Apache-2.0
// Operators of one tensor whose arguments or errors are not those of a whole group.
#include <math.h>

#include "backends/cpu/pointwise/elementwise.h"
#include "ops/calls.h"
#include "ops/rules/rules.h"

enum {
  INPLACE = OYI_ITER_INPLACE,
  FLOAT = OYI_ITER_INT_TO_FLOAT,
  BOOL = OYI_ITER_BOOL_OUTPUT,
  INTO = OYI_ITER_SAME_DTYPE
};

static oy_object* negated(oy_object* out, oy_object* self, unsigned flags) {
  if (self->dtype == OY_DTYPE_BOOL)
    return OYI_REFUSE(
        "Negation, the `-` operator, on a bool tensor is not supported. If you are "
        "trying to invert a mask, use the `~` or `logical_not()` operator instead.");
  return oyi_cpu_unary(out, self, flags, OYI_LOOP_neg);
}

OYI_CPU(neg) {
  return negated(NULL, self, 0);
}
OYI_CPU(neg_out) {
  return negated(out, self, INTO);
}
OYI_CPU(neg_) {
  return negated(self, self, INPLACE);
}

static oyi_cpu_loop sgn_loop(const oy_object* self) {
  return oy_dtype_is_complex(self->dtype) ? OYI_LOOP_sgn : OYI_LOOP_sign;
}
OYI_CPU(sgn) {
  return oyi_cpu_unary(NULL, self, 0, sgn_loop(self));
}
OYI_CPU(sgn_out) {
  return oyi_cpu_unary(out, self, INTO, sgn_loop(self));
}
OYI_CPU(sgn_) {
  return oyi_cpu_unary(self, self, INPLACE, sgn_loop(self));
}

static oy_object* rounded(oy_object* out, oy_object* self, unsigned flags,
                          int64_t decimals) {
  if (oy_dtype_is_integral(self->dtype, true)) {
    OY_FAIL(NOT_IMPLEMENTED, "\"%s\" not implemented for '%s'",
            oyi_cpu_loop_names[decimals ? OYI_LOOP_round_decimals : OYI_LOOP_round],
            oy_dtype_pytorch_name(self->dtype));
    return NULL;
  }
  if (decimals == 0) return oyi_cpu_unary(out, self, flags, OYI_LOOP_round);
  return oyi_cpu_unary_with(
      out, self, flags, OYI_LOOP_round_decimals,
      OYI_NUMBERS(oy_float(pow(10, fabs((double)decimals))), oy_int(decimals < 0)));
}
OYI_CPU(round_decimals) {
  return rounded(NULL, self, 0, decimals);
}
OYI_CPU(round_decimals_out) {
  return rounded(out, self, INTO, decimals);
}
OYI_CPU(round__decimals) {
  return rounded(self, self, INPLACE, decimals);
}

// The greatest finite number of a dtype, which stands for infinity.
static double greatest(oy_dtype dtype) {
  switch (dtype) {
    case OY_DTYPE_F16:
    case OY_DTYPE_C32: return 65504;
    case OY_DTYPE_BF16: return 0x1.fep127;
    case OY_DTYPE_F64:
    case OY_DTYPE_C128: return 0x1.fffffffffffffp1023;
    default: return 0x1.fffffep127;
  }
}
static oy_scalar number_or(oy_value given, double other) {
  return given.tag == OY_TAG_NONE ? oy_float(other) : given;
}
OYI_CPU(nan_to_num_out) {
  if (out->dtype != self->dtype)
    return OYI_REFUSE("nan_to_num: dtype of out: %s should be same as input: %s",
                      oy_dtype_pytorch_name(out->dtype),
                      oy_dtype_pytorch_name(self->dtype));
  double most = greatest(self->dtype);
  return oyi_cpu_unary_with(
      out, self, out == self ? INPLACE : 0, OYI_LOOP_nan_to_num,
      OYI_NUMBERS(number_or(nan, 0), number_or(posinf, most), number_or(neginf, -most)));
}

static oy_object* logit_of(oy_object* out, oy_object* self, unsigned flags,
                           oy_value eps) {
  bool has = eps.tag != OY_TAG_NONE && eps.as.d >= 0;
  oy_scalar low = oy_float(has ? eps.as.d : -INFINITY);
  oy_scalar high = oy_float(has ? 1 - eps.as.d : INFINITY);
  return oyi_cpu_unary_with(out, self, flags | FLOAT, OYI_LOOP_logit,
                            OYI_NUMBERS(low, high));
}
OYI_CPU(logit) {
  return logit_of(NULL, self, 0, eps);
}
OYI_CPU(logit_out) {
  return logit_of(out, self, 0, eps);
}
OYI_CPU(logit_) {
  return logit_of(self, self, INPLACE, eps);
}

static oy_object* polygamma_of(oy_object* out, oy_object* self, int64_t n) {
  if (n < 0) {
    OY_FAIL(INVALID_ARGUMENT, "polygamma(n, x) does not support negative n.");
    return NULL;
  }
  const oyi_cpu_loop loop = n == 0   ? OYI_LOOP_digamma
                            : n == 1 ? OYI_LOOP_trigamma
                                     : OYI_LOOP_polygamma;
  return oyi_cpu_unary_with(out, self, FLOAT, loop, OYI_NUMBERS(oy_int(n)));
}
OYI_CPU(polygamma) {
  return polygamma_of(NULL, self, n);
}
OYI_CPU(polygamma_out) {
  return polygamma_of(out, self, n);
}

static unsigned angle_flags(const oy_object* self) {
  return oy_dtype_is_complex(self->dtype) ? OYI_ITER_REAL_OUTPUT : FLOAT;
}
// PyTorch's result of complex numbers is contiguous, however they lie.
OYI_CPU(angle) {
  bool plain = !oy_dtype_is_complex(self->dtype) ||
               oy_tensor_is_contiguous(self, OY_MEMORY_CONTIGUOUS);
  oy_object* source = plain ? self : oyi_call_contiguous(self, OY_MEMORY_CONTIGUOUS);
  oy_object* result =
      source ? oyi_cpu_unary(NULL, source, angle_flags(self), OYI_LOOP_angle) : NULL;
  if (!plain) oy_tensor_release(source);
  return result;
}
OYI_CPU(angle_out) {
  return oyi_cpu_unary(out, self, angle_flags(self), OYI_LOOP_angle);
}
OYI_CPU(conj_physical_out) {
  return oyi_cpu_unary(out, self, out == self ? INPLACE : INTO, OYI_LOOP_conj);
}
// Only NaN is not itself.
OYI_CPU(isnan) {
  return oyi_cpu_binary(NULL, self, self, BOOL, OYI_LOOP_ne);
}
