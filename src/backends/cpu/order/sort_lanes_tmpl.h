// SPDX-License-Identifier: Apache-2.0
// The network of sort_lanes_body.h for cells of one kind, CELL: with CELL_ONE a number, else
// one and the place that decides between equal ones.
#define C(name) OYI_JOIN(name, CELL)

#ifdef CELL_ONE
typedef struct C(cell) {
  vec key;
} C(cell);

static inline C(cell)
    C(cell_load)(const int64_t* keys, const int64_t* places, int64_t i) {
  (void)places;
  return (C(cell)){vec_load(keys + i * LANES)};
}
static inline void C(cell_store)(int64_t* keys, int64_t* places, int64_t i, C(cell) c) {
  (void)places;
  vec_store(keys + i * LANES, c.key);
}
// The lesser of each pair to |a|.
static inline void C(exchange)(C(cell) * a, C(cell) * b) {
  const vec least = vec_least(a->key, b->key);
  b->key = vec_greatest(a->key, b->key);
  a->key = least;
}
// Of each pair within a vector the greater one stays in lanes of |upper|.
static inline C(cell) C(settle)(C(cell) c, C(cell) other, lanes upper) {
  return (C(cell)){
      vec_choose(vec_least(c.key, other.key), vec_greatest(c.key, other.key), upper)};
}
#define MOVED(move, c) ((C(cell)){move((c).key)})

#else
typedef struct C(cell) {
  vec key, place;
} C(cell);

static inline C(cell)
    C(cell_load)(const int64_t* keys, const int64_t* places, int64_t i) {
  return (C(cell)){vec_load(keys + i * LANES), vec_load(places + i * LANES)};
}
static inline void C(cell_store)(int64_t* keys, int64_t* places, int64_t i, C(cell) c) {
  vec_store(keys + i * LANES, c.key);
  vec_store(places + i * LANES, c.place);
}
static inline lanes C(is_less)(C(cell) a, C(cell) b) {
  const lanes earlier = lanes_and(vec_equal(a.key, b.key), vec_less(a.place, b.place));
  return lanes_or(vec_less(a.key, b.key), earlier);
}
static inline void C(exchange)(C(cell) * a, C(cell) * b) {
  const lanes turned = C(is_less)(*b, *a);
  const C(cell) first = *a;
  a->key = vec_choose(first.key, b->key, turned);
  a->place = vec_choose(first.place, b->place, turned);
  b->key = vec_choose(b->key, first.key, turned);
  b->place = vec_choose(b->place, first.place, turned);
}
// No two are equal: what is not less is greater.
static inline C(cell) C(settle)(C(cell) c, C(cell) other, lanes upper) {
  const lanes changed = lanes_turned(C(is_less)(other, c), upper);
  return (C(cell)){vec_choose(c.key, other.key, changed),
                   vec_choose(c.place, other.place, changed)};
}
#define MOVED(move, c) ((C(cell)){move((c).key), move((c).place)})
#endif

#define SETTLE(c, move, upper) C(settle)(c, MOVED(move, c), upper)

// One vector, in any order.
static inline C(cell) C(sort_vector)(C(cell) c) {
  c = SETTLE(c, SWAP_1, UPPER_OF_2);
  c = SETTLE(c, TURN_4, UPPER_OF_4);
  c = SETTLE(c, SWAP_1, UPPER_OF_2);
#if LANES == 8
  c = SETTLE(c, TURN_8, UPPER_OF_8);
  c = SETTLE(c, SWAP_2, UPPER_OF_4);
  c = SETTLE(c, SWAP_1, UPPER_OF_2);
#endif
  return c;
}

// The last steps of a merge, within a vector.
static inline C(cell) C(merge_vector)(C(cell) c) {
#if LANES == 8
  c = SETTLE(c, SWAP_4, UPPER_OF_8);
#endif
  c = SETTLE(c, SWAP_2, UPPER_OF_4);
  return SETTLE(c, SWAP_1, UPPER_OF_2);
}

// Vectors |from| to |from| + 2 * |half| - 1, sorted halves, with each other: the first with
// the last, so that the lesser ones come to be in front.
static void C(merge_halves)(int64_t* keys, int64_t* places, int64_t from, int64_t half,
                            int64_t n) {
  const int64_t last = from + 2 * half - 1;
  for (int64_t j = last < n ? 0 : last - n + 1; j < half; j++) {
    C(cell) a = C(cell_load)(keys, places, from + j);
    C(cell) b = C(cell_load)(keys, places, last - j);
    b = MOVED(TURN, b);
    C(exchange)(&a, &b);
    C(cell_store)(keys, places, from + j, a);
    C(cell_store)(keys, places, last - j, MOVED(TURN, b));
  }
}

// Vectors from |from| on, each with the one that is |apart| from it, in blocks of twice as many.
static void C(merge_apart)(int64_t* keys, int64_t* places, int64_t from, int64_t apart,
                           int64_t n) {
  for (; from + apart < n; from += 2 * apart) {
    const int64_t pairs = n - from - apart < apart ? n - from - apart : apart;
    for (int64_t j = from; j < from + pairs; j++) {
      C(cell) a = C(cell_load)(keys, places, j);
      C(cell) b = C(cell_load)(keys, places, j + apart);
      C(exchange)(&a, &b);
      C(cell_store)(keys, places, j, a);
      C(cell_store)(keys, places, j + apart, b);
    }
  }
}

static void C(merge_vectors)(int64_t* keys, int64_t* places, int64_t from, int64_t n) {
  for (int64_t i = from; i < n; i++)
    C(cell_store)(keys, places, i, C(merge_vector)(C(cell_load)(keys, places, i)));
}

// Two steps in one pass, |2 * apart| and |apart|, and if they are the last two with vectors those
// within them: what is loaded is compared more than once.
static inline __attribute__((always_inline)) void C(merge_twice)(int64_t* keys,
                                                                 int64_t* places,
                                                                 int64_t apart, int64_t n,
                                                                 bool is_last) {
  int64_t from = 0;
  for (; from + 4 * apart <= n; from += 4 * apart)
    for (int64_t j = from; j < from + apart; j++) {
      C(cell) a = C(cell_load)(keys, places, j);
      C(cell) b = C(cell_load)(keys, places, j + apart);
      C(cell) c = C(cell_load)(keys, places, j + 2 * apart);
      C(cell) d = C(cell_load)(keys, places, j + 3 * apart);
      C(exchange)(&a, &c);
      C(exchange)(&b, &d);
      C(exchange)(&a, &b);
      C(exchange)(&c, &d);
      C(cell_store)(keys, places, j, is_last ? C(merge_vector)(a) : a);
      C(cell_store)(keys, places, j + apart, is_last ? C(merge_vector)(b) : b);
      C(cell_store)(keys, places, j + 2 * apart, is_last ? C(merge_vector)(c) : c);
      C(cell_store)(keys, places, j + 3 * apart, is_last ? C(merge_vector)(d) : d);
    }
  C(merge_apart)(keys, places, from, 2 * apart, n);
  C(merge_apart)(keys, places, from, apart, n);
  if (is_last) C(merge_vectors)(keys, places, from, n);
}

// |n| vectors.
static void C(sort_cells)(int64_t* keys, int64_t* places, int64_t n) {
  for (int64_t i = 0; i < n; i++)
    C(cell_store)(keys, places, i, C(sort_vector)(C(cell_load)(keys, places, i)));
  for (int64_t half = 1; half < n; half *= 2) {
    for (int64_t from = 0; from + half < n; from += 2 * half)
      C(merge_halves)(keys, places, from, half, n);
    int64_t apart = half / 2;
    for (; apart > 2; apart /= 4) C(merge_twice)(keys, places, apart / 2, n, false);
    if (apart == 2) {
      C(merge_twice)(keys, places, 1, n, true);
    } else {
      if (apart == 1) C(merge_apart)(keys, places, 0, 1, n);
      C(merge_vectors)(keys, places, 0, n);
    }
  }
}

#undef C
#undef CELL
#undef CELL_ONE
#undef MOVED
#undef SETTLE
