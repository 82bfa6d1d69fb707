// SPDX-License-Identifier: Apache-2.0
// Products of complex numbers, a part of reduce_sum_loops_tmpl.h: the plain formula, as
// PyTorch has it, where C's operator looks for infinities in each product. Running values are
// vectors of real parts and of imaginary ones, in double, which take half of the shuffles that
// numbers whose parts lie together take.

static inline double _Complex plain_product(double _Complex a, double _Complex b) {
  const double x = __real__ a, y = __imag__ a, re = __real__ b, im = __imag__ b;
  return __builtin_complex(x * re - y * im, x * im + y * re);
}

// Parts of LANES numbers in two vectors |a| and |b|, in an order that putting them together
// the same way undoes.
#define FIRST_PARTS(a, b)  __builtin_shufflevector(a, b, 0, 4, 2, 6)
#define SECOND_PARTS(a, b) __builtin_shufflevector(a, b, 1, 5, 3, 7)

// re + i im goes on with x + i y.
#define MULTIPLY_PARTS(re, im, x, y)                  \
  do {                                                \
    const wide_lanes x_ = (x), y_ = (y), was_ = (re); \
    (re) = was_ * x_ - (im)*y_;                       \
    (im) = was_ * y_ + (im)*x_;                       \
  } while (0)

// The product of LANES numbers.
static inline double _Complex product_of_lanes(const wide_lanes* re,
                                               const wide_lanes* im) {
  double x[LANES], y[LANES];
  memcpy(x, re, sizeof(x));
  memcpy(y, im, sizeof(y));
  double _Complex all[LANES];
  for (int k = 0; k < LANES; k++) all[k] = __builtin_complex(x[k], y[k]);
  return plain_product(plain_product(all[0], all[2]), plain_product(all[1], all[3]));
}

// HALF(p, k) are numbers 2k and 2k + 1 of those that |p| points to. Of |n| that lie together,
// and of |rows| rows of |n| columns, a multiple of LANES.
#define PRODUCTS(name, T, HALF)                                                        \
  static inline __attribute__((always_inline)) void name##_step(                       \
      wide_lanes* re, wide_lanes* im, const T* p) {                                    \
    const wide_lanes a = HALF(p, 0), b = HALF(p, 1);                                   \
    MULTIPLY_PARTS(*re, *im, FIRST_PARTS(a, b), SECOND_PARTS(a, b));                   \
  }                                                                                    \
  static double _Complex name(const T* p, int64_t n) {                                 \
    enum { SEVERAL = CHAINS / 2 };                                                     \
    const wide_lanes zero = {0}, one = zero + 1;                                       \
    wide_lanes re[SEVERAL] = {one, one, one, one}, im[SEVERAL] = {zero};               \
    for (; n >= SEVERAL * LANES; n -= SEVERAL * LANES, p += SEVERAL * LANES) {         \
      OYI_UNROLL                                                                       \
      for (int k = 0; k < SEVERAL; k++) name##_step(&re[k], &im[k], p + k * LANES);    \
    }                                                                                  \
    for (; n >= LANES; n -= LANES, p += LANES) name##_step(&re[0], &im[0], p);         \
    MULTIPLY_PARTS(re[0], im[0], re[2], im[2]);                                        \
    MULTIPLY_PARTS(re[1], im[1], re[3], im[3]);                                        \
    MULTIPLY_PARTS(re[0], im[0], re[1], im[1]);                                        \
    double _Complex all = product_of_lanes(re, im);                                    \
    for (; n > 0; n--, p++) all = plain_product(all, (double _Complex) * p);           \
    return all;                                                                        \
  }                                                                                    \
  static inline __attribute__((always_inline)) void name##_of_rows(                    \
      double _Complex* to, int64_t n, const char* x, const int rows, int64_t row_step, \
      const bool begins) {                                                             \
    const wide_lanes zero = {0};                                                       \
    for (int64_t i = 0; i < n; i += LANES) {                                           \
      wide_lanes re = zero + 1, im = zero;                                             \
      if (!begins) {                                                                   \
        const wide_lanes a = GET(to + i, 0), b = GET(to + i, 1);                       \
        re = FIRST_PARTS(a, b), im = SECOND_PARTS(a, b);                               \
      }                                                                                \
      const char* row = x + i * (int64_t)sizeof(T);                                    \
      OYI_UNROLL                                                                       \
      for (int r = 0; r < rows; r++, row += row_step)                                  \
        name##_step(&re, &im, (const T*)(const void*)row);                             \
      GET(to + i, 0) = FIRST_PARTS(re, im);                                            \
      GET(to + i, 1) = SECOND_PARTS(re, im);                                           \
    }                                                                                  \
  }                                                                                    \
  STRIPS_OF(name, double _Complex, 1)
#define FLOAT_HALF(p, k)  WIDE(LOAD((const float*)(p) + (k)*LANES))
#define DOUBLE_HALF(p, k) ((wide_lanes)((const kept_lanes*)(const void*)(p))[k])
PRODUCTS(product_c64, float _Complex, FLOAT_HALF)
PRODUCTS(product_c128, double _Complex, DOUBLE_HALF)
#undef MULTIPLY_PARTS
#undef FIRST_PARTS
#undef SECOND_PARTS
