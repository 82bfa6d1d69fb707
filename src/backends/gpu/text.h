// SPDX-License-Identifier: Apache-2.0
// The texts of kernels/*.cl, and putting a source together.
#ifndef OPYARD_SRC_BACKENDS_GPU_TEXT_H_
#define OPYARD_SRC_BACKENDS_GPU_TEXT_H_

#include <stdbool.h>
#include <stddef.h>

#include "opyard/object.h"

#define GPU_TEXT(name) extern const char gpu_text_##name[];
#include "text.def"
#undef GPU_TEXT

// A string that grows. After a failed allocation it stays empty and gpu_text_take gives
// NULL.
typedef struct gpu_text {
  char* data;
  size_t size, capacity;
  bool failed;
} gpu_text;
void gpu_text_add(gpu_text* text, const char* format, ...)
    __attribute__((format(printf, 2, 3)));
void gpu_text_append(gpu_text* text, const char* more);
// The string, the caller's.
char* gpu_text_take(gpu_text* text);

// How OpenCL C and the macros of prelude.cl name a dtype: "float" and "f32". NULL for one
// that kernels do not know.
const char* gpu_type_name(oy_dtype dtype);
const char* gpu_tag_name(oy_dtype dtype);
// The dtype that numbers of |dtype| are computed in.
oy_dtype gpu_compute_dtype(oy_dtype dtype);
// #define lines for the computed type |dtype|, and the prelude. |width| is that of vectors.
void gpu_text_begin(gpu_text* text, oy_dtype dtype, int width, bool uses_f64);

#endif  // OPYARD_SRC_BACKENDS_GPU_TEXT_H_
