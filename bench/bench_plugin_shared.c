// SPDX-License-Identifier: Apache-2.0
// The plugin that bench_plugin loads: pb::id, and nothing else. It is linked with nothing.
#include <opyard/abi.h>

#include "plugin_id.h"

PLUGIN_ID_KERNEL

static oy_status load(const oy_api* api, oy_plugin_scope* scope) {
  const oy_library_params params = {
      .kind = OY_LIBRARY_DEF, .ns = "pb", .file = __FILE__, .line = __LINE__};
  oy_library* library;
  OY_TRY(scope->library(scope, &params, &library));
  const oy_kernel_params kernel = OY_TYPED(plugin_id);
  const oy_def_params def = {.schema = PLUGIN_ID_SCHEMA,
                             .kernel = &kernel,
                             .key = OY_KEY_CompositeExplicitAutograd,
                             .place = OY_HERE};
  return api->library_def(library, &def, NULL);
}

static const oy_plugin g_plugin = {.struct_size = sizeof(oy_plugin),
                                   .abi_version = OY_ABI_VERSION,
                                   .name = "pb",
                                   .version = "1",
                                   .load = load};
OY_PLUGIN_EXPORT {
  return &g_plugin;
}
