// SPDX-License-Identifier: Apache-2.0
// What the profiler's files share: buffers that threads write, and what is made of them.
#ifndef OPYARD_SRC_OBSERVE_PROFILER_H_
#define OPYARD_SRC_OBSERVE_PROFILER_H_

#include <pthread.h>

#include "base/arena.h"
#include "base/strbuf.h"
#include "opyard/profiler.h"

// What is kept of one record, or of one block of memory. Written once, by its thread.
typedef struct oyi_profile_entry {
  const char* name;  // in the arena of the buffer
  uint32_t name_size, full_size;
  uint8_t kind, scope;
  bool inside;  // of MEMORY: while a record was open
  int64_t start_ns, end_ns, self_ns;
  int64_t memory, self_memory;
  int64_t sequence;
  uint64_t forward_thread, id;
  const void* address;
  const int64_t* inputs;  // NULL, or see inputs.h
  void* const* stack;
  size_t stack_depth;
  const char* frames;  // NULL, or lines; in the arena of the buffer
  uint64_t flops;
} oyi_profile_entry;

enum { OYI_CHUNK = 256 };
typedef struct oyi_profile_chunk {
  struct oyi_profile_chunk* next;  // set before |count| says that there is one
  oyi_profile_entry entries[OYI_CHUNK];
} oyi_profile_chunk;

// A record that has begun.
typedef struct oyi_profile_frame {
  oyi_profile_entry entry;
  int64_t inner_ns, inner_memory;  // of what it called
} oyi_profile_frame;

typedef struct oyi_profile_name {
  const oy_op* op;
  const char* text;
} oyi_profile_name;
enum { OYI_PROFILE_NAMES = 512 };

// Of one thread in one profiler; both own it. Only the thread writes, but for |closed|.
typedef struct oyi_profile_buffer {
  int32_t references;  // atomic
  bool closed;         // atomic: the profiler was stopped
  bool has_memory;
  struct oyi_profile_buffer* next;      // of the profiler
  struct oyi_profile_buffer* next_own;  // of the thread
  oy_profiler* owner;                   // not to be followed once it is closed
  uint64_t thread;
  size_t max_events;
  int system_thread;
  char thread_name[16];
  oyi_profile_chunk *first, *last;
  uint64_t count;    // atomic: entries that are whole
  uint64_t dropped;  // atomic
  oyi_arena arena;
  oyi_profile_frame* frames;
  size_t depth, frame_capacity;
  oyi_profile_name names[OYI_PROFILE_NAMES];   // by op: copies that are in the arena
  const char* frame_texts[OYI_PROFILE_NAMES];  // by hash, the same
} oyi_profile_buffer;

// An entry with its place in the whole.
typedef struct oyi_profile_item {
  const oyi_profile_entry* entry;
  const oyi_profile_buffer* buffer;
  size_t parent;
  char *shapes, *strides, *types, *values;  // made when they are asked for
} oyi_profile_item;

struct oy_profiler {
  oy_profiler_options options;
  uint64_t observer;
  uint64_t thread;  // that started it
  int64_t began_ns, ended_ns;
  int64_t wall_ns;        // of the clock on the wall when it began
  bool stopped;           // atomic
  pthread_mutex_t mutex;  // of |buffers|
  oyi_profile_buffer* buffers;
  int32_t references;       // atomic: the user's, and the observer's
  oyi_profile_item* items;  // NULL until somebody asks
  size_t item_count;
};

int64_t oyi_profile_now(void);
static inline bool oyi_profile_stopped(const oy_profiler* p) {
  return __atomic_load_n(&p->stopped, __ATOMIC_ACQUIRE);
}
// Puts all entries in order, once. FAILED_PRECONDITION while it runs, OUT_OF_MEMORY.
oy_status oyi_profile_collect(oy_profiler* profiler);
void oyi_profile_event(oyi_profile_item* item, const oy_profiler* profiler,
                       oy_profile_event* out_event);

// profile_stack.c: where a record comes from, for its entry.
void oyi_profile_stack_warm(void);  // what the first one would have to load
void oyi_profile_note_stack(oyi_profile_buffer* buffer, oyi_profile_entry* entry);
oy_str oyi_profile_frame_at(const char* frames, size_t index);  // empty: none

// profile_flops.c: of a call, 0 where there is no formula.
uint64_t oyi_profile_flops(const oy_record* record);

// FNV-1a, from OYI_PROFILE_HASH on.
#define OYI_PROFILE_HASH 0xcbf29ce484222325u
uint64_t oyi_profile_hash(uint64_t h, const char* text, size_t size);

// inputs.c: arguments of a call as numbers, which are made text only at the end. NULL if
// there is no room.
const int64_t* oyi_inputs_copy(oyi_arena* arena, const oy_value* inputs, size_t count);
typedef enum oyi_inputs_what {
  OYI_INPUT_SHAPES,
  OYI_INPUT_STRIDES,
  OYI_INPUT_TYPES,
  OYI_INPUT_VALUES
} oyi_inputs_what;
void oyi_inputs_print(oyi_strbuf* text, const int64_t* inputs, oyi_inputs_what what);

#endif  // OPYARD_SRC_OBSERVE_PROFILER_H_
