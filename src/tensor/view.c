// SPDX-License-Identifier: Apache-2.0
// Views: as_strided is the core, the others compute strides for it. The rule for
// view() splits the old shape into runs that are contiguous in themselves and
// lets the new dimensions fill each run exactly (reference, 8.4).
#include "base/memory.h"
#include "tensor/view_plain.h"

static oy_tensor* alias(const oyi_tensor* t, oy_ints sizes, const int64_t* strides,
                        int64_t offset) {
  return oyi_tensor_object(
      oyi_tensor_alias(t, sizes, (oy_ints){strides, sizes.size}, offset));
}

oy_status oyi_strided_check(oy_ints sizes, oy_ints strides, int64_t offset, size_t item,
                            size_t have, size_t* out_needed) {
  OY_CHECK(sizes.size == strides.size, INVALID_ARGUMENT,
           "mismatch in length of strides and shape: %zu sizes, %zu strides", sizes.size,
           strides.size);
  int64_t numel;
  size_t nbytes;
  OY_TRY(oyi_sizes_check(sizes, item, &numel, &nbytes));
  OY_CHECK(offset >= 0, INVALID_ARGUMENT, "Tensor: invalid storage offset %lld",
           (long long)offset);
  for (size_t i = 0; i < strides.size; i++)
    OY_CHECK(strides.data[i] >= 0, INVALID_ARGUMENT,
             "as_strided: Negative strides are not supported at the moment, got "
             "strides: %s",
             oyi_dims_print(strides).text);
  int64_t at;
  OY_CHECK(!__builtin_mul_overflow(offset, (int64_t)item, &at), INVALID_ARGUMENT,
           "Tensor: invalid storage offset %lld", (long long)offset);
  OY_TRY(oyi_storage_needed(sizes, strides, offset, item, out_needed));
  OY_CHECK(*out_needed <= have, INVALID_ARGUMENT,
           "setStorage: sizes %s, strides %s, storage offset %lld, and itemsize %zu "
           "requiring a storage size of %zu are out of bounds for storage of size "
           "%zu",
           oyi_dims_print(sizes).text, oyi_dims_print(strides).text, (long long)offset,
           item, *out_needed, have);
  return OY_OK;
}

oy_tensor* oy_tensor_as_strided(const oy_tensor* tensor, oy_ints sizes, oy_ints strides,
                                int64_t offset) {
  const oyi_tensor* t = oyi_tensor_of(tensor);
  size_t needed;
  if (!t || oyi_strided_check(sizes, strides, offset, (size_t)oyi_item(t),
                              t->storage ? t->storage->nbytes : SIZE_MAX, &needed) != 0)
    return NULL;
  return alias(t, sizes, strides.data, offset);
}

oy_status oyi_infer_size(oy_ints sizes, int64_t numel, int64_t* out) {
  OY_CHECK(sizes.size <= OY_TENSOR_MAX_DIMS, INVALID_ARGUMENT,
           "tensors may have at most %d dimensions, got %zu", OY_TENSOR_MAX_DIMS,
           sizes.size);
  int64_t known = 1, nonzero = 1;  // strides are products of the others
  size_t open = sizes.size;        // where the -1 is
  bool overflow = false;
  for (size_t i = 0; i < sizes.size; i++) {
    out[i] = sizes.data[i];
    if (sizes.data[i] == -1) {
      OY_CHECK(open == sizes.size, INVALID_ARGUMENT,
               "only one dimension can be inferred");
      open = i;
      continue;
    }
    OY_CHECK(sizes.data[i] >= 0, INVALID_ARGUMENT, "invalid shape dimension %lld",
             (long long)sizes.data[i]);
    overflow |= __builtin_mul_overflow(known, sizes.data[i], &known);
    overflow |=
        __builtin_mul_overflow(nonzero, sizes.data[i] ? sizes.data[i] : 1, &nonzero);
  }
  if (open < sizes.size && !overflow) {
    OY_CHECK(known != 0 || numel != 0, INVALID_ARGUMENT,
             "cannot reshape tensor of 0 elements into shape %s because the "
             "unspecified dimension size -1 can be any value and is ambiguous",
             oyi_dims_print(sizes).text);
    if (known != 0 && numel % known == 0) {
      out[open] = numel / known;
      return OY_OK;
    }
  } else if (!overflow && known == numel) {
    return OY_OK;
  }
  return OY_FAIL(INVALID_ARGUMENT, "shape '%s' is invalid for input of size %lld",
                 oyi_dims_print(sizes).text, (long long)numel);
}

// Strides for a tensor without elements: the old ones for the same shape, else
// as if every size were at least 1.
static bool empty_view_strides(const oyi_tensor* t, oy_ints new_sizes, int64_t* out) {
  if (oyi_same_sizes(oyi_sizes_view(t), new_sizes))
    memcpy(out, oyi_strides(t), new_sizes.size * sizeof(int64_t));
  else
    oyi_strides_contiguous(new_sizes, out);
  return true;
}

// |view_d| is the next new dimension to place, from the right, plus 1. Places
// those that fill a run of |run| elements with distance |base|.
static size_t fill_run(oy_ints new_sizes, size_t view_d, int64_t run, int64_t base,
                       int64_t* out, bool* out_exact) {
  int64_t placed = 1;
  while (view_d > 0 && (placed < run || new_sizes.data[view_d - 1] == 1)) {
    out[view_d - 1] = placed * base;
    placed *= new_sizes.data[view_d - 1];
    view_d--;
  }
  *out_exact = placed == run;
  return view_d;
}

bool oyi_view_strides(const oyi_tensor* t, oy_ints new_sizes, int64_t* out) {
  const int64_t* sizes = t->sizes;
  const int64_t* strides = oyi_strides(t);
  if (t->numel == 0) return empty_view_strides(t, new_sizes, out);
  if (t->ndim == 0) {
    for (size_t i = 0; i < new_sizes.size; i++) out[i] = 1;
    return true;
  }
  size_t view_d = new_sizes.size;
  int64_t base = strides[t->ndim - 1];
  int64_t run = 1;
  for (size_t d = t->ndim; d-- > 0;) {
    run *= sizes[d];
    bool ends = d == 0 || (sizes[d - 1] != 1 && strides[d - 1] != run * base);
    if (!ends) continue;
    bool exact;
    view_d = fill_run(new_sizes, view_d, run, base, out, &exact);
    if (!exact) return false;
    if (d > 0) base = strides[d - 1];
    run = 1;
  }
  return view_d == 0;
}

static __attribute__((noinline)) oy_tensor* view_slow(const oy_tensor* tensor,
                                                      oy_ints sizes) {
  const oyi_tensor* t = oyi_tensor_of(tensor);
  int64_t inferred[OY_TENSOR_MAX_DIMS], strides[OY_TENSOR_MAX_DIMS];
  if (!t || oyi_infer_size(sizes, t->numel, inferred) != 0) return NULL;
  oy_ints shape = {inferred, sizes.size};
  // Nothing but a size was to be found out.
  oyi_tensor* v = oyi_view_counted(oyi_plain_view(t, shape));
  if (v) return oyi_tensor_object(v);
  if (!oyi_view_strides(t, shape, strides)) {
    OY_FAIL(INVALID_ARGUMENT,
            "view size is not compatible with input tensor's size and stride (at "
            "least one dimension spans across two contiguous subspaces). Use "
            ".reshape(...) instead.");
    return NULL;
  }
  return alias(t, shape, strides, t->offset);
}

oy_tensor* oy_tensor_view(const oy_tensor* tensor, oy_ints sizes) {
  oyi_tensor* v = OYI_PLAINLY(tensor, oyi_plain_view(oyi_tensor_cast(tensor), sizes));
  return OY_LIKELY(v != NULL) ? oyi_tensor_object(v) : view_slow(tensor, sizes);
}

// Dimension |i| of an expand, those behind it done.
static oy_status expand_dim(const oyi_tensor* t, oy_ints sizes, size_t i,
                            int64_t* out_size, int64_t* out_stride) {
  size_t lead = sizes.size - t->ndim;
  int64_t want = sizes.data[i];
  if (i < lead) {
    OY_CHECK(want >= 0, INVALID_ARGUMENT,
             "The expanded size of the tensor (%lld) isn't allowed in a leading, "
             "non-existing dimension %zu",
             (long long)want, i);
    *out_size = want;
    *out_stride = t->ndim > 0 ? oyi_leading_stride(want, out_size[1], out_stride[1]) : 0;
    return OY_OK;
  }
  int64_t have = t->sizes[i - lead];
  if (want == -1) want = have;
  OY_CHECK(want == have || (have == 1 && want >= 0), INVALID_ARGUMENT,
           "The expanded size of the tensor (%lld) must match the existing size "
           "(%lld) at non-singleton dimension %zu.  Target sizes: %s.  Tensor "
           "sizes: %s",
           (long long)want, (long long)have, i, oyi_dims_print(sizes).text,
           oyi_dims_print(oyi_sizes_view(t)).text);
  *out_size = want;
  *out_stride = want == have ? oyi_strides(t)[i - lead] : 0;
  return OY_OK;
}

static __attribute__((noinline)) oy_tensor* expand_slow(const oy_tensor* tensor,
                                                        oy_ints sizes) {
  const oyi_tensor* t = oyi_tensor_of(tensor);
  if (!t) return NULL;
  int64_t shape[OY_TENSOR_MAX_DIMS], strides[OY_TENSOR_MAX_DIMS];
  if (sizes.size < t->ndim) {
    OY_FAIL(INVALID_ARGUMENT,
            "expand(torch.%sTensor{%s}, size=%s): the number of sizes provided "
            "(%zu) must be greater or equal to the number of dimensions in the "
            "tensor (%u)",
            oy_dtype_pytorch_name(t->header.dtype),
            oyi_dims_print(oyi_sizes_view(t)).text, oyi_dims_print(sizes).text,
            sizes.size, t->ndim);
    return NULL;
  }
  if (sizes.size > OY_TENSOR_MAX_DIMS) {
    OY_FAIL(INVALID_ARGUMENT, "tensors may have at most %d dimensions, got %zu",
            OY_TENSOR_MAX_DIMS, sizes.size);
    return NULL;
  }
  for (size_t i = sizes.size; i-- > 0;)
    if (expand_dim(t, sizes, i, &shape[i], &strides[i]) != 0) return NULL;
  int64_t numel;
  size_t nbytes;
  oy_ints checked = {shape, sizes.size};
  if (oyi_sizes_check(checked, (size_t)oyi_item(t), &numel, &nbytes) != 0) return NULL;
  return alias(t, checked, strides, t->offset);
}

oy_tensor* oy_tensor_expand(const oy_tensor* tensor, oy_ints sizes) {
  oyi_tensor* v = OYI_PLAINLY(tensor, oyi_plain_expand(oyi_tensor_cast(tensor), sizes));
  return OY_LIKELY(v != NULL) ? oyi_tensor_object(v) : expand_slow(tensor, sizes);
}

static __attribute__((noinline)) oy_tensor* transpose_slow(const oy_tensor* tensor,
                                                           int64_t dim0, int64_t dim1) {
  const oyi_tensor* t = oyi_tensor_of(tensor);
  if (!t) return NULL;
  int64_t a = oyi_dim_wrap(dim0, t->ndim);
  int64_t b = a < 0 ? -1 : oyi_dim_wrap(dim1, t->ndim);
  if (b < 0) return NULL;
  return oyi_tensor_object(oyi_tensor_transposed(t, (size_t)a, (size_t)b));
}

oy_tensor* oy_tensor_transpose(const oy_tensor* tensor, int64_t dim0, int64_t dim1) {
  oyi_tensor* v =
      OYI_PLAINLY(tensor, oyi_plain_exchanged(oyi_tensor_cast(tensor), dim0, dim1));
  return OY_LIKELY(v != NULL) ? oyi_tensor_object(v) : transpose_slow(tensor, dim0, dim1);
}
