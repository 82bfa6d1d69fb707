// SPDX-License-Identifier: Apache-2.0
// Arithmetic on shapes: sizes, strides, contiguity (reference, 8.3), broadcasting
// (8.9) and whether elements share memory. Nothing here touches data, and every
// product of sizes is checked.
#include <stdio.h>

#include "base/memory.h"
#include "tensor/broadcast.h"

oy_status oyi_sizes_check(oy_ints sizes, size_t item, int64_t* out_numel,
                          size_t* out_nbytes) {
  OY_CHECK(sizes.size <= OY_TENSOR_MAX_DIMS, INVALID_ARGUMENT,
           "tensors may have at most %d dimensions, got %zu", OY_TENSOR_MAX_DIMS,
           sizes.size);
  int64_t numel = 1, nonzero = 1;
  for (size_t i = 0; i < sizes.size; i++) {
    int64_t size = sizes.data[i];
    OY_CHECK(size >= 0, INVALID_ARGUMENT,
             "Trying to create tensor with negative dimension %lld: %s", (long long)size,
             oyi_dims_print(sizes).text);
    // Strides are products of the others, so those must fit even if one is 0.
    if (__builtin_mul_overflow(nonzero, size ? size : 1, &nonzero))
      return OY_FAIL(INVALID_ARGUMENT, "numel: integer multiplication overflow: %s",
                     oyi_dims_print(sizes).text);
    numel *= size ? 1 : 0;
  }
  numel *= nonzero;
  int64_t bytes;
  if (__builtin_mul_overflow(nonzero, (int64_t)item, &bytes))
    return OY_FAIL(INVALID_ARGUMENT, "Storage size calculation overflowed with sizes=%s",
                   oyi_dims_print(sizes).text);
  *out_numel = numel;
  *out_nbytes = numel ? (size_t)bytes : 0;
  return OY_OK;
}

// Of a shape without elements they may be too great for a number, and mean nothing.
void oyi_strides_contiguous(oy_ints sizes, int64_t* out_strides) {
  uint64_t stride = 1;
  for (size_t i = sizes.size; i-- > 0;) {
    out_strides[i] = (int64_t)stride;
    stride *= sizes.data[i] > 1 ? (uint64_t)sizes.data[i] : 1;
  }
}

bool oyi_is_contiguous(oy_ints sizes, oy_ints strides, int64_t numel) {
  if (numel == 0) return true;
  int64_t expected = 1;
  for (size_t i = sizes.size; i-- > 0;) {
    if (sizes.data[i] == 1) continue;
    if (strides.data[i] != expected) return false;
    expected *= sizes.data[i];
  }
  return true;
}

// The walk of |order|, as channels-last formats want it.
static bool contiguous_in_order(oy_ints sizes, oy_ints strides, const uint8_t* order) {
  int64_t expected = 1;
  for (size_t k = 0; k < sizes.size; k++) {
    size_t i = order[k];
    if (sizes.data[i] == 1) continue;
    if (strides.data[i] != expected) return false;
    expected *= sizes.data[i];
  }
  return true;
}

static const uint8_t g_order_2d[] = {1, 3, 2, 0};
static const uint8_t g_order_3d[] = {1, 4, 3, 2, 0};

// Whether the strides look like channels last; dimensions of size 1 count.
static bool channels_last_hint(oy_ints sizes, oy_ints strides, const uint8_t* order) {
  if (strides.data[1] == 0) return false;
  int64_t least = 0;
  for (size_t k = 0; k < sizes.size; k++) {
    size_t i = order[k];
    if (sizes.data[i] == 0 || strides.data[i] < least) return false;
    // N111: both formats fit, and contiguous is taken.
    if (i == 0 && least == strides.data[1]) return false;
    least = strides.data[i] * (sizes.data[i] > 1 ? sizes.data[i] : 1);
  }
  return true;
}

// Sorted by stride, small sizes last, the strides are products of the sizes.
bool oyi_is_dense(oy_ints sizes, oy_ints strides) {
  size_t n = sizes.size;
  if (n == 1) return sizes.data[0] < 2 || strides.data[0] == 1;
  if (n == 2 && sizes.data[0] > 1 && sizes.data[1] > 1)
    return strides.data[0] == 1
               ? strides.data[1] == sizes.data[0]
               : strides.data[1] == 1 && strides.data[0] == sizes.data[1];
  uint8_t order[OY_TENSOR_MAX_DIMS];
  size_t count = 0;
  for (size_t i = 0; i < n; i++) {
    if (sizes.data[i] < 2) continue;
    size_t at = count++;
    for (; at > 0 && strides.data[order[at - 1]] > strides.data[i]; at--)
      order[at] = order[at - 1];
    order[at] = (uint8_t)i;
  }
  int64_t required = 1;
  for (size_t k = 0; k < count; k++) {
    if (strides.data[order[k]] != required) return false;
    required *= sizes.data[order[k]];
  }
  return true;
}

void oyi_tensor_geometry(oyi_tensor* t) {
  oy_ints sizes = oyi_sizes_view(t);
  oy_ints strides = oyi_strides_view(t);
  int64_t numel = 1;
  for (size_t i = 0; i < sizes.size; i++) numel *= sizes.data[i];
  t->numel = numel;
  t->flags &= (uint8_t) ~(OYI_CONTIGUOUS | OYI_DENSE);
  if (oyi_is_contiguous(sizes, strides, numel))
    t->flags |= OYI_CONTIGUOUS | OYI_DENSE;
  else if (oyi_is_dense(sizes, strides))
    t->flags |= OYI_DENSE;
}

bool oy_tensor_is_contiguous(const oy_tensor* tensor, oy_memory_format format) {
  const oyi_tensor* t = oyi_tensor_of(tensor);
  if (!t) return false;
  oy_ints sizes = oyi_sizes_view(t), strides = oyi_strides_view(t);
  if (format == OY_MEMORY_CHANNELS_LAST)
    return t->ndim == 4 && contiguous_in_order(sizes, strides, g_order_2d);
  if (format == OY_MEMORY_CHANNELS_LAST_3D)
    return t->ndim == 5 && contiguous_in_order(sizes, strides, g_order_3d);
  return (t->flags & OYI_CONTIGUOUS) != 0;
}

bool oy_tensor_is_non_overlapping_and_dense(const oy_tensor* tensor) {
  const oyi_tensor* t = oyi_tensor_of(tensor);
  return t && (t->flags & OYI_DENSE);
}

oy_memory_format oy_tensor_suggest_memory_format(const oy_tensor* tensor) {
  const oyi_tensor* t = oyi_tensor_of(tensor);
  if (!t) return OY_MEMORY_CONTIGUOUS;
  oy_ints sizes = oyi_sizes_view(t), strides = oyi_strides_view(t);
  if (t->ndim == 4 && channels_last_hint(sizes, strides, g_order_2d))
    return OY_MEMORY_CHANNELS_LAST;
  if (t->ndim == 5 && channels_last_hint(sizes, strides, g_order_3d))
    return OY_MEMORY_CHANNELS_LAST_3D;
  return OY_MEMORY_CONTIGUOUS;
}

int64_t oyi_dim_wrap_slow(int64_t dim, int64_t ndim) {
  int64_t range = ndim ? ndim : 1;  // a scalar counts as one dimension
  if (dim >= -range && dim < range) return dim < 0 ? dim + range : dim;
  OY_FAIL(OUT_OF_RANGE,
          "Dimension out of range (expected to be in range of [%lld, %lld], but "
          "got %lld)",
          (long long)-range, (long long)range - 1, (long long)dim);
  return -1;
}

oy_status oyi_storage_needed(oy_ints sizes, oy_ints strides, int64_t offset, size_t item,
                             size_t* out_bytes) {
  *out_bytes = 0;
  int64_t last = 1;
  bool bad = __builtin_add_overflow(offset, last, &last);
  for (size_t i = 0; i < sizes.size; i++) {
    int64_t step;
    if (sizes.data[i] == 0) return OY_OK;
    bad |= __builtin_mul_overflow(sizes.data[i] - 1, strides.data[i], &step);
    bad |= __builtin_add_overflow(last, step, &last);
  }
  bad |= __builtin_mul_overflow(last, (int64_t)item, &last);
  OY_CHECK(!bad, INVALID_ARGUMENT,
           "Storage size calculation overflowed with sizes=%s and strides=%s",
           oyi_dims_print(sizes).text, oyi_dims_print(strides).text);
  *out_bytes = (size_t)last;
  return OY_OK;
}

oy_status oyi_broadcast(oy_ints a, oy_ints b, int64_t* out, size_t* out_ndim) {
  size_t ndim = a.size > b.size ? a.size : b.size;
  *out_ndim = ndim;
  for (size_t i = 0; i < ndim; i++) {  // i counts from the right
    int64_t x = i < a.size ? a.data[a.size - 1 - i] : 1;
    int64_t y = i < b.size ? b.data[b.size - 1 - i] : 1;
    OY_CHECK(x == y || x == 1 || y == 1, INVALID_ARGUMENT,
             "The size of tensor a (%lld) must match the size of tensor b (%lld) "
             "at non-singleton dimension %zu",
             (long long)x, (long long)y, ndim - 1 - i);
    out[ndim - 1 - i] = x == 1 ? y : x;
  }
  return OY_OK;
}

oy_status oyi_broadcast_check(oy_ints sizes, oy_ints broadcast) {
  OY_CHECK(oyi_same_sizes(sizes, broadcast), INVALID_ARGUMENT,
           "output with shape %s doesn't match the broadcast shape %s",
           oyi_dims_print(sizes).text, oyi_dims_print(broadcast).text);
  return OY_OK;
}

bool oyi_has_internal_overlap(const oyi_tensor* t) {
  if (t->flags & OYI_DENSE) return false;
  for (size_t i = 0; i < t->ndim; i++)
    if (oyi_strides(t)[i] == 0 && t->sizes[i] > 1) return true;
  return false;
}

size_t oyi_shared_dims(const oyi_tensor* t, int64_t dims[OY_TENSOR_MAX_DIMS]) {
  size_t count = 0;
  for (size_t i = 0; i < t->ndim; i++)
    if (oyi_strides(t)[i] == 0 && t->sizes[i] > 1) dims[count++] = (int64_t)i;
  return count;
}

// Only dense tensors are decided, by the range of bytes that they fill; others
// are "too hard", as in PyTorch.
oyi_overlap oyi_overlap_of(const oyi_tensor* a, const oyi_tensor* b) {
  if (a == b || !a->storage || a->storage != b->storage) return OYI_OVERLAP_NO;
  if (a->numel == 0 || b->numel == 0) return OYI_OVERLAP_NO;
  if (!(a->flags & b->flags & OYI_DENSE)) return OYI_OVERLAP_TOO_HARD;
  int64_t a0 = a->byte_offset, a1 = a0 + a->numel * oyi_item(a);
  int64_t b0 = b->byte_offset, b1 = b0 + b->numel * oyi_item(b);
  if (a0 == b0 && a1 == b1 && oyi_same_sizes(oyi_strides_view(a), oyi_strides_view(b)))
    return OYI_OVERLAP_NO;  // element by element the same
  return a0 < b1 && b0 < a1 ? OYI_OVERLAP_YES : OYI_OVERLAP_NO;
}

// The bytes from the first element to behind the last one.
static uintptr_t extent(const oyi_tensor* t) {
  int64_t last = 0;
  for (size_t i = 0; i < t->ndim; i++) last += (t->sizes[i] - 1) * oyi_strides(t)[i];
  return (uintptr_t)((last + 1) * oyi_item(t));
}

bool oyi_may_share(const oyi_tensor* a, const oyi_tensor* b) {
  if (a->numel == 0 || b->numel == 0 || oyi_is_meta(a) || oyi_is_meta(b)) return false;
  uintptr_t a0 = (uintptr_t)oyi_data(a), b0 = (uintptr_t)oyi_data(b);
  return a0 < b0 + extent(b) && b0 < a0 + extent(a);
}

void oyi_print_dims(oyi_strbuf* buf, oy_ints dims) {
  oyi_strbuf_putc(buf, '[');
  for (size_t i = 0; i < dims.size; i++)
    oyi_strbuf_printf(buf, "%s%lld", i ? ", " : "", (long long)dims.data[i]);
  oyi_strbuf_putc(buf, ']');
}

oyi_dims_text oyi_dims_print(oy_ints dims) {
  oyi_dims_text out;
  size_t room = sizeof(out.text), at = 0;
  at += (size_t)snprintf(out.text, room, "[");
  for (size_t i = 0; i < dims.size && at < room; i++)
    at += (size_t)snprintf(out.text + at, room - at, "%s%lld", i ? ", " : "",
                           (long long)dims.data[i]);
  if (at < room) snprintf(out.text + at, room - at, "]");
  return out;
}
