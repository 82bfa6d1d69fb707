// SPDX-License-Identifier: Apache-2.0
// The loops of one CPU capability: LEVELED(name) is the name for it. They are plain C
// that compilers turn into vector code; -O3 is asked for because gcc's vectoriser leaves
// most of them alone below that, and it is told that nobody reads exception flags,
// without which it keeps branches around products.
//
// What comes out is what PyTorch's casts give on x86: floats go to integers of up to
// 16 bits by way of int32, to uint8 from double by way of int64; integers go to small
// floats by way of float, and double goes to them by way of float too (twice rounded).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "no-trapping-math")
#endif
#include <math.h>

#include "tensor/convert_loops.h"
#include "tensor/half.h"

#if defined(__F16C__)
#include <immintrin.h>
#endif

// Buffers never overlap: a chain writes to its own, or to another tensor.
#define LOOP(name, from, to, expression)                                     \
  static void name(void* restrict out, const void* restrict in, int64_t n) { \
    to* restrict o = out;                                                    \
    const from* restrict a = in;                                             \
    for (int64_t i = 0; i < n; i++) {                                        \
      const from x = a[i];                                                   \
      o[i] = (to)(expression);                                               \
    }                                                                        \
  }

// To the near wide type.
LOOP(u8_i32, uint8_t, int32_t, x)
LOOP(i8_i32, int8_t, int32_t, x)
LOOP(i16_i32, int16_t, int32_t, x)
LOOP(u16_i32, uint16_t, int32_t, x)
LOOP(u32_i64, uint32_t, int64_t, x)
#if !defined(__F16C__)
LOOP(f16_f32, uint16_t, float, oyi_f16_to_float(x))
#else
static void f16_f32(void* out, const void* in, int64_t n) {
  float* o = out;
  const uint16_t* a = in;
  int64_t i = 0;
  for (; i + 8 <= n; i += 8)
    _mm256_storeu_ps(o + i, _mm256_cvtph_ps(_mm_loadu_si128((const void*)(a + i))));
  for (; i < n; i++) o[i] = _cvtsh_ss(a[i]);
}
#endif
LOOP(bf16_f32, uint16_t, float, oyi_bf16_to_float(x))
LOOP(f8e5m2_f32, uint8_t, float, oyi_f8e5m2_to_float(x))
LOOP(f8e4m3_f32, uint8_t, float, oyi_f8e4m3_to_float(x))
LOOP(f8e5m2fnuz_f32, uint8_t, float, oyi_f8e5m2fnuz_to_float(x))
LOOP(f8e4m3fnuz_f32, uint8_t, float, oyi_f8e4m3fnuz_to_float(x))

// Between wide types.
LOOP(i32_i64, int32_t, int64_t, x)
LOOP(i32_f32, int32_t, float, x)
LOOP(i32_f64, int32_t, double, x)
LOOP(i64_i32, int64_t, int32_t, (uint32_t)x)
#if !defined(__AVX2__) || defined(__AVX512DQ__)
LOOP(i64_f64, int64_t, double, x)
#else
// Which processors have no vectors for: each half is the lowest bits of a double near a power of
// two, and only the last sum rounds.
static inline double double_of_halves(int64_t x) {
  const uint64_t high = (uint64_t)x >> 32 ^ 0x4530000080000000u;
  const uint64_t low = ((uint64_t)x & UINT32_MAX) | 0x4330000000000000u;
  double above, below;
  memcpy(&above, &high, sizeof(above));
  memcpy(&below, &low, sizeof(below));
  return above - (0x1p84 + 0x1p63 + 0x1p52) + below;
}
LOOP(i64_f64, int64_t, double, double_of_halves(x))
#endif
LOOP(u64_f32, uint64_t, float, x)
LOOP(u64_f64, uint64_t, double, x)
LOOP(f32_u64, float, uint64_t, oyi_float_to_uint((double)x))
LOOP(f32_f64, float, double, x)
LOOP(f64_u64, double, uint64_t, oyi_float_to_uint(x))
#if !defined(__AVX2__)
LOOP(f64_f32, double, float, x)
#else
static inline void four_f64_f32(float* o, const double* a) {
  _mm_storeu_ps(o, _mm256_cvtpd_ps(_mm256_loadu_pd(a)));
}
// The last ones lie over those before them, here and below: nothing is read that was written.
static void f64_f32(void* out, const void* in, int64_t n) {
  float* o = out;
  const double* a = in;
  int64_t i = 0;
  for (; i + 16 <= n; i += 16)
    for (int64_t k = i; k < i + 16; k += 4) four_f64_f32(o + k, a + k);
  for (; i + 4 <= n; i += 4) four_f64_f32(o + i, a + i);
  if (i < n && n >= 4) four_f64_f32(o + n - 4, a + n - 4);
  for (; n < 4 && i < n; i++) o[i] = (float)a[i];
}
#endif

// Floats to integers for which few processors have vectors; most have them to int32, which does
// where all of a piece fit. |slow| is what PyTorch goes by.
enum { PIECE = 64 };
#define BY_I32_STEPPED(name, from, step, to, limit, slow)                          \
  static void name(void* restrict out, const void* restrict in, int64_t n) {       \
    for (int64_t done = 0; done < n; done += PIECE) {                              \
      const int64_t some = n - done < PIECE ? n - done : PIECE;                    \
      to* restrict o = (to*)out + done;                                            \
      const from* restrict a = (const from*)in + done * (step);                    \
      int32_t fits = 1;                                                            \
      for (int64_t i = 0; i < some; i++)                                           \
        fits &= (a[i * (step)] > -(limit)) & (a[i * (step)] < limit);              \
      if (fits)                                                                    \
        for (int64_t i = 0; i < some; i++) o[i] = (to)(int32_t)a[i * (step)];      \
      else                                                                         \
        for (int64_t i = 0; i < some; i++) o[i] = (to)slow((double)a[i * (step)]); \
    }                                                                              \
  }
#define BY_I32(name, from, to, limit, slow) BY_I32_STEPPED(name, from, 1, to, limit, slow)
BY_I32(f32_i64, float, int64_t, 0x1p31f, oyi_float_to_int)
BY_I32(f64_i64, double, int64_t, 0x1p31, oyi_float_to_int)
BY_I32(f64_u8, double, uint8_t, 0x1p31, oyi_float_to_int)

// From a wide type; the low bits of two's complement are the wrapped number.
LOOP(i32_8, int32_t, uint8_t, x)
LOOP(i32_16, int32_t, uint16_t, x)
#if !defined(__F16C__)
LOOP(f32_f16, float, uint16_t, oyi_f16_from_float(x))
#else
// The instruction keeps what NaN carries, PyTorch does not.
static void f32_f16(void* out, const void* in, int64_t n) {
  uint16_t* o = out;
  const float* a = in;
  const __m256 sign = _mm256_set1_ps(-0.0f), nan = _mm256_set1_ps(NAN);
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    __m256 x = _mm256_loadu_ps(a + i);
    __m256 plain = _mm256_or_ps(_mm256_and_ps(x, sign), nan);
    x = _mm256_blendv_ps(x, plain, _mm256_cmp_ps(x, x, _CMP_UNORD_Q));
    _mm_storeu_si128((void*)(o + i), _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
  }
  for (; i < n; i++) o[i] = oyi_f16_from_float(a[i]);
}
#endif
#if !defined(__AVX2__)
LOOP(f32_bf16, float, uint16_t, oyi_bf16_from_float(x))
#define u8_bf16  NULL
#define i8_bf16  NULL
#define i16_bf16 NULL
#define i32_bf16 NULL
#else
// Numbers rounded to their upper halves.
static inline __m256i near_bf16(__m256 x) {
  const __m256i bits = _mm256_castps_si256(x);
  const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
  const __m256i half = _mm256_add_epi32(bits, _mm256_set1_epi32(0x7fff));
  return _mm256_add_epi32(half, odd);
}
// NaN is looked at before the numbers are narrow, by which compilers would pack twice.
static inline __m256i to_bf16(__m256 x) {
  const __m256 nan = _mm256_set1_ps(NAN), near = _mm256_castsi256_ps(near_bf16(x));
  const __m256 all = _mm256_blendv_ps(near, nan, _mm256_cmp_ps(x, x, _CMP_UNORD_Q));
  return _mm256_srli_epi32(_mm256_castps_si256(all), 16);
}
// Of what is a number.
static inline __m256i number_to_bf16(__m256 x) {
  return _mm256_srli_epi32(near_bf16(x), 16);
}
#define EIGHT_BYTES(p)  _mm_loadl_epi64((const void*)(p))
#define EIGHT_SHORTS(p) _mm_loadu_si128((const void*)(p))
#define EIGHT_WORDS(p)  _mm256_loadu_si256((const void*)(p))
#define TO_BF16(name, T, eight, bf16_of)                                  \
  static inline void sixteen_##name(uint16_t* o, const T* a) {            \
    const __m256i low = bf16_of(eight(a)), high = bf16_of(eight(a + 8));  \
    const __m256i both = _mm256_packus_epi32(low, high);                  \
    _mm256_storeu_si256((void*)o, _mm256_permute4x64_epi64(both, 0xd8));  \
  }                                                                       \
  static void name(void* out, const void* in, int64_t n) {                \
    uint16_t* o = out;                                                    \
    const T* a = in;                                                      \
    int64_t i = 0;                                                        \
    for (; i + 16 <= n; i += 16) sixteen_##name(o + i, a + i);            \
    if (i < n && n >= 16) sixteen_##name(o + n - 16, a + n - 16);         \
    for (; n < 16 && i < n; i++) o[i] = oyi_bf16_from_float((float)a[i]); \
  }
#define OF_U8(p)  _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(EIGHT_BYTES(p)))
#define OF_I8(p)  _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(EIGHT_BYTES(p)))
#define OF_I16(p) _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(EIGHT_SHORTS(p)))
#define OF_I32(p) _mm256_cvtepi32_ps(EIGHT_WORDS(p))
TO_BF16(f32_bf16, float, _mm256_loadu_ps, to_bf16)
TO_BF16(u8_bf16, uint8_t, OF_U8, number_to_bf16)
TO_BF16(i8_bf16, int8_t, OF_I8, number_to_bf16)
TO_BF16(i16_bf16, int16_t, OF_I16, number_to_bf16)
TO_BF16(i32_bf16, int32_t, OF_I32, number_to_bf16)
#endif
// What everyday conversions come to, in one step.
LOOP(u8_f32, uint8_t, float, x)
LOOP(i8_f32, int8_t, float, x)
LOOP(i16_f32, int16_t, float, x)
LOOP(u8_i64, uint8_t, int64_t, x)
LOOP(i8_i64, int8_t, int64_t, x)
LOOP(i16_i64, int16_t, int64_t, x)
LOOP(u8_i16, uint8_t, int16_t, x)
LOOP(i8_i16, int8_t, int16_t, x)
LOOP(i16_8, uint16_t, uint8_t, x)
LOOP(u8_b1, uint8_t, uint8_t, x != 0)
LOOP(i16_b1, int16_t, uint8_t, x != 0)
#define BF16_I32(x) oyi_float_to_int32(oyi_bf16_to_float(x))
#if !defined(__AVX2__)
LOOP(f32_i32, float, int32_t, oyi_float_to_int32(x))
LOOP(f32_8, float, uint8_t, (uint32_t)oyi_float_to_int32(x))
LOOP(f32_16, float, uint16_t, (uint32_t)oyi_float_to_int32(x))
LOOP(f64_i32, double, int32_t, oyi_double_to_int32(x))
BY_I32(f64_8, double, uint8_t, 0x1p31, oyi_double_to_int32)
BY_I32(f64_16, double, uint16_t, 0x1p31, oyi_double_to_int32)
LOOP(bf16_i32, uint16_t, int32_t, BF16_I32(x))
#define bf16_8  NULL
#define bf16_16 NULL
#else
// Eight at once; what is no int32 becomes its least, as PyTorch has it. Packing saturates and
// takes turns of lanes: bits are cut off before it, and put in order after it.
static inline __m256i words_f32(const float* a) {
  return _mm256_cvttps_epi32(_mm256_loadu_ps(a));
}
static inline __m256i words_f64(const double* a) {
  return _mm256_set_m128i(_mm256_cvttpd_epi32(_mm256_loadu_pd(a + 4)),
                          _mm256_cvttpd_epi32(_mm256_loadu_pd(a)));
}
static inline __m256i words_bf16(const uint16_t* a) {
  const __m256i wide = _mm256_cvtepu16_epi32(EIGHT_SHORTS(a));
  return _mm256_cvttps_epi32(_mm256_castsi256_ps(_mm256_slli_epi32(wide, 16)));
}
#define TO_WORDS(name, T, words, one)                                               \
  static void name(void* out, const void* in, int64_t n) {                          \
    int32_t* o = out;                                                               \
    const T* a = in;                                                                \
    int64_t i = 0;                                                                  \
    for (; i + 8 <= n; i += 8) _mm256_storeu_si256((void*)(o + i), words(a + i));   \
    if (i < n && n >= 8) _mm256_storeu_si256((void*)(o + n - 8), words(a + n - 8)); \
    for (; n < 8 && i < n; i++) o[i] = one(a[i]);                                   \
  }
#define LOW_BITS(words, bits) _mm256_and_si256(words, _mm256_set1_epi32(bits))
#define TO_BYTES_WHERE(fit, name, T, words, one)                                     \
  static void name(void* out, const void* in, int64_t n) {                           \
    uint8_t* o = out;                                                                \
    const T* a = in;                                                                 \
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);                 \
    int64_t i = 0;                                                                   \
    for (; i + 32 <= n; i += 32) {                                                   \
      const __m256i x[] = {words(a + i), words(a + i + 8), words(a + i + 16),        \
                           words(a + i + 24)};                                       \
      if (OY_UNLIKELY(!fit(x))) {                                                    \
        for (int64_t k = i; k < i + 32; k++) o[k] = (uint8_t)one(a[k]);              \
        continue;                                                                    \
      }                                                                              \
      const __m256i p = LOW_BITS(x[0], 0xff), q = LOW_BITS(x[1], 0xff);              \
      const __m256i r = LOW_BITS(x[2], 0xff), s = LOW_BITS(x[3], 0xff);              \
      const __m256i all =                                                            \
          _mm256_packus_epi16(_mm256_packus_epi32(p, q), _mm256_packus_epi32(r, s)); \
      _mm256_storeu_si256((void*)(o + i), _mm256_permutevar8x32_epi32(all, order));  \
    }                                                                                \
    for (; i < n; i++) o[i] = (uint8_t)one(a[i]);                                    \
  }
#define ANY_FIT(x)                    true
#define TO_BYTES(name, T, words, one) TO_BYTES_WHERE(ANY_FIT, name, T, words, one)
// What is no int32 has become its least.
static inline bool words_fit(const __m256i* x) {
  const __m256i none = _mm256_set1_epi32(INT32_MIN);
  const __m256i low =
      _mm256_or_si256(_mm256_cmpeq_epi32(x[0], none), _mm256_cmpeq_epi32(x[1], none));
  const __m256i high =
      _mm256_or_si256(_mm256_cmpeq_epi32(x[2], none), _mm256_cmpeq_epi32(x[3], none));
  const __m256i all = _mm256_or_si256(low, high);
  return _mm256_testz_si256(all, all);
}
#define TO_SHORTS(name, T, words, one)                                           \
  static void name(void* out, const void* in, int64_t n) {                       \
    uint16_t* o = out;                                                           \
    const T* a = in;                                                             \
    int64_t i = 0;                                                               \
    for (; i + 16 <= n; i += 16) {                                               \
      const __m256i low = LOW_BITS(words(a + i), 0xffff);                        \
      const __m256i high = LOW_BITS(words(a + i + 8), 0xffff);                   \
      const __m256i both = _mm256_packus_epi32(low, high);                       \
      _mm256_storeu_si256((void*)(o + i), _mm256_permute4x64_epi64(both, 0xd8)); \
    }                                                                            \
    for (; i < n; i++) o[i] = (uint16_t)one(a[i]);                               \
  }
TO_WORDS(f32_i32, float, words_f32, oyi_float_to_int32)
TO_WORDS(f64_i32, double, words_f64, oyi_double_to_int32)
TO_WORDS(bf16_i32, uint16_t, words_bf16, BF16_I32)
TO_BYTES(f32_8, float, words_f32, oyi_float_to_int32)
TO_BYTES(f64_8, double, words_f64, oyi_double_to_int32)
TO_SHORTS(f32_16, float, words_f32, oyi_float_to_int32)
TO_SHORTS(f64_16, double, words_f64, oyi_double_to_int32)
TO_BYTES(bf16_8, uint16_t, words_bf16, BF16_I32)
TO_SHORTS(bf16_16, uint16_t, words_bf16, BF16_I32)
#endif

// The low bits of int64; floats of it, for which few processors have vectors.
#if !defined(__AVX2__)
LOOP(i64_f32, int64_t, float, x)
LOOP(i64_8, int64_t, uint8_t, x)
LOOP(i64_16, int64_t, uint16_t, x)
#else
static inline __m256i words_i64(const int64_t* a) {
  const __m256 low = _mm256_loadu_ps((const float*)(const void*)a);
  const __m256 high = _mm256_loadu_ps((const float*)(const void*)(a + 4));
  const __m256 mixed = _mm256_shuffle_ps(low, high, 0x88);
  return _mm256_permute4x64_epi64(_mm256_castps_si256(mixed), 0xd8);
}
TO_BYTES(i64_8, int64_t, words_i64, (uint64_t))
TO_SHORTS(i64_16, int64_t, words_i64, (uint64_t))
// Eight floats; false if a number is no int32.
static inline bool floats_i64(const int64_t* a, __m256* out) {
  const __m256 low = _mm256_loadu_ps((const float*)(const void*)a);
  const __m256 high = _mm256_loadu_ps((const float*)(const void*)(a + 4));
  const __m256i words = _mm256_castps_si256(_mm256_shuffle_ps(low, high, 0x88));
  const __m256i above = _mm256_castps_si256(_mm256_shuffle_ps(low, high, 0xdd));
  const __m256i lost = _mm256_xor_si256(_mm256_srai_epi32(words, 31), above);
  *out = _mm256_cvtepi32_ps(_mm256_permute4x64_epi64(words, 0xd8));
  return _mm256_testz_si256(lost, lost);
}
static inline void eight_i64_f32(float* o, const int64_t* a) {
  __m256 x;
  if (OY_UNLIKELY(!floats_i64(a, &x)))
    for (int k = 0; k < 8; k++) o[k] = (float)a[k];
  else
    _mm256_storeu_ps(o, x);
}
static void i64_f32(void* out, const void* in, int64_t n) {
  float* o = out;
  const int64_t* a = in;
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) eight_i64_f32(o + i, a + i);
  if (i < n && n >= 8) eight_i64_f32(o + n - 8, a + n - 8);
  for (; n < 8 && i < n; i++) o[i] = (float)a[i];
}
#endif

LOOP(f32_f8e5m2, float, uint8_t, oyi_f8e5m2_from_float(x))
LOOP(f32_f8e4m3, float, uint8_t, oyi_f8e4m3_from_float(x))
LOOP(f32_f8e5m2fnuz, float, uint8_t, oyi_f8e5m2fnuz_from_float(x))
LOOP(f32_f8e4m3fnuz, float, uint8_t, oyi_f8e4m3fnuz_from_float(x))
LOOP(i32_b1, int32_t, uint8_t, x != 0)
LOOP(i64_b1, int64_t, uint8_t, x != 0)
LOOP(f32_b1, float, uint8_t, x != 0)
LOOP(f64_b1, double, uint8_t, x != 0)

#include "tensor/convert_complex_body.h"

#define I32 OYI_WIDE_I32
#define I64 OYI_WIDE_I64
#define F32 OYI_WIDE_F32
#define F64 OYI_WIDE_F64
#define U64 OYI_WIDE_U64
const oyi_convert_table LEVELED(oyi_convert_loops) = {
    .near =
        {
            [OY_DTYPE_BOOL] = {I32, u8_i32, i32_b1},
            [OY_DTYPE_U8] = {I32, u8_i32, i32_8},
            [OY_DTYPE_I8] = {I32, i8_i32, i32_8},
            [OY_DTYPE_QU8] = {I32, u8_i32, i32_8},
            [OY_DTYPE_QI8] = {I32, i8_i32, i32_8},
            [OY_DTYPE_I16] = {I32, i16_i32, i32_16},
            [OY_DTYPE_U16] = {I32, u16_i32, i32_16},
            [OY_DTYPE_I32] = {I32, NULL, NULL},
            [OY_DTYPE_QI32] = {I32, NULL, NULL},
            [OY_DTYPE_U32] = {I64, u32_i64, i64_i32},
            [OY_DTYPE_I64] = {I64, NULL, NULL},
            [OY_DTYPE_U64] = {U64, NULL, NULL},
            [OY_DTYPE_F32] = {F32, NULL, NULL},
            [OY_DTYPE_F64] = {F64, NULL, NULL},
            [OY_DTYPE_F16] = {F32, f16_f32, f32_f16},
            [OY_DTYPE_BF16] = {F32, bf16_f32, f32_bf16},
            [OY_DTYPE_F8E5M2] = {F32, f8e5m2_f32, f32_f8e5m2},
            [OY_DTYPE_F8E4M3] = {F32, f8e4m3_f32, f32_f8e4m3},
            [OY_DTYPE_F8E5M2FNUZ] = {F32, f8e5m2fnuz_f32, f32_f8e5m2fnuz},
            [OY_DTYPE_F8E4M3FNUZ] = {F32, f8e4m3fnuz_f32, f32_f8e4m3fnuz},
        },
    .across = {[I32] = {NULL, i32_i64, i32_f32, i32_f64, i32_i64},
               [I64] = {i64_i32, NULL, i64_f32, i64_f64, NULL},
               [F32] = {f32_i32, f32_i64, NULL, f32_f64, f32_u64},
               [F64] = {f64_i32, f64_i64, f64_f32, NULL, f64_u64},
               [U64] = {i64_i32, NULL, u64_f32, u64_f64, NULL}},
    .to_f32 = {[OY_DTYPE_BOOL] = u8_f32,
               [OY_DTYPE_U8] = u8_f32,
               [OY_DTYPE_I8] = i8_f32,
               [OY_DTYPE_I16] = i16_f32},
    .of_f32 = {[OY_DTYPE_U8] = f32_8, [OY_DTYPE_I8] = f32_8, [OY_DTYPE_I16] = f32_16},
    .of_f64 = {[OY_DTYPE_U8] = f64_u8, [OY_DTYPE_I8] = f64_8, [OY_DTYPE_I16] = f64_16},
    .to_i64 = {[OY_DTYPE_BOOL] = u8_i64,
               [OY_DTYPE_U8] = u8_i64,
               [OY_DTYPE_I8] = i8_i64,
               [OY_DTYPE_I16] = i16_i64},
    .to_i16 = {[OY_DTYPE_BOOL] = u8_i16,
               [OY_DTYPE_U8] = u8_i16,
               [OY_DTYPE_I8] = i8_i16,
               [OY_DTYPE_I64] = i64_16},
    .to_b1 = {[OY_DTYPE_U8] = u8_b1, [OY_DTYPE_I8] = u8_b1, [OY_DTYPE_I16] = i16_b1},
    .to_bf16 = {[OY_DTYPE_BOOL] = u8_bf16,
                [OY_DTYPE_U8] = u8_bf16,
                [OY_DTYPE_I8] = i8_bf16,
                [OY_DTYPE_I16] = i16_bf16,
                [OY_DTYPE_I32] = i32_bf16},
    .of_bf16 = {[OY_DTYPE_U8] = bf16_8,
                [OY_DTYPE_I8] = bf16_8,
                [OY_DTYPE_I16] = bf16_16,
                [OY_DTYPE_I32] = bf16_i32},
    .to_bool = {i32_b1, i64_b1, f32_b1, f64_b1, i64_b1},
    .to_8 = {[OY_DTYPE_I16] = i16_8, [OY_DTYPE_I64] = i64_8},
    .of_c64 = {[OY_DTYPE_BOOL] = c64_b1,
               [OY_DTYPE_U8] = c64_8,
               [OY_DTYPE_I8] = c64_8,
               [OY_DTYPE_I16] = c64_16,
               [OY_DTYPE_I32] = c64_i32,
               [OY_DTYPE_I64] = c64_i64},
    .of_c128 = {[OY_DTYPE_BOOL] = c128_b1,
                [OY_DTYPE_U8] = c128_u8,
                [OY_DTYPE_I8] = c128_8,
                [OY_DTYPE_I16] = c128_16,
                [OY_DTYPE_I32] = c128_i32,
                [OY_DTYPE_I64] = c128_i64},
    .to_complex =
        {[OY_DTYPE_C32] = f16_c32, [OY_DTYPE_C64] = f32_c64, [OY_DTYPE_C128] = f64_c128},
    .to_c64 = {[OY_DTYPE_BOOL] = u8_c64,
               [OY_DTYPE_U8] = u8_c64,
               [OY_DTYPE_I8] = i8_c64,
               [OY_DTYPE_I16] = i16_c64,
               [OY_DTYPE_I32] = i32_c64,
               [OY_DTYPE_I64] = i64_c64,
               [OY_DTYPE_BF16] = bf16_c64},
    .to_c128 = {[OY_DTYPE_BOOL] = u8_c128,
                [OY_DTYPE_U8] = u8_c128,
                [OY_DTYPE_I8] = i8_c128,
                [OY_DTYPE_I16] = i16_c128,
                [OY_DTYPE_I32] = i32_c128,
                [OY_DTYPE_F32] = f32_c128,
                [OY_DTYPE_BF16] = bf16_c128}};
#undef I32
#undef I64
#undef F32
#undef F64
#undef U64
