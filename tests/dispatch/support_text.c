// SPDX-License-Identifier: Apache-2.0
// The texts, assertions and the allocator of support.h.
#include "support.h"

#include <stdio.h>

// --------------------------------------------------------------------- texts

enum { TEXTS = 32 };
static __thread char* t_texts[TEXTS];
static __thread size_t t_next;

static const char* keep(char* text) {
  char** place = &t_texts[t_next++ % TEXTS];
  free(*place);
  *place = text;
  return text;
}

const char* test_keep(char* text) {
  assert_non_null(text);
  char* copy = strdup(text);
  oy_text_free(text);
  return keep(copy);
}

const char* test_printf(const char* format, ...) {
  char* text = NULL;
  va_list args;
  va_start(args, format);
  int size = vasprintf(&text, format, args);
  va_end(args);
  assert_true(size >= 0);
  return keep(text);
}

const char* test_state(const oy_op* op) {
  char* text = NULL;
  if (!op) return "";
  assert_ok(oy_op_dump_state(op, &text));
  return test_keep(text);
}

const char* test_table(const oy_op* op) {
  char* text = NULL;
  if (!op) return "";
  assert_ok(oy_op_dump_table(op, &text));
  return test_keep(text);
}

const char* test_cell(const oy_op* op, oy_key key) {
  char* text = NULL;
  assert_ok(oy_op_dump_cell(op, key, &text));
  return test_keep(text);
}

const char* test_extractor(const oy_op* op) {
  char* text = NULL;
  if (!op) return "";
  assert_ok(oy_op_dump_extractor(op, &text));
  return test_keep(text);
}

const char* test_message(void) {
  return test_printf("%s", oy_error_get()->message);
}

// ---------------------------------------------------------------- assertions

void test_assert_ok(oy_status status, const char* what, const char* file, int line) {
  if (status == OY_OK) return;
  const oy_error* error = oy_error_get();
  print_error("%s gave %s: %s\n%s\n", what, oy_status_name(status), error->message,
              error->detail);
  _fail(file, line);
}

void test_assert_error(oy_status status, oy_status code, const char* text, bool whole,
                       const char* what, const char* file, int line) {
  const oy_error* error = oy_error_get();
  bool right = status != OY_OK && error->code == status && (!code || status == code);
  if (right &&
      (whole ? strcmp(error->message, text) == 0 : strstr(error->message, text) != NULL))
    return;
  print_error("%s\n  should give %s %s: %s\n  gave %s, and the record is %s: %s\n", what,
              code ? oy_status_name(code) : "an error", whole ? "with" : "containing",
              text, oy_status_name(status), oy_status_name(error->code), error->message);
  _fail(file, line);
}

void test_assert_keys(oy_keyset got, oy_keyset expected, const char* file, int line) {
  if (oy_keyset_equal(got, expected)) return;
  char a[512], b[512];
  oy_keyset_print(got, a, sizeof(a));
  oy_keyset_print(expected, b, sizeof(b));
  print_error("%s should be %s\n", a, b);
  _fail(file, line);
}

void test_assert_contains(const char* text, const char* part, bool wanted,
                          const char* file, int line) {
  if ((strstr(text, part) != NULL) == wanted) return;
  print_error("this text should %scontain \"%s\":\n%s\n", wanted ? "" : "not ", part,
              text);
  _fail(file, line);
}

// ----------------------------------------------------------------- allocator

static void count(test_heap* heap, int64_t bytes, int64_t blocks) {
  __atomic_fetch_add(&heap->bytes, bytes, __ATOMIC_RELAXED);
  __atomic_fetch_add(&heap->blocks, blocks, __ATOMIC_RELAXED);
}

static void* heap_reallocate(void* user_data, void* ptr, size_t old_size, size_t size) {
  test_heap* heap = user_data;
  if (size == 0) {
    if (ptr) count(heap, -(int64_t)old_size, -1);
    free(ptr);
    return NULL;
  }
  int64_t number = __atomic_add_fetch(&heap->requests, 1, __ATOMIC_RELAXED);
  bool fails = heap->fail_at &&
               (number == heap->fail_at || (heap->fail_after && number > heap->fail_at));
  void* moved = fails ? NULL : realloc(ptr, size);
  if (moved) count(heap, (int64_t)size - (ptr ? (int64_t)old_size : 0), ptr ? 0 : 1);
  return moved;
}

void test_heap_install(test_heap* heap) {
  memset(heap, 0, sizeof(*heap));
  heap->before = oy_allocator_set((oy_allocator){heap_reallocate, heap});
}

void test_heap_remove(test_heap* heap) {
  (void)oy_allocator_set(heap->before);
}
