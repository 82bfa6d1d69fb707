// SPDX-License-Identifier: Apache-2.0
// Other names of operators, and small ones that are composed.
#include "ops/calls.h"
#include "ops/kernels.h"
#include "ops/out.h"
#include "ops/rules/shape.h"

// ------------------------------------------------------------------------ other names

OYI_COMPOSITE(special_logsumexp) {
  return oyi_call_logsumexp(self, dim, keepdim);
}
OYI_COMPOSITE(special_logsumexp_out) {
  return oyi_call_logsumexp_out(self, dim, keepdim, out);
}
OYI_COMPOSITE(special_gammainc) {
  return oyi_call_igamma(self, other);
}
OYI_COMPOSITE(special_gammainc_out) {
  return oyi_call_igamma_out(self, other, out);
}
OYI_COMPOSITE(special_gammaincc) {
  return oyi_call_igammac(self, other);
}
OYI_COMPOSITE(special_gammaincc_out) {
  return oyi_call_igammac_out(self, other, out);
}

#define CAST(id, type)                                                               \
  OYI_COMPOSITE(id) {                                                                \
    return oyi_call_to_dtype(self, OY_DTYPE_##type, non_blocking, false, oy_none()); \
  }
CAST(_cast_Byte, U8)
CAST(_cast_Char, I8)
CAST(_cast_Short, I16)
CAST(_cast_Int, I32)
CAST(_cast_Long, I64)
CAST(_cast_Half, F16)
CAST(_cast_Float, F32)
CAST(_cast_Double, F64)

// ------------------------------------------------------------------------------ norms

OYI_COMPOSITE(frobenius_norm_dim) {
  return oyi_call_linalg_vector_norm(self, oy_float(2), dim, keepdim, oy_none());
}
OYI_COMPOSITE(frobenius_norm_out) {
  return oyi_into_out(
      oyi_call_linalg_vector_norm(self, oy_float(2), dim, keepdim, oy_none()), out);
}

// Over all dimensions but |kept|, which stays among ones.
static oy_object* norm_beside(oy_object* v, int64_t pow, int64_t kept, int64_t ndim) {
  int64_t dims[OY_TENSOR_MAX_DIMS];
  size_t count = 0;
  for (int64_t d = 0; d < ndim; d++)
    if (d != kept) dims[count++] = d;
  if (count == 0) return oyi_call_abs(v);
  return oyi_call_norm_ScalarOpt_dim(v, oy_int(pow), (oy_ints){dims, count}, true);
}
OYI_COMPOSITE(norm_except_dim) {
  const oyi_tensor* t = oyi_tensor_of(v);
  if (!t) return NULL;
  if (dim == -1) return oyi_call_norm_Scalar(v, oy_int(pow));
  const int64_t kept = oyi_dim_wrap(dim, t->ndim);
  return kept < 0 ? NULL : norm_beside(v, pow, kept, t->ndim);
}
OYI_COMPOSITE(_weight_norm) {
  oy_object* norm = oyi_call_norm_except_dim(v, 2, dim);
  oy_object* scale = norm ? oyi_call_div_Tensor(g, norm) : NULL;
  oy_object* made = scale ? oyi_call_mul_Tensor(v, scale) : NULL;
  oy_tensor_release(norm);
  oy_tensor_release(scale);
  return made;
}

// ----------------------------------------------------------------------------- others

static oy_status check_diagonal(const oyi_tensor* t) {
  OY_CHECK(t->ndim > 1, INVALID_ARGUMENT, "dimensions must larger than 1");
  for (size_t d = 1; d < t->ndim && t->ndim > 2; d++)
    OY_CHECK(t->sizes[d] == t->sizes[0], INVALID_ARGUMENT,
             "all dimensions of input must be of equal length");
  return OY_OK;
}

// Every |step|-th element of |self|, from |from| on.
static bool fill_steps(oy_object* self, int64_t count, int64_t step, int64_t from,
                       oy_scalar value) {
  const oyi_tensor* t = oyi_tensor_cast(self);
  if (count <= 0) return true;
  oy_object* view = oyi_call_as_strided(self, (oy_ints){&count, 1}, (oy_ints){&step, 1},
                                        oy_int(t->offset + from));
  bool good = view && oyi_call_fill__Scalar(view, value);
  oy_tensor_release(view);
  return good;
}

OYI_COMPOSITE(fill_diagonal_) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t || check_diagonal(t) != OY_OK) return NULL;
  const int64_t* strides = oyi_strides(t);
  int64_t step = 0, least = t->sizes[0];
  for (size_t d = 0; d < t->ndim; d++) {
    step += strides[d];
    if (t->sizes[d] < least) least = t->sizes[d];
  }
  if (!fill_steps(self, least, step, 0, fill_value)) return NULL;
  // In a tall matrix the diagonal begins again, with a row in between.
  const int64_t height = t->sizes[0], width = t->sizes[1];
  if (!wrap || t->ndim != 2 || height <= width + 1) return self;
  for (int64_t row = width + 1; row < height; row += width + 1) {
    const int64_t left = height - row < width ? height - row : width;
    if (!fill_steps(self, left, step, row * strides[0], fill_value)) return NULL;
  }
  return self;
}

OYI_COMPOSITE(nonzero_numpy) {
  *out_result = oy_none();
  if (!oyi_tensor_of(self)) return oy_failure();
  const bool is_number = oy_tensor_ndim(self) == 0;
  oy_object* row = is_number ? oyi_call_unsqueeze(self, 0) : oy_tensor_retain(self);
  oy_object* places = row ? oyi_call_nonzero(row) : NULL;
  oy_status status = places ? oyi_call_unbind_int(places, 1, out_result) : oy_failure();
  oy_tensor_release(places);
  oy_tensor_release(row);
  return status;
}

#define OPTIONS_OF(o) \
  oy_int(OY_DTYPE_I64), oy_none(), oy_value_device(oy_tensor_device(o)), oy_none()
OYI_COMPOSITE(_dim_arange) {
  const oyi_tensor* t = oyi_tensor_of(like);
  const int64_t d = t ? oyi_dim_wrap(dim, t->ndim) : -1;
  if (d < 0) return NULL;
  if (t->ndim > 0) return oyi_call_arange(oy_int(t->sizes[d]), OPTIONS_OF(like));
  OY_FAIL(OUT_OF_RANGE, "dimension specified as %lld but tensor has no dimensions",
          (long long)dim);
  return NULL;
}

OYI_COMPOSITE(_shape_as_tensor) {
  const oyi_tensor* t = oyi_tensor_of(self);
  const int64_t count = t ? t->ndim : 0;
  oyi_tensor* made =
      t ? oyi_tensor_new((oy_ints){&count, 1}, OY_DTYPE_I64, oy_device_cpu()) : NULL;
  for (int64_t d = 0; made && d < count; d++) ((int64_t*)oyi_data(made))[d] = t->sizes[d];
  return oyi_tensor_object(made);
}
