// SPDX-License-Identifier: Apache-2.0
// Gradients of Fourier transforms: the transform the other way, by the same factor.
#include "layers/autograd/derivatives/derivative_help.h"
#include "ops/composite/held.h"

#define HOLD(...) oyi_hold(&h, __VA_ARGS__)

BACKWARD(_fft_c2c) {
  ARGUMENTS(_fft_c2c);
  if (WANTS(self)) GIVE(self, oyi_call__fft_c2c(GRAD(0), dim, normalization, !forward));
  return OY_OK;
}

// What is left out of a half has no gradient.
static oy_object* real_backward(oy_object* grad, oy_ints dim, int64_t normalization,
                                int64_t missing, int64_t ndim) {
  oyi_held h = {0};
  if (missing > 0) {
    int64_t pad[2 * OY_TENSOR_MAX_DIMS] = {0};
    pad[2 * (ndim - 1 - oyi_dim_wrap(dim.data[dim.size - 1], ndim)) + 1] = missing;
    grad =
        HOLD(oyi_call_constant_pad_nd(grad, (oy_ints){pad, 2 * (size_t)ndim}, oy_int(0)));
  }
  oy_object* back =
      grad ? HOLD(oyi_call__fft_c2c(grad, dim, normalization, false)) : NULL;
  return oyi_held_end(&h, back ? oyi_call_real(back) : NULL);
}
BACKWARD(_fft_r2c) {
  ARGUMENTS(_fft_r2c);
  if (!WANTS(self)) return OY_OK;
  oy_ints sizes = INPUT_SIZES(self);
  const int64_t ndim = (int64_t)sizes.size;
  const int64_t n = sizes.data[oyi_dim_wrap(dim.data[dim.size - 1], ndim)];
  GIVE(self,
       real_backward(GRAD(0), dim, normalization, onesided ? n - (n / 2 + 1) : 0, ndim));
  return OY_OK;
}

// The elements that stand for their mirror images too count twice.
static oy_object* half_backward(oy_object* grad, oy_ints dim, int64_t normalization) {
  oyi_held h = {0};
  const int64_t last = dim.data[dim.size - 1], n = oy_tensor_size(grad, last);
  const int64_t size = n / 2 + 1, twice = n - size;
  oy_object* half = oyi_call__fft_r2c(grad, dim, normalization, true);
  if (!half || twice <= 0) return half;
  (void)HOLD(half);
  const int64_t starts[] = {0, 1, 1 + twice}, sizes[] = {1, twice, size - 1 - twice};
  oy_object* parts[3];
  size_t count = 0;
  for (int i = 0; i < 3; i++) {
    if (sizes[i] == 0) continue;
    oy_object* part = HOLD(oyi_call_narrow(half, last, starts[i], sizes[i]));
    if (part && i == 1) part = HOLD(oyi_call_mul_Scalar(part, oy_int(2)));
    if (!part) return oyi_held_end(&h, NULL);
    parts[count++] = part;
  }
  return oyi_held_end(&h, oyi_call_cat((oy_tensors){parts, count}, last));
}
BACKWARD(_fft_c2r) {
  ARGUMENTS(_fft_c2r);
  if (!WANTS(self) || dim.size == 0) return OY_OK;  // of no dimensions it is an error
  oy_object* given = half_backward(GRAD(0), dim, normalization);
  oy_ints sizes = INPUT_SIZES(self);
  const int64_t last = dim.data[dim.size - 1];
  const int64_t more =
      sizes.data[oyi_dim_wrap(last, (int64_t)sizes.size)] - (last_dim_size / 2 + 1);
  if (given && more > 0) {  // elements that were not read
    const int64_t ndim = (int64_t)sizes.size;
    int64_t pad[2 * OY_TENSOR_MAX_DIMS] = {0};
    pad[2 * (ndim - 1 - oyi_dim_wrap(last, ndim)) + 1] = more;
    oy_object* wide =
        oyi_call_constant_pad_nd(given, (oy_ints){pad, 2 * (size_t)ndim}, oy_int(0));
    oy_tensor_release(given);
    given = wide;
  }
  GIVE(self, given);
  return OY_OK;
}

DERIVATIVE(_fft_c2c, "FftC2CBackward0")
DERIVATIVE(_fft_r2c, "FftR2CBackward0")
DERIVATIVE(_fft_c2r, "FftC2RBackward0")
