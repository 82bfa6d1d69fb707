// SPDX-License-Identifier: Apache-2.0
// ./yard bench dispatch: what a call, a registration and an operator cost, beside
// a floor written by hand. With --gate, under callgrind: see gate.sh.
#include <stdio.h>
#include <stdlib.h>

#include "dispatch_ops.h"

static void list_names(const bench_list* list) {
  for (size_t i = 0; i < list->count; i++) puts(list->cases[i].name);
}

int main(int argc, char** argv) {
  bench_options options = bench_options_parse(argc, argv);
  const bench_api* shared = bench_api_shared();
  const bench_api* api = shared ? shared : bench_api_open();
  bench_api own = *api;
  bench_api_take_calls(&own);
  bench_list list = {.count = 0};
  bench_add_calls(&list, &own, api);
  bench_add_boxed(&list, api);
  bench_add_many(&list, &own, api);
  bench_add_registry(&list);
  bench_add_start(&list);
  bench_add_threads(&list, &own);
  if (options.list) {
    list_names(&list);
    return 0;
  }
  if (options.gate) return bench_gate(&list);
  if (!shared)
    printf(
        "note: libbench_calls.so is not beside the program: calls that should be in "
        "a shared object are in the program itself\n");
  bench_machine machine;
  bench_machine_begin(&machine, options.cpu);
  bench_result* results;
  size_t count = bench_run(&list, &options, &results);
  bench_machine_end(&machine);
  bench_machine_print(&machine);
  bench_print(results, count);
  if (!bench_machine_was_idle(&machine)) bench_machine_print(&machine);
  bool written = bench_write_json(options.json, "dispatch", &machine, results, count);
  free(results);
  free(list.cases);
  return written ? 0 : 1;
}
