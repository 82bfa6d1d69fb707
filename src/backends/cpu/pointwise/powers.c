// SPDX-License-Identifier: Apache-2.0
// Powers. The exponents that everybody uses have loops of their own, as in PyTorch.
#include "backends/cpu/pointwise/elementwise.h"
#include "ops/calls.h"
#include "ops/rules/rules.h"

enum { INPLACE = OYI_ITER_INPLACE };

static double real_number(oy_scalar s) {
  return s.tag == OY_TAG_FLOAT ? s.as.d : (double)s.as.i;
}

static bool is_zero(oy_scalar s) {
  if (s.tag != OY_TAG_COMPLEX) return real_number(s) == 0;
  return s.as.complex_data->re == 0 && s.as.complex_data->im == 0;
}

// The loop for |exponent| on |dtype|; OYI_LOOP_COUNT if it has none of its own.
static oyi_cpu_loop special_loop(oy_dtype dtype, oy_scalar exponent) {
  static const struct {
    double exponent;
    oyi_cpu_loop loop;
    bool integers;
  } loops[] = {{2, OYI_LOOP_square, true},       {3, OYI_LOOP_cube, false},
               {0.5, OYI_LOOP_sqrt, false},      {-0.5, OYI_LOOP_rsqrt, false},
               {-1, OYI_LOOP_reciprocal, false}, {-2, OYI_LOOP_inverse_square, false}};
  if (exponent.tag == OY_TAG_COMPLEX || exponent.tag == OY_TAG_BOOL)
    return OYI_LOOP_COUNT;
  bool is_int = oy_dtype_is_integral(dtype, true);
  for (size_t i = 0; i < sizeof(loops) / sizeof(*loops); i++)
    if (loops[i].exponent == real_number(exponent) && (!is_int || loops[i].integers) &&
        dtype != OY_DTYPE_BOOL)
      return loops[i].loop;
  return OYI_LOOP_COUNT;
}

static oy_object* to_number(oy_object* out, oy_object* self, oy_scalar exponent,
                            unsigned flags) {
  if (!oyi_tensor_of(self)) return NULL;
  const bool becomes_float =
      !out && exponent.tag == OY_TAG_FLOAT && oy_dtype_is_integral(self->dtype, true);
  const bool is_float = becomes_float || (oy_dtype_is_floating(self->dtype) &&
                                          exponent.tag != OY_TAG_COMPLEX);
  if (oy_dtype_is_integral(self->dtype, true) && exponent.tag == OY_TAG_INT &&
      exponent.as.i < 0)
    return OYI_REFUSE("Integers to negative integer powers are not allowed.");
  if (becomes_float) flags |= OYI_ITER_INT_TO_FLOAT;
  oyi_cpu_loop loop = special_loop(becomes_float ? OY_DTYPE_F32 : self->dtype, exponent);
  const bool is_complex = oy_dtype_is_complex(self->dtype);
  if (loop != OYI_LOOP_COUNT && (is_float || is_complex || exponent.tag == OY_TAG_INT))
    return oyi_cpu_unary(out, self, flags, loop);
  if (is_float && real_number(exponent) == 1)
    return oyi_cpu_unary_with(out, self, flags, OYI_LOOP_scale, OYI_NUMBERS(oy_int(1)));
  if (is_float)
    return oyi_cpu_unary_with(out, self, flags, OYI_LOOP_pow_number,
                              OYI_NUMBERS(exponent));
  oy_object* powers = oyi_cpu_binary_number(out, self, exponent, flags, OYI_LOOP_pow);
  // Complex 0 and infinity have no power that is computed to be 0; to the number 0 all are 1.
  if (!powers || !oy_dtype_is_complex(powers->dtype) || !is_zero(exponent)) return powers;
  return oyi_call_fill__Scalar(powers, oy_int(1));
}

OYI_CPU(pow_Tensor_Tensor) {
  return oyi_cpu_binary(NULL, self, exponent, 0, OYI_LOOP_pow);
}
OYI_CPU(pow_Tensor_Tensor_out) {
  return oyi_cpu_binary(out, self, exponent, 0, OYI_LOOP_pow);
}
OYI_CPU(pow__Tensor) {
  return oyi_cpu_binary(self, self, exponent, INPLACE, OYI_LOOP_pow);
}
OYI_CPU(pow_Tensor_Scalar) {
  return to_number(NULL, self, exponent, 0);
}
OYI_CPU(pow_Tensor_Scalar_out) {
  return to_number(out, self, exponent, OYI_ITER_SAME_DTYPE);
}
OYI_CPU(pow__Scalar) {
  return to_number(self, self, exponent, INPLACE);
}
// New results are contiguous whatever the layout of the exponents is.
static oy_object* power_of_number(oy_object* out, oy_value base, oy_object* exponent) {
  oy_object* rows = oyi_call_contiguous(exponent, OY_MEMORY_CONTIGUOUS);
  if (!rows) return NULL;
  oy_object* result = oyi_cpu_number_binary(out, base, rows, 0, OYI_LOOP_pow);
  oy_tensor_release(rows);
  return result;
}
OYI_CPU(pow_Scalar) {
  return power_of_number(NULL, self, exponent);
}
OYI_CPU(pow_Scalar_out) {
  return power_of_number(out, self, exponent);
}
