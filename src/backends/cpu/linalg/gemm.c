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

const oyi_gemm_fn oyi_gemm_base[OYI_GEMM_DTYPES] =
    GEMM_KERNELS(gemm_f32, gemm_f64, gemm_bf16, gemm_u8, gemm_i8, gemm_i32, gemm_i64);

oyi_gemm_fn oyi_gemm_portable(oy_dtype dtype) {
  static const oyi_gemm_fn* const levels[] = {
    oyi_gemm_base,
#if defined(__x86_64__)
    oyi_gemm_v3,
    oyi_gemm_v4
#endif
  };
  return dtype < OYI_GEMM_DTYPES ? levels[oyi_cpu_level()][dtype] : NULL;
}

bool oyi_gemm_f32_reads_added(const oyi_gemm* g, int64_t results) {
#if defined(__x86_64__)
  if (oyi_cpu_level() == 2 && g->n >= 4 && g->m >= 4 && g->k <= OYI_GEMM_DEEP)
    return oyi_gemm_words_f32_reads_added(g, results);
#endif
  (void)g, (void)results;
  return false;
}

bool oyi_gemm_by_row(oy_dtype dtype, const oyi_gemm* g, const void* by_row) {
#if defined(__x86_64__)
  if (dtype == OY_DTYPE_F32 && oyi_cpu_level() == 2 && g->n >= 4 && g->m >= 4)
    return oyi_gemm_words_f32_by_row(g, by_row);
#endif
  (void)g, (void)by_row;
  return false;
}

bool oyi_gemm_by_vector(oy_dtype dtype, const oyi_gemm* g) {
#if defined(__x86_64__)
  if (oyi_cpu_level() == 2) return oyi_gemm_by_vector_v4(dtype, g);
#endif
  (void)dtype, (void)g;
  return false;
}

// Few rows by few columns, or one of either, which others read faster where it is long.
static bool is_thin(const oyi_gemm* g) {
  enum { FEW = 4, SHORT = 512, MOST = 4096 };
  if ((g->n >= FEW && g->m >= FEW) || oyi_gemm_few_of(g) != OYI_GEMM_MANY) return false;
  const int64_t most = g->n == 1 || g->m == 1 ? SHORT : MOST;
  return g->n <= MOST && g->m <= MOST && g->k <= MOST && g->k > 1 && g->n * g->m > 1 &&
         g->n * g->m * g->k <= most;
}

bool oyi_gemm_thin(oy_dtype dtype, const oyi_gemm* g, const oyi_gemm_steps* steps) {
#if defined(__x86_64__)
  if (oyi_cpu_level() == 2 && is_thin(g)) return oyi_gemm_thin_v4(dtype, g, steps);
#endif
  (void)dtype, (void)g, (void)steps;
  return false;
}
