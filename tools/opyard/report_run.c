// SPDX-License-Identifier: Apache-2.0
// The two runs of a program that a report is made of.
#include "base/memory.h"
#include "common.h"
#include "opyard/state.h"
#include "report.h"
#include "values.h"

static void print_nothing(void* user_data, const oy_value* values, size_t count) {
  (void)user_data, (void)values, (void)count;
}

static oy_status run_once(cli_report* r) {
  cli_runner runner;
  cli_runner_init(&runner, r->program, r->registry);
  runner.print = print_nothing;
  oy_status status = OY_OK;
  for (size_t i = 0; i < r->program->count && status == OY_OK; i++)
    status = cli_runner_step(&runner, &r->program->statements[i]);
  cli_runner_reset(&runner);
  return status;
}

// -------------------------------------------------------------------- explanations

// What a boxed argument puts into the key set.
static void add_keys(oy_argument_keys* keys, const oy_object* o) {
  if (!o || oy_object_is_none(o)) return;
  keys->keys = oy_keyset_or(keys->keys, o->keys);
  keys->dtype = o->dtype;
}
static oy_argument_keys keys_of(const oy_value* v) {
  oy_argument_keys keys = {{0, 0}, OY_DTYPE_ANY};
  if (v->tag == OY_TAG_TENSOR || v->tag == OY_TAG_GENERATOR)
    add_keys(&keys, v->as.object);
  for (size_t i = 0; v->tag == OY_TAG_TENSOR_LIST && i < v->count; i++)
    add_keys(&keys, v->as.tensors[i]);
  for (size_t i = 0; v->tag == OY_TAG_LIST && i < v->count; i++)
    if (v->as.values[i].tag == OY_TAG_TENSOR) add_keys(&keys, v->as.values[i].as.object);
  return keys;
}

static bool is_explained(const cli_report* r, const oy_op* op) {
  for (size_t i = 0; i < r->explanation_count; i++)
    if (r->explanations[i]->op == op) return true;
  return false;
}

static oy_status explain_call(void* data, const oy_record* record, void** context) {
  enum { MOST = 64 };
  cli_report* r = data;
  (void)context;
  const oy_schema* schema = record->op ? oy_op_schema(record->op) : NULL;
  if (!schema || is_explained(r, record->op)) return OY_OK;
  if (!oyi_grow(&r->explanations, &r->explanation_capacity, r->explanation_count + 1,
                sizeof(oy_explanation*)))
    return OY_OUT_OF_MEMORY;
  oy_argument_keys keys[MOST];
  size_t count = 0;
  for (size_t i = 0; i < schema->argument_count && i < record->input_count; i++)
    if (schema->arguments[i].is_dispatch && count < MOST)
      keys[count++] = keys_of(&record->inputs[i]);
  OY_TRY(oy_explain(record->op, keys, count, &r->explanations[r->explanation_count]));
  r->explanation_count++;
  return OY_OK;
}

// --------------------------------------------------------------------------- hits

// The text behind |before| up to the next ']'; empty if it is not there.
static oy_str field(const char* line, const char* before) {
  const char* at = strstr(line, before);
  if (!at) return (oy_str){"", 0};
  at += strlen(before);
  return (oy_str){at, strcspn(at, "]")};
}

static void count_hit(void* user_data, const char* line) {
  cli_report* r = user_data;
  const oy_op* op;
  oy_key key;
  if (oy_op_find(r->registry, field(line, "op=["), &op) != OY_OK ||
      !cli_key_find(field(line, "key=["), &key)) {
    oy_error_clear();
    return;
  }
  for (size_t i = 0; i < r->hit_count; i++) {
    if (r->hits[i].op != op || r->hits[i].key != key) continue;
    r->hits[i].count++;
    return;
  }
  if (!oyi_grow(&r->hits, &r->hit_capacity, r->hit_count + 1, sizeof *r->hits)) {
    oy_error_clear();
    return;
  }
  r->hits[r->hit_count++] = (cli_hit){op, key, 1};
}

// --------------------------------------------------------------------------- runs

static oy_status run_profiled(cli_report* r) {
  oy_profiler_options options = OY_PROFILER_OPTIONS_INIT;
  options.record_shapes = true;
  OY_TRY(oy_profiler_start(&options, &r->profile));
  oy_status status = run_once(r);
  if (status != OY_OK) {
    r->error = oyi_strndup(oy_error_get()->message, strlen(oy_error_get()->message));
    if (!r->error) return OY_OUT_OF_MEMORY;
  }
  OY_TRY(oy_profiler_stop(r->profile));
  return status;
}

oy_status cli_report_run(cli_report* r) {
  oy_status status = run_profiled(r);
  if (status != OY_OK && !r->error) return status;
  oy_observer observer = OY_OBSERVER_INIT;
  uint64_t id;
  observer.start = explain_call;
  observer.data = r;
  observer.scopes = 1u << OY_RECORD_FUNCTION;
  observer.needs_inputs = true;
  OY_TRY(oy_observer_add(&observer, OY_OBSERVE_THREAD, &id));
  oy_trace_set_sink(count_hit, r);
  oy_trace_set(true);
  oy_status again = run_once(r);
  oy_trace_set(false);
  oy_trace_set_sink(NULL, NULL);
  (void)oy_observer_remove(id);
  oy_error_clear();
  return status != OY_OK ? status : again;
}

void cli_report_reset(cli_report* r) {
  for (size_t i = 0; i < r->explanation_count; i++)
    oy_explanation_free(r->explanations[i]);
  oyi_free(r->explanations);
  oyi_free(r->hits);
  oyi_free(r->error);
  oy_profiler_free(r->profile);
}
