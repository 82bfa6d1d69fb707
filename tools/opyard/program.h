// SPDX-License-Identifier: Apache-2.0
// Programs of `opyard run`, as a tree. The parser knows no operators.
//
//   program    one statement a line; "#" to the end of the line is a comment;
//              lines may break inside brackets
//   statement  [NAME {"," NAME} "="] (call | value)
//   call       OPERATOR "(" [argument {"," argument}] ")"
//   argument   [NAME "="] value
//   OPERATOR   NAME, NAME.OVERLOAD, NS::NAME or NS::NAME.OVERLOAD
//   value      None True False, 1 -2 0x1f, 1.5 1e-3 inf nan, 2j 1+2j, 'text',
//              "text", [value, ...], or a name: what was assigned to it, else a
//              dtype (float32), a layout (strided) or a memory format
#ifndef OPYARD_TOOLS_OPYARD_PROGRAM_H_
#define OPYARD_TOOLS_OPYARD_PROGRAM_H_

#include "base/arena.h"
#include "opyard/status.h"

typedef enum cli_node_kind {
  CLI_NODE_NONE,
  CLI_NODE_BOOL,
  CLI_NODE_INT,
  CLI_NODE_FLOAT,
  CLI_NODE_COMPLEX,
  CLI_NODE_STR,
  CLI_NODE_LIST,
  CLI_NODE_NAME
} cli_node_kind;

typedef struct cli_node {
  cli_node_kind kind;
  size_t at;  // offset in the text
  int64_t i;  // INT, BOOL
  double re;  // FLOAT, COMPLEX
  double im;
  oy_str text;  // NAME, and STR without quotes and escapes
  struct cli_node* items;
  size_t count;
} cli_node;

typedef struct cli_call_argument {
  oy_str keyword;  // empty: positional
  size_t keyword_at;
  cli_node value;
} cli_call_argument;

typedef struct cli_statement {
  size_t at, end;  // the whole statement
  oy_str* targets;
  size_t* target_at;
  size_t target_count;
  bool is_call;
  oy_str callee;
  size_t callee_at;
  cli_call_argument* arguments;
  size_t argument_count;
  cli_node value;  // unless it is a call
} cli_statement;

typedef struct cli_program {
  const char* name;
  oy_str text;  // borrowed
  cli_statement* statements;
  size_t count;
  oyi_arena arena;
} cli_program;

// |text| and |name| must outlive the program. PARSE with line, column, a caret,
// what was expected and what came. On failure there is nothing to free.
oy_status cli_program_parse(oy_str text, const char* name, cli_program* out_program);
void cli_program_free(cli_program* program);

typedef enum cli_token_kind {
  CLI_TOKEN_END,
  CLI_TOKEN_NEWLINE,
  CLI_TOKEN_NAME,    // also "ns::base.overload"
  CLI_TOKEN_NUMBER,  // value in |node|
  CLI_TOKEN_STR,
  CLI_TOKEN_PUNCT  // ( ) [ ] , =
} cli_token_kind;

typedef struct cli_token {
  cli_token_kind kind;
  size_t at, end;
  cli_node node;
} cli_token;

typedef struct cli_lexer {
  cli_program* program;
  size_t at;
  int depth;  // open brackets: newlines are blanks
} cli_lexer;

oy_status cli_lex(cli_lexer* lexer, cli_token* out_token);

#endif  // OPYARD_TOOLS_OPYARD_PROGRAM_H_
