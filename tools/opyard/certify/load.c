// SPDX-License-Identifier: Apache-2.0
// The plugin that is certified: loaded before, unloaded and loaded again afterwards.
#include "opyard/plugin.h"

#include "certify.h"

// A path is opened; a name is looked for, if it is no backend that is there already.
static bool names_plugin(const char* name) {
  oy_backend backend;
  return strchr(name, '/') || strstr(name, ".so") ||
         !oy_backend_find(oy_str_of(name), &backend) || !oy_device_is_available(backend);
}

static oy_status load_by_path(const char* name, oy_loaded_plugin** out) {
  char path[4096];
  // What has no slash would be taken for a name.
  const bool is_file = !strchr(name, '/') && strstr(name, ".so");
  snprintf(path, sizeof(path), is_file ? "./%s" : "%s", name);
  return oy_plugin_load(oy_str_of(path), out);
}

oy_status certify_load(certify_report* r) {
  oy_plugin_info info = {.struct_size = sizeof(info)};
  if (names_plugin(r->name)) OY_TRY(load_by_path(r->name, &r->plugin));
  if (!r->plugin) {
    OY_CHECK(oy_backend_find(oy_str_of(r->name), &r->backend), NOT_FOUND,
             "expected cpu, a plugin or the name of its backend, found %s", r->name);
  } else {
    OY_TRY(oy_plugin_get_info(r->plugin, &info));
    OY_CHECK(info.backends, FAILED_PRECONDITION,
             "the plugin %s brings no devices, so there is nothing to certify", r->name);
    r->backend = __builtin_ctzll(info.backends);
  }
  r->device =
      r->backend == OY_BACKEND_CPU ? oy_device_cpu() : oy_device_make(r->backend, 0);
  return OY_OK;
}

// Unloads it; what it had registered has to be gone, and comes back with it.
static oy_status unload_and_load(certify_report* r, oy_plugin_held* held) {
  OY_TRY(oy_plugin_unload(r->plugin, OY_UNLOAD_IF_FREE, held));
  r->plugin = NULL;
  OY_CHECK(!oy_device_is_available(r->backend), INTERNAL,
           "its devices are still there when it is unloaded");
  OY_TRY(oy_registry_check_invariants(oy_registry_default()));
  return load_by_path(r->name, &r->plugin);
}

void certify_reload(certify_report* r) {
  oy_plugin_held held = {.struct_size = sizeof(held)};
  if (!r->plugin) return;
  bool passed = true;
  for (int i = 0; i < 3 && passed; i++) {
    passed = unload_and_load(r, &held) == OY_OK;
    if (!passed)
      certify_fail(r, "unload and load again", oy_error_get()->message, held.text, "");
    oy_error_clear();
  }
  certify_check(r, "unload and load again", passed);
}

void certify_unload(certify_report* r) {
  if (r->plugin) (void)!oy_plugin_unload(r->plugin, OY_UNLOAD_DEFER, NULL);
  r->plugin = NULL;
}
