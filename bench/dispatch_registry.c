// SPDX-License-Identifier: Apache-2.0
// Registering and removing: 10 to 10,000 operators in a registry of their own, and
// one kernel of one operator among them. Bytes are counted by an allocator.
#include <stdio.h>
#include <stdlib.h>

#include "dispatch_registry.h"
#include "opyard/allocator.h"

static void need(oy_status status) {
  if (status != OY_OK) bench_die("registration: %s", oy_error_get()->message);
}

static oy_object* kernel(const oy_op* op, oy_keyset keys, oy_object* self,
                         oy_object* other, oy_value alpha) {
  (void)op, (void)keys, (void)other, (void)alpha;
  return self;
}

// ------------------------------------------------------------------ one registry

static char g_names[REGISTRY_MOST][16];
static char g_schemas[REGISTRY_MOST][96];

static void make_names(void) {
  for (int i = 0; i < REGISTRY_MOST && !g_names[REGISTRY_MOST - 1][0]; i++) {
    snprintf(g_names[i], sizeof(g_names[i]), "op%d", i);
    snprintf(g_schemas[i], sizeof(g_schemas[i]), "%s%s", g_names[i], BENCH_SCHEMA);
  }
}

void registry_open(registry_run* run) {
  make_names();
  need(oy_registry_create(&run->registry));
  need(oy_registry_add_default_fallbacks(run->registry, NULL));
  oy_library_params p = {run->registry,    OY_LIBRARY_DEF, "many",
                         OY_KEY_Undefined, "many.c",       1};
  need(oy_library_create(&p, &run->library));
}

void registry_close(registry_run* run) {
  oy_library_close(run->library);
  oy_registry_destroy(run->registry);
}

void registry_define(registry_run* run, int begin, int end) {
  oy_place place = {"many.c", 2, NULL};
  for (int i = begin; i < end; i++)
    need(oy_library_def(run->library,
                        &(oy_def_params){.schema = g_schemas[i], .place = place}, NULL));
}

void registry_implement(registry_run* run, oy_key key, int begin, int end) {
  oy_place place = {"many.c", 3, NULL};
  for (int i = begin; i < end; i++)
    need(oy_library_impl(
        run->library,
        &(oy_impl_params){
            .name = g_names[i], .key = key, .kernel = OY_TYPED(kernel), .place = place},
        NULL));
}

void registry_parse(int begin, int end) {
  for (int i = begin; i < end; i++) {
    oy_schema* schema;
    need(oy_schema_parse(oy_str_of(g_schemas[i]), OY_SCHEMA_DEFAULT, &schema));
    oy_schema_free(schema);
  }
}

// ------------------------------------------------------------------------- time

// One run gives five figures; the first of them to be asked for makes it.
typedef struct figures {
  int count;
  double define, kernel, composite, close, parse;
} figures;

typedef struct figure {
  figures* of;
  const double* value;
} figure;

static void measure(figures* f) {
  registry_run run;
  registry_open(&run);
  double t0 = bench_now();
  registry_define(&run, 0, f->count);
  double t1 = bench_now();
  registry_implement(&run, OY_KEY_CPU, 0, f->count);
  double t2 = bench_now();
  registry_implement(&run, OY_KEY_CompositeExplicitAutograd, 0, f->count);
  double t3 = bench_now();
  oy_library_close(run.library);
  double t4 = bench_now();
  registry_parse(0, f->count);
  double t5 = bench_now();
  oy_registry_destroy(run.registry);
  f->define = (t1 - t0) / f->count;
  f->kernel = (t2 - t1) / f->count;
  f->composite = (t3 - t2) / f->count;
  f->close = (t4 - t3) / f->count;
  f->parse = (t5 - t4) / f->count;
}

static double sample(const void* argument) {
  const figure* f = argument;
  if (f->value == &f->of->define) measure(f->of);
  return *f->value;
}

static void add_size(bench_list* list, figures* f, figure* of, int count) {
  static const char* const what[] = {"define an op", "add a kernel",
                                     "add a composite kernel",
                                     "remove an op with 2 kernels", "parse a schema"};
  const double* values[] = {&f->define, &f->kernel, &f->composite, &f->close, &f->parse};
  f->count = count;
  for (size_t i = 0; i < BENCH_COUNT(what); i++) {
    char* name = malloc(80);
    if (!name) bench_die("out of memory");
    snprintf(name, 80, "%s, %d ops", what[i], count);
    of[i] = (figure){f, values[i]};
    bench_add(list, (bench_case){.name = name, .sample = sample, .argument = &of[i]});
  }
}

// One kernel of one operator of a registry that has many.
static void run_replace(const void* argument, long n) {
  const registry_run* run = argument;
  oy_impl_params p = {.name = g_names[0],
                      .key = OY_KEY_AutogradCPU,
                      .kernel = OY_TYPED(kernel),
                      .place = {"many.c", 4, NULL}};
  for (long i = 0; i < n; i++) {
    oy_registration* registration;
    need(oy_library_impl(run->library, &p, &registration));
    oy_registration_remove(registration);
  }
}

// ------------------------------------------------------------------------ memory

static size_t g_live;

static void* counting(void* user_data, void* ptr, size_t old_size, size_t size) {
  (void)user_data;
  g_live += size - old_size;
  if (size == 0) {
    free(ptr);
    return NULL;
  }
  return realloc(ptr, size);
}

registry_bytes registry_count_bytes(int count) {
  registry_bytes b = {0, 0, 0};
  oy_allocator before = oy_allocator_set((oy_allocator){counting, NULL});
  registry_run run;
  registry_open(&run);
  size_t at = g_live;
  registry_define(&run, 0, count);
  b.per_op = (double)(g_live - at) / count;
  at = g_live;
  registry_implement(&run, OY_KEY_CPU, 0, count);
  b.per_kernel = (double)(g_live - at) / count;
  const oy_op* op = oy_op_lookup(run.registry, oy_str_of("many::op0"));
  b.told = (double)oy_op_memory(op);
  registry_close(&run);
  oy_allocator_set(before);
  return b;
}

static double sample_op_bytes(const void* argument) {
  (void)argument;
  return registry_count_bytes(1000).per_op;
}
static double sample_kernel_bytes(const void* argument) {
  (void)argument;
  return registry_count_bytes(1000).per_kernel;
}
static double sample_told_bytes(const void* argument) {
  (void)argument;
  return registry_count_bytes(1000).told;
}

static void add_bytes(bench_list* list) {
  bench_add(list, (bench_case){.name = "memory of an op without kernels",
                               .sample = sample_op_bytes,
                               .unit = "bytes",
                               .once = true});
  bench_add(list, (bench_case){.name = "memory of its first kernel",
                               .sample = sample_kernel_bytes,
                               .unit = "bytes",
                               .once = true});
  bench_add(list, (bench_case){.name = "both, as oy_op_memory has it",
                               .sample = sample_told_bytes,
                               .unit = "bytes",
                               .once = true});
}

void bench_add_registry(bench_list* list) {
  static const int counts[] = {10, 100, 1000, 10000};
  static figures f[BENCH_COUNT(counts)];
  static figure of[BENCH_COUNT(counts)][5];
  static registry_run large;
  for (size_t i = 0; i < BENCH_COUNT(counts); i++)
    add_size(list, &f[i], of[i], counts[i]);
  registry_open(&large);
  registry_define(&large, 0, 1000);
  registry_implement(&large, OY_KEY_CPU, 0, 1000);
  bench_add(list, (bench_case){.name = "add and remove one kernel among 1000 ops",
                               .run = run_replace,
                               .argument = &large,
                               .gate = "replace"});
  add_bytes(list);
}
