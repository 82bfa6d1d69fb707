// SPDX-License-Identifier: Apache-2.0
// Optimisers (opyard/optim.h) when memory is short, and what they take of it in the long
// run: nothing.
#include "support/tensors.h"

#include "layers/optim_rows.h"

#define MUST(call) assert_int_equal(call, OY_OK)

static oy_tensor* leaf(oy_tensor* t) {
  return oy_requires_grad_(t, true);
}

// What a step of |r| leaves of two parameters if memory is short: each of them is as
// before or as after, with its state, and the first comes first.
static const row* g_row;
enum { LARGE = 1024 };  // beyond what tensors hold in blocks of their own
static oy_tensor* large(double value) {
  oy_tensor* t = oy_tensor_empty(OY_DIMS(LARGE), OY_DTYPE_F64, oy_device_cpu());
  if (t)
    for (int i = 0; i < LARGE; i++) ((double*)oy_tensor_data(t))[i] = value;
  return t;
}
static double first_of(const oy_tensor* t) {
  return *(const double*)oy_tensor_data(t);
}
static bool attempt(oy_optimizer* o, oy_tensor** p, const double* after) {
  const double before[] = {first_of(p[0]), first_of(p[1])};
  bool good = oy_optimizer_step(o) == OY_OK;
  bool done[2];
  for (int i = 0; i < 2; i++) {
    double now = first_of(p[i]);
    done[i] = now != before[i];
    assert_true(!done[i] || fabs(now - after[i]) < 2e-15);
  }
  assert_true(!good || (done[0] && done[1]));
  assert_true(done[0] || !done[1]);
  if (good) return true;
  // Now that there is memory again, what was left undone can be done.
  for (int i = 0; i < 2; i++)
    if (done[i]) MUST(oy_set_grad(p[i], NULL));
  MUST(oy_optimizer_step(o));
  for (int i = 0; i < 2; i++) assert_true(fabs(first_of(p[i]) - after[i]) < 2e-15);
  return false;
}
static bool step_without_memory(void) {
  oy_tensor* p[] = {large(1), large(1)};
  oy_tensor* grad = large(gradients[0][0]);
  oy_optimizer* o = NULL;
  bool good = p[0] && p[1] && grad && leaf(p[0]) && leaf(p[1]) &&
              oy_set_grad(p[0], grad) == OY_OK && oy_set_grad(p[1], grad) == OY_OK;
  if (good) o = oy_optimizer_create(g_row->kind, &g_row->options, p, 2);
  good = good && o && attempt(o, p, (double[]){g_row->want[0][0], g_row->want[0][0]});
  oy_tensor* next = good ? large(gradients[1][0]) : NULL;
  good = good && next && oy_set_grad(p[0], next) == OY_OK &&
         oy_set_grad(p[1], next) == OY_OK;
  good = good && attempt(o, p, (double[]){g_row->want[1][0], g_row->want[1][0]});
  oy_optimizer_free(o);
  oy_tensor* all[] = {p[0], p[1], grad, next};
  for (int i = 0; i < 4; i++) oy_tensor_release(all[i]);
  return good;
}
static void optim_11_without_memory(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    g_row = &rows[i];
    fail_each_allocation(step_without_memory);
  }
}

// A state that could not be taken leaves the one that was there.
static bool take_state(oy_optimizer* o, const oy_tensor* step, const oy_tensor* average) {
#define NAMED(name, tensor) \
  { {name, sizeof(name) - 1}, tensor }
  const oy_named_tensor state[] = {NAMED("state.0.step", step),
                                   NAMED("state.0.exp_avg", average),
                                   NAMED("state.0.exp_avg_sq", average)};
  bool good = oy_optimizer_state_set(o, state, 3) == OY_OK;
  assert_int_equal(oy_optimizer_state_count(o), good ? 3 : 0);
  return good;
}
static bool state_without_memory(void) {
  oy_tensor* all[] = {large(1), F64(oy_dims_none(), 3), large(2)};
  bool good = all[0] && all[1] && all[2];
  oy_optimizer* o = good ? oy_optimizer_create(OY_ADAM, NULL, all, 1) : NULL;
  good = o && take_state(o, all[1], all[2]);
  oy_optimizer_free(o);
  for (int i = 0; i < 3; i++) oy_tensor_release(all[i]);
  return good;
}
static void optim_13_state_without_memory(void** state) {
  (void)state;
  fail_each_allocation(state_without_memory);
}

// ------------------------------------------------------------------ memory growth

typedef struct counting {
  oy_allocator below;
  int64_t bytes;
} counting;
static void* counting_reallocate(void* user_data, void* ptr, size_t old_size,
                                 size_t size) {
  counting* c = user_data;
  void* p = c->below.reallocate(c->below.user_data, ptr, old_size, size);
  if (p || size == 0)
    __atomic_fetch_add(&c->bytes, (int64_t)size - (ptr ? (int64_t)old_size : 0),
                       __ATOMIC_RELAXED);
  return p;
}

// One step of a network of one hidden layer.
static void train(oy_optimizer* o, oy_tensor** p, oy_tensor* x, oy_tensor* y) {
  oy_scope scope;
  oy_scope_open(&scope);
  oy_tensor* hidden = oy_relu(oy_linear(x, p[0], p[1]));
  oy_tensor* loss = oy_cross_entropy_loss(oy_linear(hidden, p[2], p[3]), y,
                                          &oy_none_object, 1, -100, 0);
  assert_non_null(loss);
  MUST(oy_backward(loss, NULL, false));
  MUST(oy_optimizer_step(o));
  oy_optimizer_zero_grad(o);
  oy_scope_close(&scope);
}
static oy_tensor* random_leaf(oy_ints sizes) {
  oy_tensor* t = oy_tensor_empty(sizes, OY_DTYPE_F32, oy_device_cpu());
  assert_non_null(oy_uniform_(t, -0.5, 0.5, oy_none()));
  return leaf(t);
}
static void grow_with(oy_optimizer_kind kind) {
  oy_tensor_trim();
  counting c = {.bytes = 0};
  c.below = oy_allocator_set((oy_allocator){counting_reallocate, &c});
  oy_tensor* p[] = {random_leaf(OY_DIMS(32, 16)), random_leaf(OY_DIMS(32)),
                    random_leaf(OY_DIMS(4, 32)), random_leaf(OY_DIMS(4))};
  oy_tensor* x = random_leaf(OY_DIMS(8, 16));
  oy_tensor* y = I64(OY_DIMS(8), 0, 1, 2, 3, 0, 1, 2, 3);
  oy_optimizer* o = oy_optimizer_create(kind, NULL, p, 4);
  for (int i = 0; i < 100; i++) train(o, p, x, y);
  int64_t after_100 = c.bytes;
  size_t tensors = oy_memory_stats_get().bytes_in_use;
  for (int i = 0; i < 2000; i++) train(o, p, x, y);
  assert_int_equal(c.bytes, after_100);
  assert_int_equal(oy_memory_stats_get().bytes_in_use, tensors);
  oy_optimizer_free(o);
  for (int i = 0; i < 4; i++) oy_tensor_release(p[i]);
  oy_tensor_release(x);
  oy_tensor_release(y);
  oy_tensor_trim();
  oy_allocator_set(c.below);
}
static void optim_12_no_memory_growth(void** state) {
  (void)state;
  grow_with(OY_SGD);
  grow_with(OY_ADAM);
  grow_with(OY_ADAMW);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(optim_11_without_memory),
      cmocka_unit_test(optim_12_no_memory_growth),
      cmocka_unit_test(optim_13_state_without_memory),
  };
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
