// SPDX-License-Identifier: Apache-2.0
// How a view begins and ends: its header is a copy of the other tensor's in a block of the
// thread's pool, its shape is written where it stays, and what follows from the shape is
// found in one pass. Who makes views all the time asks oyi_view_is_plain and does the rest
// in line, so that it saves no registers; others call oyi_view_begin.
#ifndef OPYARD_SRC_TENSOR_VIEW_BEGIN_H_
#define OPYARD_SRC_TENSOR_VIEW_BEGIN_H_

#include "tensor/impl.h"
#include "tensor/pool.h"

_Static_assert(2 * sizeof(int64_t) == OYI_POOL_UNIT, "a unit holds one dimension");
static inline size_t oyi_view_units(size_t ndim) {
  return OYI_VIEW_DIMS_OFFSET / OYI_POOL_UNIT + ndim;
}

// Whether the thread has a block for a view of |t| with |ndim| dimensions, and the view
// shares nothing with |t| but the storage.
static inline bool oyi_view_is_plain(const oyi_tensor* t, size_t ndim) {
  return OY_LIKELY(ndim <= OYI_INLINE_DIMS && !t->side &&
                   oyi_pool.head[oyi_view_units(ndim) - 1]);
}

// Where the sizes of a plain view are; strides follow.
static inline int64_t* oyi_view_sizes(oyi_tensor* v) {
  return (int64_t*)(void*)((char*)v + OYI_VIEW_DIMS_OFFSET);
}

// Device, rank, capacity, flags and units of the block: what of |t| is kept, what every view
// has, and what each of its dimensions adds.
typedef union oyi_view_word {
  uint8_t bytes[8];
  uint64_t bits;
} oyi_view_word;
_Static_assert(offsetof(oyi_tensor, side) == offsetof(oyi_tensor, backend) + 8 &&
                   offsetof(oyi_tensor, ndim) == offsetof(oyi_tensor, backend) + 4 &&
                   offsetof(oyi_tensor, flags) == offsetof(oyi_tensor, backend) + 6,
               "what oyi_view_word says");
static const oyi_view_word oyi_view_kept = {
    {255, 255, 255, 255, 0, 0, OYI_CONTIGUOUS | OYI_DENSE | OYI_NO_VERSION, 0}};
static const oyi_view_word oyi_view_added = {
    {0, 0, 0, 0, 0, 0, OYI_VIEW_BLOCK, OYI_VIEW_DIMS_OFFSET / OYI_POOL_UNIT}};
static const oyi_view_word oyi_view_each = {{0, 0, 0, 0, 1, 1, 0, 1}};

// A plain view of |t| that lacks sizes and strides: numel, flags and place are those of |t|.
// Dtype, device and layers' keys are copied with the rest, but for Autograd, and history is
// left behind.
static inline __attribute__((always_inline)) oyi_tensor* oyi_view_take(
    const oyi_tensor* t, size_t ndim) {
  oyi_storage_retain(t->storage);
  oyi_tensor* v = oyi_pool_pop(oyi_view_units(ndim));
  memcpy(v, t, offsetof(oyi_tensor, backend));
  v->header.keys.functionality &= ~OYI_AUTOGRAD_KEYS;
  v->header.references = 1;
  v->header.flags = 0;
  v->header.reserved = 0;
  v->meta = NULL;
  v->sizes = oyi_view_sizes(v);
  // The rest is one word, and no record.
  oyi_view_word word;
  memcpy(&word, &t->backend, sizeof(word));
  word.bits =
      (word.bits & oyi_view_kept.bits) + oyi_view_added.bits + ndim * oyi_view_each.bits;
  memcpy(&v->backend, &word, sizeof(word));
  v->side = NULL;
  return v;
}

// The same of any tensor, and with any number of dimensions that one can have; its sizes are
// at |sizes|. NULL: OUT_OF_MEMORY.
oyi_tensor* oyi_view_begin_long(const oyi_tensor* t, size_t ndim);
static inline __attribute__((always_inline)) oyi_tensor* oyi_view_begin(
    const oyi_tensor* t, size_t ndim) {
  return oyi_view_is_plain(t, ndim) ? oyi_view_take(t, ndim)
                                    : oyi_view_begin_long(t, ndim);
}

// Moves the first element |by| elements further.
static inline void oyi_view_move(oyi_tensor* v, int64_t by) {
  v->offset += by;
  v->byte_offset = v->offset * oyi_item(v);
}

static inline bool oyi_view_is_contiguous(const oyi_tensor* v, int64_t* out_numel) {
  const int64_t *sizes = v->sizes, *strides = oyi_strides(v);
  int64_t numel = 1;
  bool apart = false;
  for (size_t i = v->ndim; i-- > 0;) {
    apart |= (sizes[i] != 1) & (strides[i] != numel);
    numel *= sizes[i];
  }
  *out_numel = numel;
  return !apart || numel == 0;
}

// Finds numel and flags from sizes and strides, and gives |v| back.
oyi_tensor* oyi_view_end_apart(oyi_tensor* v);
static inline __attribute__((always_inline)) oyi_tensor* oyi_view_end(oyi_tensor* v) {
  if (OY_UNLIKELY(!oyi_view_is_contiguous(v, &v->numel))) return oyi_view_end_apart(v);
  v->flags |= OYI_CONTIGUOUS | OYI_DENSE;
  return v;
}
// The same where the dimensions are those of another tensor in another order.
static inline oyi_tensor* oyi_view_end_ordered(oyi_tensor* v) {
  // Dense is dense in any order; what is contiguous is so in one order alone.
  int64_t numel;
  v->flags &= (uint8_t)~OYI_CONTIGUOUS;
  if (oyi_view_is_contiguous(v, &numel)) v->flags |= OYI_CONTIGUOUS;
  return v;
}

// A view with |size| of the slices of |dim| from |start| on, all of them in range.
oyi_tensor* oyi_tensor_part(const oyi_tensor* t, size_t dim, int64_t start, int64_t size);

#endif  // OPYARD_SRC_TENSOR_VIEW_BEGIN_H_
