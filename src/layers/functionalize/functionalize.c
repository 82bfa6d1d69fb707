// SPDX-License-Identifier: Apache-2.0
// oy_functionalize, and functional tensors by themselves: opyard/functionalize.h.
#include "base/memory.h"
#include "layers/functionalize/functional.h"
#include "ops/calls.h"

const oyi_layer_class oyi_functionalize_class = {
    .name = "Functionalize",
    .own_keys = 1ull << OY_KEY_Functionalize,
    .included = 1ull << OY_KEY_Functionalize,
};

oy_status oy_functionalize_remove_parse(oy_str text,
                                        oy_functionalize_remove* out_remove) {
  *out_remove = OY_REMOVE_MUTATIONS;
  if (oy_str_equal(text, oy_str_of("mutations"))) return OY_OK;
  *out_remove = OY_REMOVE_MUTATIONS_AND_VIEWS;
  if (oy_str_equal(text, oy_str_of("mutations_and_views"))) return OY_OK;
  *out_remove = OY_REMOVE_MUTATIONS;
  return OY_FAIL(INVALID_ARGUMENT,
                 "functionalize(f, remove='mutations'): received invalid argument for "
                 "remove=%.*s. Valid options are 'mutations' and 'mutations_and_views'",
                 OY_STR_ARG(text));
}

// ------------------------------------------------------- functional tensors themselves

static oy_functionalize_guard guard_begin(uint64_t excluded) {
  oy_functionalize_guard guard = {oy_guard_preserve(), oyi_functionalize_removes};
  oy_tls.keep &= ~excluded;
  return guard;
}

oy_functionalize_guard oy_functionalize_begin(oy_functionalize_remove remove) {
  oy_functionalize_guard guard = guard_begin(0);
  oy_tls.included.functionality |= 1ull << OY_KEY_Functionalize;
  oyi_functionalize_removes = remove;
  return guard;
}

oy_functionalize_guard oy_functionalize_pause(void) {
  return guard_begin(1ull << OY_KEY_Functionalize);
}

void oy_functionalize_end(const oy_functionalize_guard* guard) {
  oyi_functionalize_removes = guard->before;
  oy_guard_end(&guard->sets);
}

bool oy_functional_is(const oy_tensor* tensor) {
  return oyi_functional_of(tensor) != NULL;
}

oy_tensor* oy_functional_from(oy_tensor* tensor) {
  if (!oyi_tensor_of(tensor)) return NULL;
  if (!oyi_functional_of(tensor))
    return oyi_functional_new(oy_tensor_retain(tensor), oyi_functional_layer());
  OY_FAIL(INVALID_ARGUMENT, "expected a plain tensor, got a functional one");
  return NULL;
}

// Its value, borrowed, where the thread's sets are those of its layer.
static oy_object* read_here(oyi_functional* f) {
  uint64_t keep = oyi_functional_below();
  uint64_t before = oy_call_enter();
  oy_object* value = oyi_functional_read(f);
  oy_call_leave(before);
  oyi_functional_above(keep);
  return value;
}

oy_tensor* oy_functional_to_plain(oy_tensor* tensor) {
  if (!oyi_tensor_of(tensor)) return NULL;
  oyi_functional* f = oyi_functional_of(tensor);
  return oy_tensor_retain(f ? read_here(f) : tensor);
}

oy_status oy_functional_sync(oy_tensor* tensor) {
  if (!oyi_tensor_of(tensor)) return oy_failure();
  oyi_functional* f = oyi_functional_of(tensor);
  return !f || read_here(f) ? OY_OK : oy_failure();
}

uint64_t oy_functional_generation(const oy_tensor* tensor) {
  const oyi_functional* f = oyi_functional_of(tensor);
  return f ? f->base->generation : 0;
}

// ------------------------------------------------------------------------- the layer

typedef struct run {
  const oy_functionalize_params* params;
  oy_tensor* const* inputs;
  size_t count;
  oy_tensor** outputs;
  size_t output_count;
  oy_tensor** wrapped;
  uint64_t layer;
} run;

// An input that is given twice is one tensor.
static oy_object* wrapped_input(const run* r, size_t i) {
  for (size_t k = 0; k < i; k++)
    if (r->inputs[k] == r->inputs[i]) return oy_tensor_retain(r->wrapped[k]);
  oy_object* input = oy_tensor_retain(r->inputs[i]);
  return oyi_is_tensor(input) ? oyi_functional_new(input, r->layer) : input;
}

static oy_status run_function(run* r) {
  for (size_t i = 0; i < r->count; i++) {
    r->wrapped[i] = wrapped_input(r, i);
    if (!r->wrapped[i] && r->inputs[i]) return oy_failure();
  }
  return r->params->fn(r->params->data, r->wrapped, r->count, r->outputs,
                       r->output_count);
}

static oy_status run_in_layer(run* r) {
  oyi_layer* layer = oyi_layer_push(&oyi_functionalize_class);
  if (!layer) return oy_failure();
  r->layer = layer->id;
  oy_functionalize_remove before = oyi_functionalize_removes;
  oyi_functionalize_removes = r->params->remove;
  oy_status status = run_function(r);
  oyi_functionalize_removes = before;
  // Also what the function left open.
  while (oyi_layer_is_live(r->layer)) oyi_layer_pop();
  return status;
}

static oy_status unwrap_outputs(const run* r) {
  for (size_t i = 0; i < r->output_count; i++) {
    oyi_functional* f = oyi_functional_of(r->outputs[i]);
    if (!f || f->layer != r->layer) continue;
    oy_object* value = oy_tensor_retain(oyi_functional_read(f));
    if (!value) return oy_failure();
    oy_tensor_release(r->outputs[i]);
    r->outputs[i] = value;
  }
  return OY_OK;
}

// ------------------------------------------------------------- what inputs have become

// The input has the memory that it had: what all of it holds now is copied in, and the
// input gets the shape that the function gave it.
static oy_status copy_back(oy_object* input, oyi_functional* f, const oyi_tensor* shown) {
  if (!oyi_functional_read(f)) return oy_failure();
  if (f->base->value != input && !oyi_call_copy_(input, f->base->value, false))
    return oy_failure();
  if (!f->view) return OY_OK;
  const oyi_tensor* t = oyi_tensor_cast(input);
  const int64_t offset = shown->offset - f->base->offset + t->offset;
  return oyi_call_as_strided_(input, oyi_sizes_view(shown), oyi_strides_view(shown),
                              oy_int(offset))
             ? OY_OK
             : oy_failure();
}

static oy_status propagate(oy_object* input, oy_object* wrapped) {
  oyi_functional* f = oyi_functional_of(wrapped);
  const oyi_tensor* t = oyi_tensor_cast(input);
  const oyi_base* b = f->base;
  const oyi_tensor* base = oyi_tensor_of(b->value);
  if (!base) return oy_failure();
  if (oyi_same_sizes(oyi_sizes_view(base), oyi_sizes_view(t)))
    return copy_back(input, f, oyi_tensor_cast(wrapped));
  oy_object* value = oyi_functional_read(f);
  if (!value ||
      !oyi_call_resize_(input, oyi_sizes_view(oyi_tensor_cast(value)), oy_none()))
    return oy_failure();
  return oyi_call_copy_(input, value, false) ? OY_OK : oy_failure();
}

static oy_status propagate_all(const run* r) {
  for (size_t i = 0; i < r->count; i++) {
    if (!oyi_is_tensor(r->inputs[i])) continue;
    bool again = false;
    for (size_t k = 0; k < i && !again; k++) again = r->inputs[k] == r->inputs[i];
    if (!again) OY_TRY(propagate(r->inputs[i], r->wrapped[i]));
  }
  return OY_OK;
}

static void release_all(oy_object** tensors, size_t count) {
  for (size_t i = 0; i < count; i++) {
    oy_tensor_release(tensors[i]);
    tensors[i] = NULL;
  }
}

oy_status oy_functionalize(const oy_functionalize_params* params,
                           oy_tensor* const* inputs, size_t count, oy_tensor** outputs,
                           size_t output_count) {
  for (size_t i = 0; i < output_count; i++) outputs[i] = NULL;
  OY_CHECK(params->fn, INVALID_ARGUMENT, "functionalize: expected a function, got NULL");
  OY_CHECK((unsigned)params->remove <= OY_REMOVE_MUTATIONS_AND_VIEWS, INVALID_ARGUMENT,
           "functionalize: expected what to remove, got %d", (int)params->remove);
  run r = {params, inputs, count, outputs, output_count, NULL, 0};
  r.wrapped = oyi_calloc(count, sizeof(*r.wrapped));
  if (!r.wrapped) return OY_OUT_OF_MEMORY;
  uint64_t before = oy_call_enter();
  oy_status status = run_in_layer(&r);
  if (status == OY_OK) status = unwrap_outputs(&r);
  if (status == OY_OK) status = propagate_all(&r);
  oy_call_leave(before);
  release_all(r.wrapped, count);
  oyi_free(r.wrapped);
  if (status != OY_OK) release_all(outputs, output_count);
  return status;
}
