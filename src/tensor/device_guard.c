// SPDX-License-Identifier: Apache-2.0
// Changing the current device of a backend, and putting it back.
#include "opyard/device.h"

static const oy_device_switch* g_switches[OY_BACKEND_COUNT_MAX];

oy_status oy_device_switch_set(oy_backend backend,
                               const oy_device_switch* device_switch) {
  OY_CHECK(backend >= 0 && backend < OY_BACKEND_COUNT_MAX && oy_backend_name(backend),
           INVALID_ARGUMENT, "there is no backend with number %d", backend);
  __atomic_store_n(&g_switches[backend], device_switch, __ATOMIC_RELEASE);
  return OY_OK;
}

static const oy_device_switch* find_switch(int16_t backend) {
  if (backend < 0 || backend >= OY_BACKEND_COUNT_MAX) return NULL;
  return __atomic_load_n(&g_switches[backend], __ATOMIC_ACQUIRE);
}

static oy_status no_switch(oy_device device) {
  char text[64];
  oy_device_print(oy_device_make(device.backend, -1), text, sizeof(text));
  return OY_FAIL(FAILED_PRECONDITION, "PyTorch is not linked with support for %s devices",
                 text);
}

oy_status oy_device_guard_enter(oy_device device, oy_device_guard* out_guard) {
  *out_guard = (oy_device_guard){device.backend, -1, false};
  if (device.backend == OY_BACKEND_CPU || device.backend == OY_BACKEND_Meta) return OY_OK;
  const oy_device_switch* s = find_switch(device.backend);
  if (!s) return no_switch(device);
  if (device.index < 0) return OY_OK;
  OY_TRY(s->exchange(s->user_data, device.index, &out_guard->before));
  out_guard->entered = true;
  return OY_OK;
}

oy_status oy_device_guard_leave(oy_device_guard* guard) {
  if (!guard->entered) return OY_OK;
  guard->entered = false;
  const oy_device_switch* s = find_switch(guard->backend);
  int16_t inside;
  return s ? s->exchange(s->user_data, guard->before, &inside) : OY_FAILED_PRECONDITION;
}
