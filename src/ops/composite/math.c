// SPDX-License-Identifier: Apache-2.0
// Operators with a number where others have a tensor: it becomes a 0-d tensor that takes
// part in promotion as a number.
#include "ops/calls.h"
#include "ops/kernels.h"
#include "ops/rules/rules.h"

#define WITH_NUMBER(call)                     \
  oy_object* number = oyi_wrap_number(other); \
  oy_object* result = call;                   \
  oy_tensor_release(number);                  \
  return result

OYI_COMPOSITE(add_Scalar) {
  WITH_NUMBER(oyi_call_add_Tensor(self, number, alpha));
}
OYI_COMPOSITE(add__Scalar) {
  WITH_NUMBER(oyi_call_add__Tensor(self, number, alpha));
}
OYI_COMPOSITE(sub_Scalar) {
  WITH_NUMBER(oyi_call_sub_Tensor(self, number, alpha));
}
OYI_COMPOSITE(sub__Scalar) {
  WITH_NUMBER(oyi_call_sub__Tensor(self, number, alpha));
}
OYI_COMPOSITE(mul_Scalar) {
  WITH_NUMBER(oyi_call_mul_Tensor(self, number));
}
OYI_COMPOSITE(mul__Scalar) {
  WITH_NUMBER(oyi_call_mul__Tensor(self, number));
}
OYI_COMPOSITE(div_Scalar) {
  WITH_NUMBER(oyi_call_div_Tensor(self, number));
}
OYI_COMPOSITE(div__Scalar) {
  WITH_NUMBER(oyi_call_div__Tensor(self, number));
}
