// SPDX-License-Identifier: Apache-2.0
// Finding devices: once, when the first one is asked for. Nothing of a driver runs before.
#include <stdio.h>
#include <stdlib.h>

#include "driver.h"

static pthread_once_t g_once = PTHREAD_ONCE_INIT;
static gpu_device* g_devices[GPU_DEVICES];
static int16_t g_count;
static char g_missing[320];  // why there is none
static oy_status g_missing_code;
static bool g_is_child;  // of a process that had used a driver
static __thread int16_t t_current;

static void note_child(void) {
  g_is_child = true;
}

gpu_device* gpu_device_new(void) {
  gpu_device* d = calloc(1, sizeof(*d));
  if (!d) return NULL;
  pthread_mutex_init(&d->lock, NULL);
  pthread_mutex_init(&d->build_lock, NULL);
  pthread_mutex_init(&d->report_lock, NULL);
  d->streams[0].taken = true;
  return d;
}

static void device_free(gpu_device* d) {
  gpu_driver_close(d);
  pthread_mutex_destroy(&d->lock);
  pthread_mutex_destroy(&d->build_lock);
  pthread_mutex_destroy(&d->report_lock);
  free(d);
}

int gpu_device_known(void) {
  return g_count;
}

void gpu_device_add(gpu_device* d) {
  if (!d->context || g_count == GPU_DEVICES) {
    device_free(d);
    return;
  }
  d->index = g_count;
  g_devices[g_count++] = d;
}

static void find_devices(void) {
  oy_status status = gpu_driver_find();
  g_missing_code = status == OY_OK ? OY_NOT_FOUND : status;
  snprintf(g_missing, sizeof(g_missing), "%s",
           status == OY_OK ? "no device" : oy_error_get()->message);
  if (g_count > 0) pthread_atfork(NULL, NULL, note_child);
}

oy_status gpu_devices(gpu_device*** out_devices, int16_t* out_count) {
  *out_devices = g_devices;
  *out_count = 0;
  OY_CHECK(!g_is_child, FAILED_PRECONDITION,
           "%s was in use when this process was forked, and drivers do not work in a "
           "child; start a new process instead",
           gpu_driver_title);
  pthread_once(&g_once, find_devices);
  if (g_count == 0)
    return oy_error_set(g_missing_code, __FILE__, __LINE__, "%s", g_missing);
  *out_count = g_count;
  return OY_OK;
}

oy_status gpu_device_get(int16_t index, gpu_device** out_device) {
  gpu_device** devices;
  int16_t count;
  *out_device = NULL;
  OY_TRY(gpu_devices(&devices, &count));
  if (index == -1) index = t_current;
  OY_CHECK(index >= 0 && index < count, OUT_OF_RANGE,
           "expected an %s device below %d, got %s:%d", gpu_driver_title, count,
           gpu_driver_name, index);
  *out_device = devices[index];
  return OY_OK;
}

oy_status gpu_device_exchange(int16_t index, int16_t* out_before) {
  *out_before = t_current;
  if (index == -1) return OY_OK;
  gpu_device* device;
  OY_TRY(gpu_device_get(index, &device));
  t_current = index;
  return OY_OK;
}

static void close_kernels(gpu_device* d) {
  for (int i = 0; i < GPU_BUCKETS; i++)
    while (d->kernels[i]) {
      gpu_kernel* k = d->kernels[i];
      d->kernels[i] = k->next;
      gpu_driver_unbuild(d, k);
      pthread_mutex_destroy(&k->lock);
      free(k);
    }
}

void gpu_close(void) {
  for (int16_t i = 0; i < g_count; i++) {
    gpu_device* d = g_devices[i];
    (void)gpu_synchronize(d);
    gpu_block_release(d->report);
    gpu_trim(d);
    close_kernels(d);
    for (int slot = 0; slot < GPU_STREAMS; slot++)
      if (d->streams[slot].queue)
        gpu_driver_queue_free(d, d->streams[slot].queue, d->streams[slot].marker);
    device_free(d);
    g_devices[i] = NULL;
  }
  g_count = 0;
  g_once = (pthread_once_t)PTHREAD_ONCE_INIT;
}
