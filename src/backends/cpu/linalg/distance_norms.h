// SPDX-License-Identifier: Apache-2.0
// Norms of the differences of one row from others: what distances are by definition.
#ifndef OPYARD_SRC_BACKENDS_CPU_LINALG_DISTANCE_NORMS_H_
#define OPYARD_SRC_BACKENDS_CPU_LINALG_DISTANCE_NORMS_H_

#include <stdbool.h>
#include <stdint.h>

// Rows of which norms are plain have a multiple of it.
enum { OYI_DISTANCE_STEP = 8 };

typedef struct oyi_distance_norm {
  double p;
  int64_t columns;
  bool rounds;  // to float or less: the last bits of a double do not matter
} oyi_distance_norm;

// Whether it takes no powers: p of 0, which counts what differs, 1, 2 or infinity.
bool oyi_distance_is_plain(double p);

// Of row |a| from |rows| others that lie one after the other.
void oyi_distances_of(const oyi_distance_norm* s, const double* a, const double* b,
                      int64_t rows, double* out);

#endif  // OPYARD_SRC_BACKENDS_CPU_LINALG_DISTANCE_NORMS_H_
