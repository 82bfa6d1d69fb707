// SPDX-License-Identifier: Apache-2.0
// A running sum or product of one type, without pieces: T, W (what it runs in) and ID are
// the including file's; NAME, START and RUN(a, b) are given and undefined here.

// Lines that are neighbours, down their columns.
static void OYI_JOIN(NAME, OYI_JOIN(columns, ID))(const direct* d, int64_t from,
                                                  int64_t count) {
  W totals[COLUMNS];
  for (int64_t l = 0; l < count; l++) totals[l] = START;
  for (int64_t i = 0; i < d->n; i++) {
    const T* x = (const T*)(const void*)(d->x + i * d->x_step) + from;
    T* y = (T*)(void*)(d->y + i * d->y_step) + from;
    for (int64_t l = 0; l < count; l++) {
      totals[l] = RUN(totals[l], (W)x[l]);
      y[l] = (T)totals[l];
    }
  }
}

// Four lines at a time, so that none waits for its last step.
static void OYI_JOIN(NAME, OYI_JOIN(rows, ID))(const direct* d, int64_t from) {
  const char* x = d->x + from * d->x_line;
  char* y = d->y + from * d->y_line;
  W a = START, b = START, c = START, e = START;
  for (int64_t i = 0; i < d->n; i++, x += d->x_step, y += d->y_step) {
    a = RUN(a, (W) * (const T*)(const void*)x);
    b = RUN(b, (W) * (const T*)(const void*)(x + d->x_line));
    c = RUN(c, (W) * (const T*)(const void*)(x + 2 * d->x_line));
    e = RUN(e, (W) * (const T*)(const void*)(x + 3 * d->x_line));
    *(T*)(void*)y = (T)a;
    *(T*)(void*)(y + d->y_line) = (T)b;
    *(T*)(void*)(y + 2 * d->y_line) = (T)c;
    *(T*)(void*)(y + 3 * d->y_line) = (T)e;
  }
}

static void OYI_JOIN(NAME, OYI_JOIN(row, ID))(const direct* d, int64_t from) {
  const char* x = d->x + from * d->x_line;
  char* y = d->y + from * d->y_line;
  W a = START;
  for (int64_t i = 0; i < d->n; i++, x += d->x_step, y += d->y_step) {
    a = RUN(a, (W) * (const T*)(const void*)x);
    *(T*)(void*)y = (T)a;
  }
}

static void OYI_JOIN(NAME, ID)(const direct* d) {
  int64_t l = 0;
  if (d->x_line == sizeof(T) && d->y_line == sizeof(T)) {
    for (; l < d->lines; l += COLUMNS) OYI_JOIN(NAME, OYI_JOIN(columns, ID))
    (d, l, d->lines - l < COLUMNS ? d->lines - l : COLUMNS);
    return;
  }
  for (; l + 4 <= d->lines; l += 4) OYI_JOIN(NAME, OYI_JOIN(rows, ID))(d, l);
  for (; l < d->lines; l++) OYI_JOIN(NAME, OYI_JOIN(row, ID))(d, l);
}
#undef NAME
#undef RUN
#undef START
