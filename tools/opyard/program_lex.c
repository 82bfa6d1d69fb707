// SPDX-License-Identifier: Apache-2.0
// Cuts a program into tokens.
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "common.h"
#include "program.h"

static bool is_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool is_word(char c) {
  return is_start(c) || is_digit(c);
}

// The character at |i|, NUL beyond the end.
static char peek(const cli_lexer* lx, size_t i) {
  return i < lx->program->text.size ? lx->program->text.data[i] : '\0';
}

static oy_status lex_expected(const cli_lexer* lx, size_t at, const char* what) {
  const cli_program* p = lx->program;
  unsigned char c = (unsigned char)peek(lx, at);
  if (at >= p->text.size)
    return cli_parse_fail(p->name, p->text, at, what, "the end of the program");
  if (c >= 0x20 && c < 0x7f) return cli_parse_fail(p->name, p->text, at, what, "`%c`", c);
  if (c == '\n') return cli_parse_fail(p->name, p->text, at, what, "the end of the line");
  return cli_parse_fail(p->name, p->text, at, what, "byte 0x%02X", c);
}

static void skip_blanks(cli_lexer* lx) {
  for (;;) {
    char c = peek(lx, lx->at);
    if (c == ' ' || c == '\t' || c == '\r' || (c == '\n' && lx->depth > 0)) {
      lx->at++;
    } else if (c == '#') {
      while (lx->at < lx->program->text.size && peek(lx, lx->at) != '\n') lx->at++;
    } else {
      return;
    }
  }
}

// NAME, and with nothing between "::" and "." further parts of an operator's name.
static void lex_name(cli_lexer* lx, cli_token* token) {
  const char* text = lx->program->text.data;
  size_t end = lx->at;
  for (;;) {
    while (is_word(peek(lx, end))) end++;
    if (peek(lx, end) == '.' && is_word(peek(lx, end + 1)))
      end++;
    else if (peek(lx, end) == ':' && peek(lx, end + 1) == ':' &&
             is_start(peek(lx, end + 2)))
      end += 2;
    else
      break;
  }
  token->kind = CLI_TOKEN_NAME;
  token->node.kind = CLI_NODE_NAME;
  token->node.text = (oy_str){text + lx->at, end - lx->at};
  lx->at = end;
}

// One real number without a sign, into |*node|; inf and nan are read as names.
static oy_status lex_real(cli_lexer* lx, cli_node* node) {
  char digits[64];
  size_t start = lx->at, end = start, n = 0;
  bool hex = peek(lx, start) == '0' && (peek(lx, start + 1) | 32) == 'x';
  bool real = false;
  for (;; end++) {
    char c = peek(lx, end);
    bool sign = (c == '-' || c == '+') && !hex && (peek(lx, end - 1) | 32) == 'e' &&
                end > start && real;
    if (!hex && (c == '.' || (c | 32) == 'e')) real = true;
    bool part = is_digit(c) || sign || (!hex && (c == '.' || (c | 32) == 'e')) ||
                (hex && (is_digit(c) || ((c | 32) >= 'a' && (c | 32) <= 'f') ||
                         ((c | 32) == 'x' && end == start + 1)));
    if (!part) break;
    if (n + 1 >= sizeof digits)
      return cli_parse_fail(lx->program->name, lx->program->text, start,
                            "a number of at most 62 characters", "a longer one");
    digits[n++] = c;
  }
  digits[n] = '\0';
  char* rest;
  errno = 0;
  node->kind = real ? CLI_NODE_FLOAT : CLI_NODE_INT;
  if (real)
    node->re = strtod(digits, &rest);
  else
    node->i = strtoll(digits, &rest, hex ? 16 : 10);
  if (*rest != '\0' || n == 0)
    return lex_expected(lx, start + (size_t)(rest - digits), "the rest of a number");
  if (errno == ERANGE && !real)
    return cli_parse_fail(lx->program->name, lx->program->text, start,
                          "an integer of 64 bits", "%s", digits);
  lx->at = end;
  return OY_OK;
}

static double as_double(const cli_node* node) {
  return node->kind == CLI_NODE_INT ? (double)node->i : node->re;
}

static void negate(cli_node* node) {
  // -INT64_MIN cannot come up: what was read is not negative.
  node->i = -node->i;
  node->re = -node->re;
}

// inf and nan after a sign or alone are floats.
static bool lex_special(cli_lexer* lx, cli_node* node) {
  static const char* const words[] = {"inf", "nan"};
  for (int k = 0; k < 2; k++) {
    if (lx->program->text.size - lx->at < 3 ||
        memcmp(lx->program->text.data + lx->at, words[k], 3) != 0 ||
        is_word(peek(lx, lx->at + 3)))
      continue;
    node->kind = CLI_NODE_FLOAT;
    node->re = k == 0 ? INFINITY : NAN;
    lx->at += 3;
    return true;
  }
  return false;
}

// [-] REAL [j], or [-] REAL (+|-) REAL j
static oy_status lex_number(cli_lexer* lx, cli_token* token) {
  cli_node* node = &token->node;
  token->kind = CLI_TOKEN_NUMBER;
  bool minus = peek(lx, lx->at) == '-';
  if (minus || peek(lx, lx->at) == '+') lx->at++;
  if (lex_special(lx, node)) {
    if (minus) negate(node);
    return OY_OK;
  }
  if (!is_digit(peek(lx, lx->at)) && peek(lx, lx->at) != '.')
    return lex_expected(lx, lx->at, "a number");
  OY_TRY(lex_real(lx, node));
  if (minus) negate(node);
  char next = peek(lx, lx->at);
  cli_node second = {.kind = CLI_NODE_INT};
  if (next == '+' || next == '-') {
    lx->at++;
    if (!is_digit(peek(lx, lx->at)) && peek(lx, lx->at) != '.')
      return lex_expected(lx, lx->at, "the imaginary part of a number");
    OY_TRY(lex_real(lx, &second));
    if (next == '-') negate(&second);
    if (peek(lx, lx->at) != 'j')
      return lex_expected(lx, lx->at, "`j` after the imaginary part of a number");
    *node = (cli_node){
        .kind = CLI_NODE_COMPLEX, .re = as_double(node), .im = as_double(&second)};
    lx->at++;
  } else if (next == 'j') {
    *node = (cli_node){.kind = CLI_NODE_COMPLEX, .im = as_double(node)};
    lx->at++;
  }
  if (is_word(peek(lx, lx->at))) return lex_expected(lx, lx->at, "the end of a number");
  return OY_OK;
}

static oy_status lex_string(cli_lexer* lx, cli_token* token) {
  char quote = peek(lx, lx->at);
  size_t end = lx->at + 1;
  while (end < lx->program->text.size && peek(lx, end) != quote && peek(lx, end) != '\n')
    end += peek(lx, end) == '\\' ? 2 : 1;
  if (end >= lx->program->text.size || peek(lx, end) != quote) {
    if (end > lx->program->text.size) end = lx->program->text.size;
    return lex_expected(lx, end, quote == '"' ? "a closing `\"`" : "a closing `'`");
  }
  char* copy = oyi_arena_alloc(&lx->program->arena, end - lx->at);
  if (!copy) return OY_OUT_OF_MEMORY;
  size_t n = 0;
  for (size_t i = lx->at + 1; i < end; i++) {
    char c = peek(lx, i);
    if (c == '\\') {
      char escaped = peek(lx, ++i);
      static const char names[] = "n\nt\tr\r\\\\''\"\"";
      const char* found = NULL;
      for (const char* k = names; *k; k += 2)
        if (*k == escaped) found = k + 1;
      if (!found) return lex_expected(lx, i, "n, t, r, a quote or \\ after \\");
      c = *found;
    }
    copy[n++] = c;
  }
  token->kind = CLI_TOKEN_STR;
  token->node.kind = CLI_NODE_STR;
  token->node.text = (oy_str){copy, n};
  lx->at = end + 1;
  return OY_OK;
}

static oy_status lex_punctuation(cli_lexer* lx, cli_token* token, char c) {
  if (c == '\0' || !strchr("()[],=", c))
    return lex_expected(lx, lx->at, "a name, a number, a string or one of ( ) [ ] , =");
  // A line after a bracket that was never opened is still a line of its own.
  if (c == '(' || c == '[') lx->depth++;
  if ((c == ')' || c == ']') && lx->depth > 0) lx->depth--;
  token->kind = CLI_TOKEN_PUNCT;
  token->node.i = c;
  lx->at++;
  return OY_OK;
}

oy_status cli_lex(cli_lexer* lx, cli_token* out_token) {
  skip_blanks(lx);
  *out_token = (cli_token){.at = lx->at};
  char c = peek(lx, lx->at);
  oy_status status = OY_OK;
  out_token->node.at = lx->at;
  if (lx->at >= lx->program->text.size) {
    out_token->kind = CLI_TOKEN_END;
  } else if (c == '\n') {
    out_token->kind = CLI_TOKEN_NEWLINE;
    lx->at++;
  } else if (is_digit(c) || c == '-' || c == '+' || c == '.') {
    status = lex_number(lx, out_token);
  } else if (is_start(c)) {
    if (lex_special(lx, &out_token->node))
      out_token->kind = CLI_TOKEN_NUMBER;
    else
      lex_name(lx, out_token);
  } else if (c == '"' || c == '\'') {
    status = lex_string(lx, out_token);
  } else {
    status = lex_punctuation(lx, out_token, c);
  }
  out_token->node.at = out_token->at;
  out_token->end = lx->at;
  return status;
}
