// SPDX-License-Identifier: Apache-2.0
#ifndef OPYARD_TOOLS_OPYARD_RUN_H_
#define OPYARD_TOOLS_OPYARD_RUN_H_

#include "json.h"
#include "runner.h"

// Runs |program| with each statement above its trace, to stdout or, if |json| is
// not NULL, as an array named "statements". |indent| precedes every line. With
// |outer| what kernels call in their turn is left out.
oy_status cli_run_traced(cli_runner* runner, const cli_program* program,
                         const char* indent, bool outer, cli_json* json);
// Prints |values| with blanks between them, as print() does.
void cli_print_values(const char* indent, const oy_value* values, size_t count);
// Collects the trace lines of this thread between start and stop.
typedef struct cli_trace_log {
  char** lines;
  size_t count, capacity;
} cli_trace_log;
void cli_trace_start(cli_trace_log* log);
void cli_trace_stop(void);
void cli_trace_log_reset(cli_trace_log* log);

#endif  // OPYARD_TOOLS_OPYARD_RUN_H_
