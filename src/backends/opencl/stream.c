// SPDX-License-Identifier: Apache-2.0
// Streams are queues in order, made on first use. The number of a stream is its slot and
// how often the slot was given out before, so that one that is gone is noticed.
#include <stdlib.h>

#include "runtime.h"

static __thread uint8_t t_current[OCL_DEVICES];

static uint64_t number_of(const ocl_device* d, int slot) {
  return slot == 0 ? 0 : (uint64_t)d->streams[slot].generation << 8 | (uint64_t)slot;
}

oy_status ocl_stream_slot(ocl_device* d, uint64_t stream, int* out_slot) {
  int slot = (int)(stream & 0xff);
  *out_slot = 0;
  bool good = stream == 0;
  if (!good && slot > 0 && slot < OCL_STREAMS) {
    pthread_mutex_lock(&d->lock);
    good = d->streams[slot].taken && number_of(d, slot) == stream;
    pthread_mutex_unlock(&d->lock);
  }
  OY_CHECK(good, INVALID_ARGUMENT, "opencl:%d has no stream %llu, or it was destroyed",
           d->index, (unsigned long long)stream);
  *out_slot = slot;
  return OY_OK;
}

int ocl_stream_current(ocl_device* d) {
  return t_current[d->index];
}

static oy_status make_queue(ocl_device* d, ocl_stream* s) {
  cl_int code;
  s->queue = ocl.CreateCommandQueue(d->context, d->id, CL_QUEUE_PROFILING_ENABLE, &code);
  if (!s->queue) return ocl_fail(code, "clCreateCommandQueue");
  return OY_OK;
}

oy_status ocl_queue(ocl_device* d, int slot, cl_command_queue* out_queue) {
  ocl_stream* s = &d->streams[slot];
  *out_queue = __atomic_load_n(&s->queue, __ATOMIC_ACQUIRE);
  if (OY_LIKELY(*out_queue)) return OY_OK;
  pthread_mutex_lock(&d->lock);
  oy_status status = s->queue ? OY_OK : make_queue(d, s);
  *out_queue = s->queue;
  pthread_mutex_unlock(&d->lock);
  return status;
}

oy_status ocl_queue_current(ocl_device* d, cl_command_queue* out_queue) {
  return ocl_queue(d, ocl_stream_current(d), out_queue);
}

oy_status ocl_stream_follow(ocl_device* d, int slot, int other) {
  cl_command_queue first, then;
  cl_event reached;
  if (slot == other) return OY_OK;
  OY_TRY(ocl_queue(d, other, &first));
  OY_TRY(ocl_queue(d, slot, &then));
  OCL_TRY(EnqueueMarkerWithWaitList, first, 0, NULL, &reached);
  ocl.Flush(first);
  cl_int code = ocl.EnqueueBarrierWithWaitList(then, 1, &reached, NULL);
  ocl.ReleaseEvent(reached);
  return code == CL_SUCCESS ? OY_OK : ocl_fail(code, "clEnqueueBarrierWithWaitList");
}

oy_status ocl_synchronize(ocl_device* d) {
  for (int slot = 0; slot < OCL_STREAMS; slot++) {
    cl_command_queue queue = __atomic_load_n(&d->streams[slot].queue, __ATOMIC_ACQUIRE);
    if (queue) OCL_TRY(Finish, queue);
  }
  return OY_OK;
}

// ------------------------------------------------------------------ hooks: streams

static oy_status stream_create(void* state, int16_t index, int32_t priority,
                               uint64_t* out_stream) {
  (void)state, (void)priority;  // OpenCL 1.2 has no priorities
  ocl_device* d;
  *out_stream = 0;
  OY_TRY(ocl_device_get(index, &d));
  pthread_mutex_lock(&d->lock);
  int slot = 1;
  while (slot < OCL_STREAMS && d->streams[slot].taken) slot++;
  if (slot < OCL_STREAMS) {
    d->streams[slot].taken = true;
    d->streams[slot].generation++;
    *out_stream = number_of(d, slot);
  }
  pthread_mutex_unlock(&d->lock);
  OY_CHECK(*out_stream, EXHAUSTED,
           "opencl:%d has %d streams already; destroy some that are not in use", d->index,
           OCL_STREAMS);
  return OY_OK;
}

// The queue stays for the next owner of the slot: blocks may still name it as their home.
static void stream_destroy(void* state, int16_t index, uint64_t stream) {
  (void)state;
  ocl_device* d;
  int slot;
  if (stream == 0 || ocl_device_get(index, &d) != OY_OK ||
      ocl_stream_slot(d, stream, &slot) != OY_OK)
    return;
  cl_command_queue queue = __atomic_load_n(&d->streams[slot].queue, __ATOMIC_ACQUIRE);
  if (queue) ocl.Flush(queue);
  if (t_current[d->index] == slot) t_current[d->index] = 0;
  pthread_mutex_lock(&d->lock);
  d->streams[slot].taken = false;
  pthread_mutex_unlock(&d->lock);
}

static oy_status stream_exchange(void* state, int16_t index, uint64_t stream,
                                 uint64_t* out_before) {
  (void)state;
  ocl_device* d;
  int slot;
  *out_before = 0;
  OY_TRY(ocl_device_get(index, &d));
  *out_before = number_of(d, t_current[d->index]);
  if (stream == OY_STREAM_ASK) return OY_OK;
  OY_TRY(ocl_stream_slot(d, stream, &slot));
  t_current[d->index] = (uint8_t)slot;
  return OY_OK;
}

static oy_status queue_of(int16_t index, uint64_t stream, cl_command_queue* out_queue) {
  ocl_device* d;
  int slot;
  *out_queue = NULL;
  OY_TRY(ocl_device_get(index, &d));
  OY_TRY(ocl_stream_slot(d, stream, &slot));
  return ocl_queue(d, slot, out_queue);
}

static oy_status is_complete(cl_event event, bool* out_done) {
  cl_int state = CL_QUEUED;
  OCL_TRY(GetEventInfo, event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof(state), &state,
          NULL);
  if (state < 0) return ocl_fail(state, "work on a stream");
  *out_done = state == CL_COMPLETE;
  return OY_OK;
}

static oy_status stream_query(void* state, int16_t index, uint64_t stream,
                              bool* out_done) {
  (void)state;
  cl_command_queue queue;
  cl_event marker;
  *out_done = false;
  OY_TRY(queue_of(index, stream, &queue));
  OCL_TRY(EnqueueMarkerWithWaitList, queue, 0, NULL, &marker);
  ocl.Flush(queue);
  oy_status status = is_complete(marker, out_done);
  ocl.ReleaseEvent(marker);
  return status;
}

static oy_status stream_synchronize(void* state, int16_t index, uint64_t stream) {
  (void)state;
  cl_command_queue queue;
  OY_TRY(queue_of(index, stream, &queue));
  OCL_TRY(Finish, queue);
  return OY_OK;
}

static void* stream_native(void* state, int16_t index, uint64_t stream) {
  (void)state;
  cl_command_queue queue;
  return queue_of(index, stream, &queue) == OY_OK ? queue : NULL;
}

// ------------------------------------------------------------------- hooks: events

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
  cl_command_queue queue;
  cl_event reached;
  OY_CHECK(number, INVALID_ARGUMENT, "expected an event, got 0");
  OY_TRY(queue_of(index, stream, &queue));
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
static bool is_of(cl_event reached, const ocl_device* d) {
  cl_context context = NULL;
  return ocl.GetEventInfo(reached, CL_EVENT_CONTEXT, sizeof(context), &context, NULL) ==
             CL_SUCCESS &&
         context == d->context;
}

static oy_status event_wait(void* state, int16_t index, uint64_t number,
                            uint64_t stream) {
  (void)state;
  ocl_device* d;
  cl_command_queue queue;
  OY_CHECK(number, INVALID_ARGUMENT, "expected an event, got 0");
  OY_TRY(ocl_device_get(index, &d));
  OY_TRY(queue_of(index, stream, &queue));
  cl_event reached = reached_by(number);
  if (!reached) return OY_OK;
  cl_int code = is_of(reached, d)
                    ? ocl.EnqueueBarrierWithWaitList(queue, 1, &reached, NULL)
                    : ocl.WaitForEvents(1, &reached);
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

void ocl_stream_hooks(oy_device_hooks* hooks) {
  hooks->stream_create = stream_create;
  hooks->stream_destroy = stream_destroy;
  hooks->stream_exchange = stream_exchange;
  hooks->stream_query = stream_query;
  hooks->stream_synchronize = stream_synchronize;
  hooks->stream_native = stream_native;
  hooks->event_create = event_create;
  hooks->event_destroy = event_destroy;
  hooks->event_record = event_record;
  hooks->event_wait = event_wait;
  hooks->event_query = event_query;
  hooks->event_synchronize = event_synchronize;
  hooks->event_elapsed = event_elapsed;
}
