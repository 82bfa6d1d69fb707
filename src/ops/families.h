// SPDX-License-Identifier: Apache-2.0
// Families: what the operators of one kind have in common in C. For a family F
//
//   OYI_PARAMS_F   the arguments of its typed kernels, after (op, keys)
//   OYI_ARGS_F     the same, to pass on
//   OYI_TENSORS_F  the tensors among them, each with a comma behind it
//   OYI_FORM_F     what becomes of the result: NEW, VIEW, INPLACE, OUT, NUMBER
//
// A family stands for a shape and dtype rule too; those are functions, in rules.h.
#ifndef OPYARD_SRC_OPS_FAMILIES_H_
#define OPYARD_SRC_OPS_FAMILIES_H_

#include "opyard/dispatcher.h"

typedef enum oyi_form {
  OYI_GIVES_NEW,      // a tensor of its own
  OYI_GIVES_VIEW,     // may share the storage of the first argument
  OYI_GIVES_INPLACE,  // the first argument, written
  OYI_GIVES_OUT,      // the last argument, written
  OYI_GIVES_NUMBER    // a Scalar
} oyi_form;
// OYI_FORM(BINARY) is OYI_GIVES_NEW.
#define OYI_FORM_JOIN(a, b)  a##b
#define OYI_FORM_OF(a, form) OYI_FORM_JOIN(a, form)
#define OYI_FORM(family)     OYI_FORM_OF(OYI_GIVES_, OYI_FORM_##family)

// OYI_RESULT(F): the C type that kernels of a family return, oy_object* but for
// NUMBER; OYI_FAILED(F): what they return on failure.
#define OYI_PROBE_NUMBER       ~, oy_status
#define OYI_FAIL_PROBE_NUMBER  ~, oy_error_get()->code
#define OYI_SECOND_(a, b, ...) b
#define OYI_SECOND(...)        OYI_SECOND_(__VA_ARGS__)
#define OYI_RESULT(family)     OYI_SECOND(OYI_PROBE_##family, oy_object*, ~)
#define OYI_FAILED(family)     OYI_SECOND(OYI_FAIL_PROBE_##family, NULL, ~)

// Prototype of a typed kernel.
#define OYI_KERNEL(family, name) \
  OYI_RESULT(family) name(const oy_op* op, oy_keyset keys, OYI_PARAMS_##family)

// --------------------------------------------------------------- elementwise
#define OYI_PARAMS_UNARY  oy_object* self
#define OYI_ARGS_UNARY    self
#define OYI_TENSORS_UNARY self,
#define OYI_FORM_UNARY    NEW

#define OYI_PARAMS_UNARY_OUT  oy_object *self, oy_object *out
#define OYI_ARGS_UNARY_OUT    self, out
#define OYI_TENSORS_UNARY_OUT self, out,
#define OYI_FORM_UNARY_OUT    OUT

#define OYI_PARAMS_UNARY_INPLACE  OYI_PARAMS_UNARY
#define OYI_ARGS_UNARY_INPLACE    OYI_ARGS_UNARY
#define OYI_TENSORS_UNARY_INPLACE OYI_TENSORS_UNARY
#define OYI_FORM_UNARY_INPLACE    INPLACE

#define OYI_PARAMS_BINARY  oy_object *self, oy_object *other
#define OYI_ARGS_BINARY    self, other
#define OYI_TENSORS_BINARY self, other,
#define OYI_FORM_BINARY    NEW

#define OYI_PARAMS_BINARY_OUT  oy_object *self, oy_object *other, oy_object *out
#define OYI_ARGS_BINARY_OUT    self, other, out
#define OYI_TENSORS_BINARY_OUT self, other, out,
#define OYI_FORM_BINARY_OUT    OUT

#define OYI_PARAMS_BINARY_INPLACE  OYI_PARAMS_BINARY
#define OYI_ARGS_BINARY_INPLACE    OYI_ARGS_BINARY
#define OYI_TENSORS_BINARY_INPLACE OYI_TENSORS_BINARY
#define OYI_FORM_BINARY_INPLACE    INPLACE

// Integers are computed, and come out, as floats.
#define OYI_PARAMS_BINARY_FLOAT          OYI_PARAMS_BINARY
#define OYI_ARGS_BINARY_FLOAT            OYI_ARGS_BINARY
#define OYI_TENSORS_BINARY_FLOAT         OYI_TENSORS_BINARY
#define OYI_FORM_BINARY_FLOAT            NEW
#define OYI_PARAMS_BINARY_FLOAT_OUT      OYI_PARAMS_BINARY_OUT
#define OYI_ARGS_BINARY_FLOAT_OUT        OYI_ARGS_BINARY_OUT
#define OYI_TENSORS_BINARY_FLOAT_OUT     OYI_TENSORS_BINARY_OUT
#define OYI_FORM_BINARY_FLOAT_OUT        OUT
#define OYI_PARAMS_BINARY_FLOAT_INPLACE  OYI_PARAMS_BINARY
#define OYI_ARGS_BINARY_FLOAT_INPLACE    OYI_ARGS_BINARY
#define OYI_TENSORS_BINARY_FLOAT_INPLACE OYI_TENSORS_BINARY
#define OYI_FORM_BINARY_FLOAT_INPLACE    INPLACE

#define OYI_PARAMS_BINARY_ALPHA  oy_object *self, oy_object *other, oy_scalar alpha
#define OYI_ARGS_BINARY_ALPHA    self, other, alpha
#define OYI_TENSORS_BINARY_ALPHA self, other,
#define OYI_FORM_BINARY_ALPHA    NEW
#define OYI_PARAMS_BINARY_ALPHA_OUT \
  oy_object *self, oy_object *other, oy_scalar alpha, oy_object *out
#define OYI_ARGS_BINARY_ALPHA_OUT        self, other, alpha, out
#define OYI_TENSORS_BINARY_ALPHA_OUT     self, other, out,
#define OYI_FORM_BINARY_ALPHA_OUT        OUT
#define OYI_PARAMS_BINARY_ALPHA_INPLACE  OYI_PARAMS_BINARY_ALPHA
#define OYI_ARGS_BINARY_ALPHA_INPLACE    OYI_ARGS_BINARY_ALPHA
#define OYI_TENSORS_BINARY_ALPHA_INPLACE OYI_TENSORS_BINARY_ALPHA
#define OYI_FORM_BINARY_ALPHA_INPLACE    INPLACE

#define OYI_PARAMS_SCALAR                oy_object *self, oy_scalar other
#define OYI_ARGS_SCALAR                  self, other
#define OYI_TENSORS_SCALAR               self,
#define OYI_FORM_SCALAR                  NEW
#define OYI_PARAMS_SCALAR_INPLACE        OYI_PARAMS_SCALAR
#define OYI_ARGS_SCALAR_INPLACE          OYI_ARGS_SCALAR
#define OYI_TENSORS_SCALAR_INPLACE       OYI_TENSORS_SCALAR
#define OYI_FORM_SCALAR_INPLACE          INPLACE
#define OYI_PARAMS_SCALAR_ALPHA          oy_object *self, oy_scalar other, oy_scalar alpha
#define OYI_ARGS_SCALAR_ALPHA            self, other, alpha
#define OYI_TENSORS_SCALAR_ALPHA         self,
#define OYI_FORM_SCALAR_ALPHA            NEW
#define OYI_PARAMS_SCALAR_ALPHA_INPLACE  OYI_PARAMS_SCALAR_ALPHA
#define OYI_ARGS_SCALAR_ALPHA_INPLACE    OYI_ARGS_SCALAR_ALPHA
#define OYI_TENSORS_SCALAR_ALPHA_INPLACE OYI_TENSORS_SCALAR_ALPHA
#define OYI_FORM_SCALAR_ALPHA_INPLACE    INPLACE

#define OYI_PARAMS_THRESHOLD  oy_object *grad_output, oy_object *self, oy_scalar threshold
#define OYI_ARGS_THRESHOLD    grad_output, self, threshold
#define OYI_TENSORS_THRESHOLD grad_output, self,
#define OYI_FORM_THRESHOLD    NEW

#define OYI_PARAMS_COMPARISON  OYI_PARAMS_BINARY
#define OYI_ARGS_COMPARISON    OYI_ARGS_BINARY
#define OYI_TENSORS_COMPARISON OYI_TENSORS_BINARY
#define OYI_FORM_COMPARISON    NEW

// ---------------------------------------------------------------- reductions
#define OYI_PARAMS_REDUCTION_ALL  oy_object *self, oy_value dtype
#define OYI_ARGS_REDUCTION_ALL    self, dtype
#define OYI_TENSORS_REDUCTION_ALL self,
#define OYI_FORM_REDUCTION_ALL    NEW
#define OYI_PARAMS_REDUCTION      oy_object *self, oy_ints dim, bool keepdim, oy_value dtype
#define OYI_ARGS_REDUCTION        self, dim, keepdim, dtype
#define OYI_TENSORS_REDUCTION     self,
#define OYI_FORM_REDUCTION        NEW
#define OYI_PARAMS_REDUCTION_OUT  OYI_PARAMS_REDUCTION, oy_object* out
#define OYI_ARGS_REDUCTION_OUT    self, dim, keepdim, dtype, out
#define OYI_TENSORS_REDUCTION_OUT self, out,
#define OYI_FORM_REDUCTION_OUT    OUT

// --------------------------------------------------------------------- views
#define OYI_PARAMS_VIEW         OYI_PARAMS_UNARY
#define OYI_ARGS_VIEW           OYI_ARGS_UNARY
#define OYI_TENSORS_VIEW        OYI_TENSORS_UNARY
#define OYI_FORM_VIEW           VIEW
#define OYI_PARAMS_VIEW_SHAPE   oy_object *self, oy_ints size
#define OYI_ARGS_VIEW_SHAPE     self, size
#define OYI_TENSORS_VIEW_SHAPE  self,
#define OYI_FORM_VIEW_SHAPE     VIEW
#define OYI_PARAMS_SHAPE        OYI_PARAMS_VIEW_SHAPE
#define OYI_ARGS_SHAPE          OYI_ARGS_VIEW_SHAPE
#define OYI_TENSORS_SHAPE       OYI_TENSORS_VIEW_SHAPE
#define OYI_FORM_SHAPE          NEW
#define OYI_PARAMS_VIEW_EXPAND  oy_object *self, oy_ints size, bool implicit
#define OYI_ARGS_VIEW_EXPAND    self, size, implicit
#define OYI_TENSORS_VIEW_EXPAND self,
#define OYI_FORM_VIEW_EXPAND    VIEW
#define OYI_PARAMS_VIEW_DIM     oy_object *self, int64_t dim
#define OYI_ARGS_VIEW_DIM       self, dim
#define OYI_TENSORS_VIEW_DIM    self,
#define OYI_FORM_VIEW_DIM       VIEW
#define OYI_PARAMS_VIEW_DIMS2   oy_object *self, int64_t dim0, int64_t dim1
#define OYI_ARGS_VIEW_DIMS2     self, dim0, dim1
#define OYI_TENSORS_VIEW_DIMS2  self,
#define OYI_FORM_VIEW_DIMS2     VIEW
#define OYI_PARAMS_VIEW_SELECT  oy_object *self, int64_t dim, int64_t index
#define OYI_ARGS_VIEW_SELECT    self, dim, index
#define OYI_TENSORS_VIEW_SELECT self,
#define OYI_FORM_VIEW_SELECT    VIEW
#define OYI_PARAMS_VIEW_STRIDED \
  oy_object *self, oy_ints size, oy_ints stride, oy_value storage_offset
#define OYI_ARGS_VIEW_STRIDED    self, size, stride, storage_offset
#define OYI_TENSORS_VIEW_STRIDED self,
#define OYI_FORM_VIEW_STRIDED    VIEW
#define OYI_PARAMS_CONTIGUOUS    oy_object *self, int64_t memory_format
#define OYI_ARGS_CONTIGUOUS      self, memory_format
#define OYI_TENSORS_CONTIGUOUS   self,
#define OYI_FORM_CONTIGUOUS      VIEW

// ------------------------------------------------------------- the other ones
#define OYI_PARAMS_MATRIX      oy_object *self, oy_object *mat2
#define OYI_ARGS_MATRIX        self, mat2
#define OYI_TENSORS_MATRIX     self, mat2,
#define OYI_FORM_MATRIX        NEW
#define OYI_PARAMS_MATRIX_OUT  oy_object *self, oy_object *mat2, oy_object *out
#define OYI_ARGS_MATRIX_OUT    self, mat2, out
#define OYI_TENSORS_MATRIX_OUT self, mat2, out,
#define OYI_FORM_MATRIX_OUT    OUT

#define OYI_PARAMS_COPY_INPLACE  oy_object *self, oy_object *src, bool non_blocking
#define OYI_ARGS_COPY_INPLACE    self, src, non_blocking
#define OYI_TENSORS_COPY_INPLACE self, src,
#define OYI_FORM_COPY_INPLACE    INPLACE
#define OYI_PARAMS_FILL_INPLACE  oy_object *self, oy_scalar value
#define OYI_ARGS_FILL_INPLACE    self, value
#define OYI_TENSORS_FILL_INPLACE self,
#define OYI_FORM_FILL_INPLACE    INPLACE
#define OYI_PARAMS_CLONE         oy_object *self, oy_value memory_format
#define OYI_ARGS_CLONE           self, memory_format
#define OYI_TENSORS_CLONE        self,
#define OYI_FORM_CLONE           NEW
#define OYI_PARAMS_TO_COPY                                           \
  oy_object *self, oy_value dtype, oy_value layout, oy_value device, \
      oy_value pin_memory, bool non_blocking, oy_value memory_format
#define OYI_ARGS_TO_COPY \
  self, dtype, layout, device, pin_memory, non_blocking, memory_format
#define OYI_TENSORS_TO_COPY self,
#define OYI_FORM_TO_COPY    NEW
#define OYI_PARAMS_TO_DTYPE \
  oy_object *self, int64_t dtype, bool non_blocking, bool copy, oy_value memory_format
#define OYI_ARGS_TO_DTYPE    self, dtype, non_blocking, copy, memory_format
#define OYI_TENSORS_TO_DTYPE self,
#define OYI_FORM_TO_DTYPE    VIEW

#define OYI_PARAMS_LIKE                                              \
  oy_object *self, oy_value dtype, oy_value layout, oy_value device, \
      oy_value pin_memory, oy_value memory_format
#define OYI_ARGS_LIKE    self, dtype, layout, device, pin_memory, memory_format
#define OYI_TENSORS_LIKE self,
#define OYI_FORM_LIKE    NEW
#define OYI_PARAMS_LIKE_FULL                                              \
  oy_object *self, oy_scalar fill_value, oy_value dtype, oy_value layout, \
      oy_value device, oy_value pin_memory, oy_value memory_format
#define OYI_ARGS_LIKE_FULL \
  self, fill_value, dtype, layout, device, pin_memory, memory_format
#define OYI_TENSORS_LIKE_FULL self,
#define OYI_FORM_LIKE_FULL    NEW

#define OYI_PARAMS_FACTORY \
  oy_ints size, oy_value dtype, oy_value layout, oy_value device, oy_value pin_memory
#define OYI_ARGS_FACTORY size, dtype, layout, device, pin_memory
#define OYI_TENSORS_FACTORY
#define OYI_FORM_FACTORY         NEW
#define OYI_PARAMS_FACTORY_EMPTY OYI_PARAMS_FACTORY, oy_value memory_format
#define OYI_ARGS_FACTORY_EMPTY   OYI_ARGS_FACTORY, memory_format
#define OYI_TENSORS_FACTORY_EMPTY
#define OYI_FORM_FACTORY_EMPTY NEW
#define OYI_PARAMS_FACTORY_STRIDED                                                \
  oy_ints size, oy_ints stride, oy_value dtype, oy_value layout, oy_value device, \
      oy_value pin_memory
#define OYI_ARGS_FACTORY_STRIDED size, stride, dtype, layout, device, pin_memory
#define OYI_TENSORS_FACTORY_STRIDED
#define OYI_FORM_FACTORY_STRIDED NEW
#define OYI_PARAMS_FACTORY_FULL                                                         \
  oy_ints size, oy_scalar fill_value, oy_value dtype, oy_value layout, oy_value device, \
      oy_value pin_memory
#define OYI_ARGS_FACTORY_FULL size, fill_value, dtype, layout, device, pin_memory
#define OYI_TENSORS_FACTORY_FULL
#define OYI_FORM_FACTORY_FULL NEW
#define OYI_PARAMS_FACTORY_SCALAR \
  oy_scalar s, oy_value dtype, oy_value layout, oy_value device, oy_value pin_memory
#define OYI_ARGS_FACTORY_SCALAR s, dtype, layout, device, pin_memory
#define OYI_TENSORS_FACTORY_SCALAR
#define OYI_FORM_FACTORY_SCALAR NEW

// The only family that does not return a tensor.
#define OYI_PARAMS_NUMBER  oy_object *self, oy_value *out_number
#define OYI_ARGS_NUMBER    self, out_number
#define OYI_TENSORS_NUMBER self,

#define OYI_FORM_NUMBER NUMBER

#endif  // OPYARD_SRC_OPS_FAMILIES_H_
