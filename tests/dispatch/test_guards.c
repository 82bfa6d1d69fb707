// SPDX-License-Identifier: Apache-2.0
// A thread's include and exclude sets: what they start with, raw setters, guards
// that nest and restore (reference, section 5.2).
#include <pthread.h>
#include <stdio.h>

#include "support.h"

static oy_keyset all_autocast(void) {
  return oy_keyset_named(OY_KEYSET_AUTOCAST);
}

static void* defaults_in_thread(void* out) {
  oy_dispatch_state s = oy_dispatch_state_get();
  static const oy_dispatch_state zero;
  *(int*)out =
      memcmp(&s, &zero, sizeof(s)) == 0 &&
      oy_keyset_equal(oy_included_get(), oy_keyset_named(OY_KEYSET_DEFAULT_INCLUDED)) &&
      oy_keyset_equal(oy_excluded_get(), all_autocast());
  return NULL;
}

static void CALL_04_default_sets(void** state) {
  (void)state;
  oy_keyset included = TEST_KEYS(OY_KEY_BackendSelect, OY_KEY_ADInplaceOrView);
  assert_keys(oy_included_get(), included);
  assert_keys(oy_excluded_get(), all_autocast());
  oy_dispatch_state s = oy_dispatch_state_get();
  assert_keys(s.included_xor, oy_keyset_empty());
  assert_keys(s.excluded_xor, oy_keyset_empty());
  // Another thread starts with the defaults, whatever this one has.
  oy_guard guard = oy_guard_include(TEST_KEYS(OY_KEY_Tracer));
  int fine = 0;
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, defaults_in_thread, &fine), 0);
  pthread_join(thread, NULL);
  assert_true(fine);
  // Zero is the default state; a state travels.
  oy_dispatch_state carried = oy_dispatch_state_get();
  oy_dispatch_state_set((oy_dispatch_state){{0, 0}, {0, 0}});
  assert_keys(oy_included_get(), included);
  oy_dispatch_state_set(carried);
  assert_true(oy_included_has(OY_KEY_Tracer));
  oy_guard_end(&guard);
  assert_keys(oy_included_get(), included);
}

static void CALL_04_raw_setters(void** state) {
  (void)state;
  assert_ok(oy_included_set(OY_KEY_Tracer, true));
  assert_true(oy_included_has(OY_KEY_Tracer));
  assert_ok(oy_excluded_set(OY_KEY_AutocastCPU, false));
  assert_false(oy_excluded_has(OY_KEY_AutocastCPU));
  assert_true(oy_excluded_has(OY_KEY_AutocastCUDA));
  assert_error_part(oy_included_set(OY_KEY_Autograd, true), OY_INVALID_ARGUMENT, "");
  assert_error_part(oy_excluded_set(OY_KEY_CompositeImplicitAutograd, true),
                    OY_INVALID_ARGUMENT, "");
  assert_ok(oy_included_set(OY_KEY_Tracer, false));
  assert_ok(oy_excluded_set(OY_KEY_AutocastCPU, true));
  assert_keys(oy_excluded_get(), all_autocast());
  oy_dispatch_state s = oy_dispatch_state_get();
  assert_keys(s.included_xor, oy_keyset_empty());
  assert_keys(s.excluded_xor, oy_keyset_empty());
}

static void CALL_05_guards(void** state) {
  (void)state;
  oy_keyset included = oy_included_get(), excluded = oy_excluded_get();
  oy_keyset tracer = TEST_KEYS(OY_KEY_Tracer),
            two = TEST_KEYS(OY_KEY_Tracer, OY_KEY_Fake);
  oy_guard outer = oy_guard_include(tracer);
  oy_guard inner = oy_guard_include(two);  // adds Fake only
  assert_true(oy_included_has(OY_KEY_Fake));
  oy_guard_end(&inner);
  assert_false(oy_included_has(OY_KEY_Fake));
  assert_true(oy_included_has(OY_KEY_Tracer));
  oy_guard_end(&outer);
  assert_keys(oy_included_get(), included);
  // An include guard removes what it added and no more: raw changes stay.
  outer = oy_guard_exclude(tracer);
  assert_ok(oy_excluded_set(OY_KEY_Fake, true));
  oy_guard_end(&outer);
  assert_true(oy_excluded_has(OY_KEY_Fake));
  assert_false(oy_excluded_has(OY_KEY_Tracer));
  assert_ok(oy_excluded_set(OY_KEY_Fake, false));
  // Force and preserve bring the snapshot back, raw changes and all.
  outer = oy_guard_force(tracer, two);
  assert_keys(oy_included_get(), tracer);
  assert_keys(oy_excluded_get(), two);
  inner = oy_guard_preserve();
  assert_ok(oy_included_set(OY_KEY_Fake, true));
  assert_ok(oy_excluded_set(OY_KEY_Fake, false));
  oy_guard_end(&inner);
  assert_keys(oy_included_get(), tracer);
  assert_keys(oy_excluded_get(), two);
  oy_guard_end(&outer);
  assert_keys(oy_included_get(), included);
  assert_keys(oy_excluded_get(), excluded);
}

static void CALL_05_named_guards(void** state) {
  (void)state;
  oy_keyset excluded = oy_excluded_get();
  oy_guard guard = oy_guard_below_autograd();
  assert_keys(
      oy_excluded_get(),
      oy_keyset_or(excluded, TEST_KEYS(OY_KEY_AutogradFunctionality, OY_KEY_AutogradOther,
                                       OY_KEY_AutogradNestedTensor)));
  oy_guard_end(&guard);
  guard = oy_guard_below_adinplaceorview();
  assert_true(oy_excluded_has(OY_KEY_ADInplaceOrView));
  assert_true(oy_excluded_has(OY_KEY_AutogradOther));
  oy_guard_end(&guard);
  guard = oy_guard_skip_functionalize();
  assert_keys(oy_excluded_get(), oy_keyset_or(excluded, TEST_KEYS(OY_KEY_Functionalize)));
  oy_guard_end(&guard);
  assert_keys(oy_excluded_get(), excluded);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(CALL_04_default_sets),
      TEST(CALL_04_raw_setters),
      TEST(CALL_05_guards),
      TEST(CALL_05_named_guards),
  };
  return cmocka_run_group_tests_name("guards", tests, NULL, NULL);
}
