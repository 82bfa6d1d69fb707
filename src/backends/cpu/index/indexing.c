// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "backends/cpu/index/indexing.h"

#include "backends/cpu/index/index_check.h"
#include "backends/cpu/index/nonzero.h"
#include "tensor/element.h"
#include "tensor/iterator.h"

// -------------------------------------------------------------------- the indices

typedef struct span {
  int64_t size, dim, step;  // step in bytes
  oyi_index_kind kind;
  bool failed;  // out, atomic
} span;

static void add_offsets(int64_t n, char* const* data, const int64_t* strides,
                        const void* args) {
  span* s = *(span* const*)args;
  char* to = data[0];
  const char* from = data[1];
  int64_t least = s->kind == OYI_INDEX_ANY ? -s->size : 0;
  for (int64_t i = 0; i < n; i++, to += strides[0], from += strides[1]) {
    int64_t index = *(const int64_t*)(const void*)from;
    if (OY_UNLIKELY(index < least || index >= s->size)) {
      __atomic_store_n(&s->failed, true, __ATOMIC_RELAXED);
      return;
    }
    *(int64_t*)(void*)to += (index < 0 ? index + s->size : index) * s->step;
  }
}

static oy_status report(const span* s, const oyi_tensor* index) {
  if (s->kind == OYI_INDEX_SELECT)
    return OY_FAIL(OUT_OF_RANGE, "index out of range in self");
  if (s->size == 0)
    return OY_FAIL(OUT_OF_RANGE, "index is out of bounds for dimension with size 0");
  return OY_FAIL(OUT_OF_RANGE,
                 "%sindex %lld is out of bounds for dimension %lld with size %lld",
                 s->kind == OYI_INDEX_COPY ? "index_copy_(): " : "",
                 (long long)oyi_first_bad_index(
                     index, s->kind == OYI_INDEX_ANY ? -s->size : 0, s->size),
                 (long long)s->dim, (long long)s->size);
}

// Whether a dimension that is no index's is empty: as in PyTorch, indices are not read then,
// unless one is for a dimension of size 0.
static bool chooses_nothing(const oyi_indexing* x, const span* s) {
  if (s->kind != OYI_INDEX_ANY || s->size == 0) return false;
  for (size_t i = 0; i < x->before_count; i++)
    if (x->self->sizes[x->before[i]] == 0) return true;
  for (size_t i = 0; i < x->after_count; i++)
    if (x->self->sizes[x->after[i]] == 0) return true;
  return false;
}

// Adds what |index|, broadcast to the offsets' shape, says about dimension |dim|.
static oy_status add_index(oyi_indexing* x, const oyi_tensor* index, int64_t dim,
                           oyi_index_kind kind) {
  const oyi_tensor* t = x->self;
  span s = {.size = t->ndim ? t->sizes[dim] : 1,
            .dim = dim,
            .step = t->ndim ? oyi_strides(t)[dim] * oyi_item(t) : 0,
            .kind = kind};
  span* args = &s;
  oy_object* wide = oy_tensor_expand(&((oyi_tensor*)(uintptr_t)index)->header,
                                     oyi_sizes_view(x->offsets));
  if (!wide) return oy_failure();
  oyi_iter it;
  const oyi_tensor* tensors[] = {x->offsets, oyi_tensor_cast(wide)};
  oyi_iter_plain(&it, tensors, 2);
  oyi_iter_run(&it, add_offsets, &args);
  oy_tensor_release(wide);
  return s.failed && !chooses_nothing(x, &s) ? report(&s, index) : OY_OK;
}

// Indices that are offsets but for their scale need no memory. Not where writing to
// self would change them.
static bool uses_indices(oyi_indexing* x, const oyi_tensor* index, int64_t dim) {
  const oyi_tensor* t = x->self;
  if (index->header.dtype != OY_DTYPE_I64 || !(index->flags & OYI_CONTIGUOUS) ||
      t->ndim == 0 || oyi_is_meta(t) || oyi_is_meta(index) || index->numel == 0 ||
      oyi_may_share(t, index) || !oyi_are_indices(index, t->sizes[dim]))
    return false;
  x->offsets = oyi_tensor_cast(oy_tensor_retain(oyi_tensor_object(index)));
  x->scale = oyi_strides(t)[dim] * oyi_item(t);
  x->borrows = true;
  return true;
}

oy_status oyi_indexing_own(oyi_indexing* x) {
  if (!x->borrows) return OY_OK;
  oyi_tensor* copy = oyi_converted(x->offsets, OY_DTYPE_I64);
  if (!copy) return OY_OUT_OF_MEMORY;
  oyi_indexing_end(x);
  x->offsets = copy;
  x->borrows = false;
  return OY_OK;
}

static oy_status new_offsets(oyi_indexing* x, oy_ints sizes) {
  x->offsets = oyi_tensor_new(sizes, OY_DTYPE_I64, oyi_tensor_device(x->self));
  if (!x->offsets) return oy_failure();
  if (!oyi_is_meta(x->self) && x->offsets->numel > 0)
    memset(oyi_data(x->offsets), 0, (size_t)x->offsets->numel * sizeof(int64_t));
  return OY_OK;
}

// int64 indices, one for each dimension from the first on; NULL: that one is whole.
typedef struct index_list {
  oyi_tensor* at[OY_TENSOR_MAX_DIMS];
  size_t count;
} index_list;

static void release_list(index_list* list) {
  for (size_t i = 0; i < list->count; i++)
    if (list->at[i]) oy_tensor_release(&list->at[i]->header);
}

static oy_status too_many(const oyi_tensor* self, size_t count) {
  return OY_FAIL(OUT_OF_RANGE, "too many indices for tensor of dimension %u (got %zu)",
                 self->ndim, count);
}

// A mask stands for as many indices as it has dimensions.
static oy_status add_mask(index_list* list, const oyi_tensor* self,
                          const oyi_tensor* mask) {
  if (list->count + mask->ndim > self->ndim)
    return too_many(self, list->count + mask->ndim);
  for (size_t d = 0; d < mask->ndim; d++)
    OY_CHECK(mask->sizes[d] == self->sizes[list->count + d], OUT_OF_RANGE,
             "The shape of the mask %s at index %zu does not match the shape of the "
             "indexed tensor %s at index %zu",
             oyi_dims_print(oyi_sizes_view(mask)).text, d,
             oyi_dims_print(oyi_sizes_view(self)).text, list->count + d);
  OY_CHECK(!oyi_is_meta(mask), NOT_IMPLEMENTED,
           "indexing with a mask on the meta device: its elements decide the shape");
  oyi_tensor* columns[OY_TENSOR_MAX_DIMS];
  OY_TRY(oyi_nonzero_columns(mask, columns));
  for (size_t d = 0; d < mask->ndim; d++) list->at[list->count++] = columns[d];
  return OY_OK;
}

static oy_status add_entry(index_list* list, const oyi_tensor* self, oy_object* entry) {
  if (oy_object_is_none(entry)) {
    if (list->count == self->ndim) return too_many(self, list->count + 1);
    list->at[list->count++] = NULL;
    return OY_OK;
  }
  oyi_tensor* t = oyi_tensor_of(entry);
  if (!t) return oy_failure();
  OY_TRY(oyi_check_memory(t));
  oy_dtype dtype = t->header.dtype;
  if (dtype == OY_DTYPE_BOOL || dtype == OY_DTYPE_U8) return add_mask(list, self, t);
  OY_CHECK(dtype == OY_DTYPE_I64 || dtype == OY_DTYPE_I32, OUT_OF_RANGE,
           "tensors used as indices must be long, int, byte or bool tensors");
  if (list->count == self->ndim) return too_many(self, list->count + 1);
  if (dtype == OY_DTYPE_I32) {
    if (!(t = oyi_converted(t, OY_DTYPE_I64))) return OY_OUT_OF_MEMORY;
  } else {
    oy_tensor_retain(entry);
  }
  list->at[list->count++] = t;
  return OY_OK;
}

// Without dimensions between the indexed ones these stay where they are; otherwise
// the indices' dimensions come first.
static void place_dims(oyi_indexing* x, const index_list* list) {
  size_t first = list->count, last = 0, found = 0;
  for (size_t i = 0; i < list->count; i++) {
    if (!list->at[i]) continue;
    if (first == list->count) first = i;
    last = i;
    found++;
  }
  bool adjacent = found == 0 || last - first + 1 == found;
  x->before_count = x->after_count = 0;
  for (size_t d = 0; d < x->self->ndim; d++) {
    if (d < list->count && list->at[d]) continue;
    if (adjacent && found > 0 && d < first)
      x->before[x->before_count++] = (uint8_t)d;
    else
      x->after[x->after_count++] = (uint8_t)d;
  }
}

// Names the shapes of all indices, or of as many as the text holds.
static oy_status mismatch(const index_list* list) {
  char shapes[512];
  size_t used = 0;
  shapes[0] = '\0';
  for (size_t i = 0; i < list->count; i++) {
    if (!list->at[i] || used >= sizeof(shapes)) continue;
    const int added =
        snprintf(shapes + used, sizeof(shapes) - used, "%s%s", used > 0 ? ", " : "",
                 oyi_dims_print(oyi_sizes_view(list->at[i])).text);
    used += added > 0 ? (size_t)added : 0;
  }
  return OY_FAIL(OUT_OF_RANGE,
                 "shape mismatch: indexing tensors could not be broadcast together with "
                 "shapes %s",
                 shapes);
}

static oy_status broadcast_list(const index_list* list, int64_t* sizes, size_t* ndim) {
  *ndim = 0;
  for (size_t i = 0; i < list->count; i++) {
    if (!list->at[i]) continue;
    int64_t joined[OY_TENSOR_MAX_DIMS];
    oy_ints have = {sizes, *ndim}, more = oyi_sizes_view(list->at[i]);
    if (oyi_broadcast(have, more, joined, ndim) != 0) return mismatch(list);
    memcpy(sizes, joined, *ndim * sizeof(int64_t));
  }
  return OY_OK;
}

static oy_status find_offsets(oyi_indexing* x, const index_list* list) {
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  size_t ndim, last = 0, count = 0;
  for (size_t d = 0; d < list->count; d++)
    if (list->at[d]) last = d, count++;
  if (count == 1 && uses_indices(x, list->at[last], (int64_t)last)) return OY_OK;
  OY_TRY(broadcast_list(list, sizes, &ndim));
  OY_TRY(new_offsets(x, (oy_ints){sizes, ndim}));
  if (oyi_is_meta(x->self)) return OY_OK;
  for (size_t d = 0; d < list->count; d++)
    if (list->at[d]) OY_TRY(add_index(x, list->at[d], (int64_t)d, OYI_INDEX_ANY));
  return OY_OK;
}

oy_status oyi_indexing_begin(oyi_indexing* x, oy_object* self, oy_tensors indices) {
  x->offsets = NULL;
  x->scale = 1;
  x->borrows = false;
  x->self = oyi_tensor_of(self);
  if (!x->self) return oy_failure();
  OY_TRY(oyi_check_memory(x->self));
  if (indices.size > x->self->ndim) return too_many(x->self, indices.size);
  index_list list = {.count = 0};
  oy_status status = OY_OK;
  for (size_t i = 0; i < indices.size && status == 0; i++)
    status = add_entry(&list, x->self, indices.data[i]);
  if (status == 0) {
    place_dims(x, &list);
    status = find_offsets(x, &list);
    if (status == 0) oyi_indexing_lay(x, list.at, list.count);
  }
  release_list(&list);
  if (status != 0) oyi_indexing_end(x);
  return status;
}

oy_status oyi_indexing_begin_dim(oyi_indexing* x, oyi_tensor* self, int64_t dim,
                                 const oyi_tensor* index, oyi_index_kind kind) {
  x->self = self;
  x->offsets = NULL;
  x->scale = 1;
  x->borrows = false;
  x->layout.plain = true;
  x->before_count = x->after_count = 0;
  for (uint8_t d = 0; d < self->ndim; d++) {
    if (d < dim) x->before[x->before_count++] = d;
    if (d > dim) x->after[x->after_count++] = d;
  }
  if (index->ndim == 1 && uses_indices(x, index, dim)) return OY_OK;
  OY_TRY(new_offsets(x, (oy_ints){&index->numel, 1}));
  if (oyi_is_meta(self)) return OY_OK;
  oyi_tensor* wide = NULL;
  if (index->header.dtype != OY_DTYPE_I64) {
    wide = oyi_converted(index, OY_DTYPE_I64);
    if (!wide) {
      oyi_indexing_end(x);
      return OY_OUT_OF_MEMORY;
    }
    index = wide;
  }
  oy_status status = add_index(x, index, dim, kind);
  if (wide) oy_tensor_release(&wide->header);
  if (status != 0) oyi_indexing_end(x);
  return status;
}

void oyi_indexing_end(oyi_indexing* x) {
  if (x->offsets) oy_tensor_release(&x->offsets->header);
  x->offsets = NULL;
}

bool oyi_indexing_shape(const oyi_indexing* x, int64_t* sizes, size_t* ndim) {
  *ndim = x->before_count + x->offsets->ndim + x->after_count;
  if (*ndim > OY_TENSOR_MAX_DIMS) {
    OY_FAIL(INVALID_ARGUMENT, "tensors may have at most %d dimensions",
            OY_TENSOR_MAX_DIMS);
    return false;
  }
  for (size_t i = 0; i < x->before_count; i++) *sizes++ = x->self->sizes[x->before[i]];
  for (size_t i = 0; i < x->offsets->ndim; i++) *sizes++ = x->offsets->sizes[i];
  for (size_t i = 0; i < x->after_count; i++) *sizes++ = x->self->sizes[x->after[i]];
  return true;
}
