// SPDX-License-Identifier: Apache-2.0
// Helpers of the schema tests. Each fails the running test, with the text and the
// error message, if the library does not do what the helper is named for.
#ifndef OPYARD_TESTS_DISPATCH_SCHEMA_TEST_H_
#define OPYARD_TESTS_DISPATCH_SCHEMA_TEST_H_

// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
// clang-format on

#include "opyard/schema.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static inline oy_schema* parse_flags(const char* text, unsigned flags) {
  oy_schema* schema = NULL;
  if (oy_schema_parse(oy_str_of(text), flags, &schema) != OY_OK)
    fail_msg("%s", oy_error_get()->message);
  assert_non_null(schema);
  return schema;
}

static inline oy_schema* parse(const char* text) {
  return parse_flags(text, OY_SCHEMA_DEFAULT);
}

static inline void assert_str(oy_str got, const char* want) {
  if (!oy_str_equal(got, oy_str_of(want)))
    fail_msg("got \"%.*s\", want \"%s\"", OY_STR_ARG(got), want);
}

// Parses |text|, prints it as |want|, and |want| as itself.
static inline void assert_prints_flags(const char* text, const char* want,
                                       unsigned flags) {
  oy_schema* schema = parse_flags(text, flags);
  char *printed = NULL, *again = NULL;
  assert_int_equal(oy_schema_print(schema, &printed), OY_OK);
  assert_string_equal(printed, want);
  oy_schema* second = parse_flags(printed, flags);
  assert_int_equal(oy_schema_print(second, &again), OY_OK);
  assert_string_equal(again, want);
  assert_true(oy_schema_equal(schema, second));
  oy_text_free(printed);
  oy_text_free(again);
  oy_schema_free(schema);
  oy_schema_free(second);
}

static inline void assert_prints(const char* text, const char* want) {
  assert_prints_flags(text, want, OY_SCHEMA_DEFAULT);
}

// Fails with PARSE and a message that contains |part|.
static inline void assert_refused_flags(oy_str text, unsigned flags, const char* part) {
  oy_schema* schema = (oy_schema*)(uintptr_t)1;
  oy_status status = oy_schema_parse(text, flags, &schema);
  const char* message = oy_error_get()->message;
  if (status == OY_OK) fail_msg("accepted: %.*s", OY_STR_ARG(text));
  if (!strstr(message, part)) fail_msg("want \"%s\" in:\n%s", part, message);
  assert_int_equal(status, OY_PARSE);
  assert_int_equal(oy_error_get()->code, OY_PARSE);
  assert_null(schema);
  if (!strstr(message, " <--- HERE")) fail_msg("no diagram:\n%s", message);
  assert_non_null(strstr(message, "\nline "));
}

static inline void assert_refused(const char* text, const char* part) {
  assert_refused_flags(oy_str_of(text), OY_SCHEMA_DEFAULT, part);
}

#endif  // OPYARD_TESTS_DISPATCH_SCHEMA_TEST_H_
