// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>

#include "ops/golden.h"

// torch.testing's defaults.
static void default_tolerance(oy_dtype dtype, double* out_rtol, double* out_atol) {
  switch (dtype) {
    case OY_DTYPE_F16: *out_rtol = 1e-3, *out_atol = 1e-5; break;
    case OY_DTYPE_BF16: *out_rtol = 1.6e-2, *out_atol = 1e-5; break;
    case OY_DTYPE_F32:
    case OY_DTYPE_C64: *out_rtol = 1.3e-6, *out_atol = 1e-5; break;
    case OY_DTYPE_F64:
    case OY_DTYPE_C128: *out_rtol = 1e-7, *out_atol = 1e-7; break;
    default: *out_rtol = *out_atol = 0; break;
  }
}

static bool close(oy_complex got, oy_complex want, double rtol, double atol) {
  if (isnan(want.re) || isnan(want.im)) return isnan(got.re) || isnan(got.im);
  if (got.re == want.re && got.im == want.im) return true;
  double size = hypot(want.re, want.im);
  return isfinite(size) &&
         hypot(got.re - want.re, got.im - want.im) <= atol + rtol * size;
}

static oy_complex number(oy_value v) {
  if (v.tag == OY_TAG_COMPLEX) return *v.as.complex_data;
  return (oy_complex){v.tag == OY_TAG_FLOAT ? v.as.d : (double)v.as.i, 0};
}

// The element at |index|; integers above 2^53 lose their last digits in both.
static oy_complex element(const oy_tensor* t, const int64_t* index) {
  oy_ints strides = oy_tensor_strides(t);
  int64_t at = 0;
  for (size_t d = 0; d < strides.size; d++) at += index[d] * strides.data[d];
  const void* data = oy_tensor_data(t);
  if (t->dtype == OY_DTYPE_C64)
    return (oy_complex){(double)((const float*)data)[2 * at],
                        (double)((const float*)data)[2 * at + 1]};
  if (t->dtype == OY_DTYPE_C128) return ((const oy_complex*)data)[at];
  oy_scalar scalar;
  if (oy_tensor_get(t, (oy_ints){index, strides.size}, &scalar) != OY_OK)
    return (oy_complex){(double)NAN, 0};
  return number(scalar);
}

static bool same_ints(oy_ints a, oy_ints b) {
  return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size * 8) == 0);
}

static bool next_index(int64_t* index, oy_ints sizes) {
  for (size_t d = sizes.size; d-- > 0;) {
    if (++index[d] < sizes.data[d]) return true;
    index[d] = 0;
  }
  return false;
}

static bool same_elements(const golden_call* call, const oy_tensor* got,
                          const oy_tensor* want, char* why, size_t size) {
  int64_t index[OY_TENSOR_MAX_DIMS] = {0}, at = 0;
  double rtol, atol;
  default_tolerance(want->dtype, &rtol, &atol);
  rtol = fmax(rtol, call->rtol);
  atol = fmax(atol, call->atol);
  if (oy_tensor_numel(want) == 0) return true;
  do {
    oy_complex g = element(got, index), w = element(want, index);
    if (!close(g, w, rtol, atol)) {
      snprintf(why, size, "element %lld is %.9g%+.9gj, PyTorch %.9g%+.9gj", (long long)at,
               g.re, g.im, w.re, w.im);
      return false;
    }
    at++;
  } while (next_index(index, oy_tensor_sizes(want)));
  return true;
}

static bool same_strides(const oy_tensor* got, const oy_tensor* want) {
  oy_ints sizes = oy_tensor_sizes(want), a = oy_tensor_strides(got),
          b = oy_tensor_strides(want);
  for (size_t d = 0; d < sizes.size; d++)
    if (sizes.data[d] > 1 && a.data[d] != b.data[d]) return false;
  return true;
}

static bool same_tensor(const golden_call* call, const oy_tensor* got,
                        const oy_tensor* want, char* why, size_t size) {
  if (oy_object_is_none(got) || oy_object_is_none(want)) {
    snprintf(why, size, "None for a tensor, or the other way");
    return got == want;
  }
  if (got->dtype != want->dtype) {
    snprintf(why, size, "dtype %s, PyTorch %s", oy_dtype_name(got->dtype),
             oy_dtype_name(want->dtype));
    return false;
  }
  if (!same_ints(oy_tensor_sizes(got), oy_tensor_sizes(want))) {
    snprintf(why, size, "another shape");
    return false;
  }
  if (oy_tensor_numel(want) > 0 && !same_strides(got, want)) {
    snprintf(why, size, "other strides");
    return false;
  }
  return same_elements(call, got, want, why, size);
}

static bool same_list(const golden_call* call, oy_value got, oy_value want, char* why,
                      size_t size) {
  if (got.tag != want.tag || got.count != want.count) {
    snprintf(why, size, "%s of %u, PyTorch %s of %u", oy_value_type_name(got), got.count,
             oy_value_type_name(want), want.count);
    return false;
  }
  for (uint32_t i = 0; i < want.count; i++) {
    bool same = want.tag == OY_TAG_TENSOR_LIST
                    ? same_tensor(call, got.as.tensors[i], want.as.tensors[i], why, size)
                    : golden_same(call, got.as.values[i], want.as.values[i], why, size);
    if (!same) return false;
  }
  return true;
}

bool golden_same(const golden_call* call, oy_value got, oy_value want, char* why,
                 size_t size) {
  if (want.tag == OY_TAG_TENSOR && got.tag == OY_TAG_TENSOR)
    return same_tensor(call, got.as.object, want.as.object, why, size);
  if (want.tag == OY_TAG_TENSOR_LIST || want.tag == OY_TAG_LIST)
    return same_list(call, got, want, why, size);
  snprintf(why, size, "%s, PyTorch %s", oy_value_type_name(got),
           oy_value_type_name(want));
  if (want.tag != got.tag) return false;
  if (want.tag == OY_TAG_FLOAT || want.tag == OY_TAG_COMPLEX)
    return close(number(got), number(want), fmax(1e-6, call->rtol), call->atol);
  return oy_value_equal(got, want);
}
