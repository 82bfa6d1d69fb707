// SPDX-License-Identifier: Apache-2.0
// Vectors of one type, T, for one CPU capability: V, a vector of OYI_VEC_BYTES bytes,
// and functions of it. ID names the type, FN(f) is the C library's function, INT an
// integer of the same width, LANES their number.
#define V    OYI_LOOP_JOIN(vec, ID)
#define I    OYI_LOOP_JOIN(ints, ID)
#define F(f) OYI_LOOP_JOIN(v_##f, ID)

typedef T V __attribute__((vector_size(OYI_VEC_BYTES)));
typedef INT I __attribute__((vector_size(OYI_VEC_BYTES)));

static inline V F(splat)(T x) {
  V v;
  for (int i = 0; i < LANES; i++) v[i] = x;
  return v;
}
static inline V F(select)(I mask, V yes, V no) {
  return (V)(((I)yes & mask) | ((I)no & ~mask));
}
static inline V F(abs)(V a) {
  const I sign = (I)F(splat)(-(T)0);
  return (V)((I)a & ~sign);
}

// The C library's vector functions, by the names that its ABI gives them, where they
// are; elsewhere lane by lane, so that a result depends on the element alone and not
// on its place.
#if OYI_HAVE_LIBMVEC
#define VECTOR_AS(name, f)                               \
  extern V OYI_MVEC(OYI_VEC_LETTER, LANES, v, FN(f))(V); \
  static inline V F(name)(V a) {                         \
    return OYI_MVEC(OYI_VEC_LETTER, LANES, v, FN(f))(a); \
  }
#define VECTOR_2_AS(name, f)                                 \
  extern V OYI_MVEC(OYI_VEC_LETTER, LANES, vv, FN(f))(V, V); \
  static inline V F(name)(V a, V b) {                        \
    return OYI_MVEC(OYI_VEC_LETTER, LANES, vv, FN(f))(a, b); \
  }
#else
#define VECTOR_AS(name, f)                              \
  static inline V F(name)(V a) {                        \
    for (int i = 0; i < LANES; i++) a[i] = FN(f)(a[i]); \
    return a;                                           \
  }
#define VECTOR_2_AS(name, f)                                  \
  static inline V F(name)(V a, V b) {                         \
    for (int i = 0; i < LANES; i++) a[i] = FN(f)(a[i], b[i]); \
    return a;                                                 \
  }
#endif
#define VECTOR_1(f) VECTOR_AS(f, f)
#define RAW_1(f)    VECTOR_AS(raw_##f, f)
#define VECTOR_2(f) VECTOR_2_AS(f, f)
RAW_1(exp)
RAW_1(log)
RAW_1(log2)
RAW_1(log10)
RAW_1(log1p)
RAW_1(asin)
RAW_1(acos)
RAW_1(acosh)
RAW_1(atanh)
RAW_1(sinh)
RAW_1(cosh)
RAW_1(sin)
RAW_1(cos)
RAW_1(tan)
RAW_1(erfc)
VECTOR_1(exp2)
VECTOR_1(expm1)
VECTOR_1(atan)
VECTOR_1(tanh)
VECTOR_1(asinh)
VECTOR_1(erf)
VECTOR_2_AS(raw_pow, pow)
VECTOR_2(atan2)
VECTOR_2(hypot)
#undef VECTOR_AS
#undef RAW_1
#undef VECTOR_1
#undef VECTOR_2
#undef VECTOR_2_AS
#if OWN_NORMAL_CDF
#include "backends/cpu/loops/exp_vector.h"
#endif
#include "backends/cpu/loops/vmath_domain_tmpl.h"
#include "backends/cpu/loops/vmath_pow_tmpl.h"
// After vmath_domain_tmpl.h, which has F(any).
#include "backends/cpu/loops/vmath_angle_tmpl.h"

// What exp of -|a| adds to 1 is nothing long before it is no normal number.
static inline V F(one_and_exp_minus)(V a) {
  const V most = F(splat)((T)EXP_NEAR);
  return (T)1 + F(exp)(-F(select)(a > most, most, a));
}
static inline V F(sigmoid)(V a) {
  return (T)1 / F(one_and_exp_minus)(a);
}
// log(1 + exp(-|a|))
static inline V F(log_one_exp)(V a) {
  return F(log1p)(F(exp)(-F(abs)(a)));
}
#if OWN_NORMAL_CDF
#include "backends/cpu/loops/normal_cdf.h"
#else
static inline V F(normal_cdf)(V a, V* density) {
  *density = F(exp)((T)-0.5 * a * a) * (T)(M_2_SQRTPI * M_SQRT1_2 * 0.5);
  return (T)0.5 * ((T)1 + F(erf)(a * (T)M_SQRT1_2));
}
#endif
static inline __attribute__((always_inline)) V F(gelu)(V a) {
  V density;
  return a * F(normal_cdf)(a, &density);
}
static inline V F(gelu_slope)(V a) {
  V density, cdf = F(normal_cdf)(a, &density);
  return cdf + a * density;
}
// What tanh is taken of in the approximate gelu, and its slope.
static inline V F(gelu_inner)(V a) {
  return (T)(M_SQRT2 * M_2_SQRTPI * 0.5) * (a + (T)0.044715 * a * a * a);
}
static inline V F(gelu_tanh_slope)(V a) {
  V t = F(tanh)(F(gelu_inner)(a));
  V inner = (T)(M_SQRT2 * M_2_SQRTPI * 0.5) * ((T)1 + (T)(3 * 0.044715) * a * a);
  return (T)0.5 * ((T)1 + t) + (T)0.5 * a * ((T)1 - t * t) * inner;
}
static inline V F(mish_slope)(V a) {
  V t = F(tanh)(F(log1p)(F(exp)(a)));
  return t + a * F(sigmoid)(a) * ((T)1 - t * t);
}
static inline V F(greater)(V a, V b) {
  return F(select)(a > b, a, b);
}
// NaN stays NaN.
static inline V F(clamped)(V a, const T* bounds) {
  V low = F(splat)(bounds[0]), high = F(splat)(bounds[1]);
  return F(select)(a < low, low, F(select)(a > high, high, a));
}
// Of layers' outputs many are positive, which need no exponential.
static inline V F(elu)(V a, const T* arg) {
  const I below = a <= F(splat)(0);
  const V line = a * arg[1];
  if (!F(any)(below)) return line;
  return F(select)(below, F(expm1)(a * arg[2]) * arg[0], line);
}
// |a| times |log|, a logarithm of |b|: 0 where |a| is, NaN where |b| is.
static inline V F(times_log)(V a, V b, V log) {
  return F(select)(b != b, b, F(select)(a == F(splat)(0), F(splat)(0), a * log));
}

// ------------------------------------------------------------------- walking

// |count| elements that lie together, fewer than a vector has.
#if defined(__AVX512F__)
static inline V F(load_first)(const char* x, int64_t count) {
  const V v = F(splat)(*(const T*)(const void*)x);
  return (V)MASKED(mask_loadu)((__m512i)v, (uint16_t)((1 << count) - 1), x);
}
static inline void F(store_first)(char* o, int64_t count, V v) {
  MASKED(mask_storeu)(o, (uint16_t)((1 << count) - 1), (__m512i)v);
}
#elif defined(__AVX2__)
static inline I F(first_lanes)(int64_t count) {
  I at;
  for (int i = 0; i < LANES; i++) at[i] = i;
  return at < (INT)count;
}
static inline V F(load_first)(const char* x, int64_t count) {
  const I mask = F(first_lanes)(count);
  const V v = (V)MASKED(maskload)((const void*)x, (__m256i)mask);
  return F(select)(mask, v, F(splat)(*(const T*)(const void*)x));
}
static inline void F(store_first)(char* o, int64_t count, V v) {
  MASKED(maskstore)((void*)o, (__m256i)F(first_lanes)(count), (__m256i)v);
}
#endif

// |count| elements, fewer than a vector has, and the first of them in the other lanes.
static inline V F(load_some)(const char* x, int64_t stride, int64_t count) {
#if defined(__AVX2__)
  if (stride == (int64_t)sizeof(T)) return F(load_first)(x, count);
#endif
  V v = F(splat)(*(const T*)(const void*)x);
  for (int64_t i = 1; i < count; i++) v[i] = *(const T*)(const void*)(x + i * stride);
  return v;
}
static inline void F(store_some)(char* o, int64_t stride, int64_t count, V v) {
#if defined(__AVX2__)
  if (stride == (int64_t)sizeof(T)) {
    F(store_first)(o, count, v);
    return;
  }
#endif
  for (int64_t i = 0; i < count; i++) *(T*)(void*)(o + i * stride) = v[i];
}
static inline V F(load)(const char* x, int64_t stride) {
  V v;
  if (stride != (int64_t)sizeof(T)) return F(load_some)(x, stride, stride ? LANES : 1);
  memcpy(&v, x, sizeof(v));
  return v;
}
static inline void F(store)(char* o, int64_t stride, V v) {
  if (stride == (int64_t)sizeof(T))
    memcpy(o, &v, sizeof(v));
  else
    F(store_some)(o, stride, LANES, v);
}

typedef V (*F(unary))(V a, const T* arg);
typedef V (*F(binary))(V a, V b, const T* arg);

// Rows through vectors; the last, incomplete one is filled up, so that its elements
// have the results that they would have anywhere else.
static inline __attribute__((always_inline)) void F(map_inline)(
    int64_t n, char* const* data, const int64_t* strides, const void* arg, F(unary) fn) {
  char* o = data[0];
  const char* x = data[1];
  const int64_t so = strides[0], sx = strides[1];
  for (; n >= LANES; n -= LANES, o += so * LANES, x += sx * LANES)
    F(store)(o, so, fn(F(load)(x, sx), arg));
  if (n > 0) F(store_some)(o, so, n, fn(F(load_some)(x, sx, n), arg));
}
static __attribute__((noinline)) void F(map)(int64_t n, char* const* data,
                                             const int64_t* strides, const void* arg,
                                             F(unary) fn) {
  F(map_inline)(n, data, strides, arg, fn);
}
static inline __attribute__((always_inline)) void F(map2_inline)(
    int64_t n, char* const* data, const int64_t* strides, const void* arg, F(binary) fn) {
  char* o = data[0];
  const char *x = data[1], *y = data[2];
  const int64_t so = strides[0], sx = strides[1], sy = strides[2];
  for (; n >= LANES; n -= LANES, o += so * LANES, x += sx * LANES, y += sy * LANES)
    F(store)(o, so, fn(F(load)(x, sx), F(load)(y, sy), arg));
  if (n > 0)
    F(store_some)(o, so, n, fn(F(load_some)(x, sx, n), F(load_some)(y, sy, n), arg));
}
static __attribute__((noinline)) void F(map2)(int64_t n, char* const* data,
                                              const int64_t* strides, const void* arg,
                                              F(binary) fn) {
  F(map2_inline)(n, data, strides, arg, fn);
}

#include "backends/cpu/loops/complex_vmath_tmpl.h"
#include "backends/cpu/loops/loops_vmath.def"
#undef V
#undef I
#undef F
