// SPDX-License-Identifier: Apache-2.0
// Matrix products at the baseline, of all dtypes, and the choice by capability level.
#if defined(__x86_64__)
#define GEMM_ROWS 6
#else
#define GEMM_ROWS 8
#endif
#define GEMM_BYTES 16
#include "backends/cpu/linalg/gemm_types.h"
#include "backends/cpu/linalg/gemm_words.h"

#include "base/cpu.h"
#include "base/memory.h"

// Integers below 64 bits, in 32.
#define LOAD(x)   (x)
#define STORE(x)  (x)
#define NUMBER(x) ((x).kind == OYI_NUMBER_FLOAT ? (int64_t)(x).re : (x).i)
#define W         uint32_t
#define T         int32_t
#define ID        i32
#include "backends/cpu/linalg/gemm_tmpl.h"
#undef T
#undef ID
#define T  int16_t
#define ID i16
#include "backends/cpu/linalg/gemm_tmpl.h"
#undef T
#undef ID
#define T  int8_t
#define ID i8
#include "backends/cpu/linalg/gemm_tmpl.h"
#undef T
#undef ID
#define T  uint8_t
#define ID u8
#include "backends/cpu/linalg/gemm_tmpl.h"
#undef T
#undef ID
#undef W

#define T  float
#define W  double
#define ID c64
#include "backends/cpu/linalg/gemm_complex_tmpl.h"
#undef T
#undef W
#undef ID
#define T  double
#define W  double
#define ID c128
#include "backends/cpu/linalg/gemm_complex_tmpl.h"

const oyi_gemm_fn oyi_gemm_base[OYI_GEMM_DTYPES] = {
    [OY_DTYPE_F32] = gemm_f32, [OY_DTYPE_F64] = gemm_f64,  [OY_DTYPE_F16] = gemm_f16,
    [OY_DTYPE_U8] = gemm_u8,   [OY_DTYPE_I8] = gemm_i8,    [OY_DTYPE_I16] = gemm_i16,
    [OY_DTYPE_I32] = gemm_i32, [OY_DTYPE_I64] = gemm_i64,  [OY_DTYPE_BF16] = gemm_bf16,
    [OY_DTYPE_C64] = gemm_c64, [OY_DTYPE_C128] = gemm_c128};

static __attribute__((noinline)) oyi_gemm_fn best_of(oy_dtype dtype) {
  const oyi_gemm_fn* levels[] = {
    oyi_gemm_base,
#if defined(__x86_64__)
    oyi_gemm_v3,
    oyi_gemm_v4
#endif
  };
  int level = oyi_cpu_level();
  while (level > 0 && !levels[level][dtype]) level--;
  return levels[level][dtype];
}

// The level does not change, so what was found once holds.
oyi_gemm_fn oyi_gemm_portable(oy_dtype dtype) {
  static oyi_gemm_fn found[OYI_GEMM_DTYPES];
  if (dtype >= OYI_GEMM_DTYPES) return NULL;
  oyi_gemm_fn gemm = __atomic_load_n(&found[dtype], __ATOMIC_RELAXED);
  if (OY_LIKELY(gemm != NULL)) return gemm;
  gemm = best_of(dtype);
  __atomic_store_n(&found[dtype], gemm, __ATOMIC_RELAXED);
  return gemm;
}

bool oyi_gemm_by_row(oy_dtype dtype, const oyi_gemm* g, const void* by_row) {
#if defined(__x86_64__)
  if (dtype == OY_DTYPE_F32 && oyi_cpu_level() == 2 && g->n >= 4 && g->m >= 4)
    return oyi_gemm_words_f32_by_row(g, by_row);
#endif
  (void)g, (void)by_row;
  return false;
}
