// SPDX-License-Identifier: Apache-2.0
// The plugin: hooks of the devices, and the rows of all families registered for the
// backend "opencl". Loading it touches no driver: OpenCL's library is opened when a device
// is asked for.
#include <stdio.h>

#include "opyard/fallback.h"
#include "rows.h"

// ------------------------------------------------------------------------- devices

static oy_status count(void* state, int16_t* out_count) {
  (void)state;
  ocl_device** devices;
  return ocl_devices(&devices, out_count);
}

static oy_status exchange(void* state, int16_t index, int16_t* out_before) {
  (void)state;
  return ocl_device_exchange(index, out_before);
}

static oy_status synchronize(void* state, int16_t index) {
  (void)state;
  ocl_device* d;
  OY_TRY(ocl_device_get(index, &d));
  return ocl_synchronize(d);
}

static oy_status properties(void* state, int16_t index, oy_device_properties* out) {
  (void)state;
  ocl_device* d;
  OY_TRY(ocl_device_get(index, &d));
  snprintf(out->name, sizeof(out->name), "%s", d->name);
  out->memory_bytes = d->memory;
  return OY_OK;
}

// -------------------------------------------------------------------------- memory

static oy_status allocate(void* state, int16_t index, size_t nbytes, void** out_data,
                          void** out_context) {
  (void)state;
  ocl_device* d;
  ocl_block* block;
  *out_data = *out_context = NULL;
  OY_TRY(ocl_device_get(index, &d));
  OY_TRY(ocl_block_new(d, nbytes, &block));
  *out_data = (void*)(uintptr_t)block->address;
  *out_context = block;
  return OY_OK;
}

static void release(void* state, int16_t index, void* data, void* context) {
  (void)state, (void)index, (void)data;
  ocl_block_release(context);
}

static ocl_place place_of(oy_device device, void* data, void* context, size_t offset) {
  if (device.backend == (int16_t)ocl_backend) return (ocl_place){context, NULL, offset};
  return (ocl_place){NULL, data, offset};
}

static oy_status copy(void* state, const oy_device_copy* c) {
  (void)state;
  return ocl_copy(place_of(c->to_device, c->to_data, c->to_context, c->to_offset),
                  place_of(c->from_device, c->from_data, c->from_context, c->from_offset),
                  c->nbytes, c->flags & OY_COPY_NON_BLOCKING);
}

static oy_status fill(void* state, int16_t index, void* data, void* context,
                      size_t offset, size_t nbytes, uint8_t byte) {
  (void)state, (void)index, (void)data;
  return ocl_fill(context, offset, nbytes, byte);
}

static void record_stream(void* state, int16_t index, void* data, void* context,
                          uint64_t stream) {
  (void)state, (void)data;
  ocl_device* d;
  int slot;
  if (ocl_device_get(index, &d) == OY_OK && ocl_stream_slot(d, stream, &slot) == OY_OK)
    ocl_block_used(context, slot);
}

static void trim(void* state, int16_t index) {
  (void)state;
  ocl_device* d;
  if (ocl_device_get(index, &d) == OY_OK) ocl_trim(d);
}

// ------------------------------------------------------------------------- loading

static oy_status register_rows(oy_library* library, ocl_rows rows) {
  for (size_t i = 0; i < rows.count; i++) {
    char name[96];
    snprintf(name, sizeof(name), "aten::%s", rows.rows[i].name);
    // Groups of rows name forms that not every operator has.
    if (!oy_op_lookup(oy_registry_default(), oy_str_of(name))) continue;
    oy_impl_params params = {.name = name, .place = OY_HERE};
    params.kernel.boxed = ocl_call_boxed;
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
  ocl_stream_hooks(&hooks);
  OY_TRY(scope->backend(scope, oy_str_of("opencl"), &ocl_backend));
  OY_TRY(scope->hooks(scope, ocl_backend, &hooks));
  OY_TRY(oy_key_of_device(ocl_backend, OY_LAYOUT_STRIDED, false, &key));
  params.key = key;
  OY_TRY(scope->library(scope, &params, &library));
  ocl_rows (*const families[])(void) = {
      ocl_rows_pointwise, ocl_rows_copy, ocl_rows_reduce, ocl_rows_matrix,
      ocl_rows_softmax,   ocl_rows_norm, ocl_rows_index,  ocl_rows_image};
  for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
    OY_TRY(register_rows(library, families[i]()));
  // What there is no row for runs on the CPU, and is counted.
  params.ns = "_";
  params.key = OY_KEY_Undefined;
  OY_TRY(scope->library(scope, &params, &library));
  return oy_library_add_cpu_fallback(library, ocl_backend, NULL);
}

static void unload(void) {
  ocl_close();
}

OY_PLUGIN_EXPORT {
  static const oy_plugin plugin = {
      .struct_size = sizeof(plugin),
      .abi_version = OY_ABI_VERSION,
      .name = "opencl",
      .version = "0.1.0",
      .description = "OpenCL devices: GPUs, and CPUs through PoCL",
      .needs = OY_FEATURE_TENSORS | OY_FEATURE_DEVICES | OY_FEATURE_STREAMS,
      .load = load,
      .unload = unload,
  };
  return &plugin;
}
