// SPDX-License-Identifier: Apache-2.0
// Windows over one image of elements T, named by ID: included once for each type. See
// pool.c.

static void JOIN(max, ID)(const windows* w, const void* image, void* out,
                          int64_t* indices) {
  T* to = out;
  for (int64_t d = 0; d < w->out[0]; d++)
    for (int64_t h = 0; h < w->out[1]; h++)
      for (int64_t x = 0; x < w->out[2]; x++) {
        const range rd = w->ranges[0][d], rh = w->ranges[1][h], rw = w->ranges[2][x];
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
        *to++ = best;
        *indices++ = at;
      }
}

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
