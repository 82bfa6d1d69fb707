// SPDX-License-Identifier: Apache-2.0
// Finding devices: once, when the first one is asked for. Nothing of OpenCL runs before.
#include <stdio.h>
#include <stdlib.h>

#include "runtime.h"

enum { PLATFORMS = 16 };

static pthread_once_t g_once = PTHREAD_ONCE_INIT;
static ocl_device* g_devices[OCL_DEVICES];
static int16_t g_count;
static char g_missing[200];  // why there is none
static oy_status g_missing_code;
static bool g_is_child;  // of a process that had used a driver
static __thread int16_t t_current;

static void note_child(void) {
  g_is_child = true;
}

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

static void describe(ocl_device* d, cl_platform_id platform) {
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

static ocl_device* device_new(cl_platform_id platform, cl_device_id id) {
  ocl_device* d = calloc(1, sizeof(*d));
  if (!d) return NULL;
  cl_int code;
  d->id = id;
  describe(d, platform);
  d->context = ocl.CreateContext(NULL, 1, &id, NULL, NULL, &code);
  if (!d->context) {
    free(d);
    return NULL;
  }
  pthread_mutex_init(&d->lock, NULL);
  pthread_mutex_init(&d->build_lock, NULL);
  pthread_mutex_init(&d->report_lock, NULL);
  d->streams[0].taken = true;
  return d;
}

// Devices of one kind, of all platforms, so that accelerators come before CPUs.
static void add_devices(const cl_platform_id* platforms, cl_uint count, bool cpus) {
  for (cl_uint p = 0; p < count; p++) {
    cl_device_id ids[OCL_DEVICES];
    cl_uint found = 0;
    if (ocl.GetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, OCL_DEVICES, ids, &found) !=
        CL_SUCCESS)
      continue;
    for (cl_uint i = 0; i < found && i < OCL_DEVICES && g_count < OCL_DEVICES; i++) {
      cl_device_type type = 0;
      ocl.GetDeviceInfo(ids[i], CL_DEVICE_TYPE, sizeof(type), &type, NULL);
      if (!!(type & CL_DEVICE_TYPE_CPU) != cpus) continue;
      ocl_device* d = device_new(platforms[p], ids[i]);
      if (!d) continue;
      d->index = g_count;
      g_devices[g_count++] = d;
    }
  }
}

static void missing(oy_status code, const char* why) {
  g_missing_code = code;
  snprintf(g_missing, sizeof(g_missing), "%s", why);
}

static void find_devices(void) {
  const char* folder = getenv("POCL_CACHE_DIR");
  if (ocl_api_open() != OY_OK) return missing(OY_NOT_FOUND, oy_error_get()->message);
  // PoCL ends the process otherwise.
  if (folder && !folder[0])
    return missing(
        OY_FAILED_PRECONDITION,
        "no OpenCL: POCL_CACHE_DIR is set and empty; unset it, or name a folder");
  cl_platform_id platforms[PLATFORMS];
  cl_uint count = 0;
  if (ocl.GetPlatformIDs(PLATFORMS, platforms, &count) != CL_SUCCESS || count == 0)
    return missing(OY_NOT_FOUND,
                   "no OpenCL: no platform is installed (Debian: pocl-opencl-icd)");
  if (count > PLATFORMS) count = PLATFORMS;
  pthread_atfork(NULL, NULL, note_child);
  add_devices(platforms, count, false);
  add_devices(platforms, count, true);
  if (g_count == 0)
    missing(OY_NOT_FOUND,
            "no OpenCL: the installed platforms have no device that can be used (PoCL "
            "needs a HOME or POCL_CACHE_DIR that it can write to)");
}

oy_status ocl_devices(ocl_device*** out_devices, int16_t* out_count) {
  *out_devices = g_devices;
  *out_count = 0;
  OY_CHECK(!g_is_child, FAILED_PRECONDITION,
           "OpenCL was in use when this process was forked, and drivers do not work in a "
           "child; start a new process instead");
  pthread_once(&g_once, find_devices);
  if (g_count == 0)
    return oy_error_set(g_missing_code, __FILE__, __LINE__, "%s", g_missing);
  *out_count = g_count;
  return OY_OK;
}

oy_status ocl_device_get(int16_t index, ocl_device** out_device) {
  ocl_device** devices;
  int16_t count;
  *out_device = NULL;
  OY_TRY(ocl_devices(&devices, &count));
  if (index == -1) index = t_current;
  OY_CHECK(index >= 0 && index < count, OUT_OF_RANGE,
           "expected an OpenCL device below %d, got opencl:%d", count, index);
  *out_device = devices[index];
  return OY_OK;
}

oy_status ocl_device_exchange(int16_t index, int16_t* out_before) {
  *out_before = t_current;
  if (index == -1) return OY_OK;
  ocl_device* device;
  OY_TRY(ocl_device_get(index, &device));
  t_current = index;
  return OY_OK;
}

static void close_kernels(ocl_device* d) {
  for (int i = 0; i < OCL_BUCKETS; i++)
    while (d->kernels[i]) {
      ocl_kernel* k = d->kernels[i];
      d->kernels[i] = k->next;
      ocl.ReleaseKernel(k->kernel);
      ocl.ReleaseProgram(k->program);
      pthread_mutex_destroy(&k->lock);
      free(k);
    }
}

void ocl_close(void) {
  for (int16_t i = 0; i < g_count; i++) {
    ocl_device* d = g_devices[i];
    (void)ocl_synchronize(d);
    ocl_block_release(d->report);
    ocl_trim(d);
    close_kernels(d);
    for (int slot = 0; slot < OCL_STREAMS; slot++)
      if (d->streams[slot].queue) ocl.ReleaseCommandQueue(d->streams[slot].queue);
    ocl.ReleaseContext(d->context);
    pthread_mutex_destroy(&d->lock);
    pthread_mutex_destroy(&d->build_lock);
    pthread_mutex_destroy(&d->report_lock);
    free(d);
    g_devices[i] = NULL;
  }
  g_count = 0;
  g_once = (pthread_once_t)PTHREAD_ONCE_INIT;
}
