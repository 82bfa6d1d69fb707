// SPDX-License-Identifier: Apache-2.0
// Reads a line of golden values: a call that PyTorch made, and what came of it. The form
// is in tests/oracle/golden.py, which writes them.
#ifndef OPYARD_TESTS_OPS_GOLDEN_H_
#define OPYARD_TESTS_OPS_GOLDEN_H_

#include "opyard/opyard.h"

enum { GOLDEN_VALUES_MAX = 64 };

typedef struct golden_call {
  const char* op;
  double rtol, atol;  // beyond what the dtype allows; 0 mostly
  // Owned. The last |name_count| of |arguments| have names.
  oy_value arguments[GOLDEN_VALUES_MAX];
  size_t argument_count;
  oy_str names[GOLDEN_VALUES_MAX];
  size_t name_count;
  oy_value results[GOLDEN_VALUES_MAX];
  size_t result_count;
} golden_call;

// Cuts up |line|, which the call points into. False if it is not well formed.
bool golden_parse(char* line, golden_call* out_call);
void golden_release(golden_call* call);
// Hands the arguments over to |stack|, with defaults for those that were not given. On failure
// the arguments do not fit the schema.
oy_status golden_push(golden_call* call, const oy_op* op, oy_stack* stack);
// Hands each call of |file| to |visit|.
#define GOLDEN_FILE OY_SOURCE_DIR "/tests/data/torch-1.13-golden.txt.gz"
void golden_each(const char* file, void (*visit)(void* context, golden_call* call),
                 void* context);
// Whether |got| is |want|, within the tolerance of the call and of the dtype; else what
// differs is in |why|.
bool golden_same(const golden_call* call, oy_value got, oy_value want, char* why,
                 size_t why_size);

#endif  // OPYARD_TESTS_OPS_GOLDEN_H_
