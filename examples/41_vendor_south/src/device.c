// SPDX-License-Identifier: Apache-2.0
// The device south. Replace what is in here by calls of your driver.
//
// The memory is simulated: an address that tensors know is reserved and cannot be read or
// written, so that who takes it for the host's memory crashes at once; the bytes are
// elsewhere, at the block's context. Work is done when it is asked for, so streams have
// nothing to do.
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>

#include "plugin.h"

typedef struct block {
  size_t reserved;  // bytes of addresses
  char bytes[];
} block;

static _Thread_local int16_t g_current;

static oy_status check_index(int16_t index) {
  OY_CHECK(index >= 0 && index < SOUTH_DEVICES, INVALID_ARGUMENT,
           "expected a device of south from 0 to %d, got %d", SOUTH_DEVICES - 1, index);
  return OY_OK;
}

static oy_status count(void* state, int16_t* out_count) {
  (void)state;
  *out_count = SOUTH_DEVICES;
  return OY_OK;
}

static oy_status exchange(void* state, int16_t index, int16_t* out_before) {
  (void)state;
  *out_before = g_current;
  if (index < 0) return OY_OK;
  OY_TRY(check_index(index));
  g_current = index;
  return OY_OK;
}

static oy_status synchronize(void* state, int16_t index) {
  (void)state;
  return check_index(index);
}

static oy_status allocate(void* state, int16_t index, size_t nbytes, void** out_data,
                          void** out_context) {
  (void)state;
  OY_TRY(check_index(index));
  block* b = nbytes < SIZE_MAX / 2 ? malloc(sizeof(*b) + nbytes) : NULL;
  void* address =
      b ? mmap(NULL, nbytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : MAP_FAILED;
  if (address == MAP_FAILED) {
    free(b);
    return OY_FAIL(OUT_OF_MEMORY, "no memory for %zu bytes on south:%d", nbytes, index);
  }
  b->reserved = nbytes;
  *out_data = address;
  *out_context = b;
  return OY_OK;
}

static void release(void* state, int16_t index, void* data, void* context) {
  block* b = context;
  (void)state, (void)index;
  munmap(data, b->reserved);
  free(b);
}

// The bytes of one side of a copy: the host's are where they say.
static char* side(oy_device device, void* data, void* context, size_t offset) {
  char* bytes = device.backend == OY_BACKEND_CPU ? data : ((block*)context)->bytes;
  return bytes + offset;
}

static oy_status copy(void* state, const oy_device_copy* c) {
  (void)state;
  memcpy(side(c->to_device, c->to_data, c->to_context, c->to_offset),
         side(c->from_device, c->from_data, c->from_context, c->from_offset), c->nbytes);
  return OY_OK;
}

static oy_status fill(void* state, int16_t index, void* data, void* context,
                      size_t offset, size_t nbytes, uint8_t byte) {
  (void)state, (void)index, (void)data;
  memset(((block*)context)->bytes + offset, byte, nbytes);
  return OY_OK;
}

void* south_memory(const oy_tensor* tensor) {
  block* b = oy_tensor_storage_context(tensor);
  return b ? b->bytes + oy_tensor_byte_offset(tensor) : NULL;
}

const oy_device_hooks* south_hooks(void) {
  static int identity;  // |state| tells the library whose memory is whose
  static const oy_device_hooks hooks = {.struct_size = sizeof(oy_device_hooks),
                                        .state = &identity,
                                        .count = count,
                                        .exchange = exchange,
                                        .synchronize = synchronize,
                                        .allocate = allocate,
                                        .release = release,
                                        .copy = copy,
                                        .fill = fill};
  return &hooks;
}
