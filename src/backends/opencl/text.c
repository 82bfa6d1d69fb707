// SPDX-License-Identifier: Apache-2.0
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The files themselves, NUL-terminated.
#define OCL_STRING_(x) #x
#define OCL_STRING(x)  OCL_STRING_(x)
#define OCL_TEXT(name)                                                          \
  __asm__(                                                                      \
      ".pushsection .rodata\n"                                                  \
      ".hidden ocl_text_" #name "\n.global ocl_text_" #name "\nocl_text_" #name \
      ":\n.incbin \"" OCL_STRING(OCL_KERNELS) "/" #name                         \
                                              ".cl\"\n.byte 0\n.popsection\n");
#include "text.def"
#undef OCL_TEXT

static bool grow(ocl_text* t, size_t more) {
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

void ocl_text_append(ocl_text* t, const char* more) {
  size_t size = strlen(more);
  if (!grow(t, size)) return;
  memcpy(t->data + t->size, more, size + 1);
  t->size += size;
}

void ocl_text_add(ocl_text* t, const char* format, ...) {
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

char* ocl_text_take(ocl_text* t) {
  char* data = t->data;
  if (t->failed) {
    free(data);
    data = NULL;
  }
  *t = (ocl_text){0};
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

const char* ocl_type_name(oy_dtype dtype) {
  return dtype < OY_DTYPE_LIMIT ? g_dtypes[dtype].type : NULL;
}
const char* ocl_tag_name(oy_dtype dtype) {
  return dtype < OY_DTYPE_LIMIT ? g_dtypes[dtype].tag : NULL;
}
oy_dtype ocl_compute_dtype(oy_dtype dtype) {
  return dtype == OY_DTYPE_F16 || dtype == OY_DTYPE_BF16 ? OY_DTYPE_F32 : dtype;
}

void ocl_text_begin(ocl_text* t, oy_dtype dtype, int width, bool uses_f64) {
  const char* type = ocl_type_name(dtype);
  ocl_text_add(t, "#define S %s\n#define W %d\n", type ? type : "", width);
  if (dtype == OY_DTYPE_F64) ocl_text_append(t, "#define S_IS_F64\n");
  if (uses_f64) ocl_text_append(t, "#define USES_F64\n");
  ocl_text_append(t, ocl_text_prelude);
}
