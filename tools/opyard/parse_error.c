// SPDX-License-Identifier: Apache-2.0
// What the parsers of the command line share: how they word errors, and keys.
#include <stdarg.h>

#include "common.h"
#include "dispatch/backend.h"

#undef cli_parse_fail  // what analysers are told of it

// The line that holds |at|, with tabs and other odd bytes made blanks, so that the
// caret stands below its character; long lines are cut around it.
static void draw_line(oy_str text, size_t at, char* buffer, size_t size) {
  enum { AROUND = 60 };
  size_t start = at, end = at;
  while (start > 0 && text.data[start - 1] != '\n' && at - start < AROUND) start--;
  while (end < text.size && text.data[end] != '\n' && end - at < AROUND) end++;
  size_t n = 0;
  for (size_t i = start; i < end && n + 1 < size; i++) {
    char c = text.data[i];
    buffer[n++] = c >= 0x20 && c < 0x7f ? c : ' ';
  }
  n += (size_t)snprintf(buffer + n, size - n, "\n  ");
  for (size_t i = start; i < at && n + 2 < size; i++) buffer[n++] = ' ';
  snprintf(buffer + n, size - n, "^");
}

oy_status cli_parse_fail(const char* name, oy_str text, size_t at, const char* expected,
                         const char* found, ...) {
  char what[160], drawn[320];
  va_list args;
  va_start(args, found);
  vsnprintf(what, sizeof what, found, args);
  va_end(args);
  if (at > text.size) at = text.size;
  size_t line = 1, column = 1;
  for (size_t i = 0; i < at; i++) {
    column = text.data[i] == '\n' ? 1 : column + 1;
    line += text.data[i] == '\n';
  }
  draw_line(text, at, drawn, sizeof drawn);
  return OY_FAIL(PARSE, "%s:%zu:%zu: expected %s, found %s\n  %s", name, line, column,
                 expected, what, drawn);
}

bool cli_key_find(oy_str text, oy_key* out_key) {
#ifdef OY_STATIC  // fuzzers are
  return oyi_key_find(text, out_key);
#else
  if (oy_key_parse(text, out_key) == OY_OK) return true;
  oy_error_clear();
  return false;
#endif
}
