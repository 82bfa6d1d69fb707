// SPDX-License-Identifier: Apache-2.0
// Images of two dimensions, sampled by cubic polynomials of 4 x 4 elements T, named by ID:
// included once for each type, after grid_sample_tmpl.h. INT is an integer of the size of T.
typedef T JOIN(four, ID) __attribute__((vector_size(4 * sizeof(T))));
typedef INT JOIN(masks, ID) __attribute__((vector_size(4 * sizeof(T))));

// Along one dimension: the four elements of each place, and how much they weigh. Where they
// are not neighbours, |mask| says which of them are elements at all: others are 0.
typedef struct JOIN(cubic_axis, ID) {
  JOIN(four, ID) weight[OYI_GRID_BLOCK];
  JOIN(four, ID)
  slope[OYI_GRID_BLOCK];  // of the weights with the coordinate, for gradients
  JOIN(masks, ID) mask[OYI_GRID_BLOCK];
  int32_t at[OYI_GRID_BLOCK][4];
  bool whole[OYI_GRID_BLOCK];  // all are there, side by side
} JOIN(cubic_axis, ID);

// A place of which an element is outside: each is found as it is padded.
static void JOIN(pad_cubic, ID)(const sampling* g, int p, int32_t first, int64_t size,
                                JOIN(cubic_axis, ID) * a) {
  const int32_t end = (int32_t)size - 1;
  for (int k = 0; k < 4; k++) {
    int32_t at = first + k;
    const bool inside = at >= 0 && at <= end;
    if (!inside && g->padding == PAD_REFLECTION)
      at = (int32_t)JOIN(moved_inside, ID)(g, (JOIN(place, ID)){(T)at, 1}, size).at;
    a->at[p][k] = at < 0 ? 0 : at > end ? end : at;
    a->mask[p][k] = inside || g->padding != PAD_ZEROS ? -1 : 0;
  }
}

// A place that is no number, or too far away for one.
static void JOIN(far_cubic, ID)(const sampling* g, int p, T coordinate, int64_t size,
                                JOIN(cubic_axis, ID) * a) {
  JOIN(line, ID) l;
  JOIN(cubic_line, ID)(g, JOIN(scaled, ID)(g, coordinate, size), size, &l);
  for (int k = 0; k < 4; k++) {
    a->at[p][k] = l.at[k] < 0 ? 0 : (int32_t)l.at[k];
    a->mask[p][k] = l.at[k] < 0 ? 0 : -1;
    a->weight[p][k] = l.weight[k];
  }
}

static inline __attribute__((always_inline)) void JOIN(find_cubic, ID)(
    const sampling* g, const T* from, int n, int64_t size, JOIN(cubic_axis, ID) * a) {
  enum { FAR = 1 << 20 };
  const T c = (T)-0.75;
  const JOIN(four, ID) cube = {c, c + 2, c + 2, c},
                       square = {-5 * c, -(c + 3), -(c + 3), -5 * c},
                       line = {8 * c, 0, 0, 8 * c}, one = {-4 * c, 1, 1, -4 * c};
  for (int p = 0; p < n; p++) {
    const T x = JOIN(scaled, ID)(g, from[2 * p], size).at;
    a->whole[p] = false;
    if (!(x > -FAR && x < (T)size + FAR)) {
      JOIN(far_cubic, ID)(g, p, from[2 * p], size, a);
      continue;
    }
    const int32_t cut = (int32_t)x, below = cut - ((T)cut > x), first = below - 1;
    const T t = x - (T)below;
    const JOIN(four, ID) d = {t + 1, t, 1 - t, 2 - t};
    a->weight[p] = ((cube * d + square) * d + line) * d + one;
    a->whole[p] = first >= 0 && first + 3 < size;
    a->at[p][0] = first;
    if (!a->whole[p]) JOIN(pad_cubic, ID)(g, p, first, size, a);
  }
}

static inline __attribute__((always_inline)) T JOIN(sum_of_four,
                                                    ID)(const JOIN(four, ID) * sum) {
  const JOIN(four, ID) x = *sum;
  return (x[0] + x[1]) + (x[2] + x[3]);
}

// The rows of the image of one place, weighed.
static inline __attribute__((always_inline)) T JOIN(take_cubic,
                                                    ID)(const JOIN(cubic_axis, ID) * x,
                                                        const JOIN(cubic_axis, ID) * y,
                                                        int p, const T* in,
                                                        int64_t width) {
  JOIN(four, ID) sum = {0};
  if (x->whole[p] && y->whole[p]) {
    const T* from = in + y->at[p][0] * width + x->at[p][0];
    for (int j = 0; j < 4; j++) {
      JOIN(four, ID) row;
      memcpy(&row, from + j * width, sizeof(row));
      sum += row * x->weight[p] * y->weight[p][j];
    }
  } else {
    for (int j = 0; j < 4; j++) {
      const bool is_row = y->whole[p] || y->mask[p][j] != 0;
      if (!is_row) continue;
      const int64_t line = y->whole[p] ? y->at[p][0] + j : y->at[p][j];
      const T* from = in + line * width;
      JOIN(four, ID) row;
      if (x->whole[p]) {
        memcpy(&row, from + x->at[p][0], sizeof(row));
      } else {
        const int32_t* at = x->at[p];
        row = (JOIN(four, ID)){from[at[0]], from[at[1]], from[at[2]], from[at[3]]};
        row = (JOIN(four, ID))((JOIN(masks, ID))row & x->mask[p]);
      }
      sum += row * x->weight[p] * y->weight[p][j];
    }
  }
  return JOIN(sum_of_four, ID)(&sum);
}

static inline __attribute__((always_inline)) void JOIN(cubic_plane,
                                                       ID)(const sampling* g, int64_t n,
                                                           int64_t first, int64_t last) {
  JOIN(cubic_axis, ID) x, y;
  const T* from = (const T*)g->places + (n * g->volume_out + first) * 2;
  const int count = (int)(last - first);
  JOIN(find_cubic, ID)(g, from, count, g->in[2], &x);
  JOIN(find_cubic, ID)(g, from + 1, count, g->in[1], &y);
  for (int64_t c = n * g->channels; c < (n + 1) * g->channels; c++) {
    const T* in = (const T*)g->input + c * g->volume_in;
    T* out = (T*)g->output + c * g->volume_out + first;
    for (int p = 0; p < count; p++)
      out[p] = JOIN(take_cubic, ID)(&x, &y, p, in, g->in[2]);
  }
}

// How much the weights of each place change with its coordinate.
static inline __attribute__((always_inline)) void JOIN(find_cubic_slopes, ID)(
    const sampling* g, const T* from, int n, int64_t size, JOIN(cubic_axis, ID) * a) {
  enum { FAR = 1 << 20 };
  const T c = (T)-0.75;
  const JOIN(four, ID) square = {3 * c, 3 * (c + 2), 3 * (c + 2), 3 * c},
                       line = {-10 * c, -2 * (c + 3), -2 * (c + 3), -10 * c},
                       one = {8 * c, 0, 0, 8 * c};
  for (int p = 0; p < n; p++) {
    const JOIN(place, ID) x = JOIN(scaled, ID)(g, from[2 * p], size);
    if (!(x.at > -FAR && x.at < (T)size + FAR)) {
      JOIN(line, ID) l;
      JOIN(cubic_line, ID)(g, x, size, &l);
      memcpy(&a->slope[p], l.slope, sizeof(a->slope[p]));
      continue;
    }
    const int32_t cut = (int32_t)x.at, below = cut - ((T)cut > x.at);
    const T t = x.at - (T)below;
    const JOIN(four, ID) d = {t + 1, t, 1 - t, 2 - t};
    const JOIN(four, ID) turn = {x.slope, x.slope, -x.slope, -x.slope};
    a->slope[p] = ((square * d + line) * d + one) * turn;
  }
}

// What rows of one place give the coordinates, before its gradient.
typedef struct JOIN(cubic_sums, ID) {
  JOIN(four, ID) x, y;
} JOIN(cubic_sums, ID);

// And |grad| to the image, NULL for none.
static inline __attribute__((always_inline)) void JOIN(spread_whole, ID)(
    const JOIN(cubic_axis, ID) * x, const JOIN(cubic_axis, ID) * y, int p, const T* in,
    int64_t width, T grad, T* to, JOIN(cubic_sums, ID) * sums) {
  const JOIN(four, ID) x_slope = x->slope[p], y_slope = y->slope[p];
  const int64_t at = y->at[p][0] * width + x->at[p][0];
  const JOIN(four, ID) by = x->weight[p];
  for (int j = 0; j < 4; j++) {
    JOIN(four, ID) row, sum;
    memcpy(&row, in + at + j * width, sizeof(row));
    sums->x += row * (x_slope * y->weight[p][j]);
    sums->y += row * (by * y_slope[j]);
    if (!to) continue;
    memcpy(&sum, to + at + j * width, sizeof(sum));
    sum += by * y->weight[p][j] * grad;
    memcpy(to + at + j * width, &sum, sizeof(sum));
  }
}

// Of a place of which some elements are outside, or are the same one.
static inline __attribute__((always_inline)) void JOIN(spread_part, ID)(
    const JOIN(cubic_axis, ID) * x, const JOIN(cubic_axis, ID) * y, int p, const T* in,
    int64_t width, T grad, T* to, JOIN(cubic_sums, ID) * sums) {
  const JOIN(four, ID) x_slope = x->slope[p], y_slope = y->slope[p];
  const JOIN(masks, ID) mask =
      x->whole[p] ? (JOIN(masks, ID)){-1, -1, -1, -1} : x->mask[p];
  int32_t at[4];
  for (int k = 0; k < 4; k++) at[k] = x->whole[p] ? x->at[p][0] + k : x->at[p][k];
  for (int j = 0; j < 4; j++) {
    if (!y->whole[p] && y->mask[p][j] == 0) continue;
    const int64_t line = (y->whole[p] ? y->at[p][0] + j : y->at[p][j]) * width;
    const T* from = in + line;
    JOIN(four, ID) row = {from[at[0]], from[at[1]], from[at[2]], from[at[3]]};
    // What is outside gives nothing, not even where weights are no numbers.
    const JOIN(four, ID) to_x = row * (x_slope * y->weight[p][j]);
    const JOIN(four, ID) to_y = row * (x->weight[p] * y_slope[j]);
    sums->x += (JOIN(four, ID))((JOIN(masks, ID))to_x & mask);
    sums->y += (JOIN(four, ID))((JOIN(masks, ID))to_y & mask);
    const JOIN(four, ID) give = x->weight[p] * y->weight[p][j] * grad;
    for (int k = 0; k < 4 && to; k++)
      if (mask[k]) to[line + at[k]] += give[k];
  }
}

static inline __attribute__((always_inline)) void JOIN(cubic_back,
                                                       ID)(const sampling* g, int64_t n,
                                                           int64_t first, int64_t last) {
  JOIN(cubic_axis, ID) x, y;
  const int64_t at = (n * g->volume_out + first) * 2;
  const T* places = (const T*)g->places + at;
  T* to_places = (T*)g->to_places + at;
  const int count = (int)(last - first);
  JOIN(find_cubic, ID)(g, places, count, g->in[2], &x);
  JOIN(find_cubic, ID)(g, places + 1, count, g->in[1], &y);
  JOIN(find_cubic_slopes, ID)(g, places, count, g->in[2], &x);
  JOIN(find_cubic_slopes, ID)(g, places + 1, count, g->in[1], &y);
  memset(to_places, 0, (size_t)count * 2 * sizeof(T));
  for (int64_t c = n * g->channels; c < (n + 1) * g->channels; c++) {
    const T* in = (const T*)g->input + c * g->volume_in;
    const T* grad = (const T*)g->grad + c * g->volume_out + first;
    T* to = g->to_input ? (T*)g->to_input + c * g->volume_in : NULL;
    for (int p = 0; p < count; p++) {
      JOIN(cubic_sums, ID) sums = {{0}, {0}};
      if (x.whole[p] && y.whole[p])
        JOIN(spread_whole, ID)(&x, &y, p, in, g->in[2], grad[p], to, &sums);
      else
        JOIN(spread_part, ID)(&x, &y, p, in, g->in[2], grad[p], to, &sums);
      to_places[2 * p] += JOIN(sum_of_four, ID)(&sums.x) * grad[p];
      to_places[2 * p + 1] += JOIN(sum_of_four, ID)(&sums.y) * grad[p];
    }
  }
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void JOIN(cubic_avx2, ID)(const sampling* g,
                                                                 int64_t n, int64_t first,
                                                                 int64_t last) {
  JOIN(cubic_plane, ID)(g, n, first, last);
}
__attribute__((target("avx2"))) static void JOIN(back_avx2, ID)(const sampling* g,
                                                                int64_t n, int64_t first,
                                                                int64_t last) {
  JOIN(cubic_back, ID)(g, n, first, last);
}
#endif

static void JOIN(sample_cubic, ID)(const sampling* g, int64_t n, int64_t first,
                                   int64_t last) {
#if defined(__x86_64__)
  if (oyi_cpu_level() > 0) {
    JOIN(cubic_avx2, ID)(g, n, first, last);
    return;
  }
#endif
  JOIN(cubic_plane, ID)(g, n, first, last);
}

static void JOIN(spread_cubic, ID)(const sampling* g, int64_t n, int64_t first,
                                   int64_t last) {
#if defined(__x86_64__)
  if (oyi_cpu_level() > 0) {
    JOIN(back_avx2, ID)(g, n, first, last);
    return;
  }
#endif
  JOIN(cubic_back, ID)(g, n, first, last);
}
