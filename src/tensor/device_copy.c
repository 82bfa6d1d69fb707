// SPDX-License-Identifier: Apache-2.0
// Bytes between storages, wherever they lie. A hook copies between its devices and the
// host; what no hook copies directly goes through a block of the host's.
#include "base/memory.h"
#include "tensor/hooks.h"

static bool is_remote(const oyi_storage* s) {
  return s->backend != OY_BACKEND_CPU && s->backend != OY_BACKEND_Meta;
}

// The hooks that know the memory of |s|: those that it came from, or the backend's.
static const oyi_hooks* hooks_of(const oyi_storage* s, const oyi_hooks* current) {
  const oyi_device_block* block = oyi_device_block_of(s);
  return block ? block->hooks : current;
}

static void* context_of(const oyi_storage* s) {
  const oyi_device_block* block = oyi_device_block_of(s);
  return block ? block->context : NULL;
}

static oy_device place_of(const oyi_storage* s) {
  return is_remote(s) ? oy_device_make(s->backend, s->device_index) : oy_device_cpu();
}

static oy_status call_copy(const oyi_hooks* h, const oy_device_copy* copy) {
  OY_CHECK(h->hooks.copy, NOT_IMPLEMENTED, "devices of %s have no memory to copy",
           oy_backend_name(h->backend));
  return h->hooks.copy(h->hooks.state, copy);
}

// One side is on a device, or both are on devices of one plugin.
static oy_status copy_by(const oyi_hooks* h, oyi_storage* to, size_t to_offset,
                         const oyi_storage* from, size_t from_offset, size_t nbytes,
                         bool non_blocking) {
  const oyi_storage* host = !is_remote(to) ? to : !is_remote(from) ? from : NULL;
  oy_device_copy copy = {.struct_size = sizeof(copy),
                         .to_data = to->data,
                         .to_context = context_of(to),
                         .to_offset = to_offset,
                         .from_data = from->data,
                         .from_context = context_of(from),
                         .from_offset = from_offset,
                         .nbytes = nbytes,
                         .to_device = place_of(to),
                         .from_device = place_of(from)};
  if (!host || (non_blocking && oyi_is_pinned_by(host, h)))
    copy.flags |= OY_COPY_NON_BLOCKING;
  return call_copy(h, &copy);
}

// Through the host, between devices that do not know each other.
static oy_status copy_through_host(const oyi_hooks* to_hooks, oyi_storage* to,
                                   size_t to_offset, const oyi_hooks* from_hooks,
                                   const oyi_storage* from, size_t from_offset,
                                   size_t nbytes) {
  oyi_storage* host = oyi_storage_new(nbytes, oy_device_cpu());
  if (!host) return OY_OUT_OF_MEMORY;
  oy_status status = copy_by(from_hooks, host, 0, from, from_offset, nbytes, false);
  if (status == OY_OK) status = copy_by(to_hooks, to, to_offset, host, 0, nbytes, false);
  oyi_storage_release(host);
  return status;
}

static oy_status check_ranges(const oyi_storage* to, size_t to_offset,
                              const oyi_storage* from, size_t from_offset,
                              size_t nbytes) {
  OY_CHECK(to->data && from->data, NOT_IMPLEMENTED, "a tensor without data has no bytes");
  OY_CHECK(to_offset <= to->nbytes && nbytes <= to->nbytes - to_offset &&
               from_offset <= from->nbytes && nbytes <= from->nbytes - from_offset,
           OUT_OF_RANGE, "%zu bytes at %zu of %zu and at %zu of %zu are out of bounds",
           nbytes, to_offset, to->nbytes, from_offset, from->nbytes);
  return OY_OK;
}

oy_status oyi_storage_copy(oyi_storage* to, size_t to_offset, const oyi_storage* from,
                           size_t from_offset, size_t nbytes, bool non_blocking) {
  if (nbytes == 0) return OY_OK;
  OY_TRY(check_ranges(to, to_offset, from, from_offset, nbytes));
  if (!is_remote(to) && !is_remote(from)) {
    memmove((char*)to->data + to_offset, (char*)from->data + from_offset, nbytes);
    return OY_OK;
  }
  oyi_hooks_use to_use = oyi_hooks_enter(to->backend);
  oyi_hooks_use from_use = oyi_hooks_enter(from->backend);
  const oyi_hooks* a = is_remote(to) ? hooks_of(to, to_use.hooks) : NULL;
  const oyi_hooks* b = is_remote(from) ? hooks_of(from, from_use.hooks) : NULL;
  const oyi_hooks* h = a ? a : b;
  oy_status status;
  if (!h || (is_remote(to) && !a) || (is_remote(from) && !b))
    status = oyi_hooks_missing(is_remote(to) && !a ? to->backend : from->backend);
  else if (a && b && a != b)
    status = copy_through_host(a, to, to_offset, b, from, from_offset, nbytes);
  else
    status = copy_by(h, to, to_offset, from, from_offset, nbytes, non_blocking);
  oyi_hooks_leave(from_use);
  oyi_hooks_leave(to_use);
  return status;
}

// |data| of the host as a storage, for as long as a copy takes.
static oyi_storage on_host(void* data, size_t nbytes) {
  return (oyi_storage){
      .references = 1, .data = data, .nbytes = nbytes, .backend = OY_BACKEND_CPU};
}

oy_status oyi_storage_read(const oyi_storage* from, size_t offset, size_t nbytes,
                           void* out) {
  oyi_storage host = on_host(out, nbytes);
  return oyi_storage_copy(&host, 0, from, offset, nbytes, false);
}

oy_status oyi_storage_write(oyi_storage* to, size_t offset, size_t nbytes,
                            const void* data) {
  oyi_storage host = on_host((void*)(uintptr_t)data, nbytes);
  return oyi_storage_copy(to, offset, &host, 0, nbytes, false);
}
