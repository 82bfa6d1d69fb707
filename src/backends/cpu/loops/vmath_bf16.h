// SPDX-License-Identifier: Apache-2.0
// Vector functions of floats over bf16, for those that take no longer than conversions through
// buffers would. A lane of 32 bits holds two neighbours, and each becomes a float where it is, as
// in loops_bf16_tmpl.h. Part of loops_vmath_body.h, after the functions of floats.

typedef uint32_t words_bf16 __attribute__((vector_size(OYI_VEC_BYTES)));
enum { BF16_LANES = 2 * F32_LANES, BF16_ITEM = 2 };

// To nearest even, in the upper half of each lane; NaN is always the same one.
static inline words_bf16 rounded_bf16(vec_f32 x) {
  const words_bf16 all = (words_bf16)x, near = all + 0x7fff + (all >> 16 & 1);
  const words_bf16 nan = (words_bf16){0} + 0x7fc00000u;
  return (words_bf16)v_select_f32(x != x, (vec_f32)nan, (vec_f32)near);
}

static inline __attribute__((always_inline)) words_bf16 both_bf16(words_bf16 a,
                                                                  const float* arg,
                                                                  v_unary_f32 fn) {
  const words_bf16 even = rounded_bf16(fn((vec_f32)(a << 16), arg));
  const words_bf16 odd = rounded_bf16(fn((vec_f32)(a & 0xffff0000u), arg));
  return even >> 16 | (odd & 0xffff0000u);
}

static inline __attribute__((always_inline)) void map_inline_bf16(int64_t n,
                                                                  char* const* data,
                                                                  const int64_t* strides,
                                                                  const void* arg,
                                                                  v_unary_f32 fn) {
  char* o = data[0];
  const char* x = data[1];
  const int64_t so = strides[0], sx = strides[1];
  words_bf16 v;
  if (so == BF16_ITEM && sx == BF16_ITEM)
    for (; n >= BF16_LANES; n -= BF16_LANES, o += sizeof(v), x += sizeof(v)) {
      memcpy(&v, x, sizeof(v));
      v = both_bf16(v, arg, fn);
      memcpy(o, &v, sizeof(v));
    }
  for (; n > 0; n -= BF16_LANES, o += so * BF16_LANES, x += sx * BF16_LANES) {
    const int64_t count = n < BF16_LANES ? n : BF16_LANES;
    uint16_t some[BF16_LANES] = {0};
    for (int64_t i = 0; i < count; i++) memcpy(some + i, x + i * sx, BF16_ITEM);
    memcpy(&v, some, sizeof(v));
    v = both_bf16(v, arg, fn);
    memcpy(some, &v, sizeof(v));
    for (int64_t i = 0; i < count; i++) memcpy(o + i * so, some + i, BF16_ITEM);
  }
}

#undef MAP
#undef MAP_INLINE
#undef MAP2
#undef MAP2_INLINE
#define MAP(name, ...)
#define MAP2(name, ...)
#define MAP2_INLINE(name, ...)
#define MAP_INLINE(name, ...)                                                   \
  static void name##_bf16(int64_t n, char* const* data, const int64_t* strides, \
                          const void* args) {                                   \
    map_inline_bf16(n, data, strides, args, v_of_##name##_f32);                 \
  }
#include "backends/cpu/loops/loops_vmath.def"
