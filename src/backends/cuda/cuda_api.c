// SPDX-License-Identifier: Apache-2.0
#include "cuda_api.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

cuda_api cuda;
nvrtc_api nvrtc;

static const struct {
  const char* name;
  int version;
} g_driver[] = {
#define CUDA_FN(name, version, parameters) {"cu" #name, version},
#include "cuda_api.def"
#undef CUDA_FN
};
static const char* const g_compiler[] = {
#define NVRTC_FN(name, parameters) "nvrtc" #name,
#include "nvrtc_api.def"
#undef NVRTC_FN
};
enum {
  DRIVER_COUNT = sizeof(g_driver) / sizeof(*g_driver),
  COMPILER_COUNT = sizeof(g_compiler) / sizeof(*g_compiler)
};

static pthread_once_t g_driver_once = PTHREAD_ONCE_INIT;
static pthread_once_t g_compiler_once = PTHREAD_ONCE_INIT;
static char g_no_driver[256], g_no_compiler[256];  // why, "" if it was opened

// cuGetProcAddress gives the form of a function that a version of the driver had; the name
// alone would give the oldest one. It took a fifth argument in CUDA 12.
typedef int (*find_fn)(const char* name, void** out, int version, uint64_t flags,
                       int* out_status);

static void open_driver(void) {
  const char* path = getenv("OPYARD_CUDA_DRIVER");
  if (!path || !path[0]) path = "libcuda.so.1";
  // Stays open: drivers do not survive being closed.
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    snprintf(g_no_driver, sizeof(g_no_driver),
             "no CUDA: %s cannot be opened; install NVIDIA's driver", path);
    return;
  }
  void* found = dlsym(library, "cuGetProcAddress_v2");
  if (!found) found = dlsym(library, "cuGetProcAddress");
  find_fn find = (find_fn)(uintptr_t)found;
  void** slots = (void**)&cuda;
  for (int i = 0; i < DRIVER_COUNT; i++) {
    int status = 0;
    if (find && find(g_driver[i].name, &slots[i], g_driver[i].version, 0, &status) == 0 &&
        slots[i])
      continue;
    snprintf(g_no_driver, sizeof(g_no_driver),
             "no CUDA: %s lacks %s; expected a driver for CUDA 11.3 or later", path,
             find ? g_driver[i].name : "cuGetProcAddress");
    return;
  }
}

static void* open_compiler_library(void) {
  static const char* const names[] = {
      "libnvrtc.so.13",   "libnvrtc.so.12",
      "libnvrtc.so.11.2", "/usr/local/cuda/lib64/libnvrtc.so",
      "libnvrtc.so",      "/usr/local/cuda/lib/libnvrtc.so"};
  const char* path = getenv("OPYARD_CUDA_NVRTC");
  if (path && path[0]) return dlopen(path, RTLD_NOW | RTLD_LOCAL);
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
    void* library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (library) return library;
  }
  return NULL;
}

static void open_compiler(void) {
  void* library = open_compiler_library();
  void** slots = (void**)&nvrtc;
  for (int i = 0; i < COMPILER_COUNT; i++) {
    slots[i] = library ? dlsym(library, g_compiler[i]) : NULL;
    if (slots[i]) continue;
    snprintf(g_no_compiler, sizeof(g_no_compiler),
             library ? "NVRTC lacks %s; expected that of CUDA 11.3 or later"
                     : "kernels of CUDA need the compiler NVRTC, and libnvrtc.so cannot "
                       "be opened; install it, or name it in OPYARD_CUDA_NVRTC",
             g_compiler[i]);
    return;
  }
}

oy_status cuda_api_open(void) {
  pthread_once(&g_driver_once, open_driver);
  OY_CHECK(!g_no_driver[0], NOT_FOUND, "%s", g_no_driver);
  return OY_OK;
}

oy_status nvrtc_api_open(void) {
  pthread_once(&g_compiler_once, open_compiler);
  OY_CHECK(!g_no_compiler[0], NOT_FOUND, "%s", g_no_compiler);
  return OY_OK;
}

const char* cuda_error_name(int code) {
  static __thread char number[32];
  const char* name = NULL;
  if (cuda.GetErrorName && cuda.GetErrorName(code, &name) == CUDA_OK && name) return name;
  snprintf(number, sizeof(number), "error %d", code);
  return number;
}

oy_status cuda_fail(int code, const char* call) {
  if (code == CUDA_OUT_OF_MEMORY)
    return OY_FAIL(OUT_OF_MEMORY, "%s: %s", call, cuda_error_name(code));
  return OY_FAIL(INTERNAL, "%s: %s", call, cuda_error_name(code));
}
