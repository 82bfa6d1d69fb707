// SPDX-License-Identifier: Apache-2.0
// One element of any dtype, and rows of elements from one dtype to another.
#ifndef OPYARD_SRC_TENSOR_ELEMENT_H_
#define OPYARD_SRC_TENSOR_ELEMENT_H_

#include "tensor/impl.h"

// Any number: integers exactly in |i| (as uint64 if UINT), all of them rounded in
// |re|, others in |re| and |im|.
typedef struct oyi_number {
  enum { OYI_NUMBER_INT, OYI_NUMBER_UINT, OYI_NUMBER_FLOAT, OYI_NUMBER_COMPLEX } kind;
  int64_t i;
  double re, im;
} oyi_number;

// Plain dtypes only (see oy_dtype_size); quantized ones read as their integers.
// Storing wraps integers, as kernels do.
oyi_number oyi_element_load(oy_dtype dtype, const void* at);
void oyi_element_store(oy_dtype dtype, void* at, oyi_number number);
// Zeros without memory, and whether the memory has other numbers than are shown.
static inline bool oyi_is_zeros(const oyi_tensor* t) {
  return t->header.keys.functionality & 1ull << OY_KEY_ZeroTensor && !t->storage;
}
static inline bool oyi_is_turned(const oyi_tensor* t) {
  return t->header.keys.functionality &
         (1ull << OY_KEY_Conjugate | 1ull << OY_KEY_Negative);
}
// What |t| shows of a number in its memory: conjugated, negated. Undoes itself.
oyi_number oyi_number_turned(const oyi_tensor* t, oyi_number number);
static inline oyi_number oyi_element_shown(const oyi_tensor* t, const void* at) {
  oyi_number number = oyi_element_load(t->header.dtype, at);
  return OY_UNLIKELY(oyi_is_turned(t)) ? oyi_number_turned(t, number) : number;
}
oyi_number oyi_number_of_scalar(oy_scalar scalar);
// The real part, rounded: for numbers that a kernel has checked, or that cannot be complex.
static inline double oyi_scalar_real(oy_scalar scalar) {
  if (OY_UNLIKELY(scalar.tag == OY_TAG_COMPLEX)) return scalar.as.complex_data->re;
  return scalar.tag == OY_TAG_FLOAT ? scalar.as.d : (double)scalar.as.i;
}
// "value cannot be converted to type int8_t without overflow", as PyTorch checks
// numbers that are written into tensors.
oy_status oyi_number_check(oyi_number number, oy_dtype dtype);
// As PyTorch's Scalar::to<double>: INVALID_ARGUMENT for what has an imaginary part.
static inline oy_status oyi_scalar_to_double(oy_scalar scalar, double* out_double) {
  *out_double = oyi_scalar_real(scalar);
  if (OY_LIKELY(scalar.tag != OY_TAG_COMPLEX)) return OY_OK;
  return oyi_number_check(oyi_number_of_scalar(scalar), OY_DTYPE_F64);
}
// bool, int64 or double by value, a complex one as an owned value. INVALID_ARGUMENT for
// an integer above 2^63 - 1, OUT_OF_MEMORY.
oy_status oyi_number_to_scalar(oyi_number number, bool is_bool, oy_scalar* out_scalar);

// n elements, strides in bytes.
void oyi_convert_row(oy_dtype to, char* out, int64_t out_stride, oy_dtype from,
                     const char* in, int64_t in_stride, int64_t n);
// Copies elements of |from| into |to|, of the same sizes, converting them. Both
// have memory or no elements.
void oyi_convert(oyi_tensor* to, const oyi_tensor* from);
// A contiguous copy as |dtype|; NULL without memory, or where there is no data to copy.
oyi_tensor* oyi_converted(const oyi_tensor* t, oy_dtype dtype);

#endif  // OPYARD_SRC_TENSOR_ELEMENT_H_
