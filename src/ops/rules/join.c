// SPDX-License-Identifier: Apache-2.0
#include "ops/rules/join.h"

#include "base/memory.h"
#include "ops/rules/rules.h"
#include "tensor/iterator.h"

static oy_status check_list(oy_tensors tensors) {
  OY_CHECK(tensors.size > 0, INVALID_ARGUMENT,
           "torch.cat(): expected a non-empty list of Tensors");
  const oyi_tensor* first = oyi_tensor_of(tensors.data[0]);
  for (size_t i = 0; i < tensors.size; i++) {
    const oyi_tensor* t = oyi_tensor_of(tensors.data[i]);
    if (!t) return oy_failure();
    OY_CHECK(t->ndim > 0, INVALID_ARGUMENT,
             "zero-dimensional tensor (at position %zu) cannot be concatenated", i);
    OY_TRY(oyi_check_same_device(first, t));
  }
  return OY_OK;
}

// The shape of |t| must be that of |like| but for |dim|.
static oy_status check_shape(const oyi_tensor* like, const oyi_tensor* t, size_t dim,
                             size_t position) {
  OY_CHECK(t->ndim == like->ndim, INVALID_ARGUMENT,
           "Tensors must have same number of dimensions: got %u and %u", like->ndim,
           t->ndim);
  for (size_t i = 0; i < t->ndim; i++)
    OY_CHECK(
        i == dim || t->sizes[i] == like->sizes[i], INVALID_ARGUMENT,
        "Sizes of tensors must match except in dimension %zu. Expected size %lld but "
        "got size %lld for tensor number %zu in the list.",
        dim, (long long)like->sizes[i], (long long)t->sizes[i], position);
  return OY_OK;
}

// The first tensor that is not skipped; without one, the first.
static const oyi_tensor* first_shaped(oy_tensors tensors) {
  for (size_t i = 0; i < tensors.size; i++)
    if (!oyi_join_skips(oyi_tensor_cast(tensors.data[i])))
      return oyi_tensor_cast(tensors.data[i]);
  return oyi_tensor_cast(tensors.data[0]);
}

static oy_status join_sizes(oy_tensors tensors, const oyi_tensor* like, size_t dim,
                            int64_t* sizes) {
  for (size_t i = 0; i < like->ndim; i++) sizes[i] = like->sizes[i];
  sizes[dim] = 0;
  for (size_t i = 0; i < tensors.size; i++) {
    const oyi_tensor* t = oyi_tensor_cast(tensors.data[i]);
    if (oyi_join_skips(t)) continue;
    OY_TRY(check_shape(like, t, dim, i));
    OY_CHECK(!__builtin_add_overflow(sizes[dim], t->sizes[dim], &sizes[dim]),
             INVALID_ARGUMENT, "numel: integer multiplication overflow: %s",
             oyi_dims_print(oyi_sizes_view(t)).text);
  }
  return OY_OK;
}

// The format that all tensors suggest, or contiguous.
static int64_t common_format(oy_tensors tensors) {
  oy_memory_format format = oy_tensor_suggest_memory_format(tensors.data[0]);
  for (size_t i = 1; i < tensors.size; i++)
    if (oy_tensor_suggest_memory_format(tensors.data[i]) != format)
      return OY_MEMORY_CONTIGUOUS;
  return format;
}

static oy_status check_written(const oyi_tensor* out, oy_tensors tensors) {
  OY_TRY(oyi_output_check_overlap(out, NULL, 0));
  for (size_t i = 0; i < tensors.size; i++) {
    const oyi_tensor* t = oyi_tensor_cast(tensors.data[i]);
    // Not even the same elements: they would be read after they were written.
    bool same = t == out || (t->storage && t->storage == out->storage && t->numel > 0 &&
                             t->byte_offset == out->byte_offset);
    if (same) return oyi_output_overlaps();
    const oyi_tensor* inputs[] = {t};
    OY_TRY(oyi_output_check_overlap(out, inputs, 1));
  }
  return OY_OK;
}

oy_status oyi_rule_cat(oyi_join* join, oy_tensors tensors, int64_t dim, oy_object* out) {
  OY_TRY(check_list(tensors));
  const oyi_tensor* like = first_shaped(tensors);
  // Where all are skipped PyTorch does not look at |dim|.
  int64_t d = oyi_join_skips(like) ? 0 : oyi_dim_wrap(dim, like->ndim);
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  if (d < 0) return OY_OUT_OF_RANGE;
  join->dim = (size_t)d;
  OY_TRY(join_sizes(tensors, like, join->dim, sizes));
  oy_ints shape = {sizes, like->ndim};
  oyi_options options = {.dtype = like->header.dtype, .device = oyi_tensor_device(like)};
  OY_TRY(oy_result_type(tensors.data, tensors.size, &options.dtype));
  if (!out) {
    join->out = oyi_rule_empty(shape, &options, common_format(tensors), NULL);
    return join->out ? OY_OK : oy_failure();
  }
  if (!(join->out = oyi_tensor_of(out))) return oy_failure();
  OY_CHECK(oy_dtype_can_cast(options.dtype, out->dtype), TYPE_MISMATCH,
           "torch.cat(): input types can't be cast to the desired output type %s",
           oy_dtype_pytorch_name(out->dtype));
  OY_TRY(check_written(join->out, tensors));
  return oyi_output_prepare(join->out, shape, options.dtype, options.device);
}

oy_status oyi_block_size(oy_object* tensor, size_t position, int64_t* rows,
                         int64_t* columns) {
  const oyi_tensor* t = oyi_tensor_of(tensor);
  if (!t) return oy_failure();
  OY_CHECK(
      t->ndim <= 2, INVALID_ARGUMENT,
      "torch.block_diag: Input tensors must have 2 or fewer dimensions. Input %zu has "
      "%u dimensions",
      position, t->ndim);
  *rows = t->ndim == 2 ? t->sizes[0] : 1;
  *columns = t->ndim == 2 ? t->sizes[1] : t->numel;
  return OY_OK;
}
