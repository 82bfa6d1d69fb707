// SPDX-License-Identifier: Apache-2.0
// What is not about one operator: threads, memory, devices that there are not.
#include <math.h>
#include <pthread.h>

#include "certify.h"

static void expect(certify_report* r, bool* passed, bool good, const char* where,
                   const char* what) {
  if (good) return;
  *passed = false;
  certify_fail(r, where, what, "", "");
  oy_error_clear();
}

// ------------------------------------------------------------------------ threads

enum { THREADS = 4, ROUNDS = 50, SIDE = 16 };

// sum((a * 2 + a) - a) of ones, with memory that comes and goes in each round.
static double compute(oy_device device) {
  oy_scope scope;
  double got = NAN;
  oy_scope_open(&scope);
  oy_tensor* a = oy_ones(OY_DIMS(SIDE, SIDE), oy_int(OY_DTYPE_F32), oy_none(),
                         oy_value_device(device), oy_none());
  oy_tensor* b = oy_sub_Tensor(oy_add_Tensor(oy_mul_Scalar(a, oy_int(2)), a, oy_int(1)),
                               a, oy_int(1));
  oy_tensor* sum = oy_sum(b, oy_none());
  oy_tensor* here = oy_tensor_copy_to(sum, OY_DTYPE_ANY, oy_device_cpu());
  oy_scalar item;
  if (here && oy_tensor_item(here, &item) == OY_OK) got = item.as.d;
  oy_tensor_release(here);
  oy_scope_close(&scope);
  return got;
}

typedef struct worker {
  oy_device device;
  int wrong;
  char error[256];
} worker;

static void* work(void* context) {
  worker* w = context;
  for (int i = 0; i < ROUNDS; i++) {
    if (compute(w->device) == 2.0 * SIDE * SIDE) continue;
    w->wrong++;
    snprintf(w->error, sizeof(w->error), "%s", oy_error_get()->message);
    oy_error_clear();
  }
  return NULL;
}

void certify_threads(certify_report* r) {
  pthread_t threads[THREADS];
  worker workers[THREADS];
  int started = 0;
  bool passed = true;
  for (int i = 0; i < THREADS; i++) {
    workers[i] = (worker){.device = r->device};
    if (pthread_create(&threads[i], NULL, work, &workers[i]) != 0) break;
    started++;
  }
  for (int i = 0; i < started; i++) {
    pthread_join(threads[i], NULL);
    expect(r, &passed, workers[i].wrong == 0, "threads",
           workers[i].error[0] ? workers[i].error : "a thread computed something else");
  }
  expect(r, &passed, started == THREADS, "threads", "cannot start threads");
  certify_check(r, "threads", passed);
}

// ------------------------------------------------------------------------ devices

void certify_devices(certify_report* r) {
  bool passed = true;
  int16_t count = 0;
  expect(r, &passed, oy_device_count(r->backend, &count) == OY_OK && count > 0, "devices",
         "it has no device");
  oy_tensor* none =
      oy_tensor_empty(OY_DIMS(2), OY_DTYPE_F32, oy_device_make(r->backend, count));
  expect(r, &passed, !none, "devices", "a tensor on a device that there is not");
  oy_error_clear();
  oy_tensor_release(none);
  for (int16_t i = 0; i < count; i++)
    expect(r, &passed, compute(oy_device_make(r->backend, i)) == 2.0 * SIDE * SIDE,
           "devices", "a device computes something else");
  certify_check(r, "every device", passed);

  passed = true;
  const oy_device_memory before = oy_device_memory_count(r->backend);
  for (int i = 0; i < ROUNDS; i++) (void)compute(r->device);
  const oy_device_memory after = oy_device_memory_count(r->backend);
  expect(r, &passed, before.blocks == after.blocks && before.bytes == after.bytes,
         "memory", "memory is held when its tensors are gone");
  certify_check(r, "memory comes back", passed);

  passed = true;
  oy_tensor* here = oy_tensor_empty(OY_DIMS(2), OY_DTYPE_F32, oy_device_cpu());
  oy_tensor* there = oy_tensor_empty(OY_DIMS(2), OY_DTYPE_F32, r->device);
  oy_tensor* mixed = oy_add_Tensor(there, here, oy_int(1));
  expect(r, &passed, !mixed && strstr(oy_error_get()->message, "same device"),
         "mixed devices", "add of a tensor here and one there is no error of devices");
  oy_error_clear();
  oy_tensor_release(mixed);
  oy_tensor_release(here);
  oy_tensor_release(there);
  certify_check(r, "mixed devices", passed);
}
