// SPDX-License-Identifier: Apache-2.0
// Who holds the memory under views. A view with a record borrows the storage of its base, as
// long as that is the same; whatever is replaced or goes first, no view may lose its memory,
// and no memory may stay.
#include <pthread.h>

#include "support/tensors.h"

#define MUST(call) assert_int_equal(call, OY_OK)

enum { ROWS = 3, COLUMNS = 4, NUMBERS = ROWS * COLUMNS, TENSORS = 12, MEMORIES = 64 };

// Memory full of its number; who is told that nobody has it any more writes GONE to it.
enum { GONE = -1 };
static float g_memory[MEMORIES][NUMBERS];
static int g_ends[MEMORIES];

static void memory_ends(void* context, void* data) {
  float* numbers = data;
  for (int i = 0; i < NUMBERS; i++) numbers[i] = GONE;
  __atomic_fetch_add((int*)context, 1, __ATOMIC_RELAXED);
}
static oy_tensor* on_memory(int m) {
  for (int i = 0; i < NUMBERS; i++) g_memory[m][i] = (float)m;
  g_ends[m] = 0;
  const oy_tensor_memory memory = {.data = g_memory[m],
                                   .nbytes = sizeof(g_memory[m]),
                                   .deleter = memory_ends,
                                   .context = &g_ends[m]};
  return oy_tensor_from_memory(&memory, OY_DIMS(ROWS, COLUMNS), (oy_ints){0},
                               OY_DTYPE_F32);
}

// ------------------------------------------------------------------------ one by one

static void a_base_gets_another_storage(void** state) {
  (void)state;
  oy_tensor *base = on_memory(1), *other = on_memory(2);
  oy_tensor* view = oy_select_int(base, 0, 1);
  MUST(oy_tensor_set_source(base, other, 0, OY_DIMS(ROWS), OY_DIMS(COLUMNS)));
  oy_tensor *part = oy_unsqueeze(view, 0), *late = oy_view(base, OY_DIMS(1, ROWS));
  oy_tensor_release(base);
  oy_tensor_release(other);
  assert_elements(view, OY_DIMS(COLUMNS), 1, 1, 1, 1);
  oy_tensor_release(view);
  assert_elements(part, OY_DIMS(1, COLUMNS), 1, 1, 1, 1);
  assert_elements(late, OY_DIMS(1, ROWS), 2, 2, 2);
  assert_int_equal(g_ends[1], 0);
  oy_tensor_release(part);
  assert_int_equal(g_ends[1], 1);
  assert_int_equal(g_ends[2], 0);
  oy_tensor_release(late);
  assert_int_equal(g_ends[2], 1);
}

static void a_view_gets_another_storage(void** state) {
  (void)state;
  oy_tensor *base = on_memory(1), *other = on_memory(2);
  oy_tensor* view = oy_t(base);
  MUST(oy_tensor_set_data(view, other));
  oy_tensor_release(other);
  oy_tensor* part = oy_slice_Tensor(view, 0, oy_int(1), oy_int(2), 1);
  oy_tensor_release(view);
  oy_tensor_release(base);
  assert_elements(part, OY_DIMS(1, COLUMNS), 2, 2, 2, 2);
  assert_int_equal(g_ends[2], 0);
  oy_tensor_release(part);
  assert_int_equal(g_ends[1] + g_ends[2], 2);
}

// A view that needs a gradient, a weak reference or a long shape ends another way.
static void unusual_views_end(void** state) {
  (void)state;
  oy_tensor* base = on_memory(1);
  oy_tensor* leaf = oy_requires_grad_(oy_select_int(base, 0, 1), true);
  oy_tensor* watched = oy_select_int(base, 0, 2);
  oy_weak* weak = oy_tensor_weak(watched);
  oy_tensor* grown = oy_select_int(base, 0, 0);
  MUST(oy_tensor_set_source(grown, base, 0, OY_DIMS(1, 1, 1, 1, 1, 1, 1),
                            OY_DIMS(1, 1, 1, 1, 1, 1, 1)));
  oy_tensor* const all[] = {leaf, watched, grown, base};
  for (int i = 0; i < 4; i++) {
    assert_int_equal(g_ends[1], 0);
    oy_tensor_release(all[i]);
  }
  assert_int_equal(g_ends[1], 1);
  oy_weak_release(weak);
  // Their blocks are those of new views, which know nothing of it.
  base = on_memory(2);
  for (int64_t i = 0; i < ROWS; i++) {
    oy_tensor* view = oy_select_int(base, 0, i);
    assert_elements(view, OY_DIMS(COLUMNS), 2, 2, 2, 2);
    assert_false(oy_requires_grad(view));
    assert_null(oy_grad(view));
    oy_tensor_release(view);
  }
  oy_tensor_release(base);
  assert_int_equal(g_ends[2], 1);
}

// ------------------------------------------------------------------- in any order

static uint64_t g_random;
static unsigned below(unsigned n) {
  g_random = g_random * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(g_random >> 33) % n;
}

static oy_tensor* draw_view(oy_tensor* t) {
  const int64_t ndim = (int64_t)oy_tensor_ndim(t),
                d = ndim ? (int64_t)below(4) % ndim : 0;
  switch (below(9)) {
    case 0: return oy_op_alias(t);
    case 1: return ndim < 6 ? oy_unsqueeze(t, d) : oy_detach(t);
    case 2: return ndim ? oy_select_int(t, d, 0) : oy_detach(t);
    case 3: return ndim ? oy_slice_Tensor(t, d, oy_int(0), oy_int(1), 1) : oy_op_alias(t);
    case 4: return ndim == 2 ? oy_t(t) : oy_squeeze(t);
    case 5: return ndim ? oy_transpose_int(t, 0, d) : oy_view(t, OY_DIMS(1, 1));
    case 6: return ndim ? oy_unfold(t, d, 1, 1) : oy_unsqueeze(t, 0);
    case 7: return oy_expand_as(t, t);
    default: return oy_tensor_data_alias(t);
  }
}

// What a tensor of the program is on, and whether it is there.
typedef struct known {
  oy_tensor* t;
  int memory;
} known;

static void drop(known* k) {
  oy_tensor_release(k->t);
  k->t = NULL;
}
// A new tensor, or a view of one.
static void make(known* all, known* to, int* next) {
  const known* from = &all[below(TENSORS)];
  if (!from->t || (below(6) == 0 && *next < MEMORIES)) {
    if (*next == MEMORIES) return;
    *to = (known){on_memory(*next), *next};
    ++*next;
  } else {
    const bool off = below(8) == 0, before = oy_grad_mode_get();
    if (off) oy_grad_mode_set(false);
    *to = (known){draw_view(from->t), from->memory};
    oy_grad_mode_set(before);
  }
  if (!to->t) fail_msg("%s", oy_error_get()->message);
}
// Another storage for one that is there.
static void replace(known* to, const known* from) {
  if (!from->t) return;
  if (below(2))
    MUST(oy_tensor_set_data(to->t, from->t));
  else
    MUST(oy_tensor_set_source(to->t, from->t, 0, OY_DIMS(2), OY_DIMS(1)));
  to->memory = from->memory;
}

static void run_program(uint64_t seed) {
  known all[TENSORS] = {{NULL, 0}};
  int next = 1;
  g_random = seed;
  for (int step = 0; step < 400; step++) {
    known* one = &all[below(TENSORS)];
    if (!one->t)
      make(all, one, &next);
    else if (below(3) == 0)
      replace(one, &all[below(TENSORS)]);
    else
      drop(one);
    for (int i = 0; i < TENSORS; i++)
      if (all[i].t && element(all[i].t, 0) != all[i].memory)
        fail_msg("seed %llu, step %d: a tensor on memory %d has %g",
                 (unsigned long long)seed, step, all[i].memory, element(all[i].t, 0));
  }
  for (int i = 0; i < TENSORS; i++) drop(&all[i]);
  for (int m = 1; m < next; m++)
    if (g_ends[m] != 1)
      fail_msg("seed %llu: memory %d of %d ended %d times", (unsigned long long)seed, m,
               next, g_ends[m]);
}

static void whatever_goes_first(void** state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 300; seed++) run_program(seed);
}

// ------------------------------------------------------------------------- threads

enum { ROUNDS = 3000 };
static int g_done;  // atomic

static void* take_views(void* of) {
  intptr_t wrong = 0;
  for (int i = 0; i < ROUNDS; i++) {
    oy_tensor *row = oy_select_int(of, 0, i % 2), *flat = oy_transpose_int(of, 0, 1);
    oy_tensor* last = oy_unsqueeze(row, 0);
    oy_tensor_release(row);
    wrong += element(last, 0) != 1 || element(flat, 1) != 1;
    oy_tensor_release(last);
    oy_tensor_release(flat);
  }
  __atomic_fetch_add(&g_done, 1, __ATOMIC_RELEASE);
  return (void*)wrong;
}

// Two threads take views of a view, a third gives their base other storages meanwhile.
static void while_others_take_views(void** state) {
  (void)state;
  oy_tensor *base = on_memory(1), *others[] = {on_memory(2), on_memory(3)};
  oy_tensor* view = oy_slice_Tensor(base, 0, oy_int(0), oy_int(2), 1);
  g_done = 0;
  pthread_t threads[2];
  for (int i = 0; i < 2; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, take_views, view), 0);
  for (int i = 0; __atomic_load_n(&g_done, __ATOMIC_ACQUIRE) < 2; i++)
    MUST(oy_tensor_set_source(base, others[i % 2], 0, OY_DIMS(2), OY_DIMS(1)));
  for (int i = 0; i < 2; i++) {
    void* wrong;
    assert_int_equal(pthread_join(threads[i], &wrong), 0);
    assert_null(wrong);
  }
  oy_tensor* const all[] = {base, others[0], others[1], view};
  assert_int_equal(g_ends[1], 0);
  for (int i = 0; i < 4; i++) oy_tensor_release(all[i]);
  for (int m = 1; m <= 3; m++) assert_int_equal(g_ends[m], 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_base_gets_another_storage),
      cmocka_unit_test(a_view_gets_another_storage),
      cmocka_unit_test(unusual_views_end),
      cmocka_unit_test(whatever_goes_first),
      cmocka_unit_test(while_others_take_views),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
