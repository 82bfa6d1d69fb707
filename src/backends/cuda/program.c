// SPDX-License-Identifier: Apache-2.0
// Programs: compiled by NVRTC for the architecture of the device, or taken from disk.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda_runtime.h"
#include "gpu/text.h"

const char* const gpu_driver_dialect = gpu_text_cuda;

static char* key_text_of(const gpu_device* d, const char* source) {
  size_t size = strlen(d->identity) + strlen(source) + 64;
  char* text = malloc(size);
  if (text) snprintf(text, size, "%s\n%s", d->identity, source);
  return text;
}

static oy_status refused(const gpu_device* d, void* program, int code) {
  size_t size = 0;
  char* log = NULL;
  if (nvrtc.GetProgramLogSize(program, &size) == 0 && (log = calloc(1, size + 1)))
    (void)nvrtc.GetProgramLog(program, log);
  OY_FAIL(INTERNAL,
          "cuda:%d could not build a kernel (NVRTC: error %d); the compiler's messages "
          "are in the detail",
          d->index, code);
  if (log) oy_error_set_detail(oy_str_of(log));
  free(log);
  return OY_INTERNAL;
}

static oy_status compile(const gpu_device* d, void* program, char** out_data,
                         size_t* out_size) {
  char architecture[48];
  snprintf(architecture, sizeof(architecture), "--gpu-architecture=sm_%d",
           d->architecture);
  const char* options[] = {architecture, "--std=c++17",
                           "--device-as-default-execution-space", "--disable-warnings"};
  int code = nvrtc.CompileProgram(program, 4, options);
  if (code == 0) code = nvrtc.GetCUBINSize(program, out_size);
  if (code != 0) return refused(d, program, code);
  *out_data = malloc(*out_size + 1);
  OY_CHECK(*out_data, OUT_OF_MEMORY, "no memory for the binary of a kernel");
  (*out_data)[*out_size] = 0;
  code = nvrtc.GetCUBIN(program, *out_data);
  if (code == 0) return OY_OK;
  free(*out_data);
  *out_data = NULL;
  return refused(d, program, code);
}

static oy_status make(const gpu_device* d, const char* source, char** out_data,
                      size_t* out_size) {
  void* program = NULL;
  OY_TRY(nvrtc_api_open());
  int code = nvrtc.CreateProgram(&program, source, "opyard.cu", 0, NULL, NULL);
  OY_CHECK(code == 0, INTERNAL, "nvrtcCreateProgram: error %d", code);
  oy_status status = compile(d, program, out_data, out_size);
  nvrtc.DestroyProgram(&program);
  return status;
}

static oy_status load(const char* data, gpu_kernel* k) {
  CUDA_TRY(ModuleLoadData, &k->program, data);
  int code = cuda.ModuleGetFunction(&k->kernel, k->program, "run");
  if (code == CUDA_OK) return OY_OK;
  cuda.ModuleUnload(k->program);
  return cuda_fail(code, "cuModuleGetFunction");
}

static oy_status load_or_make(const gpu_device* d, const char* source,
                              const char* key_text, gpu_kernel* k) {
  unsigned char* kept;
  char* data = NULL;
  size_t size = 0;
  if (gpu_cache_read(key_text, &kept, &size)) {
    // What the driver does not take is made anew.
    void* program = NULL;
    int code = cuda.ModuleLoadData(&program, kept);
    if (code == CUDA_OK) code = cuda.ModuleGetFunction(&k->kernel, program, "run");
    free(kept);
    k->program = program;
    if (code == CUDA_OK) return OY_OK;
    if (program) cuda.ModuleUnload(program);
  }
  OY_TRY(make(d, source, &data, &size));
  oy_status status = load(data, k);
  if (status == OY_OK) gpu_cache_write(key_text, (unsigned char*)data, size);
  free(data);
  return status;
}

oy_status gpu_driver_build(gpu_device* d, const char* source, gpu_kernel* k) {
  OY_TRY(cuda_enter(d));
  char* key_text = key_text_of(d, source);
  OY_CHECK(key_text, OUT_OF_MEMORY, "no memory for the source of a kernel");
  oy_status status = load_or_make(d, source, key_text, k);
  free(key_text);
  return status;
}

void gpu_driver_unbuild(gpu_device* d, gpu_kernel* k) {
  if (cuda.CtxSetCurrent(d->context) == CUDA_OK) cuda.ModuleUnload(k->program);
}

oy_status gpu_driver_launch(const gpu_launch* l, gpu_kernel* kernel, void* queue,
                            size_t groups, size_t group) {
  void* arguments[GPU_ARGS + 1] = {NULL};
  size_t at = 0;
  OY_CHECK(groups <= INT32_MAX, INVALID_ARGUMENT,
           "expected at most %d groups of a kernel, got %zu", INT32_MAX, groups);
  OY_TRY(cuda_enter(l->device));
  for (int i = 0; i < l->count; i++) {
    at = (at + 15) & ~(size_t)15;
    arguments[i] = (void*)(uintptr_t)(l->bytes + at);
    at += l->sizes[i];
  }
  CUDA_TRY(LaunchKernel, kernel->kernel, (unsigned)groups, 1, 1, (unsigned)group, 1, 1, 0,
           queue, arguments, NULL);
  return OY_OK;
}
