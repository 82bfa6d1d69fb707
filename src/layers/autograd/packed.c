// SPDX-License-Identifier: Apache-2.0
// Packing saved tensors and unpacking them for their node (packed.h; reference, 9.7).
#include "layers/autograd/packed.h"

#include "base/memory.h"
#include "layers/autograd/full.h"
#include "layers/autograd/hooks.h"
#include "layers/autograd/record.h"
#include "layers/autograd/short_node.h"
#include "layers/autograd/variable.h"
#include "opyard/inline.h"

typedef struct packed {
  oyi_tensor_meta meta;
  oyi_saved_hooks* by;
  void* what;
  oyi_edge edge;  // of an input: where its gradient goes
  bool is_result;
} packed;

static void packed_destroy(oyi_tensor* stand_in) {
  packed* p = (packed*)(void*)stand_in->meta;
  stand_in->meta = NULL;
  const oy_saved_hooks* hooks = &p->by->hooks;
  if (hooks->release) hooks->release(hooks->data, p->what);
  oyi_saved_hooks_release(p->by);
  oyi_node_release(p->edge.node);
  oyi_free(p);
  oyi_tensor_end(stand_in);
}
static void packed_print(const oyi_tensor* stand_in, oyi_strbuf* buf) {
  (void)stand_in;
  oyi_strbuf_puts(buf, "packed");
}
static void packed_hold_storage(oyi_tensor* stand_in) {
  (void)stand_in;  // it has none that is not its own
}
static const oyi_tensor_meta_class g_packed_class = {packed_destroy, packed_print,
                                                     packed_hold_storage, NULL};

static packed* packed_of(const oyi_saved* slot) {
  const oyi_tensor_meta* meta = slot->tensor ? slot->tensor->meta : NULL;
  return meta && meta->klass == &g_packed_class ? (packed*)(void*)slot->tensor->meta
                                                : NULL;
}
bool oyi_is_packed(const oyi_saved* slot) {
  return packed_of(slot) != NULL;
}

// -------------------------------------------------------------------- packing

static oy_status call_pack(const oy_saved_hooks* hooks, oyi_tensor* t, void** out) {
  *out = NULL;
  const uint32_t version = oyi_version(t);
  const uint8_t mode = oyi_grad_mode;
  oyi_grad_mode = OYI_GRAD_OFF;
  uint64_t before = oy_call_enter();
  oy_status status = hooks->pack(hooks->data, oyi_tensor_object(t), out);
  oy_call_leave(before);
  oyi_grad_mode = mode;
  if (status != 0 || oyi_version(t) == version) return status;
  if (hooks->release) hooks->release(hooks->data, *out);
  return OY_FAIL(FAILED_PRECONDITION,
                 "A saved tensor pack hook is modifying its input in place. Tensors "
                 "provided as input to pack hook can not be modified by in-place "
                 "operations as this can lead to unexpected side-effects. Please open an "
                 "issue if you need to perform in-place operations on the input to a "
                 "pack hook.");
}

// |p| without what is packed.
static oyi_tensor* stand_in_for(packed* p, const oyi_tensor* t) {
  oyi_tensor* made =
      oyi_tensor_on_storage(NULL, t->header.keys, oyi_sizes_view(t), oyi_strides_view(t),
                            0, t->header.dtype, oyi_tensor_device(t));
  if (!made) return NULL;
  made->header.keys.functionality &= ~OYI_AUTOGRAD_BITS;
  made->meta = &p->meta;
  return made;
}

static oy_status make_packed(packed* p, oyi_saved* slot, oyi_tensor* original) {
  if (!slot->is_result && oyi_needs_gradient(&original->header))
    OY_TRY(oyi_gradient_edge(original, &p->edge));
  OY_TRY(call_pack(&p->by->hooks, original, &p->what));
  p->is_result = slot->is_result;
  oyi_tensor* made = stand_in_for(p, original);
  if (!made) {
    if (p->by->hooks.release) p->by->hooks.release(p->by->hooks.data, p->what);
    return OY_OUT_OF_MEMORY;
  }
  oyi_tensor* before = slot->tensor;
  slot->tensor = made;
  slot->version = oyi_version(made);
  slot->is_result = false;
  oy_tensor_release(oyi_tensor_object(before));
  return OY_OK;
}

static const oyi_formula* with_unpacking(oyi_node* node);

oy_status oyi_pack(oyi_node* node, oyi_saved* slot, oyi_tensor* original) {
  // A number is not the user's tensor.
  if (original->header.flags & OY_OBJECT_WRAPPED_NUMBER) return OY_OK;
  if (node->kind != OYI_NODE_FUNCTION && !with_unpacking(node)) return OY_OUT_OF_MEMORY;
  packed* p = oyi_zalloc(sizeof(*p));
  if (!p) return OY_OUT_OF_MEMORY;
  p->meta.klass = &g_packed_class;
  p->by = oyi_saved_hooks_get();
  oy_status status = make_packed(p, slot, original);
  if (status == 0) return OY_OK;
  oyi_saved_hooks_release(p->by);
  oyi_node_release(p->edge.node);
  oyi_free(p);
  return status;
}

// ------------------------------------------------------------------ unpacking

static oy_object* call_unpack(const packed* p) {
  const oy_saved_hooks* hooks = &p->by->hooks;
  oy_tensor* made = NULL;
  uint64_t before = oy_call_enter();
  oy_status status = hooks->unpack(hooks->data, p->what, &made);
  oy_call_leave(before);
  if (status == 0 && oyi_is_tensor(made)) return made;
  bool is_none = !made || oy_object_is_none(made);
  if (status == 0)
    OY_FAIL(TYPE_MISMATCH,
            "Output of saved tensor unpack_hook expected to be a Tensor but got result "
            "of type %s",
            is_none ? "NoneType" : made->klass->name);
  oy_object_release(made);
  return NULL;
}

// Another alias of |made|, whose reference it takes, that came from |edge|.
static oy_object* with_history(oy_object* made, const oyi_edge* edge) {
  const oyi_tensor* t = oyi_tensor_cast(made);
  oyi_tensor* alias =
      oyi_tensor_alias(t, oyi_sizes_view(t), oyi_strides_view(t), t->offset);
  oyi_variable* v = alias && edge->node ? oyi_variable_make(alias) : NULL;
  oy_tensor_release(made);
  if (v) {
    v->grad_fn = oyi_node_retain(edge->node);
    v->output_nr = edge->output_nr;
    v->view_version = oyi_version(alias);
    oyi_track(alias);
  } else if (alias && edge->node) {
    oy_tensor_release(&alias->header);
    return NULL;
  }
  return oyi_tensor_object(alias);
}

oy_object* oyi_unpack(oyi_node* node, const oyi_saved* slot) {
  const packed* p = packed_of(slot);
  oy_object* made = call_unpack(p);
  if (!made) return NULL;
  // An input needs a gradient as it did, which a custom function may ask for; a result is
  // one of its node only while the walk is recorded.
  oyi_edge edge = p->edge;
  if (p->is_result && oyi_grad_mode) edge = (oyi_edge){node, slot->output_nr};
  // What needs no gradient is as good as it came.
  if (!edge.node && !oyi_needs_gradient(made)) return made;
  return with_history(made, &edge);
}

// --------------------------------------------------------- for the time of a node

typedef struct unpacking {
  oyi_formula formula;  // first; the name is the original's
  const oyi_formula* original;
} unpacking;

static oy_status unpack_all(oyi_node* node, oyi_saved* slots, size_t count,
                            oyi_tensor** before) {
  for (size_t i = 0; i < count; i++) before[i] = slots[i].tensor;
  for (size_t i = 0; i < count; i++) {
    if (!oyi_is_packed(&slots[i])) continue;
    oy_object* made = oyi_unpack(node, &slots[i]);
    if (!made) return oy_failure();
    slots[i].tensor = oyi_tensor_cast(made);
    slots[i].version = oyi_version(slots[i].tensor);
  }
  return OY_OK;
}

static void put_back(oyi_saved* slots, size_t count, oyi_tensor** before) {
  for (size_t i = 0; i < count; i++) {
    if (slots[i].tensor == before[i]) continue;
    oy_tensor_release(oyi_tensor_object(slots[i].tensor));
    slots[i].tensor = before[i];
    slots[i].version = oyi_version(before[i]);
  }
}

static const oyi_formula* original_of(const oyi_node* node) {
  return ((const unpacking*)(const void*)node->formula)->original;
}

static oy_status apply_short(oyi_short_node* node, oy_object* grad, oy_object** out) {
  if (node->head.released) return oyi_fail_released();
  oyi_tensor* before[OYI_NODE_SAVED];
  const size_t slots = oyi_short_slots(node);
  oy_status status = unpack_all(&node->head, node->saved, slots, before);
  if (status == 0) status = original_of(&node->head)->apply(node, grad, out);
  put_back(node->saved, slots, before);
  return status;
}

static oy_status apply_full(oyi_full_node* node, oy_object* const* grads,
                            oy_object** gives) {
  oyi_tensor** before = oyi_calloc(node->saved_count, sizeof(oyi_tensor*));
  if (!before) return OY_OUT_OF_MEMORY;
  oy_status status = unpack_all(&node->head, node->saved, node->saved_count, before);
  oyi_full_rebind(node);
  if (status == 0) status = original_of(&node->head)->apply_full(node, grads, gives);
  put_back(node->saved, node->saved_count, before);
  oyi_full_rebind(node);
  oyi_free(before);
  return status;
}

// The formula of |node| that unpacks, made if there is none; NULL: OUT_OF_MEMORY.
static const oyi_formula* with_unpacking(oyi_node* node) {
  oyi_hooks* hooks = oyi_hooks_of(node);
  if (!hooks) return NULL;
  if (hooks->unpacking) return node->formula;
  unpacking* u = oyi_malloc(sizeof(*u));
  if (!u) return NULL;
  *u = (unpacking){*node->formula, node->formula};
  if (u->formula.apply) u->formula.apply = apply_short;
  if (u->formula.apply_full) u->formula.apply_full = apply_full;
  hooks->unpacking = u;
  return node->formula = &u->formula;
}
