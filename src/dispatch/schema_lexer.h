// SPDX-License-Identifier: Apache-2.0
// Splits schema text into tokens, one at a time, and words parse errors.
//
// |cur| is the token not yet taken. A newline is a token outside brackets and
// blank space inside them. Nothing is read outside [begin, end), and a byte that
// starts no token becomes an OYI_TOKEN_BAD, reported by whoever meets it.
#ifndef OPYARD_SRC_DISPATCH_SCHEMA_LEXER_H_
#define OPYARD_SRC_DISPATCH_SCHEMA_LEXER_H_

#include "opyard/schema.h"

// A token of one character has that character as its kind.
enum {
  OYI_TOKEN_EOF = 256,
  OYI_TOKEN_NEWLINE,
  OYI_TOKEN_IDENT,
  OYI_TOKEN_NUMBER,  // digits, point, exponent, a final j; no sign
  OYI_TOKEN_STRING,  // with its quotes
  OYI_TOKEN_ARROW,
  OYI_TOKEN_DOTS,
  OYI_TOKEN_COLONS,
  OYI_TOKEN_TRUE,
  OYI_TOKEN_FALSE,
  OYI_TOKEN_NONE,
  OYI_TOKEN_NONE_TYPE,
  OYI_TOKEN_UNTERMINATED,  // a string literal that the line ends
  OYI_TOKEN_BAD
};

typedef struct oyi_token {
  int kind;
  oy_str text;
} oyi_token;

typedef struct oyi_lexer {
  const char* begin;
  const char* end;
  const char* next;  // first byte after |cur|
  oyi_token cur;
  size_t nesting;  // open brackets
} oyi_lexer;

// Points at the first token; blank space and lines before it are skipped.
void oyi_lexer_init(oyi_lexer* lexer, oy_str text);
void oyi_lexer_next(oyi_lexer* lexer);

static inline bool oyi_lexer_next_if(oyi_lexer* lexer, int kind) {
  if (lexer->cur.kind != kind) return false;
  oyi_lexer_next(lexer);
  return true;
}

// Takes a token of |kind|, or fails: "expected ) but found 'arrow' here:".
// |out_text| may be NULL.
oy_status oyi_lexer_expected(oyi_lexer* lexer, int kind);
#ifdef __clang_analyzer__  // it does not see that this never succeeds
#define oyi_lexer_expected(...) ((void)oyi_lexer_expected(__VA_ARGS__), OY_PARSE)
#endif
static inline oy_status oyi_lexer_expect(oyi_lexer* lexer, int kind, oy_str* out_text) {
  if (OY_UNLIKELY(lexer->cur.kind != kind)) return oyi_lexer_expected(lexer, kind);
  if (out_text) *out_text = lexer->cur.text;
  oyi_lexer_next(lexer);
  return OY_OK;
}

// Sets a PARSE error: the text given, then the line and column (in bytes, from
// 1), what stands there, and the line with "~~~ <--- HERE" under the place. A
// long line is cut around it. |at| must be inside the lexer's text.
oy_status oyi_lexer_fail(const oyi_lexer* lexer, oy_str at, const char* format, ...)
    OY_PRINTF(3, 4);
#ifdef __clang_analyzer__  // it does not see that this never succeeds
#define oyi_lexer_fail(...) ((void)oyi_lexer_fail(__VA_ARGS__), OY_PARSE)
#endif

// IDENT [:: IDENT] [. IDENT], and the rule for overloads.
oy_status oyi_op_name_read(oyi_lexer* lexer, oy_op_name* out_name);

#endif  // OPYARD_SRC_DISPATCH_SCHEMA_LEXER_H_
