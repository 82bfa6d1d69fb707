// SPDX-License-Identifier: Apache-2.0
// One of them: NAME, START, the running value of nothing, IS_MORE(a, b), of numbers and of
// vectors, and REACHED(x), what a square must reach to be near |x|, are given and undefined here.
#define FN(what) OYI_JOIN(NAME, what)

static inline double FN(of_two)(double a, double b) {
  return IS_MORE(b, a) || b != b ? b : a;
}
static double FN(of_all)(double a, const pair* p, int64_t n) {
  double size[SIZES_AT_ONCE];
  sizes_of(size, p, n);
  for (int64_t i = 0; i < n; i++) a = FN(of_two)(a, size[i]);
  return a;
}
// Of those whose squares reach |near|.
static double FN(of_near)(double a, const pair* p, int64_t n, double near) {
  pair some[SIZES_AT_ONCE];
  int64_t count = 0;
  for (int64_t i = 0; i < n; i++) {
    some[count] = p[i];
    count += !IS_MORE(near, square_of(&p[i]));
  }
  return FN(of_all)(a, some, count);
}

// The most extreme square. |all| is their sum, which is a number where each is.
static inline double FN(square)(const pair* p, int64_t n, double* all) {
  squares most = (squares){0} + START, sum = {0};
  int64_t i = 0;
  for (; i + SQUARES <= n; i += SQUARES) {
    const squares x = squares_at(p + i);
    most = pick_squares(IS_MORE(x, most), x, most);
    sum += x;
  }
  double one = START;
  *all = 0;
  for (int k = 0; k < SQUARES; k++) {
    one = FN(of_two)(one, most[k]);
    *all += sum[k];
  }
  for (; i < n; i++) {
    one = FN(of_two)(one, square_of(&p[i]));
    *all += square_of(&p[i]);
  }
  return one;
}

static double FN(of_row)(const pair* p, int64_t n) {
  enum { SHORT = 16 };
  double a = START, near = START;
  if (n <= SHORT) return FN(of_all)(a, p, n);
  for (int64_t some; n > 0; n -= some, p += some) {
    some = n < SIZES_AT_ONCE ? n : SIZES_AT_ONCE;
    double sum;
    const double most = FN(square)(p, some, &sum);
    const bool is_sum = sum - sum == 0;
    if (is_sum && IS_MORE(near, most)) continue;
    if (!is_sum || most < LEAST_SQUARE) {
      a = FN(of_all)(a, p, some);
    } else {
      a = FN(of_near)(a, p, some, REACHED(most));
      if (IS_MORE(REACHED(most), near)) near = REACHED(most);
    }
  }
  return a;
}

// What squares of SQUARES columns must reach to be near the most extreme of |rows|; all do where
// sizes of all are to be found.
static inline squares FN(near_of_rows)(const char* x, int64_t rows, int64_t row_step) {
  const squares every = (squares){0} + (IS_MORE(0, 1) ? INFINITY : -1),
                least = (squares){0} + LEAST_SQUARE;
  squares most = (squares){0} + START, sum = {0};
  for (; rows > 0; rows--, x += row_step) {
    const squares s = squares_at((const pair*)(const void*)x);
    most = pick_squares(IS_MORE(s, most), s, most);
    sum += s;
  }
  const squares none = sum - sum;
  return pick_squares((none != none) | (most < least), every, REACHED(most));
}
static void FN(of_columns)(double* to, int64_t n, const char* x, int64_t rows,
                           int64_t row_step) {
  for (int64_t i = 0; i < n; i++) to[i] = START;
  for (int64_t i = 0; i < n; i += SQUARES, x += SQUARES * sizeof(pair)) {
    const squares near = FN(near_of_rows)(x, rows, row_step);
    for (int64_t r = 0; r < rows; r++) {
      const pair* p = (const pair*)(const void*)(x + r * row_step);
      const square_masks out = IS_MORE(near, squares_at(p));
      int64_t all_out = -1;
      for (int k = 0; k < SQUARES; k++) all_out &= out[k];
      if (OY_LIKELY(all_out)) continue;
      double size[SQUARES];
      sizes_of(size, p, SQUARES);
      for (int k = 0; k < SQUARES; k++) to[i + k] = FN(of_two)(to[i + k], size[k]);
    }
  }
}
#undef FN
#undef NAME
#undef START
#undef IS_MORE
#undef REACHED
