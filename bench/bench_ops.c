// SPDX-License-Identifier: Apache-2.0
// ./yard bench ops: operators from 1 to 10 million elements with one thread and with
// two, beside a plain C loop, the library that does it best, and PyTorch. All of one
// thread count are measured in turn in one run; ratios are to opyard, so what is above
// 1 takes longer than opyard does. PyTorch runs in this process, called from C++, if
// ops_torch.cpp was built beside it.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ops_rows.h"

static struct {
  ops_torch_has_fn has;
  ops_torch_threads_fn threads;
  ops_torch_run_fn run;
} g_torch;

static void load_torch(const char* program) {
  char path[4096];
  const char* slash = strrchr(program, '/');
  int folder = slash ? (int)(slash - program) + 1 : 0;
  snprintf(path, sizeof(path), "%.*slibbench_torch.so", folder, program);
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    printf("note: without PyTorch: %s\n", dlerror());
    return;
  }
  *(void**)&g_torch.has = dlsym(library, "ops_torch_has");
  *(void**)&g_torch.threads = dlsym(library, "ops_torch_threads");
  *(void**)&g_torch.run = dlsym(library, "ops_torch_run");
}

static void run_torch(const void* row, long n) {
  const ops_row* r = row;
  g_torch.run(ops_memory_get(), r->op, r->size, n);
}

static double not_here(const void* argument) {
  (void)argument;
  return -1;
}

static char* name_of(const ops_row* r, int threads, const char* who) {
  char* name = malloc(96);
  if (!name) bench_die("out of memory");
  snprintf(name, 96, "%s %lld, %d thread%s: %s", r->op, (long long)r->size, threads,
           threads > 1 ? "s" : "", who);
  return name;
}

// The size above which a row of those that have sides takes more than a few milliseconds.
static int64_t most_of(const char* op) {
  return strcmp(op, "conv2d") == 0 ? 28 : strcmp(op, "attention") == 0 ? 128 : 256;
}

// A row by everybody who has it.
static void add_row(bench_list* list, const char* op, int64_t size, int threads) {
  ops_row* row = malloc(sizeof(*row));
  if (!row) bench_die("out of memory");
  bool have = ops_row_open(row, op, size);
  char* own = name_of(row, threads, "opyard");
  bench_add(list, (bench_case){.name = own,
                               .run = have ? ops_row_run : NULL,
                               .sample = have ? NULL : not_here,
                               .argument = row});
  const char* base = have ? own : NULL;
  ops_other loop = ops_loop_of(op);
  // A loop over three indices says nothing about what is large.
  bool is_slow = ops_has_side(op) && size > most_of(op);
  if (loop && threads == 1 && !is_slow)
    bench_add(list, (bench_case){.name = name_of(row, threads, "C loop"),
                                 .base = base,
                                 .run = loop,
                                 .argument = row});
  for (size_t i = 0; i < 2; i++) {
    const char* who;
    ops_other library = ops_library_of(op, &who, i);
    if (library)
      bench_add(list, (bench_case){.name = name_of(row, threads, who),
                                   .base = base,
                                   .run = library,
                                   .argument = row});
  }
  if (g_torch.run && g_torch.has(op))
    bench_add(list, (bench_case){.name = name_of(row, threads, "PyTorch"),
                                 .base = base,
                                 .run = run_torch,
                                 .argument = row});
}

// With --quick what takes more than a few milliseconds is left out.
static bool is_quick(const ops_kind* kind, int64_t size) {
  return size <= (ops_has_side(kind->op) ? most_of(kind->op) : 100000);
}

static void add_rows(bench_list* list, const bench_options* options, int threads) {
  for (size_t i = 0; i < ops_kind_count; i++)
    for (const int64_t* size = ops_kinds[i].sizes; *size; size++)
      if (!options->quick || is_quick(&ops_kinds[i], *size))
        add_row(list, ops_kinds[i].op, *size, threads);
}

static void set_threads(int threads) {
  if (oy_set_num_threads(threads) != OY_OK) bench_die("%s", oy_error_get()->message);
  ops_libraries_threads(threads);
  if (g_torch.threads) g_torch.threads(threads);
}

int main(int argc, char** argv) {
  // PyTorch's threads spin for 7 ms after a call, as they do by default.
  enum { THREADS = 2, SPIN_NS = 10000000 };
  bench_options options = bench_options_parse(argc, argv);
  if (oy_init() != OY_OK) bench_die("%s", oy_error_get()->message);
  load_torch(argv[0]);
  bench_list lists[THREADS] = {{.rest_ns = 0}, {.rest_ns = SPIN_NS}};
  for (int t = 0; t < THREADS; t++) add_rows(&lists[t], &options, t + 1);
  if (options.list) {
    for (int t = 0; t < THREADS; t++)
      for (size_t i = 0; i < lists[t].count; i++) puts(lists[t].cases[i].name);
    return 0;
  }
  bench_machine machine;
  bench_machine_begin(&machine, options.cpu);
  bench_result* results[THREADS];
  size_t counts[THREADS], count = 0;
  for (int t = 0; t < THREADS; t++) {
    if (t > 0) bench_unpin();
    set_threads(t + 1);
    counts[t] = bench_run(&lists[t], &options, &results[t]);
    count += counts[t];
  }
  bench_machine_end(&machine);
  bench_machine_print(&machine);
  bench_result* all = malloc((count + 1) * sizeof(*all));
  if (!all) bench_die("out of memory");
  memcpy(all, results[0], counts[0] * sizeof(*all));
  memcpy(all + counts[0], results[1], counts[1] * sizeof(*all));
  bench_print(all, count);
  if (!bench_machine_was_idle(&machine)) bench_machine_print(&machine);
  return bench_write_json(options.json, "ops", &machine, all, count) ? 0 : 1;
}
