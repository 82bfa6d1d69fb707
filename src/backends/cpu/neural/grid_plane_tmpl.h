// SPDX-License-Identifier: Apache-2.0
// Images of two dimensions, sampled at the nearest element or between four, of elements T,
// named by ID: included once for each type. See grid_sample.c.

// A block of places: those that see all four elements of the image, or their only one, come
// first, each in a slot. Of the others some elements are outside.
typedef struct JOIN(block, ID) {
  int count, whole;
  int16_t place[OYI_GRID_PLACES];    // of a slot
  int64_t at[OYI_GRID_PLACES];       // the first of the elements, of whole ones
  int64_t each[OYI_GRID_PLACES][4];  // of the others: all elements, or -1
  T weight[OYI_GRID_PLACES][4];
  T part[OYI_GRID_PLACES][2];   // how far it is from the first element, x and y
  T slope[OYI_GRID_PLACES][2];  // of the places in the image with the coordinates
} JOIN(block, ID);

// Along one dimension: where the places of a block are in an image of |size|, and the
// element below or nearest to each.
typedef struct JOIN(axis, ID) {
  T at[OYI_GRID_PLACES], slope[OYI_GRID_PLACES];
  int32_t cell[OYI_GRID_PLACES];
} JOIN(axis, ID);

// Loops that become vectors, without a branch that nobody can foresee.
static inline __attribute__((always_inline)) void JOIN(find_cells,
                                                       ID)(bool is_nearest, int n,
                                                           int64_t size,
                                                           JOIN(axis, ID) * a) {
  // Further out nothing is seen, and a NaN is no place.
  const T low = -2, high = (T)(size + 1);
  int32_t up[OYI_GRID_PLACES], half[OYI_GRID_PLACES];
  for (int p = 0; p < n; p++) {
    const T x = a->at[p] > low ? a->at[p] : low;
    a->at[p] = x < high ? x : high;
  }
  for (int p = 0; p < n; p++) {
    const int32_t whole = (int32_t)a->at[p];
    a->cell[p] = whole - ((T)whole > a->at[p]);
  }
  if (!is_nearest) return;
  // Halves to even, in steps that are vectors of words.
  for (int p = 0; p < n; p++) {
    const T rest = a->at[p] - (T)a->cell[p];
    up[p] = rest > (T)0.5 ? 1 : 0;
    half[p] = rest == (T)0.5 ? 1 : 0;
  }
  for (int p = 0; p < n; p++) a->cell[p] += up[p] | (half[p] & a->cell[p]);
}

// What reflect() does, for all places: those that need a remainder one by one.
static inline __attribute__((always_inline)) void JOIN(reflect_all,
                                                       ID)(const sampling* g, int n,
                                                           int64_t size,
                                                           JOIN(axis, ID) * a) {
  const T least = g->aligns ? 0 : (T)-0.5, span = (T)(g->aligns ? size - 1 : size);
  const int64_t low = g->aligns ? 0 : -1;
  T at[OYI_GRID_PLACES], slope[OYI_GRID_PLACES], size_of[OYI_GRID_PLACES];
  int32_t far[OYI_GRID_PLACES], any = 0;
  // A condition each: of more the compiler makes branches.
  for (int p = 0; p < n; p++) {
    const T from = a->at[p] - least;
    size_of[p] = from < 0 ? -from : from;
  }
  for (int p = 0; p < n; p++)
    slope[p] = a->at[p] - least < 0 ? -a->slope[p] : a->slope[p];
  for (int p = 0; p < n; p++) at[p] = span - (size_of[p] - span);
  for (int p = 0; p < n; p++) at[p] = (size_of[p] < span ? size_of[p] : at[p]) + least;
  for (int p = 0; p < n; p++) slope[p] = size_of[p] < span ? slope[p] : -slope[p];
  for (int p = 0; p < n; p++) far[p] = size_of[p] < 2 * span ? 0 : 1;
  for (int p = 0; p < n; p++) any |= far[p];
  for (int p = 0; any && p < n; p++)
    if (far[p]) {
      const JOIN(place, ID) x = JOIN(reflect, ID)(
          (JOIN(place, ID)){a->at[p], a->slope[p]}, low, low + 2 * (int64_t)span);
      at[p] = x.at, slope[p] = x.slope;
    }
  memcpy(a->at, at, (size_t)n * sizeof(T));
  memcpy(a->slope, slope, (size_t)n * sizeof(T));
}

// What clip() does.
static inline __attribute__((always_inline)) void JOIN(clip_all, ID)(int n, int64_t size,
                                                                     JOIN(axis, ID) * a) {
  const T high = (T)(size - 1);
  for (int p = 0; p < n; p++) {
    const T x = a->at[p], slope = x > 0 ? a->slope[p] : 0, at = x > 0 ? x : 0;
    a->slope[p] = at < high ? slope : 0;
    a->at[p] = at < high ? at : high;
  }
}

static inline __attribute__((always_inline)) void JOIN(find_axis, ID)(
    const sampling* g, const T* from, int n, int64_t size, JOIN(axis, ID) * a) {
  const T all = (T)size, rest = (T)(size - 1);
  for (int p = 0; g->aligns && p < n; p++) a->at[p] = (from[2 * p] + 1) / 2 * rest;
  for (int p = 0; !g->aligns && p < n; p++) a->at[p] = ((from[2 * p] + 1) * all - 1) / 2;
  for (int p = 0; p < n; p++) a->slope[p] = (g->aligns ? rest : all) / 2;
  if (g->padding == PAD_REFLECTION) JOIN(reflect_all, ID)(g, n, size, a);
  if (g->padding != PAD_ZEROS) JOIN(clip_all, ID)(n, size, a);
  JOIN(find_cells, ID)(g->mode == MODE_NEAREST, n, size, a);
}

static void JOIN(add_four, ID)(JOIN(block, ID) * b, int slot, int p,
                               const JOIN(axis, ID) * x, const JOIN(axis, ID) * y) {
  const T left = (T)x->cell[p], top = (T)y->cell[p];
  const T right = x->at[p] - left, down = y->at[p] - top;
  const T rest_x = left + 1 - x->at[p], rest_y = top + 1 - y->at[p];
  b->part[slot][0] = right, b->part[slot][1] = down;
  b->slope[slot][0] = x->slope[p], b->slope[slot][1] = y->slope[p];
  b->weight[slot][0] = rest_y * rest_x, b->weight[slot][1] = rest_y * right;
  b->weight[slot][2] = down * rest_x, b->weight[slot][3] = down * right;
}

static void JOIN(find_each, ID)(const sampling* g, int64_t left, int64_t top,
                                int64_t* each) {
  for (int k = 0; k < 4; k++) {
    const int64_t i = left + (k & 1), j = top + k / 2;
    const bool inside = i >= 0 && i < g->in[2] && j >= 0 && j < g->in[1];
    each[k] = inside ? j * g->in[2] + i : -1;
  }
}

// At no place at all there is not 0 but NaN: so weigh the zeros around the image.
static void JOIN(doubt, ID)(JOIN(block, ID) * b, int slot, T x, T y) {
  const T none = (x + y) * 0;
  for (int k = 0; k < 4; k++) b->weight[slot][k] += none;
}

static void JOIN(find_block, ID)(const sampling* g, int64_t n, int64_t first,
                                 int64_t last, JOIN(block, ID) * b) {
  const T* from = (const T*)g->places + (n * g->volume_out + first) * 2;
  const bool is_nearest = g->mode == MODE_NEAREST;
  const int64_t width = g->in[2], beyond = is_nearest ? 0 : 1;
  const int count = (int)(last - first);
  int whole = 0, end = count;
  JOIN(axis, ID) x, y;
  b->count = count;
  JOIN(find_axis, ID)(g, from, count, width, &x);
  JOIN(find_axis, ID)(g, from + 1, count, g->in[1], &y);
  for (int p = 0; p < count; p++) {
    const int64_t left = x.cell[p], top = y.cell[p];
    const bool is_whole =
        (left >= 0) & (left < width - beyond) & (top >= 0) & (top < g->in[1] - beyond);
    const int slot = is_whole ? whole++ : --end;
    b->place[slot] = (int16_t)p;
    b->at[slot] = top * width + left;
    if (is_nearest) continue;
    JOIN(add_four, ID)(b, slot, p, &x, &y);
    if (is_whole) continue;
    JOIN(find_each, ID)(g, left, top, b->each[slot]);
    if (g->padding == PAD_ZEROS) JOIN(doubt, ID)(b, slot, from[2 * p], from[2 * p + 1]);
  }
  b->whole = whole;
}

// ----------------------------------------------------------------------- forward

static void JOIN(take_four, ID)(const JOIN(block, ID) * b, const T* in, int64_t width,
                                T* out) {
  for (int i = 0; i < b->whole; i++) {
    const T *from = in + b->at[i], *w = b->weight[i];
    out[b->place[i]] =
        (w[0] * from[0] + w[1] * from[1]) + (w[2] * from[width] + w[3] * from[width + 1]);
  }
  for (int i = b->whole; i < b->count; i++) {
    T sum = 0;
    for (int k = 0; k < 4; k++)
      sum += b->weight[i][k] * (b->each[i][k] >= 0 ? in[b->each[i][k]] : 0);
    out[b->place[i]] = sum;
  }
}

// The nearest elements, in the order of the places: of those outside the first, and 0 of it.
static inline __attribute__((always_inline)) void JOIN(nearest_plane,
                                                       ID)(const sampling* g, int64_t n,
                                                           int64_t first, int64_t last) {
  JOIN(axis, ID) x, y;
  int32_t at[OYI_GRID_PLACES], seen[OYI_GRID_PLACES], all = -1;
  const T* from = (const T*)g->places + (n * g->volume_out + first) * 2;
  const int count = (int)(last - first);
  const int32_t width = (int32_t)g->in[2], height = (int32_t)g->in[1];
  JOIN(find_axis, ID)(g, from, count, width, &x);
  JOIN(find_axis, ID)(g, from + 1, count, height, &y);
  for (int p = 0; p < count; p++) {
    const int32_t left = x.cell[p], top = y.cell[p];
    // By the signs of what must not be below 0.
    seen[p] = ~((left | top | (width - 1 - left) | (height - 1 - top)) >> 31);
    at[p] = (int32_t)((uint32_t)top * (uint32_t)width + (uint32_t)left) & seen[p];
  }
  for (int p = 0; p < count; p++) all &= seen[p];
  for (int64_t c = n * g->channels; c < (n + 1) * g->channels; c++) {
    const T* in = (const T*)g->input + c * g->volume_in;
    T* out = (T*)g->output + c * g->volume_out + first;
    OYI_UNROLL_BY(4)
    for (int p = 0; p < count; p++) out[p] = in[at[p]];
    for (int p = 0; !all && p < count; p++) out[p] = seen[p] ? out[p] : 0;
  }
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void JOIN(nearest_avx2,
                                                 ID)(const sampling* g, int64_t n,
                                                     int64_t first, int64_t last) {
  JOIN(nearest_plane, ID)(g, n, first, last);
}
#endif

static void JOIN(sample_nearest, ID)(const sampling* g, int64_t n, int64_t first,
                                     int64_t last) {
#if defined(__x86_64__)
  if (oyi_cpu_level() > 0) {
    JOIN(nearest_avx2, ID)(g, n, first, last);
    return;
  }
#endif
  JOIN(nearest_plane, ID)(g, n, first, last);
}

static void JOIN(sample_plane, ID)(const sampling* g, int64_t n, int64_t first,
                                   int64_t last) {
  if (g->mode == MODE_NEAREST) {
    JOIN(sample_nearest, ID)(g, n, first, last);
    return;
  }
  JOIN(block, ID) b;
  JOIN(find_block, ID)(g, n, first, last, &b);
  for (int64_t c = 0; c < g->channels; c++) {
    const T* in = (const T*)g->input + (n * g->channels + c) * g->volume_in;
    T* out = (T*)g->output + (n * g->channels + c) * g->volume_out + first;
    JOIN(take_four, ID)(&b, in, g->in[2], out);
  }
}

// ---------------------------------------------------------------------- backward

static void JOIN(add_to_image, ID)(const JOIN(block, ID) * b, bool is_nearest,
                                   const T* grad, int64_t width, T* to) {
  for (int i = 0; is_nearest && i < b->whole; i++) to[b->at[i]] += grad[b->place[i]];
  for (int i = 0; !is_nearest && i < b->whole; i++) {
    T* at = to + b->at[i];
    const T g = grad[b->place[i]], *w = b->weight[i];
    at[0] += w[0] * g;
    at[1] += w[1] * g;
    at[width] += w[2] * g;
    at[width + 1] += w[3] * g;
  }
  for (int i = b->whole; !is_nearest && i < b->count; i++)
    for (int k = 0; k < 4; k++)
      if (b->each[i][k] >= 0) to[b->each[i][k]] += b->weight[i][k] * grad[b->place[i]];
}

// What moves the place: differences between neighbours. |sums| has a pair for each slot.
static void JOIN(add_to_places, ID)(const JOIN(block, ID) * b, const T* grad, const T* in,
                                    int64_t width, T (*sums)[2]) {
  for (int i = 0; i < b->count; i++) {
    T near[4];
    const T g = grad[b->place[i]], right = b->part[i][0], down = b->part[i][1];
    if (i < b->whole) {
      const T* from = in + b->at[i];
      near[0] = from[0], near[1] = from[1];
      near[2] = from[width], near[3] = from[width + 1];
    } else {
      for (int k = 0; k < 4; k++) near[k] = b->each[i][k] < 0 ? 0 : in[b->each[i][k]];
    }
    sums[i][0] += g * ((1 - down) * (near[1] - near[0]) + down * (near[3] - near[2]));
    sums[i][1] += g * ((1 - right) * (near[2] - near[0]) + right * (near[3] - near[1]));
  }
}

// Of channels |from| to below |to|, to the image, to the places or to both.
static void JOIN(spread_plane, ID)(const sampling* g, int64_t n, int64_t first,
                                   int64_t last, int64_t from, int64_t to, int what) {
  JOIN(block, ID) b;
  T sums[OYI_GRID_PLACES][2] = {{0}};
  const bool is_nearest = g->mode == MODE_NEAREST;
  JOIN(find_block, ID)(g, n, first, last, &b);
  for (int64_t c = from; c < to; c++) {
    const int64_t plane = n * g->channels + c;
    const T* in = (const T*)g->input + plane * g->volume_in;
    const T* grad = (const T*)g->grad + plane * g->volume_out + first;
    if (what & TO_IMAGE) JOIN(add_to_image, ID)
    (&b, is_nearest, grad, g->in[2], (T*)g->to_input + plane * g->volume_in);
    if ((what & TO_PLACES) && !is_nearest)
      JOIN(add_to_places, ID)(&b, grad, in, g->in[2], sums);
  }
  T* out = (T*)g->to_places + (n * g->volume_out + first) * 2;
  for (int i = 0; (what & TO_PLACES) && i < b.count; i++)
    for (int d = 0; d < 2; d++)
      out[2 * b.place[i] + d] = is_nearest ? 0 : sums[i][d] * b.slope[i][d];
}
