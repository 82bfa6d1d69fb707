// SPDX-License-Identifier: Apache-2.0
// Tensors from and to other libraries without a copy, by DLPack: its structures, under
// names of our own, so that this header goes with any version of dlpack.h. Pointers to
// theirs and to ours are cast into each other.
//
// The unversioned form is what NumPy before 2.1 and PyTorch before 2.9 speak.
#ifndef OPYARD_DLPACK_H_
#define OPYARD_DLPACK_H_

#include "opyard/tensor.h"

OY_BEGIN_DECLS

enum { OY_DLPACK_MAJOR = 1, OY_DLPACK_MINOR = 1 };

typedef enum oy_dl_device_type {
  OY_DL_CPU = 1,
  OY_DL_CUDA = 2,
  OY_DL_ROCM = 10
} oy_dl_device_type;

typedef enum oy_dl_code {
  OY_DL_INT = 0,
  OY_DL_UINT = 1,
  OY_DL_FLOAT = 2,
  OY_DL_BFLOAT = 4,
  OY_DL_COMPLEX = 5,
  OY_DL_BOOL = 6
} oy_dl_code;

typedef struct oy_dl_tensor {
  void* data;
  int32_t device_type;
  int32_t device_id;
  int32_t ndim;
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
  int64_t* shape;
  int64_t* strides;  // in elements; NULL: contiguous
  uint64_t byte_offset;
} oy_dl_tensor;

typedef struct oy_dl_managed {
  oy_dl_tensor tensor;
  void* context;
  void (*deleter)(struct oy_dl_managed* self);
} oy_dl_managed;

enum { OY_DL_READ_ONLY = 1, OY_DL_IS_COPIED = 2 };
typedef struct oy_dl_versioned {
  uint32_t major, minor;
  void* context;
  void (*deleter)(struct oy_dl_versioned* self);
  uint64_t flags;
  oy_dl_tensor tensor;
} oy_dl_versioned;

// Whoever gets the result calls its deleter, once; until then it holds the memory of
// |tensor|. NULL with PyTorch's text for tensors that need a gradient, are lazily
// conjugated, have no strides or have a dtype that DLPack is not given.
OY_API oy_dl_managed* oy_dlpack_export(const oy_tensor* tensor);
OY_API oy_dl_versioned* oy_dlpack_export_versioned(const oy_tensor* tensor);

// A tensor on the memory of |*managed|, which is taken over: *managed becomes NULL, so
// that a second try is an error, and its deleter is called when the last tensor on the
// memory goes. What may only be read is copied at once. NULL on failure; then *managed
// is still the caller's.
OY_API oy_tensor* oy_dlpack_import(oy_dl_managed** managed);
OY_API oy_tensor* oy_dlpack_import_versioned(oy_dl_versioned** managed);

OY_END_DECLS

#endif  // OPYARD_DLPACK_H_
