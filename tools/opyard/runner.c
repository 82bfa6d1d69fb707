// SPDX-License-Identifier: Apache-2.0
#include "runner.h"

#include "base/memory.h"
#include "common.h"
#include "values.h"

enum { STACK_INLINE = 16 };

void cli_runner_init(cli_runner* runner, const cli_program* program,
                     oy_registry* registry) {
  memset(runner, 0, sizeof *runner);
  runner->program = program;
  runner->registry = registry;
  runner->last = oy_none();
}

void cli_runner_reset(cli_runner* runner) {
  for (size_t i = 0; i < runner->variable_count; i++)
    oy_value_release(&runner->variables[i].value);
  oyi_free(runner->variables);
  oy_value_release(&runner->last);
  memset(runner, 0, sizeof *runner);
}

oy_status cli_runner_locate(const cli_runner* runner, size_t at) {
  const oy_error* error = oy_error_get();
  oy_status code = error->code;
  char* message = oyi_strndup(error->message, strlen(error->message));
  if (!message) return OY_OUT_OF_MEMORY;
  // The parser's own words for the position and caret; its "expected X, found Y"
  // is replaced by what the library said.
  (void)cli_parse_fail(runner->program->name, runner->program->text, at, "\x01", "%s",
                       "\x01");
  const char* text = oy_error_get()->message;
  const char* mark = strstr(text, "expected \x01");
  const char* caret = strchr(text, '\n');
  if (!mark || !caret) {
    oyi_free(message);
    return code;
  }
  char *place = oyi_strndup(text, (size_t)(mark - text)),
       *drawn = oyi_strndup(caret, strlen(caret));
  if (place && drawn)
    (void)oy_error_set(code, __FILE__, __LINE__, "%s%s%s", place, message, drawn);
  oyi_free(place);
  oyi_free(drawn);
  oyi_free(message);
  return code;
}

static cli_variable* find_variable(const cli_runner* runner, oy_str name) {
  for (size_t i = 0; i < runner->variable_count; i++)
    if (oy_str_equal(runner->variables[i].name, name)) return &runner->variables[i];
  return NULL;
}

static bool lookup(void* user_data, oy_str name, oy_value* out_borrowed) {
  const cli_variable* found = find_variable(user_data, name);
  if (found) *out_borrowed = found->value;
  return found != NULL;
}

oy_status cli_runner_value(const cli_runner* runner, const cli_node* node,
                           const oy_type* type, oy_value* out_value) {
  const cli_node* fault;
  oy_status status =
      cli_value_of_node(node, type, lookup, (void*)(uintptr_t)runner, out_value, &fault);
  if (status != OY_OK && fault) return cli_runner_locate(runner, fault->at);
  return status;
}

// Takes over |value|.
static oy_status assign(cli_runner* runner, oy_str name, oy_value value) {
  cli_variable* variable = find_variable(runner, name);
  if (!variable) {
    if (!oyi_grow(&runner->variables, &runner->variable_capacity,
                  runner->variable_count + 1, sizeof *runner->variables)) {
      oy_value_release(&value);
      return OY_OUT_OF_MEMORY;
    }
    variable = &runner->variables[runner->variable_count++];
    *variable = (cli_variable){name, oy_none()};
  }
  oy_value_release(&variable->value);
  variable->value = value;
  return OY_OK;
}

static oy_status keep_last(cli_runner* runner, const oy_stack* results) {
  oy_value_release(&runner->last);
  runner->last = oy_none();
  runner->has_last = results->size > 0;
  return results->size ? oy_value_copy(results->data[results->size - 1], &runner->last)
                       : OY_OK;
}

static oy_status assign_results(cli_runner* runner, const cli_statement* s,
                                oy_stack* results) {
  OY_TRY(keep_last(runner, results));
  if (s->target_count == 0) return OY_OK;
  if (s->target_count != results->size)
    return cli_parse_fail(runner->program->name, runner->program->text, s->target_at[0],
                          "as many names as results", "%zu name%s for %zu result%s",
                          s->target_count, s->target_count == 1 ? "" : "s", results->size,
                          results->size == 1 ? "" : "s");
  for (size_t i = 0; i < s->target_count; i++) {
    oy_value value = results->data[i];
    results->data[i] = oy_none();
    OY_TRY(oy_value_own(&value));
    OY_TRY(assign(runner, s->targets[i], value));
  }
  return OY_OK;
}

static oy_status evaluate(cli_runner* runner, const cli_statement* s, oy_stack* results) {
  if (!s->is_call) {
    oy_value value;
    OY_TRY(cli_runner_value(runner, &s->value, NULL, &value));
    return oy_stack_push(results, value);
  }
  bool known;
  oy_status status = cli_runner_verb(runner, s, &known, results);
  return known ? status : cli_runner_call(runner, s, results);
}

oy_status cli_runner_step(cli_runner* runner, const cli_statement* statement) {
  oy_value storage[STACK_INLINE];
  oy_stack results;
  oy_stack_init(&results, storage, STACK_INLINE);
  runner->call_failed = false;
  oy_status status = evaluate(runner, statement, &results);
  if (status == OY_OK) status = assign_results(runner, statement, &results);
  oy_stack_reset(&results);
  return status;
}
