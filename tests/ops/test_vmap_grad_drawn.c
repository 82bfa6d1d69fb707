// SPDX-License-Identifier: Apache-2.0
// vmap of grad and of jvp of every differentiable operator that `opyard certify` can make a
// call of: what vmap gives is what the slices give, one by one.
#include <math.h>

#include "ops/drawn/drawn.h"
#include "ops/drawn/number.h"
#include "opyard/vmap.h"
#include "support/tensors.h"

enum { SLICES = 2 };

// Operators that do otherwise, in PyTorch as well.
static const struct {
  const char *op, *why;
} g_exceptions[] = {
    {"aten::_foreach_copy", "copies in place"},
    {"aten::_reshape_alias", "inside vmap the strides are not looked at"},
    {"aten::infinitely_differentiable_gelu_backward",
     "multiplies by the gradient in place"},
    {"aten::rnn_tanh_cell", "adds the part of the input in place"},
    {"aten::_pack_padded_sequence", "the gradient looks into sizes, which are batched"},
};
static const char g_random[] = "vmap: called random operation while in randomness error";

typedef struct state {
  oy_transform_fn derive;
  bool gives_all;  // one result for each input
  int calls, wrong;
} state;

static unsigned without(const oy_op* op) {
  const oy_str name = oy_op_name_of(op);
  for (size_t i = 0; i < sizeof(g_exceptions) / sizeof(*g_exceptions); i++)
    if (oy_str_equal(name, oy_str_of(g_exceptions[i].op))) return (unsigned)DRAWN_NONE;
  return 0;
}

// ------------------------------------------------------------------ the functions

static const int64_t g_all[GRADCHECK_TENSORS] = {0, 1, 2,  3,  4,  5,  6,  7,
                                                 8, 9, 10, 11, 12, 13, 14, 15};
static oy_status gradients(void* data, oy_tensor* const* in, size_t count,
                           oy_tensor** out, size_t outputs) {
  (void)outputs;
  const oy_grad_params p = {.fn = drawn_number, .data = data, .argnums = {g_all, count}};
  return oy_grad_of(&p, in, count, NULL, out);
}
// Along the inputs themselves.
static oy_status tangent(void* data, oy_tensor* const* in, size_t count, oy_tensor** out,
                         size_t outputs) {
  (void)outputs;
  oy_tensor* value = NULL;
  const oy_grad_params p = {.fn = drawn_number, .data = data, .argnums = {g_all, count}};
  oy_status status = oy_jvp_of(&p, in, count, in, &value, 1, out);
  oy_tensor_release(value);
  return status;
}

// ------------------------------------------------------------------- comparison

static bool is_close(double a, double b) {
  if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
  return a == b || fabs(a - b) <= 1e-9 * (1 + fabs(a) + fabs(b));
}
// Whether slice |at| of |mapped| is |alone|.
static bool is_slice(oy_tensor* mapped, int64_t at, oy_tensor* alone) {
  const int64_t parts = oy_dtype_is_complex(alone->dtype) ? 2 : 1,
                n = oy_tensor_numel(alone) * parts;
  if (mapped->dtype != alone->dtype || oy_tensor_numel(mapped) * parts != n * SLICES)
    return false;
  oy_tensor* of_mapped = oy_contiguous(mapped, OY_MEMORY_CONTIGUOUS);
  oy_tensor* of_alone = oy_contiguous(alone, OY_MEMORY_CONTIGUOUS);
  assert_true(of_mapped && of_alone);
  const double *x = oy_tensor_data(of_mapped), *y = oy_tensor_data(of_alone);
  bool same = true;
  for (int64_t i = 0; i < n; i++) same = same && is_close(x[at * n + i], y[i]);
  oy_tensor_release(of_mapped);
  oy_tensor_release(of_alone);
  return same;
}
static void release(oy_tensor** t, size_t count) {
  for (size_t i = 0; i < count; i++) oy_tensor_release(t[i]);
}

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
  release(t->in, t->call->count);
  for (size_t k = 0; k < SLICES; k++) {
    release(t->slices[k], t->call->count);
    release(t->alone[k], t->outputs);
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
      same = is_slice(mapped[i], (int64_t)k, t->alone[k][i]);
  release(mapped, t->outputs);
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
  const size_t ops = drawn_each(&(drawn){without, check, s});
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
