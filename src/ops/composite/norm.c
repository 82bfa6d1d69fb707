// SPDX-License-Identifier: Apache-2.0
// The normalisations that users call, and out= forms, composed of the native ones.
#include "ops/calls.h"
#include "ops/composite/held.h"
#include "ops/kernels.h"
#include "ops/rules/shape.h"

// The first of three results; the others go.
static oy_object* first(oy_status status, oy_object* const results[3]) {
  if (status != OY_OK) return NULL;
  oy_tensor_release(results[1]);
  oy_tensor_release(results[2]);
  return results[0];
}

// Stores three results, which it takes over, in the tensors that were given for them.
static oy_status into(oy_status status, oy_object* const results[3],
                      oy_object* const outs[3], oy_object** const given[3]) {
  if (status != OY_OK) return status;
  for (int i = 0; i < 3; i++) {
    // A failure leaves the rest to be released.
    if (status == OY_OK) {
      if (!oyi_stored(outs[i], results[i])) status = oy_failure();
    } else {
      oy_tensor_release(results[i]);
    }
  }
  for (int i = 0; i < 3 && status == OY_OK; i++) *given[i] = outs[i];
  return status;
}

OYI_COMPOSITE(layer_norm) {
  oy_object* r[3];
  return first(oyi_call_native_layer_norm(input, normalized_shape, weight, bias, eps,
                                          &r[0], &r[1], &r[2]),
               r);
}

OYI_COMPOSITE(native_layer_norm_out) {
  oy_object* r[3];
  oy_object* const outs[3] = {out0, out1, out2};
  oy_object** const given[3] = {out_0, out_1, out_2};
  return into(oyi_call_native_layer_norm(input, normalized_shape, weight, bias, eps,
                                         &r[0], &r[1], &r[2]),
              r, outs, given);
}

OYI_COMPOSITE(native_group_norm_out) {
  oy_object* r[3];
  oy_object* const outs[3] = {out0, out1, out2};
  oy_object** const given[3] = {out_0, out_1, out_2};
  return into(oyi_call_native_group_norm(input, weight, bias, N, C, HxW, group, eps,
                                         &r[0], &r[1], &r[2]),
              r, outs, given);
}

OYI_COMPOSITE(group_norm) {
  const oyi_tensor* t = oyi_tensor_of(input);
  if (!t) return NULL;
  if (t->ndim < 2) {
    OY_FAIL(INVALID_ARGUMENT,
            "Expected at least 2 dimensions for input tensor but received %u", t->ndim);
    return NULL;
  }
  int64_t inner = 1;
  for (size_t i = 2; i < t->ndim; i++) inner *= t->sizes[i];
  oy_object* r[3];
  return first(oyi_call_native_group_norm(input, weight, bias, t->sizes[0], t->sizes[1],
                                          inner, num_groups, eps, &r[0], &r[1], &r[2]),
               r);
}

// Not by _native_batch_norm_legit, whose schema says that it writes the statistics.
OYI_COMPOSITE(_native_batch_norm_legit_no_training) {
  return oyi_call_native_batch_norm(input, weight, bias, running_mean, running_var, false,
                                    momentum, eps, out_0, out_1, out_2);
}

OYI_COMPOSITE(_native_batch_norm_legit_no_training_out) {
  oy_object* r[3];
  oy_object* const outs[3] = {out0, out1, out2};
  oy_object** const given[3] = {out_0, out_1, out_2};
  return into(oyi_call__native_batch_norm_legit_no_training(
                  input, weight, bias, running_mean, running_var, momentum, eps, &r[0],
                  &r[1], &r[2]),
              r, outs, given);
}

// Nothing is normalised whatever its rank, and yet scaled, so that it has a history.
static oy_object* batch_norm_of_nothing(oy_object* input, oy_object* weight,
                                        oy_object* bias) {
  oyi_held h = {0};
  oy_object* made = oyi_hold(&h, oyi_call_clone(input, oy_none()));
  if (made && !oy_object_is_none(weight)) {
    oy_object* scale = oyi_hold(&h, oyi_call_select_int(weight, 0, 0));
    made = oyi_hold(&h, oyi_call_mul_Tensor(made, scale));
  }
  if (made && !oy_object_is_none(bias)) {
    oy_object* shift = oyi_hold(&h, oyi_call_select_int(bias, 0, 0));
    made = oyi_hold(&h, oyi_call_add_Tensor(made, shift, oy_int(1)));
  }
  return oyi_held_end(&h, made ? oy_tensor_retain(made) : NULL);
}

OYI_COMPOSITE(batch_norm) {
  oy_object* r[3];
  const oyi_tensor* t = oyi_tensor_of(input);
  if (!t || !oyi_is_optional(weight) || !oyi_is_optional(bias)) return NULL;
  if (t->numel == 0) return batch_norm_of_nothing(input, weight, bias);
  return first(oyi_call_native_batch_norm(input, weight, bias, running_mean, running_var,
                                          training, momentum, eps, &r[0], &r[1], &r[2]),
               r);
}

// What is added where no eps is given: the gap behind 1 in the input's dtype.
static double epsilon_of(oy_dtype dtype) {
  switch (dtype) {
    case OY_DTYPE_F64: return 0x1p-52;
    case OY_DTYPE_F16: return 0x1p-10;
    case OY_DTYPE_BF16: return 0x1p-7;
    default: return 0x1p-23;
  }
}

// 1 / the root of the mean square over the last |count| dimensions.
static oy_object* inverse_root(oy_object* wide, size_t count, double eps) {
  const size_t ndim = oyi_tensor_cast(wide)->ndim;
  int64_t dims[OY_TENSOR_MAX_DIMS];
  for (size_t i = 0; i < count; i++) dims[i] = (int64_t)(ndim - i - 1);
  oy_object* squares = oyi_call_pow_Tensor_Scalar(wide, oy_int(2));
  oy_object* mean = oyi_call_mean_dim(squares, (oy_ints){dims, count}, true, oy_none());
  oy_object* shifted = mean ? oyi_call_add__Scalar(mean, oy_float(eps), oy_int(1)) : NULL;
  oy_object* inverse = shifted ? oyi_call_rsqrt(shifted) : NULL;
  oy_tensor_release(squares);
  oy_tensor_release(mean);
  return inverse;
}

static oy_status check_rms_norm(oy_object* input, oy_ints shape, oy_object* weight) {
  const oyi_tensor* t = oyi_tensor_of(input);
  if (!t || !oyi_is_optional(weight)) return oy_failure();
  OY_CHECK(oy_dtype_is_floating(input->dtype), NOT_IMPLEMENTED,
           "\"rms_norm\" not implemented for '%s'", oy_dtype_pytorch_name(input->dtype));
  OY_CHECK(shape.size >= 1, INVALID_ARGUMENT,
           "Expected normalized_shape to be at least 1-dimensional, i.e., containing at "
           "least one element, but got normalized_shape = []");
  OY_CHECK(weight == &oy_none_object ||
               oyi_same_sizes(oyi_sizes_view(oyi_tensor_cast(weight)), shape),
           INVALID_ARGUMENT,
           "Expected weight to be of same shape as normalized_shape, but got weight of "
           "shape %s and normalized_shape = %s",
           oyi_dims_print(oyi_sizes_view(oyi_tensor_cast(weight))).text,
           oyi_dims_print(shape).text);
  const size_t axis = t->ndim - shape.size;
  OY_CHECK(t->ndim >= shape.size &&
               oyi_same_sizes((oy_ints){t->sizes + axis, shape.size}, shape),
           INVALID_ARGUMENT,
           "Given normalized_shape=%s, expected input with shape [*, %s, but got input "
           "of size%s",
           oyi_dims_print(shape).text, oyi_dims_print(shape).text + 1,
           oyi_dims_print(oyi_sizes_view(t)).text);
  return OY_OK;
}

OYI_COMPOSITE(rms_norm) {
  if (check_rms_norm(input, normalized_shape, weight) != OY_OK) return NULL;
  const double added = eps.tag == OY_TAG_NONE ? epsilon_of(input->dtype) : eps.as.d;
  const oy_dtype wide_dtype = input->dtype == OY_DTYPE_F64 ? OY_DTYPE_F64 : OY_DTYPE_F32;
  oy_object* wide = oyi_call_to_dtype(input, wide_dtype, false, false, oy_none());
  oy_object* inverse = wide ? inverse_root(wide, normalized_shape.size, added) : NULL;
  oy_object* scaled = oyi_call_mul_Tensor(wide, inverse);
  oy_object* result =
      scaled ? oyi_call_to_dtype(scaled, input->dtype, false, false, oy_none()) : NULL;
  oy_object* temporary[] = {wide, inverse, scaled};
  for (int i = 0; i < 3; i++) oy_tensor_release(temporary[i]);
  if (!result || weight == &oy_none_object) return result;
  oy_object* weighted = oyi_call_mul_Tensor(result, weight);
  oy_tensor_release(result);
  return weighted;
}
