// SPDX-License-Identifier: Apache-2.0
// Gradients of the distances between all pairs of rows.
#include <math.h>

#include "layers/autograd/derivatives/derivative_help.h"
#include "ops/composite/held.h"

typedef struct pairs {
  oy_object *grad, *x1, *x2, *distance;  // [.., p, r], [.., p, m], [.., r, m], [.., p, r]
  double p;
} pairs;

static oy_object* of_matmul(oy_object* a, oy_object* b) {
  oy_object* result = oyi_call_matmul(a, b);
  oy_tensor_release(a);
  oy_tensor_release(b);
  return result;
}
static oy_object* of_sum_along(oy_object* a, int64_t dim, bool keepdim) {
  oy_object* result = oyi_call_sum_dim_IntList(a, (oy_ints){&dim, 1}, keepdim, oy_none());
  oy_tensor_release(a);
  return result;
}
static oy_object* flipped(oy_object* a) {
  return oyi_call_transpose_int(a, -2, -1);
}
// |tensor| with ones for zeros: what is divided by it becomes 0 otherwise, and so do its
// derivatives.
static oy_object* without_zeros(oy_object* tensor) {
  oy_object* zero = oyi_call_eq_Scalar(tensor, oy_int(0));
  oy_object* result = oyi_call_masked_fill_Scalar(tensor, zero, oy_int(1));
  oy_tensor_release(zero);
  return result;
}

// Of Euclidean distances: grad / distance of each pair weighs the rows, so that the
// differences of all pairs need not be there at once.
static oy_object* euclidean_x1(oy_object* ratio, oy_object* x1, oy_object* x2) {
  if (!ratio) return NULL;
  return of_sub(of_mul(keep(x1), of_sum_along(keep(ratio), -1, true)),
                of_matmul(keep(ratio), keep(x2)));
}
static oy_object* euclidean(const pairs* s, bool second) {
  oy_object* share = of_div(keep(s->grad), without_zeros(s->distance));
  oy_object* ratio = of_zero_where(oyi_call_eq_Scalar(s->distance, oy_int(0)), share);
  if (!second) {
    oy_object* result = euclidean_x1(ratio, s->x1, s->x2);
    oy_tensor_release(ratio);
    return result;
  }
  oy_object* turned = flipped(ratio);
  oy_object* result = euclidean_x1(turned, s->x2, s->x1);
  oy_tensor_release(ratio);
  oy_tensor_release(turned);
  return result;
}

static oy_object* of_column(oy_object* a) {
  oy_object* result = oyi_call_unsqueeze(a, -1);
  oy_tensor_release(a);
  return result;
}
// grad * d distance / d difference of each pair, [.., p, r, m].
static oy_object* slopes(const pairs* s) {
  oyi_held h = {0};
  oy_object* rows = oyi_hold(&h, oyi_call_unsqueeze(s->x1, -2));
  oy_object* others = oyi_hold(&h, oyi_call_unsqueeze(s->x2, -3));
  oy_object* apart = oyi_hold(&h, oyi_call_sub_Tensor(rows, others, oy_int(1)));
  oy_object* sign = oyi_hold(&h, oyi_call_sgn(apart));
  oy_object* size = oyi_hold(&h, oyi_call_abs(apart));
  oy_object* result;
  if (!size) {
    result = NULL;
  } else if (s->p == 1) {
    result = of_mul(keep(sign), of_column(keep(s->grad)));
  } else if (isinf(s->p)) {
    oy_object* largest = of_eq(keep(size), of_column(keep(s->distance)));
    result = of_zero_where(of_not(largest), of_mul(keep(sign), of_column(keep(s->grad))));
  } else {
    oy_scalar less = oy_float(s->p - 1);
    oy_object* power = of_pow_number(without_zeros(size), less);
    oy_object* share =
        of_div(keep(s->grad), of_pow_number(without_zeros(s->distance), less));
    result = of_mul(of_mul(keep(sign), power), of_column(share));
  }
  return oyi_held_end(&h, result);
}

// The gradient of the first rows, or of the second.
static oy_object* pairs_grad(const pairs* s, bool second) {
  if (s->p == 0) return zeros_like(second ? s->x2 : s->x1);
  if (s->p == 2) return euclidean(s, second);
  oy_object* all = slopes(s);
  if (!second) return of_sum_along(all, -2, false);
  return of_neg(of_sum_along(all, -3, false));
}

BACKWARD(_cdist_forward) {
  ARGUMENTS(_cdist_forward);
  pairs s = {GRAD(0), x1, x2, RESULT(0), p};
  if (WANTS(x1)) GIVE(x1, pairs_grad(&s, false));
  if (WANTS(x2)) GIVE(x2, pairs_grad(&s, true));
  return OY_OK;
}

// |values| of the pairs i < j as a square matrix, 0 elsewhere.
static oy_object* square_of(oy_object* values, int64_t n) {
  int64_t sizes[2] = {n, n};
  oy_object* zeros = zeros_of(values, (oy_ints){sizes, 2});
  // Not like the zeros, which are a batch under vmap where |values| are: it is one mask.
  oy_value device = oy_value_device(oyi_tensor_device(oyi_tensor_cast(values)));
  oy_object* ones = oyi_call_ones((oy_ints){sizes, 2}, oy_int(OY_DTYPE_BOOL), oy_none(),
                                  device, oy_none());
  oy_object* above = ones ? oyi_call_triu(ones, 1) : NULL;
  oy_object* result =
      zeros && above ? oyi_call_masked_scatter(zeros, above, values) : NULL;
  oy_tensor_release(zeros);
  oy_tensor_release(ones);
  oy_tensor_release(above);
  return result;
}
BACKWARD(_pdist_forward) {
  ARGUMENTS(_pdist_forward);
  if (!WANTS(self)) return OY_OK;
  oyi_held h = {0};
  int64_t n = oy_tensor_size(self, 0);
  pairs s = {oyi_hold(&h, square_of(GRAD(0), n)), self, self,
             oyi_hold(&h, square_of(RESULT(0), n)), p};
  bool ready = s.grad && s.distance;
  oy_object* both = ready ? of_add(pairs_grad(&s, false), pairs_grad(&s, true)) : NULL;
  GIVE(self, oyi_held_end(&h, both));
  return OY_OK;
}

// -------------------------------------------------------------------- the table

DERIVATIVE(_cdist_forward, "CdistBackward0", SAVE(_cdist_forward, x1),
           SAVE(_cdist_forward, x2), OUTPUT(0))
DERIVATIVE(_pdist_forward, "PdistBackward0", SAVE(_pdist_forward, self), OUTPUT(0))
