// SPDX-License-Identifier: Apache-2.0
// Tensors in files: NumPy's .npy and safetensors.
//
// Reading copies nothing: tensors lie on the pages of the file, which stay mapped
// until the last tensor on them goes. The map is private: writing into such a tensor
// changes neither the file nor what others see. Elements that the file does not
// align, and those in the other byte order, are copied to memory of their own.
//
// Nothing in a file is believed. PARSE says at which byte it is wrong, what was
// expected there and what came; IO says what the system said. A file that is cut
// short by somebody else while it is mapped ends the process with SIGBUS when the
// missing pages are touched, as mapped files do.
//
// Writing makes a file of its own beside the target, and renames it once all is
// written: a failure leaves the target as it was. CPU tensors only; others, and
// dtypes that a format has no name for, are NOT_IMPLEMENTED.
#ifndef OPYARD_FILES_H_
#define OPYARD_FILES_H_

#include "opyard/tensor.h"

OY_BEGIN_DECLS

// ----------------------------------------------------------------------- npy

// The array in |path|, of format 1.0, 2.0 or 3.0, in C or Fortran order. A new
// reference; NULL with the error set. Records, objects, texts and dates are
// NOT_IMPLEMENTED. Bytes after the array are an error.
OY_API oy_tensor* oy_npy_load(const char* path);
// As numpy.save writes it. Not for bfloat16, complex32 and float8, which NumPy does
// not have.
OY_API OY_MUST_USE oy_status oy_npy_save(const char* path, const oy_tensor* tensor);

// --------------------------------------------------------------- safetensors

// An open file: named tensors, and texts about them.
typedef struct oy_safetensors oy_safetensors;

// Reads and checks the whole header. Given to oy_safetensors_close at the end; its
// tensors live on by themselves.
OY_API OY_MUST_USE oy_status oy_safetensors_open(const char* path,
                                                 oy_safetensors** out_file);
// Takes NULL.
OY_API void oy_safetensors_close(oy_safetensors* file);
// Tensors are numbered in the order of their data. Names are UTF-8, borrowed from the
// file, and NUL-terminated; one out of range is empty.
OY_API size_t oy_safetensors_count(const oy_safetensors* file);
OY_API oy_str oy_safetensors_name(const oy_safetensors* file, size_t index);
OY_API bool oy_safetensors_find(const oy_safetensors* file, oy_str name,
                                size_t* out_index);
// A new reference. OUT_OF_RANGE; NOT_IMPLEMENTED for dtypes that opyard has not.
OY_API oy_tensor* oy_safetensors_get(const oy_safetensors* file, size_t index);

typedef struct oy_text_pair {
  oy_str key, value;
} oy_text_pair;
// The texts of "__metadata__", borrowed from the file.
OY_API size_t oy_safetensors_metadata(const oy_safetensors* file,
                                      const oy_text_pair** out_pairs);

typedef struct oy_named_tensor {
  oy_str name;
  const oy_tensor* tensor;
} oy_named_tensor;
// In the order and the bytes of the reference implementation: wide elements first,
// then by name. INVALID_ARGUMENT for a name that is given twice, is not UTF-8 or is
// "__metadata__".
OY_API OY_MUST_USE oy_status oy_safetensors_save(const char* path,
                                                 const oy_named_tensor* tensors,
                                                 size_t count,
                                                 const oy_text_pair* metadata,
                                                 size_t metadata_count);

OY_END_DECLS

#endif  // OPYARD_FILES_H_
