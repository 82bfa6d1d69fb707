// SPDX-License-Identifier: Apache-2.0
// What vmap must give: the function called with each slice, and the results stacked.
#ifndef OPYARD_TESTS_LAYERS_SLICES_H_
#define OPYARD_TESTS_LAYERS_SLICES_H_

#include "support/tensors.h"

#define MUST(call) assert_int_equal(call, OY_OK)

// MAPPED(twice, oy_mul_Scalar(in[0], oy_int(2)))
#define MAPPED(name, call)                                                               \
  static oy_status name(void* data, oy_tensor* const* in, size_t count, oy_tensor** out, \
                        size_t outputs) {                                                \
    (void)data, (void)in, (void)count, (void)outputs;                                    \
    return (out[0] = (call)) ? OY_OK : oy_failure();                                     \
  }
// |outer| of what |inner| gives, which is released.
HELPER oy_tensor* of(oy_tensor* inner, oy_tensor* (*outer)(oy_tensor*)) {
  oy_tensor* result = outer(inner);
  oy_tensor_release(inner);
  return result;
}

enum { INPUTS_MAX = 6 };

// Elements that differ: 0.1, 0.35, ... up and down.
HELPER oy_tensor* wave(oy_ints dims) {
  int64_t n = 1;
  for (size_t i = 0; i < dims.size; i++) n *= dims.data[i];
  float* data = calloc((size_t)n + 1, sizeof(*data));
  for (int64_t i = 0; i < n; i++) data[i] = (float)((i * 7 % 23) - 11) / 4 + 0.1f;
  oy_tensor* t = oy_tensor_from_data(data, dims, OY_DTYPE_F32);
  free(data);
  return t;
}

HELPER int64_t in_dim_of(const oy_vmap_params* p, size_t i) {
  return p->in_dims.data ? p->in_dims.data[p->in_dims.size == 1 ? 0 : i] : 0;
}

HELPER oy_tensor* slice_result(const oy_vmap_params* p, oy_tensor* const* inputs,
                               size_t count, int64_t at) {
  oy_tensor *slices[INPUTS_MAX], *out = NULL;
  for (size_t i = 0; i < count; i++) {
    int64_t dim = in_dim_of(p, i);
    slices[i] = dim == OY_VMAP_NONE ? oy_tensor_retain(inputs[i])
                                    : oy_select_int(inputs[i], dim, at);
    assert_non_null(slices[i]);
  }
  if (p->fn(p->data, slices, count, &out, 1) != OY_OK)
    fail_msg("%s, a slice alone: %s", p->name, oy_error_get()->message);
  for (size_t i = 0; i < count; i++) oy_tensor_release(slices[i]);
  return out;
}

// The function's first output for all slices.
HELPER oy_tensor* by_slices(const oy_vmap_params* p, oy_tensor* const* inputs,
                            size_t count) {
  int64_t batch = 0;
  for (size_t i = 0; i < count; i++)
    if (in_dim_of(p, i) != OY_VMAP_NONE)
      batch = oy_tensor_size(inputs[i], in_dim_of(p, i));
  oy_tensor* results[16];
  assert_in_range(batch, 1, 16);
  for (int64_t at = 0; at < batch; at++) results[at] = slice_result(p, inputs, count, at);
  oy_tensor* stacked = oy_op_stack((oy_tensors){results, (size_t)batch}, 0);
  assert_non_null(stacked);
  for (int64_t at = 0; at < batch; at++) oy_tensor_release(results[at]);
  return stacked;
}

HELPER void assert_same_tensor(const oy_tensor* got, const oy_tensor* want,
                               const char* what) {
  if (got->dtype != want->dtype)
    fail_msg("%s: got %s, want %s", what, oy_dtype_name(got->dtype),
             oy_dtype_name(want->dtype));
  oy_ints a = oy_tensor_sizes(got), b = oy_tensor_sizes(want);
  bool same = a.size == b.size;
  for (size_t i = 0; same && i < a.size; i++) same = a.data[i] == b.data[i];
  if (!same) {
    for (size_t i = 0; i < a.size; i++) print_error("got %lld\n", (long long)a.data[i]);
    for (size_t i = 0; i < b.size; i++) print_error("want %lld\n", (long long)b.data[i]);
    fail_msg("%s: other sizes", what);
  }
  for (int64_t i = 0; i < oy_tensor_numel(want); i++) {
    double x = element(got, i), y = element(want, i);
    if (isnan(x) && isnan(y)) continue;
    if (!(fabs(x - y) <= 1e-5 * (1 + fabs(y))))
      fail_msg("%s: element %lld: got %g, want %g", what, (long long)i, x, y);
  }
}

// vmap against slices; gives how many loops it took.
HELPER uint64_t compare_slices(const char* what, oy_transform_fn fn, oy_ints in_dims,
                               oy_tensor* const* inputs, size_t count) {
  oy_vmap_params p = {.fn = fn, .name = what, .in_dims = in_dims};
  oy_tensor *want = by_slices(&p, inputs, count), *got;
  uint64_t before = oy_vmap_fallback_count(NULL);
  if (oy_vmap(&p, inputs, count, &got, 1) != OY_OK)
    fail_msg("%s: %s", what, oy_error_get()->message);
  assert_same_tensor(got, want, what);
  oy_tensor_release(got);
  oy_tensor_release(want);
  return oy_vmap_fallback_count(NULL) - before;
}

#endif  // OPYARD_TESTS_LAYERS_SLICES_H_
