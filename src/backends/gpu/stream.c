// SPDX-License-Identifier: Apache-2.0
// Streams are queues in order, made on first use. The number of a stream is its slot and
// how often the slot was given out before, so that one that is gone is noticed.
#include "driver.h"

static __thread uint8_t t_current[GPU_DEVICES];

static uint64_t number_of(const gpu_device* d, int slot) {
  return slot == 0 ? 0 : (uint64_t)d->streams[slot].generation << 8 | (uint64_t)slot;
}

oy_status gpu_stream_slot(gpu_device* d, uint64_t stream, int* out_slot) {
  int slot = (int)(stream & 0xff);
  *out_slot = 0;
  bool good = stream == 0;
  if (!good && slot > 0 && slot < GPU_STREAMS) {
    pthread_mutex_lock(&d->lock);
    good = d->streams[slot].taken && number_of(d, slot) == stream;
    pthread_mutex_unlock(&d->lock);
  }
  OY_CHECK(good, INVALID_ARGUMENT, "%s:%d has no stream %llu, or it was destroyed",
           gpu_driver_name, d->index, (unsigned long long)stream);
  *out_slot = slot;
  return OY_OK;
}

int gpu_stream_current(gpu_device* d) {
  return t_current[d->index];
}

oy_status gpu_queue(gpu_device* d, int slot, void** out_queue) {
  gpu_stream* s = &d->streams[slot];
  *out_queue = __atomic_load_n(&s->queue, __ATOMIC_ACQUIRE);
  if (OY_LIKELY(*out_queue)) return OY_OK;
  oy_status status = OY_OK;
  void* made = NULL;
  pthread_mutex_lock(&d->lock);
  if (!s->queue) status = gpu_driver_queue_new(d, s->priority, &made);
  if (made) __atomic_store_n(&s->queue, made, __ATOMIC_RELEASE);
  *out_queue = s->queue;
  pthread_mutex_unlock(&d->lock);
  return status;
}

oy_status gpu_queue_current(gpu_device* d, void** out_queue) {
  return gpu_queue(d, gpu_stream_current(d), out_queue);
}

oy_status gpu_queue_of(int16_t index, uint64_t stream, void** out_queue) {
  gpu_device* d;
  int slot;
  *out_queue = NULL;
  OY_TRY(gpu_device_get(index, &d));
  OY_TRY(gpu_stream_slot(d, stream, &slot));
  return gpu_queue(d, slot, out_queue);
}

oy_status gpu_stream_follow(gpu_device* d, int slot, int other) {
  void *first, *then;
  if (slot == other) return OY_OK;
  OY_TRY(gpu_queue(d, other, &first));
  OY_TRY(gpu_queue(d, slot, &then));
  OY_TRY(gpu_driver_follow(d, then, first));
  gpu_stream_worked(d, slot);
  return OY_OK;
}

// Notes what was waited for, so that queries need not ask the driver: PoCL takes its time to
// reach a marker even where no work is left.
static oy_status wait_for(gpu_device* d, int slot, void* queue) {
  gpu_stream* s = &d->streams[slot];
  const uint64_t work = __atomic_load_n(&s->work, __ATOMIC_ACQUIRE);
  OY_TRY(gpu_driver_wait(d, queue));
  __atomic_store_n(&s->waited_work, work, __ATOMIC_RELEASE);
  return OY_OK;
}

oy_status gpu_synchronize(gpu_device* d) {
  for (int slot = 0; slot < GPU_STREAMS; slot++) {
    void* queue = __atomic_load_n(&d->streams[slot].queue, __ATOMIC_ACQUIRE);
    if (queue) OY_TRY(wait_for(d, slot, queue));
  }
  return OY_OK;
}

// ------------------------------------------------------------------ hooks: streams

// A slot whose queue has the priority, or has none yet; 0 if there is none.
static int free_slot(const gpu_device* d, int32_t priority) {
  int other = 0;
  for (int slot = 1; slot < GPU_STREAMS; slot++) {
    const gpu_stream* s = &d->streams[slot];
    if (s->taken) continue;
    if (!s->queue || s->priority == priority) return slot;
    if (!other) other = slot;
  }
  return other;
}

static oy_status stream_create(void* state, int16_t index, int32_t priority,
                               uint64_t* out_stream) {
  (void)state;
  gpu_device* d;
  *out_stream = 0;
  OY_TRY(gpu_device_get(index, &d));
  pthread_mutex_lock(&d->lock);
  int slot = free_slot(d, priority);
  if (slot) {
    gpu_stream* s = &d->streams[slot];
    if (!s->queue) s->priority = priority;
    s->taken = true;
    s->generation++;
    *out_stream = number_of(d, slot);
  }
  pthread_mutex_unlock(&d->lock);
  OY_CHECK(*out_stream, EXHAUSTED,
           "%s:%d has %d streams already; destroy some that are not in use",
           gpu_driver_name, d->index, GPU_STREAMS);
  return OY_OK;
}

// The queue stays for the next owner of the slot: blocks may still name it as their home.
static void stream_destroy(void* state, int16_t index, uint64_t stream) {
  (void)state;
  gpu_device* d;
  int slot;
  if (stream == 0 || gpu_device_get(index, &d) != OY_OK ||
      gpu_stream_slot(d, stream, &slot) != OY_OK)
    return;
  void* queue = __atomic_load_n(&d->streams[slot].queue, __ATOMIC_ACQUIRE);
  if (queue) (void)gpu_driver_flush(queue);
  if (t_current[d->index] == slot) t_current[d->index] = 0;
  pthread_mutex_lock(&d->lock);
  d->streams[slot].taken = false;
  pthread_mutex_unlock(&d->lock);
}

static oy_status stream_exchange(void* state, int16_t index, uint64_t stream,
                                 uint64_t* out_before) {
  (void)state;
  gpu_device* d;
  int slot;
  *out_before = 0;
  OY_TRY(gpu_device_get(index, &d));
  *out_before = number_of(d, t_current[d->index]);
  if (stream == OY_STREAM_ASK) return OY_OK;
  OY_TRY(gpu_stream_slot(d, stream, &slot));
  t_current[d->index] = (uint8_t)slot;
  return OY_OK;
}

static oy_status stream_query(void* state, int16_t index, uint64_t stream,
                              bool* out_done) {
  (void)state;
  gpu_device* d;
  int slot;
  void* queue;
  *out_done = false;
  OY_TRY(gpu_device_get(index, &d));
  OY_TRY(gpu_stream_slot(d, stream, &slot));
  OY_TRY(gpu_queue(d, slot, &queue));
  gpu_stream* s = &d->streams[slot];
  pthread_mutex_lock(&d->lock);
  uint64_t work = __atomic_load_n(&s->work, __ATOMIC_ACQUIRE);
  oy_status status = OY_OK;
  *out_done = __atomic_load_n(&s->waited_work, __ATOMIC_ACQUIRE) == work;
  if (!*out_done) {
    status = gpu_driver_query(d, queue, &s->marker, s->marker_work != work, out_done);
    s->marker_work = work;
  }
  pthread_mutex_unlock(&d->lock);
  return status;
}

static oy_status stream_synchronize(void* state, int16_t index, uint64_t stream) {
  (void)state;
  gpu_device* d;
  int slot;
  void* queue;
  OY_TRY(gpu_device_get(index, &d));
  OY_TRY(gpu_stream_slot(d, stream, &slot));
  OY_TRY(gpu_queue(d, slot, &queue));
  return wait_for(d, slot, queue);
}

static void* stream_native(void* state, int16_t index, uint64_t stream) {
  (void)state;
  void* queue;
  return gpu_queue_of(index, stream, &queue) == OY_OK ? queue : NULL;
}

void gpu_stream_hooks(oy_device_hooks* hooks) {
  hooks->stream_create = stream_create;
  hooks->stream_destroy = stream_destroy;
  hooks->stream_exchange = stream_exchange;
  hooks->stream_query = stream_query;
  hooks->stream_synchronize = stream_synchronize;
  hooks->stream_native = stream_native;
}
