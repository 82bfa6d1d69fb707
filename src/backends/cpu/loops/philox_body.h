// SPDX-License-Identifier: Apache-2.0
// Philox for one CPU capability, LEVELED(name) is the name for it. Several counters at a
// time, a lane each; without AVX2 compilers turn rounds into vectors.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

#include "backends/cpu/loops/philox.h"

#include <stdbool.h>
#include <string.h>

enum { LANES = 8, ROUNDS = 10 };

// Where a lane begins: steps of one stream, or streams of one step.
typedef struct place {
  uint64_t step, stream;
  bool is_along;  // the streams
} place;

#if defined(__AVX2__)
#include <immintrin.h>

// A word of four counters, in the low halves; what the high ones hold is not looked at.
typedef uint64_t word __attribute__((vector_size(32)));
typedef struct lanes {
  word c[4];
} lanes;

static inline word product(word a, uint64_t b) {
  const word factor = {b, b, b, b};
  return (word)_mm256_mul_epu32((__m256i)a, (__m256i)factor);
}

static inline lanes round_lanes(lanes l, uint64_t key0, uint64_t key1) {
  const word a = product(l.c[0], 0xD2511F53u), b = product(l.c[2], 0xCD9E8D57u);
  const word x = b >> 32 ^ (l.c[1] ^ key0), y = a >> 32 ^ (l.c[3] ^ key1);
  return (lanes){{x, b, y, a}};
}

static inline lanes counters(place p, uint64_t first) {
  const word moving = (word){0, 1, 2, 3} + first, none = {0, 0, 0, 0};
  const word step = (p.is_along ? none : moving) + p.step;
  const word stream = (p.is_along ? moving : none) + p.stream;
  return (lanes){{step, step >> 32, stream, stream >> 32}};
}

// The four words of a counter side by side, one counter after the other.
static inline void store_lanes(const lanes* l, uint32_t* out) {
  const word low = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
  const word front = (l->c[0] & low) | l->c[1] << 32;
  const word back = (l->c[2] & low) | l->c[3] << 32;
  const word even = (word)_mm256_unpacklo_epi64((__m256i)front, (__m256i)back);
  const word odd = (word)_mm256_unpackhi_epi64((__m256i)front, (__m256i)back);
  const word both[2] = {
      (word)_mm256_permute2x128_si256((__m256i)even, (__m256i)odd, 0x20),
      (word)_mm256_permute2x128_si256((__m256i)even, (__m256i)odd, 0x31)};
  memcpy(out, both, sizeof(both));
}

// Two chains of rounds that do not wait for each other.
static void compute(uint64_t seed, place p, uint32_t* out) {
  lanes l = counters(p, 0), m = counters(p, 4);
  uint32_t key0 = (uint32_t)seed, key1 = (uint32_t)(seed >> 32);
  for (int r = 0; r < ROUNDS; r++) {
    l = round_lanes(l, key0, key1);
    m = round_lanes(m, key0, key1);
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  store_lanes(&l, out);
  store_lanes(&m, out + 16);
}
#else
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

static void compute(uint64_t seed, place p, uint32_t* out) {
  lanes l;
  for (uint32_t i = 0; i < LANES; i++) {
    const uint64_t at = p.step + (p.is_along ? 0 : i);
    const uint64_t stream = p.stream + (p.is_along ? i : 0);
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
#endif

static void compute_all(uint64_t seed, place p, int64_t count, uint32_t* out) {
  for (; count >= LANES; count -= LANES, out += 4 * LANES) {
    compute(seed, p, out);
    *(p.is_along ? &p.stream : &p.step) += LANES;
  }
  if (count <= 0) return;
  uint32_t rest[4 * LANES];
  compute(seed, p, rest);
  memcpy(out, rest, (size_t)count * 4 * sizeof(uint32_t));
}

void LEVELED(oyi_philox_steps)(uint64_t seed, uint64_t first, uint64_t stream,
                               int64_t count, uint32_t* out) {
  compute_all(seed, (place){first, stream, false}, count, out);
}
void LEVELED(oyi_philox_streams)(uint64_t seed, uint64_t step, uint64_t first,
                                 int64_t count, uint32_t* out) {
  compute_all(seed, (place){step, first, true}, count, out);
}
