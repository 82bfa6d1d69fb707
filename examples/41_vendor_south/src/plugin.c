// SPDX-License-Identifier: Apache-2.0
// The plugin south: says what it is, and registers its backend, devices and kernels. What
// goes through |scope| is taken back when the plugin is unloaded, or fails to load.
#include "plugin.h"

static oy_status load(const oy_api* api, oy_plugin_scope* scope) {
  oy_backend backend;
  oy_library *kernels, *fallbacks;
  oy_library_params params = {NULL,     OY_LIBRARY_IMPL, "aten", OY_KEY_Undefined,
                              __FILE__, __LINE__};
  (void)api;  // this plugin is linked with the library; others use the table
  OY_TRY(scope->backend(scope, oy_str_of("South"), &backend));
  OY_TRY(scope->hooks(scope, backend, south_hooks()));
  OY_TRY(scope->library(scope, &params, &kernels));
  OY_TRY(south_kernels(kernels, (oy_key)OY_KEY_OF(OY_KEY_Dense, backend)));
  // What there is no kernel for runs on the CPU, and is counted (opyard/fallback.h).
  params.ns = "_";
  OY_TRY(scope->library(scope, &params, &fallbacks));
  return oy_library_add_cpu_fallback(fallbacks, backend, NULL);
}

OY_PLUGIN_EXPORT {
  static const oy_plugin plugin = {.struct_size = sizeof(oy_plugin),
                                   .abi_version = OY_ABI_VERSION,
                                   .name = "south",
                                   .version = "0.1.0",
                                   .description = "the device south",
                                   .needs = OY_FEATURE_TENSORS | OY_FEATURE_DEVICES,
                                   .load = load};
  return &plugin;
}
