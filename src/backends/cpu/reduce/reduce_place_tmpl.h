// SPDX-License-Identifier: Apache-2.0
// Places of the most extreme elements of one type: T and ID are the including
// file's; NAME, EXTREME (the reducer of the value alone) and IS_MORE(x, a) are
// given, and undefined here. The first of equal elements counts, and the first
// NaN above all.
#define PLACE(what) OYI_JOIN(NAME, OYI_JOIN(what, ID))

typedef struct PLACE(state) {
  T value[OYI_REDUCE_BLOCK];
  int64_t place[OYI_REDUCE_BLOCK];  // below 0: none yet
} PLACE(state);

enum { PLACE(RUNNING) = 0 };
static void PLACE(start)(void* state, int64_t n, const void* args) {
  PLACE(state)* s = state;
  (void)args;
  for (int64_t i = 0; i < n; i++) {
    s->value[i] = 0;
    s->place[i] = -1;
  }
}

static inline int PLACE(wins)(T x, T value, int64_t place) {
  return place < 0 || (!IS_NAN(value) && (IS_MORE(x, value) || IS_NAN(x)));
}

// Where the first element is that is |found|, or NaN: none is passed that could be, a few
// at a time, which compilers make vectors of, as they do not of a loop with a way out.
static inline int64_t PLACE(find)(const char* x, int64_t n, int64_t step, T found) {
  enum { FEW = 64 };
  int64_t i = 0;
  for (; step == (int64_t)sizeof(T) && i + FEW <= n; i += FEW) {
    const T* p = (const T*)(const void*)x + i;
    int any = 0;
    for (int k = 0; k < FEW; k++) any |= (p[k] == found) | IS_NAN(p[k]);
    if (any) break;
  }
  for (; i < n; i++) {
    const T y = *(const T*)(const void*)(x + i * step);
    if (y == found || IS_NAN(y)) break;
  }
  return i;
}

// The piece's extreme is found first, which needs no places; then, if it wins,
// where.
static void PLACE(row)(void* state, int64_t at, const char* x, int64_t n, int64_t step,
                       int64_t first, const void* args) {
  PLACE(state)* s = state;
  T extreme[1];
  OYI_JOIN(EXTREME, OYI_JOIN(start, ID))(extreme, 1, args);
  OYI_JOIN(EXTREME, OYI_JOIN(row, ID))(extreme, 0, x, n, step, first, args);
  const T found = extreme[0];
  if (!PLACE(wins)(found, s->value[at], s->place[at])) return;
  const int64_t place = PLACE(find)(x, n, step, found);
  // Of zeros the one that is there.
  s->value[at] = *(const T*)(const void*)(x + place * step);
  s->place[at] = first + place;
}

// Integers as wide as elements, which count rows: what is chosen with one mask is one vector.
typedef __typeof__(_Generic((T)0, float
                            : (int32_t)0, double
                            : (int64_t)0, default
                            : (T)0))
PLACE(short);

// Of |rows| rows, which such an integer counts, the extremes and which rows they are in.
static inline void PLACE(few_rows)(T* restrict value, PLACE(short) * restrict place,
                                   int64_t n, const char* x, int64_t rows,
                                   int64_t row_step) {
  memcpy(value, x, (size_t)n * sizeof(T));
  memset(place, 0, (size_t)n * sizeof(T));
  for (int64_t r = 1; r < rows; r++) {
    const T* p = (const T*)(const void*)(x + r * row_step);
    const PLACE(short) here = (PLACE(short))r;
    for (int64_t i = 0; i < n; i++) {
      const T y = p[i], v = value[i];
      const int is_nan = IS_NAN(y), more = IS_MORE(y, v), stays = IS_NAN(v);
      const int wins = (more | is_nan) & !stays;
      value[i] = wins ? y : v;
      place[i] = wins ? here : place[i];
    }
  }
}

static void PLACE(columns)(void* state, int64_t n, const char* x, int64_t rows,
                           int64_t row_step, int64_t first, const void* args) {
  enum { MOST = 64 };
  PLACE(state)* s = state;
  T value[OYI_REDUCE_BLOCK];
  PLACE(short) place[OYI_REDUCE_BLOCK];
  (void)args;
  for (int64_t r = 0; r < rows; r += MOST) {
    const int64_t some = rows - r < MOST ? rows - r : MOST;
    PLACE(few_rows)(value, place, n, x + r * row_step, some, row_step);
    // There is nothing before the first of all.
    if (first + r == 0) {
      memcpy(s->value, value, (size_t)n * sizeof(T));
      for (int64_t i = 0; i < n; i++) s->place[i] = place[i];
      continue;
    }
    for (int64_t i = 0; i < n; i++) {
      const int wins = PLACE(wins)(value[i], s->value[i], s->place[i]);
      s->value[i] = wins ? value[i] : s->value[i];
      s->place[i] = wins ? first + r + place[i] : s->place[i];
    }
  }
}

static void PLACE(merge)(void* state, const void* later, int64_t n, const void* args) {
  (void)args;
  PLACE(state)* s = state;
  const PLACE(state)* from = later;
  for (int64_t i = 0; i < n; i++) {
    if (from->place[i] < 0 || !PLACE(wins)(from->value[i], s->value[i], s->place[i]))
      continue;
    s->value[i] = from->value[i];
    s->place[i] = from->place[i];
  }
}

static void PLACE(finish)(const void* state, int64_t n, void* const* out,
                          const void* args) {
  const PLACE(state)* s = state;
  (void)args;
  memcpy(out[0], s->value, (size_t)n * sizeof(T));
  memcpy(out[1], s->place, (size_t)n * sizeof(int64_t));
}
#undef PLACE
#undef NAME
#undef EXTREME
#undef IS_MORE
