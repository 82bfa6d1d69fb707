// SPDX-License-Identifier: Apache-2.0
// Making and checking full nodes. One block holds the node and all its arrays.
#include "layers/autograd/full.h"

#include "base/memory.h"
#include "layers/autograd/record.h"
#include "layers/autograd/variable.h"
#include "ops/calls.h"

// ---------------------------------------------------------------------- sizes

static size_t tensors_in(const oy_value* v) {
  if (v->tag == OY_TAG_TENSOR_LIST) return v->count;
  return v->tag == OY_TAG_TENSOR;
}
static oy_object* tensor_in(const oy_value* v, size_t i) {
  return v->tag == OY_TAG_TENSOR ? v->as.object : v->as.tensors[i];
}

typedef struct full_sizes {
  size_t edges, saved, results, listed;
} full_sizes;

static full_sizes count_all(const oyi_formula* formula, const oy_value* arguments,
                            size_t count) {
  full_sizes n = {0, 0, 0, 0};
  for (size_t i = 0; i < count; i++) n.edges += tensors_in(&arguments[i]);
  for (const oyi_save* s = formula->saves; s < formula->saves + OYI_SAVES && s->kind;
       s++) {
    if (s->kind == OYI_SAVE_OUTPUT) {
      n.results++;
      continue;
    }
    n.saved += tensors_in(&arguments[s->at]);
    if (arguments[s->at].tag == OY_TAG_TENSOR_LIST) n.listed += arguments[s->at].count;
  }
  return n;
}

static oyi_full_node* make_room(const full_sizes* n, size_t count) {
  size_t edges = n->edges * sizeof(oyi_edge);
  size_t saved = (n->saved + n->results) * sizeof(oyi_saved);
  size_t values = count * sizeof(oy_value), listed = n->listed * sizeof(oy_object*);
  char* block = oyi_calloc(1, sizeof(oyi_full_node) + edges + saved + values + listed +
                                  (count + 1) * sizeof(uint32_t));
  if (!block) return NULL;
  oyi_full_node* f = (oyi_full_node*)(void*)block;
  block += sizeof(*f);
  f->head.edges = (oyi_edge*)(void*)block;
  f->saved = (oyi_saved*)(void*)(block += edges);
  f->arguments = (oy_value*)(void*)(block += saved);
  // The lists of saved tensors lie behind the arguments.
  f->edge_at = (uint32_t*)(void*)(block + values + listed);
  return f;
}

// --------------------------------------------------------------------- filling

static oy_status fill_edges(oyi_full_node* f, const oy_value* arguments, size_t count) {
  uint32_t at = 0;
  for (size_t i = 0; i < count; i++) {
    f->edge_at[i] = at;
    for (size_t k = 0; k < tensors_in(&arguments[i]); k++, at++) {
      oy_object* o = tensor_in(&arguments[i], k);
      f->head.edge_count = at + 1;
      if (oyi_is_tensor(o))
        OY_TRY(oyi_gradient_edge(oyi_tensor_cast(o), &f->head.edges[at]));
    }
  }
  f->edge_at[count] = at;
  return OY_OK;
}

static inline __attribute__((always_inline)) bool is_wanted(const oyi_full_node* f,
                                                            const oyi_save* s) {
  if (!s->only_if) return true;
  for (uint32_t i = 0; i < f->argument_count && i < 32; i++)
    for (uint32_t e = f->edge_at[i]; (s->only_if >> i & 1) && e < f->edge_at[i + 1]; e++)
      if (f->head.edges[e].node) return true;
  return false;
}

// What stands for another tensor: the shape does not.
#define WRAPPER_KEYS                                                       \
  (1ull << OY_KEY_FuncTorchBatched | 1ull << OY_KEY_FuncTorchGradWrapper | \
   1ull << OY_KEY_Functionalize)

static oy_status save_shape(oyi_saved* slot, const oyi_tensor* t) {
  slot->tensor =
      oyi_tensor_on_storage(NULL, t->header.keys, oyi_sizes_view(t), oyi_strides_view(t),
                            t->offset, t->header.dtype, oyi_tensor_device(t));
  if (!slot->tensor) return OY_OUT_OF_MEMORY;
  OY_TRY(oyi_attach(slot->tensor, oyi_attached(t)));
  slot->tensor->header.keys.functionality &= ~(OYI_AUTOGRAD_BITS | WRAPPER_KEYS);
  slot->version = oyi_version(slot->tensor);
  slot->is_shape = true;
  return OY_OK;
}

static oy_status save_one(const oyi_save* s, oyi_saved* slot, oy_object* o, bool copy,
                          const oyi_tensor* written) {
  if (!oyi_is_tensor(o)) return OY_OK;
  if (s->kind == OYI_SAVE_SHAPE) return save_shape(slot, oyi_tensor_cast(o));
  slot->is_written = s->kind == OYI_SAVE_WRITTEN;
  if (!copy) return oyi_save_input(slot, oyi_tensor_cast(o), written);
  // A copy of what is about to change, with its history.
  oy_object* made = oyi_call_clone(o, oy_none());
  if (!made) return oy_failure();
  oy_status status = oyi_save_tensor(slot, oyi_tensor_cast(made), -1);
  oy_tensor_release(made);
  return status;
}

static oy_object* object_in(const oyi_saved* slot) {
  return slot->tensor ? oyi_tensor_object(slot->tensor) : &oy_none_object;
}

static oy_status fill_saved(oyi_full_node* f, const oyi_formula* formula,
                            const oy_value* arguments, bool is_inplace) {
  oy_object** lists = (oy_object**)(void*)(f->arguments + f->argument_count);
  oyi_saved* slot = f->saved;
  const oyi_tensor* written = is_inplace && oyi_is_tensor(arguments[0].as.object)
                                  ? oyi_tensor_cast(arguments[0].as.object)
                                  : NULL;
  for (const oyi_save* s = formula->saves; s < formula->saves + OYI_SAVES && s->kind;
       s++) {
    if (s->kind == OYI_SAVE_OUTPUT) continue;
    const oy_value* v = &arguments[s->at];
    size_t n = tensors_in(v);
    // A list without tensors is one all the same, not None.
    if ((n == 0 && v->tag != OY_TAG_TENSOR_LIST) || !is_wanted(f, s)) continue;
    bool copy = s->kind == OYI_SAVE_COPY || (is_inplace && s->at == 0);
    for (size_t i = 0; i < n; i++)
      OY_TRY(save_one(s, &slot[i], tensor_in(v, i), copy, written));
    if (v->tag == OY_TAG_TENSOR) {
      f->arguments[s->at] = oy_value_tensor(object_in(slot));
    } else {
      for (size_t i = 0; i < n; i++) lists[i] = object_in(&slot[i]);
      f->arguments[s->at] = oy_value_pointer(OY_TAG_TENSOR_LIST, lists, n);
      lists += n;
    }
    slot += n;
  }
  return OY_OK;
}

// The same way through the slots.
void oyi_full_rebind(oyi_full_node* f) {
  oyi_saved* slot = f->saved;
  const oyi_save* end = f->head.formula->saves + OYI_SAVES;
  for (const oyi_save* s = f->head.formula->saves; s < end && s->kind; s++) {
    if (s->kind == OYI_SAVE_OUTPUT || !is_wanted(f, s)) continue;
    oy_value* v = &f->arguments[s->at];
    if (v->tag == OY_TAG_TENSOR) v->as.object = object_in(slot);
    if (v->tag == OY_TAG_TENSOR_LIST)
      for (size_t i = 0; i < v->count; i++)
        ((oy_object**)(uintptr_t)v->as.tensors)[i] = object_in(&slot[i]);
    slot += tensors_in(v);
  }
}

// What is no tensor is kept as it is.
static oy_status fill_arguments(oyi_full_node* f, const oy_value* arguments) {
  for (uint32_t i = 0; i < f->argument_count; i++) {
    if (arguments[i].tag == OY_TAG_TENSOR || arguments[i].tag == OY_TAG_TENSOR_LIST)
      continue;
    f->arguments[i] = arguments[i];
    oy_status status = oy_value_own(&f->arguments[i]);
    if (status == 0) continue;
    f->arguments[i] = oy_none();
    return status;
  }
  return OY_OK;
}

oyi_full_node* oyi_full_node_new(const oyi_formula* formula, const oy_op* op,
                                 const oy_value* arguments, size_t count,
                                 bool is_inplace) {
  full_sizes n = count_all(formula, arguments, count);
  oyi_full_node* f = make_room(&n, count);
  if (!f) return NULL;
  oyi_node_init(&f->head, OYI_NODE_FULL, formula);
  f->op = op;
  f->argument_count = (uint32_t)count;
  f->saved_count = (uint32_t)(n.saved + n.results);
  f->result_count = (uint32_t)n.results;
  f->head.expected = &f->own_expected;
  oyi_expectation_init(&f->own_expected);
  for (size_t i = 0; i < count; i++) f->arguments[i] = oy_none();
  oy_status status = fill_edges(f, arguments, count);
  if (status == 0) status = fill_arguments(f, arguments);
  if (status == 0) status = fill_saved(f, formula, arguments, is_inplace);
  if (status == 0) return f;
  oyi_node_release(&f->head);
  return NULL;
}

oy_status oyi_full_outputs(oyi_full_node* f, size_t count) {
  if (count == 1) return OY_OK;
  oyi_expectation* e = count ? oyi_calloc(count, sizeof(*e)) : NULL;
  if (count && !e) return OY_OUT_OF_MEMORY;
  for (size_t i = 0; i < count; i++) {
    oyi_expectation_init(&e[i]);
    if (OY_UNLIKELY(!f->own_expected.sizes)) oyi_expect_stream(&e[i]);
  }
  f->head.expected = e;
  f->head.output_count = (uint32_t)count;
  return OY_OK;
}

void oyi_full_node_free(oyi_node* node) {
  oyi_full_node* f = oyi_full_of(node);
  for (uint32_t i = 0; i < f->argument_count; i++) oy_value_release(&f->arguments[i]);
  for (uint32_t i = 0; i < node->output_count; i++)
    oyi_expectation_reset(&node->expected[i]);
  if (node->expected != &f->own_expected) oyi_free(node->expected);
  oyi_free(f);
}

// --------------------------------------------------------------------- reading

oy_status oyi_full_check(oyi_full_node* f) {
  if (f->head.released && f->saved_count) return oyi_fail_released();
  for (uint32_t i = 0; i < f->saved_count; i++)
    if (f->saved[i].tensor && !oyi_saved_tensor(&f->head, &f->saved[i]))
      return oy_failure();
  return OY_OK;
}

oy_object* oyi_full_result(oyi_full_node* f, uint32_t nr) {
  const oyi_saved* results = oyi_full_results(f);
  for (uint32_t i = 0; i < f->result_count; i++)
    if (results[i].tensor && results[i].output_nr == nr)
      return oyi_tensor_object(results[i].tensor);
  OY_FAIL(INTERNAL, "%s did not save its result %u", oyi_node_name(&f->head), nr);
  return NULL;
}

static oy_status not_implemented(oyi_full_node* f, oy_object* const* grads,
                                 oy_object** gives) {
  (void)grads, (void)gives;
  oy_str name = oy_op_name_of(f->op);
  return OY_FAIL(NOT_IMPLEMENTED, "derivative for %.*s is not implemented",
                 OY_STR_ARG(name));
}

const oyi_formula oyi_formula_not_implemented = {.name = "NotImplemented",
                                                 .apply_full = not_implemented};
