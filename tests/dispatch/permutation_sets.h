// SPDX-License-Identifier: Apache-2.0
// The sets of registrations that test_permutations goes through.
#ifndef OPYARD_TESTS_DISPATCH_PERMUTATION_SETS_H_
#define OPYARD_TESTS_DISPATCH_PERMUTATION_SETS_H_

#include "support.h"

#define PERMUTATION_OP "test::foo"

typedef struct permutation_set {
  const char* name;
  size_t states_min;  // it must reach at least so many different states
  size_t count;
  test_step steps[5];
  int group[5];  // steps of one group above 0: their order matters
} permutation_set;

extern const permutation_set g_permutation_sets[];
extern const size_t g_permutation_set_count;

#endif  // OPYARD_TESTS_DISPATCH_PERMUTATION_SETS_H_
