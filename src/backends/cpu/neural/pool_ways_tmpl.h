// SPDX-License-Identifier: Apache-2.0
// Vectors of places, or of channels, of elements T, named by ID: included once for each type
// and level. INT is an integer of the size of T. See pool_ways.h.
typedef T JOIN(vec, ID) __attribute__((vector_size(BYTES)));
typedef INT JOIN(places, ID) __attribute__((vector_size(BYTES)));
typedef int64_t JOIN(wide, ID) __attribute__((vector_size(BYTES / sizeof(T) * 8)));
#define LANES ((int64_t)(BYTES / sizeof(T)))

static inline JOIN(places, ID) JOIN(places_at, ID)(const void* from, int64_t vector) {
  JOIN(places, ID) v;
  memcpy(&v, (const INT*)from + vector * LANES, sizeof(v));
  return v;
}

static inline JOIN(vec, ID)
    JOIN(taken, ID)(JOIN(places, ID) take, JOIN(vec, ID) a, JOIN(vec, ID) b) {
  return (JOIN(vec, ID))((take & (JOIN(places, ID))a) | (~take & (JOIN(places, ID))b));
}

static inline void JOIN(store, ID)(JOIN(vec, ID) best, JOIN(places, ID) at, T* out,
                                   int64_t* indices) {
  const JOIN(wide, ID) wide = __builtin_convertvector(at, JOIN(wide, ID));
  memcpy(out, &best, sizeof(best));
  memcpy(indices, &wide, sizeof(wide));
}

// ------------------------------------------------------------------------ places

static inline JOIN(vec, ID) JOIN(gather, ID)(const void* image, const INT* at) {
  const T* from = image;
  return (JOIN(vec, ID)){JOIN(EACH, ID)(from, at)};
}

static void JOIN(max_places, ID)(const windows* w, const void* image, void* out,
                                 int64_t* indices) {
  const oyi_pool_places* p = w->places;
  for (int64_t v = 0; v < p->vectors; v++) {
    const int64_t to = (v + 1) * LANES <= p->count ? v * LANES : p->count - LANES;
    JOIN(vec, ID) best = (JOIN(vec, ID)){0} + (T)LEAST;
    JOIN(places, ID) at = JOIN(places_at, ID)(p->offsets, p->begin[v]);
    for (int64_t k = p->begin[v]; k < p->begin[v + 1]; k++) {
      const JOIN(places, ID) here = JOIN(places_at, ID)(p->offsets, k);
      const JOIN(vec, ID) x = JOIN(gather, ID)(image, (const INT*)p->offsets + k * LANES);
      const JOIN(places, ID) take = (x > best) | (x != x);
      best = JOIN(taken, ID)(take, x, best);
      at = (take & here) | (~take & at);
    }
    JOIN(store, ID)
    (best, at - JOIN(places_at, ID)(p->bases, v), (T*)out + to, indices + to);
  }
}

static void JOIN(average_places, ID)(const windows* w, const void* image, void* out,
                                     int64_t* unused) {
  (void)unused;
  const oyi_pool_places* p = w->places;
  for (int64_t v = 0; v < p->vectors; v++) {
    const int64_t to = (v + 1) * LANES <= p->count ? v * LANES : p->count - LANES;
    const JOIN(places, ID) counts = JOIN(places_at, ID)(p->counts, v);
    JOIN(places, ID) seen = {0};
    JOIN(vec, ID) sum = {0};
    for (int64_t k = p->begin[v]; k < p->begin[v + 1]; k++, seen += 1) {
      const JOIN(vec, ID) x = JOIN(gather, ID)(image, (const INT*)p->offsets + k * LANES);
      sum += (JOIN(vec, ID))((seen < counts) & (JOIN(places, ID))x);
    }
    sum /= (JOIN(vec, ID))JOIN(places_at, ID)(p->divisors, v);
    memcpy((T*)out + to, &sum, sizeof(sum));
  }
}

// ---------------------------------------------------------------------- channels

// Calls |step| for each element of a window with the place |at| it has.
#define EACH_TAP(w, rd, rh, rw, at, ...)                               \
  for (int64_t i_ = (rd).from; i_ < (rd).to; i_ += (w)->step[0])       \
    for (int64_t j_ = (rh).from; j_ < (rh).to; j_ += (w)->step[1])     \
      for (int64_t k_ = (rw).from; k_ < (rw).to; k_ += (w)->step[2]) { \
        const int64_t at = (i_ * (w)->in[1] + j_) * (w)->in[2] + k_;   \
        __VA_ARGS__;                                                   \
      }

static inline JOIN(vec, ID) JOIN(vec_at, ID)(const T* from) {
  JOIN(vec, ID) v;
  memcpy(&v, from, sizeof(v));
  return v;
}

// |n| vectors of channels at once: each of them waits for itself.
static inline __attribute__((always_inline)) void JOIN(max_across,
                                                       ID)(const windows* w, int n,
                                                           const T* image, const range* r,
                                                           T* out, int64_t* indices) {
  JOIN(vec, ID) best[MOST_VECTORS];
  JOIN(places, ID) at[MOST_VECTORS];
  for (int v = 0; v < n; v++) {
    best[v] = (JOIN(vec, ID)){0} + (T)LEAST;
    at[v] = (JOIN(places, ID)){0} +
            (INT)((r[0].from * w->in[1] + r[1].from) * w->in[2] + r[2].from);
  }
  EACH_TAP(w, r[0], r[1], r[2], here, {
    const JOIN(places, ID) place = (JOIN(places, ID)){0} + (INT)here;
    for (int v = 0; v < n; v++) {
      const JOIN(vec, ID) x = JOIN(vec_at, ID)(image + here * w->channels + v * LANES);
      const JOIN(places, ID) take = (x > best[v]) | (x != x);
      best[v] = JOIN(taken, ID)(take, x, best[v]);
      at[v] = (take & place) | (~take & at[v]);
    }
  })
  for (int v = 0; v < n; v++)
    JOIN(store, ID)(best[v], at[v], out + v * LANES, indices + v * LANES);
}

static inline __attribute__((always_inline)) void JOIN(average_across,
                                                       ID)(const windows* w, int n,
                                                           const T* image, const range* r,
                                                           T by, T* out) {
  JOIN(vec, ID) sum[MOST_VECTORS];
  for (int v = 0; v < n; v++) sum[v] = (JOIN(vec, ID)){0};
  EACH_TAP(w, r[0], r[1], r[2], here, {
    for (int v = 0; v < n; v++)
      sum[v] += JOIN(vec_at, ID)(image + here * w->channels + v * LANES);
  })
  for (int v = 0; v < n; v++) {
    sum[v] /= by;
    memcpy(out + v * LANES, &sum[v], sizeof(sum[v]));
  }
}

// Sums of wide windows in the order of those of images (sum_wide in pool_tmpl.h), whose sums are
// the lanes of SUM_PARTS vectors of SUM_BYTES: here each of them is a vector of channels.
enum { JOIN(SUM_LANES, ID) = SUM_BYTES / sizeof(T) };
enum { JOIN(SUM_WIDTH, ID) = SUM_PARTS * JOIN(SUM_LANES, ID) };

static void JOIN(average_wide, ID)(const windows* w, const T* image, const range* r, T by,
                                   T* out) {
  enum { WIDTH = JOIN(SUM_WIDTH, ID), PART = JOIN(SUM_LANES, ID) };
  JOIN(vec, ID) sums[WIDTH], rest = {0};
  for (int x = 0; x < WIDTH; x++) sums[x] = (JOIN(vec, ID)){0};
  for (int64_t i = r[0].from; i < r[0].to; i++)
    for (int64_t j = r[1].from; j < r[1].to; j++) {
      const T* row = image + (i * w->in[1] + j) * w->in[2] * w->channels;
      int64_t k = r[2].from;
      for (; k + WIDTH <= r[2].to; k += WIDTH)
        for (int x = 0; x < WIDTH; x++)
          sums[x] += JOIN(vec_at, ID)(row + (k + x) * w->channels);
      for (; k < r[2].to; k++) rest += JOIN(vec_at, ID)(row + k * w->channels);
    }
  for (int x = 0; x < PART; x++)
    rest += (sums[x] + sums[PART + x]) + (sums[2 * PART + x] + sums[3 * PART + x]);
  rest /= by;
  memcpy(out, &rest, sizeof(rest));
}

// Calls |step| with |n| vectors of all channels, which begin at |c|: the last one lies over
// those before it.
#define EACH_VECTORS(w, n, c, ...)                                              \
  for (int64_t k_ = 0; k_ < (w)->channels;) {                                   \
    const int64_t c = k_ + LANES <= (w)->channels ? k_ : (w)->channels - LANES; \
    if (c + MOST_VECTORS * LANES <= (w)->channels) {                            \
      enum { n = MOST_VECTORS };                                                \
      __VA_ARGS__;                                                              \
      k_ = c + n * LANES;                                                       \
    } else {                                                                    \
      enum { n = 1 };                                                           \
      __VA_ARGS__;                                                              \
      k_ = c + LANES;                                                           \
    }                                                                           \
  }

static void JOIN(max_channels, ID)(const windows* w, const void* image, void* out,
                                   int64_t* indices) {
  T* to = out;
  for (int64_t d = 0; d < w->out[0]; d++)
    for (int64_t h = 0; h < w->out[1]; h++)
      for (int64_t x = 0; x < w->out[2]; x++, to += w->channels, indices += w->channels) {
        const range r[] = {w->ranges[0][d], w->ranges[1][h], w->ranges[2][x]};
        EACH_VECTORS(
            w, n, c,
            JOIN(max_across, ID)(w, n, (const T*)image + c, r, to + c, indices + c))
      }
}

static void JOIN(average_channels, ID)(const windows* w, const void* image, void* out,
                                       int64_t* unused) {
  (void)unused;
  T* to = out;
  for (int64_t d = 0; d < w->out[0]; d++)
    for (int64_t h = 0; h < w->out[1]; h++)
      for (int64_t x = 0; x < w->out[2]; x++, to += w->channels) {
        const range r[] = {w->ranges[0][d], w->ranges[1][h], w->ranges[2][x]};
        const bool is_empty =
            r[0].from >= r[0].to || r[1].from >= r[1].to || r[2].from >= r[2].to;
        const T by = is_empty ? 1 : (T)oyi_pool_divisor(w, r[0], r[1], r[2]);
        if (!oyi_pool_is_narrow(r[2].to - r[2].from, sizeof(T))) {
          for (int64_t k = 0; k < w->channels; k += LANES) {
            const int64_t c = k + LANES <= w->channels ? k : w->channels - LANES;
            JOIN(average_wide, ID)(w, (const T*)image + c, r, by, to + c);
          }
          continue;
        }
        EACH_VECTORS(w, n, c,
                     JOIN(average_across, ID)(w, n, (const T*)image + c, r, by, to + c))
      }
}

// What a window's share of |n| vectors of channels adds to its elements; of one channel.
static inline __attribute__((always_inline)) void JOIN(spread_across,
                                                       ID)(const windows* w, int n,
                                                           const T* from, range down,
                                                           range right, T by, T* image) {
  JOIN(vec, ID) share[MOST_VECTORS];
  for (int v = 0; v < n; v++) share[v] = JOIN(vec_at, ID)(from + v * LANES) / by;
  for (int64_t i = down.from; i < down.to; i++)
    for (int64_t j = right.from; j < right.to; j++) {
      T* to = image + (i * w->in[1] + j) * w->in[2];
      for (int v = 0; v < n; v++) {
        const JOIN(vec, ID) sum = JOIN(vec_at, ID)(to + v * LANES) + share[v];
        memcpy(to + v * LANES, &sum, sizeof(sum));
      }
    }
}
static inline void JOIN(spread_one, ID)(const windows* w, T share, range down,
                                        range right, T* image) {
  for (int64_t i = down.from; i < down.to; i++)
    for (int64_t j = right.from; j < right.to; j++)
      image[(i * w->in[1] + j) * w->in[2]] += share;
}

// Of windows over the first two dimensions; the last one has the channels.
static void JOIN(spread_channels, ID)(const windows* w, const void* grad, void* out,
                                      int64_t* unused) {
  (void)unused;
  const T* from = grad;
  T* image = out;
  const int64_t channels = w->in[2];
  for (int64_t y = 0; y < w->out[0]; y++)
    for (int64_t x = 0; x < w->out[1]; x++, from += channels) {
      const range down = w->ranges[0][y], right = w->ranges[1][x];
      if (down.from >= down.to || right.from >= right.to) continue;
      const T by = (T)oyi_pool_divisor(w, down, right, w->ranges[2][0]);
      int64_t c = 0;
      for (; c + MOST_VECTORS * LANES <= channels; c += MOST_VECTORS * LANES)
        JOIN(spread_across, ID)(w, MOST_VECTORS, from + c, down, right, by, image + c);
      for (; c + LANES <= channels; c += LANES)
        JOIN(spread_across, ID)(w, 1, from + c, down, right, by, image + c);
      for (; c < channels; c++)
        JOIN(spread_one, ID)(w, from[c] / by, down, right, image + c);
    }
}

const oyi_pool_ways JOIN(oyi_pool_ways, NAME) = {LANES,
                                                 sizeof(T),
                                                 JOIN(max_places, ID),
                                                 JOIN(average_places, ID),
                                                 JOIN(max_channels, ID),
                                                 JOIN(average_channels, ID),
                                                 JOIN(spread_channels, ID)};
#undef EACH_TAP
#undef EACH_VECTORS
#undef LANES
