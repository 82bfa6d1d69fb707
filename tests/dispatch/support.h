// SPDX-License-Identifier: Apache-2.0
// What the tests of the dispatcher share: a tensor of their own, short ways to
// register and to call, kernels that log what ran, and an allocator that counts
// and fails. Nothing here knows more than the public headers.
#ifndef OPYARD_TESTS_DISPATCH_SUPPORT_H_
#define OPYARD_TESTS_DISPATCH_SUPPORT_H_

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
// clang-format on

#include "opyard/allocator.h"
#include "opyard/library.h"

// A row of a group: the thread starts each test with its default state.
#define TEST(name) cmocka_unit_test_setup(name, test_setup)
int test_setup(void** state);
#define TEST_COUNT(array) (sizeof(array) / sizeof((array)[0]))

// ------------------------------------------------------------------- tensors

typedef struct test_tensor {
  oy_object object;
  double value;
} test_tensor;

// Counted on the heap; test_tensors_alive() tells how many there are.
oy_object* test_tensor_new(oy_keyset keys, double value);
int test_tensors_alive(void);
// One that is never destroyed, to be kept in the caller's frame.
test_tensor test_tensor_of(oy_keyset keys);
double test_value(const oy_object* tensor);

oy_keyset test_keyset(const oy_key* keys, size_t count);
#define TEST_KEYS(...)                       \
  test_keyset((const oy_key[]){__VA_ARGS__}, \
              sizeof((const oy_key[]){__VA_ARGS__}) / sizeof(oy_key))
// A plain tensor of a dense key, and one that needs a gradient.
#define TEST_PLAIN(key) TEST_KEYS(OY_KEY_##key)
#define TEST_GRAD(key) \
  TEST_KEYS(OY_KEY_##key, OY_KEY_ADInplaceOrView, OY_KEY_Autograd##key)

// -------------------------------------------------------------- registering

oy_registry* test_registry(void);
// A registry with the fallbacks that a runtime starts with: fallthrough at
// BackendSelect, ADInplaceOrView and the Autograd keys (debug text "fb").
// *out_fallbacks is the library that owns them.
oy_registry* test_registry_with_fallbacks(oy_library** out_fallbacks);
// Registered at lib.c:7.
oy_library* test_library(oy_registry* registry, oy_library_kind kind, const char* ns,
                         oy_key key);

typedef enum test_step_kind { TEST_DEF, TEST_IMPL, TEST_FALLBACK } test_step_kind;

// One registration; tables of these are what most tests are made of.
typedef struct test_step {
  test_step_kind kind;
  const char* text;  // schema or name of an operator
  oy_key key;
  const char* debug;
  oy_kernel_params kernel;
  bool has_kernel;  // DEF: with a kernel
  oy_alias_kind alias_kind;
  bool has_alias_kind;
  const char* tags;
  bool allow_override;
} test_step;

#define STEP_DEF(schema) \
  { .kind = TEST_DEF, .text = (schema), .debug = "def" }
#define STEP_IMPL(op, key_name, debug_text)                                           \
  {                                                                                   \
    .kind = TEST_IMPL, .text = (op), .key = OY_KEY_##key_name, .debug = (debug_text), \
    .kernel = TEST_TYPED_T_T(debug_text)                                              \
  }
#define STEP_BOXED(op, key_name, debug_text)                                          \
  {                                                                                   \
    .kind = TEST_IMPL, .text = (op), .key = OY_KEY_##key_name, .debug = (debug_text), \
    .kernel = TEST_BOXED(debug_text)                                                  \
  }
#define STEP_FALLTHROUGH(op, key_name, debug_text)                                    \
  {                                                                                   \
    .kind = TEST_IMPL, .text = (op), .key = OY_KEY_##key_name, .debug = (debug_text), \
    .kernel = {                                                                       \
      .fallthrough = true                                                             \
    }                                                                                 \
  }
#define STEP_FALLBACK(key_name, debug_text)                                 \
  {                                                                         \
    .kind = TEST_FALLBACK, .key = OY_KEY_##key_name, .debug = (debug_text), \
    .kernel = TEST_BOXED(debug_text)                                        \
  }
#define STEP_FALLBACK_FALLTHROUGH(key_name, debug_text)                                 \
  {                                                                                     \
    .kind = TEST_FALLBACK, .key = OY_KEY_##key_name, .debug = (debug_text), .kernel = { \
      .fallthrough = true                                                               \
    }                                                                                   \
  }

// Does the step through |library|, which must be of a fitting kind.
oy_status test_apply(oy_library* library, const test_step* step,
                     oy_registration** out_registration);
// Does it in a library of its own: FRAGMENT |ns|, or IMPL "_" for a fallback.
// On failure *out_library is NULL.
oy_status test_apply_alone(oy_registry* registry, const char* ns, const test_step* step,
                           oy_library** out_library);
// All of them, in a library each; closes with test_close.
typedef struct test_libraries {
  oy_library* library[32];
  size_t count;
} test_libraries;
void test_register(oy_registry* registry, const char* ns, const test_step* steps,
                   size_t count, test_libraries* out_libraries);
void test_close(test_libraries* libraries);

// ------------------------------------------------------------------- kernels

// Kernels write their name (the state they were registered with) to a log of
// the thread, together with the key set that they saw.
#define TEST_TYPED_T_T(name)                                                  \
  {                                                                           \
    .typed = (oy_typed_fn)test_kernel_t_t, .signature = "(Tensor) -> Tensor", \
    .state = (void*)(uintptr_t)(name)                                         \
  }
#define TEST_BOXED(name) \
  { .boxed = test_kernel_boxed, .state = (void*)(uintptr_t)(name) }

// (Tensor) -> Tensor: gives its argument back.
oy_object* test_kernel_t_t(const oy_op* op, oy_keyset keys, oy_object* self);
// The same, after a redispatch below the highest functionality of |keys|.
oy_object* test_kernel_t_t_next(const oy_op* op, oy_keyset keys, oy_object* self);
// () -> ()
oy_status test_kernel_void(const oy_op* op, oy_keyset keys);
// Any schema: gives back as many of its arguments as there are results.
oy_status test_kernel_boxed(const oy_op* op, oy_keyset keys, oy_stack* stack,
                            const oy_kernel* kernel);
oy_status test_kernel_boxed_next(const oy_op* op, oy_keyset keys, oy_stack* stack,
                                 const oy_kernel* kernel);

void test_log_add(const char* name, oy_keyset keys);
void test_log_clear(void);
// "autograd cpu": the names since the last clear, in order.
const char* test_log(void);
size_t test_log_count(void);
// What the i-th kernel saw.
oy_keyset test_log_keys(size_t i);

// --------------------------------------------------------------------- calls

// As generated calls do it.
oy_object* test_call_t_t(const oy_op* op, oy_object* self);
oy_object* test_call_tt_t(const oy_op* op, oy_object* a, oy_object* b);
oy_status test_call_void(const oy_op* op);
oy_object* test_redispatch_t_t(const oy_op* op, oy_keyset keys, oy_object* self);
// Boxed calls with one tensor; the result is dropped.
oy_status test_call_boxed(const oy_op* op, oy_object* self);
oy_status test_redispatch_boxed(const oy_op* op, oy_keyset keys, oy_object* self);
const oy_op* test_find(oy_registry* registry, const char* name);

// --------------------------------------------------------------------- texts

// Texts that live until thirty-two more were made.
const char* test_keep(char* text);  // frees |text| by oy_text_free
const char* test_printf(const char* format, ...) OY_PRINTF(1, 2);
const char* test_state(const oy_op* op);  // "" for NULL
const char* test_table(const oy_op* op);  // "" for NULL
const char* test_cell(const oy_op* op, oy_key key);
const char* test_extractor(const oy_op* op);  // "" for NULL
const char* test_message(void);               // of the pending error

#define assert_ok(expression) \
  test_assert_ok((expression), #expression, __FILE__, __LINE__)
// |code| 0: any code but OK. The whole message.
#define assert_error(expression, code, text) \
  test_assert_error((expression), code, text, true, #expression, __FILE__, __LINE__)
// A part of it.
#define assert_error_part(expression, code, text) \
  test_assert_error((expression), code, text, false, #expression, __FILE__, __LINE__)
#define assert_contains(text, part) \
  test_assert_contains((text), (part), true, __FILE__, __LINE__)
#define assert_lacks(text, part) \
  test_assert_contains((text), (part), false, __FILE__, __LINE__)
#define assert_keys(got, expected) test_assert_keys((got), (expected), __FILE__, __LINE__)
void test_assert_keys(oy_keyset got, oy_keyset expected, const char* file, int line);
void test_assert_ok(oy_status status, const char* what, const char* file, int line);
void test_assert_error(oy_status status, oy_status code, const char* text, bool whole,
                       const char* what, const char* file, int line);
void test_assert_contains(const char* text, const char* part, bool wanted,
                          const char* file, int line);

// ----------------------------------------------------------------- allocator

// Counts, and fails on demand; passes on to the C heap.
typedef struct test_heap {
  int64_t bytes;     // alive; atomic
  int64_t blocks;    // alive; atomic
  int64_t requests;  // made so far; atomic
  int64_t fail_at;   // number of the request that fails, 0 for none
  bool fail_after;   // and all that follow
  oy_allocator before;
} test_heap;
void test_heap_install(test_heap* heap);
void test_heap_remove(test_heap* heap);

#endif  // OPYARD_TESTS_DISPATCH_SUPPORT_H_
