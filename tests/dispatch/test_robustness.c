// SPDX-License-Identifier: Apache-2.0
// ROB rows that have no test of their own elsewhere: the function table, the
// error channel, what the "could not run" message tells.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>

#include "opyard/abi.h"

static oy_status twice(const oy_op* op, oy_keyset keys, oy_stack* stack,
                       const oy_kernel* kernel) {
  (void)op;
  (void)keys;
  (void)kernel;
  return oy_stack_push(stack, oy_int(2 * oy_stack_pop(stack).as.i));
}

// A plugin that uses nothing but the table.
static void ROB_01_a_plugin_through_the_table(void** state) {
  (void)state;
  const oy_api* api = oy_api_get(OY_ABI_VERSION);
  assert_non_null(api);
  assert_true(api->struct_size >= sizeof(oy_api));
  oy_library_params params = {NULL, OY_LIBRARY_DEF, "rob", 0, __FILE__, __LINE__};
  oy_library* library;
  assert_int_equal(api->library_create(&params, &library), OY_OK);
  oy_kernel_params kernel = OY_BOXED(twice);
  oy_def_params def = {
      .schema = "twice(int x) -> int", .kernel = &kernel, .place = OY_HERE};
  assert_int_equal(api->library_def(library, &def, NULL), OY_OK);
  const oy_op* op;
  assert_int_equal(api->op_find(api->registry_default(), oy_str_of("rob::twice"), &op),
                   OY_OK);
  oy_value storage[2];
  oy_stack stack;
  oy_stack_init(&stack, storage, 2);
  assert_int_equal(oy_stack_push(&stack, oy_int(21)), OY_OK);
  assert_int_equal(api->op_call_boxed(op, &stack), OY_OK);
  assert_int_equal(oy_stack_pop(&stack).as.i, 42);
  api->stack_reset(&stack);
  api->library_close(library);
}

static void ROB_01_versions(void** state) {
  (void)state;
  static const struct {
    uint32_t major, minor;
    bool taken;
  } rows[] = {{OY_ABI_MAJOR, 0, true},
              {OY_ABI_MAJOR, OY_ABI_MINOR + 1, false},
              {OY_ABI_MAJOR + 1, 0, false},
              {OY_ABI_MAJOR - 1, 9, false}};
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
    oy_error_clear();
    const oy_api* api = oy_api_get(rows[i].major << 16 | rows[i].minor);
    assert_int_equal(api != NULL, rows[i].taken);
    char wanted[32];
    snprintf(wanted, sizeof(wanted), "got %u.%u", rows[i].major, rows[i].minor);
    if (!api) assert_non_null(strstr(oy_error_get()->message, wanted));
  }
}

static void* other_thread(void* argument) {
  (void)argument;
  const oy_error* fresh = oy_error_get();
  bool clean = fresh->code == OY_OK && fresh->message[0] == '\0';
  (void)OY_FAIL(OUT_OF_RANGE, "of the other thread");
  return clean ? NULL : (void*)1;
}

static void ROB_03_error_record(void** state) {
  (void)state;
  oy_error_clear();
  oy_error_note("nothing is pending, so this is dropped");
  assert_string_equal(oy_error_get()->notes, "");
  assert_int_equal(OY_FAIL(INVALID_ARGUMENT, "size must be %s, got %d", "positive", -1),
                   OY_INVALID_ARGUMENT);
  oy_error_note("while allocating %s", "x");
  oy_error_note("while calling empty");
  oy_error_set_op(oy_str_of("aten::empty"));
  oy_error_set_argument(oy_str_of("size"));
  oy_error_set_detail(oy_str_of("a table"));
  const oy_error* e = oy_error_get();
  assert_string_equal(e->message, "size must be positive, got -1");
  assert_string_equal(e->notes, "while allocating x\nwhile calling empty");
  assert_string_equal(e->op, "aten::empty");
  assert_string_equal(e->argument, "size");
  assert_string_equal(e->detail, "a table");
  assert_non_null(strstr(e->file, "test_robustness.c"));
  pthread_t thread;
  void* result;
  assert_int_equal(pthread_create(&thread, NULL, other_thread, NULL), 0);
  pthread_join(thread, &result);
  assert_null(result);
  assert_string_equal(oy_error_get()->message, "size must be positive, got -1");
  // A new error may quote the old one, and starts without its notes.
  (void)OY_FAIL(INTERNAL, "again: %s", oy_error_get()->message);
  assert_string_equal(oy_error_get()->message, "again: size must be positive, got -1");
  assert_string_equal(oy_error_get()->notes, "");
  oy_error_clear();
  assert_int_equal(oy_error_get()->code, OY_OK);
}

static void ROB_03_codes_have_names(void** state) {
  (void)state;
#define OY_STATUS(name, value, python, meaning)      \
  assert_string_equal(oy_status_name(value), #name); \
  assert_string_equal(oy_status_python(value), python);
#include "opyard/status.def"
#undef OY_STATUS
  assert_string_equal(oy_status_name(9999), "UNKNOWN");
}

static size_t lines(const char* text) {
  size_t count = 1;
  for (; *text; text++) count += *text == '\n';
  return count;
}

static void ROB_09_message_names_owner_and_next_step(void** state) {
  (void)state;
  oy_registry* registry;
  assert_int_equal(oy_registry_create(&registry), OY_OK);
  oy_library* library;
  oy_library_params params = {registry, OY_LIBRARY_DEF, "vision", 0, "vision.c", 1};
  assert_int_equal(oy_library_create(&params, &library), OY_OK);
  oy_kernel_params kernel = OY_BOXED(twice);
  oy_def_params def = {.schema = "nms(int x) -> int",
                       .kernel = &kernel,
                       .key = OY_KEY_CPU,
                       .place = {"vision.c", 17, NULL}};
  assert_int_equal(oy_library_def(library, &def, NULL), OY_OK);
  const oy_op* op;
  assert_int_equal(oy_op_find(registry, oy_str_of("vision::nms"), &op), OY_OK);
  oy_stack stack;
  oy_value storage[2];
  oy_stack_init(&stack, storage, 2);
  assert_int_equal(oy_stack_push(&stack, oy_int(1)), OY_OK);
  assert_int_equal(oy_op_redispatch_boxed(op, oy_keyset_of(OY_KEY_CUDA), &stack),
                   OY_NOT_IMPLEMENTED);
  const oy_error* e = oy_error_get();
  static const char* const wanted[] = {
      "Could not run 'vision::nms' with arguments from the 'CUDA' backend.",
      "kernels: CPU", "defined: registered at vision.c:17", "next: "};
  for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
    assert_non_null(strstr(e->message, wanted[i]));
  assert_true(lines(e->message) <= 10);
  assert_string_equal(e->op, "vision::nms");
  assert_non_null(strstr(e->detail, "CPU: registered at vision.c:17 [kernel]"));
  oy_stack_reset(&stack);
  oy_registry_destroy(registry);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(ROB_01_a_plugin_through_the_table),
      cmocka_unit_test(ROB_01_versions),
      cmocka_unit_test(ROB_03_error_record),
      cmocka_unit_test(ROB_03_codes_have_names),
      cmocka_unit_test(ROB_09_message_names_owner_and_next_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
