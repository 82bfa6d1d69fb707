// SPDX-License-Identifier: Apache-2.0
// Least and greatest elements, for the capability level LEVEL.
#include <string.h>

#include "backends/cpu/reduce/reduce_loops.h"
#include "backends/cpu/reduce/reduce_places.h"

#if defined(__AVX__)
#include <immintrin.h>

// Of |n| floats, a multiple of STEPS: the more extreme operand is one instruction, which leaves
// NaNs out; they are looked for two vectors at a time. What is read lies in one line: two that
// are read side by side come slower from beyond the caches. Compilers would read vectors again
// for the comparison: the empty assembly has them in registers.
#define EXTREME_OF(name, T, V, p, width, EXTREME, START)                               \
  static inline __attribute__((always_inline))                                         \
  V name##_half(V* a, const T* at, int64_t n) {                                        \
    enum { FEW = 4 };                                                                  \
    V nan = _mm256_setzero_##p();                                                      \
    V b = a[0], c = a[1], d = a[2], e = a[3];                                          \
    for (int64_t i = 0; i < n; i += FEW * (width)) {                                   \
      V x = _mm256_loadu_##p(at + i);                                                  \
      V y = _mm256_loadu_##p(at + i + (width));                                        \
      V z = _mm256_loadu_##p(at + i + 2 * (width));                                    \
      V w = _mm256_loadu_##p(at + i + 3 * (width));                                    \
      __asm__("" : "+x"(x), "+x"(y), "+x"(z), "+x"(w));                                \
      b = EXTREME(x, b);                                                               \
      c = EXTREME(y, c);                                                               \
      d = EXTREME(z, d);                                                               \
      e = EXTREME(w, e);                                                               \
      nan = _mm256_or_##p(nan, _mm256_cmp_##p(x, y, _CMP_UNORD_Q));                    \
      nan = _mm256_or_##p(nan, _mm256_cmp_##p(z, w, _CMP_UNORD_Q));                    \
    }                                                                                  \
    a[0] = b, a[1] = c, a[2] = d, a[3] = e;                                            \
    return nan;                                                                        \
  }                                                                                    \
  static inline T name##_of_lanes(V a) {                                               \
    a = EXTREME(a, _mm256_permute2f128_##p(a, a, 1));                                  \
    if ((width) > 4) a = EXTREME(a, _mm256_shuffle_##p(a, a, (width) > 4 ? 0x4e : 0)); \
    a = EXTREME(a, _mm256_permute_##p(a, (width) > 4 ? 0xb1 : 0x5));                   \
    return a[0];                                                                       \
  }                                                                                    \
  static inline T name##_steps(const T* at, int64_t n) {                               \
    enum { CHAINS = 8, PAIRS = CHAINS / 2, STEPS = CHAINS * (width) };                 \
    V a[CHAINS];                                                                       \
    OYI_UNROLL                                                                         \
    for (int k = 0; k < CHAINS; k++) a[k] = _mm256_set1_##p(START);                    \
    V nan = name##_half(a, at, n / 2);                                                 \
    nan = _mm256_or_##p(nan, name##_half(a + PAIRS, at + n / 2, n / 2));               \
    if (_mm256_movemask_##p(nan)) return (T)NAN;                                       \
    OYI_UNROLL                                                                         \
    for (int k = PAIRS; k > 0; k /= 2)                                                 \
      for (int j = 0; j < k; j++) a[j] = EXTREME(a[j], a[j + k]);                      \
    return name##_of_lanes(a[0]);                                                      \
  }                                                                                    \
  /* Of less than STEPS, by vectors of which the last lies over the one    \
     before it; of less than a vector one by one. */           \
  static inline T name##_rest(const T* at, int64_t n) {                                \
    V a = _mm256_set1_##p(START), nan = _mm256_setzero_##p();                          \
    for (int64_t i = 0; n >= (width) && i < n; i += (width)) {                         \
      const V x = _mm256_loadu_##p(at + (i + (width) <= n ? i : n - (width)));         \
      a = EXTREME(x, a);                                                               \
      nan = _mm256_or_##p(nan, _mm256_cmp_##p(x, x, _CMP_UNORD_Q));                    \
    }                                                                                  \
    if (_mm256_movemask_##p(nan)) return (T)NAN;                                       \
    T b = name##_of_lanes(a);                                                          \
    for (int64_t i = 0; n < (width) && i < n; i++)                                     \
      b = IS_FIRST(at[i], b) || at[i] != at[i] ? at[i] : b;                            \
    return b;                                                                          \
  }                                                                                    \
  /* The last step may lie over the one before it. */                                  \
  static T name(const T* at, int64_t n) {                                              \
    enum { STEPS = 8 * (width) };                                                      \
    if (n < STEPS) return name##_rest(at, n);                                          \
    const int64_t whole = n / STEPS * STEPS;                                           \
    const T a = name##_steps(at, whole);                                               \
    if (whole == n) return a;                                                          \
    const T b = name##_steps(at + n - STEPS, STEPS);                                   \
    return a != a || IS_FIRST(a, b) ? a : b;                                           \
  }
// FEW_COLUMNS of reduce_fold_tmpl.h: running values stay in registers.
#define COLUMNS_OF(name, T, V, p, width, EXTREME, START)                          \
  static inline void name##_strip(T* to, const char* x, int64_t rows,             \
                                  int64_t row_step) {                             \
    V a[4], nan[4];                                                               \
    OYI_UNROLL                                                                    \
    for (int k = 0; k < 4; k++) a[k] = _mm256_set1_##p(START);                    \
    OYI_UNROLL                                                                    \
    for (int k = 0; k < 4; k++) nan[k] = _mm256_setzero_##p();                    \
    for (; rows > 0; rows--, x += row_step) {                                     \
      const T* at = (const T*)(const void*)x;                                     \
      OYI_UNROLL                                                                  \
      for (int k = 0; k < 4; k++) {                                               \
        const V y = _mm256_loadu_##p(at + k * (width));                           \
        a[k] = EXTREME(y, a[k]);                                                  \
        nan[k] = _mm256_or_##p(nan[k], _mm256_cmp_##p(y, y, _CMP_UNORD_Q));       \
      }                                                                           \
    }                                                                             \
    const V none = _mm256_set1_##p((T)NAN);                                       \
    OYI_UNROLL                                                                    \
    for (int k = 0; k < 4; k++)                                                   \
      _mm256_storeu_##p(to + k * (width), _mm256_blendv_##p(a[k], none, nan[k])); \
  }                                                                               \
  /* The last strip may lie over the one before it. */                            \
  static bool name##_few(T* to, int64_t n, const char* x, int64_t rows,           \
                         int64_t row_step) {                                      \
    enum { STRIP = 4 * (width), MOST = 4 * STRIP, MANY = 8 };                     \
    if (n < STRIP || n > MOST || rows < MANY) return false;                       \
    for (int64_t i = 0; i < n; i += STRIP) {                                      \
      const int64_t at = i + STRIP <= n ? i : n - STRIP;                          \
      name##_strip(to + at, x + at * (int64_t)sizeof(T), rows, row_step);         \
    }                                                                             \
    return true;                                                                  \
  }
COLUMNS_OF(greatest_f32, float, __m256, ps, 8, _mm256_max_ps, -INFINITY)
COLUMNS_OF(greatest_f64, double, __m256d, pd, 4, _mm256_max_pd, -INFINITY)
COLUMNS_OF(least_f32, float, __m256, ps, 8, _mm256_min_ps, INFINITY)
COLUMNS_OF(least_f64, double, __m256d, pd, 4, _mm256_min_pd, INFINITY)
#define IS_FIRST(a, b) ((a) > (b))
EXTREME_OF(greatest_f32, float, __m256, ps, 8, _mm256_max_ps, -INFINITY)
EXTREME_OF(greatest_f64, double, __m256d, pd, 4, _mm256_max_pd, -INFINITY)
#undef IS_FIRST
#define IS_FIRST(a, b) ((a) < (b))
EXTREME_OF(least_f32, float, __m256, ps, 8, _mm256_min_ps, INFINITY)
EXTREME_OF(least_f64, double, __m256d, pd, 4, _mm256_min_pd, INFINITY)
#define AMAX_WHOLE OYI_JOIN(greatest, ID)
#define AMIN_WHOLE OYI_JOIN(least, ID)
#define AMAX_FEW   OYI_JOIN(greatest, OYI_JOIN(ID, few))
#define AMIN_FEW   OYI_JOIN(least, OYI_JOIN(ID, few))
#endif

// The same of whole numbers, T of the template, from the first row on.
#define WHOLE_COLUMNS_OF(name, EXTREME)                                               \
  static bool name(T* to, int64_t n, const char* x, int64_t rows, int64_t row_step) { \
    enum { VECTORS = 4, WIDTH = 32 / sizeof(T), MANY = 8 };                           \
    enum { STRIP = VECTORS * WIDTH, MOST = 4 * STRIP };                               \
    if (n < STRIP || n > MOST || rows < MANY) return false;                           \
    for (int64_t i = 0; i < n; i += STRIP) {                                          \
      const int64_t at = i + STRIP <= n ? i : n - STRIP;                              \
      const char* from = x + at * (int64_t)sizeof(T);                                 \
      __m256i a[VECTORS];                                                             \
      OYI_UNROLL                                                                      \
      for (int k = 0; k < VECTORS; k++)                                               \
        a[k] = _mm256_loadu_si256((const void*)(from + 32 * k));                      \
      for (int64_t r = 1; r < rows; r++) {                                            \
        from += row_step;                                                             \
        OYI_UNROLL                                                                    \
        for (int k = 0; k < VECTORS; k++) {                                           \
          const __m256i y = _mm256_loadu_si256((const void*)(from + 32 * k));         \
          a[k] = EXTREME(y, a[k]);                                                    \
        }                                                                             \
      }                                                                               \
      OYI_UNROLL                                                                      \
      for (int k = 0; k < VECTORS; k++)                                               \
        _mm256_storeu_si256((void*)(to + at + k * WIDTH), a[k]);                      \
    }                                                                                 \
    return true;                                                                      \
  }

#if defined(__AVX2__)
#define PLACES_V4
#endif
#define IS_NAN(x) ((x) != (x))
#define T         float
#define ID        f32
#define LEAST     (-INFINITY)
#define GREATEST  INFINITY
#include "backends/cpu/reduce/reduce_minmax_tmpl.h"
#undef T
#undef ID
#define T  double
#define ID f64
#include "backends/cpu/reduce/reduce_minmax_tmpl.h"
#undef T
#undef ID
#undef LEAST
#undef GREATEST
#undef IS_NAN
#undef AMAX_WHOLE
#undef AMIN_WHOLE
#undef AMAX_FEW
#undef AMIN_FEW
#undef PLACES_V4
#define IS_NAN(x) 0
#define T         uint8_t
#define ID        u8
#define LEAST     0
#define GREATEST  UINT8_MAX
#if defined(__AVX2__)
#define LEAST_OF    _mm256_min_epu8
#define GREATEST_OF _mm256_max_epu8
#endif
#include "backends/cpu/reduce/reduce_minmax_tmpl.h"
#undef T
#undef ID
#undef LEAST
#undef GREATEST
#define T        int8_t
#define ID       i8
#define LEAST    INT8_MIN
#define GREATEST INT8_MAX
#if defined(__AVX2__)
#define LEAST_OF    _mm256_min_epi8
#define GREATEST_OF _mm256_max_epi8
#endif
#include "backends/cpu/reduce/reduce_minmax_tmpl.h"
#undef T
#undef ID
#undef LEAST
#undef GREATEST
#define T        int16_t
#define ID       i16
#define LEAST    INT16_MIN
#define GREATEST INT16_MAX
#if defined(__AVX2__)
#define LEAST_OF    _mm256_min_epi16
#define GREATEST_OF _mm256_max_epi16
#endif
#include "backends/cpu/reduce/reduce_minmax_tmpl.h"
#undef T
#undef ID
#undef LEAST
#undef GREATEST
#if defined(__AVX2__)
#define PLACES_V4
#endif
#define T        int32_t
#define ID       i32
#define LEAST    INT32_MIN
#define GREATEST INT32_MAX
#if defined(__AVX2__)
#define LEAST_OF    _mm256_min_epi32
#define GREATEST_OF _mm256_max_epi32
#endif
#include "backends/cpu/reduce/reduce_minmax_tmpl.h"
#undef T
#undef ID
#undef LEAST
#undef GREATEST
#define T        int64_t
#define ID       i64
#define LEAST    INT64_MIN
#define GREATEST INT64_MAX
#if defined(__AVX2__)
#define LEAST_OF(x, a)    _mm256_blendv_epi8(a, x, _mm256_cmpgt_epi64(a, x))
#define GREATEST_OF(x, a) _mm256_blendv_epi8(a, x, _mm256_cmpgt_epi64(x, a))
#endif
#include "backends/cpu/reduce/reduce_minmax_tmpl.h"

#undef T
#undef ID
#define ID       f16
#define INFINITE 0x7c00
#include "backends/cpu/reduce/reduce_half_tmpl.h"
#define ID       bf16
#define INFINITE 0x7f80
#include "backends/cpu/reduce/reduce_half_tmpl.h"

#define ROW(name, id, in, second) OYI_REDUCER_ROW(name, id, in, in, second)
#define INTEGER_ROWS(name)                                                \
  ROW(name, u8, U8, U8), ROW(name, i8, I8, I8), ROW(name, i16, I16, I16), \
      ROW(name, i32, I32, I32), ROW(name, i64, I64, I64)
#define BOTH_ROWS(name) \
  ROW(name, f32, F32, F32), ROW(name, f64, F64, F64), INTEGER_ROWS(name)
// Of one output, whose blocks may be wide.
#define WIDE_ROW(name, id, in, rows)                                                \
  OYI_REDUCER_ROW_OF(name, id, in, in, in, OYI_REDUCE_WIDE, OYI_REDUCE_TURNED_LONG, \
                     NULL, name##_all_columns_##id, rows, {NULL, NULL}, {NULL, NULL})
#define ONE_ROWS(name)                                                                \
  WIDE_ROW(name, f32, F32, OYI_ROWS_OF(name, f32)),                                   \
      WIDE_ROW(name, f64, F64, OYI_ROWS_OF(name, f64)), WIDE_ROW(name, u8, U8, NULL), \
      WIDE_ROW(name, i8, I8, NULL), WIDE_ROW(name, i16, I16, NULL),                   \
      WIDE_ROW(name, i32, I32, NULL), WIDE_ROW(name, i64, I64, NULL)
#define PLACE_ROWS(name)                                                          \
  ROW(name, f32, F32, I64), ROW(name, f64, F64, I64), ROW(name, u8, U8, I64),     \
      ROW(name, i8, I8, I64), ROW(name, i16, I16, I64), ROW(name, i32, I32, I64), \
      ROW(name, i64, I64, I64)
#define HALF_ROWS(name) ROW(name, f16, F16, F16), ROW(name, bf16, BF16, BF16)
const oyi_fold OYI_JOIN(oyi_amin_reducers, LEVEL)[] = {
    ONE_ROWS(amin), HALF_ROWS(amin), {0}};
const oyi_fold OYI_JOIN(oyi_amax_reducers, LEVEL)[] = {
    ONE_ROWS(amax), HALF_ROWS(amax), {0}};
const oyi_fold OYI_JOIN(oyi_aminmax_reducers, LEVEL)[] = {BOTH_ROWS(aminmax), {0}};
const oyi_fold OYI_JOIN(oyi_argmin_reducers, LEVEL)[] = {PLACE_ROWS(argmin), {0}};
const oyi_fold OYI_JOIN(oyi_argmax_reducers, LEVEL)[] = {PLACE_ROWS(argmax), {0}};
