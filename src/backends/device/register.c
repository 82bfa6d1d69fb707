// SPDX-License-Identifier: Apache-2.0
// One library of kernels for each backend with hooks: opened when it gets its first ones,
// closed when they are taken back. Called with the lock of the hooks held.
#include "backends/device/device.h"
#include "dispatch/owner.h"
#include "tensor/hooks.h"

#define ROW(id) \
  {OYI_OP_##id, 0, OYI_PRIORITY_GENERIC, __LINE__, (oy_typed_fn)oy_device_##id, __FILE__},
static const oyi_kernel_row g_rows[] = {OYI_DEVICE_KERNELS(ROW)};

static oy_registry* g_registry;
static oy_status (*g_more)(oy_library* library, oy_key key);
static oy_library* g_libraries[OY_BACKEND_COUNT_MAX];

static oy_status add_kernels(oy_library* library, oy_backend backend) {
  oy_key key = (oy_key)OY_KEY_OF(OY_KEY_Dense, backend);
  OY_TRY(oyi_register_rows(library, key, g_rows, sizeof(g_rows) / sizeof(*g_rows)));
  return g_more ? g_more(library, key) : OY_OK;
}

static oy_status added(oy_backend backend) {
  oy_library_params params = {g_registry,       OY_LIBRARY_IMPL, "aten",
                              OY_KEY_Undefined, __FILE__,        __LINE__};
  if (g_libraries[backend]) return OY_OK;
  OY_TRY(oy_library_create(&params, &g_libraries[backend]));
  oyi_owner_forget(g_libraries[backend]);  // a plugin's thread may be here
  oy_status status = add_kernels(g_libraries[backend], backend);
  if (status == OY_OK) return OY_OK;
  oy_library_close(g_libraries[backend]);
  g_libraries[backend] = NULL;
  return status;
}

static void removed(oy_backend backend) {
  oy_library_close(g_libraries[backend]);
  g_libraries[backend] = NULL;
}

static const oyi_hooks_listener g_listener = {added, removed};

oy_status oyi_device_kernels_start(oy_registry* registry,
                                   oy_status (*more)(oy_library* library, oy_key key)) {
  g_registry = registry;
  g_more = more;
  return oyi_hooks_listen(&g_listener);
}

void oyi_device_kernels_stop(void) {
  (void)!oyi_hooks_listen(NULL);
}
