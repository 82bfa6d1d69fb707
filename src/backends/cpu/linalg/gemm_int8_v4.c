// SPDX-License-Identifier: Apache-2.0
// Products of bytes by AVX512_VNNI, whose instruction multiplies unsigned bytes by signed
// ones and adds 64 products to 16 sums, exactly. Where both operands have signs, or
// neither, those of b are moved by 128, which adds a row's sum 128 times to its results.
#include "backends/cpu/linalg/gemm_words_body.h"

#define IN_PLACE        0
#define GROUP           4
#define SUM             uint32_t
#define FLIP            0x80808080u
#define LOAD(x)         (x)
#define STORE(x)        (x)
#define NUMBER(x)       ((x).kind == OYI_NUMBER_FLOAT ? (int64_t)(x).re : (x).i)
#define LANES(at, mask) _mm512_cvtepu8_epi32(_mm_maskz_loadu_epi8(mask, at))

#define WIDEN(at, mask) LANES(at, mask)
#define NARROW(at, mask, sums) \
  _mm_mask_storeu_epi8(at, mask, _mm512_cvtepi32_epi8((__m512i)(sums)))
#define NARROW_ALL(at, sums) \
  _mm_storeu_si128((__m128i*)(void*)(at), _mm512_cvtepi32_epi8((__m512i)(sums)))

#define T               uint8_t
#define OUT             uint8_t
#define ID              u8
#define OFFSET          128
#define ACROSS          0
#define DOT(sums, a, b) _mm512_dpbusd_epi32((__m512i)(sums), a, b)
#include "backends/cpu/linalg/gemm_words_tmpl.h"
#undef T
#undef OUT
#undef ID
#undef OFFSET
#undef DOT

#define T               int8_t
#define OUT             int8_t
#define ID              i8
#define OFFSET          -128
#define DOT(sums, a, b) _mm512_dpbusd_epi32((__m512i)(sums), b, a)
#include "backends/cpu/linalg/gemm_words_tmpl.h"
#undef OUT
#undef ID
#undef WIDEN
#undef NARROW
#undef NARROW_ALL

#define OUT                    int32_t
#define ID                     i8_i32
#define WIDEN(at, mask)        _mm512_maskz_loadu_epi32(mask, at)
#define NARROW(at, mask, sums) _mm512_mask_storeu_epi32(at, mask, (__m512i)(sums))
#define NARROW_ALL(at, sums)   _mm512_storeu_si512(at, (__m512i)(sums))
#include "backends/cpu/linalg/gemm_words_tmpl.h"

oy_status oyi_gemm_words_i8(const oyi_gemm* g) {
  return words_i8(g);
}
oy_status oyi_gemm_words_u8(const oyi_gemm* g) {
  return words_u8(g);
}
oy_status oyi_gemm_words_i8_i32(const oyi_gemm* g) {
  return words_i8_i32(g);
}
