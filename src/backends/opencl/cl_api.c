// SPDX-License-Identifier: Apache-2.0
#include "cl_api.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

ocl_api ocl;

static const char* const g_names[] = {
#define OCL_FN(name) "cl" #name,
#include "cl_api.def"
#undef OCL_FN
};
_Static_assert(sizeof(ocl_api) == sizeof(g_names) / sizeof(*g_names) * sizeof(void*),
               "a name for each function");

static pthread_once_t g_once = PTHREAD_ONCE_INIT;
static char g_missing[160];  // why it could not be opened, "" if it was

static void open_library(void) {
  void* library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    snprintf(g_missing, sizeof(g_missing),
             "no OpenCL: libOpenCL.so.1 cannot be opened; install an OpenCL driver "
             "(Debian: pocl-opencl-icd)");
    return;
  }
  void** slots = (void**)&ocl;
  for (size_t i = 0; i < sizeof(g_names) / sizeof(*g_names); i++) {
    slots[i] = dlsym(library, g_names[i]);
    if (slots[i]) continue;
    snprintf(g_missing, sizeof(g_missing),
             "no OpenCL: libOpenCL.so.1 lacks %s; expected OpenCL 1.2 or later",
             g_names[i]);
    return;  // stays open: drivers do not survive being closed
  }
}

oy_status ocl_api_open(void) {
  pthread_once(&g_once, open_library);
  OY_CHECK(!g_missing[0], NOT_FOUND, "%s", g_missing);
  return OY_OK;
}

const char* ocl_error_name(cl_int code) {
  static __thread char number[32];
  switch (code) {
#define NAME(c) \
  case c: return #c
    NAME(CL_DEVICE_NOT_FOUND);
    NAME(CL_DEVICE_NOT_AVAILABLE);
    NAME(CL_COMPILER_NOT_AVAILABLE);
    NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE);
    NAME(CL_OUT_OF_RESOURCES);
    NAME(CL_OUT_OF_HOST_MEMORY);
    NAME(CL_MEM_COPY_OVERLAP);
    NAME(CL_BUILD_PROGRAM_FAILURE);
    NAME(CL_INVALID_VALUE);
    NAME(CL_INVALID_DEVICE);
    NAME(CL_INVALID_CONTEXT);
    NAME(CL_INVALID_COMMAND_QUEUE);
    NAME(CL_INVALID_MEM_OBJECT);
    NAME(CL_INVALID_BINARY);
    NAME(CL_INVALID_BUILD_OPTIONS);
    NAME(CL_INVALID_PROGRAM);
    NAME(CL_INVALID_KERNEL_NAME);
    NAME(CL_INVALID_ARG_INDEX);
    NAME(CL_INVALID_ARG_VALUE);
    NAME(CL_INVALID_ARG_SIZE);
    NAME(CL_INVALID_KERNEL_ARGS);
    NAME(CL_INVALID_WORK_GROUP_SIZE);
    NAME(CL_INVALID_WORK_ITEM_SIZE);
    NAME(CL_INVALID_BUFFER_SIZE);
    NAME(CL_INVALID_GLOBAL_WORK_SIZE);
    NAME(CL_INVALID_EVENT);
#undef NAME
    case -1001: return "no platform is installed";
    default: snprintf(number, sizeof(number), "error %d", (int)code); return number;
  }
}

oy_status ocl_fail(cl_int code, const char* call) {
  if (code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY)
    return OY_FAIL(OUT_OF_MEMORY, "%s: %s", call, ocl_error_name(code));
  return OY_FAIL(INTERNAL, "%s: %s", call, ocl_error_name(code));
}
