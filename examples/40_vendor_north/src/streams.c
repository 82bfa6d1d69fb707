// SPDX-License-Identifier: Apache-2.0
// North's queues. A stream is a thread that runs jobs in their order; it is started by its
// first job. One lock and one condition serve them all: this is a simulation.
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "north.h"

enum { STREAMS = 8, EVENTS = 256 };

typedef struct job {
  struct job* next;
  north_job run;
  _Alignas(16) char argument[NORTH_ARGUMENT_SIZE];
} job;

typedef struct stream {
  job *first, **last;
  bool is_started, is_taken;
  uint64_t put, done;  // jobs
  pthread_t thread;
} stream;

typedef struct event {
  bool is_taken;
  uint64_t recorded, happened;  // times
  double seconds;
} event;

static pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t g_changed = PTHREAD_COND_INITIALIZER;
static stream g_streams[NORTH_DEVICES][STREAMS];
static event g_events[EVENTS];
static bool g_stopping;
static _Thread_local uint64_t g_current[NORTH_DEVICES];

// -------------------------------------------------------------------------- queues

static void* work(void* context) {
  stream* s = context;
  pthread_mutex_lock(&g_lock);
  for (;;) {
    while (!s->first && !g_stopping) pthread_cond_wait(&g_changed, &g_lock);
    job* j = s->first;
    if (!j) break;
    s->first = j->next;
    if (!s->first) s->last = &s->first;
    pthread_mutex_unlock(&g_lock);
    j->run(j->argument);
    free(j);
    pthread_mutex_lock(&g_lock);
    s->done++;
    pthread_cond_broadcast(&g_changed);
  }
  pthread_mutex_unlock(&g_lock);
  return NULL;
}

static bool start(stream* s) {
  if (s->is_started) return true;
  s->last = &s->first;
  s->is_started = pthread_create(&s->thread, NULL, work, s) == 0;
  return s->is_started;
}

static oy_status put(stream* s, north_job run, const void* argument, size_t size) {
  job* j = size <= NORTH_ARGUMENT_SIZE ? calloc(1, sizeof(*j)) : NULL;
  OY_CHECK(j, OUT_OF_MEMORY, "no memory for a job of north");
  j->run = run;
  memcpy(j->argument, argument, size);
  pthread_mutex_lock(&g_lock);
  const bool good = start(s);
  if (good) {
    *s->last = j;
    s->last = &j->next;
    s->put++;
    pthread_cond_broadcast(&g_changed);
  }
  pthread_mutex_unlock(&g_lock);
  if (good) return OY_OK;
  free(j);
  return OY_FAIL(INTERNAL, "cannot start a thread for a stream of north");
}

static void wait_for(stream* s) {
  pthread_mutex_lock(&g_lock);
  const uint64_t until = s->put;
  while (s->done < until) pthread_cond_wait(&g_changed, &g_lock);
  pthread_mutex_unlock(&g_lock);
}

static oy_status stream_at(int16_t index, uint64_t number, stream** out) {
  OY_TRY(north_check_index(index));
  OY_CHECK(number < STREAMS, INVALID_ARGUMENT, "north:%d has no stream %llu", index,
           (unsigned long long)number);
  *out = &g_streams[index][number];
  return OY_OK;
}

oy_status north_launch(int16_t index, north_job run, const void* argument, size_t size) {
  stream* s;
  OY_TRY(stream_at(index, g_current[index], &s));
  return put(s, run, argument, size);
}

oy_status north_wait_current(int16_t index) {
  stream* s;
  OY_TRY(stream_at(index, g_current[index], &s));
  wait_for(s);
  return OY_OK;
}

oy_status north_wait_device(int16_t index) {
  OY_TRY(north_check_index(index));
  for (int i = 0; i < STREAMS; i++) wait_for(&g_streams[index][i]);
  return OY_OK;
}

void north_stop(void) {
  pthread_mutex_lock(&g_lock);
  g_stopping = true;
  pthread_cond_broadcast(&g_changed);
  pthread_mutex_unlock(&g_lock);
  for (int d = 0; d < NORTH_DEVICES; d++)
    for (int i = 0; i < STREAMS; i++)
      if (g_streams[d][i].is_started) pthread_join(g_streams[d][i].thread, NULL);
}

// ------------------------------------------------------------------------- streams

static oy_status stream_create(void* state, int16_t index, int32_t priority,
                               uint64_t* out_stream) {
  (void)state, (void)priority;
  OY_TRY(north_check_index(index));
  pthread_mutex_lock(&g_lock);
  uint64_t i = 1;
  while (i < STREAMS && g_streams[index][i].is_taken) i++;
  if (i < STREAMS) g_streams[index][i].is_taken = true;
  pthread_mutex_unlock(&g_lock);
  OY_CHECK(i < STREAMS, EXHAUSTED, "north:%d has no more than %d streams", index,
           STREAMS);
  *out_stream = i;
  return OY_OK;
}

static void stream_destroy(void* state, int16_t index, uint64_t number) {
  stream* s;
  (void)state;
  if (stream_at(index, number, &s) != OY_OK) return;
  wait_for(s);
  pthread_mutex_lock(&g_lock);
  s->is_taken = false;
  pthread_mutex_unlock(&g_lock);
}

static oy_status stream_exchange(void* state, int16_t index, uint64_t number,
                                 uint64_t* out_before) {
  stream* s;
  (void)state;
  OY_TRY(north_check_index(index));
  *out_before = g_current[index];
  if (number == OY_STREAM_ASK) return OY_OK;
  OY_TRY(stream_at(index, number, &s));
  g_current[index] = number;
  return OY_OK;
}

static oy_status stream_query(void* state, int16_t index, uint64_t number,
                              bool* out_done) {
  stream* s;
  (void)state;
  OY_TRY(stream_at(index, number, &s));
  pthread_mutex_lock(&g_lock);
  *out_done = s->done == s->put;
  pthread_mutex_unlock(&g_lock);
  return OY_OK;
}

static oy_status stream_synchronize(void* state, int16_t index, uint64_t number) {
  stream* s;
  (void)state;
  OY_TRY(stream_at(index, number, &s));
  wait_for(s);
  return OY_OK;
}

// -------------------------------------------------------------------------- events

// A record is a job that says that it was reached; a wait is one that waits for it.
typedef struct mark {
  uint64_t event, time;
} mark;

static void reach(void* argument) {
  const mark* m = argument;
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  pthread_mutex_lock(&g_lock);
  event* e = &g_events[m->event];
  if (e->happened < m->time) e->happened = m->time;
  e->seconds = (double)t.tv_sec + (double)t.tv_nsec / 1e9;
  pthread_cond_broadcast(&g_changed);
  pthread_mutex_unlock(&g_lock);
}

static void hold(void* argument) {
  const mark* m = argument;
  pthread_mutex_lock(&g_lock);
  while (g_events[m->event].happened < m->time) pthread_cond_wait(&g_changed, &g_lock);
  pthread_mutex_unlock(&g_lock);
}

static oy_status event_create(void* state, int16_t index, uint64_t flags,
                              uint64_t* out_event) {
  (void)state, (void)flags;
  OY_TRY(north_check_index(index));
  pthread_mutex_lock(&g_lock);
  uint64_t i = 0;
  while (i < EVENTS && g_events[i].is_taken) i++;
  if (i < EVENTS) g_events[i] = (event){.is_taken = true};
  pthread_mutex_unlock(&g_lock);
  OY_CHECK(i < EVENTS, EXHAUSTED, "north has no more than %d events", EVENTS);
  *out_event = i;
  return OY_OK;
}

// Jobs that speak of it may be queued; its number is not given out before they are done.
static void event_destroy(void* state, int16_t index, uint64_t number) {
  (void)state;
  (void)!north_wait_device(index);
  pthread_mutex_lock(&g_lock);
  g_events[number % EVENTS].is_taken = false;
  pthread_mutex_unlock(&g_lock);
}

static oy_status event_record(void* state, int16_t index, uint64_t number, uint64_t on) {
  stream* s;
  (void)state;
  OY_TRY(stream_at(index, on, &s));
  pthread_mutex_lock(&g_lock);
  const mark m = {number % EVENTS, ++g_events[number % EVENTS].recorded};
  pthread_mutex_unlock(&g_lock);
  return put(s, reach, &m, sizeof(m));
}

static mark latest(uint64_t number) {
  pthread_mutex_lock(&g_lock);
  const mark m = {number % EVENTS, g_events[number % EVENTS].recorded};
  pthread_mutex_unlock(&g_lock);
  return m;
}

static oy_status event_wait(void* state, int16_t index, uint64_t number, uint64_t on) {
  stream* s;
  (void)state;
  OY_TRY(stream_at(index, on, &s));
  const mark m = latest(number);
  return put(s, hold, &m, sizeof(m));
}

static oy_status event_query(void* state, int16_t index, uint64_t number,
                             bool* out_done) {
  (void)state;
  OY_TRY(north_check_index(index));
  pthread_mutex_lock(&g_lock);
  const event* e = &g_events[number % EVENTS];
  *out_done = e->happened >= e->recorded;
  pthread_mutex_unlock(&g_lock);
  return OY_OK;
}

static oy_status event_synchronize(void* state, int16_t index, uint64_t number) {
  (void)state;
  OY_TRY(north_check_index(index));
  mark m = latest(number);
  hold(&m);
  return OY_OK;
}

static oy_status event_elapsed(void* state, int16_t index, uint64_t first,
                               uint64_t second, double* out_milliseconds) {
  OY_TRY(event_synchronize(state, index, first));
  OY_TRY(event_synchronize(state, index, second));
  pthread_mutex_lock(&g_lock);
  *out_milliseconds =
      1e3 * (g_events[second % EVENTS].seconds - g_events[first % EVENTS].seconds);
  pthread_mutex_unlock(&g_lock);
  return OY_OK;
}

void north_stream_hooks(oy_device_hooks* hooks) {
  hooks->stream_create = stream_create;
  hooks->stream_destroy = stream_destroy;
  hooks->stream_exchange = stream_exchange;
  hooks->stream_query = stream_query;
  hooks->stream_synchronize = stream_synchronize;
  hooks->event_create = event_create;
  hooks->event_destroy = event_destroy;
  hooks->event_record = event_record;
  hooks->event_wait = event_wait;
  hooks->event_query = event_query;
  hooks->event_synchronize = event_synchronize;
  hooks->event_elapsed = event_elapsed;
}
