// SPDX-License-Identifier: Apache-2.0
// Loading one shared object: opening it, checking what it says of itself, letting it
// register, and taking all of it back if any of that fails.
#include "base/error.h"
#include "base/memory.h"
#include "plugin/attempts.h"
#include "plugin/plugin.h"

#include <ctype.h>
#include <stdio.h>

// Who registers at the moment; loading may nest.
static oy_loaded_plugin* g_loading;

// ------------------------------------------------------------------ what it says

static oy_status check_version(const char* path, uint32_t version) {
  unsigned major = version >> 16, minor = version & 0xffff;
  OY_CHECK(major == OY_ABI_MAJOR, FAILED_PRECONDITION,
           "%s was built for ABI version %u.%u, and this library has %u.%u; build the "
           "plugin against the headers of this library",
           path, major, minor, OY_ABI_MAJOR, OY_ABI_MINOR);
  OY_CHECK(minor <= OY_ABI_MINOR, FAILED_PRECONDITION,
           "%s was built for ABI version %u.%u, and this library has %u.%u; update the "
           "library, or build the plugin against its headers",
           path, major, minor, OY_ABI_MAJOR, OY_ABI_MINOR);
  return OY_OK;
}

static oy_status check_features(const char* path, uint64_t needs) {
  static const char* const names[] = {"tensors", "devices", "streams", "pinned memory",
                                      "replacement"};
  uint64_t missing = needs & ~oy_api_get(OY_ABI_VERSION)->features;
  if (!missing) return OY_OK;
  int bit = __builtin_ctzll(missing);
  bool known = (size_t)bit < OY_ARRAY_SIZE(names);
  return OY_FAIL(FAILED_PRECONDITION,
                 "%s needs %s (feature %d), which this library (%s) has not got; update "
                 "the library",
                 path, known ? names[bit] : "something", bit, oy_version());
}

static bool is_name(const char* name) {
  size_t n = 0;
  for (; name[n] && n < OYI_MANIFEST_NAME; n++) {
    unsigned char c = (unsigned char)name[n];
    if (!isalpha(c) && c != '_' && !(n > 0 && (isdigit(c) || c == '-'))) return false;
  }
  return n > 0 && n < OYI_MANIFEST_NAME;
}

// Copies as much as the plugin has; it may be older, or newer.
static oy_status read_description(const char* path, const oy_plugin* from,
                                  oy_plugin* out) {
  const size_t least = offsetof(oy_plugin, unload);
  memset(out, 0, sizeof(*out));
  OY_CHECK(
      from->struct_size >= least && from->struct_size <= 64 * 1024, FAILED_PRECONDITION,
      "%s: expected a plugin struct of %zu bytes or more, got %zu; the file is not a "
      "plugin of this library",
      path, least, from->struct_size);
  size_t size = from->struct_size < sizeof(*out) ? from->struct_size : sizeof(*out);
  OY_TRY(check_version(path, from->abi_version));
  memcpy(out, from, size);
  OY_CHECK(out->name && is_name(out->name), FAILED_PRECONDITION,
           "%s: expected the plugin to have a name that is an identifier", path);
  OY_CHECK(out->load, FAILED_PRECONDITION, "%s: the plugin lacks a load function", path);
  return check_features(path, out->needs);
}

static oy_status check_name(const oy_loaded_plugin* p, const char* wanted) {
  const char* name = p->described.name;
  OY_CHECK(!wanted || strcmp(name, wanted) == 0, FAILED_PRECONDITION,
           "%s: expected plugin %s, got one that is named %s", p->path, wanted, name);
  for (const oy_loaded_plugin* o = oyi_plugins; o; o = o->next)
    OY_CHECK(o == p || o->state == OYI_PLUGIN_LEAVING || o == p->replaces ||
                 strcmp(o->name, name) != 0,
             ALREADY_EXISTS,
             "%s: plugin %s is loaded already, from %s; replace it, or unload it first",
             p->path, name, o->path);
  return OY_OK;
}

// ---------------------------------------------------------------------- steps

// Images that are open, for what the linker would take for one of them.
static oy_status open_image(oy_loaded_plugin* p) {
  size_t count = 0;
  for (const oy_loaded_plugin* o = oyi_plugins; o; o = o->next) count++;
  const oyi_image** others = oyi_calloc(count, sizeof(*others));
  if (!others) return OY_OUT_OF_MEMORY;
  size_t n = 0;
  for (const oy_loaded_plugin* o = oyi_plugins; o; o = o->next)
    if (o != p && o->image.handle) others[n++] = &o->image;
  oy_status status = oyi_image_open(p->path, others, n, &p->image);
  oyi_free(others);
  return status;
}

static oy_status run_load(oy_loaded_plugin* p) {
  const oy_api* api = oy_api_get(p->described.abi_version);
  oy_error_clear();
  oy_status status = p->described.load(api, &p->scope);
  if (status == OY_OK) return OY_OK;
  if (oy_error_get()->code != OY_OK) return oy_error_get()->code;
  return OY_FAIL(FAILED_PRECONDITION,
                 "%s: the load function failed (%s) and did not say why", p->path,
                 oy_status_name(status));
}

static oy_status register_all(oy_loaded_plugin* p, const char* wanted) {
  OY_TRY(open_image(p));
  OY_TRY(read_description(p->path, p->image.plugin, &p->described));
  OY_TRY(check_name(p, wanted));
  memcpy(p->name, p->described.name, strlen(p->described.name) + 1);
  return run_load(p);
}

static bool is_known(const oy_loaded_plugin* p, oy_backend backend) {
  for (size_t i = 0; i < p->device_count; i++)
    if (p->devices[i].backend == backend) return true;
  return false;
}

// Devices that it set without its scope are its own all the same.
static oy_status adopt_devices(oy_loaded_plugin* p) {
  for (int b = 0; b < OY_BACKEND_COUNT_MAX; b++) {
    oyi_hooks* record = is_known(p, b) ? NULL : oyi_hooks_of_owner(b, p);
    if (!record) continue;
    if (!oyi_grow(&p->devices, &p->device_capacity, p->device_count + 1,
                  sizeof(oyi_devices))) {
      oyi_hooks_withdraw(record);
      oyi_hooks_release(record);
      return OY_OUT_OF_MEMORY;
    }
    p->devices[p->device_count++] = (oyi_devices){.backend = b, .record = record};
  }
  return OY_OK;
}

static oy_status run_owned(oy_loaded_plugin* p, const char* wanted) {
  oy_loaded_plugin* outer = g_loading;
  p->owner.replaces = p->replaces ? &p->replaces->owner : NULL;
  g_loading = p;
  oyi_owner_enter(&p->owner);
  oy_status status = register_all(p, wanted);
  oyi_owner_leave(&p->owner);
  g_loading = outer;
  if (outer) oyi_owner_enter(&outer->owner);
  return status;
}

// Staged devices come last: what can fail in that changes nothing yet. Those that were set
// directly are known after it, so that they are taken back with the rest.
static oy_status load_all(oy_loaded_plugin* p, const char* wanted) {
  oy_status status = run_owned(p, wanted);
  if (status == OY_OK) status = oyi_scope_commit(p);
  if (status != OY_OK) p->device_count = 0;
  oyi_error_record* error = status == OY_OK ? NULL : oyi_error_detach();
  oy_status adopted = adopt_devices(p);
  if (status == OY_OK) return adopted;
  oyi_error_attach(error);
  return status;
}

// ---------------------------------------------------------------------- record

static oy_loaded_plugin* make_record(const char* path, oy_loaded_plugin* replaces) {
  oy_loaded_plugin* p = oyi_zalloc(sizeof(*p));
  if (!p) return NULL;
  snprintf(p->path, sizeof(p->path), "%s", path);
  p->image.fd = -1;
  p->owner.tag = p;
  p->replaces = replaces;
  oyi_scope_open(p);
  oy_loaded_plugin** at = &oyi_plugins;
  while (*at) at = &(*at)->next;
  *at = p;
  return p;
}

// All of it goes; the error that it failed with stays.
static void take_back(oy_loaded_plugin* p) {
  oyi_error_record* error = oyi_error_detach();
  oyi_owner_return_taken(&p->owner);
  (void)oyi_plugin_leave(p, 1000);
  oyi_error_attach(error);
}

oy_status oyi_plugin_load_file(const char* path, const char* name,
                               const oyi_manifest* manifest, oy_loaded_plugin* replaces,
                               oy_loaded_plugin** out_plugin) {
  *out_plugin = NULL;
  OY_CHECK(strlen(path) < OYI_PATH, INVALID_ARGUMENT, "the path of a plugin is too long");
  oy_loaded_plugin* p = make_record(path, replaces);
  if (!p) return OY_OUT_OF_MEMORY;
  oy_status status = load_all(p, name);
  if (status != OY_OK) {
    oyi_attempt_note(OY_PLUGIN_REFUSED, name, path, manifest, oy_error_get()->message);
    take_back(p);
    return status;
  }
  p->state = OYI_PLUGIN_ACTIVE;
  p->started = true;
  p->replaces = NULL;
  oyi_free(p->owner.taken);
  p->owner.taken = NULL;
  p->owner.taken_count = p->owner.taken_capacity = 0;
  oyi_attempt_note(OY_PLUGIN_LOADED, p->name, path, manifest, NULL);
  *out_plugin = p;
  return OY_OK;
}
