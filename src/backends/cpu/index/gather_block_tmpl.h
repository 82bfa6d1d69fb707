// SPDX-License-Identifier: Apache-2.0
// Blocks of elements of one size: T and ID are given, and undefined here.
#define FN(what) OYI_JOIN(what, ID)

static inline T FN(load)(const char* x, const char* index, int64_t scale) {
  T element;
  memcpy(&element, x + *(const int64_t*)(const void*)index * scale, sizeof(element));
  return element;
}

// Elements go to memory as one vector or two: what takes time is the number of stores.
typedef T FN(anywhere) __attribute__((aligned(1), may_alias));
static inline void FN(four)(char* to, const char* x, const char* index, int64_t scale) {
  FN(anywhere)* o = (FN(anywhere)*)(void*)to;
  o[0] = FN(load)(x, index, scale);
  o[1] = FN(load)(x, index + 8, scale);
  o[2] = FN(load)(x, index + 16, scale);
  o[3] = FN(load)(x, index + 24, scale);
}
static inline void FN(eight)(char* to, const char* x, const char* index, int64_t scale) {
  const T a = FN(load)(x, index, scale), b = FN(load)(x, index + 8, scale);
  const T c = FN(load)(x, index + 16, scale), d = FN(load)(x, index + 24, scale);
  const T e = FN(load)(x, index + 32, scale), f = FN(load)(x, index + 40, scale);
  const T g = FN(load)(x, index + 48, scale), h = FN(load)(x, index + 56, scale);
  FN(anywhere)* o = (FN(anywhere)*)(void*)to;
  o[0] = a, o[1] = b, o[2] = c, o[3] = d, o[4] = e, o[5] = f, o[6] = g, o[7] = h;
}

static inline __attribute__((always_inline)) void FN(steps)(oyi_gather_block b, int64_t n,
                                                            int64_t to_along,
                                                            int64_t index_along,
                                                            int64_t from_along) {
  for (int64_t k = 0; k < b.rows; k++) {
    OYI_UNROLL_BY(4)
    for (int64_t i = 0; i < n; i++) {
      const char* from = b.from + i * from_along;
      const T element = FN(load)(from, b.index + i * index_along, b.scale);
      memcpy(b.to + i * to_along, &element, sizeof(element));
    }
    b.to += b.to_down, b.from += b.from_down, b.index += b.index_down;
  }
}

// Of the line that each row is of; more than four, the last of them together.
static inline __attribute__((always_inline)) void FN(lines)(oyi_gather_block b,
                                                            int64_t scale) {
  enum { ITEM = sizeof(T), INDEX = sizeof(int64_t) };
  for (int64_t k = 0; k < b.rows; k++) {
    const char *from = b.from, *index = b.index;
    char* to = b.to;
    int64_t left = b.n;
    for (; left >= 8 && ITEM < 8; left -= 8, to += 8 * ITEM, index += 8 * INDEX)
      FN(eight)(to, from, index, scale);
    for (; left >= 4; left -= 4, to += 4 * ITEM, index += 4 * INDEX)
      FN(four)(to, from, index, scale);
    for (; left > 0; left--, to += ITEM, index += INDEX) {
      const T element = FN(load)(from, index, scale);
      memcpy(to, &element, sizeof(element));
    }
    b.to += b.to_down, b.from += b.from_down, b.index += b.index_down;
  }
}

// Very short rows, by loops that are none.
static inline __attribute__((always_inline)) void FN(rows)(oyi_gather_block b,
                                                           int64_t from_along,
                                                           int64_t scale) {
  enum { ITEM = sizeof(T), INDEX = sizeof(int64_t) };
  b.scale = scale;
  switch (b.n) {
    case 2: FN(steps)(b, 2, ITEM, INDEX, from_along); break;
    case 3: FN(steps)(b, 3, ITEM, INDEX, from_along); break;
    case FOUR: FN(steps)(b, FOUR, ITEM, INDEX, from_along); break;
    default:
      if (from_along == 0 && b.n > FOUR)
        FN(lines)(b, scale);
      else
        FN(steps)(b, b.n, ITEM, INDEX, from_along);
  }
}

static inline void FN(plane)(const oyi_gather_block* b) {
  enum { ITEM = sizeof(T), INDEX = sizeof(int64_t) };
  if (b->to_along != ITEM || b->index_along != INDEX)
    FN(steps)(*b, b->n, b->to_along, b->index_along, b->from_along);
  else if (b->from_along == 0 && b->scale == ITEM)
    FN(rows)(*b, 0, ITEM);
  else
    FN(rows)(*b, b->from_along, b->scale);
}

static void FN(block)(const oyi_gather_block* b) {
  oyi_gather_block plane = *b;
  for (int64_t k = 0; k < b->planes; k++) {
    FN(plane)(&plane);
    plane.to += b->to_next, plane.index += b->index_next, plane.from += b->from_next;
  }
}
#undef FN
#undef T
#undef ID
