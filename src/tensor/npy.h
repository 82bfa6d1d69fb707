// SPDX-License-Identifier: Apache-2.0
// The header of a .npy file: a magic text, a version, a length, and a Python literal,
// {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }.
#ifndef OPYARD_SRC_TENSOR_NPY_H_
#define OPYARD_SRC_TENSOR_NPY_H_

#include "tensor/file_map.h"

typedef struct oyi_npy_header {
  oy_dtype dtype;
  bool swap;  // big-endian
  bool fortran;
  size_t ndim;
  int64_t shape[OY_TENSOR_MAX_DIMS];
  size_t data;  // where the elements begin
} oyi_npy_header;

#define OYI_NPY_MAGIC "\x93NUMPY"
enum { OYI_NPY_MAGIC_SIZE = 6 };

// "f4" and the like; NULL if NumPy has no such dtype.
const char* oyi_npy_name(oy_dtype dtype);
// PARSE or NOT_IMPLEMENTED; checks the size of the file too.
oy_status oyi_npy_header_read(const oyi_file_map* map, oyi_npy_header* out_header);
// The tensor of a whole file.
oyi_tensor* oyi_npy_read(oyi_file_map* map);

#endif  // OPYARD_SRC_TENSOR_NPY_H_
