// SPDX-License-Identifier: Apache-2.0
// One table says what each byte can start or continue; everything that is not
// ASCII is BAD outside string literals. Tokens are views, so lexing allocates
// nothing and a token may be as long as the text.
#include "dispatch/schema_lexer.h"

enum { SPACE = 1, LETTER = 2, DIGIT = 4 };

static const unsigned char g_class[256] = {
    ['\t'] = SPACE,         ['\n'] = SPACE, ['\v'] = SPACE,        ['\f'] = SPACE,
    ['\r'] = SPACE,         [' '] = SPACE,  ['0' ... '9'] = DIGIT, ['A' ... 'Z'] = LETTER,
    ['a' ... 'z'] = LETTER, ['_'] = LETTER,
};

static inline bool is(const char* p, int mask) {
  return (g_class[(unsigned char)*p] & mask) != 0;
}

static void take(oyi_lexer* lexer, int kind, const char* from, const char* to) {
  lexer->cur.kind = kind;
  lexer->cur.text.data = from;
  lexer->cur.text.size = (size_t)(to - from);
  lexer->next = to;
}

static int word_kind(const char* word, size_t size) {
  switch (word[0]) {
    case 'T':
      return size == 4 && memcmp(word, "True", 4) == 0 ? OYI_TOKEN_TRUE : OYI_TOKEN_IDENT;
    case 'F':
      return size == 5 && memcmp(word, "False", 5) == 0 ? OYI_TOKEN_FALSE
                                                        : OYI_TOKEN_IDENT;
    case 'N':
      if (size == 4 && memcmp(word, "None", 4) == 0) return OYI_TOKEN_NONE;
      return size == 8 && memcmp(word, "NoneType", 8) == 0 ? OYI_TOKEN_NONE_TYPE
                                                           : OYI_TOKEN_IDENT;
    default: return OYI_TOKEN_IDENT;
  }
}

static void lex_word(oyi_lexer* lexer, const char* from) {
  const char* p = from + 1;
  while (p < lexer->end && is(p, LETTER | DIGIT)) p++;
  take(lexer, word_kind(from, (size_t)(p - from)), from, p);
}

static const char* skip_digits(const char* p, const char* end) {
  while (p < end && is(p, DIGIT)) p++;
  return p;
}

static void lex_number(oyi_lexer* lexer, const char* from) {
  const char* end = lexer->end;
  const char* p = skip_digits(from, end);
  if (p < end && *p == '.') p = skip_digits(p + 1, end);
  if (p < end && (*p == 'e' || *p == 'E')) {
    const char* digits = p + 1;
    if (digits < end && (*digits == '+' || *digits == '-')) digits++;
    if (digits < end && is(digits, DIGIT)) p = skip_digits(digits, end);
  }
  if (p < end && *p == 'j') p++;
  take(lexer, OYI_TOKEN_NUMBER, from, p);
}

static void lex_string(oyi_lexer* lexer, const char* from) {
  for (const char* p = from + 1; p < lexer->end && *p != '\n'; p++) {
    if (*p == *from) {
      take(lexer, OYI_TOKEN_STRING, from, p + 1);
      return;
    }
    if (*p == '\\' && p + 1 < lexer->end) p++;
  }
  take(lexer, OYI_TOKEN_UNTERMINATED, from, from + 1);
}

static bool starts(const oyi_lexer* lexer, const char* p, const char* text, size_t size) {
  return (size_t)(lexer->end - p) >= size && memcmp(p, text, size) == 0;
}

static void lex_symbol(oyi_lexer* lexer, const char* p) {
  switch (*p) {
    case '(':
    case '[': lexer->nesting++; break;
    case ')':
    case ']':
      if (lexer->nesting > 0) lexer->nesting--;
      break;
    case '"':
    case '\'': lex_string(lexer, p); return;
    case '-':
      if (!starts(lexer, p, "->", 2)) break;
      take(lexer, OYI_TOKEN_ARROW, p, p + 2);
      return;
    case ':':
      if (!starts(lexer, p, "::", 2)) break;
      take(lexer, OYI_TOKEN_COLONS, p, p + 2);
      return;
    case '.':
      if (starts(lexer, p, "...", 3)) {
        take(lexer, OYI_TOKEN_DOTS, p, p + 3);
        return;
      }
      if (p + 1 < lexer->end && is(p + 1, DIGIT)) {
        lex_number(lexer, p);
        return;
      }
      break;
    case ',':
    case '=':
    case '?':
    case '!':
    case '*':
    case '|':
    case '+': break;
    default: take(lexer, OYI_TOKEN_BAD, p, p + 1); return;
  }
  take(lexer, (unsigned char)*p, p, p + 1);
}

// The first byte behind blank space, and the newline that counts in it.
static const char* skip_space(const oyi_lexer* lexer, const char* p,
                              const char** out_newline) {
  for (; p < lexer->end && is(p, SPACE); p++)
    if (*p == '\n' && lexer->nesting == 0 && !*out_newline) *out_newline = p;
  return p;
}

void oyi_lexer_next(oyi_lexer* lexer) {
  const char* p = lexer->next;
  const char* newline = NULL;
  if (p < lexer->end && is(p, SPACE)) p = skip_space(lexer, p, &newline);
  if (OY_UNLIKELY(newline != NULL)) {
    // Blank lines count as one newline: go on after them.
    take(lexer, OYI_TOKEN_NEWLINE, newline, newline + 1);
    lexer->next = p;
  } else if (p == lexer->end) {
    take(lexer, OYI_TOKEN_EOF, p, p);
  } else if (is(p, LETTER)) {
    lex_word(lexer, p);
  } else if (is(p, DIGIT)) {
    lex_number(lexer, p);
  } else {
    lex_symbol(lexer, p);
  }
}

void oyi_lexer_init(oyi_lexer* lexer, oy_str text) {
  static const char empty[1] = "";
  lexer->begin = text.data ? text.data : empty;
  lexer->end = lexer->begin + text.size;
  lexer->next = lexer->begin;
  lexer->nesting = 0;
  while (lexer->next < lexer->end && is(lexer->next, SPACE)) lexer->next++;
  oyi_lexer_next(lexer);
}
