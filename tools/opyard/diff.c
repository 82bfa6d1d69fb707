// SPDX-License-Identifier: Apache-2.0
// `opyard diff A B`: what changed between two registry files, in the order of
// operator names, then of keys.
#include <stdlib.h>

#include "base/memory.h"
#include "common.h"
#include "json.h"
#include "model.h"

typedef struct changes {
  size_t added, removed, changed, cells;
  cli_json* json;  // NULL: text
  oy_str op;       // whose heading is printed
} changes;

static int by_name(const void* a, const void* b) {
  return strcmp(((const cli_model_op*)a)->name.data, ((const cli_model_op*)b)->name.data);
}

static unsigned rank_of(oy_str key_text) {
  oy_key key;
  size_t size = 0;
  while (size < key_text.size && key_text.data[size] != '[') size++;
  bool known = cli_key_find((oy_str){key_text.data, size}, &key);
  return known ? cli_key_rank(key) : 1u << 30;
}

static int by_key(const void* a, const void* b) {
  const cli_cell *x = a, *y = b;
  unsigned p = rank_of(x->key_text), q = rank_of(y->key_text);
  return p != q ? (p > q) - (p < q) : strcmp(x->key_text.data, y->key_text.data);
}

static void sort_model(cli_model* model) {
  if (model->op_count) qsort(model->ops, model->op_count, sizeof *model->ops, by_name);
  for (size_t i = 0; i < model->op_count; i++) {
    cli_model_op* op = &model->ops[i];
    if (op->cell_count) qsort(op->cells, op->cell_count, sizeof *op->cells, by_key);
  }
}

// One change: |was| or |now| has NULL data where there is nothing.
static void change(changes* c, oy_str op, const char* what, oy_str was, oy_str now) {
  if (c->json) {
    cli_json_open(c->json, NULL, '{');
    cli_json_str(c->json, "op", op);
    cli_json_text(c->json, "what", what);
    if (was.data) cli_json_str(c->json, "was", was);
    if (now.data) cli_json_str(c->json, "now", now);
    cli_json_close(c->json, '}');
    return;
  }
  if (!oy_str_equal(c->op, op)) {
    printf("%s%.*s%s\n", cli_colour("bold"), OY_STR_ARG(op), cli_colour("off"));
    c->op = op;
  }
  if (was.data)
    printf("  %s- %s: %.*s%s\n", cli_colour("red"), what, OY_STR_ARG(was),
           cli_colour("off"));
  if (now.data)
    printf("  %s+ %s: %.*s%s\n", cli_colour("green"), what, OY_STR_ARG(now),
           cli_colour("off"));
}

static bool compare(changes* c, oy_str op, const char* what, oy_str was, oy_str now) {
  if (oy_str_equal(was, now)) return false;
  change(c, op, what, was, now);
  return true;
}

static bool diff_cells(changes* c, const cli_model_op* a, const cli_model_op* b) {
  size_t i = 0, k = 0, before = c->cells;
  while (i < a->cell_count || k < b->cell_count) {
    int order = i == a->cell_count   ? 1
                : k == b->cell_count ? -1
                                     : by_key(&a->cells[i], &b->cells[k]);
    const cli_cell* was = order <= 0 ? &a->cells[i] : NULL;
    const cli_cell* now = order >= 0 ? &b->cells[k] : NULL;
    static const oy_str none = {NULL, 0};
    // NOLINT: one of the two is there
    c->cells += compare(c, a->name, was ? was->key_text.data : now->key_text.data,
                        was ? was->text : none, now ? now->text : none);
    i += was != NULL;
    k += now != NULL;
  }
  return c->cells != before;
}

static void diff_op(changes* c, const cli_model_op* a, const cli_model_op* b) {
  bool changed = compare(c, a->name, "schema", a->schema, b->schema);
  changed |= compare(c, a->name, "alias analysis kind", a->alias, b->alias);
  changed |= compare(c, a->name, "defined", a->debug, b->debug);
  changed |= diff_cells(c, a, b);
  c->changed += changed;
}

static void diff_fallbacks(changes* c, const cli_model* a, const cli_model* b,
                           bool removed_only) {
  for (size_t i = 0; i < a->fallback_count; i++) {
    const cli_fallback *was = &a->fallbacks[i], *now = NULL;
    for (size_t k = 0; k < b->fallback_count; k++)
      if (oy_str_equal(b->fallbacks[k].key_text, was->key_text)) now = &b->fallbacks[k];
    const oy_str heading = {"fallbacks", 9}, none = {NULL, 0};
    if (removed_only && !now)
      c->cells += compare(c, heading, was->key_text.data, none, was->debug);
    else if (!removed_only)
      c->cells +=
          compare(c, heading, was->key_text.data, was->debug, now ? now->debug : none);
  }
}

static void diff_models(changes* c, const cli_model* a, const cli_model* b) {
  diff_fallbacks(c, a, b, false);
  diff_fallbacks(c, b, a, true);
  size_t i = 0, k = 0;
  while (i < a->op_count || k < b->op_count) {
    int order = i == a->op_count   ? 1
                : k == b->op_count ? -1
                                   : by_name(&a->ops[i], &b->ops[k]);
    const oy_str none = {NULL, 0};
    if (order < 0) {
      change(c, a->ops[i].name, "operator", a->ops[i].schema, none);
      c->removed++;
    } else if (order > 0) {
      change(c, b->ops[k].name, "operator", none, b->ops[k].schema);
      c->added++;
    } else {
      diff_op(c, &a->ops[i], &b->ops[k]);
    }
    i += order <= 0;
    k += order >= 0;
  }
}

static oy_status load(const char* path, cli_model* out_model) {
  char* text;
  size_t size;
  OY_TRY(cli_read(path, &text, &size));
  oy_status status = cli_model_parse((oy_str){text, size}, cli_path_name(path),
                                     CLI_MODEL_ANY_KEY, out_model);
  cli_free(text);
  if (status == OY_OK) sort_model(out_model);
  return status;
}

static int report(changes* c) {
  bool different = c->added || c->removed || c->changed || c->cells;
  if (c->json) {
    cli_json_close(c->json, ']');
    cli_json_int(c->json, "operators_added", (long long)c->added);
    cli_json_int(c->json, "operators_removed", (long long)c->removed);
    cli_json_int(c->json, "operators_changed", (long long)c->changed);
    cli_json_int(c->json, "cells_changed", (long long)c->cells);
    cli_json_close(c->json, '}');
  } else {
    printf("%zu operators added, %zu removed, %zu changed; %zu cells changed\n", c->added,
           c->removed, c->changed, c->cells);
  }
  return cli_finish(different ? CLI_DIFFERENT : CLI_OK);
}

int cli_diff(int argc, char** argv) {
  bool as_json = false;
  const cli_option options[] = {{"--json", &as_json, NULL}};
  if (cli_arguments(argc, argv, options, 1, 2, 2) < 0) return CLI_BAD_INPUT;
  cli_model a, b;
  if (load(argv[1], &a) != OY_OK) return cli_fail();
  if (load(argv[2], &b) != OY_OK) {
    cli_model_free(&a);
    return cli_fail();
  }
  cli_json json;
  cli_json_init(&json, stdout);
  changes c = {.json = as_json ? &json : NULL};
  if (as_json) {
    cli_json_open(&json, NULL, '{');
    cli_json_open(&json, "changes", '[');
  }
  diff_models(&c, &a, &b);
  int result = report(&c);
  cli_model_free(&b);
  cli_model_free(&a);
  return result;
}
