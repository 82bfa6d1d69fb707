// SPDX-License-Identifier: Apache-2.0
// Rows of one matrix added to rows of another that indices name: the gradients of
// embeddings.
#ifndef OPYARD_SRC_BACKENDS_CPU_NEURAL_ADD_ROWS_H_
#define OPYARD_SRC_BACKENDS_CPU_NEURAL_ADD_ROWS_H_

#include "opyard/value.h"

// to[index[i]] += scale[i] * from[source[i]], after all rows of |to| are set to zero.
typedef struct oyi_add_rows {
  oy_dtype dtype;  // F32, F64, I64, C64 or C128
  int64_t rows, columns, count;
  const int64_t* index;   // below |rows|; |skipped| are left out
  const int64_t* source;  // NULL: i itself
  const double* scale;    // NULL: 1
  int64_t skipped;
  const void* from;
  void* to;
} oyi_add_rows;

oy_status oyi_add_rows_run(const oyi_add_rows* a);
// "index out of range in self"
oy_status oyi_add_rows_check(const int64_t* index, int64_t count, int64_t rows);

#endif  // OPYARD_SRC_BACKENDS_CPU_NEURAL_ADD_ROWS_H_
