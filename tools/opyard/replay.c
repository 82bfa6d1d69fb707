// SPDX-License-Identifier: Apache-2.0
// `opyard replay`: registers what a registry file holds and compares every cell,
// every row of text and every state dump with what the file says came of it.
#include "replay.h"

#include <errno.h>
#include <stdlib.h>

#include "base/memory.h"
#include "common.h"
#include "json.h"
#include "schema_text.h"

enum { SHOWN_MAX = 20 };

typedef struct compared {
  size_t equal, different;
} compared;

typedef struct tally {
  compared ops, cells, rows, states;
  size_t reordered;  // states that are equal but for the order in alias sets
  size_t shown, hidden;
  cli_json* json;  // NULL: text
} tally;

static void show(tally* t, oy_str op, const char* what, oy_str expected, oy_str found) {
  if (t->shown == SHOWN_MAX) {
    t->hidden++;
    return;
  }
  t->shown++;
  if (t->json) {
    cli_json_open(t->json, NULL, '{');
    cli_json_str(t->json, "op", op);
    cli_json_text(t->json, "what", what);
    cli_json_str(t->json, "expected", expected);
    cli_json_str(t->json, "found", found);
    cli_json_close(t->json, '}');
    return;
  }
  printf("%.*s, %s\n  expected  %.*s\n  found     %.*s\n", OY_STR_ARG(op), what,
         OY_STR_ARG(expected), OY_STR_ARG(found));
}

static bool count(compared* c, bool equal) {
  c->equal += equal;
  c->different += !equal;
  return equal;
}

static oy_status compare_cells(tally* t, const oy_op* op, const cli_model_op* want) {
  oy_str expected[CLI_RUNTIME_KEYS] = {{NULL, 0}};
  oy_key key;
  for (size_t i = 0; cli_runtime_key_at(i, &key); i++)
    for (size_t k = 0; k < want->cell_count; k++)
      if (want->cells[k].key == key) expected[i] = want->cells[k].text;
  for (size_t i = 0; cli_runtime_key_at(i, &key); i++) {
    char* found;
    OY_TRY(oy_op_dump_cell(op, key, &found));
    char what[80];
    snprintf(what, sizeof what, "cell %s", oy_key_name(key));
    if (!count(&t->cells, oy_str_equal(expected[i], oy_str_of(found))))
      show(t, want->name, what, expected[i], oy_str_of(found));
    oy_text_free(found);
  }
  return OY_OK;
}

static oy_str next_line(const char** text) {
  const char* end = strchr(*text, '\n');
  oy_str line = {*text, end ? (size_t)(end - *text) : strlen(*text)};
  *text = end ? end + 1 : *text + line.size;
  return line;
}

// Line by line; lines that one side has and the other lacks are different.
static void compare_rows(tally* t, oy_str op, const char* expected, const char* found) {
  while (*expected || *found) {
    oy_str a = next_line(&expected), b = next_line(&found);
    if (!count(&t->rows, oy_str_equal(a, b))) show(t, op, "table row", a, b);
  }
}

static void compare_states(tally* t, oy_str op, const char* expected, const char* found) {
  cli_same same = cli_schema_same(oy_str_of(expected), oy_str_of(found));
  t->reordered += same == CLI_EQUAL_BUT_SETS;
  if (count(&t->states, same != CLI_UNEQUAL)) return;
  while (*expected || *found) {
    oy_str a = next_line(&expected), b = next_line(&found);
    if (!oy_str_equal(a, b)) show(t, op, "state line", a, b);
  }
}

static oy_status compare_texts(tally* t, const oy_op* op, const cli_model_op* want) {
  oyi_strbuf state = OYI_STRBUF_INIT, table = OYI_STRBUF_INIT;
  char *found_state = NULL, *found_table = NULL;
  cli_state_text(want, &state);
  cli_table_text(want, &table);
  oyi_strbuf_puts(&table, "");
  oy_status status = OY_OK;
  OY_TRY_GOTO(oyi_strbuf_status(&state), cleanup);
  OY_TRY_GOTO(oyi_strbuf_status(&table), cleanup);
  OY_TRY_GOTO(oy_op_dump_state(op, &found_state), cleanup);
  OY_TRY_GOTO(oy_op_dump_table(op, &found_table), cleanup);
  compare_rows(t, want->name, table.data ? table.data : "", found_table);
  compare_states(t, want->name, state.data ? state.data : "", found_state);
cleanup:
  oy_text_free(found_table);
  oy_text_free(found_state);
  oyi_strbuf_reset(&table);
  oyi_strbuf_reset(&state);
  return status;
}

static oy_status compare_all(tally* t, const cli_model* model, oy_registry* registry) {
  for (size_t i = 0; i < model->op_count; i++) {
    const cli_model_op* want = &model->ops[i];
    const oy_op* op = oy_op_lookup(registry, want->name);
    size_t before = t->cells.different + t->rows.different + t->states.different;
    if (!op) {
      t->states.different++;
      show(t, want->name, "operator", want->name, oy_str_of("none"));
    } else {
      OY_TRY(compare_cells(t, op, want));
      OY_TRY(compare_texts(t, op, want));
    }
    size_t after = t->cells.different + t->rows.different + t->states.different;
    count(&t->ops, before == after);
  }
  // Nothing may be there that the file does not have.
  size_t extra = oy_registry_op_count(registry);
  if (extra > model->op_count) t->ops.different += extra - model->op_count;
  return OY_OK;
}

static void report_row(cli_json* json, const char* name, compared c, const char* note) {
  if (!json) {
    printf("%-10s %8zu equal, %zu different%s\n", name, c.equal, c.different, note);
    return;
  }
  cli_json_open(json, name, '{');
  cli_json_int(json, "equal", (long long)c.equal);
  cli_json_int(json, "different", (long long)c.different);
  cli_json_close(json, '}');
}

static void report(tally* t, const cli_model* model, uint64_t seed) {
  char note[96] = "", cells[96];
  snprintf(cells, sizeof cells, "  (%zu operators x %d runtime keys)", model->op_count,
           CLI_RUNTIME_KEYS);
  if (t->reordered)
    snprintf(note, sizeof note, "  (%zu of them but for the order in alias sets)",
             t->reordered);
  if (t->json) {
    cli_json_close(t->json, ']');
    cli_json_int(t->json, "differences_not_shown", (long long)t->hidden);
    cli_json_int(t->json, "fallbacks", (long long)model->fallback_count);
    cli_json_int(t->json, "seed", (long long)seed);
  } else {
    if (t->hidden) printf("... and %zu more differences\n", t->hidden);
    if (seed)
      printf("registered in a mixed order, seed %llu\n", (unsigned long long)seed);
  }
  report_row(t->json, "operators", t->ops, "");
  report_row(t->json, "cells", t->cells, cells);
  report_row(t->json, "rows", t->rows, "");
  report_row(t->json, "states", t->states, note);
  if (t->json) cli_json_close(t->json, '}');
}

static int replay_model(const cli_model* model, uint64_t seed, bool as_json) {
  cli_json json;
  cli_json_init(&json, stdout);
  tally t = {.json = as_json ? &json : NULL};
  oy_registry* registry;
  if (oy_registry_create(&registry) != OY_OK) return cli_fail();
  cli_replayed replayed;
  oy_status status = cli_replay_register(model, registry, seed, &replayed);
  if (status == OY_OK) {
    if (as_json) {
      cli_json_open(&json, NULL, '{');
      cli_json_text(&json, "file", model->name);
      cli_json_open(&json, "differences", '[');
    }
    status = compare_all(&t, model, registry);
    report(&t, model, seed);
  }
  int result = status != OY_OK ? cli_fail() : t.ops.different ? CLI_DIFFERENT : CLI_OK;
  cli_replay_close(&replayed);
  oy_registry_destroy(registry);
  return cli_finish(result);
}

static bool read_seed(const char* text, uint64_t* out_seed) {
  char* end;
  errno = 0;
  *out_seed = strtoull(text, &end, 10);
  if (errno == 0 && text[0] >= '0' && text[0] <= '9' && *end == '\0' && *out_seed > 0)
    return true;
  cli_complain("replay: expected a number above 0 after --shuffle, found `%s`", text);
  return false;
}

int cli_replay(int argc, char** argv) {
  bool as_json = false;
  const char* seed_text = NULL;
  uint64_t seed = 0;
  const cli_option options[] = {{"--json", &as_json, NULL},
                                {"--shuffle", NULL, &seed_text}};
  if (cli_arguments(argc, argv, options, 2, 1, 1) < 0) return CLI_BAD_INPUT;
  if (seed_text && !read_seed(seed_text, &seed)) return CLI_BAD_INPUT;
  char* text;
  size_t size;
  cli_model model;
  if (cli_read(argv[1], &text, &size) != OY_OK) return cli_fail();
  oy_status status =
      cli_model_parse((oy_str){text, size}, cli_path_name(argv[1]), 0, &model);
  cli_free(text);
  if (status != OY_OK) return cli_fail();
  int result = replay_model(&model, seed, as_json);
  cli_model_free(&model);
  return result;
}
