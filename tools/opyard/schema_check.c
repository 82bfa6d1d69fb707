// SPDX-License-Identifier: Apache-2.0
// `opyard schema`: parses schemas and prints them back.
#include "common.h"
#include "json.h"
#include "schema_text.h"

enum { SHOWN_MAX = 20 };

typedef struct tally {
  size_t parsed, equal, sets, different, failed, shown;
  cli_json* json;  // NULL: text
} tally;

// One schema that is not as it came. |found| is NULL when it did not parse.
static void show(tally* t, size_t line, oy_str given, const char* printed) {
  if (t->shown++ >= SHOWN_MAX) return;
  const oy_error* error = oy_error_get();
  if (t->json) {
    cli_json_open(t->json, NULL, '{');
    cli_json_int(t->json, "line", (long long)line);
    cli_json_str(t->json, "given", given);
    cli_json_text(t->json, printed ? "printed" : "error",
                  printed ? printed : error->message);
    cli_json_close(t->json, '}');
  } else if (printed) {
    printf("line %zu differs\n  given    %.*s\n  printed  %s\n", line, OY_STR_ARG(given),
           printed);
  } else {
    printf("line %zu does not parse: %s\n", line, error->message);
  }
}

static void check_schema(tally* t, size_t line, oy_str given) {
  oy_schema* schema;
  char* printed = NULL;
  if (oy_schema_parse(given, OY_SCHEMA_ALLOW_TYPE_VARIABLES, &schema) != OY_OK) {
    t->failed++;
    show(t, line, given, NULL);
    return;
  }
  t->parsed++;
  if (oy_schema_print(schema, &printed) != OY_OK) {
    t->failed++;
    show(t, line, given, NULL);
    oy_schema_free(schema);
    return;
  }
  cli_same same = cli_schema_same(given, oy_str_of(printed));
  t->equal += same == CLI_EQUAL;
  t->sets += same == CLI_EQUAL_BUT_SETS;
  if (same == CLI_UNEQUAL) {
    t->different++;
    show(t, line, given, printed);
  }
  oy_text_free(printed);
  oy_schema_free(schema);
}

static void check_text(tally* t, const char* text, size_t size) {
  size_t line = 0;
  for (size_t at = 0; at < size;) {
    const char* end = memchr(text + at, '\n', size - at);
    size_t length = end ? (size_t)(end - (text + at)) : size - at;
    line++;
    if (length > 0 && text[at] != '#') check_schema(t, line, (oy_str){text + at, length});
    at += length + 1;
  }
}

static int check_file(const char* path, bool as_json) {
  char* text;
  size_t size;
  if (cli_read(path, &text, &size) != OY_OK) return cli_fail();
  cli_json json;
  cli_json_init(&json, stdout);
  tally t = {.json = as_json ? &json : NULL};
  if (as_json) {
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "file", cli_path_name(path));
    cli_json_open(&json, "shown", '[');
  }
  check_text(&t, text, size);
  cli_free(text);
  size_t total = t.parsed + t.failed;
  if (as_json) {
    cli_json_close(&json, ']');
    cli_json_int(&json, "schemas", (long long)total);
    cli_json_int(&json, "parsed", (long long)t.parsed);
    cli_json_int(&json, "equal", (long long)t.equal);
    cli_json_int(&json, "equal_but_order_in_alias_sets", (long long)t.sets);
    cli_json_int(&json, "different", (long long)t.different);
    cli_json_int(&json, "failed", (long long)t.failed);
    cli_json_close(&json, '}');
  } else {
    if (t.shown > SHOWN_MAX) printf("... and %zu more\n", t.shown - SHOWN_MAX);
    printf(
        "%zu schemas: %zu parse, %zu print back as they came, %zu but for the order "
        "inside alias sets, %zu differ, %zu do not parse\n",
        total, t.parsed, t.equal, t.sets, t.different, t.failed);
  }
  return cli_finish(t.different + t.failed ? CLI_DIFFERENT : CLI_OK);
}

static int print_one(const char* text, bool as_json) {
  oy_schema* schema;
  char* printed;
  if (oy_schema_parse(oy_str_of(text), OY_SCHEMA_DEFAULT, &schema) != OY_OK)
    return cli_fail();
  oy_status status = oy_schema_print(schema, &printed);
  if (status == OY_OK && as_json) {
    cli_json json;
    cli_json_init(&json, stdout);
    cli_json_open(&json, NULL, '{');
    cli_json_str(&json, "name", schema->full_name);
    cli_json_text(&json, "schema", printed);
    cli_json_int(&json, "arguments", (long long)schema->argument_count);
    cli_json_int(&json, "returns", (long long)schema->return_count);
    cli_json_bool(&json, "mutable", oy_schema_is_mutable(schema));
    cli_json_bool(&json, "view", oy_schema_is_view(schema));
    cli_json_close(&json, '}');
  } else if (status == OY_OK) {
    puts(printed);
  }
  if (status == OY_OK) oy_text_free(printed);
  oy_schema_free(schema);
  return status == OY_OK ? cli_finish(CLI_OK) : cli_fail();
}

int cli_schema(int argc, char** argv) {
  bool as_json = false;
  const char* file = NULL;
  const cli_option options[] = {{"--json", &as_json, NULL}, {"--check", NULL, &file}};
  int operands = cli_arguments(argc, argv, options, 2, 0, 1);
  if (operands < 0) return CLI_BAD_INPUT;
  if ((file != NULL) == (operands == 1)) {
    cli_complain("schema: expected --check FILE or one schema, found %s",
                 file ? "both" : "neither");
    return CLI_BAD_INPUT;
  }
  return file ? check_file(file, as_json) : print_one(argv[1], as_json);
}
