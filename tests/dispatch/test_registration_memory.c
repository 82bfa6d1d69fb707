// SPDX-License-Identifier: Apache-2.0
// What registering keeps: schemas as text until somebody asks, records in slabs that
// go with their last record, places that registrations share.
#include <pthread.h>
#include <stdio.h>

#include "support.h"

enum { OPS = 200 };

static void define_many(oy_library* library, oy_registration** out, const char* file) {
  for (int i = 0; i < OPS; i++) {
    char schema[160];
    // Texts of many lengths, so that no size of slab is left out.
    snprintf(schema, sizeof(schema), "f%d(Tensor x, str s='%.*s') -> Tensor", i, i % 90,
             "....................................................................."
             "....................................................................");
    oy_def_params params = {.schema = schema, .tags = i % 3 ? NULL : "core pointwise"};
    params.place = (oy_place){file, i, NULL};
    assert_ok(oy_library_def(library, &params, &out[i]));
  }
}

static void kernel(void) {}

static void implement_many(oy_library* library, oy_key key, oy_registration** out) {
  for (int i = 0; i < OPS; i++) {
    char name[16], file[32];
    snprintf(name, sizeof(name), "f%d", i);
    snprintf(file, sizeof(file), "file%d.c", i / 10);
    oy_impl_params params = {.name = name, .key = key, .kernel = OY_TYPED(kernel)};
    params.place = (oy_place){file, i, NULL};
    assert_ok(oy_library_impl(library, &params, &out[i]));
  }
}

// Names stay; all else that a library registered goes with it, in whatever order.
static void REG_12_memory_comes_back(void** state) {
  (void)state;
  test_heap heap = {0};
  test_heap_install(&heap);
  oy_registry* registry = test_registry();
  int64_t bytes = 0, blocks = 0;
  for (int round = 0; round < 6; round++) {
    oy_library* library = test_library(registry, OY_LIBRARY_DEF, "test", 0);
    oy_registration *def[OPS], *cpu[OPS], *composite[OPS];
    define_many(library, def, round % 2 ? "a.c" : "a/longer/name.c");
    implement_many(library, OY_KEY_CPU, cpu);
    implement_many(library, OY_KEY_CompositeExplicitAutograd, composite);
    assert_ok(oy_registry_check_invariants(registry));
    for (int i = 0; round % 3 && i < OPS; i++) {
      int k = i * 77 % OPS;
      oy_registration_remove(composite[k]);
      if (round == 2) oy_registration_remove(def[OPS - 1 - k]);
      if (k % 2) oy_registration_remove(cpu[k]);
    }
    assert_ok(oy_registry_check_invariants(registry));
    oy_library_close(library);
    oy_registry_collect(registry);
    if (round == 0) bytes = heap.bytes;
    if (round == 0) blocks = heap.blocks;
    assert_int_equal(heap.bytes, bytes);
    assert_int_equal(heap.blocks, blocks);
  }
  oy_registry_destroy(registry);
  assert_int_equal(heap.bytes, 0);
  assert_int_equal(heap.blocks, 0);
  test_heap_remove(&heap);
}

// The first question may find no memory; the next one is answered.
static void ROB_02_first_question_for_a_schema(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  test_heap heap = {0};
  bool answered = false;
  for (int64_t n = 1; !answered; n++) {
    oy_library* library = test_library(registry, OY_LIBRARY_DEF, "test", 0);
    oy_def_params params = {.schema = "f(Tensor x, int[2] y=[1, 2]) -> Tensor(a!)"};
    assert_ok(oy_library_def(library, &params, NULL));
    const oy_op* op = test_find(registry, "test::f");
    test_heap_install(&heap);
    heap.requests = 0;
    heap.fail_at = n;
    oy_error_clear();
    const oy_schema* schema = oy_op_schema(op);
    heap.fail_at = 0;
    answered = schema != NULL;
    if (!answered) {
      assert_int_equal(oy_error_get()->code, OY_OUT_OF_MEMORY);
      schema = oy_op_schema(op);
      assert_non_null(schema);
    }
    assert_ptr_equal(oy_op_schema(op), schema);
    char* text = NULL;
    assert_ok(oy_schema_print(schema, &text));
    assert_string_equal(text, "test::f(Tensor x, int[2] y=[1, 2]) -> Tensor(a!)");
    oy_text_free(text);
    oy_library_close(library);
    assert_null(oy_op_schema(op));
    oy_registry_collect(registry);
    test_heap_remove(&heap);
    assert_true(n < 20);
  }
  oy_registry_destroy(registry);
}

static void ROB_02_defaults_without_memory_for_the_schema(void** state) {
  (void)state;
  oy_registry* registry = test_registry();
  oy_library* library = test_library(registry, OY_LIBRARY_DEF, "test", 0);
  oy_def_params params = {.schema = "f(int x=3) -> int"};
  assert_ok(oy_library_def(library, &params, NULL));
  const oy_op* op = test_find(registry, "test::f");
  test_heap heap = {.fail_at = 1};
  oy_value storage[4];
  oy_stack stack;
  oy_stack_init(&stack, storage, 4);
  test_heap_install(&heap);
  heap.requests = 0;
  heap.fail_at = 1;
  assert_int_equal(oy_op_push_defaults(op, &stack, 0, NULL, 0), OY_OUT_OF_MEMORY);
  heap.fail_at = 0;
  assert_int_equal(stack.size, 0);
  assert_ok(oy_op_push_defaults(op, &stack, 0, NULL, 0));
  assert_int_equal(stack.size, 1);
  assert_int_equal(stack.data[0].as.i, 3);
  oy_stack_reset(&stack);
  oy_library_close(library);
  oy_registry_destroy(registry);
  test_heap_remove(&heap);
}

// Many threads ask first.
typedef struct asking {
  oy_registry* registry;
  pthread_barrier_t* start;
  const oy_schema* answers[OPS];
} asking;

static void* ask(void* argument) {
  asking* a = argument;
  pthread_barrier_wait(a->start);
  for (int i = 0; i < OPS; i++) {
    char name[24];
    snprintf(name, sizeof(name), "test::f%d", i);
    a->answers[i] = oy_op_schema(oy_op_lookup(a->registry, oy_str_of(name)));
  }
  return NULL;
}

static void REG_17_threads_get_one_schema(void** state) {
  (void)state;
  enum { THREADS = 4 };
  oy_registry* registry = test_registry();
  oy_library* library = test_library(registry, OY_LIBRARY_DEF, "test", 0);
  oy_registration* def[OPS];
  define_many(library, def, "a.c");
  pthread_barrier_t start;
  pthread_barrier_init(&start, NULL, THREADS);
  pthread_t threads[THREADS];
  static asking all[THREADS];
  for (int t = 0; t < THREADS; t++) {
    all[t] = (asking){.registry = registry, .start = &start};
    assert_int_equal(pthread_create(&threads[t], NULL, ask, &all[t]), 0);
  }
  for (int t = 0; t < THREADS; t++) pthread_join(threads[t], NULL);
  for (int i = 0; i < OPS; i++) {
    assert_non_null(all[0].answers[i]);
    for (int t = 1; t < THREADS; t++)
      assert_ptr_equal(all[t].answers[i], all[0].answers[i]);
  }
  pthread_barrier_destroy(&start);
  oy_library_close(library);
  oy_registry_destroy(registry);
}

// Names as they may be given, all for one operator; and what a schema's name may have
// around it.
static void names_as_given(void** state) {
  (void)state;
  static const char* const names[] = {"g.o", "test::g.o", " g.o", "g . o",
                                      "test :: g.o "};
  static const char* const schemas[] = {
      "g.o(Tensor x) -> Tensor",   "test::g.o(Tensor x) -> Tensor",
      " g.o(Tensor x) -> Tensor",  "g.o (Tensor x) -> Tensor",
      "g.o\n(Tensor x) -> Tensor", "test :: g . o(Tensor x) -> Tensor"};
  oy_registry* registry = test_registry();
  for (size_t i = 0; i < TEST_COUNT(schemas); i++) {
    oy_library* library = test_library(registry, OY_LIBRARY_DEF, "test", 0);
    oy_def_params def = {.schema = schemas[i]};
    assert_ok(oy_library_def(library, &def, NULL));
    const oy_op* op = test_find(registry, "test::g.o");
    char* text = NULL;
    assert_ok(oy_schema_print(oy_op_schema(op), &text));
    assert_string_equal(text, "test::g.o(Tensor x) -> Tensor");
    oy_text_free(text);
    for (size_t k = 0; k < TEST_COUNT(names); k++) {
      oy_registration* registration = NULL;
      oy_impl_params impl = {
          .name = names[k], .key = OY_KEY_CPU, .kernel = OY_TYPED(kernel)};
      assert_ok(oy_library_impl(library, &impl, &registration));
      assert_true(oy_op_has_kernel(op, OY_KEY_CPU));
      oy_registration_remove(registration);
      assert_false(oy_op_has_kernel(op, OY_KEY_CPU));
    }
    oy_library_close(library);
  }
  assert_int_equal(oy_registry_op_count(registry), 0);
  oy_registry_destroy(registry);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(REG_12_memory_comes_back),
      TEST(ROB_02_first_question_for_a_schema),
      TEST(ROB_02_defaults_without_memory_for_the_schema),
      TEST(REG_17_threads_get_one_schema),
      TEST(names_as_given),
  };
  return cmocka_run_group_tests_name("registration_memory", tests, NULL, NULL);
}
