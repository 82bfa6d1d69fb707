// SPDX-License-Identifier: Apache-2.0
// Blocks of elements of one size: T and ID are given, and undefined here.
#define FN(what) OYI_JOIN(what, ID)

typedef T FN(anywhere) __attribute__((aligned(1), may_alias));
static inline T FN(load)(const char* x, int64_t index, int64_t scale) {
  return *(const FN(anywhere)*)(const void*)(x + index * scale);
}

// Four elements, or eight, unless one of their indices is bad. They go to memory as one vector or
// two: what takes time is the number of stores.
static inline bool FN(four)(FN(anywhere) * o, const char* x, const int64_t* index,
                            int64_t scale, uint64_t size) {
  if (!four_are_below(index, size)) return false;
  const T a = FN(load)(x, index[0], scale), b = FN(load)(x, index[1], scale);
  const T c = FN(load)(x, index[2], scale), d = FN(load)(x, index[3], scale);
  o[0] = a, o[1] = b, o[2] = c, o[3] = d;
  return true;
}
static inline bool FN(eight)(FN(anywhere) * o, const char* x, const int64_t* index,
                             int64_t scale, uint64_t size) {
  if (!four_are_below(index, size) || !four_are_below(index + 4, size)) return false;
  const T a = FN(load)(x, index[0], scale), b = FN(load)(x, index[1], scale);
  const T c = FN(load)(x, index[2], scale), d = FN(load)(x, index[3], scale);
  const T e = FN(load)(x, index[4], scale), f = FN(load)(x, index[5], scale);
  const T g = FN(load)(x, index[6], scale), h = FN(load)(x, index[7], scale);
  o[0] = a, o[1] = b, o[2] = c, o[3] = d, o[4] = e, o[5] = f, o[6] = g, o[7] = h;
  return true;
}

static inline __attribute__((always_inline)) bool FN(steps)(oyi_gather_block b, int64_t n,
                                                            int64_t to_along,
                                                            int64_t index_along,
                                                            int64_t from_along) {
  for (int64_t k = 0; k < b.rows; k++) {
    OYI_UNROLL_BY(4)
    for (int64_t i = 0; i < n; i++) {
      const int64_t at = *(const int64_t*)(const void*)(b.index + i * index_along);
      if ((uint64_t)at >= b.size) return false;
      const T element = FN(load)(b.from + i * from_along, at, b.scale);
      memcpy(b.to + i * to_along, &element, sizeof(element));
    }
    b.to += b.to_down, b.from += b.from_down, b.index += b.index_down;
  }
  return true;
}

// Of the line that each row is of; more than four, the last of them together. What fetches memory
// ahead by itself loses the indices among elements that are anywhere in great lines.
static inline __attribute__((always_inline)) bool FN(lines)(oyi_gather_block b,
                                                            int64_t scale) {
  enum { AHEAD = 256 };
  for (int64_t k = 0; k < b.rows; k++) {
    const char* from = b.from;
    const int64_t* index = (const int64_t*)(const void*)b.index;
    FN(anywhere)* o = (FN(anywhere)*)(void*)b.to;
    int64_t left = b.n;
    for (; left >= 8 && sizeof(T) < 8; left -= 8, o += 8, index += 8) {
      __builtin_prefetch(index + AHEAD);
      if (!FN(eight)(o, from, index, scale, b.size)) return false;
    }
    for (; left >= 4; left -= 4, o += 4, index += 4) {
      if (sizeof(T) >= 8) __builtin_prefetch(index + AHEAD);
      if (!FN(four)(o, from, index, scale, b.size)) return false;
    }
    for (; left > 0; left--, o++, index++) {
      if ((uint64_t)*index >= b.size) return false;
      *o = FN(load)(from, *index, scale);
    }
    b.to += b.to_down, b.from += b.from_down, b.index += b.index_down;
  }
  return true;
}

// Very short rows, by loops that are none.
static inline __attribute__((always_inline)) bool FN(rows)(oyi_gather_block b,
                                                           int64_t from_along,
                                                           int64_t scale) {
  enum { ITEM = sizeof(T), INDEX = sizeof(int64_t) };
  b.scale = scale;
  switch (b.n) {
    case 2: return FN(steps)(b, 2, ITEM, INDEX, from_along);
    case 3: return FN(steps)(b, 3, ITEM, INDEX, from_along);
    case FOUR: return FN(steps)(b, FOUR, ITEM, INDEX, from_along);
    default:
      if (from_along == 0 && b.n > FOUR) return FN(lines)(b, scale);
      return FN(steps)(b, b.n, ITEM, INDEX, from_along);
  }
}

static inline bool FN(plane)(const oyi_gather_block* b) {
  enum { ITEM = sizeof(T), INDEX = sizeof(int64_t) };
  if (b->to_along != ITEM || b->index_along != INDEX)
    return FN(steps)(*b, b->n, b->to_along, b->index_along, b->from_along);
  if (b->from_along == 0 && b->scale == ITEM) return FN(rows)(*b, 0, ITEM);
  return FN(rows)(*b, b->from_along, b->scale);
}

static bool FN(block)(const oyi_gather_block* b) {
  oyi_gather_block plane = *b;
  for (int64_t k = 0; k < b->planes; k++) {
    if (!FN(plane)(&plane)) return false;
    plane.to += b->to_next, plane.index += b->index_next, plane.from += b->from_next;
  }
  return true;
}
#undef FN
#undef T
#undef ID
