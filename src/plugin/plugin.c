// SPDX-License-Identifier: Apache-2.0
// The public functions: finding a plugin by name, path or backend, and what is done with
// those that are loaded.
#include "plugin/plugin.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/error.h"
#include "dispatch/abi_extend.h"
#include "opyard/tensor.h"
#include "plugin/attempts.h"
#include "plugin/search.h"

enum { WAIT_FREE_MS = 10000, WAIT_DEFER_MS = 100 };

oy_loaded_plugin* oyi_plugins;
// Recursive: a plugin may load others.
static pthread_mutex_t g_mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

void oyi_plugins_lock(void) {
  pthread_mutex_lock(&g_mutex);
}
void oyi_plugins_unlock(void) {
  pthread_mutex_unlock(&g_mutex);
}

oy_status oyi_plugin_check(const oy_loaded_plugin* plugin) {
  for (const oy_loaded_plugin* p = oyi_plugins; p; p = p->next)
    if (p == plugin && p->state == OYI_PLUGIN_ACTIVE) return OY_OK;
  return OY_FAIL(NOT_FOUND, "expected a plugin that is loaded, got %s",
                 plugin ? "one that was unloaded or replaced" : "NULL");
}

static size_t collect(void) {
  size_t waiting = 0;
  oy_loaded_plugin* next;
  for (oy_loaded_plugin* p = oyi_plugins; p; p = next) {
    next = p->next;
    if (p->state == OYI_PLUGIN_LEAVING && !oyi_plugin_finish(p, 0)) waiting++;
  }
  return waiting;
}

size_t oy_plugin_collect(void) {
  oyi_plugins_lock();
  size_t waiting = collect();
  oyi_plugins_unlock();
  return waiting;
}

// --------------------------------------------------------------------- finding

static oy_loaded_plugin* find_active(oy_str name) {
  for (oy_loaded_plugin* p = oyi_plugins; p; p = p->next)
    if (p->state == OYI_PLUGIN_ACTIVE && oy_str_equal(name, oy_str_of(p->name))) return p;
  return NULL;
}

static oy_loaded_plugin* find_file(const char* path) {
  struct stat info;
  if (stat(path, &info) != 0) return NULL;
  for (oy_loaded_plugin* p = oyi_plugins; p; p = p->next)
    if (p->state == OYI_PLUGIN_ACTIVE && p->image.device == info.st_dev &&
        p->image.inode == info.st_ino)
      return p;
  return NULL;
}

typedef struct wanted {
  oy_str name, backend;  // one of them
  oyi_manifest found;
} wanted;

static bool is_wanted(const oyi_manifest* manifest, void* user_data) {
  wanted* w = user_data;
  bool is = w->name.data ? oy_str_equal(w->name, oy_str_of(manifest->name))
                         : oyi_manifest_announces(manifest, w->backend);
  if (is) w->found = *manifest;
  return is;
}

static bool is_path(oy_str text) {
  return text.data && memchr(text.data, '/', text.size) != NULL;
}

static bool ends_with(oy_str text, const char* end) {
  size_t n = strlen(end);
  return text.size > n && memcmp(text.data + text.size - n, end, n) == 0;
}

static oy_status not_found(oy_str name) {
  char folders[512];
  oyi_search_folders(folders, sizeof(folders));
  return OY_FAIL(NOT_FOUND,
                 "there is no plugin %.*s: no manifest has that name in %s; set "
                 "OPYARD_PLUGIN_PATH, or give the path of the shared object",
                 OY_STR_ARG(name), folders);
}

// A manifest, with the path of the library, for a name, a manifest's path or a library's;
// the last one has no name.
static oy_status locate(oy_str name_or_path, oyi_manifest* out) {
  memset(out, 0, sizeof(*out));
  OY_CHECK(name_or_path.size > 0 && name_or_path.size < OYI_PATH, INVALID_ARGUMENT,
           "expected the name or the path of a plugin, got %zu characters",
           name_or_path.size);
  if (!is_path(name_or_path)) {
    wanted w = {.name = name_or_path};
    if (!oyi_search(is_wanted, &w)) return not_found(name_or_path);
    *out = w.found;
    return OY_OK;
  }
  char path[OYI_PATH];
  snprintf(path, sizeof(path), "%.*s", OY_STR_ARG(name_or_path));
  if (ends_with(name_or_path, ".plugin")) return oyi_manifest_read(path, out);
  memcpy(out->path, path, name_or_path.size + 1);
  return OY_OK;
}

static oy_status load_manifest(const oyi_manifest* m, oy_loaded_plugin* replaces,
                               oy_loaded_plugin** out) {
  return oyi_plugin_load_file(m->path, *m->name ? m->name : NULL, *m->name ? m : NULL,
                              replaces, out);
}

static oy_status load(oy_str name_or_path, oy_loaded_plugin** out) {
  if ((*out = find_active(name_or_path))) return OY_OK;
  (void)collect();
  oyi_manifest m;
  OY_TRY(locate(name_or_path, &m));
  if ((*out = find_file(m.path))) return OY_OK;
  return load_manifest(&m, NULL, out);
}

oy_status oy_plugin_load(oy_str name_or_path, oy_loaded_plugin** out_plugin) {
  *out_plugin = NULL;
  oyi_plugins_start();
  oyi_plugins_lock();
  oy_status status = load(name_or_path, out_plugin);
  oyi_plugins_unlock();
  return status;
}

oy_loaded_plugin* oy_plugin_find(oy_str name) {
  oyi_plugins_lock();
  oy_loaded_plugin* p = find_active(name);
  oyi_plugins_unlock();
  return p;
}

oy_loaded_plugin* oy_plugin_at(size_t i) {
  oyi_plugins_lock();
  oy_loaded_plugin* p = oyi_plugins;
  for (; p; p = p->next)
    if (p->state == OYI_PLUGIN_ACTIVE && i-- == 0) break;
  oyi_plugins_unlock();
  return p;
}

// ------------------------------------------------------------ unload, replace

static bool is_held(const oy_plugin_held* held) {
  return held->blocks || held->objects || held->kernels;
}

static void tell(const oy_plugin_held* held, oy_plugin_held* out) {
  if (!out) return;
  size_t size = out->struct_size < sizeof(*held) ? out->struct_size : sizeof(*held);
  if (size <= sizeof(size_t)) return;
  memcpy((char*)out + sizeof(size_t), (const char*)held + sizeof(size_t),
         size - sizeof(size_t));
}

static oy_status unload(oy_loaded_plugin* p, oy_unload how, oy_plugin_held* out_held) {
  OY_TRY(oyi_plugin_check(p));
  char name[OYI_MANIFEST_NAME];
  memcpy(name, p->name, sizeof(name));
  oy_plugin_held held = {.struct_size = sizeof(held)};
  oyi_plugin_count_held(p, &held);
  if (how == OY_UNLOAD_IF_FREE && is_held(&held)) {
    tell(&held, out_held);
    return OY_FAIL(
        FAILED_PRECONDITION,
        "plugin %s cannot be unloaded while it is needed by %s; release that, or "
        "unload it deferred",
        name, held.text);
  }
  held.closed =
      oyi_plugin_leave(p, how == OY_UNLOAD_DEFER ? WAIT_DEFER_MS : WAIT_FREE_MS);
  if (!held.closed) {
    oyi_plugin_count_held(p, &held);
    held.calls = !oyi_grace_over(p->grace);
  }
  tell(&held, out_held);
  if (held.closed || how == OY_UNLOAD_DEFER) return OY_OK;
  return OY_FAIL(FAILED_PRECONDITION,
                 "plugin %s is out of use, but its code stays for %s; oy_plugin_collect "
                 "closes it when that is gone",
                 name, held.calls ? "calls that are still in flight" : held.text);
}

oy_status oy_plugin_unload(oy_loaded_plugin* plugin, oy_unload how,
                           oy_plugin_held* out_held) {
  oyi_plugins_lock();
  (void)collect();
  oy_status status = unload(plugin, how, out_held);
  oyi_plugins_unlock();
  return status;
}

static oy_status replace(oy_loaded_plugin* old, oy_str name_or_path,
                         oy_loaded_plugin** out) {
  OY_TRY(oyi_plugin_check(old));
  oyi_manifest m;
  OY_TRY(locate(name_or_path, &m));
  if (!*m.name) memcpy(m.name, old->name, sizeof(m.name));
  OY_CHECK(strcmp(m.name, old->name) == 0, INVALID_ARGUMENT,
           "expected another version of plugin %s, got plugin %s", old->name, m.name);
  OY_TRY(load_manifest(&m, old, out));
  (void)oyi_plugin_leave(old, 0);
  return OY_OK;
}

oy_status oy_plugin_replace(oy_loaded_plugin* plugin, oy_str name_or_path,
                            oy_loaded_plugin** out_plugin) {
  *out_plugin = NULL;
  oyi_plugins_lock();
  (void)collect();
  oy_status status = replace(plugin, name_or_path, out_plugin);
  oyi_plugins_unlock();
  return status;
}

// -------------------------------------------------------------------- questions

static uint64_t backends_of(const oy_loaded_plugin* p) {
  uint64_t backends = 0;
  for (size_t i = 0; i < p->device_count; i++) backends |= 1ull << p->devices[i].backend;
  return backends;
}

oy_status oy_plugin_get_info(const oy_loaded_plugin* plugin, oy_plugin_info* out_info) {
  size_t size = out_info->struct_size;
  OY_CHECK(size >= sizeof(size_t) && size <= sizeof(*out_info), INVALID_ARGUMENT,
           "expected the struct_size of oy_plugin_info, got %zu", size);
  oyi_plugins_lock();
  oy_status status = oyi_plugin_check(plugin);
  if (status == OY_OK) {
    const oy_plugin* d = &plugin->described;
    oy_plugin_info info = {size,
                           plugin->name,
                           d->version ? d->version : "",
                           d->description ? d->description : "",
                           plugin->path,
                           d->abi_version,
                           backends_of(plugin),
                           d->needs};
    memcpy(out_info, &info, size);
  }
  oyi_plugins_unlock();
  return status;
}

oy_status oy_plugin_get_held(const oy_loaded_plugin* plugin, oy_plugin_held* out_held) {
  oyi_plugins_lock();
  oy_status status = oyi_plugin_check(plugin);
  if (status == OY_OK) {
    oy_plugin_held held = {.struct_size = sizeof(held)};
    oyi_plugin_count_held(plugin, &held);
    tell(&held, out_held);
  }
  oyi_plugins_unlock();
  return status;
}

static bool look(const oyi_manifest* manifest, void* user_data) {
  (void)manifest;
  (void)user_data;
  return false;
}

void oy_plugin_survey(void) {
  oyi_plugins_lock();
  (void)oyi_search(look, NULL);
  oyi_plugins_unlock();
}

// ------------------------------------------------------------------ first use

// What was sought in vain, so that the folders are not read each time.
enum { SOUGHT_MAX = 64 };
static uint64_t g_sought[SOUGHT_MAX];
static size_t g_sought_count;
static uint64_t g_sought_state;

static uint64_t hash_of(oy_str name) {
  uint64_t hash = 1469598103934665603u;
  for (size_t i = 0; i < name.size; i++)
    hash = (hash ^ (name.data[i] | 32u)) * 1099511628211u;
  return hash;
}

static bool was_sought(oy_str name) {
  uint64_t hash = hash_of(name), state = oyi_search_state();
  if (state != g_sought_state) g_sought_count = 0;
  g_sought_state = state;
  for (size_t i = 0; i < g_sought_count; i++)
    if (g_sought[i] == hash) return true;
  if (g_sought_count < SOUGHT_MAX) g_sought[g_sought_count++] = hash;
  return false;
}

// Loads the plugin that announces devices of |backend|. The error of one that fails stays
// among the attempts, and says so where the device is missed.
static bool load_wanted(oy_str backend) {
  if (was_sought(backend)) return false;
  wanted w = {.backend = backend};
  if (!oyi_search(is_wanted, &w) || find_active(oy_str_of(w.found.name))) return false;
  oy_loaded_plugin* loaded = NULL;
  if (load_manifest(&w.found, NULL, &loaded) == OY_OK) return true;
  oy_error_clear();
  return false;
}

static bool is_wanted_now(oy_str backend) {
  bool pending = oy_error_get()->code != OY_OK;
  oyi_error_record* error = pending ? oyi_error_detach() : NULL;
  // Who holds the lock may be waiting for this thread's call to end.
  bool nested = oy_call_nested();
  bool locked =
      nested ? pthread_mutex_trylock(&g_mutex) == 0 : pthread_mutex_lock(&g_mutex) == 0;
  bool loaded = locked && load_wanted(backend);
  if (locked) oyi_plugins_unlock();
  if (pending) oyi_error_attach(error);
  return loaded;
}

static const oy_tensor_api g_tensors = {.struct_size = sizeof(oy_tensor_api),
                                        .empty = oy_tensor_empty,
                                        .empty_strided = oy_tensor_empty_strided,
                                        .object_is_tensor = oy_object_is_tensor,
                                        .sizes = oy_tensor_sizes,
                                        .strides = oy_tensor_strides,
                                        .numel = oy_tensor_numel,
                                        .device = oy_tensor_device,
                                        .data = oy_tensor_data,
                                        .storage_data = oy_tensor_storage_data,
                                        .storage_context = oy_tensor_storage_context,
                                        .byte_offset = oy_tensor_byte_offset,
                                        .storage_state = oy_tensor_storage_state};

void oyi_plugins_start(void) {
  const uint64_t features = OY_FEATURE_TENSORS | OY_FEATURE_DEVICES | OY_FEATURE_STREAMS |
                            OY_FEATURE_PINNED | OY_FEATURE_REPLACE;
  oyi_api_extend(features, &g_tensors);
  oyi_device_explain_set(oyi_attempt_explain);
  oyi_device_wanted_set(is_wanted_now);
}

// Newest first: a plugin may build on those that were there before.
void oyi_plugins_stop(void) {
  oyi_device_wanted_set(NULL);
  oyi_device_explain_set(NULL);
  oyi_plugins_lock();
  for (;;) {
    oy_loaded_plugin* newest = NULL;
    for (oy_loaded_plugin* p = oyi_plugins; p; p = p->next)
      if (p->state == OYI_PLUGIN_ACTIVE) newest = p;
    if (!newest) break;
    (void)oyi_plugin_leave(newest, WAIT_DEFER_MS);
  }
  (void)collect();
  g_sought_count = 0;
  oyi_plugins_unlock();
}
