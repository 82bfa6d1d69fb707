// SPDX-License-Identifier: Apache-2.0
// Running logarithms of sums of exponentials, of many lines side by side.
#ifndef OPYARD_SRC_BACKENDS_CPU_ORDER_SCAN_LOGSUMEXP_H_
#define OPYARD_SRC_BACKENDS_CPU_ORDER_SCAN_LOGSUMEXP_H_

#include "backends/cpu/index/lines.h"

// Of lines of |n| elements of |dtype|, a floating one: the input and the output. False: they
// are too few, or too long, for vectors of them, and nothing was done.
bool oyi_scan_logsumexp(const oyi_lines* lines, oy_dtype from, oy_dtype to, int64_t n);

#endif  // OPYARD_SRC_BACKENDS_CPU_ORDER_SCAN_LOGSUMEXP_H_
