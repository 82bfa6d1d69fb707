// SPDX-License-Identifier: Apache-2.0
// rrelu: where an element is not above 0 it is multiplied by a random slope. The slopes are
// written to |noise|, 1 elsewhere, and are what the gradient is multiplied by.
#include "backends/cpu/kernels.h"
#include "backends/cpu/work.h"
#include "ops/calls.h"
#include "ops/rules/rules.h"
#include "ops/rules/shape.h"
#include "tensor/element.h"
#include "tensor/impl.h"

typedef struct slopes {
  double low, high;
  bool training;
  oy_value generator;
} slopes;

static oy_status check_noise(const oyi_tensor* t, const oyi_tensor* noise) {
  const oy_dtype dtype = t->header.dtype;
  if (dtype != OY_DTYPE_F32 && dtype != OY_DTYPE_F64 && dtype != OY_DTYPE_BF16)
    return oyi_not_implemented("rrelu_with_noise_out_cpu", dtype);
  OY_CHECK(noise->header.dtype == dtype, TYPE_MISMATCH,
           "expected scalar type %s but found %s", oy_dtype_pytorch_name(dtype),
           oy_dtype_pytorch_name(noise->header.dtype));
  OY_CHECK(oyi_same_sizes(oyi_sizes_view(t), oyi_sizes_view(noise)), INVALID_ARGUMENT,
           "noise tensor shape must match self tensor shape. Got self.shape = %s "
           "noise.shape = %s",
           oyi_dims_print(oyi_sizes_view(t)).text,
           oyi_dims_print(oyi_sizes_view(noise)).text);
  return oyi_check_same_device(t, noise);
}

// The slopes, in |noise|.
static oy_object* draw(oy_object* self, oy_object* noise, const slopes* s) {
  const oyi_tensor *t = oyi_tensor_of(self), *to = oyi_tensor_of(noise);
  if (!t || !to || check_noise(t, to) != OY_OK) return NULL;
  if (!oyi_call_uniform_(noise, s->low, s->high, s->generator)) return NULL;
  oy_object* falls = oyi_call_le_Scalar(self, oy_int(0));
  oy_object* stays = falls ? oyi_call_logical_not(falls) : NULL;
  oy_object* done = stays ? oyi_call_masked_fill__Scalar(noise, stays, oy_int(1)) : NULL;
  oy_tensor_release(falls);
  oy_tensor_release(stays);
  return done;
}

static bool read_slopes(slopes* s, oy_scalar lower, oy_scalar upper) {
  return oyi_scalar_to_double(lower, &s->low) == OY_OK &&
         oyi_scalar_to_double(upper, &s->high) == OY_OK;
}
#define SLOPES                                               \
  slopes s = {.training = training, .generator = generator}; \
  if (!read_slopes(&s, lower, upper)) return NULL;           \
  const oy_scalar mean = oy_float((s.low + s.high) / 2)

OYI_CPU(rrelu_with_noise_out) {
  SLOPES;
  if (!training) return oyi_call_leaky_relu_out(self, mean, out);
  return draw(self, noise, &s) ? oyi_call_mul_out(self, noise, out) : NULL;
}
// Contiguous, whatever the input is.
OYI_CPU(rrelu_with_noise) {
  oy_object* out = oyi_call_empty_like(self, oy_none(), oy_none(), oy_none(), oy_none(),
                                       oy_int(OY_MEMORY_CONTIGUOUS));
  if (!out) return NULL;
  return oyi_written(out, oyi_call_rrelu_with_noise_out(self, noise, lower, upper,
                                                        training, generator, out));
}
OYI_CPU(rrelu_with_noise_) {
  SLOPES;
  if (!training) return oyi_call_leaky_relu_(self, mean);
  return draw(self, noise, &s) ? oyi_call_mul__Tensor(self, noise) : NULL;
}
