// SPDX-License-Identifier: Apache-2.0
#ifndef OPYARD_SRC_BACKENDS_CPU_INDEX_GATHER_ROWS_H_
#define OPYARD_SRC_BACKENDS_CPU_INDEX_GATHER_ROWS_H_

#include <stdint.h>

// Of |lines| of |length| elements of four bytes, up to OYI_GATHER_ROWS, |n| elements each, by
// numbers that were checked.
enum { OYI_GATHER_ROWS = 32 };
void oyi_gather_rows_v4(int64_t lines, int64_t n, char* o, const char* x, int64_t length,
                        const int64_t* index);

#endif  // OPYARD_SRC_BACKENDS_CPU_INDEX_GATHER_ROWS_H_
