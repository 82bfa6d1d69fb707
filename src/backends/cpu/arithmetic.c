// SPDX-License-Identifier: Apache-2.0
// Arithmetic whose arguments or errors are not those of a whole group of operators.
#include "backends/cpu/elementwise.h"

enum { INPLACE = OYI_ITER_INPLACE };

OYI_CPU(add_Tensor) {
  return oyi_cpu_binary_alpha(NULL, self, other, alpha, 0, OYI_LOOP_add);
}
OYI_CPU(add_out) {
  return oyi_cpu_binary_alpha(out, self, other, alpha, 0, OYI_LOOP_add);
}
OYI_CPU(add__Tensor) {
  return oyi_cpu_binary_alpha(self, self, other, alpha, INPLACE, OYI_LOOP_add);
}

static bool is_bool_subtraction(const oy_object* self, const oy_object* other) {
  if (self->dtype != OY_DTYPE_BOOL && other->dtype != OY_DTYPE_BOOL) return false;
  if (self->dtype == other->dtype)
    OY_FAIL(TYPE_MISMATCH,
            "Subtraction, the `-` operator, with two bool tensors is not supported. "
            "Use the `^` or `logical_xor()` operator instead.");
  else
    OY_FAIL(TYPE_MISMATCH,
            "Subtraction, the `-` operator, with a bool tensor is not supported. If "
            "you are trying to invert a mask, use the `~` or `logical_not()` "
            "operator instead.");
  return true;
}

OYI_CPU(sub_Tensor) {
  if (is_bool_subtraction(self, other)) return NULL;
  return oyi_cpu_binary_alpha(NULL, self, other, alpha, 0, OYI_LOOP_sub);
}
OYI_CPU(sub_out) {
  if (is_bool_subtraction(self, other)) return NULL;
  return oyi_cpu_binary_alpha(out, self, other, alpha, 0, OYI_LOOP_sub);
}
OYI_CPU(sub__Tensor) {
  if (is_bool_subtraction(self, other)) return NULL;
  return oyi_cpu_binary_alpha(self, self, other, alpha, INPLACE, OYI_LOOP_sub);
}

static oy_object* negated(oy_object* out, oy_object* self, unsigned flags) {
  if (self->dtype == OY_DTYPE_BOOL) {
    OY_FAIL(TYPE_MISMATCH,
            "Negation, the `-` operator, on a bool tensor is not supported. If you "
            "are trying to invert a mask, use the `~` or `logical_not()` operator "
            "instead.");
    return NULL;
  }
  return oyi_cpu_unary(out, self, flags, OYI_LOOP_neg);
}

OYI_CPU(neg) {
  return negated(NULL, self, 0);
}
OYI_CPU(neg_out) {
  return negated(out, self, 0);
}
OYI_CPU(neg_) {
  return negated(self, self, INPLACE);
}
OYI_CPU(relu) {
  return oyi_cpu_unary(NULL, self, 0, OYI_LOOP_relu);
}
OYI_CPU(relu_) {
  return oyi_cpu_unary(self, self, INPLACE, OYI_LOOP_relu);
}
OYI_CPU(threshold_backward) {
  return oyi_cpu_binary_alpha(NULL, grad_output, self, threshold, 0, OYI_LOOP_threshold);
}
