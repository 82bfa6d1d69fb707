// SPDX-License-Identifier: Apache-2.0
// CUDA's driver, its compiler NVRTC and cuBLASLt, opened on first use: the plugin is linked
// with none, and is built without their headers. What is declared here is their binary
// interface; tests/cuda/check_api.c compares it with the headers where these are.
//
// OPYARD_CUDA_DRIVER, OPYARD_CUDA_NVRTC and OPYARD_CUDA_CUBLASLT name other libraries to
// open, for tests.
#ifndef OPYARD_SRC_BACKENDS_CUDA_CUDA_API_H_
#define OPYARD_SRC_BACKENDS_CUDA_CUDA_API_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "opyard/status.h"

// Codes that something is done about; all others are only named.
enum {
  CUDA_OK = 0,
  CUDA_OUT_OF_MEMORY = 2,
  CUDA_NO_BINARY = 209,
  CUDA_NOT_READY = 600,
  CUDA_COMPUTE_MAJOR = 75,  // attributes of devices
  CUDA_COMPUTE_MINOR = 76,
  CUDA_STREAM_NON_BLOCKING = 1,  // does not wait for the default stream of others
  CUDA_EVENT_NO_TIMING = 2,
  CUDA_HOST_PORTABLE = 1  // pinned for all devices
};

typedef struct cuda_api {
#define CUDA_FN(name, version, parameters) int(*name) parameters;
#include "cuda_api.def"
#undef CUDA_FN
} cuda_api;
typedef struct nvrtc_api {
#define NVRTC_FN(name, parameters) int(*name) parameters;
#include "nvrtc_api.def"
#undef NVRTC_FN
} nvrtc_api;

// What cuBLASLt proposes for a product; its first part is the algorithm.
typedef struct cublas_choice {
  uint64_t algorithm[8];
  size_t workspace;
  int status;
  float waves;
  int reserved[4];
} cublas_choice;
typedef struct cublas_api {
#define CUBLAS_FN(name, parameters) int(*name) parameters;
#include "cublas_api.def"
#undef CUBLAS_FN
} cublas_api;
enum {
  CUBLAS_NOT_SUPPORTED = 15,
  CUBLAS_F32 = 0,  // dtypes
  CUBLAS_F64 = 1,
  CUBLAS_F16 = 2,
  CUBLAS_BF16 = 14,
  CUBLAS_IN_F32 = 68,  // what is computed in
  CUBLAS_IN_F64 = 70,
  CUBLAS_TRANSPOSE = 1,
  CUBLAS_DESC_TRANS_A = 3,
  CUBLAS_DESC_TRANS_B = 4,
  CUBLAS_LAYOUT_BATCH = 5,
  CUBLAS_LAYOUT_BATCH_STRIDE = 6,
  CUBLAS_PREF_WORKSPACE = 1,
  CUBLAS_PREF_ALIGNMENT_A = 5  // of B, C and D after it
};

// Complete once they were opened.
extern cublas_api cublas;
extern cuda_api cuda;
extern nvrtc_api nvrtc;

// Opens the library. NOT_FOUND, in one line, if it is not there. Again is free.
// Thread-safe.
oy_status cuda_api_open(void);
oy_status nvrtc_api_open(void);
// Whether there is cuBLASLt; it takes a tenth of a second to load.
bool cublas_api_open(void);

// "CUDA_ERROR_INVALID_VALUE"; "error 999" in a buffer of the thread for unknown numbers.
const char* cuda_error_name(int code);
// Sets the error for a call that gave |code|.
oy_status cuda_fail(int code, const char* call);

// Calls the driver and returns on failure.
#define CUDA_TRY(function, ...)                     \
  do {                                              \
    int cuda_code_ = cuda.function(__VA_ARGS__);    \
    if (OY_UNLIKELY(cuda_code_ != CUDA_OK))         \
      return cuda_fail(cuda_code_, "cu" #function); \
  } while (0)

#endif  // OPYARD_SRC_BACKENDS_CUDA_CUDA_API_H_
