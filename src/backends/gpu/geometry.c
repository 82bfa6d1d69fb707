// SPDX-License-Identifier: Apache-2.0
#include "geometry.h"

typedef struct dimension {
  int64_t size;
  int64_t stride[GPU_OPERANDS];
} dimension;

int64_t gpu_numel(oy_ints sizes) {
  int64_t n = 1;
  for (size_t i = 0; i < sizes.size; i++) n *= sizes.data[i];
  return n;
}

// The stride of |t| in dimension |d| of |shape|: 0 where it is repeated.
static int64_t stride_in(const oy_tensor* t, oy_ints shape, size_t d) {
  oy_ints sizes = oy_tensor_sizes(t);
  size_t missing = shape.size - sizes.size;
  if (d < missing || sizes.data[d - missing] == 1) return 0;
  return oy_tensor_strides(t).data[d - missing];
}

// Whether |b| goes around |a| with no step in between, for every operand.
static bool continues(const dimension* a, const dimension* b, int count) {
  for (int k = 0; k < count; k++)
    if (b->stride[k] != a->stride[k] * a->size) return false;
  return true;
}

// Small strides first; the first operand that tells decides.
static bool is_before(const dimension* a, const dimension* b, int count) {
  for (int k = 0; k < count; k++)
    if (a->stride[k] != b->stride[k] && a->stride[k] && b->stride[k])
      return a->stride[k] < b->stride[k];
  return false;
}

static void sort(dimension* dims, int n, int count) {
  for (int i = 1; i < n; i++)
    for (int j = i; j > 0 && is_before(&dims[j], &dims[j - 1], count); j--) {
      dimension other = dims[j];
      dims[j] = dims[j - 1];
      dims[j - 1] = other;
    }
}

static oy_status store(gpu_geometry* g, const dimension* dims, int n, int count) {
  int last = -1;
  dimension joined[OY_TENSOR_MAX_DIMS];
  for (int i = 0; i < n; i++) {
    if (last >= 0 && continues(&joined[last], &dims[i], count))
      joined[last].size *= dims[i].size;
    else
      joined[++last] = dims[i];
  }
  OY_CHECK(last < GPU_DIMS, INVALID_ARGUMENT,
           "expected tensors whose dimensions can be joined to at most %d, got %d; call "
           "contiguous() first",
           GPU_DIMS, last + 1);
  memset(g, 0, sizeof(*g));
  g->ndim = last + 1;
  for (int i = 0; i <= last; i++) {
    g->size[i] = joined[i].size;
    for (int k = 0; k < count; k++) g->stride[k][i] = joined[i].stride[k];
  }
  return OY_OK;
}

static oy_status gather(gpu_geometry* g, oy_ints shape, oy_tensor* const* tensors,
                        int count, const bool* mask, bool want, bool keep_order) {
  dimension dims[OY_TENSOR_MAX_DIMS];
  int n = 0;
  OY_CHECK(shape.size <= OY_TENSOR_MAX_DIMS, INVALID_ARGUMENT,
           "expected at most %d dimensions, got %zu", OY_TENSOR_MAX_DIMS, shape.size);
  for (size_t d = shape.size; d-- > 0;) {
    if (shape.data[d] == 1 || (mask && mask[d] != want)) continue;
    dims[n].size = shape.data[d];
    for (int k = 0; k < count; k++)
      dims[n].stride[k] = tensors[k] ? stride_in(tensors[k], shape, d) : 0;
    n++;
  }
  if (!keep_order) sort(dims, n, count);
  return store(g, dims, n, count);
}

oy_status gpu_geometry_of(gpu_geometry* g, oy_ints shape, oy_tensor* const* tensors,
                          int count, bool keep_order) {
  return gather(g, shape, tensors, count, NULL, false, keep_order);
}

oy_status gpu_geometry_some(gpu_geometry* g, oy_ints shape, oy_tensor* const* tensors,
                            int count, const bool* mask, bool want) {
  return gather(g, shape, tensors, count, mask, want, true);
}

bool gpu_geometry_is_flat(const gpu_geometry* g, oy_tensor* const* tensors, int count) {
  if (g->ndim > 1) return false;
  for (int k = 0; k < count; k++)
    if (tensors[k] && g->ndim == 1 && g->stride[k][0] != 1) return false;
  return true;
}
