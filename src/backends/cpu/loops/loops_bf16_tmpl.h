// SPDX-License-Identifier: Apache-2.0
// Arithmetic of bf16, for one CPU capability: in f32, rounded once. A lane of 32 bits
// holds two neighbours; each becomes a float where it is, by a shift or a mask, and goes
// back there, so that nothing is moved between lanes and nothing goes through a buffer.
#if defined(__AVX2__)
#include <immintrin.h>
#define PAIR_BYTES 32
#else
#define PAIR_BYTES 16
#endif

typedef uint32_t pairs __attribute__((vector_size(PAIR_BYTES)));
typedef float singles __attribute__((vector_size(PAIR_BYTES)));
typedef singles (*pair_fn)(singles a, singles b, const float* arg);
typedef pairs (*pairs_fn)(pairs a, pairs b, const float* arg);

enum { PAIRED = PAIR_BYTES / 2, BF16 = 2 };
#define UPPER 0xffff0000u

// To nearest even, in the upper half of each lane; NaN is always the same one.
static inline pairs rounded(singles x) {
  const pairs bits = (pairs)x;
  const pairs near = bits + 0x7fff + (bits >> 16 & 1), unordered = (pairs)(x != x);
  const pairs nan = (pairs){0} + 0x7fc00000u;
#if defined(__AVX2__)
  return (pairs)_mm256_blendv_ps((__m256)near, (__m256)nan, (__m256)unordered);
#else
  return (near & ~unordered) | (nan & unordered);
#endif
}

static inline __attribute__((always_inline)) pairs of_pairs(pairs a, pairs b,
                                                            const float* arg,
                                                            pair_fn fn) {
  const pairs even = rounded(fn((singles)(a << 16), (singles)(b << 16), arg));
  const pairs odd = rounded(fn((singles)(a & UPPER), (singles)(b & UPPER), arg));
  return even >> 16 | (odd & UPPER);
}

// |count| elements, at most as many as fit; 0 in the other places.
static inline pairs load_some(const char* x, int64_t stride, int64_t count) {
  uint16_t all[PAIRED] = {0};
  for (int64_t i = 0; i < count; i++) memcpy(all + i, x + i * stride, BF16);
  pairs v;
  memcpy(&v, all, sizeof(v));
  return v;
}
static inline void store_some(char* o, int64_t stride, int64_t count, pairs v) {
  uint16_t all[PAIRED];
  memcpy(all, &v, sizeof(v));
  for (int64_t i = 0; i < count; i++) memcpy(o + i * stride, all + i, BF16);
}

// Elements side by side, or one for all of them.
static inline __attribute__((always_inline)) pairs load_pairs(const char* x,
                                                              int64_t stride) {
  pairs v;
  if (stride == 0) return (pairs){0} + 0x10001u * *(const uint16_t*)(const void*)x;
  memcpy(&v, x, sizeof(v));
  return v;
}

static inline __attribute__((always_inline)) void map_pairs(int64_t n, char* const* data,
                                                            const int64_t* strides,
                                                            const void* args,
                                                            pairs_fn fn) {
  const float* arg = args;
  char* o = data[0];
  const char *x = data[1], *y = data[2];
  const int64_t so = strides[0], sx = strides[1], sy = strides[2];
  if (n >= PAIRED && so == BF16 && (sx == BF16 || sx == 0) && (sy == BF16 || sy == 0)) {
    // The last vector lies over those before it, and is read before they are written.
    const int64_t rest = n - PAIRED;
    const pairs last =
        fn(load_pairs(x + rest * sx, sx), load_pairs(y + rest * sy, sy), arg);
    char* end = o + rest * BF16;
    for (; n > PAIRED;
         n -= PAIRED, o += so * PAIRED, x += sx * PAIRED, y += sy * PAIRED) {
      const pairs v = fn(load_pairs(x, sx), load_pairs(y, sy), arg);
      memcpy(o, &v, sizeof(v));
    }
    memcpy(end, &last, sizeof(last));
    return;
  }
  for (; n > 0; n -= PAIRED, o += so * PAIRED, x += sx * PAIRED, y += sy * PAIRED) {
    const int64_t count = n < PAIRED ? n : PAIRED;
    store_some(o, so, count, fn(load_some(x, sx, count), load_some(y, sy, count), arg));
  }
}

// Of one operand, the last vector as in map_pairs.
static inline __attribute__((always_inline)) void map_alone(int64_t n, char* const* data,
                                                            const int64_t* strides,
                                                            const void* args,
                                                            pair_fn fn) {
  const float* arg = args;
  char* o = data[0];
  const char* x = data[1];
  const int64_t so = strides[0], sx = strides[1];
  if (n >= PAIRED && so == BF16 && sx == BF16) {
    const pairs b = load_pairs(x + (n - PAIRED) * BF16, sx),
                last = of_pairs(b, b, arg, fn);
    char* end = o + (n - PAIRED) * BF16;
    for (; n > PAIRED; n -= PAIRED, o += BF16 * PAIRED, x += BF16 * PAIRED) {
      const pairs a = load_pairs(x, sx), v = of_pairs(a, a, arg, fn);
      memcpy(o, &v, sizeof(v));
    }
    memcpy(end, &last, sizeof(last));
    return;
  }
  for (; n > 0; n -= PAIRED, o += so * PAIRED, x += sx * PAIRED) {
    const int64_t count = n < PAIRED ? n : PAIRED;
    const pairs a = load_some(x, sx, count);
    store_some(o, so, count, of_pairs(a, a, arg, fn));
  }
}

// Comparisons are integers, which are signed ones in vectors of the same width.
typedef int32_t chosen_lanes __attribute__((vector_size(PAIR_BYTES)));
static inline singles chosen(chosen_lanes mask, singles yes, singles no) {
  return (singles)(((pairs)yes & (pairs)mask) | ((pairs)no & ~(pairs)mask));
}

#define BF16_UNARY(name, ...)                                                    \
  static inline singles name##_singles(singles a, singles b, const float* arg) { \
    (void)b, (void)arg;                                                          \
    return (__VA_ARGS__);                                                        \
  }                                                                              \
  static void name##_bf16(int64_t n, char* const* data, const int64_t* strides,  \
                          const void* args) {                                    \
    map_alone(n, data, strides, args, name##_singles);                           \
  }
BF16_UNARY(neg, -a)
BF16_UNARY(abs, (singles)((pairs)a & 0x7fffffffu))
// 0 where |a| is less, so that a NaN stays.
BF16_UNARY(relu, (singles)((pairs)a & ~(pairs)(a < 0)))
BF16_UNARY(reciprocal, 1 / a)
BF16_UNARY(square, (a * a))
BF16_UNARY(leaky_relu, chosen(a > 0, a, a* arg[0]))
static inline singles above(singles a, float least) {
  const singles bound = (singles){0} + least;
  return chosen(bound > a, bound, a);
}
static inline singles below(singles a, float most) {
  const singles bound = (singles){0} + most;
  return chosen(bound < a, bound, a);
}
BF16_UNARY(clamp, below(above(a, arg[0]), arg[1]))
BF16_UNARY(clamp_min, above(a, arg[0]))
BF16_UNARY(clamp_max, below(a, arg[0]))
#if defined(__AVX2__)
BF16_UNARY(sqrt, (singles)_mm256_sqrt_ps((__m256)a))
BF16_UNARY(ceil, (singles)_mm256_ceil_ps((__m256)a))
BF16_UNARY(floor, (singles)_mm256_floor_ps((__m256)a))
BF16_UNARY(trunc,
           (singles)_mm256_round_ps((__m256)a, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC))
BF16_UNARY(round, (singles)_mm256_round_ps((__m256)a,
                                           _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC))
#endif
#undef BF16_UNARY

#define BF16_BINARY(name, ...)                                                  \
  static singles name##_singles(singles a, singles b, const float* arg) {       \
    (void)arg;                                                                  \
    return (__VA_ARGS__);                                                       \
  }                                                                             \
  static inline pairs name##_pairs(pairs a, pairs b, const float* arg) {        \
    return of_pairs(a, b, arg, name##_singles);                                 \
  }                                                                             \
  static void name##_bf16(int64_t n, char* const* data, const int64_t* strides, \
                          const void* args) {                                   \
    map_pairs(n, data, strides, args, name##_pairs);                            \
  }
BF16_BINARY(add, a + arg[0] * b)
BF16_BINARY(sub, a - arg[0] * b)
BF16_BINARY(mul, (a * b))
BF16_BINARY(div, a / b)
#undef BF16_BINARY

// One of two numbers, which needs no rounding; NaN is always the same one.
typedef int16_t shorts __attribute__((vector_size(PAIR_BYTES)));
static inline pairs either(pairs a, pairs b, pairs is_second_even, pairs is_second_odd) {
  const pairs is_second = (is_second_even & ~UPPER) | (is_second_odd & UPPER);
  return (a & ~is_second) | (b & is_second);
}
static inline pairs are_nan(pairs a) {
  return (pairs)(((shorts)a & INT16_MAX) > 0x7f80);
}
static inline pairs with_nan(pairs number, pairs is_nan) {
  return (number & ~is_nan) | (0x7fc07fc0u & is_nan);
}
// NaN where either is.
static inline pairs picked(pairs a, pairs b, pairs is_second_even, pairs is_second_odd) {
  return with_nan(either(a, b, is_second_even, is_second_odd), are_nan(a) | are_nan(b));
}
#define BF16_PICK(name, than)                                                   \
  static inline pairs name##_pairs(pairs a, pairs b, const float* arg) {        \
    (void)arg;                                                                  \
    return picked(a, b, (pairs)((singles)(a << 16) than(singles)(b << 16)),     \
                  (pairs)((singles)(a & UPPER) than(singles)(b & UPPER)));      \
  }                                                                             \
  static void name##_bf16(int64_t n, char* const* data, const int64_t* strides, \
                          const void* args) {                                   \
    map_pairs(n, data, strides, args, name##_pairs);                            \
  }
BF16_PICK(maximum, <)
BF16_PICK(minimum, >)
#undef BF16_PICK

static inline pairs threshold_pairs(pairs a, pairs b, const float* arg) {
  const pairs value = rounded((singles){0} + arg[1]);
  const pairs number =
      either(a, value >> 16 | (value & UPPER), (pairs)((singles)(b << 16) <= arg[0]),
             (pairs)((singles)(b & UPPER) <= arg[0]));
  return with_nan(number, are_nan(number));
}
static void threshold_bf16(int64_t n, char* const* data, const int64_t* strides,
                           const void* args) {
  // Of its own, which no result is written over.
  float numbers[2];
  memcpy(numbers, args, sizeof(numbers));
  map_pairs(n, data, strides, numbers, threshold_pairs);
}

// Comparisons, in f32 that hold the same numbers.
static inline float single_of(uint16_t bits) {
  const union {
    uint32_t word;
    float number;
  } as = {(uint32_t)bits << 16};
  return as.number;
}
#define T  uint16_t
#define ID bf16
BINARY_TO(eq, uint8_t, single_of(a) == single_of(b))
BINARY_TO(ne, uint8_t, single_of(a) != single_of(b))
BINARY_TO(lt, uint8_t, single_of(a) < single_of(b))
BINARY_TO(le, uint8_t, single_of(a) <= single_of(b))
BINARY_TO(gt, uint8_t, single_of(a) > single_of(b))
BINARY_TO(ge, uint8_t, single_of(a) >= single_of(b))
#undef T
#undef ID

static inline __attribute__((always_inline)) pairs multiplied(pairs a, pairs b, pairs c,
                                                              float by) {
  const singles even = (singles)(b << 16) * by * (singles)(c << 16);
  const singles odd = (singles)(b & UPPER) * by * (singles)(c & UPPER);
  return rounded((singles)(a << 16) + even) >> 16 |
         (rounded((singles)(a & UPPER) + odd) & UPPER);
}

static void addcmul_bf16(int64_t n, char* const* data, const int64_t* strides,
                         const void* args) {
  const float by = *(const float*)args;
  char* o = data[0];
  const char *x = data[1], *y = data[2], *z = data[3];
  const int64_t so = strides[0], sx = strides[1], sy = strides[2], sz = strides[3];
  if (n >= PAIRED && so == BF16 && sx == BF16 && (sy == BF16 || sy == 0) &&
      (sz == BF16 || sz == 0)) {
    // As in map_pairs.
    const int64_t rest = n - PAIRED;
    const pairs last =
        multiplied(load_pairs(x + rest * sx, sx), load_pairs(y + rest * sy, sy),
                   load_pairs(z + rest * sz, sz), by);
    char* end = o + rest * BF16;
    for (; n > PAIRED; n -= PAIRED, o += BF16 * PAIRED, x += BF16 * PAIRED,
                       y += sy * PAIRED, z += sz * PAIRED) {
      const pairs v =
          multiplied(load_pairs(x, sx), load_pairs(y, sy), load_pairs(z, sz), by);
      memcpy(o, &v, sizeof(v));
    }
    memcpy(end, &last, sizeof(last));
    return;
  }
  for (; n > 0; n -= PAIRED, o += so * PAIRED, x += sx * PAIRED, y += sy * PAIRED,
                z += sz * PAIRED) {
    const int64_t count = n < PAIRED ? n : PAIRED;
    const pairs a = load_some(x, sx, count), b = load_some(y, sy, count);
    store_some(o, so, count, multiplied(a, b, load_some(z, sz, count), by));
  }
}
#undef UPPER
#undef PAIR_BYTES
