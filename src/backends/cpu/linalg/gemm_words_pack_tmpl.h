// SPDX-License-Identifier: Apache-2.0
// How gemm_words_tmpl.h, whose parameters it shares, packs rows of a and columns of b: word by
// word, or row by row.

// One panel: |lanes| rows of a or columns of b, |lane| elements apart, and as many zeros
// as make them |width|; |depth| elements of each, |step| apart.
typedef struct OYI_JOIN(panel, ID) {
  const T* from;
  int64_t lane, step, lanes, width, depth;
  uint32_t flip;
  uint32_t* to;
} OYI_JOIN(panel, ID);
#define PANEL OYI_JOIN(panel, ID)

// A word of 16 lanes that lie together, of which |there| are read: vectors of their
// elements, |step| apart, shifted into place.
static inline __attribute__((always_inline)) __m512i OYI_JOIN(across, ID)(
    const T* from, int64_t step, int64_t count, __mmask16 there, __m512i flip) {
  __m512i words = LANES(from, there);
  OYI_UNROLL
  for (int i = 1; i < GROUP; i++)
    if (i < count) {
      const __m512i more = LANES(from + i * step, there);
      words = _mm512_or_si512(words, _mm512_slli_epi32(more, i * (32 / GROUP)));
    }
  return _mm512_xor_si512(words, flip);
}

static void OYI_JOIN(pack_across, ID)(const PANEL* p) {
  const int64_t step = p->step, width = p->width, last = p->depth % GROUP;
  const int64_t words = p->depth / GROUP;
  const __m512i flip = _mm512_set1_epi32((int)p->flip);
  for (int64_t j = 0; j < width; j += 16) {
    const __mmask16 there = first_lanes(p->lanes - j), kept = first_lanes(width - j);
    const T* from = p->from + j;
    uint32_t* to = p->to + j;
    int64_t at = 0;
    if (there == 0xffff)
      for (; at < words; at++, from += GROUP * step, to += width)
        _mm512_storeu_si512(to, OYI_JOIN(across, ID)(from, step, GROUP, 0xffff, flip));
    for (; at < words; at++, from += GROUP * step, to += width)
      _mm512_mask_storeu_epi32(to, kept,
                               OYI_JOIN(across, ID)(from, step, GROUP, there, flip));
    if (last > 0)
      _mm512_mask_storeu_epi32(to, kept,
                               OYI_JOIN(across, ID)(from, step, last, there, flip));
  }
}

// Sixteen words, or what |bytes| are left, of each of four lanes, |lanes| of which exist.
static inline __attribute__((always_inline)) void OYI_JOIN(along, ID)(
    const PANEL* p, const char* from, int64_t lanes, int64_t bytes, uint32_t* to) {
  const __m512i flip = _mm512_set1_epi32((int)p->flip);
  __m512i rows[4];
  OYI_UNROLL
  for (int64_t r = 0; r < 4; r++) {
    const char* row = from + r * p->lane * (int64_t)sizeof(T);
    const __mmask64 there = r < lanes ? first_bytes(bytes) : 0;
    rows[r] = _mm512_xor_si512(_mm512_maskz_loadu_epi8(there, row), flip);
  }
  store_squares(rows, to, p->width, (bytes + 3) / 4);
}

// Lanes whose elements lie together: four of them at a time, transposed.
static void OYI_JOIN(pack_along, ID)(const PANEL* p) {
  const int64_t bytes = p->depth * (int64_t)sizeof(T);
  for (int64_t i = 0; i < p->width; i += 4) {
    const char* from = (const char*)(p->from + i * p->lane);
    const int64_t lanes = p->lanes - i;
    uint32_t* to = p->to + i;
    int64_t at = 0;
    if (lanes >= 4)
      for (; at + 64 <= bytes; at += 64, to += 16 * p->width)
        OYI_JOIN(along, ID)(p, from + at, 4, 64, to);
    for (; at < bytes; at += 64, to += 16 * p->width)
      OYI_JOIN(along, ID)(p, from + at, lanes, bytes - at, to);
  }
}

static void OYI_JOIN(pack_any, ID)(const PANEL* p) {
  uint32_t* to = p->to;
  for (int64_t at = 0; at < p->depth; at += GROUP)
    for (int64_t j = 0; j < p->width; j++) {
      T parts[GROUP] = {0};
      for (int64_t i = 0; j < p->lanes && i < GROUP && at + i < p->depth; i++)
        parts[i] = p->from[j * p->lane + (at + i) * p->step];
      uint32_t word;
      memcpy(&word, parts, sizeof(word));
      *to++ = word ^ p->flip;
    }
}

// Lanes that lie together, as many whole panels as they fill: row by row, since the machine
// foresees what lies together, but not what lies far apart.
static __attribute__((noinline)) void OYI_JOIN(pack_wide, ID)(const PANEL* p) {
  const int64_t words = (p->depth + GROUP - 1) / GROUP;
  const uintptr_t step = (uintptr_t)p->step * sizeof(T);
  const bool is_far = step >= 512;
  const __m512i flip = _mm512_set1_epi32((int)p->flip);
  for (int64_t at = 0; at < words; at++) {
    const T* from = p->from + at * GROUP * p->step;
    uint32_t* to = p->to + at * WIDE;
    const int64_t left = p->depth - at * GROUP, count = left < GROUP ? left : GROUP;
    for (int64_t j = 0; j < p->lanes; j += WIDE, from += WIDE, to += WIDE * words) {
      for (uintptr_t i = 0; is_far && i < GROUP; i++)
        prefetch_row((uintptr_t)from + (LINES_AHEAD * GROUP + i) * step,
                     WIDE * sizeof(T));
      for (int64_t v = 0; v < WIDE; v += 16) {
        const __m512i whole =
            count == GROUP ? OYI_JOIN(across, ID)(from + v, p->step, GROUP, 0xffff, flip)
                           : OYI_JOIN(across, ID)(from + v, p->step, count, 0xffff, flip);
        _mm512_storeu_si512(to + v, whole);
      }
    }
  }
}

// Rows as they are, |pitch| words apart, and zeros behind them up to whole words and for
// rows that do not exist.
static __attribute__((noinline)) void OYI_JOIN(copy_rows, ID)(const PANEL* p,
                                                              int64_t pitch) {
  const int64_t bytes = p->depth * (int64_t)sizeof(T);
  for (int64_t i = 0; i < p->width; i++) {
    const char* from = (const char*)(p->from + i * p->lane);
    char* to = (char*)(p->to + i * pitch);
    const bool there = i < p->lanes;
    int64_t at = 0;
    if (there)
      for (; at + 64 <= bytes; at += 64)
        _mm512_storeu_si512(to + at, _mm512_loadu_si512(from + at));
    for (; at < bytes; at += 64)
      _mm512_storeu_si512(to + at, _mm512_maskz_loadu_epi8(
                                       there ? first_bytes(bytes - at) : 0, from + at));
  }
}

static __attribute__((noinline)) void OYI_JOIN(pack, ID)(const PANEL* p) {
  if (p->lane == 1)
    OYI_JOIN(pack_across, ID)(p);
  else if (p->step == 1)
    OYI_JOIN(pack_along, ID)(p);
  else
    OYI_JOIN(pack_any, ID)(p);
}
