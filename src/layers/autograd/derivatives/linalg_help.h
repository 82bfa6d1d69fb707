// SPDX-License-Identifier: Apache-2.0
// What gradients of linear algebra are written with. Functions take NULL and give NULL
// then; |h| holds what is in between.
#ifndef OPYARD_SRC_LAYERS_AUTOGRAD_DERIVATIVES_LINALG_HELP_H_
#define OPYARD_SRC_LAYERS_AUTOGRAD_DERIVATIVES_LINALG_HELP_H_

#include "layers/autograd/derivatives/derivative_help.h"
#include "ops/composite/held.h"

#define HOLD(...) oyi_hold(&h, __VA_ARGS__)

OYI_UNUSED static oy_object* mh(oy_object* a) {
  return a ? oyi_call_mH(a) : NULL;
}
OYI_UNUSED static oy_object* times(oy_object* a, oy_object* b) {
  return a && b ? oyi_call_matmul(a, b) : NULL;
}
OYI_UNUSED static oy_object* plus(oy_object* a, oy_object* b) {
  return a && b ? oyi_call_add_Tensor(a, b, oy_int(1)) : NULL;
}
OYI_UNUSED static oy_object* minus(oy_object* a, oy_object* b) {
  return a && b ? oyi_call_sub_Tensor(a, b, oy_int(1)) : NULL;
}
OYI_UNUSED static oy_object* over(oy_object* a, oy_object* b) {
  return a && b ? oyi_call_div_Tensor(a, b) : NULL;
}
OYI_UNUSED static oy_object* in_diagonal(oy_object* a) {
  return a ? oyi_call_diag_embed(a, 0, -2, -1) : NULL;
}
OYI_UNUSED static oy_object* diagonal_of(oy_object* a) {
  return a ? oyi_call_diagonal(a, 0, -2, -1) : NULL;
}

#endif  // OPYARD_SRC_LAYERS_AUTOGRAD_DERIVATIVES_LINALG_HELP_H_
