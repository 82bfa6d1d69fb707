// SPDX-License-Identifier: Apache-2.0
// Casts that a region of autocast (opyard/autocast.h) keeps: which, how long, and that they
// are those of the source as it is.
#include <pthread.h>

#include "support/tensors.h"

#define MUST(call) assert_int_equal(call, OY_OK)

static oy_autocast_guard enter(oy_dtype dtype) {
  oy_autocast_guard guard;
  MUST(oy_autocast_enter(OY_BACKEND_CPU, dtype, true, &guard));
  return guard;
}
static oy_tensor* leaf(oy_tensor* t) {
  return oy_requires_grad_(t, true);
}
static oy_tensor* of_dtype(oy_dtype dtype) {
  return oy_ones(OY_DIMS(2, 2), oy_int(dtype), oy_none(), oy_none(), oy_none());
}

// While Tracer is included, mm keeps its first argument and fails.
static oy_library* g_recorders;
static oy_tensor* g_taken;

static oy_status take(const oy_op* op, oy_keyset keys, oy_stack* stack,
                      const oy_kernel* kernel) {
  (void)keys, (void)kernel;
  g_taken = oy_tensor_retain(oy_stack_last(stack, op->argument_count)[0].as.object);
  return OY_FAIL(FAILED_PRECONDITION, "taken");
}
static int open_recorders(void** state) {
  if (init_library(state) != 0) return -1;
  oy_library_params aten = {NULL, OY_LIBRARY_IMPL, "aten", OY_KEY_Undefined, "", 0};
  oy_impl_params mm = {
      .name = "mm", .key = OY_KEY_Tracer, .kernel = OY_BOXED(take), .place = OY_HERE};
  MUST(oy_library_create(&aten, &g_recorders));
  return oy_library_impl(g_recorders, &mm, NULL);
}
static int close_recorders(void** state) {
  oy_library_close(g_recorders);
  return shut_library(state);
}

// What mm is given for |w|: a new reference.
static oy_tensor* cast_of(oy_tensor* w) {
  oy_guard guard = oy_guard_include(oy_keyset_of(OY_KEY_Tracer));
  g_taken = NULL;
  assert_fails(oy_mm(w, w), "taken");
  oy_guard_end(&guard);
  return g_taken;
}
// Whether two calls are given one cast.
static bool is_kept(oy_tensor* w) {
  oy_tensor *first = cast_of(w), *second = cast_of(w);
  bool same = first == second;
  oy_tensor_release(first);
  oy_tensor_release(second);
  return same;
}

static void amp_03_casts_of_parameters_are_kept(void** state) {
  (void)state;
  oy_tensor* w = leaf(F32(OY_DIMS(2, 2), 1, 2, 3, 4));
  oy_autocast_guard guard = enter(OY_DTYPE_ANY);
  oy_tensor *first = cast_of(w), *second = cast_of(w);
  assert_ptr_equal(first, second);
  assert_int_equal(first->dtype, OY_DTYPE_BF16);
  assert_true(oy_requires_grad(first));
  assert_false(oy_is_leaf(first));
  oy_tensor_release(second);
  // Left to the region alone, the cast is there until its end.
  oy_weak* weak = oy_tensor_weak(first);
  oy_tensor_release(first);
  oy_autocast_guard inner = enter(OY_DTYPE_ANY);
  oy_autocast_leave(&inner);
  oy_tensor* still = oy_weak_lock(weak);
  assert_non_null(still);
  oy_tensor_release(still);
  oy_autocast_leave(&guard);
  assert_null(oy_weak_lock(weak));
  oy_weak_release(weak);
  oy_tensor_release(w);
}

static void amp_03_which_are_not(void** state) {
  (void)state;
  oy_tensor *plain = of_dtype(OY_DTYPE_F32), *w = leaf(of_dtype(OY_DTYPE_F32)),
            *half = leaf(of_dtype(OY_DTYPE_F16));
  oy_tensor *result = oy_mul_Scalar(w, oy_int(2)), *view = oy_t(w);
  oy_tensor *base = of_dtype(OY_DTYPE_F32), *view_leaf = leaf(oy_t(base));
  oy_autocast_guard guard = enter(OY_DTYPE_ANY);
  assert_true(is_kept(w));
  assert_false(is_kept(plain));      // requires no gradient
  assert_false(is_kept(half));       // not float32
  assert_false(is_kept(result));     // no leaf
  assert_false(is_kept(view));       // neither
  assert_false(is_kept(view_leaf));  // a leaf, and a view
  oy_autocast_cache_set(false);
  assert_false(is_kept(w));
  oy_autocast_cache_set(true);
  oy_autocast_leave(&guard);
  oy_tensor* all[] = {plain, w, half, result, view, base, view_leaf};
  for (int i = 0; i < 7; i++) oy_tensor_release(all[i]);
}

// Below Autograd there is no history to keep.
static void amp_03_not_without_a_history(void** state) {
  (void)state;
  oy_tensor* w = leaf(of_dtype(OY_DTYPE_F32));
  oy_autocast_guard guard = enter(OY_DTYPE_ANY);
  oy_guard below = oy_guard_below_autograd();
  assert_false(is_kept(w));
  oy_guard_end(&below);
  oy_tensor* cast = cast_of(w);
  assert_true(oy_requires_grad(cast));
  oy_tensor_release(cast);
  oy_autocast_leave(&guard);
  oy_tensor_release(w);
}

// What a call without grad mode leaves behind serves a recorded one: the gradient of
// sum(x w) is the sum over the columns of x.
static void amp_03_grad_mode(void** state) {
  (void)state;
  oy_tensor *x = F32(OY_DIMS(2, 2), 1, 2, 3, 4), *w = leaf(of_dtype(OY_DTYPE_F32));
  oy_autocast_guard guard = enter(OY_DTYPE_ANY);
  oy_grad_guard no_grad = oy_no_grad();
  oy_tensor* silent = oy_mm(x, w);
  assert_false(oy_requires_grad(silent));
  assert_true(is_kept(w));
  oy_grad_guard_end(&no_grad);
  oy_tensor* y = oy_mm(x, w);
  assert_true(oy_requires_grad(y));
  oy_tensor* sum = oy_sum(y, oy_none());
  oy_autocast_leave(&guard);
  MUST(oy_backward(sum, NULL, false));
  assert_elements(oy_grad(w), OY_DIMS(2, 2), 4, 4, 6, 6);
  oy_tensor* all[] = {x, w, silent, y, sum};
  for (int i = 0; i < 5; i++) oy_tensor_release(all[i]);
}

// A step of an optimizer within a region is seen.
static void amp_03_made_again_when_written(void** state) {
  (void)state;
  oy_tensor *x = F32(OY_DIMS(1, 1), 1), *w = leaf(F32(OY_DIMS(1, 1), 2));
  oy_autocast_guard guard = enter(OY_DTYPE_ANY);
  oy_tensor* y = oy_mm(x, w);
  assert_elements(y, OY_DIMS(1, 1), 2);
  oy_tensor_release(y);
  oy_grad_guard no_grad = oy_no_grad();
  assert_non_null(oy_fill__Scalar(w, oy_int(5)));
  oy_grad_guard_end(&no_grad);
  y = oy_mm(x, w);
  assert_elements(y, OY_DIMS(1, 1), 5);
  assert_true(is_kept(w));
  // Another lower precision is another cast.
  oy_autocast_guard inner = enter(OY_DTYPE_F16);
  oy_tensor* half = cast_of(w);
  assert_int_equal(half->dtype, OY_DTYPE_F16);
  oy_autocast_leave(&inner);
  oy_autocast_leave(&guard);
  oy_tensor* all[] = {x, w, y, half};
  for (int i = 0; i < 4; i++) oy_tensor_release(all[i]);
}

// More than a table of the first size holds; leaves may go before the region does.
static void amp_03_many_parameters(void** state) {
  (void)state;
  enum { MANY = 200 };
  oy_tensor *w[MANY], *casts[MANY];
  oy_autocast_guard guard = enter(OY_DTYPE_ANY);
  for (int i = 0; i < MANY; i++) {
    w[i] = leaf(F32(OY_DIMS(1, 1), (float)i));
    casts[i] = cast_of(w[i]);
  }
  for (int i = 0; i < MANY; i++) {
    oy_tensor* again = cast_of(w[i]);
    assert_ptr_equal(again, casts[i]);
    assert_elements(again, OY_DIMS(1, 1), i);
    oy_tensor_release(again);
    oy_tensor_release(casts[i]);
    oy_tensor_release(w[i]);
  }
  oy_autocast_cache_clear();
  oy_tensor* next = leaf(F32(OY_DIMS(1, 1), 7));
  oy_tensor* cast = cast_of(next);
  assert_elements(cast, OY_DIMS(1, 1), 7);
  oy_tensor_release(cast);
  oy_tensor_release(next);
  oy_autocast_leave(&guard);
}

static void amp_03_cleared_on_demand(void** state) {
  (void)state;
  oy_tensor* w = leaf(of_dtype(OY_DTYPE_F32));
  oy_autocast_guard guard = enter(OY_DTYPE_ANY);
  oy_tensor* first = cast_of(w);
  oy_autocast_cache_clear();
  oy_tensor* second = cast_of(w);
  assert_ptr_not_equal(first, second);
  oy_autocast_leave(&guard);
  oy_tensor_release(first);
  oy_tensor_release(second);
  oy_tensor_release(w);
}

// The end of another thread's region clears its casts, and no others.
static void* region(void* data) {
  oy_autocast_guard guard = enter(OY_DTYPE_ANY);
  oy_tensor* y = oy_mm(data, data);
  oy_autocast_leave(&guard);
  return y;
}
static void amp_03_casts_are_of_a_thread(void** state) {
  (void)state;
  oy_tensor* w = leaf(of_dtype(OY_DTYPE_F32));
  oy_autocast_guard guard = enter(OY_DTYPE_ANY);
  oy_tensor* mine = cast_of(w);
  pthread_t thread;
  void* theirs = NULL;
  assert_int_equal(pthread_create(&thread, NULL, region, w), 0);
  assert_int_equal(pthread_join(thread, &theirs), 0);
  assert_int_equal(((oy_tensor*)theirs)->dtype, OY_DTYPE_BF16);
  oy_tensor* again = cast_of(w);
  assert_ptr_equal(again, mine);
  oy_autocast_leave(&guard);
  oy_tensor* all[] = {w, mine, again, theirs};
  for (int i = 0; i < 4; i++) oy_tensor_release(all[i]);
}

static bool runs(void) {
  oy_autocast_guard guard;
  oy_scope scope;
  if (oy_autocast_enter(OY_BACKEND_CPU, OY_DTYPE_ANY, true, &guard) != OY_OK)
    return false;
  oy_scope_open(&scope);
  oy_tensor* x = F32(OY_DIMS(2, 2), 1, 2, 3, 4);
  oy_tensor* w = F32(OY_DIMS(2, 2), 1, 2, 3, 4);
  oy_tensor* y = oy_mm(oy_mm(x, leaf(w)), w);
  oy_object* const parts[] = {y, x};
  oy_tensor* both = y ? oy_cat((oy_tensors){parts, 2}, 0) : NULL;
  oy_tensor* loss = both ? oy_mse_loss(y, x, 1) : NULL;
  bool good = loss && loss->dtype == OY_DTYPE_F32 && both->dtype == OY_DTYPE_F32;
  oy_scope_close(&scope);
  oy_autocast_leave(&guard);
  oy_tensor_release(x);
  oy_tensor_release(w);
  return good;
}
static void amp_03_without_memory(void** state) {
  (void)state;
  assert_true(runs());
  fail_each_allocation(runs);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(amp_03_casts_of_parameters_are_kept),
      cmocka_unit_test(amp_03_which_are_not),
      cmocka_unit_test(amp_03_not_without_a_history),
      cmocka_unit_test(amp_03_grad_mode),
      cmocka_unit_test(amp_03_made_again_when_written),
      cmocka_unit_test(amp_03_many_parameters),
      cmocka_unit_test(amp_03_cleared_on_demand),
      cmocka_unit_test(amp_03_casts_are_of_a_thread),
      cmocka_unit_test(amp_03_without_memory),
  };
  return cmocka_run_group_tests(tests, open_recorders, close_recorders);
}
