// SPDX-License-Identifier: Apache-2.0
// Operators on bits by their names in expressions, and shifts with numbers.
#include "ops/composite/composite.h"
#include "ops/out.h"

#define AS_OPERATOR(name, inplace, of)           \
  OYI_COMPOSITE(name##_Tensor) {                 \
    return oyi_call_##of##_Tensor(self, other);  \
  }                                              \
  OYI_COMPOSITE(name##_Scalar) {                 \
    return oyi_call_##of##_Scalar(self, other);  \
  }                                              \
  OYI_COMPOSITE(inplace##_Tensor) {              \
    return oyi_call_##of##__Tensor(self, other); \
  }                                              \
  OYI_COMPOSITE(inplace##_Scalar) {              \
    return oyi_call_##of##__Scalar(self, other); \
  }
AS_OPERATOR(__and__, __iand__, bitwise_and)
AS_OPERATOR(__or__, __ior__, bitwise_or)
AS_OPERATOR(__xor__, __ixor__, bitwise_xor)

#define SHIFT(name, operator_name)                                                   \
  OYI_COMPOSITE(name##_Tensor_Scalar) {                                              \
    OYI_WITH_NUMBER(number, other, oyi_call_##name##_Tensor(self, number));          \
  }                                                                                  \
  OYI_COMPOSITE(name##_Tensor_Scalar_out) {                                          \
    OYI_WITH_NUMBER(number, other, oyi_call_##name##_Tensor_out(self, number, out)); \
  }                                                                                  \
  OYI_COMPOSITE(name##__Tensor_Scalar) {                                             \
    OYI_WITH_NUMBER(number, other, oyi_call_##name##__Tensor(self, number));         \
  }                                                                                  \
  OYI_COMPOSITE(name##_Scalar_Tensor) {                                              \
    OYI_WITH_NUMBER(number, self, oyi_call_##name##_Tensor(number, other));          \
  }                                                                                  \
  OYI_COMPOSITE(name##_Scalar_Tensor_out) {                                          \
    return oyi_into_out(oyi_call_##name##_Scalar_Tensor(self, other), out);          \
  }                                                                                  \
  OYI_COMPOSITE(operator_name##_Tensor_out) {                                        \
    return oyi_into_out(oyi_call_##operator_name##_Tensor(self, other), out);        \
  }                                                                                  \
  OYI_COMPOSITE(operator_name##_Scalar_out) {                                        \
    return oyi_into_out(oyi_call_##operator_name##_Scalar(self, other), out);        \
  }
SHIFT(bitwise_left_shift, __lshift__)
SHIFT(bitwise_right_shift, __rshift__)
