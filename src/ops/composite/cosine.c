// SPDX-License-Identifier: Apache-2.0
// The cosine of the angle between two tensors, and the loss by it, in PyTorch's order.
#include "ops/calls.h"
#include "ops/composite/held.h"
#include "ops/kernels.h"
#include "opyard/state.h"
#include "tensor/impl.h"

enum { REDUCE_NONE, REDUCE_MEAN, REDUCE_SUM };

#define ONE       oy_int(1)
#define HOLD(...) oyi_hold(&h, __VA_ARGS__)

// |x| by its norm along |dim|, or by |eps| if that is more; there is no gradient through
// that choice.
static oy_object* unit(oy_object* x, int64_t dim, double eps) {
  oyi_held h = {0};
  oy_object* norm =
      x ? HOLD(oyi_call_linalg_vector_norm(x, oy_int(2), OY_DIMS(dim), true, oy_none()))
        : NULL;
  oy_object* copy = norm ? HOLD(oyi_call_clone(norm, oy_none())) : NULL;
  oy_guard guard = oy_guard_below_autograd();
  oy_object* bounded = copy ? oyi_call_clamp_min_(copy, oy_float(eps)) : NULL;
  oy_guard_end(&guard);
  return oyi_held_end(&h, bounded ? oyi_call_div_Tensor(x, copy) : NULL);
}

// |x| expanded to the shape of both; integers as |dtype|.
static oy_object* prepared(oyi_held* h, oy_object* x, oy_ints shape, oy_dtype dtype) {
  if (oy_dtype_is_integral(x->dtype, true))
    x = oyi_hold(h, oyi_call_to_dtype(x, dtype, false, false, oy_none()));
  return x ? oyi_hold(h, oyi_call_expand(x, shape, false)) : NULL;
}

OYI_COMPOSITE(cosine_similarity) {
  const oyi_tensor* a = oyi_tensor_of(x1);
  const oyi_tensor* b = a ? oyi_tensor_of(x2) : NULL;
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  size_t ndim;
  oy_dtype dtype;
  if (!b || oy_result_type((oy_object*[]){x1, x2}, 2, &dtype) != 0) return NULL;
  if (!oy_dtype_is_floating(dtype)) {
    OY_FAIL(TYPE_MISMATCH,
            "expected common dtype to be floating point, yet common dtype is %s",
            oy_dtype_pytorch_name(dtype));
    return NULL;
  }
  if (oyi_broadcast(oyi_sizes_view(a), oyi_sizes_view(b), sizes, &ndim) != 0) return NULL;
  oyi_held h = {0};
  const oy_ints shape = {sizes, ndim};
  oy_object* left = HOLD(unit(prepared(&h, x1, shape, dtype), dim, eps));
  oy_object* right = left ? HOLD(unit(prepared(&h, x2, shape, dtype), dim, eps)) : NULL;
  oy_object* product = HOLD(oyi_call_mul_Tensor(left, right));
  return oyi_held_end(
      &h,
      product ? oyi_call_sum_dim_IntList(product, OY_DIMS(dim), false, oy_none()) : NULL);
}

// ---------------------------------------------------------- cosine_embedding_loss

static oy_status check_ranks(oy_object* input1, oy_object* input2, oy_object* target) {
  const oyi_tensor* a = oyi_tensor_of(input1);
  const oyi_tensor* b = a ? oyi_tensor_of(input2) : NULL;
  const oyi_tensor* to = b ? oyi_tensor_of(target) : NULL;
  if (!to) return oy_failure();
  OY_CHECK(to->ndim <= 1, INVALID_ARGUMENT,
           "0D or 1D target tensor expected, multi-target not supported");
  OY_CHECK(a->ndim == to->ndim + 1, INVALID_ARGUMENT,
           "%uD target tensor expects %uD input tensors, but found inputs with sizes %s "
           "and %s.",
           to->ndim, to->ndim + 1u, oyi_dims_print(oyi_sizes_view(a)).text,
           oyi_dims_print(oyi_sizes_view(b)).text);
  return OY_OK;
}

static oy_object* product_sum(oyi_held* h, oy_object* a, oy_object* b, int64_t dim) {
  oy_object* product = oyi_hold(h, oyi_call_mul_Tensor(a, b));
  return product ? oyi_hold(h, oyi_call_sum_dim_IntList(product, OY_DIMS(dim), false,
                                                        oy_none()))
                 : NULL;
}

// |value| where |target| is |number|, else 0.
static oy_object* where_is(oyi_held* h, oy_object* target, int64_t number,
                           oy_object* value, oy_object* zeros) {
  oy_object* is = oyi_hold(h, oyi_call_eq_Scalar(target, oy_int(number)));
  return oyi_hold(h, oyi_call_where_self(is, value, zeros));
}

OYI_COMPOSITE(cosine_embedding_loss) {
  if (check_ranks(input1, input2, target) != 0) return NULL;
  const int64_t dim = oyi_tensor_cast(target)->ndim;
  const oy_scalar epsilon = oy_float(1e-12);
  oyi_held h = {0};
  oy_object* product = product_sum(&h, input1, input2, dim);
  oy_object* first = product ? product_sum(&h, input1, input1, dim) : NULL;
  first = HOLD(oyi_call_add_Scalar(first, epsilon, ONE));
  oy_object* second = first ? product_sum(&h, input2, input2, dim) : NULL;
  second = HOLD(oyi_call_add_Scalar(second, epsilon, ONE));
  oy_object* both = HOLD(oyi_call_mul_Tensor(first, second));
  oy_object* root = both ? oyi_call_sqrt_(both) : NULL;
  oy_object* cosine = HOLD(oyi_call_div_Tensor(product, root));
  oy_object* zeros = cosine ? HOLD(oyi_call_zeros_like(cosine, oy_none(), oy_none(),
                                                       oy_none(), oy_none(), oy_none()))
                            : NULL;
  oy_object* near = HOLD(oyi_call_rsub_Scalar(cosine, ONE, ONE));
  oy_object* above = HOLD(oyi_call_sub_Scalar(cosine, oy_float(margin), ONE));
  oy_object* far = above ? oyi_call_clamp_min_(above, oy_int(0)) : NULL;
  oy_object* loss = NULL;
  if (zeros && near && far) {
    oy_object* positive = where_is(&h, target, 1, near, zeros);
    oy_object* negative = positive ? where_is(&h, target, -1, far, zeros) : NULL;
    loss = HOLD(oyi_call_add_Tensor(positive, negative, ONE));
  }
  if (!loss) return oyi_held_end(&h, NULL);
  oy_object* result = reduction == REDUCE_MEAN  ? oyi_call_mean(loss, oy_none())
                      : reduction == REDUCE_SUM ? oyi_call_sum(loss, oy_none())
                                                : oy_tensor_retain(loss);
  return oyi_held_end(&h, result);
}
