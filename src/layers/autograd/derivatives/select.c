// SPDX-License-Identifier: Apache-2.0
// Gradients of operators that choose elements and say where they were: sorts, and
// extremes along a dimension. Each chosen element gets its gradient back there.
#include "layers/autograd/derivatives/derivative_help.h"

// |grad| of values at |indices|, both of the result, in zeros of |sizes|.
static oy_object* put_back(oy_object* grad, oy_object* indices, oy_ints sizes,
                           int64_t dim, bool keepdim) {
  oy_object* whole = zeros_of(grad, sizes);
  bool squeezed = !keepdim && sizes.size > 0;
  oy_object* g = squeezed ? oyi_call_unsqueeze(grad, dim) : keep(grad);
  oy_object* at = squeezed ? oyi_call_unsqueeze(indices, dim) : keep(indices);
  // A new tensor: |at| may be batched where |g|, and so the zeros, are not.
  oy_object* result = whole ? oyi_call_scatter_src(whole, dim, at, g) : NULL;
  oy_tensor_release(whole);
  oy_tensor_release(g);
  oy_tensor_release(at);
  return result;
}
#define PUT_BACK(id, keeps)                                                    \
  BACKWARD(id) {                                                               \
    ARGUMENTS(id);                                                             \
    if (GRAD(0) && WANTS(self))                                                \
      GIVE(self, put_back(GRAD(0), RESULT(1), INPUT_SIZES(self), dim, keeps)); \
    return OY_OK;                                                              \
  }
PUT_BACK(sort, true)
PUT_BACK(sort_stable, true)
PUT_BACK(topk, true)
PUT_BACK(kthvalue, keepdim)
PUT_BACK(max_dim, keepdim)

// An element may be the extreme of several positions.
BACKWARD(cummax) {
  ARGUMENTS(cummax);
  if (!GRAD(0) || !WANTS(self)) return OY_OK;
  oy_object* whole = zeros_of(GRAD(0), INPUT_SIZES(self));
  oy_object* sum = whole ? oyi_call_scatter_add(whole, dim, RESULT(1), GRAD(0)) : NULL;
  oy_tensor_release(whole);
  GIVE(self, sum);
  return OY_OK;
}

// ------------------------------------------------------------- extremes of values

// |grad| shared by the elements of |self| that are |value|: both have the reduced
// dimensions still, or broadcast without them.
static oy_object* of_shared(oy_object* mask, oy_object* grad, oy_ints dims) {
  oy_object* count = of_sum(keep(mask), dims);
  return of_zero_where(of_not(mask), of_div(grad, count));
}
static oy_object* share_extreme(oy_object* grad, oy_object* value, oy_object* self,
                                oy_ints dims, bool keepdim) {
  int64_t ndim = oy_tensor_ndim(self);
  oy_object* mask = of_eq(restored(value, dims, keepdim, ndim), keep(self));
  return of_shared(mask, restored(grad, dims, keepdim, ndim), dims);
}
BACKWARD(amax) {
  ARGUMENTS(amax);
  if (WANTS(self)) GIVE(self, share_extreme(GRAD(0), RESULT(0), self, dim, keepdim));
  return OY_OK;
}
BACKWARD(aminmax) {
  ARGUMENTS(aminmax);
  if (!WANTS(self)) return OY_OK;
  int64_t d = dim.as.i;
  oy_ints dims = {&d, dim.tag != OY_TAG_NONE};
  for (int i = 0; i < 2; i++) {
    if (!GRAD(i)) continue;
    oy_object* part = share_extreme(GRAD(i), RESULT(i), self, dims, keepdim);
    oy_object* before = gives[EDGE_AT(self)];
    GIVE(self, before ? of_add(before, part) : part);
  }
  return OY_OK;
}

// One value of all: NaN is where it came from, if it is the value.
BACKWARD(max) {
  ARGUMENTS(max);
  if (!WANTS(self)) return OY_OK;
  oy_object* nans = of_and(oyi_call_isnan(self), oyi_call_isnan(RESULT(0)));
  oy_object* mask = of_or(oyi_call_eq_Tensor(self, RESULT(0)), nans);
  GIVE(self, of_shared(mask, keep(GRAD(0)), (oy_ints){NULL, 0}));
  return OY_OK;
}

// -------------------------------------------------------------------- the table

#define MAX(id, text) DERIVATIVE_AS(id, text, max, SAVE(id, self), OUTPUT(0))
DERIVATIVE(sort, "SortBackward0", OUTPUT(1))
DERIVATIVE(sort_stable, "SortBackward1", OUTPUT(1))
DERIVATIVE(topk, "TopkBackward0", OUTPUT(1))
DERIVATIVE(kthvalue, "KthvalueBackward0", OUTPUT(1))
DERIVATIVE(max_dim, "MaxBackward0", OUTPUT(1))
DERIVATIVE_AS(min_dim, "MinBackward0", max_dim, OUTPUT(1))
DERIVATIVE_AS(median_dim, "MedianBackward1", max_dim, OUTPUT(1))
DERIVATIVE_AS(nanmedian_dim, "NanmedianBackward1", max_dim, OUTPUT(1))
DERIVATIVE_AS(mode, "ModeBackward0", max_dim, OUTPUT(1))
DERIVATIVE(cummax, "CummaxBackward0", OUTPUT(1))
DERIVATIVE_AS(cummin, "CumminBackward0", cummax, OUTPUT(1))
DERIVATIVE(amax, "AmaxBackward0", SAVE(amax, self), OUTPUT(0))
DERIVATIVE_AS(amin, "AminBackward0", amax, SAVE(amin, self), OUTPUT(0))
DERIVATIVE(aminmax, "AminmaxBackward0", SAVE(aminmax, self), OUTPUT(0), OUTPUT(1))
DERIVATIVE(max, "MaxBackward1", SAVE(max, self), OUTPUT(0))
MAX(min, "MinBackward1")
MAX(median, "MedianBackward0")
MAX(nanmedian, "NanmedianBackward0")
