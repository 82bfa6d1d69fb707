// SPDX-License-Identifier: Apache-2.0
// Every allocation made to fail in turn (ROB-02): over creating, defining,
// registering, calling and asking. Each time an error, OUT_OF_MEMORY, nothing
// changed, nothing leaked. And undoing, which must not need memory at all.
#include <stdio.h>

#include "alloc_actions.h"

static test_heap g_heap;

// Everything that can be seen, as one text of the caller's.
static char* observe(const world* w) {
  const oy_op** ops = NULL;
  size_t count = 0;
  char* all = strdup("");
  assert_ok(oy_registry_list(w->registry, &ops, &count));
  for (size_t i = 0; i < count; i++) {
    char* longer = NULL;
    assert_true(asprintf(&longer, "%s%s%s%s", all, test_state(ops[i]), test_table(ops[i]),
                         test_extractor(ops[i])) > 0);
    free(all);
    all = longer;
  }
  oy_ops_free(ops);
  return all;
}

// One action with its |n|-th request failing. True once it needs fewer.
static bool try_failing(size_t row, int64_t n, bool rest_too) {
  int64_t bytes = g_heap.bytes, blocks = g_heap.blocks;
  world w;
  open_world(&w);
  char* before = observe(&w);
  oy_error_clear();
  g_heap.requests = 0;
  g_heap.fail_at = n;
  g_heap.fail_after = rest_too;
  oy_status status = g_actions[row].act(&w);
  bool reached = g_heap.requests >= n;
  g_heap.fail_at = 0;
  bool right =
      reached ? status == OY_OUT_OF_MEMORY && oy_error_get()->code == OY_OUT_OF_MEMORY
              : status == OY_OK;
  if (!right && !(g_actions[row].fails_anyway && status == OY_OK))
    fail_msg("%s, request %d of which %s failed, gave %s: %s", g_actions[row].name,
             (int)n, reached ? "it" : "none", oy_status_name(status),
             oy_error_get()->message);
  if (reached) {
    char* after = observe(&w);
    if (strcmp(before, after) != 0)
      fail_msg("%s, request %d: before\n%s\nafter\n%s", g_actions[row].name, (int)n,
               before, after);
    free(after);
    if (w.library || w.other) fail_msg("%s: something came out", g_actions[row].name);
  }
  free(before);
  assert_ok(oy_registry_check_invariants(w.registry));
  close_world(&w);
  if (g_heap.bytes != bytes || g_heap.blocks != blocks)
    fail_msg("%s, request %d: %d bytes in %d blocks are lost", g_actions[row].name,
             (int)n, (int)(g_heap.bytes - bytes), (int)(g_heap.blocks - blocks));
  assert_int_equal(test_tensors_alive(), 0);
  return !reached;
}

static void ROB_02_every_allocation_fails(void** state) {
  (void)state;
  for (size_t row = 0; row < g_action_count; row++)
    for (int rest = 0; rest < 2; rest++) {
      (void)try_failing(row, INT64_MAX, false);  // what is made once, is made
      int64_t n = 1;
      while (!try_failing(row, n, rest)) assert_true(n++ < 2000);
    }
}

// Undoing needs no memory: it works when there is none, and does not even ask.
static void ROB_02_undoing_needs_no_memory(void** state) {
  (void)state;
  for (size_t row = 0; row < g_action_count; row++)
    for (int one_library = 0; one_library < 2; one_library++) {
      int64_t bytes = g_heap.bytes;
      world w;
      open_world(&w);
      char* before = observe(&w);
      assert_ok(g_actions[row].act(&w));
      g_heap.requests = 0;
      g_heap.fail_at = 1;
      g_heap.fail_after = true;
      oy_library** libraries[] = {&w.library, &w.def, &w.impl, &w.fallback};
      for (size_t i = 0; i < TEST_COUNT(libraries); i++) {
        oy_library_close(*libraries[i]);
        *libraries[i] = NULL;
      }
      oy_registry_collect(w.registry);
      if (g_heap.requests != 0) fail_msg("undoing %s asked", g_actions[row].name);
      if (one_library) test_close(&w.base);
      if (g_heap.requests != 0) fail_msg("after %s, closing asked", g_actions[row].name);
      g_heap.fail_at = 0;
      char* after = observe(&w);
      if (!one_library) assert_string_equal(before, after);
      assert_ok(oy_registry_check_invariants(w.registry));
      free(before);
      free(after);
      close_world(&w);
      assert_int_equal(g_heap.bytes, bytes);
    }
}

// A backend that finds no memory for some table is not added, and no table has
// grown; the next try succeeds. Backends stay, and so does their memory.
static void ROB_02_backend_registration(void** state) {
  (void)state;
  for (int round = 0; round < 3; round++) {
    world w;
    open_world(&w);
    char* before = observe(&w);
    char name[32];
    snprintf(name, sizeof(name), "Frail%d", round);
    uint64_t all = oy_backend_all();
    oy_backend backend = OY_BACKEND_NONE;
    oy_status status = OY_OUT_OF_MEMORY;
    int64_t n = 1;
    for (; status != OY_OK && n < 500; n++) {
      g_heap.requests = 0;
      g_heap.fail_at = n;
      g_heap.fail_after = round == 1;
      status = oy_backend_register(oy_str_of(name), &backend);
      g_heap.fail_at = 0;
      if (status == OY_OK) break;
      assert_int_equal(status, OY_OUT_OF_MEMORY);
      assert_int_equal(oy_error_get()->code, OY_OUT_OF_MEMORY);
      assert_int_equal(backend, OY_BACKEND_NONE);
      assert_true(oy_backend_all() == all);
      assert_false(oy_backend_find(oy_str_of(name), &backend));
      char* after = observe(&w);
      assert_string_equal(before, after);
      free(after);
      assert_ok(oy_registry_check_invariants(w.registry));
    }
    assert_true(n > 1 && status == OY_OK);
    assert_true(oy_backend_find(oy_str_of(name), &backend));
    assert_ok(oy_registry_check_invariants(w.registry));
    free(before);
    close_world(&w);
  }
}

static int group_setup(void** state) {
  (void)state;
  test_heap_install(&g_heap);
  return 0;
}

static int group_teardown(void** state) {
  (void)state;
  test_heap_remove(&g_heap);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(ROB_02_every_allocation_fails),
      TEST(ROB_02_undoing_needs_no_memory),
      TEST(ROB_02_backend_registration),
  };
  return cmocka_run_group_tests_name("alloc_failure", tests, group_setup, group_teardown);
}
