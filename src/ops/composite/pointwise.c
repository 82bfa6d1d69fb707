// SPDX-License-Identifier: Apache-2.0
// The composite operators of the groups of rows in table/ (forms.def): forms with a
// number, operators by other names, and those that are made of their out= form.
#include "ops/composite/composite.h"
#include "ops/out.h"
#include "tensor/promotion.h"

// A new, empty tensor that an out= form will resize.
static oy_object* empty_for(oy_object* self, oy_dtype dtype) {
  const oyi_tensor* t = oyi_tensor_of(self);
  const int64_t none[] = {0};
  if (!t) return NULL;
  return oyi_call_empty_memory_format((oy_ints){none, 1}, oy_int(dtype), oy_none(),
                                      oy_value_device(oyi_tensor_device(t)), oy_none(),
                                      oy_none());
}
// |result|, or nothing: then |out| is given up.
static oy_object* kept(oy_object* out, oy_object* result) {
  if (!result) oy_tensor_release(out);
  return result;
}

#define DTYPE_REAL oyi_real_dtype(self->dtype)
#define DTYPE_BOOL OY_DTYPE_BOOL
#define INPLACE_REAL                                                              \
  if (oy_dtype_is_complex(self->dtype)) {                                         \
    OY_FAIL(TYPE_MISMATCH, "In-place abs is not supported for complex tensors."); \
    return NULL;                                                                  \
  }
#define INPLACE_BOOL

#define OY_UNARY_BY_OUT(family, name, dtypes, backward, doc)   \
  OYI_COMPOSITE(name) {                                        \
    oy_object* out = empty_for(self, DTYPE_##dtypes);          \
    return kept(out, oyi_call_##name##_out(self, out));        \
  }                                                            \
  OYI_COMPOSITE(name##_) {                                     \
    INPLACE_##dtypes return oyi_call_##name##_out(self, self); \
  }
#define OY_UNARY_ALIAS_NEW(family, name, of) \
  OYI_COMPOSITE(name) {                      \
    return oyi_call_##of(self);              \
  }                                          \
  OYI_COMPOSITE(name##_out) {                \
    return oyi_call_##of##_out(self, out);   \
  }
#define OY_UNARY_ALIAS(family, name, of) \
  OY_UNARY_ALIAS_NEW(family, name, of)   \
  OYI_COMPOSITE(name##_) {               \
    return oyi_call_##of##_(self);       \
  }
#define OY_BINARY_NUMBER(family, name, backward)                                     \
  OYI_COMPOSITE(name##_Scalar) {                                                     \
    OYI_WITH_NUMBER(number, other, oyi_call_##name##_Tensor(self, number));          \
  }                                                                                  \
  OYI_COMPOSITE(name##_Scalar_out) {                                                 \
    OYI_WITH_NUMBER(number, other, oyi_call_##name##_Tensor_out(self, number, out)); \
  }                                                                                  \
  OYI_COMPOSITE(name##__Scalar) {                                                    \
    OYI_WITH_NUMBER(number, other, oyi_call_##name##__Tensor(self, number));         \
  }
#define OY_BITWISE(name, doc)                                               \
  OY_BINARY_NUMBER(BITWISE, name, NONE)                                     \
  OYI_COMPOSITE(name##_Scalar_Tensor) {                                     \
    OYI_WITH_NUMBER(number, self, oyi_call_##name##_Tensor(number, other)); \
  }                                                                         \
  OYI_COMPOSITE(name##_Scalar_Tensor_out) {                                 \
    return oyi_into_out(oyi_call_##name##_Scalar_Tensor(self, other), out); \
  }
#define OY_LOGICAL(name, doc)                                  \
  OYI_COMPOSITE(name) {                                        \
    oy_object* out = empty_for(self, OY_DTYPE_BOOL);           \
    return kept(out, oyi_call_##name##_out(self, other, out)); \
  }                                                            \
  OYI_COMPOSITE(name##_) {                                     \
    return oyi_call_##name##_out(self, other, self);           \
  }
#define OY_COMPARISON_ALIAS(name, of)                    \
  OYI_COMPOSITE(name##_Tensor) {                         \
    return oyi_call_##of##_Tensor(self, other);          \
  }                                                      \
  OYI_COMPOSITE(name##_Tensor_out) {                     \
    return oyi_call_##of##_Tensor_out(self, other, out); \
  }                                                      \
  OYI_COMPOSITE(name##__Tensor) {                        \
    return oyi_call_##of##__Tensor(self, other);         \
  }                                                      \
  OYI_COMPOSITE(name##_Scalar) {                         \
    return oyi_call_##of##_Scalar(self, other);          \
  }                                                      \
  OYI_COMPOSITE(name##_Scalar_out) {                     \
    return oyi_call_##of##_Scalar_out(self, other, out); \
  }                                                      \
  OYI_COMPOSITE(name##__Scalar) {                        \
    return oyi_call_##of##__Scalar(self, other);         \
  }
#define OY_POLYNOMIAL(name, doc)                                       \
  OYI_COMPOSITE(name##_x_scalar) {                                     \
    OYI_WITH_NUMBER(number, x, oyi_call_##name(number, n));            \
  }                                                                    \
  OYI_COMPOSITE(name##_x_scalar_out) {                                 \
    OYI_WITH_NUMBER(number, x, oyi_call_##name##_out(number, n, out)); \
  }                                                                    \
  OYI_COMPOSITE(name##_n_scalar) {                                     \
    OYI_WITH_NUMBER(number, n, oyi_call_##name(x, number));            \
  }                                                                    \
  OYI_COMPOSITE(name##_n_scalar_out) {                                 \
    OYI_WITH_NUMBER(number, n, oyi_call_##name##_out(x, number, out)); \
  }
// Groups without composite operators.
#define OY_UNARY_OF_X(family, name, dtypes, backward, doc)
#define OY_UNARY(family, name, dtypes, backward, doc)
#define OY_UNARY_NEW(family, name, dtypes, backward, doc)
#define OY_BINARY(family, name, dtypes, backward, doc)
#define OY_BINARY_TENSOR_OUT(family, name, dtypes, backward, doc)
#define OY_BINARY_PLAIN(family, name, dtypes, backward, doc)
#define OY_BINARY_NEW(family, name, dtypes, backward, doc)
#define OY_COMPARISON(name, doc)
#define OY_OP(family, id, where, backward, schema, doc)
#include "ops/ops.def"
#undef OY_OP
