// SPDX-License-Identifier: Apache-2.0
#include "plugin/attempts.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { KEPT = 256 };

// Made one by one, when there is something to say.
static oy_plugin_attempt* g_attempts[KEPT];
static size_t g_count;
static pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER;

static oy_plugin_attempt* find(const char* path) {
  for (size_t i = 0; i < g_count; i++)
    if (strncmp(g_attempts[i]->path, path, sizeof(g_attempts[i]->path) - 1) == 0)
      return g_attempts[i];
  return NULL;
}

// A place for a new one; the oldest goes if there are too many. Without memory nothing is
// noted.
static oy_plugin_attempt* add(void) {
  if (g_count == KEPT) {
    oy_plugin_attempt* oldest = g_attempts[0];
    memmove(g_attempts, g_attempts + 1, (KEPT - 1) * sizeof(*g_attempts));
    g_attempts[KEPT - 1] = oldest;
    return oldest;
  }
  oy_plugin_attempt* made = calloc(1, sizeof(*made));
  if (made) g_attempts[g_count++] = made;
  return made;
}

// One line, cut off.
static void put(char* out, size_t size, const char* text) {
  size_t n = 0;
  for (; text && text[n] && n + 1 < size; n++) out[n] = text[n] == '\n' ? ' ' : text[n];
  out[n] = '\0';
}

void oyi_attempt_note(oy_plugin_outcome outcome, const char* name, const char* path,
                      const oyi_manifest* manifest, const char* reason) {
  pthread_mutex_lock(&g_mutex);
  oy_plugin_attempt* a = find(path);
  // A survey finds again what was loaded.
  bool keeps = a && outcome == OY_PLUGIN_ANNOUNCED && a->outcome != OY_PLUGIN_ABSENT;
  if (!a) a = add();
  if (a && !keeps) {
    a->outcome = outcome;
    put(a->path, sizeof(a->path), path);
    put(a->reason, sizeof(a->reason), reason);
  }
  if (a && name && *name) put(a->name, sizeof(a->name), name);
  if (a && manifest) put(a->backends, sizeof(a->backends), manifest->backends);
  pthread_mutex_unlock(&g_mutex);
}

bool oy_plugin_attempt_at(size_t i, oy_plugin_attempt* out_attempt) {
  pthread_mutex_lock(&g_mutex);
  bool there = i < g_count;
  if (there) *out_attempt = *g_attempts[i];
  pthread_mutex_unlock(&g_mutex);
  return there;
}

const char* oy_plugin_outcome_name(oy_plugin_outcome outcome) {
  switch (outcome) {
    case OY_PLUGIN_ANNOUNCED: return "announced";
    case OY_PLUGIN_LOADED: return "loaded";
    case OY_PLUGIN_REFUSED: return "refused";
    case OY_PLUGIN_UNLOADED: return "unloaded";
    case OY_PLUGIN_ABSENT: return "absent";
  }
  return "unknown";
}

static bool concerns(const oy_plugin_attempt* a, oy_str backend) {
  oyi_manifest m;
  put(m.backends, sizeof(m.backends), a->backends);
  return oyi_manifest_announces(&m, backend);
}

void oyi_attempt_explain(oy_str name) {
  bool said = false;
  pthread_mutex_lock(&g_mutex);
  for (size_t i = 0; i < g_count; i++) {
    const oy_plugin_attempt* a = g_attempts[i];
    if (!concerns(a, name)) continue;
    oy_error_note("plugin %s (%s) was %s%s%s", a->name, a->path,
                  oy_plugin_outcome_name(a->outcome), *a->reason ? ": " : "", a->reason);
    said = true;
  }
  pthread_mutex_unlock(&g_mutex);
  if (!said)
    oy_error_note(
        "no plugin announces %.*s; `opyard doctor` lists the folders that were searched",
        OY_STR_ARG(name));
}
