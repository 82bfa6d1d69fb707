// SPDX-License-Identifier: Apache-2.0
#include "lazy_device.h"

#include <stdlib.h>
#include <string.h>

enum { DEVICES = 2, STREAMS = 8, EVENTS = 64, JOBS = 512, BLOCKS = 512, NOTES = 64 };

typedef struct stream stream;
typedef struct job {
  void (*run)(const struct job* j);  // NULL: waits until |on| has done |at|
  stream* on;
  size_t at;
  void* to;
  const void *a, *b;
  size_t count;  // bytes, or elements
  float alpha;
} job;

struct stream {
  bool exists;
  job jobs[JOBS];
  size_t count, done;
};

typedef struct event {
  bool exists;
  stream* on;  // NULL: never recorded
  size_t at;
} event;

static stream g_streams[DEVICES][STREAMS];
static event g_events[EVENTS];
static uint64_t g_current[DEVICES];
static int16_t g_device;
static void* g_blocks[BLOCKS];  // given back when the device goes
static size_t g_block_count;
static uint64_t g_notes[NOTES];
static size_t g_note_count;
static int g_recorded;
static oy_backend g_backend;
static oy_library* g_library;

// --------------------------------------------------------------------- streams

static void drain(stream* s, size_t until) {
  while (s->done < until) {
    const job* j = &s->jobs[s->done++];
    if (j->run)
      j->run(j);
    else
      drain(j->on, j->at);
  }
}

static oy_status push(int16_t index, job j) {
  stream* s = &g_streams[index][g_current[index]];
  if (s->count == JOBS) return OY_FAIL(EXHAUSTED, "lazy: no room for a job");
  s->jobs[s->count++] = j;
  return OY_OK;
}

static stream* find(int16_t index, uint64_t id) {
  if (id < STREAMS && g_streams[index][id].exists) return &g_streams[index][id];
  OY_FAIL(INVALID_ARGUMENT, "lazy: there is no stream %d", (int)id);
  return NULL;
}

static oy_status stream_create(void* state, int16_t index, int32_t priority,
                               uint64_t* out_stream) {
  (void)state, (void)priority;
  for (uint64_t id = 1; id < STREAMS; id++) {
    if (g_streams[index][id].exists) continue;
    g_streams[index][id].exists = true;
    *out_stream = id;
    return OY_OK;
  }
  return OY_FAIL(EXHAUSTED, "lazy: all streams are in use");
}

static void stream_destroy(void* state, int16_t index, uint64_t id) {
  (void)state;
  stream* s = &g_streams[index][id];
  drain(s, s->count);
  s->exists = false;
}

static oy_status stream_exchange(void* state, int16_t index, uint64_t id,
                                 uint64_t* out_before) {
  (void)state;
  *out_before = g_current[index];
  if (id == OY_STREAM_ASK) return OY_OK;
  if (!find(index, id)) return OY_INVALID_ARGUMENT;
  g_current[index] = id;
  return OY_OK;
}

static oy_status stream_query(void* state, int16_t index, uint64_t id, bool* out_done) {
  (void)state;
  const stream* s = find(index, id);
  *out_done = s && s->done == s->count;
  return s ? OY_OK : OY_INVALID_ARGUMENT;
}

static oy_status stream_synchronize(void* state, int16_t index, uint64_t id) {
  (void)state;
  stream* s = find(index, id);
  if (!s) return OY_INVALID_ARGUMENT;
  drain(s, s->count);
  return OY_OK;
}

// ---------------------------------------------------------------------- events

static oy_status event_create(void* state, int16_t index, uint64_t flags,
                              uint64_t* out_event) {
  (void)state, (void)index, (void)flags;
  for (uint64_t id = 0; id < EVENTS; id++) {
    if (g_events[id].exists) continue;
    g_events[id] = (event){.exists = true};
    *out_event = id;
    return OY_OK;
  }
  return OY_FAIL(EXHAUSTED, "lazy: all events are in use");
}

static void event_destroy(void* state, int16_t index, uint64_t id) {
  (void)state, (void)index;
  g_events[id].exists = false;
}

static oy_status event_record(void* state, int16_t index, uint64_t id, uint64_t on) {
  (void)state;
  stream* s = find(index, on);
  if (!s) return OY_INVALID_ARGUMENT;
  g_events[id] = (event){true, s, s->count};
  return OY_OK;
}

static oy_status event_wait(void* state, int16_t index, uint64_t id, uint64_t on) {
  (void)state;
  stream* s = find(index, on);
  if (!s) return OY_INVALID_ARGUMENT;
  if (!g_events[id].on) return OY_OK;
  const uint64_t before = g_current[index];
  g_current[index] = on;
  oy_status status = push(index, (job){.on = g_events[id].on, .at = g_events[id].at});
  g_current[index] = before;
  return status;
}

static oy_status event_query(void* state, int16_t index, uint64_t id, bool* out_done) {
  (void)state, (void)index;
  *out_done = !g_events[id].on || g_events[id].on->done >= g_events[id].at;
  return OY_OK;
}

static oy_status event_synchronize(void* state, int16_t index, uint64_t id) {
  (void)state, (void)index;
  if (g_events[id].on) drain(g_events[id].on, g_events[id].at);
  return OY_OK;
}

// -------------------------------------------------------------- devices, memory

static oy_status count_devices(void* state, int16_t* out_count) {
  (void)state;
  *out_count = DEVICES;
  return OY_OK;
}

static oy_status exchange(void* state, int16_t index, int16_t* out_before) {
  (void)state;
  *out_before = g_device;
  if (index >= 0) g_device = index;
  return OY_OK;
}

static oy_status synchronize(void* state, int16_t index) {
  (void)state;
  for (size_t i = 0; i < STREAMS; i++)
    drain(&g_streams[index][i], g_streams[index][i].count);
  return OY_OK;
}

static void* block(size_t nbytes) {
  void* data = g_block_count < BLOCKS ? malloc(nbytes) : NULL;
  if (!data) return NULL;
  g_blocks[g_block_count++] = data;
  return memset(data, 0xff, nbytes);
}

static oy_status allocate(void* state, int16_t index, size_t nbytes, void** out_data,
                          void** out_context) {
  (void)state, (void)index;
  *out_data = *out_context = block(nbytes);
  return *out_data ? OY_OK : OY_FAIL(OUT_OF_MEMORY, "lazy: no memory");
}

// Work may use it yet.
static void release(void* state, int16_t index, void* data, void* context) {
  (void)state, (void)index, (void)data, (void)context;
}

static void record_stream(void* state, int16_t index, void* data, void* context,
                          uint64_t id) {
  (void)state, (void)index, (void)data, (void)context, (void)id;
  g_recorded++;
}

static void run_copy(const job* j) {
  memcpy(j->to, j->a, j->count);
}

static oy_status copy(void* state, const oy_device_copy* c) {
  (void)state;
  char* to = (char*)c->to_data + c->to_offset;
  const char* from = (const char*)c->from_data + c->from_offset;
  const int16_t of = c->from_device.index;
  if (c->to_device.backend == OY_BACKEND_CPU) {
    drain(&g_streams[of][g_current[of]], g_streams[of][g_current[of]].count);
    memcpy(to, from, c->nbytes);
    return OY_OK;
  }
  if (c->from_device.backend == OY_BACKEND_CPU) {
    void* kept = block(c->nbytes);
    if (!kept) return OY_FAIL(OUT_OF_MEMORY, "lazy: no memory");
    from = memcpy(kept, from, c->nbytes);
  } else if (of != c->to_device.index) {
    drain(&g_streams[of][g_current[of]], g_streams[of][g_current[of]].count);
  }
  return push(c->to_device.index,
              (job){.run = run_copy, .to = to, .a = from, .count = c->nbytes});
}

// --------------------------------------------------------------------- kernels

static void run_mul(const job* j) {
  float* to = j->to;
  const float *a = j->a, *b = j->b;
  for (size_t i = 0; i < j->count; i++) to[i] = a[i] * b[i];
}
static void run_add(const job* j) {
  float* to = j->to;
  const float *a = j->a, *b = j->b;
  for (size_t i = 0; i < j->count; i++) to[i] = a[i] + j->alpha * b[i];
}

static void* memory_of(const oy_tensor* t) {
  return (char*)oy_tensor_storage_data(t) + oy_tensor_byte_offset(t);
}

static oy_status put(void (*run)(const job*), oy_tensor* to, const oy_tensor* a,
                     const oy_tensor* b, float alpha) {
  job j = {.run = run,
           .to = memory_of(to),
           .a = memory_of(a),
           .b = memory_of(b),
           .count = (size_t)oy_tensor_numel(to),
           .alpha = alpha};
  return push(oy_tensor_device(to).index, j);
}

static oy_object* binary(void (*run)(const job*), oy_object* a, oy_object* b,
                         float alpha) {
  oy_tensor* to = oy_tensor_empty(oy_tensor_sizes(a), OY_DTYPE_F32, oy_tensor_device(a));
  if (!to || put(run, to, a, b, alpha) == OY_OK) return to;
  oy_tensor_release(to);
  return NULL;
}

static oy_object* mul(const oy_op* op, oy_keyset keys, oy_object* self,
                      oy_object* other) {
  (void)op, (void)keys;
  if (g_note_count < NOTES)
    g_notes[g_note_count++] = g_current[oy_tensor_device(self).index];
  return binary(run_mul, self, other, 0);
}
static float number(oy_scalar s) {
  return s.tag == OY_TAG_FLOAT ? (float)s.as.d : (float)s.as.i;
}
static oy_object* add(const oy_op* op, oy_keyset keys, oy_object* self, oy_object* other,
                      oy_scalar alpha) {
  (void)op, (void)keys;
  return binary(run_add, self, other, number(alpha));
}
static oy_object* add_(const oy_op* op, oy_keyset keys, oy_object* self, oy_object* other,
                       oy_scalar alpha) {
  (void)op, (void)keys;
  return put(run_add, self, self, other, number(alpha)) == OY_OK ? self : NULL;
}

// ---------------------------------------------------------------------- making

static oy_status add_kernels(void) {
  static const struct {
    const char* name;
    oy_typed_fn fn;
  } rows[] = {{"mul.Tensor", (oy_typed_fn)mul},
              {"add.Tensor", (oy_typed_fn)add},
              {"add_.Tensor", (oy_typed_fn)add_}};
  const oy_library_params params = {NULL,     OY_LIBRARY_IMPL, "aten", OY_KEY_Undefined,
                                    __FILE__, __LINE__};
  OY_TRY(oy_library_create(&params, &g_library));
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
    const oy_impl_params impl = {.name = rows[i].name,
                                 .key = (oy_key)OY_KEY_OF(OY_KEY_Dense, g_backend),
                                 .kernel = {.typed = rows[i].fn},
                                 .place = OY_HERE};
    OY_TRY(oy_library_impl(g_library, &impl, NULL));
  }
  return OY_OK;
}

oy_status lazy_device_open(const char* name, oy_backend* out_backend) {
  const oy_device_hooks hooks = {.struct_size = sizeof(hooks),
                                 .count = count_devices,
                                 .exchange = exchange,
                                 .synchronize = synchronize,
                                 .allocate = allocate,
                                 .release = release,
                                 .copy = copy,
                                 .record_stream = record_stream,
                                 .stream_create = stream_create,
                                 .stream_destroy = stream_destroy,
                                 .stream_exchange = stream_exchange,
                                 .stream_query = stream_query,
                                 .stream_synchronize = stream_synchronize,
                                 .event_create = event_create,
                                 .event_destroy = event_destroy,
                                 .event_record = event_record,
                                 .event_wait = event_wait,
                                 .event_query = event_query,
                                 .event_synchronize = event_synchronize};
  for (size_t i = 0; i < DEVICES; i++) g_streams[i][0].exists = true;
  OY_TRY(oy_backend_register(oy_str_of(name), &g_backend));
  *out_backend = g_backend;
  OY_TRY(oy_device_hooks_set(g_backend, &hooks));
  return add_kernels();
}

oy_status lazy_device_close(void) {
  oy_library_close(g_library);
  oy_status status = oy_device_hooks_set(g_backend, NULL);
  while (g_block_count > 0) free(g_blocks[--g_block_count]);
  memset(g_streams, 0, sizeof(g_streams));
  return status;
}

size_t lazy_device_muls(uint64_t* streams, size_t room) {
  size_t count = g_note_count < room ? g_note_count : room;
  memcpy(streams, g_notes, count * sizeof(*streams));
  g_note_count = 0;
  return count;
}
int lazy_device_recorded(void) {
  return g_recorded;
}
