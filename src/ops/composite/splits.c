// SPDX-License-Identifier: Apache-2.0
// Views that come as lists. split, split_with_sizes and unbind make them; the others
// choose sizes.
#include "base/memory.h"
#include "ops/calls.h"
#include "ops/kernels.h"
#include "ops/rules/shape.h"

// The slices of |dim| that begin at |size * i|, the last one shorter.
static oy_status split_evenly(const oyi_tensor* t, int64_t size, size_t dim, size_t count,
                              oy_value* out_list) {
  oy_object** items;
  OY_TRY(oyi_list_new(count, out_list, &items));
  int64_t total = t->sizes[dim];
  for (size_t i = 0; i < count; i++) {
    int64_t at = (int64_t)i * size, left = total - at;
    oy_object* piece = oyi_view_slice(t, dim, at, left < size ? left : size, 1);
    if (!oyi_list_put(items, i, piece)) return oyi_list_fail(out_list);
  }
  return OY_OK;
}

static oy_status split(oy_object* self, int64_t size, int64_t dim, oy_value* out_list) {
  *out_list = oy_none();
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return oy_failure();
  OY_CHECK(t->ndim > 0, INVALID_ARGUMENT,
           "split expects at least a 1-dimensional tensor");
  OY_CHECK(size >= 0, INVALID_ARGUMENT,
           "split expects split_size be non-negative, but got split_size=%lld",
           (long long)size);
  int64_t d = oyi_dim_wrap(dim, t->ndim);
  if (d < 0) return OY_OUT_OF_RANGE;
  int64_t total = t->sizes[d];
  OY_CHECK(size > 0 || total == 0, INVALID_ARGUMENT,
           "split_size can only be 0 if dimension size is 0, but got dimension size of "
           "%lld",
           (long long)total);
  int64_t count = size == 0 || total == 0 ? 1 : (total - 1) / size + 1;
  return split_evenly(t, size, (size_t)d, (size_t)count, out_list);
}

static oy_status split_by_sizes(oy_object* self, oy_ints sizes, int64_t dim,
                                oy_value* out_list) {
  *out_list = oy_none();
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return oy_failure();
  OY_CHECK(t->ndim > 0, INVALID_ARGUMENT,
           "split expects at least a 1-dimensional tensor");
  int64_t d = oyi_dim_wrap(dim, t->ndim), at = 0;
  if (d < 0) return OY_OUT_OF_RANGE;
  bool bad = false;
  for (size_t i = 0; i < sizes.size; i++) {
    OY_CHECK(sizes.data[i] >= 0, INVALID_ARGUMENT,
             "split_with_sizes expects split_sizes have only non-negative entries, but "
             "got split_sizes=%s",
             oyi_dims_print(sizes).text);
    bad |= __builtin_add_overflow(at, sizes.data[i], &at);
  }
  OY_CHECK(!bad && at == t->sizes[d], INVALID_ARGUMENT,
           "split_with_sizes expects split_sizes to sum exactly to %lld (input tensor's "
           "size at dimension %lld), but got split_sizes=%s",
           (long long)t->sizes[d], (long long)d, oyi_dims_print(sizes).text);
  oy_object** items;
  OY_TRY(oyi_list_new(sizes.size, out_list, &items));
  at = 0;
  for (size_t i = 0; i < sizes.size; i++) {
    if (!oyi_list_put(items, i, oyi_view_slice(t, (size_t)d, at, sizes.data[i], 1)))
      return oyi_list_fail(out_list);
    at += sizes.data[i];
  }
  return OY_OK;
}

OYI_COMPOSITE(split_Tensor) {
  return split(self, split_size, dim, out_result);
}
OYI_COMPOSITE(split_with_sizes) {
  return split_by_sizes(self, split_sizes, dim, out_result);
}
OYI_COMPOSITE(split_sizes) {
  return oyi_call_split_with_sizes(self, split_size, dim, out_result);
}
OYI_COMPOSITE(unsafe_split_Tensor) {
  return split(self, split_size, dim, out_result);
}
OYI_COMPOSITE(unsafe_split_with_sizes) {
  return split_by_sizes(self, split_sizes, dim, out_result);
}

OYI_COMPOSITE(unbind_int) {
  *out_result = oy_none();
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return oy_failure();
  OY_CHECK(t->ndim > 0, OUT_OF_RANGE,
           "Dimension specified as %lld but tensor has no dimensions", (long long)dim);
  int64_t d = oyi_dim_wrap(dim, t->ndim);
  if (d < 0) return OY_OUT_OF_RANGE;
  oy_object** items;
  OY_TRY(oyi_list_new((size_t)t->sizes[d], out_result, &items));
  for (int64_t i = 0; i < t->sizes[d]; i++) {
    oy_object* one = oyi_view_without(t, (size_t)d, i * oyi_strides(t)[d]);
    if (!oyi_list_put(items, (size_t)i, one)) return oyi_list_fail(out_result);
  }
  return OY_OK;
}

// --------------------------------------------------------------------- chunk

// What chunk splits into: pieces of |*out_size|; |*out_count| pieces if the dimension is
// empty, so that there are as many as were asked for.
static oy_status chunk_size(oy_object* self, int64_t chunks, int64_t dim,
                            int64_t* out_size, int64_t* out_dim) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return oy_failure();
  OY_CHECK(t->ndim > 0, INVALID_ARGUMENT,
           "chunk expects at least a 1-dimensional tensor");
  OY_CHECK(chunks > 0, INVALID_ARGUMENT,
           "chunk expects `chunks` to be greater than 0, got: %lld", (long long)chunks);
  *out_dim = oyi_dim_wrap(dim, t->ndim);
  if (*out_dim < 0) return OY_OUT_OF_RANGE;
  int64_t size = t->sizes[*out_dim];
  *out_size = size / chunks + (size % chunks != 0);
  return OY_OK;
}

typedef oy_status (*split_sizes_fn)(oy_object*, oy_ints, int64_t, oy_value*);

// |chunks| pieces, all empty.
static oy_status empty_chunks(oy_object* self, int64_t chunks, int64_t dim,
                              split_sizes_fn by_sizes, oy_value* out_list) {
  *out_list = oy_none();
  OY_CHECK(chunks <= UINT32_MAX, OUT_OF_RANGE, "chunk: %lld chunks are too many",
           (long long)chunks);
  int64_t* sizes = oyi_calloc((size_t)chunks, sizeof(int64_t));
  if (!sizes) return OY_OUT_OF_MEMORY;
  oy_status status = by_sizes(self, (oy_ints){sizes, (size_t)chunks}, dim, out_list);
  oyi_free(sizes);
  return status;
}

OYI_COMPOSITE(chunk) {
  *out_result = oy_none();
  int64_t size, d;
  OY_TRY(chunk_size(self, chunks, dim, &size, &d));
  if (size > 0) return oyi_call_split_Tensor(self, size, d, out_result);
  return empty_chunks(self, chunks, d, oyi_call_split_with_sizes, out_result);
}
OYI_COMPOSITE(unsafe_chunk) {
  *out_result = oy_none();
  int64_t size, d;
  OY_TRY(chunk_size(self, chunks, dim, &size, &d));
  if (size > 0) return oyi_call_unsafe_split_Tensor(self, size, d, out_result);
  return empty_chunks(self, chunks, d, oyi_call_unsafe_split_with_sizes, out_result);
}

// -------------------------------------------------------------- tensor_split

static oy_status tensor_split_dim(oy_object* self, int64_t dim, int64_t* out_dim) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return oy_failure();
  OY_CHECK(t->ndim > 0, INVALID_ARGUMENT,
           "tensor_split expected at least a 1-dimensional tensor, but got a tensor with "
           "0 dims");
  *out_dim = oyi_dim_wrap(dim, t->ndim);
  return *out_dim < 0 ? OY_OUT_OF_RANGE : OY_OK;
}

// One piece: from |start| to below |end|, as slices count.
static bool put_slice(oy_object** items, size_t i, oy_object* self, int64_t dim,
                      int64_t start, oy_value end) {
  return oyi_list_put(items, i, oyi_call_slice_Tensor(self, dim, oy_int(start), end, 1));
}

OYI_COMPOSITE(tensor_split_sections) {
  *out_result = oy_none();
  int64_t d;
  OY_TRY(tensor_split_dim(self, dim, &d));
  OY_CHECK(sections > 0, INVALID_ARGUMENT,
           "number of sections must be larger than 0, got %lld", (long long)sections);
  int64_t size = oyi_tensor_cast(self)->sizes[d], at = 0;
  oy_object** items;
  OY_TRY(oyi_list_new((size_t)sections, out_result, &items));
  for (int64_t i = 0; i < sections; i++) {
    int64_t end = at + size / sections + (i < size % sections);
    if (!put_slice(items, (size_t)i, self, d, at, oy_int(end)))
      return oyi_list_fail(out_result);
    at = end;
  }
  return OY_OK;
}

OYI_COMPOSITE(tensor_split_indices) {
  *out_result = oy_none();
  int64_t d, at = 0;
  OY_TRY(tensor_split_dim(self, dim, &d));
  oy_object** items;
  OY_TRY(oyi_list_new(indices.size + 1, out_result, &items));
  for (size_t i = 0; i <= indices.size; i++) {
    int64_t end = i < indices.size ? indices.data[i] : oyi_tensor_cast(self)->sizes[d];
    if (!put_slice(items, i, self, d, at, oy_int(end))) return oyi_list_fail(out_result);
    at = end;
  }
  return OY_OK;
}

static oy_status split_at_elements(oy_object* self, const oyi_tensor* at, int64_t dim,
                                   oy_value* out_list) {
  int64_t* indices = oyi_calloc((size_t)at->numel + 1, sizeof(int64_t));
  if (!indices) return OY_OUT_OF_MEMORY;
  oy_status status = OY_OK;
  for (int64_t i = 0; status == OY_OK && i < at->numel; i++) {
    oy_scalar index;
    status = oy_tensor_get(&at->header, (oy_ints){&i, 1}, &index);
    indices[i] = index.as.i;
  }
  if (status == OY_OK)
    status = oyi_call_tensor_split_indices(self, (oy_ints){indices, (size_t)at->numel},
                                           dim, out_list);
  oyi_free(indices);
  return status;
}

OYI_COMPOSITE(tensor_split_tensor_indices_or_sections) {
  *out_result = oy_none();
  const oyi_tensor* at = oyi_tensor_of(tensor_indices_or_sections);
  if (!at) return oy_failure();
  OY_CHECK(
      at->backend == OY_BACKEND_CPU && (at->numel == 0 || oyi_data(at)), INVALID_ARGUMENT,
      "tensor_split expected tensor_indices_or_sections to be on cpu, but it's on %s",
      oy_backend_name(at->backend));
  OY_CHECK(at->header.dtype == OY_DTYPE_I64, INVALID_ARGUMENT,
           "tensor_split expected tensor_indices_or_sections to have dtype of long, but "
           "got %s",
           oy_dtype_pytorch_name(at->header.dtype));
  OY_CHECK(at->ndim < 2, INVALID_ARGUMENT,
           "tensor_split expected tensor_indices_or_sections to be a zero-dimensional or "
           "one-dimensional tensor, but got a tensor with %u dims",
           at->ndim);
  if (at->ndim == 1) return split_at_elements(self, at, dim, out_result);
  oy_scalar sections;
  OY_TRY(oy_tensor_item(&at->header, &sections));
  return oyi_call_tensor_split_sections(self, sections.as.i, dim, out_result);
}

// ----------------------------------------------------- hsplit, vsplit, dsplit

// The dimension that |name| splits, in a tensor of at least |least| dimensions.
static oy_status named_dim(oy_object* self, const char* name, int least, int64_t* out) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return oy_failure();
  OY_CHECK(t->ndim >= least, INVALID_ARGUMENT,
           "torch.%s requires a tensor with at least %d dimension, but got a tensor with "
           "%u dimensions!",
           name, least, t->ndim);
  *out = name[0] == 'h' ? t->ndim > 1 : name[0] == 'v' ? 0 : 2;
  return OY_OK;
}

static oy_status split_equally(oy_object* self, const char* name, int least,
                               int64_t sections, oy_value* out_list) {
  *out_list = oy_none();
  int64_t d = 0;
  OY_TRY(named_dim(self, name, least, &d));
  int64_t size = oyi_tensor_cast(self)->sizes[d];
  OY_CHECK(sections != 0 && size % sections == 0, INVALID_ARGUMENT,
           "torch.%s attempted to split along dimension %lld, but the size of the "
           "dimension %lld is not divisible by the split_size %lld!",
           name, (long long)d, (long long)size, (long long)sections);
  return oyi_call_tensor_split_sections(self, sections, d, out_list);
}

static oy_status split_at(oy_object* self, const char* name, int least, oy_ints indices,
                          oy_value* out_list) {
  *out_list = oy_none();
  int64_t d = 0;
  OY_TRY(named_dim(self, name, least, &d));
  return oyi_call_tensor_split_indices(self, indices, d, out_list);
}

OYI_COMPOSITE(hsplit_int) {
  return split_equally(self, "hsplit", 1, sections, out_result);
}
OYI_COMPOSITE(vsplit_int) {
  return split_equally(self, "vsplit", 2, sections, out_result);
}
OYI_COMPOSITE(dsplit_int) {
  return split_equally(self, "dsplit", 3, sections, out_result);
}
OYI_COMPOSITE(hsplit_array) {
  return split_at(self, "hsplit", 1, indices, out_result);
}
OYI_COMPOSITE(vsplit_array) {
  return split_at(self, "vsplit", 2, indices, out_result);
}
OYI_COMPOSITE(dsplit_array) {
  return split_at(self, "dsplit", 3, indices, out_result);
}
