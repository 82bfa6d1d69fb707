// SPDX-License-Identifier: Apache-2.0
// Every differentiable operator that `opyard certify` can make a call of, without writes and
// without views: functionalize around its gradient, and the gradient of what functionalize
// makes of it, are its gradient.
#include <math.h>

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
static const struct {
  const char *op, *why;
} g_exceptions[] = {
    {"aten::_sample_dirichlet", "random"},
    {"aten::_standard_gamma", "random"},
    {"aten::alpha_dropout", "random"},
    {"aten::bernoulli", "random"},
    {"aten::bernoulli.Tensor", "random"},
    {"aten::bernoulli.p", "random"},
    {"aten::feature_alpha_dropout", "random"},
    {"aten::native_dropout", "random"},
    {"aten::normal.Tensor_Tensor", "random"},
    {"aten::normal.Tensor_float", "random"},
    {"aten::normal.float_Tensor", "random"},
    {"aten::poisson", "random"},
    {"aten::rrelu_with_noise", "random"},
    {"aten::scaled_dot_product_attention", "random"},
    {"aten::as_strided_scatter", "strides that overlap"},
    {"aten::cosine_similarity", "its norms are bounded in place, without grad mode"},
    {"aten::embedding_bag", "asks whether the weight requires a gradient"},
    {"aten::embedding_bag.padding_idx", "the same"},
    {"aten::lift_fresh", "gives back what it is given"},
};

static unsigned without(const oy_op* op) {
  const oy_str name = oy_op_name_of(op);
  for (size_t i = 0; i < sizeof(g_exceptions) / sizeof(*g_exceptions); i++)
    if (oy_str_equal(name, oy_str_of(g_exceptions[i].op))) return (unsigned)DRAWN_NONE;
  return 0;
}

// ------------------------------------------------------------------ the functions

static const int64_t g_all[GRADCHECK_TENSORS] = {0, 1, 2,  3,  4,  5,  6,  7,
                                                 8, 9, 10, 11, 12, 13, 14, 15};

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
  const oy_grad_params p = {drawn_number, t->call, {g_all, count}};
  return oy_grad_of(&p, in, count, NULL, out);
}
static oy_status of_functional(void* data, oy_tensor* const* in, size_t count,
                               oy_tensor** out, size_t outputs) {
  (void)outputs;
  const oy_grad_params p = {functional, data, {g_all, count}};
  return oy_grad_of(&p, in, count, NULL, out);
}
static oy_status functional_gradients(void* data, oy_tensor* const* in, size_t count,
                                      oy_tensor** out, size_t outputs) {
  const trial* t = data;
  const oy_functionalize_params p = {plain_gradients, data, t->remove};
  return oy_functionalize(&p, in, count, out, outputs);
}

// ------------------------------------------------------------------- comparison

static bool is_same(oy_tensor* a, oy_tensor* b) {
  const int64_t n = oy_tensor_numel(b) * (oy_dtype_is_complex(b->dtype) ? 2 : 1);
  if (a->dtype != b->dtype || oy_tensor_numel(a) != oy_tensor_numel(b)) return false;
  oy_tensor* first = oy_contiguous(a, OY_MEMORY_CONTIGUOUS);
  oy_tensor* second = oy_contiguous(b, OY_MEMORY_CONTIGUOUS);
  assert_true(first && second);
  const double *x = oy_tensor_data(first), *y = oy_tensor_data(second);
  bool same = true;
  for (int64_t i = 0; i < n; i++)
    same = same && ((isnan(x[i]) && isnan(y[i])) || x[i] == y[i] ||
                    fabs(x[i] - y[i]) <= 1e-9 * (1 + fabs(x[i]) + fabs(y[i])));
  oy_tensor_release(first);
  oy_tensor_release(second);
  return same;
}
static void release(oy_tensor** t, size_t count) {
  for (size_t i = 0; i < count; i++) oy_tensor_release(t[i]);
}
static void compare(state* s, const char* what, const char* how, oy_transform_fn fn,
                    trial* t, oy_tensor* const* in, oy_tensor* const* want) {
  const size_t count = t->call->count;
  oy_tensor* got[GRADCHECK_TENSORS] = {0};
  bool same = fn(t, in, count, got, count) == OY_OK;
  const char* why = same ? "another gradient" : oy_error_get()->message;
  for (size_t i = 0; same && i < count; i++) same = is_same(got[i], want[i]);
  s->calls++;
  s->wrong += !same;
  if (!same) print_error("%s, %s: %s\n", what, how, why);
  release(got, count);
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
  release(in, c->count);
  release(want, c->count);
}

static void check_all(oy_functionalize_remove remove) {
  state s = {.remove = remove};
  const size_t ops = drawn_each(&(drawn){without, check, &s});
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
