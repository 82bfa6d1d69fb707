// SPDX-License-Identifier: Apache-2.0
// Philox for one CPU capability, LEVELED(name) is the name for it. Several counters at a
// time, a lane each, so that compilers turn rounds into vectors.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

#include "backends/cpu/philox.h"

#include <string.h>

enum { LANES = 8, ROUNDS = 10 };

typedef struct lanes {
  uint32_t c[4][LANES];
} lanes;

static inline void round_lanes(lanes* l, uint32_t key0, uint32_t key1) {
  for (int i = 0; i < LANES; i++) {
    uint64_t a = (uint64_t)l->c[0][i] * 0xD2511F53u;
    uint64_t b = (uint64_t)l->c[2][i] * 0xCD9E8D57u;
    uint32_t x = (uint32_t)(b >> 32) ^ l->c[1][i] ^ key0;
    uint32_t y = (uint32_t)(a >> 32) ^ l->c[3][i] ^ key1;
    l->c[0][i] = x;
    l->c[1][i] = (uint32_t)b;
    l->c[2][i] = y;
    l->c[3][i] = (uint32_t)a;
  }
}

static void compute(uint64_t seed, uint64_t first, uint64_t stream, uint32_t* out) {
  lanes l;
  for (uint32_t i = 0; i < LANES; i++) {
    uint64_t at = first + i;
    l.c[0][i] = (uint32_t)at;
    l.c[1][i] = (uint32_t)(at >> 32);
    l.c[2][i] = (uint32_t)stream;
    l.c[3][i] = (uint32_t)(stream >> 32);
  }
  uint32_t key0 = (uint32_t)seed, key1 = (uint32_t)(seed >> 32);
  for (int r = 0; r < ROUNDS; r++) {
    round_lanes(&l, key0, key1);
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  for (int i = 0; i < LANES; i++)
    for (int k = 0; k < 4; k++) out[4 * i + k] = l.c[k][i];
}

void LEVELED(oyi_philox_steps)(uint64_t seed, uint64_t first, uint64_t stream,
                               int64_t count, uint32_t* out) {
  for (; count >= LANES; count -= LANES, first += LANES, out += 4 * LANES)
    compute(seed, first, stream, out);
  if (count <= 0) return;
  uint32_t rest[4 * LANES];
  compute(seed, first, stream, rest);
  memcpy(out, rest, (size_t)count * 4 * sizeof(uint32_t));
}
