// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/loops/half_loop.h"

#include "tensor/convert_loops.h"
#include "tensor/element.h"
#include "tensor/move.h"

// The buffers of operands begin in different parts of a page: a read of what lies a whole
// page from a write has to wait for it.
enum { PIECE = 512, BUFFER = PIECE + 32, HALF = 2 };

typedef struct half_call {
  oyi_loop loop;
  const void* args;
  int count;
  uint8_t
      parts[OYI_ITER_MAX];  // 16-bit floats of an element; 0: the operand passes as it is
  int64_t piece;            // elements
  oyi_convert_loop widen, narrow;
} half_call;

// |n| elements, at most a piece. What lies apart is brought together, or put there.
static void move_apart(char* to, int64_t to_stride, const char* from, int64_t from_stride,
                       int64_t item, int64_t n) {
  oyi_move_rows(&(oyi_move){.item = item,
                            .n = n,
                            .rows = 1,
                            .to = to,
                            .from = from,
                            .to_along = to_stride,
                            .from_along = from_stride});
}
static void widen(const half_call* call, int k, float* out, const char* in,
                  int64_t stride, int64_t n) {
  uint16_t together[PIECE];
  const int64_t parts = call->parts[k], item = parts * HALF;
  if (stride == item || n == 1) {
    call->widen(out, in, n * parts);
    return;
  }
  move_apart((char*)together, item, in, stride, item, n);
  call->widen(out, together, n * parts);
}

static void narrow(const half_call* call, char* out, int64_t stride, const float* in,
                   int64_t n) {
  uint16_t together[PIECE];
  const int64_t parts = call->parts[0], item = parts * HALF;
  if (stride == item || n == 1) {
    call->narrow(out, in, n * parts);
    return;
  }
  call->narrow(together, in, n * parts);
  move_apart(out, stride, (const char*)together, item, item, n);
}

static void half_loop(int64_t n, char* const* data, const int64_t* strides,
                      const void* args) {
  const half_call* call = args;
  const int64_t piece = call->piece;
  _Alignas(64) float buffers[OYI_ITER_MAX][BUFFER];
  char* at[OYI_ITER_MAX];
  int64_t steps[OYI_ITER_MAX];
  for (int64_t done = 0; done < n; done += piece) {
    int64_t count = n - done < piece ? n - done : piece;
    for (int k = 0; k < call->count; k++) {
      char* operand = data[k] + done * strides[k];
      const int64_t wide = call->parts[k] * (int64_t)sizeof(float);
      bool same = k > 0 && strides[k] == 0;
      at[k] = wide ? (char*)buffers[k] : operand;
      steps[k] = !wide ? strides[k] : same ? 0 : wide;
      if (wide && k > 0)
        widen(call, k, buffers[k], operand, strides[k], same ? 1 : count);
    }
    call->loop(count, at, steps, call->args);
    if (call->parts[0])
      narrow(call, data[0] + done * strides[0], strides[0], buffers[0], count);
  }
}

// Of complex32 the elements are pairs of 16-bit floats, and what is real of them is one.
static uint8_t parts_of(oy_dtype operand, oy_dtype dtype) {
  if (dtype == OY_DTYPE_C32) return operand == dtype ? 2 : operand == OY_DTYPE_F16;
  return operand == dtype;
}

void oyi_half_run(oyi_iter* it, oyi_loop loop, const void* args) {
  const oy_dtype half = it->dtype == OY_DTYPE_C32 ? OY_DTYPE_F16 : it->dtype;
  half_call call = {.loop = loop, .args = args, .count = it->count};
  call.piece = it->dtype == OY_DTYPE_C32 ? PIECE / 2 : PIECE;
  call.widen = oyi_convert_chain_of(OY_DTYPE_F32, half).loops[0];
  call.narrow = oyi_convert_chain_of(half, OY_DTYPE_F32).loops[0];
  for (int k = 0; k < it->count; k++)
    call.parts[k] = parts_of(it->tensors[k]->header.dtype, it->dtype);
  oyi_iter_run(it, half_loop, &call);
}
