// SPDX-License-Identifier: Apache-2.0
// Walks of several threads at once over graphs that share leaves (reference, 9.4, 9.8):
// nothing is lost, an error stays in its thread, and walks within walks are no different.
// Elements are small whole numbers, so sums are exact in any order.
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/tensors.h"

#define MUST(call) assert_int_equal(call, OY_OK)

enum { THREADS = 4, ROUNDS = 200 };

static oy_tensor *g_x, *g_w;  // leaves that all threads have
static pthread_barrier_t g_barrier;
static int g_calls;  // atomic

static oy_tensor* leaf(oy_tensor* t) {
  return oy_requires_grad_(t, true);
}
static int open_leaves(void** state) {
  (void)state;
  g_x = leaf(F64(OY_DIMS(3), 1, 2, 3));
  g_w = leaf(F64(OY_DIMS(3), 4, 5, 6));
  g_calls = 0;
  return pthread_barrier_init(&g_barrier, NULL, THREADS);
}
static int close_leaves(void** state) {
  (void)state;
  oy_tensor_release(g_x);
  oy_tensor_release(g_w);
  return pthread_barrier_destroy(&g_barrier);
}

// Runs |body| in all threads; it gives the number of things that went wrong.
static void in_all_threads(void* (*body)(void* number)) {
  pthread_t threads[THREADS];
  for (intptr_t i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&threads[i], NULL, body, (void*)i), 0);
  intptr_t wrong = 0;
  for (int i = 0; i < THREADS; i++) {
    void* one;
    assert_int_equal(pthread_join(threads[i], &one), 0);
    wrong += (intptr_t)one;
  }
  assert_int_equal(wrong, 0);
}

static oy_status backward_of(oy_tensor* y) {
  oy_tensor* sum = y ? oy_sum(y, oy_none()) : NULL;
  oy_status status = sum ? oy_backward(sum, NULL, false) : oy_failure();
  oy_tensor_release(sum);
  return status;
}

// ------------------------------------------------------------------- leaves in common

static void* walk_often(void* number) {
  (void)number;
  intptr_t wrong = 0;
  for (int i = 0; i < ROUNDS; i++) {
    oy_tensor* product = oy_mul_Tensor(g_x, g_w);
    oy_tensor* y = oy_add_Tensor(product, g_x, ALPHA1);
    wrong += backward_of(y) != OY_OK;
    oy_tensor_release(y);
    oy_tensor_release(product);
  }
  return (void*)wrong;
}
static void ENG_11_nothing_is_lost(void** state) {
  (void)state;
  in_all_threads(walk_often);
  const double n = THREADS * ROUNDS;
  assert_elements(oy_grad(g_x), OY_DIMS(3), 5 * n, 6 * n, 7 * n);
  assert_elements(oy_grad(g_w), OY_DIMS(3), n, 2 * n, 3 * n);
}

// The accumulate node, the record of a base and the first gradient are made by whoever
// comes first.
static oy_tensor* g_new;
static void* begin_together(void* number) {
  intptr_t wrong = 0;
  for (int i = 0; i < ROUNDS; i++) {
    if (number == NULL) g_new = leaf(F64(OY_DIMS(2), 2, 3));
    pthread_barrier_wait(&g_barrier);
    oy_tensor* view = oy_view(g_new, OY_DIMS(2, 1));
    oy_tensor* y = oy_mul_Tensor(view, view);
    wrong += backward_of(y) != OY_OK;
    oy_tensor_release(y);
    oy_tensor_release(view);
    pthread_barrier_wait(&g_barrier);
    if (number != NULL) continue;
    wrong += element(oy_grad(g_new), 0) != 4 * THREADS;
    wrong += element(oy_grad(g_new), 1) != 6 * THREADS;
    oy_tensor_release(g_new);
  }
  return (void*)wrong;
}
static void ENG_11_who_is_first(void** state) {
  (void)state;
  in_all_threads(begin_together);
}

static oy_status count_call(void* data, oy_tensor* grad, oy_tensor** out_grad) {
  (void)data, (void)grad, (void)out_grad;
  __atomic_fetch_add(&g_calls, 1, __ATOMIC_RELAXED);
  return OY_OK;
}
static void ENG_11_hooks_of_a_shared_leaf(void** state) {
  (void)state;
  assert_int_not_equal(oy_register_hook(g_x, count_call, NULL, NULL), 0);
  assert_int_not_equal(oy_register_post_accumulate_grad_hook(g_w, count_call, NULL, NULL),
                       0);
  in_all_threads(walk_often);
  assert_int_equal(g_calls, 2 * THREADS * ROUNDS);
}

// One makes the graph, another walks it.
static oy_tensor* g_made[THREADS];
static void* make_for_the_next(void* number) {
  const intptr_t me = (intptr_t)number;
  intptr_t wrong = 0;
  for (int i = 0; i < ROUNDS; i++) {
    g_made[me] = oy_mul_Tensor(g_x, g_w);
    pthread_barrier_wait(&g_barrier);
    oy_tensor* of_another = g_made[(me + 1) % THREADS];
    wrong += backward_of(of_another) != OY_OK;
    oy_tensor_release(of_another);
    pthread_barrier_wait(&g_barrier);
  }
  return (void*)wrong;
}
static void ENG_11_graphs_of_another_thread(void** state) {
  (void)state;
  in_all_threads(make_for_the_next);
  const double n = THREADS * ROUNDS;
  assert_elements(oy_grad(g_x), OY_DIMS(3), 4 * n, 5 * n, 6 * n);
}

// ------------------------------------------------------------------------------ errors

static oy_status same(oy_function_context* c, oy_tensor* const* in, size_t count,
                      oy_tensor** out) {
  (void)c, (void)count;
  return (out[0] = oy_clone(in[0], oy_none())) ? OY_OK : oy_failure();
}
static oy_status fails_with_number(oy_function_context* c, oy_tensor* const* grads,
                                   size_t count, oy_tensor** out, size_t inputs) {
  (void)grads, (void)count, (void)out, (void)inputs;
  return OY_FAIL(OUT_OF_RANGE, "thread %d", (int)(intptr_t)oy_function_data(c));
}
static const oy_function g_fails = {
    .name = "Fails", .forward = same, .backward = fails_with_number, .outputs = 1};

// The path to w is done before that to x fails; the odd ones alone fail.
static void* fail_sometimes(void* number) {
  const intptr_t me = (intptr_t)number;
  char text[32];
  snprintf(text, sizeof(text), "thread %d", (int)me);
  intptr_t wrong = 0;
  for (int i = 0; i < ROUNDS; i++) {
    oy_tensor* x = NULL;
    if (me % 2)
      wrong += oy_function_apply(&g_fails, number, &g_x, 1, &x) != OY_OK;
    else
      x = oy_tensor_retain(g_x);
    oy_tensor* y = oy_add_Tensor(x, g_w, ALPHA1);
    oy_status status = backward_of(y);
    if (me % 2) {
      wrong += status != OY_OUT_OF_RANGE || strcmp(oy_error_get()->message, text) != 0;
      oy_error_clear();
    } else {
      wrong += status != OY_OK || oy_error_get()->code != OY_OK;
    }
    wrong += !oy_grad_mode_get();
    oy_tensor_release(y);
    oy_tensor_release(x);
  }
  return (void*)wrong;
}
static void ENG_11_an_error_in_one(void** state) {
  (void)state;
  in_all_threads(fail_sometimes);
  const double good = THREADS / 2 * ROUNDS, all = THREADS * ROUNDS;
  assert_elements(oy_grad(g_x), OY_DIMS(3), good, good, good);
  // A leaf is as soon as its gradient is complete, before what else is to be done.
  assert_elements(oy_grad(g_w), OY_DIMS(3), all, all, all);
}

// ------------------------------------------------------------------------ walks within

// The backward walks another graph, of the same leaf, to its end.
static oy_status walk_within(oy_function_context* c, oy_tensor* const* grads,
                             size_t count, oy_tensor** out, size_t inputs) {
  (void)c, (void)count, (void)inputs;
  oy_grad_guard guard = oy_enable_grad();
  oy_tensor* inner = oy_mul_Tensor(g_w, g_w);
  oy_status status = backward_of(inner);
  oy_grad_guard_end(&guard);
  oy_tensor_release(inner);
  if (status == OY_OK) out[0] = oy_tensor_retain(grads[0]);
  return status;
}
static const oy_function g_within = {
    .name = "Within", .forward = same, .backward = walk_within, .outputs = 1};

static void* walk_in_walks(void* number) {
  (void)number;
  intptr_t wrong = 0;
  for (int i = 0; i < ROUNDS; i++) {
    oy_tensor* y = NULL;
    wrong += oy_function_apply(&g_within, NULL, &g_x, 1, &y) != OY_OK;
    oy_tensor* z = y ? oy_mul_Tensor(y, g_w) : NULL;
    wrong += backward_of(z) != OY_OK;
    oy_tensor_release(z);
    oy_tensor_release(y);
  }
  return (void*)wrong;
}
static void ENG_11_walks_within_walks(void** state) {
  (void)state;
  in_all_threads(walk_in_walks);
  const double n = THREADS * ROUNDS;
  assert_elements(oy_grad(g_x), OY_DIMS(3), 4 * n, 5 * n, 6 * n);
  // x from the outer walk, 2 w from the inner one.
  assert_elements(oy_grad(g_w), OY_DIMS(3), 9 * n, 12 * n, 15 * n);
}

// --------------------------------------------------------------------- state of threads

// Each has modes of its own, which the walks of the others do not touch.
static void* modes_of_its_own(void* number) {
  const intptr_t me = (intptr_t)number;
  intptr_t wrong = 0;
  for (int i = 0; i < ROUNDS; i++) {
    oy_tensor* y = oy_mul_Tensor(g_x, g_w);
    oy_tensor* sum = oy_sum(y, oy_none());
    oy_inference_guard inference = oy_inference_mode(me == 1);
    oy_grad_guard grad = me == 2 ? oy_no_grad() : oy_enable_grad();
    if (me != 1) wrong += oy_backward(sum, NULL, false) != OY_OK;
    oy_tensor* made = oy_mul_Tensor(g_x, g_x);
    wrong += oy_tensor_is_inference(made) != (me == 1);
    wrong += oy_requires_grad(made) != (me == 0 || me == 3);
    oy_tensor_release(made);
    oy_grad_guard_end(&grad);
    oy_inference_guard_end(&inference);
    oy_tensor_release(sum);
    oy_tensor_release(y);
  }
  return (void*)wrong;
}
static void ENG_13_modes_belong_to_a_thread(void** state) {
  (void)state;
  in_all_threads(modes_of_its_own);
  const double n = (THREADS - 1) * ROUNDS;
  assert_elements(oy_grad(g_x), OY_DIMS(3), 4 * n, 5 * n, 6 * n);
}

// Defect of PyTorch's: it refuses ("Unable to handle autograd's threading in combination
// with fork-based multiprocessing"), as its engine's threads are not in the child. Here a
// walk is its caller's, so a child differentiates as its parent did.
static void ENG_18_walks_in_a_child(void** state) {
  (void)state;
#if defined(__SANITIZE_THREAD__)
  skip();  // it does not bear threads in a child
#endif
  in_all_threads(walk_often);
  pid_t child = fork();
  if (child == 0) {
    oy_tensor* x = leaf(F64(OY_DIMS(3), 1, 2, 3));
    oy_tensor* y = oy_mul_Tensor(x, x);
    bool right = backward_of(y) == OY_OK && element(oy_grad(x), 2) == 6;
    _exit(right ? 0 : 1);
  }
  int status = -1;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// Views of a tensor that has no record yet: all of them find the same base, which then knows
// every one. The second kind lies in the block of a view.
static oy_tensor* g_views[THREADS];
static void* view_together(void* number) {
  const intptr_t at = (intptr_t)number;
  intptr_t wrong = 0;
  for (int i = 0; i < ROUNDS; i++) {
    if (at == 0) {
      oy_tensor* plain = F64(OY_DIMS(2), 2, 3);
      g_new = i % 2 ? oy_detach(plain) : oy_tensor_retain(plain);
      oy_tensor_release(plain);
    }
    pthread_barrier_wait(&g_barrier);
    g_views[at] = oy_view(g_new, OY_DIMS(2, 1));
    pthread_barrier_wait(&g_barrier);
    if (at == 0) wrong += !oy_requires_grad_(g_new, true);
    pthread_barrier_wait(&g_barrier);
    wrong += !g_views[at] || !oy_requires_grad(g_views[at]);
    oy_tensor_release(g_views[at]);
    pthread_barrier_wait(&g_barrier);
    if (at == 0) oy_tensor_release(g_new);
  }
  return (void*)wrong;
}
static void ENG_11_who_takes_the_first_view(void** state) {
  (void)state;
  in_all_threads(view_together);
}

#define WITH_LEAVES(f) cmocka_unit_test_setup_teardown(f, open_leaves, close_leaves)

int main(void) {
  const struct CMUnitTest tests[] = {
      WITH_LEAVES(ENG_11_nothing_is_lost),
      WITH_LEAVES(ENG_11_who_is_first),
      WITH_LEAVES(ENG_11_who_takes_the_first_view),
      WITH_LEAVES(ENG_11_hooks_of_a_shared_leaf),
      WITH_LEAVES(ENG_11_graphs_of_another_thread),
      WITH_LEAVES(ENG_11_an_error_in_one),
      WITH_LEAVES(ENG_11_walks_within_walks),
      WITH_LEAVES(ENG_13_modes_belong_to_a_thread),
      WITH_LEAVES(ENG_18_walks_in_a_child),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
