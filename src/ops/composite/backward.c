// SPDX-License-Identifier: Apache-2.0
// Gradients of views, of indexing and of reductions: mostly zeros, with what came from
// above where the forward operator looked.
#include <math.h>

#include "ops/composite/composite.h"
#include "ops/composite/held.h"
#include "ops/kernels.h"
#include "ops/made.h"
#include "tensor/element.h"

#define HOLD(...) oyi_hold(&h, __VA_ARGS__)

// Zeros of |sizes| with the dtype and the device of |like|; NULL if that is NULL.
static oy_object* zeros_as(oy_object* like, oy_ints sizes) {
  const oyi_tensor* t = oyi_tensor_of(like);
  if (!t) return NULL;
  return oyi_call_zeros(sizes, oy_int(like->dtype), oy_none(),
                        oy_value_device(oyi_tensor_device(t)), oy_none());
}

// ------------------------------------------------------------------------- views

// Copies |grad| into |view|, which it takes.
static oy_object* put(oy_object* view, oy_object* grad) {
  OYI_LAST_USE(place, view, oyi_call_copy_(place, grad, false));
}

OYI_COMPOSITE(select_backward) {
  oy_object* made = zeros_as(grad_output, input_sizes);
  OYI_MADE(made, put(oyi_call_select_int(made, dim, index), grad_output));
}
OYI_COMPOSITE(slice_backward) {
  oy_object* made = zeros_as(grad_output, input_sizes);
  OYI_MADE(made, put(oyi_call_slice_Tensor(made, dim, oy_int(start), oy_int(end), step),
                     grad_output));
}
OYI_COMPOSITE(diagonal_backward) {
  oy_object* made = zeros_as(grad_output, input_sizes);
  OYI_MADE(made, put(oyi_call_diagonal(made, offset, dim1, dim2), grad_output));
}
OYI_STORED(select_backward_out, select_backward)
OYI_STORED(slice_backward_out, slice_backward)
OYI_STORED(diagonal_backward_out, diagonal_backward)
OYI_STORED(unfold_backward_out, unfold_backward)

OYI_COMPOSITE(trace_backward) {
  if (sizes.size != 2 || sizes.data[0] < 0 || sizes.data[1] < 0) {
    OY_FAIL(INVALID_ARGUMENT, "expected matrix input");
    return NULL;
  }
  const oyi_tensor* t = oyi_tensor_of(grad);
  int64_t numel;
  size_t nbytes;
  if (!t || oyi_sizes_check(sizes, 1, &numel, &nbytes) != 0) return NULL;
  // Of no rows columns may be as many as there are numbers.
  const int64_t step = sizes.data[1] < INT64_MAX ? sizes.data[1] + 1 : INT64_MAX;
  oyi_held h = {0};
  oy_object* flat = HOLD(zeros_as(grad, (oy_ints){&numel, 1}));
  oy_object* at = HOLD(oyi_call_arange_start_step(
      oy_int(0), oy_int(numel), oy_int(step), oy_int(OY_DTYPE_I64), oy_none(),
      oy_value_device(oyi_tensor_device(t)), oy_none()));
  // Not in place: under vmap there is a gradient for each slice, and zeros once.
  oy_object* filled =
      flat && at ? HOLD(oyi_call_index_put(flat, (oy_tensors){&at, 1}, grad, false))
                 : NULL;
  return oyi_held_end(&h, filled ? oyi_call_view(filled, sizes) : NULL);
}

// ---------------------------------------------------------------------- indexing

OYI_COMPOSITE(index_select_backward) {
  oy_object* made =
      oyi_call_new_zeros(grad, self_sizes, oy_none(), oy_none(), oy_none(), oy_none());
  OYI_MADE(made, oyi_call_index_add_(made, dim, index, grad, oy_int(1)));
}
OYI_COMPOSITE(gather_backward) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  oy_object* made = oyi_call_new_zeros(grad, oyi_sizes_view(t), oy_none(), oy_none(),
                                       oy_none(), oy_none());
  OYI_MADE(made, oyi_call_scatter_add_(made, dim, index, grad));
}
OYI_COMPOSITE(cummaxmin_backward) {
  const oyi_tensor* t = oyi_tensor_of(input);
  if (!t || t->numel == 0) return t ? oy_tensor_retain(input) : NULL;
  oyi_held h = {0};
  oy_object* zeros = HOLD(zeros_as(input, oyi_sizes_view(t)));
  return oyi_held_end(&h, oyi_call_scatter_add(zeros, dim, indices, grad));
}

// Where |sizes| has the dimension that the reduction left out, it comes back first.
OYI_COMPOSITE(value_selecting_reduction_backward) {
  oyi_held h = {0};
  oy_object *from = grad, *at = indices;
  if (!keepdim && sizes.size > 0) {
    from = HOLD(oyi_call_unsqueeze(grad, dim));
    at = HOLD(oyi_call_unsqueeze(indices, dim));
  }
  oy_object* zeros = HOLD(zeros_as(from, sizes));
  return oyi_held_end(&h, zeros ? oyi_call_scatter_src(zeros, dim, at, from) : NULL);
}

OYI_COMPOSITE(masked_select_backward) {
  const oyi_tensor* t = oyi_tensor_of(input);
  const oyi_tensor* m = t ? oyi_tensor_of(mask) : NULL;
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  size_t ndim;
  if (!m || oyi_broadcast(oyi_sizes_view(t), oyi_sizes_view(m), sizes, &ndim) != 0)
    return NULL;
  oyi_held h = {0};
  oy_object* wide = HOLD(oyi_call_expand(input, (oy_ints){sizes, ndim}, false));
  oy_object* zeros =
      wide ? HOLD(oyi_call_zeros_like(wide, oy_none(), oy_none(), oy_none(), oy_none(),
                                      oy_int(OY_MEMORY_CONTIGUOUS)))
           : NULL;
  return oyi_held_end(&h, zeros ? oyi_call_masked_scatter(zeros, mask, grad) : NULL);
}

// What the mask chose, and zeros for what was not needed.
OYI_COMPOSITE(masked_scatter_backward) {
  int64_t numel;
  size_t nbytes;
  if (oyi_sizes_check(sizes, 1, &numel, &nbytes) != 0) return NULL;
  oyi_held h = {0};
  oy_object* chosen = HOLD(oyi_call_masked_select(grad_output, mask));
  const oyi_tensor* t = oyi_tensor_of(chosen);
  if (t && t->numel < numel) {
    const int64_t left = numel - t->numel;
    oy_object* zeros = HOLD(zeros_as(grad_output, (oy_ints){&left, 1}));
    oy_object* both[2] = {chosen, zeros};
    chosen = zeros ? HOLD(oyi_call_cat((oy_tensors){both, 2}, 0)) : NULL;
  }
  return oyi_held_end(&h, oyi_call_view(chosen, sizes));
}

// --------------------------------------------------------------------- arithmetic

static bool is_expandable(oy_ints from, oy_ints to) {
  if (from.size > to.size) return false;
  for (size_t i = 0; i < from.size; i++) {
    const int64_t size = from.data[from.size - 1 - i];
    if (size != to.data[to.size - 1 - i] && size != 1) return false;
  }
  return true;
}

OYI_COMPOSITE(sum_to_size) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  if (!is_expandable(size, oyi_sizes_view(t))) {
    OY_FAIL(INVALID_ARGUMENT, "size {%s} is not expandable to size {%s}.",
            oyi_dims_print(size).text, oyi_dims_print(oyi_sizes_view(t)).text);
    return NULL;
  }
  if (size.size == 0) return oyi_call_sum(self, oy_none());
  int64_t dims[OY_TENSOR_MAX_DIMS];
  const size_t leading = t->ndim - size.size;
  size_t count = 0;
  for (size_t d = 0; d < t->ndim; d++)
    if (d < leading || (size.data[d - leading] == 1 && t->sizes[d] != 1))
      dims[count++] = (int64_t)d;
  if (count == 0) return oyi_call_alias(self);
  oy_object* sum =
      oyi_call_sum_dim_IntList(self, (oy_ints){dims, count}, true, oy_none());
  if (leading == 0) return sum;
  OYI_LAST_USE(kept, sum, oyi_call_view(kept, size));
}

OYI_COMPOSITE(infinitely_differentiable_gelu_backward) {
  oyi_held h = {0};
  oy_object* scaled = HOLD(oyi_call_mul_Scalar(self, oy_float(M_SQRT1_2)));
  oy_object* erf = oyi_call_erf_(scaled);
  oy_object* above = HOLD(oyi_call_add_Scalar(erf, oy_float(1), oy_int(1)));
  oy_object* cdf = oyi_call_mul__Scalar(above, oy_float(0.5));
  oy_object* half = HOLD(oyi_call_mul_Scalar(self, oy_float(-0.5)));
  oy_object* square = HOLD(oyi_call_mul_Tensor(half, self));
  oy_object* pdf = oyi_call_exp_(square);
  oy_object* slope =
      oyi_call_addcmul_(cdf, self, pdf, oy_float(M_2_SQRTPI * M_SQRT1_2 * 0.5));
  oy_object* result = oyi_call_mul__Tensor(slope, grad);
  return oyi_held_end(&h, result ? oy_tensor_retain(result) : NULL);
}

// In training the noise is the slope.
OYI_COMPOSITE(rrelu_with_noise_backward) {
  if (training) return oyi_call_mul_Tensor(noise, grad_output);
  double low, high;
  if (oyi_scalar_to_double(lower, &low) != 0 || oyi_scalar_to_double(upper, &high) != 0)
    return NULL;
  return oyi_call_leaky_relu_backward(grad_output, self, oy_float((low + high) / 2),
                                      self_is_result);
}
OYI_STORED(rrelu_with_noise_backward_out, rrelu_with_noise_backward)

OYI_STORED(_cdist_backward_out, _cdist_backward)
OYI_STORED(_pdist_backward_out, _pdist_backward)
