// SPDX-License-Identifier: Apache-2.0
// Whether indices are good. Large tensors of them are looked through by several
// threads; the one that is reported is the first in order.
#ifndef OPYARD_SRC_BACKENDS_CPU_INDEX_INDEX_CHECK_H_
#define OPYARD_SRC_BACKENDS_CPU_INDEX_INDEX_CHECK_H_

#include "tensor/impl.h"

// Every number in |index|, int64, is one of 0 to |size| - 1; |dim| is for the message.
oy_status oyi_check_line_indices(const oyi_tensor* index, int64_t dim, int64_t size);
// Whether they are.
bool oyi_are_indices(const oyi_tensor* index, int64_t size);
// The first number in |index| that is not one of |least| to |size| - 1; there is one.
int64_t oyi_first_bad_index(const oyi_tensor* index, int64_t least, int64_t size);

#endif  // OPYARD_SRC_BACKENDS_CPU_INDEX_INDEX_CHECK_H_
