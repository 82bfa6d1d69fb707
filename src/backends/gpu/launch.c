// SPDX-License-Identifier: Apache-2.0
#include "call.h"
#include "driver.h"

void gpu_launch_begin(gpu_launch* l, gpu_device* device) {
  l->device = device;
  l->count = l->blocks = 0;
  l->used = 0;
  l->overflow = false;
}

void gpu_arg(gpu_launch* l, const void* value, size_t size) {
  size_t at = (l->used + 15) & ~(size_t)15;
  if (l->count == GPU_ARGS || at + size > sizeof(l->bytes)) {
    l->overflow = true;
    return;
  }
  memcpy(l->bytes + at, value, size);
  l->sizes[l->count++] = (uint16_t)size;
  l->used = at + size;
}

void gpu_arg_block(gpu_launch* l, gpu_block* block) {
  void* handle = block ? block->handle : NULL;
  gpu_arg(l, &handle, sizeof(handle));
  if (!block) return;
  if (l->blocks == GPU_ARG_BLOCKS) {
    l->overflow = true;
    return;
  }
  l->block[l->blocks++] = block;
}

oy_status gpu_arg_tensor(gpu_launch* l, const oy_tensor* tensor) {
  // What a row has no use for on the CPU comes to here, whatever the devices that it takes.
  OY_CHECK(
      oy_tensor_device(tensor).backend == (int16_t)gpu_backend, INVALID_ARGUMENT,
      "Expected all tensors to be on the same device, but found at least two devices, "
      "%s:%d and cpu!",
      gpu_driver_name, l->device->index);
  gpu_block* block = oy_tensor_storage_context(tensor);
  OY_CHECK(!block || block->device == l->device, INVALID_ARGUMENT,
           "expected memory of %s:%d, got that of %s:%d", gpu_driver_name,
           l->device->index, gpu_driver_name, block ? block->device->index : 0);
  gpu_arg_block(l, block);
  gpu_arg_long(l, (int64_t)oy_tensor_byte_offset(tensor));
  return OY_OK;
}

oy_status gpu_launch_run(gpu_launch* l, gpu_kernel* kernel, size_t items, size_t group) {
  void* queue;
  int stream = gpu_stream_current(l->device);
  if (items == 0) return OY_OK;
  OY_CHECK(!l->overflow, INTERNAL,
           "a kernel has more arguments than a launch has room for");
  OY_TRY(gpu_queue(l->device, stream, &queue));
  for (int i = 0; i < l->blocks; i++) gpu_block_used(l->block[i], stream);
  OY_TRY(gpu_driver_launch(l, kernel, queue, (items + group - 1) / group, group));
  gpu_stream_worked(l->device, stream);
  return OY_OK;
}

// ------------------------------------------------------------------------- reports

oy_status gpu_report_begin(gpu_launch* l) {
  gpu_device* d = l->device;
  pthread_mutex_lock(&d->report_lock);
  oy_status status = d->report ? OY_OK : gpu_block_new(d, sizeof(gpu_report), &d->report);
  if (status == OY_OK) status = gpu_fill(d->report, 0, sizeof(gpu_report), 0);
  if (status != OY_OK) {
    pthread_mutex_unlock(&d->report_lock);
    return status;
  }
  gpu_arg_block(l, d->report);
  return OY_OK;
}

oy_status gpu_report_end(gpu_device* d, gpu_report* out_report) {
  gpu_place to = {NULL, (char*)out_report, 0}, from = {d->report, NULL, 0};
  memset(out_report, 0, sizeof(*out_report));
  oy_status status = gpu_copy(to, from, sizeof(*out_report), false);
  pthread_mutex_unlock(&d->report_lock);
  return status;
}
