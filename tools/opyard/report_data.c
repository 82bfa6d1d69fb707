// SPDX-License-Identifier: Apache-2.0
// The data of a report, as report.html reads it.
#include "base/memory.h"
#include "common.h"
#include "explain.h"
#include "report.h"
#ifdef __has_include
#if __has_include("opyard/fallback.h")
#include "opyard/fallback.h"
#define HAVE_LEDGER 1
#endif
#endif

enum { COLUMNS = 48 };
typedef struct columns {
  oy_key keys[COLUMNS];
  size_t count;
} columns;

static void add_column(columns* c, oy_key key) {
  for (size_t i = 0; i < c->count; i++)
    if (c->keys[i] == key) return;
  if (c->count < COLUMNS) c->keys[c->count++] = key;
}

static int by_rank(const void* a, const void* b) {
  unsigned x = cli_key_rank(*(const oy_key*)a), y = cli_key_rank(*(const oy_key*)b);
  return x < y ? -1 : x > y;
}

// What nearly every call may go through, and what these calls did.
static columns choose_columns(const cli_report* r) {
  static const oy_key usual[] = {OY_KEY_CPU,
                                 OY_KEY_Meta,
                                 OY_KEY_BackendSelect,
                                 OY_KEY_ADInplaceOrView,
                                 OY_KEY_AutogradCPU,
                                 OY_KEY_AutocastCPU,
                                 OY_KEY_FuncTorchBatched};
  columns c = {.count = 0};
  for (size_t i = 0; i < OY_ARRAY_SIZE(usual); i++) add_column(&c, usual[i]);
  for (size_t i = 0; i < r->hit_count; i++) add_column(&c, r->hits[i].key);
  qsort(c.keys, c.count, sizeof *c.keys, by_rank);
  return c;
}

// ----------------------------------------------------------------------- heat map

// One character for what a cell says of itself: "... [math kernel]"; ' ' for none, and
// for what passes calls on.
static char letter_of(const char* cell) {
  static const char* const ends[] = {"k[kernel]",          "d[default backend kernel]",
                                     "n[nested kernel]",   "m[math kernel]",
                                     "a[autograd kernel]", "u[ambiguous autogradother]",
                                     "b[batched kernel]",  "f[backend fallback]"};
  size_t size = strlen(cell);
  if (strncmp(cell, "fallthrough ", 12) == 0) return ' ';
  for (size_t i = 0; i < OY_ARRAY_SIZE(ends); i++) {
    size_t end = strlen(ends[i] + 1);
    if (size >= end && strcmp(cell + size - end, ends[i] + 1) == 0) return ends[i][0];
  }
  return ' ';
}

static oy_status put_cells(cli_json* json, const oy_op* op, const columns* c) {
  char cells[COLUMNS + 1];
  for (size_t i = 0; i < c->count; i++) {
    char* text;
    OY_TRY(oy_op_dump_cell(op, c->keys[i], &text));
    cells[i] = letter_of(text);
    oy_text_free(text);
  }
  cells[c->count] = '\0';
  cli_json_text(json, "cells", cells);
  return OY_OK;
}

static void put_hits(cli_json* json, const cli_report* r, const oy_op* op,
                     const columns* c) {
  bool any = false;
  for (size_t i = 0; i < r->hit_count; i++) any |= r->hits[i].op == op;
  if (!any) return;
  cli_json_open(json, "hits", '<');
  for (size_t k = 0; k < c->count; k++) {
    uint64_t count = 0;
    for (size_t i = 0; i < r->hit_count; i++)
      if (r->hits[i].op == op && r->hits[i].key == c->keys[k]) count = r->hits[i].count;
    cli_json_int(json, NULL, (long long)count);
  }
  cli_json_close(json, ']');
}

static oy_status put_ops(cli_json* json, const cli_report* r, const columns* c) {
  const oy_op** ops;
  size_t count;
  oy_status status = OY_OK;
  OY_TRY(oy_registry_list(r->registry, &ops, &count));
  cli_json_open(json, "ops", '[');
  for (size_t i = 0; i < count && status == OY_OK; i++) {
    cli_json_open(json, NULL, '{');
    cli_json_str(json, "name", oy_op_name_of(ops[i]));
    status = put_cells(json, ops[i], c);
    put_hits(json, r, ops[i], c);
    cli_json_close(json, '}');
  }
  cli_json_close(json, ']');
  oy_ops_free(ops);
  return status;
}

// ------------------------------------------------------------- stacks, ledger, profile

static void put_explanations(cli_json* json, const cli_report* r) {
  const char* no_texts[64];
  for (size_t i = 0; i < OY_ARRAY_SIZE(no_texts); i++) no_texts[i] = "";
  cli_json_open(json, "explanations", '[');
  for (size_t i = 0; i < r->explanation_count; i++)
    cli_explanation_json(json, r->explanations[i], no_texts);
  cli_json_close(json, ']');
}

static oy_status put_ledger(cli_json* json) {
#ifdef HAVE_LEDGER
  oy_fallback_count* counts;
  size_t count;
  OY_TRY(oy_fallback_counts(&counts, &count));
  cli_json_open(json, "ledger", '[');
  for (size_t i = 0; i < count; i++) {
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "op", counts[i].op);
    cli_json_text(json, "from", oy_backend_name(counts[i].from));
    cli_json_text(json, "to", oy_backend_name(counts[i].to));
    cli_json_int(json, "calls", (long long)counts[i].calls);
    cli_json_int(json, "bytes_to", (long long)counts[i].bytes_to);
    cli_json_int(json, "bytes_from", (long long)counts[i].bytes_from);
    cli_json_int(json, "nanoseconds", (long long)counts[i].nanoseconds);
    cli_json_close(json, '}');
  }
  cli_json_close(json, ']');
  oy_fallback_counts_free(counts);
#else
  cli_json_null(json, "ledger");
#endif
  return OY_OK;
}

static oy_status put_events(cli_json* json, oy_profiler* p) {
  cli_json_open(json, "events", '[');
  for (size_t i = 0; p && i < oy_profiler_event_count(p); i++) {
    oy_profile_event e;
    OY_TRY(oy_profiler_event_get(p, i, &e));
    cli_json_open(json, NULL, '{');
    cli_json_str(json, "name", e.name);
    cli_json_int(json, "start", e.start_ns);
    cli_json_int(json, "end", e.end_ns);
    cli_json_int(json, "self", e.self_ns);
    cli_json_int(json, "thread", (long long)e.thread);
    if (e.input_shapes) cli_json_text(json, "shapes", e.input_shapes);
    cli_json_close(json, '}');
  }
  cli_json_close(json, ']');
  return OY_OK;
}

static void put_program(cli_json* json, const cli_report* r) {
  cli_json_text(json, "version", oy_version());
  if (!r->program) {
    cli_json_null(json, "program");
    return;
  }
  cli_json_text(json, "program", r->program->name);
  cli_json_str(json, "source", r->program->text);
  if (r->error) cli_json_text(json, "error", r->error);
}

oy_status cli_report_json(const cli_report* r, FILE* out) {
  cli_json json;
  columns c = choose_columns(r);
  cli_json_init(&json, out);
  cli_json_open(&json, NULL, '{');
  put_program(&json, r);
  cli_json_open(&json, "keys", '<');
  for (size_t i = 0; i < c.count; i++) cli_json_text(&json, NULL, oy_key_name(c.keys[i]));
  cli_json_close(&json, ']');
  OY_TRY(put_ops(&json, r, &c));
  put_explanations(&json, r);
  OY_TRY(put_ledger(&json));
  OY_TRY(put_events(&json, r->profile));
  cli_json_close(&json, '}');
  return OY_OK;
}
