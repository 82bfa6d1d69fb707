// SPDX-License-Identifier: Apache-2.0
// The oracle of PyTorch's test_dispatch.py (reference, section 10.1): for each
// set of registrations, every order of making them and, from there, every order
// of undoing them. After each step what can be seen of the registry may depend
// on the set in effect alone. A registration that fails changes nothing.
//
// Only kernels for one operator, key, dtype, capability and priority have an
// order that matters; a set names them by putting them into a group.
//
// Every order is gone through, but what two of them have in common (the same
// steps from the same start) is looked at once.
#include <stdio.h>

#include "permutation_sets.h"
#include "support.h"

enum { STEPS_MAX = 5, SEEN_MAX = 1 << 20 };

// With a sanitizer, the 14,400 orders of five steps take too long.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
enum { ALL_ORDERS_MAX = 4 };
#else
enum { ALL_ORDERS_MAX = 5 };
#endif

// How registrations are undone.
typedef enum undo_mode { CLOSE_LIBRARIES, REMOVE_REGISTRATIONS } undo_mode;

typedef struct run {
  const permutation_set* set;
  undo_mode mode;
  oy_registry* registry;
  oy_library* fallbacks;
  oy_library* shared[2];  // REMOVE_REGISTRATIONS: FRAGMENT and IMPL "_"
  oy_library* library[STEPS_MAX];
  oy_registration* registration[STEPS_MAX];
  size_t order[STEPS_MAX];  // those in effect, oldest first
  size_t count;
  char** seen;       // what a set looked like when it was first met
  const char* face;  // what it looks like now: one of |seen|
  size_t states;
  bool fallbacks_change;
  bool look;  // whether the step that comes was not seen yet
} run;

// ------------------------------------------------------------------ observing

// What one can ask about the operator under test, and about one that only
// fallbacks can touch. The masks are long texts; for large sets the check of the
// invariants stands for them.
static char* observe(run* r) {
  const oy_op* op = oy_op_lookup(r->registry, oy_str_of(PERMUTATION_OP));
  const oy_op* other = r->fallbacks_change
                           ? oy_op_lookup(r->registry, oy_str_of("test::bystander"))
                           : NULL;
  bool masks = r->set->count < STEPS_MAX;
  char *text = NULL, *dangling = NULL;
  size_t count = 0;
  assert_ok(oy_registry_dump_dangling(r->registry, &dangling, &count));
  assert_true(asprintf(&text, "%zu operators\n%s%s%s%s%s%zu dangling\n%s",
                       oy_registry_op_count(r->registry), test_state(op), test_table(op),
                       masks ? test_extractor(op) : "", test_table(other),
                       masks ? test_extractor(other) : "", count, dangling) > 0);
  oy_text_free(dangling);
  return text;
}

// The set in effect, and the order inside each group.
static size_t identify(const run* r) {
  size_t mask = 0, sequence = 0;
  for (size_t i = 0; i < r->count; i++) mask |= (size_t)1 << r->order[i];
  for (int group = 1; group <= 2; group++)
    for (size_t i = 0; i < r->count; i++)
      if (r->set->group[r->order[i]] == group) sequence = sequence * 8 + r->order[i] + 1;
  return sequence * 32 + mask;
}

static void fail_with_orders(const run* r, const char* what) {
  print_error("set \"%s\": %s; in effect, oldest first:", r->set->name, what);
  for (size_t i = 0; i < r->count; i++)
    print_error(" %s", r->set->steps[r->order[i]].debug);
  print_error("\n");
  fail();
}

static void check(run* r) {
  if (!r->look) return;
  const oy_op* op = oy_op_lookup(r->registry, oy_str_of(PERMUTATION_OP));
  if ((op && oy_op_check_invariants(op) != OY_OK) ||
      (r->fallbacks_change && oy_registry_check_invariants(r->registry) != OY_OK)) {
    print_error("%s\n%s\n", oy_error_get()->message, oy_error_get()->detail);
    fail_with_orders(r, "invariants are broken");
  }
  char* text = observe(r);
  size_t id = identify(r);
  assert_true(id < SEEN_MAX);
  if (!r->seen[id]) {
    r->seen[id] = text;
    r->states++;
  } else {
    if (strcmp(r->seen[id], text) != 0) {
      print_error("--- at first\n%s--- now\n%s", r->seen[id], text);
      fail_with_orders(r, "two faces of one set");
    }
    free(text);
  }
  r->face = r->seen[id];
}

// --------------------------------------------------------------------- doing

static oy_status do_step(run* r, size_t i) {
  const test_step* step = &r->set->steps[i];
  if (r->mode == CLOSE_LIBRARIES)
    return test_apply_alone(r->registry, "test", step, &r->library[i]);
  return test_apply(r->shared[step->kind == TEST_FALLBACK], step, &r->registration[i]);
}

static void undo_step(run* r, size_t i) {
  if (r->mode == CLOSE_LIBRARIES)
    oy_library_close(r->library[i]);
  else
    oy_registration_remove(r->registration[i]);
  r->library[i] = NULL;
  r->registration[i] = NULL;
}

static bool make(run* r, size_t i) {
  uint64_t generation = oy_registry_generation(r->registry);
  oy_status status = do_step(r, i);
  if (status == OY_OK) {
    r->order[r->count++] = i;
    check(r);
  } else if (r->look) {
    char* after = observe(r);
    if (strcmp(r->face, after) != 0) {
      print_error("--- before\n%s--- after\n%s", r->face, after);
      fail_with_orders(r, "a registration failed and left a trace");
    }
    assert_int_equal(oy_registry_generation(r->registry), generation);
    free(after);
  }
  return status == OY_OK;
}

static void unmake(run* r, size_t i) {
  size_t at = 0;
  while (r->order[at] != i) at++;
  memmove(&r->order[at], &r->order[at + 1], (--r->count - at) * sizeof(r->order[0]));
  undo_step(r, i);
  check(r);
}

// ------------------------------------------------------------- permutations

// The next permutation in lexicographic order. Returns the first place that
// changed, SIZE_MAX after the last.
static size_t next_permutation(size_t* p, size_t n) {
  size_t i = n;
  while (i > 1 && p[i - 2] > p[i - 1]) i--;
  if (i <= 1) return SIZE_MAX;
  size_t j = n - 1;
  while (p[j] < p[i - 2]) j--;
  size_t swap = p[i - 2];
  p[i - 2] = p[j];
  p[j] = swap;
  for (size_t a = i - 1, b = n - 1; a < b; a++, b--) {
    swap = p[a];
    p[a] = p[b];
    p[b] = swap;
  }
  return i - 2;
}

static void first_permutation(size_t* p, size_t n) {
  for (size_t i = 0; i < n; i++) p[i] = i;
}

// Registers in the order |forth|, then undoes in every order. Those that failed
// have no place in the order of undoing.
static void every_way_back(run* r, const size_t* forth) {
  size_t back[STEPS_MAX], made[STEPS_MAX], changed = 0;
  for (bool first = true; changed != SIZE_MAX; first = false) {
    size_t count = 0;
    r->look = first;
    for (size_t i = 0; i < r->set->count; i++)
      if (make(r, forth[i])) made[count++] = forth[i];
    if (first) first_permutation(back, count);
    for (size_t i = 0; i < count; i++) {
      r->look = i >= changed;
      unmake(r, made[back[i]]);
    }
    assert_int_equal(r->count, 0);
    changed = next_permutation(back, count);
  }
}

static void begin(run* r, const permutation_set* set, undo_mode mode) {
  static const test_step bystander = STEP_DEF("bystander(Tensor x) -> Tensor");
  *r = (run){.set = set, .mode = mode, .look = true};
  for (size_t i = 0; i < set->count; i++)
    r->fallbacks_change |= set->steps[i].kind == TEST_FALLBACK;
  r->registry = test_registry_with_fallbacks(&r->fallbacks);
  r->shared[0] = test_library(r->registry, OY_LIBRARY_FRAGMENT, "test", 0);
  r->shared[1] = test_library(r->registry, OY_LIBRARY_IMPL, "_", 0);
  assert_ok(test_apply(r->shared[0], &bystander, NULL));
  r->seen = calloc(SEEN_MAX, sizeof(*r->seen));
  assert_non_null(r->seen);
  check(r);
}

static void end(run* r) {
  for (size_t i = 0; i < SEEN_MAX; i++) free(r->seen[i]);
  free(r->seen);
  oy_library_close(r->shared[0]);
  oy_library_close(r->shared[1]);
  oy_library_close(r->fallbacks);
  oy_registry_destroy(r->registry);
}

static void try_set(const permutation_set* set, undo_mode mode) {
  run r;
  begin(&r, set, mode);
  size_t forth[STEPS_MAX];
  first_permutation(forth, set->count);
  do {
    every_way_back(&r, forth);
  } while (next_permutation(forth, set->count) != SIZE_MAX);
  // Fewer would mean that most of it failed: such a set tests nothing.
  if (r.states < set->states_min)
    fail_msg("set \"%s\" had only %zu states", set->name, r.states);
  end(&r);
}

// ROB-08 is this oracle in CI; REG-15 and REG-16 are what it shows.
static void REG_15_REG_16_ROB_08_every_order(void** state) {
  (void)state;
  for (size_t i = 0; i < g_permutation_set_count; i++)
    if (g_permutation_sets[i].count <= ALL_ORDERS_MAX)
      try_set(&g_permutation_sets[i], CLOSE_LIBRARIES);
}

// The same through one library, registration by registration; sets of four are
// enough to compare the two ways.
static void REG_15_single_registrations(void** state) {
  (void)state;
  for (size_t i = 0; i < g_permutation_set_count; i++)
    if (g_permutation_sets[i].count <= 4)
      try_set(&g_permutation_sets[i], REMOVE_REGISTRATIONS);
}

// Closing one library that owns all is one more way back.
static void REG_15_close_all_at_once(void** state) {
  (void)state;
  for (size_t i = 0; i < g_permutation_set_count; i++) {
    run r;
    begin(&r, &g_permutation_sets[i], REMOVE_REGISTRATIONS);
    oy_library* outer = r.shared[0];
    char* before = observe(&r);
    r.shared[0] = test_library(r.registry, OY_LIBRARY_FRAGMENT, "test", 0);
    for (size_t s = 0; s < r.set->count; s++) (void)make(&r, s);
    oy_library_close(r.shared[0]);
    oy_library_close(r.shared[1]);
    r.shared[1] = NULL;
    r.shared[0] = outer;
    char* after = observe(&r);
    assert_string_equal(before, after);
    assert_ok(oy_registry_check_invariants(r.registry));
    free(before);
    free(after);
    end(&r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(REG_15_REG_16_ROB_08_every_order),
      TEST(REG_15_single_registrations),
      TEST(REG_15_close_all_at_once),
  };
  return cmocka_run_group_tests_name("permutations", tests, NULL, NULL);
}
