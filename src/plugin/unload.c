// SPDX-License-Identifier: Apache-2.0
// Taking a plugin out: what it registered goes, calls that began before are waited for,
// what was retired is freed, and when nothing holds its memory the code is closed.
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "base/memory.h"
#include "plugin/attempts.h"
#include "plugin/plugin.h"

// -------------------------------------------------------------------- holders

static void add_text(oy_plugin_held* held, const char* format, ...)
    __attribute__((format(printf, 2, 3)));
static void add_text(oy_plugin_held* held, const char* format, ...) {
  size_t used = strlen(held->text), room = sizeof(held->text) - used;
  int n = snprintf(held->text + used, room, "%s", used ? ", " : "");
  if (n < 0 || (size_t)n >= room) return;
  va_list args;
  va_start(args, format);
  vsnprintf(held->text + used + n, room - (size_t)n, format, args);
  va_end(args);
}

static void count_memory(const oyi_devices* d, oy_plugin_held* held) {
  if (!d->record) return;
  uint64_t blocks = __atomic_load_n(&d->record->blocks, __ATOMIC_ACQUIRE);
  uint64_t bytes = __atomic_load_n(&d->record->bytes, __ATOMIC_RELAXED);
  if (!blocks) return;
  held->blocks += blocks;
  held->bytes += bytes;
  add_text(held, "%llu block%s (%llu bytes) of %s", (unsigned long long)blocks,
           blocks == 1 ? "" : "s", (unsigned long long)bytes,
           oy_backend_name(d->backend));
}

static void count_objects(const oy_loaded_plugin* p, oy_plugin_held* held) {
  if (!p->started || !p->described.alive) return;
  char text[128] = "";
  held->objects = p->described.alive(text, sizeof(text));
  text[sizeof(text) - 1] = '\0';
  if (held->objects)
    add_text(held, "%llu object%s of its own%s%s", (unsigned long long)held->objects,
             held->objects == 1 ? "" : "s", *text ? ": " : "", text);
}

void oyi_plugin_count_held(const oy_loaded_plugin* p, oy_plugin_held* out) {
  size_t size = out->struct_size;
  *out = (oy_plugin_held){.struct_size = size};
  for (size_t i = 0; i < p->device_count; i++) count_memory(&p->devices[i], out);
  count_objects(p, out);
  size_t in_image = oyi_registrations_in(p->image.begin, p->image.end);
  size_t owned = p->state == OYI_PLUGIN_LEAVING ? 0 : oyi_owner_registrations(&p->owner);
  out->kernels = in_image > owned ? in_image - owned : 0;
  if (out->kernels)
    add_text(out, "%llu kernels that it registered outside of its scope",
             (unsigned long long)out->kernels);
}

// -------------------------------------------------------------------- waiting

static uint64_t now_ms(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static bool is_in_call(void) {
  return !(oy_call_before() & 1);
}

// Every call that could see the plugin has left, and what it left behind is freed. Calls
// in flight go on with its devices; these are withdrawn when they have left.
static bool is_quiet(oy_loaded_plugin* p) {
  if (!oyi_grace_over(p->grace)) return false;
  if (!p->withdrawn) {
    oyi_scope_withdraw(p);
    p->withdrawn = true;
    p->grace = oyi_grace_begin();
    if (!oyi_grace_over(p->grace)) return false;
  }
  if (!oyi_registries_collect(p->grace)) return false;
  oyi_hooks_collect();
  return !oyi_free_pending();
}

static bool wait_quiet(oy_loaded_plugin* p, unsigned wait_ms) {
  // This thread's own call would be waited for.
  if (is_in_call()) return false;
  uint64_t end = now_ms() + wait_ms;
  struct timespec pause = {0, 20 * 1000};
  while (!is_quiet(p)) {
    if (now_ms() >= end) return false;
    nanosleep(&pause, NULL);
  }
  return true;
}

static bool is_free(const oy_loaded_plugin* p) {
  oy_plugin_held held = {0};
  oyi_plugin_count_held(p, &held);
  return !held.blocks && !held.objects && !held.kernels;
}

// -------------------------------------------------------------------- closing

static void close_record(oy_loaded_plugin* p) {
  if (p->started && p->described.unload) p->described.unload();
  // Before the record: the path may be opened anew.
  oyi_image_close(&p->image);
  for (oy_loaded_plugin** at = &oyi_plugins; *at; at = &(*at)->next) {
    if (*at != p) continue;
    *at = p->next;
    break;
  }
  for (size_t i = 0; i < p->device_count; i++) oyi_hooks_release(p->devices[i].record);
  oyi_free(p->devices);
  oyi_free(p);
}

bool oyi_plugin_finish(oy_loaded_plugin* p, unsigned wait_ms) {
  if (!wait_quiet(p, wait_ms) || !is_free(p)) return false;
  if (p->started) oyi_attempt_note(OY_PLUGIN_UNLOADED, p->name, p->path, NULL, NULL);
  close_record(p);
  return true;
}

bool oyi_plugin_leave(oy_loaded_plugin* p, unsigned wait_ms) {
  p->state = OYI_PLUGIN_LEAVING;
  oyi_owner_close(&p->owner);
  p->grace = oyi_grace_begin();
  return oyi_plugin_finish(p, wait_ms);
}
