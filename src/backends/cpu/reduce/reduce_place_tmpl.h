// SPDX-License-Identifier: Apache-2.0
// Places of the most extreme elements of one type: T and ID are the including
// file's; NAME, EXTREME (the reducer of the value alone), IS_MORE(x, a) and IS_NO_MORE(x, a), of
// vectors, are given, and undefined here; PLACES_V4 may be, where reduce_places.h has columns of
// this type. The first of equal elements counts, and the first NaN above all.
#define PLACE(what) OYI_JOIN(NAME, OYI_JOIN(what, ID))

typedef struct PLACE(state) {
  T value[OYI_REDUCE_BLOCK];
  int64_t place[OYI_REDUCE_BLOCK];  // below 0: none yet
} PLACE(state);

enum { PLACE(RUNNING) = 0, PLACE(HELD) = 0 };
static void PLACE(start)(void* state, int64_t n, const void* args) {
  PLACE(state)* s = state;
  (void)args;
  for (int64_t i = 0; i < n; i++) {
    s->value[i] = 0;
    s->place[i] = -1;
  }
}

// Integers as wide as elements, which count rows: what is chosen with one mask is one vector.
typedef __typeof__(_Generic((T)0, float
                            : (int32_t)0, double
                            : (int64_t)0, default
                            : (T)0))
PLACE(short);
typedef T PLACE(vec) __attribute__((vector_size(32)));
typedef PLACE(short) PLACE(masks) __attribute__((vector_size(32)));

static inline int PLACE(wins)(T x, T value, int64_t place) {
  return place < 0 || (!IS_NAN(value) && (IS_MORE(x, value) || IS_NAN(x)));
}

// Where the first element is that is |found|, or NaN if that is; |n|: it is not there. Of what
// lies together vector by vector, of which the last may lie over the one before it.
static inline int64_t PLACE(find)(const char* x, int64_t n, int64_t step, T found) {
  int64_t i = 0;
#if defined(__AVX2__)
  enum { LANES = 32 / sizeof(T) };
  const PLACE(masks) none = {0};
  for (; step == (int64_t)sizeof(T) && n >= LANES && i < n; i += LANES) {
    const int64_t at = i + LANES <= n ? i : n - LANES;
    PLACE(vec) y;
    memcpy(&y, x + at * step, sizeof(y));
    const __m256i is_it =
        IS_NAN(found) ? (__m256i)(none | IS_NAN(y)) : (__m256i)(y == found);
    const unsigned mask = (unsigned)_mm256_movemask_epi8(is_it);
    if (mask) return at + __builtin_ctz(mask) / (int)sizeof(T);
  }
#endif
  for (; i < n; i++) {
    const T y = *(const T*)(const void*)(x + i * step);
    if (y == found || IS_NAN(y)) break;
  }
  return i;
}

// The same of every other element, which vectors bring together.
static inline int64_t PLACE(find_apart)(const char* x, int64_t n, T found) {
  enum { SOME = 256 };
  const T* p = (const T*)(const void*)x;
  T few[SOME];
  for (int64_t i = 0; i < n; i += SOME, p += 2 * SOME) {
    const int64_t some = n - i < SOME ? n - i : SOME;
    for (int64_t k = 0; k < some; k++) few[k] = p[2 * k];
    const int64_t at = PLACE(find)((const char*)few, some, sizeof(T), found);
    if (at < some) return i + at;
  }
  return n;
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
  const bool apart = step == 2 * (int64_t)sizeof(T);
  const int64_t place =
      apart ? PLACE(find_apart)(x, n, found) : PLACE(find)(x, n, step, found);
  // Of zeros the one that is there.
  s->value[at] = *(const T*)(const void*)(x + place * step);
  s->place[at] = first + place;
}

// Columns side by side: of bytes no more than of halves.
enum {
  PLACE(LANES) = sizeof(T) < 4 ? 16 : 32 / sizeof(T),
  PLACE(HALF) = PLACE(LANES) / 2
};
typedef T PLACE(lanes) __attribute__((vector_size(PLACE(LANES) * sizeof(T))));
typedef PLACE(short) PLACE(counts) __attribute__((vector_size(PLACE(LANES) * sizeof(T))));

// |a| becomes |y| where |wins| has ones.
static inline __attribute__((always_inline)) void PLACE(choose)(
    PLACE(counts) * a, const PLACE(counts) * y, const PLACE(counts) * wins) {
#if defined(__AVX2__)
  __m256i masks, first, second;
  if (sizeof(*a) == sizeof(masks)) {
    memcpy(&masks, wins, sizeof(*a));
    memcpy(&first, a, sizeof(*a));
    memcpy(&second, y, sizeof(*a));
    first = _mm256_blendv_epi8(first, second, masks);
    memcpy(a, &first, sizeof(*a));
    return;
  }
#endif
  *a = (*y & *wins) | (*a & ~*wins);
}

// The extremes |a| of columns, in rows |at|, go on with |y| in rows |place|. NaN is no less and no
// more than what it is compared with.
static inline __attribute__((always_inline)) void PLACE(go_on)(PLACE(lanes) * a,
                                                               PLACE(counts) * at,
                                                               const PLACE(lanes) * y,
                                                               const PLACE(counts) *
                                                                   place) {
  const PLACE(counts) none = {0};
  const PLACE(counts) wins = ~((PLACE(counts))IS_NO_MORE(*y, *a) | (none | IS_NAN(*a)));
  PLACE(counts) was = (PLACE(counts)) * a;
  const PLACE(counts) next = (PLACE(counts)) * y;
  PLACE(choose)(&was, &next, &wins);
  PLACE(choose)(at, place, &wins);
  *a = (PLACE(lanes))was;
}
static inline __attribute__((always_inline)) void PLACE(step)(PLACE(lanes) * a,
                                                              PLACE(counts) * at,
                                                              const PLACE(lanes) * y,
                                                              PLACE(short) here) {
  const PLACE(counts) none = {0}, place = none + here;
  PLACE(go_on)(a, at, y, &place);
}

// Of columns of two vectors, |second| columns apart, the running values go on with |rows| rows,
// the first of which is row |here|.
static inline __attribute__((always_inline)) void PLACE(two)(
    T* value, PLACE(short) * place, int64_t second, const char* x, int64_t rows,
    int64_t row_step, int64_t here) {
  PLACE(lanes) a, b, y, z;
  PLACE(counts) at, at_b;
  const int64_t bytes = second * (int64_t)sizeof(T);
  memcpy(&a, value, sizeof(a)), memcpy(&b, value + second, sizeof(b));
  memcpy(&at, place, sizeof(at)), memcpy(&at_b, place + second, sizeof(at_b));
  for (int64_t r = here; r < here + rows; r++, x += row_step) {
    memcpy(&y, x, sizeof(y)), memcpy(&z, x + bytes, sizeof(z));
    PLACE(step)(&a, &at, &y, (PLACE(short))r);
    PLACE(step)(&b, &at_b, &z, (PLACE(short))r);
  }
  memcpy(value, &a, sizeof(a)), memcpy(value + second, &b, sizeof(b));
  memcpy(place, &at, sizeof(at)), memcpy(place + second, &at_b, sizeof(at_b));
}

// Two halves become a vector, in registers: what is stored by halves is read as one much later.
static inline __attribute__((always_inline)) void PLACE(join)(PLACE(lanes) * y,
                                                              const char* first,
                                                              const char* second) {
#if defined(__AVX2__)
  if (sizeof(*y) == sizeof(__m256i)) {
    const __m256i both = _mm256_loadu2_m128i((const void*)second, (const void*)first);
    memcpy(y, &both, sizeof(*y));
  } else {
    const __m128i low = _mm_loadl_epi64((const void*)first);
    const __m128i both = _mm_unpacklo_epi64(low, _mm_loadl_epi64((const void*)second));
    memcpy(y, &both, sizeof(*y));
  }
#else
  T both[PLACE(LANES)];
  memcpy(both, first, sizeof(*y) / 2);
  memcpy(both + PLACE(HALF), second, sizeof(*y) / 2);
  memcpy(y, both, sizeof(*y));
#endif
}

// Of no more columns than a vector has, but half as many or more: two halves that may overlap. The
// first rows and the rest do not wait for each other.
static inline void PLACE(halves)(T* value, PLACE(short) * place, int64_t n, const char* x,
                                 int64_t rows, int64_t row_step, int64_t here) {
  enum { HALF = PLACE(HALF), LANES = PLACE(LANES) };
  const int64_t last = n - HALF, bytes = last * (int64_t)sizeof(T);
  const int64_t first = here + rows / 2, end = here + rows;
  const char* z = x + rows / 2 * row_step;
  PLACE(lanes) a, b, y;
  PLACE(counts) at, at_b = {0};
  T both[LANES];
  PLACE(short) places[LANES];
  memcpy(both, value, sizeof(a) / 2), memcpy(both + HALF, value + last, sizeof(a) / 2);
  memcpy(places, place, sizeof(a) / 2),
      memcpy(places + HALF, place + last, sizeof(a) / 2);
  memcpy(&a, both, sizeof(a)), memcpy(&at, places, sizeof(at));
  PLACE(join)(&b, z, z + bytes);
  at_b += (PLACE(short))first;
  for (int64_t r = here, q = first; q < end; r++, q++, x += row_step, z += row_step) {
    if (r < first) {
      PLACE(join)(&y, x, x + bytes);
      PLACE(step)(&a, &at, &y, (PLACE(short))r);
    }
    PLACE(join)(&y, z, z + bytes);
    PLACE(step)(&b, &at_b, &y, (PLACE(short))q);
  }
  PLACE(go_on)(&a, &at, &b, &at_b);
  memcpy(both, &a, sizeof(a)), memcpy(places, &at, sizeof(at));
  memcpy(value, both, sizeof(a) / 2), memcpy(value + last, both + HALF, sizeof(a) / 2);
  memcpy(place, places, sizeof(a) / 2),
      memcpy(place + last, places + HALF, sizeof(a) / 2);
}

// Running values of |n| columns go on with |rows| rows, which such an integer counts from |here|
// on. Vectors may lie over others; of rows that are more than a few of them some are read at a
// time.
static inline void PLACE(few_rows)(T* value, PLACE(short) * place, int64_t n,
                                   const char* x, int64_t rows, int64_t row_step,
                                   int64_t here) {
  enum { LANES = PLACE(LANES), NARROW = 8 * LANES, FEW = 8 };
  if (n <= LANES && n >= PLACE(HALF)) {
    PLACE(halves)(value, place, n, x, rows, row_step, here);
    return;
  }
  const int64_t most = n <= NARROW ? rows : FEW;
  for (int64_t r = 0; n >= LANES && r < rows; r += most) {
    const int64_t some = r + most < rows ? most : rows - r;
    for (int64_t i = 0; i < n; i += 2 * LANES) {
      const int64_t at = i + 2 * LANES <= n ? i : n >= 2 * LANES ? n - 2 * LANES : 0;
      const int64_t second = n < 2 * LANES ? n - LANES : LANES;
      const char* from = x + r * row_step + at * (int64_t)sizeof(T);
      PLACE(two)(value + at, place + at, second, from, some, row_step, here + r);
    }
  }
  for (int64_t r = 0; n < LANES && r < rows; r++) {
    const T* p = (const T*)(const void*)(x + r * row_step);
    for (int64_t i = 0; i < n; i++) {
      const int wins = PLACE(wins)(p[i], value[i], 0);
      value[i] = wins ? p[i] : value[i];
      place[i] = wins ? (PLACE(short))(here + r) : place[i];
    }
  }
}

static void PLACE(columns)(void* state, int64_t n, const char* x, int64_t rows,
                           int64_t row_step, int64_t first, const void* args) {
  enum { MOST = 64 };
  PLACE(state)* s = state;
  (void)args;
#ifdef PLACES_V4
  if (oyi_cpu_level() > 1) {
    OYI_JOIN(oyi, OYI_JOIN(NAME, OYI_JOIN(ID, columns_v4)))
    (s->value, s->place, n, x, rows, row_step, first);
    return;
  }
#endif
  if (sizeof(T) == sizeof(int64_t)) {
    // There is nothing before the first of all.
    if (s->place[0] < 0) {
      memcpy(s->value, x, (size_t)n * sizeof(T));
      for (int64_t i = 0; i < n; i++) s->place[i] = first;
    }
    PLACE(few_rows)(s->value, (void*)s->place, n, x, rows, row_step, first);
    return;
  }
  T value[OYI_REDUCE_BLOCK];
  PLACE(short) place[OYI_REDUCE_BLOCK];
  for (int64_t r = 0; r < rows; r += MOST) {
    const int64_t some = rows - r < MOST ? rows - r : MOST;
    const char* from = x + r * row_step;
    memcpy(value, from, (size_t)n * sizeof(T));
    memset(place, 0, (size_t)n * sizeof(T));
    PLACE(few_rows)(value, place, n, from, some, row_step, 0);
    if (s->place[0] < 0) {
      memcpy(s->value, value, (size_t)n * sizeof(T));
      for (int64_t i = 0; i < n; i++) s->place[i] = first + place[i];
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
#undef IS_NO_MORE
