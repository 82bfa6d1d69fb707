// SPDX-License-Identifier: Apache-2.0
#include "dispatch/abi_extend.h"

// The layout is what plugins are built against: nothing before the end moves.
_Static_assert(offsetof(oy_api, version) == 16, "header of the table");
_Static_assert(offsetof(oy_api, features) == 16 + 17 * sizeof(void*),
               "1.0 has 17 functions");
_Static_assert(sizeof(oy_api) == 16 + 20 * sizeof(void*), "1.1 has 3 members more");

static oy_api g_api = {
    .struct_size = sizeof(oy_api),
    .abi_version = OY_ABI_VERSION,
    .version = oy_version,
    .error_get = oy_error_get,
    .error_clear = oy_error_clear,
    .registry_default = oy_registry_default,
    .backend_register = oy_backend_register,
    .key_parse = oy_key_parse,
    .library_create = oy_library_create,
    .library_close = oy_library_close,
    .library_def = oy_library_def,
    .library_impl = oy_library_impl,
    .library_fallback = oy_library_fallback,
    .op_find = oy_op_find,
    .op_call_boxed = oy_op_call_boxed,
    .op_redispatch_boxed = oy_op_redispatch_boxed,
    .op_push_defaults = oy_op_push_defaults,
    .stack_reset = oy_stack_reset,
    .value_release = oy_value_release_owned,
    .error_set = oy_error_set,
};

void oyi_api_extend(uint64_t features, const oy_tensor_api* tensors) {
  __atomic_store_n(&g_api.tensors, tensors, __ATOMIC_RELAXED);
  __atomic_store_n(&g_api.features, features, __ATOMIC_RELAXED);
}

const oy_api* oy_api_get(uint32_t abi_version) {
  uint32_t major = abi_version >> 16, minor = abi_version & 0xffff;
  if (major == OY_ABI_MAJOR && minor <= OY_ABI_MINOR) return &g_api;
  OY_FAIL(FAILED_PRECONDITION,
          "expected ABI version %u.0 to %u.%u, got %u.%u; build the plugin "
          "against the headers of this library, or update the library",
          OY_ABI_MAJOR, OY_ABI_MAJOR, OY_ABI_MINOR, major, minor);
  return NULL;
}
