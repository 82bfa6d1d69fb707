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

// Under the lock of |b|.
static inline void oyi_view_link(oyi_variable* v, oyi_variable* b) {
  v->link = &b->views;
  v->next_view = b->views;
  if (b->views) b->views->link = &v->next_view;
  b->views = v;
}

// |view| with its record; NULL with it gone where there is no memory.
oy_object* oyi_view_result_slow(oy_object* view, oy_object* from);
oy_object* oyi_view_tracked(oy_object* view);

// Of a view with a block of its own, on a storage, that has no record and shares nothing else.
static inline __attribute__((always_inline)) oy_object* oyi_view_record(
    oyi_tensor* view, oyi_tensor* from, oyi_variable* parent) {
  oyi_variable* b = parent->base ? oyi_variable_of(parent->base) : parent;
  if (OY_UNLIKELY(!oyi_spin_try(&b->lock)))
    return oyi_view_result_slow(&view->header, &from->header);
  oyi_variable* v = oyi_variable_room(view);
  oyi_tensor* base = b->tensor;
  oyi_view_link(v, b);
  oyi_variable_init(v, view);
  v->base = base;
  v->creation = parent->creation;
  v->view_version = __atomic_load_n(&view->storage->version, __ATOMIC_RELAXED);
  oyi_spin_unlock(&b->lock);
  __atomic_fetch_add(&base->header.references, 1, __ATOMIC_RELAXED);
  if (OY_LIKELY(!oyi_is_tracked(&base->header))) return &view->header;
  return oyi_view_tracked(&view->header);
}

#endif  // OPYARD_SRC_LAYERS_AUTOGRAD_VIEW_RECORD_H_
