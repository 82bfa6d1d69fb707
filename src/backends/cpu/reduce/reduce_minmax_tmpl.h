// SPDX-License-Identifier: Apache-2.0
// Least and greatest elements of one type, and where they are; T, ID, IS_NAN,
// LEAST and GREATEST are given, AMAX_WHOLE and AMIN_WHOLE may be: WHOLE of reduce_fold_tmpl.h
// for any number of elements; AMAX_FEW and AMIN_FEW, its FEW_COLUMNS; PLACES_V4 of
// reduce_place_tmpl.h; and LEAST_OF and GREATEST_OF, of two vectors of 32 bytes, which end
// here. A NaN is both: once it is there it stays.
#ifdef LEAST_OF
#define AMAX_FEW OYI_JOIN(greatest, OYI_JOIN(ID, few))
#define AMIN_FEW OYI_JOIN(least, OYI_JOIN(ID, few))
WHOLE_COLUMNS_OF(AMAX_FEW, GREATEST_OF)
WHOLE_COLUMNS_OF(AMIN_FEW, LEAST_OF)
#endif
#define R T
#define A T
#define ALL_COLUMNS
#define AGAIN
#define NAME       amax
#define START      LEAST
#define STEP(a, x) ((x) > (a) || IS_NAN(x) ? (x) : (a))
#define JOIN(a, b) STEP(a, b)
#define RESULT(a)  (a)
#ifdef AMAX_WHOLE
#define WHOLE      AMAX_WHOLE
#define WHOLE_STEP 1
#endif
#ifdef AMAX_FEW
#define FEW_COLUMNS AMAX_FEW
#define FEW_MOST    (128 / (int)sizeof(T))
#endif
#include "backends/cpu/reduce/reduce_fold_tmpl.h"
#define ALL_COLUMNS
#define AGAIN
#define NAME       amin
#define START      GREATEST
#define STEP(a, x) ((x) < (a) || IS_NAN(x) ? (x) : (a))
#define JOIN(a, b) STEP(a, b)
#define RESULT(a)  (a)
#ifdef AMIN_WHOLE
#define WHOLE      AMIN_WHOLE
#define WHOLE_STEP 1
#endif
#ifdef AMIN_FEW
#define FEW_COLUMNS AMIN_FEW
#define FEW_MOST    (128 / (int)sizeof(T))
#endif
#include "backends/cpu/reduce/reduce_fold_tmpl.h"
#undef R
#undef A

#define NAME             argmax
#define EXTREME          amax
#define IS_MORE(x, a)    ((x) > (a))
#define IS_NO_MORE(x, a) ((x) <= (a))
#include "backends/cpu/reduce/reduce_place_tmpl.h"
#define NAME             argmin
#define EXTREME          amin
#define IS_MORE(x, a)    ((x) < (a))
#define IS_NO_MORE(x, a) ((x) >= (a))
#include "backends/cpu/reduce/reduce_place_tmpl.h"

// Both at once: the running values of one lie behind those of the other.
#define BOTH(what) OYI_JOIN(aminmax, OYI_JOIN(what, ID))
enum { BOTH(RUNNING) = 0, BOTH(HELD) = 0 };
static void BOTH(start)(void* state, int64_t n, const void* args) {
  OYI_JOIN(amin_start, ID)(state, n, args);
  OYI_JOIN(amax_start, ID)((T*)state + OYI_REDUCE_BLOCK, n, args);
}
// Integers that lie together in one pass, and the rest, or what may be NaN, in pieces that stay in
// the first-level cache for the other one.
enum { BOTH(LANES) = 128 / sizeof(T) };
#ifdef LEAST_OF
// Compilers would read vectors again for the other one: the empty assembly has them in registers.
static inline void BOTH(dense)(T* low, T* high, const T* p, int64_t n) {
  enum { VECTORS = 4, WIDTH = BOTH(LANES) / VECTORS };
  __m256i a[VECTORS], b[VECTORS];
  for (int k = 0; k < VECTORS; k++) a[k] = b[k] = _mm256_loadu_si256((const void*)p);
  for (const T* end = p + n; p < end; p += BOTH(LANES)) {
    OYI_UNROLL
    for (int k = 0; k < VECTORS; k++) {
      __m256i x = _mm256_loadu_si256((const void*)(p + k * WIDTH));
      __asm__("" : "+x"(x));
      a[k] = LEAST_OF(x, a[k]);
      b[k] = GREATEST_OF(x, b[k]);
    }
  }
  memcpy(low, a, sizeof(a));
  memcpy(high, b, sizeof(b));
}
#else
static inline void BOTH(dense)(T* low, T* high, const T* p, int64_t n) {
  for (int k = 0; k < BOTH(LANES); k++) low[k] = GREATEST, high[k] = LEAST;
  for (int64_t i = 0; i < n; i += BOTH(LANES))
    for (int k = 0; k < BOTH(LANES); k++) {
      const T x = p[i + k];
      low[k] = x < low[k] ? x : low[k];
      high[k] = x > high[k] ? x : high[k];
    }
}
#endif
static void BOTH(row)(void* state, int64_t at, const char* x, int64_t n, int64_t step,
                      int64_t first, const void* args) {
  enum { PIECE = 8192 / sizeof(T) };
  const bool is_whole = (T)0.5 == 0;
  const int64_t whole = is_whole ? n / BOTH(LANES) * BOTH(LANES) : 0;
  if (step == (int64_t)sizeof(T) && whole > 0) {
    T low[BOTH(LANES)], high[BOTH(LANES)];
    BOTH(dense)(low, high, (const T*)(const void*)x, whole);
    OYI_JOIN(amin_row, ID)(state, at, (const char*)low, BOTH(LANES), step, first, args);
    OYI_JOIN(amax_row, ID)
    ((T*)state + OYI_REDUCE_BLOCK, at, (const char*)high, BOTH(LANES), step, first, args);
    x += whole * step;
    n -= whole;
  }
  for (int64_t some; n > 0; n -= some, x += some * step) {
    some = n < PIECE ? n : PIECE;
    OYI_JOIN(amin_row, ID)(state, at, x, some, step, first, args);
    OYI_JOIN(amax_row, ID)
    ((T*)state + OYI_REDUCE_BLOCK, at, x, some, step, first, args);
  }
}
static void BOTH(columns)(void* state, int64_t n, const char* x, int64_t rows,
                          int64_t row_step, int64_t first, const void* args) {
  OYI_JOIN(amin_columns, ID)(state, n, x, rows, row_step, first, args);
  OYI_JOIN(amax_columns, ID)
  ((T*)state + OYI_REDUCE_BLOCK, n, x, rows, row_step, first, args);
}
static void BOTH(merge)(void* state, const void* later, int64_t n, const void* args) {
  const T* from = later;
  OYI_JOIN(amin_merge, ID)(state, later, n, args);
  OYI_JOIN(amax_merge, ID)
  ((T*)state + OYI_REDUCE_BLOCK, from + OYI_REDUCE_BLOCK, n, args);
}
static void BOTH(finish)(const void* state, int64_t n, void* const* out,
                         const void* args) {
  OYI_JOIN(amin_finish, ID)(state, n, out, args);
  OYI_JOIN(amax_finish, ID)
  ((const T*)state + OYI_REDUCE_BLOCK, n, out + 1, args);
}
#undef BOTH
#ifdef LEAST_OF
#undef LEAST_OF
#undef GREATEST_OF
#undef AMAX_FEW
#undef AMIN_FEW
#endif
