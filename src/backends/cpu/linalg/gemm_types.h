// SPDX-License-Identifier: Apache-2.0
// The blocked products of the floating types and of int64, for the level that the including file is
// built for: GEMM_BYTES, GEMM_ROWS and GEMM_LEVEL are given.
#include "backends/cpu/linalg/gemm.h"
#include "base/template.h"
#include "tensor/block_cache.h"
#include "tensor/half.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#define OYI_UNROLL OYI_UNROLL_BY(16)

#define NUMBER(x) ((x).re)
#define LOAD(x)   (x)
#define STORE(x)  (x)
#define T         float
#define W         float
#define ID        f32
#include "backends/cpu/linalg/gemm_tmpl.h"
#undef T
#undef W
#undef ID
#define T  double
#define W  double
#define ID f64
#include "backends/cpu/linalg/gemm_tmpl.h"
#undef T
#undef W
#undef ID
#undef LOAD
#undef STORE

#define T        uint16_t
#define W        float
#define ID       f16
#define LOAD(x)  oyi_f16_to_float(x)
#define STORE(x) oyi_f16_from_float(x)
#include "backends/cpu/linalg/gemm_tmpl.h"
#undef ID
#undef LOAD
#undef STORE
#define ID       bf16
#define LOAD(x)  oyi_bf16_to_float(x)
#define STORE(x) oyi_bf16_from_float(x)
#include "backends/cpu/linalg/gemm_tmpl.h"
#undef T
#undef W
#undef ID
#undef LOAD
#undef STORE
#undef NUMBER

// Integers wrap, so they are computed unsigned.
#define NUMBER(x) ((x).kind == OYI_NUMBER_FLOAT ? (int64_t)(x).re : (x).i)
#define LOAD(x)   (x)
#define STORE(x)  (x)
#define W         uint64_t
#define T         int64_t
#define ID        i64
#include "backends/cpu/linalg/gemm_tmpl.h"
#undef T
#undef W
#undef ID
#undef LOAD
#undef STORE
#undef NUMBER
