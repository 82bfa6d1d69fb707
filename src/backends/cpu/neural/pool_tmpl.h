// SPDX-License-Identifier: Apache-2.0
// Windows over one image of elements T, named by ID: included once for each type. See
// pool.c.

static inline T JOIN(divisor, ID)(const windows* w, range d, range h, range x) {
  return (T)oyi_pool_divisor(w, d, h, x);
}

#ifdef INT
// The sums of as many neighbouring windows of one form as a vector has lanes.
static inline __attribute__((always_inline)) JOIN(vec, ID)
    JOIN(sum_lanes, ID)(const windows* w, const T* image, range rd, range rh, range rw,
                        int64_t advance) {
  JOIN(vec, ID) sum = {0};
  for (int64_t i = rd.from; i < rd.to; i++)
    for (int64_t j = rh.from; j < rh.to; j++) {
      const T* row = image + (i * w->in[1] + j) * w->in[2];
      for (int64_t k = rw.from; k < rw.to; k++) sum += JOIN(lanes, ID)(row + k, advance);
    }
  return sum;
}

static JOIN(vec, ID)
    JOIN(sum_some, ID)(const windows* w, const T* image, range rd, range rh, range rw) {
  if (w->advance == 1) return JOIN(sum_lanes, ID)(w, image, rd, rh, rw, 1);
  if (w->advance == 2) return JOIN(sum_lanes, ID)(w, image, rd, rh, rw, 2);
  return JOIN(sum_lanes, ID)(w, image, rd, rh, rw, w->advance);
}

enum { JOIN(WIDE, ID) = 4 * 16 / sizeof(T) };  // elements of four vectors

// The sum of one window whose rows are worth vectors.
static T JOIN(sum_wide, ID)(const windows* w, const T* image, range rd, range rh,
                            range rw) {
  JOIN(vec, ID) sums[4] = {{0}};
  T rest = 0;
  for (int64_t i = rd.from; i < rd.to; i++)
    for (int64_t j = rh.from; j < rh.to; j++) {
      const T* row = image + (i * w->in[1] + j) * w->in[2];
      int64_t k = rw.from;
      for (; k + JOIN(WIDE, ID) <= rw.to; k += JOIN(WIDE, ID))
        for (int64_t x = 0; x < 4; x++) {
          JOIN(vec, ID) v;
          memcpy(&v, row + k + x * LANES, sizeof(v));
          sums[x] += v;
        }
      for (; k < rw.to; k++) rest += row[k];
    }
  const JOIN(vec, ID) all = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  for (int64_t x = 0; x < LANES; x++) rest += all[x];
  return rest;
}
#endif

static inline T JOIN(sum_window, ID)(const windows* w, const T* image, range rd, range rh,
                                     range rw) {
#ifdef INT
  if (rw.to - rw.from >= JOIN(WIDE, ID)) return JOIN(sum_wide, ID)(w, image, rd, rh, rw);
#endif
  T sum = 0;
  for (int64_t i = rd.from; i < rd.to; i++)
    for (int64_t j = rh.from; j < rh.to; j++) {
      const T* row = image + (i * w->in[1] + j) * w->in[2];
      for (int64_t k = rw.from; k < rw.to; k++) sum = ADD(sum, row[k]);
    }
  return sum;
}

static void JOIN(average, ID)(const windows* w, const void* image, void* out,
                              int64_t* unused) {
  (void)unused;
  T* to = out;
  for (int64_t d = 0; d < w->out[0]; d++)
    for (int64_t h = 0; h < w->out[1]; h++, to += w->out[2])
      for (int64_t x = 0; x < w->out[2]; x++) {
        const range rd = w->ranges[0][d], rh = w->ranges[1][h], rw = w->ranges[2][x];
        if (rd.from >= rd.to || rh.from >= rh.to || rw.from >= rw.to) {
          to[x] = 0;
          continue;
        }
        const T by = JOIN(divisor, ID)(w, rd, rh, rw);
#ifdef INT
        const int64_t at = JOIN(first_alike, ID)(w, x);
        if (at >= 0 && rw.to - rw.from < JOIN(WIDE, ID)) {
          const JOIN(vec, ID) mean =
              JOIN(sum_some, ID)(w, image, rd, rh, w->ranges[2][at]) / by;
          memcpy(to + at, &mean, sizeof(mean));
          x = at + LANES - 1;
          continue;
        }
#endif
        to[x] = DIVIDE(JOIN(sum_window, ID)(w, image, rd, rh, rw), by);
      }
}
#undef LANES

// Adds |share| to a window of each line that it has; to nothing where windows are tiles.
static inline void JOIN(spread_window, ID)(const windows* w, T share, range rd, range rh,
                                           range rw, T* out) {
  const T alone = ADD((T)0, share);
  for (int64_t i = rd.from; i < rd.to; i++)
    for (int64_t j = rh.from; j < rh.to; j++) {
      T* row = out + (i * w->in[1] + j) * w->in[2];
      if (w->are_tiles)
        for (int64_t k = rw.from; k < rw.to; k++) row[k] = alone;
      else
        for (int64_t k = rw.from; k < rw.to; k++) row[k] = ADD(row[k], share);
    }
}

// Adds |shares| of |count| windows of |width| elements, |advance| apart, to a line: to an
// element in the order of the windows that it is in.
static inline __attribute__((always_inline)) void JOIN(spread_line,
                                                       ID)(const T* restrict shares,
                                                           int64_t count, int64_t advance,
                                                           int64_t width,
                                                           T* restrict line) {
  if (advance >= width)
    for (int64_t x = 0; x < count; x++)
      for (int64_t k = 0; k < width; k++)
        line[x * advance + k] = ADD(line[x * advance + k], shares[x]);
  else
    for (int64_t k = width; k-- > 0;)
      for (int64_t x = 0; x < count; x++)
        line[x * advance + k] = ADD(line[x * advance + k], shares[x]);
}

// The windows of a line that are alike: |from| has their gradients, |first| is the first.
static void JOIN(spread_alike, ID)(const windows* w, const T* from, int64_t count,
                                   range rd, range rh, range first, T* out) {
  enum { SOME = 64 };
  T shares[SOME];
  const T by = JOIN(divisor, ID)(w, rd, rh, first);
  const int64_t width = first.to - first.from, step = w->advance;
  for (int64_t x = 0; x < count; x += SOME) {
    const int64_t some = count - x < SOME ? count - x : SOME;
    for (int64_t i = 0; i < some; i++) shares[i] = DIVIDE(from[x + i], by);
    for (int64_t i = rd.from; i < rd.to; i++)
      for (int64_t j = rh.from; j < rh.to; j++) {
        T* line = out + (i * w->in[1] + j) * w->in[2] + first.from + x * step;
        if (step == 2 && width == 2)  // the compiler should see the common distances
          JOIN(spread_line, ID)(shares, some, 2, 2, line);
        else if (step == 1)
          JOIN(spread_line, ID)(shares, some, 1, width, line);
        else
          JOIN(spread_line, ID)(shares, some, step, width, line);
      }
  }
}

// |image| is the gradient of the output here, |out| that of the input.
static void JOIN(spread_average, ID)(const windows* w, const void* image, void* out,
                                     int64_t* unused) {
  (void)unused;
  const T* from = image;
  for (int64_t d = 0; d < w->out[0]; d++)
    for (int64_t h = 0; h < w->out[1]; h++, from += w->out[2])
      for (int64_t x = 0; x < w->out[2]; x++) {
        const range rd = w->ranges[0][d], rh = w->ranges[1][h], rw = w->ranges[2][x];
        if (rd.from >= rd.to || rh.from >= rh.to || rw.from >= rw.to) continue;
        if (x == w->first && w->last - x > rw.to - rw.from) {  // worth vectors of windows
          JOIN(spread_alike, ID)(w, from + x, w->last - x, rd, rh, rw, out);
          x = w->last - 1;
          continue;
        }
        const T share = DIVIDE(from[x], JOIN(divisor, ID)(w, rd, rh, rw));
        JOIN(spread_window, ID)(w, share, rd, rh, rw, out);
      }
}
