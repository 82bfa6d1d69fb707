// SPDX-License-Identifier: Apache-2.0
// What expressions of expressions.def are made of. They are written for scalars and vectors
// alike: T is the type of either, SEL(c, x, y) is c ? x : y.

// Parts of expressions.
#define IS_NAN(x)     ((x) != (x))
#define GREATER(x, y) SEL((x) > (y) || IS_NAN(x), x, y)
#define SMALLER(x, y) SEL((x) < (y) || IS_NAN(x), x, y)
#define CLAMP(x, l, h) SEL((x) < (l), l, SEL((x) > (h), h, x))
#define SIGMOID(x)     ((T)1 / ((T)1 + exp(-(x))))
#define LOG_ONE_EXP(x) log1p(exp(-fabs(x)))
#define NORMAL_CDF(x)  ((T)0.5 * ((T)1 + erf((x) * (T)0.70710678118654752440)))
#define GELU_INNER(x) \
  ((T)0.79788456080286535588 * ((x) + (T)0.044715 * (x) * (x) * (x)))
#define GELU_TANH_SLOPE(x, t)                                       \
  ((T)0.5 * ((T)1 + (t)) + (T)0.5 * (x) * ((T)1 - (t) * (t)) *      \
                               (T)0.79788456080286535588 *          \
                               ((T)1 + (T)0.134145 * (x) * (x)))
#define MISH_SLOPE(x, t) ((t) + (x) * SIGMOID(x) * ((T)1 - (t) * (t)))
#define TIMES_LOG(x, y, l) SEL(IS_NAN(y), y, SEL((x) == (T)0, (T)0, (x) * (l)))

#ifdef WHOLE_MATH
// Division of integers as PyTorch has it on CPUs; by 0 the quotient is 0. The greatest
// number of an unsigned type is not -1.
#define IS_MINUS_ONE(b) ((S)-1 < (S)0 && (b) == (S)-1)
static inline S int_div(S a, S b) {
  if (b == 0) return 0;
  if (IS_MINUS_ONE(b)) return (S)(0 - a);
  return a / b;
}
static inline S int_rem(S a, S b) {
  return b == 0 || IS_MINUS_ONE(b) ? 0 : a % b;
}
static inline S int_div_floor(S a, S b) {
  return int_div(a, b) - (int_rem(a, b) != 0 && (a < 0) != (b < 0));
}
static inline S int_mod(S a, S b) {
  S r = int_rem(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
static inline S int_abs(S a) {
  return a < 0 ? (S)(0 - a) : a;
}
static inline S int_gcd(S a, S b) {
  a = int_abs(a), b = int_abs(b);
  while (a != 0) {
    S rest = int_rem(b, a);
    b = a, a = rest;
  }
  return b;
}
static inline S int_lcm(S a, S b) {
  S g = int_gcd(a, b);
  return g == 0 ? 0 : int_abs(int_div(a, g) * b);
}
static inline S int_pow(S a, S b) {
  if (b < 0) return a == 1 ? 1 : a == (S)-1 ? (b % 2 != 0 ? -1 : 1) : 0;
  S result = 1;
  for (; b > 0; b >>= 1, a *= a)
    if (b & 1) result *= a;
  return result;
}
#define BITS (8 * (int)sizeof(S))
#endif
#ifdef FLOOR_MATH
static inline S float_mod(S a, S b) {
  S r = fmod(a, b);
  return r != 0 && (b < 0) != (r < 0) ? r + b : r;
}
static inline S float_div_floor(S a, S b) {
  if (b == 0) return a / b;
  S r = fmod(a, b), quotient = (a - r) / b;
  if (r != 0 && (b < 0) != (r < 0)) quotient -= 1;
  if (quotient == 0) return copysign((S)0, a / b);
  S whole = floor(quotient);
  return quotient - whole > (S)0.5 ? whole + 1 : whole;
}
#endif
#ifdef RANDOM_MATH
// Philox 4x32-10: four random words as a function of a seed and a step.
typedef struct words {
  uint s0, s1, s2, s3;
} words;
static inline words philox(ulong seed, ulong step) {
  words c = {(uint)step, (uint)(step >> 32), 0, 0};
  uint k0 = (uint)seed, k1 = (uint)(seed >> 32);
  for (int r = 0; r < 10; r++) {
    ulong x = (ulong)c.s0 * 0xD2511F53u, y = (ulong)c.s2 * 0xCD9E8D57u;
    const words next = {(uint)(y >> 32) ^ c.s1 ^ k0, (uint)y, (uint)(x >> 32) ^ c.s3 ^ k1,
                        (uint)x};
    c = next;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return c;
}
// Word |i| of a call whose generator stands at |offset|.
static inline uint word_of(ulong seed, ulong offset, ulong i) {
  const words c = philox(seed, offset + i / 4);
  uint which = i & 3;
  return which == 0 ? c.s0 : which == 1 ? c.s1 : which == 2 ? c.s2 : c.s3;
}
static inline float unit_f32(uint bits) {
  return (float)(bits >> 8) * 0x1p-24f;
}
// 64 bits, as the number |i| of those has them.
static inline ulong wide_of(ulong seed, ulong offset, ulong i) {
  const words c = philox(seed, offset + i / 2);
  return i & 1 ? (ulong)c.s3 << 32 | c.s2 : (ulong)c.s1 << 32 | c.s0;
}
// Box and Muller: words 2i and 2i + 1 are a radius and an angle of two numbers.
static inline float normal_f32(ulong seed, ulong offset, ulong i) {
  uint x = word_of(seed, offset, i & ~1ul), y = word_of(seed, offset, i | 1);
  float u = ((float)(x >> 8) + 0.5f) * 0x1p-24f;
  if (x >> 8 == 0) u = ((float)(x & 255) + 0.5f) * 0x1p-32f;
  float radius = sqrt(-2 * log(u)), angle = 2 * M_PI_F * unit_f32(y);
  return radius * (i & 1 ? sin(angle) : cos(angle));
}
#ifdef USES_F64
static inline double unit_f64(ulong bits) {
  return (double)(bits >> 11) * 0x1p-53;
}
static inline double normal_f64(ulong seed, ulong offset, ulong i) {
  double x = unit_f64(wide_of(seed, offset, i & ~1ul));
  double y = unit_f64(wide_of(seed, offset, i | 1));
  double radius = sqrt(-2 * log1p(-x)), angle = 2 * M_PI * y;
  return radius * (i & 1 ? sin(angle) : cos(angle));
}
#endif
#endif
