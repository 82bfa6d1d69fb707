// SPDX-License-Identifier: Apache-2.0
// Windows over one image of elements T, named by ID: included once for each type. See
// pool.c.

// The window of one place.
static inline void JOIN(max_window, ID)(const windows* w, const void* image, range rd,
                                        range rh, range rw, T* out, int64_t* index) {
  int64_t at = (rd.from * w->in[1] + rh.from) * w->in[2] + rw.from;
  T best = LEAST;
  for (int64_t i = rd.from; i < rd.to; i += w->step[0])
    for (int64_t j = rh.from; j < rh.to; j += w->step[1]) {
      const T* row = (const T*)image + (i * w->in[1] + j) * w->in[2];
      for (int64_t k = rw.from; k < rw.to; k += w->step[2])
        if (row[k] > best || IS_NAN(row[k])) {
          best = row[k];
          at = (i * w->in[1] + j) * w->in[2] + k;
        }
    }
  // NOLINT: an output with elements has data
  *out = best;
  *index = at;
}

#ifdef INT
typedef T JOIN(vec, ID) __attribute__((vector_size(16)));
typedef INT JOIN(places, ID) __attribute__((vector_size(16)));
#define LANES ((int64_t)(16 / sizeof(T)))

// The elements of neighbouring windows, |advance| apart. Two apart they are every second
// one of two vectors, the second no further than the last of them.
static inline __attribute__((always_inline)) JOIN(vec, ID)
    JOIN(lanes, ID)(const T* from, int64_t advance) {
  JOIN(vec, ID) v, late;
  if (advance == 1) {
    memcpy(&v, from, sizeof(v));
  } else if (advance == 2) {
    memcpy(&v, from, sizeof(v));
    memcpy(&late, from + LANES - 1, sizeof(late));
    v = __builtin_shufflevector(v, late, LATE_ODD);
  } else {
    for (int64_t x = 0; x < LANES; x++) v[x] = from[x * advance];
  }
  return v;
}

// What was taken in one lane and what in another, as if seen in the order of their places:
// the last NaN, or the first of the greatest.
static inline bool JOIN(is_before, ID)(T best, int64_t at, T value, int64_t here) {
  if (IS_NAN(value)) return !IS_NAN(best) || here > at;
  return value > best || (value == best && here < at);
}

// Where |n| elements, 2 * LANES or more, begin, a vector at a time; the last one lies over those
// before it.
#define EACH_VECTOR(x, n, v, ...)                             \
  for (int64_t k_ = 0; k_ < (n); k_ += LANES) {               \
    JOIN(vec, ID) v;                                          \
    const int64_t from_ = k_ + LANES <= (n) ? k_ : (n)-LANES; \
    memcpy(&v, (x) + from_, sizeof(v));                       \
    __VA_ARGS__;                                              \
  }
// The greatest of a window's numbers alone, which takes half of the steps; false: there is NaN.
static bool JOIN(greatest, ID)(const windows* w, const T* image, range rd, range rh,
                               range rw, T* out) {
  enum { CHAINS = 4 };
  JOIN(vec, ID) best[CHAINS];
  JOIN(places, ID) nan = {0};
  for (int c = 0; c < CHAINS; c++) best[c] = (JOIN(vec, ID)){0} + (T)LEAST;
#define TAKE(c, v)                                                   \
  do {                                                               \
    const JOIN(places, ID) more_ = (v) > best[c];                    \
    best[c] = (JOIN(vec, ID))((more_ & (JOIN(places, ID))(v)) |      \
                              (~more_ & (JOIN(places, ID))best[c])); \
    nan |= (v) != (v);                                               \
  } while (0)
  const int64_t n = rw.to - rw.from;
  for (int64_t i = rd.from; i < rd.to; i += w->step[0])
    for (int64_t j = rh.from; j < rh.to; j += w->step[1]) {
      const T* row = image + (i * w->in[1] + j) * w->in[2] + rw.from;
      int64_t k = 0;
      for (; k + CHAINS * LANES <= n; k += CHAINS * LANES) {
        JOIN(vec, ID) v[CHAINS];
        memcpy(v, row + k, sizeof(v));
        for (int c = 0; c < CHAINS; c++) TAKE(c, v[c]);
      }
      EACH_VECTOR(row + k, n - k, v, TAKE(1, v))
    }
#undef TAKE
  int64_t any = 0;
  *out = LEAST;
  for (int64_t k = 0; k < LANES; k++) {
    any |= nan[k];
    for (int c = 0; c < CHAINS; c++)
      if (best[c][k] > *out) *out = best[c][k];
  }
  return any == 0;
}

// The first place of a window that has |value|, which is there.
static int64_t JOIN(place_of, ID)(const windows* w, const T* image, range rd, range rh,
                                  range rw, T value) {
  const int64_t n = rw.to - rw.from;
  for (int64_t i = rd.from; i < rd.to; i += w->step[0])
    for (int64_t j = rh.from; j < rh.to; j += w->step[1]) {
      const int64_t at = (i * w->in[1] + j) * w->in[2] + rw.from;
      JOIN(places, ID) found = {0};
      int64_t any = 0;
      EACH_VECTOR(image + at, n, v, found |= v == value)
      for (int64_t k = 0; k < LANES; k++) any |= found[k];
      for (int64_t k = 0; any != 0 && k < n; k++)
        if (image[at + k] == value) return at + k;
    }
  return -1;
}

// A window whose rows are worth vectors: lane k sees every element whose number in its row
// is k more than a multiple of LANES.
static void JOIN(max_wide, ID)(const windows* w, const T* image, range rd, range rh,
                               range rw, T* out, int64_t* index) {
  if (JOIN(greatest, ID)(w, image, rd, rh, rw, out)) {
    *index = JOIN(place_of, ID)(w, image, rd, rh, rw, *out);
    *out = image[*index];  // of zeros the first, whatever its sign
    return;
  }
  const INT start = (INT)((rd.from * w->in[1] + rh.from) * w->in[2] + rw.from);
  JOIN(vec, ID) best;
  JOIN(places, ID) at, lane;
  for (int64_t k = 0; k < LANES; k++) best[k] = LEAST, at[k] = start, lane[k] = (INT)k;
  for (int64_t i = rd.from; i < rd.to; i += w->step[0])
    for (int64_t j = rh.from; j < rh.to; j += w->step[1]) {
      const int64_t line = (i * w->in[1] + j) * w->in[2];
      for (int64_t k = rw.from; k < rw.to; k += LANES) {
        // The last ones of a row are seen again by other lanes.
        const int64_t from = line + (k + LANES <= rw.to ? k : rw.to - LANES);
        JOIN(vec, ID) v;
        memcpy(&v, image + from, sizeof(v));
        const JOIN(places, ID) take = (v > best) | (v != v);
        best = (JOIN(vec, ID))((take & (JOIN(places, ID))v) |
                               (~take & (JOIN(places, ID))best));
        at = (take & (lane + (INT)from)) | (~take & at);
      }
    }
  T found = best[0];
  int64_t place = at[0];
  for (int64_t k = 1; k < LANES; k++)
    if (JOIN(is_before, ID)(found, place, best[k], at[k])) found = best[k], place = at[k];
  *out = found;
  *index = place;
}

// As many neighbouring windows of one form as a vector has lanes; without a branch, since
// nobody can say which element is the greatest.
static inline __attribute__((always_inline)) void JOIN(max_lanes, ID)(
    const windows* w, const T* image, range rd, range rh, range rw, int64_t advance,
    T* out, int64_t* indices) {
  JOIN(vec, ID) best;
  JOIN(places, ID) at, lane;
  const INT start = (INT)((rd.from * w->in[1] + rh.from) * w->in[2] + rw.from);
  for (int64_t x = 0; x < LANES; x++) best[x] = LEAST, lane[x] = (INT)(x * advance);
  at = lane + start;
  for (int64_t i = rd.from; i < rd.to; i += w->step[0])
    for (int64_t j = rh.from; j < rh.to; j += w->step[1]) {
      const int64_t line = (i * w->in[1] + j) * w->in[2];
      for (int64_t k = rw.from; k < rw.to; k += w->step[2]) {
        const JOIN(vec, ID) v = JOIN(lanes, ID)(image + line + k, advance);
        const JOIN(places, ID) take = (v > best) | (v != v);
        best = (JOIN(vec, ID))((take & (JOIN(places, ID))v) |
                               (~take & (JOIN(places, ID))best));
        at = (take & (lane + (INT)(line + k))) | (~take & at);
      }
    }
  memcpy(out, &best, sizeof(best));
  for (int64_t x = 0; x < LANES; x++) indices[x] = at[x];
}

// The compiler should see the common distances.
static void JOIN(max_some, ID)(const windows* w, const T* image, range rd, range rh,
                               range rw, T* out, int64_t* indices) {
  if (w->advance == 1)
    JOIN(max_lanes, ID)(w, image, rd, rh, rw, 1, out, indices);
  else if (w->advance == 2)
    JOIN(max_lanes, ID)(w, image, rd, rh, rw, 2, out, indices);
  else
    JOIN(max_lanes, ID)(w, image, rd, rh, rw, w->advance, out, indices);
}
#endif

#ifdef INT
// Where as many alike windows as a vector has lanes begin that the |x|-th is one of: half
// of the last ones of a line may be computed again. -1: nowhere.
static inline int64_t JOIN(first_alike, ID)(const windows* w, int64_t x) {
  if (x < w->first || x + LANES / 2 > w->last || w->last - w->first < LANES) return -1;
  return x + LANES <= w->last ? x : w->last - LANES;
}
#endif

static void JOIN(max, ID)(const windows* w, const void* image, void* out,
                          int64_t* indices) {
  T* to = out;
  for (int64_t d = 0; d < w->out[0]; d++)
    for (int64_t h = 0; h < w->out[1]; h++, to += w->out[2], indices += w->out[2])
      for (int64_t x = 0; x < w->out[2]; x++) {
        const range rd = w->ranges[0][d], rh = w->ranges[1][h], rw = w->ranges[2][x];
#ifdef INT
        // Of windows that lie further apart lanes are brought together one by one.
        const int64_t at = JOIN(first_alike, ID)(w, x), wide = rw.to - rw.from;
        if (w->is_small && w->step[2] == 1 &&
            wide >= (at < 0           ? 2 * LANES
                     : w->advance > 2 ? 4 * LANES
                                      : INT64_MAX)) {
          JOIN(max_wide, ID)(w, image, rd, rh, rw, to + x, indices + x);
          continue;
        }
        if (at >= 0) {
          JOIN(max_some, ID)
          (w, image, rd, rh, w->ranges[2][at], to + at, indices + at);
          x = at + LANES - 1;
          continue;
        }
#endif
        JOIN(max_window, ID)(w, image, rd, rh, rw, to + x, indices + x);
      }
}

static inline T JOIN(divisor, ID)(const windows* w, range d, range h, range x) {
  if (w->divisor) return (T)w->divisor;
  if (w->count_padding) return (T)(d.extent * h.extent * x.extent);
  return (T)((d.to - d.from) * (h.to - h.from) * (x.to - x.from));
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

// False if an index is none of the |room| elements of |out|.
static bool JOIN(scatter, ID)(const void* values, const int64_t* indices, int64_t n,
                              void* out, int64_t room, bool add) {
  const T* from = values;
  T* to = out;
  for (int64_t i = 0; i < n; i++) {
    if ((uint64_t)indices[i] >= (uint64_t)room) return false;
    to[indices[i]] = add ? ADD(to[indices[i]], from[i]) : from[i];
  }
  return true;
}
