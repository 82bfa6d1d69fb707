// SPDX-License-Identifier: Apache-2.0
// The products of all dtypes, for the level that the including file is built for: GEMM_BYTES, the
// width of its vectors, and GEMM_ROWS, those of a tile, are given. Leaves GEMM_KERNELS(f32,
// f64, bf16, u8, i8, i32, i64), the table of that level, whose kernels of these types may be
// others.
#include "backends/cpu/linalg/gemm.h"
#include "base/template.h"
#include "tensor/block_cache.h"
#include "tensor/half.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#define OYI_UNROLL OYI_UNROLL_BY(16)

// What a matrix whose columns lie together is multiplied by: a vector, or two side by side in
// the same pass, whose sums are SOME apart. Steps are from one to the other.
typedef struct sides {
  int count;
  int64_t b_step, c_step;
} sides;
enum { SOME = 512 };

#define NUMBER(x)   ((x).re)
#define TIMES(x, y) ((x) * (y))
#define LOAD(x)     (x)
#define STORE(x)    (x)
#define T           float
#define W           float
#define ID          f32
#include "backends/cpu/linalg/gemm_few_tmpl.h"
#include "backends/cpu/linalg/gemm_tmpl.h"
#undef T
#undef W
#undef ID
#define T  double
#define W  double
#define ID f64
#include "backends/cpu/linalg/gemm_few_tmpl.h"
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
#include "backends/cpu/linalg/gemm_few_tmpl.h"
#include "backends/cpu/linalg/gemm_tmpl.h"
#undef ID
#undef LOAD
#undef STORE
#define ID       bf16
#define LOAD(x)  oyi_bf16_to_float(x)
#define STORE(x) oyi_bf16_from_float(x)
#include "backends/cpu/linalg/gemm_few_tmpl.h"
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
#include "backends/cpu/linalg/gemm_few_tmpl.h"
#include "backends/cpu/linalg/gemm_tmpl.h"
#undef W
#undef T
#undef ID
#define W  uint32_t
#define T  int32_t
#define ID i32
#include "backends/cpu/linalg/gemm_few_tmpl.h"
#include "backends/cpu/linalg/gemm_tmpl.h"
#undef W
#undef T
#undef ID
#undef TIMES
#define TIMES(x, y) ((W)((uint32_t)(x) * (y)))  // which would else be a product of int
#define W           uint16_t
#define T           int16_t
#define ID          i16
#include "backends/cpu/linalg/gemm_few_tmpl.h"
#include "backends/cpu/linalg/gemm_tmpl.h"
#undef T
#undef ID
#define T  int8_t
#define ID i8
#include "backends/cpu/linalg/gemm_few_tmpl.h"
#include "backends/cpu/linalg/gemm_tmpl.h"
#undef T
#undef ID
#define T  uint8_t
#define ID u8
#include "backends/cpu/linalg/gemm_few_tmpl.h"
#include "backends/cpu/linalg/gemm_tmpl.h"
#undef W
#undef T
#undef ID
#undef LOAD
#undef STORE
#undef NUMBER
#undef TIMES

#define W  double
#define T  float
#define ID c64
#include "backends/cpu/linalg/gemm_complex_tmpl.h"
#undef T
#undef ID
#define T  double
#define ID c128
#include "backends/cpu/linalg/gemm_complex_tmpl.h"
#undef T
#undef W
#undef ID

#define GEMM_KERNELS(f32, f64, bf16, u8, i8, i32, i64)                     \
  {                                                                        \
    [OY_DTYPE_F32] = f32, [OY_DTYPE_F64] = f64, [OY_DTYPE_F16] = gemm_f16, \
    [OY_DTYPE_BF16] = bf16, [OY_DTYPE_U8] = u8, [OY_DTYPE_I8] = i8,        \
    [OY_DTYPE_I16] = gemm_i16, [OY_DTYPE_I32] = i32, [OY_DTYPE_I64] = i64, \
    [OY_DTYPE_C64] = gemm_c64, [OY_DTYPE_C128] = gemm_c128                 \
  }
