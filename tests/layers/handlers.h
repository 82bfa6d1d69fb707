// SPDX-License-Identifier: Apache-2.0
// Handlers for tests, what they saw, and two tensors.
#ifndef OPYARD_TESTS_LAYERS_HANDLERS_H_
#define OPYARD_TESTS_LAYERS_HANDLERS_H_

#include "support/tensors.h"

#define MUST(call) assert_int_equal(call, OY_OK)

// What handlers saw: a line for each, "name aten::mm".
static char g_seen[4096];
HELPER void see(const char* name, const oy_op* op) {
  size_t at = strlen(g_seen);
  oy_str text = oy_op_name_of(op);
  snprintf(g_seen + at, sizeof(g_seen) - at, "%s %.*s\n", name, OY_STR_ARG(text));
}
#define assert_seen(text)              \
  do {                                 \
    assert_string_equal(g_seen, text); \
    g_seen[0] = '\0';                  \
  } while (0)

static oy_tensor *g_x, *g_y;
HELPER int open_tensors(void** state) {
  (void)state;
  g_x = F32(OY_DIMS(2, 2), 1, 2, 3, 4);
  g_y = F32(OY_DIMS(2, 2), 10, 20, 30, 40);
  g_seen[0] = '\0';
  oy_error_clear();
  return 0;
}
// Every test leaves the thread as it was.
HELPER int close_tensors(void** state) {
  (void)state;
  oy_tensor_release(g_x);
  oy_tensor_release(g_y);
  bool clean = !oy_mode_innermost() && !oy_included_has(OY_KEY_Python) &&
               !oy_included_has(OY_KEY_PythonTLSSnapshot) &&
               !oy_excluded_has(OY_KEY_AutogradFunctionality);
  return clean ? 0 : -1;
}

HELPER oy_status pass(oy_handler_call* call) {
  see(call->data, call->op);
  return oy_handler_run(call);
}
HELPER oy_status decline(oy_handler_call* call) {
  see(call->data, call->op);
  call->not_implemented = true;
  return OY_OK;
}
HELPER oy_status fail_it(oy_handler_call* call) {
  (void)call;
  return OY_FAIL(INVALID_ARGUMENT, "no");
}
// Gives what |data| points to instead.
HELPER oy_status give(oy_handler_call* call) {
  return oy_handler_return(call, *(oy_value*)call->data);
}

#define WITH_TENSORS(f) cmocka_unit_test_setup_teardown(f, open_tensors, close_tensors)

#endif  // OPYARD_TESTS_LAYERS_HANDLERS_H_
