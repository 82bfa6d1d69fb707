// SPDX-License-Identifier: Apache-2.0
// Tiles of windows by a vector of maps, part of conv_tiles_tmpl.h: each window's element of
// the image goes with all of them.

static inline __attribute__((always_inline)) void JOIN(windows, ID)(
    int blocks, int apart, int places, const oyi_conv_taps* taps, const T* weights,
    const T* image, const int64_t* offsets, T* sums) {
  JOIN(vec, ID) all[TILE_PLACES][2] = {{{0}}}, y[2];
  if (taps->more) JOIN(take_sums, ID)(blocks, places, sums, all);
  for (int64_t c = 0; c < taps->channels; c++)
    for (int64_t d = 0; d < taps->planes; d++) {
      const int64_t first = c * taps->channel_step + d * taps->plane_step;
      const T* w = weights + first * LANES;
      int64_t at = 0;  // in the line
      for (int64_t k = first; k < first + taps->run; k++, w += LANES) {
        const T* x = image + offsets[k];
        OYI_UNROLL
        for (int j = 0; j < blocks; j++) memcpy(&y[j], w + j * taps->other, TILE_BYTES);
        if ((uint64_t)(at - taps->first_from) < (uint64_t)taps->first_count) {
          OYI_UNROLL
          for (int j = 0; j < blocks; j++) all[0][j] += x[0] * y[j];
        }
        OYI_UNROLL
        for (int i = 1; i < places - 1; i++) {
          OYI_UNROLL
          for (int j = 0; j < blocks; j++) all[i][j] += x[i * apart] * y[j];
        }
        if (places > 1 && (uint64_t)(at - taps->last_from) < (uint64_t)taps->last_count) {
          OYI_UNROLL
          for (int j = 0; j < blocks; j++)
            all[places - 1][j] += x[(places - 1) * apart] * y[j];
        }
        at = at + 1 == taps->line ? 0 : at + 1;
      }
    }
  JOIN(put_sums, ID)(blocks, places, all, sums);
}

#define CASE(blocks, apart, count)                                                \
  case count:                                                                     \
    JOIN(windows, ID)(blocks, apart, count, taps, weights, image, offsets, sums); \
    break;
static void JOIN(two_maps, ID)(const oyi_conv_taps* taps, const T* weights,
                               const T* image, const int64_t* offsets, int64_t places,
                               T* sums) {
  switch (places) {
    // clang-format off
    CASE(2, 1, 1) CASE(2, 1, 2) CASE(2, 1, 3) CASE(2, 1, 4) CASE(2, 1, 5)
    CASE(2, 1, 6)
#if TILE_PLACES > 12
    CASE(2, 1, 7) CASE(2, 1, 8) CASE(2, 1, 9) CASE(2, 1, 10) CASE(2, 1, 11)
    CASE(2, 1, 12) CASE(2, 1, 13) CASE(2, 1, 14)
#endif
    // clang-format on
  }
}
static void JOIN(two_apart, ID)(const oyi_conv_taps* taps, const T* weights,
                                const T* image, const int64_t* offsets, int64_t places,
                                T* sums) {
  switch (places) {
    // clang-format off
    CASE(2, 2, 1) CASE(2, 2, 2) CASE(2, 2, 3) CASE(2, 2, 4) CASE(2, 2, 5)
    CASE(2, 2, 6)
#if TILE_PLACES > 12
    CASE(2, 2, 7) CASE(2, 2, 8) CASE(2, 2, 9) CASE(2, 2, 10) CASE(2, 2, 11)
    CASE(2, 2, 12) CASE(2, 2, 13) CASE(2, 2, 14)
#endif
    // clang-format on
  }
}
static void JOIN(one_maps, ID)(const oyi_conv_taps* taps, const T* weights,
                               const T* image, const int64_t* offsets, int64_t places,
                               T* sums) {
  switch (places) {
    // clang-format off
    CASE(1, 1, 1) CASE(1, 1, 2) CASE(1, 1, 3) CASE(1, 1, 4) CASE(1, 1, 5)
    CASE(1, 1, 6) CASE(1, 1, 7) CASE(1, 1, 8) CASE(1, 1, 9) CASE(1, 1, 10)
    CASE(1, 1, 11) CASE(1, 1, 12)
#if TILE_PLACES > 12
    CASE(1, 1, 13) CASE(1, 1, 14) CASE(1, 1, 15) CASE(1, 1, 16) CASE(1, 1, 17)
    CASE(1, 1, 18) CASE(1, 1, 19) CASE(1, 1, 20) CASE(1, 1, 21) CASE(1, 1, 22)
    CASE(1, 1, 23) CASE(1, 1, 24) CASE(1, 1, 25) CASE(1, 1, 26) CASE(1, 1, 27)
    CASE(1, 1, 28)
#endif
    // clang-format on
  }
}
static void JOIN(one_apart, ID)(const oyi_conv_taps* taps, const T* weights,
                                const T* image, const int64_t* offsets, int64_t places,
                                T* sums) {
  switch (places) {
    // clang-format off
    CASE(1, 2, 1) CASE(1, 2, 2) CASE(1, 2, 3) CASE(1, 2, 4) CASE(1, 2, 5)
    CASE(1, 2, 6) CASE(1, 2, 7) CASE(1, 2, 8) CASE(1, 2, 9) CASE(1, 2, 10)
    CASE(1, 2, 11) CASE(1, 2, 12)
#if TILE_PLACES > 12
    CASE(1, 2, 13) CASE(1, 2, 14) CASE(1, 2, 15) CASE(1, 2, 16) CASE(1, 2, 17)
    CASE(1, 2, 18) CASE(1, 2, 19) CASE(1, 2, 20) CASE(1, 2, 21) CASE(1, 2, 22)
    CASE(1, 2, 23) CASE(1, 2, 24) CASE(1, 2, 25) CASE(1, 2, 26) CASE(1, 2, 27)
    CASE(1, 2, 28)
#endif
    // clang-format on
  }
}
#undef CASE

static void JOIN(maps, ID)(const oyi_conv_taps* taps, const void* weights,
                           const void* image, const int64_t* offsets, int64_t places,
                           void* sums) {
  _Static_assert(TILE_PLACES == 12 || TILE_PLACES == 28, "each has its own loop");
  if (taps->other && taps->apart == 2)
    JOIN(two_apart, ID)(taps, weights, image, offsets, places, sums);
  else if (taps->other)
    JOIN(two_maps, ID)(taps, weights, image, offsets, places, sums);
  else if (taps->apart == 2)
    JOIN(one_apart, ID)(taps, weights, image, offsets, places, sums);
  else
    JOIN(one_maps, ID)(taps, weights, image, offsets, places, sums);
}

// Row |low| and row |high|, |half| behind it, with blocks of |half| elements exchanged.
static inline __attribute__((always_inline)) void JOIN(exchange,
                                                       ID)(int half, JOIN(vec, ID) * low,
                                                           JOIN(vec, ID) * high) {
  const JOIN(vec, ID) a = *low, b = *high;
#if defined(__GNUC__) && !defined(__clang__)
  JOIN(mask, ID) first, second;
  OYI_UNROLL
  for (int i = 0; i < LANES; i++) {
    first[i] = i & half ? LANES + i - half : i;
    second[i] = i & half ? LANES + i : i + half;
  }
  *low = __builtin_shuffle(a, b, first);
  *high = __builtin_shuffle(a, b, second);
#else
  OYI_UNROLL
  for (int i = 0; i < LANES; i++) {
    (*low)[i] = i & half ? b[i & ~half] : a[i];
    (*high)[i] = i & half ? b[i] : a[i | half];
  }
#endif
}

static inline __attribute__((always_inline)) void JOIN(exchange_all,
                                                       ID)(int half,
                                                           JOIN(vec, ID) * rows) {
  OYI_UNROLL
  for (int i = 0; i < LANES; i++)
    if (!(i & half)) JOIN(exchange, ID)(half, &rows[i], &rows[i | half]);
}

// Rows as columns. A loop over |half| would make its vectors of numbers again and again.
static inline __attribute__((always_inline)) void JOIN(turn, ID)(JOIN(vec, ID) * rows) {
  _Static_assert(LANES <= 16, "no half is greater than 8");
  JOIN(exchange_all, ID)(1, rows);
  if (LANES > 2) JOIN(exchange_all, ID)(2, rows);
  if (LANES > 4) JOIN(exchange_all, ID)(4, rows);
  if (LANES > 8) JOIN(exchange_all, ID)(8, rows);
}

// What of |x|, elements from |at| on, is in |from| to |to|, to |out|, which is for the
// first of these.
static inline __attribute__((always_inline)) void JOIN(put_part, ID)(JOIN(vec, ID) x,
                                                                     int64_t at,
                                                                     int64_t from,
                                                                     int64_t to, T* out) {
  const int64_t first = from > at ? from - at : 0,
                end = to - at < LANES ? to - at : LANES;
  if (end - first == LANES)
    memcpy(out + at - from, &x, TILE_BYTES);
  else if (end > first)
    JOIN(put_some, ID)(x, first, end, out + at + first - from);
}

static void JOIN(put_maps, ID)(const void* sums, int64_t maps, int64_t from,
                               int64_t count, const void* bias_, int64_t step,
                               void* out) {
  const T* bias = bias_;
  const int64_t to = from + count;
  for (int64_t at = from / LANES * LANES; at < to; at += LANES) {
    JOIN(vec, ID) rows[LANES];
    memcpy(rows, (const T*)sums + at * LANES, sizeof(rows));
    JOIN(turn, ID)(rows);
    for (int64_t i = 0; i < maps; i++) JOIN(put_part, ID)
    (bias ? rows[i] + bias[i] : rows[i], at, from, to, (T*)out + i * step);
  }
}

static void JOIN(put_pairs, ID)(const void* sums, int64_t other, int64_t maps,
                                int64_t from, int64_t count, const void* bias_,
                                int64_t step, void* out) {
  const T* bias = bias_;
  const int64_t to = from + count;
  for (int64_t at = from / 2 / LANES * LANES; 2 * at < to; at += LANES) {
    JOIN(vec, ID) rows[LANES], others[LANES];
    memcpy(rows, (const T*)sums + at * LANES, sizeof(rows));
    memcpy(others, (const T*)sums + other + at * LANES, sizeof(others));
    JOIN(turn, ID)(rows);
    JOIN(turn, ID)(others);
    for (int64_t i = 0; i < maps; i++) {
      JOIN(vec, ID) a = rows[i], b = others[i];
      if (bias) a += bias[i], b += bias[i];
      JOIN(zip, ID)(&a, &b);
      JOIN(put_part, ID)(a, 2 * at, from, to, (T*)out + i * step);
      JOIN(put_part, ID)(b, 2 * at + LANES, from, to, (T*)out + i * step);
    }
  }
}

static inline __attribute__((always_inline)) void JOIN(pack, ID)(int wide, const T* in,
                                                                 int64_t count,
                                                                 int64_t step,
                                                                 int64_t length, T* out) {
  int64_t at = 0;
  for (; wide <= LANES && at + LANES <= length; at += LANES) {
    JOIN(vec, ID) rows[LANES];
    OYI_UNROLL
    for (int i = 0; i < LANES; i++) {
      rows[i] = (JOIN(vec, ID)){0};
      if (i < count) memcpy(&rows[i], in + i * step + at, TILE_BYTES);
    }
    JOIN(turn, ID)(rows);
    OYI_UNROLL
    for (int i = 0; i < LANES; i++)
      memcpy(out + (at + i) * wide, &rows[i], (size_t)wide * sizeof(T));
  }
  if (wide <= LANES && length - at > LANES / 4) {
    JOIN(vec, ID) rows[LANES];
    OYI_UNROLL
    for (int i = 0; i < LANES; i++) {
      rows[i] = (JOIN(vec, ID)){0};
      if (i < count) rows[i] = JOIN(get_some, ID)(in + i * step + at, length - at);
    }
    JOIN(turn, ID)(rows);
    for (int i = 0; at < length; i++, at++)
      memcpy(out + at * wide, &rows[i], (size_t)wide * sizeof(T));
  }
  for (; at < length; at++)
    for (int64_t i = 0; i < wide; i++)
      out[at * wide + i] = i < count ? in[i * step + at] : 0;
}
static void JOIN(pack_lanes, ID)(const void* in, int64_t count, int64_t step,
                                 int64_t length, void* out) {
  JOIN(pack, ID)(LANES, in, count, step, length, out);
}
static void JOIN(pack_rows, ID)(const void* in, int64_t count, int64_t step,
                                int64_t length, void* out) {
  JOIN(pack, ID)(TILE_ROWS, in, count, step, length, out);
}
