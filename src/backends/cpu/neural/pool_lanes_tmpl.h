// SPDX-License-Identifier: Apache-2.0
// Neighbouring windows of elements T, named by ID, as lanes of vectors of BYTES: included once
// for each type and width. INT is an integer of the size of T.
typedef T JOIN(vec, ID) __attribute__((vector_size(BYTES)));
typedef INT JOIN(places, ID) __attribute__((vector_size(BYTES)));
#define LANES ((int64_t)(BYTES / sizeof(T)))

// The elements of neighbouring windows, |advance| apart. Two apart they are every second
// one of two vectors, the second no further than the last of them.
static inline __attribute__((always_inline)) JOIN(vec, ID)
    JOIN(lanes, ID)(const T* from, int64_t advance) {
  JOIN(vec, ID) v, late;
  if (advance == 1) {
    memcpy(&v, from, sizeof(v));
  } else if (advance == 2) {
    memcpy(&v, from, sizeof(v));
    memcpy(&late, from + LANES - 1, sizeof(late));
    v = __builtin_shufflevector(v, late, LATE_ODD);
  } else {
    for (int64_t x = 0; x < LANES; x++) v[x] = from[x * advance];
  }
  return v;
}

// Where as many alike windows as a vector has lanes begin that the |x|-th is one of: half
// of the last ones of a line may be computed again. -1: nowhere.
static inline int64_t JOIN(first_alike, ID)(const windows* w, int64_t x) {
  if (x < w->first || x + LANES / 2 > w->last || w->last - w->first < LANES) return -1;
  return x + LANES <= w->last ? x : w->last - LANES;
}
