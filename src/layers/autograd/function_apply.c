// SPDX-License-Identifier: Apache-2.0
// Applying a custom function: its forward without grad mode, then the history of what it
// gave.
#include <string.h>

#include "base/memory.h"
#include "layers/autograd/forward/forward.h"
#include "layers/autograd/function_context.h"
#include "layers/autograd/packed.h"
#include "layers/autograd/record.h"
#include "layers/autograd/variable.h"
#include "opyard/autograd.h"
#include "opyard/inline.h"

// -------------------------------------------------------------------- the context

static bool add_to(oyi_tensor_list* list, const oy_tensor* tensor) {
  if (!oyi_grow(&list->data, &list->capacity, list->size + 1, sizeof(*list->data)))
    return false;
  list->data[list->size++] = (oy_tensor*)(uintptr_t)tensor;
  return true;
}
static bool has(const oyi_tensor_list* list, const oy_tensor* tensor) {
  for (size_t i = 0; i < list->size; i++)
    if (list->data[i] == tensor) return true;
  return false;
}
static void empty(oyi_tensor_list* list, bool owned) {
  for (size_t i = 0; owned && i < list->size; i++) oy_tensor_release(list->data[i]);
  oyi_free(list->data);
  *list = (oyi_tensor_list){NULL, 0, 0};
}

void oyi_function_context_free(oy_function_context* c) {
  empty(&c->to_save, true);
  empty(&c->dirty, false);
  empty(&c->non_differentiable, false);
  oyi_free(c->saved);
  oyi_free(c->live);
  oyi_free(c->name);
  if (c->function->destroy) c->function->destroy(c->data);
  oyi_free(c);
}

static oy_function_context* context_new(const oy_function* function, void* data) {
  static const char suffix[] = "Backward";
  oy_function_context* c = oyi_calloc(1, sizeof(*c));
  size_t size = strlen(function->name);
  char* name = c ? oyi_calloc(1, size + sizeof(suffix)) : NULL;
  if (!name) {
    oyi_free(c);
    if (function->destroy) function->destroy(data);
    return NULL;
  }
  memcpy(name, function->name, size);
  memcpy(name + size, suffix, sizeof(suffix));
  c->function = function;
  c->data = data;
  c->name = name;
  c->formula.name = name;
  return c;
}

oy_status oy_function_save(oy_function_context* c, oy_tensor* const* tensors,
                           size_t count) {
  empty(&c->to_save, true);
  for (size_t i = 0; i < count; i++) {
    if (!oyi_tensor_of(tensors[i])) return oy_failure();
    if (!add_to(&c->to_save, tensors[i])) return OY_OUT_OF_MEMORY;
    oy_tensor_retain(tensors[i]);
  }
  return OY_OK;
}
oy_status oy_function_mark_dirty(oy_function_context* c, const oy_tensor* input) {
  return add_to(&c->dirty, input) ? OY_OK : OY_OUT_OF_MEMORY;
}
oy_status oy_function_mark_non_differentiable(oy_function_context* c,
                                              const oy_tensor* output) {
  return add_to(&c->non_differentiable, output) ? OY_OK : OY_OUT_OF_MEMORY;
}
void oy_function_set_materialize_grads(oy_function_context* c, bool on) {
  c->no_materialize = !on;
}

// ----------------------------------------------------------------------- the node

typedef struct application {
  oy_function_context* context;
  oy_tensor* const* inputs;
  size_t count;
  oy_tensor** outputs;
  size_t output_count;
} application;

static bool needs_gradient(const application* a) {
  bool any = false;
  for (size_t i = 0; i < a->count && oyi_grad_mode; i++)
    any = any || oyi_needs_gradient(a->inputs[i]);
  return any;
}

static oyi_function_node* bare_node(oy_function_context* c, size_t inputs,
                                    size_t outputs) {
  oyi_function_node* node = oyi_calloc(1, sizeof(*node));
  oyi_edge* edges = oyi_calloc(inputs, sizeof(*edges));
  oyi_expectation* expected = oyi_calloc(outputs, sizeof(*expected));
  if (!node || !edges || !expected) {
    oyi_free(node);
    oyi_free(edges);
    oyi_free(expected);
    return NULL;
  }
  oyi_node_init(&node->head, OYI_NODE_FUNCTION, &c->formula);
  oyi_expectation_init(&node->own_expected);
  for (size_t i = 0; i < outputs; i++) {
    oyi_expectation_init(&expected[i]);
    if (oyi_record_also & OYI_ALSO_STREAM) oyi_expect_stream(&expected[i]);
  }
  node->head.edges = edges;
  node->head.expected = expected;
  node->head.output_count = (uint32_t)outputs;
  return node;
}

// The edges are those of the inputs as they are before the forward writes to any.
static oy_status make_node(application* a) {
  oyi_function_node* node = bare_node(a->context, a->count, a->output_count);
  if (!node) return OY_OUT_OF_MEMORY;
  a->context->node = node;
  node->context = a->context;
  for (size_t i = 0; i < a->count; i++) {
    node->head.edge_count = (uint32_t)i + 1;
    if (oyi_is_tensor(a->inputs[i]))
      OY_TRY(oyi_gradient_edge(oyi_tensor_cast(a->inputs[i]), &node->head.edges[i]));
  }
  return OY_OK;
}

// --------------------------------------------------------------------- the forward

static oy_status run_forward(application* a) {
  uint64_t before = oy_call_enter();
  uint8_t mode = oyi_grad_mode;
  oyi_grad_mode = false;
  const oy_function* f = a->context->function;
  oy_status status = f->forward(a->context, a->inputs, a->count, a->outputs);
  oyi_grad_mode = mode;
  oy_call_leave(before);
  for (size_t i = 0; i < a->output_count && status == 0; i++)
    if (!oyi_tensor_of(a->outputs[i]))
      status =
          OY_FAIL(INVALID_ARGUMENT, "%s: expected a tensor as output %zu", f->name, i);
  return status;
}

static bool is_among(oy_tensor* const* list, size_t count, const oy_tensor* tensor) {
  for (size_t i = 0; i < count; i++)
    if (list[i] == tensor) return true;
  return false;
}

static oy_status check_dirty(const application* a) {
  const oyi_tensor_list* dirty = &a->context->dirty;
  for (size_t i = 0; i < dirty->size; i++) {
    OY_CHECK(
        is_among(a->outputs, a->output_count, dirty->data[i]), FAILED_PRECONDITION,
        "Some elements marked as dirty during the forward method were not returned as "
        "output. The inputs that are modified inplace must all be outputs of the "
        "Function.");
    if (!a->context->node) continue;
    oyi_tensor* t = oyi_tensor_cast(dirty->data[i]);
    const oyi_variable* v = oyi_variable_of(t);
    OY_CHECK(
        !v || !v->requires_grad || v->grad_fn, FAILED_PRECONDITION,
        "a leaf Variable that requires grad has been used in an in-place operation.");
    OY_TRY(oyi_check_inplace(t));
    OY_CHECK(
        !v || !oyi_is_view(v) || (a->output_count == 1 && a->inputs[0] == dirty->data[i]),
        NOT_IMPLEMENTED,
        "%s: a view can be written to if it is the first input and the only output",
        a->context->function->name);
  }
  return OY_OK;
}

// ------------------------------------------------------------------------ histories

// An alias without history or base, in place of an output that must not get one itself.
static oy_status detach_output(oy_tensor** output) {
  const oyi_tensor* t = oyi_tensor_cast(*output);
  oyi_tensor* alias =
      oyi_tensor_alias(t, oyi_sizes_view(t), oyi_strides_view(t), t->offset);
  if (!alias) return OY_OUT_OF_MEMORY;
  oy_tensor_release(*output);
  *output = oyi_tensor_object(alias);
  return OY_OK;
}

// What was made in inference mode stays without keys.
static oy_status history_of_inference(oyi_tensor* t, oyi_node* node, uint32_t nr) {
  oy_keyset keys = t->header.keys;
  oy_status status = oyi_set_history(t, node, nr);
  t->header.keys = keys;
  return status;
}

static oy_status finish_output(application* a, size_t i) {
  oy_function_context* c = a->context;
  oy_tensor** output = &a->outputs[i];
  const oyi_tensor* made = oyi_tensor_of(*output);
  if (!made) return oy_failure();
  const bool is_dirty = has(&c->dirty, *output);
  const bool has_none =
      has(&c->non_differentiable, *output) || !oyi_is_differentiable(made->header.dtype);
  const oyi_variable* had = oyi_variable_of(made);
  const bool is_view =
      !is_dirty && (is_among(a->inputs, a->count, *output) || (had && oyi_is_view(had)));
  if (is_view) OY_TRY(detach_output(output));
  if (!c->node) return OY_OK;
  oyi_tensor* t = oyi_tensor_cast(*output);
  if (has_none) return oyi_expect(&c->node->head.expected[i], t);
  oyi_node* node = oyi_node_retain(&c->node->head);
  const oyi_variable* v = oyi_variable_of(t);
  if (is_dirty && v && oyi_is_view(v)) return oyi_view_rebase(t, node);
  if (OY_UNLIKELY(oyi_is_inference(t))) return history_of_inference(t, node, (uint32_t)i);
  OY_TRY(oyi_set_history(t, node, (uint32_t)i));
  // A write to it would have to be one to what it is a view of.
  if (is_view) oyi_variable_of(t)->creation = OYI_CREATION_FUNCTION;
  return OY_OK;
}

// Where in |before|, the outputs as the forward gave them, a tensor is; -1 if nowhere.
static int output_nr(const application* a, oy_tensor* const* before, const oy_tensor* t) {
  for (size_t i = 0; i < a->output_count; i++)
    if (before[i] == t && !is_among(a->inputs, a->count, t)) return (int)i;
  return -1;
}
static int dirty_nr(const application* a, const oy_tensor* t) {
  for (size_t i = 0; i < a->output_count && has(&a->context->dirty, t); i++)
    if (a->outputs[i] == t) return (int)i;
  return -1;
}

static oy_status save_all(application* a, oy_tensor* const* before) {
  oy_function_context* c = a->context;
  const size_t count = c->to_save.size;
  if (!c->node || count == 0) return OY_OK;
  c->saved = oyi_calloc(count, sizeof(*c->saved));
  c->live = oyi_calloc(count, sizeof(*c->live));
  if (!c->saved || !c->live) return OY_OUT_OF_MEMORY;
  c->saved_count = count;
  for (size_t i = 0; i < count; i++) {
    const oy_tensor* t = c->to_save.data[i];
    int nr = output_nr(a, before, t);
    if (nr < 0) nr = dirty_nr(a, t);
    oy_tensor* kept = nr >= 0 ? a->outputs[nr] : c->to_save.data[i];
    OY_TRY(oyi_save_tensor(&c->saved[i], oyi_tensor_cast(kept), nr));
    if (OY_UNLIKELY(oyi_record_also & OYI_ALSO_PACK))
      OY_TRY(oyi_pack(&c->node->head, &c->saved[i], oyi_tensor_cast(kept)));
  }
  return OY_OK;
}

static oy_status finish(application* a) {
  OY_TRY(check_dirty(a));
  oy_tensor** before = oyi_calloc(a->output_count, sizeof(*before));
  if (!before) return OY_OUT_OF_MEMORY;
  memcpy(before, a->outputs, a->output_count * sizeof(*before));
  oy_status status = OY_OK;
  for (size_t i = 0; i < a->output_count && status == 0; i++)
    status = finish_output(a, i);
  if (status == 0) status = save_all(a, before);
  oyi_free(before);
  return status;
}

// A function has no rule for tangents, and its forward need not be what it differentiates.
static oy_status check_input(oy_tensor* input) {
  oyi_tensor* t = oyi_tensor_of(input);
  if (OY_LIKELY(t && !oyi_may_be_dual(input))) return OY_OK;
  oy_object* tangent;
  if (!t) return oy_failure();
  OY_TRY(oyi_tangent_find(t, &tangent));
  oy_tensor_release(tangent);
  OY_CHECK(!tangent, NOT_IMPLEMENTED,
           "You must implement the jvp function for custom autograd.Function to use it "
           "with forward mode AD.");
  return OY_OK;
}

oy_status oy_function_apply(const oy_function* function, void* data,
                            oy_tensor* const* inputs, size_t count, oy_tensor** outputs) {
  oy_function_context* c = context_new(function, data);
  if (!c) return OY_OUT_OF_MEMORY;
  application a = {c, inputs, count, outputs, function->outputs};
  for (size_t i = 0; i < a.output_count; i++) outputs[i] = NULL;
  oy_status status = OY_OK;
  for (size_t i = 0; i < count && status == 0; i++) status = check_input(inputs[i]);
  if (status == 0 && needs_gradient(&a)) status = make_node(&a);
  if (status == 0) status = run_forward(&a);
  if (status == 0) status = finish(&a);
  for (size_t i = 0; i < a.output_count && status != 0; i++) {
    oy_tensor_release(outputs[i]);
    outputs[i] = NULL;
  }
  // What was to be saved is, or never will be; outputs hold the node, which has the context.
  empty(&c->to_save, true);
  empty(&c->dirty, false);
  if (c->node)
    oyi_node_release(&c->node->head);
  else
    oyi_function_context_free(c);
  return status;
}
