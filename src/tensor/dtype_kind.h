// SPDX-License-Identifier: Apache-2.0
// What kind of numbers a dtype has, for callers that ask too often to make a call of it.
#ifndef OPYARD_SRC_TENSOR_DTYPE_KIND_H_
#define OPYARD_SRC_TENSOR_DTYPE_KIND_H_

#include <stdint.h>

// Bits; 0: no dtype.
enum {
  OYI_KIND_BOOL = 1,
  OYI_KIND_INTEGRAL = 2,
  OYI_KIND_FLOATING = 4,
  OYI_KIND_COMPLEX = 8,
  OYI_KIND_QUANTIZED = 16,
  OYI_KIND_FLOAT8 = 32,
  OYI_KIND_BAREBONES = 64
};
extern const uint8_t oyi_dtype_kind[256];

#endif  // OPYARD_SRC_TENSOR_DTYPE_KIND_H_
