// SPDX-License-Identifier: Apache-2.0
// Records and bases: making, reading and writing functional tensors.
#include "base/memory.h"
#include "layers/functionalize/functional.h"
#include "ops/calls.h"

__thread oy_functionalize_remove oyi_functionalize_removes;

// --------------------------------------------------------------------------- bases

static void drop_pending(oyi_base* b) {
  for (size_t i = 0; i < b->size; i++) {
    oyi_view_step_release(b->pending[i].view);
    oy_tensor_release(b->pending[i].value);
  }
  b->size = 0;
}

static void base_release(oyi_base* b) {
  if (!b || __atomic_sub_fetch(&b->references, 1, __ATOMIC_ACQ_REL) > 0) return;
  drop_pending(b);
  oyi_free(b->pending);
  oy_tensor_release(b->value);
  oyi_free(b);
}

static oyi_base* base_retain(oyi_base* b) {
  __atomic_fetch_add(&b->references, 1, __ATOMIC_RELAXED);
  return b;
}

static oyi_base* base_new(oy_object* value) {
  const oyi_tensor* t = oyi_tensor_cast(value);
  size_t nbytes = t->storage ? t->storage->nbytes : 0;
  if (!t->storage && oyi_storage_needed(oyi_sizes_view(t), oyi_strides_view(t), t->offset,
                                        (size_t)oyi_item(t), &nbytes) != OY_OK)
    return NULL;
  oyi_base* b = oyi_zalloc(sizeof(*b) + t->ndim * sizeof(*b->strides));
  if (!b) return NULL;
  b->references = 1;
  b->copies_views = oyi_functionalize_removes == OY_REMOVE_MUTATIONS_AND_VIEWS;
  b->value = oy_tensor_retain(value);
  b->offset = t->offset;
  b->nbytes = nbytes;
  b->ndim = t->ndim;
  for (size_t i = 0; i < b->ndim; i++) b->strides[i] = oyi_strides(t)[i];
  return b;
}

static bool has_strides(oy_ints strides, const oyi_tensor* t) {
  if (t->numel < 2) return true;
  for (size_t i = 0; i < strides.size; i++)
    if (t->sizes[i] != 1 && oyi_strides(t)[i] != strides.data[i]) return false;
  return true;
}

// |value|, which is taken over, with these strides: writes leave them alone. Those that no
// dense tensor has are not kept.
static oy_object* restrided(oy_ints strides, oy_object* value) {
  const oyi_tensor* t = oyi_tensor_of(value);
  if (!t || has_strides(strides, t) || !oyi_is_dense(oyi_sizes_view(t), strides))
    return value;
  oy_object* room =
      oyi_call_empty_strided(oyi_sizes_view(t), strides, oy_int(t->header.dtype),
                             oy_none(), oy_value_device(oyi_tensor_device(t)), oy_none());
  oy_object* result = oyi_call_copy(room, value, false);
  oy_tensor_release(room);
  oy_tensor_release(value);
  return result;
}

// Does the writes that are pending. A failure leaves those that are not done.
static oy_status settle(oyi_base* b) {
  oy_status status = OY_OK;
  size_t done = 0;
  for (; done < b->size && status == OY_OK; done++) {
    oyi_pending* p = &b->pending[done];
    oy_object* made =
        restrided((oy_ints){b->strides, b->ndim},
                  oyi_view_put_back(p->view, b->value, p->value, b->copies_views));
    if (!made) return oy_failure();
    oy_tensor_release(b->value);
    b->value = made;
    oyi_view_step_release(p->view);
    oy_tensor_release(p->value);
    *p = (oyi_pending){NULL, oy_tensor_retain(made)};
  }
  drop_pending(b);
  return OY_OK;
}

// Notes a write; |value| is taken over. One of all that the last one wrote replaces it, and
// one of the base all of them.
static oy_status note(oyi_base* b, oyi_view_step* view, oy_object* value) {
  if (!view) drop_pending(b);
  if (b->size > 0 && b->pending[b->size - 1].view == view) {
    oy_tensor_release(b->pending[b->size - 1].value);
    b->pending[b->size - 1].value = value;
  } else {
    if (!oyi_grow(&b->pending, &b->capacity, b->size + 1, sizeof(*b->pending))) {
      oy_tensor_release(value);
      return OY_OUT_OF_MEMORY;
    }
    b->pending[b->size++] = (oyi_pending){oyi_view_step_retain(view), value};
  }
  b->generation++;
  return OY_OK;
}

// ------------------------------------------------------------------------- records

static void record_destroy(oyi_attachment* head) {
  oyi_functional* f = (oyi_functional*)(void*)head;
  oy_tensor_release(f->value);
  oyi_view_step_release(f->view);
  base_release(f->base);
  oyi_free(f);
}

oyi_functional* oyi_functional_of(const oy_object* tensor) {
  if (!oyi_is_tensor(tensor)) return NULL;
  oyi_attachment* head = oyi_wrapped_of(oyi_tensor_cast(tensor));
  return head && head->destroy == record_destroy ? (oyi_functional*)(void*)head : NULL;
}

uint64_t oyi_functional_layer(void) {
  const oyi_layer* l = oyi_layers;
  return l && l->klass == &oyi_functionalize_class && l->entered ? l->id : 0;
}

oyi_functional* oyi_functional_here(const oy_object* tensor) {
  oyi_functional* f = oyi_functional_of(tensor);
  if (!f || f->layer == oyi_functional_layer()) return f;
  return f->layer && !oyi_layer_is_live(f->layer) ? f : NULL;
}

// Of the value's keys those of where it is, and of autograd below it, which works on what
// the tensor shows; history it gets of its own.
static oy_keyset keys_for(const oyi_tensor* value) {
  static const uint64_t hidden =
      OYI_AUTOGRAD_KEYS | 1ull << OY_KEY_Python | 1ull << OY_KEY_PythonTLSSnapshot |
      1ull << OY_KEY_Fake | 1ull << OY_KEY_Conjugate | 1ull << OY_KEY_Negative |
      1ull << OY_KEY_ZeroTensor | 1ull << OY_KEY_FuncTorchBatched |
      1ull << OY_KEY_BatchedNestedTensor | 1ull << OY_KEY_FuncTorchGradWrapper;
  oy_keyset keys = value->header.keys;
  keys.functionality &= ~hidden;
  keys.functionality |= 1ull << OY_KEY_Functionalize;
  return keys;
}

static oyi_tensor* shell_like(const oyi_tensor* value, const oyi_tensor* shown) {
  oyi_tensor* t = oyi_tensor_on_storage(NULL, keys_for(value), oyi_sizes_view(shown),
                                        oyi_strides_view(shown), shown->offset,
                                        value->header.dtype, oyi_tensor_device(value));
  if (t) t->header.flags |= value->header.flags & OY_OBJECT_WRAPPED_NUMBER;
  return t;
}

static oy_object* hang(oyi_tensor* shell, oyi_functional record) {
  oyi_functional* f = shell ? oyi_zalloc(sizeof(*f)) : NULL;
  if (!f) {
    oy_tensor_release(oyi_tensor_object(shell));
    record.head.destroy = NULL;
    oy_tensor_release(record.value);
    oyi_view_step_release(record.view);
    base_release(record.base);
    return NULL;
  }
  *f = record;
  f->head = (oyi_attachment){.references = 1, .destroy = record_destroy};
  oy_status status = oyi_wrap(shell, &f->head);
  oyi_attachment_release(&f->head);
  if (status == OY_OK) return oyi_tensor_object(shell);
  oy_tensor_release(oyi_tensor_object(shell));
  return NULL;
}

// |value|, which is taken over, with what is put off done.
static oy_object* resolved(oy_object* value) {
  static const uint64_t lazy =
      1ull << OY_KEY_Conjugate | 1ull << OY_KEY_Negative | 1ull << OY_KEY_ZeroTensor;
  if (!oyi_is_tensor(value) || !(value->keys.functionality & lazy)) return value;
  uint64_t keep = oyi_functional_below();
  oy_object* made = oyi_call_clone(value, oy_int(OY_MEMORY_PRESERVE));
  oyi_functional_above(keep);
  oy_tensor_release(value);
  return made;
}

oy_object* oyi_functional_new(oy_object* value, uint64_t layer) {
  value = resolved(value);
  const oyi_tensor* t = oyi_tensor_of(value);
  oyi_base* base = t ? base_new(value) : NULL;
  if (!base) {
    oy_tensor_release(value);
    return NULL;
  }
  oy_object* made = hang(shell_like(t, t),
                         (oyi_functional){.value = value, .base = base, .layer = layer});
  // Autograd asks for versions, which a tensor without storage counts itself.
  if (!made || !oyi_has_view_key(made) ||
      oyi_version_separate(oyi_tensor_cast(made), 0) == OY_OK)
    return made;
  oy_tensor_release(made);
  return NULL;
}

oy_object* oyi_functional_view(oy_object* from, oy_object* value, oyi_view_step* step,
                               const oyi_tensor* shown) {
  const oyi_functional* f = oyi_functional_of(from);
  oyi_tensor* shell = shell_like(oyi_tensor_cast(value), shown);
  if (shell && oyi_side_share(shell, oyi_tensor_cast(from)) != OY_OK) {
    oy_tensor_release(oyi_tensor_object(shell));
    shell = NULL;
  }
  return hang(shell, (oyi_functional){.value = value,
                                      .view = step,
                                      .base = base_retain(f->base),
                                      .generation = f->base->generation,
                                      .layer = f->layer});
}

oy_status oyi_functional_become(oy_object* tensor, oy_object* value, oyi_view_step* step,
                                const oyi_tensor* shown) {
  oyi_functional* f = oyi_functional_of(tensor);
  oy_status status = oyi_tensor_reshape(oyi_tensor_cast(tensor), oyi_sizes_view(shown),
                                        oyi_strides_view(shown), shown->offset);
  if (status != OY_OK) {
    oy_tensor_release(value);
    oyi_view_step_release(step);
    return status;
  }
  oy_tensor_release(f->value);
  oyi_view_step_release(f->view);
  f->value = value;
  f->view = step;
  return OY_OK;
}

// ------------------------------------------------------------- reading and writing

oy_object* oyi_functional_read(oyi_functional* f) {
  oyi_base* b = f->base;
  if (settle(b) != OY_OK) return NULL;
  if (f->generation == b->generation) return f->value;
  oy_object* made = oyi_view_replay(f->view, b->value, b->copies_views);
  if (!made) return NULL;
  oy_tensor_release(f->value);
  f->value = made;
  f->generation = b->generation;
  return made;
}

oy_status oyi_functional_write(oy_object* tensor, oy_object* value) {
  if (!value) return oy_failure();
  oyi_functional* f = oyi_functional_of(tensor);
  if (!f->view || !f->base->copies_views)
    value = restrided(oyi_strides_view(oyi_tensor_cast(tensor)), value);
  if (!value) return oy_failure();
  oy_status status = note(f->base, f->view, oy_tensor_retain(value));
  if (status != OY_OK) {
    oy_tensor_release(value);
    return status;
  }
  oy_tensor_release(f->value);
  f->value = value;
  f->generation = f->base->generation;
  return OY_OK;
}

oy_status oyi_functional_renew(oy_object* tensor, oy_object* value) {
  const oyi_tensor* t = oyi_tensor_of(value);
  oyi_base* base = t ? base_new(value) : NULL;
  if (!base) {
    oy_tensor_release(value);
    return oy_failure();
  }
  oyi_functional* f = oyi_functional_of(tensor);
  oy_status status = oyi_functional_become(tensor, value, NULL, t);
  if (status != OY_OK) {
    base_release(base);
    return status;
  }
  base->copies_views = f->base->copies_views;
  base_release(f->base);
  f->base = base;
  f->generation = 0;
  return OY_OK;
}

oy_status oyi_functional_set(oy_object* tensor, oy_object* source) {
  oyi_functional *f = oyi_functional_of(tensor), *from = oyi_functional_of(source);
  oyi_base* base = base_retain(from->base);
  oy_status status =
      oyi_functional_become(tensor, oy_tensor_retain(from->value),
                            oyi_view_step_retain(from->view), oyi_tensor_cast(source));
  base_release(status == OY_OK ? f->base : base);
  if (status != OY_OK) return status;
  f->base = base;
  f->generation = from->generation;
  return OY_OK;
}

oyi_tensor* oyi_functional_shown(const oy_object* tensor) {
  const oyi_functional* f = oyi_functional_of(tensor);
  const oyi_tensor* t = oyi_tensor_cast(tensor);
  const oy_device meta = oy_device_meta();
  oyi_storage* storage = oyi_storage_new(f->base->nbytes, meta);
  if (!storage) return NULL;
  oyi_tensor* shown = oyi_tensor_on_storage(
      storage, oy_tensor_keys_for(meta, t->header.dtype), oyi_sizes_view(t),
      oyi_strides_view(t), t->offset, t->header.dtype, meta);
  oyi_storage_release(storage);
  return shown;
}
