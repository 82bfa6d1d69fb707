// SPDX-License-Identifier: Apache-2.0
// The record of a new view, in line, for the kernels of ADInplaceOrView: who its base is, what
// was written to it so far, and its place in the list of the base (views.c has the rest).
#ifndef OPYARD_SRC_LAYERS_AUTOGRAD_VIEW_RECORD_H_
#define OPYARD_SRC_LAYERS_AUTOGRAD_VIEW_RECORD_H_

#include "layers/autograd/record.h"
#include "layers/autograd/variable.h"

// The record of what a view is taken of; NULL: the view needs the long way, since there is no
// record yet, or grad mode is off.
static inline oyi_variable* oyi_view_parent(const oyi_tensor* from) {
  return OY_LIKELY(oyi_grad_mode == OYI_GRAD_ON) ? oyi_variable_of(from) : NULL;
}

// |v| becomes a view of the tensor of |b|. Under the lock of |b|.
static inline void oyi_view_link(oyi_variable* v, oyi_variable* b) {
  if (OY_UNLIKELY(!b->is_base)) {
    b->is_base = true;
    oyi_found_again(&b->tensor->header);
  }
  v->root = b;
  oyi_stores_stay();  // one by one: a vector of them takes more moves
  v->link = &b->views;
  oyi_stores_stay();
  v->next_view = b->views;
  if (b->views) b->views->link = &v->next_view;
  b->views = v;
}

// |view| with its record; NULL with it gone where there is no memory.
oy_object* oyi_view_result_slow(oy_object* view, oy_object* from);
oy_object* oyi_view_tracked(oy_object* view);
// The same of a plain view whose storage nobody has counted.
oy_object* oyi_view_result_plain(oyi_tensor* view, oyi_tensor* from);

// What views are taken of as usual: with the storage of the base, and as writable.
static inline bool oyi_is_usual_parent(const oyi_variable* parent) {
  uint16_t both;
  _Static_assert(offsetof(oyi_variable, creation) == offsetof(oyi_variable, is_apart) + 1,
                 "read at once");
  memcpy(&both, &parent->is_apart, sizeof(both));
  return both == 0;
}

// Of a view with a block of its own, on a storage, that has no record and shares nothing else:
// of one that |counts| its storage, or of a plain one (tensor/view_plain.h). Either borrows
// that of its base from here on, if it is the same. All of the record that is not written here
// is 0 in the block of a view (tensor/view_block.h).
static inline __attribute__((always_inline)) oy_object* oyi_view_record(
    oyi_tensor* view, oyi_tensor* from, oyi_variable* parent, bool counts) {
  const oyi_storage* storage = counts ? view->storage : from->storage;
  if (!counts && OY_UNLIKELY(!parent || !storage))
    return oyi_view_result_plain(view, from);
  oyi_variable* b = parent->root;
  if (OY_UNLIKELY(!oyi_biased_try(&b->lock)))
    return counts ? oyi_view_result_slow(&view->header, &from->header)
                  : oyi_view_result_plain(view, from);
  if (!counts && OY_UNLIKELY(!oyi_is_usual_parent(parent))) {
    oyi_biased_unlock(&b->lock);
    return oyi_view_result_plain(view, from);
  }
  oyi_variable* v = oyi_variable_room(view);
  oyi_tensor* base = b->tensor;
  v->view_version = __atomic_load_n(&storage->version, __ATOMIC_RELAXED);
  if (counts) {
    v->creation = parent->creation;
    v->is_apart = b->is_apart || view->storage != base->storage;
    v->counts = v->is_apart;  // the base has one, too
    if (!v->is_apart)
      __atomic_fetch_sub(&view->storage->references, 1, __ATOMIC_RELAXED);  // inside
    view->meta = &v->meta;
  }
  oyi_view_link(v, b);
  oyi_biased_unlock(&b->lock);
  // A plain view has the keys of its parent, which is followed if the base is.
  if (!counts || OY_LIKELY(!oyi_is_tracked(&base->header))) return &view->header;
  return oyi_view_tracked(&view->header);
}

#endif  // OPYARD_SRC_LAYERS_AUTOGRAD_VIEW_RECORD_H_
