// SPDX-License-Identifier: Apache-2.0
// What the ways to least squares share.
#ifndef OPYARD_SRC_BACKENDS_CPU_LINALG_LINALG_LSTSQ_H_
#define OPYARD_SRC_BACKENDS_CPU_LINALG_LINALG_LSTSQ_H_

#include "backends/cpu/linalg/linalg.h"

// |b| by columns, with room below for a solution that is longer.
oyi_tensor* oyi_lstsq_right_side(const oyi_tensor* b, int64_t rows);
// What is nothing beside the greatest singular value of |a|.
double oyi_lstsq_limit(const oyi_tensor* a, oy_value rcond);
// Solution, residuals, rank and singular values, as driver gels gives them, or gelsd.
// |composed|: nothing was made, as some matrix is for the composition alone.
oy_status oyi_lstsq_with_left(const oyi_tensor* a, const oyi_tensor* b, oy_value rcond,
                              bool by_values, oy_object* made[4], bool* composed);

#endif  // OPYARD_SRC_BACKENDS_CPU_LINALG_LINALG_LSTSQ_H_
