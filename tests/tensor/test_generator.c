// SPDX-License-Identifier: Apache-2.0
// Generators: their state, who shares one, and threads.
#include <pthread.h>

#include "support/tensors.h"
#include "tensor/generator.h"

static void state_is_kept_and_restored(void** state) {
  (void)state;
  oy_generator* g = oy_generator_create(oy_device_cpu());
  oy_generator_state s, taken;
  assert_true(oy_object_is_generator(g));
  assert_int_equal(oy_generator_initial_seed(g), OY_GENERATOR_DEFAULT_SEED);
  assert_int_equal(oy_generator_manual_seed(g, 42), OY_OK);
  oy_value value = oy_value_make(OY_TAG_GENERATOR);
  value.as.object = g;
  assert_int_equal(oyi_generator_take(value, oy_device_cpu(), 10, &taken), OY_OK);
  assert_true(taken.seed == 42 && taken.offset == 0);
  assert_int_equal(oy_generator_get_state(g, &s), OY_OK);
  assert_true(s.seed == 42 && s.offset == 10);
  oy_generator* copy = oy_generator_clone(g);
  assert_int_equal(oy_generator_get_state(copy, &taken), OY_OK);
  assert_memory_equal(&taken, &s, sizeof(s));
  uint64_t seed;
  assert_int_equal(oy_generator_seed(g, &seed), OY_OK);
  assert_true(oy_generator_initial_seed(g) == seed);
  assert_int_equal(oy_generator_set_state(g, s), OY_OK);
  assert_int_equal(oy_generator_initial_seed(g), 42);
  oy_object_release(copy);
  oy_object_release(g);
}

static void defaults_are_one_a_backend(void** state) {
  (void)state;
  oy_generator* g = oy_generator_default(oy_device_cpu());
  assert_ptr_equal(g, oy_generator_default(oy_device_make(OY_BACKEND_CPU, 0)));
  assert_ptr_not_equal(g, oy_generator_default(oy_device_make(OY_BACKEND_CUDA, 0)));
  oy_manual_seed(5);
  assert_int_equal(oy_generator_initial_seed(g), 5);
  assert_null(oy_generator_default(oy_device_make((oy_backend)99, 0)));
  oy_error_clear();
}

static void other_objects_are_refused(void** state) {
  (void)state;
  oy_tensor* t = F32(OY_DIMS(1), 1);
  assert_int_equal(oy_generator_manual_seed(t, 1), OY_TYPE_MISMATCH);
  assert_error("expected a generator, got an object of another class");
  assert_int_equal(oy_generator_manual_seed(&oy_none_object, 1), OY_TYPE_MISMATCH);
  assert_error("expected a generator, got None");
  assert_false(oy_object_is_generator(t));
  oy_value value = oy_value_make(OY_TAG_GENERATOR);
  oy_generator_state taken;
  value.as.object = oy_generator_default(oy_device_make(OY_BACKEND_CUDA, 0));
  assert_int_equal(oyi_generator_take(value, oy_device_cpu(), 1, &taken),
                   OY_INVALID_ARGUMENT);
  assert_error("Expected a 'cpu' device type for generator but found 'cuda'");
  oy_tensor_release(t);
}

enum { THREADS = 4, TAKES = 1000 };
static uint8_t g_seen[THREADS * TAKES];

static void* take(void* user_data) {
  oy_value value = oy_value_make(OY_TAG_GENERATOR);
  value.as.object = user_data;
  for (int i = 0; i < TAKES; i++) {
    oy_generator_state s;
    if (oyi_generator_take(value, oy_device_cpu(), 1, &s) == 0)
      __atomic_fetch_add(&g_seen[s.offset], 1, __ATOMIC_RELAXED);
  }
  return NULL;
}

static void threads_never_share_a_number(void** state) {
  (void)state;
  oy_generator* g = oy_generator_create(oy_device_cpu());
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, take, g), 0);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < THREADS * TAKES; i++) assert_int_equal(g_seen[i], 1);
  oy_object_release(g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(state_is_kept_and_restored),
      cmocka_unit_test(defaults_are_one_a_backend),
      cmocka_unit_test(other_objects_are_refused),
      cmocka_unit_test(threads_never_share_a_number),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
