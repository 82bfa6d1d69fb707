// SPDX-License-Identifier: Apache-2.0
// Casts that a thread keeps while it is in a region. Keyed by the weak reference of the
// source: the table holds that, so its address stands for one tensor, also when the tensor
// is gone and its memory is another's.
#ifndef OPYARD_SRC_LAYERS_AUTOCAST_CAST_CACHE_H_
#define OPYARD_SRC_LAYERS_AUTOCAST_CAST_CACHE_H_

#include "tensor/impl.h"

// A new reference to the cast of |source|, as it is now, to |dtype|; NULL, without an
// error, if there is none.
oy_tensor* oyi_cast_find(const oyi_tensor* source, oy_dtype dtype);
// Keeps |cast| (retained), in place of an earlier one.
oy_status oyi_cast_keep(oyi_tensor* source, oy_tensor* cast);
void oyi_cast_clear(void);

#endif  // OPYARD_SRC_LAYERS_AUTOCAST_CAST_CACHE_H_
