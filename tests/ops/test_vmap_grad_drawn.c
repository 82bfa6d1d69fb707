// SPDX-License-Identifier: Apache-2.0
// vmap of grad and of jvp of every differentiable operator that `opyard certify` can make a
// call of: what vmap gives is what the slices give, one by one.
#include "ops/drawn/drawn.h"
#include "ops/drawn/number.h"
#include "opyard/vmap.h"
#include "support/tensors.h"

enum { SLICES = 2 };

// Operators that do otherwise, in PyTorch as well.
static const drawn_exception g_exceptions[] = {
    {"aten::_foreach_copy", DRAWN_NONE, "copies in place"},
    {"aten::_reshape_alias", DRAWN_NONE, "inside vmap the strides are not looked at"},
    {"aten::infinitely_differentiable_gelu_backward", DRAWN_NONE,
     "multiplies by the gradient in place"},
    {"aten::rnn_tanh_cell", DRAWN_NONE, "adds the part of the input in place"},
    {"aten::_pack_padded_sequence", DRAWN_NONE,
     "the gradient looks into sizes, which are batched"},
};
static const char g_random[] = "vmap: called random operation while in randomness error";

typedef struct state {
  oy_transform_fn derive;
  bool gives_all;  // one result for each input
  int calls, wrong;
} state;

// ------------------------------------------------------------------ the functions

static oy_status gradients(void* data, oy_tensor* const* in, size_t count,
                           oy_tensor** out, size_t outputs) {
  (void)outputs;
  const oy_grad_params p = {
      .fn = drawn_number, .data = data, .argnums = {drawn_all, count}};
  return oy_grad_of(&p, in, count, NULL, out);
}
// Along the inputs themselves.
static oy_status tangent(void* data, oy_tensor* const* in, size_t count, oy_tensor** out,
                         size_t outputs) {
  (void)outputs;
  oy_tensor* value = NULL;
  const oy_grad_params p = {
      .fn = drawn_number, .data = data, .argnums = {drawn_all, count}};
  oy_status status = oy_jvp_of(&p, in, count, in, &value, 1, out);
  oy_tensor_release(value);
  return status;
}

// ------------------------------------------------------------------- comparison

// Which inputs are mapped: all, those with an even number, the others.
typedef enum pattern { EVERY, EVEN, ODD, PATTERNS } pattern;

typedef struct trial {
  gradcheck_call* call;
  int64_t dims[GRADCHECK_TENSORS];
  oy_tensor* in[GRADCHECK_TENSORS];
  oy_tensor* slices[SLICES][GRADCHECK_TENSORS];
  oy_transform_fn derive;
  size_t outputs;
  oy_tensor* alone[SLICES][GRADCHECK_TENSORS];  // what it gives of the slices
} trial;

// The leaves without a history, and in the other slice numbers a little beside them.
static void make_inputs(trial* t, pattern which) {
  const gradcheck_call* c = t->call;
  for (size_t i = 0; i < c->count; i++) {
    const bool mapped = which == EVERY || (which == EVEN) == (i % 2 == 0);
    oy_tensor* first = oy_detach(c->leaves[i]);
    oy_tensor* part = oy_mul_Scalar(first, oy_float(0.9));
    oy_tensor* second = oy_add_Scalar(part, oy_float(0.04), oy_int(1));
    oy_tensor* both[] = {first, second};
    t->dims[i] = mapped ? 0 : OY_VMAP_NONE;
    t->in[i] =
        mapped ? oy_op_stack((oy_tensors){both, SLICES}, 0) : oy_tensor_retain(first);
    t->slices[0][i] = first;
    t->slices[1][i] = mapped ? oy_tensor_retain(second) : oy_tensor_retain(first);
    oy_tensor_release(part);
    oy_tensor_release(second);
    assert_non_null(t->in[i]);
  }
}
static void end_trial(trial* t) {
  drawn_release(t->in, t->call->count);
  for (size_t k = 0; k < SLICES; k++) {
    drawn_release(t->slices[k], t->call->count);
    drawn_release(t->alone[k], t->outputs);
  }
}
// Why vmap does not give what the slices give; NULL if it does, or draws numbers.
static const char* wrong_with(const trial* t) {
  const size_t count = t->call->count;
  oy_tensor* mapped[GRADCHECK_TENSORS] = {0};
  const oy_vmap_params p = {
      .fn = t->derive, .data = t->call, .in_dims = {t->dims, count}};
  if (oy_vmap(&p, t->in, count, mapped, t->outputs) != OY_OK) {
    const char* message = oy_error_get()->message;
    return strncmp(message, g_random, sizeof(g_random) - 1) == 0 ? NULL : message;
  }
  bool same = true;
  for (size_t k = 0; k < SLICES; k++)
    for (size_t i = 0; same && i < t->outputs; i++)
      same = drawn_part_is(mapped[i], (int64_t)k, SLICES, t->alone[k][i]);
  drawn_release(mapped, t->outputs);
  return same ? NULL : "another derivative";
}
static void try_pattern(state* s, gradcheck_call* c, pattern which, const char* what) {
  trial t = {.call = c, .derive = s->derive, .outputs = s->gives_all ? c->count : 1};
  make_inputs(&t, which);
  bool there = true;
  for (size_t k = 0; k < SLICES; k++)
    there = there && t.derive(c, t.slices[k], c->count, t.alone[k], t.outputs) == OY_OK;
  const char* why = there ? wrong_with(&t) : NULL;
  s->calls += there;
  s->wrong += why != NULL;
  if (why) print_error("%s, inputs %d: %s\n", what, which, why);
  end_trial(&t);
}
static void check(void* data, gradcheck_call* c, const char* what) {
  for (pattern which = EVERY; which < (c->count > 1 ? PATTERNS : EVEN); which++)
    try_pattern(data, c, which, what);
}

static void check_all(state* s) {
  const size_t ops =
      drawn_each(&(drawn){g_exceptions, OY_ARRAY_SIZE(g_exceptions), check, s});
  print_message("%zu operators, %d calls\n", ops, s->calls);
  assert_int_equal(s->wrong, 0);
  assert_true(getenv("OPYARD_GRADCHECK_ONLY") || (ops >= 720 && s->calls >= 3500));
}
static void gradients_agree(void** test_state) {
  (void)test_state;
  check_all(&(state){.derive = gradients, .gives_all = true});
}
static void tangents_agree(void** test_state) {
  (void)test_state;
  check_all(&(state){.derive = tangent});
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gradients_agree),
      cmocka_unit_test(tangents_agree),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
