// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/neural/add_rows.h"

#include <string.h>

#include "backends/cpu/index/index_check.h"
#include "base/memory.h"
#include "base/threads.h"
#include "tensor/iterator.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#define JOIN_(a, b) a##_##b
#define JOIN(a, b)  JOIN_(a, b)
#define T           float
#define ID          f32
#include "backends/cpu/neural/add_rows_tmpl.h"
#undef T
#undef ID
#define T  double
#define ID f64
#include "backends/cpu/neural/add_rows_tmpl.h"
#undef T
#undef ID
// Unsigned, so that sums wrap.
#define T  uint64_t
#define ID i64
#include "backends/cpu/neural/add_rows_tmpl.h"

enum { STRETCHES = 8 };  // each looks at all indices
enum { FEW = 1024 };

typedef struct job {
  const oyi_add_rows* a;
  void (*add)(int64_t n, const void* from, double scale, bool is_first, void* to);
  int64_t numbers, bytes;  // of a row
  int64_t stretch;
} job;

// The rows of one stretch of the result, so that no two threads write to one.
static oy_status run_stretch(int64_t index, void* context) {
  const job* j = context;
  const oyi_add_rows* a = j->a;
  const int64_t low = index * j->stretch;
  const int64_t high = a->rows < low + j->stretch ? a->rows : low + j->stretch;
  if (low >= high) return OY_OK;
  // Rows are zeroed only if nothing is added to them: that would be one more walk.
  uint8_t few[FEW], *met = high - low <= FEW ? few : oyi_calloc((size_t)(high - low), 1);
  if (!met) return OY_OUT_OF_MEMORY;
  if (met == few) memset(few, 0, (size_t)(high - low));
  for (int64_t i = 0; i < a->count; i++) {
    const int64_t k = a->index[i];
    if (k < low || k >= high || k == a->skipped) continue;
    const int64_t from = a->source ? a->source[i] : i;
    j->add(j->numbers, (const char*)a->from + from * j->bytes, a->scale ? a->scale[i] : 1,
           !met[k - low], (char*)a->to + k * j->bytes);
    met[k - low] = 1;
  }
  for (int64_t k = low; k < high; k++)
    if (!met[k - low]) memset((char*)a->to + k * j->bytes, 0, (size_t)j->bytes);
  if (met != few) oyi_free(met);
  return OY_OK;
}

oy_status oyi_add_rows_run(const oyi_add_rows* a) {
  const bool is_complex = oy_dtype_is_complex(a->dtype);
  const bool is_wide = a->dtype == OY_DTYPE_F64 || a->dtype == OY_DTYPE_C128;
  job j = {.a = a, .numbers = a->columns * (is_complex ? 2 : 1)};
  j.add = a->dtype == OY_DTYPE_I64 ? add_row_i64 : is_wide ? add_row_f64 : add_row_f32;
  j.bytes = a->columns * oyi_dtype_bytes[a->dtype];
  if (a->rows == 0 || a->columns == 0) return OY_OK;
  const int64_t work = (a->count + a->rows) * a->columns;
  int64_t stretches = work / OYI_ITER_GRAIN + 1;
  if (stretches > STRETCHES) stretches = STRETCHES;
  j.stretch = (a->rows + stretches - 1) / stretches;
  return oyi_parallel_chunks(stretches, run_stretch, &j);
}

oy_status oyi_add_rows_check(const int64_t* index, int64_t count, int64_t rows) {
  OY_CHECK(oyi_are_below((const char*)index, sizeof(int64_t), count, rows), OUT_OF_RANGE,
           "index out of range in self");
  return OY_OK;
}
