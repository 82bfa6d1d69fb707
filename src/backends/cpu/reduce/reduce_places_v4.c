// SPDX-License-Identifier: Apache-2.0
// Places of the most extreme elements of columns, for AVX-512: what wins is a mask, by which
// elements and places are moved, and the last vector of a row is filled up. The first of equal
// elements counts, and the first NaN above all.
#include "backends/cpu/reduce/reduce_places.h"

#include <immintrin.h>
#include <stdbool.h>

#include "base/template.h"

// Rows that an integer of four bytes counts.
enum { MOST_VECTORS = 4, MOST_ROWS = 1 << 30 };

static inline void put_eight(int64_t* place, __mmask8 mask, __m512i at, int64_t first) {
  const __mmask8 found = _mm512_mask_cmpge_epi64_mask(mask, at, _mm512_setzero_si512());
  _mm512_mask_storeu_epi64(place, found, _mm512_add_epi64(at, _mm512_set1_epi64(first)));
}
static inline void put_sixteen(int64_t* place, __mmask16 mask, __m512i at,
                               int64_t first) {
  const __m256i low = _mm512_castsi512_si256(at);
  put_eight(place, (__mmask8)mask, _mm512_cvtepi32_epi64(low), first);
  const __m256i high = _mm512_extracti64x4_epi64(at, 1);
  put_eight(place + 8, (__mmask8)(mask >> 8), _mm512_cvtepi32_epi64(high), first);
}

// What is no number is not more, and less, than anything, and nothing goes before it.
#define BEFORE(kind, y, a, how) \
  _mm512_mask_cmp_##kind##_mask(_mm512_cmp_##kind##_mask(a, a, _CMP_ORD_Q), y, a, how)

#define NUMBER_BEFORE(is_before, a) ((is_before) && (a) == (a))

#define LANES       16
#define M           __mmask16
#define PLACE_OF(f) _mm512_##f##_epi32
#define SPLAT(x)    _mm512_set1_epi32((int)(x))
#define PUT_PLACES  put_sixteen

#define V              __m512
#define OF(f)          _mm512_##f##_ps
#define T              float
#define COLUMNS        oyi_argmax_f32_columns_v4
#define WINS(y, a)     BEFORE(ps, y, a, _CMP_NLE_UQ)
#define ONE_WINS(y, a) NUMBER_BEFORE(!((y) <= (a)), a)
#include "backends/cpu/reduce/reduce_places_v4_tmpl.h"
#define COLUMNS        oyi_argmin_f32_columns_v4
#define WINS(y, a)     BEFORE(ps, y, a, _CMP_NGE_UQ)
#define ONE_WINS(y, a) NUMBER_BEFORE(!((y) >= (a)), a)
#include "backends/cpu/reduce/reduce_places_v4_tmpl.h"
#undef T
#undef V
#undef OF
#define V              __m512i
#define OF(f)          _mm512_##f##_epi32
#define T              int32_t
#define COLUMNS        oyi_argmax_i32_columns_v4
#define WINS(y, a)     _mm512_cmpgt_epi32_mask(y, a)
#define ONE_WINS(y, a) ((y) > (a))
#include "backends/cpu/reduce/reduce_places_v4_tmpl.h"
#define COLUMNS        oyi_argmin_i32_columns_v4
#define WINS(y, a)     _mm512_cmplt_epi32_mask(y, a)
#define ONE_WINS(y, a) ((y) < (a))
#include "backends/cpu/reduce/reduce_places_v4_tmpl.h"
#undef T
#undef V
#undef OF
#undef LANES
#undef M
#undef PLACE_OF
#undef SPLAT
#undef PUT_PLACES

#define LANES       8
#define M           __mmask8
#define PLACE_OF(f) _mm512_##f##_epi64
#define SPLAT(x)    _mm512_set1_epi64(x)
#define PUT_PLACES  put_eight

#define V              __m512d
#define OF(f)          _mm512_##f##_pd
#define T              double
#define COLUMNS        oyi_argmax_f64_columns_v4
#define WINS(y, a)     BEFORE(pd, y, a, _CMP_NLE_UQ)
#define ONE_WINS(y, a) NUMBER_BEFORE(!((y) <= (a)), a)
#include "backends/cpu/reduce/reduce_places_v4_tmpl.h"
#define COLUMNS        oyi_argmin_f64_columns_v4
#define WINS(y, a)     BEFORE(pd, y, a, _CMP_NGE_UQ)
#define ONE_WINS(y, a) NUMBER_BEFORE(!((y) >= (a)), a)
#include "backends/cpu/reduce/reduce_places_v4_tmpl.h"
#undef T
#undef V
#undef OF
#define V              __m512i
#define OF(f)          _mm512_##f##_epi64
#define T              int64_t
#define COLUMNS        oyi_argmax_i64_columns_v4
#define WINS(y, a)     _mm512_cmpgt_epi64_mask(y, a)
#define ONE_WINS(y, a) ((y) > (a))
#include "backends/cpu/reduce/reduce_places_v4_tmpl.h"
#define COLUMNS        oyi_argmin_i64_columns_v4
#define WINS(y, a)     _mm512_cmplt_epi64_mask(y, a)
#define ONE_WINS(y, a) ((y) < (a))
#include "backends/cpu/reduce/reduce_places_v4_tmpl.h"
#undef T
