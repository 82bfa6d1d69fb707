// SPDX-License-Identifier: Apache-2.0
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#include "backends/cpu/index/gather_block.h"

#include <string.h>

#include "base/template.h"

enum { FOUR = 4 };

static inline bool four_are_below(const int64_t* index, uint64_t size) {
  return (uint64_t)index[0] < size && (uint64_t)index[1] < size &&
         (uint64_t)index[2] < size && (uint64_t)index[3] < size;
}

typedef uint64_t bytes16 __attribute__((vector_size(16)));
#define T  uint8_t
#define ID 1
#include "backends/cpu/index/gather_block_tmpl.h"
#define T  uint16_t
#define ID 2
#include "backends/cpu/index/gather_block_tmpl.h"
#define T  uint32_t
#define ID 4
#include "backends/cpu/index/gather_block_tmpl.h"
#define T  uint64_t
#define ID 8
#include "backends/cpu/index/gather_block_tmpl.h"
#define T  bytes16
#define ID 16
#include "backends/cpu/index/gather_block_tmpl.h"

oyi_gather_fn oyi_gather_for(int64_t item) {
  switch (item) {
    case 1: return block_1;
    case 2: return block_2;
    case 4: return block_4;
    case 8: return block_8;
    case 16: return block_16;
    default: return NULL;
  }
}
