// SPDX-License-Identifier: Apache-2.0
// Bytes of a file that tensors lie on, and a file that appears only when it is whole.
#ifndef OPYARD_SRC_TENSOR_FILE_MAP_H_
#define OPYARD_SRC_TENSOR_FILE_MAP_H_

#include <stdio.h>

#include "tensor/impl.h"

// Counted; a storage on it holds one.
typedef struct oyi_file_map {
  int32_t references;  // atomic
  bool mapped;         // else |data| is a block of ours
  unsigned char* data;
  size_t size;
  char name[256];  // the end of the path, for messages
} oyi_file_map;

// A private map of a regular file. IO.
oy_status oyi_file_map_open(const char* path, oyi_file_map** out_map);
// A copy of |bytes|, for those who have no file.
oy_status oyi_file_map_of_bytes(oy_str bytes, oyi_file_map** out_map);
// Takes NULL.
void oyi_file_map_release(oyi_file_map* map);
// The bytes from |offset| on as a tensor; they were checked to be there. A stand-in
// with memory of its own if the address does not suit the dtype or |swap| is set:
// then bytes of each number are in the other order.
oyi_tensor* oyi_file_map_tensor(oyi_file_map* map, size_t offset, size_t nbytes,
                                oy_ints sizes, oy_ints strides, oy_dtype dtype,
                                bool swap);

// A file beside |path|, which it becomes with oyi_file_commit.
typedef struct oyi_file_writer {
  FILE* file;
  const char* path;
  char* temporary;
} oyi_file_writer;
oy_status oyi_file_create(const char* path, oyi_file_writer* out_writer);
oy_status oyi_file_write(oyi_file_writer* writer, const void* data, size_t size);
// Elements in row-major order, or as they lie if |t| is dense.
oy_status oyi_file_write_elements(oyi_file_writer* writer, const oyi_tensor* t,
                                  bool as_they_lie);
// Ends the writing: with |status| OK the file gets its name, else it is removed. The
// status of it all.
oy_status oyi_file_commit(oyi_file_writer* writer, oy_status status);
// Whether elements can be read here: NOT_IMPLEMENTED.
oy_status oyi_file_check_tensor(const oyi_tensor* t);

#endif  // OPYARD_SRC_TENSOR_FILE_MAP_H_
