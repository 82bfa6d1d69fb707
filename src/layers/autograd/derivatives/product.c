// SPDX-License-Identifier: Apache-2.0
// Gradients of products along a dimension. Without zeros they are the product divided by
// the element; with zeros the product of the others.
#include "layers/autograd/derivatives/derivative_help.h"
#include "layers/autograd/record.h"
#include "ops/composite/held.h"

// ----------------------------------------------------------------------- cumprod

// Where there is no zero: the reverse sums of grad * result, each without its own factor.
static oy_object* by_division(oy_object* grad, oy_object* self, oy_object* result,
                              int64_t dim) {
  oy_object* sums = of_reverse_sums(of_mul(keep(grad), conj_of(result)), dim);
  return of_div(sums, conj_of(self));
}
// The first zero of a line gets what the products would be with a 1 there; what is behind
// it nothing. The second derivative is not that of these steps.
static oy_object* at_zeros(oy_object* grad, oy_object* self, oy_object* result,
                           int64_t dim) {
  oyi_held h = {0};
  oy_object* zero = oyi_hold(&h, oyi_call_eq_Scalar(self, oy_int(0)));
  oy_object* zeros = oyi_hold(&h, oyi_call_cumsum(zero, dim, oy_none()));
  oy_object* before = oyi_hold(&h, oyi_call_eq_Scalar(zeros, oy_int(0)));
  oy_object* one = oyi_hold(&h, oyi_call_eq_Scalar(zeros, oy_int(1)));
  oy_object* first = oyi_hold(&h, oyi_call_logical_and(zero, one));
  oy_object* filled = oyi_hold(&h, oyi_call_masked_fill_Scalar(self, first, oy_int(1)));
  oy_object* products = oyi_hold(&h, oyi_call_cumprod(filled, dim, oy_none()));
  oy_object* there =
      oyi_hold(&h, of_reverse_sums(of_mul(keep(grad), conj_of(products)), dim));
  oy_object* others = oyi_hold(&h, by_division(grad, self, result, dim));
  oy_object* rest = oyi_hold(&h, oyi_call_where_ScalarOther(before, others, oy_int(0)));
  return oyi_held_end(&h, oyi_call_where_self(first, there, rest));
}
static oy_object* of_last(oy_object* a, int64_t dim) {
  oy_object* result = oyi_call_transpose_int(a, dim, -1);
  oy_tensor_release(a);
  return result;
}
// For every factor the products of the others, in a dimension more: this can be
// differentiated again, whatever is zero.
static oy_object* by_others(oy_object* grad, oy_object* self, int64_t dim) {
  oyi_held h = {0};
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  int64_t n = t->sizes[dim];
  oy_value device = oy_value_device(oyi_tensor_device(t));
  oy_object* own = oyi_hold(
      &h, oyi_call_eye_m(n, n, oy_int(OY_DTYPE_BOOL), oy_none(), device, oy_none()));
  oy_object* x = oyi_hold(&h, of_last(conj_of(self), dim));
  oy_object* rows = oyi_hold(&h, oyi_call_unsqueeze(x, -2));
  oy_object* others = oyi_hold(&h, oyi_call_masked_fill_Scalar(rows, own, oy_int(1)));
  oy_object* products = oyi_hold(&h, oyi_call_cumprod(others, -1, oy_none()));
  oy_object* after = oyi_hold(&h, oyi_call_triu(products, 0));
  oy_object* g = oyi_hold(&h, of_last(keep(grad), dim));
  oy_object* wide = oyi_hold(&h, oyi_call_unsqueeze(g, -2));
  oy_object* terms = oyi_hold(&h, oyi_call_mul_Tensor(wide, after));
  int64_t last = -1;
  oy_object* sums =
      oyi_call_sum_dim_IntList(terms, (oy_ints){&last, 1}, false, oy_none());
  return oyi_held_end(&h, of_last(sums, dim));
}
BACKWARD(cumprod) {
  ARGUMENTS(cumprod);
  if (!WANTS(self)) return OY_OK;
  oy_object* grad = GRAD(0);
  int64_t d = oyi_dim_wrap(dim, oy_tensor_ndim(grad));
  if (d < 0) return oy_failure();
  bool zeros = false;
  if (oy_tensor_numel(grad) <= 1 || oy_tensor_size(grad, d) == 1) {
    GIVE(self, keep(grad));
    return OY_OK;
  }
  OY_TRY(may_have_zeros(self, &zeros));
  if (!zeros)
    GIVE(self, by_division(grad, self, RESULT(0), d));
  else if (!oyi_grad_mode)
    GIVE(self, at_zeros(grad, self, RESULT(0), d));
  else
    GIVE(self, by_others(grad, self, d));
  return OY_OK;
}

// -------------------------------------------------------------------------- prod

// The products of all before each element: a 1, then those of the elements but the last.
static oy_object* products_before(oy_object* x, int64_t dim) {
  int64_t n = oy_tensor_size(x, dim);
  oy_object* first = oyi_call_narrow(x, dim, 0, 1);
  oy_object* parts[2] = {first ? oyi_call_ones_like(first, oy_none(), oy_none(),
                                                    oy_none(), oy_none(), oy_none())
                               : NULL,
                         oyi_call_narrow(x, dim, 0, n - 1)};
  oy_object* joined =
      parts[0] && parts[1] ? oyi_call_cat((oy_tensors){parts, 2}, dim) : NULL;
  oy_object* result = joined ? oyi_call_cumprod(joined, dim, oy_none()) : NULL;
  oy_tensor_release(first);
  oy_tensor_release(parts[0]);
  oy_tensor_release(parts[1]);
  oy_tensor_release(joined);
  return result;
}
// |grad| times the product of the others, without dividing.
static oy_object* product_of_others(oy_object* grad, oy_object* x, int64_t dim) {
  if (!x) return NULL;
  if (oy_tensor_numel(x) == 0) return zeros_like(x);
  if (oy_tensor_size(x, dim) == 1) return keep(grad);
  oy_object* before = products_before(x, dim);
  oy_object* flipped = oyi_call_flip(x, (oy_ints){&dim, 1});
  oy_object* after = flipped ? of_flip(products_before(flipped, dim), dim) : NULL;
  oy_tensor_release(flipped);
  return of_mul(keep(grad), of_conj(of_mul(before, after)));
}
// grad * result / self.
static oy_object* product_divided(oy_object* grad, oy_object* result, oy_object* self) {
  return of_mul(keep(grad), of_conj(of_div(keep(result), keep(self))));
}
static oy_object* all_product(oy_object* grad, oy_object* self) {
  int64_t flat = -1;
  oy_object* x = oyi_call_reshape(self, (oy_ints){&flat, 1});
  oy_object* products = product_of_others(grad, x, 0);
  oy_object* result = products ? oyi_call_reshape(products, oy_tensor_sizes(self)) : NULL;
  oy_tensor_release(x);
  oy_tensor_release(products);
  return result;
}
// In the dtype of the gradient: |dtype| may have been another.
static oy_object* as_grad(oy_object* self, oy_object* grad) {
  return oyi_call_to_dtype(self, grad->dtype, false, false, oy_none());
}
BACKWARD(prod) {
  ARGUMENTS(prod);
  if (!WANTS(self)) return OY_OK;
  if (oy_tensor_ndim(self) == 0) {
    GIVE(self, keep(GRAD(0)));
    return OY_OK;
  }
  bool zeros = false;
  OY_TRY(may_have_zeros(self, &zeros));
  oy_object* x = as_grad(self, GRAD(0));
  if (!x) return oy_failure();
  oy_object* result =
      zeros ? all_product(GRAD(0), x) : product_divided(GRAD(0), RESULT(0), x);
  oy_tensor_release(x);
  GIVE(self, result);
  return OY_OK;
}
BACKWARD(prod_dim_int) {
  ARGUMENTS(prod_dim_int);
  if (!WANTS(self)) return OY_OK;
  int64_t ndim = oy_tensor_ndim(self);
  if (ndim == 0) {
    GIVE(self, keep(GRAD(0)));
    return OY_OK;
  }
  int64_t d = oyi_dim_wrap(dim, ndim);
  if (d < 0) return oy_failure();
  bool zeros = false;
  OY_TRY(may_have_zeros(self, &zeros));
  oyi_held h = {0};
  oy_object* x = oyi_hold(&h, as_grad(self, GRAD(0)));
  oy_object* grad = oyi_hold(&h, restored(GRAD(0), (oy_ints){&d, 1}, keepdim, ndim));
  oy_object* result = oyi_hold(&h, restored(RESULT(0), (oy_ints){&d, 1}, keepdim, ndim));
  bool ready = x && grad && result;
  oy_object* all = ready && zeros ? product_of_others(grad, x, d)
                   : ready        ? product_divided(grad, result, x)
                                  : NULL;
  GIVE(self, oyi_held_end(&h, all));
  return OY_OK;
}

// -------------------------------------------------------------------- the table

#define WITH_RESULT(id) SAVE(id, self), OUTPUT(0)
DERIVATIVE(cumprod, "CumprodBackward0", WITH_RESULT(cumprod))
DERIVATIVE_AS(cumprod_, "CumprodBackward0", cumprod, WITH_RESULT(cumprod_))
DERIVATIVE(prod, "ProdBackward0", WITH_RESULT(prod))
DERIVATIVE(prod_dim_int, "ProdBackward1", WITH_RESULT(prod_dim_int))
