// SPDX-License-Identifier: Apache-2.0
// A block of results as reduce_piece.c goes over what they are made of: where it is, and on to the
// next row.
#ifndef OPYARD_SRC_BACKENDS_CPU_REDUCE_REDUCE_BLOCK_H_
#define OPYARD_SRC_BACKENDS_CPU_REDUCE_REDUCE_BLOCK_H_

#include "backends/cpu/reduce/reduce_plan.h"

typedef oyi_reduce_walk walk;

typedef struct block {
  const walk* w;
  void* state;
  int64_t n;
  int64_t low, high;                  // the piece of the slowest reduced dimension
  int64_t index[OY_TENSOR_MAX_DIMS];  // of the outer reduced dimensions
} block;

static inline int64_t first_of(const block* b, size_t d) {
  return d + 1 == b->w->reduced_count ? b->low : 0;
}
static inline int64_t end_of(const block* b, size_t d) {
  return d + 1 == b->w->reduced_count ? b->high : b->w->reduced[d].size;
}

// Goes to the first row of the piece.
static inline void first_row(block* b, const char** x) {
  for (size_t d = 1; d < b->w->reduced_count; d++) {
    b->index[d] = first_of(b, d);
    *x += b->index[d] * b->w->reduced[d].in;
  }
}

// Steps to the next row of the outer reduced dimensions; false after the last.
static inline bool next_row(block* b, const char** x) {
  for (size_t d = 1; d < b->w->reduced_count; d++) {
    int64_t step = b->w->reduced[d].in, first = first_of(b, d), end = end_of(b, d);
    *x += step;
    // NOLINT: first_row() set all of them
    if (++b->index[d] < end) return true;
    *x -= step * (end - first);
    b->index[d] = first;
  }
  return false;
}

// Running values of |count| groups of |n| columns each, one behind the other, become those of the
// first.
static inline void merge_groups(const walk* w, char* state, int64_t n, int64_t count) {
  const int64_t step = n * w->reducer->running;
  for (int64_t half = count / 2; count > 1; count -= half, half = count / 2)
    w->reducer->merge(state, state + (count - half) * step, half * n, w->args);
}

#endif  // OPYARD_SRC_BACKENDS_CPU_REDUCE_REDUCE_BLOCK_H_
