// SPDX-License-Identifier: Apache-2.0
// Three devices: transfers, streams and events, the current device, tensors of several
// devices in one call, and gradients that go from one device to another.
#include <string.h>

#include "gpu/support.h"

#define T(t) oy_value_tensor(t)

// The one result of |op|, which the caller releases.
static oy_tensor* call1(const char* op, size_t count, const oy_value* args) {
  oy_value result[2];
  if (call_op(op, count, args, result) != 1)
    fail_msg("%s: %s", op, oy_error_get()->message);
  return result[0].as.object;
}
#define CALL(op, ...)                                             \
  call1(op, sizeof((oy_value[]){__VA_ARGS__}) / sizeof(oy_value), \
        (oy_value[]){__VA_ARGS__})

static void gpu_devices(void** state) {
  (void)state;
  int16_t count;
  oy_device_properties about = {.struct_size = sizeof(about)};
  assert_int_equal(oy_device_count((oy_backend)gpu_device(0).backend, &count), OY_OK);
  assert_int_equal(count, 3);
  assert_int_equal(oy_device_get_properties(gpu_device(1), &about), OY_OK);
  assert_true(about.name[0] != 0 && about.memory_bytes > 0);
  assert_null(oy_tensor_empty(OY_DIMS(2), OY_DTYPE_F32, gpu_device(3)));
  assert_int_not_equal(oy_error_get()->code, OY_OK);
  oy_error_clear();
}

static void gpu_transfers(void** state) {
  (void)state;
  oy_tensor* a = numbers(OY_DIMS(300, 7), OY_DTYPE_F32, 1);
  oy_tensor* first = to_gpu(a, 0);
  oy_tensor* second = oy_tensor_copy_to(first, OY_DTYPE_ANY, gpu_device(1));
  assert_non_null(second);
  oy_tensor* third = oy_tensor_empty(OY_DIMS(300, 7), OY_DTYPE_F64, gpu_device(2));
  oy_tensor* same =
      CALL("aten::copy_", T(third), T(second), oy_bool(false));  // converts on the way
  oy_tensor* back = oy_tensor_copy_to(third, OY_DTYPE_F32, oy_device_cpu());
  assert_ptr_equal(same, third);
  check_same(a, second, 0, "device to device");
  check_same(a, back, 0, "and back");
  oy_tensor_release(a);
  oy_tensor_release(first);
  oy_tensor_release(second);
  oy_tensor_release(third);
  oy_tensor_release(same);
  oy_tensor_release(back);
}

static void gpu_current_device(void** state) {
  (void)state;
  oy_device_guard guard;
  oy_device any = gpu_device(-1);
  assert_int_equal(oy_device_guard_enter(gpu_device(2), &guard), OY_OK);
  oy_tensor* t = oy_tensor_empty(OY_DIMS(4), OY_DTYPE_F32, any);
  assert_non_null(t);
  assert_int_equal(oy_tensor_device(t).index, 2);
  assert_int_equal(oy_device_guard_leave(&guard), OY_OK);
  oy_tensor* other = oy_tensor_empty(OY_DIMS(4), OY_DTYPE_F32, any);
  assert_int_equal(oy_tensor_device(other).index, 0);
  assert_int_not_equal(oy_device_guard_enter(gpu_device(9), &guard), OY_OK);
  oy_error_clear();
  oy_tensor_release(t);
  oy_tensor_release(other);
}

static void gpu_mixed_devices(void** state) {
  (void)state;
  oy_tensor* a = numbers(OY_DIMS(3), OY_DTYPE_F32, 1);
  oy_tensor *first = to_gpu(a, 0), *second = to_gpu(a, 1);
  oy_value results[2];
  oy_value devices[] = {T(first), T(second)}, host[] = {T(first), T(a)};
  assert_int_equal(call_op("aten::add.Tensor", 2, devices, results), -1);
  assert_string_equal(oy_error_get()->message,
                      "Expected all tensors to be on the same device, but found at least "
                      "two devices, " OY_PLUGIN_NAME ":0 and " OY_PLUGIN_NAME ":1!");
  assert_int_equal(call_op("aten::add.Tensor", 2, host, results), -1);
  assert_string_equal(oy_error_get()->message,
                      "Expected all tensors to be on the same device, but found at least "
                      "two devices, " OY_PLUGIN_NAME ":0 and cpu!");
  oy_error_clear();
  // A tensor of the CPU without dimensions goes with every device.
  oy_tensor* one = numbers(OY_DIMS(1), OY_DTYPE_F32, 2);
  oy_tensor* lone = oy_tensor_view(one, oy_dims_none());
  oy_tensor* expected = CALL("aten::mul.Tensor", T(a), T(lone));
  oy_tensor* got = CALL("aten::mul.Tensor", T(second), T(lone));
  assert_int_equal(oy_tensor_device(got).index, 1);
  check_same(expected, got, 0, "with a CPU number");
  oy_tensor_release(a);
  oy_tensor_release(first);
  oy_tensor_release(second);
  oy_tensor_release(one);
  oy_tensor_release(lone);
  oy_tensor_release(expected);
  oy_tensor_release(got);
}

static void gpu_streams(void** state) {
  (void)state;
  const oy_device_hooks* h = gpu_hooks();
  uint64_t stream, before, now, event, start;
  bool done = false;
  oy_tensor* a = numbers(OY_DIMS(1000), OY_DTYPE_F32, 1);
  oy_tensor* there = to_gpu(a, 0);
  assert_int_equal(h->stream_create(h->state, 0, 0, &stream), OY_OK);
  assert_int_not_equal(stream, 0);
  assert_int_equal(h->event_create(h->state, 0, OY_EVENT_TIMING, &event), OY_OK);
  assert_int_equal(h->event_create(h->state, 0, OY_EVENT_TIMING, &start), OY_OK);
  assert_int_equal(h->event_query(h->state, 0, event, &done), OY_OK);
  assert_true(done);  // never recorded
  assert_int_equal(h->event_record(h->state, 0, start, 0), OY_OK);
  // Work on the new stream, which the default one then waits for.
  assert_int_equal(h->stream_exchange(h->state, 0, stream, &before), OY_OK);
  assert_int_equal(before, 0);
  oy_tensor* twice = CALL("aten::add.Tensor", T(there), T(there));
  assert_int_equal(h->event_record(h->state, 0, event, stream), OY_OK);
  assert_int_equal(h->stream_exchange(h->state, 0, 0, &now), OY_OK);
  assert_int_equal(now, stream);
  assert_int_equal(h->event_wait(h->state, 0, event, 0), OY_OK);
  oy_tensor* got = CALL("aten::add.Tensor", T(twice), T(there));
  oy_tensor* expected = CALL("aten::mul.Scalar", T(a), oy_int(3));
  check_same(expected, got, 0, "over two streams");
  assert_int_equal(h->event_synchronize(h->state, 0, event), OY_OK);
  assert_int_equal(h->stream_synchronize(h->state, 0, stream), OY_OK);
  assert_int_equal(h->stream_query(h->state, 0, stream, &done), OY_OK);
  assert_true(done);  // no work came since it was waited for
  assert_non_null(h->stream_native(h->state, 0, stream));
  double passed = -1;
  assert_int_equal(h->event_elapsed(h->state, 0, start, event, &passed), OY_OK);
  assert_true(passed > 0 && passed < 600000);
  h->event_destroy(h->state, 0, event);
  h->event_destroy(h->state, 0, start);
  h->stream_destroy(h->state, 0, stream);
  assert_int_not_equal(h->stream_synchronize(h->state, 0, stream), OY_OK);
  assert_int_equal(oy_error_get()->code, OY_INVALID_ARGUMENT);
  oy_error_clear();
  oy_tensor_release(a);
  oy_tensor_release(there);
  oy_tensor_release(twice);
  oy_tensor_release(got);
  oy_tensor_release(expected);
}

// Blocks that go back while other streams still use them are not given out too early.
static void gpu_memory_across_streams(void** state) {
  (void)state;
  const oy_device_hooks* h = gpu_hooks();
  uint64_t stream, before;
  oy_tensor* a = numbers(OY_DIMS(50000), OY_DTYPE_F32, 1);
  oy_tensor* expected = CALL("aten::add.Tensor", T(a), T(a));
  assert_int_equal(h->stream_create(h->state, 0, 0, &stream), OY_OK);
  for (int i = 0; i < 30; i++) {
    oy_tensor* there = to_gpu(a, 0);
    assert_int_equal(h->stream_synchronize(h->state, 0, 0), OY_OK);
    assert_int_equal(h->stream_exchange(h->state, 0, stream, &before), OY_OK);
    oy_tensor* sum = CALL("aten::add.Tensor", T(there), T(there));
    assert_int_equal(h->stream_exchange(h->state, 0, 0, &before), OY_OK);
    oy_tensor_release(there);  // the other stream may not have read it yet
    oy_tensor* next = CALL("aten::zeros_like", T(sum));
    assert_int_equal(h->stream_synchronize(h->state, 0, stream), OY_OK);
    check_same(expected, sum, 0, "sum");
    oy_tensor_release(sum);
    oy_tensor_release(next);
  }
  h->stream_destroy(h->state, 0, stream);
  oy_tensor_release(a);
  oy_tensor_release(expected);
}

// Memory is counted by the library, and goes back when it is trimmed.
static void gpu_memory(void** state) {
  (void)state;
  oy_backend backend = (oy_backend)gpu_device(0).backend;
  oy_device_memory before = oy_device_memory_count(backend);
  oy_tensor* t = oy_tensor_empty(OY_DIMS(1 << 20), OY_DTYPE_F32, gpu_device(0));
  void* address = oy_tensor_storage_data(t);
  assert_int_equal(oy_device_memory_count(backend).blocks, before.blocks + 1);
  oy_tensor_release(t);
  assert_int_equal(oy_device_memory_count(backend).blocks, before.blocks);
  t = oy_tensor_empty(OY_DIMS(1 << 20), OY_DTYPE_F32, gpu_device(0));
  assert_ptr_equal(oy_tensor_storage_data(t), address);  // the block that was kept
  oy_tensor_release(t);
  oy_device_trim(gpu_device(0));
  t = oy_tensor_empty(OY_DIMS(1 << 20), OY_DTYPE_F32, gpu_device(0));
  assert_ptr_not_equal(oy_tensor_storage_data(t), address);
  oy_tensor_release(t);
  assert_null(oy_tensor_empty(OY_DIMS(1ll << 50), OY_DTYPE_U8, gpu_device(0)));
  assert_int_equal(oy_error_get()->code, OY_OUT_OF_MEMORY);
  oy_error_clear();
}

// x on the CPU, w on device 0, the sum on device 1.
static void gpu_gradients(void** state) {
  (void)state;
  oy_tensor* x = numbers(OY_DIMS(4, 5), OY_DTYPE_F32, 1);
  oy_tensor* w = numbers(OY_DIMS(5, 3), OY_DTYPE_F32, 2);
  oy_tensor* here[2] = {x, w};
  oy_tensor* grads[2][2];
  for (int pass = 0; pass < 2; pass++) {
    oy_tensor* a = oy_tensor_copy_to(x, OY_DTYPE_ANY, oy_device_cpu());
    oy_tensor* b =
        pass ? to_gpu(w, 0) : oy_tensor_copy_to(w, OY_DTYPE_ANY, oy_device_cpu());
    assert_non_null(oy_requires_grad_(a, true));
    assert_non_null(oy_requires_grad_(b, true));
    oy_value none = oy_none();
    oy_value to = oy_value_device(pass ? gpu_device(0) : oy_device_cpu());
    oy_value on = oy_value_device(pass ? gpu_device(1) : oy_device_cpu());
    oy_tensor* moved = CALL("aten::_to_copy", T(a), none, none, to);
    oy_tensor* product = CALL("aten::mm", T(moved), T(b));
    oy_tensor* bent = CALL("aten::tanh", T(product));
    oy_tensor* away = CALL("aten::_to_copy", T(bent), none, none, on);
    oy_tensor* sum = CALL("aten::sum", T(away));
    if (oy_backward(sum, NULL, false) != OY_OK) fail_msg("%s", oy_error_get()->message);
    grads[pass][0] = oy_tensor_retain(oy_grad(a));
    grads[pass][1] = oy_tensor_retain(oy_grad(b));
    assert_true(oy_device_equal(oy_tensor_device(grads[pass][1]), oy_tensor_device(b)));
    oy_tensor* all[] = {a, b, moved, product, bent, away, sum};
    for (int i = 0; i < 7; i++) oy_tensor_release(all[i]);
  }
  for (int i = 0; i < 2; i++) {
    check_same(grads[0][i], grads[1][i], 1e-5, i ? "gradient of w" : "gradient of x");
    oy_tensor_release(grads[0][i]);
    oy_tensor_release(grads[1][i]);
    oy_tensor_release(here[i]);
  }
}

int main(void) {
  gpu_start();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gpu_devices),
      cmocka_unit_test(gpu_transfers),
      cmocka_unit_test(gpu_current_device),
      cmocka_unit_test(gpu_mixed_devices),
      cmocka_unit_test(gpu_streams),
      cmocka_unit_test(gpu_memory),
      cmocka_unit_test(gpu_memory_across_streams),
      cmocka_unit_test(gpu_gradients),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
