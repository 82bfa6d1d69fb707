// SPDX-License-Identifier: Apache-2.0
// OpenCL's library, opened on first use: the plugin is not linked with it, and loads where
// there is none.
#ifndef OPYARD_SRC_BACKENDS_OPENCL_CL_API_H_
#define OPYARD_SRC_BACKENDS_OPENCL_CL_API_H_

// 1.2 is what all vendors have; a queue is made with the call that 2.0 calls deprecated.
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include "opyard/status.h"

typedef struct ocl_api {
#define OCL_FN(name) __typeof__(&cl##name) name;
#include "cl_api.def"
#undef OCL_FN
} ocl_api;

// Complete once ocl_api_open has succeeded.
extern ocl_api ocl;

// Opens the library. NOT_FOUND, in one line, if it is not there. Again is free.
// Thread-safe.
oy_status ocl_api_open(void);

// "CL_OUT_OF_RESOURCES"; "error -9999" in a buffer of the thread for other numbers.
const char* ocl_error_name(cl_int code);
// Sets the error for a call that gave |code|.
oy_status ocl_fail(cl_int code, const char* call);

// Calls OpenCL and returns on failure.
#define OCL_TRY(function, ...)                    \
  do {                                            \
    cl_int ocl_code_ = ocl.function(__VA_ARGS__); \
    if (OY_UNLIKELY(ocl_code_ != CL_SUCCESS))     \
      return ocl_fail(ocl_code_, "cl" #function); \
  } while (0)

#endif  // OPYARD_SRC_BACKENDS_OPENCL_CL_API_H_
