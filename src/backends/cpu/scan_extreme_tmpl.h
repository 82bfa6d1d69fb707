// SPDX-License-Identifier: Apache-2.0
// The running extreme of one line of one type: T, ID and IS_NAN(x) are given; T and ID
// are undefined here. What is the same for a line is a constant of its loop.
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
  for (int64_t i = 0; i < n; i++) {
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
