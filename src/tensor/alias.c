// SPDX-License-Identifier: Apache-2.0
// Views that others are made of: of everything, of a part of a dimension, with two
// dimensions exchanged, and of any shape. Nearly all are plain (view_begin.h); the functions
// with "long" in their name make the others.
#include "base/memory.h"
#include "tensor/view_begin.h"

static __attribute__((noinline)) oyi_tensor* share_side(oyi_tensor* v,
                                                        const oyi_tensor* t) {
  if (oyi_side_share(v, t) == OY_OK) return v;
  oy_tensor_release(&v->header);
  return NULL;
}

// Another header on the storage of |t|; a long shape lies on the heap.
oyi_tensor* oyi_view_begin_long(const oyi_tensor* t, size_t ndim) {
  const bool is_long = ndim > OYI_INLINE_DIMS;
  const unsigned units = (unsigned)oyi_view_units(is_long ? 0 : ndim);
  int64_t* dims = is_long ? oyi_calloc(2 * ndim, sizeof(int64_t)) : NULL;
  if (is_long && !dims) return NULL;
  oyi_tensor* v = oyi_pool_take(units);
  if (!v) {
    oyi_free(dims);
    return NULL;
  }
  memcpy(v, t, sizeof(*v));
  v->header.keys.functionality &= ~OYI_AUTOGRAD_KEYS;
  v->header.references = 1;
  v->header.flags = 0;
  v->header.reserved = 0;
  v->meta = NULL;
  v->side = NULL;
  v->sizes = is_long ? dims : oyi_view_sizes(v);
  v->ndim = v->capacity = (uint8_t)ndim;
  v->flags = (uint8_t)((t->flags & ~OYI_HEAP_DIMS) | OYI_VIEW_BLOCK |
                       (is_long ? OYI_HEAP_DIMS : 0));
  v->block = (uint8_t)units;
  oyi_storage_retain(v->storage);
  return OY_LIKELY(!t->side) ? v : share_side(v, t);
}

__attribute__((noinline)) oyi_tensor* oyi_view_end_apart(oyi_tensor* v) {
  v->flags &= (uint8_t) ~(OYI_CONTIGUOUS | OYI_DENSE);
  if (oyi_is_dense(oyi_sizes_view(v), oyi_strides_view(v))) v->flags |= OYI_DENSE;
  return v;
}

// ------------------------------------------------------------------- the same shape

static __attribute__((noinline)) oyi_tensor* alias_long(const oyi_tensor* t) {
  const size_t ndim = t->ndim;
  oyi_tensor* v = oyi_view_begin_long(t, ndim);
  if (!v) return NULL;
  memcpy(v->sizes, t->sizes, ndim * sizeof(int64_t));
  memcpy(v->sizes + ndim, oyi_strides(t), ndim * sizeof(int64_t));
  return v;
}

// Whether sizes and strides lie side by side, as they do in a new tensor.
static inline bool is_plain(const oyi_tensor* t) {
  return OY_LIKELY(t->capacity == t->ndim) && oyi_view_is_plain(t, t->ndim);
}
static inline __attribute__((always_inline)) oyi_tensor* alias_plain(
    const oyi_tensor* t) {
  const size_t ndim = t->ndim;
  oyi_tensor* v = oyi_view_take(t, ndim);
  const char* from = (const char*)t->sizes;
  char* to = (char*)oyi_view_sizes(v);
  for (size_t at = ndim * OYI_POOL_UNIT; at > 0;) {
    at -= OYI_POOL_UNIT;
    memcpy(to + at, from + at, OYI_POOL_UNIT);
  }
  return v;
}

oyi_tensor* oyi_tensor_alias_same(const oyi_tensor* t) {
  return OY_LIKELY(is_plain(t)) ? alias_plain(t) : alias_long(t);
}

// ----------------------------------------------------------- dimensions exchanged

static __attribute__((noinline)) oyi_tensor* end_ordered(oyi_tensor* v) {
  return oyi_view_end_ordered(v);
}

static __attribute__((noinline)) oyi_tensor* transposed_long(const oyi_tensor* t,
                                                             size_t a, size_t b) {
  oyi_tensor* v = oyi_tensor_alias_same(t);
  if (!v || a == b) return v;
  int64_t *sizes = v->sizes, *strides = oyi_strides(v);
  const int64_t size = sizes[a], stride = strides[a];
  sizes[a] = sizes[b];
  sizes[b] = size;
  strides[a] = strides[b];
  strides[b] = stride;
  return oyi_view_end_ordered(v);
}

// Both dimensions of a matrix, written once where they end up.
static inline __attribute__((always_inline)) oyi_tensor* turned(const oyi_tensor* t) {
  const int64_t rows = t->sizes[0], columns = t->sizes[1];
  const int64_t *strides = oyi_strides(t), down = strides[0], across = strides[1];
  const bool is_whole = t->flags & OYI_CONTIGUOUS;
  oyi_tensor* v = oyi_view_take(t, 2);
  int64_t* to = oyi_view_sizes(v);
  to[0] = columns;
  to[1] = rows;
  to[2] = across;
  to[3] = down;
  if (OY_UNLIKELY(!is_whole || rows < 2 || columns < 2)) return end_ordered(v);
  v->flags &= (uint8_t)~OYI_CONTIGUOUS;
  return v;
}

oyi_tensor* oyi_tensor_transposed(const oyi_tensor* t, size_t a, size_t b) {
  if (OY_UNLIKELY(t->ndim != 2 || a == b || !oyi_view_is_plain(t, 2)))
    return transposed_long(t, a, b);
  return turned(t);
}

// ----------------------------------------------------------- a part of a dimension

static __attribute__((noinline)) oyi_tensor* end(oyi_tensor* v) {
  return oyi_view_end(v);
}

// Of a view that has the shape of |t| so far, at |sizes|.
static inline __attribute__((always_inline)) oyi_tensor* cut(oyi_tensor* v,
                                                             int64_t* sizes,
                                                             const oyi_tensor* t,
                                                             size_t dim, int64_t start,
                                                             int64_t size) {
  const int64_t before = t->sizes[dim], stride = oyi_strides(t)[dim];
  const bool is_whole = t->flags & OYI_CONTIGUOUS && t->numel > 0;
  oyi_view_move(v, start * stride);
  if (size == before) return v;
  sizes[dim] = size;
  // Part of the first dimension of what is contiguous is that, too; where the stride says
  // nothing, since there is one slice, the part is none.
  if (OY_UNLIKELY(dim != 0 || !is_whole)) return end(v);
  v->numel = size * stride;
  return v;
}

static __attribute__((noinline)) oyi_tensor* part_long(const oyi_tensor* t, size_t dim,
                                                       int64_t start, int64_t size) {
  oyi_tensor* v = alias_long(t);
  return v ? cut(v, v->sizes, t, dim, start, size) : NULL;
}

oyi_tensor* oyi_tensor_part(const oyi_tensor* t, size_t dim, int64_t start,
                            int64_t size) {
  if (OY_UNLIKELY(!is_plain(t))) return part_long(t, dim, start, size);
  oyi_tensor* v = alias_plain(t);
  return cut(v, oyi_view_sizes(v), t, dim, start, size);
}

oyi_tensor* oyi_tensor_slice(const oyi_tensor* t, size_t dim, int64_t start, int64_t size,
                             int64_t step) {
  if (step == 1) return oyi_tensor_part(t, dim, start, size);
  oyi_tensor* v = oyi_tensor_alias_same(t);
  if (!v) return NULL;
  int64_t* stride = &oyi_strides(v)[dim];
  oyi_view_move(v, start * *stride);
  v->sizes[dim] = size;
  // The stride of a dimension without elements, or with one, need not be a number.
  int64_t wide;
  if (!__builtin_mul_overflow(*stride, step, &wide)) *stride = wide;
  return oyi_view_end(v);
}

// ------------------------------------------------------------------------ any shape

oyi_tensor* oyi_tensor_alias(const oyi_tensor* t, oy_ints sizes, oy_ints strides,
                             int64_t offset) {
  if (sizes.data == t->sizes && strides.data == oyi_strides(t) && offset == t->offset)
    return oyi_tensor_alias_same(t);
  oyi_tensor* v = oyi_view_begin(t, sizes.size);
  if (OY_UNLIKELY(!v)) return NULL;
  int64_t* to = v->sizes;
  for (size_t i = 0; i < sizes.size; i++) {
    to[i] = sizes.data[i];
    to[sizes.size + i] = strides.data[i];
  }
  oyi_view_move(v, offset - t->offset);
  return oyi_view_end(v);
}
