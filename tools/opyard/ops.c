// SPDX-License-Identifier: Apache-2.0
// `opyard ops`, `table` and `state`: what is registered, as it is.
#include <fnmatch.h>

#include "common.h"
#include "json.h"

static bool matches(const char* pattern, oy_str name) {
  if (!pattern) return true;
  char text[512];
  snprintf(text, sizeof text, "%.*s", OY_STR_ARG(name));
  if (strpbrk(pattern, "*?[")) return fnmatch(pattern, text, 0) == 0;
  return strstr(text, pattern) != NULL;
}

// The keys with a kernel of the operator's own, in enum order.
static void json_keys(cli_json* json, const oy_op* op) {
  oy_key key;
  cli_json_open(json, "kernels", '<');
  for (size_t i = 0; oy_key_at(i, &key); i++)
    if ((oy_key_is_runtime(key) || oy_key_is_alias(key)) && oy_op_has_kernel(op, key))
      cli_json_text(json, NULL, oy_key_name(key));
  cli_json_close(json, ']');
}

static oy_status print_op(const oy_op* op, cli_json* json) {
  const oy_schema* schema = oy_op_schema(op);
  char* printed = NULL;
  if (schema) OY_TRY(oy_schema_print(schema, &printed));
  if (!json) {
    oy_str name = oy_op_name_of(op);
    if (printed)
      puts(printed);
    else
      printf("%.*s  (kernels without a definition)\n", OY_STR_ARG(name));
  } else {
    cli_json_open(json, NULL, '{');
    cli_json_str(json, "name", oy_op_name_of(op));
    if (printed)
      cli_json_text(json, "schema", printed);
    else
      cli_json_null(json, "schema");
    cli_json_text(json, "tags", oy_op_tags(op));
    json_keys(json, op);
    cli_json_close(json, '}');
  }
  oy_text_free(printed);
  return OY_OK;
}

int cli_ops(int argc, char** argv) {
  bool as_json = false;
  const char* file = NULL;
  const cli_option options[] = {{"--json", &as_json, NULL}, {"--registry", NULL, &file}};
  int operands = cli_arguments(argc, argv, options, 2, 0, 1);
  if (operands < 0) return CLI_BAD_INPUT;
  oy_registry* registry;
  const oy_op** ops;
  size_t count, shown = 0;
  if (cli_registry(file, &registry) != OY_OK) return cli_fail();
  if (oy_registry_list(registry, &ops, &count) != OY_OK) return cli_fail();
  cli_json json;
  cli_json_init(&json, stdout);
  if (as_json) cli_json_open(&json, NULL, '[');
  oy_status status = OY_OK;
  for (size_t i = 0; i < count && status == OY_OK; i++) {
    if (!matches(operands == 1 ? argv[1] : NULL, oy_op_name_of(ops[i]))) continue;
    status = print_op(ops[i], as_json ? &json : NULL);
    shown++;
  }
  if (as_json) cli_json_close(&json, ']');
  oy_ops_free(ops);
  if (status != OY_OK) return cli_fail();
  return cli_finish(shown || operands == 0 ? CLI_OK : CLI_DIFFERENT);
}

// The lines "key: text" of a dump as an object.
static void json_lines(cli_json* json, const char* text) {
  cli_json_open(json, "lines", '[');
  while (*text) {
    const char* end = strchr(text, '\n');
    size_t size = end ? (size_t)(end - text) : strlen(text);
    const char* colon = memmem(text, size, ": ", 2);
    size_t key = colon ? (size_t)(colon - text) : size;
    char label[256];
    snprintf(label, sizeof label, "%.*s", (int)key, text);
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "key", label);
    cli_json_str(json, "text",
                 (oy_str){text + key + (colon ? 2 : 0), size - key - (colon ? 2 : 0)});
    cli_json_close(json, '}');
    text += end ? size + 1 : size;
  }
  cli_json_close(json, ']');
}

static int dump_op(int argc, char** argv,
                   oy_status (*dump)(const oy_op* op, char** out_text)) {
  bool as_json = false;
  const char* file = NULL;
  const cli_option options[] = {{"--json", &as_json, NULL}, {"--registry", NULL, &file}};
  if (cli_arguments(argc, argv, options, 2, 1, 1) < 0) return CLI_BAD_INPUT;
  oy_registry* registry;
  const oy_op* op;
  char* text;
  if (cli_registry(file, &registry) != OY_OK) return cli_fail();
  if (cli_find_op(registry, argv[1], &op) != OY_OK) return cli_fail();
  if (dump(op, &text) != OY_OK) return cli_fail();
  if (as_json) {
    cli_json json;
    cli_json_init(&json, stdout);
    cli_json_open(&json, NULL, '{');
    cli_json_str(&json, "name", oy_op_name_of(op));
    json_lines(&json, text);
    cli_json_close(&json, '}');
  } else {
    fputs(text, stdout);
  }
  oy_text_free(text);
  return cli_finish(CLI_OK);
}

int cli_table(int argc, char** argv) {
  return dump_op(argc, argv, oy_op_dump_table);
}

int cli_state(int argc, char** argv) {
  return dump_op(argc, argv, oy_op_dump_state);
}
