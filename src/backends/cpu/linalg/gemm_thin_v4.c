// SPDX-License-Identifier: Apache-2.0
// Products for AVX-512 of few rows by few columns: what is a sum for each of a tile's elements
// stays in registers, and nothing is packed.
#include <string.h>

#include "backends/cpu/linalg/gemm.h"
#include "backends/cpu/linalg/gemm_across_body.h"

enum { ALONG = 16 };  // results of rows by columns, at most

static inline __attribute__((always_inline)) void across_f32(const __m512* sums,
                                                             int64_t count, float* to) {
  if (count <= 4)
    _mm_storeu_ps(to, across_4(sums));
  else
    _mm512_storeu_ps(to, across_16(sums));
}
static inline __attribute__((always_inline)) void across_f64(const __m512d* sums,
                                                             int64_t count, double* to) {
  _mm512_storeu_pd(to, across_8(sums));
  if (count > 8) _mm512_storeu_pd(to + 8, across_8(sums + 8));
}

#define T                float
#define ID               f32
#define VECTOR           __m512
#define LANES            16
#define FIRST(count)     (__mmask16) first(count, 16)
#define LOAD(at, mask)   _mm512_maskz_loadu_ps(mask, at)
#define PUT(at, mask, x) _mm512_mask_storeu_ps(at, mask, x)
#define ALL(x)           _mm512_set1_ps(x)
#define FMA(a, b, c)     _mm512_fmadd_ps(a, b, c)
#define ADD_ACROSS       across_f32
#include "backends/cpu/linalg/gemm_thin_tmpl.h"
#undef T
#undef ID
#undef VECTOR
#undef LANES
#undef FIRST
#undef LOAD
#undef PUT
#undef ALL
#undef FMA
#undef ADD_ACROSS

#define T                double
#define ID               f64
#define VECTOR           __m512d
#define LANES            8
#define FIRST(count)     (__mmask8) first(count, 8)
#define LOAD(at, mask)   _mm512_maskz_loadu_pd((__mmask8)(mask), at)
#define PUT(at, mask, x) _mm512_mask_storeu_pd(at, (__mmask8)(mask), x)
#define ALL(x)           _mm512_set1_pd(x)
#define FMA(a, b, c)     _mm512_fmadd_pd(a, b, c)
#define ADD_ACROSS       across_f64
#include "backends/cpu/linalg/gemm_thin_tmpl.h"

bool oyi_gemm_thin_v4(oy_dtype dtype, const oyi_gemm* g, const oyi_gemm_steps* steps) {
  switch (dtype) {
    case OY_DTYPE_F32: return thin_f32(g, steps);
    case OY_DTYPE_F64: return thin_f64(g, steps);
    default: return false;
  }
}
