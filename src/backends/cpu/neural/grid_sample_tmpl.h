// SPDX-License-Identifier: Apache-2.0
// Sampling of images of elements T, named by ID: included once for each type. See
// grid_sample.c.

// The elements that one place of the output sees, and how their weights change with each
// coordinate of the grid.
typedef struct JOIN(taps, ID) {
  int count;
  int64_t at[OYI_GRID_TAPS];
  T weight[OYI_GRID_TAPS], slope[OYI_SPATIAL][OYI_GRID_TAPS];
} JOIN(taps, ID);

// A coordinate as it is used, and its change with what it was made of.
typedef struct JOIN(place, ID) {
  T at, slope;
} JOIN(place, ID);

static JOIN(place, ID) JOIN(clip, ID)(JOIN(place, ID) x, int64_t size) {
  const T high = (T)(size - 1);
  if (!(x.at > 0)) return (JOIN(place, ID)){0, 0};
  if (x.at >= high) return (JOIN(place, ID)){high, 0};
  return x;
}

// Mirrored at both ends, which are given twice.
static JOIN(place, ID) JOIN(reflect, ID)(JOIN(place, ID) x, int64_t low, int64_t high) {
  if (low == high) return (JOIN(place, ID)){0, 0};
  const T least = (T)low / 2, span = (T)(high - low) / 2, from = x.at - least;
  const T far = from < 0 ? -from : from;
  T rest = far;
  bool is_even = true;
  // Few places need a remainder to be found.
  if (far >= span && far < 2 * span) {
    rest = far - span;
    is_even = false;
  } else if (!(far < span)) {
    rest = (T)fmod((double)far, (double)span);
    is_even = fmod(floor((double)(far / span)), 2) == 0;
  }
  const T turn = from < 0 ? -x.slope : x.slope;
  return is_even ? (JOIN(place, ID)){rest + least, turn}
                 : (JOIN(place, ID)){span - rest + least, -turn};
}

static JOIN(place, ID)
    JOIN(moved_inside, ID)(const sampling* g, JOIN(place, ID) x, int64_t size) {
  if (g->padding == PAD_REFLECTION)
    x = g->aligns ? JOIN(reflect, ID)(x, 0, 2 * (size - 1))
                  : JOIN(reflect, ID)(x, -1, 2 * size - 1);
  return JOIN(clip, ID)(x, size);
}

static inline JOIN(place, ID)
    JOIN(padded, ID)(const sampling* g, JOIN(place, ID) x, int64_t size) {
  if (g->padding != PAD_ZEROS) x = JOIN(moved_inside, ID)(g, x, size);
  // What is no index of any image is outside of it.
  if (!(x.at > (T)-2e9 && x.at < (T)2e9)) x.at = -100;
  return x;
}

static inline JOIN(place, ID) JOIN(scaled, ID)(const sampling* g, T x, int64_t size) {
  if (g->aligns) return (JOIN(place, ID)){(x + 1) / 2 * (T)(size - 1), (T)(size - 1) / 2};
  return (JOIN(place, ID)){((x + 1) * (T)size - 1) / 2, (T)size / 2};
}

// Along one dimension: |n| elements, -1 for those outside.
typedef struct JOIN(line, ID) {
  int64_t at[4];
  T weight[4], slope[4];
} JOIN(line, ID);

static int64_t JOIN(bounded, ID)(T x, int64_t size) {
  return x >= 0 && x < (T)size ? (int64_t)x : -1;
}

static void JOIN(cubic_line, ID)(const sampling* g, JOIN(place, ID) x, int64_t size,
                                 JOIN(line, ID) * l) {
  const T whole = (T)floor((double)x.at), t = x.at - whole, a = (T)-0.75;
  for (int k = 0; k < 4; k++) {
    const bool is_far = k == 0 || k == 3, is_behind = k >= 2;
    const T d = is_behind ? (T)(k - 1) - t : t + (T)(1 - k);
    JOIN(place, ID) tap = {whole + (T)(k - 1), 1};
    l->at[k] = JOIN(bounded, ID)(JOIN(padded, ID)(g, tap, size).at, size);
    l->weight[k] = is_far ? ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
                          : ((a + 2) * d - (a + 3)) * d * d + 1;
    const T slope =
        is_far ? (3 * a * d - 10 * a) * d + 8 * a : (3 * (a + 2) * d - 2 * (a + 3)) * d;
    l->slope[k] = (is_behind ? -slope : slope) * x.slope;
  }
}

static void JOIN(find_line, ID)(const sampling* g, T coordinate, int64_t size,
                                JOIN(line, ID) * l) {
  JOIN(place, ID) x = JOIN(scaled, ID)(g, coordinate, size);
  if (g->mode == MODE_BICUBIC) {
    JOIN(cubic_line, ID)(g, x, size, l);
    return;
  }
  x = JOIN(padded, ID)(g, x, size);
  if (g->mode == MODE_NEAREST) {
    // PyTorch rounds halves to even in two dimensions, and away from 0 in three.
    const double whole = g->ndim == 2 ? nearbyint((double)x.at) : round((double)x.at);
    l->at[0] = JOIN(bounded, ID)((T)whole, size);
    l->weight[0] = 1;
    l->slope[0] = 0;
    return;
  }
  const T low = (T)floor((double)x.at);
  l->at[0] = JOIN(bounded, ID)(low, size);
  l->at[1] = JOIN(bounded, ID)(low + 1, size);
  l->weight[0] = low + 1 - x.at;
  l->weight[1] = x.at - low;
  l->slope[0] = -x.slope;
  l->slope[1] = x.slope;
}

// The last dimension of the image is the first coordinate.
static void JOIN(find_taps, ID)(const sampling* g, const T* coordinates,
                                JOIN(taps, ID) * t) {
  JOIN(line, ID) lines[OYI_SPATIAL];
  const int first = OYI_SPATIAL - g->ndim, n = g->mode == MODE_NEAREST   ? 1
                                               : g->mode == MODE_BICUBIC ? 4
                                                                         : 2;
  lines[0] = (JOIN(line, ID)){.weight = {1}};
  for (int d = first; d < OYI_SPATIAL; d++)
    JOIN(find_line, ID)(g, coordinates[OYI_SPATIAL - 1 - d], g->in[d], &lines[d]);
  const JOIN(line, ID)* z = &lines[0], *y = &lines[1], *x = &lines[2];
  t->count = 0;
  for (int i = 0; i < (g->ndim == 3 ? n : 1); i++)
    for (int j = 0; j < n; j++)
      for (int k = 0; k < n; k++) {
        if (z->at[i] < 0 || y->at[j] < 0 || x->at[k] < 0) continue;
        const int at = t->count++;
        t->at[at] = (z->at[i] * g->in[1] + y->at[j]) * g->in[2] + x->at[k];
        t->weight[at] = z->weight[i] * y->weight[j] * x->weight[k];
        t->slope[0][at] = z->weight[i] * y->weight[j] * x->slope[k];
        t->slope[1][at] = z->weight[i] * y->slope[j] * x->weight[k];
        t->slope[2][at] = z->slope[i] * y->weight[j] * x->weight[k];
      }
}

// The nearest ones of a block of places: where each is, or -1. Their weight is 1 and does
// not depend on the place.
static void JOIN(find_nearest, ID)(const sampling* g, int64_t n, int64_t first,
                                   int64_t last, int64_t* at) {
  const T* coordinates = (const T*)g->places + (n * g->volume_out + first) * g->ndim;
  for (int64_t p = first; p < last; p++, coordinates += g->ndim) {
    JOIN(taps, ID) taps;
    JOIN(find_taps, ID)(g, coordinates, &taps);
    at[p - first] = taps.count ? taps.at[0] : -1;
  }
}
static void JOIN(take_nearest, ID)(const sampling* g, int64_t n, int64_t first,
                                   int64_t last) {
  int64_t at[OYI_GRID_BLOCK];
  JOIN(find_nearest, ID)(g, n, first, last, at);
  for (int64_t c = 0; c < g->channels; c++) {
    const T* in = (const T*)g->input + (n * g->channels + c) * g->volume_in;
    T* out = (T*)g->output + (n * g->channels + c) * g->volume_out + first;
    // NOLINT: find_nearest() filled as many
    for (int64_t p = 0; p < last - first; p++) out[p] = at[p] < 0 ? 0 : in[at[p]];
  }
}
static void JOIN(spread_nearest, ID)(const sampling* g, int64_t n, int64_t first,
                                     int64_t last) {
  int64_t at[OYI_GRID_BLOCK];
  JOIN(find_nearest, ID)(g, n, first, last, at);
  memset((T*)g->to_places + (n * g->volume_out + first) * g->ndim, 0,
         (size_t)((last - first) * g->ndim) * sizeof(T));
  for (int64_t c = 0; c < g->channels && g->to_input; c++) {
    const int64_t plane = n * g->channels + c;
    const T* grad = (const T*)g->grad + plane * g->volume_out + first;
    T* to = (T*)g->to_input + plane * g->volume_in;
    for (int64_t p = 0; p < last - first; p++)
      if (at[p] >= 0) to[at[p]] += grad[p];
  }
}

// A block of places of one sample.
static void JOIN(sample, ID)(const sampling* g, int64_t n, int64_t first, int64_t last) {
  if (g->mode == MODE_NEAREST) {
    JOIN(take_nearest, ID)(g, n, first, last);
    return;
  }
  JOIN(taps, ID) taps[OYI_GRID_BLOCK];
  const T* coordinates = (const T*)g->places + (n * g->volume_out + first) * g->ndim;
  for (int64_t p = first; p < last; p++, coordinates += g->ndim)
    JOIN(find_taps, ID)(g, coordinates, &taps[p - first]);
  for (int64_t c = 0; c < g->channels; c++) {
    const T* in = (const T*)g->input + (n * g->channels + c) * g->volume_in;
    T* out = (T*)g->output + (n * g->channels + c) * g->volume_out;
    for (int64_t p = first; p < last; p++) {
      const JOIN(taps, ID)* t = &taps[p - first];
      T sum = 0;
      for (int k = 0; k < t->count; k++) sum += t->weight[k] * in[t->at[k]];
      out[p] = sum;
    }
  }
}

static void JOIN(spread, ID)(const sampling* g, int64_t n, int64_t first, int64_t last) {
  if (g->mode == MODE_NEAREST) {
    JOIN(spread_nearest, ID)(g, n, first, last);
    return;
  }
  JOIN(taps, ID) taps[OYI_GRID_BLOCK];
  const int64_t at = (n * g->volume_out + first) * g->ndim;
  const T* coordinates = (const T*)g->places + at;
  T* to_places = (T*)g->to_places + at;
  memset(to_places, 0, (size_t)((last - first) * g->ndim) * sizeof(T));
  for (int64_t p = first; p < last; p++, coordinates += g->ndim)
    JOIN(find_taps, ID)(g, coordinates, &taps[p - first]);
  for (int64_t c = 0; c < g->channels; c++) {
    const int64_t plane = n * g->channels + c;
    const T* in = (const T*)g->input + plane * g->volume_in;
    const T* grad = (const T*)g->grad + plane * g->volume_out;
    T* to = g->to_input ? (T*)g->to_input + plane * g->volume_in : NULL;
    for (int64_t p = first; p < last; p++) {
      const JOIN(taps, ID)* t = &taps[p - first];
      T sums[OYI_SPATIAL] = {0};
      for (int k = 0; k < t->count; k++) {
        if (to) to[t->at[k]] += t->weight[k] * grad[p];
        for (int d = 0; d < g->ndim; d++) sums[d] += t->slope[d][k] * in[t->at[k]];
      }
      for (int d = 0; d < g->ndim; d++)
        to_places[(p - first) * g->ndim + d] += sums[d] * grad[p];
    }
  }
}
