// SPDX-License-Identifier: Apache-2.0
// Loops over inputs of which every other element is read, as of x[::2] and the parts of
// complex numbers, into what lies together.
#ifndef OPYARD_SRC_BACKENDS_CPU_LOOPS_EVERY_OTHER_LOOP_H_
#define OPYARD_SRC_BACKENDS_CPU_LOOPS_EVERY_OTHER_LOOP_H_

#include "tensor/element.h"
#include "tensor/iterator.h"

// Whether that pays, which it does not for few elements, nor for great ones: of those a
// vector holds so few that bringing them together takes what it saves.
static inline bool oyi_every_other_pays(const oyi_iter* it) {
  enum { LEAST = 128, WIDEST = 8 };
  if (OY_LIKELY(!it->runs || it->ndim == 0 || it->sizes[0] < LEAST)) return false;
  int64_t bytes = 0;
  for (int k = 1; k < it->count; k++) {
    const int64_t item = oyi_item(it->tensors[k]);
    if (it->strides[0][k] == 2 * item) bytes += item;
  }
  return bytes > 0 && bytes <= WIDEST && it->strides[0][0] == oyi_item(it->tensors[0]);
}

void oyi_every_other_run(const oyi_iter* it, oyi_loop loop, const void* args);

#endif  // OPYARD_SRC_BACKENDS_CPU_LOOPS_EVERY_OTHER_LOOP_H_
