// SPDX-License-Identifier: Apache-2.0
// Registers a model through the public API, in the file's order or a mixed one.
#include <stdio.h>

#include "base/memory.h"
#include "replay.h"

// Stand-ins are never called: the tables are compared, and no kernel runs.
static void standin_typed(void) {}

static oy_status standin_boxed(const oy_op* op, oy_keyset keys, oy_stack* stack,
                               const oy_kernel* kernel) {
  (void)keys, (void)stack, (void)kernel;
  return OY_FAIL(NOT_IMPLEMENTED, "%.*s: the kernels of a replay only stand in",
                 OY_STR_ARG(oy_op_name_of(op)));
}

typedef enum step_kind { STEP_FALLBACK, STEP_DEF, STEP_IMPL } step_kind;

typedef struct step {
  step_kind kind;
  size_t index;  // of the fallback or operator
  size_t impl;
} step;

typedef struct plan {
  const cli_model* model;
  oy_registry* registry;
  cli_replayed* replayed;
  step* steps;
  size_t count;
  size_t* registered;  // kernels so far, by operator and first impl of the key
  size_t* base;        // where an operator's part of |registered| begins
} plan;

static size_t count_steps(const cli_model* model) {
  size_t count = model->fallback_count;
  for (size_t i = 0; i < model->op_count; i++)
    count += model->ops[i].impl_count + model->ops[i].defined;
  return count;
}

static void list_steps(plan* p) {
  const cli_model* m = p->model;
  size_t impls = 0;
  for (size_t i = 0; i < m->fallback_count; i++)
    p->steps[p->count++] = (step){STEP_FALLBACK, i, 0};
  for (size_t i = 0; i < m->op_count; i++) {
    if (m->ops[i].defined) p->steps[p->count++] = (step){STEP_DEF, i, 0};
    for (size_t k = 0; k < m->ops[i].impl_count; k++)
      p->steps[p->count++] = (step){STEP_IMPL, i, k};
    p->base[i] = impls;
    impls += m->ops[i].impl_count;
  }
}

static uint64_t next_random(uint64_t* state) {  // splitmix64
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static void shuffle(plan* p, uint64_t seed) {
  for (size_t i = p->count; i > 1; i--) {
    size_t k = next_random(&seed) % i;
    step kept = p->steps[i - 1];
    p->steps[i - 1] = p->steps[k];
    p->steps[k] = kept;
  }
}

// Whatever impl of a key's stack the step names, the oldest one that is still to
// come goes in: the file lists a stack newest first, and its order is data.
static const cli_impl* take_oldest(plan* p, const step* s) {
  const cli_model_op* op = &p->model->ops[s->index];
  oy_key key = op->impls[s->impl].key;
  size_t first = 0;
  while (op->impls[first].key != key) first++;
  size_t skip = p->registered[p->base[s->index] + first]++;
  for (size_t k = op->impl_count; k-- > 0;)
    if (op->impls[k].key == key && skip-- == 0) return &op->impls[k];
  return &op->impls[s->impl];
}

// The library for namespace |ns|; NULL with the error set.
static oy_library* library_for(plan* p, oy_str ns, oy_library_kind kind) {
  // Opened in the order of need: namespaces are few, and the last one is likely.
  static const char place[] = "replay";
  char name[256];
  snprintf(name, sizeof name, "%.*s", OY_STR_ARG(ns));
  cli_replayed* r = p->replayed;
  for (size_t i = r->count; i-- > 0;)
    if (strcmp(r->names[i], name) == 0) return r->libraries[i];
  if (!oyi_grow(&r->libraries, &r->capacity, r->count + 1, sizeof *r->libraries) ||
      !oyi_grow(&r->names, &r->name_capacity, r->count + 1, sizeof *r->names))
    return NULL;
  const oy_library_params params = {
      .registry = p->registry, .kind = kind, .ns = name, .file = place};
  oy_library* library;
  if (oy_library_create(&params, &library) != OY_OK) return NULL;
  r->names[r->count] = oyi_strndup(name, strlen(name));
  if (!r->names[r->count]) {
    oy_library_close(library);
    return NULL;
  }
  r->libraries[r->count++] = library;
  return library;
}

static oy_status register_fallback(plan* p, const cli_fallback* f) {
  oy_library* library = library_for(p, oy_str_of("_"), OY_LIBRARY_IMPL);
  if (!library) return oy_failure();
  const oy_kernel_params kernel =
      f->fallthrough ? OY_FALLTHROUGH : OY_BOXED(standin_boxed);
  const oy_place place = {.debug = f->debug.data};
  return oy_library_fallback(library, f->key, &kernel, place, NULL);
}

static oy_status register_def(oy_library* library, const cli_model_op* op) {
  static const struct {
    const char* text;
    oy_alias_kind kind;
    bool defaulted;
  } kinds[] = {
      {"FROM_SCHEMA", OY_ALIAS_FROM_SCHEMA, false},
      {"CONSERVATIVE", OY_ALIAS_CONSERVATIVE, false},
      {"CONSERVATIVE (default)", OY_ALIAS_CONSERVATIVE, true},
      {"PURE_FUNCTION", OY_ALIAS_PURE_FUNCTION, false},
      {"INTERNAL_SPECIAL_CASE", OY_ALIAS_INTERNAL_SPECIAL_CASE, false},
  };
  oy_def_params params = {.schema = op->schema.data, .place = {.debug = op->debug.data}};
  for (size_t i = 0; i < OY_ARRAY_SIZE(kinds); i++) {
    if (!oy_str_equal(op->alias, oy_str_of(kinds[i].text))) continue;
    params.alias_kind = kinds[i].kind;
    params.has_alias_kind = true;
    params.allow_type_variables = true;
    params.alias_defaulted = kinds[i].defaulted;
  }
  return oy_library_def(library, &params, NULL);
}

static oy_status register_impl(oy_library* library, const cli_model_op* op,
                               const cli_impl* impl) {
  oy_impl_params params = {.name = op->name.data,
                           .key = impl->key,
                           .allow_override = true,
                           .place = {.debug = impl->debug.data}};
  if (impl->how == CLI_FALLTHROUGH) {
    params.kernel.fallthrough = true;
  } else {
    bool has_signature = !oy_str_equal(impl->signature, oy_str_of("(none)"));
    params.kernel.signature = has_signature ? impl->signature.data : NULL;
    if (impl->how == CLI_UNBOXED)
      params.kernel.typed = standin_typed;
    else
      params.kernel.boxed = standin_boxed;
  }
  return oy_library_impl(library, &params, NULL);
}

static oy_status register_step(plan* p, const step* s) {
  const cli_model* m = p->model;
  size_t line = 0;
  oy_status status;
  if (s->kind == STEP_FALLBACK) {
    line = m->fallbacks[s->index].line;
    status = register_fallback(p, &m->fallbacks[s->index]);
  } else {
    const cli_model_op* op = &m->ops[s->index];
    oy_op_name name;
    OY_TRY(oy_op_name_parse(op->name, &name));
    oy_library* library = library_for(p, name.ns, OY_LIBRARY_FRAGMENT);
    if (!library) return oy_failure();
    const cli_impl* impl = s->kind == STEP_IMPL ? take_oldest(p, s) : NULL;
    line = impl ? impl->line : op->line;
    status = impl ? register_impl(library, op, impl) : register_def(library, op);
  }
  if (status != OY_OK) oy_error_note("  while registering %s:%zu", m->name, line);
  return status;
}

oy_status cli_replay_register(const cli_model* model, oy_registry* registry,
                              uint64_t seed, cli_replayed* out_replayed) {
  *out_replayed = (cli_replayed){NULL, NULL, 0, 0, 0};
  plan p = {.model = model, .registry = registry, .replayed = out_replayed};
  size_t steps = count_steps(model);
  p.steps = oyi_calloc(steps + 1, sizeof *p.steps);
  p.registered = oyi_calloc(steps + 1, sizeof *p.registered);
  p.base = oyi_calloc(model->op_count + 1, sizeof *p.base);
  oy_status status = p.steps && p.registered && p.base ? OY_OK : OY_OUT_OF_MEMORY;
  if (status == OY_OK) {
    list_steps(&p);
    if (seed) shuffle(&p, seed);
  }
  for (size_t i = 0; i < p.count && status == OY_OK; i++)
    status = register_step(&p, &p.steps[i]);
  oyi_free(p.base);
  oyi_free(p.registered);
  oyi_free(p.steps);
  return status;
}

void cli_replay_close(cli_replayed* replayed) {
  while (replayed->count > 0) {
    replayed->count--;
    oy_library_close(replayed->libraries[replayed->count]);
    oyi_free(replayed->names[replayed->count]);
  }
  oyi_free(replayed->libraries);
  oyi_free(replayed->names);
  *replayed = (cli_replayed){NULL, NULL, 0, 0, 0};
}
