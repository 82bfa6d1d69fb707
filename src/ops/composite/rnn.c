// SPDX-License-Identifier: Apache-2.0
// Recurrent networks over sequences. The part of all gates that depends on the input alone
// is one product for all steps; then one step follows the other. With packed sequences a
// step has as many rows as there are sequences that go on so far.
#include "ops/rnn.h"
#include "base/memory.h"
#include "ops/calls.h"
#include "ops/kernels.h"
#include "ops/rules/shape.h"
#include "tensor/element.h"

// What one layer in one direction works with.
typedef struct pass {
  const oyi_rnn* r;
  oyi_rnn_weights w;
  oy_ints sizes;  // rows of each step; empty if sequences are not packed
  bool backwards;
  size_t steps;
  oy_object* const* gates;  // of each step
  oy_object** outputs;
} pass;

// ------------------------------------------------------------------- rows of states

static bool narrowed(const oyi_rnn_state* s, int64_t from, int64_t count,
                     oyi_rnn_state* out) {
  out->h = oyi_call_narrow(s->h, 0, from, count);
  out->c = out->h && s->c ? oyi_call_narrow(s->c, 0, from, count) : NULL;
  if (out->h && (out->c || !s->c)) return true;
  oyi_rnn_state_release(out);
  return false;
}

static oy_object* joined(oy_object* a, oy_object* b) {
  if (!a) return oy_tensor_retain(b);
  oy_object* both[] = {a, b};
  return oyi_call_cat((oy_tensors){both, 2}, 0);
}
// |s|, which may be empty, becomes its rows before those of |more|.
static bool append(oyi_rnn_state* s, const oyi_rnn_state* more) {
  oyi_rnn_state both = {joined(s->h, more->h), NULL};
  if (both.h && more->c) both.c = joined(s->c, more->c);
  oyi_rnn_state_release(s);
  *s = both;
  return both.h && (both.c || !more->c);
}

// Rows that end here go in front of those of |ended|: later ends are of longer sequences.
static bool end_rows(oyi_rnn_state* now, int64_t rows, int64_t before,
                     oyi_rnn_state* ended) {
  oyi_rnn_state left, stay = {NULL, NULL};
  if (!narrowed(now, rows, before - rows, &left)) return false;
  bool good = narrowed(now, 0, rows, &stay) && (!ended->h || append(&left, ended));
  oyi_rnn_state_release(ended);
  *ended = left;
  oyi_rnn_state_release(now);
  *now = stay;
  return good;
}
// Rows that begin here come from the first states.
static bool begin_rows(oyi_rnn_state* now, int64_t rows, int64_t before,
                       const oyi_rnn_state* first) {
  oyi_rnn_state more;
  if (!narrowed(first, before, rows - before, &more)) return false;
  bool good = append(now, &more);
  oyi_rnn_state_release(&more);
  return good;
}

// ------------------------------------------------------------------------ one layer

static bool step_at(const pass* p, size_t t, oyi_rnn_state* now) {
  oyi_rnn_state after;
  if (!oyi_rnn_step(p->r->kind, p->gates[t], &p->w, now, &after)) return false;
  oyi_rnn_state_release(now);
  *now = after;
  p->outputs[t] = oy_tensor_retain(after.h);
  return true;
}

// Of sequences that are packed, the longest first.
static bool run_packed(const pass* p, const oyi_rnn_state* first, oyi_rnn_state* out) {
  oyi_rnn_state now = {NULL, NULL}, ended = {NULL, NULL};
  const int64_t* sizes = p->sizes.data;
  int64_t rows = sizes[p->backwards ? p->steps - 1 : 0];
  bool good = narrowed(first, 0, rows, &now);
  for (size_t i = 0; good && i < p->steps; i++) {
    const size_t t = p->backwards ? p->steps - 1 - i : i;
    if (sizes[t] < rows) good = end_rows(&now, sizes[t], rows, &ended);
    if (sizes[t] > rows) good = begin_rows(&now, sizes[t], rows, first);
    rows = sizes[t];
    good = good && step_at(p, t, &now);
  }
  if (good && ended.h) good = append(&now, &ended);
  oyi_rnn_state_release(&ended);
  *out = now;
  if (!good) oyi_rnn_state_release(out);
  return good;
}

static bool run_steps(const pass* p, const oyi_rnn_state* first, oyi_rnn_state* out) {
  if (p->sizes.size) return run_packed(p, first, out);
  *out = (oyi_rnn_state){oy_tensor_retain(first->h),
                         first->c ? oy_tensor_retain(first->c) : NULL};
  bool good = true;
  for (size_t i = 0; good && i < p->steps; i++)
    good = step_at(p, p->backwards ? p->steps - 1 - i : i, out);
  if (!good) oyi_rnn_state_release(out);
  return good;
}

static oy_status gates_of(const pass* p, oy_object* input, oy_value* out_list) {
  *out_list = oy_none();
  oy_object* gates = oyi_call_linear(input, p->w.w_ih, p->w.b_ih);
  if (!gates) return oy_failure();
  oy_status status = p->sizes.size
                         ? oyi_call_split_with_sizes(gates, p->sizes, 0, out_list)
                         : oyi_call_unbind_int(gates, 0, out_list);
  oy_tensor_release(gates);
  return status;
}

// The outputs of all steps, and the states at the end.
static oy_object* run_pass(pass* p, oy_object* input, const oyi_rnn_state* first,
                           oyi_rnn_state* out) {
  oy_value gates, outputs = oy_none();
  if (gates_of(p, input, &gates) != OY_OK) return NULL;
  p->steps = gates.count;
  p->gates = gates.as.tensors;
  oy_object* result = NULL;
  if (p->steps == 0)
    OY_FAIL(INVALID_ARGUMENT, "Expected sequence length to be larger than 0 in RNN");
  else if (oyi_list_new(p->steps, &outputs, &p->outputs) == OY_OK &&
           run_steps(p, first, out)) {
    const oy_tensors all = oyi_list_tensors(outputs);
    result = p->sizes.size ? oyi_call_cat(all, 0) : oyi_call_stack(all, 0);
    if (!result) oyi_rnn_state_release(out);
  }
  oy_value_release(&outputs);
  oy_value_release(&gates);
  return result;
}

// ----------------------------------------------------------------------- all layers

// What all passes share: the first states of each, and what they end with.
typedef struct stack {
  const oyi_rnn* r;
  oy_ints sizes;
  size_t passes, per_pass;  // parameters of a pass
  oy_value h, c;            // lists, one for each pass
  oy_value h_end, c_end;
  oy_object **h_items, **c_items;
} stack;

static oyi_rnn_weights weights_at(const stack* s, size_t i) {
  oy_object* const* w = s->r->params.data + i * s->per_pass;
  const size_t rest = s->r->has_biases ? 4 : 2;
  return (oyi_rnn_weights){w[0], w[1], s->r->has_biases ? w[2] : &oy_none_object,
                           s->r->has_biases ? w[3] : &oy_none_object,
                           s->per_pass > rest ? w[rest] : NULL};
}

static oy_object* one_pass(stack* s, size_t i, oy_object* input) {
  pass p = {.r = s->r,
            .w = weights_at(s, i),
            .sizes = s->sizes,
            .backwards = s->r->bidirectional && (i & 1)};
  const bool is_lstm = s->r->kind == OYI_RNN_LSTM;
  const oyi_rnn_state first = {s->h.as.tensors[i], is_lstm ? s->c.as.tensors[i] : NULL};
  oyi_rnn_state end;
  oy_object* output = run_pass(&p, input, &first, &end);
  if (!output) return NULL;
  s->h_items[i] = end.h;
  if (is_lstm) s->c_items[i] = end.c;
  return output;
}

static oy_object* one_layer(stack* s, size_t layer, oy_object* input) {
  if (!s->r->bidirectional) return one_pass(s, layer, input);
  oy_object* both[2] = {one_pass(s, 2 * layer, input), NULL};
  if (both[0]) both[1] = one_pass(s, 2 * layer + 1, input);
  oy_object* joined = both[1] ? oyi_call_cat((oy_tensors){both, 2}, -1) : NULL;
  oy_tensor_release(both[0]);
  oy_tensor_release(both[1]);
  return joined;
}

static oy_object* run_layers(stack* s, oy_object* input) {
  const oyi_rnn* r = s->r;
  oy_object* now = input ? oy_tensor_retain(input) : NULL;
  for (int64_t layer = 0; now && layer < r->layers; layer++) {
    oy_object* next = one_layer(s, (size_t)layer, now);
    oy_tensor_release(now);
    now = next;
    if (!now || r->dropout == 0 || !r->train || layer == r->layers - 1) continue;
    next = oyi_call_dropout(now, r->dropout, true);
    oy_tensor_release(now);
    now = next;
  }
  return now;
}

// ------------------------------------------------------------------------- checks

static oy_status check_counts(stack* s) {
  const oyi_rnn* r = s->r;
  OY_CHECK(r->params.size % s->per_pass == 0, INVALID_ARGUMENT,
           "got an incorrect number of RNN parameters");
  const size_t directions = r->bidirectional ? 2 : 1;
  OY_CHECK(r->layers >= 0 && r->layers <= (int64_t)(SIZE_MAX / 16), INVALID_ARGUMENT,
           "expected a number of layers, got %lld", (long long)r->layers);
  s->passes = (size_t)r->layers * directions;
  OY_CHECK(r->params.size / s->per_pass >= s->passes, INVALID_ARGUMENT,
           "Expected more weights in stacked_rnn");
  OY_TRY(oyi_call_unbind_int(r->h, 0, &s->h));
  if (r->c) OY_TRY(oyi_call_unbind_int(r->c, 0, &s->c));
  OY_CHECK(s->h.count >= s->passes && (!r->c || s->c.count >= s->passes),
           INVALID_ARGUMENT, "Expected more hidden states in stacked_rnn");
  return OY_OK;
}

// Rows of a step are rows of the states.
static oy_status check_rows(const stack* s) {
  if (!s->sizes.size) return OY_OK;
  const oyi_tensor* t = oyi_tensor_of(s->r->h);
  OY_CHECK(t && t->ndim == 3 && t->sizes[1] >= s->sizes.data[0], INVALID_ARGUMENT,
           "expected states for %lld sequences, got a tensor of size %s",
           (long long)s->sizes.data[0],
           t ? oyi_dims_print(oyi_sizes_view(t)).text : "none");
  return OY_OK;
}

static oy_status prepare(stack* s) {
  const oyi_tensor *h = oyi_tensor_of(s->r->h), *c = NULL;
  if (!h || (s->r->c && !(c = oyi_tensor_of(s->r->c)))) return oy_failure();
  // With a projection the hidden state is shorter than the cell's.
  const bool projects = c && h->ndim == 3 && c->ndim == 3 && h->sizes[2] != c->sizes[2];
  s->per_pass = (s->r->has_biases ? 4u : 2u) + projects;
  OY_TRY(check_counts(s));
  OY_TRY(check_rows(s));
  OY_TRY(oyi_list_new(s->passes, &s->h_end, &s->h_items));
  return s->r->c ? oyi_list_new(s->passes, &s->c_end, &s->c_items) : OY_OK;
}

oy_status oyi_rnn_batch_sizes(oy_object* batch_sizes, oy_object** out_held,
                              oy_ints* out_list) {
  *out_held = NULL;
  const oyi_tensor* t = oyi_tensor_of(batch_sizes);
  if (!t) return oy_failure();
  OY_CHECK(t->ndim == 1 && t->header.dtype == OY_DTYPE_I64 && t->numel > 0 &&
               t->backend == OY_BACKEND_CPU && oyi_data(t),
           INVALID_ARGUMENT,
           "batch_sizes should be a 1D int64 tensor on the CPU with elements, got %s of "
           "size %s",
           oy_dtype_pytorch_name(t->header.dtype),
           oyi_dims_print(oyi_sizes_view(t)).text);
  // Not by a call, which a mode may answer with a tensor without data.
  oyi_tensor* flat = oyi_converted(t, OY_DTYPE_I64);
  if (!flat) return oy_failure();
  *out_held = &flat->header;
  *out_list = (oy_ints){oyi_data(flat), (size_t)flat->numel};
  for (size_t i = 0; i < out_list->size; i++) {
    // NOLINT: a copy has its memory, too
    const int64_t n = out_list->data[i];
    OY_CHECK(n > 0 && (i == 0 || n <= out_list->data[i - 1]), INVALID_ARGUMENT,
             "batch_sizes should be positive and in decreasing order");
  }
  return OY_OK;
}

static oy_status finish(stack* s, oy_object* output, oy_object** out_output,
                        oyi_rnn_state* out_state) {
  if (!output) return oy_failure();
  out_state->h = oyi_call_stack(oyi_list_tensors(s->h_end), 0);
  if (out_state->h && s->r->c)
    out_state->c = oyi_call_stack(oyi_list_tensors(s->c_end), 0);
  if (out_state->h && (out_state->c || !s->r->c)) {
    *out_output = output;
    return OY_OK;
  }
  oy_tensor_release(output);
  oyi_rnn_state_release(out_state);
  return oy_failure();
}

static oy_object* turned(oy_object* o, bool turn) {
  if (!o || !turn) return o;
  oy_object* view = oyi_call_transpose_int(o, 0, 1);
  oy_tensor_release(o);
  return view;
}

oy_status oyi_rnn_run(const oyi_rnn* r, oy_object** out_output,
                      oyi_rnn_state* out_state) {
  stack s = {
      .r = r, .h = oy_none(), .c = oy_none(), .h_end = oy_none(), .c_end = oy_none()};
  oy_object* held = NULL;
  *out_output = NULL;
  *out_state = (oyi_rnn_state){NULL, NULL};
  oy_status status = oyi_tensor_of(r->input) ? OY_OK : oy_failure();
  if (status == OY_OK && r->batch_sizes)
    status = oyi_rnn_batch_sizes(r->batch_sizes, &held, &s.sizes);
  if (status == OY_OK) status = prepare(&s);
  if (status == OY_OK) {
    oy_object* input = turned(oy_tensor_retain(r->input), r->batch_first);
    oy_object* output = turned(run_layers(&s, input), r->batch_first);
    oy_tensor_release(input);
    status = finish(&s, output, out_output, out_state);
  }
  oy_value* lists[] = {&s.h, &s.c, &s.h_end, &s.c_end};
  for (size_t i = 0; i < OY_ARRAY_SIZE(lists); i++) oy_value_release(lists[i]);
  oy_tensor_release(held);
  return status;
}

// ---------------------------------------------------------------------- the operators

#define SETTINGS                                                                        \
  .params = params, .has_biases = has_biases, .layers = num_layers, .dropout = dropout, \
  .train = train, .bidirectional = bidirectional
#define OF_INPUT .input = input, .batch_first = batch_first
#define OF_DATA  .input = data, .batch_sizes = batch_sizes

static oy_status run_plain(const oyi_rnn* r, oy_object** output, oy_object** state) {
  oyi_rnn_state end;
  oy_status status = oyi_rnn_run(r, output, &end);
  *state = end.h;
  return status;
}
#define NETWORK(id, network, ...)                                        \
  OYI_COMPOSITE(id) {                                                    \
    const oyi_rnn r = {__VA_ARGS__, .kind = network, .h = hx, SETTINGS}; \
    return run_plain(&r, out_0, out_1);                                  \
  }
#define BOTH(name, network)                \
  NETWORK(name##_input, network, OF_INPUT) \
  NETWORK(name##_data, network, OF_DATA)
BOTH(rnn_tanh, OYI_RNN_TANH)
BOTH(rnn_relu, OYI_RNN_RELU)
BOTH(gru, OYI_RNN_GRU)

static oy_status run_lstm(oyi_rnn* r, oy_tensors hx, oy_object** outs[3]) {
  *outs[0] = *outs[1] = *outs[2] = NULL;
  OY_CHECK(hx.size == 2, INVALID_ARGUMENT, "lstm expects two hidden states");
  oyi_rnn_state end;
  r->kind = OYI_RNN_LSTM;
  r->h = hx.data[0];
  r->c = hx.data[1];
  if (!r->h || !r->c) return oy_failure();
  oy_status status = oyi_rnn_run(r, outs[0], &end);
  *outs[1] = end.h;
  *outs[2] = end.c;
  return status;
}
OYI_COMPOSITE(lstm_input) {
  oyi_rnn r = {OF_INPUT, SETTINGS};
  return run_lstm(&r, hx, (oy_object * *[]){out_0, out_1, out_2});
}
OYI_COMPOSITE(lstm_data) {
  oyi_rnn r = {OF_DATA, SETTINGS};
  return run_lstm(&r, hx, (oy_object * *[]){out_0, out_1, out_2});
}
