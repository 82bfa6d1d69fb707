// SPDX-License-Identifier: Apache-2.0
// Where a record comes from: return addresses of C, which get names when somebody asks, and
// the lines of a language above it, which it tells at once, as they do not last.
#include <dlfcn.h>
#include <execinfo.h>
#include <stdio.h>

#include "observe/profiler.h"

enum { STACK_MOST = 64, STACK_OWN = 5, FRAMES_SIZE = 16 << 10 };

static oy_frames_source g_source;  // atomic

void oy_profiler_frames_source_set(oy_frames_source source) {
  __atomic_store_n(&g_source, source, __ATOMIC_RELEASE);
}

void oyi_profile_stack_warm(void) {
  void* first[1];
  (void)backtrace(first, 1);
}

static void note_addresses(oyi_profile_buffer* b, oyi_profile_entry* e) {
  void* found[STACK_MOST + STACK_OWN];
  int depth = backtrace(found, STACK_MOST + STACK_OWN) - STACK_OWN;
  if (depth <= 0) return;
  void** stack = oyi_arena_alloc(&b->arena, (size_t)depth * sizeof(void*));
  if (!stack) return;
  memcpy(stack, found + STACK_OWN, (size_t)depth * sizeof(void*));
  e->stack = stack;
  e->stack_depth = (size_t)depth;
}

// Calls that follow each other often come from the same lines: those are kept once.
static const char* keep(oyi_profile_buffer* b, const char* text, size_t size) {
  const char** place =
      &b->frame_texts[oyi_profile_hash(OYI_PROFILE_HASH, text, size) % OYI_PROFILE_NAMES];
  if (*place && strcmp(*place, text) == 0) return *place;
  char* copy = oyi_arena_alloc(&b->arena, size + 1);
  if (!copy) return NULL;
  memcpy(copy, text, size + 1);
  return *place = copy;
}

static void note_frames(oyi_profile_buffer* b, oyi_profile_entry* e) {
  oy_frames_source source = __atomic_load_n(&g_source, __ATOMIC_ACQUIRE);
  if (!source) return;
  char text[FRAMES_SIZE];
  text[0] = '\0';
  size_t size = source(text, sizeof text);
  if (size && size < sizeof text && !text[size]) e->frames = keep(b, text, size);
}

void oyi_profile_note_stack(oyi_profile_buffer* b, oyi_profile_entry* e) {
  note_addresses(b, e);
  note_frames(b, e);
}

void oy_profiler_symbol(const void* address, char* buffer, size_t size) {
  Dl_info info;
  if (!dladdr(address, &info) || !info.dli_fname) {
    snprintf(buffer, size, "%p", address);
    return;
  }
  const char* file = strrchr(info.dli_fname, '/');
  file = file ? file + 1 : info.dli_fname;
  size_t offset = (size_t)((const char*)address - (const char*)info.dli_fbase);
  if (info.dli_sname)
    snprintf(buffer, size, "%s at %s+0x%zx", info.dli_sname, file, offset);
  else
    snprintf(buffer, size, "%s+0x%zx", file, offset);
}

oy_str oyi_profile_frame_at(const char* frames, size_t index) {
  for (; frames && index; index--) {
    frames = strchr(frames, '\n');
    if (frames) frames++;
  }
  if (!frames || !*frames) return (oy_str){NULL, 0};
  return (oy_str){frames, strcspn(frames, "\n")};
}
