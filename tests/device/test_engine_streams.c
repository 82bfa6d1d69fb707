// SPDX-License-Identifier: Apache-2.0
// Streams in the backward walk (ENG-17; reference, 9.1, 9.4), on a device that does nothing
// before it has to: a sum that did not wait for what it adds is NaN. Elements are small whole
// numbers, so that results are exact.
#include "lazy_device.h"
#include "opyard/function.h"
#include "opyard/stream.h"
#include "support/tensors.h"

#define MUST(call) assert_int_equal(call, OY_OK)

enum { STREAMS = 3 };
static oy_backend g_backend;
static oy_stream g_streams[STREAMS];

static int start(void** state) {
  if (init_library(state) != 0) return -1;
  return lazy_device_open("Lazy", &g_backend) == OY_OK ? 0 : -1;
}
static int stop(void** state) {
  if (lazy_device_close() != OY_OK) return -1;
  return shut_library(state);
}

static oy_device on(int16_t index) {
  return oy_device_make(g_backend, index);
}
static int open_streams(void** state) {
  (void)state;
  for (int i = 0; i < STREAMS; i++) MUST(oy_stream_create(on(0), 0, &g_streams[i]));
  return 0;
}
static int close_streams(void** state) {
  (void)state;
  uint64_t forgotten[64];
  for (int i = 0; i < STREAMS; i++) oy_stream_destroy(g_streams[i]);
  (void)lazy_device_muls(forgotten, 64);
  return 0;
}

static oy_tensor* there(float a, float b) {
  oy_tensor* here = F32(OY_DIMS(2), a, b);
  oy_tensor* t = oy_tensor_copy_to(here, OY_DTYPE_F32, on(0));
  oy_tensor_release(here);
  assert_non_null(t);
  return t;
}
static oy_tensor* leaf(float a, float b) {
  return oy_requires_grad_(there(a, b), true);
}

static void release_all(oy_tensor* const* all, size_t count) {
  for (size_t i = 0; i < count; i++) oy_tensor_release(all[i]);
}

// The product, on |s|, which waits for what is on |after|.
static oy_tensor* product_on(oy_stream s, oy_stream after, oy_tensor* a, oy_tensor* b) {
  oy_stream_guard guard;
  if (s.id != after.id) MUST(oy_stream_wait(s, after));
  MUST(oy_stream_guard_enter(s, &guard));
  oy_tensor* y = oy_mul_Tensor(a, b);
  MUST(oy_stream_guard_leave(&guard));
  assert_non_null(y);
  return y;
}

static void assert_muls(size_t count, const uint64_t* want) {
  uint64_t got[64];
  assert_int_equal(lazy_device_muls(got, 64), count);
  for (size_t i = 0; i < count; i++) assert_int_equal(got[i], want[i]);
}

// The tests below would not see a missing wait if this failed.
static void ENG_17_what_is_not_waited_for_is_seen(void** state) {
  (void)state;
  const oy_stream first = oy_stream_default(on(0)), s = g_streams[0];
  oy_tensor *a = there(1, 2), *b = there(3, 4);
  oy_tensor* y = product_on(s, first, a, b);
  assert_elements(y, OY_DIMS(2), NAN, NAN);
  MUST(oy_stream_wait(first, s));
  assert_elements(y, OY_DIMS(2), 3, 8);
  oy_tensor_release(y);
  oy_tensor_release(b);
  oy_tensor_release(a);
}

static void ENG_17_nodes_run_on_their_forward_stream(void** state) {
  (void)state;
  const oy_stream first = oy_stream_default(on(0)), s = g_streams[0], t = g_streams[1];
  oy_tensor *x = leaf(1, 2), *w = leaf(3, 4), *g = there(1, 10);
  oy_tensor* a = product_on(s, first, x, w);  // 3 8
  oy_tensor* b = product_on(t, s, a, w);      // 9 32
  MUST(oy_stream_wait(first, t));
  oy_tensor* c = product_on(first, first, b, x);  // 9 64
  assert_muls(3, (uint64_t[]){s.id, t.id, first.id});
  MUST(oy_backward(c, g, false));
  // Two products each: by one input, by the other.
  assert_muls(6, (uint64_t[]){first.id, first.id, t.id, t.id, s.id, s.id});
  oy_stream now;
  MUST(oy_stream_current(on(0), &now));
  assert_int_equal(now.id, first.id);
  // c = x^2 w^2, read on the stream that was current for the walk.
  assert_elements(oy_grad(x), OY_DIMS(2), 2 * 1 * 9, 10 * 2 * 2 * 16);
  assert_elements(oy_grad(w), OY_DIMS(2), 2 * 1 * 3, 10 * 2 * 4 * 4);
  assert_true(lazy_device_recorded() > 0);
  oy_tensor* all[] = {c, b, a, g, w, x};
  release_all(all, sizeof(all) / sizeof(*all));
}

// Gradients of three streams meet in a result that has a fourth, and in a leaf.
static void ENG_17_sums_wait_for_every_stream(void** state) {
  (void)state;
  const oy_stream first = oy_stream_default(on(0));
  oy_tensor *x = leaf(1, 2), *w = there(3, 4), *g = there(1, 1);
  oy_tensor* m = product_on(g_streams[0], first, x, w);
  MUST(oy_stream_wait(first, g_streams[0]));
  oy_tensor *parts[3], *sum = NULL;
  for (int i = 0; i < 3; i++) {
    const oy_stream s = i < 2 ? g_streams[1 + i] : first;
    parts[i] = product_on(s, first, m, i == 1 ? x : w);
    if (i < 2) MUST(oy_stream_wait(first, s));
    oy_tensor* more = sum ? oy_add_Tensor(sum, parts[i], ALPHA1) : NULL;
    oy_tensor_release(sum);
    sum = sum ? more : oy_tensor_retain(parts[i]);
  }
  MUST(oy_backward(sum, g, true));
  // sum = 2 x w^2 + x^2 w
  assert_elements(oy_grad(x), OY_DIMS(2), 2 * 9 + 2 * 3, 2 * 16 + 2 * 2 * 4);
  MUST(oy_backward(sum, g, false));
  assert_elements(oy_grad(x), OY_DIMS(2), 2 * (2 * 9 + 2 * 3), 2 * (2 * 16 + 2 * 2 * 4));
  oy_tensor_release(sum);
  for (int i = 0; i < 3; i++) oy_tensor_release(parts[i]);
  oy_tensor* all[] = {m, g, w, x};
  release_all(all, sizeof(all) / sizeof(*all));
}

// The walk waits for what its caller puts on the current stream, and the other way round.
static void ENG_17_the_callers_stream(void** state) {
  (void)state;
  const oy_stream first = oy_stream_default(on(0)), s = g_streams[0], u = g_streams[2];
  oy_tensor *x = leaf(1, 2), *w = there(3, 4), *ten = there(10, 10);
  oy_tensor* y = product_on(s, first, x, w);
  oy_stream_guard guard;
  MUST(oy_stream_wait(u, first));
  MUST(oy_stream_guard_enter(u, &guard));
  oy_tensor* g = oy_mul_Tensor(ten, ten);  // late, on |u|
  oy_tensor* captured = NULL;
  MUST(oy_gradients(&y, &g, 1, &x, 1, &(oy_backward_options){.retain_graph = true},
                    &captured));
  assert_elements(captured, OY_DIMS(2), 300, 400);
  MUST(oy_backward(y, g, false));
  assert_elements(oy_grad(x), OY_DIMS(2), 300, 400);
  MUST(oy_stream_guard_leave(&guard));
  oy_tensor* all[] = {captured, g, y, ten, w, x};
  release_all(all, sizeof(all) / sizeof(*all));
}

// ------------------------------------------------------------------ who sees the stream

static oy_status note_stream(void* data, oy_tensor* grad, oy_tensor** out_grad) {
  (void)out_grad;
  oy_stream now;
  OY_TRY(oy_stream_current(oy_tensor_device(grad), &now));
  *(uint64_t*)data = now.id;
  return OY_OK;
}

static oy_status twice(oy_function_context* c, oy_tensor* const* inputs, size_t count,
                       oy_tensor** outputs) {
  (void)c, (void)count;
  outputs[0] = oy_add_Tensor(inputs[0], inputs[0], ALPHA1);
  return outputs[0] ? OY_OK : oy_failure();
}
static oy_status twice_back(oy_function_context* c, oy_tensor* const* grads, size_t count,
                            oy_tensor** out_grads, size_t inputs) {
  (void)count, (void)inputs;
  OY_TRY(note_stream(oy_function_data(c), grads[0], NULL));
  out_grads[0] = oy_add_Tensor(grads[0], grads[0], ALPHA1);
  return out_grads[0] ? OY_OK : oy_failure();
}

static void ENG_17_hooks_and_functions_see_the_stream(void** state) {
  (void)state;
  const oy_stream first = oy_stream_default(on(0)), s = g_streams[1];
  static const oy_function fn = {
      .name = "Twice", .forward = twice, .backward = twice_back, .outputs = 1};
  uint64_t by_hook = 99, by_leaf = 99, by_function = 99;
  oy_tensor *x = leaf(1, 2), *g = there(1, 2), *y = NULL;
  oy_stream_guard guard;
  MUST(oy_stream_wait(s, first));
  MUST(oy_stream_guard_enter(s, &guard));
  MUST(oy_function_apply(&fn, &by_function, &x, 1, &y));
  MUST(oy_stream_guard_leave(&guard));
  assert_true(oy_register_hook(y, note_stream, &by_hook, NULL) != 0);
  assert_true(oy_register_post_accumulate_grad_hook(x, note_stream, &by_leaf, NULL) != 0);
  MUST(oy_backward(y, g, false));
  assert_int_equal(by_function, s.id);
  assert_int_equal(by_hook, s.id);
  assert_int_equal(by_leaf, s.id);
  assert_elements(oy_grad(x), OY_DIMS(2), 2, 4);
  oy_tensor* all[] = {y, g, x};
  release_all(all, sizeof(all) / sizeof(*all));
}

// A leaf's accumulation has the stream of the graph that it is part of.
static void ENG_17_leaves_take_the_stream_of_each_graph(void** state) {
  (void)state;
  const oy_stream first = oy_stream_default(on(0));
  oy_tensor *x = leaf(1, 2), *w = there(3, 4), *g = there(1, 1);
  uint64_t seen = 99;
  assert_true(oy_register_post_accumulate_grad_hook(x, note_stream, &seen, NULL) != 0);
  for (int i = 0; i < 3; i++) {
    const oy_stream s = i == 0 ? first : g_streams[i];
    oy_tensor* y = product_on(s, first, x, w);
    MUST(oy_backward(y, g, false));
    assert_int_equal(seen, s.id);
    assert_elements(oy_grad(x), OY_DIMS(2), 3 * (i + 1), 4 * (i + 1));
    oy_tensor_release(y);
  }
  oy_tensor* all[] = {g, w, x};
  release_all(all, sizeof(all) / sizeof(*all));
}

// A walk that is recorded gives nodes of the streams that it ran on.
static void ENG_17_second_derivatives(void** state) {
  (void)state;
  const oy_stream first = oy_stream_default(on(0)), s = g_streams[0];
  oy_tensor *x = leaf(2, 3), *g = there(1, 1);
  oy_tensor* square = product_on(s, first, x, x);
  oy_tensor* cube = product_on(g_streams[1], s, square, x);
  const oy_backward_options create = {.create_graph = true};
  oy_tensor *once = NULL, *more = NULL;
  MUST(oy_gradients(&cube, &g, 1, &x, 1, &create, &once));
  assert_elements(once, OY_DIMS(2), 12, 27);
  MUST(oy_gradients(&once, &g, 1, &x, 1, NULL, &more));
  assert_elements(more, OY_DIMS(2), 12, 18);
  oy_tensor* all[] = {more, once, cube, square, g, x};
  release_all(all, sizeof(all) / sizeof(*all));
}

// A write through a view, and the view's history.
static void ENG_17_writes_through_views(void** state) {
  (void)state;
  const oy_stream first = oy_stream_default(on(0)), s = g_streams[0];
  oy_tensor *x = leaf(1, 2), *w = there(3, 4), *g = there(1, 10);
  oy_stream_guard guard;
  MUST(oy_stream_wait(s, first));
  MUST(oy_stream_guard_enter(s, &guard));
  oy_tensor* y = oy_mul_Tensor(x, w);
  oy_tensor* view = oy_view(y, OY_DIMS(1, 2));
  oy_tensor* row = oy_view(x, OY_DIMS(1, 2));
  assert_non_null(oy_add__Tensor(view, row, ALPHA1));
  MUST(oy_stream_guard_leave(&guard));
  MUST(oy_backward(y, g, false));
  assert_elements(oy_grad(x), OY_DIMS(2), 3 + 1, 10 * (4 + 1));
  oy_tensor* all[] = {row, view, y, g, w, x};
  release_all(all, sizeof(all) / sizeof(*all));
}

// Between two devices each has its own streams.
static void ENG_17_two_devices(void** state) {
  (void)state;
  const oy_stream first = oy_stream_default(on(0)), s = g_streams[0];
  oy_tensor *x = leaf(1, 2), *w = there(3, 4);
  oy_tensor* y = product_on(s, first, x, w);
  oy_stream_guard guard;
  MUST(oy_stream_guard_enter(s, &guard));
  oy_tensor* z = oy__to_copy(y, oy_none(), oy_none(), oy_value_device(on(1)), oy_none(),
                             false, oy_none());
  MUST(oy_stream_guard_leave(&guard));
  oy_tensor* here = F32(OY_DIMS(2), 5, 6);
  oy_tensor* g = oy_tensor_copy_to(here, OY_DTYPE_F32, on(1));
  MUST(oy_backward(z, g, false));
  assert_elements(oy_grad(x), OY_DIMS(2), 15, 24);
  oy_tensor* all[] = {g, here, z, y, w, x};
  release_all(all, sizeof(all) / sizeof(*all));
}

// A stream that was given back has done its work: the caller's does the rest.
static void ENG_17_streams_that_are_gone(void** state) {
  (void)state;
  const oy_stream first = oy_stream_default(on(0));
  oy_stream s;
  MUST(oy_stream_create(on(0), 0, &s));
  oy_tensor *x = leaf(1, 2), *w = there(3, 4), *g = there(1, 1);
  oy_tensor* y = product_on(s, first, x, w);
  oy_stream_destroy(s);
  MUST(oy_backward(y, g, false));
  assert_elements(oy_grad(x), OY_DIMS(2), 3, 4);
  oy_tensor* all[] = {y, g, w, x};
  release_all(all, sizeof(all) / sizeof(*all));
}

int main(void) {
#define WITH_STREAMS(test) \
  cmocka_unit_test_setup_teardown(test, open_streams, close_streams)
  const struct CMUnitTest tests[] = {
      WITH_STREAMS(ENG_17_what_is_not_waited_for_is_seen),
      WITH_STREAMS(ENG_17_nodes_run_on_their_forward_stream),
      WITH_STREAMS(ENG_17_sums_wait_for_every_stream),
      WITH_STREAMS(ENG_17_the_callers_stream),
      WITH_STREAMS(ENG_17_hooks_and_functions_see_the_stream),
      WITH_STREAMS(ENG_17_leaves_take_the_stream_of_each_graph),
      WITH_STREAMS(ENG_17_second_derivatives),
      WITH_STREAMS(ENG_17_writes_through_views),
      WITH_STREAMS(ENG_17_two_devices),
      WITH_STREAMS(ENG_17_streams_that_are_gone),
  };
  return cmocka_run_group_tests(tests, start, stop);
}
