// SPDX-License-Identifier: Apache-2.0
// Lines of one size of elements, from registers. Given, and undefined here:
//
//   BYTES, LANE, LANES, MASK  of an element, an integer of that size, how many a register has,
//   what its masks are
//   PART(what)          the intrinsic of these elements
//   NUMBERS(index, mask, most)  of LANES indices what permutations go by; |most| becomes the
//   greatest there are, as unsigned numbers
#define FN(what) OYI_JOIN(what, BYTES)

static inline MASK FN(first)(int64_t count) {
  if (count <= 0) return 0;
  return (MASK)(((uint64_t)1 << (count < LANES ? count : LANES)) - 1);
}

// A permutation takes of two registers; of four and eight, the next bits of a number say of
// which two.
static inline __attribute__((always_inline)) __m512i FN(taken)(const __m512i* line,
                                                               __m512i at,
                                                               const int registers) {
  __m512i two[MOST_REGISTERS / 2];
  OYI_UNROLL_BY(4)
  for (int k = 0; k < registers / 2; k++)
    two[k] = PART(permutex2var)(line[2 * k], at, line[2 * k + 1]);
  if (registers == 2) return two[0];
  const MASK odd = PART_MASK(test)(at, PART(set1)(2 * LANES));
  const __m512i low = PART(mask_blend)(odd, two[0], two[1]);
  if (registers == 4) return low;
  const __m512i high = PART(mask_blend)(odd, two[2], two[3]);
  return PART(mask_blend)(PART_MASK(test)(at, PART(set1)(4 * LANES)), low, high);
}

static inline __attribute__((always_inline)) bool FN(lines)(int64_t lines, int64_t n,
                                                            char* o, const char* x,
                                                            int64_t down, int64_t length,
                                                            const int64_t* index,
                                                            const int registers) {
  const MASK rest = FN(first)(n % LANES);
  MASK has[MOST_REGISTERS];
  __m512i line[MOST_REGISTERS], most = _mm512_setzero_si512();
  OYI_UNROLL_BY(8)
  for (int r = 0; r < registers; r++) has[r] = FN(first)(length - r * LANES);
  for (int64_t k = 0; k < lines; k++, x += down) {
    // What no element lies in is not even named.
    OYI_UNROLL_BY(8)
    for (int r = 0; r < registers; r++)
      line[r] = PART(maskz_loadu)(has[r], has[r] ? x + r * REGISTER : x);
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) {
      const __m512i at = NUMBERS(index + i, (MASK)-1, &most);
      _mm512_storeu_si512(o + i * BYTES, FN(taken)(line, at, registers));
    }
    if (rest) {
      const __m512i at = NUMBERS(index + i, rest, &most);
      PART(mask_storeu)(o + i * BYTES, rest, FN(taken)(line, at, registers));
    }
    index += n, o += n * BYTES;
  }
  return _mm512_cmpge_epu64_mask(most, _mm512_set1_epi64(length)) == 0;
}

// Lines of |n| elements of which a register holds several.
static bool FN(several)(int64_t lines, int64_t n, char* o, const char* x,
                        const int64_t* index) {
  LANE first_of[LANES];
  // i / n * n without divisions: there may be but a few lines.
  const int32_t part = (int32_t)((1 << 16) / n + 1), line = (int32_t)n;
  for (int32_t i = 0; i < LANES; i++) first_of[i] = (LANE)((i * part >> 16) * line);
  const __m512i before = _mm512_loadu_si512(first_of);
  const int64_t size = lines * n, step = LANES / n * n;
  __m512i most = _mm512_setzero_si512();
  for (int64_t i = 0; i < size; i += step) {
    const MASK mask = FN(first)(size - i < step ? size - i : step);
    const __m512i at = PART(add)(NUMBERS(index + i, mask, &most), before);
    const __m512i all = PART(maskz_loadu)(mask, x + i * BYTES);
    PART(mask_storeu)(o + i * BYTES, mask, PART(permutexvar)(at, all));
  }
  return _mm512_cmpge_epu64_mask(most, _mm512_set1_epi64(n)) == 0;
}

bool OYI_JOIN(oyi_gather_rows,
              OYI_JOIN(BYTES, v4))(int64_t lines, int64_t n, char* o, const char* x,
                                   int64_t down, int64_t length, const int64_t* index) {
  if (length == n && n <= LANES / 2 && down == n * BYTES)
    return FN(several)(lines, n, o, x, index);
  if (length <= 2 * LANES) return FN(lines)(lines, n, o, x, down, length, index, 2);
  if (length <= 4 * LANES) return FN(lines)(lines, n, o, x, down, length, index, 4);
  return FN(lines)(lines, n, o, x, down, length, index, MOST_REGISTERS);
}
#undef FN
#undef BYTES
#undef LANES
#undef LANE
#undef MASK
#undef PART
#undef PART_MASK
#undef NUMBERS
