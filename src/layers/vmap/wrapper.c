// SPDX-License-Identifier: Apache-2.0
// Wrappers: making them, and what can be asked about them.
#include "layers/vmap/wrapper.h"

#include "base/memory.h"
#include "ops/calls.h"

static void wrapper_destroy(oyi_attachment* head) {
  oyi_wrapper* w = (oyi_wrapper*)(void*)head;
  oy_tensor_release(w->value);
  oyi_free(w);
}

static oyi_wrapper* record_of(const oy_object* tensor) {
  if (!oyi_is_tensor(tensor)) return NULL;
  oyi_attachment* head = oyi_wrapped_of(oyi_tensor_cast(tensor));
  return head && head->destroy == wrapper_destroy ? (oyi_wrapper*)(void*)head : NULL;
}

// What it shows of the value's keys: where it is, the lazy bits, and that autocast may cast
// it; besides |own|.
static oy_keyset keys_for(const oyi_tensor* value, oy_key own) {
  static const uint64_t shown =
      1ull << OY_KEY_Dense | 1ull << OY_KEY_Negative | 1ull << OY_KEY_Conjugate |
      ((2ull << OY_KEY_AutocastPrivateUse1) - (1ull << OY_KEY_AutocastCPU));
  oy_keyset keys = value->header.keys;
  keys.functionality &= shown;
  keys.functionality |= 1ull << own;
  return keys;
}

// Sizes and strides without dimension |bdim|.
static size_t shape_without(const oyi_tensor* value, int64_t bdim, int64_t* sizes,
                            int64_t* strides) {
  size_t n = 0;
  for (int64_t i = 0; i < value->ndim; i++) {
    if (i == bdim) continue;
    sizes[n] = value->sizes[i];
    strides[n++] = oyi_strides(value)[i];
  }
  return n;
}

// An alias of another shape, which was made past the operators, stands for nothing.
oyi_wrapper* oyi_wrapper_of(const oy_object* tensor) {
  oyi_wrapper* w = record_of(tensor);
  const oyi_tensor* value = w ? oyi_tensor_of(w->value) : NULL;
  if (!value) return NULL;
  const oyi_tensor* t = oyi_tensor_cast(tensor);
  if (t->ndim + (w->bdim >= 0) != value->ndim) return NULL;
  for (int64_t i = 0; i < t->ndim; i++) {
    int64_t at = w->bdim >= 0 && i >= w->bdim ? i + 1 : i;
    if (t->sizes[i] != value->sizes[at] || oyi_strides(t)[i] != oyi_strides(value)[at])
      return NULL;
  }
  return w;
}

static oy_object* shell_for(const oyi_tensor* value, int64_t bdim) {
  oy_key own = bdim < 0 ? OY_KEY_FuncTorchGradWrapper : OY_KEY_FuncTorchBatched;
  int64_t sizes[OY_TENSOR_MAX_DIMS], strides[OY_TENSOR_MAX_DIMS];
  size_t n = shape_without(value, bdim, sizes, strides);
  oyi_tensor* t = oyi_tensor_on_storage(NULL, keys_for(value, own), (oy_ints){sizes, n},
                                        (oy_ints){strides, n}, value->offset,
                                        value->header.dtype, oyi_tensor_device(value));
  if (t) t->header.flags |= value->header.flags & OY_OBJECT_WRAPPED_NUMBER;
  return oyi_tensor_object(t);
}

static oy_object* wrapper_new(oy_object* value, oyi_wrapper record) {
  const oyi_tensor* t = oyi_tensor_of(value);
  oy_object* shell = t ? shell_for(t, record.bdim) : NULL;
  oyi_wrapper* w = shell ? oyi_zalloc(sizeof(*w)) : NULL;
  if (!w) {
    oy_tensor_release(shell);
    oy_tensor_release(value);
    return NULL;
  }
  *w = record;
  w->head = (oyi_attachment){.references = 1, .destroy = wrapper_destroy};
  w->value = value;
  oy_status status = oyi_wrap(oyi_tensor_cast(shell), &w->head);
  oyi_attachment_release(&w->head);
  if (status == OY_OK) return shell;
  oy_tensor_release(shell);
  return NULL;
}

oy_object* oyi_batched_new(oy_object* value, int64_t bdim, const oyi_layer* layer) {
  return wrapper_new(
      value, (oyi_wrapper){.bdim = bdim, .level = layer->level, .layer = layer->id});
}

// Autograd asks for versions, which a tensor without storage counts itself.
oy_object* oyi_grad_wrapped_new(oy_object* value, const oyi_layer* layer,
                                bool immutable) {
  oy_object* made = wrapper_new(
      value,
      (oyi_wrapper){
          .bdim = -1, .level = layer->level, .layer = layer->id, .immutable = immutable});
  if (!made || oyi_version_separate(oyi_tensor_cast(made), 0) == OY_OK) return made;
  oy_tensor_release(made);
  return NULL;
}

oy_status oyi_wrapper_refresh(oy_object* tensor) {
  const oyi_wrapper* w = record_of(tensor);
  const oyi_tensor* value = oyi_tensor_of(w->value);
  if (!value) return oy_failure();
  int64_t sizes[OY_TENSOR_MAX_DIMS], strides[OY_TENSOR_MAX_DIMS];
  size_t n = shape_without(value, w->bdim, sizes, strides);
  return oyi_tensor_reshape(oyi_tensor_cast(tensor), (oy_ints){sizes, n},
                            (oy_ints){strides, n}, value->offset);
}

oy_status oyi_batched_replace(oy_object* tensor, oy_object* value, int64_t bdim) {
  oyi_wrapper* w = record_of(tensor);
  oyi_wrapper before = *w;
  w->value = value;
  w->bdim = bdim;
  oy_status status = oyi_wrapper_refresh(tensor);
  if (status != OY_OK) {
    w->value = before.value;
    w->bdim = before.bdim;
  }
  oy_tensor_release(status == OY_OK ? before.value : value);
  return status;
}

// |tensor| repeated along a new dimension.
static oy_object* repeated(const oyi_tensor* t, oy_object* tensor, int64_t batch_size,
                           int64_t dim) {
  int64_t d = oyi_dim_wrap(dim, (int64_t)t->ndim + 1);
  if (d < 0) return NULL;
  int64_t sizes[OY_TENSOR_MAX_DIMS + 1];
  for (int64_t i = 0; i <= t->ndim; i++)
    sizes[i] = i < d ? t->sizes[i] : i == d ? batch_size : t->sizes[i - 1];
  oy_object* wide = oyi_call_unsqueeze(tensor, d);
  oy_object* result = oyi_call_expand(wide, (oy_ints){sizes, t->ndim + 1u}, false);
  oy_tensor_release(wide);
  return result;
}

oy_object* oyi_batched_unwrap(oy_object* tensor, uint64_t id, int64_t batch_size,
                              int64_t dim) {
  const oyi_tensor* t = oyi_tensor_of(tensor);
  if (!t) return NULL;
  const oyi_wrapper* w = oyi_wrapper_of(tensor);
  if (w && w->layer != id) w = NULL;
  if (dim == OY_VMAP_NONE) return oy_tensor_retain(tensor);
  if (!w) return repeated(t, tensor, batch_size, dim);
  const oyi_tensor* value = oyi_tensor_of(w->value);
  int64_t d = value ? oyi_dim_wrap(dim, value->ndim) : -1;
  if (d < 0) return NULL;
  if (d == w->bdim) return oy_tensor_retain(w->value);
  return oyi_call_movedim_int(w->value, w->bdim, d);
}

// -------------------------------------------------------------------- public

oy_tensor* oy_batched_make(oy_tensor* tensor, int64_t dim, int64_t level) {
  const oyi_tensor* t = oyi_tensor_of(tensor);
  if (!t) return NULL;
  const oyi_layer* layer = oyi_layer_at(level);
  if (!oyi_layer_is_vmap(layer)) {
    OY_FAIL(FAILED_PRECONDITION, "expected the level of a vmap, got %lld",
            (long long)level);
    return NULL;
  }
  int64_t d = t->ndim ? oyi_dim_wrap(dim, t->ndim) : -1;
  if (t->ndim == 0)
    OY_FAIL(OUT_OF_RANGE, "expected a tensor with dimensions, got one without");
  if (d < 0) return NULL;
  if (t->sizes[d] != layer->batch_size) {
    OY_FAIL(INVALID_ARGUMENT,
            "expected dimension %lld of size %lld, as the layer has it, got %lld",
            (long long)d, (long long)layer->batch_size, (long long)t->sizes[d]);
    return NULL;
  }
  return oyi_batched_new(oy_tensor_retain(tensor), d, layer);
}

oy_tensor* oy_batched_remove(oy_tensor* tensor, int64_t level, int64_t batch_size,
                             int64_t dim) {
  const oyi_wrapper* w = oyi_wrapper_of(tensor);
  const oyi_layer* layer = oyi_layer_at(level);
  uint64_t id = layer ? layer->id : w && w->level == level ? w->layer : 0;
  return oyi_batched_unwrap(tensor, id, batch_size, dim);
}

static const oyi_wrapper* batched_of(const oy_tensor* tensor) {
  const oyi_wrapper* w = oyi_wrapper_of(tensor);
  return w && w->bdim >= 0 ? w : NULL;
}
int64_t oy_batched_level(const oy_tensor* tensor) {
  const oyi_wrapper* w = batched_of(tensor);
  return w ? w->level : 0;
}
int64_t oy_batched_dim(const oy_tensor* tensor) {
  const oyi_wrapper* w = batched_of(tensor);
  return w ? w->bdim : -1;
}
oy_tensor* oy_batched_value(const oy_tensor* tensor) {
  const oyi_wrapper* w = batched_of(tensor);
  return w ? w->value : NULL;
}
