// SPDX-License-Identifier: Apache-2.0
// Norms of order 1 and of infinite order of complex numbers of doubles, a part of
// reduce_norm_loops_tmpl.h. Sizes are those of abs, by its own loop: a gradient looks for the
// element whose size the norm is. They take a root and a quotient, where the sum of squares
// orders numbers as well, but for those that are within its roundings: of them alone sizes are
// computed. Where squares overflow or vanish, or there is NaN, all are.
typedef double _Complex pair;

enum { SIZES_AT_ONCE = 256 };
#if defined(__AVX__)
enum { SQUARES = 4 };
#define REAL_SQUARES      0, 4, 2, 6
#define IMAGINARY_SQUARES 1, 5, 3, 7
#else
enum { SQUARES = 2 };
#define REAL_SQUARES      0, 2
#define IMAGINARY_SQUARES 1, 3
#endif
typedef double squares __attribute__((vector_size(SQUARES * sizeof(double))));
typedef int64_t square_masks __attribute__((vector_size(SQUARES * sizeof(double))));
typedef double loaded_squares __attribute__((vector_size(SQUARES * sizeof(double)),
                                             aligned(sizeof(double)), may_alias));
#define SQUARES_AT(p, k) ((squares)((const loaded_squares*)(const void*)(p))[k])

// A size is within 2^-52 of what it should be, a sum of squares within 2^-51: what has the more
// extreme size has a sum of squares within 2^-48 of the most extreme one. Squares from LEAST on
// lose nothing that matters to numbers that vanish.
#define LEAST_SQUARE 0x1p-900
#define NEAR         0x1p-48

static inline void sizes_of(double* to, const pair* p, int64_t n) {
  char* const data[] = {(char*)to, (char*)(uintptr_t)p};
  const int64_t steps[] = {sizeof(*to), sizeof(*p)};
  oyi_cpu_loops[OYI_LOOP_abs][OY_DTYPE_C128](n, data, steps, NULL);
}
static inline double size_of(pair x) {
  double size;
  sizes_of(&size, &x, 1);
  return size;
}

static inline double square_of(const pair* p) {
  return creal(*p) * creal(*p) + cimag(*p) * cimag(*p);
}
// Of SQUARES numbers, in an order of their own.
static inline squares squares_at(const pair* p) {
  const squares a = SQUARES_AT(p, 0), b = SQUARES_AT(p, 1), aa = a * a, bb = b * b;
  return __builtin_shufflevector(aa, bb, REAL_SQUARES) +
         __builtin_shufflevector(aa, bb, IMAGINARY_SQUARES);
}
static inline squares pick_squares(square_masks mask, squares yes, squares no) {
  return (squares)(((square_masks)yes & mask) | ((square_masks)no & ~mask));
}

// Of |n| that lie together, and of |rows| rows of |n|.
static double sum_of_sizes(const pair* p, int64_t n) {
  enum { SUMS = 16 };
  double size[SIZES_AT_ONCE], sum[SUMS] = {0};
  for (int64_t some; n > 0; n -= some, p += some) {
    some = n < SIZES_AT_ONCE ? n : SIZES_AT_ONCE;
    sizes_of(size, p, some);
    for (int64_t i = some; i % SUMS != 0; i++) size[i] = 0;
    for (int64_t i = 0; i < some; i += SUMS)
      for (int k = 0; k < SUMS; k++) sum[k] += size[i + k];
  }
  for (int k = SUMS / 2; k > 0; k /= 2)
    for (int j = 0; j < k; j++) sum[j] += sum[j + k];
  return sum[0];
}
static void sum_of_columns(double* to, int64_t n, const char* x, int64_t rows,
                           int64_t row_step) {
  double size[OYI_REDUCE_WIDE];
  for (int64_t i = 0; i < n; i++) to[i] = 0;
  for (; rows > 0; rows--, x += row_step) {
    sizes_of(size, (const pair*)(const void*)x, n);
    for (int64_t i = 0; i < n; i++) to[i] += size[i];
  }
}
