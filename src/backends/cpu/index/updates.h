// SPDX-License-Identifier: Apache-2.0
// Inner loops that bring elements into a tensor, along steps or at given places:
// written over what is there, added to it, and so on. They only compute.
#ifndef OPYARD_SRC_BACKENDS_CPU_INDEX_UPDATES_H_
#define OPYARD_SRC_BACKENDS_CPU_INDEX_UPDATES_H_

#include "opyard/tensor.h"

typedef enum oyi_update {
  OYI_UPDATE_SET,
  OYI_UPDATE_ADD,
  OYI_UPDATE_MUL,
  OYI_UPDATE_MAX,
  OYI_UPDATE_MIN,
  OYI_UPDATE_COUNT
} oyi_update;

// |n| elements, steps in bytes.
typedef void (*oyi_update_row_fn)(int64_t n, char* to, int64_t to_step, const char* from,
                                  int64_t from_step);
// Element i goes to |to| + i * |to_step| + index[i] * |scale|; steps in bytes.
typedef void (*oyi_update_at_fn)(int64_t n, char* to, int64_t to_step, int64_t scale,
                                 const char* index, int64_t index_step, const char* from,
                                 int64_t from_step);

// The same of lines of |n| elements that are arrays; from line to line in bytes.
typedef struct oyi_update_lines {
  int64_t lines, n;
  char* to;
  const char *index, *from;
  int64_t to_down, index_down, from_down;
  uint64_t size;
} oyi_update_lines;
// False at the first index that is not below |size|.
typedef bool (*oyi_update_lines_fn)(const oyi_update_lines* l);

typedef struct oyi_updater {
  oyi_update_row_fn row;
  oyi_update_at_fn at;
  oyi_update_lines_fn lines;
} oyi_updater;

// NULL functions where there is no such loop: MAX and MIN of complex numbers, all but SET of
// what is only stored.
oyi_updater oyi_updater_for(oyi_update update, oy_dtype dtype);
// The same; NOT_IMPLEMENTED, for kernel |name|, where there is none.
oy_status oyi_updater_find(oyi_update update, oy_dtype dtype, const char* name,
                           oyi_updater* out_updater);

// The other way: element i comes from |from| + index[i] * |scale|.
typedef void (*oyi_take_fn)(int64_t n, char* to, int64_t to_step, const char* from,
                            int64_t scale, const char* index, int64_t index_step);
oyi_take_fn oyi_take_for(size_t item);

#endif  // OPYARD_SRC_BACKENDS_CPU_INDEX_UPDATES_H_
