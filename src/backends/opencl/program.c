// SPDX-License-Identifier: Apache-2.0
// Programs of one kernel each. A kernel is found again by a key of eight words, without a
// lock; the first time its source is written, and built or taken from disk.
#include <stdio.h>
#include <stdlib.h>

#include "runtime.h"

static unsigned bucket_of(const uint64_t key[8]) {
  uint64_t h = 0;
  for (int i = 0; i < 8; i++) h = (h ^ key[i]) * 0x9E3779B97F4A7C15ull, h ^= h >> 31;
  return (unsigned)(h % OCL_BUCKETS);
}

static ocl_kernel* find(ocl_device* d, const uint64_t key[8]) {
  ocl_kernel* k = __atomic_load_n(&d->kernels[bucket_of(key)], __ATOMIC_ACQUIRE);
  while (k && memcmp(k->key, key, sizeof(k->key)) != 0) k = k->next;
  return k;
}

static const char* options_of(const ocl_device* d) {
  // Literals without a suffix are not doubles where there are none.
  return d->has_f64 ? "-w -cl-std=CL1.2"
                    : "-w -cl-std=CL1.2 -cl-single-precision-constant";
}

// Device, options and source: what a binary belongs to.
static char* key_text_of(const ocl_device* d, const char* source) {
  size_t size = strlen(d->identity) + strlen(source) + 128;
  char* text = malloc(size);
  if (text) snprintf(text, size, "%s\n%s\n%s", d->identity, options_of(d), source);
  return text;
}

static oy_status build(ocl_device* d, cl_program program) {
  cl_int code = ocl.BuildProgram(program, 1, &d->id, options_of(d), NULL, NULL);
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
static cl_program load(ocl_device* d, const char* key_text) {
  unsigned char* data;
  size_t size;
  cl_int code, state = CL_SUCCESS;
  if (!ocl_cache_read(key_text, &data, &size)) return NULL;
  const unsigned char* binary = data;
  cl_program program =
      ocl.CreateProgramWithBinary(d->context, 1, &d->id, &size, &binary, &state, &code);
  free(data);
  if (program && state == CL_SUCCESS &&
      ocl.BuildProgram(program, 1, &d->id, options_of(d), NULL, NULL) == CL_SUCCESS)
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
    ocl_cache_write(key_text, data, size);
  free(data);
}

static oy_status compile(ocl_device* d, const char* source, const char* key_text,
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
  *out_program = program;
  return OY_OK;
}

static oy_status program_of(ocl_device* d, const char* source, cl_program* out_program) {
  char* key_text = key_text_of(d, source);
  OY_CHECK(key_text, OUT_OF_MEMORY, "no memory for the source of a kernel");
  *out_program = load(d, key_text);
  oy_status status = *out_program ? OY_OK : compile(d, source, key_text, out_program);
  free(key_text);
  return status;
}

static oy_status add(ocl_device* d, const uint64_t key[8], const char* source,
                     ocl_kernel** out_kernel) {
  cl_int code;
  ocl_kernel* k = calloc(1, sizeof(*k));
  OY_CHECK(k, OUT_OF_MEMORY, "no memory for a kernel");
  oy_status status = program_of(d, source, &k->program);
  if (status == OY_OK) {
    k->kernel = ocl.CreateKernel(k->program, "run", &code);
    if (!k->kernel) status = ocl_fail(code, "clCreateKernel");
  }
  if (status != OY_OK) {
    if (k->program) ocl.ReleaseProgram(k->program);
    free(k);
    return status;
  }
  memcpy(k->key, key, sizeof(k->key));
  pthread_mutex_init(&k->lock, NULL);
  ocl_kernel** head = &d->kernels[bucket_of(key)];
  k->next = *head;
  __atomic_store_n(head, k, __ATOMIC_RELEASE);
  *out_kernel = k;
  return OY_OK;
}

oy_status ocl_kernel_get(ocl_device* d, const uint64_t key[8], ocl_source_fn source,
                         const void* what, ocl_kernel** out_kernel) {
  *out_kernel = find(d, key);
  if (OY_LIKELY(*out_kernel)) return OY_OK;
  oy_status status = OY_OK;
  pthread_mutex_lock(&d->build_lock);
  *out_kernel = find(d, key);
  if (!*out_kernel) {
    char* text = source(d, what);
    status = text ? add(d, key, text, out_kernel)
                  : OY_FAIL(OUT_OF_MEMORY, "no memory for the source of a kernel");
    free(text);
  }
  pthread_mutex_unlock(&d->build_lock);
  return status;
}
