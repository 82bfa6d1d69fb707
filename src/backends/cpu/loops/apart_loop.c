// SPDX-License-Identifier: Apache-2.0
// The elements are brought together, a piece at a time: of every other one that is a shuffle of
// vectors, and the loop has a pass for what lies together, where it would go from one element to
// the next.
#include "backends/cpu/loops/apart_loop.h"

#include "tensor/move.h"

// The buffers of operands begin in different parts of a page, as those of half_loop.c.
enum { PIECE = 512, WIDEST = 16, BUFFER = (PIECE + 8) * WIDEST, INPUTS = 3 };

typedef struct apart_call {
  oyi_loop loop;
  const void* args;
  int count;
  bool light;
  int64_t items[OYI_ITER_MAX];
} apart_call;

static void bring_together(char* to, const char* from, int64_t item, int64_t step,
                           int64_t n) {
  oyi_move_rows(&(oyi_move){.item = (size_t)item,
                            .n = n,
                            .rows = 1,
                            .to = to,
                            .from = from,
                            .to_along = item,
                            .from_along = step});
}

static bool is_brought(const apart_call* call, int k, int64_t step) {
  const int64_t item = call->items[k];
  if (k == 0 || k > INPUTS) return false;
  return call->light ? step == 2 * item : step != item && step != 0;
}

static void apart_loop(int64_t n, char* const* data, const int64_t* strides,
                       const void* args) {
  const apart_call* call = args;
  _Alignas(64) char buffers[INPUTS][BUFFER];
  char* at[OYI_ITER_MAX];
  int64_t steps[OYI_ITER_MAX];
  for (int64_t done = 0; done < n; done += PIECE) {
    const int64_t count = n - done < PIECE ? n - done : PIECE;
    for (int k = 0; k < call->count; k++) {
      at[k] = data[k] + done * strides[k];
      steps[k] = strides[k];
      if (!is_brought(call, k, strides[k])) continue;
      bring_together(buffers[k - 1], at[k], call->items[k], strides[k], count);
      at[k] = buffers[k - 1];
      steps[k] = call->items[k];
    }
    call->loop(count, at, steps, call->args);
  }
}

void oyi_apart_run(const oyi_iter* it, bool light, oyi_loop loop, const void* args) {
  apart_call call = {.loop = loop, .args = args, .count = it->count, .light = light};
  for (int k = 0; k < it->count; k++) call.items[k] = oyi_item(it->tensors[k]);
  oyi_iter_run(it, apart_loop, &call);
}
