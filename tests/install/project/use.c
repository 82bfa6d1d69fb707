// SPDX-License-Identifier: Apache-2.0
// What a user's first program does: define an operator, register, find, call.
#include <opyard/library.h>
#include <stdio.h>

static oy_status twice(const oy_op* op, oy_keyset keys, oy_stack* stack,
                       const oy_kernel* kernel) {
  (void)op;
  (void)keys;
  (void)kernel;
  oy_value x = oy_stack_pop(stack);
  return oy_stack_push(stack, oy_int(2 * x.as.i));
}

OY_LIBRARY(outside, m) {
  OY_DEF(m, "twice(int x) -> int");
  OY_IMPL(m, "twice", CompositeExplicitAutograd, OY_BOXED(twice));
  return OY_OK;
}

int main(void) {
  const oy_op* op;
  if (oy_load_outside() != OY_OK ||
      oy_op_find(oy_registry_default(), oy_str_of("outside::twice"), &op) != OY_OK) {
    fprintf(stderr, "%s\n", oy_error_get()->message);
    return 1;
  }
  oy_value storage[4];
  oy_stack stack;
  oy_stack_init(&stack, storage, 4);
  if (oy_stack_push(&stack, oy_int(21)) != OY_OK ||
      oy_op_call_boxed(op, &stack) != OY_OK) {
    fprintf(stderr, "%s\n", oy_error_get()->message);
    return 1;
  }
  int64_t result = oy_stack_pop(&stack).as.i;
  oy_stack_reset(&stack);
  printf("opyard %s: twice(21) = %d\n", oy_version(), (int)result);
  return result == 42 ? 0 : 1;
}
