// SPDX-License-Identifier: Apache-2.0
// The profiler while it runs: an observer that writes to the buffer of its thread. An
// entry is written whole when its record ends, and published by the count; so whoever
// reads after the stop sees whole entries or none.
#include "observe/profiler.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/thread_end.h"
#include "opyard/autograd.h"
#include "tensor/memory_watch.h"

enum { DEFAULT_EVENTS = 1 << 18 };

static __thread oyi_profile_buffer* t_buffers __attribute__((tls_model("initial-exec")));

static int64_t clock_ns(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t oyi_profile_now(void) {
  return clock_ns(CLOCK_MONOTONIC);
}

// ------------------------------------------------------------- buffers of a thread

static void buffer_release(oyi_profile_buffer* b) {
  if (__atomic_sub_fetch(&b->references, 1, __ATOMIC_ACQ_REL) != 0) return;
  for (oyi_profile_chunk *c = b->first, *next; c; c = next) {
    next = c->next;
    oyi_free(c);
  }
  oyi_arena_free(&b->arena);
  oyi_free(b->frames);
  oyi_free(b);
}

// Of profilers that were stopped; those of threads that end.
static void drop_buffers(bool all) {
  oyi_profile_buffer** at = &t_buffers;
  while (*at) {
    oyi_profile_buffer* b = *at;
    if (!all && !__atomic_load_n(&b->closed, __ATOMIC_ACQUIRE)) {
      at = &b->next_own;
      continue;
    }
    *at = b->next_own;
    if (b->has_memory) oyi_memory_watch_thread(false);
    buffer_release(b);
  }
}

static void end_thread(void* unused) {
  (void)unused;
  drop_buffers(true);
}
static oyi_thread_end g_end = {.run = end_thread};

// False once the profiler was stopped.
static bool link_buffer(oy_profiler* p, oyi_profile_buffer* b) {
  pthread_mutex_lock(&p->mutex);
  bool stopped = p->stopped;
  if (!stopped) {
    b->next = p->buffers;
    p->buffers = b;
  }
  pthread_mutex_unlock(&p->mutex);
  return !stopped;
}

static OYI_COLD oyi_profile_buffer* make_buffer(oy_profiler* p) {
  drop_buffers(false);
  oyi_profile_buffer* b =
      oyi_thread_end_set(&g_end, &t_buffers) ? oyi_zalloc(sizeof(*b)) : NULL;
  if (!b) return NULL;
  if (!oyi_arena_init(&b->arena, 16 << 10)) {
    oyi_free(b);
    return NULL;
  }
  b->references = 2;
  b->owner = p;
  b->max_events = p->options.max_events;
  b->thread = oy_sequence_next() >> OY_SEQUENCE_BITS;
  b->system_thread = (int)syscall(SYS_gettid);
  (void)prctl(PR_GET_NAME, b->thread_name);
  if (!link_buffer(p, b)) {
    oyi_arena_free(&b->arena);
    oyi_free(b);
    return NULL;
  }
  b->next_own = t_buffers;
  t_buffers = b;
  b->has_memory = p->options.profile_memory;
  if (b->has_memory) oyi_memory_watch_thread(true);
  return b;
}

static oyi_profile_buffer* buffer_of(const oy_profiler* p) {
  oyi_profile_buffer* b = t_buffers;
  while (b && (b->owner != p || __atomic_load_n(&b->closed, __ATOMIC_ACQUIRE)))
    b = b->next_own;
  return b;
}

// ----------------------------------------------------------------------- entries

static void count_dropped(oyi_profile_buffer* b) {
  __atomic_store_n(&b->dropped, b->dropped + 1, __ATOMIC_RELAXED);
}

static oyi_profile_chunk* chunk_for(oyi_profile_buffer* b) {
  if (b->count % OYI_CHUNK) return b->last;
  oyi_profile_chunk* chunk = oyi_malloc(sizeof(*chunk));
  if (!chunk) return NULL;
  chunk->next = NULL;
  if (b->last)
    b->last->next = chunk;
  else
    b->first = chunk;
  return b->last = chunk;
}

static void append(oyi_profile_buffer* b, const oyi_profile_entry* entry) {
  oyi_profile_chunk* chunk = b->count < b->max_events ? chunk_for(b) : NULL;
  if (!chunk) {
    count_dropped(b);
    return;
  }
  chunk->entries[b->count % OYI_CHUNK] = *entry;
  __atomic_store_n(&b->count, b->count + 1, __ATOMIC_RELEASE);
}

static const char* copy_text(oyi_arena* arena, oy_str text) {
  char* copy = oyi_arena_alloc(arena, text.size + 1);
  if (!copy) return NULL;
  if (text.size) memcpy(copy, text.data, text.size);
  copy[text.size] = '\0';
  return copy;
}

// Names of operators are copied once: an operator may be gone when they are read.
static const char* name_of(oyi_profile_buffer* b, const oy_record* record,
                           uint32_t* out_full) {
  if (!record->op) {
    *out_full = (uint32_t)record->name.size;
    return copy_text(&b->arena, record->name);
  }
  oy_str full = oy_op_name_of(record->op);
  *out_full = (uint32_t)full.size;
  size_t place = ((uintptr_t)record->op >> 6) * 0x9e3779b97f4a7c15u >> 55;
  oyi_profile_name* n = &b->names[place % OYI_PROFILE_NAMES];
  if (n->op == record->op) return n->text;
  const char* text = copy_text(&b->arena, full);
  if (text) *n = (oyi_profile_name){record->op, text};
  return text;
}

// Where texts and shapes go is bounded as entries are.
static bool has_room(const oyi_profile_buffer* b) {
  return b->count + b->depth < b->max_events && b->arena.total / 256 <= b->max_events;
}

static bool fill(oyi_profile_buffer* b, oyi_profile_frame* f, const oy_record* record) {
  const oy_profiler_options* options = &b->owner->options;
  uint32_t full;
  const char* name = has_room(b) ? name_of(b, record, &full) : NULL;
  if (!name) return false;
  *f = (oyi_profile_frame){.entry = {.name = name,
                                     .name_size = (uint32_t)record->name.size,
                                     .full_size = full,
                                     .kind = OY_PROFILE_RANGE,
                                     .scope = (uint8_t)record->scope,
                                     .sequence = record->sequence,
                                     .forward_thread = record->forward_thread,
                                     .id = record->id}};
  if (options->record_shapes && record->inputs)
    f->entry.inputs = oyi_inputs_copy(&b->arena, record->inputs, record->input_count);
  if (options->with_flops) f->entry.flops = oyi_profile_flops(record);
  if (options->with_stack) oyi_profile_note_stack(b, &f->entry);
  return true;
}

// --------------------------------------------------------------------- the observer

static oy_status start(void* data, const oy_record* record, void** out_context) {
  oy_profiler* p = data;
  oyi_profile_buffer* b = buffer_of(p);
  if (OY_UNLIKELY(!b) && !(b = make_buffer(p))) return OY_OK;
  if (!oyi_grow(&b->frames, &b->frame_capacity, b->depth + 1, sizeof(*b->frames)) ||
      !fill(b, &b->frames[b->depth], record)) {
    count_dropped(b);
    return OY_OK;
  }
  *out_context = b;
  b->frames[b->depth++].entry.start_ns = oyi_profile_now();
  return OY_OK;
}

static void finish_frame(oyi_profile_buffer* b, int64_t now) {
  oyi_profile_frame* f = &b->frames[--b->depth];
  oyi_profile_entry* e = &f->entry;
  e->end_ns = now;
  e->self_ns = now - e->start_ns - f->inner_ns;
  e->memory = e->self_memory + f->inner_memory;
  if (b->depth) {
    f[-1].inner_ns += now - e->start_ns;
    f[-1].inner_memory += e->memory;
  }
  append(b, e);
}

static oy_status end(void* data, const oy_record* record, void* context) {
  int64_t now = oyi_profile_now();
  oyi_profile_buffer* b = context;
  (void)record;
  // The profiler may have been stopped meanwhile, and the buffer be gone.
  for (oyi_profile_buffer* own = t_buffers; own && b; own = own->next_own) {
    if (own != b || b->owner != data) continue;
    if (b->depth && !__atomic_load_n(&b->closed, __ATOMIC_ACQUIRE)) finish_frame(b, now);
    break;
  }
  return OY_OK;
}

static void see_block(const void* address, int64_t bytes) {
  bool any_closed = false;
  for (oyi_profile_buffer* b = t_buffers; b; b = b->next_own) {
    bool closed = __atomic_load_n(&b->closed, __ATOMIC_ACQUIRE);
    any_closed |= closed;
    if (closed || !b->has_memory) continue;
    oyi_profile_entry e = {.name = "[memory]",
                           .name_size = 8,
                           .full_size = 8,
                           .kind = OY_PROFILE_MEMORY,
                           .inside = b->depth > 0,
                           .memory = bytes,
                           .self_memory = bytes,
                           .sequence = -1,
                           .address = address};
    if (b->depth) b->frames[b->depth - 1].entry.self_memory += bytes;
    e.start_ns = e.end_ns = oyi_profile_now();
    append(b, &e);
  }
  if (any_closed) drop_buffers(false);
}

// -------------------------------------------------------------------- start, stop

static void profiler_release(void* data) {
  oy_profiler* p = data;
  if (__atomic_sub_fetch(&p->references, 1, __ATOMIC_ACQ_REL) != 0) return;
  pthread_mutex_destroy(&p->mutex);
  oyi_free(p);
}

oy_status oy_profiler_start(const oy_profiler_options* options,
                            oy_profiler** out_profiler) {
  *out_profiler = NULL;
  oy_profiler* p = oyi_zalloc(sizeof(*p));
  if (!p) return OY_OUT_OF_MEMORY;
  if (options) p->options = *options;
  if (!p->options.max_events) p->options.max_events = DEFAULT_EVENTS;
  p->references = 2;
  pthread_mutex_init(&p->mutex, NULL);
  if (p->options.profile_memory) oyi_memory_watcher_set(see_block);
  if (p->options.with_stack) oyi_profile_stack_warm();
  oy_observer observer = {
      .start = start,
      .end = end,
      .data = p,
      .destroy = profiler_release,
      .probability = 1,
      .needs_inputs = p->options.record_shapes || p->options.with_flops,
      .needs_ids = true};
  oy_observe_where where = p->options.this_thread ? OY_OBSERVE_THREAD : OY_OBSERVE_ALL;
  p->thread = oy_sequence_next() >> OY_SEQUENCE_BITS;
  p->wall_ns = clock_ns(CLOCK_REALTIME);
  p->began_ns = oyi_profile_now();
  oy_status status = oy_observer_add(&observer, where, &p->observer);
  if (status != OY_OK) {
    p->references = 1;
    profiler_release(p);
    return status;
  }
  // So that the starting thread's memory counts from now on, and not from its first call.
  if (p->options.profile_memory) (void)make_buffer(p);
  *out_profiler = p;
  return OY_OK;
}

static void close_buffers(oy_profiler* p) {
  pthread_mutex_lock(&p->mutex);
  __atomic_store_n(&p->stopped, true, __ATOMIC_RELEASE);
  for (oyi_profile_buffer* b = p->buffers; b; b = b->next)
    __atomic_store_n(&b->closed, true, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&p->mutex);
}

oy_status oy_profiler_stop(oy_profiler* p) {
  OY_CHECK(p, INVALID_ARGUMENT, "expected a profiler to stop, got NULL");
  if (oyi_profile_stopped(p)) return OY_OK;
  OY_CHECK(!p->options.this_thread || p->thread == oy_sequence_next() >> OY_SEQUENCE_BITS,
           FAILED_PRECONDITION,
           "expected the thread that started the profiler, which it records alone, to "
           "stop it, got another one");
  int64_t now = oyi_profile_now();
  if (!oy_observer_remove(p->observer)) return OY_OK;  // another thread is at it
  p->ended_ns = now;
  oyi_profile_buffer* own = buffer_of(p);
  while (own && own->depth) finish_frame(own, now);
  close_buffers(p);
  drop_buffers(false);
  return OY_OK;
}

void oy_profiler_free(oy_profiler* p) {
  if (!p) return;
  if (oy_profiler_stop(p) != OY_OK) {
    // The observer goes with its thread; until then it writes to what is closed.
    close_buffers(p);
    oy_error_clear();
  }
  for (oyi_profile_buffer *b = p->buffers, *next; b; b = next) {
    next = b->next;  // none is added any more
    buffer_release(b);
  }
  for (size_t i = 0; i < p->item_count; i++) {
    char* texts[] = {p->items[i].shapes, p->items[i].strides, p->items[i].types,
                     p->items[i].values};
    for (size_t k = 0; k < OY_ARRAY_SIZE(texts); k++) oyi_free(texts[k]);
  }
  oyi_free(p->items);
  p->items = NULL;
  p->item_count = 0;
  p->buffers = NULL;
  profiler_release(p);
}

uint64_t oy_profiler_dropped(const oy_profiler* p) {
  uint64_t dropped = 0;
  for (const oyi_profile_buffer* b = p && oyi_profile_stopped(p) ? p->buffers : NULL; b;
       b = b->next)
    dropped += __atomic_load_n(&b->dropped, __ATOMIC_RELAXED);
  return dropped;
}

int64_t oy_profiler_duration(const oy_profiler* p) {
  return p && oyi_profile_stopped(p) ? p->ended_ns - p->began_ns : 0;
}
