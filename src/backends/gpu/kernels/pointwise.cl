// SPDX-License-Identifier: Apache-2.0
// One elementwise operation. Before this text stand
//   EXPRESSION        of a, b, c (elements), n0, n1, n2 (numbers) and ix (the step)
//   PARAMETERS        of the kernel: o_p, o_o for the result, then the inputs
//   MOVE              adds offsets in bytes to the addresses
//   SCALARS(A), VECTORS   declare a, b, c; A(x) is the element of operand x
//   OUT               dtype of the result; TRUTH: it is a condition
//   BLOCK, W, FLAT    steps of a work-item, width of vectors, form
// Expressions are written for scalars and vectors alike: T is the type of either,
// SEL(c, x, y) is c ? x : y.

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
// Division of integers as PyTorch has it on CPUs; by 0 the quotient is 0.
static inline S int_div(S a, S b) {
  if (b == 0) return 0;
  if (b == (S)-1) return (S)(0 - a);
  return a / b;
}
static inline S int_rem(S a, S b) {
  return b == 0 || b == (S)-1 ? 0 : a % b;
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

#define T            S
#define SEL(c, x, y) ((c) ? (x) : (y))
#ifdef TRUTH
static inline int compute(S a, S b, S c, S n0, S n1, S n2, ulong ix, ulong seed, ulong offset) {
#else
static inline S compute(S a, S b, S c, S n0, S n1, S n2, ulong ix, ulong seed, ulong offset) {
#endif
  return EXPRESSION;
}
#undef T
#undef SEL

#if W > 1 && defined(IS_CUDA)
// There are no vectors to compute in, only to load and store.
static inline V compute_v(V a, V b, V c, S n0, S n1, S n2) {
  V r;
  for (int k = 0; k < W; k++)
    r.x[k] = (S)compute(a.x[k], b.x[k], c.x[k], n0, n1, n2, 0, 0, 0);
  return r;
}
#elif W > 1
#define T            V
#define SEL(c, x, y) select((V)(y), (V)(x), c)
#ifdef TRUTH
static inline JOIN(TRUTH, W) compute_v(V a, V b, V c, S n0, S n1, S n2) {
#else
static inline V compute_v(V a, V b, V c, S n0, S n1, S n2) {
#endif
  return EXPRESSION;
}
#undef T
#undef SEL
#endif

kernel void run(PARAMETERS, S n0, S n1, S n2, ulong seed, ulong offset, ulong n
#ifndef FLAT
                , geometry g
#endif
) {
  ulong i = get_global_id(0) * BLOCK;
  const ulong end = min(i + BLOCK, n);
  MOVE
#ifdef FLAT
#if W > 1
  for (; i + W <= end; i += W) {
    VECTORS
    STV(OUT, o_p, i, compute_v(a, b, c, n0, n1, n2));
  }
#endif
  for (; i < end; i++) {
#define PLACE(x) i
    SCALARS
    ST(OUT, o_p, i, compute(a, b, c, n0, n1, n2, i, seed, offset));
  }
#else
  // Rows along the first dimension; the others count like an odometer.
  if (i >= end) return;
  long at[12], place[4] = {0, 0, 0, 0};
  ulong rest = i;
  for (int d = 0; d < g.ndim; d++) {
    at[d] = (long)(rest % (ulong)g.size[d]);
    rest /= (ulong)g.size[d];
    for (int k = 0; k < OPERANDS; k++) place[k] += at[d] * g.stride[k][d];
  }
  while (i < end) {
    const long left = g.ndim ? g.size[0] - at[0] : 1;
    const long steps = min(left, (long)(end - i));
    for (long j = 0; j < steps; j++) {
#undef PLACE
#define PLACE(k) place[k] + j * g.stride[k][0]
      SCALARS
      ST(OUT, o_p, PLACE(0), compute(a, b, c, n0, n1, n2, i + j, seed, offset));
    }
    i += steps;
    for (int k = 0; k < OPERANDS; k++) place[k] += steps * g.stride[k][0];
    at[0] += steps;
    for (int d = 0; d < g.ndim && at[d] == g.size[d]; d++) {
      for (int k = 0; k < OPERANDS; k++) place[k] -= at[d] * g.stride[k][d];
      at[d] = 0;
      if (d + 1 == g.ndim) break;
      at[d + 1]++;
      for (int k = 0; k < OPERANDS; k++) place[k] += g.stride[k][d + 1];
    }
  }
#endif
}
