// SPDX-License-Identifier: Apache-2.0
// Values and the stack: who owns what, to the exact count of references and
// blocks, also when any allocation fails.
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "opyard/value.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static int g_destroyed;

static void count_destroyed(oy_object* object) {
  (void)object;
  g_destroyed++;
}

static const oy_object_class g_class = {"Stream", count_destroyed};

static oy_object make_object(void) {
  return (oy_object){.klass = &g_class, .references = 1};
}

static int32_t references(const oy_object* o) {
  return __atomic_load_n(&o->references, __ATOMIC_RELAXED);
}

// One value of each tag, all borrowed; objects are g_objects[0] and [1].
enum { SAMPLES = 18 };
static oy_object g_objects[2];
static const oy_complex g_complex = {1.5, -2};
static const int64_t g_ints[] = {1, -2, INT64_MAX};
static const double g_floats[] = {0.5, NAN, INFINITY};
static const bool g_bools[] = {true, false, true};
static oy_object* g_tensors[3];
static oy_value g_inner[2];
static oy_value g_values[4];
static oy_value g_pairs[4];

static void make_samples(oy_value out[SAMPLES]) {
  g_objects[0] = make_object();
  g_objects[1] = make_object();
  g_destroyed = 0;
  g_tensors[0] = &g_objects[0];
  g_tensors[1] = &oy_none_object;
  g_tensors[2] = &g_objects[1];
  g_inner[0] = oy_value_str(oy_str_of("deep"));
  g_inner[1] = oy_value_tensor(&g_objects[0]);
  g_values[0] = oy_value_list(OY_TAG_LIST, g_inner, 2);
  g_values[1] = oy_value_list(OY_TAG_INT_LIST, g_ints, 3);
  g_values[2] = oy_value_list(OY_TAG_TENSOR_LIST, g_tensors, 3);
  g_values[3] = oy_none();
  g_pairs[0] = oy_value_str(oy_str_of("key"));
  g_pairs[1] = oy_value_tensor(&g_objects[1]);
  g_pairs[2] = oy_int(7);
  g_pairs[3] = oy_value_list(OY_TAG_LIST, g_inner, 2);
  oy_device device = {OY_BACKEND_CUDA, 1, 0};
  size_t n = 0;
  out[n++] = oy_none();
  out[n++] = oy_value_tensor(&g_objects[0]);
  out[n++] = oy_int(-3);
  out[n++] = oy_float(2.5);
  out[n++] = oy_bool(true);
  out[n++] = oy_complex_value(&g_complex);
  out[n++] = oy_value_str(oy_str_of("text"));
  out[n++] = oy_value_str(oy_str_of(""));
  out[n++] = oy_value_device(device);
  out[n++] = oy_value_list(OY_TAG_INT_LIST, g_ints, 3);
  out[n++] = oy_value_list(OY_TAG_FLOAT_LIST, g_floats, 3);
  out[n++] = oy_value_list(OY_TAG_BOOL_LIST, g_bools, 3);
  out[n++] = oy_value_list(OY_TAG_TENSOR_LIST, g_tensors, 3);
  out[n++] = oy_value_list(OY_TAG_LIST, g_values, 4);
  out[n++] = oy_value_list(OY_TAG_DICT, g_pairs, 2);
  out[n++] = oy_value_list(OY_TAG_INT_LIST, g_ints, 0);
  oy_value generator = oy_value_make(OY_TAG_GENERATOR);
  generator.as.object = &g_objects[0];
  out[n++] = generator;
  oy_value object = oy_value_make(OY_TAG_OBJECT);
  object.as.object = &g_objects[1];
  out[n++] = object;
  assert_int_equal(n, SAMPLES);
}

static void BOX_06_type_names(void** state) {
  (void)state;
  static const char* const names[SAMPLES] = {
      "NoneType", "Tensor",    "int",      "float",  "bool",
      "complex",  "str",       "str",      "Device", "int[]",
      "float[]",  "bool[]",    "Tensor[]", "Any[]",  "Dict(Any, Any)",
      "int[]",    "Generator", "Stream"};
  oy_value samples[SAMPLES];
  make_samples(samples);
  for (size_t i = 0; i < SAMPLES; i++)
    assert_string_equal(oy_value_type_name(samples[i]), names[i]);
  assert_string_equal(oy_value_type_name(oy_value_tensor(&oy_none_object)), "NoneType");
  assert_string_equal(oy_value_type_name(oy_value_make((oy_tag)200)), "Unknown");
}

static void BOX_06_equal_is_by_tag_and_content(void** state) {
  (void)state;
  oy_value samples[SAMPLES];
  make_samples(samples);
  for (size_t i = 0; i < SAMPLES; i++)
    for (size_t j = 0; j < SAMPLES; j++)
      assert_int_equal(oy_value_equal(samples[i], samples[j]), i == j);
  assert_true(oy_value_equal(oy_float(NAN), oy_float(-NAN)));
  assert_false(oy_value_equal(oy_float(NAN), oy_float(1)));
  assert_false(oy_value_equal(oy_int(1), oy_bool(true)));
  assert_false(
      oy_value_equal(oy_value_str(oy_str_of("ab")), oy_value_str(oy_str_of("ac"))));
  oy_value list = oy_value_list(OY_TAG_FLOAT_LIST, g_floats, 3);
  const double other[] = {0.5, NAN, -INFINITY};
  assert_false(oy_value_equal(list, oy_value_list(OY_TAG_FLOAT_LIST, other, 3)));
  assert_false(oy_value_equal(list, oy_value_list(OY_TAG_FLOAT_LIST, g_floats, 2)));
}

static void BOX_08_own_is_a_deep_copy(void** state) {
  (void)state;
  count_blocks();
  long before = live_blocks();
  oy_value samples[SAMPLES];
  make_samples(samples);
  for (size_t i = 0; i < SAMPLES; i++) {
    oy_value owned = samples[i];
    assert_int_equal(oy_value_own(&owned), OY_OK);
    assert_true(oy_value_equal(owned, samples[i]));
    uint64_t bits = owned.as.bits;
    assert_int_equal(oy_value_own(&owned), OY_OK);  // owned already
    assert_int_equal(owned.as.bits, bits);
    oy_value_release(&owned);
    assert_int_equal(references(&g_objects[0]), 1);
    assert_int_equal(references(&g_objects[1]), 1);
    assert_int_equal(live_blocks(), before);
  }
  assert_int_equal(g_destroyed, 0);
}

static void BOX_08_owned_outlives_its_source(void** state) {
  (void)state;
  char text[] = "gone";
  oy_value value = oy_value_str(oy_str_of(text));
  assert_int_equal(oy_value_own(&value), OY_OK);
  text[0] = '?';
  assert_memory_equal(value.as.chars, "gone", 5);  // and its NUL
  oy_value_release(&value);
  assert_int_equal(value.tag, OY_TAG_NONE);
  assert_int_equal(value.owned, 0);
  oy_value_release(&value);  // nothing left to give up
  oy_value_release_owned(&value);
}

static void BOX_08_references_of_an_owned_list(void** state) {
  (void)state;
  oy_value samples[SAMPLES];
  make_samples(samples);
  oy_value nested = oy_value_list(OY_TAG_LIST, g_values, 4);
  assert_int_equal(oy_value_own(&nested), OY_OK);
  assert_int_equal(references(&g_objects[0]), 1 + 2);  // inner list, tensor list
  assert_int_equal(references(&g_objects[1]), 1 + 1);
  // The last reference is the value's now.
  oy_object_release(&g_objects[0]);
  oy_object_release(&g_objects[1]);
  assert_int_equal(g_destroyed, 0);
  oy_value_release(&nested);
  assert_int_equal(g_destroyed, 2);
}

static void BOX_08_copy_of_an_owned_list_is_a_retain(void** state) {
  (void)state;
  count_blocks();
  long before = live_blocks();
  oy_value samples[SAMPLES];
  make_samples(samples);
  for (size_t i = 0; i < SAMPLES; i++) {
    oy_value owned;
    oy_value again;
    assert_int_equal(oy_value_copy(samples[i], &owned), OY_OK);
    long blocks = live_blocks();
    assert_int_equal(oy_value_copy(owned, &again), OY_OK);
    assert_int_equal(live_blocks(), blocks);
    assert_int_equal(again.as.bits, owned.as.bits);
    oy_value_release(&owned);
    assert_true(oy_value_equal(again, samples[i]));
    oy_value_release(&again);
    assert_int_equal(live_blocks(), before);
  }
  assert_int_equal(references(&g_objects[0]), 1);
}

static void BOX_08_every_allocation_fails_in_turn(void** state) {
  (void)state;
  oy_value samples[SAMPLES];
  make_samples(samples);
  count_blocks();
  long before = live_blocks();
  for (size_t i = 0; i < SAMPLES; i++)
    for (long n = 0;; n++) {
      oy_value value = samples[i];
      fail_allocation(n);
      oy_status status = oy_value_own(&value);
      bool failed = allocation_failed();
      assert_int_equal(status, failed ? OY_OUT_OF_MEMORY : OY_OK);
      if (failed) assert_memory_equal(&value, &samples[i], sizeof(value));
      oy_value_release(&value);
      assert_int_equal(live_blocks(), before);
      assert_int_equal(references(&g_objects[0]), 1);
      assert_int_equal(references(&g_objects[1]), 1);
      if (!failed) break;
    }
}

static void BOX_06_new_list(void** state) {
  (void)state;
  static const oy_tag tags[] = {OY_TAG_INT_LIST,    OY_TAG_FLOAT_LIST, OY_TAG_BOOL_LIST,
                                OY_TAG_TENSOR_LIST, OY_TAG_LIST,       OY_TAG_DICT,
                                OY_TAG_STR,         OY_TAG_COMPLEX};
  for (size_t t = 0; t < COUNT(tags); t++)
    for (size_t count = 0; count < 5; count++) {
      oy_value list;
      assert_int_equal(oy_value_new_list(tags[t], count, &list), OY_OK);
      assert_int_equal(list.tag, tags[t]);
      assert_int_equal(list.count, count);
      assert_int_equal(list.owned, 1);
      assert_non_null((void*)(uintptr_t)list.as.bits);
      assert_int_equal(list.as.bits % 16, 0);
      for (size_t i = 0; i < count; i++) {
        if (tags[t] == OY_TAG_TENSOR_LIST) assert_null(list.as.tensors[i]);
        if (tags[t] == OY_TAG_DICT) assert_int_equal(list.as.values[2 * i + 1].tag, 0);
        if (tags[t] == OY_TAG_LIST) assert_int_equal(list.as.values[i].tag, OY_TAG_NONE);
      }
      oy_value_release(&list);
    }
}

static void BOX_06_new_list_refuses(void** state) {
  (void)state;
  oy_value list = oy_int(1);
  assert_int_equal(oy_value_new_list(OY_TAG_INT, 1, &list), OY_INVALID_ARGUMENT);
  assert_int_equal(list.tag, OY_TAG_NONE);
  assert_int_equal(oy_value_new_list(OY_TAG_INT_LIST, (size_t)UINT32_MAX + 1, &list),
                   OY_OUT_OF_RANGE);
  fail_allocation(0);
  assert_int_equal(oy_value_new_list(OY_TAG_LIST, 3, &list), OY_OUT_OF_MEMORY);
  assert_true(allocation_failed());
  assert_int_equal(list.tag, OY_TAG_NONE);
}

static void BOX_06_nesting_is_bounded(void** state) {
  (void)state;
  enum { DEEPEST = 32 };
  oy_value levels[DEEPEST + 2];
  levels[0] = oy_int(1);
  for (size_t i = 1; i < COUNT(levels); i++)
    levels[i] = oy_value_list(OY_TAG_LIST, &levels[i - 1], 1);
  oy_value owned = levels[DEEPEST];
  assert_int_equal(oy_value_own(&owned), OY_OK);
  assert_true(oy_value_equal(owned, levels[DEEPEST]));
  oy_value_release(&owned);
  count_blocks();
  long before = live_blocks();
  owned = levels[DEEPEST + 1];
  assert_int_equal(oy_value_own(&owned), OY_INVALID_ARGUMENT);
  assert_int_equal(owned.owned, 0);
  assert_int_equal(live_blocks(), before);
}

// Lists that a caller nested one in another: released without recursion.
static void ROB_deep_owned_lists_are_released(void** state) {
  (void)state;
  count_blocks();
  long before = live_blocks();
  oy_value chain = oy_none();
  for (int i = 0; i < 200000; i++) {
    oy_value outer;
    assert_int_equal(oy_value_new_list(OY_TAG_LIST, 1, &outer), OY_OK);
    memcpy((void*)(uintptr_t)outer.as.bits, &chain, sizeof(chain));
    chain = outer;
  }
  oy_value view = oy_value_list(OY_TAG_LIST, &chain, 1);
  assert_int_equal(oy_value_own(&view), OY_OK);
  oy_value_release(&view);
  oy_value_release(&chain);
  assert_int_equal(live_blocks(), before);
}

static void* copy_and_release(void* arg) {
  const oy_value* shared = arg;
  for (int i = 0; i < 2000; i++) {
    oy_value mine;
    if (oy_value_copy(*shared, &mine) != OY_OK) return arg;
    oy_value_release(&mine);
  }
  return NULL;
}

static void BOX_08_references_from_many_threads(void** state) {
  (void)state;
  oy_value samples[SAMPLES];
  make_samples(samples);
  oy_value shared = oy_value_list(OY_TAG_LIST, g_values, 4);
  assert_int_equal(oy_value_own(&shared), OY_OK);
  pthread_t threads[4];
  for (size_t i = 0; i < COUNT(threads); i++)
    assert_int_equal(pthread_create(&threads[i], NULL, copy_and_release, &shared), 0);
  for (size_t i = 0; i < COUNT(threads); i++) {
    void* failed;
    pthread_join(threads[i], &failed);
    assert_null(failed);
  }
  oy_value_release(&shared);
  assert_int_equal(references(&g_objects[0]), 1);
}

// ------------------------------------------------------------------------ stack

static void BOX_10_content_below_is_untouched(void** state) {
  (void)state;
  oy_value storage[2];
  oy_stack stack;
  oy_stack_init(&stack, storage, 2);
  for (int i = 0; i < 100; i++) assert_int_equal(oy_stack_push(&stack, oy_int(i)), OY_OK);
  assert_int_equal(oy_stack_last(&stack, 3)[0].as.i, 97);
  oy_stack_drop(&stack, 3);
  assert_int_equal(oy_stack_push(&stack, oy_int(-1)), OY_OK);
  assert_int_equal(oy_stack_pop(&stack).as.i, -1);
  assert_int_equal(stack.size, 97);
  for (int i = 0; i < 97; i++) assert_int_equal(stack.data[i].as.i, i);
  oy_stack_reset(&stack);
  assert_int_equal(stack.size, 0);
  // It can be used again.
  assert_int_equal(oy_stack_push(&stack, oy_int(5)), OY_OK);
  oy_stack_reset(&stack);
}

static void BOX_08_stack_owns_what_is_on_it(void** state) {
  (void)state;
  count_blocks();
  long before = live_blocks();
  oy_value samples[SAMPLES];
  make_samples(samples);
  oy_value storage[4];
  oy_stack stack;
  oy_stack_init(&stack, storage, 4);
  for (size_t round = 0; round < 3; round++)
    for (size_t i = 0; i < SAMPLES; i++) {
      oy_value value;
      assert_int_equal(oy_value_copy(samples[i], &value), OY_OK);
      assert_int_equal(oy_stack_push(&stack, value), OY_OK);
    }
  oy_stack_drop(&stack, SAMPLES + 1);
  oy_value popped = oy_stack_pop(&stack);
  oy_value_release(&popped);
  oy_stack_reset(&stack);
  assert_int_equal(live_blocks(), before);
  assert_int_equal(references(&g_objects[0]), 1);
  assert_int_equal(references(&g_objects[1]), 1);
  assert_int_equal(stack.inline_storage, 0);
}

static void BOX_08_push_takes_over_when_it_fails(void** state) {
  (void)state;
  oy_value samples[SAMPLES];
  make_samples(samples);
  count_blocks();
  long before = live_blocks();
  for (long n = 0;; n++) {
    oy_value storage[2];
    oy_stack stack;
    oy_stack_init(&stack, storage, 2);
    fail_allocation(n);
    oy_status status = OY_OK;
    for (int i = 0; i < 9 && status == OY_OK; i++) {
      oy_value value;
      status = oy_value_copy(samples[12], &value);
      if (status == OY_OK) status = oy_stack_push(&stack, value);
    }
    bool failed = allocation_failed();
    assert_int_equal(status, failed ? OY_OUT_OF_MEMORY : OY_OK);
    oy_stack_reset(&stack);
    assert_int_equal(live_blocks(), before);
    assert_int_equal(references(&g_objects[0]), 1);
    if (!failed) break;
  }
}

static void BOX_10_reserve(void** state) {
  (void)state;
  oy_value storage[2];
  oy_stack stack;
  oy_stack_init(&stack, storage, 2);
  assert_int_equal(oy_stack_push(&stack, oy_int(1)), OY_OK);
  assert_int_equal(oy_stack_reserve(&stack, 1), OY_OK);
  assert_ptr_equal(stack.data, storage);
  assert_int_equal(oy_stack_reserve(&stack, SIZE_MAX), OY_OUT_OF_MEMORY);
  assert_int_equal(oy_stack_reserve(&stack, SIZE_MAX / 2), OY_OUT_OF_MEMORY);
  assert_ptr_equal(stack.data, storage);
  assert_int_equal(oy_stack_reserve(&stack, 1000), OY_OK);
  assert_true(stack.capacity >= 1001);
  assert_int_equal(stack.data[0].as.i, 1);
  oy_stack_reset(&stack);
  oy_stack_init(&stack, NULL, 0);
  assert_int_equal(oy_stack_push(&stack, oy_int(2)), OY_OK);
  oy_stack_reset(&stack);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(BOX_06_type_names),
      cmocka_unit_test(BOX_06_equal_is_by_tag_and_content),
      cmocka_unit_test(BOX_08_own_is_a_deep_copy),
      cmocka_unit_test(BOX_08_owned_outlives_its_source),
      cmocka_unit_test(BOX_08_references_of_an_owned_list),
      cmocka_unit_test(BOX_08_copy_of_an_owned_list_is_a_retain),
      cmocka_unit_test(BOX_08_every_allocation_fails_in_turn),
      cmocka_unit_test(BOX_06_new_list),
      cmocka_unit_test(BOX_06_new_list_refuses),
      cmocka_unit_test(BOX_06_nesting_is_bounded),
      cmocka_unit_test(ROB_deep_owned_lists_are_released),
      cmocka_unit_test(BOX_10_content_below_is_untouched),
      cmocka_unit_test(BOX_08_stack_owns_what_is_on_it),
      cmocka_unit_test(BOX_08_push_takes_over_when_it_fails),
      cmocka_unit_test(BOX_10_reserve),
      // Last: threads must not run while the allocator is one that fails.
      cmocka_unit_test(BOX_08_references_from_many_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
