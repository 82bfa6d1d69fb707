// SPDX-License-Identifier: Apache-2.0
// Views that others are made of: of everything, of a part of a dimension, with two
// dimensions exchanged, and of any shape. Nearly all are plain (view_begin.h); the functions
// with "long" in their name make the others.
#include "base/memory.h"
#include "tensor/view_plain.h"

static __attribute__((noinline)) oyi_tensor* share_side(oyi_tensor* v,
                                                        const oyi_tensor* t) {
  if (oyi_side_share(v, t) == OY_OK) return v;
  oy_tensor_release(&v->header);
  return NULL;
}

// Puts filled blocks of this rank into the list of the thread, of blocks that it has.
static void stock(size_t ndim) {
  enum { STOCK = 8 };
  const unsigned units = (unsigned)(OYI_VIEW_UNITS + ndim);
  for (int i = 0; i < STOCK && oyi_pool.view_room[ndim] && oyi_pool.head[units - 1];
       i++) {
    oyi_tensor* v = oyi_pool_pop(units);
    v->header.klass = &oyi_tensor_class;
    v->header.reserved = 0;
    v->sizes = oyi_view_sizes(v);
    v->side = NULL;
    v->block = (uint8_t)units;
    oyi_view_prepare_room(v);
    oyi_view_give_plain(v);
  }
}

// Another header on the storage of |t|; a long shape lies on the heap. The next views of the
// rank find blocks that are filled.
oyi_tensor* oyi_view_begin_long(const oyi_tensor* t, size_t ndim) {
  const bool is_long = ndim > OYI_INLINE_DIMS;
  const unsigned units = (unsigned)(OYI_VIEW_UNITS + (is_long ? 0 : ndim));
  int64_t* dims = is_long ? oyi_calloc(2 * ndim, sizeof(int64_t)) : NULL;
  if (is_long && !dims) return NULL;
  oyi_tensor* v = oyi_pool_take(units);
  if (!v) {
    oyi_free(dims);
    return NULL;
  }
  memcpy(v, t, sizeof(*v));
  v->header.keys.functionality &= ~OYI_AUTOGRAD_KEYS;
  oyi_header_begin(&v->header, t->header.dtype);
  v->meta = NULL;
  v->side = NULL;
  v->sizes = is_long ? dims : oyi_view_sizes(v);
  v->ndim = v->capacity = (uint8_t)ndim;
  v->flags = (uint8_t)((t->flags & ~OYI_HEAP_DIMS) | OYI_VIEW_BLOCK |
                       (is_long ? OYI_HEAP_DIMS : 0));
  v->block = (uint8_t)units;
  oyi_view_prepare_room(v);
  oyi_storage_retain(v->storage);
  if (!is_long) stock(ndim);
  return OY_LIKELY(!t->side) ? v : share_side(v, t);
}

__attribute__((noinline)) oyi_tensor* oyi_view_end_apart(oyi_tensor* v) {
  v->flags &= (uint8_t) ~(OYI_CONTIGUOUS | OYI_DENSE);
  if (oyi_is_dense(oyi_sizes_view(v), oyi_strides_view(v))) v->flags |= OYI_DENSE;
  return v;
}

oyi_tensor* oyi_view_end_long(oyi_tensor* v) {
  return oyi_view_end(v);
}

oyi_tensor* oyi_view_end_ordered(oyi_tensor* v) {
  int64_t numel;
  v->flags &= (uint8_t)~OYI_CONTIGUOUS;
  if (oyi_view_is_contiguous(v, &numel)) v->flags |= OYI_CONTIGUOUS;
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

oyi_tensor* oyi_tensor_alias_same(const oyi_tensor* t) {
  oyi_tensor* v = oyi_view_counted(oyi_plain_alias(t));
  return OY_LIKELY(v != NULL) ? v : alias_long(t);
}

// ----------------------------------------------------------- dimensions exchanged

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

oyi_tensor* oyi_tensor_transposed(const oyi_tensor* t, size_t a, size_t b) {
  oyi_tensor* v = OY_LIKELY(a != b) ? oyi_view_counted(oyi_plain_turned(t)) : NULL;
  return OY_LIKELY(v != NULL) ? v : transposed_long(t, a, b);
}

// ----------------------------------------------------------- a part of a dimension

static __attribute__((noinline)) oyi_tensor* part_long(const oyi_tensor* t, size_t dim,
                                                       int64_t start, int64_t size) {
  oyi_tensor* v = alias_long(t);
  if (!v) return NULL;
  oyi_view_move(v, start * oyi_strides(t)[dim]);
  v->sizes[dim] = size;
  return oyi_view_end(v);
}

oyi_tensor* oyi_tensor_part(const oyi_tensor* t, size_t dim, int64_t start,
                            int64_t size) {
  oyi_tensor* v = oyi_view_counted(oyi_plain_part(t, dim, start, size));
  return OY_LIKELY(v != NULL) ? v : part_long(t, dim, start, size);
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
