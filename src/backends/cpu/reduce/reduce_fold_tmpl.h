// SPDX-License-Identifier: Apache-2.0
// A reducer with one running value for each result. Given, and undefined here:
//
//   NAME        with ID, the name of its functions
//   START       the running value of nothing
//   STEP(a, x)  the running value |a| after element |x|
//   JOIN(a, b)  of two running values
//   RESULT(a)   what is written, an R
//   RESULTS(to, n)  (may be left out) what becomes of all of them then
//   SETUP       (may be left out) declares what these see; it sees |args|
//   REPEAT(a, times)  (may be left out) the running value |a| of that many times the elements
//   ALL_COLUMNS (may be left out) makes results of columns at once, where R is A and a result
//   without |args| is the running value
//   AGAIN       (may be left out) where elements may come twice
//   FILLED      (may be left out) where compilers make branches of a step from START
//   TREE(x)     (may be left out) what an element is, where those of four rows may be put
//   together before they go to the running value, which waits for one step then, not for four
//   EXACT       (may be left out) keeps the rounding errors of sums of real
//   numbers
//   WHOLE(p, n) (may be left out) the running value of |n| elements that lie together, a
//   multiple of WHOLE_STEP, and WHOLE_FROM or more; LANES if that is left out
//   STRIPS(to, n, x, rows, row_step) (may be left out) writes the running values of |rows|
//   rows of |n| columns, a multiple of STRIP
//   FEW_COLUMNS(to, n, x, rows, row_step) (may be left out) does it for any |n|; false: it does
//   not
//   FEW_EXACT(to, rest, n, x, rows, row_step)  where EXACT is given, the same with the rounding
//   errors
//   FEW_MOST    (may be left out) |n| of which that is good for any number of rows
//
// T, A and ID, the types of elements and of running values, are the including
// file's. A piece of a row goes into several values at once, which is faster
// and, for sums, loses less.
#ifndef SETUP
#define SETUP (void)args
#endif
#define FOLD(what) OYI_JOIN(NAME, OYI_JOIN(what, ID))

// Values that a row's piece goes into, side by side.
enum { FOLD(LANES) = sizeof(A) > 2 ? 128 / sizeof(A) : 64 };
#ifndef WHOLE_FROM
#define WHOLE_FROM FOLD(LANES)
#endif

#ifndef FEW_MOST
#define FEW_MOST 0
#endif
enum { FOLD(RUNNING) = sizeof(A), FOLD(HELD) = FEW_MOST };

static void FOLD(start)(void* state, int64_t n, const void* args) {
  SETUP;
  A* value = state;
  for (int64_t i = 0; i < n; i++) value[i] = START;
#ifdef EXACT
  // Behind as many running values as there may be.
  _Static_assert(2 * OYI_REDUCE_WIDE * sizeof(A) <= OYI_REDUCE_BLOCK * OYI_REDUCE_STATE,
                 "running values and their errors fit");
  for (int64_t i = 0; i < n; i++) value[OYI_REDUCE_WIDE + i] = 0;
#endif
}

// Adds a partial value to that of result |i|.
static inline void FOLD(join)(A* value, int64_t i, A b, const void* args) {
  SETUP;
#ifdef EXACT
  const A a = value[i], sum = a + b, part = sum - a;
  value[OYI_REDUCE_WIDE + i] += (a - (sum - part)) + (b - part);
  value[i] = sum;
#else
  value[i] = JOIN(value[i], b);
#endif
}

// Lane k of |lanes| goes on with element k of |p|.
static inline __attribute__((always_inline)) void FOLD(step)(A* lanes, const T* p,
                                                             const void* args) {
  SETUP;
  for (int k = 0; k < FOLD(LANES); k++) lanes[k] = STEP(lanes[k], p[k]);
}

static inline __attribute__((always_inline)) A FOLD(fold)(A* lanes) {
  OYI_UNROLL
  for (int k = FOLD(LANES) / 2; k > 0; k /= 2)
    for (int j = 0; j < k; j++) lanes[j] = JOIN(lanes[j], lanes[j + k]);
  return lanes[0];
}

// |n| elements that lie together, LANES or more.
static inline A FOLD(dense)(const T* p, int64_t n, const void* args) {
  A lanes[FOLD(LANES)];
  for (int k = 0; k < FOLD(LANES); k++) lanes[k] = START;
  int64_t i = 0;
  for (; i + FOLD(LANES) <= n; i += FOLD(LANES)) FOLD(step)(lanes, p + i, args);
  // The rest are the last ones of a full step, whose first were there already.
  const int64_t seen = i + FOLD(LANES) - n;
#ifdef AGAIN
  if (seen < FOLD(LANES)) FOLD(step)(lanes, p + n - FOLD(LANES), args);
#else
  if (seen < FOLD(LANES)) {
    A rest[FOLD(LANES)];
    for (int k = 0; k < FOLD(LANES); k++) rest[k] = lanes[k];
    FOLD(step)(rest, p + n - FOLD(LANES), args);
    for (int k = 0; k < FOLD(LANES); k++) lanes[k] = k < seen ? lanes[k] : rest[k];
  }
#endif
  return FOLD(fold)(lanes);
}

// |n| elements that lie together.
static inline void FOLD(together)(A* state, int64_t at, const T* p, int64_t n,
                                  const void* args) {
  SETUP;
#ifdef WHOLE
  if (n >= WHOLE_FROM) {
    const int64_t whole = n / WHOLE_STEP * WHOLE_STEP;
    FOLD(join)(state, at, WHOLE(p, whole), args);
    p += whole;
    n -= whole;
  }
#endif
  if (n >= FOLD(LANES)) {
    FOLD(join)(state, at, FOLD(dense)(p, n, args), args);
    return;
  }
  if (n == 0) return;
  A lanes[4] = {START, START, START, START};
  int64_t i = 0;
  for (; i + 4 <= n; i += 4)
    for (int k = 0; k < 4; k++) lanes[k] = STEP(lanes[k], p[i + k]);
  for (int k = 0; i < n; i++, k++) lanes[k] = STEP(lanes[k], p[i]);
  const A low = JOIN(lanes[0], lanes[2]), high = JOIN(lanes[1], lanes[3]);
  FOLD(join)(state, at, JOIN(low, high), args);
}

// Elements that lie apart are brought together, a few at a time.
static void FOLD(row)(void* state, int64_t at, const char* x, int64_t n, int64_t step,
                      int64_t first, const void* args) {
  enum { FEW = 256, EVERY_OTHER = 2 };
  (void)first;
  if (OY_LIKELY(step == (int64_t)sizeof(T))) {
    FOLD(together)(state, at, (const T*)(const void*)x, n, args);
    return;
  }
  T few[FEW];
  for (; n > 0; n -= FEW, x += FEW * step) {
    const int64_t some = n < FEW ? n : FEW;
    if (step == EVERY_OTHER * (int64_t)sizeof(T)) {
      const T* p = (const T*)(const void*)x;
      for (int64_t i = 0; i < some; i++) few[i] = p[EVERY_OTHER * i];
    } else {
      for (int64_t i = 0; i < some; i++) few[i] = *(const T*)(const void*)(x + i * step);
    }
    FOLD(together)(state, at, few, some, args);
  }
}

// |rows| rows, one, two or four, of |n| columns go on from |part|, or from the start.
static inline __attribute__((always_inline)) void FOLD(some)(
    A* part, int64_t n, const char* x, const int rows, int64_t row_step,
    const bool begins, const void* args) {
  SETUP;
  const T *p = (const T*)(const void*)x, *q = (const T*)(const void*)(x + row_step);
  const T* r = (const T*)(const void*)(x + 2 * row_step);
  const T* s = (const T*)(const void*)(x + 3 * row_step);
  for (int64_t i = 0; i < n; i++) {
    A a = begins ? START : part[i];
#ifdef TREE
    if (rows > 2) {
      part[i] = JOIN(a, JOIN(JOIN(TREE(p[i]), TREE(q[i])), JOIN(TREE(r[i]), TREE(s[i]))));
      continue;
    }
#endif
    a = STEP(a, p[i]);
    if (rows > 1) a = STEP(a, q[i]);
    if (rows > 2) a = STEP(a, r[i]);
    if (rows > 2) a = STEP(a, s[i]);
    part[i] = a;
  }
}

// Of |n| columns, four rows at a time, so that running values are read and written less
// often, and few rows without one time more for where they start.
static inline void FOLD(four)(A* part, int64_t n, const char* x, int64_t rows,
                              int64_t row_step, const void* args) {
  SETUP;
#ifdef FILLED
  int64_t done = 0;
#else
  int64_t done = rows < 2 ? 0 : rows < 4 ? 2 : 4;
#endif
  if (done == 4)
    FOLD(some)(part, n, x, 4, row_step, true, args);
  else if (done == 2)
    FOLD(some)(part, n, x, 2, row_step, true, args);
  else
    for (int64_t i = 0; i < n; i++) part[i] = START;
  for (; rows - done >= 4; done += 4)
    FOLD(some)(part, n, x + done * row_step, 4, row_step, false, args);
  for (; done < rows; done++)
    FOLD(some)(part, n, x + done * row_step, 1, row_step, false, args);
}

#ifdef STRIPS
// Rows of less than STRIP columns, filled up: each column comes to what it does beside others,
// and running values stay in registers. Two copies of |half| elements may overlap.
static inline __attribute__((always_inline)) void FOLD(fill_rows)(T* to, const char* x,
                                                                  int64_t n, int64_t rows,
                                                                  int64_t row_step,
                                                                  const int64_t half) {
  for (int64_t r = 0; r < rows; r++, to += STRIP, x += row_step) {
    const int64_t last = n - half;
    memcpy(to, x, (size_t)half * sizeof(T));
    memcpy(to + last, x + last * (int64_t)sizeof(T), (size_t)half * sizeof(T));
  }
}

static void FOLD(narrow)(A* part, int64_t n, const char* x, int64_t rows,
                         int64_t row_step) {
  T few[OYI_REDUCE_MOST_ROWS * STRIP];
  A all[STRIP];
  memset(few, 0, (size_t)rows * STRIP * sizeof(T));
  if (n >= STRIP / 2)
    FOLD(fill_rows)(few, x, n, rows, row_step, STRIP / 2);
  else if (n >= STRIP / 4)
    FOLD(fill_rows)(few, x, n, rows, row_step, STRIP / 4);
  else if (n >= 2)
    FOLD(fill_rows)(few, x, n, rows, row_step, 2);
  else
    FOLD(fill_rows)(few, x, n, rows, row_step, 1);
  STRIPS(all, STRIP, (const char*)few, rows, STRIP * (int64_t)sizeof(T));
  for (int64_t i = 0; i < n; i++) part[i] = all[i];
}
#endif

// What |rows| rows of |n| columns come to.
static inline void FOLD(parts)(A* part, int64_t n, const char* x, int64_t rows,
                               int64_t row_step, const void* args) {
  int64_t done = 0;
#ifdef FEW_COLUMNS
  if (FEW_COLUMNS(part, n, x, rows, row_step)) return;
#endif
#ifdef STRIPS
  if (n >= STRIP) {
    done = n / STRIP * STRIP;
    STRIPS(part, done, x, rows, row_step);
    // The last strip lies over the one before.
    const int64_t last = n - STRIP;
    if (done < n)
      STRIPS(part + last, STRIP, x + last * (int64_t)sizeof(T), rows, row_step);
    done = n;
  } else if (n > 0 && rows <= OYI_REDUCE_MOST_ROWS) {
    FOLD(narrow)(part, n, x, rows, row_step);
    done = n;
  }
#endif
  x += done * (int64_t)sizeof(T);
  FOLD(four)(part + done, n - done, x, rows, row_step, args);
}

static void FOLD(columns)(void* state, int64_t n, const char* x, int64_t rows,
                          int64_t row_step, int64_t first, const void* args) {
  (void)first;
  A part[OYI_REDUCE_WIDE];
#ifdef FEW_EXACT
  A rest[FEW_MOST];
  if (FEW_EXACT(part, rest, n, x, rows, row_step)) {
    for (int64_t i = 0; i < n; i++) {
      FOLD(join)(state, i, part[i], args);
      ((A*)state)[OYI_REDUCE_WIDE + i] += rest[i];
    }
    return;
  }
#endif
  FOLD(parts)(part, n, x, rows, row_step, args);
  for (int64_t i = 0; i < n; i++) FOLD(join)(state, i, part[i], args);
}

#ifdef ALL_COLUMNS
static void FOLD(all_columns)(void* out, int64_t n, const char* x, int64_t rows,
                              int64_t row_step, const void* args) {
  SETUP;
  R* to = out;
  FOLD(parts)(to, n, x, rows, row_step, args);
#ifdef RESULTS
  RESULTS(to, n);
#else
  for (int64_t i = 0; args && i < n; i++) to[i] = RESULT(to[i]);
#endif
}
#endif

static void FOLD(merge)(void* state, const void* later, int64_t n, const void* args) {
  A* value = state;
  const A* from = later;
  for (int64_t i = 0; i < n; i++) {
    FOLD(join)(value, i, from[i], args);
#ifdef EXACT
    value[OYI_REDUCE_WIDE + i] += from[OYI_REDUCE_WIDE + i];
#endif
  }
}

#ifdef REPEAT
static void FOLD(repeat)(void* state, int64_t n, int64_t times) {
  A* value = state;
  for (int64_t i = 0; i < n; i++) {
    const A a = value[i];
    value[i] = REPEAT(a, times);
#ifdef EXACT
    A* rest = &value[OYI_REDUCE_WIDE + i];
    *rest = REPEAT(*rest, times) + __builtin_fma(a, (A)times, -value[i]);
#endif
  }
}
#endif

static void FOLD(finish)(const void* state, int64_t n, void* const* out,
                         const void* args) {
  SETUP;
  const A* value = state;
  R* to = out[0];
  for (int64_t i = 0; i < n; i++) {
    A a = value[i];
#ifdef EXACT
    // There is no rounding error of an infinite sum.
    const A rest = value[OYI_REDUCE_WIDE + i];
    if (rest - rest == 0) a += rest;
#endif
    to[i] = RESULT(a);
  }
#ifdef RESULTS
  RESULTS(to, n);
#endif
}
#undef FOLD
#undef NAME
#undef START
#undef STEP
#undef JOIN
#undef RESULT
#undef RESULTS
#undef SETUP
#undef EXACT
#undef REPEAT
#undef ALL_COLUMNS
#undef AGAIN
#undef FILLED
#undef TREE
#undef WHOLE
#undef WHOLE_STEP
#undef WHOLE_FROM
#undef STRIPS
#undef FEW_COLUMNS
#undef FEW_MOST
#undef FEW_EXACT
