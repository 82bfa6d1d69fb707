// SPDX-License-Identifier: Apache-2.0
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver.h"

// The files themselves, NUL-terminated.
#define GPU_STRING_(x) #x
#define GPU_STRING(x)  GPU_STRING_(x)
#define GPU_TEXT(name)                                                          \
  __asm__(                                                                      \
      ".pushsection .rodata\n"                                                  \
      ".hidden gpu_text_" #name "\n.global gpu_text_" #name "\ngpu_text_" #name \
      ":\n.incbin \"" GPU_STRING(GPU_KERNELS) "/" #name                         \
                                              ".cl\"\n.byte 0\n.popsection\n");
#include "text.def"
#undef GPU_TEXT

static bool grow(gpu_text* t, size_t more) {
  if (t->failed) return false;
  if (t->size + more + 1 <= t->capacity) return true;
  size_t capacity = 2 * t->capacity + more + 256;
  char* data = realloc(t->data, capacity);
  if (!data) {
    t->failed = true;
    return false;
  }
  t->data = data;
  t->capacity = capacity;
  return true;
}

void gpu_text_append(gpu_text* t, const char* more) {
  size_t size = strlen(more);
  if (!grow(t, size)) return;
  memcpy(t->data + t->size, more, size + 1);
  t->size += size;
}

void gpu_text_add(gpu_text* t, const char* format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int size = vsnprintf(NULL, 0, format, args);
  va_end(args);
  if (size > 0 && grow(t, (size_t)size)) {
    vsnprintf(t->data + t->size, (size_t)size + 1, format, again);
    t->size += (size_t)size;
  }
  va_end(again);
}

char* gpu_text_take(gpu_text* t) {
  char* data = t->data;
  if (t->failed) {
    free(data);
    data = NULL;
  }
  *t = (gpu_text){0};
  return data;
}

static const struct {
  const char *type, *tag;
} g_dtypes[OY_DTYPE_LIMIT] = {
    [OY_DTYPE_U8] = {"uchar", "u8"},     [OY_DTYPE_I8] = {"char", "i8"},
    [OY_DTYPE_I16] = {"short", "i16"},   [OY_DTYPE_I32] = {"int", "i32"},
    [OY_DTYPE_I64] = {"long", "i64"},    [OY_DTYPE_F16] = {"half", "f16"},
    [OY_DTYPE_F32] = {"float", "f32"},   [OY_DTYPE_F64] = {"double", "f64"},
    [OY_DTYPE_BOOL] = {"uchar", "bool"}, [OY_DTYPE_BF16] = {"ushort", "bf16"},
};

const char* gpu_type_name(oy_dtype dtype) {
  return dtype < OY_DTYPE_LIMIT ? g_dtypes[dtype].type : NULL;
}
const char* gpu_tag_name(oy_dtype dtype) {
  return dtype < OY_DTYPE_LIMIT ? g_dtypes[dtype].tag : NULL;
}
oy_dtype gpu_compute_dtype(oy_dtype dtype) {
  return dtype == OY_DTYPE_F16 || dtype == OY_DTYPE_BF16 ? OY_DTYPE_F32 : dtype;
}

void gpu_text_begin(gpu_text* t, oy_dtype dtype, int width, bool uses_f64) {
  const char* type = gpu_type_name(dtype);
  gpu_text_append(t, gpu_driver_dialect);
  gpu_text_add(t, "#define S %s\n#define W %d\n", type ? type : "", width);
  if (dtype == OY_DTYPE_F64) gpu_text_append(t, "#define S_IS_F64\n");
  if (uses_f64) gpu_text_append(t, "#define USES_F64\n");
  gpu_text_append(t, gpu_text_prelude);
}
