// SPDX-License-Identifier: Apache-2.0
// Interleaved measurements. A case owns its loop, or measures by itself; all
// cases are run in turn, one batch of about a millisecond each, for a number of
// rounds, so that noise hits all of them alike. What is reported is the median
// of the rounds with its quartiles, and its ratio to another case of the same
// run, which is the figure to quote.
#ifndef OPYARD_BENCH_HARNESS_H_
#define OPYARD_BENCH_HARNESS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct bench_case {
  const char* name;
  const char* base;  // the case that ratios are to; NULL: none
  // One of the two. |run| repeats the thing |n| times; |sample| gives one figure
  // in |unit| (negative: not available here).
  void (*run)(const void* argument, long n);
  double (*sample)(const void* argument);
  const void* argument;
  const char* unit;  // NULL: "ns"
  const char* gate;  // the row of gate.txt that counts |run|'s instructions
  double calls;      // things per iteration of |run|; 0: one
  bool once;         // the figure does not vary
} bench_case;

// The cases of a program, in the order of the report.
typedef struct bench_list {
  bench_case* cases;
  size_t count, capacity;
  double rest_ns;  // waited before each batch: threads of the case before may still spin
} bench_list;
void bench_add(bench_list* list, bench_case c);

typedef struct bench_options {
  const char* json;    // file to write, or NULL
  const char* filter;  // part of the names to run, or NULL
  int rounds;
  int cpu;  // to run on; -1: the last one
  bool list;
  bool gate;   // count instructions instead, see gate_dispatch.c
  bool quick;  // few rounds; bench_ops leaves out what is large, too
} bench_options;

typedef struct bench_result {
  const bench_case* what;
  double median, p25, p75, min;
  double ratio;  // 0: no base
  int rounds;
} bench_result;

// How the machine was. |others| is what other processes took of all processors.
typedef struct bench_machine {
  char model[96];
  int processors;
  int cpu;                                    // the one we are pinned to
  double busy_before;                         // before anything was run, 0 to 1
  double busy_others;                         // while it ran
  double start_busy, start_total, start_own;  // ticks
} bench_machine;

// Exits with a message on a wrong option.
bench_options bench_options_parse(int argc, char** argv);

// Runs the cases that the filter lets through; *out_results is malloc'd, in the
// order of the cases.
size_t bench_run(const bench_list* list, const bench_options* options,
                 bench_result** out_results);
void bench_print(const bench_result* results, size_t count);
// NULL |path|: does nothing. False with a message if the file cannot be written.
bool bench_write_json(const char* path, const char* name, const bench_machine* machine,
                      const bench_result* results, size_t count);

void bench_machine_begin(bench_machine* machine, int cpu);
void bench_machine_end(bench_machine* machine);
bool bench_machine_was_idle(const bench_machine* machine);
void bench_machine_print(const bench_machine* machine);

double bench_now(void);  // nanoseconds
bool bench_pin(int cpu);
void bench_unpin(void);  // to what the process was allowed before it was pinned
_Noreturn void bench_die(const char* format, ...) __attribute__((format(printf, 1, 2)));

// Keeps the compiler from knowing what |x| is.
#define BENCH_OPAQUE(x) __asm__ volatile("" : "+r"(x))
// Keeps it from moving reads and writes of memory across.
#define BENCH_BARRIER() __asm__ volatile("" : : : "memory")
#define BENCH_NOINLINE  __attribute__((noinline))
#define BENCH_COUNT(a)  (sizeof(a) / sizeof((a)[0]))

#endif  // OPYARD_BENCH_HARNESS_H_
