// SPDX-License-Identifier: Apache-2.0
// Inner loops that divide sums by counts: the last step of means into what is there. They
// only compute; reduce_into.h has what calls them.
#ifndef OPYARD_SRC_BACKENDS_CPU_REDUCE_REDUCE_DIVIDE_H_
#define OPYARD_SRC_BACKENDS_CPU_REDUCE_REDUCE_DIVIDE_H_

#include "tensor/iterator.h"

enum { OYI_DIVIDE_DTYPES = OY_DTYPE_BF16 + 1 };

// By dtype of the sums, the first operand; NULL for 16-bit floats. Counts are f32, and f64
// for the last table. Integers round down; counts below 1 leave a sum as it is.
extern const oyi_loop oyi_divide_base[OYI_DIVIDE_DTYPES];
extern const oyi_loop oyi_divide_v3[OYI_DIVIDE_DTYPES];
extern const oyi_loop oyi_divide_wide[OYI_DIVIDE_DTYPES];

#endif  // OPYARD_SRC_BACKENDS_CPU_REDUCE_REDUCE_DIVIDE_H_
