// SPDX-License-Identifier: Apache-2.0
// Copies of lines, part of conv_tiles_tmpl.h.

// |count| elements, no more than a vector, and zeros.
static inline JOIN(vec, ID) JOIN(get_some, ID)(const T* from, int64_t count) {
#if TILE_BYTES == 64
  const uint32_t mask = (1u << count) - 1;
  if (sizeof(T) == sizeof(float))
    return (JOIN(vec, ID))_mm512_maskz_loadu_epi32((__mmask16)mask, from);
  return (JOIN(vec, ID))_mm512_maskz_loadu_epi64((__mmask8)mask, from);
#else
  JOIN(vec, ID) x = {0};
  for (int64_t i = 0; i < count; i++) x[i] = from[i];
  return x;
#endif
}

// Elements |first| to |end| of |x|.
static inline void JOIN(put_some, ID)(JOIN(vec, ID) x, int64_t first, int64_t end,
                                      T* out) {
#if TILE_BYTES == 64
  const uint32_t mask = (1u << end) - (1u << first);
  if (sizeof(T) == sizeof(float))
    _mm512_mask_storeu_epi32(out - first, (__mmask16)mask, (__m512i)x);
  else
    _mm512_mask_storeu_epi64(out - first, (__mmask8)mask, (__m512i)x);
#else
  T row[LANES];
  memcpy(row, &x, TILE_BYTES);
  for (int64_t i = first; i < end; i++) out[i - first] = row[i];
#endif
}

// |LANES| elements that are two apart.
static inline JOIN(vec, ID) JOIN(second, ID)(const T* from, int first) {
  JOIN(vec, ID) a, b, out;
  memcpy(&a, from, TILE_BYTES);
  memcpy(&b, from + LANES, TILE_BYTES);
#if defined(__GNUC__) && !defined(__clang__)
  JOIN(mask, ID) which;
  for (int i = 0; i < LANES; i++) which[i] = 2 * i + first;
  out = __builtin_shuffle(a, b, which);
#else
  OYI_UNROLL
  for (int i = 0; i < LANES; i++)
    out[i] = 2 * i + first < LANES ? a[2 * i + first] : b[2 * i + first - LANES];
#endif
  return out;
}

// No more than |LANES| of them.
static inline void JOIN(halve_few, ID)(const T* from, int64_t count, T* to) {
#if TILE_BYTES == 64 && defined(__GNUC__) && !defined(__clang__)
  JOIN(mask, ID) which;
  for (int i = 0; i < LANES; i++) which[i] = 2 * i;
  const int64_t all = 2 * count - 1, low = all < LANES ? all : LANES;
  const JOIN(vec, ID) a = JOIN(get_some, ID)(from, low);
  const JOIN(vec, ID) b = JOIN(get_some, ID)(from + low, all - low);
  JOIN(put_some, ID)(__builtin_shuffle(a, b, which), 0, count, to);
#else
  for (int64_t i = 0; i < count; i++) to[i] = from[2 * i];
#endif
}

static void JOIN(halve, ID)(const void* from_, int64_t step, int64_t rows, int64_t count,
                            void* to_, int64_t pitch) {
  const T* from = from_;
  T* to = to_;
  JOIN(vec, ID) x;
  for (; rows > 0; rows--, from += step, to += pitch) {
    if (count <= LANES) {
      JOIN(halve_few, ID)(from, count, to);
      continue;
    }
    int64_t i = 0;
    for (; i + LANES < count; i += LANES) {
      x = JOIN(second, ID)(from + 2 * i, 0);
      memcpy(to + i, &x, TILE_BYTES);
    }
    i = count - LANES;  // the rest, and some again
    x = JOIN(second, ID)(from + 2 * i - 1, 1);
    memcpy(to + i, &x, TILE_BYTES);
  }
}

static void JOIN(copy, ID)(const void* from_, int64_t step, int64_t rows, int64_t count,
                           void* to_, int64_t pitch) {
  const T* from = from_;
  T* to = to_;
  JOIN(vec, ID) x;
  for (; rows > 0; rows--, from += step, to += pitch) {
    if (count <= LANES) {
      JOIN(put_some, ID)(JOIN(get_some, ID)(from, count), 0, count, to);
      continue;
    }
    for (int64_t i = 0; i + LANES < count; i += LANES) {
      memcpy(&x, from + i, TILE_BYTES);
      memcpy(to + i, &x, TILE_BYTES);
    }
    memcpy(&x, from + count - LANES, TILE_BYTES);
    memcpy(to + count - LANES, &x, TILE_BYTES);
  }
}

#if TILE_BYTES == 64
// As the lanes of a vector every |apart|-th element of as many vectors, those of each in their
// own lanes. |reads|: which elements of these are there.
static inline __attribute__((always_inline)) JOIN(vec, ID)
    JOIN(pick_some, ID)(const int apart, const T* from, const __mmask16* reads) {
  __m512i x = _mm512_setzero_si512();
  OYI_UNROLL
  for (int j = 0; j < apart; j++) {
    uint32_t lanes = 0;
    for (int i = 0; i < LANES; i++) lanes |= (uint32_t)(i * apart / LANES == j) << i;
    const T* at = from + j * LANES;
    if (sizeof(T) == sizeof(float)) {
      const __m512i places = _mm512_mullo_epi32(
          _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
          _mm512_set1_epi32(apart));
      x = _mm512_mask_permutexvar_epi32(x, (__mmask16)lanes, places,
                                        _mm512_maskz_loadu_epi32(reads[j], at));
    } else {
      const __m512i places = _mm512_mullo_epi64(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7),
                                                _mm512_set1_epi64(apart));
      x = _mm512_mask_permutexvar_epi64(x, (__mmask8)lanes, places,
                                        _mm512_maskz_loadu_epi64((__mmask8)reads[j], at));
    }
  }
  return (JOIN(vec, ID))x;
}

static inline __attribute__((always_inline)) void JOIN(pick_by,
                                                       ID)(const int apart, const T* from,
                                                           int64_t step, int64_t rows,
                                                           int64_t count, T* to,
                                                           int64_t pitch) {
  enum { MOST = 5 };
  const int64_t last = (count - 1) / LANES * LANES, left = (count - 1 - last) * apart + 1;
  __mmask16 all[MOST], some[MOST];
  for (int j = 0; j < apart; j++) {
    const int64_t more = left - j * LANES;
    all[j] = (__mmask16)~0u;
    some[j] = (__mmask16)(more >= LANES ? ~0u : more > 0 ? (1u << more) - 1 : 0);
  }
  for (; rows > 0; rows--, from += step, to += pitch) {
    for (int64_t i = 0; i < last; i += LANES) {
      const JOIN(vec, ID) x = JOIN(pick_some, ID)(apart, from + i * apart, all);
      memcpy(to + i, &x, TILE_BYTES);
    }
    JOIN(put_some, ID)
    (JOIN(pick_some, ID)(apart, from + last * apart, some), 0, count - last, to + last);
  }
}
#endif

static void JOIN(pick, ID)(const void* from_, int64_t step, int64_t rows, int64_t count,
                           int64_t apart, void* to_, int64_t pitch) {
  const T* from = from_;
  T* to = to_;
#if TILE_BYTES == 64
  switch (apart) {
    case 3: JOIN(pick_by, ID)(3, from, step, rows, count, to, pitch); return;
    case 4: JOIN(pick_by, ID)(4, from, step, rows, count, to, pitch); return;
    case 5: JOIN(pick_by, ID)(5, from, step, rows, count, to, pitch); return;
    default: break;
  }
#endif
  for (; rows > 0; rows--, from += step, to += pitch)
    for (int64_t i = 0; i < count; i++) to[i] = from[i * apart];
}

// No more than |LANES| pairs.
static inline void JOIN(split_few, ID)(const T* from, int64_t count, T* first,
                                       T* second) {
#if TILE_BYTES == 64 && defined(__GNUC__) && !defined(__clang__)
  JOIN(mask, ID) even;
  for (int i = 0; i < LANES; i++) even[i] = 2 * i;
  const int64_t all = 2 * count, low = all < LANES ? all : LANES;
  const JOIN(vec, ID) a = JOIN(get_some, ID)(from, low);
  const JOIN(vec, ID) b = JOIN(get_some, ID)(from + low, all - low);
  JOIN(put_some, ID)(__builtin_shuffle(a, b, even), 0, count, first);
  JOIN(put_some, ID)(__builtin_shuffle(a, b, even + 1), 0, count, second);
#else
  for (int64_t i = 0; i < count; i++) first[i] = from[2 * i], second[i] = from[2 * i + 1];
#endif
}

static void JOIN(split, ID)(const void* from_, int64_t step, int64_t rows, int64_t count,
                            void* first_, void* second_, int64_t pitch) {
  const T* from = from_;
  T *first = first_, *second = second_;
  for (; rows > 0; rows--, from += step, first += pitch, second += pitch) {
    if (count <= LANES) {
      JOIN(split_few, ID)(from, count, first, second);
      continue;
    }
    for (int64_t x = 0; x < count; x += LANES) {
      const int64_t i = x + LANES <= count ? x : count - LANES;  // some again
      const JOIN(vec, ID) a = JOIN(second, ID)(from + 2 * i, 0);
      const JOIN(vec, ID) b = JOIN(second, ID)(from + 2 * i, 1);
      memcpy(first + i, &a, TILE_BYTES);
      memcpy(second + i, &b, TILE_BYTES);
    }
  }
}

// The first elements of both in turns, then the last.
static inline __attribute__((always_inline)) void JOIN(zip, ID)(JOIN(vec, ID) * low,
                                                                JOIN(vec, ID) * high) {
  const JOIN(vec, ID) a = *low, b = *high;
#if defined(__GNUC__) && !defined(__clang__)
  JOIN(mask, ID) first, second;
  OYI_UNROLL
  for (int i = 0; i < LANES; i++) {
    first[i] = i / 2 + (i & 1 ? LANES : 0);
    second[i] = first[i] + LANES / 2;
  }
  *low = __builtin_shuffle(a, b, first);
  *high = __builtin_shuffle(a, b, second);
#else
  OYI_UNROLL
  for (int i = 0; i < LANES; i++) {
    (*low)[i] = i & 1 ? b[i / 2] : a[i / 2];
    (*high)[i] = i & 1 ? b[(i + LANES) / 2] : a[(i + LANES) / 2];
  }
#endif
}

static void JOIN(zip_lines, ID)(const void* first, const void* second, int64_t pitch,
                                int64_t rows, int64_t from, int64_t count, void* out,
                                int64_t step) {
  const T *a = (const T*)first + (from + 1) / 2, *b = (const T*)second + (from + 1) / 2;
  T* to = out;
  JOIN(vec, ID) low, high;
  for (; rows > 0; rows--, a += pitch, b += pitch, to += step) {
    int64_t i = 0;
    if (from & 1 && count > 0) to[i++] = b[-1];
    const int64_t odd = i;
    for (; i + 2 * LANES <= count; i += 2 * LANES) {
      memcpy(&low, a + i / 2, TILE_BYTES);
      memcpy(&high, b + i / 2, TILE_BYTES);
      JOIN(zip, ID)(&low, &high);
      memcpy(to + i, &low, TILE_BYTES);
      memcpy(to + i + LANES, &high, TILE_BYTES);
    }
    const int64_t left = count - i, at = (i - odd) / 2;
    low = JOIN(get_some, ID)(a + at, (left + 1) / 2);
    high = JOIN(get_some, ID)(b + at, left / 2);
    JOIN(zip, ID)(&low, &high);
    JOIN(put_some, ID)(low, 0, left < LANES ? left : LANES, to + i);
    if (left > LANES) JOIN(put_some, ID)(high, 0, left - LANES, to + i + LANES);
  }
}

// The compiler makes vectors of three or four neighbours.
static void JOIN(mix, ID)(const void* lines, int64_t pitch, int64_t together,
                          int64_t count, void* out_) {
  const T *a = lines, *b = a + pitch, *c = b + pitch;
  const T* d = together > 3 ? c + pitch : c;
  T* restrict out = out_;
  if (together == 3)
    for (int64_t i = 0; i < count; i++) {
      out[3 * i] = a[i], out[3 * i + 1] = b[i];
      out[3 * i + 2] = c[i];
    }
  else
    for (int64_t i = 0; i < count; i++) {
      out[4 * i] = a[i], out[4 * i + 1] = b[i];
      out[4 * i + 2] = c[i], out[4 * i + 3] = d[i];
    }
}
