// SPDX-License-Identifier: Apache-2.0
// One elementwise operation, from the arguments of an operator to its result: |out|
// NULL makes a new tensor; with OYI_ITER_INPLACE it is |self| too. |flags| are the
// iterator's. NULL with the error set on failure.
#ifndef OPYARD_SRC_BACKENDS_CPU_POINTWISE_ELEMENTWISE_H_
#define OPYARD_SRC_BACKENDS_CPU_POINTWISE_ELEMENTWISE_H_

#include "backends/cpu/kernels.h"
#include "backends/cpu/loops/loops.h"
#include "tensor/iterator_simple.h"

// What an operator has besides tensors: at most three numbers, which the loop gets in
// the dtype that it computes in.
enum { OYI_LOOP_NUMBERS = 3 };
typedef struct oyi_numbers {
  oy_scalar at[OYI_LOOP_NUMBERS];
  int count;
} oyi_numbers;
#define OYI_NUMBERS(...)         \
  (&(oyi_numbers){{__VA_ARGS__}, \
                  (int)(sizeof((oy_scalar[]){__VA_ARGS__}) / sizeof(oy_scalar))})

// |numbers| may be NULL.
oy_object* oyi_cpu_pointwise(oy_object* out, oy_object* const* inputs, int input_count,
                             unsigned flags, oyi_cpu_loop which,
                             const oyi_numbers* numbers);
oy_object* oyi_cpu_unary(oy_object* out, oy_object* self, unsigned flags,
                         oyi_cpu_loop which);
oy_object* oyi_cpu_binary(oy_object* out, oy_object* self, oy_object* other,
                          unsigned flags, oyi_cpu_loop which);
// As oyi_cpu_binary, and integers are not divided by zero.
oy_object* oyi_cpu_binary_dividing(oy_object* out, oy_object* self, oy_object* other,
                                   unsigned flags, oyi_cpu_loop which);
// With a number that must go with the dtype of the result.
oy_object* oyi_cpu_binary_alpha(oy_object* out, oy_object* self, oy_object* other,
                                oy_scalar alpha, unsigned flags, oyi_cpu_loop which);
// Between bounds, of which one may be None, in the dtype of |self|.
oy_object* oyi_cpu_clamp(oy_object* out, oy_object* self, oy_scalar min, oy_scalar max,
                         unsigned flags);
// The same into |out|, for a kernel that is short where all three are alike.
static inline __attribute__((always_inline)) oy_object* oyi_cpu_binary_alpha_into(
    oy_object* out, oy_object* self, oy_object* other, oy_scalar alpha, unsigned flags,
    oyi_cpu_loop which) {
  const oyi_tensor *o = oyi_tensor_cast(out), *a = oyi_tensor_cast(self),
                   *b = oyi_tensor_cast(other);
  const oyi_loop loop = oyi_cpu_loops[which][OY_DTYPE_F32];
  // Of float32 and an integer there is nothing to check.
  if (OY_UNLIKELY(!oyi_is_tensor(out) || !oyi_is_tensor(self) || !oyi_is_tensor(other) ||
                  oyi_kind_word(a) != oyi_kind_f32.word ||
                  oyi_kind_word(b) != oyi_kind_f32.word ||
                  oyi_kind_word(o) != oyi_kind_f32.word || a->ndim > 2 ||
                  !(a->flags & OYI_CONTIGUOUS) || a->backend != OY_BACKEND_CPU ||
                  (uint64_t)a->numel - 1 >= OYI_ITER_GRAIN ||
                  !oyi_same_matrices(a, b, o) || !oyi_is_apart(o, a) ||
                  !oyi_is_apart(o, b) || alpha.tag != OY_TAG_INT || !loop))
    return oyi_cpu_binary_alpha(out, self, other, alpha, flags, which);
  char* data[] = {(char*)o->storage->data + o->byte_offset,
                  (char*)a->storage->data + a->byte_offset,
                  (char*)b->storage->data + b->byte_offset};
  const int64_t strides[] = {sizeof(float), sizeof(float), sizeof(float)};
  const float numbers[3] = {(float)alpha.as.i};  // loops look at three, and use one here
  loop(a->numel, data, strides, numbers);
  return out;
}
static inline oy_object* oyi_cpu_unary_with(oy_object* out, oy_object* self,
                                            unsigned flags, oyi_cpu_loop which,
                                            const oyi_numbers* numbers) {
  return oyi_cpu_pointwise(out, &self, 1, flags, which, numbers);
}
static inline oy_object* oyi_cpu_binary_with(oy_object* out, oy_object* a, oy_object* b,
                                             unsigned flags, oyi_cpu_loop which,
                                             const oyi_numbers* numbers) {
  oy_object* inputs[] = {a, b};
  return oyi_cpu_pointwise(out, inputs, 2, flags, which, numbers);
}
static inline oy_object* oyi_cpu_ternary_with(oy_object* out, oy_object* a, oy_object* b,
                                              oy_object* c, unsigned flags,
                                              oyi_cpu_loop which,
                                              const oyi_numbers* numbers) {
  oy_object* inputs[] = {a, b, c};
  return oyi_cpu_pointwise(out, inputs, 3, flags, which, numbers);
}
// |number| as a tensor that promotes as numbers do, in place of one input.
oy_object* oyi_cpu_binary_number(oy_object* out, oy_object* self, oy_scalar other,
                                 unsigned flags, oyi_cpu_loop which);
oy_object* oyi_cpu_number_binary(oy_object* out, oy_scalar self, oy_object* other,
                                 unsigned flags, oyi_cpu_loop which);

// The steps of oyi_cpu_pointwise, for kernels with something to do in between: what
// sets |it| up, and what runs and ends it.
oy_object* oyi_cpu_run(oyi_iter* it, oyi_cpu_loop which, const oyi_numbers* numbers);

// "... is not supported ..." and the like: sets the error and gives NULL.
#define OYI_REFUSE(...) (OY_FAIL(TYPE_MISMATCH, __VA_ARGS__), (oy_object*)NULL)

#endif  // OPYARD_SRC_BACKENDS_CPU_POINTWISE_ELEMENTWISE_H_
