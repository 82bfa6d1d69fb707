// SPDX-License-Identifier: Apache-2.0
// Building programs, or loading their binaries.
#include <stdio.h>
#include <stdlib.h>

#include "cl_api.h"
#include "gpu/driver.h"
#include "gpu/matrix.h"

// The kernels are written in OpenCL C.
const char* const gpu_driver_dialect = "";

static const char* options_of(const gpu_device* d) {
  // Literals without a suffix are not doubles where there are none.
  return d->has_f64 ? "-w -cl-std=CL1.2"
                    : "-w -cl-std=CL1.2 -cl-single-precision-constant";
}

// Device, options and source: what a binary belongs to.
static char* key_text_of(const gpu_device* d, const char* source) {
  size_t size = strlen(d->identity) + strlen(source) + 128;
  char* text = malloc(size);
  if (text) snprintf(text, size, "%s\n%s\n%s", d->identity, options_of(d), source);
  return text;
}

static oy_status build(gpu_device* d, cl_program program) {
  cl_int code = ocl.BuildProgram(program, 1, (const cl_device_id*)&d->id, options_of(d),
                                 NULL, NULL);
  if (code == CL_SUCCESS) return OY_OK;
  char log[4096] = "";
  ocl.GetProgramBuildInfo(program, d->id, CL_PROGRAM_BUILD_LOG, sizeof(log) - 1, log,
                          NULL);
  OY_FAIL(INTERNAL,
          "opencl:%d could not build a kernel (%s); the compiler's messages are "
          "in the detail",
          d->index, ocl_error_name(code));
  oy_error_set_detail(oy_str_of(log));
  return OY_INTERNAL;
}

// NULL, without an error, if there is no binary that the driver takes.
static cl_program load(gpu_device* d, const char* key_text) {
  unsigned char* data;
  size_t size;
  cl_int code, state = CL_SUCCESS;
  if (!gpu_cache_read(key_text, &data, &size)) return NULL;
  const unsigned char* binary = data;
  cl_program program = ocl.CreateProgramWithBinary(
      d->context, 1, (const cl_device_id*)&d->id, &size, &binary, &state, &code);
  free(data);
  if (program && state == CL_SUCCESS &&
      ocl.BuildProgram(program, 1, (const cl_device_id*)&d->id, options_of(d), NULL,
                       NULL) == CL_SUCCESS)
    return program;
  if (program) ocl.ReleaseProgram(program);
  return NULL;
}

static void keep(cl_program program, const char* key_text) {
  size_t size = 0;
  if (ocl.GetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL) !=
          CL_SUCCESS ||
      size == 0)
    return;
  unsigned char* data = malloc(size);
  if (data && ocl.GetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(data), &data,
                                 NULL) == CL_SUCCESS)
    gpu_cache_write(key_text, data, size);
  free(data);
}

static oy_status compile(gpu_device* d, const char* source, const char* key_text,
                         cl_program* out_program) {
  cl_int code;
  cl_program program = ocl.CreateProgramWithSource(d->context, 1, &source, NULL, &code);
  if (!program) return ocl_fail(code, "clCreateProgramWithSource");
  oy_status status = build(d, program);
  if (status != OY_OK) {
    ocl.ReleaseProgram(program);
    return status;
  }
  keep(program, key_text);
  // PoCL has compiled all of it for the binary, and would do so once more, for the size of
  // a group, when what was made from source is launched.
  cl_program loaded = load(d, key_text);
  if (loaded) ocl.ReleaseProgram(program);
  *out_program = loaded ? loaded : program;
  return OY_OK;
}

static oy_status program_of(gpu_device* d, const char* source, cl_program* out_program) {
  char* key_text = key_text_of(d, source);
  OY_CHECK(key_text, OUT_OF_MEMORY, "no memory for the source of a kernel");
  *out_program = load(d, key_text);
  oy_status status = *out_program ? OY_OK : compile(d, source, key_text, out_program);
  free(key_text);
  return status;
}

oy_status gpu_driver_build(gpu_device* d, const char* source, gpu_kernel* k) {
  cl_program program;
  cl_int code;
  OY_TRY(program_of(d, source, &program));
  k->program = program;
  k->kernel = ocl.CreateKernel(program, "run", &code);
  if (k->kernel) return OY_OK;
  ocl.ReleaseProgram(program);
  return ocl_fail(code, "clCreateKernel");
}

void gpu_driver_unbuild(gpu_device* d, gpu_kernel* k) {
  (void)d;
  ocl.ReleaseKernel(k->kernel);
  ocl.ReleaseProgram(k->program);
}

static oy_status set_arguments(const gpu_launch* l, cl_kernel kernel) {
  size_t at = 0;
  for (int i = 0; i < l->count; i++) {
    at = (at + 15) & ~(size_t)15;
    OCL_TRY(SetKernelArg, kernel, (cl_uint)i, l->sizes[i], l->bytes + at);
    at += l->sizes[i];
  }
  return OY_OK;
}

oy_status gpu_driver_launch(const gpu_launch* l, gpu_kernel* kernel, void* queue,
                            size_t groups, size_t group) {
  size_t all = groups * group;
  pthread_mutex_lock(&kernel->lock);
  oy_status status = set_arguments(l, kernel->kernel);
  if (status == OY_OK) {
    cl_int code = ocl.EnqueueNDRangeKernel(queue, kernel->kernel, 1, NULL, &all, &group,
                                           0, NULL, NULL);
    if (code != CL_SUCCESS) status = ocl_fail(code, "clEnqueueNDRangeKernel");
  }
  pthread_mutex_unlock(&kernel->lock);
  if (status == OY_OK) OCL_TRY(Flush, queue);
  return status;
}

oy_status gpu_driver_matmul(gpu_call* call, const gpu_product* p, oy_tensor* c,
                            oy_tensor* a, oy_tensor* b, double alpha, double beta,
                            bool* out_done) {
  (void)call, (void)p, (void)c, (void)a, (void)b, (void)alpha, (void)beta;
  *out_done = false;
  return OY_OK;
}
