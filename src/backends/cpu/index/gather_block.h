// SPDX-License-Identifier: Apache-2.0
// Elements by number, of three dimensions at a time.
#ifndef OPYARD_SRC_BACKENDS_CPU_INDEX_GATHER_BLOCK_H_
#define OPYARD_SRC_BACKENDS_CPU_INDEX_GATHER_BLOCK_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Element i of a row comes from its place in |from|, index[i] * |scale| further on. Steps in
// bytes, from element to element of a row, from row to row and from plane to plane. Indices are
// good from 0 on up to |size|, without it.
typedef struct oyi_gather_block {
  int64_t planes, rows, n;
  char* to;
  const char *index, *from;
  int64_t to_along, index_along, from_along;
  int64_t to_down, index_down, from_down;
  int64_t to_next, index_next, from_next;
  int64_t scale;
  uint64_t size;
} oyi_gather_block;

// False: an index is not good; nothing is read for it, and what was written is worth nothing.
typedef bool (*oyi_gather_fn)(const oyi_gather_block* b);
// NULL where no elements have |item| bytes.
oyi_gather_fn oyi_gather_for(int64_t item);

#endif  // OPYARD_SRC_BACKENDS_CPU_INDEX_GATHER_BLOCK_H_
