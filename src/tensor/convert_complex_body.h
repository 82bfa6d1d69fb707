// SPDX-License-Identifier: Apache-2.0
// Loops from complex numbers and to them. Part of convert_loops_body.h.

// True if either part is not zero, by their bits but for the signs.
typedef struct __attribute__((may_alias)) bits_c64 {
  uint32_t re, im;
} bits_c64;
typedef struct __attribute__((may_alias)) bits_c128 {
  uint64_t re, im;
} bits_c128;
LOOP(c128_b1, bits_c128, uint8_t, ((x.re | x.im) & INT64_MAX) != 0)
#define TRUE_C64(x) ((((x).re | (x).im) & INT32_MAX) != 0)
#if !defined(__AVX2__)
LOOP(c64_b1, bits_c64, uint8_t, TRUE_C64(x))
#else
static inline __m256i words_true_c64(const bits_c64* a) {
  const __m256 low = _mm256_loadu_ps((const float*)(const void*)a);
  const __m256 high = _mm256_loadu_ps((const float*)(const void*)(a + 4));
  const __m256 either = _mm256_or_ps(_mm256_shuffle_ps(low, high, 0x88),
                                     _mm256_shuffle_ps(low, high, 0xdd));
  const __m256i mixed = _mm256_permute4x64_epi64(_mm256_castps_si256(either), 0xd8);
  // Twice a number is 0 where only the sign is set.
  const __m256i none =
      _mm256_cmpeq_epi32(_mm256_add_epi32(mixed, mixed), _mm256_setzero_si256());
  return _mm256_add_epi32(none, _mm256_set1_epi32(1));
}
TO_BYTES(c64_b1, bits_c64, words_true_c64, TRUE_C64)
#endif

// The real parts of complex numbers.
#define REAL_F32_I32(x) oyi_float_to_int32(__real__(x))
#define REAL_F64_I32(x) oyi_double_to_int32(__real__(x))
#if !defined(__AVX2__)
#define c64_8    NULL
#define c64_16   NULL
#define c64_i32  NULL
#define c64_i64  NULL
#define c128_8   NULL
#define c128_16  NULL
#define c128_i32 NULL
#define c128_i64 NULL
#define c128_u8  NULL
#else
static inline __m256i words_c64(const float _Complex* a) {
  const float* parts = (const float*)a;
  const __m256 low = _mm256_loadu_ps(parts), high = _mm256_loadu_ps(parts + 8);
  const __m256i mixed = _mm256_cvttps_epi32(_mm256_shuffle_ps(low, high, 0x88));
  return _mm256_permute4x64_epi64(mixed, 0xd8);
}
static inline __m128i half_words_c128(const double _Complex* a) {
  const double* parts = (const double*)a;
  const __m256d low = _mm256_loadu_pd(parts), high = _mm256_loadu_pd(parts + 4);
  const __m128i mixed = _mm256_cvttpd_epi32(_mm256_unpacklo_pd(low, high));
  return _mm_shuffle_epi32(mixed, 0xd8);
}
static inline __m256i words_c128(const double _Complex* a) {
  return _mm256_set_m128i(half_words_c128(a + 4), half_words_c128(a));
}
BY_I32_STEPPED(c64_i64, float, 2, int64_t, 0x1p31f, oyi_float_to_int)
BY_I32_STEPPED(c128_i64, double, 2, int64_t, 0x1p31, oyi_float_to_int)
#define REAL_F64_I64(x) oyi_float_to_int(__real__(x))
TO_BYTES_WHERE(words_fit, c128_u8, double _Complex, words_c128, REAL_F64_I64)
TO_BYTES(c64_8, float _Complex, words_c64, REAL_F32_I32)
TO_SHORTS(c64_16, float _Complex, words_c64, REAL_F32_I32)
TO_WORDS(c64_i32, float _Complex, words_c64, REAL_F32_I32)
TO_BYTES(c128_8, double _Complex, words_c128, REAL_F64_I32)
TO_SHORTS(c128_16, double _Complex, words_c128, REAL_F64_I32)
TO_WORDS(c128_i32, double _Complex, words_c128, REAL_F64_I32)
#endif

// Real parts beside zeros.
#define COMPLEX(name, from, T, expression)                                   \
  static void name(void* restrict out, const void* restrict in, int64_t n) { \
    T* restrict o = out;                                                     \
    const from* restrict a = in;                                             \
    for (int64_t i = 0; i < n; i++) {                                        \
      const from x = a[i];                                                   \
      o[2 * i] = (T)(expression);                                            \
      o[2 * i + 1] = 0;                                                      \
    }                                                                        \
  }
COMPLEX(f16_c32, uint16_t, uint16_t, x)
COMPLEX(f64_c128, uint64_t, uint64_t, x)
COMPLEX(u8_c128, uint8_t, double, x)
COMPLEX(i8_c128, int8_t, double, x)
COMPLEX(i16_c128, int16_t, double, x)
COMPLEX(i32_c128, int32_t, double, x)
COMPLEX(f32_c128, float, double, x)
COMPLEX(bf16_c128, uint16_t, double, oyi_bf16_to_float(x))
#if !defined(__AVX2__)
COMPLEX(f32_c64, uint32_t, uint32_t, x)
#define u8_c64   NULL
#define i8_c64   NULL
#define i16_c64  NULL
#define i32_c64  NULL
#define i64_c64  NULL
#define bf16_c64 NULL
#else
// A float beside 0 is its bits in a word of 64.
static inline void store_c64(float* o, __m256 x) {
  const __m128i low = _mm256_castsi256_si128(_mm256_castps_si256(x));
  const __m128i high = _mm256_extracti128_si256(_mm256_castps_si256(x), 1);
  _mm256_storeu_si256((void*)o, _mm256_cvtepu32_epi64(low));
  _mm256_storeu_si256((void*)(o + 8), _mm256_cvtepu32_epi64(high));
}
#define TO_C64(name, T, eight, one)                                \
  static void name(void* out, const void* in, int64_t n) {         \
    float* o = out;                                                \
    const T* a = in;                                               \
    int64_t i = 0;                                                 \
    for (; i + 8 <= n; i += 8) store_c64(o + 2 * i, eight(a + i)); \
    for (; i < n; i++) o[2 * i] = one(a[i]), o[2 * i + 1] = 0;     \
  }
#define OF_BF16(p) \
  _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(EIGHT_SHORTS(p)), 16))
TO_C64(u8_c64, uint8_t, OF_U8, (float))
TO_C64(i8_c64, int8_t, OF_I8, (float))
TO_C64(i16_c64, int16_t, OF_I16, (float))
TO_C64(i32_c64, int32_t, OF_I32, (float))
TO_C64(bf16_c64, uint16_t, OF_BF16, oyi_bf16_to_float)
TO_C64(f32_c64, float, _mm256_loadu_ps, )
static void i64_c64(void* out, const void* in, int64_t n) {
  float* o = out;
  const int64_t* a = in;
  for (int64_t i = 0; i < n; i += 8) {
    __m256 x;
    if (n - i >= 8 && OY_LIKELY(floats_i64(a + i, &x))) {
      store_c64(o + 2 * i, x);
      continue;
    }
    for (int64_t k = i; k < i + 8 && k < n; k++) o[2 * k] = (float)a[k], o[2 * k + 1] = 0;
  }
}
#endif
