// SPDX-License-Identifier: Apache-2.0
// Gradients of views with more than numbers to remember, of their copies and writes, and of
// elements that are repeated, rolled or turned.
#include "layers/autograd/derivatives/derivative.h"
#include "ops/composite/held.h"
#include "ops/out.h"
#include "ops/rules/shape.h"

// Zeros of the sizes of the input behind |edge|, otherwise like |grad|.
static oy_object* zeros_of(const oyi_full_node* node, size_t edge, oy_object* grad) {
  const oyi_expectation* e = oyi_expected_at(&node->head.edges[edge]);
  return oyi_call_new_zeros(grad, oyi_expected_sizes(e), oy_none(), oy_none(), oy_none(),
                            oy_none());
}

BACKWARD(narrow_copy) {
  ARGUMENTS(narrow_copy);
  oy_object* whole = zeros_of(node, EDGE_AT(self), GRAD(0));
  oy_object* part = oyi_call_narrow(whole, dim, start, length);
  oy_object* done = oyi_call_copy_(part, GRAD(0), false);
  oy_tensor_release(part);
  GIVE(self, oyi_written(whole, done));
  return OY_OK;
}

// |result|, and |gone| is no longer wanted.
static oy_object* released(oy_object* gone, oy_object* result) {
  oy_tensor_release(gone);
  return result;
}

// -------------------------------------------------------------------- as_strided

// Sizes, strides and offset as |memory| elements from |first| on have them.
typedef struct layout {
  oy_ints sizes, strides;
  int64_t offset;
} layout;

// Up to which element of the storage it reaches.
static int64_t reach(const layout* l) {
  int64_t last = l->offset;
  for (size_t i = 0; i < l->sizes.size; i++) {
    if (l->sizes.data[i] == 0) return l->offset;
    last += (l->sizes.data[i] - 1) * l->strides.data[i];
  }
  return last + 1;
}
static oy_object* seen_as(oy_object* memory, const layout* l, int64_t first) {
  return memory ? oyi_call_as_strided(memory, l->sizes, l->strides,
                                      oy_int(l->offset - first))
                : NULL;
}
static oy_object* of_flat(oy_object* a) {
  int64_t all = -1;
  oy_object* flat = a ? oyi_call_reshape(a, (oy_ints){&all, 1}) : NULL;
  oy_tensor_release(a);
  return flat;
}

// Zeros for the memory, the elements of |value| added where they lie in it.
static oy_object* spread_over(oy_object* places, const layout* l, int64_t first,
                              oy_object* value) {
  oyi_held h = {0};
  int64_t n = oy_tensor_numel(places);
  oy_object* zeros = oyi_hold(&h, oyi_call_new_zeros(value, (oy_ints){&n, 1}, oy_none(),
                                                     oy_none(), oy_none(), oy_none()));
  oy_object* index = oyi_hold(&h, of_flat(seen_as(places, l, first)));
  oy_object* flat = oyi_hold(&h, of_flat(keep(value)));
  bool ready = zeros && index && flat;
  return oyi_held_end(
      &h, ready ? oyi_call_index_add(zeros, 0, index, flat, oy_int(1)) : NULL);
}

// How many elements of the input each element of the memory is: where they are several,
// they share what comes in.
static oy_object* shared(oy_object* places, const layout* in, int64_t first,
                         oy_object* memory) {
  oyi_held h = {0};
  oy_object* ones = oyi_hold(&h, oyi_call_new_ones(memory, in->sizes, oy_none(),
                                                   oy_none(), oy_none(), oy_none()));
  oy_object* counts = ones ? oyi_hold(&h, spread_over(places, in, first, ones)) : NULL;
  oy_object* some = counts ? oyi_hold(&h, oyi_call_clamp_min(counts, oy_int(1))) : NULL;
  return oyi_held_end(&h, some ? oyi_call_div_Tensor(memory, some) : NULL);
}

// The gradient is laid into memory as the result lies in it, elements that are one summed,
// and read as the input lies in it.
BACKWARD(as_strided) {
  ARGUMENTS(as_strided);
  const oyi_tensor* t = oyi_tensor_cast(self);
  const layout in = {oyi_sizes_view(t), oyi_strides_view(t), t->offset};
  const layout out = {
      size, stride, storage_offset.tag == OY_TAG_NONE ? t->offset : storage_offset.as.i};
  int64_t first = in.offset < out.offset ? in.offset : out.offset;
  int64_t end = reach(&in) > reach(&out) ? reach(&in) : reach(&out);
  oyi_held h = {0};
  oy_object* places =
      oyi_hold(&h, oyi_call_arange(oy_int(end - first), oy_int(OY_DTYPE_I64), oy_none(),
                                   oy_value_device(oyi_tensor_device(t)), oy_none()));
  oy_object* memory =
      places ? oyi_hold(&h, spread_over(places, &out, first, GRAD(0))) : NULL;
  if (memory && !(t->flags & OYI_DENSE))
    memory = oyi_hold(&h, shared(places, &in, first, memory));
  GIVE(self, oyi_held_end(&h, seen_as(memory, &in, first)));
  return OY_OK;
}

BACKWARD(as_strided_scatter) {
  ARGUMENTS(as_strided_scatter);
  if (WANTS(self)) {
    oy_object* none = zeros_like(src);
    GIVE(self, released(none, oyi_call_as_strided_scatter(GRAD(0), none, size, stride,
                                                          storage_offset)));
  }
  if (WANTS(src)) {
    oy_object* whole = oyi_call_contiguous(GRAD(0), OY_MEMORY_CONTIGUOUS);
    oy_object* part =
        whole ? oyi_call_as_strided(whole, size, stride, storage_offset) : NULL;
    oy_tensor_release(whole);
    GIVE(src, part);
  }
  return OY_OK;
}

// ------------------------------------------------------------- writes to a part

BACKWARD(slice_scatter) {
  ARGUMENTS(slice_scatter);
  if (WANTS(self)) {
    oy_object* none = zeros_like(src);
    GIVE(self,
         released(none, oyi_call_slice_scatter(GRAD(0), none, dim, start, end, step)));
  }
  if (WANTS(src)) GIVE(src, oyi_call_slice_Tensor(GRAD(0), dim, start, end, step));
  return OY_OK;
}
BACKWARD(select_scatter) {
  ARGUMENTS(select_scatter);
  if (WANTS(self)) {
    oy_object* none = zeros_like(src);
    GIVE(self, released(none, oyi_call_select_scatter(GRAD(0), none, dim, index)));
  }
  if (WANTS(src)) GIVE(src, oyi_call_select_int(GRAD(0), dim, index));
  return OY_OK;
}
BACKWARD(diagonal_scatter) {
  ARGUMENTS(diagonal_scatter);
  if (WANTS(self)) {
    oy_object* none = zeros_like(src);
    GIVE(self,
         released(none, oyi_call_diagonal_scatter(GRAD(0), none, offset, dim1, dim2)));
  }
  if (WANTS(src)) GIVE(src, oyi_call_diagonal(GRAD(0), offset, dim1, dim2));
  return OY_OK;
}

BACKWARD(copy) {
  ARGUMENTS(copy);
  if (WANTS(self)) GIVE(self, zeros_of(node, EDGE_AT(self), GRAD(0)));
  if (WANTS(src)) GIVE(src, keep(GRAD(0)));
  return OY_OK;
}
BACKWARD(fill_Tensor) {
  ARGUMENTS(fill_Tensor);
  if (WANTS(self)) GIVE(self, zeros_of(node, EDGE_AT(self), GRAD(0)));
  if (WANTS(value)) GIVE(value, oyi_call_sum(GRAD(0), oy_none()));
  return OY_OK;
}
BACKWARD(lift_fresh_copy) {
  ARGUMENTS(lift_fresh_copy);
  GIVE(self, keep(GRAD(0)));
  return OY_OK;
}

// ------------------------------------------------------------- shapes in place

BACKWARD(squeeze_) {
  ARGUMENTS(squeeze_);
  GIVE(self, oyi_call_reshape(GRAD(0), INPUT_SIZES(self)));
  return OY_OK;
}
BACKWARD(unsqueeze_) {
  ARGUMENTS(unsqueeze_);
  GIVE(self, oyi_call_squeeze_dim(GRAD(0), dim));
  return OY_OK;
}
BACKWARD(t_) {
  ARGUMENTS(t_);
  GIVE(self, oyi_call_t(GRAD(0)));
  return OY_OK;
}
BACKWARD(transpose_) {
  ARGUMENTS(transpose_);
  GIVE(self, oyi_call_transpose_int(GRAD(0), dim0, dim1));
  return OY_OK;
}

// ----------------------------------------------------------- elements that move

// The copies of each element are summed: the gradient as [r0, s0, r1, s1, ...].
BACKWARD(repeat) {
  ARGUMENTS(repeat);
  oy_ints sizes = INPUT_SIZES(self);
  int64_t shape[2 * OY_TENSOR_MAX_DIMS], dims[OY_TENSOR_MAX_DIMS];
  size_t n = 0, summed = 0, lead = repeats.size - sizes.size;
  for (size_t i = 0; i < repeats.size && n + 2 <= OY_TENSOR_MAX_DIMS; i++) {
    if (repeats.data[i] == 0) {
      GIVE(self, zeros_of(node, EDGE_AT(self), GRAD(0)));
      return OY_OK;
    }
    if (repeats.data[i] != 1 || i < lead) {
      dims[summed++] = (int64_t)n;
      shape[n++] = repeats.data[i];
    }
    if (i >= lead) shape[n++] = sizes.data[i - lead];
  }
  if (summed == 0) {
    GIVE(self, keep(GRAD(0)));
    return OY_OK;
  }
  oy_object* apart = oyi_call_reshape(GRAD(0), (oy_ints){shape, n});
  oy_object* sum =
      oyi_call_sum_dim_IntList(apart, (oy_ints){dims, summed}, false, oy_none());
  oy_tensor_release(apart);
  GIVE(self, sum);
  return OY_OK;
}

BACKWARD(roll) {
  ARGUMENTS(roll);
  int64_t back[OY_TENSOR_MAX_DIMS];
  size_t n = shifts.size < OY_TENSOR_MAX_DIMS ? shifts.size : OY_TENSOR_MAX_DIMS;
  for (size_t i = 0; i < n; i++) back[i] = -shifts.data[i];
  GIVE(self, oyi_call_roll(GRAD(0), (oy_ints){back, n}, dims));
  return OY_OK;
}
BACKWARD(rot90) {
  ARGUMENTS(rot90);
  GIVE(self, oyi_call_rot90(GRAD(0), -k, dims));
  return OY_OK;
}
BACKWARD(diag_embed) {
  ARGUMENTS(diag_embed);
  GIVE(self, oyi_call_diagonal(GRAD(0), offset, dim1, dim2));
  return OY_OK;
}

BACKWARD(complex) {
  ARGUMENTS(complex);
  if (WANTS(real)) GIVE(real, oyi_call_real(GRAD(0)));
  if (WANTS(imag)) GIVE(imag, oyi_call_imag(GRAD(0)));
  return OY_OK;
}
// abs e^(i angle)
BACKWARD(polar) {
  ARGUMENTS(polar);
  oy_object* grad = oyi_call_conj_physical(GRAD(0));
  if (WANTS(abs)) {
    oy_object* turned = of_mul(keep(grad), oyi_call_sgn(RESULT(0)));
    oy_object* part = oyi_call_real(turned);
    oy_tensor_release(turned);
    gives[EDGE_AT(abs)] = part;
  }
  if (WANTS(angle)) {
    const oy_complex i = {0, 1};
    oy_object* turned =
        of_mul(keep(grad), oyi_call_mul_Scalar(RESULT(0), oy_complex_value(&i)));
    oy_object* part = oyi_call_real(turned);
    oy_tensor_release(turned);
    gives[EDGE_AT(angle)] = part;
  }
  oy_tensor_release(grad);
  bool failed =
      (WANTS(abs) && !gives[EDGE_AT(abs)]) || (WANTS(angle) && !gives[EDGE_AT(angle)]);
  return failed ? oy_failure() : OY_OK;
}

// ---------------------------------------------------------------- random numbers

// What was drawn does not move with what it was drawn by.
#define FLAT(id)                                                                \
  BACKWARD(id) {                                                                \
    ARGUMENTS(id);                                                              \
    for (uint32_t i = 0; i < node->head.edge_count; i++)                        \
      if (node->head.edges[i].node && !(gives[i] = zeros_of(node, i, GRAD(0)))) \
        return oy_failure();                                                    \
    return OY_OK;                                                               \
  }
FLAT(bernoulli)
FLAT(bernoulli_p)
FLAT(bernoulli_Tensor)
FLAT(poisson)
FLAT(normal_Tensor_float)
FLAT(normal_float_Tensor)
FLAT(normal_Tensor_Tensor)

// -------------------------------------------------------------------- the table

DERIVATIVE(narrow_copy, "NarrowCopyBackward0")
DERIVATIVE(slice_scatter, "SliceScatterBackward0", SHAPE(slice_scatter, src))
DERIVATIVE(select_scatter, "SelectScatterBackward0", SHAPE(select_scatter, src))
DERIVATIVE(diagonal_scatter, "DiagonalScatterBackward0", SHAPE(diagonal_scatter, src))
DERIVATIVE(as_strided, "AsStridedBackward0", SHAPE(as_strided, self))
DERIVATIVE_AS(as_strided_copy, "AsStridedBackward0_copy", as_strided,
              SHAPE(as_strided_copy, self))
DERIVATIVE(as_strided_scatter, "AsStridedScatterBackward0",
           SHAPE(as_strided_scatter, src))
DERIVATIVE(copy, "CopyBackward0")
DERIVATIVE(fill_Tensor, "FillBackward3")
DERIVATIVE(lift_fresh_copy, "LiftFreshCopyBackward0")
DERIVATIVE(squeeze_, "SqueezeBackward3")
DERIVATIVE_AS(squeeze__dim, "SqueezeBackward4", squeeze_)
DERIVATIVE_AS(squeeze__dims, "SqueezeBackward5", squeeze_)
DERIVATIVE(unsqueeze_, "UnsqueezeBackward1")
DERIVATIVE(t_, "TBackward1")
DERIVATIVE(transpose_, "TransposeBackward1")
DERIVATIVE(repeat, "RepeatBackward0")
DERIVATIVE(roll, "RollBackward0")
DERIVATIVE(rot90, "Rot90Backward0")
DERIVATIVE(diag_embed, "DiagEmbedBackward0")
DERIVATIVE(complex, "ComplexBackward0")
DERIVATIVE(polar, "PolarBackward0", OUTPUT(0))
DERIVATIVE(bernoulli, "BernoulliBackward0")
DERIVATIVE(bernoulli_p, "BernoulliBackward3")
DERIVATIVE(bernoulli_Tensor, "BernoulliBackward4")
DERIVATIVE(poisson, "PoissonBackward0")
DERIVATIVE(normal_Tensor_float, "NormalBackward1")
DERIVATIVE(normal_float_Tensor, "NormalBackward2")
DERIVATIVE(normal_Tensor_Tensor, "NormalBackward3")
