// SPDX-License-Identifier: Apache-2.0
// Buffers, queues, and copies between them.
#include <string.h>

#include "cl_api.h"
#include "gpu/driver.h"

// Tensors do arithmetic on addresses. A buffer has none, so each gets a range of numbers of
// its own, above all that a process can map.
static uint64_t g_next_address = 1ull << 56;

static uint64_t take_addresses(size_t nbytes) {
  uint64_t room = ((uint64_t)nbytes + 4095) & ~4095ull;
  return __atomic_fetch_add(&g_next_address, room + 4096, __ATOMIC_RELAXED);
}

oy_status gpu_driver_allocate(gpu_device* d, size_t size, bool is_last,
                              gpu_block* block) {
  cl_int code;
  block->handle = ocl.CreateBuffer(d->context, CL_MEM_READ_WRITE, size, NULL, &code);
  if (!block->handle)
    return is_last ? ocl_fail(code, "clCreateBuffer") : OY_OUT_OF_MEMORY;
  block->address = take_addresses(size);
  return OY_OK;
}

void gpu_driver_release(gpu_block* block) {
  ocl.ReleaseMemObject(block->handle);
}

oy_status gpu_driver_queue_new(gpu_device* d, int32_t priority, void** out_queue) {
  (void)priority;  // OpenCL 1.2 has none
  cl_int code;
  *out_queue =
      ocl.CreateCommandQueue(d->context, d->id, CL_QUEUE_PROFILING_ENABLE, &code);
  return *out_queue ? OY_OK : ocl_fail(code, "clCreateCommandQueue");
}

void gpu_driver_queue_free(gpu_device* d, void* queue, void* marker) {
  (void)d;
  if (marker) ocl.ReleaseEvent(marker);
  ocl.ReleaseCommandQueue(queue);
}

oy_status gpu_driver_flush(void* queue) {
  OCL_TRY(Flush, queue);
  return OY_OK;
}

oy_status gpu_driver_wait(gpu_device* d, void* queue) {
  (void)d;
  OCL_TRY(Finish, queue);
  return OY_OK;
}

// Copies with the host are complete when they return, whatever was asked for.
oy_status gpu_driver_copy(gpu_device* d, int slot, void* queue, gpu_place to,
                          gpu_place from, size_t nbytes, bool blocking) {
  (void)d, (void)slot, (void)blocking;
  if (!to.block) {
    OCL_TRY(EnqueueReadBuffer, queue, from.block->handle, CL_TRUE, from.offset, nbytes,
            to.host + to.offset, 0, NULL, NULL);
  } else if (!from.block) {
    OCL_TRY(EnqueueWriteBuffer, queue, to.block->handle, CL_TRUE, to.offset, nbytes,
            from.host + from.offset, 0, NULL, NULL);
  } else {
    OCL_TRY(EnqueueCopyBuffer, queue, from.block->handle, to.block->handle, from.offset,
            to.offset, nbytes, 0, NULL, NULL);
    OCL_TRY(Flush, queue);
  }
  return OY_OK;
}

oy_status gpu_driver_fill(void* queue, gpu_block* block, size_t offset, size_t nbytes,
                          uint8_t byte) {
  uint8_t pattern[16];
  size_t width = sizeof(pattern);
  // Wide patterns are faster, and both ends have to be multiples of them.
  while (width > 1 && (offset | nbytes) % width) width /= 2;
  memset(pattern, byte, sizeof(pattern));
  OCL_TRY(EnqueueFillBuffer, queue, block->handle, pattern, width, offset, nbytes, 0,
          NULL, NULL);
  OCL_TRY(Flush, queue);
  return OY_OK;
}
