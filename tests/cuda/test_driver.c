// SPDX-License-Identifier: Apache-2.0
// The plugin on a driver that fails, is late, runs out of memory, or is not there.
#include <dlfcn.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda/sim/sim.h"
#include "gpu/support.h"

#define T(t) oy_value_tensor(t)

extern char** environ;

static struct {
  __typeof__(&cudasim_fail) fail_at;
  __typeof__(&cudasim_fail_none) fail_none;
  __typeof__(&cudasim_calls) calls;
  __typeof__(&cudasim_limit) limit;
  __typeof__(&cudasim_count) count;
  __typeof__(&cudasim_products) products;
} sim;

static void find_sim(void) {
  void* library = dlopen(OY_CUDASIM, RTLD_NOW | RTLD_LOCAL);
  if (!library) exit(1);
  *(void**)&sim.fail_at = dlsym(library, "cudasim_fail");
  *(void**)&sim.fail_none = dlsym(library, "cudasim_fail_none");
  *(void**)&sim.calls = dlsym(library, "cudasim_calls");
  *(void**)&sim.limit = dlsym(library, "cudasim_limit");
  *(void**)&sim.count = dlsym(library, "cudasim_count");
  *(void**)&sim.products = dlsym(library, "cudasim_products");
}

static cudasim_counts counts(void) {
  cudasim_counts now;
  sim.count(&now);
  return now;
}

static void reload(void) {
  oy_loaded_plugin* plugin = oy_plugin_find(oy_str_of("cuda"));
  oy_plugin_held held = {.struct_size = sizeof(held)};
  if (plugin && oy_plugin_unload(plugin, OY_UNLOAD_IF_FREE, &held) != OY_OK)
    fail_msg("%s", oy_error_get()->message);
  if (oy_plugin_load(oy_str_of(OY_PLUGIN), &plugin) != OY_OK)
    fail_msg("%s", oy_error_get()->message);
}

// ------------------------------------------------------------- failing entry points

// Something of everything: whether all of it went well.
static bool work(const oy_tensor* a) {
  oy_device d = gpu_device(0);
  oy_stream s;
  oy_event first, last;
  double passed = 0;
  bool done = false;
  oy_tensor* there = oy_tensor_copy_to(a, OY_DTYPE_ANY, d);
  oy_value args[] = {T(there), T(there)}, sum[1];
  bool good = there && call_op("aten::mul.Tensor", 2, args, sum) == 1;
  oy_tensor* back =
      good ? oy_tensor_copy_to(sum[0].as.object, OY_DTYPE_ANY, oy_device_cpu()) : NULL;
  if (good) oy_value_release(&sum[0]);
  good = good && back;
  oy_tensor* pinned = oy_tensor_empty_pinned(OY_DIMS(10), OY_DTYPE_F32, d.backend);
  good = good && pinned &&
         oy_tensor_copy_from(there, pinned, true) == OY_OK;  // does not wait
  oy_tensor_release(pinned);
  if (oy_stream_create(d, 0, &s) == OY_OK) {
    good = good && oy_stream_wait(s, oy_stream_default(d)) == OY_OK &&
           oy_stream_query(s, &done) == OY_OK && oy_stream_synchronize(s) == OY_OK;
    oy_stream_destroy(s);
  } else {
    good = false;
  }
  bool begun = oy_event_create(d, OY_EVENT_TIMING, &first) == OY_OK;
  bool ended = oy_event_create(d, OY_EVENT_TIMING, &last) == OY_OK;
  good = good && begun && ended &&
         oy_event_record(first, oy_stream_default(d)) == OY_OK &&
         oy_event_record(last, oy_stream_default(d)) == OY_OK &&
         oy_event_query(last, &done) == OY_OK && oy_event_synchronize(last) == OY_OK &&
         oy_event_elapsed(first, last, &passed) == OY_OK;
  if (begun) oy_event_destroy(first);
  if (ended) oy_event_destroy(last);
  oy_tensor_release(there);
  oy_tensor_release(back);
  return good;
}

static const char* const g_names[] = {
#define CUDA_FN(name, version, parameters) #name,
#include "backends/cuda/cuda_api.def"
#undef CUDA_FN
};

// Whether its failure is for nobody to see: it takes something back, or only names.
static bool is_silent(const char* name) {
  static const char* const silent[] = {"GetErrorName",  "DevicePrimaryCtxRelease",
                                       "MemFree",       "MemFreeHost",
                                       "StreamDestroy", "EventDestroy",
                                       "ModuleUnload"};
  for (size_t i = 0; i < sizeof(silent) / sizeof(*silent); i++)
    if (strcmp(silent[i], name) == 0) return true;
  return false;
}

// Each entry point fails always, then at its first, second, third call: an error that has
// its code, and all is well again afterwards.
static void cuda_failures(void** state) {
  (void)state;
  oy_tensor* a = numbers(OY_DIMS(10), OY_DTYPE_F32, 1);
  for (size_t i = 0; i < sizeof(g_names) / sizeof(*g_names); i++)
    for (int skip = -1; skip < 3; skip++) {
      reload();
      sim.fail_at(g_names[i], skip, 719);
      bool good = work(a);
      if (good && skip == -1 && !is_silent(g_names[i]) && sim.calls(g_names[i]) > 0)
        fail_msg("cu%s fails, and nobody says so", g_names[i]);
      if (!good && !strstr(oy_error_get()->message, "719"))
        fail_msg("cu%s: expected a message with its code, got: %s", g_names[i],
                 oy_error_get()->message);
      sim.fail_none();
      oy_error_clear();
      reload();
      if (!work(a)) fail_msg("after cu%s: %s", g_names[i], oy_error_get()->message);
    }
  assert_int_equal(counts().damaged, 0);
  oy_tensor_release(a);
}

// ------------------------------------------------------------------------- memory

static void cuda_out_of_memory(void** state) {
  (void)state;
  enum { MIB = 1 << 20 };
  reload();
  sim.limit(counts().bytes + 64 * (size_t)MIB);
  oy_device d = gpu_device(0);
  oy_tensor* a = oy_tensor_empty(OY_DIMS(40 * MIB), OY_DTYPE_U8, d);
  assert_non_null(a);
  oy_tensor_release(a);
  uint64_t kept = counts().bytes;
  assert_true(kept >= 40 * MIB);
  // What is kept of another size is given up for it.
  oy_tensor* b = oy_tensor_empty(OY_DIMS(60 * MIB), OY_DTYPE_U8, d);
  assert_non_null(b);
  assert_null(oy_tensor_empty(OY_DIMS(30 * MIB), OY_DTYPE_U8, d));
  assert_int_equal(oy_error_get()->code, OY_OUT_OF_MEMORY);
  assert_non_null(strstr(oy_error_get()->message, "CUDA_ERROR_OUT_OF_MEMORY"));
  oy_error_clear();
  oy_tensor_release(b);
  sim.limit(0);
}

// A block that went back is taken again without asking the driver.
static void cuda_blocks_are_kept(void** state) {
  (void)state;
  oy_device d = gpu_device(0);
  oy_tensor_release(oy_tensor_empty(OY_DIMS(1000), OY_DTYPE_F32, d));
  uint64_t calls = sim.calls("MemAlloc");
  for (int i = 0; i < 100; i++)
    oy_tensor_release(oy_tensor_empty(OY_DIMS(990 + i % 10), OY_DTYPE_F32, d));
  assert_int_equal(sim.calls("MemAlloc"), calls);
  uint64_t blocks = counts().blocks;
  oy_device_trim(d);
  assert_true(counts().blocks < blocks);
}

// ------------------------------------------------------------------- pinned memory

// Pinned memory that goes back while a copy is still to come is not given out before.
static void cuda_pinned(void** state) {
  (void)state;
  oy_device d = gpu_device(0);
  oy_tensor* there = oy_tensor_empty(OY_DIMS(100), OY_DTYPE_F32, d);
  oy_tensor* first = oy_tensor_empty_pinned(OY_DIMS(100), OY_DTYPE_F32, d.backend);
  float* data = oy_tensor_data(first);
  for (int i = 0; i < 100; i++) data[i] = (float)i;
  assert_true(oy_tensor_is_pinned(first));
  uint64_t pending = counts().pending;
  assert_int_equal(oy_tensor_copy_from(there, first, true), OY_OK);
  assert_true(counts().pending > pending);  // it has not happened
  oy_tensor_release(first);
  oy_tensor* second = oy_tensor_empty_pinned(OY_DIMS(100), OY_DTYPE_F32, d.backend);
  memset(oy_tensor_data(second), 0xff, 400);
  oy_tensor* back = to_cpu(there);
  for (int i = 0; i < 100; i++)
    if (((const float*)oy_tensor_data(back))[i] != (float)i)
      fail_msg("element %d was overwritten", i);
  oy_tensor_release(there);
  oy_tensor_release(second);
  oy_tensor_release(back);
  uint64_t calls = sim.calls("MemHostAlloc");
  oy_tensor* third = oy_tensor_empty_pinned(OY_DIMS(100), OY_DTYPE_F32, d.backend);
  assert_int_equal(sim.calls("MemHostAlloc"), calls);  // what is done is used again
  oy_tensor_release(third);
}

// ------------------------------------------------------------------------ products

static void check_products(oy_dtype d, double tolerance) {
  oy_tensor *a = numbers(OY_DIMS(5, 7), d, 1), *b = numbers(OY_DIMS(7, 3), d, 2);
  oy_tensor* ta = numbers_transposed(OY_DIMS(5, 7), d, 3);
  oy_tensor* tb = numbers_transposed(OY_DIMS(7, 3), d, 4);
  oy_tensor *aa = numbers(OY_DIMS(4, 5, 7), d, 7), *bb = numbers(OY_DIMS(4, 7, 3), d, 8);
  oy_tensor *stepped = numbers_stepped(OY_DIMS(5, 7), d, 5),
            *c = numbers(OY_DIMS(3), d, 6);
  oy_tensor *row = numbers(OY_DIMS(1, 7), d, 9), *column = numbers(OY_DIMS(7, 1), d, 10);
  uint64_t before = sim.products();
  CHECK_CALL("aten::mm", tolerance, T(a), T(b));
  CHECK_CALL("aten::mm", tolerance, T(ta), T(b));
  CHECK_CALL("aten::mm", tolerance, T(a), T(tb));
  CHECK_CALL("aten::mm", tolerance, T(ta), T(tb));
  CHECK_CALL("aten::mm", tolerance, T(row), T(tb));
  CHECK_CALL("aten::mm", tolerance, T(ta), T(column));
  CHECK_CALL("aten::bmm", tolerance, T(aa), T(bb));
  CHECK_CALL("aten::addmm", tolerance, T(c), T(a), T(tb), oy_float(0.5), oy_float(2));
  assert_int_equal(sim.products() - before, 8);
  CHECK_CALL("aten::mm", tolerance, T(stepped), T(b));
  assert_int_equal(sim.products() - before, 8);
  oy_tensor* all[] = {a, b, ta, tb, aa, bb, c, stepped, row, column};
  for (size_t k = 0; k < sizeof(all) / sizeof(*all); k++) oy_tensor_release(all[k]);
}

// By cuBLASLt, whatever lies by rows or columns; by our own kernel, where steps do not fit.
static void cuda_products(void** state) {
  (void)state;
  check_products(OY_DTYPE_F32, 1e-6);
  check_products(OY_DTYPE_F64, 1e-14);
  check_products(OY_DTYPE_F16, 1e-3);
  check_products(OY_DTYPE_BF16, 1e-2);
}

// --------------------------------------------------------------------------- life

static void cuda_unload_leaves_nothing(void** state) {
  (void)state;
  oy_tensor* a = numbers(OY_DIMS(10), OY_DTYPE_F32, 1);
  assert_true(work(a));
  oy_tensor_release(a);
  oy_plugin_held held = {.struct_size = sizeof(held)};
  if (oy_plugin_unload(oy_plugin_find(oy_str_of("cuda")), OY_UNLOAD_IF_FREE, &held) !=
      OY_OK)
    fail_msg("%s", oy_error_get()->message);
  cudasim_counts left = counts();
  assert_int_equal(left.blocks, 0);
  assert_int_equal(left.pinned, 0);
  assert_int_equal(left.streams, 0);
  assert_int_equal(left.events, 0);
  assert_int_equal(left.modules, 0);
  assert_int_equal(left.contexts, 0);
  assert_int_equal(left.damaged, 0);
  reload();
}

// In a process of its own: the message where there is no driver.
static int child(void) {
  oy_loaded_plugin* plugin;
  oy_backend cuda;
  int16_t count;
  setenv("OPYARD_CUDA_DRIVER", "/nowhere/libcuda.so.1", 1);
  if (oy_init() != OY_OK || oy_plugin_load(oy_str_of(OY_PLUGIN), &plugin) != OY_OK ||
      !oy_backend_find(oy_str_of("CUDA"), &cuda) ||
      oy_device_count(cuda, &count) == OY_OK)
    return 1;
  const char* expected =
      "no CUDA: /nowhere/libcuda.so.1 cannot be opened; install NVIDIA's driver";
  if (strcmp(oy_error_get()->message, expected) != 0) return 2;
  oy_error_clear();
  // Using it says the same.
  oy_device d;
  if (oy_device_parse(oy_str_of("cuda:0"), &d) != OY_OK) return 3;
  if (oy_tensor_empty(OY_DIMS(2), OY_DTYPE_F32, d)) return 4;
  return strstr(oy_error_get()->message, expected) ? 0 : 5;
}

static void cuda_no_driver(void** state) {
  (void)state;
  char* const args[] = {"test_driver", "child", NULL};
  pid_t pid;
  int status = 0;
  assert_int_equal(posix_spawn(&pid, "/proc/self/exe", NULL, NULL, args, environ), 0);
  assert_int_equal(waitpid(pid, &status, 0), pid);
  assert_int_equal(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
}

int main(int count, char** args) {
  if (count > 1 && strcmp(args[1], "child") == 0) return child();
  gpu_start();
  find_sim();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cuda_unload_leaves_nothing),
      cmocka_unit_test(cuda_out_of_memory),
      cmocka_unit_test(cuda_blocks_are_kept),
      cmocka_unit_test(cuda_pinned),
      cmocka_unit_test(cuda_failures),
      cmocka_unit_test(cuda_no_driver),
      cmocka_unit_test(cuda_products),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
