// SPDX-License-Identifier: Apache-2.0
// Plugins that are loaded, or on their way out. One recursive lock guards all of it, held
// while their code is loaded and while it is waited for.
#ifndef OPYARD_SRC_PLUGIN_PLUGIN_H_
#define OPYARD_SRC_PLUGIN_PLUGIN_H_

#include "dispatch/owner.h"
#include "opyard/plugin.h"
#include "plugin/image.h"
#include "plugin/manifest.h"
#include "tensor/hooks.h"

typedef enum oyi_plugin_state {
  OYI_PLUGIN_LOADING,
  OYI_PLUGIN_ACTIVE,
  OYI_PLUGIN_LEAVING  // out of use; its code is still there
} oyi_plugin_state;

// Devices that it brings: staged by its load function, set when that has succeeded.
typedef struct oyi_devices {
  oy_backend backend;
  oy_device_hooks hooks;
  oyi_hooks* record;  // NULL until they are set
} oyi_devices;

struct oy_loaded_plugin {
  oy_plugin_scope scope;  // first: what the plugin is handed
  oy_loaded_plugin* next;
  oyi_plugin_state state;
  bool started;  // its load function succeeded
  char name[OYI_MANIFEST_NAME];
  char path[OYI_PATH];
  oyi_image image;
  oy_plugin described;  // what the image says of itself; an older header's is shorter
  oyi_owner owner;
  oyi_devices* devices;
  size_t device_count, device_capacity;
  uint64_t grace;  // LEAVING: calls that began before it are waited for
  bool withdrawn;  // so are its devices; kernels go first, and need them to the end
  oy_loaded_plugin* replaces;  // LOADING
};

// In the order in which they were loaded; under the lock.
extern oy_loaded_plugin* oyi_plugins;
void oyi_plugins_lock(void);
void oyi_plugins_unlock(void);
// Whether |plugin| is a handle that is valid; NOT_FOUND if not.
oy_status oyi_plugin_check(const oy_loaded_plugin* plugin);

// Fills plugin->scope.
void oyi_scope_open(oy_loaded_plugin* plugin);
// Sets what was staged; all of it or, on failure, nothing.
oy_status oyi_scope_commit(oy_loaded_plugin* plugin);
// Takes devices back that are still the plugin's.
void oyi_scope_withdraw(oy_loaded_plugin* plugin);

// Takes the plugin out of use. Then, for as long as |wait_ms| milliseconds, waits until it
// can be closed. True if it was, and the record is gone.
bool oyi_plugin_leave(oy_loaded_plugin* plugin, unsigned wait_ms);
// For one that is LEAVING.
bool oyi_plugin_finish(oy_loaded_plugin* plugin, unsigned wait_ms);
// What holds it now.
void oyi_plugin_count_held(const oy_loaded_plugin* plugin, oy_plugin_held* out);

// Loads the shared object |path|, as |name| if that is not NULL.
oy_status oyi_plugin_load_file(const char* path, const char* name,
                               const oyi_manifest* manifest, oy_loaded_plugin* replaces,
                               oy_loaded_plugin** out_plugin);

// Called by oy_init and oy_shutdown.
void oyi_plugins_start(void);
void oyi_plugins_stop(void);

#endif  // OPYARD_SRC_PLUGIN_PLUGIN_H_
