// SPDX-License-Identifier: Apache-2.0
#include "index_kernel.h"

#include "text.h"

enum { GROUP = 64 };

// Bits are moved as they are where nothing is computed.
static oy_dtype moved_as(oy_dtype dtype) {
  switch (oy_dtype_size(dtype)) {
    case 1: return OY_DTYPE_U8;
    case 2: return OY_DTYPE_I16;
    case 4: return OY_DTYPE_I32;
    default: return OY_DTYPE_I64;
  }
}

static char* make_source(const gpu_device* device, const void* what) {
  const gpu_index_form* f = what;
  gpu_text t = {0};
  (void)device;
  oy_dtype work = f->adds ? f->dtype : moved_as(f->dtype);
  gpu_text_begin(&t, work, 1, work == OY_DTYPE_F64);
  gpu_text_add(&t, "#define %s\n#define DTYPE %s\n#define INDEX %s\n", f->name,
               gpu_tag_name(work), gpu_type_name(f->index));
  if (f->adds)
    gpu_text_add(&t, "#define ADDS\n#define S_IS_%s\n",
                 work == OY_DTYPE_F32   ? "F32"
                 : work == OY_DTYPE_F64 ? "F64"
                 : work == OY_DTYPE_I64 ? "I64"
                                        : "I32");
  gpu_text_append(&t, gpu_text_index);
  return gpu_text_take(&t);
}

static oy_status kernel_of(gpu_device* d, const gpu_index_form* f,
                           gpu_kernel** out_kernel) {
  uint64_t key[8] = {
      'I', (uint64_t)(uintptr_t)f->name,
      (uint64_t)f->dtype | (uint64_t)f->index << 8 | (uint64_t)f->adds << 16};
  return gpu_kernel_get(d, key, make_source, f, out_kernel);
}

static bool has_atomics(const gpu_device* d, oy_dtype dtype) {
  if (dtype == OY_DTYPE_F64) return d->has_f64 && d->has_i64_atomics;
  if (dtype == OY_DTYPE_I64) return d->has_i64_atomics;
  return dtype == OY_DTYPE_F32 || dtype == OY_DTYPE_I32;
}

bool gpu_index_takes_sums(const gpu_call* c) {
  return has_atomics(c->device, c->args[0].as.object->dtype);
}

oy_status gpu_index_launch(gpu_launch* l, const gpu_index_form* f, int64_t items,
                           gpu_report* out_report) {
  gpu_kernel* kernel;
  oy_status status = kernel_of(l->device, f, &kernel);
  if (status == OY_OK) status = gpu_launch_run(l, kernel, (size_t)items, GROUP);
  oy_status end = gpu_report_end(l->device, out_report);
  return status == OY_OK ? end : status;
}
