// SPDX-License-Identifier: Apache-2.0
// Matrix products for AVX2 and FMA: 6 x 2 accumulators of 16 registers.
#define GEMM_BYTES 32
#define GEMM_ROWS  6
#include "backends/cpu/linalg/gemm_types.h"

const oyi_gemm_fn oyi_gemm_v3[OYI_GEMM_DTYPES] =
    GEMM_KERNELS(gemm_f32, gemm_f64, gemm_bf16, gemm_u8, gemm_i8, gemm_i32, gemm_i64);
