// SPDX-License-Identifier: Apache-2.0
// Matrix products for AVX-512: 12 x 2 accumulators of 32 registers.
#define GEMM_BYTES 64
#define GEMM_ROWS  12
#include "backends/cpu/linalg/gemm_types.h"
#include "backends/cpu/linalg/gemm_words.h"

// By a vector of a matrix of few columns, or a row by such a matrix; in double of any: eight rows
// take less at once than one after another.
static bool by_narrow(oy_dtype dtype, const oyi_gemm* g) {
  if (OY_LIKELY(g->m != 1 && g->n != 1)) return false;
  const oyi_gemm turned = g->m == 1 ? *g : oyi_gemm_flipped(g);
  return (oyi_gemm_is_narrow(&turned) || dtype == OY_DTYPE_F64) &&
         oyi_gemm_by_vector_v4(dtype, &turned);
}

static oy_status multiply_f32(const oyi_gemm* g) {
  if (by_narrow(OY_DTYPE_F32, g)) return OY_OK;
  const bool tiles = g->n >= 4 && g->m >= 4 && g->k >= 2;
  return tiles && oyi_gemm_few_of(g) == OYI_GEMM_MANY ? oyi_gemm_words_f32(g)
                                                      : gemm_f32(g);
}

static oy_status multiply_f64(const oyi_gemm* g) {
  return by_narrow(OY_DTYPE_F64, g) ? OY_OK : gemm_f64(g);
}

static oy_status multiply_bf16(const oyi_gemm* g) {
  const oyi_gemm turned = turned_bf16(g);
  return oyi_gemm_by_vector_v4(OY_DTYPE_BF16, &turned) ? OY_OK : gemm_bf16(g);
}

static oy_status multiply_u8(const oyi_gemm* g) {
  return oyi_gemm_bytes_by_vector_v4(g) ? OY_OK : gemm_u8(g);
}
static oy_status multiply_i8(const oyi_gemm* g) {
  return oyi_gemm_bytes_by_vector_v4(g) ? OY_OK : gemm_i8(g);
}

static oy_status multiply_i32(const oyi_gemm* g) {
  return oyi_gemm_inner_whole_v4(OY_DTYPE_I32, g) ? OY_OK : gemm_i32(g);
}
static oy_status multiply_i64(const oyi_gemm* g) {
  return oyi_gemm_inner_whole_v4(OY_DTYPE_I64, g) ? OY_OK : gemm_i64(g);
}

const oyi_gemm_fn oyi_gemm_v4[OYI_GEMM_DTYPES] =
    GEMM_KERNELS(multiply_f32, multiply_f64, multiply_bf16, multiply_u8, multiply_i8,
                 multiply_i32, multiply_i64);
