// SPDX-License-Identifier: Apache-2.0
// One exponential is all of its sum: 1, or NaN where the number is not finite, as there is no
// difference from the greatest then.
#include "backends/cpu/norm/softmax_single.h"

#include "opyard/threads.h"
#include "tensor/element.h"
#include "tensor/iterator.h"

typedef struct numbers {
  char* x;
  oy_dtype dtype;
  bool logarithm;
} numbers;

static void finish_f32(float* x, int64_t n, float one) {
  for (int64_t i = 0; i < n; i++) x[i] = x[i] - x[i] + one;
}
static void finish_f64(double* x, int64_t n, double one) {
  for (int64_t i = 0; i < n; i++) x[i] = x[i] - x[i] + one;
}
// What is not finite has the whole exponent |infinite|; and one bit more is NaN.
static void finish_half(uint16_t* x, int64_t n, uint16_t infinite, uint16_t one) {
  const uint16_t nan = infinite | infinite >> 1;
  for (int64_t i = 0; i < n; i++) x[i] = (x[i] & infinite) == infinite ? nan : one;
}

static oy_status finish(int64_t begin, int64_t end, void* context) {
  const numbers* s = context;
  char* x = s->x + begin * oyi_dtype_bytes[s->dtype];
  const int64_t n = end - begin;
  switch (s->dtype) {
    case OY_DTYPE_F32: finish_f32((float*)(void*)x, n, !s->logarithm); break;
    case OY_DTYPE_F64: finish_f64((double*)(void*)x, n, !s->logarithm); break;
    case OY_DTYPE_F16:
      finish_half((uint16_t*)(void*)x, n, 0x7c00, s->logarithm ? 0 : 0x3c00);
      break;
    default:
      finish_half((uint16_t*)(void*)x, n, 0x7f80, s->logarithm ? 0 : 0x3f80);
      break;
  }
  return OY_OK;
}

bool oyi_softmax_single(oyi_tensor* out, const oyi_tensor* in, bool logarithm) {
  if (!(out->flags & OYI_DENSE)) return false;
  oyi_convert(out, in);
  numbers s = {oyi_data(out), out->header.dtype, logarithm};
  // Nothing in it can fail.
  (void)!oy_parallel_for(0, out->numel, OYI_ITER_GRAIN, finish, &s);
  return true;
}
