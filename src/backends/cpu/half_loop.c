// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/half_loop.h"

#include "tensor/element.h"

enum { PIECE = 256 };

typedef struct half_call {
  oyi_loop loop;
  const void* args;
  oy_dtype dtype;
  int count;
  uint8_t half;  // bit k: operand k is of |dtype|
} half_call;

static void half_loop(int64_t n, char* const* data, const int64_t* strides,
                      const void* args) {
  const half_call* call = args;
  float buffers[OYI_ITER_MAX][PIECE];
  char* at[OYI_ITER_MAX];
  int64_t steps[OYI_ITER_MAX];
  for (int64_t done = 0; done < n; done += PIECE) {
    int64_t count = n - done < PIECE ? n - done : PIECE;
    for (int k = 0; k < call->count; k++) {
      char* operand = data[k] + done * strides[k];
      bool half = call->half >> k & 1, same = k > 0 && strides[k] == 0;
      at[k] = half ? (char*)buffers[k] : operand;
      steps[k] = !half ? strides[k] : same ? 0 : (int64_t)sizeof(float);
      if (half && k > 0)
        oyi_convert_row(OY_DTYPE_F32, at[k], sizeof(float), call->dtype, operand,
                        strides[k], same ? 1 : count);
    }
    call->loop(count, at, steps, call->args);
    if (call->half & 1)
      oyi_convert_row(call->dtype, data[0] + done * strides[0], strides[0], OY_DTYPE_F32,
                      at[0], sizeof(float), count);
  }
}

void oyi_half_run(oyi_iter* it, oyi_loop loop, const void* args) {
  half_call call = {loop, args, it->dtype, it->count, 0};
  for (int k = 0; k < it->count; k++)
    if (it->tensors[k]->header.dtype == it->dtype) call.half |= (uint8_t)(1u << k);
  oyi_iter_run(it, half_loop, &call);
}
