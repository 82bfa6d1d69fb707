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

// Four lines at a time, so that none waits for its last step. What is read of |d| stays in
// registers: for all that compilers know it changes with |y|.
static void OYI_JOIN(NAME, OYI_JOIN(rows, ID))(const direct* d, int64_t from) {
  const char* x = d->x + from * d->x_line;
  char* y = d->y + from * d->y_line;
  const int64_t n = d->n, x_step = d->x_step, y_step = d->y_step;
  const int64_t x_line = d->x_line, y_line = d->y_line;
  W a = START, b = START, c = START, e = START;
  for (int64_t i = 0; i < n; i++, x += x_step, y += y_step) {
    a = RUN(a, (W) * (const T*)(const void*)x);
    b = RUN(b, (W) * (const T*)(const void*)(x + x_line));
    c = RUN(c, (W) * (const T*)(const void*)(x + 2 * x_line));
    e = RUN(e, (W) * (const T*)(const void*)(x + 3 * x_line));
    *(T*)(void*)y = (T)a;
    *(T*)(void*)(y + y_line) = (T)b;
    *(T*)(void*)(y + 2 * y_line) = (T)c;
    *(T*)(void*)(y + 3 * y_line) = (T)e;
  }
}

static void OYI_JOIN(NAME, OYI_JOIN(row, ID))(const direct* d, int64_t from) {
  const char* x = d->x + from * d->x_line;
  char* y = d->y + from * d->y_line;
  const int64_t n = d->n, x_step = d->x_step, y_step = d->y_step;
  W a = START;
  if (x_step == sizeof(T) && y_step == sizeof(T)) {
    const T* p = (const T*)(const void*)x;
    T* q = (T*)(void*)y;
    // One step is shorter than what a jump across lines of code takes.
    OYI_UNROLL_BY(4)
    for (int64_t i = 0; i < n; i++) q[i] = (T)(a = RUN(a, (W)p[i]));
    return;
  }
  for (int64_t i = 0; i < n; i++, x += x_step, y += y_step) {
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
