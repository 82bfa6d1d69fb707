// SPDX-License-Identifier: Apache-2.0
#ifndef OPYARD_SRC_BACKENDS_CPU_INDEX_GATHER_ROWS_H_
#define OPYARD_SRC_BACKENDS_CPU_INDEX_GATHER_ROWS_H_

#include <stdbool.h>
#include <stdint.h>

// Of |lines| of |length| elements each, up to OYI_GATHER_BYTES, every |down| bytes, |n| elements
// each. Elements have 2, 4 and 8 bytes. False: a number is not one of an element; nothing is read
// then that is not there, and what was written is worth nothing.
enum { OYI_GATHER_BYTES = 512, OYI_GATHER_REGISTER = 64 };
bool oyi_gather_rows_2_v4(int64_t lines, int64_t n, char* o, const char* x, int64_t down,
                          int64_t length, const int64_t* index);
bool oyi_gather_rows_4_v4(int64_t lines, int64_t n, char* o, const char* x, int64_t down,
                          int64_t length, const int64_t* index);
bool oyi_gather_rows_8_v4(int64_t lines, int64_t n, char* o, const char* x, int64_t down,
                          int64_t length, const int64_t* index);

#endif  // OPYARD_SRC_BACKENDS_CPU_INDEX_GATHER_ROWS_H_
