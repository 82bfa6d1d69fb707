// SPDX-License-Identifier: Apache-2.0
// Many short rows as one: inputs that do not go on from one row to the next, as they have one
// number for each or the same row for all of them, or lie in another order, are copied as the
// others lie. To begin a row takes longer than to copy it.
#ifndef OPYARD_SRC_TENSOR_ITERATOR_PACKED_H_
#define OPYARD_SRC_TENSOR_ITERATOR_PACKED_H_

#include "tensor/iterator.h"

// A loop, called for each row.
typedef struct oyi_by_rows {
  oyi_loop loop;
  const void* args;
  const oyi_iter* it;
  int count;
  unsigned
      apart;  // inputs to be copied for whole rows of the fastest dimension, a bit each
} oyi_by_rows;

// Fewer rows are begun one by one.
enum { OYI_PACKED_MANY = 8 };

// What a row is: some dimensions, the fastest first, with the steps along them of each operand.
typedef struct oyi_packed_row {
  size_t ndim;
  const int64_t* sizes;
  const int64_t (*strides)[OYI_ITER_MAX];
  bool in_order;  // inputs that lie across, or apart in other ways, are left as they are
} oyi_packed_row;

// Inputs that are to be copied for rows |down| apart, a bit each; 0 if there are none, or too many
// to copy, or rows are not short.
unsigned oyi_packed_inputs(const oyi_by_rows* by, const oyi_packed_row* row,
                           const int64_t* down);

// |rows| of them, beside copies of the inputs |apart|.
void oyi_packed_run(const oyi_by_rows* by, const oyi_packed_row* row, int64_t rows,
                    char* const* data, const int64_t* down, unsigned apart);

// A walk whose fastest dimensions, two or more, are such a row. False if they are not, and nothing
// is done.
bool oyi_packed_walk(const oyi_iter* it, oyi_loop loop, const void* args);

#endif  // OPYARD_SRC_TENSOR_ITERATOR_PACKED_H_
