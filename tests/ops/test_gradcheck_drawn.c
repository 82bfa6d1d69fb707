// SPDX-License-Identifier: Apache-2.0
// Every differentiable operator that `opyard certify` can make a call of, with or without
// golden values: its gradients, and the gradients of these, are what differences say.
#include "ops/drawn/drawn.h"
#include "support/tensors.h"

// Operators of which differences say nothing, or of some inputs nothing.
#define ALL DRAWN_NONE

static const drawn_exception g_exceptions[] = {
#define EXCEPTION(op, without, why) {op, without, why},
#include "gradcheck_exceptions.def"
#undef EXCEPTION
};

typedef struct state {
  gradcheck_counts calls;
  int wrong;
} state;

static void check(void* data, gradcheck_call* c, const char* what) {
  state* s = data;
  if (gradcheck_call_is_right(c, &s->calls)) return;
  s->wrong++;
  print_error("%s: %s\n", what, oy_error_get()->message);
}

static void differences_agree(void** test_state) {
  (void)test_state;
  state s = {0};
  const size_t ops =
      drawn_each(&(drawn){g_exceptions, OY_ARRAY_SIZE(g_exceptions), check, &s});
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
