// SPDX-License-Identifier: Apache-2.0
// Elementwise operator kernels of the CPU: the iterator checks, promotes and
// broadcasts, then the loop of the common dtype runs over it. The functional,
// in-place and out= forms differ only in where the result goes.
#include "backends/cpu/kernels.h"
#include "backends/cpu/loops.h"
#include "ops/rules.h"
#include "tensor/element.h"

// The loop for the dtype of the walk, NULL with the error set. Gives up a new
// output and temporaries on failure.
static inline oyi_loop find_loop(oyi_iter* it, oyi_cpu_loop which) {
  oyi_loop loop = it->dtype < OYI_LOOP_DTYPES ? oyi_cpu_loops[which][it->dtype] : NULL;
  if (OY_LIKELY(loop != NULL)) return loop;
  OY_FAIL(NOT_IMPLEMENTED, "\"%s\" not implemented for '%s'", oyi_cpu_loop_names[which],
          oy_dtype_pytorch_name(it->dtype));
  return NULL;
}

static __attribute__((noinline, cold)) oy_object* give_up(oyi_iter* it) {
  oyi_iter_abandon(it);
  return NULL;
}

static inline __attribute__((always_inline)) oy_object* run(oyi_iter* it,
                                                            oyi_cpu_loop which,
                                                            const void* args) {
  oyi_loop loop = find_loop(it, which);
  if (OY_UNLIKELY(!loop)) return give_up(it);
  oyi_iter_run(it, loop, args);
  return oyi_iter_finish(it);
}

static oy_object* unary(oy_object* out, oy_object* self, unsigned flags,
                        oyi_cpu_loop which) {
  oyi_iter it;
  if (oyi_iter_elementwise(&it, out, &self, 1, flags) != 0) return NULL;
  return run(&it, which, NULL);
}

static oy_object* binary(oy_object* out, oy_object* self, oy_object* other,
                         unsigned flags, oyi_cpu_loop which) {
  oyi_iter it;
  oy_object* inputs[] = {self, other};
  if (oyi_iter_elementwise(&it, out, inputs, 2, flags) != 0) return NULL;
  return run(&it, which, NULL);
}

// With a number, which the loop gets in the common dtype.
static oy_object* binary_alpha(oy_object* out, oy_object* self, oy_object* other,
                               oy_scalar alpha, unsigned flags, oyi_cpu_loop which) {
  oyi_iter it;
  oy_object* inputs[] = {self, other};
  _Alignas(16) char number[16];
  if (oyi_iter_elementwise(&it, out, inputs, 2, flags) != 0) return NULL;
  if (OY_LIKELY(it.dtype == OY_DTYPE_F32 && alpha.tag == OY_TAG_INT)) {
    float f = (float)alpha.as.i;
    memcpy(number, &f, sizeof(f));
  } else {
    if (oyi_check_alpha(it.dtype, alpha) != 0) return give_up(&it);
    oyi_element_store(it.dtype, number, oyi_number_of_scalar(alpha));
  }
  return run(&it, which, number);
}

// ------------------------------------------------------------------ arithmetic

#define IGNORE (void)op, (void)keys
enum { INPLACE = OYI_ITER_INPLACE, TO_FLOAT = OYI_ITER_INT_TO_FLOAT };

OYI_KERNEL(BINARY_ALPHA, oy_cpu_add_Tensor) {
  IGNORE;
  return binary_alpha(NULL, self, other, alpha, 0, OYI_LOOP_add);
}
OYI_KERNEL(BINARY_ALPHA_OUT, oy_cpu_add_out) {
  IGNORE;
  return binary_alpha(out, self, other, alpha, 0, OYI_LOOP_add);
}
OYI_KERNEL(BINARY_ALPHA_INPLACE, oy_cpu_add__Tensor) {
  IGNORE;
  return binary_alpha(self, self, other, alpha, INPLACE, OYI_LOOP_add);
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

OYI_KERNEL(BINARY_ALPHA, oy_cpu_sub_Tensor) {
  IGNORE;
  if (is_bool_subtraction(self, other)) return NULL;
  return binary_alpha(NULL, self, other, alpha, 0, OYI_LOOP_sub);
}
OYI_KERNEL(BINARY_ALPHA_OUT, oy_cpu_sub_out) {
  IGNORE;
  if (is_bool_subtraction(self, other)) return NULL;
  return binary_alpha(out, self, other, alpha, 0, OYI_LOOP_sub);
}
OYI_KERNEL(BINARY_ALPHA_INPLACE, oy_cpu_sub__Tensor) {
  IGNORE;
  if (is_bool_subtraction(self, other)) return NULL;
  return binary_alpha(self, self, other, alpha, INPLACE, OYI_LOOP_sub);
}

OYI_KERNEL(BINARY, oy_cpu_mul_Tensor) {
  IGNORE;
  return binary(NULL, self, other, 0, OYI_LOOP_mul);
}
OYI_KERNEL(BINARY_OUT, oy_cpu_mul_out) {
  IGNORE;
  return binary(out, self, other, 0, OYI_LOOP_mul);
}
OYI_KERNEL(BINARY_INPLACE, oy_cpu_mul__Tensor) {
  IGNORE;
  return binary(self, self, other, INPLACE, OYI_LOOP_mul);
}

OYI_KERNEL(BINARY_FLOAT, oy_cpu_div_Tensor) {
  IGNORE;
  return binary(NULL, self, other, TO_FLOAT, OYI_LOOP_div);
}
OYI_KERNEL(BINARY_FLOAT_OUT, oy_cpu_div_out) {
  IGNORE;
  return binary(out, self, other, TO_FLOAT, OYI_LOOP_div);
}
OYI_KERNEL(BINARY_FLOAT_INPLACE, oy_cpu_div__Tensor) {
  IGNORE;
  return binary(self, self, other, TO_FLOAT | INPLACE, OYI_LOOP_div);
}

static oy_object* negated(oy_object* out, oy_object* self, unsigned flags) {
  if (self->dtype == OY_DTYPE_BOOL) {
    OY_FAIL(TYPE_MISMATCH,
            "Negation, the `-` operator, on a bool tensor is not supported. If you "
            "are trying to invert a mask, use the `~` or `logical_not()` operator "
            "instead.");
    return NULL;
  }
  return unary(out, self, flags, OYI_LOOP_neg);
}

OYI_KERNEL(UNARY, oy_cpu_neg) {
  IGNORE;
  return negated(NULL, self, 0);
}
OYI_KERNEL(UNARY_OUT, oy_cpu_neg_out) {
  IGNORE;
  return negated(out, self, 0);
}
OYI_KERNEL(UNARY_INPLACE, oy_cpu_neg_) {
  IGNORE;
  return negated(self, self, INPLACE);
}
OYI_KERNEL(UNARY, oy_cpu_relu) {
  IGNORE;
  return unary(NULL, self, 0, OYI_LOOP_relu);
}
OYI_KERNEL(UNARY_INPLACE, oy_cpu_relu_) {
  IGNORE;
  return unary(self, self, INPLACE, OYI_LOOP_relu);
}
OYI_KERNEL(THRESHOLD, oy_cpu_threshold_backward) {
  IGNORE;
  return binary_alpha(NULL, grad_output, self, threshold, 0, OYI_LOOP_threshold);
}

// ----------------------------------------------------------------- comparisons

OYI_KERNEL(COMPARISON, oy_cpu_eq_Tensor) {
  IGNORE;
  return binary(NULL, self, other, OYI_ITER_BOOL_OUTPUT, OYI_LOOP_eq);
}
OYI_KERNEL(COMPARISON, oy_cpu_ne_Tensor) {
  IGNORE;
  return binary(NULL, self, other, OYI_ITER_BOOL_OUTPUT, OYI_LOOP_ne);
}
OYI_KERNEL(COMPARISON, oy_cpu_lt_Tensor) {
  IGNORE;
  return binary(NULL, self, other, OYI_ITER_BOOL_OUTPUT, OYI_LOOP_lt);
}
OYI_KERNEL(COMPARISON, oy_cpu_le_Tensor) {
  IGNORE;
  return binary(NULL, self, other, OYI_ITER_BOOL_OUTPUT, OYI_LOOP_le);
}
OYI_KERNEL(COMPARISON, oy_cpu_gt_Tensor) {
  IGNORE;
  return binary(NULL, self, other, OYI_ITER_BOOL_OUTPUT, OYI_LOOP_gt);
}
OYI_KERNEL(COMPARISON, oy_cpu_ge_Tensor) {
  IGNORE;
  return binary(NULL, self, other, OYI_ITER_BOOL_OUTPUT, OYI_LOOP_ge);
}
