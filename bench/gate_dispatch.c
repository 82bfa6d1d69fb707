// SPDX-License-Identifier: Apache-2.0
// What gate.sh watches: instructions, counted by callgrind between the requests
// below, one profile for each row; and bytes, which are printed. A row's count is
// for 1000 iterations; "empty" is the loop itself, to be subtracted.
#include <stdio.h>

#include "dispatch_registry.h"

#if defined(__has_include)
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#define HAVE_CALLGRIND 1
#endif
#endif

#ifdef HAVE_CALLGRIND

static void* volatile g_sink;

enum { WARM = 200, COUNTED = 1000 };

// The dump takes its name through the request, so that it has to be a macro.
#define COUNT(name, what)          \
  do {                             \
    CALLGRIND_ZERO_STATS;          \
    CALLGRIND_TOGGLE_COLLECT;      \
    what;                          \
    CALLGRIND_TOGGLE_COLLECT;      \
    CALLGRIND_DUMP_STATS_AT(name); \
  } while (0)

BENCH_NOINLINE static void run_empty(long n) {
  for (long i = 0; i < n; i++) __asm__ volatile("" ::: "memory");
}

static void count_calls(const bench_list* list) {
  run_empty(WARM);
  COUNT("empty", run_empty(COUNTED));
  for (size_t i = 0; i < list->count; i++) {
    const bench_case* c = &list->cases[i];
    if (!c->gate || !c->run) continue;
    c->run(c->argument, WARM);
    COUNT(c->gate, c->run(c->argument, COUNTED));
  }
}

// A hundred operators come first, so that one-time work is not counted.
static void count_registration(void) {
  enum { FIRST = 100, END = FIRST + COUNTED };
  registry_run run;
  registry_open(&run);
  registry_define(&run, 0, FIRST);
  registry_implement(&run, OY_KEY_CPU, 0, FIRST);
  registry_implement(&run, OY_KEY_AutogradCPU, 0, FIRST);
  registry_parse(0, FIRST);
  COUNT("define", registry_define(&run, FIRST, END));
  COUNT("kernel", registry_implement(&run, OY_KEY_CPU, FIRST, END));
  COUNT("kernel_autograd", registry_implement(&run, OY_KEY_AutogradCPU, FIRST, END));
  COUNT("kernel_composite",
        registry_implement(&run, OY_KEY_CompositeExplicitAutograd, FIRST, END));
  COUNT("remove", oy_library_close(run.library));
  COUNT("parse", registry_parse(FIRST, END));
  oy_registry_destroy(run.registry);
}

static void run_call(const bench_api* api, oy_object* tensor, long n) {
  for (long i = 0; i < n; i++) {
    BENCH_BARRIER();
    g_sink = api->two(tensor, tensor);
  }
}

// Last, because every table grows.
static void count_backend(void) {
  const bench_api* api = bench_api_shared();
  oy_object* tensor = api ? api->use_cuda() : NULL;
  if (!tensor) bench_die("no kernel on another backend");
  run_call(api, tensor, WARM);
  COUNT("backend", run_call(api, tensor, COUNTED));
}

int bench_gate(const bench_list* list) {
  if (!RUNNING_ON_VALGRIND) bench_die("--gate is for gate.sh, which runs valgrind");
  count_calls(list);
  count_registration();
  registry_bytes bytes = registry_count_bytes(1000);
  printf("op_bytes %.0f\n", bytes.per_op);
  printf("kernel_bytes %.0f\n", bytes.per_kernel);
  count_backend();
  return 0;
}

#else

int bench_gate(const bench_list* list) {
  (void)list;
  bench_die("--gate needs the header valgrind/callgrind.h when this is built");
}

#endif
