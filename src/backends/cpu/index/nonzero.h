// SPDX-License-Identifier: Apache-2.0
// Where elements are not 0, for the operators that need it: nonzero, masks as indices.
#ifndef OPYARD_SRC_BACKENDS_CPU_INDEX_NONZERO_H_
#define OPYARD_SRC_BACKENDS_CPU_INDEX_NONZERO_H_

#include "tensor/impl.h"

// How many of |n| bools, bytes of 0 or 1, are true.
int64_t oyi_count_true(const uint8_t* truth, int64_t n);

// One new int64 vector for each dimension of |t|: the places, in row-major order.
oy_status oyi_nonzero_columns(const oyi_tensor* t, oyi_tensor** columns);

// Where coordinates go: number |row| of dimension d is at[d] + row * step, in bytes.
typedef struct oyi_places {
  size_t ndim;
  const int64_t* sizes;
  int64_t numel, step;
  char* at[OY_TENSOR_MAX_DIMS];
} oyi_places;
// Coordinates |row| to |end| - 1, of the true ones from element |first| on, of which there are
// as many: by arithmetic, where rows are too short to be gone through one by one.
void oyi_places_list(const oyi_places* out, const uint8_t* truth, int64_t first,
                     int64_t row, int64_t end);
void oyi_places_list_v3(const oyi_places* out, const uint8_t* truth, int64_t first,
                        int64_t row, int64_t end);

#endif  // OPYARD_SRC_BACKENDS_CPU_INDEX_NONZERO_H_
