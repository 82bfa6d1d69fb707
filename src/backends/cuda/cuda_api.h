// SPDX-License-Identifier: Apache-2.0
// CUDA's driver and its compiler NVRTC, opened on first use: the plugin is linked with
// neither, and is built without their headers. What is declared here is their binary
// interface; tests/cuda/check_api.c compares it with the headers where these are.
//
// OPYARD_CUDA_DRIVER and OPYARD_CUDA_NVRTC name other libraries to open, for tests.
#ifndef OPYARD_SRC_BACKENDS_CUDA_CUDA_API_H_
#define OPYARD_SRC_BACKENDS_CUDA_CUDA_API_H_

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

// Complete once they were opened.
extern cuda_api cuda;
extern nvrtc_api nvrtc;

// Opens the library. NOT_FOUND, in one line, if it is not there. Again is free.
// Thread-safe.
oy_status cuda_api_open(void);
oy_status nvrtc_api_open(void);

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
