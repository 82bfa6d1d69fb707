// SPDX-License-Identifier: Apache-2.0
// What makes the other files CUDA C++: comes first in every source of that driver. Where
// kernels are run without a GPU, IS_SIMULATED and what is left out here stand before it.
#define IS_CUDA
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;
typedef ushort half;
// Not "global": NVRTC spells __global__ with it, and a kernel is then an unused function.
#define __global
#define kernel extern "C" __global__
#define local  __shared__
#define get_global_id(d) ((ulong)blockIdx.x * blockDim.x + threadIdx.x)
#define get_group_id(d)  ((ulong)blockIdx.x)
#define get_local_id(d)  ((ulong)threadIdx.x)
#define barrier(memory)  __syncthreads()
#define M_PI   3.14159265358979323846
#define M_PI_F 3.14159274101257f

#ifndef IS_SIMULATED
#define INFINITY __int_as_float(0x7f800000)
#define NAN      __int_as_float(0x7fc00000)
static inline uint as_uint(float x) {
  return __float_as_uint(x);
}
static inline float as_float(uint x) {
  return __uint_as_float(x);
}
static inline float vload_half(ulong i, const half* p) {
  float x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(p[i]));
  return x;
}
static inline void vstore_half_rte(float x, ulong i, half* p) {
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(p[i]) : "f"(x));
}
static inline ulong mul_hi(ulong a, ulong b) {
  return __umul64hi(a, b);
}
static inline void add_at(float* p, float x) {
  atomicAdd(p, x);
}
static inline void add_at(double* p, double x) {
  atomicAdd(p, x);
}
static inline void add_at(int* p, int x) {
  atomicAdd(p, x);
}
static inline void add_at(long* p, long x) {
  atomicAdd((unsigned long long*)p, (unsigned long long)x);
}
#endif
