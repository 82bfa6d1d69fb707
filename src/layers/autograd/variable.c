// SPDX-License-Identifier: Apache-2.0
// The autograd record of a tensor, and the rules of requires_grad: who needs a
// gradient has the Autograd key on its header, and nobody else has.
#include "layers/autograd/variable.h"

#include <sched.h>

#include "base/memory.h"
#include "layers/autograd/forward/forward.h"
#include "layers/autograd/hooks.h"
#include "layers/autograd/record.h"
#include "tensor/view_block.h"

// The block of a view has room for one record, which one thread may fill.
static oyi_variable* get_in_block(oyi_tensor* t) {
  static uint8_t lock;
  oyi_spin_lock(&lock);
  oyi_variable* v = oyi_variable_of(t);
  if (!v) {
    v = oyi_variable_room(t);
    oyi_variable_fill(v, t);
    __atomic_store_n(&t->meta, &v->meta, __ATOMIC_RELEASE);
  }
  oyi_spin_unlock(&lock);
  return v;
}

oyi_variable* oyi_variable_get_shared(oyi_tensor* t) {
  oyi_variable* v = oyi_variable_of(t);
  if (v) return v;
  if (t->flags & OYI_VIEW_BLOCK) return get_in_block(t);
  v = oyi_pool_take(oyi_pool_units(sizeof(*v)));
  if (!v) return NULL;
  oyi_variable_fill(v, t);
  oyi_tensor_meta* have = NULL;
  if (__atomic_compare_exchange_n(&t->meta, &have, &v->meta, false, __ATOMIC_ACQ_REL,
                                  __ATOMIC_ACQUIRE))
    return v;
  oyi_pool_give(v, oyi_pool_units(sizeof(*v)));
  return (oyi_variable*)(void*)have;
}

// Takes |v| from the list of |base|. Whether it was the last that kept that, which then is
// for the caller to end.
static inline bool unlink_locked(oyi_variable* v, oyi_variable* base) {
  *v->link = v->next_view;
  if (v->next_view) v->next_view->link = v->link;
  if (OY_LIKELY(!base->is_kept) || base->views) return false;
  base->is_kept = false;
  return true;
}

static inline uintptr_t has_history(const oyi_variable* v) {
  return (uintptr_t)v->grad_fn | (uintptr_t)v->grad | (uintptr_t)v->accumulator;
}

// Of what has, or has had, a gradient or a history.
static __attribute__((noinline)) void end_history(oyi_variable* v) {
  oyi_node* grad_fn = v->grad_fn;
  if (v->retains) oyi_hook_remove(grad_fn, v->retains);
  if (v->accumulator) oyi_accumulator_free(v->accumulator);
  oy_tensor_release(v->grad);
  oyi_node_release(grad_fn);
}

// |t| is in no list any more, and has no views.
static void end_record(oyi_tensor* t) {
  oyi_variable* v = oyi_variable_of(t);
  const bool borrows = oyi_is_view(v) && !v->counts;
  // Weak references look for the record.
  if (t->side) oyi_weak_forget(t);
  t->meta = NULL;
  if (has_history(v)) end_history(v);
  if (t->flags & OYI_VIEW_BLOCK)
    oyi_view_prepare_room(t);
  else
    oyi_pool_give(v, oyi_pool_units(sizeof(*v)));
  if (borrows) t->storage = NULL;
  oyi_tensor_end(t);
}
static inline void destroy(oyi_tensor* t) {
  t->header.klass->destroy(&t->header);
}
// Of a view, under the lock of its base.
static __attribute__((noinline)) void unlock_and_destroy(oyi_tensor* t,
                                                         oyi_variable* root) {
  oyi_tensor* base = root->tensor;
  const bool is_last = unlink_locked(oyi_variable_of(t), root);
  oyi_biased_unlock(&root->lock);
  end_record(t);
  if (is_last) destroy(base);
}
static __attribute__((noinline)) void destroy_slow(oyi_tensor* t) {
  oyi_variable *v = oyi_variable_of(t), *root = v->root;
  if (oyi_is_view(v)) {
    oyi_biased_lock(&root->lock);
    unlock_and_destroy(t, root);
  } else {
    end_record(t);
  }
}
static __attribute__((noinline)) void end_with_base(oyi_tensor* t, oyi_tensor* base) {
  oyi_view_give(t);
  destroy(base);
}

// ---------------------------------------------------------------- what views keep

// Its views are those of others, who may take and end some of them meanwhile.
static __attribute__((noinline)) bool is_base_kept(oyi_variable* v) {
  oyi_biased_lock(&v->lock);
  const bool is_kept = v->is_kept = v->views != NULL;
  oyi_biased_unlock(&v->lock);
  return is_kept;
}
bool oyi_is_kept(oyi_tensor* t) {
  oyi_variable* v = oyi_variable_of(t);
  return OY_UNLIKELY(v->is_base) && is_base_kept(v);
}

enum found { GONE, FOUND, NOT_YET };
// A reference is taken where there is one, or where the views alone keep the tensor; between
// the two somebody has given up the last one, and is about to find the views.
static enum found find_locked(oyi_variable* b) {
  if (oyi_retain_if_any(&b->tensor->header)) return FOUND;
  if (!b->is_kept) return b->views ? NOT_YET : GONE;
  b->is_kept = false;
  oy_object_retain(&b->tensor->header);
  return FOUND;
}
bool oyi_base_find_again(oyi_tensor* t) {
  oyi_variable* b = oyi_variable_of(t);
  for (;;) {
    oyi_biased_lock(&b->lock);
    const enum found found = find_locked(b);
    oyi_biased_unlock(&b->lock);
    if (found != NOT_YET) return found == FOUND;
    sched_yield();
  }
}
oyi_tensor* oyi_base_take(const oyi_variable* view) {
  oyi_tensor* base = view->root->tensor;
  (void)oyi_base_find_again(base);  // it is there, for |view|
  return base;
}

// ------------------------------------------------------------------------- ending

// Results that only have a history.
static __attribute__((noinline)) void destroy_result(oyi_tensor* t) {
  oyi_variable* v = oyi_variable_of(t);
  oyi_node* grad_fn = v->grad_fn;
  if (OY_UNLIKELY(!grad_fn || v->grad || v->accumulator || v->retains || t->side ||
                  (t->flags & OYI_VIEW_BLOCK))) {
    destroy_slow(t);
    return;
  }
  t->meta = NULL;
  oyi_pool_give(v, oyi_pool_units(sizeof(*v)));
  oyi_tensor_end(t);
  oyi_node_release(grad_fn);
}

// What has, or had, views; it may have become one afterwards.
static __attribute__((noinline)) void destroy_base(oyi_tensor* t) {
  if (oyi_is_kept(t)) return;
  if (oyi_is_view(oyi_variable_of(t)))
    destroy_slow(t);
  else
    destroy_result(t);
}

// What the record of a view has that those of others have not, and would find in its block
// (view_record.h); 0 of nearly all. |retains| is 0 where there is no grad_fn.
static inline uint64_t left_behind(const oyi_variable* v) {
  _Static_assert(
      offsetof(oyi_variable, creation) == offsetof(oyi_variable, output_nr) + 7,
      "a word of numbers");
  uint64_t numbers;
  memcpy(&numbers, &v->output_nr, sizeof(numbers));
  return numbers | has_history(v);
}

// A view that has no history, and its shape in its block, and borrows its storage, as nearly
// all do, ends here; all else in a tail call.
static void variable_destroy(oyi_tensor* t) {
  oyi_variable* v = oyi_variable_of(t);
  oyi_variable* root = v->root;
  if (OY_UNLIKELY(v->is_base)) {
    destroy_base(t);
    return;
  }
  if (!oyi_is_view(v)) {
    destroy_result(t);
    return;
  }
  if (OY_UNLIKELY((t->flags & OYI_HEAP_DIMS) || !oyi_biased_try(&root->lock))) {
    destroy_slow(t);
    return;
  }
  if (OY_UNLIKELY(left_behind(v) | (uintptr_t)t->side)) {
    unlock_and_destroy(t, root);
    return;
  }
  oyi_tensor* base = root->tensor;
  const bool is_last = unlink_locked(v, root);
  oyi_biased_unlock(&root->lock);
  if (OY_UNLIKELY(is_last))
    end_with_base(t, base);
  else
    oyi_view_give(t);
}

static void variable_print(const oyi_tensor* t, oyi_strbuf* buf) {
  const oyi_variable* v = oyi_variable_of(t);
  if (v->grad_fn)
    oyi_strbuf_printf(buf, "grad_fn=<%s>", oyi_node_name(v->grad_fn));
  else if (oyi_requires_grad(t))
    oyi_strbuf_puts(buf, "requires_grad=True");
  if (OY_UNLIKELY(oyi_may_be_dual(&t->header))) oyi_tangent_print(t, buf);
}

const oyi_tensor_meta_class oyi_variable_class = {
    variable_destroy, variable_print, oyi_view_hold_storage, oyi_base_find_again};

bool oyi_requires_grad(const oyi_tensor* t) {
  const oyi_variable* v = oyi_variable_of(t);
  if (!v) return false;
  return v->requires_grad || v->grad_fn ||
         (oyi_is_view(v) && oyi_requires_grad(v->root->tensor));
}

static void add_key(oyi_tensor* t) {
  bool own = t->backend == OY_BACKEND_CPU || oy_backend_has_autograd(t->backend);
  t->header.keys.functionality |=
      1ull << OY_KEY_ADInplaceOrView |
      1ull << (own ? OY_KEY_AutogradFunctionality : OY_KEY_AutogradOther);
}

void oyi_track(oyi_tensor* t) {
  if (oyi_is_tracked(&t->header)) return;
  add_key(t);
  oyi_variable* v = oyi_variable_of(t);
  if (!v || !v->views) return;
  oyi_biased_lock(&v->lock);
  for (oyi_variable* view = v->views; view; view = view->next_view) add_key(view->tensor);
  oyi_biased_unlock(&v->lock);
}

void oyi_untrack(oyi_tensor* t) {
  t->header.keys.functionality &= ~OYI_AUTOGRAD_BITS;
  oyi_variable* v = oyi_variable_of(t);
  if (!v || !v->views) return;
  oyi_biased_lock(&v->lock);
  for (oyi_variable* view = v->views; view; view = view->next_view)
    if (!view->requires_grad && !view->grad_fn)
      view->tensor->header.keys.functionality &= ~OYI_AUTOGRAD_BITS;
  oyi_biased_unlock(&v->lock);
}

// ---------------------------------------------------------------- history

oy_status oyi_grad_fn(oyi_tensor* t, oyi_node** out_node) {
  *out_node = NULL;
  oyi_variable* v = oyi_variable_of(t);
  if (!v) return OY_OK;
  if (oyi_is_view(v) && v->view_version != oyi_version(t) &&
      (v->grad_fn || oyi_requires_grad(v->root->tensor))) {
    OY_TRY(oyi_check_view(t, true));
    OY_TRY(oyi_view_regenerate(v));
  }
  *out_node = v->grad_fn;
  return OY_OK;
}

// Makes the node of a leaf that has none, or has its node expect what the leaf is now, and
// on the stream that is current now.
oyi_node* oyi_accumulator_make(oyi_variable* v) {
  oyi_node* made = NULL;
  if (!__atomic_load_n(&v->accumulator, __ATOMIC_ACQUIRE)) {
    oyi_accumulate_node* new_node = oyi_accumulate_node_new(v->tensor);
    if (!new_node) return NULL;
    made = &new_node->head;
    if (oyi_expect(made->expected, v->tensor) != 0) {
      oyi_accumulator_free(made);
      return NULL;
    }
  }
  // Another thread may have been faster; its node is the one.
  oyi_biased_lock(&v->lock);
  oyi_node* spare = v->accumulator ? made : NULL;
  if (made && !spare) __atomic_store_n(&v->accumulator, made, __ATOMIC_RELEASE);
  oyi_node* node = v->accumulator;
  // NOLINT: it was there, or was made
  bool fits = oyi_expects(node->expected, v->tensor);
  // The first edge of a graph brings its stream.
  const bool first = oyi_is_on_device(v->tensor->backend) &&
                     __atomic_load_n(&node->references, __ATOMIC_RELAXED) == 0;
  if (!fits)
    fits = oyi_expect(node->expected, v->tensor) == 0;
  else if (first)
    oyi_expect_stream_now(node->expected, v->tensor);
  oyi_biased_unlock(&v->lock);
  if (spare) oyi_accumulator_free(spare);
  return fits ? oyi_node_retain(node) : NULL;
}

oy_status oyi_gradient_edge_of_view(oyi_tensor* t, oyi_edge* out_edge) {
  oyi_node* node;
  OY_TRY(oyi_grad_fn(t, &node));
  if (node) {
    *out_edge = (oyi_edge){oyi_node_retain(node), oyi_variable_of(t)->output_nr};
    return OY_OK;
  }
  if (!oyi_requires_grad(t)) return OY_OK;
  out_edge->node = oyi_accumulator(oyi_variable_of(t));
  return out_edge->node ? OY_OK : OY_OUT_OF_MEMORY;
}

oy_status oyi_set_history(oyi_tensor* t, oyi_node* node, uint32_t output_nr) {
  oyi_variable* v = oyi_variable_get(t);
  oy_status status = v ? oyi_expect(&node->expected[output_nr], t) : OY_OUT_OF_MEMORY;
  if (status != 0) {
    oyi_node_release(node);
    return status;
  }
  oyi_node* before = v->grad_fn;
  v->grad_fn = node;
  v->output_nr = output_nr;
  v->view_version = oyi_version(t);
  if (!oyi_is_tracked(&t->header)) oyi_track(t);
  // Hooks that keep the gradient follow the tensor to its new node.
  if (OY_UNLIKELY(v->retains)) {
    oyi_hook_remove(before, v->retains);
    status = oyi_retain_on(v, node);
  }
  if (before) oyi_node_release(before);
  return status;
}
