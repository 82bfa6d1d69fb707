// SPDX-License-Identifier: Apache-2.0
// Every differentiable operator of which there are golden values: its gradients, and the
// gradients of these, are what differences say. The arguments are PyTorch's, in double.
#include "ops/golden.h"
#include "ops/gradcheck_call.h"
#include "support/tensors.h"

enum { CALLS_MAX = 3, OPS_MAX = 512 };

// What differences cannot say of PyTorch's arguments, and of which inputs they say nothing.
typedef struct exception {
  const char* op;
  unsigned without;  // inputs, by bit, that have no derivative in PyTorch either
  bool symmetric;    // the first input counts as its symmetric part
  int wrong;         // calls that may be wrong
  const char* why;
} exception;

static const exception g_exceptions[] = {
    {"aten::soft_margin_loss", 1 << 1, false, 0, "the target"},
    {"aten::igamma", 1 << 0, false, 0, "the order"},
    {"aten::igammac", 1 << 0, false, 0, "the order"},
    {"aten::native_batch_norm", 3 << 3, false, 0, "running statistics"},
    {"aten::cholesky", 0, true, 0, "reads one triangle"},
    {"aten::linalg_cholesky_ex", 0, true, 0, "reads one triangle"},
    {"aten::clamp", 0, false, CALLS_MAX, "elements at the bounds"},
    {"aten::pow.Tensor_Tensor", 0, false, 2, "sums of powers of 1e6 leave no digits"},
    {"aten::unique_dim", 0, false, CALLS_MAX, "has none, and results of other sizes"},
    {"aten::embedding", 0, false, 2, "padding and frequencies are no derivative"},
};

typedef struct tried {
  char name[96];
  int calls, wrong;
} tried;

typedef struct state {
  tried ops[OPS_MAX];
  size_t count;
  gradcheck_counts calls;
} state;

// -------------------------------------------------------------------- every call

static tried* entry_of(state* s, const char* name) {
  for (size_t i = 0; i < s->count; i++)
    if (strcmp(s->ops[i].name, name) == 0) return &s->ops[i];
  assert_true(s->count < OPS_MAX);
  snprintf(s->ops[s->count].name, sizeof(s->ops[0].name), "%s", name);
  return &s->ops[s->count++];
}

static void try_call(state* s, tried* t, gradcheck_call* c, const exception* e) {
  t->calls++;
  if (gradcheck_call_is_right(c, &s->calls)) return;
  t->wrong++;
  if (!e || t->wrong > e->wrong)
    print_error("%s: %s\n", t->name, oy_error_get()->message);
}

static const exception* exception_of(const char* op) {
  for (size_t i = 0; i < sizeof(g_exceptions) / sizeof(*g_exceptions); i++)
    if (strcmp(g_exceptions[i].op, op) == 0) return &g_exceptions[i];
  return NULL;
}
static void check_one(void* context, golden_call* golden) {
  state* s = context;
  const oy_op* op = oy_op_lookup(oy_registry_default(), oy_str_of(golden->op));
  const oy_schema* schema = op ? oy_op_schema(op) : NULL;
  if (!schema || gradcheck_writes(schema)) return;
  oy_value storage[GOLDEN_VALUES_MAX];
  oy_stack arguments;
  oy_stack_init(&arguments, storage, GOLDEN_VALUES_MAX);
  if (golden_push(golden, op, &arguments) == OY_OK) {
    const exception* e = exception_of(golden->op);
    gradcheck_call c = {.op = op,
                        .arguments = &arguments,
                        .without = e ? e->without : 0,
                        .is_symmetric = e && e->symmetric};
    gradcheck_call_begin(&c);
    if (gradcheck_call_fits(&c)) {
      tried* t = entry_of(s, golden->op);
      if (t->calls < CALLS_MAX) try_call(s, t, &c, e);
    }
  }
  oy_error_clear();
  oy_stack_reset(&arguments);
}

static void differences_agree(void** test_state) {
  (void)test_state;
  state* s = calloc(1, sizeof(*s));
  assert_non_null(s);
  golden_each(GOLDEN_FILE, check_one, s);
  int wrong = 0;
  for (size_t i = 0; i < s->count; i++) {
    const exception* e = exception_of(s->ops[i].name);
    wrong += s->ops[i].wrong > (e ? e->wrong : 0);
  }
  print_message("%zu operators: gradients of %d calls, theirs of %d; %d have none\n",
                s->count, s->calls.once, s->calls.twice, s->calls.unknown);
  assert_int_equal(wrong, 0);
  assert_true(s->count >= 190 && s->calls.once >= 500 && s->calls.twice >= 480);
  free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(differences_agree),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
