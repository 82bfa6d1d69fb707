// SPDX-License-Identifier: Apache-2.0
// A safetensors file: the length of the header in 8 bytes, the header, a JSON object
// that gives dtype, shape and place of each tensor, and the bytes of all of them
// without gaps.
#ifndef OPYARD_SRC_TENSOR_SAFETENSORS_H_
#define OPYARD_SRC_TENSOR_SAFETENSORS_H_

#include "base/arena.h"
#include "opyard/files.h"
#include "tensor/file_map.h"

enum { OYI_SAFETENSORS_HEADER_MAX = 100000000 };
#define OYI_SAFETENSORS_METADATA "__metadata__"

typedef struct oyi_safetensors_entry {
  oy_str name;
  size_t at;  // where the name stands in the file
  int rank;   // in the format's list of dtypes
  size_t ndim;
  int64_t* shape;  // in the arena
  int64_t begin, end;
} oyi_safetensors_entry;

struct oy_safetensors {
  oyi_file_map* map;
  oyi_arena arena;
  size_t data;                     // where the bytes of tensors begin
  oyi_safetensors_entry* entries;  // by the place of their data
  size_t count, capacity;
  oyi_safetensors_entry** by_name;
  oy_text_pair* metadata;
  size_t metadata_count, metadata_capacity;
  bool has_metadata;
};

// The format's dtypes in the order in which it sorts them.
typedef struct oyi_safetensors_dtype {
  const char* name;
  int bits;
  oy_dtype dtype;  // OY_DTYPE_ANY: opyard has none
} oyi_safetensors_dtype;
enum { OYI_SAFETENSORS_DTYPES = 22 };
extern const oyi_safetensors_dtype oyi_safetensors_dtypes[OYI_SAFETENSORS_DTYPES];
// -1 if the format has none.
int oyi_safetensors_rank(oy_dtype dtype);

// Takes a reference of |map|, also when it fails.
oy_status oyi_safetensors_read(oyi_file_map* map, oy_safetensors** out_file);

#endif  // OPYARD_SRC_TENSOR_SAFETENSORS_H_
