// SPDX-License-Identifier: Apache-2.0
// Fake tensors and their modes: making, entering, asking.
#include "layers/modes/fake.h"

#include "base/memory.h"
#include "opyard/autograd.h"

static const oy_tensor_handler g_fake = {"FakeTensor", oyi_fake_handle, NULL, NULL};

static void mode_destroy(oyi_attachment* attachment) {
  oyi_free(attachment);
}

oy_status oy_fake_mode_create(const oy_fake_options* options, oy_fake_mode** out_mode) {
  oy_fake_mode* mode = *out_mode = oyi_zalloc(sizeof(*mode));
  if (!mode) return OY_OUT_OF_MEMORY;
  mode->handled = (oyi_handled){{1, g_fake.name, mode_destroy}, &g_fake, mode, true};
  mode->own = (oyi_own_mode){"FakeTensorMode", oyi_fake_handle, mode};
  if (options) mode->options = *options;
  return OY_OK;
}

void oy_fake_mode_release(oy_fake_mode* mode) {
  if (mode) oyi_attachment_release(&mode->handled.head);
}

oy_fake_guard oy_fake_mode_enter(oy_fake_mode* mode) {
  oy_fake_guard guard = {oyi_thread_modes.fake};
  oyi_thread_modes.fake = &mode->own;
  oyi_modes_update();
  return guard;
}

void oy_fake_mode_leave(const oy_fake_guard* guard) {
  oyi_thread_modes.fake = guard->before;
  oyi_modes_update();
}

bool oyi_is_fake(const oy_object* o) {
  const oyi_handled* h = oyi_handled_of(o);
  return h && h->handler == &g_fake;
}

oy_fake_mode* oy_fake_mode_of(const oy_tensor* tensor) {
  return oyi_is_fake(tensor) ? oyi_handled_of(tensor)->data : NULL;
}

// --------------------------------------------------------------------- making

// Backends with one device have no index; others count from 0.
static oy_device normal(oy_device device) {
  bool counts = device.backend != OY_BACKEND_CPU && device.backend != OY_BACKEND_Meta;
  if (counts && device.index < 0) device.index = 0;
  return device;
}

void oyi_no_data_mark(oyi_tensor* t, oy_device device) {
  device = normal(device);
  t->backend = device.backend;
  t->device_index = device.index;
  oy_keyset cast = oy_keyset_autocast_related(device.backend);
  t->header.keys.functionality |=
      OYI_HANDLER_KEYS | 1ull << OY_KEY_Fake | cast.functionality;
}

oy_status oyi_fake_mark(oy_fake_mode* mode, oyi_tensor* t, oy_device device) {
  OY_TRY(oyi_attach(t, &mode->handled.head));
  oyi_no_data_mark(t, device);
  return OY_OK;
}

static oy_tensor* marked(oy_fake_mode* mode, oyi_tensor* t, oy_device device) {
  if (!t || oyi_fake_mark(mode, t, device) == OY_OK) return oyi_tensor_object(t);
  oy_tensor_release(&t->header);
  return NULL;
}

oy_tensor* oy_fake_empty(oy_fake_mode* mode, oy_ints sizes, oy_dtype dtype,
                         oy_device device) {
  if (!oy_backend_name(device.backend)) {
    OY_FAIL(INVALID_ARGUMENT, "there is no backend %d", device.backend);
    return NULL;
  }
  return marked(mode, oyi_tensor_new(sizes, dtype, oy_device_meta()), device);
}

static oyi_tensor* on_meta(const oyi_tensor* t, oyi_storage* storage) {
  const oy_device meta = oy_device_meta();
  oyi_tensor* plain = oyi_tensor_on_storage(
      storage, oy_tensor_keys_for(meta, t->header.dtype), oyi_sizes_view(t),
      oyi_strides_view(t), t->offset, t->header.dtype, meta);
  if (plain) plain->header.flags |= t->header.flags & OY_OBJECT_WRAPPED_NUMBER;
  return plain;
}

oyi_tensor* oyi_fake_plain(const oyi_tensor* t) {
  if (oyi_is_fake(&t->header) || !t->storage) return on_meta(t, t->storage);
  oyi_storage* storage = oyi_storage_new(t->storage->nbytes, oy_device_meta());
  oyi_tensor* plain = storage ? on_meta(t, storage) : NULL;
  oyi_storage_release(storage);
  return plain;
}

oy_tensor* oy_fake_from(oy_fake_mode* mode, oy_tensor* tensor) {
  const oyi_tensor* t = oyi_tensor_of(tensor);
  if (!t) return NULL;
  if (oy_fake_mode_of(tensor) == mode) return oy_tensor_retain(tensor);
  if (oyi_is_fake(tensor)) {
    OY_FAIL(INVALID_ARGUMENT, "Mixing fake modes NYI");
    return NULL;
  }
  oy_tensor* fake = marked(mode, oyi_fake_plain(t), oyi_tensor_device(t));
  if (!fake || !oy_requires_grad(tensor) || oy_requires_grad_(fake, true)) return fake;
  oy_tensor_release(fake);
  return NULL;
}
