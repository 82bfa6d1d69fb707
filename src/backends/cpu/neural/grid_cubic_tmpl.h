// SPDX-License-Identifier: Apache-2.0
// Images of two dimensions, sampled by cubic polynomials of 4 x 4 elements T, named by ID:
// included once for each type, after grid_sample_tmpl.h. INT is an integer of the size of T.
typedef T JOIN(four, ID) __attribute__((vector_size(4 * sizeof(T))));
typedef INT JOIN(masks, ID) __attribute__((vector_size(4 * sizeof(T))));

// Along one dimension: the four elements of each place, and how much they weigh. Where they
// are not neighbours, |mask| says which of them are elements at all: others are 0.
typedef struct JOIN(cubic_axis, ID) {
  JOIN(four, ID) weight[OYI_GRID_BLOCK];
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
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
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

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void JOIN(cubic_avx2, ID)(const sampling* g,
                                                                 int64_t n, int64_t first,
                                                                 int64_t last) {
  JOIN(cubic_plane, ID)(g, n, first, last);
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
