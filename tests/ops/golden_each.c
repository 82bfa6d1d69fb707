// SPDX-License-Identifier: Apache-2.0
// From the lines of a file of golden values to calls.
#include "ops/golden.h"
#include "support/tensors.h"

oy_status golden_push(golden_call* call, const oy_op* op, oy_stack* stack) {
  for (size_t i = 0; i < call->argument_count; i++) {
    oy_value value = call->arguments[i];
    call->arguments[i] = oy_none();
    OY_TRY(oy_stack_push(stack, value));
  }
  return oy_op_push_defaults(op, stack, call->argument_count, call->names,
                             call->name_count);
}

void golden_each(const char* file, void (*visit)(void* context, golden_call* call),
                 void* context) {
  char command[1024];
  snprintf(command, sizeof(command), "gzip -dc %s", file);
  FILE* in = popen(command, "r");
  assert_non_null(in);
  char* line = NULL;
  size_t capacity = 0;
  while (getline(&line, &capacity, in) > 0) {
    golden_call call;
    if (!golden_parse(line, &call)) fail_msg("not a line of golden values: %s", line);
    visit(context, &call);
    golden_release(&call);
  }
  free(line);
  pclose(in);
}
