// SPDX-License-Identifier: Apache-2.0
// `opyard run`: runs a program; its last value is printed.
#include "run.h"

#include "base/strbuf.h"
#include "common.h"
#include "opyard/profiler.h"
#include "opyard/state.h"
#include "values.h"

typedef struct run_options {
  bool as_json, trace;
  const char* profile;  // NULL: none
} run_options;

static void print_plain(void* user_data, const oy_value* values, size_t count) {
  (void)user_data;
  cli_print_values("", values, count);
}

static void print_json(void* user_data, const oy_value* values, size_t count) {
  cli_json* json = user_data;
  cli_json_open(json, NULL, '[');
  for (size_t i = 0; i < count; i++) cli_value_json(json, NULL, values[i]);
  cli_json_close(json, ']');
}

// To stderr, as PyTorch has it, but in step with what goes to stdout.
static void trace_line(void* user_data, const char* line) {
  (void)user_data;
  fflush(stdout);
  fprintf(stderr, "%s\n", line);
}

static oy_status run_all(cli_runner* runner, bool trace, cli_trace_log* log) {
  const cli_program* program = runner->program;
  oy_status status = OY_OK;
  for (size_t i = 0; i < program->count && status == OY_OK; i++) {
    if (log) cli_trace_start(log);
    if (trace && !log) {
      oy_trace_set_sink(trace_line, NULL);
      oy_trace_set(true);
    }
    status = cli_runner_step(runner, &program->statements[i]);
    if (trace) cli_trace_stop();
  }
  return status;
}

// ----------------------------------------------------------------------- profile

// "" and "table": the table, to stderr; else a file for a trace viewer.
static oy_status check_profile(const char* profile) {
  size_t size = strlen(profile);
  bool is_file = size > 5 && strcmp(profile + size - 5, ".json") == 0;
  OY_CHECK(is_file || !*profile || strcmp(profile, "table") == 0, INVALID_ARGUMENT,
           "run: expected --profile, --profile=table or --profile=FILE.json, found "
           "--profile=%s",
           profile);
  return OY_OK;
}

static oy_status print_table(oy_profiler* p) {
  oy_profile_table table = OY_PROFILE_TABLE_INIT;
  char* text;
  table.sort_by = "self_cpu_time_total";
  OY_TRY(oy_profiler_table(p, &table, &text));
  fflush(stdout);
  fputs(text, stderr);
  oy_text_free(text);
  return OY_OK;
}

static oy_status report_profile(oy_profiler* p, const char* profile) {
  OY_TRY(oy_profiler_stop(p));
  if (*profile && strcmp(profile, "table") != 0)
    OY_TRY(oy_profiler_export_trace(p, profile, OY_TRACE_OBJECT));
  else
    OY_TRY(print_table(p));
  if (oy_profiler_dropped(p))
    cli_complain("run: %llu events did not fit into the profile",
                 (unsigned long long)oy_profiler_dropped(p));
  return OY_OK;
}

static oy_status run_profiled(cli_runner* runner, const run_options* o,
                              cli_trace_log* log) {
  oy_profiler_options options = {.record_shapes = true, .profile_memory = true};
  oy_profiler* p;
  OY_TRY(oy_profiler_start(&options, &p));
  oy_status status = run_all(runner, o->trace, log);
  // The program's own error is the one to tell.
  oy_status reported = status == OY_OK ? report_profile(p, o->profile) : OY_OK;
  oy_profiler_free(p);
  return status == OY_OK ? reported : status;
}

static void finish_json(cli_json* json, const cli_runner* runner, oy_status status,
                        const cli_trace_log* log) {
  cli_json_close(json, ']');
  cli_json_open(json, "variables", '{');
  for (size_t i = 0; i < runner->variable_count; i++) {
    char name[128];
    snprintf(name, sizeof name, "%.*s", OY_STR_ARG(runner->variables[i].name));
    cli_value_json(json, name, runner->variables[i].value);
  }
  cli_json_close(json, '}');
  if (runner->has_last && status == OY_OK) cli_value_json(json, "last", runner->last);
  if (log) {
    cli_json_open(json, "trace", '[');
    for (size_t i = 0; i < log->count; i++) cli_json_text(json, NULL, log->lines[i]);
    cli_json_close(json, ']');
  }
  cli_json_bool(json, "ok", status == OY_OK);
  if (status != OY_OK) cli_json_text(json, "error", oy_error_get()->message);
  cli_json_close(json, '}');
}

static int run_program(const cli_program* program, oy_registry* registry,
                       const run_options* o) {
  const bool as_json = o->as_json, trace = o->trace;
  cli_json json;
  cli_json_init(&json, stdout);
  cli_runner runner;
  cli_trace_log log = {NULL, 0, 0};
  cli_runner_init(&runner, program, registry);
  runner.print = as_json ? print_json : print_plain;
  runner.user_data = &json;
  if (as_json) {
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "file", program->name);
    cli_json_open(&json, "printed", '[');
  }
  cli_trace_log* kept = as_json && trace ? &log : NULL;
  oy_status status =
      o->profile ? run_profiled(&runner, o, kept) : run_all(&runner, trace, kept);
  if (as_json)
    finish_json(&json, &runner, status, trace ? &log : NULL);
  else if (status == OY_OK && runner.has_last)
    cli_print_values("", &runner.last, 1);
  int result = status == OY_OK ? CLI_OK : cli_fail();
  if (status != OY_OK && runner.call_failed) result = CLI_FAILED;
  cli_trace_log_reset(&log);
  cli_runner_reset(&runner);
  return cli_finish(result);
}

int cli_run(int argc, char** argv) {
  run_options o = {false, false, NULL};
  bool profiled = false;
  const cli_option options[] = {{"--json", &o.as_json, NULL},
                                {"--trace", &o.trace, NULL},
                                {"--profile", &profiled, &o.profile}};
  if (cli_arguments(argc, argv, options, 3, 1, 1) < 0) return CLI_BAD_INPUT;
  if (profiled && !o.profile) o.profile = "";
  if (o.profile && check_profile(o.profile) != OY_OK) return cli_fail();
  char* text;
  size_t size;
  oy_registry* registry;
  cli_program program;
  if (cli_registry(NULL, &registry) != OY_OK) return cli_fail();
  if (cli_read(argv[1], &text, &size) != OY_OK) return cli_fail();
  int result;
  if (cli_program_parse((oy_str){text, size}, cli_path_name(argv[1]), &program) ==
      OY_OK) {
    result = run_program(&program, registry, &o);
    cli_program_free(&program);
  } else {
    result = cli_fail();
  }
  cli_free(text);
  return result;
}
