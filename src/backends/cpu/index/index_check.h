// SPDX-License-Identifier: Apache-2.0
// Whether indices are good. Large tensors of them are looked through by several
// threads; the one that is reported is the first in order.
#ifndef OPYARD_SRC_BACKENDS_CPU_INDEX_INDEX_CHECK_H_
#define OPYARD_SRC_BACKENDS_CPU_INDEX_INDEX_CHECK_H_

#include "tensor/impl.h"

// Numbers that are looked at before the first of them is used, where indices are checked
// late: they are in the nearest cache then.
enum { OYI_CHECKED_AT_ONCE = 1024 };

// Every number in |index|, int64, is one of 0 to |size| - 1; |dim| is for the message.
oy_status oyi_check_line_indices(const oyi_tensor* index, int64_t dim, int64_t size);
// The failure of that.
oy_status oyi_bad_line_index(const oyi_tensor* index, int64_t dim, int64_t size);
// Whether indices of lines along |dim| are better checked as they are used than before, so
// that memory is read once; what is written must be a tensor that a failure gives up.
bool oyi_checks_late(const oyi_tensor* index, int64_t dim);
// Whether all of |index| are such numbers.
bool oyi_are_indices(const oyi_tensor* index, int64_t size);
// Whether |n| numbers, |step| bytes apart, are.
bool oyi_are_below(const char* x, int64_t step, int64_t n, int64_t size);
// What a walk checks as it goes; size 0: indices were checked before it.
typedef struct oyi_late {
  int64_t size;
  bool failed;  // atomic
} oyi_late;
// How many of |n| indices are looked at before they are used.
static inline int64_t oyi_late_most(const oyi_late* late, int64_t n) {
  return late->size ? OYI_CHECKED_AT_ONCE : n;
}
static inline void oyi_late_fail(oyi_late* late) {
  __atomic_store_n(&late->failed, true, __ATOMIC_RELAXED);
}
// False, and noted, if one of them is bad.
static inline bool oyi_late_passes(oyi_late* late, const char* x, int64_t step,
                                   int64_t n) {
  if (!late->size || oyi_are_below(x, step, n, late->size)) return true;
  oyi_late_fail(late);
  return false;
}
// The first number in |index| that is not one of |least| to |size| - 1; there is one.
int64_t oyi_first_bad_index(const oyi_tensor* index, int64_t least, int64_t size);

// The same of numbers that lie together, by capability level.
bool oyi_all_below(const uint64_t* x, int64_t n, uint64_t size);
bool oyi_all_below_v3(const uint64_t* x, int64_t n, uint64_t size);

#endif  // OPYARD_SRC_BACKENDS_CPU_INDEX_INDEX_CHECK_H_
