// SPDX-License-Identifier: Apache-2.0
// Elementwise operators that need nothing but their loop: the kernels of a row of
// ops/table/pointwise.def (forms.def says which they are) are made here.
#include "backends/cpu/elementwise.h"
#include "ops/rules.h"

enum { SAME = 0, FLOAT = OYI_ITER_INT_TO_FLOAT, BOOL = OYI_ITER_BOOL_OUTPUT };

#define OY_UNARY(family, name, dtypes, backward, doc)                             \
  OYI_CPU(name) {                                                                 \
    return oyi_cpu_unary(NULL, self, dtypes, OYI_LOOP_##name);                    \
  }                                                                               \
  OYI_CPU(name##_out) {                                                           \
    return oyi_cpu_unary(out, self, dtypes, OYI_LOOP_##name);                     \
  }                                                                               \
  OYI_CPU(name##_) {                                                              \
    return oyi_cpu_unary(self, self, dtypes | OYI_ITER_INPLACE, OYI_LOOP_##name); \
  }
#define OY_BINARY(family, name, dtypes, backward, doc)                  \
  OYI_CPU(name##_Tensor) {                                              \
    return oyi_cpu_binary(NULL, self, other, dtypes, OYI_LOOP_##name);  \
  }                                                                     \
  OYI_CPU(name##_out) {                                                 \
    return oyi_cpu_binary(out, self, other, dtypes, OYI_LOOP_##name);   \
  }                                                                     \
  OYI_CPU(name##__Tensor) {                                             \
    return oyi_cpu_binary(self, self, other, dtypes | OYI_ITER_INPLACE, \
                          OYI_LOOP_##name);                             \
  }

// |other| as a 0-d tensor that takes part in promotion as a number.
static oy_object* with_number(oy_object* out, oy_object* self, oy_scalar other,
                              unsigned flags, oyi_cpu_loop which) {
  oy_object* number = oyi_wrap_number(other);
  if (!number) return NULL;
  oy_object* result = oyi_cpu_binary(out, self, number, flags, which);
  oy_tensor_release(number);
  return result;
}

#define OY_COMPARISON(name, doc)                                                        \
  OYI_CPU(name##_Tensor) {                                                              \
    return oyi_cpu_binary(NULL, self, other, BOOL, OYI_LOOP_##name);                    \
  }                                                                                     \
  OYI_CPU(name##_Tensor_out) {                                                          \
    return oyi_cpu_binary(out, self, other, BOOL, OYI_LOOP_##name);                     \
  }                                                                                     \
  OYI_CPU(name##__Tensor) {                                                             \
    return oyi_cpu_binary(self, self, other, BOOL | OYI_ITER_INPLACE, OYI_LOOP_##name); \
  }                                                                                     \
  OYI_CPU(name##_Scalar) {                                                              \
    return with_number(NULL, self, other, BOOL, OYI_LOOP_##name);                       \
  }                                                                                     \
  OYI_CPU(name##_Scalar_out) {                                                          \
    return with_number(out, self, other, BOOL, OYI_LOOP_##name);                        \
  }                                                                                     \
  OYI_CPU(name##__Scalar) {                                                             \
    return with_number(self, self, other, BOOL | OYI_ITER_INPLACE, OYI_LOOP_##name);    \
  }
#define OY_OP(family, id, where, backward, schema, doc)
#include "ops/ops.def"
#undef OY_OP
