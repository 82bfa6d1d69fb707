// SPDX-License-Identifier: Apache-2.0
// The parser of programs: one token ahead, no recursion but for nested lists.
#include "common.h"
#include "program.h"

enum { NESTING_MAX = 32, STATEMENTS_FIRST_BLOCK = 4096 };

typedef struct parser {
  cli_program* program;
  cli_lexer lexer;
  cli_token token;
  size_t last_end;  // of the token before
  size_t statement_capacity;
} parser;

static oy_status advance(parser* p) {
  p->last_end = p->token.end;
  return cli_lex(&p->lexer, &p->token);
}

static oy_status expected(const parser* p, const char* what) {
  const cli_token* t = &p->token;
  const cli_program* program = p->program;
  if (t->kind == CLI_TOKEN_END)
    return cli_parse_fail(program->name, program->text, t->at, what,
                          "the end of the program");
  if (t->kind == CLI_TOKEN_NEWLINE)
    return cli_parse_fail(program->name, program->text, t->at, what,
                          "the end of the line");
  size_t size = t->end - t->at;
  return cli_parse_fail(program->name, program->text, t->at, what, "`%.*s`%s",
                        (int)(size < 60 ? size : 60), program->text.data + t->at,
                        size < 60 ? "" : "...");
}

static bool is_punct(const parser* p, char c) {
  return p->token.kind == CLI_TOKEN_PUNCT && p->token.node.i == c;
}

static oy_status expect_punct(parser* p, char c, const char* what) {
  return is_punct(p, c) ? advance(p) : expected(p, what);
}

static oy_status parse_value(parser* p, int depth, cli_node* out_node);

static oy_status parse_list(parser* p, int depth, cli_node* out_node) {
  if (depth == NESTING_MAX) return expected(p, "lists at most 32 deep");
  size_t capacity = 0;
  *out_node = (cli_node){.kind = CLI_NODE_LIST, .at = p->token.at};
  OY_TRY(advance(p));
  while (!is_punct(p, ']')) {
    cli_node item;
    OY_TRY(parse_value(p, depth + 1, &item));
    if (!oyi_arena_grow(&p->program->arena, &out_node->items, &capacity, out_node->count,
                        sizeof item))
      return OY_OUT_OF_MEMORY;
    out_node->items[out_node->count++] = item;
    if (!is_punct(p, ',')) break;
    OY_TRY(advance(p));
  }
  return expect_punct(p, ']', "`,` or `]`");
}

static bool word_node(oy_str word, cli_node* node) {
  if (oy_str_equal(word, oy_str_of("None"))) {
    node->kind = CLI_NODE_NONE;
  } else if (oy_str_equal(word, oy_str_of("True"))) {
    node->kind = CLI_NODE_BOOL;
    node->i = 1;
  } else if (oy_str_equal(word, oy_str_of("False"))) {
    node->kind = CLI_NODE_BOOL;
  } else {
    return false;
  }
  return true;
}

static oy_status parse_value(parser* p, int depth, cli_node* out_node) {
  if (is_punct(p, '[')) return parse_list(p, depth, out_node);
  if (p->token.kind != CLI_TOKEN_NAME && p->token.kind != CLI_TOKEN_NUMBER &&
      p->token.kind != CLI_TOKEN_STR)
    return expected(p, "a value");
  *out_node = p->token.node;
  if (p->token.kind == CLI_TOKEN_NAME) word_node(out_node->text, out_node);
  return advance(p);
}

static bool is_plain_name(const parser* p) {
  return p->token.kind == CLI_TOKEN_NAME &&
         !memchr(p->token.node.text.data, ':', p->token.node.text.size) &&
         !memchr(p->token.node.text.data, '.', p->token.node.text.size);
}

// NAME "=" value, or value
static oy_status parse_argument(parser* p, cli_call_argument* argument) {
  *argument = (cli_call_argument){.keyword_at = p->token.at};
  if (!is_plain_name(p)) return parse_value(p, 0, &argument->value);
  cli_token name = p->token;
  OY_TRY(advance(p));
  if (!is_punct(p, '=')) {
    argument->value = name.node;
    word_node(name.node.text, &argument->value);
    return OY_OK;
  }
  argument->keyword = name.node.text;
  OY_TRY(advance(p));
  return parse_value(p, 0, &argument->value);
}

static oy_status parse_arguments(parser* p, cli_statement* s) {
  size_t capacity = 0;
  OY_TRY(advance(p));
  while (!is_punct(p, ')')) {
    cli_call_argument argument;
    size_t at = p->token.at;
    OY_TRY(parse_argument(p, &argument));
    bool follows_keyword =
        s->argument_count > 0 && s->arguments[s->argument_count - 1].keyword.size > 0;
    if (follows_keyword && argument.keyword.size == 0)
      return cli_parse_fail(p->program->name, p->program->text, at,
                            "a keyword argument `name=value` after one",
                            "a positional argument");
    if (!oyi_arena_grow(&p->program->arena, &s->arguments, &capacity, s->argument_count,
                        sizeof argument))
      return OY_OUT_OF_MEMORY;
    s->arguments[s->argument_count++] = argument;
    if (!is_punct(p, ',')) break;
    OY_TRY(advance(p));
  }
  return expect_punct(p, ')', "`,` or `)`");
}

static oy_status add_target(parser* p, cli_statement* s, size_t* capacity,
                            const cli_token* name) {
  size_t same_capacity = *capacity;
  oyi_arena* arena = &p->program->arena;
  if (!oyi_arena_grow(arena, &s->targets, capacity, s->target_count, sizeof(oy_str)) ||
      !oyi_arena_grow(arena, &s->target_at, &same_capacity, s->target_count,
                      sizeof(size_t)))
    return OY_OUT_OF_MEMORY;
  s->targets[s->target_count] = name->node.text;
  s->target_at[s->target_count++] = name->at;
  return OY_OK;
}

static oy_status check_target(const parser* p) {
  cli_node reserved = {.kind = CLI_NODE_NAME};
  if (!is_plain_name(p) || word_node(p->token.node.text, &reserved))
    return expected(p, "a name to assign to");
  return OY_OK;
}

// After the first name: "," NAME ... "=", then what is assigned.
static oy_status parse_assignment(parser* p, cli_statement* s, const cli_token* first) {
  size_t capacity = 0;
  OY_TRY(add_target(p, s, &capacity, first));
  while (is_punct(p, ',')) {
    OY_TRY(advance(p));
    OY_TRY(check_target(p));
    OY_TRY(add_target(p, s, &capacity, &p->token));
    OY_TRY(advance(p));
  }
  return expect_punct(p, '=', "`=` or `,`");
}

static oy_status parse_right_side(parser* p, cli_statement* s) {
  if (p->token.kind != CLI_TOKEN_NAME) return parse_value(p, 0, &s->value);
  cli_token name = p->token;
  OY_TRY(advance(p));
  if (is_punct(p, '(')) {
    s->is_call = true;
    s->callee = name.node.text;
    s->callee_at = name.at;
    return parse_arguments(p, s);
  }
  s->value = name.node;
  word_node(name.node.text, &s->value);
  return OY_OK;
}

static oy_status parse_statement(parser* p, cli_statement* s) {
  *s = (cli_statement){.at = p->token.at};
  if (p->token.kind != CLI_TOKEN_NAME) return expected(p, "a name or an operator");
  parser ahead = *p;
  cli_token first = p->token;
  OY_TRY(advance(&ahead));
  if (is_punct(&ahead, '=') || is_punct(&ahead, ',')) {
    OY_TRY(check_target(p));
    *p = ahead;
    OY_TRY(parse_assignment(p, s, &first));
  } else if (!is_punct(&ahead, '(')) {
    *p = ahead;
    return expected(p, "`=` or `(`");
  }
  OY_TRY(parse_right_side(p, s));
  if (p->token.kind != CLI_TOKEN_NEWLINE && p->token.kind != CLI_TOKEN_END)
    return expected(p, "the end of the line");
  s->end = p->last_end;
  return OY_OK;
}

static oy_status parse_program(parser* p) {
  OY_TRY(advance(p));
  while (p->token.kind != CLI_TOKEN_END) {
    if (p->token.kind == CLI_TOKEN_NEWLINE) {
      OY_TRY(advance(p));
      continue;
    }
    cli_statement s;
    OY_TRY(parse_statement(p, &s));
    if (!oyi_arena_grow(&p->program->arena, &p->program->statements,
                        &p->statement_capacity, p->program->count, sizeof s))
      return OY_OUT_OF_MEMORY;
    p->program->statements[p->program->count++] = s;
  }
  return OY_OK;
}

oy_status cli_program_parse(oy_str text, const char* name, cli_program* out_program) {
  *out_program = (cli_program){.name = name, .text = text};
  if (!text.data) out_program->text.data = "";
  if (!oyi_arena_init(&out_program->arena, STATEMENTS_FIRST_BLOCK))
    return OY_OUT_OF_MEMORY;
  parser p = {.program = out_program, .lexer = {.program = out_program}};
  oy_status status = parse_program(&p);
  if (status != OY_OK) cli_program_free(out_program);
  return status;
}

void cli_program_free(cli_program* program) {
  oyi_arena_free(&program->arena);
  program->statements = NULL;
  program->count = 0;
}
