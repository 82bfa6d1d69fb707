// SPDX-License-Identifier: Apache-2.0
// Events. The driver's own would do, but for one that was never recorded, whose time it
// does not know.
#include <stdlib.h>

#include "cuda_runtime.h"

typedef struct event {
  gpu_device* device;
  void* handle;
  bool recorded;  // atomic
} event;

// With the context of its device made current.
static oy_status event_of(uint64_t number, event** out_event) {
  *out_event = (event*)(uintptr_t)number;
  OY_CHECK(number, INVALID_ARGUMENT, "expected an event, got 0");
  return cuda_enter((*out_event)->device);
}

static oy_status event_create(void* state, int16_t index, uint64_t flags,
                              uint64_t* out_event) {
  (void)state;
  gpu_device* d;
  *out_event = 0;
  OY_TRY(gpu_device_get(index, &d));
  OY_TRY(cuda_enter(d));
  event* e = calloc(1, sizeof(*e));
  OY_CHECK(e, OUT_OF_MEMORY, "no memory for an event");
  e->device = d;
  int code =
      cuda.EventCreate(&e->handle, flags & OY_EVENT_TIMING ? 0 : CUDA_EVENT_NO_TIMING);
  if (code != CUDA_OK) {
    free(e);
    return cuda_fail(code, "cuEventCreate");
  }
  *out_event = (uint64_t)(uintptr_t)e;
  return OY_OK;
}

static void event_destroy(void* state, int16_t index, uint64_t number) {
  (void)state, (void)index;
  event* e = (event*)(uintptr_t)number;
  if (!e) return;
  if (cuda.CtxSetCurrent(e->device->context) == CUDA_OK) cuda.EventDestroy(e->handle);
  free(e);
}

static oy_status event_record(void* state, int16_t index, uint64_t number,
                              uint64_t stream) {
  (void)state;
  event* e;
  void* queue;
  OY_TRY(event_of(number, &e));
  OY_TRY(gpu_queue_of(index, stream, &queue));
  CUDA_TRY(EventRecord, e->handle, queue);
  __atomic_store_n(&e->recorded, true, __ATOMIC_RELEASE);
  return OY_OK;
}

static oy_status event_wait(void* state, int16_t index, uint64_t number,
                            uint64_t stream) {
  (void)state;
  event* e;
  gpu_device* d;
  void* queue;
  OY_TRY(gpu_device_get(index, &d));
  OY_TRY(event_of(number, &e));
  OY_TRY(gpu_queue_of(index, stream, &queue));
  OY_TRY(cuda_enter(d));
  CUDA_TRY(StreamWaitEvent, queue, e->handle, 0);
  return OY_OK;
}

static oy_status event_query(void* state, int16_t index, uint64_t number,
                             bool* out_done) {
  (void)state, (void)index;
  event* e;
  *out_done = true;
  OY_TRY(event_of(number, &e));
  int code = cuda.EventQuery(e->handle);
  *out_done = code != CUDA_NOT_READY;
  return code == CUDA_OK || code == CUDA_NOT_READY ? OY_OK
                                                   : cuda_fail(code, "cuEventQuery");
}

static oy_status event_synchronize(void* state, int16_t index, uint64_t number) {
  (void)state, (void)index;
  event* e;
  OY_TRY(event_of(number, &e));
  CUDA_TRY(EventSynchronize, e->handle);
  return OY_OK;
}

static oy_status reach(uint64_t number, event** out_event) {
  OY_TRY(event_of(number, out_event));
  OY_CHECK(__atomic_load_n(&(*out_event)->recorded, __ATOMIC_ACQUIRE),
           FAILED_PRECONDITION, "the event was never recorded");
  CUDA_TRY(EventSynchronize, (*out_event)->handle);
  return OY_OK;
}

static oy_status event_elapsed(void* state, int16_t index, uint64_t start, uint64_t end,
                               double* out_milliseconds) {
  (void)state, (void)index;
  event *first, *last;
  float milliseconds = 0;
  *out_milliseconds = 0;
  OY_TRY(reach(start, &first));
  OY_TRY(reach(end, &last));
  CUDA_TRY(EventElapsedTime, &milliseconds, first->handle, last->handle);
  *out_milliseconds = (double)milliseconds;
  return OY_OK;
}

void cuda_event_hooks(oy_device_hooks* hooks) {
  hooks->event_create = event_create;
  hooks->event_destroy = event_destroy;
  hooks->event_record = event_record;
  hooks->event_wait = event_wait;
  hooks->event_query = event_query;
  hooks->event_synchronize = event_synchronize;
  hooks->event_elapsed = event_elapsed;
}

void gpu_driver_hooks(oy_device_hooks* hooks) {
  cuda_event_hooks(hooks);
  cuda_pinned_hooks(hooks);
  hooks->flags |= OY_DEVICE_DLPACK;
}
