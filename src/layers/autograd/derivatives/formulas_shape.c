// SPDX-License-Identifier: Apache-2.0
// Gradients of views, copies and fills, and of elements that move. A view's gradient is
// what its inverse shows; where a view leaves elements out, theirs is zero.
#include "layers/autograd/derivatives/formulas.h"

#include "ops/calls.h"
#include "ops/rules/shape.h"

static oy_status same(oyi_short_node* node, oy_object* grad, oy_object** out) {
  if (WANTS(0)) GIVE(0, oy_tensor_retain(grad));
  return OY_OK;
}
static oy_status view(oyi_short_node* node, oy_object* grad, oy_object** out) {
  GIVE(0, oyi_call_reshape(grad, oyi_input_sizes(&node->head, 0)));
  return OY_OK;
}
static oy_status t(oyi_short_node* node, oy_object* grad, oy_object** out) {
  (void)node;
  GIVE(0, oyi_call_t(grad));
  return OY_OK;
}
static oy_status transpose(oyi_short_node* node, oy_object* grad, oy_object** out) {
  GIVE(0, oyi_call_transpose_int(grad, node->extra.dims[0], node->extra.dims[1]));
  return OY_OK;
}
static oy_status unsqueeze(oyi_short_node* node, oy_object* grad, oy_object** out) {
  GIVE(0, oyi_call_squeeze_dim(grad, node->extra.dims[0]));
  return OY_OK;
}
// Zeros of the shape of the input, batched where |grad| is: it is written into them.
static oy_object* zeros_of_input(const oyi_short_node* node, oy_object* grad) {
  return oyi_call_new_zeros(grad, oyi_input_sizes(&node->head, 0), oy_none(), oy_none(),
                            oy_none(), oy_none());
}

// |whole| with |part|, a view of it, set to |grad|. Both are taken over.
static oy_status with_part(oy_object* whole, oy_object* part, oy_object* grad,
                           oy_object** out) {
  oy_object* done = part ? oyi_call_copy_(part, grad, false) : NULL;
  oy_tensor_release(part);
  GIVE(0, oyi_written(whole, done));
  return OY_OK;
}

static oy_status select_slice(oyi_short_node* node, oy_object* grad, oy_object** out) {
  oy_object* whole = zeros_of_input(node, grad);
  const int64_t* at = node->extra.dims;
  return with_part(whole, oyi_call_select_int(whole, at[0], at[1]), grad, out);
}

// The part that a slice showed: as many as there are of |grad|, from the same start.
static oy_status slice(oyi_short_node* node, oy_object* grad, oy_object** out) {
  oy_ints sizes = oyi_input_sizes(&node->head, 0);
  int64_t d = oyi_dim_wrap(node->extra.dims[0], (int64_t)sizes.size), start, end;
  if (d < 0) return OY_OUT_OF_RANGE;
  oyi_slice_bounds(oy_int(node->extra.dims[1]), oy_none(), sizes.data[d], &start, &end);
  int64_t step = (int64_t)node->extra.mask, count = oy_tensor_size(grad, d);
  int64_t last = count > 0 ? start + (count - 1) * step + 1 : start;
  oy_object* whole = zeros_of_input(node, grad);
  oy_object* part = oyi_call_slice_Tensor(whole, d, oy_int(start), oy_int(last), step);
  return with_part(whole, part, grad, out);
}

static oy_status diagonal(oyi_short_node* node, oy_object* grad, oy_object** out) {
  oy_object* whole = zeros_of_input(node, grad);
  const int64_t* at = node->extra.dims;
  oy_object* part = oyi_call_diagonal(whole, (int64_t)node->extra.mask, at[0], at[1]);
  return with_part(whole, part, grad, out);
}

static oy_status permute(oyi_short_node* node, oy_object* grad, oy_object** out) {
  const oyi_tensor* g = oyi_tensor_of(grad);
  if (!g) return oy_failure();
  OY_CHECK(g->ndim <= OYI_CODED_DIMS, NOT_IMPLEMENTED,
           "derivative for permute of more than %d dimensions is not implemented",
           OYI_CODED_DIMS);
  int64_t back[OYI_CODED_DIMS];
  for (size_t i = 0; i < g->ndim; i++) back[node->extra.mask >> 4 * i & 15] = (int64_t)i;
  GIVE(0, oyi_call_permute(grad, (oy_ints){back, g->ndim}));
  return OY_OK;
}

static oy_status flip(oyi_short_node* node, oy_object* grad, oy_object** out) {
  int64_t dims[OY_TENSOR_MAX_DIMS];
  size_t n = 0;
  for (int64_t i = 0; i < OY_TENSOR_MAX_DIMS; i++)
    if (node->extra.mask >> i & 1) dims[n++] = i;
  GIVE(0, oyi_call_flip(grad, (oy_ints){dims, n}));
  return OY_OK;
}
static oy_status tril(oyi_short_node* node, oy_object* grad, oy_object** out) {
  GIVE(0, oyi_call_tril(grad, node->extra.dims[0]));
  return OY_OK;
}
static oy_status triu(oyi_short_node* node, oy_object* grad, oy_object** out) {
  GIVE(0, oyi_call_triu(grad, node->extra.dims[0]));
  return OY_OK;
}

static oy_status as_pairs(oyi_short_node* node, oy_object* grad, oy_object** out) {
  (void)node;
  GIVE(0, oyi_call_view_as_real(grad));
  return OY_OK;
}
static oy_status as_complex(oyi_short_node* node, oy_object* grad, oy_object** out) {
  (void)node;
  oy_object* flat = oyi_call_contiguous(grad, OY_MEMORY_CONTIGUOUS);
  oy_object* result = oyi_call_view_as_complex(flat);
  oy_tensor_release(flat);
  GIVE(0, result);
  return OY_OK;
}

// ---------------------------------------------------------------- copies, fills

// |grad| on the device of input |i|: copies go between devices.
static oy_object* back_to(const oyi_short_node* node, size_t i, oy_object* grad) {
  const oyi_expectation* e = oyi_expected_at(&node->head.edges[i]);
  const oyi_tensor* g = oyi_tensor_of(grad);
  if (!g) return NULL;
  if (g->backend == e->backend && g->device_index == e->device_index)
    return oy_tensor_retain(grad);
  oy_device device = {e->backend, e->device_index, 0};
  return oyi_call__to_copy(grad, oy_none(), oy_none(), oy_value_device(device), oy_none(),
                           false, oy_none());
}
// Zeros and not NULL, as in PyTorch: a leaf behind gets a gradient.
static oy_status overwritten(oyi_short_node* node, oy_object* grad, oy_object** out) {
  if (WANTS(0))
    GIVE(0, oyi_call_zeros_like(grad, oy_none(), oy_none(), oy_none(), oy_none(),
                                oy_none()));
  return OY_OK;
}
static oy_status moved(oyi_short_node* node, oy_object* grad, oy_object** out) {
  if (WANTS(0)) GIVE(0, back_to(node, 0, grad));
  return OY_OK;
}
static oy_status copy_into(oyi_short_node* node, oy_object* grad, oy_object** out) {
  // What was there before the copy had no part in the result.
  OY_TRY(overwritten(node, grad, out));
  if (WANTS(1)) GIVE(1, back_to(node, 1, grad));
  return OY_OK;
}
static oy_status nothing(oyi_short_node* node, oy_object* grad, oy_object** out) {
  (void)node, (void)grad, (void)out;
  return OY_OK;
}

// ------------------------------------------------------------------- the table

/*      operator            node                         formula       inputs  save if */
FORMULA(view, "ViewBackward0", view, 1, 0)
FORMULA(_unsafe_view, "UnsafeViewBackward0", view, 1, 0)
FORMULA(_reshape_alias, "ReshapeAliasBackward0", view, 1, 0)
FORMULA(expand, "ExpandBackward0", same, 1, 0)
FORMULA(t, "TBackward0", t, 1, 0)
FORMULA(transpose_int, "TransposeBackward0", transpose, 1, 0)
FORMULA(permute, "PermuteBackward0", permute, 1, 0)
FORMULA(unsqueeze, "UnsqueezeBackward0", unsqueeze, 1, 0)
FORMULA(squeeze, "SqueezeBackward0", view, 1, 0)
FORMULA(squeeze_dim, "SqueezeBackward1", view, 1, 0)
FORMULA(squeeze_dims, "SqueezeBackward2", view, 1, 0)
FORMULA(select_int, "SelectBackward0", select_slice, 1, 0)
FORMULA(slice_Tensor, "SliceBackward0", slice, 1, 0)
FORMULA(diagonal, "DiagonalBackward0", diagonal, 1, 0)
FORMULA(view_as_real, "ViewAsRealBackward0", as_complex, 1, 0)
FORMULA(view_as_complex, "ViewAsComplexBackward0", as_pairs, 1, 0)
FORMULA(alias, "AliasBackward0", same, 1, 0)
FORMULA(view_copy, "ViewBackward0_copy", view, 1, 0)
FORMULA(_reshape_alias_copy, "ReshapeAliasBackward0_copy", view, 1, 0)
FORMULA(expand_copy, "ExpandBackward0_copy", same, 1, 0)
FORMULA(t_copy, "TBackward0_copy", t, 1, 0)
FORMULA(transpose_copy_int, "TransposeBackward0_copy", transpose, 1, 0)
FORMULA(permute_copy, "PermuteBackward0_copy", permute, 1, 0)
FORMULA(unsqueeze_copy, "UnsqueezeBackward0_copy", unsqueeze, 1, 0)
FORMULA(squeeze_copy, "SqueezeBackward0_copy", view, 1, 0)
FORMULA(squeeze_copy_dim, "SqueezeBackward1_copy", view, 1, 0)
FORMULA(squeeze_copy_dims, "SqueezeBackward2_copy", view, 1, 0)
FORMULA(select_copy_int, "SelectBackward0_copy", select_slice, 1, 0)
FORMULA(slice_copy_Tensor, "SliceBackward0_copy", slice, 1, 0)
FORMULA(diagonal_copy, "DiagonalBackward0_copy", diagonal, 1, 0)
FORMULA(view_as_real_copy, "ViewAsRealBackward0_copy", as_complex, 1, 0)
FORMULA(view_as_complex_copy, "ViewAsComplexBackward0_copy", as_pairs, 1, 0)
FORMULA(alias_copy, "AliasBackward0_copy", same, 1, 0)
FORMULA(detach, "", nothing, 0, 0)
FORMULA(copy_, "CopyBackwards", copy_into, 2, 0)
FORMULA(fill__Scalar, "FillBackward0", overwritten, 1, 0)
FORMULA(fill__Tensor, "FillBackward1", copy_into, 2, 0)
FORMULA(fill_Scalar, "FillBackward2", overwritten, 1, 0)
FORMULA(zero_, "ZeroBackward0", overwritten, 1, 0)
FORMULA(zero, "ZeroBackward0", overwritten, 1, 0)
FORMULA(clone, "CloneBackward0", same, 1, 0)
FORMULA(_to_copy, "ToCopyBackward0", moved, 1, 0)
FORMULA(flip, "FlipBackward0", flip, 1, 0)
FORMULA(tril, "TrilBackward0", tril, 1, 0)
FORMULA(tril_, "TrilBackward0", tril, 1, 0)
FORMULA(triu, "TriuBackward0", triu, 1, 0)
FORMULA(triu_, "TriuBackward0", triu, 1, 0)
FORMULA(uniform_, "UniformBackward0", overwritten, 1, 0)
FORMULA(normal_, "NormalBackward0", overwritten, 1, 0)
FORMULA(random_, "RandomBackward2", overwritten, 1, 0)
FORMULA(random__to, "RandomBackward1", overwritten, 1, 0)
FORMULA(random__from, "RandomBackward0", overwritten, 1, 0)
FORMULA(bernoulli__Tensor, "BernoulliBackward1", overwritten, 1, 0)
FORMULA(bernoulli__float, "BernoulliBackward2", overwritten, 1, 0)
FORMULA(exponential_, "ExponentialBackward0", overwritten, 1, 0)
FORMULA(geometric_, "GeometricBackward0", overwritten, 1, 0)
FORMULA(log_normal_, "LogNormalBackward0", overwritten, 1, 0)
FORMULA(cauchy_, "CauchyBackward0", overwritten, 1, 0)
