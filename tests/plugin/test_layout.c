// SPDX-License-Identifier: Apache-2.0
// The layouts that plugins were built against, as numbers that were written down when they
// were released: a member that moves breaks what is out there. A new member goes to the
// end, with a row here and a new OY_ABI_MINOR. For 64-bit machines.
#include "support/tensors.h"

typedef struct row {
  const char* name;
  size_t offset, is;
} row;
#define ROW(type, member, number) \
  { #type "." #member, number, offsetof(type, member) }
#define SIZE(type, number) \
  { "sizeof " #type, number, sizeof(type) }

static const row g_rows[] = {
    SIZE(oy_device, 8),
    SIZE(oy_str, 16),
    SIZE(oy_ints, 16),
    SIZE(oy_value, 16),
    // 1.0
    ROW(oy_api, struct_size, 0),
    ROW(oy_api, abi_version, 8),
    ROW(oy_api, version, 16),
    ROW(oy_api, error_get, 24),
    ROW(oy_api, error_clear, 32),
    ROW(oy_api, registry_default, 40),
    ROW(oy_api, backend_register, 48),
    ROW(oy_api, key_parse, 56),
    ROW(oy_api, library_create, 64),
    ROW(oy_api, library_close, 72),
    ROW(oy_api, library_def, 80),
    ROW(oy_api, library_impl, 88),
    ROW(oy_api, library_fallback, 96),
    ROW(oy_api, op_find, 104),
    ROW(oy_api, op_call_boxed, 112),
    ROW(oy_api, op_redispatch_boxed, 120),
    ROW(oy_api, op_push_defaults, 128),
    ROW(oy_api, stack_reset, 136),
    ROW(oy_api, value_release, 144),
    // 1.1
    ROW(oy_api, features, 152),
    ROW(oy_api, tensors, 160),
    ROW(oy_api, error_set, 168),
    SIZE(oy_api, 176),
    ROW(oy_tensor_api, struct_size, 0),
    ROW(oy_tensor_api, empty, 8),
    ROW(oy_tensor_api, empty_strided, 16),
    ROW(oy_tensor_api, object_is_tensor, 24),
    ROW(oy_tensor_api, sizes, 32),
    ROW(oy_tensor_api, strides, 40),
    ROW(oy_tensor_api, numel, 48),
    ROW(oy_tensor_api, device, 56),
    ROW(oy_tensor_api, data, 64),
    ROW(oy_tensor_api, storage_data, 72),
    ROW(oy_tensor_api, storage_context, 80),
    ROW(oy_tensor_api, byte_offset, 88),
    ROW(oy_tensor_api, storage_state, 96),
    SIZE(oy_tensor_api, 104),
    ROW(oy_device_copy, to_data, 8),
    ROW(oy_device_copy, to_context, 16),
    ROW(oy_device_copy, to_offset, 24),
    ROW(oy_device_copy, from_data, 32),
    ROW(oy_device_copy, from_context, 40),
    ROW(oy_device_copy, from_offset, 48),
    ROW(oy_device_copy, nbytes, 56),
    ROW(oy_device_copy, to_device, 64),
    ROW(oy_device_copy, from_device, 72),
    ROW(oy_device_copy, flags, 80),
    SIZE(oy_device_copy, 88),
    ROW(oy_device_properties, name, 8),
    ROW(oy_device_properties, memory_bytes, 136),
    SIZE(oy_device_properties, 176),
    ROW(oy_device_hooks, struct_size, 0),
    ROW(oy_device_hooks, state, 8),
    ROW(oy_device_hooks, flags, 16),
    ROW(oy_device_hooks, count, 24),
    ROW(oy_device_hooks, exchange, 32),
    ROW(oy_device_hooks, synchronize, 40),
    ROW(oy_device_hooks, properties, 48),
    ROW(oy_device_hooks, allocate, 56),
    ROW(oy_device_hooks, release, 64),
    ROW(oy_device_hooks, copy, 72),
    ROW(oy_device_hooks, fill, 80),
    ROW(oy_device_hooks, record_stream, 88),
    ROW(oy_device_hooks, trim, 96),
    ROW(oy_device_hooks, host_allocate, 104),
    ROW(oy_device_hooks, host_release, 112),
    ROW(oy_device_hooks, stream_create, 120),
    ROW(oy_device_hooks, stream_destroy, 128),
    ROW(oy_device_hooks, stream_exchange, 136),
    ROW(oy_device_hooks, stream_query, 144),
    ROW(oy_device_hooks, stream_synchronize, 152),
    ROW(oy_device_hooks, stream_native, 160),
    ROW(oy_device_hooks, event_create, 168),
    ROW(oy_device_hooks, event_destroy, 176),
    ROW(oy_device_hooks, event_record, 184),
    ROW(oy_device_hooks, event_wait, 192),
    ROW(oy_device_hooks, event_query, 200),
    ROW(oy_device_hooks, event_synchronize, 208),
    ROW(oy_device_hooks, event_elapsed, 216),
    ROW(oy_device_hooks, seed, 224),
    SIZE(oy_device_hooks, 232),
    ROW(oy_plugin_scope, backend, 8),
    ROW(oy_plugin_scope, hooks, 16),
    ROW(oy_plugin_scope, library, 24),
    SIZE(oy_plugin_scope, 32),
    ROW(oy_plugin, struct_size, 0),
    ROW(oy_plugin, abi_version, 8),
    ROW(oy_plugin, name, 16),
    ROW(oy_plugin, version, 24),
    ROW(oy_plugin, description, 32),
    ROW(oy_plugin, needs, 40),
    ROW(oy_plugin, load, 48),
    ROW(oy_plugin, unload, 56),
    ROW(oy_plugin, alive, 64),
    SIZE(oy_plugin, 72),
};

static void ROB_01_layouts_do_not_change(void** state) {
  (void)state;
  if (sizeof(void*) != 8) skip();
  for (size_t i = 0; i < sizeof(g_rows) / sizeof(*g_rows); i++)
    if (g_rows[i].is != g_rows[i].offset)
      fail_msg("%s was released as %zu and is %zu", g_rows[i].name, g_rows[i].offset,
               g_rows[i].is);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(ROB_01_layouts_do_not_change)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
