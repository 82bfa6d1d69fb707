// SPDX-License-Identifier: Apache-2.0
// The usual way of the view operators that programs call all the time, in line: one pass over
// the dimensions, which writes sizes and strides of a plain view (view_begin.h) where they
// stay, in the block that the view will get. Each gives NULL, and has done nothing, where
// anything is unusual: a wrong argument, a size to infer, a long shape, no block at hand. The
// operator's own function then does it, or says what is wrong. The storage is not counted yet
// (oyi_view_fill).
#ifndef OPYARD_SRC_TENSOR_VIEW_PLAIN_H_
#define OPYARD_SRC_TENSOR_VIEW_PLAIN_H_

#include "tensor/view_begin.h"

#define OYI_PLAIN static inline __attribute__((always_inline)) oyi_tensor*
// The operator's own function, of |self|, which may be no tensor: |view| is one of them, of
// oyi_tensor_cast(self), and called only if it is one.
#define OYI_PLAINLY(self, view) \
  (OY_LIKELY(oyi_is_tensor(self)) ? oyi_view_counted(view) : NULL)

// Whether dimensions of size 1 that a view puts last have the stride that they would have in
// a new tensor: theirs is the last one (ATen's computeStride).
static inline bool oyi_ends_in_ones(const oyi_tensor* t) {
  return t->ndim == 0 || oyi_strides(t)[t->ndim - 1] == 1;
}

// What is contiguous is so in any other shape.
OYI_PLAIN oyi_plain_view(const oyi_tensor* t, oy_ints sizes) {
  const size_t ndim = sizes.size;
  oyi_tensor* v = oyi_view_room(t, ndim);
  if (OY_UNLIKELY(!v || !(t->flags & OYI_CONTIGUOUS))) return NULL;
  int64_t* to = oyi_view_sizes(v);
  int64_t numel = 1;
  for (size_t i = ndim; i-- > 0;) {
    const int64_t size = sizes.data[i];
    to[i] = size;
    to[ndim + i] = numel;
    if (OY_UNLIKELY(size <= 1) && (size <= 0 || !oyi_ends_in_ones(t))) return NULL;
    if (OY_UNLIKELY(__builtin_mul_overflow(numel, size, &numel))) return NULL;
  }
  return OY_LIKELY(numel == t->numel) ? oyi_view_fill(t, v, ndim) : NULL;
}

// The stride of a dimension that an expand puts before others: of size 1 it is that which
// a contiguous tensor would have, of the dimension behind it (ATen's inferExpandGeometry).
// Before a number there is none, and the stride is 0.
static inline int64_t oyi_leading_stride(int64_t size, int64_t next_size,
                                         int64_t next_stride) {
  return size == 1 ? next_size * next_stride : 0;
}

// The dimensions of |t| in an expand to |sizes|, and those before them.
static inline bool oyi_plain_expanded(const oyi_tensor* t, oy_ints sizes, int64_t* to,
                                      int64_t* out_numel, bool* out_repeats) {
  const size_t ndim = sizes.size, lead = ndim - t->ndim;
  const int64_t *have = t->sizes, *strides = oyi_strides(t);
  int64_t numel = 1;
  bool repeats = false;
  for (size_t i = lead; i < ndim; i++) {
    int64_t size = sizes.data[i], stride = strides[i - lead];
    if (size != have[i - lead]) {
      if (size == -1) {
        size = have[i - lead];
      } else {
        if (OY_UNLIKELY(have[i - lead] != 1 || size < 0)) return false;
        stride = 0;
        repeats = true;
      }
    }
    to[i] = size;
    to[ndim + i] = stride;
    if (OY_UNLIKELY(__builtin_mul_overflow(numel, size, &numel))) return false;
  }
  for (size_t i = lead; i-- > 0;) {
    const int64_t want = sizes.data[i];
    to[i] = want;
    to[ndim + i] = t->ndim ? oyi_leading_stride(want, to[i + 1], to[ndim + i + 1]) : 0;
    repeats |= want != 1;
    if (OY_UNLIKELY(want < 0 || __builtin_mul_overflow(numel, want, &numel)))
      return false;
  }
  *out_numel = numel;
  *out_repeats = repeats;
  return OY_LIKELY(numel <= INT64_MAX / 16);  // else bytes may overflow, by the dtype
}

OYI_PLAIN oyi_plain_expand(const oyi_tensor* t, oy_ints sizes) {
  const size_t ndim = sizes.size;
  oyi_tensor* v = OY_LIKELY(ndim >= t->ndim) ? oyi_view_room(t, ndim) : NULL;
  int64_t numel;
  bool repeats;
  if (OY_UNLIKELY(!v ||
                  !oyi_plain_expanded(t, sizes, oyi_view_sizes(v), &numel, &repeats)))
    return NULL;
  oyi_view_fill(t, v, ndim);
  // What lies at several places is neither contiguous nor dense.
  if (!repeats || numel == 0) return oyi_view_end_long(v);
  v->numel = numel;
  v->flags &= (uint8_t) ~(OYI_CONTIGUOUS | OYI_DENSE);
  return v;
}

// Dimension |d| of |t| becomes |i| of the |ndim| at |to|; they come last first.
static inline void oyi_plain_place(const oyi_tensor* t, size_t d, int64_t* to,
                                   size_t ndim, size_t i, oyi_view_run* run) {
  const int64_t size = t->sizes[d], stride = oyi_strides(t)[d];
  to[i] = size;
  to[ndim + i] = stride;
  oyi_view_run_on(run, size, stride);
}

// Dense is dense in any order; what is contiguous is so in one order alone.
OYI_PLAIN oyi_view_reordered(const oyi_tensor* t, oyi_tensor* v, size_t ndim,
                             const oyi_view_run* run) {
  oyi_view_fill(t, v, ndim);
  v->flags &= (uint8_t)~OYI_CONTIGUOUS;
  if (oyi_view_is_whole(run)) v->flags |= OYI_CONTIGUOUS;
  return v;
}
OYI_PLAIN oyi_plain_permute(const oyi_tensor* t, oy_ints dims) {
  const size_t ndim = dims.size;
  oyi_tensor* v = OY_LIKELY(ndim == t->ndim) ? oyi_view_room(t, ndim) : NULL;
  if (OY_UNLIKELY(!v)) return NULL;
  int64_t* to = oyi_view_sizes(v);
  oyi_view_run run = {1, false};
  uint64_t seen = 0;
  for (size_t i = ndim; i-- > 0;) {
    const uint64_t d = (uint64_t)(dims.data[i] + (dims.data[i] < 0 ? (int64_t)ndim : 0));
    if (OY_UNLIKELY(d >= ndim || seen >> d & 1)) return NULL;
    seen |= 1ull << d;
    oyi_plain_place(t, d, to, ndim, i, &run);
  }
  return oyi_view_reordered(t, v, ndim, &run);
}

// Both dimensions of a matrix, written once where they end up.
OYI_PLAIN oyi_plain_turned(const oyi_tensor* t) {
  oyi_tensor* v = OY_LIKELY(t->ndim == 2) ? oyi_view_room(t, 2) : NULL;
  if (OY_UNLIKELY(!v)) return NULL;
  const int64_t rows = t->sizes[0], columns = t->sizes[1];
  const int64_t *strides = oyi_strides(t), down = strides[0], across = strides[1];
  const bool is_whole = t->flags & OYI_CONTIGUOUS;
  int64_t* to = oyi_view_sizes(v);
  to[0] = columns;
  to[1] = rows;
  to[2] = across;
  to[3] = down;
  oyi_view_fill(t, v, 2);
  if (OY_UNLIKELY(!is_whole || rows < 2 || columns < 2)) return oyi_view_end_ordered(v);
  v->flags &= (uint8_t)~OYI_CONTIGUOUS;
  return v;
}

// Two dimensions exchanged.
OYI_PLAIN oyi_plain_exchanged(const oyi_tensor* t, int64_t dim0, int64_t dim1) {
  const size_t ndim = t->ndim;
  const size_t a = (size_t)(dim0 + (dim0 < 0 ? (int64_t)ndim : 0));
  const size_t b = (size_t)(dim1 + (dim1 < 0 ? (int64_t)ndim : 0));
  if (OY_UNLIKELY(a >= ndim || b >= ndim)) return NULL;
  if (ndim == 2 && a != b) return oyi_plain_turned(t);
  oyi_tensor* v = oyi_view_room(t, ndim);
  if (OY_UNLIKELY(!v)) return NULL;
  int64_t* to = oyi_view_sizes(v);
  oyi_view_run run = {1, false};
  for (size_t i = ndim; i-- > 0;)
    oyi_plain_place(t, i == a ? b : i == b ? a : i, to, ndim, i, &run);
  return oyi_view_reordered(t, v, ndim, &run);
}

// All of |t|, whose sizes and strides lie side by side, as they do in a new tensor.
OYI_PLAIN oyi_plain_alias(const oyi_tensor* t) {
  const size_t ndim = t->ndim;
  oyi_tensor* v = OY_LIKELY(t->capacity == ndim) ? oyi_view_room(t, ndim) : NULL;
  if (OY_UNLIKELY(!v)) return NULL;
  const char* from = (const char*)t->sizes;
  char* to = (char*)oyi_view_sizes(v);
  for (size_t at = ndim * OYI_POOL_UNIT; at > 0;) {
    at -= OYI_POOL_UNIT;
    oyi_copy_pair(to + at, from + at);
  }
  return oyi_view_fill(t, v, ndim);
}

// Without dimension |dim|, with numel and flags of |t|.
OYI_PLAIN oyi_plain_shorter(const oyi_tensor* t, size_t dim) {
  const size_t ndim = t->ndim - (size_t)1;
  oyi_tensor* v = oyi_view_room(t, ndim);
  if (OY_UNLIKELY(!v)) return NULL;
  const int64_t *sizes = t->sizes, *strides = oyi_strides(t);
  int64_t* to = oyi_view_sizes(v);
  for (size_t i = 0; i < ndim; i++) {
    const size_t from = i + (i >= dim);
    to[i] = sizes[from];
    to[ndim + i] = strides[from];
  }
  return oyi_view_fill(t, v, ndim);
}

// Without dimension |dim|, |offset| elements further on.
OYI_PLAIN oyi_plain_without(const oyi_tensor* t, size_t dim, int64_t offset) {
  const size_t ndim = t->ndim - (size_t)1;
  oyi_tensor* v = oyi_view_room(t, ndim);
  if (OY_UNLIKELY(!v)) return NULL;
  int64_t* to = oyi_view_sizes(v);
  oyi_view_run run = {1, false};
  for (size_t i = ndim; i-- > 0;) oyi_plain_place(t, i + (i >= dim), to, ndim, i, &run);
  oyi_view_fill(t, v, ndim);
  oyi_view_move(v, offset);
  v->numel = run.numel;
  if (OY_UNLIKELY(!oyi_view_is_whole(&run))) return oyi_view_end_apart(v);
  v->flags |= OYI_CONTIGUOUS | OYI_DENSE;
  return v;
}

OYI_PLAIN oyi_plain_select(const oyi_tensor* t, int64_t dim, int64_t index) {
  const int64_t d = dim + (dim < 0 ? t->ndim : 0);
  if (OY_UNLIKELY((uint64_t)d >= t->ndim)) return NULL;
  const int64_t size = t->sizes[d], at = index + (index < 0 ? size : 0);
  if (OY_UNLIKELY((uint64_t)at >= (uint64_t)size)) return NULL;
  const int64_t stride = oyi_strides(t)[d];
  if (d != 0 || size == 1 || t->numel == 0 || !(t->flags & OYI_CONTIGUOUS))
    return oyi_plain_without(t, (size_t)d, at * stride);
  // One of several parts of what is contiguous: as many elements as lie between two.
  oyi_tensor* v = oyi_plain_shorter(t, 0);
  if (OY_UNLIKELY(!v)) return NULL;
  oyi_view_move(v, at * stride);
  v->numel = stride;
  return v;
}

OYI_PLAIN oyi_plain_squeeze(const oyi_tensor* t, int64_t dim) {
  const int64_t d = dim + (dim < 0 ? t->ndim : 0);
  if (OY_UNLIKELY((uint64_t)d >= t->ndim)) return NULL;
  // Dimensions of size 1 decide nothing.
  return t->sizes[d] == 1 ? oyi_plain_shorter(t, (size_t)d) : oyi_plain_alias(t);
}

// Without any dimension of size 1.
OYI_PLAIN oyi_plain_squeeze_all(const oyi_tensor* t) {
  const int64_t *sizes = t->sizes, *strides = oyi_strides(t);
  size_t ndim = 0;
  for (size_t i = 0; i < t->ndim; i++) ndim += sizes[i] != 1;
  oyi_tensor* v = oyi_view_room(t, ndim);
  if (OY_UNLIKELY(!v)) return NULL;
  int64_t* to = oyi_view_sizes(v);
  for (size_t i = 0, at = 0; at < ndim; i++) {
    if (sizes[i] == 1) continue;
    to[at] = sizes[i];
    to[ndim + at++] = strides[i];
  }
  return oyi_view_fill(t, v, ndim);
}

OYI_PLAIN oyi_plain_unsqueeze(const oyi_tensor* t, int64_t dim) {
  const size_t ndim = t->ndim + (size_t)1;
  const size_t at = (size_t)(dim + (dim < 0 ? (int64_t)ndim : 0));
  oyi_tensor* v = OY_LIKELY(at < ndim) ? oyi_view_room(t, ndim) : NULL;
  if (OY_UNLIKELY(!v)) return NULL;
  const int64_t *sizes = t->sizes, *strides = oyi_strides(t);
  int64_t* to = oyi_view_sizes(v);
  to[at] = 1;
  to[ndim + at] = at < t->ndim ? sizes[at] * strides[at] : 1;
  for (size_t i = 0; i < t->ndim; i++) {
    const size_t place = i + (i >= at);
    to[place] = sizes[i];
    to[ndim + place] = strides[i];
  }
  return oyi_view_fill(t, v, ndim);
}

// |size| slices of dimension |dim| from |start| on, all in range.
OYI_PLAIN oyi_plain_part(const oyi_tensor* t, size_t dim, int64_t start, int64_t size) {
  oyi_tensor* v = oyi_plain_alias(t);
  if (OY_UNLIKELY(!v)) return NULL;
  const int64_t before = t->sizes[dim], stride = oyi_strides(t)[dim];
  const bool is_whole = t->flags & OYI_CONTIGUOUS && t->numel > 0;
  oyi_view_move(v, start * stride);
  if (size == before) return v;
  oyi_view_sizes(v)[dim] = size;
  // Part of the first dimension of what is contiguous is that, too; where the stride says
  // nothing, since there is one slice, the part is none.
  if (OY_UNLIKELY(dim != 0 || !is_whole)) return oyi_view_end_long(v);
  v->numel = size * stride;
  return v;
}

// Numbers that lie within the dimension, one after the other: nothing is to be found out.
OYI_PLAIN oyi_plain_slice(const oyi_tensor* t, int64_t dim, oy_value start, oy_value end,
                          int64_t step) {
  if (OY_UNLIKELY(step != 1 || start.tag == OY_TAG_NONE || end.tag == OY_TAG_NONE ||
                  (uint64_t)dim >= t->ndim || start.as.i < 0 || end.as.i < start.as.i ||
                  end.as.i > t->sizes[dim]))
    return NULL;
  return oyi_plain_part(t, (size_t)dim, start.as.i, end.as.i - start.as.i);
}

#endif  // OPYARD_SRC_TENSOR_VIEW_PLAIN_H_
