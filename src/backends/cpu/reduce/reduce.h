// SPDX-License-Identifier: Apache-2.0
// The walk that all reductions of the CPU share. It goes over blocks of
// results; the running values of a block lie together, so that a reducer may
// run along memory in either direction: down a row, into one result, or across
// the results of a block. A reducer only computes: no allocation, no errors, no
// globals.
//
// What is added up in which order depends on the shape alone: not on the number
// of threads, which share out the blocks, or the pieces of the rows of a few
// results.
#ifndef OPYARD_SRC_BACKENDS_CPU_REDUCE_REDUCE_H_
#define OPYARD_SRC_BACKENDS_CPU_REDUCE_REDUCE_H_

#include "backends/cpu/kernels.h"
#include "ops/rules/reduction.h"

enum {
  OYI_REDUCE_BLOCK = 256,  // results whose running values are kept at once
  // The same where there is one kind of results, and they and running values are at most 8
  // bytes, or 16 with errors: longer parts of rows, one after the other, come from memory
  // faster.
  OYI_REDUCE_WIDE = 1024,
  // Elements, and rows, that a reducer sees at most in one call, but for floats as they lie.
  OYI_REDUCE_ROW = 2048,
  OYI_REDUCE_ROWS = 32,
  OYI_REDUCE_MOST_ROWS = 4 * OYI_REDUCE_ROWS,  // of what may run for longer
  OYI_REDUCE_TILE = 64,   // bytes of results, at most, of blocks that are written at once
  OYI_REDUCE_STATE = 64,  // bytes of running values for one result, at most
  OYI_REDUCE_STATE_BYTES = OYI_REDUCE_BLOCK * OYI_REDUCE_STATE,
  // Numbers of a row, at most, of which many are taken at once.
  OYI_REDUCE_MANY = 256,
  // Of reducers that take a row at once by vectors, and of others.
  OYI_REDUCE_TURNED = 64,
  OYI_REDUCE_TURNED_LONG = 256,
  // Dtypes that |all_rows| has places for.
  OYI_ROWS_DTYPES = OY_DTYPE_BF16 + 1
};

// |x| is n elements of a row, |step| bytes apart, for result |at| of the block.
// |first| is the place of the first of them in the reduced dimension.
typedef void (*oyi_reduce_row_fn)(void* state, int64_t at, const char* x, int64_t n,
                                  int64_t step, int64_t first, const void* args);
// |x| is |rows| rows, |row_step| bytes apart, of n elements that lie together:
// one for each result.
typedef void (*oyi_reduce_columns_fn)(void* state, int64_t n, const char* x, int64_t rows,
                                      int64_t row_step, int64_t first, const void* args);

// The same of 16-bit floats that lie together, as they are; NULL: they are converted.
typedef struct oyi_half_fold {
  void (*row)(void* state, int64_t at, const char* x, int64_t n, const void* args);
  void (*columns)(void* state, int64_t n, const char* x, int64_t rows, int64_t row_step,
                  const void* args);
} oyi_half_fold;

// Results of |rows| rows of |n| elements that lie together, |row_step| bytes apart, written to
// |out|.
typedef void (*oyi_reduce_rows_fn)(void* out, int64_t rows, const char* x, int64_t n,
                                   int64_t row_step, const void* args);

typedef struct oyi_fold {
  oy_dtype in;      // what the rows are read as
  oy_dtype out[2];  // what |finish| writes
  int64_t block;    // results at once, OYI_REDUCE_BLOCK or OYI_REDUCE_WIDE
  int64_t turned;   // bytes, as it reads them, of rows whose columns are reduced sooner
  // Bytes of a running value, where those of any two columns may be merged; else 0.
  int64_t running;
  // Columns whose running values stay in registers, if rows of so many, or of a divisor, follow
  // each other for long; 0: none do.
  int64_t few;
  void (*start)(void* state, int64_t n, const void* args);
  oyi_reduce_row_fn row;
  oyi_reduce_columns_fn columns;
  // Adds the running values of what comes later.
  void (*merge)(void* state, const void* later, int64_t n, const void* args);
  void (*finish)(const void* state, int64_t n, void* const* out, const void* args);
  // The running values as if all elements had come |times| times; NULL: they have to.
  void (*repeat)(void* state, int64_t n, int64_t times);
  // Start, columns and finish at once, of all rows that there are; NULL: one by one.
  void (*all_columns)(void* out, int64_t n, const char* x, int64_t rows, int64_t row_step,
                      const void* args);
  // The same of rows, for AVX-512, by the dtype that they lie in memory as; NULL: one by one.
  const oyi_reduce_rows_fn* all_rows;
  oyi_half_fold bf16, f16;  // where |in| is f32
} oyi_fold;

// Reduces r->in into those of r->out that there are. |args| is for the reducer.
void oyi_reduce(const oyi_reduction* r, const oyi_fold* reducer, const void* args);

// The dtype that elements are read as: 16-bit floats become 32-bit ones.
static inline oy_dtype oyi_reduce_dtype(oy_dtype dtype) {
  return dtype == OY_DTYPE_F16 || dtype == OY_DTYPE_BF16 ? OY_DTYPE_F32 : dtype;
}
// The reducer of a dtype from a table that ends with a row without functions;
// on none the error is `"name" not implemented for 'Half'`.
const oyi_fold* oyi_fold_for(const oyi_fold* table, oy_dtype dtype, const char* name);

#endif  // OPYARD_SRC_BACKENDS_CPU_REDUCE_REDUCE_H_
