// SPDX-License-Identifier: Apache-2.0
// What a plugin registers with. Libraries are adopted by its owner as they are made;
// devices are staged, so that nobody sees them before all of the plugin is there.
#include "base/memory.h"
#include "plugin/plugin.h"

static oy_loaded_plugin* plugin_of(oy_plugin_scope* scope) {
  return (oy_loaded_plugin*)(void*)scope;
}

static oy_status check_open(oy_plugin_scope* scope) {
  OY_CHECK(scope && plugin_of(scope)->state == OYI_PLUGIN_LOADING, FAILED_PRECONDITION,
           "the scope of a plugin is valid while its load function runs, and not after");
  return OY_OK;
}

static oy_status scope_backend(oy_plugin_scope* scope, oy_str name,
                               oy_backend* out_backend) {
  *out_backend = OY_BACKEND_NONE;
  OY_TRY(check_open(scope));
  return oy_backend_register(name, out_backend);
}

static oy_status scope_library(oy_plugin_scope* scope, const oy_library_params* params,
                               oy_library** out_library) {
  *out_library = NULL;
  OY_TRY(check_open(scope));
  return oy_library_create(params, out_library);
}

// Devices of |backend| may be set by |p|: nobody has it, or who is replaced does.
static oy_status check_vacant(const oy_loaded_plugin* p, oy_backend backend) {
  const void* owner = NULL;
  if (!oyi_hooks_owner(backend, &owner) || owner == p) return OY_OK;
  const oy_loaded_plugin* other = owner;
  // One on its way out keeps them for calls that are in flight, as long as nobody comes.
  if (other && (other == p->replaces || other->state == OYI_PLUGIN_LEAVING)) return OY_OK;
  return OY_FAIL(ALREADY_EXISTS, "the devices of %s are those of %s%s already",
                 oy_backend_name(backend), other ? "plugin " : "",
                 other ? other->name : "the program");
}

static oy_status scope_hooks(oy_plugin_scope* scope, oy_backend backend,
                             const oy_device_hooks* hooks) {
  OY_TRY(check_open(scope));
  oy_loaded_plugin* p = plugin_of(scope);
  OY_CHECK(hooks, INVALID_ARGUMENT, "expected hooks of a device, got NULL");
  oyi_devices staged = {.backend = backend};
  OY_TRY(oyi_hooks_check(backend, hooks, &staged.hooks));
  OY_TRY(check_vacant(p, backend));
  for (size_t i = 0; i < p->device_count; i++)
    OY_CHECK(p->devices[i].backend != backend, ALREADY_EXISTS,
             "the plugin set the devices of %s before", oy_backend_name(backend));
  if (!oyi_grow(&p->devices, &p->device_capacity, p->device_count + 1, sizeof(staged)))
    return OY_OUT_OF_MEMORY;
  p->devices[p->device_count++] = staged;
  return OY_OK;
}

void oyi_scope_open(oy_loaded_plugin* plugin) {
  plugin->scope = (oy_plugin_scope){.struct_size = sizeof(oy_plugin_scope),
                                    .backend = scope_backend,
                                    .hooks = scope_hooks,
                                    .library = scope_library};
}

static oy_status prepare(oy_loaded_plugin* plugin, oyi_devices* d) {
  OY_TRY(check_vacant(plugin, d->backend));
  return oyi_hooks_prepare(d->backend, &d->hooks, plugin, &d->record);
}

oy_status oyi_scope_commit(oy_loaded_plugin* plugin) {
  for (size_t i = 0; i < plugin->device_count; i++) {
    oy_status status = prepare(plugin, &plugin->devices[i]);
    if (status == OY_OK) continue;
    while (i-- > 0) {
      oyi_hooks_discard(plugin->devices[i].record);
      plugin->devices[i].record = NULL;
    }
    return status;
  }
  for (size_t i = 0; i < plugin->device_count; i++)
    oyi_hooks_publish(plugin->devices[i].record);
  return OY_OK;
}

void oyi_scope_withdraw(oy_loaded_plugin* plugin) {
  for (size_t i = 0; i < plugin->device_count; i++)
    if (plugin->devices[i].record) oyi_hooks_withdraw(plugin->devices[i].record);
}
