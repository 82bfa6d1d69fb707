// SPDX-License-Identifier: Apache-2.0
// A reducer with one running value for each result. Given, and undefined here:
//
//   NAME        with ID, the name of its functions
//   START       the running value of nothing
//   STEP(a, x)  the running value |a| after element |x|
//   JOIN(a, b)  of two running values
//   RESULT(a)   what is written, an R
//   SETUP       (may be left out) declares what these see; it sees |args|
//   EXACT       (may be left out) keeps the rounding errors of sums of real
//   numbers
//
// T, A and ID, the types of elements and of running values, are the including
// file's. A piece of a row goes into several values at once, which is faster
// and, for sums, loses less.
#ifndef SETUP
#define SETUP (void)args
#endif
#define FOLD(what) OYI_JOIN(NAME, OYI_JOIN(what, ID))

static void FOLD(start)(void* state, int64_t n, const void* args) {
  SETUP;
  A* value = state;
  for (int64_t i = 0; i < n; i++) value[i] = START;
#ifdef EXACT
  for (int64_t i = 0; i < n; i++) value[OYI_REDUCE_BLOCK + i] = 0;
#endif
}

// Adds a partial value to that of result |i|.
static inline void FOLD(join)(A* value, int64_t i, A b, const void* args) {
  SETUP;
#ifdef EXACT
  const A a = value[i], sum = a + b, part = sum - a;
  value[OYI_REDUCE_BLOCK + i] += (a - (sum - part)) + (b - part);
  value[i] = sum;
#else
  value[i] = JOIN(value[i], b);
#endif
}

static void FOLD(row)(void* state, int64_t at, const char* x, int64_t n, int64_t step,
                      int64_t first, const void* args) {
  SETUP;
  (void)first;
  enum { LANES = sizeof(A) > 2 ? 128 / sizeof(A) : 64 };
  A lanes[LANES];
  for (int k = 0; k < LANES; k++) lanes[k] = START;
  int64_t i = 0;
  if (step == (int64_t)sizeof(T)) {
    const T* p = (const T*)(const void*)x;
    for (; i + LANES <= n; i += LANES)
      for (int k = 0; k < LANES; k++) lanes[k] = STEP(lanes[k], p[i + k]);
  } else {
    for (; i + 4 <= n; i += 4)
      for (int k = 0; k < 4; k++)
        lanes[k] = STEP(lanes[k], *(const T*)(const void*)(x + (i + k) * step));
  }
  for (int k = 0; i < n; i++, k++)
    lanes[k] = STEP(lanes[k], *(const T*)(const void*)(x + i * step));
  if (n >= 4)
    for (int k = LANES / 2; k > 0; k /= 2)
      for (int j = 0; j < k; j++) lanes[j] = JOIN(lanes[j], lanes[j + k]);
  else
    for (int k = 1; k < n; k++) lanes[0] = JOIN(lanes[0], lanes[k]);
  FOLD(join)(state, at, lanes[0], args);
}

static void FOLD(columns)(void* state, int64_t n, const char* x, int64_t rows,
                          int64_t row_step, int64_t first, const void* args) {
  SETUP;
  (void)first;
  A part[OYI_REDUCE_BLOCK];
  for (int64_t i = 0; i < n; i++) part[i] = START;
  for (; rows > 0; rows--, x += row_step) {
    const T* p = (const T*)(const void*)x;
    for (int64_t i = 0; i < n; i++) part[i] = STEP(part[i], p[i]);
  }
  for (int64_t i = 0; i < n; i++) FOLD(join)(state, i, part[i], args);
}

static void FOLD(merge)(void* state, const void* later, int64_t n, const void* args) {
  A* value = state;
  const A* from = later;
  for (int64_t i = 0; i < n; i++) {
    FOLD(join)(value, i, from[i], args);
#ifdef EXACT
    value[OYI_REDUCE_BLOCK + i] += from[OYI_REDUCE_BLOCK + i];
#endif
  }
}

static void FOLD(finish)(const void* state, int64_t n, void* const* out,
                         const void* args) {
  SETUP;
  const A* value = state;
  R* to = out[0];
  for (int64_t i = 0; i < n; i++) {
    A a = value[i];
#ifdef EXACT
    // There is no rounding error of an infinite sum.
    const A rest = value[OYI_REDUCE_BLOCK + i];
    if (rest - rest == 0) a += rest;
#endif
    to[i] = RESULT(a);
  }
}
#undef FOLD
#undef NAME
#undef START
#undef STEP
#undef JOIN
#undef RESULT
#undef SETUP
#undef EXACT
