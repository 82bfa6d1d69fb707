// SPDX-License-Identifier: Apache-2.0
// oy_init: the one place that sees the operators, the backends and the layers, and
// puts them together. A failed attempt is undone whole, and the next call tries
// again.
#include <pthread.h>

#include "backends/cpu/kernels.h"
#include "backends/device/device.h"
#include "backends/meta/meta.h"
#include "dispatch/backend.h"
#include "layers/autocast/autocast.h"
#include "layers/autograd/autograd.h"
#include "layers/functionalize/functionalize_register.h"
#include "layers/lazy/lazy_register.h"
#include "layers/modes/modes.h"
#include "layers/vmap/vmap_register.h"
#include "observe/fallback_ledger.h"
#include "opyard/opyard.h"
#include "plugin/plugin.h"
#include "tensor/promotion.h"

static pthread_mutex_t g_lock = PTHREAD_MUTEX_INITIALIZER;
static oy_library* g_aten;
static oy_library* g_fallbacks;
static int g_ready;  // atomic

static void close_libraries(void) {
  oyi_device_kernels_stop();
  (void)!oyi_backend_set_hook(NULL, NULL);
  oy_library_close(g_fallbacks);
  oy_library_close(g_aten);
  g_fallbacks = g_aten = NULL;
}

// Made by opgen.
oy_status oy_register_trampolines_ops(void);

static oy_status load(oy_registry* registry) {
  oy_library_params aten = {registry,         OY_LIBRARY_DEF, "aten",
                            OY_KEY_Undefined, __FILE__,       __LINE__};
  oy_library_params fallbacks = {registry,         OY_LIBRARY_IMPL, "_",
                                 OY_KEY_Undefined, __FILE__,        __LINE__};
  OY_TRY(oy_register_trampolines_ops());
  OY_TRY(oy_library_create(&aten, &g_aten));
  OY_TRY(oy_library_create(&fallbacks, &g_fallbacks));
  // Fallbacks first: operators that are defined later begin with them, those that are there
  // are computed again, one by one.
  OY_TRY(oyi_register_autograd_fallbacks(g_fallbacks));
  OY_TRY(oyi_register_modes(g_fallbacks));
  OY_TRY(oyi_register_vmap_fallbacks(g_fallbacks));
  OY_TRY(oyi_register_functionalize_fallback(g_fallbacks));
  OY_TRY(oyi_register_lazy_fallbacks(g_fallbacks));
  OY_TRY(oyi_register_ops(g_aten, registry));
  OY_TRY(oyi_register_cpu(g_aten));
  OY_TRY(oyi_register_meta(g_aten));
  OY_TRY(oyi_register_autograd(g_aten));
  OY_TRY(oyi_register_autocast(g_aten, registry));
  OY_TRY(oyi_register_vmap(g_aten));
  OY_TRY(oyi_register_zeros(g_aten));
  OY_TRY(oyi_device_kernels_start(registry, oyi_register_views));
  oyi_plugins_start();
  oy_registry_set_dtype_rule(registry, oyi_call_dtype);
  return oyi_backend_set_hook(oyi_autograd_fallback_of_backend, g_fallbacks);
}

oy_status oy_init(void) {
  if (__atomic_load_n(&g_ready, __ATOMIC_ACQUIRE)) return OY_OK;
  pthread_mutex_lock(&g_lock);
  oy_status status = OY_OK;
  if (!g_ready) {
    oy_registry* registry = oy_registry_default();
    status = registry ? load(registry) : OY_OUT_OF_MEMORY;
    if (status == OY_OK)
      __atomic_store_n(&g_ready, 1, __ATOMIC_RELEASE);
    else
      close_libraries();
  }
  pthread_mutex_unlock(&g_lock);
  return status;
}

void oy_shutdown(void) {
  oyi_plugins_stop();
  pthread_mutex_lock(&g_lock);
  if (g_ready) close_libraries();
  oyi_fallback_free();
  __atomic_store_n(&g_ready, 0, __ATOMIC_RELEASE);
  pthread_mutex_unlock(&g_lock);
}
