// SPDX-License-Identifier: Apache-2.0
#include "support/sim_device.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define OFFSET ((uintptr_t)1 << 46)
enum { STREAMS_MAX = 32, EVENTS_MAX = 256 };

typedef struct job {
  struct job* next;
  void (*run)(void* argument);
  void* argument;
  bool owned;  // |argument| is freed with it
} job;

// Jobs run in order, on a thread that is started by the first one that does not wait.
typedef struct stream {
  pthread_mutex_t lock;
  pthread_cond_t change;
  pthread_t thread;
  bool exists, started, ends;
  job *first, *last;
  uint64_t queued, done;
  unsigned delay_us;
} stream;

typedef struct event {
  bool exists, recorded;
  stream* on;
  uint64_t at;           // the number of jobs of |on| that come before it
  struct timespec when;  // it happened
} event;

struct sim_device {
  int16_t count;
  unsigned delay_us;
  pthread_mutex_t lock;
  stream streams[SIM_DEVICES_MAX][STREAMS_MAX];
  event events[SIM_DEVICES_MAX][EVENTS_MAX];
  sim_counts counts;
  int64_t fail_in;  // atomic
};

static __thread int16_t t_device;
static __thread uint64_t t_stream[SIM_DEVICES_MAX];

void* sim_device_host(const void* data) {
  return (void*)((uintptr_t)data - OFFSET);
}
static void* to_device(void* host) {
  return (void*)((uintptr_t)host + OFFSET);
}
static void count(uint64_t* counter) {
  __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}
#define COUNT(sim, member) count(&(sim)->counts.member)

// --------------------------------------------------------------------- streams

static void run_job(stream* s, job* j) {
  if (s->delay_us) usleep(s->delay_us);
  j->run(j->argument);
  if (j->owned) free(j->argument);
  free(j);
}

static void* work(void* argument) {
  stream* s = argument;
  pthread_mutex_lock(&s->lock);
  for (;;) {
    while (!s->first && !s->ends) pthread_cond_wait(&s->change, &s->lock);
    job* j = s->first;
    if (!j) break;
    s->first = j->next;
    if (!s->first) s->last = NULL;
    pthread_mutex_unlock(&s->lock);
    run_job(s, j);
    pthread_mutex_lock(&s->lock);
    s->done++;
    pthread_cond_broadcast(&s->change);
  }
  pthread_mutex_unlock(&s->lock);
  return NULL;
}

static void wait_until(stream* s, uint64_t number) {
  pthread_mutex_lock(&s->lock);
  while (s->done < number) pthread_cond_wait(&s->change, &s->lock);
  pthread_mutex_unlock(&s->lock);
}

static void wait_all(stream* s) {
  pthread_mutex_lock(&s->lock);
  uint64_t number = s->queued;
  while (s->done < number) pthread_cond_wait(&s->change, &s->lock);
  pthread_mutex_unlock(&s->lock);
}

// Nothing is queued: who waits may as well do it itself.
static bool run_here(stream* s, void (*run)(void*), void* argument) {
  pthread_mutex_lock(&s->lock);
  bool idle = s->done == s->queued;
  if (idle) run(argument);
  pthread_mutex_unlock(&s->lock);
  return idle;
}

static oy_status enqueue(stream* s, void (*run)(void*), void* argument, bool owned,
                         uint64_t* out_number) {
  job* j = calloc(1, sizeof(*j));
  if (!j) return OY_FAIL(OUT_OF_MEMORY, "sim: out of memory");
  *j = (job){NULL, run, argument, owned};
  pthread_mutex_lock(&s->lock);
  if (!s->started) s->started = pthread_create(&s->thread, NULL, work, s) == 0;
  bool started = s->started;
  if (started) {
    *(s->last ? &s->last->next : &s->first) = j;
    s->last = j;
    *out_number = ++s->queued;
    pthread_cond_broadcast(&s->change);
  }
  pthread_mutex_unlock(&s->lock);
  if (started) return OY_OK;
  free(j);
  return OY_FAIL(EXHAUSTED, "sim: there is no thread for a stream");
}

static stream* find_stream(sim_device* sim, int16_t index, uint64_t id) {
  if (index < 0 || index >= sim->count || id >= STREAMS_MAX) return NULL;
  stream* s = &sim->streams[index][id];
  return __atomic_load_n(&s->exists, __ATOMIC_ACQUIRE) ? s : NULL;
}

static stream* current_stream(sim_device* sim, int16_t index) {
  stream* s = find_stream(sim, index, t_stream[index]);
  return s ? s : &sim->streams[index][0];
}

oy_status sim_device_run(sim_device* sim, int16_t index, void (*run)(void*),
                         void* argument, bool wait) {
  stream* s = current_stream(sim, index);
  uint64_t number;
  if (wait && run_here(s, run, argument)) return OY_OK;
  OY_TRY(enqueue(s, run, argument, false, &number));
  if (wait) wait_until(s, number);
  return OY_OK;
}

static oy_status stream_create(void* state, int16_t index, int32_t priority,
                               uint64_t* out_stream) {
  sim_device* sim = state;
  (void)priority;
  pthread_mutex_lock(&sim->lock);
  uint64_t id = 1;
  while (id < STREAMS_MAX && sim->streams[index][id].exists) id++;
  if (id < STREAMS_MAX)
    __atomic_store_n(&sim->streams[index][id].exists, true, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&sim->lock);
  if (id == STREAMS_MAX) return OY_FAIL(EXHAUSTED, "sim: all streams are in use");
  *out_stream = id;
  return OY_OK;
}

static void stop_stream(stream* s) {
  wait_all(s);
  pthread_mutex_lock(&s->lock);
  bool started = s->started;
  s->ends = true;
  pthread_cond_broadcast(&s->change);
  pthread_mutex_unlock(&s->lock);
  if (started) pthread_join(s->thread, NULL);
  s->started = s->ends = false;
}

static void stream_destroy(void* state, int16_t index, uint64_t id) {
  sim_device* sim = state;
  stream* s = id ? find_stream(sim, index, id) : NULL;
  if (!s) return;
  stop_stream(s);
  __atomic_store_n(&s->exists, false, __ATOMIC_RELEASE);
}

static oy_status no_stream(uint64_t id) {
  return OY_FAIL(INVALID_ARGUMENT, "sim: there is no stream %llu",
                 (unsigned long long)id);
}

static oy_status stream_exchange(void* state, int16_t index, uint64_t id,
                                 uint64_t* out_before) {
  *out_before = t_stream[index];
  if (id == OY_STREAM_ASK) return OY_OK;
  if (!find_stream(state, index, id)) return no_stream(id);
  t_stream[index] = id;
  return OY_OK;
}

static oy_status stream_query(void* state, int16_t index, uint64_t id, bool* out_done) {
  stream* s = find_stream(state, index, id);
  if (!s) return no_stream(id);
  pthread_mutex_lock(&s->lock);
  *out_done = s->done == s->queued;
  pthread_mutex_unlock(&s->lock);
  return OY_OK;
}

static oy_status stream_synchronize(void* state, int16_t index, uint64_t id) {
  stream* s = find_stream(state, index, id);
  if (!s) return no_stream(id);
  wait_all(s);
  return OY_OK;
}

static void* stream_native(void* state, int16_t index, uint64_t id) {
  return find_stream(state, index, id);
}

// ---------------------------------------------------------------------- events

static oy_status event_create(void* state, int16_t index, uint64_t flags,
                              uint64_t* out_event) {
  sim_device* sim = state;
  (void)flags;
  pthread_mutex_lock(&sim->lock);
  uint64_t id = 0;
  while (id < EVENTS_MAX && sim->events[index][id].exists) id++;
  if (id < EVENTS_MAX) sim->events[index][id] = (event){.exists = true};
  pthread_mutex_unlock(&sim->lock);
  *out_event = id;
  return id < EVENTS_MAX ? OY_OK : OY_FAIL(EXHAUSTED, "sim: all events are in use");
}

static event* find_event(sim_device* sim, int16_t index, uint64_t id) {
  return id < EVENTS_MAX && sim->events[index][id].exists ? &sim->events[index][id]
                                                          : NULL;
}

static void event_destroy(void* state, int16_t index, uint64_t id) {
  sim_device* sim = state;
  pthread_mutex_lock(&sim->lock);
  sim->events[index][id].exists = false;
  pthread_mutex_unlock(&sim->lock);
}

static void note_time(void* argument) {
  event* e = argument;
  clock_gettime(CLOCK_MONOTONIC, &e->when);
}

static oy_status event_record(void* state, int16_t index, uint64_t id, uint64_t on) {
  event* e = find_event(state, index, id);
  stream* s = find_stream(state, index, on);
  if (!e || !s) return no_stream(on);
  e->on = s;
  e->recorded = true;
  return enqueue(s, note_time, e, false, &e->at);
}

static void wait_for_event(void* argument) {
  const event* e = argument;
  wait_until(e->on, e->at);
}

static oy_status event_wait(void* state, int16_t index, uint64_t id, uint64_t on) {
  const event* e = find_event(state, index, id);
  stream* s = find_stream(state, index, on);
  if (!e || !s) return no_stream(on);
  if (!e->recorded) return OY_OK;
  // As it is now: it may be recorded anew. Its time is the stream's to write.
  event* copy = malloc(sizeof(*copy));
  if (!copy) return OY_FAIL(OUT_OF_MEMORY, "sim: out of memory");
  *copy = (event){.on = e->on, .at = e->at};
  uint64_t number;
  oy_status status = enqueue(s, wait_for_event, copy, true, &number);
  if (status != OY_OK) free(copy);
  return status;
}

static oy_status event_query(void* state, int16_t index, uint64_t id, bool* out_done) {
  const event* e = find_event(state, index, id);
  *out_done = true;
  if (!e || !e->recorded) return OY_OK;
  pthread_mutex_lock(&e->on->lock);
  *out_done = e->on->done >= e->at;
  pthread_mutex_unlock(&e->on->lock);
  return OY_OK;
}

static oy_status event_synchronize(void* state, int16_t index, uint64_t id) {
  const event* e = find_event(state, index, id);
  if (e && e->recorded) wait_until(e->on, e->at);
  return OY_OK;
}

static oy_status event_elapsed(void* state, int16_t index, uint64_t start, uint64_t end,
                               double* out_milliseconds) {
  OY_TRY(event_synchronize(state, index, start));
  OY_TRY(event_synchronize(state, index, end));
  const event *a = find_event(state, index, start), *b = find_event(state, index, end);
  if (!a || !b || !a->recorded || !b->recorded)
    return OY_FAIL(FAILED_PRECONDITION, "sim: both events have to be recorded");
  *out_milliseconds = 1e3 * (double)(b->when.tv_sec - a->when.tv_sec) +
                      1e-6 * (double)(b->when.tv_nsec - a->when.tv_nsec);
  return OY_OK;
}

// --------------------------------------------------------------------- devices

static oy_status count_devices(void* state, int16_t* out_count) {
  *out_count = ((sim_device*)state)->count;
  return OY_OK;
}

static oy_status exchange(void* state, int16_t index, int16_t* out_before) {
  sim_device* sim = state;
  *out_before = t_device < sim->count ? t_device : 0;
  if (index < 0) return OY_OK;
  if (index >= sim->count) return OY_FAIL(OUT_OF_RANGE, "invalid device ordinal");
  t_device = index;
  return OY_OK;
}

static oy_status synchronize(void* state, int16_t index) {
  sim_device* sim = state;
  for (size_t i = 0; i < STREAMS_MAX; i++) wait_all(&sim->streams[index][i]);
  return OY_OK;
}

static oy_status properties(void* state, int16_t index, oy_device_properties* out) {
  (void)state;
  (void)index;
  memcpy(out->name, "simulated device", sizeof("simulated device"));
  out->memory_bytes = (uint64_t)1 << 30;
  return OY_OK;
}

// ---------------------------------------------------------------------- memory

static oy_status allocate(void* state, int16_t index, size_t nbytes, void** out_data,
                          void** out_context) {
  sim_device* sim = state;
  bool fails = __atomic_load_n(&sim->fail_in, __ATOMIC_RELAXED) >= 0 &&
               __atomic_fetch_sub(&sim->fail_in, 1, __ATOMIC_RELAXED) == 0;
  void* host = fails ? NULL : malloc(nbytes);
  if (!host) return OY_FAIL(OUT_OF_MEMORY, "sim:%d has no %zu bytes left", index, nbytes);
  COUNT(sim, allocations);
  *out_data = to_device(host);
  *out_context = host;
  return OY_OK;
}

static void release(void* state, int16_t index, void* data, void* context) {
  (void)data;
  (void)synchronize(state, index);
  COUNT((sim_device*)state, releases);
  free(context);
}

typedef struct move {
  char *to, *from;
  size_t nbytes;
} move;

static void run_move(void* argument) {
  const move* m = argument;
  memcpy(m->to, m->from, m->nbytes);
}

static char* host_side(oy_device device, void* data, size_t offset) {
  void* host = device.backend == OY_BACKEND_CPU ? data : sim_device_host(data);
  return (char*)host + offset;
}

static oy_status copy(void* state, const oy_device_copy* c) {
  sim_device* sim = state;
  bool to_host = c->to_device.backend == OY_BACKEND_CPU;
  int16_t index = to_host ? c->from_device.index : c->to_device.index;
  move m = {host_side(c->to_device, c->to_data, c->to_offset),
            host_side(c->from_device, c->from_data, c->from_offset), c->nbytes};
  COUNT(sim, copies);
  // Another device's streams may still write what is read here.
  if (!to_host && c->from_device.backend != OY_BACKEND_CPU &&
      c->from_device.index != c->to_device.index)
    OY_TRY(synchronize(state, c->from_device.index));
  if (!(c->flags & OY_COPY_NON_BLOCKING))
    return sim_device_run(sim, index, run_move, &m, true);
  COUNT(sim, async_copies);
  move* kept = malloc(sizeof(*kept));
  if (!kept) return OY_FAIL(OUT_OF_MEMORY, "sim: out of memory");
  *kept = m;
  uint64_t number;
  oy_status status = enqueue(current_stream(sim, index), run_move, kept, true, &number);
  if (status != OY_OK) free(kept);
  return status;
}

typedef struct filling {
  char* at;
  size_t nbytes;
  uint8_t byte;
} filling;

static void run_fill(void* argument) {
  const filling* f = argument;
  memset(f->at, f->byte, f->nbytes);
}

static oy_status fill(void* state, int16_t index, void* data, void* context,
                      size_t offset, size_t nbytes, uint8_t byte) {
  (void)context;
  COUNT((sim_device*)state, fills);
  filling f = {(char*)sim_device_host(data) + offset, nbytes, byte};
  return sim_device_run(state, index, run_fill, &f, true);
}

static void record_stream(void* state, int16_t index, void* data, void* context,
                          uint64_t id) {
  (void)index, (void)data, (void)context, (void)id;  // |release| waits for all of them
  COUNT((sim_device*)state, recorded_streams);
}

static void trim(void* state, int16_t index) {
  (void)state, (void)index;
}

static oy_status host_allocate(void* state, size_t nbytes, void** out_data,
                               void** out_context) {
  COUNT((sim_device*)state, host_allocations);
  *out_data = *out_context = malloc(nbytes);
  return *out_data ? OY_OK : OY_FAIL(OUT_OF_MEMORY, "sim: out of memory");
}

static void host_release(void* state, void* data, void* context) {
  sim_device* sim = state;
  (void)data;
  for (int16_t i = 0; i < sim->count; i++) (void)synchronize(state, i);
  free(context);
}

// ---------------------------------------------------------------------- making

sim_device* sim_device_create(int16_t count_of, unsigned delay_us) {
  sim_device* sim = calloc(1, sizeof(*sim));
  if (!sim) return NULL;
  sim->count = count_of < SIM_DEVICES_MAX ? count_of : SIM_DEVICES_MAX;
  sim->delay_us = delay_us;
  sim->fail_in = -1;
  pthread_mutex_init(&sim->lock, NULL);
  for (size_t i = 0; i < SIM_DEVICES_MAX; i++)
    for (size_t k = 0; k < STREAMS_MAX; k++) {
      stream* s = &sim->streams[i][k];
      pthread_mutex_init(&s->lock, NULL);
      pthread_cond_init(&s->change, NULL);
      s->delay_us = delay_us;
      s->exists = k == 0;
    }
  return sim;
}

void sim_device_destroy(sim_device* sim) {
  if (!sim) return;
  for (size_t i = 0; i < SIM_DEVICES_MAX; i++)
    for (size_t k = 0; k < STREAMS_MAX; k++) {
      stream* s = &sim->streams[i][k];
      stop_stream(s);
      pthread_cond_destroy(&s->change);
      pthread_mutex_destroy(&s->lock);
    }
  pthread_mutex_destroy(&sim->lock);
  free(sim);
}

oy_device_hooks sim_device_hooks(sim_device* sim) {
  return (oy_device_hooks){.struct_size = sizeof(oy_device_hooks),
                           .state = sim,
                           .count = count_devices,
                           .exchange = exchange,
                           .synchronize = synchronize,
                           .properties = properties,
                           .allocate = allocate,
                           .release = release,
                           .copy = copy,
                           .fill = fill,
                           .record_stream = record_stream,
                           .trim = trim,
                           .host_allocate = host_allocate,
                           .host_release = host_release,
                           .stream_create = stream_create,
                           .stream_destroy = stream_destroy,
                           .stream_exchange = stream_exchange,
                           .stream_query = stream_query,
                           .stream_synchronize = stream_synchronize,
                           .stream_native = stream_native,
                           .event_create = event_create,
                           .event_destroy = event_destroy,
                           .event_record = event_record,
                           .event_wait = event_wait,
                           .event_query = event_query,
                           .event_synchronize = event_synchronize,
                           .event_elapsed = event_elapsed};
}

sim_counts sim_device_counts(const sim_device* sim) {
  const uint64_t* from = (const uint64_t*)(const void*)&sim->counts;
  sim_counts c;
  uint64_t* to = (uint64_t*)(void*)&c;
  for (size_t i = 0; i < sizeof(c) / sizeof(uint64_t); i++)
    to[i] = __atomic_load_n(&from[i], __ATOMIC_RELAXED);
  return c;
}

void sim_device_fail_allocation(sim_device* sim, int64_t n) {
  __atomic_store_n(&sim->fail_in, n, __ATOMIC_RELAXED);
}
