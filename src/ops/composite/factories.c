// SPDX-License-Identifier: Apache-2.0
// Factories that are composed of empty, fill and zero.
#include "ops/calls.h"
#include "ops/kernels.h"
#include "ops/made.h"
#include "ops/rules/rules.h"
#include "ops/unseen.h"
#include "tensor/element.h"
#include "tensor/iterator_walk.h"

static oy_object* filled(oy_object* made, oy_scalar value) {
  OYI_MADE(made, oyi_call_fill__Scalar(made, value));
}
static oy_object* zeroed(oy_object* made) {
  OYI_MADE(made, oyi_call_zero_(made));
}

OYI_COMPOSITE(zeros) {
  return zeroed(oyi_call_empty_memory_format(OYI_ARGS_zeros, oy_none()));
}
// The shape, dtype and device are those of an empty tensor that is expanded: no memory.
OYI_COMPOSITE(_efficientzerotensor) {
  oy_object* one = oyi_call_empty_memory_format(OY_DIMS(0), dtype, layout, device,
                                                pin_memory, oy_none());
  const oyi_tensor* t = one ? oyi_tensor_of(one) : NULL;
  size_t nbytes;
  int64_t numel, strides[OY_TENSOR_MAX_DIMS];
  oyi_tensor* made = NULL;
  if (t && oyi_sizes_check(size, (size_t)oyi_item(t), &numel, &nbytes) == OY_OK) {
    oyi_strides_contiguous(size, strides);
    oy_keyset keys_of_zeros = t->header.keys;
    keys_of_zeros.functionality |= 1ull << OY_KEY_ZeroTensor;
    made = oyi_tensor_on_storage(NULL, keys_of_zeros, size, (oy_ints){strides, size.size},
                                 0, t->header.dtype, oyi_tensor_device(t));
  }
  oy_tensor_release(one);
  return oyi_tensor_object(made);
}
OYI_COMPOSITE(ones) {
  return filled(oyi_call_empty_memory_format(OYI_ARGS_zeros, oy_none()), oy_int(1));
}

oy_value oyi_dtype_for(oy_value dtype, oy_scalar number) {
  if (dtype.tag != OY_TAG_NONE) return dtype;
  switch (number.tag) {
    case OY_TAG_BOOL: return oy_int(OY_DTYPE_BOOL);
    case OY_TAG_INT: return oy_int(OY_DTYPE_I64);
    case OY_TAG_COMPLEX: return oy_int(OY_DTYPE_C64);
    default: return oy_int(oy_dtype_default());
  }
}

OYI_COMPOSITE(full) {
  dtype = oyi_dtype_for(dtype, fill_value);
  return filled(oyi_call_empty_memory_format(OYI_ARGS_zeros, oy_none()), fill_value);
}

OYI_COMPOSITE(scalar_tensor) {
  // The dtype is the default one, whatever the number is, as in PyTorch.
  oy_ints size = oy_dims_none();
  return filled(oyi_call_empty_memory_format(OYI_ARGS_zeros, oy_none()), s);
}

OYI_COMPOSITE(empty_permuted) {
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  uint64_t seen = 0;
  if (size.size != physical_layout.size || size.size > OY_TENSOR_MAX_DIMS) {
    OY_FAIL(
        INVALID_ARGUMENT,
        "Number of dimensions in size does not match the length of the "
        "physical_layout; i.e. len(size) = %zu is not equal to len(physical_layout) = "
        "%zu",
        size.size, physical_layout.size);
    return NULL;
  }
  for (size_t i = 0; i < size.size; i++) {
    int64_t d = physical_layout.data[i];
    if (d < 0 || d >= (int64_t)size.size) {
      OY_FAIL(INVALID_ARGUMENT,
              "Dimension out of range (expected to be between 0 and %zu, but got %lld at "
              "index %zu).  NB: negative dims not currently supported; file an issue if "
              "you want it.",
              size.size - 1, (long long)d, i);
      return NULL;
    }
    if (seen >> d & 1) {
      OY_FAIL(INVALID_ARGUMENT, "Duplicate dim not allowed");
      return NULL;
    }
    seen |= 1ull << d;
    sizes[i] = size.data[d];
  }
  oy_object* made = oyi_call_empty_memory_format((oy_ints){sizes, size.size}, dtype,
                                                 layout, device, pin_memory, oy_none());
  const oyi_tensor* t = oyi_tensor_of(made);
  if (!t) return NULL;
  int64_t strides[OY_TENSOR_MAX_DIMS];
  for (size_t i = 0; i < size.size; i++)
    strides[physical_layout.data[i]] = oyi_strides(t)[i];
  if (oyi_tensor_reshape(oyi_tensor_cast(made), size, (oy_ints){strides, size.size}, 0) ==
      0)
    return made;
  oy_tensor_release(made);
  return NULL;
}

// ------------------------------------------------------- like another tensor

OYI_COMPOSITE(empty_like) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  // What is given is checked by the call below.
  if (dtype.tag == OY_TAG_NONE) dtype = oy_int(t->header.dtype);
  if (device.tag == OY_TAG_NONE) device = oy_value_device(oyi_tensor_device(t));
  int64_t format =
      memory_format.tag == OY_TAG_NONE ? OY_MEMORY_PRESERVE : memory_format.as.i;
  oy_ints size = oyi_sizes_view(t);
  int64_t strides[OY_TENSOR_MAX_DIMS];
  oy_ints dense = {strides, t->ndim};
  oyi_strides_contiguous(size, strides);
  if (format == OY_MEMORY_PRESERVE && !oyi_same_sizes(dense, oyi_strides_view(t))) {
    if (t->flags & OYI_DENSE)
      dense = oyi_strides_view(t);
    else
      oyi_dense_strides(t, strides);
    return oyi_call_empty_strided(size, dense, dtype, layout, device, pin_memory);
  }
  if (format == OY_MEMORY_PRESERVE) format = OY_MEMORY_CONTIGUOUS;
  return oyi_call_empty_memory_format(size, dtype, layout, device, pin_memory,
                                      oy_int(format));
}

OYI_COMPOSITE(zeros_like) {
  return zeroed(oyi_call_empty_like(OYI_ARGS_empty_like));
}
OYI_COMPOSITE(ones_like) {
  size_t nbytes;
  const bool no_options = dtype.tag == OY_TAG_NONE && layout.tag == OY_TAG_NONE &&
                          device.tag == OY_TAG_NONE && pin_memory.tag == OY_TAG_NONE &&
                          memory_format.tag == OY_TAG_NONE;
  // A single number: what walks of autograd begin with.
  if (no_options && oyi_is_tensor(self) && oyi_tensor_cast(self)->numel == 1 &&
      oyi_is_unseen_piece(oyi_tensor_cast(self), &nbytes)) {
    oyi_tensor* one = oyi_tensor_new_like(oyi_tensor_cast(self));
    const oyi_number number = {.kind = OYI_NUMBER_INT, .i = 1, .re = 1};
    if (!one) return NULL;
    oyi_strides_keep(one, oyi_tensor_cast(self));
    oyi_element_store(self->dtype, oyi_data(one), number);
    return oyi_tensor_object(one);
  }
  return filled(oyi_call_empty_like(OYI_ARGS_empty_like), oy_int(1));
}
OYI_COMPOSITE(full_like) {
  return filled(oyi_call_empty_like(OYI_ARGS_empty_like), fill_value);
}

// The options of a new_ factory: what is not given is that of |self|.
#define OPTIONS_OF_SELF                                      \
  const oyi_tensor* like = oyi_tensor_of(self);              \
  if (!like) return NULL;                                    \
  if (dtype.tag == OY_TAG_NONE) dtype = oy_int(self->dtype); \
  if (device.tag == OY_TAG_NONE) device = oy_value_device(oyi_tensor_device(like))

OYI_COMPOSITE(new_empty) {
  OPTIONS_OF_SELF;
  return oyi_call_empty_memory_format(size, dtype, layout, device, pin_memory, oy_none());
}
OYI_COMPOSITE(new_empty_strided) {
  OPTIONS_OF_SELF;
  return oyi_call_empty_strided(size, stride, dtype, layout, device, pin_memory);
}
OYI_COMPOSITE(new_zeros) {
  return zeroed(oyi_call_new_empty(OYI_ARGS_new_zeros));
}
OYI_COMPOSITE(new_ones) {
  return filled(oyi_call_new_empty(OYI_ARGS_new_ones), oy_int(1));
}
OYI_COMPOSITE(new_full) {
  return filled(oyi_call_new_empty(OYI_ARGS_new_empty), fill_value);
}

// ----------------------------------------------------------------- out= forms

OYI_COMPOSITE(empty_out) {
  if (memory_format.tag == OY_TAG_NONE) return oyi_call_resize_(out, size, oy_none());
  return oyi_call_resize_(out, size, memory_format);
}
OYI_COMPOSITE(zeros_out) {
  oy_object* sized = oyi_call_resize_(out, size, oy_none());
  return oyi_call_zero_(sized);
}
OYI_COMPOSITE(ones_out) {
  return oyi_call_full_out(size, oy_int(1), out);
}
OYI_COMPOSITE(full_out) {
  oy_object* sized = oyi_call_resize_(out, size, oy_none());
  return oyi_call_fill__Scalar(sized, fill_value);
}

// Stores what a factory gives for the dtype and device of |out|.
#define OF_OUT                   \
  oy_int(out->dtype), oy_none(), \
      oy_value_device(oyi_tensor_device(oyi_tensor_cast(out))), oy_none()
#define STORED(id, call)                  \
  OYI_COMPOSITE(id) {                     \
    if (!oyi_tensor_of(out)) return NULL; \
    return oyi_stored(out, call);         \
  }
STORED(empty_strided_out, oyi_call_empty_strided(size, stride, OF_OUT))
STORED(empty_permuted_out, oyi_call_empty_permuted(size, physical_layout, OF_OUT))
STORED(scalar_tensor_out, oyi_call_scalar_tensor(s, OF_OUT))
STORED(empty_like_out, oyi_call_empty_like(self, OF_OUT, memory_format))
STORED(zeros_like_out, oyi_call_zeros_like(self, OF_OUT, memory_format))
STORED(ones_like_out, oyi_call_ones_like(self, OF_OUT, memory_format))
STORED(full_like_out, oyi_call_full_like(self, fill_value, OF_OUT, memory_format))
STORED(new_empty_out, oyi_call_new_empty(self, size, OF_OUT))
STORED(new_empty_strided_out, oyi_call_new_empty_strided(self, size, stride, OF_OUT))
STORED(new_zeros_out, oyi_call_new_zeros(self, size, OF_OUT))
STORED(new_ones_out, oyi_call_new_ones(self, size, OF_OUT))
STORED(new_full_out, oyi_call_new_full(self, size, fill_value, OF_OUT))
