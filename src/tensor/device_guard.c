// SPDX-License-Identifier: Apache-2.0
// The current device of a backend, how many there are, and waiting for one.
#include "tensor/hooks.h"

static bool is_built_in(int16_t backend) {
  return backend == OY_BACKEND_CPU || backend == OY_BACKEND_Meta;
}

// The hooks of |backend|, after a plugin that has them was loaded if there is one.
static oyi_hooks_use enter_wanted(int16_t backend) {
  oyi_hooks_use use = oyi_hooks_enter(backend);
  const char* name = oy_backend_name(backend);
  if (use.hooks || !name) return use;
  oyi_hooks_leave(use);
  (void)oyi_device_wanted(oy_str_of(name));
  return oyi_hooks_enter(backend);
}

// ---------------------------------------------------------------------- guard

static oy_status exchange(const oyi_hooks* h, int16_t index, int16_t* out_before) {
  *out_before = 0;
  // One device alone is always the current one.
  return h->hooks.exchange ? h->hooks.exchange(h->hooks.state, index, out_before) : OY_OK;
}

oy_status oy_device_guard_enter(oy_device device, oy_device_guard* out_guard) {
  *out_guard = (oy_device_guard){device.backend, -1, false};
  if (is_built_in(device.backend)) return OY_OK;
  oyi_hooks_use use = enter_wanted(device.backend);
  oy_status status = OY_OK;
  if (!use.hooks) {
    status = oyi_hooks_missing(device.backend);
  } else if (device.index >= 0) {
    status = exchange(use.hooks, device.index, &out_guard->before);
    out_guard->entered = status == OY_OK;
  }
  oyi_hooks_leave(use);
  return status;
}

oy_status oy_device_guard_leave(oy_device_guard* guard) {
  if (!guard->entered) return OY_OK;
  guard->entered = false;
  int16_t inside;
  oyi_hooks_use use = oyi_hooks_enter(guard->backend);
  oy_status status = use.hooks ? exchange(use.hooks, guard->before, &inside)
                               : oyi_hooks_missing(guard->backend);
  oyi_hooks_leave(use);
  return status;
}

// ------------------------------------------------------------------ questions

static oy_status count_devices(const oyi_hooks* h, int16_t* out_count) {
  OY_TRY(h->hooks.count(h->hooks.state, out_count));
  OY_CHECK(*out_count >= 0, INTERNAL, "%s says that it has %d devices",
           oy_backend_name(h->backend), *out_count);
  return OY_OK;
}

oy_status oy_device_count(oy_backend backend, int16_t* out_count) {
  *out_count = 0;
  if (backend == OY_BACKEND_CPU || backend == OY_BACKEND_Meta) {
    *out_count = 1;
    return OY_OK;
  }
  oyi_hooks_use use = enter_wanted((int16_t)backend);
  oy_status status = use.hooks ? count_devices(use.hooks, out_count) : OY_OK;
  oyi_hooks_leave(use);
  return status;
}

static oy_status no_such_device(oy_device device, int16_t count) {
  char text[64];
  oy_device_print(device, text, sizeof(text));
  return OY_FAIL(INVALID_ARGUMENT,
                 "there is no device %s: invalid device ordinal, %s has %d device%s",
                 text, oy_backend_name(device.backend), count, count == 1 ? "" : "s");
}

static oy_status resolve(const oyi_hooks* h, oy_device* device) {
  int16_t count = 0, index = device->index;
  OY_TRY(count_devices(h, &count));
  if (index < 0) OY_TRY(exchange(h, -1, &index));
  *device = oy_device_make(device->backend, index);
  return index >= 0 && index < count ? OY_OK : no_such_device(*device, count);
}

oy_status oy_device_resolve(oy_device* device) {
  if (is_built_in(device->backend)) return OY_OK;
  oyi_hooks_use use = enter_wanted(device->backend);
  oy_status status =
      use.hooks ? resolve(use.hooks, device) : oyi_hooks_missing(device->backend);
  oyi_hooks_leave(use);
  return status;
}

oy_status oy_device_synchronize(oy_device device) {
  if (is_built_in(device.backend)) return OY_OK;
  oyi_hooks_use use = enter_wanted(device.backend);
  oy_status status =
      use.hooks ? resolve(use.hooks, &device) : oyi_hooks_missing(device.backend);
  if (status == OY_OK && use.hooks && use.hooks->hooks.synchronize)
    status = use.hooks->hooks.synchronize(use.hooks->hooks.state, device.index);
  oyi_hooks_leave(use);
  return status;
}

static oy_status ask_properties(const oyi_hooks* h, int16_t index,
                                oy_device_properties* out) {
  OY_CHECK(h->hooks.properties, NOT_IMPLEMENTED,
           "%s does not say what its devices are like", oy_backend_name(h->backend));
  OY_TRY(h->hooks.properties(h->hooks.state, index, out));
  out->name[sizeof(out->name) - 1] = '\0';
  return OY_OK;
}

oy_status oy_device_get_properties(oy_device device, oy_device_properties* out) {
  memset(out, 0, sizeof(*out));
  out->struct_size = sizeof(*out);
  OY_CHECK(!is_built_in(device.backend), NOT_IMPLEMENTED,
           "the CPU and Meta have no properties to ask for");
  oyi_hooks_use use = enter_wanted(device.backend);
  oy_status status =
      use.hooks ? resolve(use.hooks, &device) : oyi_hooks_missing(device.backend);
  if (status == OY_OK && use.hooks) status = ask_properties(use.hooks, device.index, out);
  oyi_hooks_leave(use);
  return status;
}

void oy_device_trim(oy_device device) {
  oyi_hooks_use use = oyi_hooks_enter(device.backend);
  if (use.hooks && use.hooks->hooks.trim)
    use.hooks->hooks.trim(use.hooks->hooks.state, device.index);
  oyi_hooks_leave(use);
}
