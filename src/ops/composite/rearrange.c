// SPDX-License-Identifier: Apache-2.0
// Elements repeated, turned, padded or put on a diagonal, by way of views and copies.
#include "base/memory.h"
#include "ops/calls.h"
#include "ops/kernels.h"
#include "ops/made.h"

// --------------------------------------------------------------------- repeat

// The result of |repeats| as windows of the size of |self|: each dimension is one of
// windows, their own come behind.
static oy_object* windows(oy_object* result, oy_ints padded) {
  oy_object* view = oyi_call_alias(result);
  for (size_t i = 0; i < padded.size; i++) {
    int64_t size = padded.data[i];
    oy_object* next = oyi_call_unfold(view, (int64_t)i, size, size > 1 ? size : 1);
    oy_tensor_release(view);
    view = next;
  }
  return view;
}

static oy_object* copy_into_windows(oy_object* result, oy_object* self, oy_ints padded) {
  oy_object* view = windows(result, padded);
  const oyi_tensor* v = oyi_tensor_of(view);
  oy_object* wide = v ? oyi_call_expand(self, oyi_sizes_view(v), false) : NULL;
  oy_object* done = oyi_call_copy_(view, wide, false);
  oy_tensor_release(wide);
  oy_tensor_release(view);
  return done;
}

OYI_COMPOSITE(repeat) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  if (repeats.size < t->ndim || repeats.size > OY_TENSOR_MAX_DIMS) {
    OY_FAIL(INVALID_ARGUMENT, "Number of dimensions of repeat dims can not be %s",
            repeats.size < t->ndim ? "smaller than number of dimensions of tensor"
                                   : "greater than 64");
    return NULL;
  }
  int64_t padded[OY_TENSOR_MAX_DIMS], target[OY_TENSOR_MAX_DIMS];
  size_t lead = repeats.size - t->ndim;
  bool overflow = false;
  for (size_t i = 0; i < repeats.size; i++) {
    padded[i] = i < lead ? 1 : t->sizes[i - lead];
    overflow |= __builtin_mul_overflow(padded[i], repeats.data[i], &target[i]);
  }
  if (overflow) {
    OY_FAIL(INVALID_ARGUMENT, "numel: integer multiplication overflow: %s",
            oyi_dims_print(repeats).text);
    return NULL;
  }
  oy_object* made = oyi_call_empty_memory_format(
      (oy_ints){target, repeats.size}, oy_int(self->dtype), oy_none(),
      oy_value_device(oyi_tensor_device(t)), oy_none(), oy_none());
  if (!made || oyi_tensor_cast(made)->numel == 0) return made;
  OYI_MADE(made, copy_into_windows(made, self, (oy_ints){padded, repeats.size}));
}
OYI_STORED(repeat_out, repeat)

OYI_COMPOSITE(tile) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t || dims.size >= t->ndim) return oyi_call_repeat(self, dims);
  int64_t repeats[OY_TENSOR_MAX_DIMS];
  size_t lead = t->ndim - dims.size;
  for (size_t i = 0; i < t->ndim; i++) repeats[i] = i < lead ? 1 : dims.data[i - lead];
  return oyi_call_repeat(self, (oy_ints){repeats, t->ndim});
}

// ---------------------------------------------------------- repeat_interleave

// |self| and the dimension to repeat; without one, all elements in one dimension.
static oy_object* interleaved_input(oy_object* self, oy_value dim, int64_t* out_dim) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  *out_dim = 0;
  if (dim.tag == OY_TAG_NONE) return oyi_call_flatten_using_ints(self, 0, -1);
  *out_dim = oyi_dim_wrap(dim.as.i, t->ndim);
  if (*out_dim < 0) return NULL;
  if (t->ndim) return oy_tensor_retain(self);
  OY_FAIL(OUT_OF_RANGE, "Dimension specified as %lld but tensor has no dimensions",
          (long long)dim.as.i);
  return NULL;
}

static oy_object* interleaved(oy_object* input, oy_object* repeats, int64_t dim) {
  oy_object* from = oyi_call_repeat_interleave_Tensor(repeats, oy_none());
  oy_object* result = oyi_call_index_select(input, dim, from);
  oy_tensor_release(from);
  return result;
}

OYI_COMPOSITE(repeat_interleave_self_Tensor) {
  int64_t d;
  const oyi_tensor* r = oyi_tensor_of(repeats);
  oy_object* input = r ? interleaved_input(self, dim, &d) : NULL;
  if (!input) return NULL;
  int64_t size = oyi_tensor_cast(input)->sizes[d];
  oy_object *result = NULL, *wide = NULL;
  if (r->ndim == 0 || (r->ndim == 1 && r->sizes[0] == 1)) {
    oy_object* flat = oyi_call_reshape(repeats, OY_DIMS(1));
    wide = oyi_call_expand(flat, OY_DIMS(size), false);
    oy_tensor_release(flat);
  } else if (r->ndim != 1) {
    OY_FAIL(INVALID_ARGUMENT, "repeats must be 0-dim or 1-dim tensor");
  } else if (r->sizes[0] != size) {
    OY_FAIL(
        INVALID_ARGUMENT,
        "repeats must have the same size as input along dim, but got repeats.size(0) = "
        "%lld and input.size(%lld) = %lld",
        (long long)r->sizes[0], (long long)d, (long long)size);
  } else {
    wide = oy_tensor_retain(repeats);
  }
  if (wide) result = interleaved(input, wide, d);
  oy_tensor_release(wide);
  oy_tensor_release(input);
  return result;
}

OYI_COMPOSITE(repeat_interleave_self_int) {
  int64_t d, sizes[OY_TENSOR_MAX_DIMS + 1];
  if (repeats < 0) {
    OY_FAIL(INVALID_ARGUMENT, "Repeats must be non-negative");
    return NULL;
  }
  oy_object* input = interleaved_input(self, dim, &d);
  if (!input) return NULL;
  const oyi_tensor* t = oyi_tensor_cast(input);
  // What is written several times is sooner read as it lies.
  if (repeats > 1 && !(t->flags & OYI_CONTIGUOUS)) {
    oy_object* lying = oyi_call_contiguous(input, OY_MEMORY_CONTIGUOUS);
    oy_tensor_release(input);
    if (!(input = lying)) return NULL;
    t = oyi_tensor_cast(input);
  }
  for (size_t i = 0, n = 0; i < t->ndim; i++) {
    sizes[n++] = t->sizes[i];
    if ((int64_t)i == d) sizes[n++] = repeats;
  }
  oy_object* thin = oyi_call_unsqueeze(input, d + 1);
  oy_object* wide = oyi_call_expand(thin, (oy_ints){sizes, t->ndim + 1u}, false);
  oy_object* copy = oyi_call_clone(wide, oy_int(OY_MEMORY_CONTIGUOUS));
  oy_object* result = oyi_call_flatten_using_ints(copy, d, d + 1);
  oy_tensor_release(copy);
  oy_tensor_release(wide);
  oy_tensor_release(thin);
  oy_tensor_release(input);
  return result;
}
OYI_STORED(repeat_interleave_Tensor_out, repeat_interleave_Tensor)

// ------------------------------------------------------------------ turn and flip

static oy_status check_rot90(const oyi_tensor* t, oy_ints dims) {
  OY_CHECK(dims.size == 2, INVALID_ARGUMENT,
           "expected total rotation dims == 2, but got dims = %zu", dims.size);
  OY_CHECK(t->ndim >= 2, INVALID_ARGUMENT,
           "expected total dims >= 2, but got total dims = %u", t->ndim);
  int64_t a = dims.data[0], b = dims.data[1], n = t->ndim;
  __int128 apart = (__int128)a - b;  // they may be any numbers
  OY_CHECK(a != b && apart != n && apart != -n, INVALID_ARGUMENT,
           "expected rotation dims to be different, but got dim0 = %lld and dim1 = %lld",
           (long long)a, (long long)b);
  OY_CHECK(a < n && a >= -n, OUT_OF_RANGE, "Rotation dim0 out of range, dim0 = %lld",
           (long long)a);
  OY_CHECK(b < n && b >= -n, OUT_OF_RANGE, "Rotation dim1 out of range, dim1 = %lld",
           (long long)b);
  return OY_OK;
}

OYI_COMPOSITE(rot90) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t || check_rot90(t, dims) != 0) return NULL;
  int64_t quarter = ((k % 4) + 4) % 4, a = dims.data[0], b = dims.data[1];
  if (quarter == 0) return oyi_call_clone(self, oy_int(OY_MEMORY_CONTIGUOUS));
  if (quarter == 2) return oyi_call_flip(self, dims);
  oy_object* turned = oyi_call_flip(self, OY_DIMS(quarter == 1 ? b : a));
  return turned ? oyi_written(turned, oyi_call_transpose_(turned, a, b)) : NULL;
}
OYI_STORED(rot90_out, rot90)

static oy_object* flip_dim(oy_object* self, int64_t dim, const char* name) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  if (t->ndim > dim) return oyi_call_flip(self, OY_DIMS(dim));
  OY_FAIL(INVALID_ARGUMENT, "Input must be >= %lld-d.", (long long)dim + 1);
  (void)name;
  return NULL;
}
OYI_COMPOSITE(fliplr) {
  return flip_dim(self, 1, "fliplr");
}
OYI_COMPOSITE(flipud) {
  return flip_dim(self, 0, "flipud");
}
OYI_STORED(flip_out, flip)
OYI_STORED(roll_out, roll)

// ------------------------------------------------------------------- diagonals

OYI_COMPOSITE(diag) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  if (t->ndim == 1) return oyi_call_diag_embed(self, diagonal, 0, 1);
  if (t->ndim == 2) return oyi_call_diagonal_copy(self, diagonal, 0, 1);
  OY_FAIL(INVALID_ARGUMENT, "diag(): Supports 1D or 2D tensors. Got %uD", t->ndim);
  return NULL;
}
OYI_COMPOSITE(diag_out) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  if (t->ndim == 1) return oyi_call_diag_embed_out(self, diagonal, 0, 1, out);
  return oyi_stored(out, oyi_call_diag(self, diagonal));
}

OYI_COMPOSITE(diagflat) {
  oy_object* flat = oyi_call_contiguous(self, OY_MEMORY_CONTIGUOUS);
  oy_object* line = oyi_call_view(flat, OY_DIMS(-1));
  oy_object* result = oyi_call_diag(line, offset);
  oy_tensor_release(line);
  oy_tensor_release(flat);
  return result;
}

static oy_object* put_diagonal(oy_object* whole, oy_object* self, int64_t offset,
                               int64_t dim1, int64_t dim2) {
  oy_object* line = oyi_call_diagonal(whole, offset, dim1, dim2);
  oy_object* done = oyi_call_copy_(line, self, false);
  oy_tensor_release(line);
  return done;
}

// The shape of the result, and both dimensions as they are counted from the first.
static oy_status embedded_shape(oy_object* self, int64_t offset, int64_t* dim1,
                                int64_t* dim2, int64_t* sizes) {
  const oyi_tensor* t = oyi_tensor_of(self);
  int64_t a = t ? oyi_dim_wrap(*dim1, (int64_t)t->ndim + 1) : -1;
  int64_t b = a < 0 ? -1 : oyi_dim_wrap(*dim2, (int64_t)t->ndim + 1), size;
  if (b < 0) return oy_failure();
  OY_CHECK(a != b, INVALID_ARGUMENT, "diagonal dimensions cannot be identical %lld, %lld",
           (long long)*dim1, (long long)*dim2);
  OY_CHECK(t->ndim > 0, INVALID_ARGUMENT,
           "diag_embed expects at least a 1-dimensional tensor");
  int64_t apart = offset >= 0 ? offset : offset > INT64_MIN ? -offset : INT64_MAX;
  OY_CHECK(offset != INT64_MIN && t->ndim < OY_TENSOR_MAX_DIMS &&
               !__builtin_add_overflow(t->sizes[t->ndim - 1], apart, &size),
           INVALID_ARGUMENT, "numel: integer multiplication overflow");
  for (int64_t i = 0, from = 0; i <= t->ndim; i++)
    sizes[i] = i == a || i == b ? size : t->sizes[from++];
  *dim1 = a;
  *dim2 = b;
  return OY_OK;
}

OYI_COMPOSITE(diag_embed) {
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  if (embedded_shape(self, offset, &dim1, &dim2, sizes) != OY_OK) return NULL;
  const oyi_tensor* t = oyi_tensor_cast(self);
  oy_object* whole =
      oyi_call_zeros((oy_ints){sizes, t->ndim + 1u}, oy_int(self->dtype), oy_none(),
                     oy_value_device(oyi_tensor_device(t)), oy_none());
  OYI_MADE(whole, put_diagonal(whole, self, offset, dim1, dim2));
}
// What has the shape already is written where it lies.
OYI_COMPOSITE(diag_embed_out) {
  int64_t sizes[OY_TENSOR_MAX_DIMS], a = dim1, b = dim2;
  if (embedded_shape(self, offset, &a, &b, sizes) != OY_OK) return NULL;
  const oyi_tensor *t = oyi_tensor_cast(self), *to = oyi_tensor_of(out);
  if (!to) return NULL;
  const bool alike = to->header.dtype == t->header.dtype && to->backend == t->backend &&
                     to->device_index == t->device_index;
  const bool fits = alike && to->storage != t->storage &&
                    oyi_same_sizes(oyi_sizes_view(to), (oy_ints){sizes, t->ndim + 1u});
  if (!fits) return oyi_stored(out, oyi_call_diag_embed(self, offset, dim1, dim2));
  if (!oyi_call_zero_(out) || !put_diagonal(out, self, offset, a, b)) return NULL;
  return out;
}
