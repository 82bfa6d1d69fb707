// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/loops/same_loop.h"

#include <string.h>

// A piece fills a few vectors: what fills the buffers is little beside a row, and they stay in
// the first cache.
enum { OPERANDS = 3, PIECE = 256, WIDEST = 16, SHORTEST = 16 };

static bool is_such(const int64_t* items, int64_t n, const int64_t* strides) {
  bool any = false;
  for (int k = 1; k <= OPERANDS; k++) {
    if (strides[k] != 0 && strides[k] != items[k]) return false;
    any |= strides[k] == 0;
  }
  return any && n >= SHORTEST && strides[0] == items[0];
}

typedef uint64_t vector __attribute__((vector_size(16)));

// |item| bytes, as often as a vector holds them.
static vector repeated(const char* from, int64_t item) {
  uint64_t one = 0;
  uint32_t four;
  uint16_t two;
  vector both;
  switch (item) {
    case 1: one = (uint8_t)*from * 0x0101010101010101u; break;
    case 2: memcpy(&two, from, 2), one = two * 0x0001000100010001u; break;
    case 4: memcpy(&four, from, 4), one = four * 0x0000000100000001u; break;
    case 8: memcpy(&one, from, 8); break;
    default: memcpy(&both, from, sizeof(both)); return both;
  }
  return (vector){one, one};
}

// Up to the end of the last four vectors, which the buffer has room for.
static void fill(char* to, const char* from, int64_t item, int64_t count) {
  const vector all = repeated(from, item);
  vector* end = (vector*)(void*)(to + count * item);
  for (vector* v = (vector*)(void*)to; v < end; v += 4) v[0] = v[1] = v[2] = v[3] = all;
}

bool oyi_same_run(oyi_loop loop, const int64_t* items, int64_t n, char* const* data,
                  const int64_t* strides, const void* args) {
  _Alignas(64) char buffers[OPERANDS][PIECE * WIDEST];
  char* at[OPERANDS + 1] = {data[0]};
  if (!is_such(items, n, strides)) return false;
  for (int k = 1; k <= OPERANDS; k++) {
    at[k] = strides[k] == 0 ? buffers[k - 1] : data[k];
    if (strides[k] == 0) fill(at[k], data[k], items[k], n < PIECE ? n : PIECE);
  }
  for (int64_t piece = PIECE; n > 0; n -= piece) {
    if (n < piece) piece = n;
    loop(piece, at, items, args);
    for (int k = 0; k <= OPERANDS; k++)
      if (strides[k] != 0) at[k] += piece * items[k];
  }
  return true;
}
