// SPDX-License-Identifier: Apache-2.0
// The frequencies of Fourier transforms, and their order.
#include "base/memory.h"
#include "ops/calls.h"
#include "ops/kernels.h"
#include "ops/made.h"
#include "ops/out.h"
#include "ops/rules/rules.h"

static oy_status check_dtype(oy_dtype dtype, const char* name) {
  OY_CHECK(oy_dtype_is_floating(dtype) || oy_dtype_is_complex(dtype), TYPE_MISMATCH,
           "%s requires a floating point or complex dtype", name);
  return OY_OK;
}

// Writes the frequencies to |made|, of n elements: those from (n + 1) / 2 on are negative.
static oy_object* write_frequencies(oy_object* made, int64_t n, double d) {
  if (!oyi_call_arange_out(oy_int(n), made)) return NULL;
  oy_object* back = oyi_call_slice_Tensor(made, 0, oy_int((n + 1) / 2), oy_none(), 1);
  oy_object* done =
      back ? oyi_call_arange_start_out(oy_int(-(n / 2)), oy_int(0), oy_int(1), back)
           : NULL;
  oy_tensor_release(back);
  return done ? oyi_call_mul__Scalar(made, oy_float(1 / ((double)n * d))) : NULL;
}
static oy_object* write_half(oy_object* made, int64_t n, double d) {
  if (!oyi_call_arange_out(oy_int(n / 2 + 1), made)) return NULL;
  return oyi_call_mul__Scalar(made, oy_float(1 / ((double)n * d)));
}

static oy_dtype dtype_of(oy_value dtype) {
  return dtype.tag == OY_TAG_NONE ? oy_dtype_default() : (oy_dtype)dtype.as.i;
}

OYI_COMPOSITE(fft_fftfreq) {
  if (check_dtype(dtype_of(dtype), "fftfreq") != 0) return NULL;
  oy_object* made = oyi_call_empty_memory_format(
      (oy_ints){&n, 1}, oy_int(dtype_of(dtype)), layout, device, pin_memory, oy_none());
  OYI_MADE(made, write_frequencies(made, n, d));
}
OYI_COMPOSITE(fft_fftfreq_out) {
  if (!oyi_tensor_of(out) || check_dtype(out->dtype, "fftfreq") != 0) return NULL;
  return write_frequencies(out, n, d) ? out : NULL;
}
OYI_COMPOSITE(fft_rfftfreq) {
  if (check_dtype(dtype_of(dtype), "rfftfreq") != 0) return NULL;
  const int64_t size = n / 2 + 1;
  oy_object* made =
      oyi_call_empty_memory_format((oy_ints){&size, 1}, oy_int(dtype_of(dtype)), layout,
                                   device, pin_memory, oy_none());
  OYI_MADE(made, write_half(made, n, d));
}
OYI_COMPOSITE(fft_rfftfreq_out) {
  if (!oyi_tensor_of(out) || check_dtype(out->dtype, "rfftfreq") != 0) return NULL;
  return write_half(out, n, d) ? out : NULL;
}

// Rolls each dimension by half of its size, or by the other half.
static oy_object* shifted(oy_object* self, oy_ints dim, int64_t more) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  int64_t dims[OY_TENSOR_MAX_DIMS], shifts[OY_TENSOR_MAX_DIMS];
  const size_t count = dim.data ? dim.size : t->ndim;
  if (count == 0) return oyi_call_clone(self, oy_none());
  if (count > OY_TENSOR_MAX_DIMS) {
    OY_FAIL(INVALID_ARGUMENT, "expected at most %d dims, got %zu", OY_TENSOR_MAX_DIMS,
            count);
    return NULL;
  }
  for (size_t i = 0; i < count; i++) {
    dims[i] = oyi_dim_wrap(dim.data ? dim.data[i] : (int64_t)i, t->ndim);
    if (dims[i] < 0) return NULL;
    shifts[i] = t->ndim ? (t->sizes[dims[i]] + more) / 2 : 0;
  }
  return oyi_call_roll(self, (oy_ints){shifts, count}, (oy_ints){dims, count});
}
OYI_COMPOSITE(fft_fftshift) {
  return shifted(self, dim, 0);
}
OYI_COMPOSITE(fft_ifftshift) {
  return shifted(self, dim, 1);
}
