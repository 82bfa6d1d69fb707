// SPDX-License-Identifier: Apache-2.0
// The part of a stack that allocates. A stack starts on storage of its owner's
// and moves to the heap once; from then on it doubles. Values move with their
// bits: growing never touches a reference count.
#include "base/memory.h"
#include "opyard/value.h"

static oy_status move_to_heap(oy_stack* stack, size_t needed) {
  size_t capacity = 0;
  oy_value* data = NULL;
  if (!oyi_grow(&data, &capacity, needed, sizeof(*data))) return OY_OUT_OF_MEMORY;
  if (stack->size) memcpy(data, stack->data, stack->size * sizeof(*data));
  stack->data = data;
  stack->capacity = capacity;
  stack->inline_storage = 0;
  return OY_OK;
}

oy_status oy_stack_reserve(oy_stack* stack, size_t extra) {
  size_t needed;
  OY_CHECK(!__builtin_add_overflow(stack->size, extra, &needed), OUT_OF_MEMORY,
           "out of memory: a stack cannot hold %zu more values", extra);
  if (needed <= stack->capacity) return OY_OK;
  if (stack->inline_storage) return move_to_heap(stack, needed);
  return oyi_grow(&stack->data, &stack->capacity, needed, sizeof(*stack->data))
             ? OY_OK
             : OY_OUT_OF_MEMORY;
}

void oy_stack_reset(oy_stack* stack) {
  oy_stack_drop(stack, stack->size);
  if (stack->inline_storage) return;
  oyi_free(stack->data);
  stack->data = NULL;
  stack->capacity = 0;
}
