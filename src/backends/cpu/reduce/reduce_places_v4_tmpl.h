// SPDX-License-Identifier: Apache-2.0
// Of one type and one of the extremes: WINS(y, a), the mask of lanes in which |y| goes before |a|,
// ONE_WINS(y, a), whether an element does, and COLUMNS, the name of the function, are given and
// undefined here; and what the type has: T,
// its vector V, LANES, the mask type M, OF(f), an intrinsic for vectors of it, PLACE_OF(f), one for
// integers as wide, SPLAT(x), a vector of these, and PUT_PLACES, what writes them. Places are
// counted from the first row, and below 0 while what came before still holds.
#define FN(name) OYI_JOIN(COLUMNS, name)

// |vectors| vectors side by side, the last with the lanes of |last|, in registers over all rows.
static inline __attribute__((always_inline)) void FN(strip)(T* value, int64_t* place,
                                                            const int vectors, M last,
                                                            const char* x, int64_t rows,
                                                            int64_t row_step,
                                                            int64_t first) {
  const bool begins = place[0] < 0;
  V a[MOST_VECTORS];
  __m512i at[MOST_VECTORS];
  OYI_UNROLL_BY(4)
  for (int k = 0; k < vectors; k++) {
    const M mask = k + 1 < vectors ? (M)-1 : last;
    const char* from = begins ? x : (const char*)value;
    a[k] = OF(maskz_loadu)(mask, from + k * (int)sizeof(V));
    at[k] = SPLAT(begins ? 0 : -1);
  }
  for (int64_t r = begins; r < rows; r++) {
    const __m512i here = SPLAT(r);
    OYI_UNROLL_BY(4)
    for (int k = 0; k < vectors; k++) {
      const M mask = k + 1 < vectors ? (M)-1 : last;
      const V y = OF(maskz_loadu)(mask, x + r * row_step + k * (int)sizeof(V));
      const M wins = WINS(y, a[k]);
      a[k] = OF(mask_mov)(a[k], wins, y);
      at[k] = PLACE_OF(mask_mov)(at[k], wins, here);
    }
  }
  OYI_UNROLL_BY(4)
  for (int k = 0; k < vectors; k++) {
    const M mask = k + 1 < vectors ? (M)-1 : last;
    OF(mask_storeu)(value + k * LANES, mask, a[k]);
    PUT_PLACES(place + k * LANES, mask, at[k], first);
  }
}

static inline void FN(some_rows)(T* value, int64_t* place, int64_t n, const char* x,
                                 int64_t rows, int64_t row_step, int64_t first) {
  enum { STRIP = MOST_VECTORS * LANES };
  for (; n > STRIP; n -= STRIP, value += STRIP, place += STRIP, x += STRIP * sizeof(T))
    FN(strip)(value, place, MOST_VECTORS, (M)-1, x, rows, row_step, first);
  const int vectors = (int)((n + LANES - 1) / LANES);
  const M last = (M)((M)-1 >> (vectors * LANES - n));
  switch (vectors) {
    case 1: FN(strip)(value, place, 1, last, x, rows, row_step, first); return;
    case 2: FN(strip)(value, place, 2, last, x, rows, row_step, first); return;
    case 3: FN(strip)(value, place, 3, last, x, rows, row_step, first); return;
    default: FN(strip)(value, place, 4, last, x, rows, row_step, first); return;
  }
}

// Lane |at|, of rows in which elements of one column are, goes on to the result of its column.
static inline void FN(join)(T* value, int64_t* place, T y, int64_t at) {
  if (*place >= 0 && !ONE_WINS(y, *value) && (ONE_WINS(*value, y) || at > *place)) return;
  *value = y;
  *place = at;
}

// |columns|, a few, of rows that follow each other, which fill |vectors| at each step: each lane
// has elements of one column. What is known of all lanes is joined in the end. How many rows are
// done.
static inline __attribute__((always_inline)) int64_t FN(follow)(
    T* value, int64_t* place, const int columns, const int vectors, const char* x,
    int64_t rows, int64_t first) {
  enum { VECTOR = sizeof(V) };
  const int step = vectors * LANES / columns;
  V a[MOST_VECTORS];
  __m512i at[MOST_VECTORS];
  OYI_UNROLL_BY(4)
  for (int k = 0; k < vectors; k++) {
    a[k] = OF(loadu)(x + k * VECTOR);
    at[k] = SPLAT(0);
  }
  int64_t r = step;
  for (; r + step <= rows; r += step) {
    const __m512i here = SPLAT(r);
    x += vectors * VECTOR;
    OYI_UNROLL_BY(4)
    for (int k = 0; k < vectors; k++) {
      const V y = OF(loadu)(x + k * VECTOR);
      const M wins = WINS(y, a[k]);
      a[k] = OF(mask_mov)(a[k], wins, y);
      at[k] = PLACE_OF(mask_mov)(at[k], wins, here);
    }
  }
  T values[MOST_VECTORS * LANES];
  int64_t places[MOST_VECTORS * LANES];
  for (int k = 0; k < vectors; k++) {
    OF(storeu)(values + k * LANES, a[k]);
    PUT_PLACES(places + k * LANES, (M)-1, at[k], first);
  }
  for (int i = 0; i < vectors * LANES; i++) FN(join)
  (&value[i % columns], &place[i % columns], values[i], places[i] + i / columns);
  return r;
}

// As many rows as that takes, if they are such: how many.
static inline int64_t FN(follow_some)(T* value, int64_t* place, int64_t n, const char* x,
                                      int64_t rows, int64_t row_step, int64_t first) {
  enum { LEAST = 4 * LANES, WORD = 8 };
  if (sizeof(T) < WORD || row_step != n * (int64_t)sizeof(T) || rows < LEAST) return 0;
  switch (n) {
    case 2: return FN(follow)(value, place, 2, 4, x, rows, first);
    case 3: return FN(follow)(value, place, 3, 3, x, rows, first);
    case 4: return FN(follow)(value, place, 4, 4, x, rows, first);
    default: return 0;
  }
}

// Of many columns a few rows at a time, so that memory is read along them.
void COLUMNS(T* value, int64_t* place, int64_t n, const char* x, int64_t rows,
             int64_t row_step, int64_t first) {
  enum { NARROW = 2 * MOST_VECTORS * LANES, FEW = 8 };
  const int64_t most = n <= NARROW ? MOST_ROWS : FEW;
  const int64_t done = FN(follow_some)(value, place, n, x, rows, row_step, first);
  rows -= done, x += done * row_step, first += done;
  for (int64_t some; rows > 0; rows -= some, x += some * row_step, first += some) {
    some = rows < most ? rows : most;
    FN(some_rows)(value, place, n, x, some, row_step, first);
  }
}
#undef FN
#undef WINS
#undef ONE_WINS
#undef COLUMNS
