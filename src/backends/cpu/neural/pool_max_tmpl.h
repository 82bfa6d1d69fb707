// SPDX-License-Identifier: Apache-2.0
// The greatest elements of windows over one image of elements T, named by ID, and their
// places: included once for each type and width of vectors, after pool_lanes_tmpl.h.

#if defined(INT) && defined(__AVX2__)
// The window of one place by a lane, without a branch: nobody can say which of the first few
// elements are greater than those before. Later ones seldom are, and need not wait for them.
static inline void JOIN(max_few, ID)(const windows* w, const void* image, range rd,
                                     range rh, range rw, T* out, int64_t* index) {
  typedef T one __attribute__((vector_size(16)));
  typedef INT place __attribute__((vector_size(16)));
  one best = {LEAST};
  place at = {(INT)((rd.from * w->in[1] + rh.from) * w->in[2] + rw.from)};
  for (int64_t i = rd.from; i < rd.to; i += w->step[0])
    for (int64_t j = rh.from; j < rh.to; j += w->step[1]) {
      const int64_t line = (i * w->in[1] + j) * w->in[2];
      for (int64_t k = rw.from; k < rw.to; k += w->step[2]) {
        const one v = {((const T*)image)[line + k]};
        const place take = (v > best) | (v != v), here = {(INT)(line + k)};
        best = (one)((take & (place)v) | (~take & (place)best));
        at = (take & here) | (~take & at);
      }
    }
  *out = best[0];
  *index = at[0];
}
#endif

// The window of one place.
static inline void JOIN(max_window, ID)(const windows* w, const void* image, range rd,
                                        range rh, range rw, T* out, int64_t* index) {
#if defined(INT) && defined(__AVX2__)
  enum { MOST = 16 };
  const int64_t n = (rd.to - rd.from) * (rh.to - rh.from) * (rw.to - rw.from);
  if (n > 1 && n <= MOST) {
    JOIN(max_few, ID)(w, image, rd, rh, rw, out, index);
    return;
  }
#endif
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
