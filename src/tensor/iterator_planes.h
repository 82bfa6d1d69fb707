// SPDX-License-Identifier: Apache-2.0
#ifndef OPYARD_SRC_TENSOR_ITERATOR_PLANES_H_
#define OPYARD_SRC_TENSOR_ITERATOR_PLANES_H_

#include "tensor/iterator.h"

// A copy of many small planes, by elements of |item| bytes, each of which lies across what it
// becomes, or has few rows. False if it is none, and nothing is done.
bool oyi_iter_move_planes(const oyi_iter* it, size_t item);

#endif  // OPYARD_SRC_TENSOR_ITERATOR_PLANES_H_
