// SPDX-License-Identifier: Apache-2.0
// What gives a tensor another shape or other memory in place: resize_, set_, set_data,
// and .data, the alias that does not count with its tensor.
#include "base/memory.h"
#include "tensor/impl.h"

oy_status oy_tensor_resize(oy_tensor* tensor, oy_ints sizes) {
  oyi_tensor* t = oyi_tensor_of(tensor);
  if (!t) return oy_failure();
  if (oyi_same_sizes(oyi_sizes_view(t), sizes)) return OY_OK;
  return oyi_tensor_resize(t, sizes);
}

size_t oy_tensor_storage_nbytes(const oy_tensor* tensor) {
  const oyi_tensor* t = oyi_tensor_of(tensor);
  return t && t->storage ? t->storage->nbytes : 0;
}

oy_tensor* oy_tensor_data_alias(const oy_tensor* tensor) {
  const oyi_tensor* t = oyi_tensor_of(tensor);
  oyi_tensor* v = t ? oyi_tensor_alias_same(t) : NULL;
  if (v && oyi_version_separate(v, 0) == OY_OK) return oyi_tensor_object(v);
  if (v) oy_tensor_release(&v->header);
  return NULL;
}

// What can fail before the storage of |t| is replaced: a version that goes on counting,
// room for the shape, and a place for the storage record that lies in its block.
static oy_status prepare(oyi_tensor* t, size_t ndim) {
  OY_TRY(oyi_dims_reserve(t, ndim));
  return t->side && t->side->counter ? OY_OK : oyi_version_separate(t, oyi_version(t));
}

static void replace_storage(oyi_tensor* t, oyi_storage* storage) {
  oyi_storage* before = t->storage;
  if (before == storage) return;
  if (t->meta) t->meta->klass->hold_storage(t);
  oyi_storage_retain(storage);
  t->storage = storage;
  bool lies_in_block =
      before && before->embedded && (char*)before == (char*)t + OYI_STORAGE_OFFSET;
  if (lies_in_block)
    t->side->left_over = before;  // released with the tensor: it is the same block
  else if (before)
    oyi_storage_release(before);
}

oy_status oy_tensor_set_source(oy_tensor* tensor, const oy_tensor* source, int64_t offset,
                               oy_ints sizes, oy_ints strides) {
  oyi_tensor* t = oyi_tensor_of(tensor);
  const oyi_tensor* from = t ? oyi_tensor_of(source) : NULL;
  if (!from) return oy_failure();
  OY_CHECK(from->storage && t->storage, INVALID_ARGUMENT,
           "expected tensors with a storage, got one without");
  OY_CHECK(from->header.dtype == t->header.dtype, TYPE_MISMATCH,
           "expected a storage of dtype %s, got %s",
           oy_dtype_pytorch_name(t->header.dtype),
           oy_dtype_pytorch_name(from->header.dtype));
  if (from->backend != t->backend)
    return OY_FAIL(INVALID_ARGUMENT, "expected a storage on the device of the tensor");
  size_t needed, item = (size_t)oyi_item(t), have = from->storage->nbytes;
  oyi_storage* storage = from->storage;
  bool grows = storage->resizable || storage->backend == OY_BACKEND_Meta;
  OY_TRY(
      oyi_strided_check(sizes, strides, offset, item, grows ? SIZE_MAX : have, &needed));
  OY_TRY(prepare(t, sizes.size));
  if (needed > have) OY_TRY(oyi_storage_grow(storage, needed));
  replace_storage(t, storage);
  return oyi_tensor_reshape(t, sizes, strides, offset);  // it has room
}

// Dense tensors of all backends can stand in for each other; what has no strides or
// other keys cannot.
static bool is_compatible(const oyi_tensor* a, const oyi_tensor* b) {
  const uint64_t kinds = 1ull << OY_KEY_Dense | 1ull << OY_KEY_Quantized |
                         1ull << OY_KEY_Sparse | 1ull << OY_KEY_SparseCsr |
                         1ull << OY_KEY_NestedTensor;
  return !a->storage == !b->storage &&
         !((a->header.keys.functionality ^ b->header.keys.functionality) & kinds);
}

oy_status oy_tensor_set_data(oy_tensor* tensor, const oy_tensor* data) {
  oyi_tensor* t = oyi_tensor_of(tensor);
  const oyi_tensor* from = t ? oyi_tensor_of(data) : NULL;
  if (!from) return oy_failure();
  if (from == t) return OY_OK;
  OY_CHECK(is_compatible(t, from), TYPE_MISMATCH,
           "Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` "
           "have incompatible tensor type.");
  OY_TRY(prepare(t, from->ndim));
  if (oyi_attached(t) != oyi_attached(from)) OY_TRY(oyi_attach(t, oyi_attached(from)));
  const uint64_t autograd =
      1ull << OY_KEY_AutogradFunctionality | 1ull << OY_KEY_AutogradOther;
  uint64_t kept = t->header.keys.functionality & autograd;
  t->header.keys = from->header.keys;
  t->header.keys.functionality = (t->header.keys.functionality & ~autograd) | kept;
  t->header.dtype = from->header.dtype;
  t->backend = from->backend;
  t->device_index = from->device_index;
  replace_storage(t, from->storage);
  return oyi_tensor_reshape(t, oyi_sizes_view(from), oyi_strides_view(from),
                            from->offset);
}
