// SPDX-License-Identifier: Apache-2.0
// Matrix products for AVX-512: 12 x 2 accumulators of 32 registers.
#define GEMM_BYTES 64
#define GEMM_ROWS  12
#include "backends/cpu/linalg/gemm_types.h"
#include "backends/cpu/linalg/gemm_words.h"

static oy_status multiply_f32(const oyi_gemm* g) {
  return g->n >= 4 && g->m >= 4 && g->k >= 2 ? oyi_gemm_words_f32(g) : gemm_f32(g);
}

const oyi_gemm_fn oyi_gemm_v4[OYI_GEMM_DTYPES] = GEMM_KERNELS(multiply_f32);
