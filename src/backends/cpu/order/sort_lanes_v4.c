// SPDX-License-Identifier: Apache-2.0
// Lines sorted by sort_lanes_body.h in vectors of x86-64-v4 (AVX-512).
#include <immintrin.h>

#define LEVELED(name) name##_v4
#define LANES         8

typedef __m512i vec;
typedef __mmask8 lanes;

static inline vec vec_load(const int64_t* x) {
  return _mm512_load_si512(x);
}
static inline void vec_store(int64_t* x, vec v) {
  _mm512_store_si512(x, v);
}
static inline vec vec_least(vec a, vec b) {
  return _mm512_min_epi64(a, b);
}
static inline vec vec_greatest(vec a, vec b) {
  return _mm512_max_epi64(a, b);
}
static inline lanes vec_less(vec a, vec b) {
  return _mm512_cmplt_epi64_mask(a, b);
}
static inline lanes vec_equal(vec a, vec b) {
  return _mm512_cmpeq_epi64_mask(a, b);
}
// |a| where |from_b| is not set.
static inline vec vec_choose(vec a, vec b, lanes from_b) {
  return _mm512_mask_mov_epi64(a, from_b, b);
}
static inline lanes lanes_or(lanes a, lanes b) {
  return _kor_mask8(a, b);
}
static inline lanes lanes_and(lanes a, lanes b) {
  return _kand_mask8(a, b);
}
static inline lanes lanes_turned(lanes a, lanes b) {
  return _kxor_mask8(a, b);
}
// The greater of each pair that a step compares.
#define UPPER_OF_2 ((lanes)0xaa)
#define UPPER_OF_4 ((lanes)0xcc)
#define UPPER_OF_8 ((lanes)0xf0)

#define SWAP_1(v) _mm512_shuffle_epi32(v, 0x4e)
#define SWAP_2(v) _mm512_permutex_epi64(v, 0x4e)
#define SWAP_4(v) _mm512_shuffle_i64x2(v, v, 0x4e)
#define TURN_4(v) _mm512_permutex_epi64(v, 0x1b)
#define TURN_8(v) SWAP_4(TURN_4(v))
#define TURN(v)   TURN_8(v)

#include "backends/cpu/order/sort_lanes_body.h"
