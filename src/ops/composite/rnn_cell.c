// SPDX-License-Identifier: Apache-2.0
// Recurrent cells: one step of rnn_tanh, rnn_relu, gru and lstm.
#include "ops/calls.h"
#include "ops/composite/held.h"
#include "ops/kernels.h"
#include "ops/rnn.h"
#include "ops/rules/shape.h"

#define HOLD(...) oyi_hold(&h, __VA_ARGS__)
#define ONE       oy_int(1)

// |gates| in |count| parts along dimension 1, owned by |*out_list|.
static oy_object* const* parts_of(oy_object* gates, size_t count, oy_value* out_list) {
  *out_list = oy_none();
  if (!gates) return NULL;
  const oyi_tensor* t = oyi_tensor_of(gates);
  if (!t) return NULL;
  if (t->ndim < 2 || t->sizes[1] % (int64_t)count != 0) {
    OY_FAIL(INVALID_ARGUMENT, "expected weights for %zu gates, got gates of size %s",
            count, oyi_dims_print(oyi_sizes_view(t)).text);
    return NULL;
  }
  int64_t sizes[4];
  for (size_t i = 0; i < count; i++) sizes[i] = t->sizes[1] / (int64_t)count;
  if (oyi_call_unsafe_split_with_sizes(gates, (oy_ints){sizes, count}, 1, out_list) !=
      OY_OK)
    return NULL;
  return out_list->as.tensors;
}

static oy_object* sum_of(oy_object* a, oy_object* b) {
  return a && b ? oyi_call_add_Tensor(a, b, ONE) : NULL;
}
static oy_object* product_of(oy_object* a, oy_object* b) {
  return a && b ? oyi_call_mul_Tensor(a, b) : NULL;
}
static oy_object* sigmoid_of(oy_object* a) {
  return a ? oyi_call_sigmoid(a) : NULL;
}
static oy_object* tanh_of(oy_object* a) {
  return a ? oyi_call_tanh(a) : NULL;
}

static oy_object* simple_step(oyi_rnn_kind kind, oy_object* gates, oy_object* hidden) {
  oy_object* sum = sum_of(hidden, gates);
  oy_object* result = NULL;
  if (sum) result = kind == OYI_RNN_TANH ? oyi_call_tanh(sum) : oyi_call_relu(sum);
  oy_tensor_release(sum);
  return result;
}

// (state - new) * update + new
static oy_object* gru_state(oy_object* const* i, oy_object* const* hidden,
                            oy_object* state) {
  oyi_held h = {0};
  oy_object* reset = HOLD(sum_of(hidden[0], i[0]));
  reset = HOLD(sigmoid_of(reset));
  oy_object* update = HOLD(sum_of(hidden[1], i[1]));
  update = HOLD(sigmoid_of(update));
  oy_object* kept = HOLD(product_of(hidden[2], reset));
  oy_object* made = HOLD(sum_of(i[2], kept));
  made = HOLD(tanh_of(made));
  oy_object* less = made ? HOLD(oyi_call_sub_Tensor(state, made, ONE)) : NULL;
  oy_object* part = HOLD(product_of(less, update));
  return oyi_held_end(&h, sum_of(part, made));
}
static oy_object* gru_step(oy_object* gates, oy_object* hidden, oy_object* state) {
  oy_value of_input, of_hidden = oy_none();
  oy_object* const* i = parts_of(gates, 3, &of_input);
  oy_object* const* hs = i ? parts_of(hidden, 3, &of_hidden) : NULL;
  oy_object* made = hs ? gru_state(i, hs, state) : NULL;
  oy_value_release(&of_input);
  oy_value_release(&of_hidden);
  return made;
}

// |gates|: input, forget, cell, output.
static bool lstm_state(oy_object* const* gates, oy_object* cell, oyi_rnn_state* out) {
  oyi_held h = {0};
  oy_object* in = HOLD(sigmoid_of(gates[0]));
  oy_object* forget = HOLD(sigmoid_of(gates[1]));
  oy_object* candidate = HOLD(tanh_of(gates[2]));
  oy_object* output = HOLD(sigmoid_of(gates[3]));
  oy_object* kept = HOLD(product_of(forget, cell));
  oy_object* added = HOLD(product_of(in, candidate));
  out->c = sum_of(kept, added);
  oy_object* shown = HOLD(tanh_of(out->c));
  out->h = product_of(output, shown);
  oyi_held_end(&h, NULL);
  return out->h != NULL;
}
static bool lstm_step(oy_object* gates, oy_object* hidden, oy_object* cell,
                      oyi_rnn_state* out) {
  oy_object* sum = sum_of(hidden, gates);
  oy_value list;
  oy_object* const* parts = parts_of(sum, 4, &list);
  bool good = parts && lstm_state(parts, cell, out);
  oy_value_release(&list);
  oy_tensor_release(sum);
  return good;
}

static bool project(oy_object* w_hr, oyi_rnn_state* s) {
  oy_object* projected = oyi_call_linear(s->h, w_hr, &oy_none_object);
  oy_tensor_release(s->h);
  s->h = projected;
  return projected != NULL;
}

bool oyi_rnn_step(oyi_rnn_kind kind, oy_object* gates, const oyi_rnn_weights* w,
                  const oyi_rnn_state* before, oyi_rnn_state* out_after) {
  *out_after = (oyi_rnn_state){NULL, NULL};
  oy_object* hidden = gates ? oyi_call_linear(before->h, w->w_hh, w->b_hh) : NULL;
  if (!hidden) return false;
  bool good = true;
  if (kind == OYI_RNN_LSTM)
    good = lstm_step(gates, hidden, before->c, out_after) &&
           (!w->w_hr || project(w->w_hr, out_after));
  else if (kind == OYI_RNN_GRU)
    out_after->h = gru_step(gates, hidden, before->h);
  else
    out_after->h = simple_step(kind, gates, hidden);
  oy_tensor_release(hidden);
  if (good && out_after->h) return true;
  oyi_rnn_state_release(out_after);
  return false;
}

// ---------------------------------------------------------------------- the operators

static int64_t size_at(oy_object* o, size_t dim) {
  const oyi_tensor* t = oyi_tensor_of(o);
  if (!t) return -1;
  if (dim < t->ndim) return t->sizes[dim];
  OY_FAIL(INVALID_ARGUMENT, "expected a matrix, got a tensor of size %s",
          oyi_dims_print(oyi_sizes_view(t)).text);
  return -1;
}

static bool check_hidden(oy_object* input, oy_object* state, oy_object* w_hh, int which) {
  const int64_t batch = size_at(input, 0), own = size_at(state, 0);
  const int64_t size = size_at(state, 1), want = size_at(w_hh, 1);
  if (batch < 0 || own < 0 || size < 0 || want < 0) return false;
  if (batch != own) {
    OY_FAIL(INVALID_ARGUMENT,
            "Input batch size %lld doesn't match hidden%d batch size %lld",
            (long long)batch, which, (long long)own);
    return false;
  }
  if (size == want) return true;
  OY_FAIL(INVALID_ARGUMENT,
          "hidden%d has inconsistent hidden_size: got %lld, expected %lld", which,
          (long long)size, (long long)want);
  return false;
}
static bool check_input(oy_object* input, oy_object* w_ih) {
  const int64_t size = size_at(input, 1), want = size_at(w_ih, 1);
  if (size < 0 || want < 0) return false;
  if (size == want) return true;
  OY_FAIL(INVALID_ARGUMENT, "input has inconsistent input_size: got %lld expected %lld",
          (long long)size, (long long)want);
  return false;
}

static bool cell(oyi_rnn_kind kind, oy_object* input, const oyi_rnn_state* before,
                 const oyi_rnn_weights* w, oyi_rnn_state* out) {
  if (!check_input(input, w->w_ih) || !check_hidden(input, before->h, w->w_hh, 0))
    return false;
  if (before->c && !check_hidden(input, before->c, w->w_hh, 1)) return false;
  oy_object* gates = oyi_call_linear(input, w->w_ih, w->b_ih);
  bool good = oyi_rnn_step(kind, gates, w, before, out);
  oy_tensor_release(gates);
  return good;
}

#define CELL(id, kind)                                                                 \
  OYI_COMPOSITE(id) {                                                                  \
    const oyi_rnn_weights w = {w_ih, w_hh, b_ih, b_hh, NULL};                          \
    oyi_rnn_state after;                                                               \
    return cell(kind, input, &(oyi_rnn_state){hx, NULL}, &w, &after) ? after.h : NULL; \
  }
CELL(rnn_tanh_cell, OYI_RNN_TANH)
CELL(rnn_relu_cell, OYI_RNN_RELU)
CELL(gru_cell, OYI_RNN_GRU)

OYI_COMPOSITE(lstm_cell) {
  *out_0 = *out_1 = NULL;
  OY_CHECK(hx.size == 2, INVALID_ARGUMENT, "lstm_cell expects two hidden states");
  const oyi_rnn_weights w = {w_ih, w_hh, b_ih, b_hh, NULL};
  const oyi_rnn_state before = {hx.data[0], hx.data[1]};
  oyi_rnn_state after;
  if (!before.h || !before.c || !cell(OYI_RNN_LSTM, input, &before, &w, &after))
    return oy_failure();
  *out_0 = after.h;
  *out_1 = after.c;
  return OY_OK;
}
