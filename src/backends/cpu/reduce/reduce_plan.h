// SPDX-License-Identifier: Apache-2.0
// How a reduction goes over its input: found once, before anything is read.
#ifndef OPYARD_SRC_BACKENDS_CPU_REDUCE_REDUCE_PLAN_H_
#define OPYARD_SRC_BACKENDS_CPU_REDUCE_REDUCE_PLAN_H_

#include "backends/cpu/reduce/reduce.h"
#include "tensor/convert_loops.h"

typedef struct oyi_reduce_dim {
  int64_t size, in, out[2];  // steps in bytes
} oyi_reduce_dim;

typedef struct oyi_reduce_walk {
  const oyi_fold* reducer;
  const void* args;
  oy_dtype in_dtype, out_dtype[2];
  bool converts;  // rows are read as another dtype than they have, or brought together
  // By which, of elements that lie together; NULL: oyi_convert_row() finds it.
  oyi_convert_loop one_step;
  // How the first results become what is written, each of so many numbers; none: they are that, or
  // oyi_convert_row() finds it.
  oyi_convert_chain write;
  int64_t write_numbers;
  bool direct[2];             // or outputs are as the reducer writes results
  const oyi_half_fold* half;  // but the reducer reads them as they are; NULL: it does not
  bool across;                // along the results of a block
  bool turns_columns;         // of few results, whose columns are reduced as rows
  bool turns;                 // rows so short that their columns are reduced
  // Of these a block has the results of |inner| kept elements each; else of one.
  oyi_reduce_dim inner;
  // Results from one line of a block to the next, where it has those of what lies between lines,
  // too, and from one of |inner| to the next; 0: it has those that are wanted, and no others.
  int64_t cells, apart;
  // Where results that lie together are of another kept dimension than blocks go along: blocks of
  // up to |tile_lines| of its elements are written at once. Else of size 1.
  oyi_reduce_dim tile;
  int64_t tile_lines;
  int64_t
      along[2];  // bytes from one result of a block to the next where it is written first
  int64_t step;  // bytes from what one result of a block is made of to that of the next
  // Elements of the fastest dimension that is reduced, where they lie beside each other as results
  // do and have running values of their own, which are merged; else 1.
  int64_t fold;
  int64_t
      fold_step;  // from those of one result to those of the next, where those lie together
  // Results that lie together within each of those elements, or the only one; 0: they have
  // elements that lie together.
  int64_t fold_block;
  // Rows that are read as one, where results are few and rows follow each other; else 1.
  int64_t spread;
  oyi_reduce_rows_fn all_rows;  // takes all rows of a block in one call; NULL: none does
  // Takes rows that come again further on, whose results are running values; NULL: one by one.
  oyi_reduce_rows_fn part_rows;
  bool is_empty;  // there is nothing to reduce
  const char* x;
  char* out[2];
  // Results of a block, or |inner| times as many; blocks of a line, of all.
  int64_t block, per_line, blocks;
  int64_t read;           // elements
  int64_t times;          // that each element comes, expanded
  int64_t pieces, piece;  // of the slowest reduced dimension, for few results
  int64_t row, rows;      // elements, and rows, that a reducer sees at most in one call
  size_t kept_count, reduced_count;
  oyi_reduce_dim kept[OY_TENSOR_MAX_DIMS], reduced[OY_TENSOR_MAX_DIMS];
} oyi_reduce_walk;

// There is at least one result.
void oyi_reduce_plan(oyi_reduce_walk* w, const oyi_reduction* r, const oyi_fold* reducer,
                     const void* args);

// Of a plan that has its way through the input: its blocks, of |results|, and how they are written
// (reduce_plan_blocks.c).
void oyi_reduce_plan_blocks(oyi_reduce_walk* w, int64_t results);

// Piece |number| of the rows of |n| results, from the start: their running values, for which
// |state| has OYI_REDUCE_STATE_BYTES (reduce_piece.c).
void oyi_reduce_piece(const oyi_reduce_walk* w, const char* x, int64_t n, int64_t number,
                      void* state);

// Running values of |lines| of a block.
static inline int64_t oyi_reduce_width(const oyi_reduce_walk* w, int64_t lines) {
  return w->cells ? (lines - 1) * w->cells + (w->inner.size - 1) * w->apart + 1
                  : lines * w->inner.size;
}

// A bool is read as the byte that it is.
static inline bool oyi_reduce_reads_as(oy_dtype have, oy_dtype want) {
  return have == want || (have == OY_DTYPE_BOOL && want == OY_DTYPE_U8);
}

#endif  // OPYARD_SRC_BACKENDS_CPU_REDUCE_REDUCE_PLAN_H_
