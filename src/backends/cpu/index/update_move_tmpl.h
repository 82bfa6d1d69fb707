// SPDX-License-Identifier: Apache-2.0
// Moving elements of one size: T and ID are given, and undefined here.
static void OYI_JOIN(set_row, ID)(int64_t n, char* to, int64_t to_step, const char* from,
                                  int64_t from_step) {
  if (to_step == (int64_t)sizeof(T) && from_step == (int64_t)sizeof(T)) {
    enum { SHORT = 1024 };  // bytes, which are moved before another function is called
    const size_t bytes = (size_t)n * sizeof(T);
    if (bytes <= SHORT)
      memcpy(to, from, bytes);
    else
      oyi_move_copy(to, from, bytes);
    return;
  }
  if (to_step == (int64_t)sizeof(T) && from_step == 0) {
    oyi_move_fill(to, (size_t)n * sizeof(T), from, sizeof(T));
    return;
  }
  for (int64_t i = 0; i < n; i++, to += to_step, from += from_step)
    *(T*)(void*)to = *(const T*)(const void*)from;
}

static void OYI_JOIN(set_at, ID)(int64_t n, char* to, int64_t to_step, int64_t scale,
                                 const char* index, int64_t index_step, const char* from,
                                 int64_t from_step) {
  if (to_step == 0 && scale == (int64_t)sizeof(T) && from_step == (int64_t)sizeof(T) &&
      index_step == (int64_t)sizeof(int64_t)) {
    const int64_t* places = (const int64_t*)(const void*)index;
    const T* values = (const T*)(const void*)from;
    OYI_UNROLL
    for (int64_t i = 0; i < n; i++) ((T*)(void*)to)[places[i]] = values[i];
    return;
  }
  OYI_UNROLL
  for (int64_t i = 0; i < n; i++, to += to_step, index += index_step, from += from_step)
    *(T*)(void*)(to + *(const int64_t*)(const void*)index * scale) =
        *(const T*)(const void*)from;
}

UPDATE_LINES(OYI_JOIN(set_lines, ID), T, x[i])

// Eight elements go to memory as one vector or two: what takes time is the number of stores.
static inline __attribute__((always_inline)) void OYI_JOIN(take_eight, ID)(
    T* restrict to, const char* restrict from, const int64_t* restrict p, int64_t scale) {
#define FROM(k) (*(const T*)(const void*)(from + p[k] * scale))
  const T a = FROM(0), b = FROM(1), c = FROM(2), d = FROM(3);
  const T e = FROM(4), f = FROM(5), g = FROM(6), h = FROM(7);
#undef FROM
  to[0] = a, to[1] = b, to[2] = c, to[3] = d;
  to[4] = e, to[5] = f, to[6] = g, to[7] = h;
}

static inline __attribute__((always_inline)) void OYI_JOIN(take_row, ID)(
    int64_t n, T* to, const char* from, int64_t scale, const int64_t* places) {
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) OYI_JOIN(take_eight, ID)(to + i, from, places + i, scale);
  for (; i < n; i++) to[i] = *(const T*)(const void*)(from + places[i] * scale);
}

static void OYI_JOIN(take, ID)(int64_t n, char* to, int64_t to_step, const char* from,
                               int64_t scale, const char* index, int64_t index_step) {
  if (to_step == (int64_t)sizeof(T) && index_step == (int64_t)sizeof(int64_t)) {
    const int64_t* places = (const int64_t*)(const void*)index;
    if (scale == (int64_t)sizeof(T))
      OYI_JOIN(take_row, ID)(n, (T*)(void*)to, from, sizeof(T), places);
    else
      OYI_JOIN(take_row, ID)(n, (T*)(void*)to, from, scale, places);
    return;
  }
  for (int64_t i = 0; i < n; i++, index += index_step, to += to_step)
    *(T*)(void*)to =
        *(const T*)(const void*)(from + *(const int64_t*)(const void*)index * scale);
}
#undef T
#undef ID
