// SPDX-License-Identifier: Apache-2.0
// The selection of select.h, for one level of processors: LEVELED(name) is given.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

#include "backends/cpu/order/select.h"

#include <string.h>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "backends/cpu/order/ordered.h"
#include "base/memory.h"
#include "base/template.h"

enum {
  TINY = 8,      // take less as they come
  FEW = 32,      // of a sample of lines that are not long
  HALVED = 256,  // take less by one of them at a time than by a sample
  VECTOR = 32,   // bytes
  BLOCK = 64,    // comparisons that a byte counts
  SHORT = 2048,  // lines whose copies lie on the stack
};

// How many numbers are below the lower bound and up to it, below the upper one and up to it,
// and how many there are.
typedef struct counts {
  int64_t below, to_low, below_high, to_high, numbers;
} counts;

typedef enum part { BELOW, AT_LOW, BETWEEN, AT_HIGH, ABOVE } part;

// Where the |*k|-th is, which rank it has there and among how many.
static part part_of(const counts* c, int64_t* k, int64_t* left) {
  const int64_t ends[] = {c->below, c->to_low, c->below_high, c->to_high, c->numbers};
  part p = BELOW;
  int64_t begin = 0;
  for (; p < ABOVE && *k >= ends[p]; p++) begin = ends[p] > begin ? ends[p] : begin;
  *k -= begin;
  *left = ends[p] - begin;
  return p;
}

// Places to look at, one of each stretch of |n| / |count|, so that nothing that repeats has
// the same part of its period there.
static inline int64_t sample_place(int64_t i, int64_t n, int64_t count) {
  const uint64_t step = (uint64_t)n / (uint64_t)count;
  const uint64_t odd = (uint32_t)((uint64_t)i * 0x9e3779b9u);
  return i * (int64_t)step + (int64_t)((odd * (step & UINT32_MAX)) >> 32);
}

// Of BLOCK truths of one byte, 0 or 1, a bit for each.
static inline uint64_t bits_of(const uint8_t* truth) {
  uint64_t bits = 0;
#if defined(__AVX2__)
  for (int half = 0; half < 2; half++) {
    const __m256i v = _mm256_loadu_si256((const void*)(truth + 32 * half));
    const int mask = _mm256_movemask_epi8(_mm256_slli_epi16(v, 7));
    bits |= (uint64_t)(uint32_t)mask << 32 * half;
  }
#else
  for (int k = 0; k < BLOCK; k++) bits |= (uint64_t)truth[k] << k;
#endif
  return bits;
}

// The first |*count| of them; |*count| becomes how many are missing.
static inline uint64_t first_bits(uint64_t bits, int64_t* count) {
  uint64_t first = 0;
  for (; bits && *count > 0; bits &= bits - 1, (*count)--) first |= bits & -bits;
  return first;
}

#define OF(x)     (x)
#define IS_NAN(x) false
#define IS_PLAIN  true
#define T         uint8_t
#define K         uint8_t
#define C         uint8_t
#define LAST      UINT8_MAX
#define ID        u8
#include "backends/cpu/order/select_tmpl.h"
#define T    int8_t
#define K    int8_t
#define C    int8_t
#define LAST INT8_MAX
#define ID   i8
#include "backends/cpu/order/select_tmpl.h"
#define T    int16_t
#define K    int16_t
#define C    int16_t
#define LAST INT16_MAX
#define ID   i16
#include "backends/cpu/order/select_tmpl.h"
#define T    int32_t
#define K    int32_t
#define C    int32_t
#define LAST INT32_MAX
#define ID   i32
#include "backends/cpu/order/select_tmpl.h"
#define T    int64_t
#define K    int64_t
#define C    int64_t
#define LAST INT64_MAX
#define ID   i64
#include "backends/cpu/order/select_tmpl.h"
#undef IS_NAN
#define IS_NAN(x) ((x) != (x))
#define T         float
#define K         float
#define C         int32_t
#define LAST      __builtin_inff()
#define ID        f32
#include "backends/cpu/order/select_tmpl.h"
#define T    double
#define K    double
#define C    int64_t
#define LAST __builtin_inf()
#define ID   f64
#include "backends/cpu/order/select_tmpl.h"
#undef OF
#undef IS_NAN
#undef IS_PLAIN
#define IS_NAN(x) ((x) == INT16_MAX)
#define IS_PLAIN  false
#define OF(x)     oyi_ordered_f16((int16_t)(x))
#define T         uint16_t
#define K         int16_t
#define C         int16_t
#define LAST      INT16_MAX
#define ID        f16
#include "backends/cpu/order/select_tmpl.h"
#undef OF
#define OF(x) oyi_ordered_bf16((int16_t)(x))
#define T     uint16_t
#define K     int16_t
#define C     int16_t
#define LAST  INT16_MAX
#define ID    bf16
#include "backends/cpu/order/select_tmpl.h"

oy_status LEVELED(oyi_select)(oy_dtype dtype, const oyi_selection* s,
                              int64_t* out_place) {
  switch (dtype) {
    case OY_DTYPE_BOOL:
    case OY_DTYPE_U8: return place_u8(s, out_place);
    case OY_DTYPE_I8: return place_i8(s, out_place);
    case OY_DTYPE_I16: return place_i16(s, out_place);
    case OY_DTYPE_I32: return place_i32(s, out_place);
    case OY_DTYPE_I64: return place_i64(s, out_place);
    case OY_DTYPE_F16: return place_f16(s, out_place);
    case OY_DTYPE_BF16: return place_bf16(s, out_place);
    case OY_DTYPE_F32: return place_f32(s, out_place);
    default: return place_f64(s, out_place);
  }
}

oyi_next_fn LEVELED(oyi_select_next)(oy_dtype dtype) {
  switch (dtype) {
    case OY_DTYPE_BOOL:
    case OY_DTYPE_U8: return next_u8;
    case OY_DTYPE_I8: return next_i8;
    case OY_DTYPE_I16: return next_i16;
    case OY_DTYPE_I32: return next_i32;
    case OY_DTYPE_I64: return next_i64;
    case OY_DTYPE_F16: return next_f16;
    case OY_DTYPE_BF16: return next_bf16;
    case OY_DTYPE_F32: return next_f32;
    default: return next_f64;
  }
}

oyi_top_fn LEVELED(oyi_select_top)(oy_dtype dtype) {
  switch (dtype) {
    case OY_DTYPE_BOOL:
    case OY_DTYPE_U8: return top_u8;
    case OY_DTYPE_I8: return top_i8;
    case OY_DTYPE_I16: return top_i16;
    case OY_DTYPE_I32: return top_i32;
    case OY_DTYPE_I64: return top_i64;
    case OY_DTYPE_F16: return top_f16;
    case OY_DTYPE_BF16: return top_bf16;
    case OY_DTYPE_F32: return top_f32;
    default: return top_f64;
  }
}
