// SPDX-License-Identifier: Apache-2.0
// Streams that run what is on them as late as they may, and events.
#include <stdlib.h>
#include <string.h>

#include "sim.h"

static sim_stream* g_streams[SIM_STREAMS];

static bool is_stream(const void* stream) {
  for (int i = 0; i < SIM_STREAMS; i++)
    if (stream && g_streams[i] == stream) return true;
  return false;
}

static void release_event(sim_event* e) {
  if (!e || --e->users > 0 || e->alive) return;
  free(e);
}

static void work_free(sim_work* w) {
  release_event(w->event);
  sim_free_parameters(w);
  free(w);
  sim_counts.pending--;
}

// Runs the oldest entry. What failed once fails all that comes after, as there.
static void run_first(sim_stream* s) {
  sim_work* w = s->first;
  s->first = w->next;
  if (!s->first) s->last = NULL;
  s->running = true;
  int code = s->error ? s->error : w->run(w);
  s->running = false;
  s->error = code;
  work_free(w);
}

static int run_stream(sim_stream* s) {
  while (s->first && !s->running) run_first(s);
  return s->error;
}

void sim_run_all(void) {
  for (int i = 0; i < SIM_STREAMS; i++)
    if (g_streams[i]) (void)run_stream(g_streams[i]);
}

int sim_put(void* stream, sim_work work) {
  if (!is_stream(stream)) return SIM_INVALID_HANDLE;
  sim_stream* s = stream;
  if (s->device != sim_current()) return SIM_INVALID_HANDLE;
  sim_work* w = malloc(sizeof(*w));
  if (!w) return SIM_OUT_OF_MEMORY;
  *w = work;
  w->next = NULL;
  if (w->event) w->event->users++;
  if (s->last)
    s->last->next = w;
  else
    s->first = w;
  s->last = w;
  s->asked = false;
  sim_counts.pending++;
  return SIM_OK;
}

SIM_EXPORT int cuStreamCreateWithPriority(void** out, unsigned flags, int priority) {
  (void)flags, (void)priority;
  ENTER(StreamCreateWithPriority);
  int i = 0;
  while (i < SIM_STREAMS && g_streams[i]) i++;
  if (sim_current() < 0) return sim_leave(SIM_INVALID_CONTEXT);
  sim_stream* s = i < SIM_STREAMS ? calloc(1, sizeof(*s)) : NULL;
  if (!s) return sim_leave(SIM_OUT_OF_MEMORY);
  s->device = sim_current();
  *out = g_streams[i] = s;
  sim_counts.streams++;
  return sim_leave(SIM_OK);
}
SIM_EXPORT int cuStreamDestroy(void* stream) {
  ENTER(StreamDestroy);
  for (int i = 0; i < SIM_STREAMS; i++)
    if (stream && g_streams[i] == stream) {
      (void)run_stream(stream);
      free(stream);
      g_streams[i] = NULL;
      sim_counts.streams--;
      return sim_leave(SIM_OK);
    }
  return sim_leave(SIM_INVALID_HANDLE);
}
SIM_EXPORT int cuStreamSynchronize(void* stream) {
  ENTER(StreamSynchronize);
  return sim_leave(is_stream(stream) ? run_stream(stream) : SIM_INVALID_HANDLE);
}
// Not ready the first time that there is something, so that both answers are seen.
SIM_EXPORT int cuStreamQuery(void* stream) {
  ENTER(StreamQuery);
  if (!is_stream(stream)) return sim_leave(SIM_INVALID_HANDLE);
  sim_stream* s = stream;
  if (s->first && !s->asked) {
    s->asked = true;
    return sim_leave(SIM_NOT_READY);
  }
  return sim_leave(run_stream(s));
}

// --------------------------------------------------------------------- events

static int reach(sim_work* w) {
  w->event->reached = w->number;
  w->event->time = sim_milliseconds();
  return SIM_OK;
}
// Runs the event's stream until it has happened.
static int until(sim_event* e, uint64_t number) {
  while (e->reached < number && is_stream(e->stream) && e->stream->first &&
         !e->stream->running)
    run_first(e->stream);
  return SIM_OK;
}
static int wait_for(sim_work* w) {
  return until(w->event, w->number);
}

SIM_EXPORT int cuEventCreate(void** out, unsigned flags) {
  ENTER(EventCreate);
  if (sim_current() < 0) return sim_leave(SIM_INVALID_CONTEXT);
  sim_event* e = calloc(1, sizeof(*e));
  if (!e) return sim_leave(SIM_OUT_OF_MEMORY);
  e->alive = true;
  e->timed = !(flags & 2);
  *out = e;
  sim_counts.events++;
  return sim_leave(SIM_OK);
}
SIM_EXPORT int cuEventDestroy(void* event) {
  ENTER(EventDestroy);
  sim_event* e = event;
  e->alive = false;
  e->users++;
  release_event(e);
  sim_counts.events--;
  return sim_leave(SIM_OK);
}
SIM_EXPORT int cuEventRecord(void* event, void* stream) {
  ENTER(EventRecord);
  sim_event* e = event;
  sim_work w = {.run = reach, .event = e, .number = e->recorded + 1};
  int code = sim_put(stream, w);
  if (code == SIM_OK) {
    e->recorded++;
    e->stream = stream;
  }
  return sim_leave(code);
}
SIM_EXPORT int cuStreamWaitEvent(void* stream, void* event, unsigned flags) {
  (void)flags;
  ENTER(StreamWaitEvent);
  sim_event* e = event;
  if (e->recorded == 0) return sim_leave(SIM_OK);
  sim_work w = {.run = wait_for, .event = e, .number = e->recorded};
  return sim_leave(sim_put(stream, w));
}
SIM_EXPORT int cuEventQuery(void* event) {
  ENTER(EventQuery);
  sim_event* e = event;
  if (e->reached >= e->recorded) return sim_leave(SIM_OK);
  sim_stream* s = e->stream;
  if (is_stream(s) && !s->asked) {
    s->asked = true;
    return sim_leave(SIM_NOT_READY);
  }
  return sim_leave(until(e, e->recorded));
}
SIM_EXPORT int cuEventSynchronize(void* event) {
  ENTER(EventSynchronize);
  sim_event* e = event;
  return sim_leave(until(e, e->recorded));
}
SIM_EXPORT int cuEventElapsedTime(float* out, void* start, void* end) {
  ENTER(EventElapsedTime);
  sim_event *first = start, *last = end;
  if (!first->timed || !last->timed) return sim_leave(SIM_INVALID_HANDLE);
  if (first->reached < first->recorded || last->reached < last->recorded)
    return sim_leave(SIM_NOT_READY);
  *out = (float)(last->time - first->time);
  return sim_leave(SIM_OK);
}

// --------------------------------------------------------------------- copies

static int copy(sim_work* w) {
  if (!sim_is_inside(w->to, w->size) || !sim_is_inside(w->from, w->size))
    return SIM_ILLEGAL_ADDRESS;
  memcpy((void*)(uintptr_t)w->to, (const void*)(uintptr_t)w->from, w->size);
  return SIM_OK;
}
static int fill(sim_work* w) {
  if (!sim_is_inside(w->to, w->size)) return SIM_ILLEGAL_ADDRESS;
  memset((void*)(uintptr_t)w->to, w->byte, w->size);
  return SIM_OK;
}
SIM_EXPORT int cuMemcpyAsync(uint64_t to, uint64_t from, size_t size, void* stream) {
  ENTER(MemcpyAsync);
  sim_work w = {.run = copy, .to = to, .from = from, .size = size};
  return sim_leave(sim_put(stream, w));
}
SIM_EXPORT int cuMemsetD8Async(uint64_t to, unsigned char byte, size_t size,
                               void* stream) {
  ENTER(MemsetD8Async);
  sim_work w = {.run = fill, .to = to, .byte = byte, .size = size};
  return sim_leave(sim_put(stream, w));
}
