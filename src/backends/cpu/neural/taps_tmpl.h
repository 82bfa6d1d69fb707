// SPDX-License-Identifier: Apache-2.0
// Resampling of one image of elements T with weights W, named by ID: included once for each
// type. See taps.c.

// The rows that the places |d| and |h| see: one as it lies, or the sum of them in |room|.
static const T* JOIN(gather_rows, ID)(const walk* a, const T* image, int64_t d, int64_t h,
                                      T* room) {
  const oyi_taps *td = &a->taps[0], *th = &a->taps[1];
  const W *wd = a->weight[0], *wh = a->weight[1];
  const int64_t width = a->r->in[2], height = a->r->in[1];
  for (int64_t p = d * td->count; p < (d + 1) * td->count; p++) {
    const T* plane = image + td->index[p] * height * width;
    const int64_t first = h * th->count;
    const T* in = plane + th->index[first] * width;
    if (!wd && !wh) return in;
    const W by = wd ? wd[p] : 1, one = by * (wh ? wh[first] : 1);
    const bool is_first = p == d * td->count;
    const int64_t end = taps_end(th, h);
    int64_t q = first + 1;
    if (is_first && q < end) {
      const T* next = plane + th->index[q] * width;
      const W two = by * wh[q++];
      for (int64_t i = 0; i < width; i++) room[i] = one * in[i] + two * next[i];
    } else if (is_first) {
      for (int64_t i = 0; i < width; i++) room[i] = one * in[i];
    } else {
      for (int64_t i = 0; i < width; i++) room[i] += one * in[i];
    }
    for (; q < end; q++) {
      const T* more = plane + th->index[q] * width;
      const W share = by * wh[q];
      for (int64_t i = 0; i < width; i++) room[i] += share * more[i];
    }
  }
  return room;
}

// A line of the output from place |x| on, each element of |count| of |row|.
static inline __attribute__((always_inline)) void JOIN(gather_line, ID)(
    const oyi_taps* tw, const W* weight, const T* row, int64_t x, int64_t count, T* to) {
  for (; x < tw->places; x++) {
    const W* by = weight + x * count;
    const int64_t* at = tw->index + x * count;
    T sum = by[0] * row[at[0]];
    UNROLL for (int64_t p = 1; p < count; p++) sum += by[p] * row[at[p]];
    to[x] = sum;
  }
}

// The same, where each place has a number of its own.
static void JOIN(gather_spans, ID)(const oyi_taps* tw, const W* weight, const T* row,
                                   T* to) {
  for (int64_t x = 0; x < tw->places; x++) {
    int64_t p = x * tw->count;
    T sum = weight[p] * row[tw->index[p]];
    for (p++; p < taps_end(tw, x); p++) sum += weight[p] * row[tw->index[p]];
    to[x] = sum;
  }
}

static void JOIN(apply, ID)(const walk* a, const void* in, int64_t d, int64_t h, void* to,
                            void* room) {
  const oyi_taps* tw = &a->taps[2];
  const W* weight = a->weight[2];
  const T* row = JOIN(gather_rows, ID)(a, in, d, h, room);
  const int64_t done = PAIRS(tw->index, weight, row, a->paired, to);
  // Linear and cubic ones are worth a loop without a loop inside.
  if (!weight) {
    for (int64_t x = 0; x < tw->places; x++) ((T*)to)[x] = row[tw->index[x]];
  } else if (tw->used) {
    JOIN(gather_spans, ID)(tw, weight, row, to);
  } else if (tw->count == 2) {
    JOIN(gather_line, ID)(tw, weight, row, done, 2, to);
  } else if (tw->count == 4) {
    JOIN(gather_line, ID)(tw, weight, row, 0, 4, to);
  } else {
    JOIN(gather_line, ID)(tw, weight, row, 0, tw->count, to);
  }
}

static void JOIN(scatter_rows, ID)(const walk* a, const T* row, int64_t d, int64_t h,
                                   T* image) {
  const oyi_taps *td = &a->taps[0], *th = &a->taps[1];
  const W *wd = a->weight[0], *wh = a->weight[1];
  const int64_t width = a->r->in[2];
  for (int64_t p = d * td->count; p < (d + 1) * td->count; p++)
    for (int64_t q = h * th->count; q < taps_end(th, h); q++) {
      const W by = (wd ? wd[p] : 1) * (wh ? wh[q] : 1);
      T* to = image + (td->index[p] * a->r->in[1] + th->index[q]) * width;
      for (int64_t i = 0; i < width; i++) to[i] += by * row[i];
    }
}

static inline __attribute__((always_inline)) void JOIN(scatter_line,
                                                       ID)(const oyi_taps* tw,
                                                           const W* weight, const T* from,
                                                           int64_t width, int64_t count,
                                                           T* row) {
  for (int64_t x = 0; x < width; x++)
    UNROLL for (int64_t p = 0; p < count; p++) row[tw->index[x * count + p]] +=
        weight[x * count + p] * from[x];
}

static void JOIN(scatter_spans, ID)(const oyi_taps* tw, const W* weight, const T* from,
                                    T* row) {
  for (int64_t x = 0; x < tw->places; x++)
    for (int64_t p = x * tw->count; p < taps_end(tw, x); p++)
      row[tw->index[p]] += weight[p] * from[x];
}

static void JOIN(spread, ID)(const walk* a, const void* grad, void* out, void* room) {
  const oyi_taps* tw = &a->taps[2];
  const W* weight = a->weight[2];
  const int64_t width = a->r->out[2];
  const T* from = grad;
  T* row = room;
  for (int64_t d = 0; d < a->r->out[0]; d++)
    for (int64_t h = 0; h < a->r->out[1]; h++, from += width) {
      memset(row, 0, (size_t)a->r->in[2] * sizeof(T));
      if (!weight)
        for (int64_t x = 0; x < width; x++) row[tw->index[x]] += from[x];
      else if (tw->used)
        JOIN(scatter_spans, ID)(tw, weight, from, row);
      else if (tw->count == 2)
        JOIN(scatter_line, ID)(tw, weight, from, width, 2, row);
      else
        JOIN(scatter_line, ID)(tw, weight, from, width, tw->count, row);
      JOIN(scatter_rows, ID)(a, row, d, h, out);
    }
}

// ---------------------------------------------------------------- nearest neighbours

// |rows| lines of |width|, one after the other, added up: the line itself, or |room|.
static const T* JOIN(add_lines, ID)(const T* from, int64_t width, int64_t rows, T* room) {
  if (rows == 1) return from;
  for (int64_t x = 0; x < width; x++) room[x] = from[x] + from[width + x];
  for (int64_t k = 2; k < rows; k++)
    for (int64_t x = 0; x < width; x++) room[x] += from[k * width + x];
  return room;
}

// Element i gets what lies from begin[i] to below begin[i + 1].
static void JOIN(add_ranges, ID)(const walk* a, const T* from, T* to) {
  const int64_t* begin = a->begin;
  const int64_t width = a->r->in[2];
  if (a->each == 1)
    for (int64_t i = 0; i < width; i++) to[i] += from[i];
  else if (a->each == 2)
    for (int64_t i = 0; i < width; i++) to[i] += from[2 * i] + from[2 * i + 1];
  else
    for (int64_t i = 0; i < width; i++) {
      T sum = 0;
      for (int64_t x = begin[i]; x < begin[i + 1]; x++) sum += from[x];
      to[i] += sum;
    }
}

// The same where each place sees one, and neighbours see the same one or neighbours: lines
// are added up before their elements are.
static void JOIN(spread_nearest, ID)(const walk* a, const void* grad, void* out,
                                     void* room) {
  const int64_t *at_d = a->taps[0].index, *at_h = a->taps[1].index;
  const int64_t height = a->r->out[1], width = a->r->out[2];
  const T* from = grad;
  for (int64_t d = 0; d < a->r->out[0]; d++)
    for (int64_t h = 0, rows; h < height; h += rows, from += rows * width) {
      for (rows = 1; h + rows < height && at_h[h + rows] == at_h[h];) rows++;
      T* to = (T*)out + (at_d[d] * a->r->in[1] + at_h[h]) * a->r->in[2];
      JOIN(add_ranges, ID)(a, JOIN(add_lines, ID)(from, width, rows, room), to);
    }
}
