// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/loops/half_loop.h"

#include "tensor/convert_loops.h"
#include "tensor/element.h"
#include "tensor/move.h"

// The buffers of operands begin in different parts of a page: a read of what lies a whole
// page from a write has to wait for it.
enum { PIECE = 512, BUFFER = PIECE + 32 };

typedef struct half_call {
  oyi_loop loop;
  const void* args;
  oy_dtype dtype;
  int count;
  uint8_t half;  // bit k: operand k is of |dtype|
  oyi_convert_loop widen, narrow;
} half_call;

enum { ITEM = 2 };

// |n| elements, at most a piece. What lies apart is brought together, or put there.
static void move_apart(char* to, int64_t to_stride, const char* from, int64_t from_stride,
                       int64_t n) {
  oyi_move_rows(&(oyi_move){.item = ITEM,
                            .n = n,
                            .rows = 1,
                            .to = to,
                            .from = from,
                            .to_along = to_stride,
                            .from_along = from_stride});
}
static void widen(const half_call* call, float* out, const char* in, int64_t stride,
                  int64_t n) {
  uint16_t together[PIECE];
  if (stride == ITEM || n == 1) {
    call->widen(out, in, n);
    return;
  }
  move_apart((char*)together, ITEM, in, stride, n);
  call->widen(out, together, n);
}

static void narrow(const half_call* call, char* out, int64_t stride, const float* in,
                   int64_t n) {
  uint16_t together[PIECE];
  if (stride == ITEM || n == 1) {
    call->narrow(out, in, n);
    return;
  }
  call->narrow(together, in, n);
  move_apart(out, stride, (const char*)together, ITEM, n);
}

static void half_loop(int64_t n, char* const* data, const int64_t* strides,
                      const void* args) {
  const half_call* call = args;
  _Alignas(64) float buffers[OYI_ITER_MAX][BUFFER];
  char* at[OYI_ITER_MAX];
  int64_t steps[OYI_ITER_MAX];
  for (int64_t done = 0; done < n; done += PIECE) {
    int64_t count = n - done < PIECE ? n - done : PIECE;
    for (int k = 0; k < call->count; k++) {
      char* operand = data[k] + done * strides[k];
      bool half = call->half >> k & 1, same = k > 0 && strides[k] == 0;
      at[k] = half ? (char*)buffers[k] : operand;
      steps[k] = !half ? strides[k] : same ? 0 : (int64_t)sizeof(float);
      if (half && k > 0) widen(call, buffers[k], operand, strides[k], same ? 1 : count);
    }
    call->loop(count, at, steps, call->args);
    if (call->half & 1)
      narrow(call, data[0] + done * strides[0], strides[0], buffers[0], count);
  }
}

void oyi_half_run(oyi_iter* it, oyi_loop loop, const void* args) {
  half_call call = {loop, args, it->dtype, it->count, 0, NULL, NULL};
  call.widen = oyi_convert_chain_of(OY_DTYPE_F32, it->dtype).loops[0];
  call.narrow = oyi_convert_chain_of(it->dtype, OY_DTYPE_F32).loops[0];
  for (int k = 0; k < it->count; k++)
    if (it->tensors[k]->header.dtype == it->dtype) call.half |= (uint8_t)(1u << k);
  oyi_iter_run(it, half_loop, &call);
}
