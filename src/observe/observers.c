// SPDX-License-Identifier: Apache-2.0
// Adding and removing observers. Those of all threads hang on one list under a lock;
// those of a thread are its own affair. Both count their changes, which is how a thread
// finds out that the list that it made of them is old.
#include "observe/observers.h"

#include <math.h>
#include <pthread.h>
#include <time.h>

#include "base/memory.h"
#include "base/thread_end.h"
#include "dispatch/trace.h"

static pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
static oyi_observer_entry* g_entries;
static uint64_t g_version;       // atomic
static uint64_t g_last_id;       // atomic
static uint64_t g_watching;      // observers that are on, anywhere; under g_lock
static uint64_t g_watching_all;  // of these, those of all threads

typedef struct thread_observers {
  oyi_observer_entry* entries;
  uint64_t version, enabled;
  oyi_observer_list* list;
  uint64_t random;
  bool ended;
} thread_observers;
static __thread thread_observers t_own __attribute__((tls_model("initial-exec")));
static __thread bool t_off __attribute__((tls_model("initial-exec")));
__thread int oyi_observing_off;

// --------------------------------------------------------------------- switches

// The doors are open as long as somebody observes. g_lock held.
static void count_watching(int by, bool all) {
  uint64_t before = g_watching;
  g_watching += (uint64_t)(int64_t)by;
  if (!before) oyi_observe_set(oyi_observe_call);
  if (g_watching)
    __atomic_fetch_or(&oyi_backward_watch, OYI_WATCH_RECORD, __ATOMIC_RELAXED);
  else
    __atomic_fetch_and(&oyi_backward_watch, (uint8_t)~OYI_WATCH_RECORD, __ATOMIC_RELAXED);
  if (!all) return;
  uint64_t all_before = g_watching_all;
  g_watching_all += (uint64_t)(int64_t)by;
  if (!all_before != !g_watching_all) oyi_observe_all(g_watching_all > 0);
}

static void switch_entry(oyi_observer_entry* e, bool on, bool all) {
  if (e->enabled == on) return;
  e->enabled = on;
  pthread_mutex_lock(&g_lock);
  count_watching(on ? 1 : -1, all);
  pthread_mutex_unlock(&g_lock);
}

static void own_changed(void) {
  t_own.version++;
  t_own.enabled = 0;
  for (const oyi_observer_entry* e = t_own.entries; e; e = e->next)
    t_own.enabled += e->enabled;
  oyi_observe_thread(t_own.enabled > 0);
}

// ---------------------------------------------------------------------- entries

static void entry_release(oyi_observer_entry* e) {
  if (__atomic_sub_fetch(&e->references, 1, __ATOMIC_ACQ_REL) != 0) return;
  if (e->observer.destroy) e->observer.destroy(e->observer.data);
  oyi_free(e);
}

static oyi_observer_entry** last_of(oyi_observer_entry** at, size_t* count) {
  for (*count = 0; *at; at = &(*at)->next) ++*count;
  return at;
}

static oyi_observer_entry** find(oyi_observer_entry** at, uint64_t id) {
  while (*at && (*at)->id != id) at = &(*at)->next;
  return *at ? at : NULL;
}

static oy_status check(const oy_observer* observer) {
  OY_CHECK(observer->probability >= 0 && observer->probability <= 1, INVALID_ARGUMENT,
           "expected a probability from 0 to 1 for an observer, got %g",
           observer->probability);
  OY_CHECK(observer->scopes >> OY_RECORD_SCOPES == 0, INVALID_ARGUMENT,
           "expected bits of the %d scopes that there are, got 0x%x", OY_RECORD_SCOPES,
           observer->scopes);
  return OY_OK;
}

static void end_thread(void* unused);
static oyi_thread_end g_end = {.run = end_thread};

static oy_status add_own(oyi_observer_entry* e) {
  size_t count;
  oyi_observer_entry** at = last_of(&t_own.entries, &count);
  OY_CHECK(count < OYI_OBSERVERS / 2, EXHAUSTED,
           "expected at most %d observers of one thread; remove one first",
           OYI_OBSERVERS / 2);
  OY_CHECK(oyi_thread_end_set(&g_end, &t_own), OUT_OF_MEMORY,
           "out of memory: the end of the thread cannot be watched");
  *at = e;
  switch_entry(e, true, false);
  own_changed();
  return OY_OK;
}

static oy_status add_global(oyi_observer_entry* e) {
  size_t count;
  pthread_mutex_lock(&g_lock);
  oyi_observer_entry** at = last_of(&g_entries, &count);
  if (count < OYI_OBSERVERS / 2) {
    *at = e;
    e->enabled = true;
    __atomic_fetch_add(&g_version, 1, __ATOMIC_RELEASE);
    count_watching(1, true);
  }
  pthread_mutex_unlock(&g_lock);
  OY_CHECK(count < OYI_OBSERVERS / 2, EXHAUSTED,
           "expected at most %d observers of all threads; remove one first",
           OYI_OBSERVERS / 2);
  return OY_OK;
}

oy_status oy_observer_add(const oy_observer* observer, oy_observe_where where,
                          uint64_t* out_id) {
  *out_id = 0;
  OY_TRY(check(observer));
  oyi_observer_entry* e = oyi_zalloc(sizeof(*e));
  if (!e) return OY_OUT_OF_MEMORY;
  e->observer = *observer;
  e->references = 1;
  e->id = __atomic_add_fetch(&g_last_id, 1, __ATOMIC_RELAXED);
  oy_status status = where == OY_OBSERVE_ALL ? add_global(e) : add_own(e);
  if (status != OY_OK)
    oyi_free(e);
  else
    *out_id = e->id;
  return status;
}

// Takes the one with |id| out of the list of all threads; NULL if it is not there.
static oyi_observer_entry* take_global(uint64_t id) {
  pthread_mutex_lock(&g_lock);
  oyi_observer_entry** at = find(&g_entries, id);
  oyi_observer_entry* e = at ? *at : NULL;
  if (e) {
    *at = e->next;
    if (e->enabled) count_watching(-1, true);
    __atomic_fetch_add(&g_version, 1, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&g_lock);
  return e;
}

static oyi_observer_entry* take_own(uint64_t id) {
  oyi_observer_entry** at = find(&t_own.entries, id);
  oyi_observer_entry* e = at ? *at : NULL;
  if (!e) return NULL;
  switch_entry(e, false, false);
  *at = e->next;
  own_changed();
  return e;
}

// A list that no record holds goes at once, and what was removed with it.
static void drop_old_list(void) {
  oyi_observer_list* list = t_own.list;
  if (!list) return;
  t_own.list = NULL;
  oyi_observer_list_release(list);
}

bool oy_observer_remove(uint64_t id) {
  oyi_observer_entry* e = take_own(id);
  if (!e) e = take_global(id);
  if (!e) return false;
  drop_old_list();
  entry_release(e);
  return true;
}

bool oy_observer_enable(uint64_t id, bool on) {
  oyi_observer_entry** at = find(&t_own.entries, id);
  if (at) {
    switch_entry(*at, on, false);
    own_changed();
    return true;
  }
  pthread_mutex_lock(&g_lock);
  at = find(&g_entries, id);
  bool found = at != NULL;
  if (found && (*at)->enabled != on) {
    (*at)->enabled = on;
    count_watching(on ? 1 : -1, true);
    __atomic_fetch_add(&g_version, 1, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&g_lock);
  return found;
}

void oy_observer_clear(oy_observe_where where) {
  if (where == OY_OBSERVE_THREAD) {
    while (t_own.entries) (void)oy_observer_remove(t_own.entries->id);
    return;
  }
  for (uint64_t id = 1; id;) {
    pthread_mutex_lock(&g_lock);
    id = g_entries ? g_entries->id : 0;
    pthread_mutex_unlock(&g_lock);
    if (id) (void)oy_observer_remove(id);
  }
}

static void end_thread(void* unused) {
  (void)unused;
  t_own.ended = true;
  oy_observer_clear(OY_OBSERVE_THREAD);
  drop_old_list();
}

bool oy_observing_get(void) {
  return !t_off;
}
void oy_observing_set(bool on) {
  t_off = !on;
}

bool oy_observers_active(void) {
  return oyi_observers_of_thread() != NULL;
}

// ------------------------------------------------------------- list of a thread

// Uniform in (0, 1).
static double draw(void) {
  uint64_t x = t_own.random;
  if (!x) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    x = ((uint64_t)now.tv_nsec << 20 ^ (uint64_t)(uintptr_t)&t_own) | 1;
  }
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  t_own.random = x;
  return ((double)(x >> 11) + 0.5) / 9007199254740992.0;
}

// How many records go by until the next one is taken: geometric.
static int32_t draw_countdown(double probability) {
  if (probability >= 1) return 0;
  if (probability <= 0) return INT32_MAX;
  double skipped = floor(log(draw()) / log1p(-probability));
  return skipped < INT32_MAX ? (int32_t)skipped : INT32_MAX;
}

static void add_slots(oyi_observer_list* list, oyi_observer_entry* e) {
  for (; e; e = e->next) {
    if (!e->enabled) continue;
    oyi_observer_slot* slot = &list->slots[list->count++];
    slot->entry = e;
    __atomic_fetch_add(&e->references, 1, __ATOMIC_RELAXED);
    for (int i = 0; i < OY_RECORD_SCOPES; i++)
      slot->countdown[i] = draw_countdown(e->observer.probability);
  }
}

void oyi_observer_list_release(oyi_observer_list* list) {
  if (--list->references > 0) return;
  for (uint32_t i = 0; i < list->count; i++) entry_release(list->slots[i].entry);
  oyi_free(list);
}

// Without memory nothing is observed until the next record, and nobody is told.
static OYI_COLD oyi_observer_list* make_list(void) {
  drop_old_list();
  if (t_own.ended || !oyi_thread_end_set(&g_end, &t_own)) return NULL;
  oyi_observer_list* list =
      oyi_zalloc(sizeof(*list) + OYI_OBSERVERS * sizeof(oyi_observer_slot));
  if (!list) {
    oy_error_clear();
    return NULL;
  }
  list->references = 1;
  list->own_version = t_own.version;
  pthread_mutex_lock(&g_lock);
  list->version = __atomic_load_n(&g_version, __ATOMIC_RELAXED);
  add_slots(list, g_entries);
  pthread_mutex_unlock(&g_lock);
  add_slots(list, t_own.entries);
  return t_own.list = list;
}

oyi_observer_list* oyi_observers_of_thread(void) {
  if (t_off || oyi_observing_off) return NULL;
  oyi_observer_list* list = t_own.list;
  uint64_t version = __atomic_load_n(&g_version, __ATOMIC_ACQUIRE);
  if (!list || list->version != version || list->own_version != t_own.version) {
    if (!version && !t_own.version) return NULL;  // nobody ever
    list = make_list();
  }
  return list && list->count ? list : NULL;
}

uint32_t oyi_observers_pick(oyi_observer_list* list, oy_record_scope scope) {
  uint32_t picked = 0;
  for (uint32_t i = 0; i < list->count; i++) {
    oyi_observer_slot* slot = &list->slots[i];
    const oy_observer* o = &slot->entry->observer;
    if (o->scopes && !(o->scopes >> scope & 1)) continue;
    if (slot->countdown[scope]-- > 0) continue;
    slot->countdown[scope] = draw_countdown(o->probability);
    if (o->probability > 0) picked |= 1u << i;
  }
  return picked;
}
