// SPDX-License-Identifier: Apache-2.0
// The maximum of windows of one line of elements T by vectors of BYTES, named by ID and
// built with ATTRIBUTE: included once for each type and level. See pool_lines.c.
#define LANES    ((int64_t)(BYTES / sizeof(T)))
#define VECTOR   JOIN(vector, ID)
#define IS_TAKEN JOIN(is_taken, ID)
typedef T VECTOR __attribute__((vector_size(BYTES)));
typedef INT IS_TAKEN __attribute__((vector_size(BYTES)));

ATTRIBUTE static inline VECTOR JOIN(load, ID)(const T* from) {
  VECTOR v;
  memcpy(&v, from, sizeof(v));
  return v;
}

// |b| where either is no number.
ATTRIBUTE static inline VECTOR JOIN(greater, ID)(VECTOR a, VECTOR b) {
#if defined(__x86_64__)
  return MAXIMUM(a, b);
#else
  const IS_TAKEN take = a > b;
  return (VECTOR)((take & (IS_TAKEN)a) | (~take & (IS_TAKEN)b));
#endif
}

// The maximum of the numbers that windows saw, and which of them saw a NaN: that is what
// they become.
typedef struct JOIN(seen, ID) {
  VECTOR best;
  IS_TAKEN nan;
} JOIN(seen, ID);

ATTRIBUTE static inline __attribute__((always_inline)) void JOIN(see,
                                                                 ID)(JOIN(seen, ID) * s,
                                                                     VECTOR v) {
  s->best = JOIN(greater, ID)(v, s->best);
  s->nan |= v != v;
}

// One tap, |stride| elements apart, of LANES windows.
ATTRIBUTE static inline __attribute__((always_inline)) VECTOR JOIN(tap,
                                                                   ID)(const T* x,
                                                                       int64_t stride) {
  if (stride == 1) return JOIN(load, ID)(x);
  // The last element may be the last of all.
  if (stride == 2)
    return SHUFFLE(JOIN(load, ID)(x), JOIN(load, ID)(x + LANES - 1), LATE_ODD);
  return (VECTOR){APART(x, stride)};
}

// |many|, up to AT_ONCE, times LANES neighbouring windows that lie inside of the line, with
// the first elements at |x|. Two elements apart, two neighbours in a window are what one pair of
// vectors has.
ATTRIBUTE static inline __attribute__((always_inline)) void JOIN(block, ID)(
    const T* x, int many, int64_t taps, int64_t stride, int64_t dilation, T* to) {
  JOIN(seen, ID) s[AT_ONCE];
  int64_t j = 0;
  UNROLL for (int k = 0; k < many; k++) {
    s[k].best = (VECTOR){0} - (T)INFINITY;
    s[k].nan = (IS_TAKEN){0};
  }
  for (; stride == 2 && dilation == 1 && j + 1 < taps; j += 2)
    UNROLL for (int k = 0; k < many; k++) {
      const T* from = x + j + k * LANES * 2;
      const VECTOR low = JOIN(load, ID)(from), high = JOIN(load, ID)(from + LANES);
      JOIN(see, ID)(&s[k], SHUFFLE(low, high, EVEN));
      JOIN(see, ID)(&s[k], SHUFFLE(low, high, ODD));
    }
  for (; j < taps; j++)
    UNROLL for (int k = 0; k < many; k++) JOIN(see, ID)(
        &s[k], JOIN(tap, ID)(x + j * dilation + k * LANES * stride, stride));
  UNROLL for (int k = 0; k < many; k++) {
    s[k].best = (VECTOR)((IS_TAKEN)s[k].best | s[k].nan);
    memcpy(to + k * LANES, &s[k].best, sizeof(VECTOR));
  }
}

// Windows that padding is part of, and those that are left over.
ATTRIBUTE static void JOIN(one_by_one, ID)(const line* l, const T* x, int64_t from,
                                           int64_t to, T* out) {
  for (int64_t i = from; i < to; i++) {
    T best = (T)-INFINITY;
    for (int64_t j = 0; j < l->taps; j++) {
      const int64_t at = i * l->stride - l->padding + j * l->dilation;
      if (at < 0 || at >= l->size) continue;
      if (x[at] > best || x[at] != x[at]) best = x[at];
    }
    out[i] = best;
  }
}

// |n| windows, at least a block of |many| vectors; the last one may go over what another has
// been to.
ATTRIBUTE static inline __attribute__((always_inline)) void JOIN(inside, ID)(
    const T* x, int many, int64_t n, int64_t taps, int64_t stride, int64_t dilation,
    T* to) {
  const int64_t size = many * LANES;
  for (int64_t i = 0; i < n; i += size) {
    const int64_t at = i + size <= n ? i : n - size;
    JOIN(block, ID)(x + at * stride, many, taps, stride, dilation, to + at);
  }
}

ATTRIBUTE static inline __attribute__((always_inline)) void JOIN(blocks,
                                                                 ID)(const line* l,
                                                                     const T* x, int many,
                                                                     int64_t n, T* to) {
  if (l->stride == 1)
    JOIN(inside, ID)(x, many, n, l->taps, 1, l->dilation, to);
  else if (l->stride == 2 && l->dilation == 1)
    JOIN(inside, ID)(x, many, n, l->taps, 2, 1, to);
  else
    JOIN(inside, ID)(x, many, n, l->taps, l->stride, l->dilation, to);
}

ATTRIBUTE static void JOIN(max_of_line, ID)(const line* l, const void* in, void* out) {
  const int64_t n = l->last - l->first;
  const T* x = (const T*)in + l->first * l->stride - l->padding;
  T* to = (T*)out + l->first;
  if (n >= AT_ONCE * LANES)
    JOIN(blocks, ID)(l, x, AT_ONCE, n, to);
  else if (n >= LANES)
    JOIN(blocks, ID)(l, x, 1, n, to);
  JOIN(one_by_one, ID)(l, in, 0, l->first, out);
  JOIN(one_by_one, ID)(l, in, n >= LANES ? l->last : l->first, l->places, out);
}
#undef LANES
#undef VECTOR
#undef IS_TAKEN
#undef ID
#undef ATTRIBUTE
#undef BYTES
#undef EVEN
#undef ODD
#undef LATE_ODD
#undef MAXIMUM
#undef APART
