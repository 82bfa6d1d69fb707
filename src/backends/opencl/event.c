// SPDX-License-Identifier: Apache-2.0
// Events: markers on a queue, which tell when they were reached.
#include <stdlib.h>

#include "cl_api.h"
#include "gpu/driver.h"

static oy_status is_complete(cl_event event, bool* out_done) {
  cl_int state = CL_QUEUED;
  OCL_TRY(GetEventInfo, event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(state), &state,
          NULL);
  if (state < 0) return ocl_fail(state, "work on a stream");
  *out_done = state == CL_COMPLETE;
  return OY_OK;
}

// One marker for all who ask until more work comes: PoCL takes its time to reach one, and a
// new one for each question would never be seen to be reached.
oy_status gpu_driver_query(gpu_device* device, void* queue, void** marker, bool is_new,
                           bool* out_done) {
  (void)device;
  *out_done = false;
  if (is_new || !*marker) {
    cl_event made;
    OCL_TRY(EnqueueMarkerWithWaitList, queue, 0, NULL, &made);
    if (*marker) ocl.ReleaseEvent(*marker);
    *marker = made;
    OCL_TRY(Flush, queue);
  }
  return is_complete(*marker, out_done);
}

oy_status gpu_driver_follow(gpu_device* device, void* then, void* first) {
  (void)device;
  cl_event reached;
  OCL_TRY(EnqueueMarkerWithWaitList, first, 0, NULL, &reached);
  ocl.Flush(first);
  cl_int code = ocl.EnqueueBarrierWithWaitList(then, 1, &reached, NULL);
  ocl.ReleaseEvent(reached);
  return code == CL_SUCCESS ? OY_OK : ocl_fail(code, "clEnqueueBarrierWithWaitList");
}

// --------------------------------------------------------------------------- hooks

typedef struct event {
  pthread_mutex_t lock;
  cl_event reached;  // NULL: never recorded
} event;

static event* event_of(uint64_t number) {
  return (event*)(uintptr_t)number;
}

static oy_status event_create(void* state, int16_t index, uint64_t flags,
                              uint64_t* out_event) {
  (void)state, (void)index, (void)flags;  // all queues take times
  event* e = calloc(1, sizeof(*e));
  *out_event = 0;
  OY_CHECK(e, OUT_OF_MEMORY, "no memory for an event");
  pthread_mutex_init(&e->lock, NULL);
  *out_event = (uint64_t)(uintptr_t)e;
  return OY_OK;
}

static void event_destroy(void* state, int16_t index, uint64_t number) {
  (void)state, (void)index;
  event* e = event_of(number);
  if (!e) return;
  if (e->reached) ocl.ReleaseEvent(e->reached);
  pthread_mutex_destroy(&e->lock);
  free(e);
}

// What the event stands for now, retained; NULL if it was never recorded.
static cl_event reached_by(uint64_t number) {
  event* e = event_of(number);
  pthread_mutex_lock(&e->lock);
  cl_event reached = e->reached;
  if (reached) ocl.RetainEvent(reached);
  pthread_mutex_unlock(&e->lock);
  return reached;
}

static oy_status event_record(void* state, int16_t index, uint64_t number,
                              uint64_t stream) {
  (void)state;
  void* queue;
  cl_event reached;
  OY_CHECK(number, INVALID_ARGUMENT, "expected an event, got 0");
  OY_TRY(gpu_queue_of(index, stream, &queue));
  OCL_TRY(EnqueueMarkerWithWaitList, queue, 0, NULL, &reached);
  OCL_TRY(Flush, queue);
  event* e = event_of(number);
  pthread_mutex_lock(&e->lock);
  cl_event before = e->reached;
  e->reached = reached;
  pthread_mutex_unlock(&e->lock);
  if (before) ocl.ReleaseEvent(before);
  return OY_OK;
}

// Events of another context cannot be given to a queue: the host waits for those.
static bool is_of(cl_event reached, const gpu_device* d) {
  cl_context context = NULL;
  return ocl.GetEventInfo(reached, CL_EVENT_CONTEXT, sizeof(context), &context, NULL) ==
             CL_SUCCESS &&
         context == d->context;
}

static oy_status event_wait(void* state, int16_t index, uint64_t number,
                            uint64_t stream) {
  (void)state;
  gpu_device* d;
  int slot;
  void* queue;
  OY_CHECK(number, INVALID_ARGUMENT, "expected an event, got 0");
  OY_TRY(gpu_device_get(index, &d));
  OY_TRY(gpu_stream_slot(d, stream, &slot));
  OY_TRY(gpu_queue(d, slot, &queue));
  cl_event reached = reached_by(number);
  if (!reached) return OY_OK;
  cl_int code = is_of(reached, d)
                    ? ocl.EnqueueBarrierWithWaitList(queue, 1, &reached, NULL)
                    : ocl.WaitForEvents(1, &reached);
  gpu_stream_worked(d, slot);
  ocl.ReleaseEvent(reached);
  return code == CL_SUCCESS ? OY_OK : ocl_fail(code, "waiting for an event");
}

static oy_status event_query(void* state, int16_t index, uint64_t number,
                             bool* out_done) {
  (void)state, (void)index;
  *out_done = true;
  OY_CHECK(number, INVALID_ARGUMENT, "expected an event, got 0");
  cl_event reached = reached_by(number);
  if (!reached) return OY_OK;
  oy_status status = is_complete(reached, out_done);
  ocl.ReleaseEvent(reached);
  return status;
}

static oy_status event_synchronize(void* state, int16_t index, uint64_t number) {
  (void)state, (void)index;
  OY_CHECK(number, INVALID_ARGUMENT, "expected an event, got 0");
  cl_event reached = reached_by(number);
  if (!reached) return OY_OK;
  cl_int code = ocl.WaitForEvents(1, &reached);
  ocl.ReleaseEvent(reached);
  return code == CL_SUCCESS ? OY_OK : ocl_fail(code, "clWaitForEvents");
}

static oy_status end_of(uint64_t number, cl_ulong* out_time) {
  OY_CHECK(number, INVALID_ARGUMENT, "expected an event, got 0");
  cl_event reached = reached_by(number);
  OY_CHECK(reached, FAILED_PRECONDITION, "the event was never recorded");
  cl_int code = ocl.WaitForEvents(1, &reached);
  if (code == CL_SUCCESS)
    code = ocl.GetEventProfilingInfo(reached, CL_PROFILING_COMMAND_END, sizeof(*out_time),
                                     out_time, NULL);
  ocl.ReleaseEvent(reached);
  return code == CL_SUCCESS ? OY_OK : ocl_fail(code, "clGetEventProfilingInfo");
}

static oy_status event_elapsed(void* state, int16_t index, uint64_t start, uint64_t end,
                               double* out_milliseconds) {
  (void)state, (void)index;
  cl_ulong first = 0, last = 0;
  *out_milliseconds = 0;
  OY_TRY(end_of(start, &first));
  OY_TRY(end_of(end, &last));
  *out_milliseconds = ((double)last - (double)first) * 1e-6;
  return OY_OK;
}

void gpu_driver_hooks(oy_device_hooks* hooks) {
  hooks->event_create = event_create;
  hooks->event_destroy = event_destroy;
  hooks->event_record = event_record;
  hooks->event_wait = event_wait;
  hooks->event_query = event_query;
  hooks->event_synchronize = event_synchronize;
  hooks->event_elapsed = event_elapsed;
}
