// SPDX-License-Identifier: Apache-2.0
#include "dispatch/owner.h"

#include "base/memory.h"
#include "dispatch/op.h"
#include "dispatch/registration.h"
#include "dispatch/table.h"

// All owners that have something, and the one that is entered. Libraries are made and
// closed by any thread, so the lists have a lock; it is taken inside of no other one.
static pthread_mutex_t g_mutex = PTHREAD_MUTEX_INITIALIZER;
static oyi_owner* g_owners;
static oyi_owner* g_entered;
static pthread_t g_thread;
static int g_active;  // atomic: owners in the list

static bool is_listed(const oyi_owner* owner) {
  for (const oyi_owner* o = g_owners; o; o = o->next)
    if (o == owner) return true;
  return false;
}

void oyi_owner_enter(oyi_owner* owner) {
  pthread_mutex_lock(&g_mutex);
  if (!is_listed(owner)) {
    owner->next = g_owners;
    g_owners = owner;
    __atomic_fetch_add(&g_active, 1, __ATOMIC_RELAXED);
  }
  g_entered = owner;
  g_thread = pthread_self();
  pthread_mutex_unlock(&g_mutex);
}

void oyi_owner_leave(oyi_owner* owner) {
  pthread_mutex_lock(&g_mutex);
  if (g_entered == owner) g_entered = NULL;
  owner->replaces = NULL;
  pthread_mutex_unlock(&g_mutex);
}

// Under the lock.
static oyi_owner* entered(void) {
  return g_entered && pthread_equal(g_thread, pthread_self()) ? g_entered : NULL;
}

static bool any(void) {
  return __atomic_load_n(&g_active, __ATOMIC_RELAXED) != 0;
}

const void* oyi_owner_current(void) {
  if (!any()) return NULL;
  pthread_mutex_lock(&g_mutex);
  const oyi_owner* owner = entered();
  const void* tag = owner ? owner->tag : NULL;
  pthread_mutex_unlock(&g_mutex);
  return tag;
}

oy_status oyi_owner_adopt(oy_library* library) {
  if (!any()) return OY_OK;
  pthread_mutex_lock(&g_mutex);
  oyi_owner* o = entered();
  bool good = !o || oyi_grow(&o->libraries, &o->library_capacity, o->library_count + 1,
                             sizeof(oy_library*));
  if (o && good) o->libraries[o->library_count++] = library;
  pthread_mutex_unlock(&g_mutex);
  return good ? OY_OK : OY_OUT_OF_MEMORY;
}

void oyi_owner_forget(const oy_library* library) {
  if (!any()) return;
  pthread_mutex_lock(&g_mutex);
  for (oyi_owner* o = g_owners; o; o = o->next) {
    size_t kept = 0;
    for (size_t i = 0; i < o->library_count; i++)
      if (o->libraries[i] != library) o->libraries[kept++] = o->libraries[i];
    o->library_count = kept;
  }
  pthread_mutex_unlock(&g_mutex);
}

oy_status oyi_owner_adopt_block(oy_library_block* block) {
  if (!any()) return OY_OK;
  pthread_mutex_lock(&g_mutex);
  oyi_owner* o = entered();
  bool good = !o || oyi_grow(&o->blocks, &o->block_capacity, o->block_count + 1,
                             sizeof(oy_library_block*));
  if (o && good) o->blocks[o->block_count++] = block;
  pthread_mutex_unlock(&g_mutex);
  return good ? OY_OK : OY_OUT_OF_MEMORY;
}

// ------------------------------------------------------------------- replacing

static bool has_library(const oyi_owner* o, const oy_library* library) {
  for (size_t i = 0; o && i < o->library_count; i++)
    if (o->libraries[i] == library) return true;
  return false;
}

bool oyi_owner_is_replaced(const oy_library* library) {
  if (!any()) return false;
  pthread_mutex_lock(&g_mutex);
  const oyi_owner* o = entered();
  bool is = o && has_library(o->replaces, library);
  pthread_mutex_unlock(&g_mutex);
  return is;
}

bool oyi_owner_take_definition(oy_registration* old, oy_library* library) {
  if (!any()) return false;
  pthread_mutex_lock(&g_mutex);
  oyi_owner* o = entered();
  bool takes =
      o && has_library(o->replaces, old->library) &&
      oyi_grow(&o->taken, &o->taken_capacity, o->taken_count + 1, sizeof(oyi_taken));
  if (takes) o->taken[o->taken_count++] = (oyi_taken){old, old->library};
  pthread_mutex_unlock(&g_mutex);
  if (takes) oyi_registration_move(old, library);
  return takes;
}

void oyi_owner_return_taken(oyi_owner* owner) {
  while (owner->taken_count > 0) {
    oyi_taken t = owner->taken[--owner->taken_count];
    pthread_mutex_lock(&t.before->registry->mutex);
    oyi_registration_move(t.definition, t.before);
    t.definition->sibling = NULL;  // it was the failed one's
    oyi_registry_unlock(t.before->registry);
  }
}

// --------------------------------------------------------------------- closing

static oy_library_block* take_block(oyi_owner* owner) {
  pthread_mutex_lock(&g_mutex);
  oy_library_block* block =
      owner->block_count ? owner->blocks[--owner->block_count] : NULL;
  pthread_mutex_unlock(&g_mutex);
  return block;
}

static oy_library* newest_library(const oyi_owner* owner) {
  pthread_mutex_lock(&g_mutex);
  oy_library* library =
      owner->library_count ? owner->libraries[owner->library_count - 1] : NULL;
  pthread_mutex_unlock(&g_mutex);
  return library;
}

static void delist(oyi_owner* owner) {
  pthread_mutex_lock(&g_mutex);
  for (oyi_owner** at = &g_owners; *at; at = &(*at)->next) {
    if (*at != owner) continue;
    *at = owner->next;
    __atomic_fetch_sub(&g_active, 1, __ATOMIC_RELAXED);
    break;
  }
  if (g_entered == owner) g_entered = NULL;
  pthread_mutex_unlock(&g_mutex);
}

void oyi_owner_close(oyi_owner* owner) {
  // Blocks know their library, and must not close it a second time.
  oy_library_block* block;
  while ((block = take_block(owner))) oy_library_block_unload(block);
  oy_library* library;
  while ((library = newest_library(owner))) oy_library_close(library);  // forgets it
  delist(owner);
  oyi_free(owner->libraries);
  oyi_free(owner->blocks);
  oyi_free(owner->taken);
  const void* tag = owner->tag;
  *owner = (oyi_owner){.tag = tag};
}

static bool has_retired(oy_registry* registry, uint64_t grace) {
  bool has = false;
  pthread_mutex_lock(&registry->mutex);
  for (const oyi_retired* r = registry->limbo.head; r && !has; r = r->next)
    has = r->epoch <= grace;
  pthread_mutex_unlock(&registry->mutex);
  return has;
}

bool oyi_registries_collect(uint64_t grace) {
  bool clean = true;
  pthread_mutex_lock(&oyi_registries_mutex);
  for (oy_registry* r = oyi_registries; r; r = r->next) {
    oy_registry_collect(r);
    clean = !has_retired(r, grace) && clean;
  }
  pthread_mutex_unlock(&oyi_registries_mutex);
  return clean;
}

// ------------------------------------------------------------------- strangers

// A kernel's other entry is the library's own.
static bool lies_in(const void* address, const void* begin, const void* end) {
  uintptr_t a = (uintptr_t)address;
  return a >= (uintptr_t)begin && a < (uintptr_t)end;
}

static bool runs_in(const oy_registration* r, const void* begin, const void* end) {
  if (r->kind == OYI_DEF) return false;
  return lies_in((const void*)(uintptr_t)r->kernel.typed, begin, end) ||
         lies_in((const void*)(uintptr_t)r->kernel.boxed, begin, end) ||
         lies_in((const void*)(uintptr_t)r->destroy_state, begin, end);
}

size_t oyi_owner_registrations(const oyi_owner* owner) {
  size_t count = 0;
  for (size_t i = 0; i < owner->library_count; i++) {
    oy_library* library = owner->libraries[i];
    pthread_mutex_lock(&library->registry->mutex);
    for (const oy_registration* r = library->first; r; r = r->next)
      count += r->kind != OYI_DEF;
    pthread_mutex_unlock(&library->registry->mutex);
  }
  return count;
}

size_t oyi_registrations_in(const void* begin, const void* end) {
  size_t count = 0;
  oy_registry* registry = oy_registry_default();
  if (!registry) return 0;
  pthread_mutex_lock(&registry->mutex);
  for (const oy_library* l = registry->libraries; l; l = l->next)
    for (const oy_registration* r = l->first; r; r = r->next)
      count += runs_in(r, begin, end);
  pthread_mutex_unlock(&registry->mutex);
  return count;
}
