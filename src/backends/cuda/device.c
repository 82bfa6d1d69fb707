// SPDX-License-Identifier: Apache-2.0
// Devices with their primary contexts, which other users of CUDA in the process share.
#include <stdio.h>
#include <string.h>

#include "cuda_runtime.h"

const char gpu_driver_name[] = "cuda", gpu_driver_title[] = "CUDA";
const char gpu_driver_backend[] = "CUDA";
const char gpu_driver_description[] = "NVIDIA GPUs by CUDA's driver";

static int ordinal_of(const gpu_device* d) {
  return (int)(intptr_t)d->id;
}

static oy_status describe(gpu_device* d, int ordinal) {
  int major = 0, minor = 0, version = 0;
  size_t memory = 0;
  CUDA_TRY(DeviceGetName, d->name, (int)sizeof(d->name) - 1, ordinal);
  CUDA_TRY(DeviceTotalMem, &memory, ordinal);
  CUDA_TRY(DeviceGetAttribute, &major, CUDA_COMPUTE_MAJOR, ordinal);
  CUDA_TRY(DeviceGetAttribute, &minor, CUDA_COMPUTE_MINOR, ordinal);
  CUDA_TRY(DriverGetVersion, &version);
  // A binary is good for every device of the architecture.
  d->architecture = 10 * major + minor;
  snprintf(d->identity, sizeof(d->identity), "sm_%d|%d", d->architecture, version);
  d->memory = d->largest = memory;
  d->has_f64 = d->has_i64_atomics = d->wants_aligned = true;
  return OY_OK;
}

static oy_status add_device(int i) {
  int ordinal;
  gpu_device* d = gpu_device_new();
  OY_CHECK(d, OUT_OF_MEMORY, "no memory for a device");
  int code = cuda.DeviceGet(&ordinal, i);
  oy_status status = code == CUDA_OK ? OY_OK : cuda_fail(code, "cuDeviceGet");
  if (status == OY_OK) {
    d->id = (void*)(intptr_t)ordinal;
    status = describe(d, ordinal);
  }
  if (status == OY_OK) {
    code = cuda.DevicePrimaryCtxRetain(&d->context, ordinal);
    if (code != CUDA_OK) {
      d->context = NULL;
      status = cuda_fail(code, "cuDevicePrimaryCtxRetain");
    }
  }
  gpu_device_add(d);  // gives it up where there is no context
  return status;
}

oy_status gpu_driver_find(void) {
  int count = 0;
  OY_TRY(cuda_api_open());
  int code = cuda.Init(0);
  OY_CHECK(code == CUDA_OK, NOT_FOUND, "no CUDA: cuInit: %s", cuda_error_name(code));
  code = cuda.DeviceGetCount(&count);
  OY_CHECK(code == CUDA_OK && count > 0, NOT_FOUND,
           "no CUDA: the driver finds no device (%s)", cuda_error_name(code));
  // One that cannot be used, as all of it is another process's, does not take the others.
  oy_status status = OY_OK;
  for (int i = 0; i < count && i < GPU_DEVICES; i++) {
    oy_status added = add_device(i);
    if (added != OY_OK) status = added;
  }
  return gpu_device_known() > 0 ? OY_OK : status;
}

void gpu_driver_close(gpu_device* d) {
  cuda_cublas_close(d);
  cuda_pinned_close(d);
  if (d->context) cuda.DevicePrimaryCtxRelease(ordinal_of(d));
}

oy_status cuda_enter(const gpu_device* d) {
  CUDA_TRY(CtxSetCurrent, d->context);
  return OY_OK;
}
