// SPDX-License-Identifier: Apache-2.0
// Memory, streams, and copies on them.
#include "cuda_runtime.h"

oy_status gpu_driver_allocate(gpu_device* d, size_t size, bool is_last,
                              gpu_block* block) {
  OY_TRY(cuda_enter(d));
  int code = cuda.MemAlloc(&block->address, size);
  if (code == CUDA_OUT_OF_MEMORY && !is_last) return OY_OUT_OF_MEMORY;
  if (code != CUDA_OK)
    return OY_FAIL(OUT_OF_MEMORY, "cuda:%d has no %zu bytes left: cuMemAlloc: %s",
                   d->index, size, cuda_error_name(code));
  block->handle = (void*)(uintptr_t)block->address;
  return OY_OK;
}

// The driver waits for what uses it.
void gpu_driver_release(gpu_block* block) {
  if (cuda.CtxSetCurrent(block->device->context) == CUDA_OK) cuda.MemFree(block->address);
}

oy_status gpu_driver_queue_new(gpu_device* d, int32_t priority, void** out_queue) {
  *out_queue = NULL;
  OY_TRY(cuda_enter(d));
  CUDA_TRY(StreamCreateWithPriority, out_queue, CUDA_STREAM_NON_BLOCKING, priority);
  return OY_OK;
}

void gpu_driver_queue_free(gpu_device* d, void* queue, void* marker) {
  (void)marker;
  if (cuda.CtxSetCurrent(d->context) == CUDA_OK) cuda.StreamDestroy(queue);
}

// Work starts by itself.
oy_status gpu_driver_flush(void* queue) {
  (void)queue;
  return OY_OK;
}

oy_status gpu_driver_wait(gpu_device* d, void* queue) {
  OY_TRY(cuda_enter(d));
  CUDA_TRY(StreamSynchronize, queue);
  return OY_OK;
}

oy_status gpu_driver_query(gpu_device* d, void* queue, void** marker, bool is_new,
                           bool* out_done) {
  (void)marker, (void)is_new;  // the driver knows
  *out_done = false;
  OY_TRY(cuda_enter(d));
  int code = cuda.StreamQuery(queue);
  *out_done = code == CUDA_OK;
  return code == CUDA_OK || code == CUDA_NOT_READY ? OY_OK
                                                   : cuda_fail(code, "cuStreamQuery");
}

// The driver keeps an event that is destroyed until nothing waits for it.
oy_status gpu_driver_follow(gpu_device* d, void* then, void* first) {
  void* reached;
  OY_TRY(cuda_enter(d));
  CUDA_TRY(EventCreate, &reached, CUDA_EVENT_NO_TIMING);
  int code = cuda.EventRecord(reached, first);
  if (code == CUDA_OK) code = cuda.StreamWaitEvent(then, reached, 0);
  cuda.EventDestroy(reached);
  return code == CUDA_OK ? OY_OK : cuda_fail(code, "cuStreamWaitEvent");
}

static uint64_t address_of(gpu_place p) {
  return (p.block ? p.block->address : (uint64_t)(uintptr_t)p.host) + p.offset;
}

// Addresses of the host and of devices are of one space, so the driver sees which way.
oy_status gpu_driver_copy(gpu_device* d, int slot, void* queue, gpu_place to,
                          gpu_place from, size_t nbytes, bool blocking) {
  OY_TRY(cuda_enter(d));
  if (!to.block && !blocking) cuda_pinned_used(d, slot, to.host + to.offset);
  if (!from.block && !blocking) cuda_pinned_used(d, slot, from.host + from.offset);
  CUDA_TRY(MemcpyAsync, address_of(to), address_of(from), nbytes, queue);
  if (blocking) CUDA_TRY(StreamSynchronize, queue);
  return OY_OK;
}

oy_status gpu_driver_fill(void* queue, gpu_block* block, size_t offset, size_t nbytes,
                          uint8_t byte) {
  OY_TRY(cuda_enter(block->device));
  CUDA_TRY(MemsetD8Async, block->address + offset, byte, nbytes, queue);
  return OY_OK;
}
