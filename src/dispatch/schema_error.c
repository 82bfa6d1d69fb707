// SPDX-License-Identifier: Apache-2.0
// Words parse errors. The texts before the colon are PyTorch's, so that whoever
// searches for one finds it; position and caret diagram follow. Everything is
// built on the stack: a parse error needs no memory of the library's allocator,
// and its length does not grow with the text.
#include <stdarg.h>
#include <stdio.h>

#include "dispatch/schema_lexer.h"

#undef oyi_lexer_expected  // what analysers are told of it
#undef oyi_lexer_fail      // what analysers are told of it

enum { WINDOW_BEFORE = 60, WINDOW = 100, MARK_MAX = 40, SHOWN_MAX = 32 };

static const char* kind_name(int kind) {
  switch (kind) {
    case OYI_TOKEN_EOF: return "eof";
    case OYI_TOKEN_NEWLINE: return "newline";
    case OYI_TOKEN_IDENT: return "ident";
    case OYI_TOKEN_NUMBER: return "number";
    case OYI_TOKEN_STRING: return "string_literal";
    case OYI_TOKEN_ARROW: return "arrow";
    case OYI_TOKEN_DOTS: return "dots";
    case OYI_TOKEN_COLONS: return "::";
    case OYI_TOKEN_TRUE: return "True";
    case OYI_TOKEN_FALSE: return "False";
    case OYI_TOKEN_NONE: return "None";
    case OYI_TOKEN_NONE_TYPE: return "NoneType";
    case OYI_TOKEN_UNTERMINATED: return "unterminated string_literal";
    default: return NULL;
  }
}

static bool is_print(char c) {
  return c >= 0x20 && c < 0x7f;
}

static void describe(int kind, oy_str text, char out[32]) {
  const char* name = kind_name(kind);
  if (name)
    snprintf(out, 32, "%s", name);
  else if (kind == OYI_TOKEN_BAD && !is_print(text.data[0]))
    snprintf(out, 32, "byte 0x%02X", (unsigned char)text.data[0]);
  else
    snprintf(out, 32, "%c", kind == OYI_TOKEN_BAD ? text.data[0] : kind);
}

oy_status oyi_lexer_expected(oyi_lexer* lexer, int kind) {
  oyi_token token = lexer->cur;
  char expected[32], found[32];
  describe(kind, token.text, expected);
  describe(token.kind, token.text, found);
  return oyi_lexer_fail(lexer, token.text, "expected %s but found '%s' here:", expected,
                        found);
}

// Copies |size| bytes with everything but printable ASCII as '?', which keeps
// the columns; returns the end.
static char* put(char* out, const char* from, size_t size) {
  for (size_t i = 0; i < size; i++) *out++ = is_print(from[i]) ? from[i] : '?';
  return out;
}

static char* put_dots(char* out) {
  memcpy(out, "...", 3);
  return out + 3;
}

// The part of the line around |at|, and the mark below. |out| holds
// 2 * WINDOW + 32 bytes.
static void draw(const char* line, const char* line_end, oy_str at, char* out) {
  const char* from = line;
  if (at.data - from > WINDOW_BEFORE) from = at.data - WINDOW_BEFORE;
  const char* to = line_end;
  if (to - from > WINDOW) to = from + WINDOW;
  size_t indent = (size_t)(at.data - from) + (from > line ? 3 : 0);
  if (from > line) out = put_dots(out);
  out = put(out, from, (size_t)(to - from));
  if (to < line_end) out = put_dots(out);
  *out++ = '\n';
  memset(out, ' ', indent);
  out += indent;
  size_t mark = (size_t)(to - at.data);
  if (mark > at.size) mark = at.size;
  if (mark > MARK_MAX) mark = MARK_MAX;
  if (mark == 0) mark = 1;
  memset(out, '~', mark);
  memcpy(out + mark, " <--- HERE", sizeof(" <--- HERE"));
}

static void shown(const oyi_lexer* lexer, oy_str at, char out[SHOWN_MAX + 16]) {
  if (at.data == lexer->end || *at.data == '\n') {
    memcpy(out, "at the end", sizeof("at the end"));
    return;
  }
  memcpy(out, "at '", 4);
  bool cut = at.size > SHOWN_MAX;
  char* p = put(out + 4, at.data, cut ? SHOWN_MAX : at.size);
  if (cut) p = put_dots(p);
  memcpy(p, "'", 2);
}

oy_status oyi_lexer_fail(const oyi_lexer* lexer, oy_str at, const char* format, ...) {
  char message[1600];
  va_list args;
  va_start(args, format);
  vsnprintf(message, sizeof(message), format, args);
  va_end(args);
  size_t number = 1;
  const char* line = lexer->begin;
  for (const char* p = line; p < at.data; p++)
    if (*p == '\n') {
      number++;
      line = p + 1;
    }
  const char* line_end = at.data;
  while (line_end < lexer->end && *line_end != '\n') line_end++;
  char found[SHOWN_MAX + 16], diagram[2 * WINDOW + 64];
  shown(lexer, at, found);
  draw(line, line_end, at, diagram);
  return OY_FAIL(PARSE, "%s\nline %zu, column %zu, %s:\n%s", message, number,
                 (size_t)(at.data - line) + 1, found, diagram);
}
