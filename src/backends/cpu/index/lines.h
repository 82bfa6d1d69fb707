// SPDX-License-Identifier: Apache-2.0
// A walk over the lines of tensors along one dimension: every position in the other
// dimensions, with the address of each operand's line.
#ifndef OPYARD_SRC_BACKENDS_CPU_INDEX_LINES_H_
#define OPYARD_SRC_BACKENDS_CPU_INDEX_LINES_H_

#include "tensor/impl.h"

enum { OYI_LINES_MAX = 4, OYI_LINES_NONE = -1 };

typedef struct oyi_lines {
  int count;
  size_t ndim;
  char* data[OYI_LINES_MAX];
  int64_t step[OYI_LINES_MAX];  // along the line, in bytes
  int64_t sizes[OY_TENSOR_MAX_DIMS], at[OY_TENSOR_MAX_DIMS];
  int64_t steps[OY_TENSOR_MAX_DIMS][OYI_LINES_MAX];
} oyi_lines;

// |sizes| is the shape that is walked; the tensors have its rank, or none, and each
// is read from its first element. |dim| is the line's (0 for a tensor without rank), or
// OYI_LINES_NONE: of all elements, each by itself. False if there are no lines.
static inline bool oyi_lines_begin(oyi_lines* w, oy_ints sizes, int64_t dim,
                                   const oyi_tensor* const* tensors, int count) {
  w->count = count;
  w->ndim = 0;
  for (int k = 0; k < count; k++) {
    const oyi_tensor* t = tensors[k];
    w->data[k] = oyi_data(t);
    w->step[k] = t->ndim && dim >= 0 ? oyi_strides(t)[dim] * oyi_item(t) : oyi_item(t);
  }
  for (size_t d = sizes.size; d-- > 0;) {
    if (sizes.data[d] == 0) return false;
    if ((int64_t)d == dim || sizes.data[d] == 1) continue;
    w->sizes[w->ndim] = sizes.data[d];
    w->at[w->ndim] = 0;
    for (int k = 0; k < count; k++) {
      const oyi_tensor* t = tensors[k];
      w->steps[w->ndim][k] = t->ndim ? oyi_strides(t)[d] * oyi_item(t) : 0;
    }
    w->ndim++;
  }
  for (int k = 0; w->ndim == 0 && k < count; k++) w->steps[0][k] = 0;
  return true;
}

// For those who take lines of the fastest dimension of the walk together, whatever order they
// come in: dimensions that continue each other become one, and where the fastest has less than
// |least|, the longest takes its place.
void oyi_lines_arrange(oyi_lines* w, int64_t least);

// Moves to the next line; false after the last.
static inline bool oyi_lines_next(oyi_lines* w) {
  for (size_t d = 0; d < w->ndim; d++) {
    int64_t back = ++w->at[d] < w->sizes[d] ? 0 : w->sizes[d];
    for (int k = 0; k < w->count; k++) w->data[k] += w->steps[d][k] * (1 - back);
    if (!back) return true;
    w->at[d] = 0;
  }
  return false;
}

// |count| lines, one after the other: |fn| works on w->data and calls oyi_lines_next.
typedef oy_status (*oyi_lines_fn)(oyi_lines* w, int64_t count, void* context);

// All lines from |first| on, the first of its walk, in pieces on several threads if there
// are many elements, |n| of them a line. Lines may not write what others read. The status
// is that of oy_parallel_for.
oy_status oyi_lines_run(const oyi_lines* first, int64_t n, oyi_lines_fn fn,
                        void* context);
// The same of lines that are quick to walk along: those that share cache lines go together, as
// two threads that write into one wait for each other.
oy_status oyi_lines_run_beside(const oyi_lines* first, int64_t n, oyi_lines_fn fn,
                               void* context);

#endif  // OPYARD_SRC_BACKENDS_CPU_INDEX_LINES_H_
