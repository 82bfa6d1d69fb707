// SPDX-License-Identifier: Apache-2.0
// Include and exclude sets in parallel regions: brought along where that is asked
// for, and the worker's own again afterwards.
#include "support.h"

enum { PIECES = 64 };

typedef struct seen {
  oy_keyset included[PIECES], excluded[PIECES];
} seen;

static oy_status look(int64_t begin, int64_t end, void* context) {
  seen* s = context;
  for (int64_t i = begin; i < end; i++) {
    s->included[i] = oy_included_get();
    s->excluded[i] = oy_excluded_get();
  }
  return OY_OK;
}

static oy_status refuse(int64_t begin, int64_t end, void* context) {
  (void)context;
  return OY_FAIL(EXHAUSTED, "%d to %d", (int)begin, (int)end);
}

static void THR_sets_of_the_caller(void** state) {
  (void)state;
  static seen s;
  oy_keyset included = oy_included_get(), excluded = oy_excluded_get();
  oy_keyset more = oy_keyset_of(OY_KEY_Tracer);
  for (int threads = 1; threads <= 4; threads++) {
    assert_ok(oy_set_num_threads(threads));
    oy_guard in = oy_guard_include(more), below = oy_guard_below_autograd();
    assert_ok(oy_parallel_for_with_state(0, PIECES, 1, look, &s));
    for (int i = 0; i < PIECES; i++) {
      assert_true(oy_keyset_equal(s.included[i], oy_included_get()));
      assert_true(oy_keyset_equal(s.excluded[i], oy_excluded_get()));
    }
    assert_int_equal(oy_parallel_for_with_state(0, PIECES, 1, refuse, NULL),
                     OY_EXHAUSTED);
    oy_error_clear();
    oy_guard_end(&below);
    oy_guard_end(&in);
    // Also after a failure, no thread has kept them.
    assert_ok(oy_parallel_for(0, PIECES, 1, look, &s));
    for (int i = 0; i < PIECES; i++) {
      assert_true(oy_keyset_equal(s.included[i], included));
      assert_true(oy_keyset_equal(s.excluded[i], excluded));
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {TEST(THR_sets_of_the_caller)};
  return cmocka_run_group_tests_name("parallel_state", tests, NULL, NULL);
}
