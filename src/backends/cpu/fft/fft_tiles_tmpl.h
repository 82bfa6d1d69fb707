// SPDX-License-Identifier: Apache-2.0
// OYI_FFT_LANES lines of tensors into buffers and back, in one precision: T, and NAME(x).
// Numbers come together in tiles, a few elements of all lines at a time: they are moved by
// size alone, and what is computed of them is so for several lines at once.
enum { NAME(TILE) = 64 };
// As wide as vectors of any machine.
typedef T NAME(some_lanes)
    __attribute__((vector_size(16), aligned(sizeof(T)), may_alias));
#define LANES OYI_FFT_LANES
#define TILE  NAME(TILE)
#define WIDTH ((int)(16 / sizeof(T)))
// Lanes |l| to l + WIDTH - 1 of element |k|.
#define EACH(l)  for (int l = 0; l < LANES; l += WIDTH)
#define AT(p, k) (*(NAME(some_lanes)*)(void*)((p) + (k)*LANES + l))
#define OF(p, k) (*(const NAME(some_lanes)*)(const void*)((p) + (k)*LANES + l))

// |some| elements from |first| on, |step| bytes apart, of |item| bytes each, of all lines.
static void NAME(bring)(const lines* s, int64_t first, int64_t some, int64_t step,
                        size_t item, T* tile) {
  oyi_move m = {.item = item, .rows = some, .to = (char*)tile};
  m.from_along = s->apart, m.from_down = step;
  m.to_along = (int64_t)item, m.to_down = LANES * (int64_t)item;
  for (int r = 0; r < s->runs; r++) {
    m.n = s->sizes[r];
    m.from = s->at[r] + first * step;
    oyi_move_rows(&m);
    m.to += m.n * m.to_along;
  }
}
static void NAME(put)(const lines* s, int64_t first, int64_t some, int64_t step,
                      size_t item, const T* tile) {
  oyi_move m = {.item = item, .rows = some, .from = (const char*)tile};
  m.to_along = s->apart, m.to_down = step;
  m.from_along = (int64_t)item, m.from_down = LANES * (int64_t)item;
  for (int r = 0; r < s->runs; r++) {
    m.n = s->sizes[r];
    m.to = s->at[r] + first * step;
    oyi_move_rows(&m);
    m.from += m.n * m.from_along;
  }
}

// Pairs of numbers to their parts and back, as they lie in tiles.
static void NAME(split)(const T* restrict tile, int64_t some, T* restrict re,
                        T* restrict im) {
  for (int64_t i = 0; i < some * LANES; i++) re[i] = tile[2 * i], im[i] = tile[2 * i + 1];
}
static void NAME(join)(T* restrict tile, int64_t some, const T* restrict re,
                       const T* restrict im, T scale) {
  for (int64_t i = 0; i < some * LANES; i++)
    tile[2 * i] = re[i] * scale, tile[2 * i + 1] = im[i] * scale;
}
static void NAME(bring_pairs)(const lines* s, int64_t first, int64_t n, int64_t step,
                              T* re, T* im) {
  T tile[2 * TILE * LANES];
  if (s->count < LANES) memset(tile, 0, sizeof(tile));
  for (int64_t k = 0; k < n; k += TILE) {
    const int64_t some = n - k < TILE ? n - k : TILE;
    NAME(bring)(s, first + k, some, step, 2 * sizeof(T), tile);
    NAME(split)(tile, some, re + k * LANES, im + k * LANES);
  }
}
static void NAME(put_pairs)(const lines* s, int64_t first, int64_t n, int64_t step,
                            const T* re, const T* im, T scale) {
  T tile[2 * TILE * LANES];
  for (int64_t k = 0; k < n; k += TILE) {
    const int64_t some = n - k < TILE ? n - k : TILE;
    NAME(join)(tile, some, re + k * LANES, im + k * LANES, scale);
    NAME(put)(s, first + k, some, step, 2 * sizeof(T), tile);
  }
}
static void NAME(put_reals)(const lines* s, int64_t n, int64_t first, int64_t step,
                            const T* re, T scale) {
  T tile[TILE * LANES];
  lines of = *s;
  for (int r = 0; r < s->runs; r++) of.at[r] += first;
  for (int64_t k = 0; k < n; k += TILE) {
    const int64_t some = n - k < TILE ? n - k : TILE;
    for (int64_t i = 0; i < some * LANES; i++) tile[i] = re[k * LANES + i] * scale;
    NAME(put)(&of, k, some, step, sizeof(T), tile);
  }
}
static void NAME(bring_reals)(const lines* s, int64_t n, int64_t first, int64_t step,
                              T* re) {
  lines of = *s;
  for (int r = 0; r < s->runs; r++) of.at[r] += first;
  NAME(bring)(&of, 0, n, step, sizeof(T), re);
}

// Half of a line that has real numbers after the transform: element k and the last but k
// make element k of a line half as long.
static void NAME(bring_halves)(const job* j, const lines* s, T* re, T* im) {
  T part[4][TILE * LANES];
  const int64_t half = j->n / 2;
  const T* twist = j->plan.twist;
  for (int64_t k = 0; k < half; k += TILE) {
    const int64_t some = half - k < TILE ? half - k : TILE;
    NAME(bring_pairs)(s, k, some, j->in_step, part[0], part[1]);
    NAME(bring_pairs)(s, half - k - some + 1, some, j->in_step, part[2], part[3]);
    // The first and the middle element are real.
    for (int l = 0; l < LANES && k == 0; l++)
      part[1][l] = part[3][(some - 1) * LANES + l] = 0;
    for (int64_t i = 0; i < some; i++) {
      const T c = twist[2 * (k + i)], sine = -twist[2 * (k + i) + 1];
      const int64_t o = some - 1 - i;
      EACH(l) {
        const NAME(some_lanes) a = OF(part[0], i), b = OF(part[1], i);
        const NAME(some_lanes) p = OF(part[2], o), q = OF(part[3], o);
        const NAME(some_lanes) x = a - p, y = b + q;
        AT(re, k + i) = a + p - (x * sine + y * c);
        AT(im, k + i) = b - q + (x * c - y * sine);
      }
    }
  }
}

static void NAME(bring_mirrored)(const job* j, const lines* s, T* re, T* im) {
  const int64_t n = j->n, half = n / 2;
  NAME(bring_pairs)(s, 0, half + 1, j->in_step, re, im);
  for (int l = 0; l < LANES; l++) im[l] = 0;
  for (int64_t k = 1; k <= half; k++) {
    EACH(l) AT(re, n - k) = OF(re, k), AT(im, n - k) = -OF(im, k);
  }
}

static void NAME(load_lines)(const job* j, const lines* s, T* work) {
  const int64_t apart = j->plan.length * LANES, step = j->in_step;
  T *re = j->backward ? work + apart : work, *im = j->backward ? work : work + apart;
  if (j->kind == COMPLEX) {
    NAME(bring_pairs)(s, 0, j->n, step, re, im);
  } else if (j->kind == TO_REAL) {
    if (j->halved)
      NAME(bring_halves)(j, s, re, im);
    else
      NAME(bring_mirrored)(j, s, re, im);
  } else if (!j->halved) {
    NAME(bring_reals)(s, j->n, 0, step, re);
    memset(im, 0, (size_t)(j->n * LANES) * sizeof(T));
  } else if (step == (int64_t)sizeof(T)) {
    NAME(bring_pairs)(s, 0, j->plan.n, 2 * step, re, im);
  } else {
    NAME(bring_reals)(s, j->plan.n, 0, 2 * step, re);
    NAME(bring_reals)(s, j->plan.n, step, 2 * step, im);
  }
}

// |some| elements from |k| on of what real lines of even length give, from those of lines of
// pairs.
static void NAME(join_halves)(const job* j, int64_t k, int64_t some, const T* re,
                              const T* im, T* to_re, T* to_im) {
  const int64_t half = j->n / 2;
  const T quarter = (T)j->scale / 2;
  for (int64_t i = 0; i < some; i++, k++) {
    const int64_t a = k < half ? k : 0, b = k ? half - k : 0;
    const T *twist = (const T*)j->plan.twist + 2 * k, c = twist[0], s = twist[1];
    EACH(l) {
      const NAME(some_lanes) sum_re = OF(re, a) + OF(re, b),
                             sum_im = OF(im, a) - OF(im, b);
      // Over i.
      const NAME(some_lanes) rest_re = OF(im, a) + OF(im, b),
                             rest_im = OF(re, b) - OF(re, a);
      AT(to_re, i) = (sum_re + rest_re * c - rest_im * s) * quarter;
      AT(to_im, i) = (sum_im + rest_re * s + rest_im * c) * quarter;
    }
  }
}

// Elements |k| to k + some - 1 are the last but these, conjugated.
static void NAME(put_mirror)(const job* j, const lines* s, int64_t k, int64_t some,
                             const T* re, const T* im) {
  T back[2][TILE * LANES];
  const int64_t n = j->n, from = k == 0 ? 1 : 0;
  const int64_t end = 2 * (k + some - 1) == n ? some - 1 : some;
  for (int64_t i = from; i < end; i++) {
    EACH(l) AT(back[0], end - 1 - i) = OF(re, i), AT(back[1], end - 1 - i) = -OF(im, i);
  }
  if (from < end)
    NAME(put_pairs)(s, n - k - end + 1, end - from, j->out_step, back[0], back[1], 1);
}

static void NAME(put_real_lines)(const job* j, const lines* s, const T* re, const T* im) {
  T part[2][TILE * LANES];
  const int64_t count = j->n / 2 + 1;
  const T scale = (T)j->scale;
  for (int64_t k = 0; k < count; k += TILE) {
    const int64_t some = count - k < TILE ? count - k : TILE;
    if (j->halved) NAME(join_halves)(j, k, some, re, im, part[0], part[1]);
    for (int64_t i = 0; !j->halved && i < some; i++) {
      EACH(l) AT(part[0], i) = OF(re, k + i) * scale;
      EACH(l) AT(part[1], i) = OF(im, k + i) * scale;
    }
    NAME(put_pairs)(s, k, some, j->out_step, part[0], part[1], 1);
    if (j->mirrored) NAME(put_mirror)(j, s, k, some, part[0], part[1]);
  }
}

static void NAME(store_lines)(const job* j, const lines* s, const T* work) {
  const int64_t apart = j->plan.length * LANES, step = j->out_step;
  const T *re = j->backward ? work + apart : work,
          *im = j->backward ? work : work + apart;
  const T scale = (T)j->scale;
  if (j->kind == COMPLEX) {
    NAME(put_pairs)(s, 0, j->n, step, re, im, scale);
  } else if (j->kind == FROM_REAL) {
    NAME(put_real_lines)(j, s, re, im);
  } else if (!j->halved) {
    NAME(put_reals)(s, j->n, 0, step, re, scale);
  } else if (step == (int64_t)sizeof(T)) {
    NAME(put_pairs)(s, 0, j->plan.n, 2 * step, re, im, scale);
  } else {
    NAME(put_reals)(s, j->plan.n, 0, 2 * step, re, scale);
    NAME(put_reals)(s, j->plan.n, step, 2 * step, im, scale);
  }
}
#undef LANES
#undef TILE
#undef WIDTH
#undef EACH
#undef AT
#undef OF
