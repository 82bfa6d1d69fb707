// SPDX-License-Identifier: Apache-2.0
// Memory of the host that is copied without blocking. What is given back is kept: pinning
// takes the driver longer than most copies. A block that copies still use waits, behind an
// event for each stream that has some, until they are done.
#include <stdlib.h>

#include "cuda_runtime.h"

enum { LEAST = 4096 };

typedef struct user {
  gpu_device* device;
  uint64_t streams;  // as bits
} user;

typedef struct pinned {
  char* data;
  size_t size;
  user users[4];      // devices that copies were put on; more of them are waited for
  void* events[256];  // that it waits for after it was given back
  int event_count;
  struct pinned* next;
} pinned;

static pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
static pinned *g_live, *g_kept;

static void note(pinned* p, gpu_device* d, int slot) {
  size_t i = 0;
  while (i < 3 && p->users[i].device && p->users[i].device != d) i++;
  if (p->users[i].device && p->users[i].device != d) {
    (void)gpu_synchronize(p->users[i].device);  // makes room
    p->users[i].streams = 0;
  }
  p->users[i].device = d;
  p->users[i].streams |= 1ull << slot;
}

void cuda_pinned_used(gpu_device* d, int slot, const void* data) {
  const char* at = data;
  pthread_mutex_lock(&g_lock);
  for (pinned* p = g_live; p; p = p->next)
    if (at >= p->data && at < p->data + p->size) note(p, d, slot);
  pthread_mutex_unlock(&g_lock);
}

static size_t round_size(size_t nbytes) {
  size_t size = LEAST;
  while (size < nbytes && size <= SIZE_MAX / 4) size *= 2;
  return size < nbytes ? nbytes : size;
}

// Forgets events that have happened; whether there are none left.
static bool is_free(pinned* p) {
  while (p->event_count > 0) {
    if (cuda.EventQuery(p->events[p->event_count - 1]) == CUDA_NOT_READY) return false;
    cuda.EventDestroy(p->events[--p->event_count]);
  }
  return true;
}

static pinned* take_kept(size_t size) {
  for (pinned** at = &g_kept; *at; at = &(*at)->next)
    if ((*at)->size == size && is_free(*at)) {
      pinned* p = *at;
      *at = p->next;
      return p;
    }
  return NULL;
}

static oy_status pinned_new(size_t size, pinned** out_pinned) {
  void* data;
  pinned* p = calloc(1, sizeof(*p));
  *out_pinned = NULL;
  OY_CHECK(p, OUT_OF_MEMORY, "no memory for a block of pinned memory");
  int code = cuda.MemHostAlloc(&data, size, CUDA_HOST_PORTABLE);
  if (code != CUDA_OK) {
    free(p);
    return cuda_fail(code, "cuMemHostAlloc");
  }
  p->data = data;
  p->size = size;
  *out_pinned = p;
  return OY_OK;
}

static oy_status host_allocate(void* state, size_t nbytes, void** out_data,
                               void** out_context) {
  (void)state;
  gpu_device* d;
  *out_data = *out_context = NULL;
  OY_TRY(gpu_device_get(-1, &d));
  OY_TRY(cuda_enter(d));
  size_t size = round_size(nbytes);
  pthread_mutex_lock(&g_lock);
  pinned* p = take_kept(size);
  oy_status status = p ? OY_OK : pinned_new(size, &p);
  if (p) {
    p->next = g_live;
    g_live = p;
    *out_data = p->data;
    *out_context = p;
  }
  pthread_mutex_unlock(&g_lock);
  return status;
}

// An event behind what is on each stream that uses it; a stream that takes none is waited
// for.
static void wait_for(pinned* p, user* u) {
  for (int slot = 0; u->streams; slot++, u->streams >>= 1) {
    void *queue, *event;
    if (!(u->streams & 1) || gpu_queue(u->device, slot, &queue) != OY_OK) continue;
    if (cuda_enter(u->device) == OY_OK && p->event_count < 256 &&
        cuda.EventCreate(&event, CUDA_EVENT_NO_TIMING) == CUDA_OK) {
      p->events[p->event_count++] = event;
      if (cuda.EventRecord(event, queue) == CUDA_OK) continue;
    }
    (void)gpu_driver_wait(u->device, queue);
  }
  u->device = NULL;
}

static void host_release(void* state, void* data, void* context) {
  (void)state, (void)data;
  pinned* p = context;
  pthread_mutex_lock(&g_lock);
  pinned** at = &g_live;
  while (*at && *at != p) at = &(*at)->next;
  if (*at) {
    *at = p->next;
    for (size_t i = 0; i < 4; i++)
      if (p->users[i].device) wait_for(p, &p->users[i]);
    p->next = g_kept;
    g_kept = p;
  }
  pthread_mutex_unlock(&g_lock);
}

// All streams are done by then, and no tensor has pinned memory.
void cuda_pinned_close(gpu_device* d) {
  if (!d->context || cuda.CtxSetCurrent(d->context) != CUDA_OK) return;
  pthread_mutex_lock(&g_lock);
  while (g_kept) {
    pinned* p = g_kept;
    g_kept = p->next;
    while (p->event_count > 0) cuda.EventDestroy(p->events[--p->event_count]);
    cuda.MemFreeHost(p->data);
    free(p);
  }
  pthread_mutex_unlock(&g_lock);
}

void cuda_pinned_hooks(oy_device_hooks* hooks) {
  hooks->host_allocate = host_allocate;
  hooks->host_release = host_release;
}
