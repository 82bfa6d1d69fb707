// SPDX-License-Identifier: Apache-2.0
// Tensors that handle their own calls: what hangs on them, and in what order they are asked.
#include "base/memory.h"
#include "layers/modes/modes.h"

// ------------------------------------------------------------------- on a tensor

static void handled_destroy(oyi_attachment* attachment) {
  oyi_handled* h = (oyi_handled*)(void*)attachment;
  if (h->handler->destroy) h->handler->destroy(h->data);
  oyi_free(h);
}

static oy_status attach_new(oyi_tensor* t, const oy_tensor_handler* handler, void* data) {
  oyi_handled* h = oyi_malloc(sizeof(*h));
  if (!h) {
    if (handler->destroy) handler->destroy(data);
    return OY_OUT_OF_MEMORY;
  }
  *h = (oyi_handled){{1, handler->name, handled_destroy}, handler, data, false};
  oy_status status = oyi_attach(t, &h->head);
  oyi_attachment_release(&h->head);
  return status;
}

oy_status oy_tensor_set_handler(oy_tensor* tensor, const oy_tensor_handler* handler,
                                void* data) {
  oyi_tensor* t = oyi_tensor_of(tensor);
  oy_status status = t ? OY_OK : oy_failure();
  if (t && oyi_attached(t))
    status = OY_FAIL(ALREADY_EXISTS, "the tensor has a handler, %s, expected none",
                     oyi_attached(t)->name);
  if (status != OY_OK) {
    if (handler->destroy) handler->destroy(data);
    return status;
  }
  OY_TRY(attach_new(t, handler, data));
  t->header.keys.functionality |= OYI_HANDLER_KEYS;
  return OY_OK;
}

const oyi_handled* oyi_handled_of(const oy_object* o) {
  if (!oyi_is_tensor(o)) return NULL;
  return (const oyi_handled*)(const void*)oyi_attached(oyi_tensor_cast(o));
}

const oy_tensor_handler* oy_tensor_get_handler(const oy_tensor* tensor, void** out_data) {
  const oyi_handled* h = oyi_handled_of(tensor);
  if (out_data) *out_data = h ? h->data : NULL;
  return h ? h->handler : NULL;
}

// --------------------------------------------------------------------- in a call

oy_status oyi_each_tensor(oy_value v, oyi_tensor_visitor visit, void* context) {
  if (v.tag == OY_TAG_TENSOR) return visit(context, v.as.object);
  if (v.tag == OY_TAG_TENSOR_LIST) {
    for (size_t i = 0; i < v.count; i++)
      if (!oy_object_is_none(v.as.tensors[i])) OY_TRY(visit(context, v.as.tensors[i]));
  } else if (v.tag == OY_TAG_LIST) {
    for (size_t i = 0; i < v.count; i++)
      if (v.as.values[i].tag == OY_TAG_TENSOR)
        OY_TRY(visit(context, v.as.values[i].as.object));
  }
  return OY_OK;
}

enum { MAX_CLASSES = 32 };
typedef struct classes {
  const oyi_handled* first[MAX_CLASSES];  // of each class: what its first tensor has
  size_t count;
  bool own;
} classes;

static bool extends(const oy_tensor_handler* a, const oy_tensor_handler* b) {
  while (a && a != b) a = a->base;
  return a != NULL;
}

static oy_status add_class(void* context, oy_object* tensor) {
  classes* c = context;
  const oyi_handled* h = oyi_handled_of(tensor);
  if (!h || h->own != c->own) return OY_OK;
  size_t at = c->count;
  for (size_t i = c->count; i-- > 0;) {
    if (c->first[i]->handler == h->handler) return OY_OK;
    if (extends(h->handler, c->first[i]->handler)) at = i;
  }
  OY_CHECK(c->count < MAX_CLASSES, EXHAUSTED,
           "expected tensors with up to %d different handlers in one call", MAX_CLASSES);
  memmove(&c->first[at + 1], &c->first[at], (c->count - at) * sizeof(*c->first));
  c->first[at] = h;
  c->count++;
  return OY_OK;
}

oy_status oyi_ask_tensors(oyi_handling* h, bool own, bool* out_done) {
  classes found = {.own = own};
  for (size_t i = 0; i < h->count; i++)
    OY_TRY(oyi_each_tensor(h->kept[i], add_class, &found));
  for (size_t i = 0; i < found.count && !*out_done; i++) {
    const oyi_handled* one = found.first[i];
    OY_TRY(oyi_run_handler(h, one->handler->handle, one->data, out_done));
    if (!*out_done)
      oyi_strbuf_printf(&h->asked, "  - tensor subclass %s\n", one->handler->name);
  }
  return OY_OK;
}
