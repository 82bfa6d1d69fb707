// SPDX-License-Identifier: Apache-2.0
// Ranks of rank_lines.h, for one level of processors: LEVELED(name) is given.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

#include "backends/cpu/order/rank_lines.h"

#include <string.h>

#include "backends/cpu/order/ordered.h"
#include "base/template.h"
#include "tensor/move.h"

// Lines at a time, bytes of a vector of them, and vectors that are compared at once.
#if defined(__AVX2__)
enum { LINES = 64, VECTOR = 32, VECTORS = 2 };
#else
enum { LINES = 64, VECTOR = 16, VECTORS = 2 };
#endif

// |a| where |mask| has ones, and |b| where it has zeros.
#if defined(__AVX2__)
#include <immintrin.h>
#define CHOOSE(mask, a, b) \
  ((__typeof__(a))_mm256_blendv_epi8((__m256i)(b), (__m256i)(a), (__m256i)(mask)))
#else
#define CHOOSE(mask, a, b) \
  (((a) & (__typeof__(a))(mask)) | ((b) & ~(__typeof__(a))(mask)))
#endif

#define KEY(x) (x)
#define K      uint8_t
#define C      int8_t
#define ID     u8
#include "backends/cpu/order/rank_lines_tmpl.h"
#define K  int8_t
#define C  int8_t
#define ID i8
#include "backends/cpu/order/rank_lines_tmpl.h"
#define K  int16_t
#define C  int16_t
#define ID i16
#include "backends/cpu/order/rank_lines_tmpl.h"
#define K  int32_t
#define C  int32_t
#define ID i32
#include "backends/cpu/order/rank_lines_tmpl.h"
#define K  int64_t
#define C  int64_t
#define ID i64
#include "backends/cpu/order/rank_lines_tmpl.h"
#undef KEY

#define KEY(x) oyi_ordered_f16(x)
#define LAST   INT16_MAX
#define K      int16_t
#define C      int16_t
#define ID     f16
#include "backends/cpu/order/rank_lines_tmpl.h"
#undef KEY
#define KEY(x) oyi_ordered_bf16(x)
#define K      int16_t
#define C      int16_t
#define ID     bf16
#include "backends/cpu/order/rank_lines_tmpl.h"
#undef KEY
#undef LAST
#define KEY(x) oyi_ordered_f32(x)
#define LAST   INT32_MAX
#define K      int32_t
#define C      int32_t
#define ID     f32
#include "backends/cpu/order/rank_lines_tmpl.h"
#undef KEY
#undef LAST
#define KEY(x) oyi_ordered_f64(x)
#define LAST   INT64_MAX
#define K      int64_t
#define C      int64_t
#define ID     f64
#include "backends/cpu/order/rank_lines_tmpl.h"

void LEVELED(oyi_ranked)(const oyi_ranked_lines* r) {
  switch (r->how->dtype) {
    case OY_DTYPE_BOOL:
    case OY_DTYPE_U8: ranked_u8(r); return;
    case OY_DTYPE_I8: ranked_i8(r); return;
    case OY_DTYPE_I16: ranked_i16(r); return;
    case OY_DTYPE_I32: ranked_i32(r); return;
    case OY_DTYPE_I64: ranked_i64(r); return;
    case OY_DTYPE_F16: ranked_f16(r); return;
    case OY_DTYPE_BF16: ranked_bf16(r); return;
    case OY_DTYPE_F32: ranked_f32(r); return;
    default: ranked_f64(r); return;
  }
}
