// SPDX-License-Identifier: Apache-2.0
// Activations, choices and closeness composed of other operators.
#include <math.h>

#include "ops/composite/composite.h"
#include "ops/out.h"
#include "tensor/element.h"

// ------------------------------------------------------------------ activations

OYI_COMPOSITE(relu_out) {
  return oyi_into_out(oyi_call_relu(self), out);
}
OYI_COMPOSITE(relu6) {
  return oyi_call_hardtanh(self, oy_int(0), oy_int(6));
}
OYI_COMPOSITE(relu6_) {
  return oyi_call_hardtanh_(self, oy_int(0), oy_int(6));
}
static const double g_selu_alpha = 1.6732632423543772848170429916717;
static const double g_selu_scale = 1.0507009873554804934193349852946;
OYI_COMPOSITE(selu) {
  return oyi_call_elu(self, oy_float(g_selu_alpha), oy_float(g_selu_scale), oy_int(1));
}
OYI_COMPOSITE(selu_) {
  return oyi_call_elu_(self, oy_float(g_selu_alpha), oy_float(g_selu_scale), oy_int(1));
}
// 1 / alpha; the error is set if there is none.
static bool invert(oy_scalar alpha, oy_scalar* out) {
  double a;
  if (oyi_scalar_to_double(alpha, &a) != 0) return false;
  *out = oy_float(1 / a);
  if (a != 0) return true;
  OY_FAIL(INVALID_ARGUMENT, "ZeroDivisionError: alpha cannot be 0 for CELU");
  return false;
}
OYI_COMPOSITE(celu) {
  oy_scalar inverse;
  if (!invert(alpha, &inverse)) return NULL;
  return oyi_call_elu(self, alpha, oy_float(1), inverse);
}
OYI_COMPOSITE(celu_) {
  oy_scalar inverse;
  if (!invert(alpha, &inverse)) return NULL;
  return oyi_call_elu_(self, alpha, oy_float(1), inverse);
}
OYI_COMPOSITE(celu_out) {
  return oyi_into_out(oyi_call_celu(self, alpha), out);
}
OYI_COMPOSITE(hardswish_backward_out) {
  return oyi_into_out(oyi_call_hardswish_backward(grad_output, self), out);
}
OYI_COMPOSITE(log_sigmoid) {
  oy_object *output, *buffer;
  if (oyi_call_log_sigmoid_forward(self, &output, &buffer) != 0) return NULL;
  oy_tensor_release(buffer);
  return output;
}
OYI_COMPOSITE(log_sigmoid_out) {
  oy_object *result, *same;
  oy_object* buffer =
      oyi_call_empty_like(self, oy_none(), oy_none(), oy_none(), oy_none(), oy_none());
  oy_status status =
      oyi_call_log_sigmoid_forward_output(self, out, buffer, &result, &same);
  oy_tensor_release(buffer);
  return status == OY_OK ? out : NULL;
}

static oy_status check_prelu(const oyi_tensor* t, const oyi_tensor* w) {
  OY_CHECK(t->header.dtype == w->header.dtype, TYPE_MISMATCH,
           "prelu: Type promoting not supported. Got %s and %s",
           oy_dtype_pytorch_name(t->header.dtype),
           oy_dtype_pytorch_name(w->header.dtype));
  if (w->numel == 1) return OY_OK;
  OY_CHECK(t->ndim > 0, INVALID_ARGUMENT, "Not allow zero-dim input tensor.");
  int64_t channels = t->ndim > 1 ? t->sizes[1] : 1;
  OY_CHECK(channels == w->numel, INVALID_ARGUMENT,
           "Mismatch of parameter numbers and input channel size. Found parameter "
           "numbers = %lld and channel size = %lld.",
           (long long)w->numel, (long long)channels);
  return OY_OK;
}
// One weight, or one for each channel: the second dimension.
OYI_COMPOSITE(prelu) {
  const oyi_tensor* t = oyi_tensor_of(self);
  const oyi_tensor* w = t ? oyi_tensor_of(weight) : NULL;
  if (!w || check_prelu(t, w) != 0) return NULL;
  if (w->ndim > 1) {
    OY_FAIL(INVALID_ARGUMENT,
            "prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = %u",
            w->ndim);
    return NULL;
  }
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  for (size_t i = 0; i < t->ndim; i++) sizes[i] = i == 1 ? w->numel : 1;
  if (t->ndim == 0 || w->ndim == 0) return oyi_call__prelu_kernel(self, weight);
  OYI_LAST_USE(wide, oyi_call_view(weight, (oy_ints){sizes, t->ndim}),
               oyi_call__prelu_kernel(self, wide));
}

// ---------------------------------------------------------------------- choices

OYI_COMPOSITE(where_ScalarSelf) {
  OYI_WITH_NUMBER(number, self, oyi_call_where_self(condition, number, other));
}
OYI_COMPOSITE(where_ScalarOther) {
  OYI_WITH_NUMBER(number, other, oyi_call_where_self(condition, self, number));
}
OYI_COMPOSITE(where_Scalar) {
  oy_object* yes = oyi_wrap_number(self);
  oy_object* no = oyi_wrap_number(other);
  oy_object* result = oyi_call_where_self(condition, yes, no);
  oy_tensor_release(yes);
  oy_tensor_release(no);
  return result;
}
OYI_COMPOSITE(clip) {
  return oyi_call_clamp(self, min, max);
}
OYI_COMPOSITE(clip_out) {
  return oyi_call_clamp_out(self, min, max, out);
}
OYI_COMPOSITE(clip_) {
  return oyi_call_clamp_(self, min, max);
}
OYI_COMPOSITE(clip_Tensor) {
  return oyi_call_clamp_Tensor(self, min, max);
}
OYI_COMPOSITE(clip_Tensor_out) {
  return oyi_call_clamp_Tensor_out(self, min, max, out);
}
OYI_COMPOSITE(clip__Tensor) {
  return oyi_call_clamp__Tensor(self, min, max);
}

// -------------------------------------------------------------------- closeness

// close |= (other.isfinite & (|self - other| <= atol + |rtol * other|)); takes |close|.
static oy_object* with_tolerance(oy_object* close, oy_object* self, oy_object* other,
                                 double rtol, double atol) {
  oy_object* relative = oyi_call_mul_Scalar(other, oy_float(rtol));
  oy_object* size = oyi_call_abs(relative);
  oy_object* allowed = oyi_call_add_Scalar(size, oy_float(atol), oy_int(1));
  oy_object* difference = oyi_call_sub_Tensor(self, other, oy_int(1));
  oy_object* actual = oyi_call_abs(difference);
  oy_object* finite = oyi_call_isfinite(actual);
  oy_object* within = oyi_call_le_Tensor(actual, allowed);
  oy_object* good = oyi_call___iand___Tensor(finite, within);
  oy_object* done = good ? oyi_call___ior___Tensor(close, good) : NULL;
  oy_object* made[] = {relative, size, allowed, difference, actual, finite, within};
  for (size_t i = 0; i < sizeof(made) / sizeof(*made); i++) oy_tensor_release(made[i]);
  if (!done) oy_tensor_release(close);
  return done;
}

OYI_COMPOSITE(isclose) {
  if (self->dtype != other->dtype) {
    OY_FAIL(TYPE_MISMATCH, "%s did not match %s", oy_dtype_pytorch_name(self->dtype),
            oy_dtype_pytorch_name(other->dtype));
    return NULL;
  }
  if (!(rtol >= 0) || !(atol >= 0)) {
    OY_FAIL(INVALID_ARGUMENT, "%s must be greater than or equal to zero, but got %g",
            rtol >= 0 ? "atol" : "rtol", rtol >= 0 ? atol : rtol);
    return NULL;
  }
  oy_object* close = oyi_call_eq_Tensor(self, other);
  bool has_nan = oy_dtype_is_floating(self->dtype) || oy_dtype_is_complex(self->dtype);
  if (equal_nan && has_nan && close) {
    oy_object* a = oyi_call_isnan(self);
    oy_object* b = oyi_call_isnan(other);
    oy_object* both = oyi_call___iand___Tensor(a, b);
    oy_object* done = both ? oyi_call___ior___Tensor(close, both) : NULL;
    oy_tensor_release(a);
    oy_tensor_release(b);
    if (!done) oy_tensor_release(close);
    close = done;
  }
  if (!close || (rtol == 0 && atol == 0)) return close;
  oy_object *x = self, *y = other;
  // Integers are compared as floats, so that tolerances need not be whole.
  bool convert = oy_dtype_is_integral(self->dtype, true);
  oy_dtype dtype = oy_dtype_default();
  if (convert) {
    x = oyi_call_to_dtype(self, dtype, false, false, oy_none());
    y = oyi_call_to_dtype(other, dtype, false, false, oy_none());
  }
  oy_object* result = with_tolerance(close, x, y, rtol, atol);
  if (convert) {
    oy_tensor_release(x);
    oy_tensor_release(y);
  }
  return result;
}

OYI_COMPOSITE(allclose) {
  *out_result = false;
  oy_object* close = oyi_call_isclose(self, other, rtol, atol, equal_nan);
  oy_object* wrong = oyi_call_logical_not(close);
  oy_object* count = oyi_call_sum(wrong, oy_none());
  oy_value number = oy_none();
  oy_status status = oyi_call_item(count, &number);
  if (status == OY_OK) *out_result = number.as.i == 0;
  oy_tensor_release(close);
  oy_tensor_release(wrong);
  oy_tensor_release(count);
  return status;
}
