// SPDX-License-Identifier: Apache-2.0
// `opyard dump`: the whole registry in the registry file format, or as JSON.
#include "base/memory.h"
#include "base/strbuf.h"
#include "common.h"
#include "json.h"
#include "model.h"

static const char* how_text(cli_how how) {
  return how == CLI_UNBOXED ? "unboxed" : how == CLI_BOXED ? "boxed" : "fallthrough";
}

// Keys with the same text are one row, at the place of the first.
static void print_rows(const cli_model_op* op) {
  for (size_t i = 0; i < op->cell_count; i++) {
    const cli_cell* cell = &op->cells[i];
    bool first = true;
    for (size_t k = 0; k < i; k++)
      first = first && !oy_str_equal(op->cells[k].text, cell->text);
    if (!first) continue;
    printf("table\t%.*s\t%.*s", OY_STR_ARG(cell->text), OY_STR_ARG(cell->key_text));
    for (size_t k = i + 1; k < op->cell_count; k++)
      if (oy_str_equal(op->cells[k].text, cell->text))
        printf(",%.*s", OY_STR_ARG(op->cells[k].key_text));
    putchar('\n');
  }
}

static void print_model(const cli_model* model) {
  printf("# registry of opyard %s: registrations and computed dispatch tables\n",
         oy_version());
  for (size_t i = 0; i < model->fallback_count; i++) {
    const cli_fallback* f = &model->fallbacks[i];
    printf("fallback\t%.*s\t%s\t%.*s\n", OY_STR_ARG(f->key_text),
           f->fallthrough ? "fallthrough" : "kernel", OY_STR_ARG(f->debug));
  }
  for (size_t i = 0; i < model->op_count; i++) {
    const cli_model_op* op = &model->ops[i];
    printf("op %.*s\nschema %.*s\n", OY_STR_ARG(op->name), OY_STR_ARG(op->schema));
    if (op->defined)
      printf("debug %.*s\nalias %.*s\n", OY_STR_ARG(op->debug), OY_STR_ARG(op->alias));
    for (size_t k = 0; k < op->impl_count; k++) {
      const cli_impl* impl = &op->impls[k];
      printf("impl\t%.*s\t%s\t%s\t%.*s\t%.*s\n", OY_STR_ARG(impl->key_text),
             impl->active ? "active" : "inactive", how_text(impl->how),
             OY_STR_ARG(impl->debug), OY_STR_ARG(impl->signature));
    }
    print_rows(op);
  }
}

// "registered at f.c:3 [kernel]" in its two parts.
static void json_cell(cli_json* json, const cli_cell* cell) {
  size_t split = cell->text.size;
  while (split > 0 && cell->text.data[split - 1] != '[') split--;
  oy_str kernel = {cell->text.data, split > 1 ? split - 2 : 0};
  oy_str provenance = {cell->text.data + split,
                       cell->text.size > split ? cell->text.size - split - 1 : 0};
  cli_json_open(json, NULL, '{');
  cli_json_str(json, "key", cell->key_text);
  cli_json_str(json, "kernel", kernel);
  cli_json_str(json, "provenance", provenance);
  cli_json_close(json, '}');
}

static void json_op(cli_json* json, const cli_model_op* op) {
  cli_json_open(json, NULL, '{');
  cli_json_str(json, "name", op->name);
  if (op->defined) {
    cli_json_str(json, "schema", op->schema);
    cli_json_str(json, "debug", op->debug);
    cli_json_str(json, "alias", op->alias);
  } else {
    cli_json_null(json, "schema");
  }
  cli_json_open(json, "kernels", '[');
  for (size_t i = 0; i < op->impl_count; i++) {
    const cli_impl* impl = &op->impls[i];
    cli_json_open(json, NULL, '{');
    cli_json_str(json, "key", impl->key_text);
    cli_json_bool(json, "active", impl->active);
    cli_json_text(json, "how", how_text(impl->how));
    cli_json_str(json, "debug", impl->debug);
    cli_json_str(json, "signature", impl->signature);
    cli_json_close(json, '}');
  }
  cli_json_close(json, ']');
  cli_json_open(json, "cells", '[');
  for (size_t i = 0; i < op->cell_count; i++) json_cell(json, &op->cells[i]);
  cli_json_close(json, ']');
  cli_json_close(json, '}');
}

static void json_model(const cli_model* model) {
  cli_json json;
  cli_json_init(&json, stdout);
  cli_json_open(&json, NULL, '{');
  cli_json_text(&json, "opyard", oy_version());
  cli_json_open(&json, "fallbacks", '[');
  for (size_t i = 0; i < model->fallback_count; i++) {
    cli_json_open(&json, NULL, '{');
    cli_json_str(&json, "key", model->fallbacks[i].key_text);
    cli_json_bool(&json, "fallthrough", model->fallbacks[i].fallthrough);
    cli_json_str(&json, "debug", model->fallbacks[i].debug);
    cli_json_close(&json, '}');
  }
  cli_json_close(&json, ']');
  cli_json_open(&json, "operators", '[');
  for (size_t i = 0; i < model->op_count; i++) json_op(&json, &model->ops[i]);
  cli_json_close(&json, ']');
  cli_json_close(&json, '}');
}

int cli_dump(int argc, char** argv) {
  bool as_json = false;
  const char* file = NULL;
  const cli_option options[] = {{"--json", &as_json, NULL}, {"--registry", NULL, &file}};
  if (cli_arguments(argc, argv, options, 2, 0, 0) < 0) return CLI_BAD_INPUT;
  oy_registry* registry;
  cli_model model;
  if (cli_registry(file, &registry) != OY_OK) return cli_fail();
  if (cli_model_of_registry(registry, &model) != OY_OK) return cli_fail();
  if (as_json)
    json_model(&model);
  else
    print_model(&model);
  cli_model_free(&model);
  return cli_finish(CLI_OK);
}
