// SPDX-License-Identifier: Apache-2.0
// Squares of distances, at the level of this machine.
#ifndef OPYARD_SRC_BACKENDS_CPU_LINALG_DISTANCE_SQUARES_H_
#define OPYARD_SRC_BACKENDS_CPU_LINALG_DISTANCE_SQUARES_H_

#include <stdbool.h>
#include <stdint.h>

// A difference of squares that is smaller than this, beside what it is one of, has lost too
// many bits.
#define OYI_DISTANCE_NEAR 0x1p-7

typedef struct oyi_distance_squares {
  // Adds |size| and |sizes|, of one type T, to the |n| elements of |out|, which have -2 times
  // the products. Whether one of them is near or no number, or of less than |sure| in all
  // but not of 0.
  bool (*complete)(int64_t n, const void* size, const void* sizes, double sure,
                   void* out);
  // Those of |row| from |n| others, which are the columns of |others|: |count| rows of |n|.
  void (*differences)(int64_t n, const void* row, const void* others, int64_t count,
                      void* out);
} oyi_distance_squares;

// Of floats, then of doubles.
const oyi_distance_squares* oyi_distance_squares_table(void);

#endif  // OPYARD_SRC_BACKENDS_CPU_LINALG_DISTANCE_SQUARES_H_
