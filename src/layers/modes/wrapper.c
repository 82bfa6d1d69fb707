// SPDX-License-Identifier: Apache-2.0
// Tensors that are nothing but their handler: as fake tensors, they have Meta's keys and a
// storage of Meta, so that autograd can work with them, and the Fake key, so that no kernel
// does.
#include "layers/modes/fake.h"
#include "opyard/device.h"

// |t| begins further on in a storage that is as long as that takes.
static oy_status move(oyi_tensor* t, int64_t offset) {
  oy_ints sizes = oyi_sizes_view(t), strides = oyi_strides_view(t);
  size_t needed;
  OY_TRY(oyi_strided_check(sizes, strides, offset, oy_dtype_size(t->header.dtype),
                           SIZE_MAX, &needed));
  if (needed > t->storage->nbytes) OY_TRY(oyi_storage_grow(t->storage, needed));
  return oyi_tensor_reshape(t, sizes, strides, offset);
}

static oyi_tensor* shape_of(oy_ints sizes, oy_ints strides, int64_t offset,
                            oy_dtype dtype) {
  const oy_device meta = oy_device_meta();
  oy_tensor* made = strides.data ? oy_tensor_empty_strided(sizes, strides, dtype, meta)
                                 : oy_tensor_empty(sizes, dtype, meta);
  oyi_tensor* t = made ? oyi_tensor_cast(made) : NULL;
  if (!t || offset == 0 || move(t, offset) == OY_OK) return t;
  oy_tensor_release(made);
  return NULL;
}

oy_tensor* oy_tensor_wrapper(const oy_tensor_handler* handler, void* data, oy_ints sizes,
                             oy_ints strides, int64_t storage_offset, oy_dtype dtype,
                             oy_device device) {
  oyi_tensor* t = NULL;
  if (!oy_backend_name(device.backend))
    (void)OY_FAIL(INVALID_ARGUMENT, "there is no backend %d", device.backend);
  else
    t = shape_of(sizes, strides, storage_offset, dtype);
  if (!t) {
    if (handler->destroy) handler->destroy(data);
    return NULL;
  }
  if (oy_tensor_set_handler(&t->header, handler, data) == OY_OK) {
    oyi_no_data_mark(t, device);
    return oyi_tensor_object(t);
  }
  oy_tensor_release(&t->header);
  return NULL;
}
