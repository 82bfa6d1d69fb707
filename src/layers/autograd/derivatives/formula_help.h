// SPDX-License-Identifier: Apache-2.0
// What formulas are written with. The functions that begin with |of_| take the
// references that they are given, NULL from a call that failed too, and return a new
// one, so that a formula reads as it is written in books:
//   GIVE(0, of_mul(keep(grad), of_cos(saved(node, 0))));
#ifndef OPYARD_SRC_LAYERS_AUTOGRAD_DERIVATIVES_FORMULA_HELP_H_
#define OPYARD_SRC_LAYERS_AUTOGRAD_DERIVATIVES_FORMULA_HELP_H_

#include "layers/autograd/derivatives/formulas.h"
#include "ops/calls.h"

static inline oy_object* keep(oy_object* tensor) {
  return oy_tensor_retain(tensor);
}
static inline oy_object* saved(oyi_short_node* node, int slot) {
  return oy_tensor_retain(oyi_node_saved(node, slot));
}
static inline oy_object* saved_result(oyi_short_node* node) {
  return saved(node, OYI_SAVE_RESULT);
}

// The conjugate: a real tensor is its own.
static inline oy_object* of_conj(oy_object* a) {
  if (!a || !oy_dtype_is_complex(a->dtype)) return a;
  oy_object* result = oyi_call_conj_physical(a);
  oy_tensor_release(a);
  return result;
}

#define OYI_OF_1(name, call)                         \
  static inline oy_object* of_##name(oy_object* a) { \
    oy_object* result = call;                        \
    oy_tensor_release(a);                            \
    return result;                                   \
  }
#define OYI_OF_2(name, call)                                       \
  static inline oy_object* of_##name(oy_object* a, oy_object* b) { \
    oy_object* result = call;                                      \
    oy_tensor_release(a);                                          \
    oy_tensor_release(b);                                          \
    return result;                                                 \
  }
#define OYI_OF_NUMBER(name, call)                                      \
  static inline oy_object* of_##name(oy_object* a, oy_scalar number) { \
    oy_object* result = call;                                          \
    oy_tensor_release(a);                                              \
    return result;                                                     \
  }
OYI_OF_1(neg, oyi_call_neg(a))
OYI_OF_1(square, oyi_call_mul_Tensor(a, a))
OYI_OF_1(cos, oyi_call_cos(a))
OYI_OF_1(sin, oyi_call_sin(a))
OYI_OF_1(cosh, oyi_call_cosh(a))
OYI_OF_1(sinh, oyi_call_sinh(a))
OYI_OF_1(exp, oyi_call_exp(a))
OYI_OF_1(exp2, oyi_call_exp2(a))
OYI_OF_1(log, oyi_call_log(a))
OYI_OF_1(sgn, oyi_call_sgn(a))
OYI_OF_1(rsqrt, oyi_call_rsqrt(a))
OYI_OF_1(tanh, oyi_call_tanh(a))
OYI_OF_1(sigmoid, oyi_call_sigmoid(a))
OYI_OF_1(digamma, oyi_call_digamma(a))
OYI_OF_1(isfinite, oyi_call_isfinite(a))
OYI_OF_1(isnan, oyi_call_isnan(a))
OYI_OF_1(not, oyi_call_logical_not(a))
OYI_OF_2(mul, oyi_call_mul_Tensor(a, b))
OYI_OF_2(div, oyi_call_div_Tensor(a, b))
OYI_OF_2(add, oyi_call_add_Tensor(a, b, oy_int(1)))
OYI_OF_2(sub, oyi_call_sub_Tensor(a, b, oy_int(1)))
OYI_OF_2(pow, oyi_call_pow_Tensor_Tensor(a, b))
OYI_OF_2(xlogy, oyi_call_xlogy_Tensor(a, b))
OYI_OF_2(eq, oyi_call_eq_Tensor(a, b))
OYI_OF_2(lt, oyi_call_lt_Tensor(a, b))
OYI_OF_2(ge, oyi_call_ge_Tensor(a, b))
OYI_OF_2(le, oyi_call_le_Tensor(a, b))
OYI_OF_2(or, oyi_call_logical_or(a, b))
OYI_OF_2(and, oyi_call_logical_and(a, b))
OYI_OF_NUMBER(mul_number, oyi_call_mul_Scalar(a, number))
OYI_OF_NUMBER(div_number, oyi_call_div_Scalar(a, number))
OYI_OF_NUMBER(add_number, oyi_call_add_Scalar(a, number, oy_int(1)))
OYI_OF_NUMBER(pow_number, oyi_call_pow_Tensor_Scalar(a, number))
OYI_OF_NUMBER(eq_number, oyi_call_eq_Scalar(a, number))
OYI_OF_NUMBER(lt_number, oyi_call_lt_Scalar(a, number))
OYI_OF_NUMBER(ge_number, oyi_call_ge_Scalar(a, number))
OYI_OF_NUMBER(le_number, oyi_call_le_Scalar(a, number))
#undef OYI_OF_1
#undef OYI_OF_2
#undef OYI_OF_NUMBER

// The conjugate of |number|, which may be put into |room|.
static inline oy_scalar conj_number(oy_scalar number, oy_complex* room) {
  if (number.tag != OY_TAG_COMPLEX) return number;
  *room = (oy_complex){number.as.complex_data->re, -number.as.complex_data->im};
  return oy_complex_value(room);
}
// |a| times, and over, the conjugate of |number|.
static inline oy_object* of_scaled(oy_object* a, oy_scalar number) {
  oy_complex room;
  if (number.tag == OY_TAG_INT && number.as.i == 1) return a;
  return of_mul_number(a, conj_number(number, &room));
}
static inline oy_object* of_divided(oy_object* a, oy_scalar number) {
  oy_complex room;
  return of_div_number(a, conj_number(number, &room));
}

// |grad| where |mask| is true, 0 elsewhere.
static inline oy_object* of_masked(oy_object* mask, oy_object* grad) {
  oy_object* result = oyi_call_where_ScalarOther(mask, grad, oy_int(0));
  oy_tensor_release(mask);
  oy_tensor_release(grad);
  return result;
}
static inline oy_object* zeros_like(oy_object* tensor) {
  return oyi_call_zeros_like(tensor, oy_none(), oy_none(), oy_none(), oy_none(),
                             oy_none());
}

#endif  // OPYARD_SRC_LAYERS_AUTOGRAD_DERIVATIVES_FORMULA_HELP_H_
