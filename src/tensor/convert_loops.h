// SPDX-License-Identifier: Apache-2.0
// Loops over |n| adjacent elements from one type to another. There is not one for
// each of 300 pairs: every dtype has a wide type near it (int32, int64, float or
// double), and a conversion is a chain of at most three loops through those.
#ifndef OPYARD_SRC_TENSOR_CONVERT_LOOPS_H_
#define OPYARD_SRC_TENSOR_CONVERT_LOOPS_H_

#include "opyard/object.h"

typedef void (*oyi_convert_loop)(void* out, const void* in, int64_t n);

// The loops to take one after another. Elements between them take at most 8 bytes.
typedef struct oyi_convert_chain {
  int count;
  oyi_convert_loop loops[3];
} oyi_convert_chain;

// From one real dtype to another; not for complex ones.
oyi_convert_chain oyi_convert_chain_of(oy_dtype to, oy_dtype from);

#endif  // OPYARD_SRC_TENSOR_CONVERT_LOOPS_H_
