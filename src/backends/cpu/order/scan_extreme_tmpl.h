// SPDX-License-Identifier: Apache-2.0
// The running extreme of one line of one type: T, ID and IS_NAN(x) are given; T and ID
// are undefined here. What is the same for a line is a constant of its loop.
typedef T OYI_JOIN(vec, ID) __attribute__((vector_size(16)));
typedef int64_t OYI_JOIN(places, ID) __attribute__((vector_size(16)));
enum { OYI_JOIN(LANES, ID) = 16 / sizeof(T) };

// How many of the first |n| elements side by side are none that is as good as |best|, in whole
// vectors: few are, after some. They are written as |best|, which was at |place|.
static inline int64_t OYI_JOIN(skip, ID)(const char* x, char* value, char* at, int64_t n,
                                         bool is_least, T best, int64_t place) {
  const OYI_JOIN(vec, ID) all = (OYI_JOIN(vec, ID)){0} + best;
  const OYI_JOIN(places, ID) places = {place, place};
  int64_t i = 0;
  for (; i + OYI_JOIN(LANES, ID) <= n; i += OYI_JOIN(LANES, ID)) {
    OYI_JOIN(vec, ID) here;
    memcpy(&here, x + i * (int64_t)sizeof(T), 16);
    const OYI_JOIN(places, ID) worse =
        (OYI_JOIN(places, ID))(is_least ? here > all : here < all);
    if ((worse[0] & worse[1]) != -1) break;  // or it is NaN
    memcpy(value + i * (int64_t)sizeof(T), &all, 16);
    for (int64_t k = i; k < i + OYI_JOIN(LANES, ID); k += 2)
      memcpy(at + k * (int64_t)sizeof(int64_t), &places, 16);
  }
  return i;
}

static inline __attribute__((always_inline)) void OYI_JOIN(extreme_of,
                                                           ID)(const oyi_lines* w,
                                                               int64_t n, bool is_least,
                                                               bool is_dense) {
  const int64_t item = sizeof(T), place_item = sizeof(int64_t);
  const int64_t x_step = is_dense ? item : w->step[0];
  const int64_t value_step = is_dense ? item : w->step[1];
  const int64_t at_step = is_dense ? place_item : w->step[2];
  const char* x = w->data[0];
  char *value = w->data[1], *at = w->data[2];
  T best = *(const T*)(const void*)x;
  int64_t place = 0;
  for (int64_t i = 0, looks = 0; i < n; i++) {
    // After some that were not as good the next may be passed over together.
    if (is_dense && looks++ == OYI_JOIN(LANES, ID)) {
      looks = 0;
      i += OYI_JOIN(skip, ID)(x + i * item, value + i * item, at + i * place_item, n - i,
                              is_least, best, place);
      if (i == n) break;
    }
    const T here = *(const T*)(const void*)(x + i * x_step);
    if ((is_least ? here <= best : here >= best) || IS_NAN(here)) {
      best = here;
      place = i;
    }
    *(T*)(void*)(value + i * value_step) = best;
    *(int64_t*)(void*)(at + i * at_step) = place;
  }
}

static void OYI_JOIN(extreme, ID)(const oyi_lines* w, int64_t n, bool is_least) {
  const int64_t item = sizeof(T);
  if (w->step[0] != item || w->step[1] != item || w->step[2] != (int64_t)sizeof(int64_t))
    OYI_JOIN(extreme_of, ID)(w, n, is_least, false);
  else if (is_least)
    OYI_JOIN(extreme_of, ID)(w, n, true, true);
  else
    OYI_JOIN(extreme_of, ID)(w, n, false, true);
}
#undef T
#undef ID
