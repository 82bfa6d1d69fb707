// SPDX-License-Identifier: Apache-2.0
// What an equation of einsum says about its operands.
#ifndef OPYARD_SRC_OPS_COMPOSITE_EINSUM_H_
#define OPYARD_SRC_OPS_COMPOSITE_EINSUM_H_

#include "tensor/impl.h"

enum { LETTERS = 52, ELLIPSIS = LETTERS, LABELS_MAX = OY_TENSOR_MAX_DIMS };

typedef struct subscripts {
  uint8_t label[LABELS_MAX];  // 0..51, or ELLIPSIS
  size_t count;
  bool has_ellipsis;
} subscripts;

typedef struct einsum_plan {
  oy_tensors operands;
  subscripts in[LABELS_MAX];
  subscripts out;
  size_t ellipsis_ndim;  // of the operand where it is longest
  int place[LETTERS];    // dimension of a letter, -1: not there
  int ellipsis_place;    // of its first dimension
  size_t out_ndim, ndim;
  uint8_t count[LETTERS];  // of a letter, over all operands
} einsum_plan;

static inline char einsum_letter(size_t label) {
  return (char)(label < 26 ? 'A' + label : 'a' + label - 26);
}

// Reads |text| for the operands of |e|, which are there already: what each has, what the
// result has, and where each letter goes.
oy_status oyi_einsum_parse(einsum_plan* e, oy_str text);

#endif  // OPYARD_SRC_OPS_COMPOSITE_EINSUM_H_
