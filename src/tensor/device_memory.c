// SPDX-License-Identifier: Apache-2.0
// Memory of storages that lie on a device with hooks. Each block keeps the record of the
// hooks that it came from, so it is released by who allocated it, whatever came since.
#include "tensor/hooks.h"
#include "tensor/pool.h"

enum { BLOCK_UNITS = (sizeof(oyi_device_block) + OYI_POOL_UNIT - 1) / OYI_POOL_UNIT };

// As a storage's deleter.
static void release_block(void* context, void* data) {
  oyi_device_block* block = context;
  oyi_hooks* h = block->hooks;
  h->hooks.release(h->hooks.state, block->index, data, block->context);
  // Last, for then the plugin may be unloaded.
  oyi_hooks_count(h, -1, -(int64_t)block->nbytes);
  oyi_pool_give(block, BLOCK_UNITS);
  oyi_hooks_release(h);
}

const oyi_device_block* oyi_device_block_of(const oyi_storage* s) {
  return s && s->deleter == release_block ? s->context : NULL;
}

static oy_status check_block(const oyi_hooks* h, oy_status status, const void* data) {
  OY_CHECK(status != OY_OK || data, INTERNAL,
           "%s allocated memory at NULL without saying what went wrong",
           oy_backend_name(h->backend));
  return status;
}

static oy_status allocate(oyi_hooks* h, oyi_storage* s, size_t nbytes) {
  oyi_device_block* block = oyi_pool_take(BLOCK_UNITS);
  if (!block) return OY_OUT_OF_MEMORY;
  void *data = NULL, *context = NULL;
  oy_status status =
      h->hooks.allocate(h->hooks.state, s->device_index, nbytes, &data, &context);
  status = check_block(h, status, data);
  if (status != OY_OK) {
    oyi_pool_give(block, BLOCK_UNITS);
    return status;
  }
  *block = (oyi_device_block){h, context, nbytes, s->device_index};
  __atomic_fetch_add(&h->references, 1, __ATOMIC_RELAXED);
  oyi_hooks_count(h, 1, (int64_t)nbytes);
  s->data = data;
  s->context = block;
  s->deleter = release_block;
  s->nbytes = nbytes;
  s->resizable = 1;
  return OY_OK;
}

oy_status oyi_device_storage_fill(oyi_storage* s) {
  if (s->backend == OY_BACKEND_Meta) return OY_OK;
  oyi_hooks_use use = oyi_hooks_enter(s->backend);
  oy_status status = OY_OK;
  if (use.hooks && use.hooks->hooks.allocate) {
    s->resizable = 1;
    if (s->nbytes) status = allocate((oyi_hooks*)(uintptr_t)use.hooks, s, s->nbytes);
  }
  oyi_hooks_leave(use);
  return status;
}

oy_tensor* oyi_with_memory(oyi_tensor* made) {
  if (!made || made->numel == 0 || !oyi_is_remote(made) || oyi_data(made))
    return oyi_tensor_object(made);
  (void)oyi_hooks_missing(made->backend);
  oy_tensor_release(&made->header);
  return NULL;
}

oy_status oyi_device_storage_grow(oyi_storage* s, size_t nbytes) {
  oyi_storage fresh = *s;
  fresh.data = fresh.context = NULL;
  fresh.deleter = NULL;
  fresh.nbytes = nbytes;
  OY_TRY(oyi_device_storage_fill(&fresh));
  OY_CHECK(fresh.data, FAILED_PRECONDITION,
           "Trying to resize storage that is not resizable");
  oy_status status =
      s->data && s->nbytes ? oyi_storage_copy(&fresh, 0, s, 0, s->nbytes, false) : OY_OK;
  oyi_storage* goes = status == OY_OK ? s : &fresh;
  if (goes->deleter) goes->deleter(goes->context, goes->data);
  if (status != OY_OK) return status;
  s->data = fresh.data;
  s->context = fresh.context;
  s->deleter = fresh.deleter;
  s->nbytes = nbytes;
  return OY_OK;
}

// --------------------------------------------------------------------- pinned

static void release_pinned(void* context, void* data) {
  oyi_device_block* block = context;
  oyi_hooks* h = block->hooks;
  h->hooks.host_release(h->hooks.state, data, block->context);
  oyi_hooks_count(h, -1, -(int64_t)block->nbytes);
  oyi_pool_give(block, BLOCK_UNITS);
  oyi_hooks_release(h);
}

bool oyi_is_pinned_by(const oyi_storage* s, const oyi_hooks* hooks) {
  const oyi_device_block* block = s->deleter == release_pinned ? s->context : NULL;
  return block && (!hooks || block->hooks == hooks);
}

static oy_status allocate_pinned(oyi_hooks* h, oyi_storage* s, size_t nbytes) {
  OY_CHECK(h->hooks.host_allocate, NOT_IMPLEMENTED, "%s has no pinned memory",
           oy_backend_name(h->backend));
  oyi_device_block* block = oyi_pool_take(BLOCK_UNITS);
  if (!block) return OY_OUT_OF_MEMORY;
  void *data = NULL, *context = NULL;
  oy_status status = h->hooks.host_allocate(h->hooks.state, nbytes, &data, &context);
  status = check_block(h, status, data);
  if (status != OY_OK) {
    oyi_pool_give(block, BLOCK_UNITS);
    return status;
  }
  *block = (oyi_device_block){h, context, nbytes, -1};
  __atomic_fetch_add(&h->references, 1, __ATOMIC_RELAXED);
  oyi_hooks_count(h, 1, (int64_t)nbytes);
  s->data = data;
  s->context = block;
  s->deleter = release_pinned;
  s->nbytes = nbytes;
  return OY_OK;
}

oyi_storage* oyi_pinned_storage_new(size_t nbytes, oy_backend backend) {
  oyi_storage* s = oyi_storage_new(0, oy_device_cpu());
  if (!s) return NULL;
  oyi_hooks_use use = oyi_hooks_enter((int16_t)backend);
  oy_status status = !use.hooks ? oyi_hooks_missing((int16_t)backend)
                     : nbytes
                         ? allocate_pinned((oyi_hooks*)(uintptr_t)use.hooks, s, nbytes)
                         : OY_OK;
  oyi_hooks_leave(use);
  if (status == OY_OK) return s;
  oyi_storage_release(s);
  return NULL;
}

// ------------------------------------------------------------------ questions

void* oy_tensor_storage_data(const oy_tensor* tensor) {
  const oyi_tensor* t = oyi_tensor_of(tensor);
  return t && t->storage ? t->storage->data : NULL;
}

void* oy_tensor_storage_context(const oy_tensor* tensor) {
  const oyi_tensor* t = oyi_tensor_of(tensor);
  const oyi_device_block* block = t ? oyi_device_block_of(t->storage) : NULL;
  return block ? block->context : NULL;
}

void* oy_tensor_storage_state(const oy_tensor* tensor) {
  const oyi_tensor* t = oyi_tensor_of(tensor);
  const oyi_device_block* block = t ? oyi_device_block_of(t->storage) : NULL;
  return block ? block->hooks->hooks.state : NULL;
}

size_t oy_tensor_byte_offset(const oy_tensor* tensor) {
  const oyi_tensor* t = oyi_tensor_of(tensor);
  return t ? (size_t)t->byte_offset : 0;
}
