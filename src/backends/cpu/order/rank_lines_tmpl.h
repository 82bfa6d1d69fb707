// SPDX-License-Identifier: Apache-2.0
// Ranks in short lines of one type. Given and undefined here: K, an integer as wide as elements,
// C, a signed one, and ID. Given for several: KEY(x), an integer of the same order as elements,
// and LAST, the key of NaN, or NO_NAN.
#define F(name) OYI_JOIN(name, ID)

typedef struct F(few) {
  K keys[OYI_RANKED][LINES];
  C ranks[OYI_RANKED][LINES];
} F(few);

// Lines that are not there have what was there before.
static inline void F(load)(F(few) * f, const oyi_ranked_lines* r, int64_t from,
                           int64_t lines) {
  const K turn = r->how->descending ? (K)-1 : 0;
  for (int64_t i = 0; i < r->how->n; i++) {
    const char* x = r->x + from * r->x_line + i * r->x_step;
    for (int64_t l = 0; l < lines; l++)
      f->keys[i][l] = (K)(KEY(*(const K*)(const void*)(x + l * r->x_line)) ^ turn);
  }
}

// How many elements are before each, in STRIPE lanes: of every two one is before the other. One
// element's are counted apart, or compilers fear that they are another's and make no vectors.
static inline void F(compare)(F(few) * f, int64_t n, int64_t from) {
  for (int64_t i = 0; i < n; i++) {
    C before[STRIPE] = {0};
    const K* b = f->keys[i] + from;
    for (int64_t j = 0; j < i; j++) {
      const K* a = f->keys[j] + from;
      for (int l = 0; l < STRIPE; l++)
        before[l] = (C)(before[l] + (b[l] >= a[l] ? 1 : 0));
    }
    for (int64_t j = i + 1; j < n; j++) {
      const K* a = f->keys[j] + from;
      for (int l = 0; l < STRIPE; l++) before[l] = (C)(before[l] + (b[l] > a[l] ? 1 : 0));
    }
    memcpy(f->ranks[i] + from, before, sizeof(before));
  }
}

// Which place each rank is at.
static inline void F(invert)(const F(few) * f, int64_t n, int64_t lines,
                             uint8_t order[LINES][OYI_RANKED]) {
  for (int64_t i = 0; i < n; i++)
    for (int64_t l = 0; l < lines; l++) order[l][f->ranks[i][l]] = (uint8_t)i;
}

static inline int64_t F(rank)(const F(few) * f, const oyi_ranking* how, int64_t line) {
  int64_t nans = 0;
#ifdef LAST
  for (int64_t i = 0; i < how->n; i++) nans += f->keys[i][line] == LAST;
#else
  (void)f, (void)line;
#endif
  return how->rank(how->n, nans, how->k);
}

static void F(ranked)(const oyi_ranked_lines* r) {
  const oyi_ranking* how = r->how;
  F(few) f;
  memset(f.keys, 0, (size_t)how->n * sizeof(f.keys[0]));
  uint8_t order[LINES][OYI_RANKED];
  for (int64_t from = 0, lines; from < r->lines; from += lines) {
    lines = r->lines - from < LINES ? r->lines - from : LINES;
    F(load)(&f, r, from, lines);
    for (int64_t l = 0; l < lines; l += STRIPE) F(compare)(&f, how->n, l);
    F(invert)(&f, how->n, lines, order);
    for (int64_t l = 0; l < lines; l++) {
      const char* x = r->x + (from + l) * r->x_line;
      char *y = r->y + (from + l) * r->y_line, *at = r->at + (from + l) * r->at_line;
      const int64_t first = how->rank ? F(rank)(&f, how, l) : 0;
      const int64_t kept = how->rank ? 1 : how->k;
      for (int64_t k = 0; k < kept; k++, y += r->y_step, at += r->at_step) {
        // NOLINT: each rank is that of one element
        const int64_t place = order[l][first + k];
        *(K*)(void*)y = *(const K*)(const void*)(x + place * r->x_step);
        *(int64_t*)(void*)at = place;
      }
    }
  }
}
#undef F
#undef K
#undef C
#undef ID
