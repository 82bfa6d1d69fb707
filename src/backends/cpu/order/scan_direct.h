// SPDX-License-Identifier: Apache-2.0
// Running sums and products of the dtypes that need no conversion on the way: several
// lines at a time, in one pass.
#ifndef OPYARD_SRC_BACKENDS_CPU_ORDER_SCAN_DIRECT_H_
#define OPYARD_SRC_BACKENDS_CPU_ORDER_SCAN_DIRECT_H_

#include "backends/cpu/index/lines.h"

// Operand 0 of |lines|, of |n| elements each, into operand 1; both of |dtype|. False if
// there is no such loop.
bool oyi_scan_direct(const oyi_lines* lines, oy_dtype dtype, int64_t n, bool is_product);

#endif  // OPYARD_SRC_BACKENDS_CPU_ORDER_SCAN_DIRECT_H_
