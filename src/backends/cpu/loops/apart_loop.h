// SPDX-License-Identifier: Apache-2.0
// Loops over inputs whose elements lie apart, as of x[::2] and of columns, into what lies
// together.
#ifndef OPYARD_SRC_BACKENDS_CPU_LOOPS_APART_LOOP_H_
#define OPYARD_SRC_BACKENDS_CPU_LOOPS_APART_LOOP_H_

#include "tensor/element.h"
#include "tensor/iterator.h"

// Whether elements of an input lie apart, and are more than few.
static inline bool oyi_lies_apart(const oyi_iter* it) {
  enum { LEAST = 128 };
  if (OY_LIKELY(!it->runs || it->ndim == 0 || it->sizes[0] < LEAST)) return false;
  for (int k = 1; k < it->count; k++)
    if (it->strides[0][k] != 0 && it->strides[0][k] != oyi_item(it->tensors[k]))
      return true;
  return false;
}

// Whether bringing them together pays. For a loop that is |light|, and steps from one element to
// the next as fast as they are brought together, it pays where every other one is read, but not
// of great ones: of those a vector holds so few that it takes what it saves, and of pairs of
// doubles each is a vector.
static inline bool oyi_apart_pays(const oyi_iter* it, bool light) {
  enum { WIDEST = 16 };
  int64_t every_other = 0;
  for (int k = 1; k < it->count; k++) {
    const int64_t item = oyi_item(it->tensors[k]);
    if (light && item == WIDEST) return false;
    if (it->strides[0][k] == 2 * item) every_other += item;
  }
  return (!light || (every_other > 0 && every_other <= WIDEST)) &&
         it->strides[0][0] == oyi_item(it->tensors[0]);
}

void oyi_apart_run(const oyi_iter* it, bool light, oyi_loop loop, const void* args);

#endif  // OPYARD_SRC_BACKENDS_CPU_LOOPS_APART_LOOP_H_
