// SPDX-License-Identifier: Apache-2.0
// Programs of `opyard run`: the parser takes any bytes, and what it accepts has
// the shape that the runner relies on. Corpus: tests/fuzz/corpus/program.
#include <stdlib.h>

// The parser belongs to a program and not to the library, so it is compiled in.
#include "../../tools/opyard/parse_error.c"
#include "../../tools/opyard/program_lex.c"
#include "../../tools/opyard/program_parse.c"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void must(bool holds) {
  if (!holds) abort();
}

static void check_node(const cli_node* node, const cli_program* program, int depth) {
  must(depth <= 33 && node->at <= program->text.size);
  must(node->kind != CLI_NODE_NAME || node->text.size > 0);
  must(node->kind == CLI_NODE_LIST || node->count == 0);
  for (size_t i = 0; i < node->count; i++)
    check_node(&node->items[i], program, depth + 1);
}

static void check_statement(const cli_statement* s, const cli_program* program) {
  must(s->at < s->end && s->end <= program->text.size);
  must(s->is_call || s->target_count > 0);
  for (size_t i = 0; i < s->target_count; i++) must(s->targets[i].size > 0);
  if (!s->is_call) check_node(&s->value, program, 0);
  for (size_t i = 0; i < s->argument_count; i++)
    check_node(&s->arguments[i].value, program, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  cli_program program;
  const oy_str text = {(const char*)data, size};
  if (cli_program_parse(text, "fuzz", &program) != OY_OK) {
    must(oy_error_get()->code == OY_PARSE && strstr(oy_error_get()->message, "found "));
    return 0;
  }
  for (size_t i = 0; i < program.count; i++)
    check_statement(&program.statements[i], &program);
  cli_program_free(&program);
  return 0;
}
