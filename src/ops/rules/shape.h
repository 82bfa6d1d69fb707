// SPDX-License-Identifier: Apache-2.0
// Geometry of views under construction, and lists of tensors as results.
#ifndef OPYARD_SRC_OPS_RULES_SHAPE_H_
#define OPYARD_SRC_OPS_RULES_SHAPE_H_

#include "opyard/value.h"
#include "tensor/impl.h"

// Sizes and strides of a view; only the first |ndim| of each are written.
typedef struct oyi_shape {
  size_t ndim;
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  int64_t strides[OY_TENSOR_MAX_DIMS];
} oyi_shape;

static inline void oyi_shape_add(oyi_shape* s, int64_t size, int64_t stride) {
  s->sizes[s->ndim] = size;
  s->strides[s->ndim++] = stride;
}
// Adds the dimensions of |t| from |first| to below |last|.
static inline void oyi_shape_keep(oyi_shape* s, const oyi_tensor* t, size_t first,
                                  size_t last) {
  for (size_t i = first; i < last; i++) oyi_shape_add(s, t->sizes[i], oyi_strides(t)[i]);
}
static inline oy_object* oyi_shape_view(const oyi_shape* s, const oyi_tensor* t,
                                        int64_t offset) {
  return oyi_tensor_object(oyi_tensor_alias(t, (oy_ints){s->sizes, s->ndim},
                                            (oy_ints){s->strides, s->ndim}, offset));
}

// A view of all of |t|.
static inline oy_object* oyi_view_all(const oyi_tensor* t) {
  return oyi_tensor_object(
      oyi_tensor_alias(t, oyi_sizes_view(t), oyi_strides_view(t), t->offset));
}
// |self| without dimension |dim|, which is in range, |offset| elements further on.
oy_object* oyi_view_without(const oyi_tensor* t, size_t dim, int64_t offset);
// Dimension |dim|, in range, from |start| on: |size| slices that are |step| apart.
static inline oy_object* oyi_view_slice(const oyi_tensor* t, size_t dim, int64_t start,
                                        int64_t size, int64_t step) {
  return oyi_tensor_object(oyi_tensor_slice(t, dim, start, size, step));
}
// Another dtype over the same bytes; sizes, strides and offset are in its elements.
oy_object* oyi_view_as_dtype(const oyi_tensor* t, const oyi_shape* s, int64_t offset,
                             oy_dtype dtype);

// Resolves start and end of a slice as Python does: both end up in 0..size.
static inline void oyi_slice_bounds(oy_value start, oy_value end, int64_t size,
                                    int64_t* out_start, int64_t* out_end) {
  int64_t from = start.tag == OY_TAG_NONE ? 0 : start.as.i;
  int64_t to = end.tag == OY_TAG_NONE ? INT64_MAX : end.as.i;
  if (from < 0) from += size;
  if (to < 0) to += size;
  from = from < 0 ? 0 : from > size ? size : from;
  *out_start = from;
  *out_end = to < from ? from : to > size ? size : to;
}
// A bit for each of |dims|, each in range and only once.
oy_status oyi_dims_mask(oy_ints dims, int64_t ndim, uint64_t* out_mask);

// ---------------------------------------------------------------------- lists

// A list of |count| tensors, all NULL until they are written through *out_items.
oy_status oyi_list_new(size_t count, oy_value* out_list, oy_object*** out_items);
// Gives a list up; the status of the pending error.
oy_status oyi_list_fail(oy_value* list);
// Puts a new reference where it belongs; false, with nothing held, if it is NULL.
static inline bool oyi_list_put(oy_object** items, size_t i, oy_object* made) {
  items[i] = made;
  return made != NULL;
}
static inline oy_tensors oyi_list_tensors(oy_value list) {
  return (oy_tensors){list.as.tensors, list.count};
}

// --------------------------------------------------------------------- copies

// Stores |result|, which it takes over, in |out|: resized, of the same dtype and on the
// same device. What the out= form of an operator does that has only the other one.
oy_object* oyi_stored(oy_object* out, oy_object* result);
// The same for each of |list|, which it takes over, if |status| is OK.
oy_status oyi_stored_each(oy_status status, oy_value* list, oy_tensors out);
// A contiguous copy of |view|, which it takes over.
oy_object* oyi_cloned(oy_object* view);
// |made|, which an operator in place has |written|; given up if that failed.
static inline oy_object* oyi_written(oy_object* made, oy_object* written) {
  if (written) return made;
  oy_tensor_release(made);
  return NULL;
}

// Forms that PyTorch's generator makes of others. |id| is the out= form of |of|, with the
// same arguments:
#define OYI_STORED(id, of)                                \
  OYI_COMPOSITE(id) {                                     \
    return oyi_stored(out, oyi_call_##of(OYI_ARGS_##of)); \
  }
// |id| writes a copy of |self| by |of|, which is in place:
#define OYI_WRITTEN_COPY(id, of, ...)                           \
  OYI_COMPOSITE(id) {                                           \
    oy_object* made = oyi_call_clone(self, oy_none());          \
    return oyi_written(made, oyi_call_##of(made, __VA_ARGS__)); \
  }

#endif  // OPYARD_SRC_OPS_RULES_SHAPE_H_
