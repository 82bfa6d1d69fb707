// SPDX-License-Identifier: Apache-2.0
// A base whose views alone keep it: it is there for them, for gradients and for weak
// references, and goes with the last of them, once, whoever gives up what when.
#include <pthread.h>
#include <sched.h>

#include "layers/autograd/variable.h"
#include "support/tensors.h"

enum { NUMBERS = 6 };
static float g_memory[NUMBERS];
static int g_ends;  // atomic

static void memory_ends(void* context, void* data) {
  for (int i = 0; i < NUMBERS; i++) ((float*)data)[i] = -1;
  __atomic_fetch_add((int*)context, 1, __ATOMIC_RELAXED);
}
// 2 by 3 of ones, which says when it goes.
static oy_tensor* ones(void) {
  for (int i = 0; i < NUMBERS; i++) g_memory[i] = 1;
  __atomic_store_n(&g_ends, 0, __ATOMIC_RELAXED);
  const oy_tensor_memory memory = {.data = g_memory,
                                   .nbytes = sizeof(g_memory),
                                   .deleter = memory_ends,
                                   .context = &g_ends};
  return oy_tensor_from_memory(&memory, OY_DIMS(2, 3), (oy_ints){0}, OY_DTYPE_F32);
}
static int ends(void) {
  return __atomic_load_n(&g_ends, __ATOMIC_RELAXED);
}

static void a_write_through_what_outlives_its_base(void** state) {
  (void)state;
  oy_tensor *base = ones(), *row = oy_select_int(base, 0, 0), *part = oy_t(base);
  oy_tensor* w = oy_requires_grad_(F32(OY_DIMS(3), 2, 3, 4), true);
  oy_tensor_release(base);
  assert_non_null(oy_mul__Tensor(row, w));
  oy_tensor* sum = oy_sum(part, oy_none());
  assert_elements(sum, oy_dims_none(), 12);
  assert_int_equal(oy_backward(sum, NULL, false), OY_OK);
  assert_elements(oy_grad(w), OY_DIMS(3), 1, 1, 1);
  oy_tensor* const all[] = {sum, row, part, w};
  for (int i = 0; i < 4; i++) {
    assert_int_equal(ends(), i < 3 ? 0 : 1);
    oy_tensor_release(all[i]);
  }
}

static void a_leaf_that_its_views_keep(void** state) {
  (void)state;
  oy_tensor *base = oy_requires_grad_(ones(), true), *row = oy_select_int(base, 0, 1);
  oy_weak* weak = oy_tensor_weak(base);
  oy_tensor_release(base);
  oy_tensor* sum = oy_sum(row, oy_none());
  assert_int_equal(oy_backward(sum, NULL, false), OY_OK);
  oy_tensor_release(sum);
  base = oy_weak_lock(weak);
  assert_non_null(base);
  assert_elements(oy_grad(base), OY_DIMS(2, 3), 0, 0, 0, 1, 1, 1);
  oy_tensor_release(base);
  assert_int_equal(ends(), 0);
  oy_tensor_release(row);
  assert_int_equal(ends(), 1);
  assert_null(oy_weak_lock(weak));
  oy_weak_release(weak);
}

static void found_again_and_kept_again(void** state) {
  (void)state;
  oy_tensor *base = ones(), *row = oy_select_int(base, 0, 0);
  oy_weak* weak = oy_tensor_weak(base);
  for (int i = 0; i < 3; i++) {
    oy_tensor_release(base);
    base = oy_weak_lock(weak);
    assert_non_null(base);
  }
  oy_tensor_release(row);
  assert_int_equal(ends(), 0);
  row = oy_view(base, OY_DIMS(6));
  oy_tensor_release(base);
  assert_elements(row, OY_DIMS(6), 1, 1, 1, 1, 1, 1);
  oy_tensor_release(row);
  assert_int_equal(ends(), 1);
  assert_null(oy_weak_lock(weak));
  oy_weak_release(weak);
}

// As a kernel may give back what it took views of itself.
static void a_base_that_becomes_a_view(void** state) {
  (void)state;
  oy_tensor *base = ones(), *made = F32(OY_DIMS(2), 5, 6);
  oy_tensor* part = oy_slice_Tensor(made, 0, oy_int(1), oy_int(2), 1);
  assert_int_equal(oyi_view_attach(oyi_tensor_of(made), oyi_tensor_of(base)), OY_OK);
  oy_tensor_release(base);
  oy_tensor_release(made);
  assert_elements(part, OY_DIMS(1), 6);
  assert_int_equal(ends(), 0);
  oy_tensor_release(part);
  assert_int_equal(ends(), 1);
}

// ------------------------------------------------------------------------- threads

typedef struct shared {
  oy_tensor* view;  // of the thread's own
  oy_weak* weak;    // of the base
  int rounds;
} shared;

// Views of a view, whose base is nobody's sooner or later; the thread's own goes last.
static void* take_views(void* argument) {
  const shared* s = argument;
  intptr_t wrong = 0;
  oy_tensor* mine = s->view;
  for (int i = 0; i < s->rounds; i++) {
    oy_tensor* next = oy_op_alias(mine);
    oy_tensor* seen = oy_unsqueeze(mine, 0);
    oy_tensor_release(mine);
    wrong += element(next, 0) != 1 || element(seen, 0) != 1;
    oy_tensor_release(seen);
    mine = next;
  }
  oy_tensor_release(mine);
  return (void*)wrong;
}
// Takes the base for a moment, as long as it is there.
static void* find_base(void* argument) {
  const shared* s = argument;
  intptr_t wrong = 0;
  for (;;) {
    oy_tensor* base = oy_weak_lock(s->weak);
    if (!base) return (void*)wrong;
    wrong += ends() != 0;
    oy_tensor* view = oy_select_int(base, 0, 1);
    oy_tensor_release(base);
    wrong += element(view, 2) != 1;
    oy_tensor_release(view);
    sched_yield();
  }
}

static void threads_find_and_lose_it(void** state) {
  (void)state;
  for (int round = 0; round < 150; round++) {
    oy_tensor* base = ones();
    oy_weak* weak = oy_tensor_weak(base);
    shared s[4];
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
      s[i] = (shared){i < 2 ? oy_select_int(base, 0, i) : NULL, weak, round * 3};
    for (int i = 0; i < 4; i++)
      assert_int_equal(
          pthread_create(&threads[i], NULL, i < 2 ? take_views : find_base, &s[i]), 0);
    oy_tensor_release(base);
    for (int i = 0; i < 4; i++) {
      void* wrong;
      assert_int_equal(pthread_join(threads[i], &wrong), 0);
      assert_null(wrong);
    }
    assert_int_equal(ends(), 1);
    assert_null(oy_weak_lock(weak));
    oy_weak_release(weak);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_write_through_what_outlives_its_base),
      cmocka_unit_test(a_leaf_that_its_views_keep),
      cmocka_unit_test(found_again_and_kept_again),
      cmocka_unit_test(a_base_that_becomes_a_view),
      cmocka_unit_test(threads_find_and_lose_it),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
