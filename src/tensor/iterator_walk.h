// SPDX-License-Identifier: Apache-2.0
// The geometry of a walk: which dimension is fastest, and which join into one.
#ifndef OPYARD_SRC_TENSOR_ITERATOR_WALK_H_
#define OPYARD_SRC_TENSOR_ITERATOR_WALK_H_

#include "tensor/iterator.h"

// Dimensions of a shape and the strides of operands in it, in bytes.
typedef struct oyi_walk {
  size_t ndim;
  int count;
  const int64_t* shape;
  uint8_t perm[OY_TENSOR_MAX_DIMS];  // perm[0]: the fastest dimension
  int64_t strides[OYI_ITER_MAX][OY_TENSOR_MAX_DIMS];
} oyi_walk;

// |sizes| must outlive the walk.
void oyi_walk_init(oyi_walk* walk, oy_ints sizes);
// Adds an operand, broadcast to the shape.
void oyi_walk_add(oyi_walk* walk, const oyi_tensor* t);
// Sorts the dimensions; in a reduction those that the first operand does not
// have come first.
void oyi_walk_sort(oyi_walk* walk, bool is_reduction);

// The strides of a copy of |t| that keeps its layout: no gaps, the dimensions in the order
// of their strides, where of equal ones the smaller dimension is the faster one.
void oyi_dense_strides(const oyi_tensor* t, int64_t* out_strides);

// Fills data, sizes and strides of |it| from its tensors.
void oyi_iter_operands(oyi_iter* it, oy_ints shape, bool is_reduction);

// Runs |loop| on the steps |begin| to |end| of the dimensions |first| to |last| - 1,
// counted in their order, beginning at |data|; other dimensions stay where they are.
void oyi_walk_range(const oyi_iter* it, size_t first, size_t last, char* const* data,
                    int64_t begin, int64_t end, oyi_loop loop, const void* args);
// Steps of the dimensions |first| to |last| - 1.
int64_t oyi_walk_steps(const oyi_iter* it, size_t first, size_t last);

// A walk in which some inputs lie across the others: in tiles, for which such inputs
// are turned round. False if there are none, and nothing is done. Without a |loop| the
// input is copied by elements of as many bytes as |args|, a size_t, says.
bool oyi_walk_tiled(const oyi_iter* it, oyi_loop loop, const void* args);

// How many of |steps| a piece has, where |grain| are worth a thread and more are too many: pieces
// of about the same length, and as many for each of two threads. What is left of a walk may be
// little, and threads that are done would wait for the one with a whole piece.
static inline int64_t oyi_even_piece(int64_t steps, int64_t grain) {
  int64_t pieces = (steps - 1) / grain + 1;
  if (pieces > 1) pieces += pieces % 2;
  return (steps - 1) / pieces + 1;
}

// A copy of |steps| elements of |item| bytes in blocks of short stretches, the same way.
bool oyi_walk_folded(const oyi_iter* it, int64_t item, int64_t steps);

#endif  // OPYARD_SRC_TENSOR_ITERATOR_WALK_H_
