// SPDX-License-Identifier: Apache-2.0
// Every differentiable operator that `opyard certify` can make a call of, without writes and
// without views: functionalize around its gradient, and the gradient of what functionalize
// makes of it, are its gradient.
#include "ops/drawn/drawn.h"
#include "ops/drawn/number.h"
#include "opyard/functionalize.h"
#include "support/tensors.h"

typedef struct state {
  oy_functionalize_remove remove;
  int calls, wrong;
} state;

// A call, and what is taken out of it.
typedef struct trial {
  gradcheck_call* call;
  oy_functionalize_remove remove;
} trial;

// What is drawn, and operators that do otherwise, in PyTorch as well.
static const drawn_exception g_exceptions[] = {
    {"aten::_sample_dirichlet", DRAWN_NONE, "random"},
    {"aten::_standard_gamma", DRAWN_NONE, "random"},
    {"aten::alpha_dropout", DRAWN_NONE, "random"},
    {"aten::bernoulli", DRAWN_NONE, "random"},
    {"aten::bernoulli.Tensor", DRAWN_NONE, "random"},
    {"aten::bernoulli.p", DRAWN_NONE, "random"},
    {"aten::feature_alpha_dropout", DRAWN_NONE, "random"},
    {"aten::native_dropout", DRAWN_NONE, "random"},
    {"aten::normal.Tensor_Tensor", DRAWN_NONE, "random"},
    {"aten::normal.Tensor_float", DRAWN_NONE, "random"},
    {"aten::normal.float_Tensor", DRAWN_NONE, "random"},
    {"aten::poisson", DRAWN_NONE, "random"},
    {"aten::rrelu_with_noise", DRAWN_NONE, "random"},
    {"aten::scaled_dot_product_attention", DRAWN_NONE, "random"},
    {"aten::as_strided_scatter", DRAWN_NONE, "strides that overlap"},
    {"aten::cosine_similarity", DRAWN_NONE,
     "its norms are bounded in place, without grad mode"},
    {"aten::embedding_bag", DRAWN_NONE, "asks whether the weight requires a gradient"},
    {"aten::embedding_bag.padding_idx", DRAWN_NONE, "the same"},
    {"aten::lift_fresh", DRAWN_NONE, "gives back what it is given"},
};

// ------------------------------------------------------------------ the functions

// The number, of the call made functional.
static oy_status functional(void* data, oy_tensor* const* in, size_t count,
                            oy_tensor** out, size_t outputs) {
  const trial* t = data;
  const oy_functionalize_params p = {drawn_number, t->call, t->remove};
  return oy_functionalize(&p, in, count, out, outputs);
}
static oy_status plain_gradients(void* data, oy_tensor* const* in, size_t count,
                                 oy_tensor** out, size_t outputs) {
  (void)outputs;
  const trial* t = data;
  const oy_grad_params p = {drawn_number, t->call, {drawn_all, count}};
  return oy_grad_of(&p, in, count, NULL, out);
}
static oy_status of_functional(void* data, oy_tensor* const* in, size_t count,
                               oy_tensor** out, size_t outputs) {
  (void)outputs;
  const oy_grad_params p = {functional, data, {drawn_all, count}};
  return oy_grad_of(&p, in, count, NULL, out);
}
static oy_status functional_gradients(void* data, oy_tensor* const* in, size_t count,
                                      oy_tensor** out, size_t outputs) {
  const trial* t = data;
  const oy_functionalize_params p = {plain_gradients, data, t->remove};
  return oy_functionalize(&p, in, count, out, outputs);
}

// ------------------------------------------------------------------- comparison

static void compare(state* s, const char* what, const char* how, oy_transform_fn fn,
                    trial* t, oy_tensor* const* in, oy_tensor* const* want) {
  const size_t count = t->call->count;
  oy_tensor* got[GRADCHECK_TENSORS] = {0};
  bool same = fn(t, in, count, got, count) == OY_OK;
  const char* why = same ? "another gradient" : oy_error_get()->message;
  for (size_t i = 0; same && i < count; i++) same = drawn_part_is(got[i], 0, 1, want[i]);
  s->calls++;
  s->wrong += !same;
  if (!same) print_error("%s, %s: %s\n", what, how, why);
  drawn_release(got, count);
}
static void check(void* data, gradcheck_call* c, const char* what) {
  state* s = data;
  trial t = {c, s->remove};
  oy_tensor *in[GRADCHECK_TENSORS] = {0}, *want[GRADCHECK_TENSORS] = {0};
  for (size_t i = 0; i < c->count; i++) in[i] = oy_detach(c->leaves[i]);
  if (plain_gradients(&t, in, c->count, want, c->count) == OY_OK) {
    compare(s, what, "inside of grad", of_functional, &t, in, want);
    compare(s, what, "around grad", functional_gradients, &t, in, want);
  }
  drawn_release(in, c->count);
  drawn_release(want, c->count);
}

static void check_all(oy_functionalize_remove remove) {
  state s = {.remove = remove};
  const size_t ops =
      drawn_each(&(drawn){g_exceptions, OY_ARRAY_SIZE(g_exceptions), check, &s});
  print_message("%zu operators, %d calls\n", ops, s.calls);
  assert_int_equal(s.wrong, 0);
  assert_true(getenv("OPYARD_GRADCHECK_ONLY") || (ops >= 720 && s.calls >= 4000));
}
static void func_01_gradients_without_writes(void** test_state) {
  (void)test_state;
  check_all(OY_REMOVE_MUTATIONS);
}
static void func_01_gradients_without_views(void** test_state) {
  (void)test_state;
  check_all(OY_REMOVE_MUTATIONS_AND_VIEWS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(func_01_gradients_without_writes),
      cmocka_unit_test(func_01_gradients_without_views),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
