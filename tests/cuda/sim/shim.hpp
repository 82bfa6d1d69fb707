// SPDX-License-Identifier: Apache-2.0
// Stands before a kernel's text, so that a C++ compiler of the host takes it: what CUDA has
// built in. Nothing is included, as that would take longer than the kernel.
#define IS_SIMULATED
#define __global__
#define __shared__ static __thread
#define INFINITY   __builtin_inff()
#define NAN        __builtin_nanf("")

struct place {
  unsigned x, y, z;
};
static __thread place threadIdx, blockIdx, blockDim, gridDim;
extern "C" {
void (*sim_barrier)();
}
#define __syncthreads() sim_barrier()

#define ONE(name)                       \
  static inline float name(float x) {   \
    return __builtin_##name##f(x);      \
  }                                     \
  static inline double name(double x) { \
    return __builtin_##name(x);         \
  }
#define TWO(name)                                 \
  static inline float name(float x, float y) {    \
    return __builtin_##name##f(x, y);             \
  }                                               \
  static inline double name(double x, double y) { \
    return __builtin_##name(x, y);                \
  }                                               \
  static inline double name(float x, double y) {  \
    return __builtin_##name(x, y);                \
  }                                               \
  static inline double name(double x, float y) {  \
    return __builtin_##name(x, y);                \
  }
// clang-format off
ONE(exp) ONE(exp2) ONE(expm1) ONE(log) ONE(log2) ONE(log10) ONE(log1p) ONE(sqrt) ONE(sin)
ONE(cos) ONE(tan) ONE(asin) ONE(acos) ONE(atan) ONE(sinh) ONE(cosh) ONE(tanh) ONE(asinh)
ONE(acosh) ONE(atanh) ONE(erf) ONE(erfc) ONE(ceil) ONE(floor) ONE(trunc) ONE(rint) ONE(fabs)
TWO(pow) TWO(fmod) TWO(atan2) TWO(hypot) TWO(copysign) TWO(nextafter) TWO(fmax) TWO(fmin)
// clang-format on
static inline bool signbit(float x) {
  return __builtin_signbit(x);
}
static inline bool signbit(double x) {
  return __builtin_signbit(x);
}

template <class A>
static inline A min(A x, A y) {
  return y < x ? y : x;
}
template <class A>
static inline A max(A x, A y) {
  return x < y ? y : x;
}
static inline unsigned as_uint(float x) {
  unsigned y;
  __builtin_memcpy(&y, &x, 4);
  return y;
}
static inline float as_float(unsigned x) {
  float y;
  __builtin_memcpy(&y, &x, 4);
  return y;
}
static inline unsigned long mul_hi(unsigned long a, unsigned long b) {
  return (unsigned long)((unsigned __int128)a * b >> 64);
}
template <class A>
static inline void add_at(A* p, A x) {
  *p += x;
}

// IEEE binary16 by hand: not every compiler of C++ has the type.
static inline float vload_half(unsigned long i, const unsigned short* p) {
  unsigned bits = p[i], sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 31;
  unsigned fraction = bits & 1023;
  if (exponent == 31) return as_float(sign | 0x7f800000u | fraction << 13);
  if (exponent) return as_float(sign | (exponent + 112) << 23 | fraction << 13);
  float tiny = (float)fraction * 0x1p-24f;
  return sign ? -tiny : tiny;
}
static inline void vstore_half_rte(float x, unsigned long i, unsigned short* p) {
  unsigned bits = as_uint(x), sign = bits >> 16 & 0x8000u, size = bits & 0x7fffffffu;
  if (size > 0x7f800000u)
    p[i] = (unsigned short)(sign | 0x7e00u);
  else if (size >= 0x477ff000u)
    p[i] = (unsigned short)(sign | 0x7c00u);
  else if (size < 0x38800000u)
    p[i] = (unsigned short)(sign | (unsigned)rint(as_float(size) * 0x1p24f));
  else
    p[i] =
        (unsigned short)(sign | (size - 0x38000000u + 0xfffu + (size >> 13 & 1)) >> 13);
}
