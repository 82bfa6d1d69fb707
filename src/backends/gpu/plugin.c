// SPDX-License-Identifier: Apache-2.0
// The plugin: hooks of the devices, and the rows of all families registered for the
// backend of the driver's name. Loading it touches no driver: its library is opened when a
// device is asked for.
#include <stdio.h>

#include "driver.h"
#include "opyard/fallback.h"
#include "rows.h"

// ------------------------------------------------------------------------- devices

static oy_status count(void* state, int16_t* out_count) {
  (void)state;
  gpu_device** devices;
  return gpu_devices(&devices, out_count);
}

static oy_status exchange(void* state, int16_t index, int16_t* out_before) {
  (void)state;
  return gpu_device_exchange(index, out_before);
}

static oy_status synchronize(void* state, int16_t index) {
  (void)state;
  gpu_device* d;
  OY_TRY(gpu_device_get(index, &d));
  return gpu_synchronize(d);
}

static oy_status properties(void* state, int16_t index, oy_device_properties* out) {
  (void)state;
  gpu_device* d;
  OY_TRY(gpu_device_get(index, &d));
  snprintf(out->name, sizeof(out->name), "%s", d->name);
  out->memory_bytes = d->memory;
  return OY_OK;
}

// -------------------------------------------------------------------------- memory

static oy_status allocate(void* state, int16_t index, size_t nbytes, void** out_data,
                          void** out_context) {
  (void)state;
  gpu_device* d;
  gpu_block* block;
  *out_data = *out_context = NULL;
  OY_TRY(gpu_device_get(index, &d));
  OY_TRY(gpu_block_new(d, nbytes, &block));
  *out_data = (void*)(uintptr_t)block->address;
  *out_context = block;
  return OY_OK;
}

static void release(void* state, int16_t index, void* data, void* context) {
  (void)state, (void)index, (void)data;
  gpu_block_release(context);
}

static gpu_place place_of(oy_device device, void* data, void* context, size_t offset) {
  if (device.backend == (int16_t)gpu_backend) return (gpu_place){context, NULL, offset};
  return (gpu_place){NULL, data, offset};
}

static oy_status copy(void* state, const oy_device_copy* c) {
  (void)state;
  return gpu_copy(place_of(c->to_device, c->to_data, c->to_context, c->to_offset),
                  place_of(c->from_device, c->from_data, c->from_context, c->from_offset),
                  c->nbytes, c->flags & OY_COPY_NON_BLOCKING);
}

static oy_status fill(void* state, int16_t index, void* data, void* context,
                      size_t offset, size_t nbytes, uint8_t byte) {
  (void)state, (void)index, (void)data;
  return gpu_fill(context, offset, nbytes, byte);
}

static void record_stream(void* state, int16_t index, void* data, void* context,
                          uint64_t stream) {
  (void)state, (void)data;
  gpu_device* d;
  int slot;
  if (gpu_device_get(index, &d) == OY_OK && gpu_stream_slot(d, stream, &slot) == OY_OK)
    gpu_block_used(context, slot);
}

static void trim(void* state, int16_t index) {
  (void)state;
  gpu_device* d;
  if (gpu_device_get(index, &d) == OY_OK) gpu_trim(d);
}

// ------------------------------------------------------------------------- loading

static oy_status register_rows(oy_library* library, gpu_rows rows) {
  for (size_t i = 0; i < rows.count; i++) {
    char name[96];
    snprintf(name, sizeof(name), "aten::%s", rows.rows[i].name);
    // Groups of rows name forms that not every operator has.
    if (!oy_op_lookup(oy_registry_default(), oy_str_of(name))) continue;
    oy_impl_params params = {.name = name, .place = OY_HERE};
    params.kernel.boxed = gpu_call_boxed;
    params.kernel.state = (void*)(uintptr_t)&rows.rows[i];
    OY_TRY(oy_library_impl(library, &params, NULL));
  }
  return OY_OK;
}

static oy_status load(const oy_api* api, oy_plugin_scope* scope) {
  (void)api;
  oy_device_hooks hooks = {.struct_size = sizeof(hooks),
                           .count = count,
                           .exchange = exchange,
                           .synchronize = synchronize,
                           .properties = properties,
                           .allocate = allocate,
                           .release = release,
                           .copy = copy,
                           .fill = fill,
                           .record_stream = record_stream,
                           .trim = trim};
  oy_library* library;
  oy_key key;
  oy_library_params params = {
      .kind = OY_LIBRARY_IMPL, .ns = "aten", .file = __FILE__, .line = __LINE__};
  gpu_stream_hooks(&hooks);
  gpu_driver_hooks(&hooks);
  OY_TRY(scope->backend(scope, oy_str_of(gpu_driver_backend), &gpu_backend));
  OY_TRY(scope->hooks(scope, gpu_backend, &hooks));
  OY_TRY(oy_key_of_device(gpu_backend, OY_LAYOUT_STRIDED, false, &key));
  params.key = key;
  OY_TRY(scope->library(scope, &params, &library));
  gpu_rows (*const families[])(void) = {
      gpu_rows_pointwise,   gpu_rows_copy,       gpu_rows_reduce,     gpu_rows_matrix,
      gpu_rows_softmax,     gpu_rows_layer_norm, gpu_rows_batch_norm, gpu_rows_index,
      gpu_rows_index_lists, gpu_rows_image};
  for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
    OY_TRY(register_rows(library, families[i]()));
  // What there is no row for runs on the CPU, and is counted.
  params.ns = "_";
  params.key = OY_KEY_Undefined;
  OY_TRY(scope->library(scope, &params, &library));
  return oy_library_add_cpu_fallback(library, gpu_backend, NULL);
}

static void unload(void) {
  gpu_close();
}

OY_PLUGIN_EXPORT {
  static const oy_plugin plugin = {
      .struct_size = sizeof(plugin),
      .abi_version = OY_ABI_VERSION,
      .name = gpu_driver_name,
      .version = "0.1.0",
      .description = gpu_driver_description,
      .needs = OY_FEATURE_TENSORS | OY_FEATURE_DEVICES | OY_FEATURE_STREAMS,
      .load = load,
      .unload = unload,
  };
  return &plugin;
}
