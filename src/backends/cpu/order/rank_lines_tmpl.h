// SPDX-License-Identifier: Apache-2.0
// Ranks in short lines of one type. Given and undefined here: K, an integer as wide as elements,
// C, a signed one, and ID. Given for several: KEY(x), an integer of the same order as elements,
// and LAST, the key of NaN, or NO_NAN.
#define F(name) OYI_JOIN(name, ID)

enum { F(MOST) = sizeof(K) < 8 ? OYI_RANKED_ONE : OYI_RANKED_WIDE };
typedef struct F(few) {
  K keys[F(MOST)][LINES];
  C ranks[F(MOST)][LINES];
} F(few);

// |n| elements of each line, from the |first| on. Lines that are not there have what was there
// before.
static inline void F(load)(F(few) * f, const oyi_ranked_lines* r, int64_t from,
                           int64_t lines, int64_t first, int64_t n) {
  const K turn = r->how->descending ? (K)-1 : 0;
  oyi_move_rows(&(oyi_move){.item = sizeof(K),
                            .n = lines,
                            .rows = n,
                            .to = (char*)f->keys,
                            .from = r->x + from * r->x_line + first * r->x_step,
                            .to_along = sizeof(K),
                            .to_down = sizeof(f->keys[0]),
                            .from_along = r->x_line,
                            .from_down = r->x_step});
  for (int64_t i = 0; i < n; i++) {
    K* keys = f->keys[i];
    for (int l = 0; l < LINES; l++) keys[l] = (K)(KEY(keys[l]) ^ turn);
  }
}

typedef K F(vec) __attribute__((vector_size(VECTOR), aligned(sizeof(K)), may_alias));
typedef C F(lanes) __attribute__((vector_size(VECTOR), aligned(sizeof(K)), may_alias));

// How many elements are before each, in VECTORS vectors of lines: of every two one is before the
// other. A comparison that is true is -1.
static inline void F(compare)(F(few) * f, int64_t n, int64_t from) {
  enum { LANES = VECTOR / sizeof(K) };
  for (int64_t i = 0; i < n; i++) {
    const F(vec)* b = (const F(vec)*)(const void*)(f->keys[i] + from);
    F(lanes)* ranks = (F(lanes)*)(void*)(f->ranks[i] + from);
    F(lanes) before[VECTORS];
    for (int v = 0; v < VECTORS; v++) before[v] = (F(lanes)){0} + (C)i;
    for (int64_t j = 0; j < i; j++) {
      const F(vec)* a = (const F(vec)*)(const void*)(f->keys[j] + from);
      for (int v = 0; v < VECTORS; v++) before[v] += (F(lanes))(a[v] > b[v]);
    }
    for (int64_t j = i + 1; j < n; j++) {
      const F(vec)* a = (const F(vec)*)(const void*)(f->keys[j] + from);
      for (int v = 0; v < VECTORS; v++) before[v] -= (F(lanes))(b[v] > a[v]);
    }
    for (int v = 0; v < VECTORS; v++) ranks[v] = before[v];
  }
}

// The place of the most frequent element of the lines of a vector: of those that come as often the
// least one, and the last of equal ones.
static inline void F(mode)(const F(few) * f, int64_t n, int64_t from, C* places) {
  F(lanes) most = {0}, at = {0};
  F(vec) least = {0};
  for (int64_t i = 0; i < n; i++) {
    const F(vec) here = *(const F(vec)*)(const void*)(f->keys[i] + from);
    F(lanes) count = {0};
    for (int64_t j = 0; j < n; j++)
      count -= (F(lanes))(*(const F(vec)*)(const void*)(f->keys[j] + from) == here);
    const F(lanes) wins = (F(lanes))(count > most) |
                          ((F(lanes))(count == most) & (F(lanes))(here <= least));
    most = (count & wins) | (most & ~wins);
    least = (here & (F(vec))wins) | (least & ~(F(vec))wins);
    at = ((C)i & wins) | (at & ~wins);
  }
  *(F(lanes)*)(void*)(places + from) = at;
}

// Which place each rank is at.
static inline void F(invert)(const F(few) * f, int64_t n, int64_t lines,
                             uint8_t order[LINES][OYI_RANKED]) {
  for (int64_t i = 0; i < n; i++)
    for (int64_t l = 0; l < lines; l++) order[l][f->ranks[i][l]] = (uint8_t)i;
}

// Which rank is wanted of each line: the same of all that have no NaN.
static inline void F(rank)(const F(few) * f, const oyi_ranking* how, C* wanted) {
  C nans[LINES] = {0}, any = 0;
#ifdef LAST
  for (int64_t i = 0; i < how->n; i++) {
    const K* keys = f->keys[i];
    for (int l = 0; l < LINES; l++) nans[l] = (C)(nans[l] + (keys[l] == LAST ? 1 : 0));
  }
  for (int l = 0; l < LINES; l++) any |= nans[l];
#else
  (void)f;
#endif
  const C none = (C)how->rank(how->n, 0, how->k);
  for (int l = 0; l < LINES; l++)
    wanted[l] = any && nans[l] ? (C)how->rank(how->n, nans[l], how->k) : none;
}

// One element of each line: which of them has that rank.
static inline void F(find)(const F(few) * f, const oyi_ranking* how, C* places) {
  C wanted[LINES];
  F(rank)(f, how, wanted);
  for (int l = 0; l < LINES; l++) places[l] = 0;
  for (int64_t i = 0; i < how->n; i++) {
    const C* ranks = f->ranks[i];
    for (int l = 0; l < LINES; l++) places[l] = ranks[l] == wanted[l] ? (C)i : places[l];
  }
}

// The elements at |kept| places of a line: all are read before any is written, which may be where
// they were.
static inline void F(write)(const oyi_ranked_lines* r, int64_t line,
                            const uint8_t* places, int64_t kept) {
  const char* x = r->x + line * r->x_line;
  char *y = r->y + line * r->y_line, *at = r->at + line * r->at_line;
  K values[OYI_RANKED];
  for (int64_t k = 0; k < kept; k++)
    values[k] = *(const K*)(const void*)(x + places[k] * r->x_step);
  if (!r->how->places_only)
    for (int64_t k = 0; k < kept; k++, y += r->y_step) *(K*)(void*)y = values[k];
  for (int64_t k = 0; k < kept; k++, at += r->at_step) *(int64_t*)(void*)at = places[k];
}

typedef struct F(top) {
  K keys[OYI_TOP][LINES];
  C places[OYI_TOP][LINES];
} F(top);

// |here| at |place| goes before those of the first |last| that come after it, all of which move on
// by one, and to the end of them where none does and it |goes|.
static inline __attribute__((always_inline)) void F(put)(F(vec) * best, F(lanes) * at,
                                                         const F(vec) * value, C place,
                                                         F(lanes) goes,
                                                         const int64_t last) {
  const F(vec) here = *value;
  const F(lanes) where = (F(lanes)){0} + place;
  OYI_UNROLL_BY(8)
  for (int64_t s = last; s > 0; s--) {
    const F(lanes) before = (F(lanes))(here < best[s - 1]);
    best[s] = CHOOSE(goes, CHOOSE(before, best[s - 1], here), best[s]);
    at[s] = CHOOSE(goes, CHOOSE(before, at[s - 1], where), at[s]);
    goes = before;
  }
  best[0] = CHOOSE(goes, here, best[0]);
  at[0] = CHOOSE(goes, where, at[0]);
}

// The |k| first of a vector of lines, in their order, go on with |n| elements from the |first| on,
// |k| at least if that is 0. They stay in registers where compilers know how many there are.
static inline __attribute__((always_inline)) void F(insert)(F(top) * t, const F(few) * f,
                                                            int64_t from, int64_t first,
                                                            int64_t n, const int64_t k) {
  F(vec) best[OYI_TOP];
  F(lanes) at[OYI_TOP];
  const F(lanes) all = (F(lanes)){0} - 1;
  OYI_UNROLL_BY(8)
  for (int64_t s = 0; s < k; s++) {
    best[s] = *(const F(vec)*)(const void*)(t->keys[s] + from);
    at[s] = *(const F(lanes)*)(const void*)(t->places[s] + from);
  }
  OYI_UNROLL_BY(8)
  for (int64_t i = 0; i < k && first == 0; i++)
    F(put)(best, at, (const F(vec)*)(const void*)(f->keys[i] + from), (C)i, all, i);
  for (int64_t i = first ? 0 : k; i < n; i++) {
    const F(vec)* here = (const F(vec)*)(const void*)(f->keys[i] + from);
    const F(lanes) goes = (F(lanes))(*here < best[k - 1]);
    F(put)(best, at, here, (C)(first + i), goes, k - 1);
  }
  OYI_UNROLL_BY(8)
  for (int64_t s = 0; s < k; s++) {
    *(F(vec)*)(void*)(t->keys[s] + from) = best[s];
    *(F(lanes)*)(void*)(t->places[s] + from) = at[s];
  }
}

static void F(insert_some)(F(top) * t, const F(few) * f, int64_t from, int64_t first,
                           int64_t n, int64_t k) {
  switch (k) {
    case 1: F(insert)(t, f, from, first, n, 1); return;
    case 2: F(insert)(t, f, from, first, n, 2); return;
    case 3: F(insert)(t, f, from, first, n, 3); return;
    case 4: F(insert)(t, f, from, first, n, 4); return;
    case 5: F(insert)(t, f, from, first, n, 5); return;
    case 6:
    case 7:
    case 8: F(insert)(t, f, from, first, n, 8); return;
    default: F(insert)(t, f, from, first, n, k); return;
  }
}

// A few elements of each line.
static void F(top_lines)(const oyi_ranked_lines* r) {
  enum { LANES = VECTOR / sizeof(K), MOST = F(MOST) };
  const oyi_ranking* how = r->how;
  F(few) f;
  F(top) t;
  memset(&t, 0, sizeof(t));
  memset(f.keys, 0, sizeof(f.keys));
  for (int64_t from = 0, lines; from < r->lines; from += lines) {
    lines = r->lines - from < LINES ? r->lines - from : LINES;
    for (int64_t i = 0, some; i < how->n; i += some) {
      some = how->n - i < MOST ? how->n - i : MOST;
      F(load)(&f, r, from, lines, i, some);
      for (int64_t l = 0; l < lines; l += LANES)
        F(insert_some)(&t, &f, l, i, some, how->k);
    }
    for (int64_t l = 0; l < lines; l++) {
      uint8_t places[OYI_TOP];
      for (int64_t s = 0; s < how->k; s++) places[s] = (uint8_t)t.places[s][l];
      F(write)(r, from + l, places, how->k);
    }
  }
}

static void F(ranked)(const oyi_ranked_lines* r) {
  const oyi_ranking* how = r->how;
  if (oyi_is_top(how)) {
    F(top_lines)(r);
    return;
  }
  const bool one = how->rank || how->is_mode;
  F(few) f;
  memset(f.keys, 0, (size_t)how->n * sizeof(f.keys[0]));
  uint8_t order[LINES][OYI_RANKED];
  for (int64_t from = 0, lines; from < r->lines; from += lines) {
    lines = r->lines - from < LINES ? r->lines - from : LINES;
    F(load)(&f, r, from, lines, 0, how->n);
    C places[LINES] = {0};
    enum { LANES = VECTOR / sizeof(K) };
    for (int64_t l = 0; l < lines && how->is_mode; l += LANES)
      F(mode)(&f, how->n, l, places);
    for (int64_t l = 0; l < lines && !how->is_mode; l += VECTORS * LANES)
      F(compare)(&f, how->n, l);
    if (how->rank)
      F(find)(&f, how, places);
    else if (!how->is_mode)
      F(invert)(&f, how->n, lines, order);
    for (int64_t l = 0; l < lines; l++) {
      const uint8_t place = (uint8_t)places[l];
      F(write)(r, from + l, one ? &place : order[l], one ? 1 : how->k);
    }
  }
}
#undef F
#undef K
#undef C
#undef ID
