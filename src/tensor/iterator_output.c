// SPDX-License-Identifier: Apache-2.0
// Outputs of kernels: what may be written where, how they are resized, and the layout
// that new ones take. Elementwise kernels come here through the set-up of their walk,
// reductions and products directly.
#include "tensor/iterator.h"
#include "tensor/iterator_walk.h"

oy_status oyi_device_mismatch(oy_device a, oy_device b) {
  char first[32], second[32];
  oy_device_print(a, first, sizeof(first));
  oy_device_print(b, second, sizeof(second));
  return OY_FAIL(INVALID_ARGUMENT,
                 "Expected all tensors to be on the same device, but found at least "
                 "two devices, %s and %s!",
                 first, second);
}

oy_status oyi_output_check_overlap(const oyi_tensor* out, const oyi_tensor* const* inputs,
                                   int count) {
  OY_CHECK(!oyi_has_internal_overlap(out), INVALID_ARGUMENT,
           "unsupported operation: more than one element of the written-to tensor "
           "refers to a single memory location. Please clone() the tensor before "
           "performing the operation.");
  for (int k = 0; k < count; k++)
    if (oyi_overlap_of(out, inputs[k]) == OYI_OVERLAP_YES) return oyi_output_overlaps();
  return OY_OK;
}

oy_status oyi_output_overlaps(void) {
  return OY_FAIL(INVALID_ARGUMENT,
                 "unsupported operation: some elements of the input tensor and the "
                 "written-to tensor refer to a single memory location. Please clone() "
                 "the tensor before performing the operation.");
}

oy_status oyi_output_check_shape(const oyi_tensor* out, const oyi_tensor* in,
                                 oy_ints sizes) {
  const bool same = out != in || oyi_same_sizes(oyi_sizes_view(out), sizes);
  return same ? OY_OK : oyi_output_overlaps();
}

oy_status oyi_output_check_dtype(const oyi_tensor* out, oy_dtype dtype) {
  OY_CHECK(oy_dtype_can_cast(dtype, out->header.dtype), TYPE_MISMATCH,
           "result type %s can't be cast to the desired output type %s",
           oy_dtype_pytorch_name(dtype), oy_dtype_pytorch_name(out->header.dtype));
  return OY_OK;
}

oy_status oyi_output_resize(oyi_tensor* out, oy_ints sizes, const oy_ints* strides) {
  oy_ints have = oyi_sizes_view(out);
  if (oyi_same_sizes(have, sizes)) return OY_OK;
  if (out->numel > 0)
    oyi_warn(
        "An output with one or more elements was resized since it had shape %s, "
        "which does not match the required output shape %s. This behavior is "
        "deprecated, and in a future PyTorch release outputs will not be resized "
        "unless they have zero elements. You can explicitly reuse an out tensor t "
        "by resizing it, inplace, to zero elements with t.resize_(0).",
        oyi_dims_print(have).text, oyi_dims_print(sizes).text);
  OY_TRY(oyi_tensor_resize(out, sizes));
  if (!strides) return OY_OK;
  for (size_t i = 0; i < sizes.size; i++) oyi_strides(out)[i] = strides->data[i];
  oyi_tensor_geometry(out);
  return OY_OK;
}

oy_status oyi_output_prepare(oyi_tensor* out, oy_ints sizes, oy_dtype dtype,
                             oy_device device) {
  OY_TRY(oyi_output_check_dtype(out, dtype));
  if (out->backend != device.backend)
    return oyi_device_mismatch(device, oyi_tensor_device(out));
  OY_TRY(oyi_output_resize(out, sizes, NULL));
  // Fake tensors name the CPU and lie on Meta; they never get as far as a kernel.
  bool is_real = out->backend == OY_BACKEND_CPU &&
                 !(out->storage && out->storage->backend == OY_BACKEND_Meta);
  OY_CHECK(!is_real || out->numel == 0 || oyi_data(out), NOT_IMPLEMENTED,
           "a CPU kernel was given a tensor without data");
  return OY_OK;
}

// --------------------------------------------------------------------- layout

// Strides as a new tensor has them, in dimensions of size 1 too, where they mean
// nothing and yet take part in the order below.
static bool is_canonical(const oyi_tensor* t) {
  int64_t expected = 1;
  for (size_t i = t->ndim; i-- > 0;) {
    if (oyi_strides(t)[i] != expected) return false;
    expected *= t->sizes[i] > 1 ? t->sizes[i] : 1;
  }
  return true;
}

typedef struct agreement {
  bool shapes, contiguous, channels_last, strides, canonical;
} agreement;

static agreement agree(const oyi_tensor* const* in, int n, oy_ints shape) {
  agreement a = {true, true, shape.size == 4, true, true};
  for (int k = 0; k < n; k++) {
    const oyi_tensor* t = in[k];
    a.shapes = a.shapes && oyi_same_sizes(oyi_sizes_view(t), shape);
    a.contiguous = a.contiguous && (t->flags & OYI_CONTIGUOUS);
    a.canonical = a.canonical && is_canonical(t) && (t->ndim == shape.size || !t->ndim);
  }
  if (!a.shapes || a.contiguous) return a;
  for (int k = 0; k < n; k++) {
    const oyi_tensor* t = in[k];
    a.strides = a.strides && (t->flags & OYI_DENSE) &&
                oyi_same_sizes(oyi_strides_view(t), oyi_strides_view(in[0]));
    a.channels_last =
        a.channels_last && oy_tensor_is_contiguous(&t->header, OY_MEMORY_CHANNELS_LAST);
  }
  return a;
}

static void fill_in_order(oy_ints shape, const uint8_t* order, int64_t* out) {
  int64_t stride = 1;
  for (size_t i = 0; i < shape.size; i++) {
    out[order[i]] = stride;
    stride *= shape.data[order[i]];
  }
}

void oyi_dense_strides(const oyi_tensor* t, int64_t* out_strides) {
  oyi_walk walk;
  oyi_walk_init(&walk, oyi_sizes_view(t));
  oyi_walk_add(&walk, t);
  oyi_walk_sort(&walk, false);
  int64_t stride = 1;
  for (size_t i = 0; i < t->ndim; i++) {
    out_strides[walk.perm[i]] = stride;
    if (t->sizes[walk.perm[i]] > 1) stride *= t->sizes[walk.perm[i]];
  }
}

bool oyi_output_layout(const oyi_tensor* const* in, int n, oy_ints shape,
                       int64_t* out_strides) {
  static const uint8_t channels_last[] = {1, 3, 2, 0};
  agreement a = agree(in, n, shape);
  if (shape.size == 0 || (a.shapes ? a.contiguous : a.canonical)) return true;
  if (a.shapes && a.channels_last) {
    fill_in_order(shape, channels_last, out_strides);
    return false;
  }
  if (a.shapes && a.strides) {
    memcpy(out_strides, oyi_strides(in[0]), shape.size * sizeof(int64_t));
    return false;
  }
  oyi_walk walk;
  oyi_walk_init(&walk, shape);
  for (int k = 0; k < n; k++) oyi_walk_add(&walk, in[k]);
  oyi_walk_sort(&walk, false);
  bool in_order = true;
  for (size_t i = 0; i < shape.size; i++)
    in_order = in_order && walk.perm[i] == shape.size - 1 - i;
  if (in_order) return true;
  fill_in_order(shape, walk.perm, out_strides);
  return false;
}
