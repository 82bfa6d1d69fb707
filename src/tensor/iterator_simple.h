// SPDX-License-Identifier: Apache-2.0
// Whether an elementwise call is as simple as most are: operands of one dtype and one
// shape, all contiguous and on the CPU. Each header is read once, by words.
#ifndef OPYARD_SRC_TENSOR_ITERATOR_SIMPLE_H_
#define OPYARD_SRC_TENSOR_ITERATOR_SIMPLE_H_

#include "tensor/iterator.h"

// Device, rank and flags, as one word.
static inline uint64_t oyi_layout_word(const oyi_tensor* t) {
  uint64_t word;
  memcpy(&word, &t->backend, sizeof(word));
  return word;
}
_Static_assert(offsetof(oyi_tensor, block) == offsetof(oyi_tensor, backend) + 7,
               "the fields that oyi_layout_word reads are one word");
static const union {
  uint8_t bytes[8];
  uint64_t word;
} oyi_layout_mask = {{255, 255, 255, 255, 255, 0, OYI_CONTIGUOUS, 0}};

// Dtype and flags of the object, as one word; what is reserved is 0.
static inline uint32_t oyi_kind_word(const oyi_tensor* t) {
  uint32_t word;
  memcpy(&word, &t->header.dtype, sizeof(word));
  return word;
}
_Static_assert(offsetof(oy_object, flags) == offsetof(oy_object, dtype) + 1 &&
                   offsetof(oy_object, reserved) == offsetof(oy_object, dtype) + 2,
               "the fields that oyi_kind_word reads are one word");

// Of a float32 that is nobody's number.
static const union {
  uint8_t bytes[4];
  uint32_t word;
} oyi_kind_f32 = {{OY_DTYPE_F32, 0, 0, 0}};

static inline bool oyi_same_layout(const oyi_tensor* a, const oyi_tensor* b) {
  if (((oyi_layout_word(a) ^ oyi_layout_word(b)) & oyi_layout_mask.word) != 0 ||
      oyi_kind_word(a) != oyi_kind_word(b) || !b->storage)
    return false;
  const int64_t *x = a->sizes, *y = b->sizes;
  for (size_t i = a->ndim; i-- > 0;)
    if (x[i] != y[i]) return false;
  return true;
}

// The same of three of at most two dimensions, which have elements, by one test of each
// word. The first of two sizes follows from the other and the number of elements.
static inline bool oyi_same_matrices(const oyi_tensor* a, const oyi_tensor* b,
                                     const oyi_tensor* c) {
  const uint64_t word = oyi_layout_word(a);
  const uint64_t layout = (word ^ oyi_layout_word(b)) | (word ^ oyi_layout_word(c));
  if ((layout & oyi_layout_mask.word) || b->numel != a->numel || c->numel != a->numel ||
      !a->storage || !b->storage || !c->storage)
    return false;
  if (a->ndim < 2) return true;
  const int64_t last = a->sizes[1];
  return b->sizes[1] == last && c->sizes[1] == last;
}

// |out| may be an input, element by element, or lie elsewhere.
static inline bool oyi_is_apart(const oyi_tensor* out, const oyi_tensor* in) {
  return out->storage != in->storage || out->byte_offset == in->byte_offset;
}

// Operands of one dtype and one shape, all contiguous and on the CPU: nothing is
// converted, broadcast or resized. False if it is not so simple.
static inline __attribute__((always_inline)) bool oyi_is_simple(oy_object* out,
                                                                oy_object* const* inputs,
                                                                int n, unsigned flags) {
  const oyi_tensor* a = oyi_tensor_cast(inputs[0]);
  const oyi_tensor* o = oyi_tensor_cast(out);
  if (!oyi_is_tensor(inputs[0]) || !(a->flags & OYI_CONTIGUOUS) ||
      a->backend != OY_BACKEND_CPU || !a->storage ||
      (a->header.flags & OY_OBJECT_WRAPPED_NUMBER) ||
      (flags & (OYI_ITER_BOOL_OUTPUT | OYI_ITER_REAL_OUTPUT)) ||
      ((flags & OYI_ITER_INT_TO_FLOAT) && !oy_dtype_is_floating(a->header.dtype)))
    return false;
  if (n == 2 && inputs[1] != inputs[0] &&
      (!oyi_is_tensor(inputs[1]) || !oyi_same_layout(a, oyi_tensor_cast(inputs[1]))))
    return false;
  if (!out || out == inputs[0])
    return !out || n == 1 || oyi_is_apart(o, oyi_tensor_cast(inputs[1]));
  return oyi_is_tensor(out) && oyi_same_layout(a, o) && oyi_is_apart(o, a) &&
         (n == 1 || oyi_is_apart(o, oyi_tensor_cast(inputs[1])));
}

#endif  // OPYARD_SRC_TENSOR_ITERATOR_SIMPLE_H_
