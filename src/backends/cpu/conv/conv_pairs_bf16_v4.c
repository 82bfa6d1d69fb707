// SPDX-License-Identifier: Apache-2.0
// The tiles of conv_pairs.h: an instruction multiplies 16 pairs by 16 others, and adds both
// products of each to a sum.
#define TILE_BYTES  64
#define TILE_ROWS   8
#define TILE_WIDE   3
#define TILE_PLACES 28
#include "backends/cpu/conv/conv_tiles_define.h"

#include "backends/cpu/conv/conv_pairs.h"

#define T            float
#define ID           pairs
#define SPREAD(pair) _mm512_set1_ps(pair)
#define MULTIPLY_ADD(sum, a, b) \
  ((sum) = (vec_pairs)_mm512_dpbf16_ps((__m512)(sum), (__m512bh)(a), (__m512bh)(b)))
#include "backends/cpu/conv/conv_windows_tmpl.h"

#include "backends/cpu/conv/conv_maps_tmpl.h"

void oyi_conv_tiles_take_pairs(oyi_conv_tiles* tiles) {
  tiles->tile = tile_pairs, tiles->maps = maps_pairs;
  tiles->maps_by_line = maps_by_line_pairs;
}

void oyi_conv_pair_lines(const uint16_t* first, const uint16_t* second, int64_t count,
                         uint32_t* out) {
  for (int64_t i = 0; i < count; i += LANES) {
    const __mmask16 mask = (__mmask16)(count - i < LANES ? (1u << (count - i)) - 1 : ~0u);
    __m512i pairs = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(mask, first + i));
    if (second) {
      const __m256i high = _mm256_maskz_loadu_epi16(mask, second + i);
      pairs = _mm512_or_epi32(pairs, _mm512_slli_epi32(_mm512_cvtepu16_epi32(high), 16));
    }
    _mm512_mask_storeu_epi32(out + i, mask, pairs);
  }
}
