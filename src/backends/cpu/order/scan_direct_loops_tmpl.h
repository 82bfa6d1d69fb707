// SPDX-License-Identifier: Apache-2.0
// A running sum or product for scan_direct_tmpl.h: NAME, START and RUN(a, b) are given and
// undefined here, the rest is its.
#define AT(x)     LOAD(*(const T*)(const void*)(x))
#define PUT(y, w) (*(O*)(void*)(y) = STORE(w))

// Lines that are neighbours, down their columns.
static void OYI_JOIN(NAME, OYI_JOIN(columns, ID))(const direct* d, int64_t from,
                                                  int64_t count) {
  W totals[COLUMNS];
  for (int64_t l = 0; l < count; l++) totals[l] = (W){START};
  for (int64_t i = 0; i < d->n; i++) {
    const T* x = (const T*)(const void*)(d->x + i * d->x_step) + from;
    O* y = (O*)(void*)(d->y + i * d->y_step) + from;
    for (int64_t l = 0; l < count; l++) {
      totals[l] = RUN(totals[l], LOAD(x[l]));
      y[l] = STORE(totals[l]);
    }
  }
}

// Of a few neighbours, FEW_COLUMNS or more, totals stay in registers. The last group lies over
// the one before it, so all are read before any is written: they may be in place. Where there are
// totals of what came before, they go on.
static inline __attribute__((always_inline)) void OYI_JOIN(NAME, OYI_JOIN(groups, ID))(
    const direct* d, const int groups) {
  enum { WIDTH = FEW_COLUMNS, MOST = SOME_COLUMNS / FEW_COLUMNS };
  const int64_t last = d->lines - WIDTH, n = d->n, x_step = d->x_step, y_step = d->y_step;
  for (int64_t b = 0; b < d->blocks; b++) {
    const char* x = d->x + b * d->x_block;
    char* y = d->y + b * d->y_block;
    W totals[MOST][WIDTH];
    for (int g = 0; g < groups; g++)
      for (int k = 0; k < WIDTH; k++) totals[g][k] = (W){START};
    W* before = d->totals;
    for (int g = 0; before && g < groups; g++)
      memcpy(totals[g], before + (g + 1 < groups ? g * WIDTH : last), sizeof(*totals));
    for (int64_t i = 0; i < n; i++, x += x_step, y += y_step) {
      for (int g = 0; g < groups; g++) {
        const T* p = (const T*)(const void*)x + (g + 1 < groups ? g * WIDTH : last);
        for (int k = 0; k < WIDTH; k++) totals[g][k] = RUN(totals[g][k], LOAD(p[k]));
      }
      for (int g = 0; g < groups; g++) {
        O* q = (O*)(void*)y + (g + 1 < groups ? g * WIDTH : last);
        for (int k = 0; k < WIDTH; k++) q[k] = STORE(totals[g][k]);
      }
    }
    for (int g = 0; before && g < groups; g++)
      memcpy(before + (g + 1 < groups ? g * WIDTH : last), totals[g], sizeof(*totals));
  }
}

// Up to SOME_COLUMNS of them.
static void OYI_JOIN(NAME, OYI_JOIN(some, ID))(const direct* d) {
  switch ((d->lines + FEW_COLUMNS - 1) / FEW_COLUMNS) {
    case 1: OYI_JOIN(NAME, OYI_JOIN(groups, ID))(d, 1); break;
    case 2: OYI_JOIN(NAME, OYI_JOIN(groups, ID))(d, 2); break;
    case 3: OYI_JOIN(NAME, OYI_JOIN(groups, ID))(d, 3); break;
    default: OYI_JOIN(NAME, OYI_JOIN(groups, ID))(d, 4); break;
  }
}

// Some at a time of more that are short: FEW_COLUMNS or more are left each time.
static void OYI_JOIN(NAME, OYI_JOIN(strips, ID))(const direct* d) {
  direct strip = *d;
  for (int64_t left = d->lines; left > 0; left -= strip.lines) {
    const int64_t rest = left - SOME_COLUMNS;
    strip.lines = rest >= FEW_COLUMNS ? SOME_COLUMNS
                  : rest > 0          ? SOME_COLUMNS - FEW_COLUMNS
                                      : left;
    OYI_JOIN(NAME, OYI_JOIN(some, ID))(&strip);
    strip.x += strip.lines * (int64_t)sizeof(T);
    strip.y += strip.lines * (int64_t)sizeof(O);
  }
}

// Lines at a time, up to four, so that none waits for its last step. What is read of |d| stays in
// registers: for all that compilers know it changes with |y|.
static inline __attribute__((always_inline)) void OYI_JOIN(NAME, OYI_JOIN(rows, ID))(
    const direct* d, int64_t from, const int lines) {
  const char* x = d->x + from * d->x_line;
  char* y = d->y + from * d->y_line;
  const int64_t n = d->n, x_step = d->x_step, y_step = d->y_step;
  const int64_t x_line = d->x_line, y_line = d->y_line;
  W totals[4];
  for (int k = 0; k < lines; k++) totals[k] = (W){START};
  for (int64_t i = 0; i < n; i++, x += x_step, y += y_step) {
    for (int k = 0; k < lines; k++) totals[k] = RUN(totals[k], AT(x + k * x_line));
    for (int k = 0; k < lines; k++) PUT(y + k * y_line, totals[k]);
  }
}

#ifdef BLOCK
// Lines whose elements are neighbours, |lines| of them: a block is converted, which is
// vector code, run through and converted back.
static inline __attribute__((always_inline)) void OYI_JOIN(NAME, OYI_JOIN(blocks, ID))(
    const direct* d, int64_t from, const int lines) {
  W block[4][BLOCK], totals[4];
  for (int k = 0; k < lines; k++) totals[k] = START;
  for (int64_t i = 0; i < d->n; i += BLOCK) {
    const int64_t left = d->n - i, count = left < BLOCK ? left : BLOCK;
    for (int k = 0; k < lines; k++) {
      const T* x = (const T*)(const void*)(d->x + (from + k) * d->x_line) + i;
      for (int64_t l = 0; l < count; l++) block[k][l] = LOAD(x[l]);
    }
    for (int64_t l = 0; l < count; l++)
      for (int k = 0; k < lines; k++)
        block[k][l] = totals[k] = RUN(totals[k], block[k][l]);
    for (int k = 0; k < lines; k++) {
      O* y = (O*)(void*)(d->y + (from + k) * d->y_line) + i;
      for (int64_t l = 0; l < count; l++) y[l] = STORE(block[k][l]);
    }
  }
}
#endif

static void OYI_JOIN(NAME, OYI_JOIN(row, ID))(const direct* d, int64_t from) {
  const char* x = d->x + from * d->x_line;
  char* y = d->y + from * d->y_line;
  const int64_t n = d->n, x_step = d->x_step, y_step = d->y_step;
  W a = {START};
  if (x_step == sizeof(T) && y_step == sizeof(O)) {
    const T* p = (const T*)(const void*)x;
    O* q = (O*)(void*)y;
    // One step is shorter than what a jump across lines of code takes.
    OYI_UNROLL_BY(4)
    for (int64_t i = 0; i < n; i++) a = RUN(a, LOAD(p[i])), q[i] = STORE(a);
    return;
  }
  for (int64_t i = 0; i < n; i++, x += x_step, y += y_step) {
    a = RUN(a, AT(x));
    PUT(y, a);
  }
}

// How many lines were: all but one, or all.
static int64_t OYI_JOIN(NAME, OYI_JOIN(some_rows, ID))(const direct* d) {
  int64_t l = 0;
  for (; l + 4 <= d->lines; l += 4) OYI_JOIN(NAME, OYI_JOIN(rows, ID))(d, l, 4);
  switch (d->lines - l) {
    case 3: OYI_JOIN(NAME, OYI_JOIN(rows, ID))(d, l, 3); return l + 3;
    case 2: OYI_JOIN(NAME, OYI_JOIN(rows, ID))(d, l, 2); return l + 2;
    default: return l;
  }
}

static void OYI_JOIN(NAME, ID)(const direct* d) {
  const bool together = d->x_step == sizeof(T) && d->y_step == sizeof(O);
  int64_t l = 0;
  if (d->x_line == sizeof(T) && d->y_line == sizeof(O) && d->lines >= FEW_COLUMNS) {
    if (d->lines < SOME_COLUMNS || d->n <= SHORT_COLUMN) {
      OYI_JOIN(NAME, OYI_JOIN(strips, ID))(d);
      return;
    }
    direct block = *d;
    for (int64_t b = 0; b < d->blocks; b++) {
      for (l = 0; l < d->lines; l += COLUMNS) {
        const int64_t left = d->lines - l;
        OYI_JOIN(NAME, OYI_JOIN(columns, ID))(&block, l, left < COLUMNS ? left : COLUMNS);
      }
      block.x += d->x_block, block.y += d->y_block;
    }
    return;
  }
#ifdef BLOCK
  if (together && d->n >= SHORT_LINE) {
    for (; l + 4 <= d->lines; l += 4) OYI_JOIN(NAME, OYI_JOIN(blocks, ID))(d, l, 4);
    for (; l < d->lines; l++) OYI_JOIN(NAME, OYI_JOIN(blocks, ID))(d, l, 1);
    return;
  }
#endif
  if (!(together && d->n >= LONG_LINE && WAITS_FOR_MEMORY && START == 0))
    l = OYI_JOIN(NAME, OYI_JOIN(some_rows, ID))(d);
  for (; l < d->lines; l++) OYI_JOIN(NAME, OYI_JOIN(row, ID))(d, l);
}
#undef AT
#undef PUT
#undef NAME
#undef RUN
#undef START
