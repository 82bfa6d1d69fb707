// SPDX-License-Identifier: Apache-2.0
// How the gradient of each operator is had. A formula need not undo broadcasting
// or promotion: what it gives is summed to the shape, and cast to the dtype, of the
// input that it is for (engine.c). It computes only what an edge asks for.
#include "layers/autograd/derivatives/formula_help.h"
#include "layers/autograd/record.h"
#include "layers/autograd/variable.h"
#include "ops/unseen.h"

// ------------------------------------------------------------------ arithmetic

static oy_status same(oyi_short_node* node, oy_object* grad, oy_object** out) {
  if (WANTS(0)) GIVE(0, oy_tensor_retain(grad));
  return OY_OK;
}
static oy_status add(oyi_short_node* node, oy_object* grad, oy_object** out) {
  if (WANTS(0)) GIVE(0, oy_tensor_retain(grad));
  if (WANTS(1)) GIVE(1, of_scaled(keep(grad), node->extra.scalar));
  return OY_OK;
}
static oy_status sub(oyi_short_node* node, oy_object* grad, oy_object** out) {
  if (WANTS(0)) GIVE(0, oy_tensor_retain(grad));
  if (WANTS(1)) GIVE(1, of_neg(of_scaled(keep(grad), node->extra.scalar)));
  return OY_OK;
}
// |grad| times the conjugate of what was saved in |slot|.
static oy_object* times_saved(oyi_short_node* node, oy_object* grad, int slot) {
  oy_object* other = oyi_node_saved(node, slot);
  if (!other || !oy_dtype_is_complex(other->dtype))
    return oyi_call_mul_Tensor(grad, other);
  return of_mul(keep(grad), of_conj(keep(other)));
}
static oy_status mul(oyi_short_node* node, oy_object* grad, oy_object** out) {
  if (WANTS(0)) GIVE(0, times_saved(node, grad, 1));
  if (WANTS(1)) GIVE(1, times_saved(node, grad, 0));
  return OY_OK;
}
static oy_status div(oyi_short_node* node, oy_object* grad, oy_object** out) {
  if (WANTS(0)) GIVE(0, of_div(keep(grad), of_conj(saved(node, 1))));
  if (!WANTS(1)) return OY_OK;
  // -grad * conj((self / other) / other)
  oy_object* twice = of_div(of_div(saved(node, 0), saved(node, 1)), saved(node, 1));
  GIVE(1, of_neg(of_mul(keep(grad), of_conj(twice))));
  return OY_OK;
}
static oy_status mul_number(oyi_short_node* node, oy_object* grad, oy_object** out) {
  GIVE(0, of_scaled(keep(grad), node->extra.scalar));
  return OY_OK;
}
static oy_status div_number(oyi_short_node* node, oy_object* grad, oy_object** out) {
  GIVE(0, of_divided(keep(grad), node->extra.scalar));
  return OY_OK;
}
static oy_status neg(oyi_short_node* node, oy_object* grad, oy_object** out) {
  (void)node;
  GIVE(0, oyi_call_neg(grad));
  return OY_OK;
}
static oy_status threshold(oyi_short_node* node, oy_object* grad, oy_object** out) {
  oy_object* self = oyi_node_saved(node, 1);
  // The gradient with respect to |self| is zero: NULL.
  if (WANTS(0)) GIVE(0, oyi_call_threshold_backward(grad, self, node->extra.scalar));
  return OY_OK;
}

// ------------------------------------------------------------------ reductions

static bool is_one(oy_ints sizes) {
  for (size_t i = 0; i < sizes.size; i++)
    if (sizes.data[i] != 1) return false;
  return true;
}
// What a call of expand gives. What is still one number is no view, so that a leaf may take
// it over.
static oy_object* spread_unseen(const oyi_tensor* g, oy_ints sizes) {
  if (g->numel != 1 || !is_one(sizes)) return oy_tensor_expand(&g->header, sizes);
  oyi_tensor* made = oyi_tensor_new(sizes, g->header.dtype, oyi_tensor_device(g));
  if (made) memcpy(oyi_data(made), oyi_data(g), (size_t)oyi_item(g));
  return oyi_tensor_object(made);
}
// |grad| spread over the shape of the input.
static oy_object* spread(oyi_short_node* node, oy_object* grad) {
  const oyi_tensor* g = oyi_tensor_cast(grad);
  oy_ints sizes = oyi_input_sizes(&node->head, 0);
  // A view that nobody is to know of needs no base, which would have to know of it.
  if (!oyi_grad_mode && oyi_is_tensor(grad) && !oyi_is_tracked(grad) && oyi_is_unseen(g))
    return spread_unseen(g, sizes);
  return oyi_call_expand(grad, sizes, false);
}

// Puts the reduced dimensions back with size 1.
static oy_object* with_reduced_dims(oyi_short_node* node, oy_object* grad) {
  oy_ints sizes = oyi_input_sizes(&node->head, 0);
  if (node->extra.flag || oy_tensor_ndim(grad) == (int64_t)sizes.size)
    return oy_tensor_retain(grad);
  int64_t shape[OY_TENSOR_MAX_DIMS];
  for (size_t i = 0; i < sizes.size; i++)
    shape[i] = node->extra.mask >> i & 1 ? 1 : sizes.data[i];
  return oyi_call_reshape(grad, (oy_ints){shape, sizes.size});
}

static int64_t reduced_count(oyi_short_node* node) {
  oy_ints sizes = oyi_input_sizes(&node->head, 0);
  int64_t count = 1;
  for (size_t i = 0; i < sizes.size; i++)
    if (node->extra.mask >> i & 1) count *= sizes.data[i];
  return count;
}

static oy_object* averaged(oy_object* spread_out, int64_t count) {
  oy_object* result = oyi_call_div_Scalar(spread_out, oy_int(count));
  oy_tensor_release(spread_out);
  return result;
}

static oy_status sum(oyi_short_node* node, oy_object* grad, oy_object** out) {
  GIVE(0, spread(node, grad));
  return OY_OK;
}
static oy_status sum_dims(oyi_short_node* node, oy_object* grad, oy_object** out) {
  oy_object* wide = with_reduced_dims(node, grad);
  oy_object* result = spread(node, wide);
  oy_tensor_release(wide);
  GIVE(0, result);
  return OY_OK;
}
static oy_status mean(oyi_short_node* node, oy_object* grad, oy_object** out) {
  node->extra.mask = ~0ull;
  GIVE(0, averaged(spread(node, grad), reduced_count(node)));
  return OY_OK;
}
static oy_status mean_dims(oyi_short_node* node, oy_object* grad, oy_object** out) {
  OY_TRY(sum_dims(node, grad, out));
  GIVE(0, averaged(out[0], reduced_count(node)));
  return OY_OK;
}

// -------------------------------------------------------------- matrix products

static oy_object* of_transposed(oy_object* a) {
  oy_object* result = oyi_call_transpose_int(a, -2, -1);
  oy_tensor_release(a);
  return result;
}
// The transposed conjugate of what was saved in |slot|.
static oy_object* adjoint(oyi_short_node* node, int slot) {
  return of_transposed(of_conj(saved(node, slot)));
}
static oy_object* of_product(oy_object* a, oy_object* b, bool batched) {
  oy_object* result = batched ? oyi_call_bmm(a, b) : oyi_call_mm(a, b);
  oy_tensor_release(a);
  oy_tensor_release(b);
  return result;
}
static oy_status mm(oyi_short_node* node, oy_object* grad, oy_object** out) {
  if (WANTS(0)) GIVE(0, of_product(keep(grad), adjoint(node, 1), false));
  if (WANTS(1)) GIVE(1, of_product(adjoint(node, 0), keep(grad), false));
  return OY_OK;
}
static oy_status bmm(oyi_short_node* node, oy_object* grad, oy_object** out) {
  if (WANTS(0)) GIVE(0, of_product(keep(grad), adjoint(node, 1), true));
  if (WANTS(1)) GIVE(1, of_product(adjoint(node, 0), keep(grad), true));
  return OY_OK;
}
static oy_status mv(oyi_short_node* node, oy_object* grad, oy_object** out) {
  if (WANTS(0)) GIVE(0, of_mul(oyi_call_unsqueeze(grad, 1), of_conj(saved(node, 1))));
  if (WANTS(1)) {
    oy_object* flipped = adjoint(node, 0);
    oy_object* result = oyi_call_mv(flipped, grad);
    oy_tensor_release(flipped);
    GIVE(1, result);
  }
  return OY_OK;
}

// ------------------------------------------------------------------- the table

// A line of what may pass its gradient on.
#define PASSING(id, text, fn, count)     \
  const oyi_formula oyi_formula_##id = { \
      .name = text, .apply = fn, .inputs = count, .passes = true};

/*      operator            node                         formula       inputs  save if */
PASSING(add_Tensor, "AddBackward0", add, 2)
PASSING(add__Tensor, "AddBackward0", add, 2)
PASSING(add_Scalar, "AddBackward1", same, 1)
PASSING(add__Scalar, "AddBackward1", same, 1)
FORMULA(sub_Tensor, "SubBackward0", sub, 2, 0)
FORMULA(sub__Tensor, "SubBackward0", sub, 2, 0)
PASSING(sub_Scalar, "SubBackward1", same, 1)
PASSING(sub__Scalar, "SubBackward1", same, 1)
FORMULA(mul_Tensor, "MulBackward0", mul, 2, EDGE1, EDGE0)
FORMULA(mul__Tensor, "MulBackward0", mul, 2, EDGE1, EDGE0)
FORMULA(mul_Scalar, "MulBackward1", mul_number, 1, 0)
FORMULA(mul__Scalar, "MulBackward1", mul_number, 1, 0)
FORMULA(div_Tensor, "DivBackward0", div, 2, EDGE1, EDGE0 | EDGE1)
FORMULA(div__Tensor, "DivBackward0", div, 2, EDGE1, EDGE0 | EDGE1)
FORMULA(div_Scalar, "DivBackward1", div_number, 1, 0)
FORMULA(div__Scalar, "DivBackward1", div_number, 1, 0)
FORMULA(neg, "NegBackward0", neg, 1, 0)
FORMULA(neg_, "NegBackward0", neg, 1, 0)
FORMULA(_neg_view, "NegViewBackward0", neg, 1, 0)
FORMULA(threshold_backward, "ThresholdBackwardBackward0", threshold, 2, 0, EDGE0)
FORMULA(sum, "SumBackward0", sum, 1, 0)
FORMULA(sum_dim_IntList, "SumBackward1", sum_dims, 1, 0)
FORMULA(mean, "MeanBackward0", mean, 1, 0)
FORMULA(mean_dim, "MeanBackward1", mean_dims, 1, 0)
FORMULA(mm, "MmBackward0", mm, 2, EDGE1, EDGE0)
FORMULA(bmm, "BmmBackward0", bmm, 2, EDGE1, EDGE0)
FORMULA(mv, "MvBackward0", mv, 2, EDGE1, EDGE0)
FORMULA(dot, "DotBackward0", mul, 2, EDGE1, EDGE0)
