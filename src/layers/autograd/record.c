// SPDX-License-Identifier: Apache-2.0
// Recording one call. A node is made before the call below runs, so that what it
// saves is as it was; it is dropped if the call fails. An in-place operator that
// needs its own input later saves a copy: the input itself is about to change.
#include "layers/autograd/record.h"

#include "layers/autograd/anomaly.h"
#include "layers/autograd/packed.h"
#include "layers/autograd/short_node.h"
#include "layers/autograd/variable.h"
#include "ops/calls.h"
#include "opyard/dispatcher.h"

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
  if (!oyi_is_view(v) && v->creation != OYI_CREATION_FUNCTION) return OY_OK;
  return oyi_fail_view(view, is_base);
}

oy_status oyi_check_inplace(oyi_tensor* t) {
  oyi_variable* v = oyi_variable_of(t);
  if (!v) return OY_OK;
  OY_TRY(oyi_check_view(t, false));
  if (oyi_is_view(v)) {
    OY_CHECK(!v->root->requires_grad || v->root->grad_fn, FAILED_PRECONDITION,
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

static inline unsigned valid_edges(const oyi_short_node* node) {
  _Static_assert(OYI_NODE_INPUTS == 2, "both are asked for");
  return (node->own_edges[0].node != NULL) | (unsigned)(node->own_edges[1].node != NULL)
                                                 << 1;
}

// In place, or with hooks that pack what is saved and so take it away.
static __attribute__((noinline)) oy_status save_copies(oyi_short_node* node,
                                                       oyi_record r) {
  const unsigned valid = valid_edges(node);
  const bool is_inplace = r.form == OYI_GIVES_INPLACE;
  const oyi_tensor* written = is_inplace ? oyi_tensor_of(r.tensors[0]) : NULL;
  for (int i = 0; i < r.formula->inputs; i++) {
    if (!(r.formula->save_if[i] & valid)) continue;
    oyi_tensor* t = oyi_tensor_of(r.tensors[i]);
    if (!t) return oy_failure();
    oy_object* copy = NULL;
    if (i == 0 && is_inplace) {
      copy = oyi_call_clone(r.tensors[i], oy_none());
      if (!copy) return oy_failure();
      t = oyi_tensor_cast(copy);
    }
    oy_status status = oyi_save_input(&node->saved[i], t, written);
    oy_tensor_release(copy);
    OY_TRY(status);
  }
  return OY_OK;
}

static inline oy_status save_one(oyi_short_node* node, oyi_record r, int i) {
  oyi_tensor* t = oyi_tensor_cast(r.tensors[i]);  // as its edge found it to be
  if (OY_LIKELY(oyi_save_lent(&node->saved[i], t, node->own_edges[i].node))) return OY_OK;
  return oyi_save_input(&node->saved[i], t, NULL);
}

static inline oy_status save_inputs(oyi_short_node* node, oyi_record r) {
  const uint8_t* save_if = r.formula->save_if;
  if (!(save_if[0] | save_if[1])) return OY_OK;
  // A node in place may lose its edges, and what they would lend.
  if (OY_UNLIKELY(r.form == OYI_GIVES_INPLACE || oyi_record_also))
    return save_copies(node, r);
  const unsigned valid = valid_edges(node);
  if (save_if[0] & valid) OY_TRY(save_one(node, r, 0));
  if ((save_if[1] & valid) && r.formula->inputs > 1) return save_one(node, r, 1);
  return OY_OK;
}

static inline void fill_extra(oyi_extra* extra, const oyi_frame* frame,
                              const oy_object* first) {
  if (!frame) {
    extra->dims[0] = extra->dims[1] = 0;
    extra->mask = 0;
    extra->flag = false;
    return;
  }
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
  if (frame->dims.data)
    extra->mask = dims_mask(frame->dims, oyi_tensor_cast(first)->ndim);
}

static inline oy_status fill_edge(oyi_edge* edge, const oy_object* input) {
  oyi_tensor* t = oyi_tensor_of(input);
  return OY_LIKELY(t != NULL) ? oyi_gradient_edge(t, edge) : oy_failure();
}

static inline oy_status fill_edges(oyi_edge edges[OYI_NODE_INPUTS], oyi_record r) {
  OY_TRY(fill_edge(&edges[0], r.tensors[0]));
  return r.formula->inputs > 1 ? fill_edge(&edges[1], r.tensors[1]) : OY_OK;
}

static inline oy_status fill_node(oyi_short_node* node, oyi_record r) {
  fill_extra(&node->extra, r.frame, r.tensors[0]);
  return save_inputs(node, r);
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

static __attribute__((noinline)) oy_status record_also(oyi_short_node* short_node,
                                                       oyi_record r, const oy_op* op) {
  oyi_node* node = &short_node->head;
  oyi_saved* saved = short_node->saved;
  if (oyi_record_also & OYI_ALSO_STREAM) oyi_expect_stream(&short_node->own_expected);
  for (int i = 0; i < OYI_NODE_INPUTS && (oyi_record_also & OYI_ALSO_PACK); i++)
    if (saved[i].tensor) OY_TRY(oyi_pack(node, &saved[i], saved[i].tensor));
  if (!(oyi_record_also & OYI_ALSO_NOTE)) return OY_OK;
  return oyi_anomaly_note(node, op, r.tensors, r.formula->inputs);
}

static oy_status check_target(oy_object* target) {
  oyi_tensor* t = oyi_tensor_of(target);
  return t ? oyi_check_inplace(t) : oy_failure();
}

oy_status oyi_record_start(const oyi_record* record, const oy_op* op,
                           oyi_short_node** out_node) {
  // A copy, so that it cannot change while the node is written.
  const oyi_record r = *record;
  oy_object* const* t = r.tensors;
  while (*t && !oyi_needs_gradient(*t)) t++;
  if (!*t) return OY_OK;
  if (OY_UNLIKELY(r.form == OYI_GIVES_OUT)) return refuse_out(op);
  if (OY_UNLIKELY(r.formula->inputs == 0)) return OY_OK;
  if (OY_UNLIKELY(r.form == OYI_GIVES_INPLACE)) OY_TRY(check_target(r.tensors[0]));
  // The edges come first: what counts references would wait for all that is written before.
  oyi_edge edges[OYI_NODE_INPUTS] = {{NULL, 0}, {NULL, 0}};
  oy_status status = fill_edges(edges, r);
  oyi_short_node* node =
      OY_LIKELY(status == 0) ? oyi_short_node_new(r.formula, edges) : NULL;
  if (OY_UNLIKELY(!node)) {
    for (int i = 0; i < OYI_NODE_INPUTS; i++) oyi_node_release(edges[i].node);
    return status ? status : OY_OUT_OF_MEMORY;
  }
  status = fill_node(node, r);
  if (OY_UNLIKELY(oyi_record_also) && status == 0) status = record_also(node, r, op);
  if (OY_LIKELY(status == 0)) {
    *out_node = node;
    return OY_OK;
  }
  oyi_node_release(&node->head);
  return status;
}

// ------------------------------------------------------------------- afterwards

// Takes over the node.
static oy_status give_history(oyi_short_node* node, oyi_form form, oyi_tensor* t) {
  oyi_variable* v = oyi_variable_of(t);
  if (form == OYI_GIVES_INPLACE && v && oyi_is_view(v))
    return oyi_view_rebase(t, &node->head);
  return oyi_set_history(t, &node->head, 0);
}

static __attribute__((noinline)) oy_object* finish_slow(oyi_short_node* short_node,
                                                        oyi_form form,
                                                        oy_object* result) {
  oyi_node* node = &short_node->head;
  oyi_tensor* t = result ? oyi_tensor_of(result) : NULL;
  if (!t || !oyi_is_differentiable(t->header.dtype)) {
    oyi_node_release(node);
    return result;
  }
  const bool save = node->saves_result;
  oy_status status = OY_OK;
  if (save) status = oyi_save_tensor(&short_node->saved[OYI_SAVE_RESULT], t, 0);
  if (status != 0)
    oyi_node_release(node);
  else
    status = give_history(short_node, form, t);
  if (save && OY_UNLIKELY(oyi_record_also & OYI_ALSO_PACK) && status == 0)
    status = oyi_pack(node, &short_node->saved[OYI_SAVE_RESULT], t);
  if (status == 0) return result;
  if (form != OYI_GIVES_INPLACE) oy_tensor_release(result);
  return NULL;
}

// A tensor of the CPU that has no record yet, as new ones have none, gets one at once.
oy_object* oyi_record_finish(oyi_short_node* node, oyi_form form, oy_object* result) {
  if (OY_UNLIKELY(!oyi_is_tensor(result))) return finish_slow(node, form, result);
  oyi_tensor* t = oyi_tensor_cast(result);
  if (OY_UNLIKELY(t->meta || t->backend != OY_BACKEND_CPU || !oyi_has_view_key(result) ||
                  !oyi_is_differentiable(result->dtype)) ||
      node->head.saves_result || oyi_expect(&node->own_expected, t) != 0)
    return finish_slow(node, form, result);
  oyi_variable* v = oyi_variable_make(t);
  if (OY_UNLIKELY(!v)) {
    oyi_node_release(&node->head);
    if (form != OYI_GIVES_INPLACE) oy_tensor_release(result);
    return NULL;
  }
  v->grad_fn = &node->head;
  v->view_version = oyi_version(t);
  result->keys.functionality |= 1ull << OY_KEY_AutogradFunctionality;
  return result;
}
