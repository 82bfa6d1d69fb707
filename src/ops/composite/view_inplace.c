// SPDX-License-Identifier: Apache-2.0
// View operators in place: the geometry that the operator itself gives becomes that of
// |self|, which stays on its storage.
#include "ops/calls.h"
#include "ops/kernels.h"
#include "ops/rules/shape.h"

// Gives |self| the geometry of |view|, which is released.
static oy_object* take_geometry(oy_object* self, oy_object* view) {
  const oyi_tensor* from = oyi_tensor_of(view);
  if (!from) return NULL;
  oy_status status = oyi_tensor_reshape(oyi_tensor_cast(self), oyi_sizes_view(from),
                                        oyi_strides_view(from), from->offset);
  oy_tensor_release(view);
  return status == 0 ? self : NULL;
}

#define IN_PLACE(id, of)                                                    \
  OYI_COMPOSITE(id) {                                                       \
    return take_geometry(self, oy_composite_##of(op, keys, OYI_ARGS_##of)); \
  }
IN_PLACE(as_strided_, as_strided)
IN_PLACE(squeeze_, squeeze)
IN_PLACE(squeeze__dim, squeeze_dim)
IN_PLACE(squeeze__dims, squeeze_dims)
IN_PLACE(unsqueeze_, unsqueeze)
IN_PLACE(t_, t)
IN_PLACE(transpose_, transpose_int)

// Only a tensor with history has something to detach from: the autograd layer's.
OYI_COMPOSITE(detach_) {
  return oyi_tensor_of(self) ? self : NULL;
}
OYI_COMPOSITE(swapaxes_) {
  return oyi_call_transpose_(self, axis0, axis1);
}
OYI_COMPOSITE(swapdims_) {
  return oyi_call_transpose_(self, dim0, dim1);
}

OYI_COMPOSITE(resize_as_) {
  const oyi_tensor* like = oyi_tensor_of(the_template);
  if (!like) return NULL;
  oy_object* result = oyi_call_resize_(self, oyi_sizes_view(like), oy_none());
  if (!result || memory_format.tag == OY_TAG_NONE) return result;
  int64_t format = memory_format.as.i;
  if (format == OY_MEMORY_PRESERVE)
    format = oy_tensor_suggest_memory_format(the_template);
  return oyi_call_resize_(self, oyi_sizes_view(like), oy_int(format));
}

OYI_COMPOSITE(set__source_Tensor_storage_offset) {
  const oyi_tensor* from = oyi_tensor_of(source);
  int64_t strides[OY_TENSOR_MAX_DIMS];
  if (!from) return NULL;
  if (!(from->flags & OYI_CONTIGUOUS) || size.size > OY_TENSOR_MAX_DIMS) {
    OY_FAIL(INVALID_ARGUMENT,
            "passed in tensor to be used as storage must be contiguous");
    return NULL;
  }
  if (stride.size == 0) {
    int64_t numel;
    size_t nbytes;
    if (oyi_sizes_check(size, (size_t)oyi_item(from), &numel, &nbytes) != 0) return NULL;
    oyi_strides_contiguous(size, strides);
    stride = (oy_ints){strides, size.size};
  }
  oy_object* view = oyi_call_as_strided(source, size, stride, oy_int(storage_offset));
  oy_object* result = view ? oyi_call_set__source_Tensor(self, view) : NULL;
  oy_tensor_release(view);
  return result;
}
