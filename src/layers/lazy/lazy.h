// SPDX-License-Identifier: Apache-2.0
// What a tensor shows without its memory having it: a conjugate, a negation, zeros (reference,
// 6.8). Each is a key; operators that are no views get a copy of such tensors.
#ifndef OPYARD_SRC_LAYERS_LAZY_LAZY_H_
#define OPYARD_SRC_LAYERS_LAZY_LAZY_H_

#include "opyard/library.h"
#include "tensor/impl.h"

// One of the keys, and what its fallback does.
typedef struct oyi_lazy {
  oy_key key;
  const char* name;  // in messages
  // A tensor without the key that has the numbers of |tensor|: a new reference.
  oy_object* (*computed)(const struct oyi_lazy* lazy, oy_object* tensor);
  // The same in a memory format, in one pass; NULL: as other operators do it.
  oy_object* (*cloned)(const struct oyi_lazy* lazy, oy_object* tensor, oy_value format);
  // Makes the memory of |target|, without the key, show |value| with it; NULL: nothing is
  // written to, and |refused| is why.
  oy_status (*written)(const struct oyi_lazy* lazy, oy_object* target, oy_object* value);
  const char* refused;
} oyi_lazy;

// The fallback of all three; the state is the oyi_lazy.
oy_status oyi_lazy_fallback(const oy_op* op, oy_keyset keys, oy_stack* stack,
                            const oy_kernel* kernel);

#endif  // OPYARD_SRC_LAYERS_LAZY_LAZY_H_
