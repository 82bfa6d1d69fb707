// SPDX-License-Identifier: Apache-2.0
// Rows as columns, part of conv_tiles_tmpl.h: to store tiles of maps, and to pack weights.

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
