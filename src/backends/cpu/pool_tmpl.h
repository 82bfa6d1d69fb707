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

// As many neighbouring windows of one form as a vector has lanes; without a branch, since
// nobody can say which element is the greatest.
static inline void JOIN(max_lanes, ID)(const windows* w, const void* image, range rd,
                                       range rh, range rw, T* out, int64_t* indices) {
  JOIN(vec, ID) best;
  JOIN(places, ID) at;
  for (int64_t x = 0; x < LANES; x++) {
    best[x] = LEAST;
    at[x] = (INT)((rd.from * w->in[1] + rh.from) * w->in[2] + rw.from + x * w->advance);
  }
  for (int64_t i = rd.from; i < rd.to; i += w->step[0])
    for (int64_t j = rh.from; j < rh.to; j += w->step[1]) {
      const int64_t line = (i * w->in[1] + j) * w->in[2];
      for (int64_t k = rw.from; k < rw.to; k += w->step[2]) {
        const T* from = (const T*)image + line + k;
        JOIN(vec, ID) v;
        JOIN(places, ID) here;
        for (int64_t x = 0; x < LANES; x++) {
          v[x] = from[x * w->advance];
          here[x] = (INT)(line + k + x * w->advance);
        }
        const JOIN(places, ID) take = (v > best) | (v != v);
        best = (JOIN(vec, ID))((take & (JOIN(places, ID))v) |
                               (~take & (JOIN(places, ID))best));
        at = (take & here) | (~take & at);
      }
    }
  for (int64_t x = 0; x < LANES; x++) {
    out[x] = best[x];
    indices[x] = at[x];
  }
}
#endif

static void JOIN(max, ID)(const windows* w, const void* image, void* out,
                          int64_t* indices) {
  T* to = out;
  for (int64_t d = 0; d < w->out[0]; d++)
    for (int64_t h = 0; h < w->out[1]; h++)
      for (int64_t x = 0; x < w->out[2];) {
        const range rd = w->ranges[0][d], rh = w->ranges[1][h], rw = w->ranges[2][x];
        int64_t count = 1;
#ifdef INT
        if (x >= w->first && x + LANES <= w->last) {
          JOIN(max_lanes, ID)(w, image, rd, rh, rw, to, indices);
          count = LANES;
        } else
#endif
          JOIN(max_window, ID)(w, image, rd, rh, rw, to, indices);
        x += count, to += count, indices += count;
      }
}
#undef LANES

static inline T JOIN(divisor, ID)(const windows* w, range d, range h, range x) {
  if (w->divisor) return (T)w->divisor;
  if (w->count_padding) return (T)(d.extent * h.extent * x.extent);
  return (T)((d.to - d.from) * (h.to - h.from) * (x.to - x.from));
}

static void JOIN(average, ID)(const windows* w, const void* image, void* out,
                              int64_t* unused) {
  (void)unused;
  T* to = out;
  for (int64_t d = 0; d < w->out[0]; d++)
    for (int64_t h = 0; h < w->out[1]; h++)
      for (int64_t x = 0; x < w->out[2]; x++) {
        const range rd = w->ranges[0][d], rh = w->ranges[1][h], rw = w->ranges[2][x];
        T sum = 0;
        if (rd.from >= rd.to || rh.from >= rh.to || rw.from >= rw.to) {
          *to++ = 0;
          continue;
        }
        for (int64_t i = rd.from; i < rd.to; i++)
          for (int64_t j = rh.from; j < rh.to; j++) {
            const T* row = (const T*)image + (i * w->in[1] + j) * w->in[2];
            for (int64_t k = rw.from; k < rw.to; k++) sum = ADD(sum, row[k]);
          }
        *to++ = DIVIDE(sum, JOIN(divisor, ID)(w, rd, rh, rw));
      }
}

// |image| is the gradient of the output here, |out| that of the input.
static void JOIN(spread_average, ID)(const windows* w, const void* image, void* out,
                                     int64_t* unused) {
  (void)unused;
  const T* from = image;
  for (int64_t d = 0; d < w->out[0]; d++)
    for (int64_t h = 0; h < w->out[1]; h++)
      for (int64_t x = 0; x < w->out[2]; x++, from++) {
        const range rd = w->ranges[0][d], rh = w->ranges[1][h], rw = w->ranges[2][x];
        if (rd.from >= rd.to || rh.from >= rh.to || rw.from >= rw.to) continue;
        const T share = DIVIDE(*from, JOIN(divisor, ID)(w, rd, rh, rw));
        for (int64_t i = rd.from; i < rd.to; i++)
          for (int64_t j = rh.from; j < rh.to; j++) {
            T* row = (T*)out + (i * w->in[1] + j) * w->in[2];
            for (int64_t k = rw.from; k < rw.to; k++) row[k] = ADD(row[k], share);
          }
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
