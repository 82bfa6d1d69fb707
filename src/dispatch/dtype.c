// SPDX-License-Identifier: Apache-2.0
// Names and sizes of element types, read from dtypes.def. Numbers between those
// of the table belong to PyTorch's packed and sub-byte types, which have no
// elements to point at.
#include <ctype.h>

#include "base/memory.h"
#include "opyard/object.h"

typedef struct dtype_row {
  const char* id;       // "F32"
  const char* pytorch;  // "Float"
  const char* name;     // "float32"; NULL: no such dtype
  size_t size;
} dtype_row;

static const dtype_row g_rows[OY_DTYPE_LIMIT] = {
#define OY_DTYPE(id, pytorch, value, size, name) [value] = {#id, pytorch, name, size},
#include "opyard/dtypes.def"
#undef OY_DTYPE
};

// Python's short names that are not PyTorch's name in lower case.
static const struct {
  const char* name;
  oy_dtype dtype;
} g_short_names[] = {
    {"chalf", OY_DTYPE_C32}, {"cfloat", OY_DTYPE_C64}, {"cdouble", OY_DTYPE_C128}};

const char* oy_dtype_name(oy_dtype dtype) {
  return dtype < OY_DTYPE_LIMIT ? g_rows[dtype].name : NULL;
}

size_t oy_dtype_size(oy_dtype dtype) {
  return dtype < OY_DTYPE_LIMIT ? g_rows[dtype].size : 0;
}

static bool is_lower_case_of(oy_str text, const char* name) {
  if (text.size != strlen(name)) return false;
  for (size_t i = 0; i < text.size; i++)
    if (text.data[i] != tolower((unsigned char)name[i])) return false;
  return true;
}

static bool row_has_name(const dtype_row* row, oy_str text) {
  return oy_str_equal(text, oy_str_of(row->name)) ||
         oy_str_equal(text, oy_str_of(row->pytorch)) ||
         is_lower_case_of(text, row->pytorch) || is_lower_case_of(text, row->id);
}

bool oy_dtype_find(oy_str name, oy_dtype* out_dtype) {
  for (oy_dtype d = 0; d < OY_DTYPE_LIMIT; d++) {
    if (!g_rows[d].name || !row_has_name(&g_rows[d], name)) continue;
    *out_dtype = d;
    return true;
  }
  for (size_t i = 0; i < OY_ARRAY_SIZE(g_short_names); i++) {
    if (!oy_str_equal(name, oy_str_of(g_short_names[i].name))) continue;
    *out_dtype = g_short_names[i].dtype;
    return true;
  }
  return false;
}
