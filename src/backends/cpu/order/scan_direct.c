// SPDX-License-Identifier: Apache-2.0
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

#include "backends/cpu/order/scan_direct.h"

#include "backends/cpu/work.h"
#include "base/template.h"
#include "opyard/threads.h"

typedef struct direct {
  const char* x;
  char* y;
  int64_t n, x_step, y_step;      // along a line, in bytes
  int64_t lines, x_line, y_line;  // from one to the next
} direct;

// Columns at a time: their totals stay in the first-level cache.
enum { COLUMNS = 256 };

#define T         float
#define W         double
#define ID        f32
#define NAME      sum
#define START     0
#define RUN(a, b) ((a) + (b))
#include "backends/cpu/order/scan_direct_tmpl.h"
#define NAME      product
#define START     1
#define RUN(a, b) ((a) * (b))
#include "backends/cpu/order/scan_direct_tmpl.h"
#undef T
#undef ID
#define T         double
#define ID        f64
#define NAME      sum
#define START     0
#define RUN(a, b) ((a) + (b))
#include "backends/cpu/order/scan_direct_tmpl.h"
#define NAME      product
#define START     1
#define RUN(a, b) ((a) * (b))
#include "backends/cpu/order/scan_direct_tmpl.h"
#undef T
#undef W
#undef ID
#define T         uint64_t
#define W         uint64_t
#define ID        i64
#define NAME      sum
#define START     0
#define RUN(a, b) ((a) + (b))
#include "backends/cpu/order/scan_direct_tmpl.h"
#define NAME      product
#define START     1
#define RUN(a, b) ((a) * (b))
#include "backends/cpu/order/scan_direct_tmpl.h"

typedef void (*direct_fn)(const direct* d);

static direct_fn find(oy_dtype dtype, bool is_product) {
  switch (dtype) {
    case OY_DTYPE_F32: return is_product ? product_f32 : sum_f32;
    case OY_DTYPE_F64: return is_product ? product_f64 : sum_f64;
    case OY_DTYPE_I64: return is_product ? product_i64 : sum_i64;
    default: return NULL;
  }
}

typedef struct direct_run {
  direct_fn run;
  direct first;
} direct_run;

// Lines |begin| to |end| of those that lie beside each other.
static oy_status run_beside(int64_t begin, int64_t end, void* context) {
  const direct_run* r = context;
  direct d = r->first;
  d.x += begin * d.x_line;
  d.y += begin * d.y_line;
  d.lines = end - begin;
  r->run(&d);
  return OY_OK;
}

bool oyi_scan_direct(const oyi_lines* lines, oy_dtype dtype, int64_t n, bool is_product) {
  const direct_fn run = find(dtype, is_product);
  if (!run) return false;
  oyi_lines w = *lines;
  direct d = {.n = n, .x_step = w.step[0], .y_step = w.step[1], .lines = 1};
  if (w.ndim > 0) {
    // The fastest of the other dimensions is the kernel's, the walk has the rest.
    d.lines = w.sizes[0];
    d.x_line = w.steps[0][0];
    d.y_line = w.steps[0][1];
    w.ndim--;
    for (size_t i = 0; i < w.ndim; i++) {
      w.sizes[i] = w.sizes[i + 1];
      memcpy(w.steps[i], w.steps[i + 1], sizeof(w.steps[i]));
    }
  }
  do {
    d.x = w.data[0];
    d.y = w.data[1];
    direct_run some = {run, d};
    (void)!oy_parallel_for(0, d.lines, oyi_stretch(n), run_beside, &some);
  } while (oyi_lines_next(&w));
  return true;
}
