// SPDX-License-Identifier: Apache-2.0
// Loading, refusing, replacing and unloading plugins.
#include "opyard/ops.h"
#include "plugin_files.h"

#include <dlfcn.h>
#include <pthread.h>

static oy_str text(const char* t) {
  return oy_str_of(t);
}

// testplug::scale of |x| by name; NULL if it fails.
static oy_tensor* scaled(oy_tensor* x) {
  const oy_op* op;
  if (oy_op_find(oy_registry_default(), text("testplug::scale"), &op) != OY_OK)
    return NULL;
  oy_stack stack = {0};
  if (oy_stack_push(&stack, oy_value_tensor(x)) != OY_OK) return NULL;
  oy_tensor* result = NULL;
  if (oy_op_call_boxed(op, &stack) == OY_OK)
    result = oy_tensor_retain(stack.data[0].as.object);
  oy_stack_reset(&stack);
  return result;
}

static oy_tensor* on_device(float value) {
  oy_device device;
  assert_int_equal(oy_device_parse(text("plug:1"), &device), OY_OK);
  oy_tensor* here = F32(OY_DIMS(2), value, -value);
  oy_tensor* there = oy_tensor_copy_to(here, OY_DTYPE_ANY, device);
  oy_tensor_release(here);
  return there;
}

// Nothing of the plugin is registered, and its code is gone.
static void assert_nothing_left(void) {
  assert_int_equal(oy_plugin_collect(), 0);
  const oy_op* op;
  oy_backend backend;
  assert_null(oy_plugin_find(text("testplug")));
  if (oy_op_find(oy_registry_default(), text("testplug::scale"), &op) == OY_OK)
    assert_null(oy_op_schema(op));
  oy_error_clear();
  if (oy_backend_find(text("Plug"), &backend))
    assert_false(oy_device_is_available(backend));
}

static void REG_18_load_use_unload(void** state) {
  (void)state;
  oy_loaded_plugin* p = load_as("v1", TEST_PLUGIN_FILE);
  if (!p) print_error("%s\n", oy_error_get()->message);
  assert_non_null(p);
  assert_ptr_equal(load_as("v1", TEST_PLUGIN_FILE), p);  // it is there
  assert_ptr_equal(oy_plugin_find(text("testplug")), p);
  oy_plugin_info info = {.struct_size = sizeof(info)};
  assert_int_equal(oy_plugin_get_info(p, &info), OY_OK);
  assert_string_equal(info.name, "testplug");
  assert_string_equal(info.version, "1.0");
  assert_int_equal(__builtin_popcountll(info.backends), 1);
  oy_tensor* x = on_device(3);
  oy_tensor* y = oy_relu(x);  // the plugin's kernel: times its version
  assert_elements(y, OY_DIMS(2), 3, -3);
  oy_tensor_release(y);
  oy_tensor_release(x);
  oy_plugin_held held = {.struct_size = sizeof(held)};
  assert_int_equal(oy_plugin_unload(p, OY_UNLOAD_IF_FREE, &held), OY_OK);
  assert_true(held.closed);
  assert_nothing_left();
  assert_int_equal(oy_plugin_unload(p, OY_UNLOAD_IF_FREE, NULL), OY_NOT_FOUND);
  assert_error("expected a plugin that is loaded, got one that was unloaded or replaced");
}

static void ROB_10_what_holds_a_plugin_is_named(void** state) {
  (void)state;
  oy_loaded_plugin* p = load_as("v1", TEST_PLUGIN_FILE);
  oy_tensor* x = on_device(1);
  oy_tensor* view = oy_tensor_view(x, OY_DIMS(1, 2));
  oy_plugin_held held = {.struct_size = sizeof(held)};
  assert_int_equal(oy_plugin_unload(p, OY_UNLOAD_IF_FREE, &held), OY_FAILED_PRECONDITION);
  assert_error(
      "plugin testplug cannot be unloaded while it is needed by 1 block (8 bytes) of "
      "Plug; "
      "release that, or unload it deferred");
  assert_int_equal(held.blocks, 1);
  assert_int_equal(held.bytes, 8);
  oy_tensor_release(x);
  assert_int_equal(oy_plugin_unload(p, OY_UNLOAD_IF_FREE, NULL), OY_FAILED_PRECONDITION);
  assert_elements(view, OY_DIMS(1, 2), 1, -1);  // nothing was changed
  // Deferred: out of use at once, the memory stays readable.
  assert_int_equal(oy_plugin_unload(p, OY_UNLOAD_DEFER, &held), OY_OK);
  assert_false(held.closed);
  assert_int_equal(oy_plugin_collect(), 1);
  assert_null(oy_plugin_find(text("testplug")));
  assert_elements(view, OY_DIMS(1, 2), 1, -1);
  assert_null(oy_relu(view));
  oy_error_clear();
  oy_tensor_release(view);
  assert_nothing_left();
}

static void ROB_10_objects_that_the_plugin_counts(void** state) {
  (void)state;
  oy_loaded_plugin* p = load_as("v1", TEST_PLUGIN_FILE);
  void* handle = dlopen(TEST_PLUGIN_FILE, RTLD_NOW | RTLD_NOLOAD);
  void (*hold)(uint64_t) = NULL;
  void* symbol = dlsym(handle, "test_plugin_hold");
  memcpy(&hold, &symbol, sizeof(hold));
  hold(3);
  assert_int_equal(oy_plugin_unload(p, OY_UNLOAD_IF_FREE, NULL), OY_FAILED_PRECONDITION);
  assert_non_null(strstr(oy_error_get()->message, "3 objects of its own: sessions"));
  oy_error_clear();
  hold(0);
  dlclose(handle);
  assert_int_equal(oy_plugin_unload(p, OY_UNLOAD_IF_FREE, NULL), OY_OK);
  assert_nothing_left();
}

static void PU1_02_plugins_that_lie_are_refused(void** state) {
  (void)state;
  static const struct {
    const char *kind, *says;
  } rows[] = {
      {"size_zero", "expected a plugin struct of"},
      {"size_huge", "expected a plugin struct of"},
      {"newer_minor",
       "was built for ABI version 1.2, and this library has 1.1; update the"},
      {"newer_major",
       "was built for ABI version 2.0, and this library has 1.1; build the"},
      {"major_zero",
       "was built for ABI version 0.7, and this library has 1.1; build the"},
      {"no_name", "to have a name that is an identifier"},
      {"bad_name", "to have a name that is an identifier"},
      {"no_load", "lacks a load function"},
      {"needs_more", "needs something (feature 40), which this library"},
      {"absent", "the plugin says that it cannot run here"},
      {"fails", "the device is on fire"},
      {"fails_silently", "the load function failed (INTERNAL) and did not say why"},
      {"half", "half of it is enough"},
      {"fails_late", "everything is registered"},
      {"strange", "and now it fails"},
      {"bad_hooks",
       "all of |allocate|, |release| and |copy|, or none, got allocate release"},
      {"short_hooks", "expected hooks of a device with a struct_size of"},
  };
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
    if (load_as(rows[i].kind, TEST_PLUGIN_FILE)) fail_msg("%s was loaded", rows[i].kind);
    if (!strstr(oy_error_get()->message, rows[i].says))
      fail_msg("%s: %s", rows[i].kind, oy_error_get()->message);
    oy_error_clear();
    assert_nothing_left();
  }
  oy_plugin_attempt last = {0}, a;
  for (size_t i = 0; oy_plugin_attempt_at(i, &a); i++)
    if (strcmp(a.path, TEST_PLUGIN_FILE) == 0) last = a;
  assert_int_equal(last.outcome, OY_PLUGIN_REFUSED);
  assert_non_null(strstr(last.reason, "struct_size"));
}

static void PU1_02_older_and_newer_headers_are_taken(void** state) {
  (void)state;
  static const char* const kinds[] = {"older", "longer", "shorter"};
  for (size_t i = 0; i < 3; i++) {
    oy_loaded_plugin* p = load_as(kinds[i], TEST_PLUGIN_FILE);
    if (!p) fail_msg("%s: %s", kinds[i], oy_error_get()->message);
    assert_int_equal(oy_plugin_unload(p, OY_UNLOAD_IF_FREE, NULL), OY_OK);
    assert_nothing_left();
  }
}

static void PU1_02_files_that_are_no_plugins(void** state) {
  (void)state;
  char* data;
  size_t size = read_plugin(&data);
  static const char garbage[] = "\177ELF but not for long";
  write_file(in_folder("text.so"), "hello", 5);
  write_file(in_folder("garbage.so"), garbage, sizeof(garbage));
  write_file(in_folder("half.so"), data, 4096);  // without its code
  write_file(in_folder("empty.so"), data, 0);
  data[18] ^= 0x55;  // the machine
  write_file(in_folder("machine.so"), data, size);
  free(data);
  static const char* const names[][2] = {{"text.so", "not a shared object"},
                                         {"garbage.so", "not a shared object"},
                                         {"half.so", "the file is cut off"},
                                         {"empty.so", "not a shared object"},
                                         {"machine.so", "for another machine"},
                                         {"nothing.so", "No such file or directory"},
                                         {".", "not a regular file"}};
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
    assert_null(load_as("v1", in_folder(names[i][0])));
    if (!strstr(oy_error_get()->message, names[i][1]))
      fail_msg("%s: %s", names[i][0], oy_error_get()->message);
    oy_error_clear();
  }
  assert_null(load_as("v1", "/proc/self/exe"));
  oy_error_clear();
  assert_null(load_as("v1", "nobody"));
  assert_int_equal(oy_error_get()->code, OY_NOT_FOUND);
  oy_error_clear();
  assert_nothing_left();
}

static void ROB_10_replaced_by_a_newer_version(void** state) {
  (void)state;
  oy_loaded_plugin *old = load_as("v1", TEST_PLUGIN_FILE), *p;
  oy_tensor* x = on_device(2);
  oy_tensor* here = F32(OY_DIMS(1), 5);
  oy_tensor* y = scaled(here);
  assert_elements(y, OY_DIMS(1), 5);
  oy_tensor_release(y);
  setenv("TEST_PLUGIN", "v2", 1);
  const char* path = copy_plugin("second.so");
  assert_int_equal(oy_plugin_replace(old, text(path), &p), OY_OK);
  assert_int_equal(oy_plugin_get_info(old, &(oy_plugin_info){.struct_size = 8}),
                   OY_NOT_FOUND);
  oy_error_clear();
  assert_ptr_equal(oy_plugin_find(text("testplug")), p);
  y = scaled(here);  // the operator stayed, its kernel is the new one
  assert_elements(y, OY_DIMS(1), 10);
  oy_tensor_release(y);
  // Memory of the old one, read by the new one's kernels, released by the old one.
  y = oy_relu(x);
  assert_elements(y, OY_DIMS(2), 4, -4);
  assert_int_equal(oy_plugin_collect(), 1);
  oy_tensor_release(x);
  assert_int_equal(oy_plugin_collect(), 0);
  assert_elements(y, OY_DIMS(2), 4, -4);
  oy_tensor_release(y);
  // By the very same file.
  setenv("TEST_PLUGIN", "v1", 1);
  old = p;
  assert_int_equal(oy_plugin_replace(old, text(path), &p), OY_OK);
  y = scaled(here);
  assert_elements(y, OY_DIMS(1), 5);
  oy_tensor_release(y);
  oy_tensor_release(here);
  assert_int_equal(oy_plugin_unload(p, OY_UNLOAD_IF_FREE, NULL), OY_OK);
  assert_nothing_left();
}

static void ROB_10_replacement_that_fails_changes_nothing(void** state) {
  (void)state;
  static const char* const kinds[] = {"fails",     "half",        "fails_late",
                                      "bad_hooks", "newer_major", "no_name"};
  oy_loaded_plugin *p = load_as("v1", TEST_PLUGIN_FILE), *none;
  oy_tensor* x = on_device(2);
  const char* path = copy_plugin("bad.so");
  for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
    setenv("TEST_PLUGIN", kinds[i], 1);
    assert_int_not_equal(oy_plugin_replace(p, text(path), &none), OY_OK);
    assert_null(none);
    oy_error_clear();
    assert_ptr_equal(oy_plugin_find(text("testplug")), p);
    oy_tensor* y = scaled(x);
    assert_elements(y, OY_DIMS(2), 2, -2);
    oy_tensor_release(y);
    oy_tensor* z = on_device(1);
    assert_non_null(z);
    oy_tensor_release(z);
    assert_int_equal(oy_plugin_collect(), 0);
  }
  oy_tensor_release(x);
  assert_int_equal(oy_plugin_unload(p, OY_UNLOAD_IF_FREE, NULL), OY_OK);
  assert_nothing_left();
}

static void ROB_10_a_file_that_was_replaced_on_disk(void** state) {
  (void)state;
  char path[256];
  snprintf(path, sizeof(path), "%s", copy_plugin("live.so"));
  oy_loaded_plugin *old = load_as("v1", path), *p;
  assert_non_null(old);
  assert_int_equal(rename(copy_plugin("new.so"), path), 0);
  setenv("TEST_PLUGIN", "v2", 1);
  assert_int_equal(oy_plugin_replace(old, text(path), &p), OY_OK);
  oy_tensor* here = F32(OY_DIMS(1), 5);
  oy_tensor* y = scaled(here);
  assert_elements(y, OY_DIMS(1), 10);
  oy_tensor_release(y);
  oy_tensor_release(here);
  assert_int_equal(oy_plugin_unload(p, OY_UNLOAD_IF_FREE, NULL), OY_OK);
  assert_nothing_left();
}

static void PU1_02_loaded_on_first_use(void** state) {
  (void)state;
  oy_device device;
  setenv("TEST_PLUGIN", "v1", 1);
  copy_plugin("libtestplug.so");
  write_manifest("testplug.plugin",
                 "opyard-plugin 1\n# of the tests\nname = testplug\n"
                 "library = libtestplug.so\nbackends = Other, Later\n");
  setenv("TEST_PLUGIN_BACKEND", "Later", 1);
  assert_int_equal(oy_device_parse(text("later:0"), &device), OY_PARSE);
  assert_non_null(strstr(oy_error_get()->notes, "no plugin announces later"));
  oy_error_clear();
  setenv("OPYARD_PLUGIN_PATH", g_folder, 1);
  assert_int_equal(oy_device_parse(text("later:0"), &device), OY_OK);
  oy_tensor* t = oy_tensor_empty(OY_DIMS(2), OY_DTYPE_F32, device);
  assert_non_null(t);
  oy_tensor_release(t);
  oy_loaded_plugin* p = oy_plugin_find(text("testplug"));
  assert_int_equal(oy_plugin_unload(p, OY_UNLOAD_IF_FREE, NULL), OY_OK);
  // By name.
  assert_int_equal(oy_plugin_load(text("testplug"), &p), OY_OK);
  assert_int_equal(oy_plugin_unload(p, OY_UNLOAD_IF_FREE, NULL), OY_OK);
  unsetenv("OPYARD_PLUGIN_PATH");
  unsetenv("TEST_PLUGIN_BACKEND");
}

static void PU1_02_one_that_cannot_run_says_why(void** state) {
  (void)state;
  oy_device_guard guard;
  setenv("TEST_PLUGIN", "fails", 1);
  copy_plugin("libtestplug.so");
  write_manifest("testplug.plugin",
                 "opyard-plugin 1\nname = testplug\nlibrary = libtestplug.so\n"
                 "backends = HIP\n");
  setenv("OPYARD_PLUGIN_PATH", g_folder, 1);
  oy_device hip = oy_device_make(OY_BACKEND_HIP, 0);
  assert_int_equal(oy_device_guard_enter(hip, &guard), OY_FAILED_PRECONDITION);
  assert_string_equal(oy_error_get()->message,
                      "PyTorch is not linked with support for hip devices");
  assert_non_null(strstr(oy_error_get()->notes, "was refused: the device is on fire"));
  oy_error_clear();
  unsetenv("OPYARD_PLUGIN_PATH");
}

typedef struct slow_call {
  oy_tensor* x;
  oy_tensor* result;
  int started;
} slow_call;
static void* run_slow(void* argument) {
  slow_call* call = argument;
  __atomic_store_n(&call->started, 1, __ATOMIC_RELEASE);
  call->result = scaled(call->x);
  return NULL;
}

static void ROB_10_calls_in_flight_finish_on_the_old_code(void** state) {
  (void)state;
  oy_loaded_plugin* p = load_as("slow", TEST_PLUGIN_FILE);
  slow_call call = {.x = F32(OY_DIMS(1), 7)};
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, run_slow, &call), 0);
  while (!__atomic_load_n(&call.started, __ATOMIC_ACQUIRE)) usleep(100);
  usleep(20 * 1000);  // it sleeps in the kernel
  assert_int_equal(oy_plugin_unload(p, OY_UNLOAD_IF_FREE, NULL), OY_OK);
  pthread_join(thread, NULL);
  assert_elements(call.result, OY_DIMS(1), 7);
  oy_tensor_release(call.result);
  oy_tensor_release(call.x);
  assert_nothing_left();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(REG_18_load_use_unload),
      cmocka_unit_test(ROB_10_what_holds_a_plugin_is_named),
      cmocka_unit_test(ROB_10_objects_that_the_plugin_counts),
      cmocka_unit_test(PU1_02_plugins_that_lie_are_refused),
      cmocka_unit_test(PU1_02_older_and_newer_headers_are_taken),
      cmocka_unit_test(PU1_02_files_that_are_no_plugins),
      cmocka_unit_test(ROB_10_replaced_by_a_newer_version),
      cmocka_unit_test(ROB_10_replacement_that_fails_changes_nothing),
      cmocka_unit_test(ROB_10_a_file_that_was_replaced_on_disk),
      cmocka_unit_test(PU1_02_loaded_on_first_use),
      cmocka_unit_test(PU1_02_one_that_cannot_run_says_why),
      cmocka_unit_test(ROB_10_calls_in_flight_finish_on_the_old_code),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
