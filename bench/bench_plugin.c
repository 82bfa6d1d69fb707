// SPDX-License-Identifier: Apache-2.0
// ./yard bench plugin: the read side of loading and unloading. What a call of a plugin's
// kernel costs beside one of the program's own, and what the mark costs that an outermost
// call sets, so that no code is closed which it is in; a call within another sets none.
//
// Each round takes a batch of every case, in an order that turns, so that noise and drift
// hit all alike. Differences are taken within a round. The interval is that of the median of
// the differences by order statistics: no distribution is assumed.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness.h"
#include "opyard/inline.h"
#include "opyard/opyard.h"
#include "opyard/plugin.h"
#include "plugin_id.h"

enum { BATCH = 20000, ROUNDS = 401, QUICK_ROUNDS = 31 };

PLUGIN_ID_KERNEL

typedef enum which { PLUGIN, OWN, PLUGIN_WITHIN, OWN_WITHIN, CASES } which;
enum { PLUGIN_MORE = CASES, MARK, FIGURES };

static const char* const g_names[FIGURES] = {
    [PLUGIN] = "plugin's kernel",
    [OWN] = "program's own kernel",
    [PLUGIN_WITHIN] = "plugin's kernel, within a call",
    [OWN_WITHIN] = "program's own kernel, within a call",
    [PLUGIN_MORE] = "plugin's - program's",
    [MARK] = "the mark: plugin's - within a call",
};

static void must(oy_status status) {
  if (status != OY_OK) bench_die("%s", oy_error_get()->message);
}

// ------------------------------------------------------------------------- operators

static const oy_op* own_op(void) {
  const oy_library_params params = {
      .kind = OY_LIBRARY_DEF, .ns = "own", .file = __FILE__, .line = __LINE__};
  const oy_kernel_params kernel = OY_TYPED(plugin_id);
  const oy_def_params def = {.schema = PLUGIN_ID_SCHEMA,
                             .kernel = &kernel,
                             .key = OY_KEY_CompositeExplicitAutograd,
                             .place = OY_HERE};
  oy_library* library;
  const oy_op* op;
  must(oy_library_create(&params, &library));
  must(oy_library_def(library, &def, NULL));
  must(oy_op_find(oy_registry_default(), oy_str_of("own::id"), &op));
  return op;
}

// The plugin lies beside the program.
static const oy_op* plugin_op(const char* program) {
  char path[4096];
  const char* slash = strrchr(program, '/');
  oy_loaded_plugin* plugin;
  const oy_op* op;
  snprintf(path, sizeof(path), "%.*s/libbench_plugin_shared.so",
           slash ? (int)(slash - program) : 1, slash ? program : ".");
  must(oy_plugin_load(oy_str_of(path), &plugin));
  must(oy_op_find(oy_registry_default(), oy_str_of("pb::id"), &op));
  return op;
}

// ------------------------------------------------------------------------------ calls

// Of this thread: what other processes take of the processor is not in it.
static double thread_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

// Nanoseconds of one call. Each result is looked at.
static BENCH_NOINLINE double batch(const oy_op* op) {
  oy_value storage[2];
  oy_stack stack;
  oy_stack_init(&stack, storage, 2);
  const double begin = thread_now();
  for (int64_t i = 0; i < BATCH; i++) {
    if (oy_stack_push(&stack, oy_int(i)) != OY_OK ||
        oy_op_call_boxed(op, &stack) != OY_OK || stack.data[0].as.i != i + 1)
      bench_die("a call went wrong: %s", oy_error_get()->message);
    oy_stack_drop(&stack, 1);
  }
  return (thread_now() - begin) / BATCH;
}

static double measure(const oy_op* const ops[2], which w) {
  const oy_op* op = ops[w == OWN || w == OWN_WITHIN];
  if (w == PLUGIN || w == OWN) return batch(op);
  const uint64_t before = oy_call_enter();
  const double ns = batch(op);
  oy_call_leave(before);
  return ns;
}

// ------------------------------------------------------------------------- statistics

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

// Of |n| sorted figures; the interval is between those whose ranks a binomial of n and 1/2
// leaves between them 95 times in 100.
static void print_row(const char* name, double* sorted, int n) {
  qsort(sorted, (size_t)n, sizeof(*sorted), by_value);
  const double half = 1.96 * sqrt(n) / 2;
  const int low = (int)floor(n / 2.0 - half), high = (int)ceil(n / 2.0 + half);
  printf("%-38s %8.2f %8.2f %8.2f   [%.2f, %.2f]\n", name, sorted[n / 2], sorted[n / 4],
         sorted[3 * n / 4], sorted[low > 0 ? low : 0], sorted[high < n ? high : n - 1]);
}

int main(int argc, char** argv) {
  static double samples[FIGURES][ROUNDS];
  const bench_options options = bench_options_parse(argc, argv);
  const int rounds = options.quick ? QUICK_ROUNDS : ROUNDS;
  bench_machine machine;
  must(oy_init());
  const oy_op* const ops[2] = {plugin_op(argv[0]), own_op()};
  bench_machine_begin(&machine, options.cpu);
  for (int w = 0; w < CASES; w++) (void)measure(ops, (which)w);
  for (int r = 0; r < rounds; r++) {
    for (int i = 0; i < CASES; i++) {
      const which w = (which)((r + i) % CASES);
      samples[w][r] = measure(ops, w);
    }
    samples[PLUGIN_MORE][r] = samples[PLUGIN][r] - samples[OWN][r];
    samples[MARK][r] = samples[PLUGIN][r] - samples[PLUGIN_WITHIN][r];
  }
  bench_machine_end(&machine);
  bench_machine_print(&machine);
  printf("%-38s %8s %8s %8s   %s\n", "ns a call", "median", "p25", "p75",
         "95 % interval of the median");
  for (int i = 0; i < FIGURES; i++) print_row(g_names[i], samples[i], rounds);
  return 0;
}
