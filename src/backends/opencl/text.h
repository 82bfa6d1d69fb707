// SPDX-License-Identifier: Apache-2.0
// The texts of kernels/*.cl, and putting a source together.
#ifndef OPYARD_SRC_BACKENDS_OPENCL_TEXT_H_
#define OPYARD_SRC_BACKENDS_OPENCL_TEXT_H_

#include <stdbool.h>
#include <stddef.h>

#include "opyard/object.h"

#define OCL_TEXT(name) extern const char ocl_text_##name[];
#include "text.def"
#undef OCL_TEXT

// A string that grows. After a failed allocation it stays empty and ocl_text_take gives
// NULL.
typedef struct ocl_text {
  char* data;
  size_t size, capacity;
  bool failed;
} ocl_text;
void ocl_text_add(ocl_text* text, const char* format, ...)
    __attribute__((format(printf, 2, 3)));
void ocl_text_append(ocl_text* text, const char* more);
// The string, the caller's.
char* ocl_text_take(ocl_text* text);

// How OpenCL C and the macros of prelude.cl name a dtype: "float" and "f32". NULL for one
// that kernels do not know.
const char* ocl_type_name(oy_dtype dtype);
const char* ocl_tag_name(oy_dtype dtype);
// The dtype that numbers of |dtype| are computed in.
oy_dtype ocl_compute_dtype(oy_dtype dtype);
// #define lines for the computed type |dtype|, and the prelude. |width| is that of vectors.
void ocl_text_begin(ocl_text* text, oy_dtype dtype, int width, bool uses_f64);

#endif  // OPYARD_SRC_BACKENDS_OPENCL_TEXT_H_
