// SPDX-License-Identifier: Apache-2.0
// North's memory. Addresses are reserved and can neither be read nor written: who takes them
// for the host's crashes at once. The bytes are with the block's context.
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>

#include "north.h"

typedef struct block {
  size_t reserved;
  char bytes[];
} block;

static _Thread_local int16_t g_current;

oy_status north_check_index(int16_t index) {
  OY_CHECK(index >= 0 && index < NORTH_DEVICES, INVALID_ARGUMENT,
           "expected a device of north from 0 to %d, got %d", NORTH_DEVICES - 1, index);
  return OY_OK;
}

static oy_status count(void* state, int16_t* out_count) {
  (void)state;
  *out_count = NORTH_DEVICES;
  return OY_OK;
}

static oy_status exchange(void* state, int16_t index, int16_t* out_before) {
  (void)state;
  *out_before = g_current;
  if (index < 0) return OY_OK;
  OY_TRY(north_check_index(index));
  g_current = index;
  return OY_OK;
}

static oy_status synchronize(void* state, int16_t index) {
  (void)state;
  OY_TRY(north_check_index(index));
  return north_wait_device(index);
}

static oy_status properties(void* state, int16_t index, oy_device_properties* out) {
  (void)state;
  OY_TRY(north_check_index(index));
  strcpy(out->name, "North N1");
  return OY_OK;
}

static oy_status allocate(void* state, int16_t index, size_t nbytes, void** out_data,
                          void** out_context) {
  (void)state;
  OY_TRY(north_check_index(index));
  block* b = nbytes < SIZE_MAX / 2 ? malloc(sizeof(*b) + nbytes) : NULL;
  void* address =
      b ? mmap(NULL, nbytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) : MAP_FAILED;
  if (address == MAP_FAILED) {
    free(b);
    return OY_FAIL(OUT_OF_MEMORY, "no memory for %zu bytes on north:%d", nbytes, index);
  }
  b->reserved = nbytes;
  *out_data = address;
  *out_context = b;
  return OY_OK;
}

// Jobs that use the block may still be queued, on any stream.
static void release(void* state, int16_t index, void* data, void* context) {
  block* b = context;
  (void)state;
  (void)!north_wait_device(index);
  munmap(data, b->reserved);
  free(b);
}

static char* side(oy_device device, void* data, void* context, size_t offset) {
  char* bytes = device.backend == OY_BACKEND_CPU ? data : ((block*)context)->bytes;
  return bytes + offset;
}

// In the order of the streams of both sides.
static oy_status copy(void* state, const oy_device_copy* c) {
  (void)state;
  if (c->from_device.backend != OY_BACKEND_CPU)
    OY_TRY(north_wait_current(c->from_device.index));
  if (c->to_device.backend != OY_BACKEND_CPU)
    OY_TRY(north_wait_current(c->to_device.index));
  memcpy(side(c->to_device, c->to_data, c->to_context, c->to_offset),
         side(c->from_device, c->from_data, c->from_context, c->from_offset), c->nbytes);
  return OY_OK;
}

float* north_memory(const oy_tensor* tensor) {
  block* b = oy_tensor_storage_context(tensor);
  return b ? (float*)(void*)(b->bytes + oy_tensor_byte_offset(tensor)) : NULL;
}

void north_memory_hooks(oy_device_hooks* hooks) {
  hooks->count = count;
  hooks->exchange = exchange;
  hooks->synchronize = synchronize;
  hooks->properties = properties;
  hooks->allocate = allocate;
  hooks->release = release;
  hooks->copy = copy;
}
