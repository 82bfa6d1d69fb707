// SPDX-License-Identifier: Apache-2.0
// The plugin of the simulated vendor North.
#include "north.h"

static const oy_device_hooks* hooks_of_north(void) {
  static oy_device_hooks hooks;
  hooks = (oy_device_hooks){.struct_size = sizeof(hooks), .state = &hooks};
  north_memory_hooks(&hooks);
  north_stream_hooks(&hooks);
  return &hooks;
}

static oy_status load(const oy_api* api, oy_plugin_scope* scope) {
  oy_backend backend;
  oy_library *kernels, *fallbacks;
  oy_library_params params = {NULL,     OY_LIBRARY_IMPL, "aten", OY_KEY_Undefined,
                              __FILE__, __LINE__};
  (void)api;
  OY_TRY(scope->backend(scope, oy_str_of("North"), &backend));
  OY_TRY(scope->hooks(scope, backend, hooks_of_north()));
  OY_TRY(scope->library(scope, &params, &kernels));
  OY_TRY(north_kernels(kernels, (oy_key)OY_KEY_OF(OY_KEY_Dense, backend)));
  params.ns = "_";
  OY_TRY(scope->library(scope, &params, &fallbacks));
  return oy_library_add_cpu_fallback(fallbacks, backend, NULL);
}

OY_PLUGIN_EXPORT {
  static const oy_plugin plugin = {
      .struct_size = sizeof(oy_plugin),
      .abi_version = OY_ABI_VERSION,
      .name = "north",
      .version = "1.0.0",
      .description = "the simulated vendor North: pointwise kernels on queues",
      .needs = OY_FEATURE_TENSORS | OY_FEATURE_DEVICES,
      .load = load,
      .unload = north_stop};
  return &plugin;
}
