// SPDX-License-Identifier: Apache-2.0
// Lines that scatter updates along a dimension, at places by number.
#ifndef OPYARD_SRC_BACKENDS_CPU_INDEX_SCATTER_LINES_H_
#define OPYARD_SRC_BACKENDS_CPU_INDEX_SCATTER_LINES_H_

#include "backends/cpu/reduce/reduce_into.h"
#include "tensor/impl.h"

typedef struct oyi_scatter {
  const char* name;
  oyi_tensor* self;
  const oyi_tensor *index, *src;  // |src| NULL: the number in |value|
  int64_t dim;
  oyi_reduce_into how;
  oyi_updater updater;
  bool late;  // indices are checked when they are used
  // Not NULL: lines of the target come from here when the first walk comes to them.
  const oyi_tensor* origin;
  _Alignas(16) char value[16];
} oyi_scatter;

// A tensor without dimensions counts as one element in a line.
static inline int64_t oyi_scatter_size(const oyi_tensor* t, int64_t d) {
  return t->ndim ? t->sizes[d] : 1;
}

// Whether good indices are all 0.
static inline bool oyi_scatter_is_whole(const oyi_scatter* q) {
  return q->self->ndim > 0 && q->self->ndim == q->index->ndim && q->index->numel > 0 &&
         q->self->sizes[q->dim] == 1;
}

// Updates |to| from |src|, or from one element for all. OUT_OF_RANGE for a bad index, where
// those are checked here.
oy_status oyi_scatter_run(oyi_scatter* q, const oyi_tensor* to, const oyi_tensor* src,
                          const char* one, oyi_updater updater);

#endif  // OPYARD_SRC_BACKENDS_CPU_INDEX_SCATTER_LINES_H_
