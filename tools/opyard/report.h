// SPDX-License-Identifier: Apache-2.0
// What a report is made of.
#ifndef OPYARD_TOOLS_OPYARD_REPORT_H_
#define OPYARD_TOOLS_OPYARD_REPORT_H_

#include <stdlib.h>

#include "opyard/profiler.h"
#include "run.h"

// How often a kernel was got to.
typedef struct cli_hit {
  const oy_op* op;
  oy_key key;
  uint64_t count;
} cli_hit;

typedef struct cli_report {
  oy_registry* registry;
  const cli_program* program;  // NULL: none
  char* error;                 // of the program; NULL: it ran through
  oy_profiler* profile;
  cli_hit* hits;
  size_t hit_count, hit_capacity;
  // The first call of each operator.
  oy_explanation** explanations;
  size_t explanation_count, explanation_capacity;
} cli_report;

// Runs the program twice, so that neither run slows the other one down: profiled, then
// traced. Its own error is in |error|, and returned.
oy_status cli_report_run(cli_report* report);
oy_status cli_report_json(const cli_report* report, FILE* out);
void cli_report_reset(cli_report* report);

#endif  // OPYARD_TOOLS_OPYARD_REPORT_H_
