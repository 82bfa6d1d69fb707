// SPDX-License-Identifier: Apache-2.0
// `opyard report`: what a program did, or the registry alone, as one page of HTML. What it
// shows is one piece of JSON (report_data.c), put into report.html.
#include "report.h"

#include <errno.h>

#include "common.h"

// report_page.S
extern const char cli_report_page[], cli_report_page_end[];
static const char g_mark[] = "{{DATA}}";

// In a script element "</" could end it, and "<!--" begin something else.
static void write_data(FILE* out, const char* data, size_t size) {
  for (size_t i = 0; i < size; i++) {
    if (data[i] == '<')
      fputs("\\u003c", out);
    else
      fputc(data[i], out);
  }
}

static oy_status write_page(const char* path, const char* data, size_t size) {
  const char* at = strstr(cli_report_page, g_mark);
  OY_CHECK(at, INTERNAL, "the page has no place for the data");
  FILE* out = fopen(path, "wb");
  OY_CHECK(out, IO, "%s: %s", path, strerror(errno));
  fwrite(cli_report_page, 1, (size_t)(at - cli_report_page), out);
  write_data(out, data, size);
  at += sizeof g_mark - 1;
  fwrite(at, 1, (size_t)(cli_report_page_end - at), out);
  bool good = !ferror(out);
  good = fclose(out) == 0 && good;
  OY_CHECK(good, IO, "%s: %s", path, strerror(errno));
  return OY_OK;
}

// To |out|: the JSON of |program|, or of the registry alone if it is NULL.
static oy_status make_data(oy_registry* registry, const cli_program* program, FILE* out,
                           bool* out_call_failed) {
  cli_report report = {.registry = registry, .program = program};
  oy_status status = program ? cli_report_run(&report) : OY_OK;
  // A program that failed has a report, too: up to there.
  if (status == OY_OK || report.error) status = cli_report_json(&report, out);
  *out_call_failed = report.error != NULL;
  cli_report_reset(&report);
  return status;
}

static oy_status make_page(oy_registry* registry, const cli_program* program,
                           const char* path, bool* out_call_failed) {
  char* data = NULL;
  size_t size = 0;
  FILE* out = open_memstream(&data, &size);
  OY_CHECK(out, OUT_OF_MEMORY, "out of memory for a report");
  oy_status status = make_data(registry, program, out, out_call_failed);
  bool good = fclose(out) == 0;
  if (status == OY_OK && !good) status = OY_FAIL(OUT_OF_MEMORY, "out of memory");
  if (status == OY_OK) status = write_page(path, data, size);
  free(data);
  return status;
}

static oy_status read_program(const char* path, char** out_text, cli_program* program) {
  size_t size;
  OY_TRY(cli_read(path, out_text, &size));
  return cli_program_parse((oy_str){*out_text, size}, cli_path_name(path), program);
}

int cli_report_main(int argc, char** argv) {
  const char* path = "opyard-report.html";
  const cli_option options[] = {{"-o", NULL, &path}};
  int operands = cli_arguments(argc, argv, options, 1, 0, 1);
  if (operands < 0) return CLI_BAD_INPUT;
  oy_registry* registry;
  cli_program program;
  char* text = NULL;
  bool call_failed = false, parsed = false;
  oy_status status = cli_registry(NULL, &registry);
  if (status == OY_OK && operands) {
    status = read_program(argv[1], &text, &program);
    parsed = status == OY_OK;
  }
  if (status == OY_OK)
    status = make_page(registry, parsed ? &program : NULL, path, &call_failed);
  int result = status == OY_OK ? CLI_OK : cli_fail();
  if (status == OY_OK) printf("%s\n", path);
  if (status == OY_OK && call_failed) {
    cli_complain("report: the program failed; the page shows it up to there");
    result = CLI_FAILED;
  }
  if (parsed) cli_program_free(&program);
  cli_free(text);
  return cli_finish(result);
}
