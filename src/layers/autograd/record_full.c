// SPDX-License-Identifier: Apache-2.0
// Recording a call of an operator with any number of tensors and results (full.h).
#include "base/memory.h"
#include "layers/autograd/anomaly.h"
#include "layers/autograd/full.h"
#include "layers/autograd/packed.h"
#include "layers/autograd/record.h"
#include "layers/autograd/variable.h"
#include "opyard/dispatcher.h"

static bool any_needs_gradient(const oy_value* arguments, size_t count) {
  bool any = false;
  for (size_t i = 0; i < count && !any; i++) {
    const oy_value* v = &arguments[i];
    if (v->tag == OY_TAG_TENSOR) any = oyi_needs_gradient(v->as.object);
    if (v->tag == OY_TAG_TENSOR_LIST)
      for (size_t k = 0; k < v->count; k++)
        any = any || oyi_needs_gradient(v->as.tensors[k]);
  }
  return any;
}

// For anomaly mode: the tensors among the first arguments are enough to know the call by.
static oy_status note(oyi_full_call* c, const oy_value* arguments, size_t count) {
  oy_object* tensors[8];
  size_t n = 0;
  for (size_t i = 0; i < count && n < OY_ARRAY_SIZE(tensors); i++)
    if (arguments[i].tag == OY_TAG_TENSOR) tensors[n++] = arguments[i].as.object;
  return oyi_anomaly_note(&c->node->head, c->op, tensors, n);
}

static oy_status pack(oyi_full_node* f) {
  oy_status status = OY_OK;
  for (uint32_t i = 0; i < f->saved_count - f->result_count && status == 0; i++)
    if (f->saved[i].tensor && !f->saved[i].is_shape && !f->saved[i].is_written)
      status = oyi_pack(&f->head, &f->saved[i], f->saved[i].tensor);
  oyi_full_rebind(f);
  return status;
}

static __attribute__((noinline)) oy_status record_also(oyi_full_call* c,
                                                       const oy_value* arguments,
                                                       size_t count) {
  oy_status status = OY_OK;
  if (oyi_record_also & OYI_ALSO_STREAM) oyi_expect_stream(&c->node->own_expected);
  if (oyi_record_also & OYI_ALSO_PACK) status = pack(c->node);
  if (status == 0 && (oyi_record_also & OYI_ALSO_NOTE))
    status = note(c, arguments, count);
  if (status == 0) return OY_OK;
  oyi_node_release(&c->node->head);
  c->node = NULL;
  return status;
}

static oy_status start(oyi_full_call* c, const oy_value* arguments, size_t count) {
  if (!any_needs_gradient(arguments, count)) return OY_OK;
  bool is_inplace = c->form == OYI_GIVES_INPLACE;
  if (is_inplace && oyi_is_tensor(arguments[0].as.object))
    OY_TRY(oyi_check_inplace(oyi_tensor_cast(arguments[0].as.object)));
  c->node = oyi_full_node_new(c->formula, c->op, arguments, count, is_inplace);
  if (!c->node) return oy_failure();
  return OY_UNLIKELY(oyi_record_also) ? record_also(c, arguments, count) : OY_OK;
}

oy_status oyi_full_begin(oyi_full_call* c, const oy_value* arguments, size_t count,
                         oy_keyset* keys) {
  c->node = NULL;
  if (oyi_grad_mode) OY_TRY(start(c, arguments, count));
  *keys = oy_keyset_and(*keys, oy_keyset_full_after(OY_KEY_AutogradOther));
  c->keep = oy_tls.keep;
  oy_tls.keep = c->keep & ~OYI_AUTOGRAD_KEYS;
  return OY_OK;
}

// ------------------------------------------------------------------- afterwards

// Result |nr| of the call; integers and None have no history.
static oy_status give_one(oyi_full_call* c, oy_object* result, uint32_t nr) {
  if (!oyi_is_tensor(result) || !oyi_is_differentiable(result->dtype)) return OY_OK;
  oyi_tensor* t = oyi_tensor_cast(result);
  oyi_variable* v = oyi_variable_of(t);
  oyi_node* node = oyi_node_retain(&c->node->head);
  if (c->form == OYI_GIVES_INPLACE && v && oyi_is_view(v))
    return oyi_view_rebase(t, node);
  return oyi_set_history(t, node, nr);
}

// What the call was to write has its version now.
static oy_status save_written(oyi_full_node* f) {
  oy_status status = OY_OK;
  for (oyi_saved* s = f->saved; s < oyi_full_results(f) && status == OY_OK; s++) {
    if (!s->is_written || !s->tensor) continue;
    s->version = oyi_version(s->tensor);
    if (OY_UNLIKELY(oyi_record_also & OYI_ALSO_PACK))
      status = oyi_pack(&f->head, s, s->tensor);
  }
  if (OY_UNLIKELY(oyi_record_also & OYI_ALSO_PACK)) oyi_full_rebind(f);
  return status;
}

// Of several results maybe only the first gets a history.
static size_t with_history(const oyi_full_call* c, size_t count) {
  return c->formula->only_first && count > 1 ? 1 : count;
}

static oy_status save_results(oyi_full_call* c, oy_object* const* results, size_t count) {
  const size_t differentiable = with_history(c, count);
  oyi_saved* slot = oyi_full_results(c->node);
  const oyi_save* end = c->formula->saves + OYI_SAVES;
  for (const oyi_save* s = c->formula->saves; s < end && s->kind; s++) {
    if (s->kind != OYI_SAVE_OUTPUT) continue;
    if (s->at < count && oyi_is_tensor(results[s->at]))
      OY_TRY(oyi_save_tensor(slot, oyi_tensor_cast(results[s->at]), s->at));
    // What has no history must not come back with one.
    if (slot->is_result)
      slot->is_result =
          s->at < differentiable && oyi_is_differentiable(results[s->at]->dtype);
    slot++;
  }
  return OY_OK;
}

// Once they have their history.
static __attribute__((noinline)) oy_status pack_results(oyi_full_call* c,
                                                        oy_object* const* results,
                                                        size_t count) {
  oyi_saved* slots = oyi_full_results(c->node);
  for (uint32_t i = 0; i < c->node->result_count; i++)
    if (slots[i].tensor && slots[i].output_nr < count)
      OY_TRY(oyi_pack(&c->node->head, &slots[i],
                      oyi_tensor_cast(results[slots[i].output_nr])));
  return OY_OK;
}

static oy_status give_all(oyi_full_call* c, oy_object* const* results, size_t count) {
  OY_TRY(oyi_full_outputs(c->node, count));
  OY_TRY(save_written(c->node));
  OY_TRY(save_results(c, results, count));
  const size_t differentiable = with_history(c, count);
  for (size_t i = 0; i < differentiable; i++)
    OY_TRY(give_one(c, results[i], (uint32_t)i));
  if (OY_LIKELY(!(oyi_record_also & OYI_ALSO_PACK))) return OY_OK;
  return pack_results(c, results, count);
}

// What comes back from the call below, if it did, gets its history.
static oy_status finish(oyi_full_call* c, oy_object* const* results, size_t count,
                        oy_status status) {
  if (status == 0) status = give_all(c, results, count);
  oyi_node_release(&c->node->head);
  return status;
}

oy_object* oyi_full_end(oyi_full_call* c, oy_object* result) {
  oy_tls.keep = c->keep;
  if (!c->node) return result;
  oy_status status = result ? OY_OK : OY_INTERNAL;
  if (finish(c, &result, 1, status) == 0) return result;
  if (c->form != OYI_GIVES_INPLACE) oy_tensor_release(result);
  return NULL;
}

oy_status oyi_full_end_results(oyi_full_call* c, oy_object** const* results, size_t count,
                               oy_status status) {
  oy_tls.keep = c->keep;
  if (!c->node) return status;
  oy_object* made[OYI_RESULTS_MAX] = {NULL};
  for (size_t i = 0; i < count && status == 0; i++) made[i] = *results[i];
  bool had = status == 0;
  status = finish(c, made, count, status);
  for (size_t i = 0; i < count && had && status != 0; i++) {
    oy_tensor_release(*results[i]);
    *results[i] = NULL;
  }
  return status;
}

oy_status oyi_full_end_list(oyi_full_call* c, oy_value* list, oy_status status) {
  oy_tls.keep = c->keep;
  if (!c->node) return status;
  bool is_list = status == 0 && list->tag == OY_TAG_TENSOR_LIST;
  bool had = status == 0;
  status =
      finish(c, is_list ? list->as.tensors : NULL, is_list ? list->count : 0, status);
  if (status == 0 || !had) return status;
  oy_value_release(list);
  *list = oy_none();
  return status;
}
