// SPDX-License-Identifier: Apache-2.0
// Recording one call. A node is made before the call below runs, so that what it
// saves is as it was; it is dropped if the call fails. An in-place operator that
// needs its own input later saves a copy: the input itself is about to change.
#include "layers/autograd/record.h"

#include "layers/autograd/anomaly.h"
#include "layers/autograd/packed.h"
#include "layers/autograd/variable.h"
#include "ops/calls.h"
#include "opyard/dispatcher.h"

__thread uint8_t oyi_grad_mode = OYI_GRAD_ON;
__thread uint8_t oyi_record_also;

bool oy_grad_mode_get(void) {
  return oyi_grad_mode != OYI_GRAD_OFF;
}
void oy_grad_mode_set(bool on) {
  uint8_t as_on = oyi_makes_inference() ? OYI_GRAD_ON_IN_INFERENCE : OYI_GRAD_ON;
  oyi_grad_mode = on ? as_on : OYI_GRAD_OFF;
}

static oy_status refuse_out(const oy_op* op) {
  oy_str name = oy_op_name_of(op);
  const char* base = name.data ? strstr(name.data, "::") : NULL;
  base = base ? base + 2 : "operator";
  return OY_FAIL(FAILED_PRECONDITION,
                 "%.*s(): functions with out=... arguments don't support automatic "
                 "differentiation, but one of the arguments requires grad.",
                 (int)strcspn(base, "."), base);
}

oy_status oyi_check_view(const oyi_tensor* view, bool is_base) {
  const oyi_variable* v = oyi_variable_of(view);
  if (!v || v->creation == OYI_CREATION_DEFAULT) return OY_OK;
  if (!v->base && v->creation != OYI_CREATION_FUNCTION) return OY_OK;
  return oyi_fail_view(view, is_base);
}

oy_status oyi_check_inplace(oyi_tensor* t) {
  oyi_variable* v = oyi_variable_of(t);
  if (!v) return OY_OK;
  OY_TRY(oyi_check_view(t, false));
  if (v->base) {
    const oyi_variable* base = oyi_variable_of(v->base);
    OY_CHECK(!base || !base->requires_grad || base->grad_fn, FAILED_PRECONDITION,
             "a view of a leaf Variable that requires grad is being used in an "
             "in-place operation.");
  }
  oyi_node* grad_fn;
  OY_TRY(oyi_grad_fn(t, &grad_fn));
  OY_CHECK(grad_fn || !oyi_requires_grad(t), FAILED_PRECONDITION,
           "a leaf Variable that requires grad is being used in an in-place "
           "operation.");
  return OY_OK;
}

// Dimensions of a reduction as a mask; a bad one is for the kernel to report.
static uint64_t dims_mask(oy_ints dims, int64_t ndim) {
  uint64_t mask = 0;
  for (size_t i = 0; i < dims.size; i++) {
    int64_t d = dims.data[i] < 0 ? dims.data[i] + ndim : dims.data[i];
    if (d >= 0 && d < OY_TENSOR_MAX_DIMS) mask |= 1ull << d;
  }
  return dims.size ? mask : ~0ull;
}

static oy_status save_inputs(oyi_record* r, const oyi_frame* frame) {
  _Static_assert(OYI_NODE_INPUTS == 2, "both are asked for");
  if (!(r->formula->save_if[0] | r->formula->save_if[1])) return OY_OK;
  bool is_inplace = r->form == OYI_GIVES_INPLACE;
  const oyi_tensor* written = is_inplace ? oyi_tensor_of(frame->tensors[0]) : NULL;
  unsigned valid = 0;
  for (int i = 0; i < r->formula->inputs; i++)
    valid |= r->node->own_edges[i].node ? 1u << i : 0;
  for (int i = 0; i < r->formula->inputs; i++) {
    if (!(r->formula->save_if[i] & valid)) continue;
    oyi_tensor* t = oyi_tensor_of(frame->tensors[i]);
    if (!t) return oy_failure();
    // Hooks that pack what is saved take it away; a node in place may lose its edges.
    if (!is_inplace && OY_LIKELY(!oyi_record_also) &&
        oyi_save_lent(&r->node->saved[i], t, r->node->own_edges[i].node))
      continue;
    oy_object* copy = NULL;
    if (i == 0 && is_inplace) {
      copy = oyi_call_clone(frame->tensors[i], oy_none());
      if (!copy) return oy_failure();
      t = oyi_tensor_cast(copy);
    }
    oy_status status = oyi_save_input(&r->node->saved[i], t, written);
    oy_tensor_release(copy);
    OY_TRY(status);
  }
  return OY_OK;
}

static void fill_extra(oyi_extra* extra, const oyi_frame* frame) {
  oy_scalar number = frame->extra.scalar;
  if (OY_UNLIKELY(number.tag == OY_TAG_COMPLEX)) {
    extra->complex = *number.as.complex_data;
    extra->scalar = oy_complex_value(&extra->complex);
    return;
  }
  if (number.tag != OY_TAG_NONE)
    extra->scalar = number;
  else
    memcpy(extra->dims, frame->extra.dims, sizeof(extra->dims));
  extra->mask = frame->extra.mask;
  extra->flag = frame->extra.flag;
}

static oy_status fill_node(oyi_record* r, const oyi_frame* frame) {
  oyi_short_node* node = r->node;
  node->head.edge_count = r->formula->inputs;
  for (int i = 0; i < r->formula->inputs; i++) {
    oyi_tensor* t = oyi_tensor_of(frame->tensors[i]);
    if (!t) return oy_failure();
    OY_TRY(oyi_gradient_edge(t, &node->own_edges[i]));
  }
  fill_extra(&node->extra, frame);
  if (frame->dims.data)
    node->extra.mask = dims_mask(frame->dims, oyi_tensor_cast(frame->tensors[0])->ndim);
  return save_inputs(r, frame);
}

oy_status oyi_refuse_gradient(const oy_op* op, oy_object* const* tensors,
                              const oy_tensors* lists, oyi_form form) {
  bool any = false;
  for (; *tensors; tensors++) any = any || oyi_needs_gradient(*tensors);
  for (; lists->data; lists++)
    for (size_t i = 0; i < lists->size; i++)
      any = any || oyi_needs_gradient(lists->data[i]);
  if (!any || !oyi_grad_mode) return OY_OK;
  if (form == OYI_GIVES_OUT || form == OYI_GIVES_OUTS) return refuse_out(op);
  oy_str name = oy_op_name_of(op);
  return OY_FAIL(NOT_IMPLEMENTED,
                 "the derivative for '%.*s' is not implemented; call it with grad mode "
                 "off, or on detached tensors",
                 OY_STR_ARG(name));
}

static __attribute__((noinline)) oy_status record_also(oyi_record* r,
                                                       const oyi_frame* frame,
                                                       const oy_op* op) {
  oyi_node* node = &r->node->head;
  oyi_saved* saved = r->node->saved;
  if (oyi_record_also & OYI_ALSO_STREAM) oyi_expect_stream(&r->node->own_expected);
  for (int i = 0; i < OYI_NODE_INPUTS && (oyi_record_also & OYI_ALSO_PACK); i++)
    if (saved[i].tensor) OY_TRY(oyi_pack(node, &saved[i], saved[i].tensor));
  if (!(oyi_record_also & OYI_ALSO_NOTE)) return OY_OK;
  return oyi_anomaly_note(node, op, frame->tensors, r->formula->inputs);
}

oy_status oyi_record_start(oyi_record* r, const oyi_frame* frame, const oy_op* op) {
  bool any = false;
  for (oy_object* const* t = frame->tensors; *t; t++) any = any || oyi_needs_gradient(*t);
  if (!any) return OY_OK;
  if (r->form == OYI_GIVES_OUT) return refuse_out(op);
  if (r->formula->inputs == 0) return OY_OK;
  if (r->form == OYI_GIVES_INPLACE) {
    oyi_tensor* t = oyi_tensor_of(frame->tensors[0]);
    if (!t) return oy_failure();
    OY_TRY(oyi_check_inplace(t));
  }
  r->node = oyi_short_node_new(r->formula);
  if (!r->node) return OY_OUT_OF_MEMORY;
  oy_status status = fill_node(r, frame);
  if (status == 0 && OY_UNLIKELY(oyi_record_also)) status = record_also(r, frame, op);
  if (status == 0) return OY_OK;
  oyi_node_release(&r->node->head);
  r->node = NULL;
  return status;
}

// oyi_set_history of a tensor of the CPU that has no record yet, as new ones have none.
static inline oy_status give_new_history(oyi_short_node* node, oyi_tensor* t) {
  oyi_variable* v = oyi_variable_make(t);
  if (OY_UNLIKELY(!v || oyi_expect(&node->own_expected, t) != 0)) {
    oyi_node_release(&node->head);
    return OY_OUT_OF_MEMORY;
  }
  v->grad_fn = &node->head;
  v->view_version = oyi_version(t);
  t->header.keys.functionality |= 1ull << OY_KEY_AutogradFunctionality;
  return OY_OK;
}

// Takes over the node.
static oy_status give_history(oyi_record* r, oyi_tensor* t) {
  if (OY_LIKELY(!t->meta && t->backend == OY_BACKEND_CPU && oyi_has_view_key(&t->header)))
    return give_new_history(r->node, t);
  oyi_variable* v = oyi_variable_of(t);
  if (r->form == OYI_GIVES_INPLACE && v && v->base)
    return oyi_view_rebase(t, &r->node->head);
  return oyi_set_history(t, &r->node->head, 0);
}

oy_object* oyi_record_finish(oyi_record* r, oy_object* result) {
  oyi_node* node = &r->node->head;
  oyi_tensor* t = result ? oyi_tensor_of(result) : NULL;
  if (!t || !oyi_is_differentiable(t->header.dtype)) {
    oyi_node_release(node);
    return result;
  }
  bool save = r->formula->save_if[OYI_SAVE_RESULT] != 0;
  oy_status status = OY_OK;
  if (save) status = oyi_save_tensor(&r->node->saved[OYI_SAVE_RESULT], t, 0);
  if (status != 0)
    oyi_node_release(node);
  else
    status = give_history(r, t);
  if (save && OY_UNLIKELY(oyi_record_also & OYI_ALSO_PACK) && status == 0)
    status = oyi_pack(node, &r->node->saved[OYI_SAVE_RESULT], t);
  if (status == 0) return result;
  if (r->form != OYI_GIVES_INPLACE) oy_tensor_release(result);
  return NULL;
}
