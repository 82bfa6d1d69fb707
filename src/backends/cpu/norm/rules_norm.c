// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/norm/rules_norm.h"

#include "backends/cpu/work.h"
#include "ops/rules/rules.h"

// Dtypes: all the same, or a 16-bit float with parameters in float.
static oy_status read_operands(oyi_norm* rule, oy_object* input, oy_object* weight,
                               oy_object* bias, const char* name) {
  rule->in = oyi_tensor_of(input);
  if (!rule->in || !oyi_is_optional(weight) || !oyi_is_optional(bias))
    return oy_failure();
  rule->weight = oyi_optional_tensor(weight);
  rule->bias = oyi_optional_tensor(bias);
  rule->format = OY_MEMORY_CONTIGUOUS;
  rule->statistics = input->dtype;
  if (oyi_float_to_compute(input->dtype) == OY_DTYPE_ANY)
    return oyi_not_implemented(name, input->dtype);
  const oyi_tensor* params[2] = {rule->weight, rule->bias};
  for (int i = 0; i < 2; i++) {
    if (!params[i]) continue;
    oy_dtype dtype = params[i]->header.dtype;
    OY_TRY(oyi_check_same_device(rule->in, params[i]));
    if (dtype == OY_DTYPE_F32 && oy_dtype_size(input->dtype) == 2)
      rule->statistics = OY_DTYPE_F32;
    else
      OY_CHECK(dtype == input->dtype, TYPE_MISMATCH,
               "expected scalar type %s but found %s",
               oy_dtype_pytorch_name(input->dtype), oy_dtype_pytorch_name(dtype));
  }
  return OY_OK;
}

static oy_status check_layer_shape(const oyi_norm* rule, oy_ints shape) {
  const oyi_tensor* params[2] = {rule->weight, rule->bias};
  static const char* const names[2] = {"weight", "bias"};
  OY_CHECK(shape.size >= 1, INVALID_ARGUMENT,
           "Expected normalized_shape to be at least 1-dimensional, i.e., containing at "
           "least one element, but got normalized_shape = []");
  for (int i = 0; i < 2; i++)
    OY_CHECK(!params[i] || oyi_same_sizes(oyi_sizes_view(params[i]), shape),
             INVALID_ARGUMENT,
             "Expected %s to be of same shape as normalized_shape, but got %s of shape "
             "%s and normalized_shape = %s",
             names[i], names[i], oyi_dims_print(oyi_sizes_view(params[i])).text,
             oyi_dims_print(shape).text);
  const oyi_tensor* in = rule->in;
  const size_t axis = in->ndim - shape.size;
  bool fits = in->ndim >= shape.size &&
              oyi_same_sizes((oy_ints){in->sizes + axis, shape.size}, shape);
  OY_CHECK(fits, INVALID_ARGUMENT,
           "Given normalized_shape=%s, expected input with shape [*, %s, but got input "
           "of size%s",
           oyi_dims_print(shape).text, oyi_dims_print(shape).text + 1,
           oyi_dims_print(oyi_sizes_view(in)).text);
  return OY_OK;
}

oy_status oyi_rule_layer_norm(oyi_norm* rule, oy_object* input, oy_ints shape,
                              oy_object* weight, oy_object* bias) {
  OY_TRY(read_operands(rule, input, weight, bias, "LayerNormKernelImpl"));
  OY_TRY(check_layer_shape(rule, shape));
  const size_t axis = rule->in->ndim - shape.size;
  rule->rows = rule->n = 1;
  rule->ndim = rule->in->ndim;
  for (size_t i = 0; i < rule->ndim; i++) {
    rule->sizes[i] = i < axis ? rule->in->sizes[i] : 1;
    *(i < axis ? &rule->rows : &rule->n) *= rule->in->sizes[i];
  }
  return OY_OK;
}

oy_status oyi_rule_group_norm(oyi_norm* rule, oy_object* input, oy_object* weight,
                              oy_object* bias, const int64_t shape[3], int64_t groups) {
  OY_TRY(read_operands(rule, input, weight, bias, "GroupNormKernelImpl"));
  OY_CHECK(groups > 0, INVALID_ARGUMENT,
           "Expected num groups to be greater than 0, got %lld", (long long)groups);
  OY_CHECK(shape[1] >= 0 && shape[1] % groups == 0, INVALID_ARGUMENT,
           "Expected number of channels in input to be divisible by num_groups, but got "
           "input of shape %s and num_groups=%lld",
           oyi_dims_print(oyi_sizes_view(rule->in)).text, (long long)groups);
  int64_t numel;
  size_t nbytes;
  OY_TRY(oyi_sizes_check((oy_ints){shape, 3}, 1, &numel, &nbytes));
  OY_CHECK(numel == rule->in->numel, INVALID_ARGUMENT,
           "Expected input of N * C * HxW = %lld elements, got shape %s",
           (long long)numel, oyi_dims_print(oyi_sizes_view(rule->in)).text);
  rule->format = oy_tensor_suggest_memory_format(input);
  const oyi_tensor* params[2] = {rule->weight, rule->bias};
  static const char* const names[2] = {"weight", "bias"};
  for (int i = 0; i < 2; i++)
    OY_CHECK(!params[i] || (params[i]->ndim == 1 && params[i]->numel == shape[1]),
             INVALID_ARGUMENT,
             "Expected %s to be a vector of size equal to the number of channels in "
             "input, but got %s of shape %s and input of shape %s",
             names[i], names[i], oyi_dims_print(oyi_sizes_view(params[i])).text,
             oyi_dims_print(oyi_sizes_view(rule->in)).text);
  rule->rows = shape[0] * groups;
  rule->n = shape[1] / groups * shape[2];
  rule->ndim = 2;
  rule->sizes[0] = shape[0];
  rule->sizes[1] = groups;
  return OY_OK;
}

// PyTorch's order of checks: running statistics first.
static oy_status check_channels(const oyi_norm* rule, oy_object* const params[4],
                                bool training) {
  static const char* const names[4] = {"weight", "bias", "running_mean", "running_var"};
  static const int order[4] = {2, 3, 0, 1};
  for (int i = 0; i < 4; i++) {
    const int k = order[i];
    OY_CHECK(k < 2 || training || params[k] != &oy_none_object, INVALID_ARGUMENT,
             "%s must be defined in evaluation mode", names[k]);
    if (params[k] == &oy_none_object) continue;
    const oyi_tensor* t = oyi_tensor_of(params[k]);
    if (!t) return oy_failure();
    OY_TRY(oyi_check_same_device(rule->in, t));
    OY_CHECK(t->numel == rule->in->sizes[1], INVALID_ARGUMENT,
             "%s should contain %lld elements not %lld", names[k],
             (long long)rule->in->sizes[1], (long long)t->numel);
  }
  return OY_OK;
}

// What lies in one piece in some format keeps it; else its strides suggest one.
static oy_memory_format format_of(const oyi_tensor* t) {
  static const oy_memory_format formats[] = {
      OY_MEMORY_CONTIGUOUS, OY_MEMORY_CHANNELS_LAST, OY_MEMORY_CHANNELS_LAST_3D};
  for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
    if (oy_tensor_is_contiguous(&t->header, formats[i])) return formats[i];
  return oy_tensor_suggest_memory_format(&t->header);
}

oy_status oyi_rule_batch_norm(oyi_norm* rule, oy_object* input,
                              oy_object* const params[4], bool training) {
  if (!oyi_is_optional(params[2]) || !oyi_is_optional(params[3])) return oy_failure();
  OY_TRY(read_operands(rule, input, params[0], params[1], "batch_norm"));
  OY_CHECK(rule->in->ndim >= 2, INVALID_ARGUMENT,
           "Expected at least 2 dimensions for input tensor but received %u",
           rule->in->ndim);
  OY_TRY(check_channels(rule, params, training));
  for (int i = 2; i < 4; i++)
    if (params[i]->dtype == OY_DTYPE_F32 && oy_dtype_size(input->dtype) == 2)
      rule->statistics = OY_DTYPE_F32;
  rule->format = format_of(rule->in);
  rule->ndim = 1;
  rule->sizes[0] = training ? rule->in->sizes[1] : 0;
  return OY_OK;
}

oy_status oyi_norm_make(const oyi_norm* rule, oyi_tensor* made[3]) {
  const oy_device device = oyi_tensor_device(rule->in);
  const oy_ints statistics = {rule->sizes, rule->ndim};
  const oyi_options options = {rule->in->header.dtype, device};
  made[0] = oyi_rule_empty(oyi_sizes_view(rule->in), &options, rule->format, NULL);
  made[1] = made[0] ? oyi_tensor_new(statistics, rule->statistics, device) : NULL;
  made[2] = made[1] ? oyi_tensor_new(statistics, rule->statistics, device) : NULL;
  if (made[2]) return OY_OK;
  oy_tensor_release(oyi_tensor_object(made[0]));
  oy_tensor_release(oyi_tensor_object(made[1]));
  return oy_failure();
}

oy_status oyi_norm_give(oyi_tensor* const made[3], oy_object** const results[3],
                        oy_status status) {
  for (int i = 0; i < 3; i++) {
    if (status == OY_OK)
      *results[i] = &made[i]->header;
    else
      oy_tensor_release(&made[i]->header);
  }
  return status;
}
