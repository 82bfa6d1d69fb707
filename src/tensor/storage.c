// SPDX-License-Identifier: Apache-2.0
// Memory under tensors. A storage is counted on its own, since views outlive the
// tensor that they were taken of; one that lies in a tensor's block takes the
// block with it when it goes.
#include "tensor/block_cache.h"
#include "tensor/hooks.h"
#include "tensor/impl.h"
#include "tensor/pool.h"

oyi_storage* oyi_storage_new(size_t nbytes, oy_device device) {
  const unsigned units = oyi_pool_units(sizeof(oyi_storage));
  oyi_storage* s = oyi_pool_take(units);
  if (!s) return NULL;
  memset(s, 0, sizeof(*s));
  s->references = 1;
  s->backend = device.backend;
  s->device_index = device.index;
  s->block = (uint8_t)units;
  s->nbytes = nbytes;
  if (device.backend != OY_BACKEND_CPU) {
    if (oyi_device_storage_fill(s) == OY_OK) return s;
    oyi_pool_give(s, units);
    return NULL;
  }
  s->resizable = 1;
  if (nbytes == 0) return s;
  s->data = oyi_data_alloc(nbytes, &s->context);
  s->deleter = oyi_data_free;
  if (s->data) return s;
  oyi_pool_give(s, units);
  return NULL;
}

static inline void give_block(oyi_storage* s) {
  char* block = (char*)s - (s->embedded ? OYI_STORAGE_OFFSET : 0);
  oyi_pool_give(block, s->block);
}
static __attribute__((noinline)) void free_with_data(oyi_storage* s) {
  s->deleter(s->context, s->data);
  give_block(s);
}

void oyi_storage_free(oyi_storage* s) {
  if (OY_UNLIKELY(s->deleter != NULL))
    free_with_data(s);
  else
    give_block(s);
}

void oyi_storage_release(oyi_storage* s) {
  if (s && oyi_storage_drop(s)) oyi_storage_free(s);
}
