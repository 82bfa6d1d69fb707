// SPDX-License-Identifier: Apache-2.0
// Running sums and products into the dtype itself, or of integers into int64: several lines
// at a time, converted as they are read and written.
#ifndef OPYARD_SRC_BACKENDS_CPU_ORDER_SCAN_DIRECT_H_
#define OPYARD_SRC_BACKENDS_CPU_ORDER_SCAN_DIRECT_H_

#include "backends/cpu/index/lines.h"

// Operand 0 of |lines|, of |n| elements each and of dtype |from|, into operand 1 of dtype
// |to|. False if there is no such loop.
bool oyi_scan_direct(const oyi_lines* lines, oy_dtype from, oy_dtype to, int64_t n,
                     bool is_product);

#endif  // OPYARD_SRC_BACKENDS_CPU_ORDER_SCAN_DIRECT_H_
