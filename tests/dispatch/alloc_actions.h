// SPDX-License-Identifier: Apache-2.0
// What test_alloc_failure lets run out of memory: one function for each action.
#ifndef OPYARD_TESTS_DISPATCH_ALLOC_ACTIONS_H_
#define OPYARD_TESTS_DISPATCH_ALLOC_ACTIONS_H_

#include "support.h"

typedef struct world {
  oy_registry* registry;
  oy_library *fallbacks, *def, *impl, *fallback;
  test_libraries base;
  const oy_op* op;
  // What the action made.
  oy_library* library;
  oy_registry* other;
} world;

// A registry with a few operators, and the libraries that actions add to.
void open_world(world* w);
void close_world(world* w);

typedef struct alloc_action {
  const char* name;
  oy_status (*act)(world* w);
  bool fails_anyway;  // either error will do
} alloc_action;

extern const alloc_action g_actions[];
extern const size_t g_action_count;

#endif  // OPYARD_TESTS_DISPATCH_ALLOC_ACTIONS_H_
