// SPDX-License-Identifier: Apache-2.0
// A plugin that comes, is replaced, and goes, while four threads call its operators and
// hold its memory: no call that can succeed fails, no result is wrong, nothing is left.
// OPYARD_STRESS_CYCLES says how often; 10,000 is what is promised (ROB-10).
#include "opyard/ops.h"
#include "plugin_files.h"

#include <pthread.h>
#include <time.h>

enum { THREADS = 4 };

// Even while the plugin is not there. A call between two equal odd numbers has to succeed.
static uint64_t g_phase;
static bool g_ends;

typedef struct caller {
  pthread_t thread;
  const oy_op* op;
  uint64_t good, absent;
  char failure[512];
} caller;

static uint64_t phase(void) {
  return __atomic_load_n(&g_phase, __ATOMIC_SEQ_CST);
}

static oy_tensor* call(const oy_op* op, oy_tensor* x) {
  oy_stack stack = {0};
  if (!x || oy_stack_push(&stack, oy_value_tensor(x)) != OY_OK) return NULL;
  oy_tensor* result = NULL;
  if (oy_op_call_boxed(op, &stack) == OY_OK)
    result = oy_tensor_retain(stack.data[0].as.object);
  oy_stack_reset(&stack);
  return result;
}

// Version 1 or 2 of the operator: x, or 2 x.
static bool is_right(const oy_tensor* y, double x) {
  oy_scalar first;
  if (oy_tensor_get(y, (oy_ints){(const int64_t[]){1}, 1}, &first) != OY_OK) return false;
  return first.as.d == x || first.as.d == 2 * x;
}

static void note(caller* c, const char* what, const oy_tensor* y) {
  if (*c->failure) return;
  snprintf(c->failure, sizeof(c->failure), "%s%s: %s", what, y ? " (wrong result)" : "",
           oy_error_get()->message);
}

static void judge(caller* c, const char* what, oy_tensor* y, double x, uint64_t before) {
  bool was_there = (before & 1) && before == phase();
  bool good = y && is_right(y, x);
  if ((y && !good) || (!y && was_there)) note(c, what, y);
  if (good)
    c->good++;
  else
    c->absent++;
  oy_tensor_release(y);
  oy_error_clear();
}

// The plugin's kernel for the CPU, and then its devices: memory, copies, a kernel.
static void step(caller* c, int i, oy_device device) {
  double x = 1 + i % 50;
  oy_tensor* here = F32(OY_DIMS(2), 0, (float)x);
  uint64_t before = phase();
  judge(c, "scale on the CPU", call(c->op, here), x, before);
  before = phase();
  if (i % 4 == 0) {
    oy_tensor* there = oy_tensor_copy_to(here, OY_DTYPE_ANY, device);
    oy_tensor* y = call(c->op, there);
    judge(c, "scale on the device", y, x, before);
    oy_tensor_release(there);
  }
  oy_error_clear();
  oy_tensor_release(here);
}

static void* run(void* argument) {
  caller* c = argument;
  oy_backend backend;
  if (oy_backend_register(oy_str_of("Plug"), &backend) != OY_OK) return NULL;
  for (int i = 0; !__atomic_load_n(&g_ends, __ATOMIC_ACQUIRE); i++)
    step(c, i, oy_device_make(backend, (int16_t)(i % 2)));
  oy_tensor_trim();
  return NULL;
}

// Loads, replaces once, unloads.
static void cycle(const char* first, const char* second) {
  oy_loaded_plugin *p = load_as("v1", first), *q;
  if (!p) fail_msg("load: %s", oy_error_get()->message);
  __atomic_fetch_add(&g_phase, 1, __ATOMIC_SEQ_CST);
  setenv("TEST_PLUGIN", "v2", 1);
  if (oy_plugin_replace(p, oy_str_of(second), &q) != OY_OK)
    fail_msg("replace: %s", oy_error_get()->message);
  __atomic_fetch_add(&g_phase, 1, __ATOMIC_SEQ_CST);
  assert_int_equal(oy_plugin_unload(q, OY_UNLOAD_DEFER, NULL), OY_OK);
}

static long cycles(void) {
  const char* text = getenv("OPYARD_STRESS_CYCLES");
  long n = text ? atol(text) : 0;
  return n > 0 ? n : 200;
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void wait_until_closed(void) {
  for (int i = 0; i < 1000 && oy_plugin_collect(); i++) usleep(10 * 1000);
  assert_int_equal(oy_plugin_collect(), 0);
}

static void ROB_10_load_replace_unload_under_load(void** state) {
  (void)state;
  char first[256], second[256];
  static caller callers[THREADS];
  snprintf(first, sizeof(first), "%s", copy_plugin("first.so"));
  snprintf(second, sizeof(second), "%s", copy_plugin("second.so"));
  // The operator is known from now on, defined or not.
  oy_loaded_plugin* p = load_as("v1", first);
  assert_non_null(p);
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(
        oy_op_find(oy_registry_default(), oy_str_of("testplug::scale"), &callers[i].op),
        OY_OK);
  assert_int_equal(oy_plugin_unload(p, OY_UNLOAD_IF_FREE, NULL), OY_OK);
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&callers[i].thread, NULL, run, &callers[i]), 0);
  double begin = now();
  long n = cycles();
  for (long i = 0; i < n; i++) cycle(first, second);
  double seconds = now() - begin;
  __atomic_store_n(&g_ends, true, __ATOMIC_RELEASE);
  uint64_t good = 0, absent = 0;
  for (int i = 0; i < THREADS; i++) {
    pthread_join(callers[i].thread, NULL);
    if (*callers[i].failure) fail_msg("%s", callers[i].failure);
    good += callers[i].good;
    absent += callers[i].absent;
  }
  wait_until_closed();
  print_message("%ld cycles in %.2f s, %llu calls, %llu while it was away\n", n, seconds,
                (unsigned long long)good, (unsigned long long)absent);
  assert_true(good > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ROB_10_load_replace_unload_under_load),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
