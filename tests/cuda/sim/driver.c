// SPDX-License-Identifier: Apache-2.0
// Entry points, failures on demand, devices, contexts and memory.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "sim.h"

pthread_mutex_t sim_lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
cudasim_counts sim_counts;

static const char* const g_names[] = {
#define CUDA_FN(name, version, parameters) #name,
#include "backends/cuda/cuda_api.def"
#undef CUDA_FN
};
enum { NAMES = sizeof(g_names) / sizeof(*g_names) };
static struct {
  uint64_t calls;
  int64_t skip;  // below 0: does not fail
  int code;
  bool always;
} g_plan[NAMES];
static __thread int t_current = -1;
static int g_retained[SIM_DEVICES];
static bool g_ready;
static size_t g_limit;

static int index_of(const char* name) {
  int i = 0;
  while (i < NAMES - 1 && strcmp(g_names[i], name) != 0) i++;
  return i;
}

void cudasim_fail(const char* name, int skip, int code) {
  int i = index_of(name);
  pthread_mutex_lock(&sim_lock);
  g_plan[i].skip = skip < 0 ? 0 : skip;
  g_plan[i].always = skip < 0;
  g_plan[i].code = code;
  pthread_mutex_unlock(&sim_lock);
}
void cudasim_fail_none(void) {
  pthread_mutex_lock(&sim_lock);
  for (int i = 0; i < NAMES; i++) g_plan[i].code = 0;
  pthread_mutex_unlock(&sim_lock);
}
uint64_t cudasim_calls(const char* name) {
  pthread_mutex_lock(&sim_lock);
  uint64_t n = g_plan[index_of(name)].calls;
  pthread_mutex_unlock(&sim_lock);
  return n;
}
void cudasim_limit(size_t bytes) {
  pthread_mutex_lock(&sim_lock);
  g_limit = bytes;
  pthread_mutex_unlock(&sim_lock);
}
void cudasim_count(cudasim_counts* out) {
  pthread_mutex_lock(&sim_lock);
  *out = sim_counts;
  pthread_mutex_unlock(&sim_lock);
}

int sim_enter(const char* name) {
  pthread_mutex_lock(&sim_lock);
  int i = index_of(name);
  g_plan[i].calls++;
  if (!g_ready && strcmp(name, "Init") != 0 && strcmp(name, "GetErrorName") != 0)
    return SIM_NOT_INITIALIZED;
  if (!g_plan[i].code || g_plan[i].skip-- > 0) return SIM_OK;
  int code = g_plan[i].code;
  if (g_plan[i].always)
    g_plan[i].skip = 0;
  else
    g_plan[i].code = 0;
  return code;
}
int sim_leave(int code) {
  pthread_mutex_unlock(&sim_lock);
  return code;
}
int sim_current(void) {
  return t_current;
}
double sim_milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

#define LEAVE_UNLESS(condition, code) \
  if (!(condition)) return sim_leave(SIM_##code)

// -------------------------------------------------------------------- devices

SIM_EXPORT int cuInit(unsigned flags) {
  ENTER(Init);
  LEAVE_UNLESS(flags == 0, INVALID_VALUE);
  g_ready = true;
  return sim_leave(SIM_OK);
}
SIM_EXPORT int cuDriverGetVersion(int* out) {
  ENTER(DriverGetVersion);
  *out = 13000;
  return sim_leave(SIM_OK);
}
SIM_EXPORT int cuGetErrorName(int code, const char** out) {
  ENTER(GetErrorName);
  *out = code == SIM_OK              ? "CUDA_SUCCESS"
         : code == SIM_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY"
         : code == 100               ? "CUDA_ERROR_NO_DEVICE"
                                     : NULL;
  return sim_leave(*out ? SIM_OK : SIM_INVALID_VALUE);
}
SIM_EXPORT int cuDeviceGetCount(int* out) {
  ENTER(DeviceGetCount);
  *out = SIM_DEVICES;
  return sim_leave(SIM_OK);
}
SIM_EXPORT int cuDeviceGet(int* out, int ordinal) {
  ENTER(DeviceGet);
  LEAVE_UNLESS(ordinal >= 0 && ordinal < SIM_DEVICES, INVALID_VALUE);
  *out = ordinal;
  return sim_leave(SIM_OK);
}
SIM_EXPORT int cuDeviceGetName(char* name, int size, int device) {
  ENTER(DeviceGetName);
  snprintf(name, (size_t)size, "simulated device %d", device);
  return sim_leave(SIM_OK);
}
SIM_EXPORT int cuDeviceTotalMem(size_t* out, int device) {
  (void)device;
  ENTER(DeviceTotalMem);
  *out = g_limit ? g_limit : (size_t)4 << 30;
  return sim_leave(SIM_OK);
}
SIM_EXPORT int cuDeviceGetAttribute(int* out, int attribute, int device) {
  (void)device;
  ENTER(DeviceGetAttribute);
  LEAVE_UNLESS(attribute == 75 || attribute == 76, INVALID_VALUE);
  *out = attribute == 75 ? 9 : 0;
  return sim_leave(SIM_OK);
}
SIM_EXPORT int cuDevicePrimaryCtxRetain(void** out, int device) {
  ENTER(DevicePrimaryCtxRetain);
  g_retained[device]++;
  sim_counts.contexts++;
  *out = (void*)(intptr_t)(0x1000 + device);
  return sim_leave(SIM_OK);
}
SIM_EXPORT int cuDevicePrimaryCtxRelease(int device) {
  ENTER(DevicePrimaryCtxRelease);
  LEAVE_UNLESS(g_retained[device] > 0, INVALID_CONTEXT);
  g_retained[device]--;
  sim_counts.contexts--;
  return sim_leave(SIM_OK);
}
SIM_EXPORT int cuCtxSetCurrent(void* context) {
  ENTER(CtxSetCurrent);
  int device = (int)((intptr_t)context - 0x1000);
  LEAVE_UNLESS(device >= 0 && device < SIM_DEVICES && g_retained[device],
               INVALID_CONTEXT);
  t_current = device;
  return sim_leave(SIM_OK);
}

// --------------------------------------------------------------------- memory

enum { FENCE = 64, KINDS = 2 };  // bytes behind a block that nobody writes
typedef struct region {
  char* data;
  size_t size;
  bool pinned;
  struct region* next;
} region;
static region* g_regions;

static region** find(const char* at) {
  region** r = &g_regions;
  while (*r && !(at >= (*r)->data && at < (*r)->data + (*r)->size)) r = &(*r)->next;
  return r;
}

bool sim_is_inside(uint64_t address, size_t size) {
  const char* at = (const char*)(uintptr_t)address;
  const region* r = *find(at);
  return !r || (size_t)(r->data + r->size - at) >= size;
}

static char* region_new(size_t size, bool pinned) {
  region* r = calloc(1, sizeof(*r));
  if (!r) return NULL;
  // As a device's, aligned; full of what is not 0.
  r->data = aligned_alloc(512, (size + FENCE + 511) / 512 * 512);
  if (!r->data) {
    free(r);
    return NULL;
  }
  memset(r->data, 0xa5, size + FENCE);
  r->size = size;
  r->pinned = pinned;
  r->next = g_regions;
  g_regions = r;
  return r->data;
}

static bool region_free(char* data, bool pinned) {
  region** at = find(data);
  region* r = *at;
  if (!r || r->data != data || r->pinned != pinned) return false;
  for (int i = 0; i < FENCE; i++)
    if ((unsigned char)r->data[r->size + (size_t)i] != 0xa5) {
      sim_counts.damaged++;
      break;
    }
  *at = r->next;
  if (pinned) {
    sim_counts.pinned--;
  } else {
    sim_counts.blocks--;
    sim_counts.bytes -= r->size;
  }
  memset(r->data, 0xdd, r->size);  // what reads it now is noticed
  free(r->data);
  free(r);
  return true;
}

SIM_EXPORT int cuMemAlloc(uint64_t* out, size_t size) {
  ENTER(MemAlloc);
  *out = 0;
  LEAVE_UNLESS(t_current >= 0, INVALID_CONTEXT);
  LEAVE_UNLESS(size > 0, INVALID_VALUE);
  LEAVE_UNLESS(!g_limit || sim_counts.bytes + size <= g_limit, OUT_OF_MEMORY);
  char* data = region_new(size, false);
  LEAVE_UNLESS(data, OUT_OF_MEMORY);
  sim_counts.blocks++;
  sim_counts.bytes += size;
  *out = (uint64_t)(uintptr_t)data;
  return sim_leave(SIM_OK);
}
SIM_EXPORT int cuMemFree(uint64_t address) {
  ENTER(MemFree);
  sim_run_all();
  return sim_leave(region_free((char*)(uintptr_t)address, false) ? SIM_OK
                                                                 : SIM_INVALID_VALUE);
}
SIM_EXPORT int cuMemHostAlloc(void** out, size_t size, unsigned flags) {
  (void)flags;
  ENTER(MemHostAlloc);
  LEAVE_UNLESS(t_current >= 0, INVALID_CONTEXT);
  *out = region_new(size, true);
  LEAVE_UNLESS(*out, OUT_OF_MEMORY);
  sim_counts.pinned++;
  return sim_leave(SIM_OK);
}
SIM_EXPORT int cuMemFreeHost(void* data) {
  ENTER(MemFreeHost);
  sim_run_all();
  return sim_leave(region_free(data, true) ? SIM_OK : SIM_INVALID_VALUE);
}
