// SPDX-License-Identifier: Apache-2.0
// How a view begins and ends: its header is a copy of the other tensor's in a block of the
// thread's pool, its shape is written where it stays, and what follows from the shape is
// found in one pass. A plain view shares nothing but the storage, and the thread has a block
// for it: those are made in line (view_plain.h). Others begin with oyi_view_begin.
#ifndef OPYARD_SRC_TENSOR_VIEW_BEGIN_H_
#define OPYARD_SRC_TENSOR_VIEW_BEGIN_H_

#include "tensor/view_block.h"

// The word of device, rank, capacity, flags and units of the block, for a view of another
// tensor that has |other|.
static inline uint64_t oyi_view_word(uint64_t other, size_t ndim) {
  const uint64_t kept =
      OYI_IN_WORD(oyi_tensor, backend, UINT16_MAX) |
      OYI_IN_WORD(oyi_tensor, device_index, UINT16_MAX) |
      OYI_IN_WORD(oyi_tensor, flags, OYI_CONTIGUOUS | OYI_DENSE | OYI_NO_VERSION);
  const uint64_t added = OYI_IN_WORD(oyi_tensor, flags, OYI_VIEW_BLOCK) |
                         OYI_IN_WORD(oyi_tensor, block, OYI_VIEW_UNITS);
  const uint64_t by_rank = OYI_IN_WORD(oyi_tensor, ndim, 1) |
                           OYI_IN_WORD(oyi_tensor, capacity, 1) |
                           OYI_IN_WORD(oyi_tensor, block, 1);
  return (other & kept) + added + ndim * by_rank;
}

// Two words by one move, also where the compiler was told to move structures word by word.
static inline void oyi_copy_pair(void* to, const void* from) {
  typedef char pair __attribute__((vector_size(16), aligned(1), may_alias));
  *(pair*)to = *(const pair*)from;
}
_Static_assert(sizeof(oy_keyset) == 16 &&
                   offsetof(oyi_tensor, numel) == offsetof(oyi_tensor, byte_offset) + 8 &&
                   offsetof(oyi_tensor, storage) == offsetof(oyi_tensor, offset) + 8,
               "what is copied in pairs");

// The block that a plain view of |t| with |ndim| dimensions would get, still in the thread's
// list: who wants one writes sizes and strides first and oyi_view_fill then, or nothing.
// NULL: it would not be plain.
static inline oyi_tensor* oyi_view_room(const oyi_tensor* t, size_t ndim) {
  return OY_LIKELY(ndim <= OYI_INLINE_DIMS && !t->side) ? oyi_pool.view_head[ndim] : NULL;
}

// Takes |v|, which is that block, and makes it a plain view of |t| but for sizes and strides:
// keys, numel, flags, dtype, device and place are those of |t|. Who has it counts the storage
// and takes |meta| back, which leads to the room for a record, or fills that: oyi_view_counted,
// or autograd.
static inline __attribute__((always_inline)) oyi_tensor* oyi_view_fill(
    const oyi_tensor* t, oyi_tensor* v, size_t ndim) {
  oyi_view_drop_head(ndim, v);
  oyi_stores_stay();
  oyi_copy_pair(&v->header.keys, &t->header.keys);
  // The dtype alone: its count of references was just written in another width, and a load
  // of both waits until that has left the store buffer.
  oyi_header_begin(&v->header, t->header.dtype);
  oyi_copy_pair(&v->byte_offset, &t->byte_offset);  // and |numel|
  oyi_copy_pair(&v->offset, &t->offset);            // and |storage|
  // The rest is one word.
  uint64_t word;
  memcpy(&word, &t->backend, sizeof(word));
  word = oyi_view_word(word, ndim);
  memcpy(&v->backend, &word, sizeof(word));
  return v;
}
// A plain view without a record, with a reference to its storage, and without Autograd among
// its keys; NULL stays NULL.
static inline __attribute__((always_inline)) oyi_tensor* oyi_view_counted(oyi_tensor* v) {
  if (OY_UNLIKELY(!v)) return NULL;
  v->header.keys.functionality &= ~OYI_AUTOGRAD_KEYS;
  oyi_storage_retain(v->storage);
  v->meta = NULL;
  return v;
}

// The same of any tensor, and with any number of dimensions that one can have; its sizes are
// at |sizes|. NULL: OUT_OF_MEMORY.
oyi_tensor* oyi_view_begin_long(const oyi_tensor* t, size_t ndim);
static inline __attribute__((always_inline)) oyi_tensor* oyi_view_begin(
    const oyi_tensor* t, size_t ndim) {
  oyi_tensor* v = oyi_view_room(t, ndim);
  return OY_LIKELY(v != NULL) ? oyi_view_counted(oyi_view_fill(t, v, ndim))
                              : oyi_view_begin_long(t, ndim);
}

// Moves the first element |by| elements further.
static inline void oyi_view_move(oyi_tensor* v, int64_t by) {
  v->offset += by;
  v->byte_offset = v->offset * oyi_item(v);
}

// What follows from dimensions that come last first; begins as {1, false}.
typedef struct oyi_view_run {
  int64_t numel;
  bool apart;
} oyi_view_run;
static inline void oyi_view_run_on(oyi_view_run* run, int64_t size, int64_t stride) {
  run->apart |= (size != 1) & (stride != run->numel);
  run->numel *= size;
}
// Whether they are of a contiguous tensor.
static inline bool oyi_view_is_whole(const oyi_view_run* run) {
  return OY_LIKELY(!run->apart) || run->numel == 0;
}
static inline bool oyi_view_is_contiguous(const oyi_tensor* v, int64_t* out_numel) {
  oyi_view_run run = {1, false};
  for (size_t i = v->ndim; i-- > 0;)
    oyi_view_run_on(&run, v->sizes[i], oyi_strides(v)[i]);
  *out_numel = run.numel;
  return oyi_view_is_whole(&run);
}

// Finds numel and flags from sizes and strides, and gives |v| back.
oyi_tensor* oyi_view_end_apart(oyi_tensor* v);
static inline __attribute__((always_inline)) oyi_tensor* oyi_view_end(oyi_tensor* v) {
  if (OY_UNLIKELY(!oyi_view_is_contiguous(v, &v->numel))) return oyi_view_end_apart(v);
  v->flags |= OYI_CONTIGUOUS | OYI_DENSE;
  return v;
}
// The same, not in line.
oyi_tensor* oyi_view_end_long(oyi_tensor* v);
// The same where the dimensions are those of another tensor in another order: dense is dense
// in any order, what is contiguous is so in one order alone.
oyi_tensor* oyi_view_end_ordered(oyi_tensor* v);

// A view with |size| of the slices of |dim| from |start| on, all of them in range.
oyi_tensor* oyi_tensor_part(const oyi_tensor* t, size_t dim, int64_t start, int64_t size);

#endif  // OPYARD_SRC_TENSOR_VIEW_BEGIN_H_
