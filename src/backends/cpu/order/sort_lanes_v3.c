// SPDX-License-Identifier: Apache-2.0
// Lines sorted by sort_lanes_body.h in vectors of x86-64-v3 (AVX2).
#include <immintrin.h>

#define LEVELED(name) name##_v3
#define LANES         4

typedef __m256i vec;
typedef __m256i lanes;

static inline vec vec_load(const int64_t* x) {
  return _mm256_load_si256((const __m256i*)(const void*)x);
}
static inline void vec_store(int64_t* x, vec v) {
  _mm256_store_si256((__m256i*)(void*)x, v);
}
static inline lanes vec_less(vec a, vec b) {
  return _mm256_cmpgt_epi64(b, a);
}
static inline lanes vec_equal(vec a, vec b) {
  return _mm256_cmpeq_epi64(a, b);
}
// |a| where |from_b| is not set.
static inline vec vec_choose(vec a, vec b, lanes from_b) {
  return _mm256_blendv_epi8(a, b, from_b);
}
static inline vec vec_least(vec a, vec b) {
  return vec_choose(a, b, vec_less(b, a));
}
static inline vec vec_greatest(vec a, vec b) {
  return vec_choose(b, a, vec_less(b, a));
}
static inline lanes lanes_or(lanes a, lanes b) {
  return _mm256_or_si256(a, b);
}
static inline lanes lanes_and(lanes a, lanes b) {
  return _mm256_and_si256(a, b);
}
static inline lanes lanes_turned(lanes a, lanes b) {
  return _mm256_xor_si256(a, b);
}
// The greater of each pair that a step compares.
#define UPPER_OF_2 _mm256_setr_epi64x(0, -1, 0, -1)
#define UPPER_OF_4 _mm256_setr_epi64x(0, 0, -1, -1)

#define SWAP_1(v) _mm256_shuffle_epi32(v, 0x4e)
#define SWAP_2(v) _mm256_permute4x64_epi64(v, 0x4e)
#define TURN_4(v) _mm256_permute4x64_epi64(v, 0x1b)
#define TURN(v)   TURN_4(v)

#include "backends/cpu/order/sort_lanes_body.h"
