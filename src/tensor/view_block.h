// SPDX-License-Identifier: Apache-2.0
// Blocks of views. Those of up to OYI_INLINE_DIMS dimensions that nobody has stay filled in
// the lists of the thread: class, place of the shape, no side, and a record that knows its
// class and its tensor and is zeros besides, which are alike in all of them, were written
// once. What a view changes of that is put right by who ends it, or the block goes back to
// the pool.
#ifndef OPYARD_SRC_TENSOR_VIEW_BLOCK_H_
#define OPYARD_SRC_TENSOR_VIEW_BLOCK_H_

#include "tensor/impl.h"
#include "tensor/pool.h"

_Static_assert(2 * sizeof(int64_t) == OYI_POOL_UNIT, "a unit holds one dimension");
_Static_assert((int)OYI_POOL_RANKS == (int)OYI_INLINE_DIMS + 1,
               "ranks with such a block");

enum { OYI_VIEW_UNITS = OYI_VIEW_DIMS_OFFSET / OYI_POOL_UNIT };  // without dimensions

// Where the sizes of a view are; strides follow.
static inline int64_t* oyi_view_sizes(oyi_tensor* v) {
  return (int64_t*)(void*)((char*)v + OYI_VIEW_DIMS_OFFSET);
}

typedef struct oyi_view_record_head {
  oyi_tensor_meta meta;
  oyi_tensor* tensor;
} oyi_view_record_head;

static inline oyi_view_record_head* oyi_view_room_of(oyi_tensor* v) {
  return (oyi_view_record_head*)(void*)((char*)v + OYI_META_OFFSET);
}
// The room for a record, as who makes one finds it.
static inline void oyi_view_prepare_room(oyi_tensor* v) {
  oyi_view_record_head* head = oyi_view_room_of(v);
  memset(head, 0, OYI_META_BYTES);
  head->meta.klass = &oyi_variable_class;
  head->tensor = v;
}

// Takes |block|, which is the first of its list.
static inline void oyi_view_drop_head(size_t ndim, oyi_tensor* block) {
  oyi_pool.view_head[ndim] = *(void**)(void*)block;
  oyi_pool.view_room[ndim]++;
}

// Takes the block of a view that is gone back: one of a plain shape, without a side, and
// with its room prepared and |meta| leading there.
static inline void oyi_view_give(oyi_tensor* v) {
  const size_t ndim = v->block - (size_t)OYI_VIEW_UNITS;
  if (OY_UNLIKELY(--oyi_pool.view_room[ndim] < 0)) {
    oyi_pool.view_room[ndim] = 0;
    oyi_pool_give(v, v->block);
    return;
  }
  *(void**)(void*)v = oyi_pool.view_head[ndim];
  oyi_pool.view_head[ndim] = v;
}
// The same of one that has no record.
static inline void oyi_view_give_plain(oyi_tensor* v) {
  v->meta = &oyi_view_room_of(v)->meta;
  oyi_view_give(v);
}

#endif  // OPYARD_SRC_TENSOR_VIEW_BLOCK_H_
