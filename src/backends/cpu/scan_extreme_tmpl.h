// SPDX-License-Identifier: Apache-2.0
// The running extreme of one line of one type: T, ID and IS_NAN(x) are given; T and ID
// are undefined here.
static void OYI_JOIN(extreme, ID)(const oyi_lines* w, int64_t n, bool is_least) {
  const char* x = w->data[0];
  char *value = w->data[1], *at = w->data[2];
  T best = *(const T*)(const void*)x;
  int64_t place = 0;
  for (int64_t i = 0; i < n; i++) {
    const T here = *(const T*)(const void*)x;
    if ((is_least ? here <= best : here >= best) || IS_NAN(here)) {
      best = here;
      place = i;
    }
    *(T*)(void*)value = best;
    *(int64_t*)(void*)at = place;
    x += w->step[0];
    value += w->step[1];
    at += w->step[2];
  }
}
#undef T
#undef ID
