// SPDX-License-Identifier: Apache-2.0
// A registry that is filled and emptied for measuring.
#ifndef OPYARD_BENCH_DISPATCH_REGISTRY_H_
#define OPYARD_BENCH_DISPATCH_REGISTRY_H_

#include "dispatch_ops.h"

enum { REGISTRY_MOST = 10000 };

typedef struct registry_run {
  oy_registry* registry;
  oy_library* library;
} registry_run;

void registry_open(registry_run* run);
void registry_close(registry_run* run);
// Operators |begin| to |end|; a kernel at |key| for each.
void registry_define(registry_run* run, int begin, int end);
void registry_implement(registry_run* run, oy_key key, int begin, int end);
// Parses and frees their schemas only.
void registry_parse(int begin, int end);

// What the allocator handed out for each of |count| operators: for the definition,
// for the first kernel, and what oy_op_memory says of both.
typedef struct registry_bytes {
  double per_op, per_kernel, told;
} registry_bytes;
registry_bytes registry_count_bytes(int count);

#endif  // OPYARD_BENCH_DISPATCH_REGISTRY_H_
