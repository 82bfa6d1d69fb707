// SPDX-License-Identifier: Apache-2.0
// Devices of all platforms, with a context each, so that nothing moves between them unasked.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cl_api.h"
#include "gpu/driver.h"

enum { PLATFORMS = 16 };

const char gpu_driver_name[] = "opencl", gpu_driver_title[] = "OpenCL";
const char gpu_driver_backend[] = "opencl";
const char gpu_driver_description[] = "OpenCL devices: GPUs, and CPUs through PoCL";

static bool has_extension(cl_device_id id, const char* name) {
  size_t size = 0;
  if (ocl.GetDeviceInfo(id, CL_DEVICE_EXTENSIONS, 0, NULL, &size) != CL_SUCCESS)
    return false;
  char* text = calloc(1, size + 1);
  bool has =
      text &&
      ocl.GetDeviceInfo(id, CL_DEVICE_EXTENSIONS, size, text, NULL) == CL_SUCCESS &&
      strstr(text, name);
  free(text);
  return has;
}

static void describe(gpu_device* d, cl_platform_id platform) {
  char vendor[128] = "", driver[128] = "", version[128] = "";
  cl_device_type type = 0;
  cl_device_fp_config doubles = 0;
  cl_ulong memory = 0, largest = 0;
  ocl.GetDeviceInfo(d->id, CL_DEVICE_NAME, sizeof(d->name) - 1, d->name, NULL);
  ocl.GetDeviceInfo(d->id, CL_DEVICE_VENDOR, sizeof(vendor) - 1, vendor, NULL);
  ocl.GetDeviceInfo(d->id, CL_DRIVER_VERSION, sizeof(driver) - 1, driver, NULL);
  ocl.GetPlatformInfo(platform, CL_PLATFORM_VERSION, sizeof(version) - 1, version, NULL);
  ocl.GetDeviceInfo(d->id, CL_DEVICE_TYPE, sizeof(type), &type, NULL);
  ocl.GetDeviceInfo(d->id, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof(doubles), &doubles, NULL);
  ocl.GetDeviceInfo(d->id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof(memory), &memory, NULL);
  ocl.GetDeviceInfo(d->id, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof(largest), &largest, NULL);
  snprintf(d->identity, sizeof(d->identity), "%s|%s|%s|%s", vendor, d->name, driver,
           version);
  d->memory = memory;
  d->largest = largest;
  d->is_cpu = type & CL_DEVICE_TYPE_CPU;
  d->has_f64 = doubles != 0;
  d->has_i64_atomics = has_extension(d->id, "cl_khr_int64_base_atomics");
}

static void add_device(cl_platform_id platform, cl_device_id id) {
  gpu_device* d = gpu_device_new();
  cl_int code;
  if (!d) return;
  d->id = id;
  describe(d, platform);
  d->context = ocl.CreateContext(NULL, 1, &id, NULL, NULL, &code);
  gpu_device_add(d);
}

// Devices of one kind, of all platforms, so that accelerators come before CPUs.
static void add_devices(const cl_platform_id* platforms, cl_uint count, bool cpus) {
  for (cl_uint p = 0; p < count; p++) {
    cl_device_id ids[GPU_DEVICES];
    cl_uint found = 0;
    if (ocl.GetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, GPU_DEVICES, ids, &found) !=
        CL_SUCCESS)
      continue;
    for (cl_uint i = 0; i < found && i < GPU_DEVICES; i++) {
      cl_device_type type = 0;
      ocl.GetDeviceInfo(ids[i], CL_DEVICE_TYPE, sizeof(type), &type, NULL);
      if (!!(type & CL_DEVICE_TYPE_CPU) == cpus) add_device(platforms[p], ids[i]);
    }
  }
}

oy_status gpu_driver_find(void) {
  const char* folder = getenv("POCL_CACHE_DIR");
  cl_platform_id platforms[PLATFORMS];
  cl_uint count = 0;
  OY_TRY(ocl_api_open());
  // PoCL ends the process otherwise.
  OY_CHECK(!folder || folder[0], FAILED_PRECONDITION,
           "no OpenCL: POCL_CACHE_DIR is set and empty; unset it, or name a folder");
  OY_CHECK(ocl.GetPlatformIDs(PLATFORMS, platforms, &count) == CL_SUCCESS && count > 0,
           NOT_FOUND, "no OpenCL: no platform is installed (Debian: pocl-opencl-icd)");
  if (count > PLATFORMS) count = PLATFORMS;
  add_devices(platforms, count, false);
  add_devices(platforms, count, true);
  if (gpu_device_known() == 0)
    return OY_FAIL(
        NOT_FOUND,
        "no OpenCL: the installed platforms have no device that can be used (PoCL "
        "needs a HOME or POCL_CACHE_DIR that it can write to)");
  return OY_OK;
}

void gpu_driver_close(gpu_device* d) {
  if (d->context) ocl.ReleaseContext(d->context);
}
