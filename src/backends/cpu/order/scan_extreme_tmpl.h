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
      const int64_t here = keys[j], later = (i + j) & -(int64_t)(here >= top);
      top = here > top ? here : top;
      where = later > where ? later : where;
      PUT();
    }
  }
#undef PUT
  *best = (K)top;
  *place = where;
}

// A whole block, the |i|-th and on, of elements side by side, with none that is better than
// |best| but some as good.
static inline void F(go_on_equal)(const K* keys, K best, K value, int64_t i,
                                  int64_t* place, K* values, int64_t* places) {
  int64_t later[BLOCK], where = *place;
  for (int j = 0; j < BLOCK; j++) later[j] = keys[j] == best ? i + j : 0;
  for (int j = 0; j < BLOCK; j++) values[j] = value;
  OYI_UNROLL_BY(8)
  for (int j = 0; j < BLOCK; j++) {
    where = later[j] > where ? later[j] : where;
    places[j] = where;
  }
  *place = where;
}

// The keys of |count| elements and the greatest of them; whether none is less than the one
// before it.
static inline __attribute__((always_inline)) K F(load_keys)(const char* x, int64_t x_step,
                                                            int64_t count, K turn,
                                                            K* keys, bool* rises) {
  C falls = 0;
  for (int64_t j = 0; j < count; j++)
    keys[j] = (K)KEY(*(const K*)(const void*)(x + j * x_step), turn);
  K top = keys[0];
  for (int64_t j = 1; j < count; j++) {
    top = keys[j] > top ? keys[j] : top;
    falls |= keys[j] < keys[j - 1] ? -1 : 0;
  }
  *rises = falls == 0;
  return top;
}

// One line. Blocks with none that is as good as what is best so far are written as that, and
// blocks that rise as they are.
static inline __attribute__((always_inline)) void F(line)(const oyi_extreme_lines* e,
                                                          int64_t l,
                                                          const bool is_dense) {
  const char* x = e->x + l * e->x_line;
  char *y = e->y + l * e->y_line, *at = e->at + l * e->at_line;
  const int64_t n = e->n, x_step = is_dense ? (int64_t)sizeof(K) : e->x_step;
  const K turn = e->is_least ? (K)-1 : 0;
  K keys[BLOCK], best = (K)KEY(*(const K*)(const void*)x, turn);
  int64_t place = 0;
  for (int64_t i = 0; i < n; i += BLOCK) {
    const int64_t count = n - i < BLOCK ? n - i : BLOCK;
    bool rises;
    const K top = F(load_keys)(x + i * x_step, x_step, count, turn, keys, &rises);
    K* const values = (K*)(void*)y + i;
    int64_t* const places = (int64_t*)(void*)at + i;
    if (is_dense && i > 0 && top < best) {
      const K value = ((const K*)(const void*)x)[place];
      for (int64_t j = 0; j < count; j++) values[j] = value;
      for (int64_t j = 0; j < count; j++) places[j] = place;
    } else if (is_dense && rises && keys[0] >= best) {
      if (y != x) memmove(values, x + i * x_step, (size_t)count * sizeof(K));
      for (int64_t j = 0; j < count; j++) places[j] = i + j;
      best = top;
      place = i + count - 1;
    } else if (is_dense && count == BLOCK && i > 0 && top == best &&
               IS_ALIKE(top, turn)) {
      F(go_on_equal)
      (keys, best, ((const K*)(const void*)x)[place], i, &place, values, places);
    } else {
      F(go_on)(e, x, y, at, i, count, keys, &best, &place, is_dense);
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

static void F(extremes)(const oyi_extreme_lines* e) {
  const int64_t item = sizeof(K), place_item = sizeof(int64_t);
  if (e->x_line == item && e->y_line == item && e->at_line == place_item &&
      e->lines >= FEW_COLUMNS) {
    for (int64_t l = 0; l < e->lines; l += COLUMNS)
      F(columns)(e, l, e->lines - l < COLUMNS ? e->lines - l : COLUMNS);
    return;
  }
  if (e->x_step == item && e->y_step == item && e->at_step == place_item)
    for (int64_t l = 0; l < e->lines; l++) F(line)(e, l, true);
  else
    for (int64_t l = 0; l < e->lines; l++) F(line)(e, l, false);
}
#undef F
#undef K
#undef C
#undef ID
