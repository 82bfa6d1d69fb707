// SPDX-License-Identifier: Apache-2.0
// Order of dimensions, and joining of dimensions. The sort is an
// insertion sort with a comparison that may be undecided, as in PyTorch: it
// decides the layout of new outputs, so it has to give the same order.
#include "tensor/iterator_walk.h"

void oyi_walk_init(oyi_walk* walk, oy_ints sizes) {
  walk->ndim = sizes.size;
  walk->shape = sizes.data;
  walk->count = 0;
  for (size_t i = 0; i < sizes.size; i++) walk->perm[i] = (uint8_t)(sizes.size - 1 - i);
}

void oyi_walk_add(oyi_walk* walk, const oyi_tensor* t) {
  int64_t* out = walk->strides[walk->count++];
  size_t lead = walk->ndim - t->ndim;
  uint64_t item = (uint64_t)oyi_item(t);
  for (size_t i = 0; i < walk->ndim; i++) {
    bool spread = i < lead || (t->sizes[i - lead] == 1 && walk->shape[i] != 1);
    // The stride of one element, or none, is any number.
    out[i] = spread ? 0 : (int64_t)((uint64_t)oyi_strides(t)[i - lead] * item);
  }
}

// Above 0: |a| is slower than |b|.
static int compare_dims(const oyi_walk* walk, size_t a, size_t b, bool is_reduction) {
  for (int k = 0; k < walk->count; k++) {
    int64_t sa = walk->strides[k][a], sb = walk->strides[k][b];
    if (is_reduction && k == 0 && (sa == 0) != (sb == 0)) return sa == 0 ? -1 : 1;
    if (sa == 0 || sb == 0) continue;
    if (sa != sb) return sa < sb ? -1 : 1;
    if (walk->shape[a] > walk->shape[b]) return 1;
  }
  return 0;
}

void oyi_walk_sort(oyi_walk* walk, bool is_reduction) {
  for (size_t i = 1; i < walk->ndim; i++) {
    size_t at = i;
    for (size_t below = i; below-- > 0;) {
      int order = compare_dims(walk, walk->perm[below], walk->perm[at], is_reduction);
      if (order < 0) break;
      if (order == 0) continue;
      uint8_t swap = walk->perm[below];
      walk->perm[below] = walk->perm[at];
      walk->perm[at] = swap;
      at = below;
    }
  }
}

// Whether dimension |next| of |it| continues |d| for every operand.
static bool continues(const oyi_iter* it, size_t d, size_t next) {
  if (it->sizes[d] == 1 || it->sizes[next] == 1) return true;
  for (int k = 0; k < it->count; k++)
    if (it->sizes[d] * it->strides[d][k] != it->strides[next][k]) return false;
  return true;
}

static void coalesce(oyi_iter* it) {
  if (it->ndim < 2) return;
  size_t last = 0;
  for (size_t d = 1; d < it->ndim; d++) {
    if (continues(it, last, d)) {
      // Steps along a dimension of size 1 mean nothing.
      if (it->sizes[last] == 1)
        memcpy(it->strides[last], it->strides[d], sizeof(it->strides[d]));
      it->sizes[last] *= it->sizes[d];
      continue;
    }
    last++;
    if (last == d) continue;
    it->sizes[last] = it->sizes[d];
    memcpy(it->strides[last], it->strides[d], sizeof(it->strides[d]));
  }
  it->ndim = last + 1;
}

void oyi_iter_operands(oyi_iter* it, oy_ints shape, bool is_reduction) {
  oyi_walk walk;
  oyi_walk_init(&walk, shape);
  for (int k = 0; k < it->count; k++) {
    oyi_walk_add(&walk, it->tensors[k]);
    it->data[k] = oyi_data(it->tensors[k]);
  }
  oyi_walk_sort(&walk, is_reduction);
  it->ndim = shape.size;
  for (size_t i = 0; i < shape.size; i++) {
    it->sizes[i] = shape.data[walk.perm[i]];
    for (int k = 0; k < it->count; k++) it->strides[i][k] = walk.strides[k][walk.perm[i]];
  }
  coalesce(it);
}

void oyi_iter_plain(oyi_iter* it, const oyi_tensor* const* tensors, int count) {
  it->count = count;
  it->temporary = 0;
  it->made = false;
  it->output = (oyi_tensor*)(uintptr_t)tensors[0];
  it->dtype = it->output->header.dtype;
  it->runs = it->output->numel > 0;
  it->ndim = 0;
  for (int k = 0; k < count; k++) {
    it->tensors[k] = (oyi_tensor*)(uintptr_t)tensors[k];
    it->runs = it->runs && oyi_data(tensors[k]);
  }
  if (it->runs) oyi_iter_operands(it, oyi_sizes_view(tensors[0]), false);
}

void oyi_iter_reduction(oyi_iter* it, oyi_tensor* acc, const oyi_tensor* in) {
  it->count = 2;
  it->temporary = 0;
  it->made = false;
  it->output = acc;
  it->dtype = in->header.dtype;
  it->tensors[0] = acc;
  it->tensors[1] = (oyi_tensor*)(uintptr_t)in;
  it->ndim = 0;
  it->runs = in->numel > 0 && oyi_data(in) && oyi_data(acc);
  if (it->runs) oyi_iter_operands(it, oyi_sizes_view(in), true);
}
