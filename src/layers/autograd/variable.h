// SPDX-License-Identifier: Apache-2.0
// What autograd hangs on a tensor: its gradient, the node that made it, and, for
// views, the tensor that they are a view of. Made when first needed.
//
// A base knows its views, since a write through one of them, or a gradient that
// the base comes to need, concerns all: they then get the Autograd key too. Its list of
// them keeps it: views have no reference to it, and where nobody else has one, it goes with
// the last of them.
#ifndef OPYARD_SRC_LAYERS_AUTOGRAD_VARIABLE_H_
#define OPYARD_SRC_LAYERS_AUTOGRAD_VARIABLE_H_

#include "layers/autograd/node.h"
#include "tensor/dtype_kind.h"
#include "tensor/pool.h"

typedef enum oyi_creation {
  OYI_CREATION_DEFAULT,
  OYI_CREATION_NO_GRAD,       // the view was taken while grad mode was off
  OYI_CREATION_INFERENCE,     // in inference mode
  OYI_CREATION_MULTI_OUTPUT,  // it is one of several views that one call gave
  OYI_CREATION_FUNCTION       // a custom function gave it; it has no base here
} oyi_creation;

typedef struct oyi_variable {
  oyi_tensor_meta meta;
  oyi_tensor* tensor;
  // The record of the base, there as long as the view is; of what is no view this one.
  struct oyi_variable* root;
  struct oyi_variable** link;  // of a view, under the lock of |root|, as |next_view|
  struct oyi_variable* next_view;
  struct oyi_variable* views;  // of this tensor, under |lock|
  uint32_t view_version;       // when grad_fn of a view was last made
  uint8_t lock;                // biased (tensor/bias.h), held for a few instructions
  uint8_t grad_lock;           // a spin lock, held while a gradient is added
  bool is_base;                // there is, or was, a view of it: set under |lock|
  bool is_kept;                // under |lock|: by its views alone, see oyi_base_take
  oyi_node* grad_fn;
  oy_tensor* grad;
  oyi_node* accumulator;  // owned, see oyi_accumulator; atomic, set under |lock|
  uint64_t retains;       // the hook of grad_fn that keeps .grad; 0: none
  uint32_t output_nr;
  bool requires_grad;
  // Of a view, under the lock of its base: whether it holds a reference to its storage. It
  // needs none while that is the storage of the base, which it holds.
  bool counts;
  // As |creation|, of what views are taken of: whether its storage may be another one than
  // that of the base. Side by side: views are made in line where both are 0.
  bool is_apart;
  uint8_t creation;
} oyi_variable;
_Static_assert(sizeof(oyi_variable) <= OYI_META_BYTES, "it lies in the block of a view");

#define OYI_AUTOGRAD_BITS \
  (1ull << OY_KEY_AutogradFunctionality | 1ull << OY_KEY_AutogradOther)

// Threads may take views of a tensor that has none yet: who sees one sees all of it.
static inline oyi_variable* oyi_variable_of(const oyi_tensor* t) {
  return (oyi_variable*)(void*)__atomic_load_n(&t->meta, __ATOMIC_ACQUIRE);
}
// The room for one in the block of a view.
static inline oyi_variable* oyi_variable_room(oyi_tensor* t) {
  return (oyi_variable*)(void*)((char*)t + OYI_META_OFFSET);
}
static inline bool oyi_is_view(const oyi_variable* v) {
  return v->root != v;
}
// What |t| does not know of yet. The links of a view are for who makes it one.
static inline void oyi_variable_fill(oyi_variable* v, oyi_tensor* t) {
  v->meta.klass = &oyi_variable_class;
  v->tensor = t;
  v->root = v;
  v->views = NULL;
  v->grad_fn = NULL;
  v->grad = NULL;
  v->accumulator = NULL;
  v->retains = 0;
  v->output_nr = 0;
  v->requires_grad = false;
  v->counts = false;
  v->is_apart = false;
  v->creation = 0;
  v->lock = 0;
  v->grad_lock = 0;
  v->is_base = false;
  v->is_kept = false;
  v->view_version = 0;
}
static inline void oyi_variable_init(oyi_variable* v, oyi_tensor* t) {
  oyi_variable_fill(v, t);
  t->meta = &v->meta;
}
// Makes it where there is none, and nobody else can; NULL: OUT_OF_MEMORY.
static inline oyi_variable* oyi_variable_make(oyi_tensor* t) {
  oyi_variable* v = t->flags & OYI_VIEW_BLOCK ? oyi_variable_room(t)
                                              : oyi_pool_take(oyi_pool_units(sizeof(*v)));
  if (OY_UNLIKELY(!v)) return NULL;
  oyi_variable_init(v, t);
  return v;
}
static inline oyi_variable* oyi_variable_get(oyi_tensor* t) {
  oyi_variable* v = oyi_variable_of(t);
  return v ? v : oyi_variable_make(t);
}
// The same of a tensor that other threads may do it to.
oyi_variable* oyi_variable_get_shared(oyi_tensor* t);
// The Autograd key says it: set when a tensor, or its base, needs a gradient.
static inline bool oyi_is_tracked(const oy_object* o) {
  return (o->keys.functionality & OYI_AUTOGRAD_BITS) != 0;
}
bool oyi_requires_grad(const oyi_tensor* t);
// A tensor that is only followed for its base's sake has the key, too.
static inline bool oyi_needs_gradient(const oy_object* object) {
  if (!oyi_is_tensor(object) || !oyi_is_tracked(object)) return false;
  const oyi_variable* v = oyi_variable_of(oyi_tensor_cast(object));
  return (v && (v->requires_grad || v->grad_fn)) ||
         oyi_requires_grad(oyi_tensor_cast(object));
}
// The base of |view|, with a reference, which nobody else may have.
oyi_tensor* oyi_base_take(const oyi_variable* view);
// Of a tensor whose last reference went: whether its views keep it. If not, it is nobody's.
bool oyi_is_kept(oyi_tensor* t);
// As oyi_tensor_meta_class has it.
bool oyi_base_find_again(oyi_tensor* t);
// Puts the Autograd key on the tensor and on all views of it.
void oyi_track(oyi_tensor* t);
void oyi_untrack(oyi_tensor* t);

// The node that made |t|, borrowed; for a view that is out of date a new one.
// NULL in *out_node for leaves.
oy_status oyi_grad_fn(oyi_tensor* t, oyi_node** out_node);
// Says that |node| made |t|, as its result |output_nr|; takes over a reference to the
// node, also on failure.
oy_status oyi_set_history(oyi_tensor* t, oyi_node* node, uint32_t output_nr);
static inline bool oyi_is_differentiable(oy_dtype dtype) {
  return (oyi_dtype_kind[dtype] & (OYI_KIND_FLOATING | OYI_KIND_COMPLEX)) != 0;
}

// Notes that |view| was made from |from|.
oy_status oyi_view_attach(oyi_tensor* view, oyi_tensor* from);
// The same for what a call gave, which may be anything: the view, or NULL with it gone.
oy_object* oyi_view_result(oy_object* view, oy_object* from);
// |t|, which has a record, and all views of it hold references to their storages from here on.
void oyi_view_hold_storage(oyi_tensor* t);
// In-place on a view: |node| becomes a CopySlices of its base. Takes over |node|.
oy_status oyi_view_rebase(oyi_tensor* view, oyi_node* node);
oy_status oyi_view_regenerate(oyi_variable* view);

// The accumulate node of a leaf, with a reference, which is one to the leaf: the node is
// the variable's, so that graphs do not make it again, and is never without it.
// oyi_accumulator_make: of a leaf that has none, or that has changed.
oyi_node* oyi_accumulator_make(oyi_variable* v);
static inline oyi_node* oyi_accumulator(oyi_variable* v) {
  oyi_node* node = __atomic_load_n(&v->accumulator, __ATOMIC_ACQUIRE);
  oyi_tensor* leaf = v->tensor;
  if (OY_UNLIKELY(!node || leaf->backend != OY_BACKEND_CPU ||
                  !oyi_expects_leaf(&oyi_accumulate_node_of(node)->own_expected, leaf)))
    return oyi_accumulator_make(v);
  oy_object_retain(&leaf->header);
  return node;
}

// Where the gradient of |t| goes, with a reference to the node, into an edge that leads
// nowhere yet. oyi_gradient_edge_of_view: of a view, whose history may be out of date.
oy_status oyi_gradient_edge_of_view(oyi_tensor* t, oyi_edge* out_edge);
static inline oy_status oyi_gradient_edge(oyi_tensor* t, oyi_edge* out_edge) {
  oyi_variable* v = oyi_variable_of(t);
  if (!v) return OY_OK;
  if (OY_UNLIKELY(oyi_is_view(v))) return oyi_gradient_edge_of_view(t, out_edge);
  if (v->grad_fn) {
    *out_edge = (oyi_edge){oyi_node_retain(v->grad_fn), v->output_nr};
    return OY_OK;
  }
  if (!v->requires_grad) return OY_OK;
  out_edge->node = oyi_accumulator(v);
  return OY_LIKELY(out_edge->node != NULL) ? OY_OK : OY_OUT_OF_MEMORY;
}

#endif  // OPYARD_SRC_LAYERS_AUTOGRAD_VARIABLE_H_
