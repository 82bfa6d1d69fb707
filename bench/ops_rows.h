// SPDX-License-Identifier: Apache-2.0
// The rows of bench_ops: an operator on a number of elements, by opyard, by a plain C
// loop, by a library and by PyTorch, on the same data.
#ifndef OPYARD_BENCH_OPS_ROWS_H_
#define OPYARD_BENCH_OPS_ROWS_H_

#include "harness.h"
#include "ops_torch.h"
#include "opyard/opyard.h"

typedef struct ops_row {
  const char* op;
  int64_t size;  // elements, or what ops_has_side says
  oy_tensor *a, *b, *c;
  void (*run)(const struct ops_row* row, long n);
  const oy_op* by_name;  // called boxed; NULL: typed
  oy_value arguments[8];
  size_t argument_count;
} ops_row;

// Buffers that all rows share: OPS_MOST elements each.
enum { OPS_MOST = 10000000, OPS_SIDE = 2048 };
const ops_memory* ops_memory_get(void);

// Whether sizes of |op| are not elements: sides of a matrix or of an image, and the length of
// what is attended to.
bool ops_has_side(const char* op);
// Channels of an image and of its 3 x 3 filters; heads of attention and elements of each.
enum { OPS_CHANNELS = 64, OPS_HEADS = 8, OPS_HEAD = 64 };

// Sizes of the operator in a table that ends with 0. Up to 2048 for products.
typedef struct ops_kind {
  const char* op;
  const int64_t* sizes;
} ops_kind;
extern const ops_kind ops_kinds[];
extern const size_t ops_kind_count;

// False if this build has no such operator.
bool ops_row_open(ops_row* row, const char* op, int64_t size);
void ops_row_run(const void* row, long n);

// One of these for a row, or NULL where nobody would write it as a loop, or no library
// has it. They take the row.
typedef void (*ops_other)(const void* row, long n);
ops_other ops_loop_of(const char* op);
ops_other ops_library_of(const char* op, const char** out_name, size_t index);
void ops_libraries_threads(int threads);

#endif  // OPYARD_BENCH_OPS_ROWS_H_
