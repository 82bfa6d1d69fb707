// SPDX-License-Identifier: Apache-2.0
// Streams, events, pinned memory and copies that do not block, on a device whose jobs are
// late on purpose.
#include "opyard/stream.h"
#include "support/sim_device.h"
#include "support/tensors.h"

static sim_device* g_sim;
static oy_backend g_backend;

static int start(void** state) {
  if (init_library(state) != 0) return -1;
  g_sim = sim_device_create(2, 20000);
  oy_device_hooks hooks = sim_device_hooks(g_sim);
  if (oy_backend_register(oy_str_of("Late"), &g_backend) != OY_OK) return -1;
  return oy_device_hooks_set(g_backend, &hooks) == OY_OK ? 0 : -1;
}
static int stop(void** state) {
  if (oy_device_hooks_set(g_backend, NULL) != OY_OK) return -1;
  sim_device_destroy(g_sim);
  return shut_library(state);
}
static oy_device on(int16_t index) {
  return oy_device_make(g_backend, index);
}

static void PU1_02_copies_from_pinned_memory_are_late(void** state) {
  (void)state;
  oy_stream s;
  oy_stream_guard guard;
  oy_tensor* pinned = oy_tensor_empty_pinned(OY_DIMS(1), OY_DTYPE_F32, g_backend);
  oy_tensor* there = oy_tensor_empty(OY_DIMS(1), OY_DTYPE_F32, on(0));
  assert_true(oy_tensor_is_pinned(pinned));
  assert_false(oy_tensor_is_pinned(there));
  *(float*)oy_tensor_data(pinned) = 7;
  assert_int_equal(oy_stream_create(on(0), 0, &s), OY_OK);
  assert_non_null(oy_stream_native(s));
  assert_int_equal(oy_stream_guard_enter(s, &guard), OY_OK);
  assert_int_equal(oy_tensor_copy_from(there, pinned, true), OY_OK);
  bool done = true;
  assert_int_equal(oy_stream_query(s, &done), OY_OK);
  assert_false(done);  // it sleeps first
  oy_stream current;
  assert_int_equal(oy_stream_current(on(0), &current), OY_OK);
  assert_int_equal(current.id, s.id);
  assert_int_equal(oy_stream_guard_leave(&guard), OY_OK);
  assert_int_equal(oy_stream_current(on(0), &current), OY_OK);
  assert_int_equal(current.id, OY_STREAM_DEFAULT);
  // The default stream reads after it.
  assert_int_equal(oy_stream_wait(oy_stream_default(on(0)), s), OY_OK);
  assert_elements(there, OY_DIMS(1), 7);
  assert_int_equal(sim_device_counts(g_sim).async_copies, 1);
  // Without pinned memory, a copy blocks whatever was asked.
  oy_tensor* plain = F32(OY_DIMS(1), 8);
  assert_int_equal(oy_tensor_copy_from(there, plain, true), OY_OK);
  assert_int_equal(sim_device_counts(g_sim).async_copies, 1);
  assert_int_equal(oy_tensor_record_stream(there, s), OY_OK);
  assert_int_equal(sim_device_counts(g_sim).recorded_streams, 1);
  oy_stream_destroy(s);
  oy_tensor_release(plain);
  oy_tensor_release(there);
  oy_tensor_release(pinned);
}

static void PU1_02_events_order_streams(void** state) {
  (void)state;
  oy_event a, b, elsewhere;
  bool happened = true;
  double ms = 0;
  oy_stream s = oy_stream_default(on(1));
  assert_int_equal(oy_event_create(on(1), OY_EVENT_TIMING, &a), OY_OK);
  assert_int_equal(oy_event_create(on(1), OY_EVENT_TIMING, &b), OY_OK);
  assert_int_equal(oy_event_create(on(0), 0, &elsewhere), OY_OK);
  assert_int_equal(oy_event_query(a, &happened), OY_OK);
  assert_true(happened);  // never recorded
  assert_int_equal(oy_event_record(a, s), OY_OK);
  assert_int_equal(oy_event_record(b, s), OY_OK);
  assert_int_equal(oy_event_query(b, &happened), OY_OK);
  assert_false(happened);
  assert_int_equal(oy_event_elapsed(a, b, &ms), OY_OK);
  assert_true(ms >= 19 && ms < 20000);  // each job sleeps 20 ms
  assert_int_equal(oy_event_record(elsewhere, s), OY_INVALID_ARGUMENT);
  assert_error("expected an event and a stream of one device");
  oy_event_destroy(a);
  oy_event_destroy(b);
  oy_event_destroy(elsewhere);
}

static void PU1_02_devices_without_streams(void** state) {
  (void)state;
  oy_stream s;
  bool done = false;
  assert_int_equal(oy_stream_current(oy_device_cpu(), &s), OY_OK);
  assert_int_equal(oy_stream_query(s, &done), OY_OK);
  assert_true(done);
  assert_int_equal(oy_stream_create(oy_device_cpu(), 0, &s), OY_NOT_IMPLEMENTED);
  assert_error("devices of CPU have no streams");
  oy_device cuda = oy_device_make(OY_BACKEND_CUDA, 0);
  assert_int_equal(oy_stream_create(cuda, 0, &s), OY_FAILED_PRECONDITION);
  assert_error("PyTorch is not linked with support for cuda devices");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(PU1_02_copies_from_pinned_memory_are_late),
      cmocka_unit_test(PU1_02_events_order_streams),
      cmocka_unit_test(PU1_02_devices_without_streams),
  };
  return cmocka_run_group_tests(tests, start, stop);
}
