// SPDX-License-Identifier: Apache-2.0
// `opyard explain`: which kernel a call would run, and why, without running it.
#include "explain.h"

#include "argspec.h"
#include "base/strbuf.h"
#include "common.h"

enum { ARGUMENTS_MAX = 64, SET_TEXT = 4096 };

static const char* set_text(oy_keyset set, char buffer[SET_TEXT]) {
  oy_keyset_print(set, buffer, SET_TEXT);
  return buffer;
}

static const char* verdict_text(oy_step_verdict verdict) {
  return verdict == OY_STEP_CHOSEN ? "chosen" : verdict == OY_STEP_LOST ? "lost" : "next";
}

static const char* dtype_text(oy_dtype dtype) {
  const char* name = dtype == OY_DTYPE_ANY ? NULL : oy_dtype_name(dtype);
  return name ? name : "plays no part";
}

// The name of the dispatched argument |n|, "" if the schema has no such.
static oy_str argument_name(const oy_op* op, size_t n) {
  const oy_schema* schema = oy_op_schema(op);
  for (size_t i = 0; schema && i < schema->argument_count; i++)
    if (schema->arguments[i].is_dispatch && n-- == 0) return schema->arguments[i].name;
  return (oy_str){"", 0};
}

static void print_sets(const oy_explanation* e, const char* const* texts) {
  char buffer[SET_TEXT];
  for (size_t i = 0; i < e->argument_count; i++) {
    oy_str name = argument_name(e->op, i);
    // NOLINT: an explanation has as many arguments as it was asked for
    printf("  %-12.*s %-23s %s\n", OY_STR_ARG(name), texts[i],
           set_text(e->argument_keys[i], buffer));
  }
  printf("  %-36s %s\n", "included by the thread", set_text(e->included, buffer));
  printf("  %-36s %s\n", "excluded by the thread", set_text(e->excluded, buffer));
  printf("  %-36s %s\n", "masked: fallthrough here", set_text(e->masked, buffer));
  printf("  %-36s %s\n", "effective", set_text(e->effective, buffer));
}

static void print_step(const oy_explain_step* step) {
  const char* colour = step->verdict == OY_STEP_CHOSEN ? "green"
                       : step->verdict == OY_STEP_LOST ? "dim"
                                                       : "bold";
  printf("  %s%-7s%s %s: %s [%s]\n            %s\n", cli_colour(colour),
         verdict_text(step->verdict), cli_colour("off"), oy_key_name(step->key),
         step->kernel, step->provenance, step->reason);
}

void cli_explanation_print(const oy_explanation* e, const char* const* texts) {
  char* schema = NULL;
  if (oy_op_schema(e->op) && oy_schema_print(oy_op_schema(e->op), &schema) == OY_OK)
    printf("%s%s%s\n", cli_colour("bold"), schema, cli_colour("off"));
  else
    printf("%.*s\n", OY_STR_ARG(oy_op_name_of(e->op)));
  oy_text_free(schema);
  print_sets(e, texts);
  printf("  %-36s %s%s%s\n", "slot: highest functionality, backend", cli_colour("bold"),
         oy_key_name(e->slot), cli_colour("off"));
  if (e->dtype != OY_DTYPE_ANY)
    printf("  %-36s %s\n", "dtype of the call", dtype_text(e->dtype));
  for (size_t i = 0; i < e->step_count; i++) print_step(&e->steps[i]);
}

static void json_set(cli_json* json, const char* key, oy_keyset set) {
  uint32_t cursor = 0;
  oy_key k;
  cli_json_open(json, key, '<');
  while (oy_keyset_next(set, &cursor, &k)) cli_json_text(json, NULL, oy_key_name(k));
  cli_json_close(json, ']');
}

void cli_explanation_json(cli_json* json, const oy_explanation* e,
                          const char* const* texts) {
  cli_json_open(json, NULL, '{');
  cli_json_str(json, "op", oy_op_name_of(e->op));
  cli_json_open(json, "arguments", '[');
  for (size_t i = 0; i < e->argument_count; i++) {
    cli_json_open(json, NULL, '{');
    cli_json_str(json, "name", argument_name(e->op, i));
    // NOLINT: an explanation has as many arguments as it was asked for
    cli_json_text(json, "given", texts[i]);
    json_set(json, "keys", e->argument_keys[i]);
    cli_json_close(json, '}');
  }
  cli_json_close(json, ']');
  json_set(json, "included", e->included);
  json_set(json, "excluded", e->excluded);
  json_set(json, "masked", e->masked);
  json_set(json, "effective", e->effective);
  cli_json_text(json, "slot", oy_key_name(e->slot));
  if (e->dtype == OY_DTYPE_ANY)
    cli_json_null(json, "dtype");
  else
    cli_json_text(json, "dtype", dtype_text(e->dtype));
  cli_json_open(json, "steps", '[');
  for (size_t i = 0; i < e->step_count; i++) {
    const oy_explain_step* step = &e->steps[i];
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "key", oy_key_name(step->key));
    cli_json_text(json, "verdict", verdict_text(step->verdict));
    cli_json_text(json, "kernel", step->kernel);
    cli_json_text(json, "provenance", step->provenance);
    cli_json_text(json, "reason", step->reason);
    cli_json_close(json, '}');
  }
  cli_json_close(json, ']');
  cli_json_close(json, '}');
}

// Arguments that are left out are "none", where the schema allows it.
static oy_status check_count(const oy_op* op, size_t given, size_t* out_count) {
  const oy_schema* schema = oy_op_schema(op);
  size_t dispatched = 0, required = 0;
  OY_CHECK(schema, FAILED_PRECONDITION,
           "expected an operator with a definition, found %.*s",
           OY_STR_ARG(oy_op_name_of(op)));
  for (size_t i = 0; i < schema->argument_count; i++) {
    if (!schema->arguments[i].is_dispatch) continue;
    dispatched++;
    if (schema->arguments[i].type->kind != OY_TYPE_OPTIONAL) required = dispatched;
  }
  *out_count = dispatched;
  if (given >= required && given <= dispatched) return OY_OK;
  return OY_FAIL(INVALID_ARGUMENT,
                 "explain: expected %zu tensor argument%s for %.*s, found %zu",
                 given < required ? required : dispatched,
                 (given < required ? required : dispatched) == 1 ? "" : "s",
                 OY_STR_ARG(schema->full_name), given);
}

static oy_status explain(char** argv, size_t given, const char* file, bool as_json) {
  oy_registry* registry;
  const oy_op* op;
  size_t count = 0;
  oy_argument_keys arguments[ARGUMENTS_MAX];
  const char* texts[ARGUMENTS_MAX];
  OY_TRY(cli_registry(file, &registry));
  OY_TRY(cli_find_op(registry, argv[1], &op));
  OY_TRY(check_count(op, given, &count));
  for (size_t i = 0; i < count; i++) {
    char name[32];
    texts[i] = i < given ? argv[2 + i] : "none";
    snprintf(name, sizeof name, "argument %zu", i + 1);
    OY_TRY(cli_argspec_parse(oy_str_of(texts[i]), name, &arguments[i]));
  }
  oy_explanation* e;
  OY_TRY(oy_explain(op, arguments, count, &e));
  if (as_json) {
    cli_json json;
    cli_json_init(&json, stdout);
    cli_explanation_json(&json, e, texts);
  } else {
    cli_explanation_print(e, texts);
  }
  oy_explanation_free(e);
  return OY_OK;
}

int cli_explain(int argc, char** argv) {
  bool as_json = false;
  const char* file = NULL;
  const cli_option options[] = {{"--json", &as_json, NULL}, {"--registry", NULL, &file}};
  int operands = cli_arguments(argc, argv, options, 2, 1, 1 + ARGUMENTS_MAX);
  if (operands < 0) return CLI_BAD_INPUT;
  if (explain(argv, (size_t)operands - 1, file, as_json) != OY_OK) return cli_fail();
  return cli_finish(CLI_OK);
}
