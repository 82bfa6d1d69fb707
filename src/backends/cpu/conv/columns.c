// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/conv/columns.h"

#include "backends/cpu/conv/conv_tiles.h"

#include <complex.h>
#include <string.h>

#if defined(__GNUC__) && !defined(__clang__)
// Loops for a few elements stay what they are.
#pragma GCC optimize("O3", "no-tree-loop-distribute-patterns")
#endif
enum { FEW = 16 };
#define JOIN_(a, b) a##_##b
#define JOIN(a, b)  JOIN_(a, b)

#define TILES oyi_conv_tiles_for(OY_DTYPE_F32)
#define T     float
#define W     double
#define ID    f32
#include "backends/cpu/conv/columns_tmpl.h"
#undef T
#undef ID
#undef TILES
#define TILES oyi_conv_tiles_for(OY_DTYPE_F64)
#define T     double
#define ID    f64
#include "backends/cpu/conv/columns_tmpl.h"
#undef T
#undef W
#undef ID
#undef TILES
#define TILES NULL
// Unsigned, so that sums wrap.
#define T  uint64_t
#define W  uint64_t
#define ID i64
#include "backends/cpu/conv/columns_tmpl.h"
#undef T
#undef W
#undef ID
#define T  float complex
#define W  double complex
#define ID c64
#include "backends/cpu/conv/columns_tmpl.h"
#undef T
#undef ID
#define T  double complex
#define ID c128
#include "backends/cpu/conv/columns_tmpl.h"

#define ROW(id)                                                                     \
  {                                                                                 \
    im2col_##id, col2im_##id, im2row_##id, slide_##id, spread_##id, correlate_##id, \
        fill_##id, sum_##id                                                         \
  }

const oyi_columns* oyi_columns_of(oy_dtype dtype) {
  static const oyi_columns f32 = ROW(f32), f64 = ROW(f64), i64 = ROW(i64), c64 = ROW(c64),
                           c128 = ROW(c128);
  switch (dtype) {
    case OY_DTYPE_F32: return &f32;
    case OY_DTYPE_F64: return &f64;
    case OY_DTYPE_I64: return &i64;
    case OY_DTYPE_C64: return &c64;
    case OY_DTYPE_C128: return &c128;
    default: return NULL;
  }
}
