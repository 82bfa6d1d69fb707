// SPDX-License-Identifier: Apache-2.0
// Elements of two, four and eight bytes of short lines, whose elements stay in registers.
#include <immintrin.h>

#include "backends/cpu/index/gather_rows.h"
#include "base/template.h"

enum { REGISTER = OYI_GATHER_REGISTER, MOST_REGISTERS = 8 };
_Static_assert(OYI_GATHER_BYTES == MOST_REGISTERS * REGISTER, "of a line, at most");

static inline __m512i numbers(const int64_t* index, __mmask8 mask, __m512i* most) {
  const __m512i at = _mm512_maskz_loadu_epi64(mask, index);
  *most = _mm512_max_epu64(*most, at);
  return at;
}
// Of good indices the lower halves say all.
static inline __m512i halves(const int64_t* index, __mmask16 mask, __m512i* most) {
  const __m512i low = numbers(index, (__mmask8)mask, most);
  const __m512i high = numbers(index + 8, (__mmask8)(mask >> 8), most);
  return _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi64_epi32(low)),
                            _mm512_cvtepi64_epi32(high), 1);
}
static inline __m128i quarter(const int64_t* index, __mmask32 mask, __m512i* most) {
  return _mm512_cvtepi64_epi16(numbers(index, (__mmask8)mask, most));
}
static inline __m512i quarters(const int64_t* index, __mmask32 mask, __m512i* most) {
  __m512i all = _mm512_castsi128_si512(quarter(index, mask, most));
  all = _mm512_inserti32x4(all, quarter(index + 8, mask >> 8, most), 1);
  all = _mm512_inserti32x4(all, quarter(index + 16, mask >> 16, most), 2);
  return _mm512_inserti32x4(all, quarter(index + 24, mask >> 24, most), 3);
}
#define BYTES           2
#define LANE            int16_t
#define LANES           32
#define MASK            __mmask32
#define PART(what)      _mm512_##what##_epi16
#define PART_MASK(what) _mm512_##what##_epi16_mask
#define NUMBERS         quarters
#include "backends/cpu/index/gather_rows_tmpl.h"
#define BYTES           4
#define LANE            int32_t
#define LANES           16
#define MASK            __mmask16
#define PART(what)      _mm512_##what##_epi32
#define PART_MASK(what) _mm512_##what##_epi32_mask
#define NUMBERS         halves
#include "backends/cpu/index/gather_rows_tmpl.h"

#define BYTES           8
#define LANE            int64_t
#define LANES           8
#define MASK            __mmask8
#define PART(what)      _mm512_##what##_epi64
#define PART_MASK(what) _mm512_##what##_epi64_mask
#define NUMBERS         numbers
#include "backends/cpu/index/gather_rows_tmpl.h"
