// SPDX-License-Identifier: Apache-2.0
// Elementwise operators that need nothing but their loop: the kernels of the groups of
// rows in ops/table/ (forms.def says which they are) are made here.
#include "backends/cpu/pointwise/elementwise.h"
#include "ops/rules/rules.h"

// What the groups say of dtypes, as flags of the iterator.
#define FLAGS_SAME      0
#define FLAGS_FLOATS    0
#define FLAGS_WHOLE     0
#define FLAGS_DIVIDES   0
#define FLAGS_FLOAT     OYI_ITER_INT_TO_FLOAT
#define FLAGS_BOOL      OYI_ITER_BOOL_OUTPUT
#define FLAGS_BOOL_ONLY OYI_ITER_BOOL_OUTPUT
#define FLAGS_REAL      (oy_dtype_is_complex(self->dtype) ? OYI_ITER_REAL_OUTPUT : 0)

// Of which out= converts nothing.
#define INTO_SAME      OYI_ITER_SAME_DTYPE
#define INTO_FLOATS    OYI_ITER_SAME_DTYPE
#define INTO_WHOLE     OYI_ITER_SAME_DTYPE
#define INTO_FLOAT     0
#define INTO_BOOL      0
#define INTO_BOOL_ONLY 0
#define INTO_REAL      (oy_dtype_is_complex(self->dtype) ? 0 : OYI_ITER_SAME_DTYPE)

#define INPLACE OYI_ITER_INPLACE
// Rounding and signs have no meaning for complex numbers.
#define CHECK_SAME(name)
#define CHECK_FLOATS(name)
#define CHECK_FLOAT(name)
#define CHECK_BOOL(name)
#define CHECK_REAL(name)
#define CHECK_WHOLE(name) \
  if (oy_dtype_is_complex(self->dtype)) return not_for_complex(OYI_LOOP_##name);

// Which function of elementwise.h computes with two tensors.
#define CALL_SAME    oyi_cpu_binary
#define CALL_FLOAT   oyi_cpu_binary
#define CALL_BOOL    oyi_cpu_binary
#define CALL_DIVIDES oyi_cpu_binary_dividing

#define CHECK_BOOL_ONLY(name)                                                  \
  if (oy_dtype_is_complex(self->dtype))                                        \
    return OYI_LOOP_##name == OYI_LOOP_signbit                                 \
               ? OYI_REFUSE("signbit is not implemented for complex tensors.") \
               : OYI_REFUSE(#name " does not support complex inputs.");
// Results of these go nowhere but into bools.
#define OUT_SAME(name)
#define OUT_FLOATS(name)
#define OUT_FLOAT(name)
#define OUT_BOOL(name)
#define OUT_REAL(name)
#define OUT_WHOLE(name)
#define OUT_BOOL_ONLY(name)        \
  if (out->dtype != OY_DTYPE_BOOL) \
    return OYI_REFUSE(#name " does not support non-boolean outputs.");

static oy_object* not_for_complex(oyi_cpu_loop which) {
  if (which == OYI_LOOP_sign)
    return OYI_REFUSE(
        "Unlike NumPy, torch.sign is not intended to support complex numbers. Please use "
        "torch.sgn instead.");
  return OYI_REFUSE("%s is not supported for complex inputs",
                    which == OYI_LOOP_ceil    ? "ceil"
                    : which == OYI_LOOP_floor ? "floor"
                                              : "trunc");
}

#define UNARY_NEW(name, dtypes)                                           \
  OYI_CPU(name) {                                                         \
    CHECK_##dtypes(name) return oyi_cpu_unary(NULL, self, FLAGS_##dtypes, \
                                              OYI_LOOP_##name);           \
  }
#define UNARY_OUT(name, dtypes)                                      \
  OYI_CPU(name##_out) {                                              \
    CHECK_##dtypes(name) OUT_##dtypes(name) return oyi_cpu_unary(    \
        out, self, FLAGS_##dtypes | INTO_##dtypes, OYI_LOOP_##name); \
  }
#define UNARY_INPLACE(name, dtypes)                                                 \
  OYI_CPU(name##_) {                                                                \
    CHECK_##dtypes(name) return oyi_cpu_unary(self, self, FLAGS_##dtypes | INPLACE, \
                                              OYI_LOOP_##name);                     \
  }
#define BINARY_NEW(id, name, dtypes)                                          \
  OYI_CPU(id) {                                                               \
    return CALL_##dtypes(NULL, self, other, FLAGS_##dtypes, OYI_LOOP_##name); \
  }
#define BINARY_OUT(id, name, dtypes)                                         \
  OYI_CPU(id) {                                                              \
    return CALL_##dtypes(out, self, other, FLAGS_##dtypes, OYI_LOOP_##name); \
  }
#define BINARY_INPLACE(id, name, dtypes)                                                \
  OYI_CPU(id) {                                                                         \
    return CALL_##dtypes(self, self, other, FLAGS_##dtypes | INPLACE, OYI_LOOP_##name); \
  }

#define OY_UNARY(family, name, dtypes, backward, doc) \
  UNARY_NEW(name, dtypes) UNARY_OUT(name, dtypes) UNARY_INPLACE(name, dtypes)
#define OY_UNARY_NEW(family, name, dtypes, backward, doc) \
  UNARY_NEW(name, dtypes) UNARY_OUT(name, dtypes)
#define OY_UNARY_OF_X(family, name, dtypes, backward, doc)          \
  OYI_CPU(name) {                                                   \
    return oyi_cpu_unary(NULL, x, FLAGS_##dtypes, OYI_LOOP_##name); \
  }                                                                 \
  OYI_CPU(name##_out) {                                             \
    return oyi_cpu_unary(out, x, FLAGS_##dtypes, OYI_LOOP_##name);  \
  }
#define OY_POLYNOMIAL(name, doc)                                     \
  OYI_CPU(name) {                                                    \
    return oyi_cpu_binary(NULL, x, n, FLAGS_FLOAT, OYI_LOOP_##name); \
  }                                                                  \
  OYI_CPU(name##_out) {                                              \
    return oyi_cpu_binary(out, x, n, FLAGS_FLOAT, OYI_LOOP_##name);  \
  }
#define OY_UNARY_BY_OUT(family, name, dtypes, backward, doc) UNARY_OUT(name, dtypes)
#define OY_UNARY_ALIAS(family, name, of)
#define OY_UNARY_ALIAS_NEW(family, name, of)
#define OY_BINARY(family, name, dtypes, backward, doc) \
  BINARY_NEW(name##_Tensor, name, dtypes)              \
  BINARY_OUT(name##_out, name, dtypes)                 \
  BINARY_INPLACE(name##__Tensor, name, dtypes)
#define OY_BINARY_TENSOR_OUT(family, name, dtypes, backward, doc) \
  BINARY_NEW(name##_Tensor, name, dtypes)                         \
  BINARY_OUT(name##_Tensor_out, name, dtypes)                     \
  BINARY_INPLACE(name##__Tensor, name, dtypes)
#define OY_BINARY_PLAIN(family, name, dtypes, backward, doc) \
  BINARY_NEW(name, name, dtypes)                             \
  BINARY_OUT(name##_out, name, dtypes)                       \
  BINARY_INPLACE(name##_, name, dtypes)
#define OY_BINARY_NEW(family, name, dtypes, backward, doc) \
  BINARY_NEW(name, name, dtypes)                           \
  BINARY_OUT(name##_out, name, dtypes)
#define OY_BINARY_NUMBER(family, name, backward)
#define OY_LOGICAL(name, doc) BINARY_OUT(name##_out, name, BOOL)
#define OY_COMPARISON_ALIAS(name, of)
#define OY_COMPARISON(name, doc)                                                  \
  BINARY_NEW(name##_Tensor, name, BOOL)                                           \
  BINARY_OUT(name##_Tensor_out, name, BOOL)                                       \
  BINARY_INPLACE(name##__Tensor, name, BOOL)                                      \
  OYI_CPU(name##_Scalar) {                                                        \
    return oyi_cpu_binary_number(NULL, self, other, FLAGS_BOOL, OYI_LOOP_##name); \
  }                                                                               \
  OYI_CPU(name##_Scalar_out) {                                                    \
    return oyi_cpu_binary_number(out, self, other, FLAGS_BOOL, OYI_LOOP_##name);  \
  }                                                                               \
  OYI_CPU(name##__Scalar) {                                                       \
    return oyi_cpu_binary_number(self, self, other, FLAGS_BOOL | INPLACE,         \
                                 OYI_LOOP_##name);                                \
  }
#define OY_OP(family, id, where, backward, schema, doc)
#include "ops/ops.def"
#undef OY_OP
