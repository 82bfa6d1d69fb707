// SPDX-License-Identifier: Apache-2.0
// Intermediate results of a composed operator, released together at its end.
//
//   oyi_held h = {0};
//   oy_object* d = oyi_hold(&h, oyi_call_sub_Tensor(a, b, oy_int(1)));
//   return oyi_held_end(&h, oyi_call_abs(d));
#ifndef OPYARD_SRC_OPS_COMPOSITE_HELD_H_
#define OPYARD_SRC_OPS_COMPOSITE_HELD_H_

#include "opyard/tensor.h"

enum { OYI_HELD_MAX = 32 };

typedef struct oyi_held {
  int count;
  oy_object* held[OYI_HELD_MAX];
} oyi_held;

// Takes |made| over, which may be NULL, and gives it.
static inline oy_object* oyi_hold(oyi_held* h, oy_object* made) {
  if (made) h->held[h->count++] = made;
  return made;
}
// Releases all; gives |result|, which is not among them.
static inline oy_object* oyi_held_end(oyi_held* h, oy_object* result) {
  for (int i = 0; i < h->count; i++) oy_tensor_release(h->held[i]);
  return result;
}

#endif  // OPYARD_SRC_OPS_COMPOSITE_HELD_H_
