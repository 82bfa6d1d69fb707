// SPDX-License-Identifier: Apache-2.0
// `opyard trace`: a program with the dispatches of each statement below it.
#include "base/memory.h"
#include "base/strbuf.h"
#include "common.h"
#include "opyard/state.h"
#include "run.h"
#include "values.h"

static void log_line(void* user_data, const char* line) {
  cli_trace_log* log = user_data;
  if (!oyi_grow(&log->lines, &log->capacity, log->count + 1, sizeof *log->lines)) return;
  char* copy = oyi_strndup(line, strlen(line));
  if (copy) log->lines[log->count++] = copy;
}

void cli_trace_start(cli_trace_log* log) {
  oy_trace_set_sink(log_line, log);
  oy_trace_set(true);
}

void cli_trace_stop(void) {
  oy_trace_set(false);
  oy_trace_set_sink(NULL, NULL);
}

void cli_trace_log_reset(cli_trace_log* log) {
  for (size_t i = 0; i < log->count; i++) oyi_free(log->lines[i]);
  oyi_free(log->lines);
  *log = (cli_trace_log){NULL, 0, 0};
}

void cli_print_values(const char* indent, const oy_value* values, size_t count) {
  oyi_strbuf text = OYI_STRBUF_INIT;
  for (size_t i = 0; i < count; i++) {
    if (i) oyi_strbuf_putc(&text, ' ');
    if (values[i].tag == OY_TAG_STR)
      oyi_strbuf_append(&text, values[i].as.chars, values[i].count);
    else
      cli_value_print(values[i], &text);
  }
  printf("%s%.*s\n", indent, OY_STR_ARG(oyi_strbuf_view(&text)));
  oyi_strbuf_reset(&text);
}

typedef struct traced {
  const char* indent;
  bool outer;
  cli_json* json;
  cli_trace_log log;
} traced;

// A call of the program's own, or its redispatch: not what a kernel called.
static bool is_outer(const char* line) {
  size_t depth = strspn(line, " ");
  return depth <= 1 || (depth == 2 && strncmp(line + 2, "[redispatch", 11) == 0);
}

static void print_lines(traced* t) {
  for (size_t i = 0; i < t->log.count; i++) {
    if (t->outer && !is_outer(t->log.lines[i])) continue;
    printf("%s  %s%s%s\n", t->indent, cli_colour("dim"), t->log.lines[i],
           cli_colour("off"));
  }
}

// print() of the program. What was traced before it comes first.
static void print_values(void* user_data, const oy_value* values, size_t count) {
  traced* t = user_data;
  if (!t->json) {
    cli_print_values(t->indent, values, count);
    return;
  }
  cli_json_open(t->json, "printed", '[');
  for (size_t i = 0; i < count; i++) cli_value_json(t->json, NULL, values[i]);
  cli_json_close(t->json, ']');
}

static oy_status step(traced* t, cli_runner* runner, const cli_program* program,
                      const cli_statement* s) {
  oy_str source = {program->text.data + s->at, s->end - s->at};
  if (t->json) {
    cli_json_open(t->json, NULL, '{');
    cli_json_str(t->json, "source", source);
  } else {
    printf("%s%s%.*s%s\n", t->indent, cli_colour("bold"), OY_STR_ARG(source),
           cli_colour("off"));
  }
  cli_trace_start(&t->log);
  oy_status status = cli_runner_step(runner, s);
  cli_trace_stop();
  if (t->json) {
    cli_json_open(t->json, "trace", '[');
    for (size_t i = 0; i < t->log.count; i++)
      cli_json_text(t->json, NULL, t->log.lines[i]);
    cli_json_close(t->json, ']');
    cli_json_close(t->json, '}');
  } else {
    print_lines(t);
  }
  cli_trace_log_reset(&t->log);
  return status;
}

oy_status cli_run_traced(cli_runner* runner, const cli_program* program,
                         const char* indent, bool outer, cli_json* json) {
  traced t = {.indent = indent, .outer = outer, .json = json};
  oy_status status = OY_OK;
  runner->print = print_values;
  runner->user_data = &t;
  if (json) cli_json_open(json, "statements", '[');
  for (size_t i = 0; i < program->count && status == OY_OK; i++)
    status = step(&t, runner, program, &program->statements[i]);
  if (json) cli_json_close(json, ']');
  runner->print = NULL;
  runner->user_data = NULL;
  return status;
}

static int trace_program(const cli_program* program, oy_registry* registry,
                         bool as_json) {
  cli_json json;
  cli_json_init(&json, stdout);
  cli_runner runner;
  cli_runner_init(&runner, program, registry);
  if (as_json) {
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "file", program->name);
  }
  oy_status status = cli_run_traced(&runner, program, "", false, as_json ? &json : NULL);
  int result = status == OY_OK ? CLI_OK : cli_fail();
  if (status != OY_OK && runner.call_failed) result = CLI_FAILED;
  if (status == OY_OK && runner.has_last && !as_json)
    cli_print_values("", &runner.last, 1);
  if (as_json) {
    cli_json_bool(&json, "ok", status == OY_OK);
    cli_json_close(&json, '}');
  }
  cli_runner_reset(&runner);
  return cli_finish(result);
}

int cli_trace(int argc, char** argv) {
  bool as_json = false;
  const cli_option options[] = {{"--json", &as_json, NULL}};
  if (cli_arguments(argc, argv, options, 1, 1, 1) < 0) return CLI_BAD_INPUT;
  char* text;
  size_t size;
  oy_registry* registry;
  cli_program program;
  if (cli_registry(NULL, &registry) != OY_OK) return cli_fail();
  if (cli_read(argv[1], &text, &size) != OY_OK) return cli_fail();
  int result;
  if (cli_program_parse((oy_str){text, size}, cli_path_name(argv[1]), &program) ==
      OY_OK) {
    result = trace_program(&program, registry, as_json);
    cli_program_free(&program);
  } else {
    result = cli_fail();
  }
  cli_free(text);
  return result;
}
