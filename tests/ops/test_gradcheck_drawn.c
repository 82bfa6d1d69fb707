// SPDX-License-Identifier: Apache-2.0
// Every differentiable operator that `opyard certify` can make a call of, with or without
// golden values: its gradients, and the gradients of these, are what differences say.
#include "ops/drawn/drawn.h"
#include "support/tensors.h"

// Operators of which differences say nothing, or of some inputs nothing.
typedef struct exception {
  const char* op;
  unsigned without;  // inputs, by bit; ALL: the operator
  const char* why;
} exception;

enum { ALL = DRAWN_NONE };

static const exception g_exceptions[] = {
#define EXCEPTION(op, without, why) {op, without, why},
#include "gradcheck_exceptions.def"
#undef EXCEPTION
};

typedef struct state {
  gradcheck_counts calls;
  int wrong;
} state;

static unsigned without(const oy_op* op) {
  const oy_str name = oy_op_name_of(op);
  for (size_t i = 0; i < sizeof(g_exceptions) / sizeof(*g_exceptions); i++)
    if (oy_str_equal(name, oy_str_of(g_exceptions[i].op))) return g_exceptions[i].without;
  return 0;
}

static void check(void* data, gradcheck_call* c, const char* what) {
  state* s = data;
  if (gradcheck_call_is_right(c, &s->calls)) return;
  s->wrong++;
  print_error("%s: %s\n", what, oy_error_get()->message);
}

static void differences_agree(void** test_state) {
  (void)test_state;
  state s = {0};
  const size_t ops = drawn_each(&(drawn){without, check, &s});
  print_message("%zu operators: gradients of %d calls, theirs of %d; %d have none\n", ops,
                s.calls.once, s.calls.twice, s.calls.unknown);
  assert_int_equal(s.wrong, 0);
  assert_true(getenv("OPYARD_GRADCHECK_ONLY") ||
              (ops >= 720 && s.calls.once >= 2100 && s.calls.twice >= 2100));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(differences_agree),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
