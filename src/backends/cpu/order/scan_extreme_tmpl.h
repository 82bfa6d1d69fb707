// SPDX-License-Identifier: Apache-2.0
// Running extremes of one type. Given and undefined here: K, an integer as wide as elements, C, a
// signed one, and ID. Given for several: KEY(x, turn), and
// IS_ALIKE(key, turn), whether elements of that key are the same.
#define F(name) OYI_JOIN(name, ID)

// |count| elements from the |i|-th on, some of which are as good as what is best so far. Which
// ones nobody can foretell: there is no branch, but the greater of two numbers is taken, key and
// place in one if they have room, or the place if its key is as great.
static inline __attribute__((always_inline)) void F(go_on)(
    const oyi_extreme_lines* e, const char* x, char* y, char* at, int64_t i,
    int64_t count, const K* keys, K* best, int64_t* place, const bool is_dense) {
  const int64_t x_step = is_dense ? (int64_t)sizeof(K) : e->x_step;
  const int64_t y_step = is_dense ? (int64_t)sizeof(K) : e->y_step;
  const int64_t at_step = is_dense ? (int64_t)sizeof(int64_t) : e->at_step;
  int64_t top = *best, where = *place;
#define PUT()                                                                        \
  *(K*)(void*)(y + (i + j) * y_step) = *(const K*)(const void*)(x + where * x_step); \
  *(int64_t*)(void*)(at + (i + j) * at_step) = where
  if (sizeof(K) < sizeof(int64_t) && e->n <= UINT32_MAX) {
    int64_t pairs[BLOCK], both = top * ((int64_t)1 << 32) + where;
    for (int64_t j = 0; j < count; j++) pairs[j] = keys[j] * ((int64_t)1 << 32) + (i + j);
    OYI_UNROLL_BY(4)
    for (int64_t j = 0; j < count; j++) {
      both = pairs[j] > both ? pairs[j] : both;
      where = (uint32_t)both;
      PUT();
    }
    top = both >> 32;
  } else {
    OYI_UNROLL_BY(4)
    for (int64_t j = 0; j < count; j++) {
      const int64_t here = keys[j];
      where = here >= top ? i + j : where;
      top = here >= top ? here : top;
      PUT();
    }
  }
#undef PUT
  *best = (K)top;
  *place = where;
}

// A part, the |i|-th and on, of elements side by side, with none that is better than |best| but
// some as good, all of which are |value|.
static inline void F(go_on_equal)(const K* keys, K best, K value, int64_t i,
                                  int64_t* place, K* values, int64_t* places) {
  int64_t later[PART], where = *place;
  for (int j = 0; j < PART; j++) values[j] = value;
  OYI_UNROLL_BY(1)
  for (int j = 0; j < PART; j++) later[j] = keys[j] == best ? i + j : 0;
  OYI_UNROLL_BY(16)
  for (int j = 0; j < PART; j++) {
    where = later[j] > where ? later[j] : where;
    places[j] = where;
  }
  *place = where;
}

static inline __attribute__((always_inline)) void F(load_keys)(const char* x,
                                                               int64_t x_step,
                                                               int64_t count, K turn,
                                                               K* keys) {
  for (int64_t j = 0; j < count; j++)
    keys[j] = (K)KEY(*(const K*)(const void*)(x + j * x_step), turn);
}

// Whether one of a block is as good as |best|.
static inline bool F(has_as_good)(const K* keys, K best) {
  C good = 0;
  for (int j = 0; j < BLOCK; j++) good |= keys[j] >= best ? -1 : 0;
  return good;
}

// Whether none of a block is less than the one before it; a look at few tells most.
static inline bool F(rises)(const K* keys) {
  C falls = 0;
  if (keys[1] < keys[0] || keys[2] < keys[1] || keys[BLOCK - 1] < keys[2]) return false;
  for (int j = 1; j < BLOCK; j++) falls |= keys[j] < keys[j - 1] ? -1 : 0;
  return !falls;
}

// By parts, of elements side by side: early in a line, too, most have none that is better than
// what is best so far.
static void F(go_on_parts)(const oyi_extreme_lines* e, const char* x, char* y, char* at,
                           int64_t i, int64_t count, const K* keys, K* best,
                           int64_t* place) {
  const K turn = e->is_least ? (K)-1 : 0;
  for (const int64_t end = i + count; i < end; i += PART, keys += PART) {
    const int64_t some = end - i < PART ? end - i : PART;
    K* const values = (K*)(void*)y + i;
    int64_t* const places = (int64_t*)(void*)at + i;
    const K value = ((const K*)(const void*)x)[*place];
    C better = 0, equal = 0;
    for (int j = 0; some == PART && j < PART; j++) {
      better |= keys[j] > *best ? -1 : 0;
      equal |= keys[j] == *best ? -1 : 0;
    }
    if (i == 0 || some < PART || better || (equal && !IS_ALIKE(*best, turn))) {
      F(go_on)(e, x, y, at, i, some, keys, best, place, true);
    } else if (equal) {
      F(go_on_equal)(keys, *best, value, i, place, values, places);
    } else {
      for (int j = 0; j < PART; j++) values[j] = value;
      for (int j = 0; j < PART; j++) places[j] = *place;
    }
  }
}

// One line of elements side by side. Blocks with none that is as good as what is best so far are
// written as that, and blocks that rise as they are.
static void F(dense_line)(const oyi_extreme_lines* e, int64_t l) {
  const char* x = e->x + l * e->x_line;
  char *y = e->y + l * e->y_line, *at = e->at + l * e->at_line;
  const int64_t n = e->n, step = sizeof(K);
  const K turn = e->is_least ? (K)-1 : 0;
  K keys[BLOCK], best = (K)KEY(*(const K*)(const void*)x, turn);
  int64_t place = 0;
  for (int64_t i = 0; i < n; i += BLOCK) {
    K* const values = (K*)(void*)y + i;
    int64_t* const places = (int64_t*)(void*)at + i;
    if (n - i < BLOCK) {
      F(load_keys)(x + i * step, step, n - i, turn, keys);
      F(go_on_parts)(e, x, y, at, i, n - i, keys, &best, &place);
      continue;
    }
    F(load_keys)(x + i * step, step, BLOCK, turn, keys);
    if (i > 0 && !F(has_as_good)(keys, best)) {
      const K value = ((const K*)(const void*)x)[place];
      for (int j = 0; j < BLOCK; j++) values[j] = value;
      for (int j = 0; j < BLOCK; j++) places[j] = place;
    } else if (keys[0] >= best && F(rises)(keys)) {
      if (y != x) memmove(values, x + i * step, BLOCK * sizeof(K));
      for (int j = 0; j < BLOCK; j++) places[j] = i + j;
      best = keys[BLOCK - 1];
      place = i + BLOCK - 1;
    } else {
      F(go_on_parts)(e, x, y, at, i, BLOCK, keys, &best, &place);
    }
  }
}

// One line with any steps. Most blocks have none that is as good as what is best so far, here, too.
static void F(line)(const oyi_extreme_lines* e, int64_t l) {
  const char* x = e->x + l * e->x_line;
  char *y = e->y + l * e->y_line, *at = e->at + l * e->at_line;
  const K turn = e->is_least ? (K)-1 : 0;
  K keys[BLOCK], best = (K)KEY(*(const K*)(const void*)x, turn);
  int64_t place = 0;
  for (int64_t i = 0; i < e->n; i += BLOCK) {
    const int64_t count = e->n - i < BLOCK ? e->n - i : BLOCK;
    F(load_keys)(x + i * e->x_step, e->x_step, count, turn, keys);
    if (i == 0 || count < BLOCK || F(has_as_good)(keys, best)) {
      F(go_on)(e, x, y, at, i, count, keys, &best, &place, false);
      continue;
    }
    const K value = *(const K*)(const void*)(x + place * e->x_step);
    for (int64_t j = i; j < i + BLOCK; j++) {
      *(K*)(void*)(y + j * e->y_step) = value;
      *(int64_t*)(void*)(at + j * e->at_step) = place;
    }
  }
}

// Lines that are neighbours, down their columns.
static void F(columns)(const oyi_extreme_lines* e, int64_t from, int64_t count) {
  K best[COLUMNS], values[COLUMNS];
  C is_new[COLUMNS];
  int64_t places[COLUMNS];
  const K turn = e->is_least ? (K)-1 : 0;
  for (int64_t i = 0; i < e->n; i++) {
    const K* x = (const K*)(const void*)(e->x + i * e->x_step) + from;
    K* y = (K*)(void*)(e->y + i * e->y_step) + from;
    int64_t* at = (int64_t*)(void*)(e->at + i * e->at_step) + from;
    for (int64_t l = 0; l < count; l++) {
      const K bits = x[l], here = (K)KEY(bits, turn);
      const bool is_best = i == 0 || here >= best[l];
      best[l] = is_best ? here : best[l];
      values[l] = is_best ? bits : values[l];
      is_new[l] = is_best ? -1 : 0;
      y[l] = values[l];
    }
    for (int64_t l = 0; l < count; l++) {
      const int64_t mask = is_new[l];
      places[l] = (places[l] & ~mask) | (i & mask);
      at[l] = places[l];
    }
  }
}

// Lines that are short, wherever they lie, an element of each at a time: what it takes to begin
// a line is more than its elements do.
static void F(short_lines)(const oyi_extreme_lines* e, int64_t from, int64_t count) {
  K best[BLOCK], values[BLOCK];
  int64_t places[BLOCK];
  const K turn = e->is_least ? (K)-1 : 0;
  for (int64_t i = 0; i < e->n; i++) {
    const char* x = e->x + from * e->x_line + i * e->x_step;
    char* y = e->y + from * e->y_line + i * e->y_step;
    char* at = e->at + from * e->at_line + i * e->at_step;
    for (int64_t l = 0; l < count; l++) {
      const K bits = *(const K*)(const void*)(x + l * e->x_line),
              here = (K)KEY(bits, turn);
      const bool is_best = i == 0 || here >= best[l];
      best[l] = is_best ? here : best[l];
      values[l] = is_best ? bits : values[l];
      places[l] = is_best ? i : places[l];
      *(K*)(void*)(y + l * e->y_line) = values[l];
      *(int64_t*)(void*)(at + l * e->at_line) = places[l];
    }
  }
}

static void F(extremes)(const oyi_extreme_lines* e) {
  const int64_t item = sizeof(K), place_item = sizeof(int64_t);
  if (e->x_line == item && e->y_line == item && e->at_line == place_item &&
      e->lines >= FEW_COLUMNS) {
    for (int64_t l = 0; l < e->lines; l += COLUMNS)
      F(columns)(e, l, e->lines - l < COLUMNS ? e->lines - l : COLUMNS);
    return;
  }
  const bool dense = e->x_step == item && e->y_step == item && e->at_step == place_item;
  const int64_t short_line = !dense                        ? SHORT_APART
                             : sizeof(K) < sizeof(int64_t) ? 2
                                                           : LONG_SHORT;
  if (e->n <= short_line && e->lines >= FEW_COLUMNS) {
    for (int64_t l = 0; l < e->lines; l += BLOCK)
      F(short_lines)(e, l, e->lines - l < BLOCK ? e->lines - l : BLOCK);
    return;
  }
  if (dense)
    for (int64_t l = 0; l < e->lines; l++) F(dense_line)(e, l);
  else
    for (int64_t l = 0; l < e->lines; l++) F(line)(e, l);
}
#undef F
#undef K
#undef C
#undef ID
