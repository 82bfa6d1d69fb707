// SPDX-License-Identifier: Apache-2.0
// Shifts of integers, by their names and as operators.
#include "backends/cpu/pointwise/elementwise.h"

enum { INPLACE = OYI_ITER_INPLACE };

#define SHIFT(name, loop)                                                      \
  OYI_CPU(name##_Tensor) {                                                     \
    return oyi_cpu_binary(NULL, self, other, 0, OYI_LOOP_##loop);              \
  }                                                                            \
  OYI_CPU(name##_Tensor_out) {                                                 \
    return oyi_cpu_binary(out, self, other, 0, OYI_LOOP_##loop);               \
  }                                                                            \
  OYI_CPU(name##__Tensor) {                                                    \
    return oyi_cpu_binary(self, self, other, INPLACE, OYI_LOOP_##loop);        \
  }                                                                            \
  OYI_CPU(__##loop##___Tensor) {                                               \
    return oyi_cpu_binary(NULL, self, other, 0, OYI_LOOP_##loop);              \
  }                                                                            \
  OYI_CPU(__##loop##___Scalar) {                                               \
    return oyi_cpu_binary_number(NULL, self, other, 0, OYI_LOOP_##loop);       \
  }                                                                            \
  OYI_CPU(__i##loop##___Tensor) {                                              \
    return oyi_cpu_binary(self, self, other, INPLACE, OYI_LOOP_##loop);        \
  }                                                                            \
  OYI_CPU(__i##loop##___Scalar) {                                              \
    return oyi_cpu_binary_number(self, self, other, INPLACE, OYI_LOOP_##loop); \
  }
SHIFT(bitwise_left_shift, lshift)
SHIFT(bitwise_right_shift, rshift)
