// SPDX-License-Identifier: Apache-2.0
// Runs programs, statement by statement, through boxed calls.
#ifndef OPYARD_TOOLS_OPYARD_RUNNER_H_
#define OPYARD_TOOLS_OPYARD_RUNNER_H_

#include "opyard/dispatcher.h"
#include "program.h"

typedef struct cli_variable {
  oy_str name;  // in the program's text
  oy_value value;
} cli_variable;

typedef struct cli_runner {
  const cli_program* program;
  oy_registry* registry;
  // What print() gives; the values are borrowed.
  void (*print)(void* user_data, const oy_value* values, size_t count);
  void* user_data;
  cli_variable* variables;
  size_t variable_count, variable_capacity;
  oy_value last;     // result of the last statement
  bool has_last;     // and it has one that was not printed
  bool call_failed;  // the error came out of a kernel, not the program
} cli_runner;

void cli_runner_init(cli_runner* runner, const cli_program* program,
                     oy_registry* registry);
void cli_runner_reset(cli_runner* runner);
// Errors carry file, line, column and caret.
oy_status cli_runner_step(cli_runner* runner, const cli_statement* statement);

// For verbs of the language and operator calls. Adds the position to the pending
// error and returns its code.
oy_status cli_runner_locate(const cli_runner* runner, size_t at);
// The value of |node|, owned; errors are located.
oy_status cli_runner_value(const cli_runner* runner, const cli_node* node,
                           const oy_type* type, oy_value* out_value);
// tensor, print, backward, grad: what is no operator. *out_known is false for any
// other name.
oy_status cli_runner_verb(cli_runner* runner, const cli_statement* statement,
                          bool* out_known, oy_stack* results);
// Picks the overload and calls it.
oy_status cli_runner_call(cli_runner* runner, const cli_statement* statement,
                          oy_stack* results);

#endif  // OPYARD_TOOLS_OPYARD_RUNNER_H_
