// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>
#include <stdbool.h>
#include <string.h>

#include "backends/cpu/loops/loops_rows.h"
#include "base/template.h"

#define T         uint32_t
#define ID        i32
#define MASK      __mmask16
#define WORD_TYPE int
#define WORD(f)   _mm512_##f##_epi32
#include "backends/cpu/loops/loops_rows_tmpl.h"
#undef T
#undef ID
#define T         float
#define ID        f32
#define MM(f)     _mm512_##f##_ps
#define IS_NAN(x) _mm512_cmp_ps_mask(x, x, _CMP_UNORD_Q)
#include "backends/cpu/loops/loops_rows_tmpl.h"
#undef T
#undef ID
#undef MASK
#undef WORD_TYPE
#undef WORD
#undef MM
#undef IS_NAN

#define T         uint64_t
#define ID        i64
#define MASK      __mmask8
#define WORD_TYPE long long
#define WORD(f)   _mm512_##f##_epi64
#include "backends/cpu/loops/loops_rows_tmpl.h"
#undef T
#undef ID
#define T         double
#define ID        f64
#define MM(f)     _mm512_##f##_pd
#define IS_NAN(x) _mm512_cmp_pd_mask(x, x, _CMP_UNORD_Q)
#include "backends/cpu/loops/loops_rows_tmpl.h"

#define OF_ALL(name)                                                    \
  {                                                                     \
    [OY_DTYPE_F32] = name##_rows_f32, [OY_DTYPE_F64] = name##_rows_f64, \
    [OY_DTYPE_I32] = name##_rows_i32, [OY_DTYPE_I64] = name##_rows_i64  \
  }
#define OF_FLOATS(name) \
  { [OY_DTYPE_F32] = name##_rows_f32, [OY_DTYPE_F64] = name##_rows_f64 }
const oyi_block oyi_rows_v4[OYI_ROWS_OPS][OY_DTYPE_F64 + 1] = {
    [OYI_ROWS_ADD] = OF_ALL(add),         [OYI_ROWS_SUB] = OF_ALL(sub),
    [OYI_ROWS_MUL] = OF_ALL(mul),         [OYI_ROWS_DIV] = OF_FLOATS(div),
    [OYI_ROWS_MAXIMUM] = OF_ALL(maximum), [OYI_ROWS_MINIMUM] = OF_ALL(minimum),
    [OYI_ROWS_RELU] = OF_FLOATS(relu),    [OYI_ROWS_NEG] = OF_ALL(neg),
    [OYI_ROWS_ABS] = OF_ALL(abs),         [OYI_ROWS_SQUARE] = OF_FLOATS(square)};
