// SPDX-License-Identifier: Apache-2.0
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

#include "backends/cpu/order/scan_direct.h"

#include <string.h>

#include "backends/cpu/order/scan_direct_types.h"
#include "backends/cpu/order/scan_rows.h"
#include "base/cpu.h"
#include "base/template.h"
#include "tensor/convert_loops.h"
#include "tensor/half.h"

#define LOAD(x)          ((W)(x))
#define STORE(w)         ((O)(w))
#define MULTIPLY(a, b)   ((a) * (b))
#define WAITS_FOR_MEMORY false
#define W                double
#define T                float
#define O                float
#define ID               f32
#include "backends/cpu/order/scan_direct_tmpl.h"
#define T  double
#define O  double
#define ID f64
#include "backends/cpu/order/scan_direct_tmpl.h"
#undef W
#undef WAITS_FOR_MEMORY

#define WAITS_FOR_MEMORY true
#define W                uint64_t
#define T                uint64_t
#define O                uint64_t
#define ID               i64
#include "backends/cpu/order/scan_direct_tmpl.h"
#define T  int32_t
#define O  uint64_t
#define ID i32
#include "backends/cpu/order/scan_direct_tmpl.h"
#define T  int16_t
#define O  uint64_t
#define ID i16
#include "backends/cpu/order/scan_direct_tmpl.h"
#define T  int8_t
#define O  uint64_t
#define ID i8
#include "backends/cpu/order/scan_direct_tmpl.h"
#define T  uint8_t
#define O  uint64_t
#define ID u8
#include "backends/cpu/order/scan_direct_tmpl.h"
#undef W
#undef LOAD
#undef STORE
#undef WAITS_FOR_MEMORY

#define WAITS_FOR_MEMORY false
#define BLOCK            64
#define W                double
#define LOAD(x)          ((W)oyi_bf16_to_float(x))
#define STORE(w)         oyi_bf16_from_float((float)(w))
#define T                uint16_t
#define O                uint16_t
#define ID               bf16
#include "backends/cpu/order/scan_direct_tmpl.h"
#undef W
#undef LOAD
#undef STORE
#undef MULTIPLY
#undef BLOCK

#define W              pair
#define LOAD(x)        __builtin_convertvector(x, W)
#define STORE(w)       __builtin_convertvector(w, O)
#define MULTIPLY(a, b) product_of(a, b)
#define T              pair_f32
#define O              pair_f32
#define ID             c64
#include "backends/cpu/order/scan_direct_tmpl.h"
#undef WAITS_FOR_MEMORY
#define WAITS_FOR_MEMORY true
#define T                pair_f64
#define O                pair_f64
#define ID               c128
#include "backends/cpu/order/scan_direct_tmpl.h"

typedef void (*direct_fn)(const direct* d);

#if defined(__x86_64__)
#define ROWS(id) oyi_scan_rows_##id##_v3
#else
#define ROWS(id) NULL
#endif

// Whether lines of the cache have several elements of a strip, with gaps or turned: if not, fewer
// columns at once leave more of what is read for the blocks that follow.
static bool are_near(int64_t x_line, int64_t x_step) {
  enum { CACHE_LINE = 64 };
  return x_line < CACHE_LINE || x_step < CACHE_LINE;
}

#if defined(__x86_64__)
// Columns of floats or doubles that are few, or short ones, or come from what has gaps.
static bool are_strips(const direct* d, int64_t item) {
  if (d->y_line != item || d->lines < FEW_COLUMNS) return false;
  return d->x_line == item ? d->lines < SOME_COLUMNS || d->n <= SHORT_COLUMN
                           : are_near(d->x_line, d->x_step);
}
#endif

// Lines in vectors across some of them, and what is left one by one: of floats that lie together,
// and of pairs of them wherever they lie, columns only if they are short.
typedef int64_t (*rows_fn)(const direct* d, bool is_product);
static void by_rows(const direct* d, rows_fn run, int64_t item, bool is_product,
                    direct_fn rest) {
#if defined(__x86_64__)
  const bool by_columns = d->x_line == item && d->y_line == item;
  const bool together = d->x_step == item && d->y_step == item && !by_columns;
  const bool pairs = run == ROWS(c64) && (!by_columns || d->n <= SHORT_COLUMN);
  for (int64_t b = 0; (together || pairs) && oyi_cpu_level() > 0; b++) {
    if (b == d->blocks) return;
    direct left = *d;
    left.blocks = 1;
    left.x += b * d->x_block, left.y += b * d->y_block;
    const int64_t done = run(&left, is_product);
    left.lines -= done;
    left.x += done * d->x_line, left.y += done * d->y_line;
    if (left.lines) rest(&left);
  }
#else
  (void)run, (void)item, (void)is_product;
#endif
  rest(d);
}

#define BY_ROWS(id, item)                           \
  static void sums_##id(const direct* d) {          \
    by_rows(d, ROWS(id), item, false, sum_##id);    \
  }                                                 \
  static void products_##id(const direct* d) {      \
    by_rows(d, ROWS(id), item, true, product_##id); \
  }
BY_ROWS(c64, 8)
#undef BY_ROWS

#if defined(__x86_64__)
// Floats that go by columns of vectors: not a few, whose totals stay in registers, nor some that
// are very short, or of which a part of a vector is left each time.
static bool are_wide(const direct* d) {
  enum { LEAST = 6 };
  const int64_t item = sizeof(float);
  const bool fit = d->lines % FEW_COLUMNS == 0 && d->n >= LEAST;
  return d->x_line == item && d->y_line == item && d->lines >= SOME_COLUMNS &&
         (fit || d->lines >= 2 * SOME_COLUMNS || d->n > SHORT_COLUMN);
}
#endif
static void by_rows_f32(const direct* d, bool is_product) {
  const direct_fn rest = is_product ? product_f32 : sum_f32;
#if defined(__x86_64__)
  if (oyi_cpu_level() > 0 && are_wide(d)) {
    direct r = *d;
    for (int64_t b = 0; b < d->blocks; b++, r.x += d->x_block, r.y += d->y_block)
      oyi_scan_columns_f32_v3(&r, is_product);
    return;
  }
  if (oyi_cpu_level() > 0 && are_strips(d, sizeof(float))) {
    oyi_scan_strips_f32_v3(d, is_product);
    return;
  }
#endif
  by_rows(d, ROWS(f32), sizeof(float), is_product, rest);
}
static void by_rows_f64(const direct* d, bool is_product) {
#if defined(__x86_64__)
  if (oyi_cpu_level() > 0 && are_strips(d, sizeof(double))) {
    oyi_scan_strips_f64_v3(d, is_product);
    return;
  }
#endif
  by_rows(d, ROWS(f64), sizeof(double), is_product, is_product ? product_f64 : sum_f64);
}
static void sums_f64(const direct* d) {
  by_rows_f64(d, false);
}
static void products_f64(const direct* d) {
  by_rows_f64(d, true);
}
static void sums_f32(const direct* d) {
  by_rows_f32(d, false);
}
static void products_f32(const direct* d) {
  by_rows_f32(d, true);
}
#undef ROWS

// The product of one line, where each step waits for the last: parts by themselves, as a step that
// turns them round takes longer than what it saves.
static inline __attribute__((always_inline)) void product_line(const direct* d,
                                                               const bool is_wide) {
  const char* x = d->x;
  char* y = d->y;
  const int64_t n = d->n, x_step = d->x_step, y_step = d->y_step;
  double real = 1, imaginary = 0;
  for (int64_t i = 0; i < n; i++, x += x_step, y += y_step) {
    const double* wide = (const double*)(const void*)x;
    const float* narrow = (const float*)(const void*)x;
    const double a = is_wide ? wide[0] : (double)narrow[0];
    const double b = is_wide ? wide[1] : (double)narrow[1];
    const double before = real;
    real = before * a - imaginary * b;
    imaginary = before * b + imaginary * a;
    if (is_wide)
      *(pair_f64*)(void*)y = (pair){real, imaginary};
    else
      *(pair_f32*)(void*)y = (pair_f32){(float)real, (float)imaginary};
  }
}
static void line_products_c64(const direct* d) {
  if (d->lines == 1)
    product_line(d, false);
  else
    products_c64(d);
}
static void line_products_c128(const direct* d) {
  if (d->lines == 1)
    product_line(d, true);
  else
    product_c128(d);
}

// Sums of complex numbers down columns are sums of their parts, of which vectors are made.
static bool as_parts(const direct* d, int64_t item, direct* parts) {
  *parts = *d;
  parts->lines = 2 * d->lines;
  parts->x_line = parts->y_line = item / 2;
  return d->x_line == item && d->y_line == item && parts->lines >= FEW_COLUMNS;
}
static void part_sums_c64(const direct* d) {
  direct parts;
  if (as_parts(d, sizeof(pair_f32), &parts))
    sums_f32(&parts);
  else
    sums_c64(d);
}
static void part_sums_c128(const direct* d) {
  direct parts;
  if (as_parts(d, sizeof(pair_f64), &parts))
    sums_f64(&parts);
  else
    sum_c128(d);
}

#include "backends/cpu/order/scan_direct_bf16_tmpl.h"

// Sums and products, into the dtype itself or of integers into int64.
static const direct_fn g_loops[OY_DTYPE_LIMIT][2] = {
    [OY_DTYPE_BOOL] = {sum_u8, product_u8},
    [OY_DTYPE_U8] = {sum_u8, product_u8},
    [OY_DTYPE_I8] = {sum_i8, product_i8},
    [OY_DTYPE_I16] = {sum_i16, product_i16},
    [OY_DTYPE_I32] = {sum_i32, product_i32},
    [OY_DTYPE_I64] = {sum_i64, product_i64},
    [OY_DTYPE_F32] = {sums_f32, products_f32},
    [OY_DTYPE_F64] = {sums_f64, products_f64},
    [OY_DTYPE_C64] = {part_sums_c64, line_products_c64},
    [OY_DTYPE_C128] = {part_sums_c128, line_products_c128},
    [OY_DTYPE_BF16] = {sums_bf16, products_bf16},
};

typedef struct direct_run {
  direct_fn run;
  int64_t n, x_item, y_item;
  bool gathers;  // columns may come from what has gaps
} direct_run;

// How many blocks of columns, all of the fastest dimension, are among |count| lines from here on:
// a call for each takes longer than a few short columns.
static int64_t blocks_of(const oyi_lines* w, const direct_run* r, int64_t count) {
  if (w->ndim < 2 || w->at[0] != 0 || w->sizes[0] < FEW_COLUMNS ||
      w->steps[0][1] != r->y_item)
    return 1;
  const int64_t x_line = w->steps[0][0];
  if (x_line != r->x_item && !(r->gathers && are_near(x_line, w->step[0]))) return 1;
  const int64_t left = w->sizes[1] - w->at[1], whole = count / w->sizes[0];
  return whole < 1 ? 1 : left < whole ? left : whole;
}

// Those of the fastest dimension of the walk that lie beside each other go together.
static oy_status run_some(oyi_lines* w, int64_t count, void* context) {
  const direct_run* r = context;
  direct d = {.n = r->n, .x_step = w->step[0], .y_step = w->step[1]};
  if (w->ndim == 0)
    w->sizes[0] = 1, w->at[0] = 0;
  else
    d.x_line = w->steps[0][0], d.y_line = w->steps[0][1];
  if (w->ndim > 1) d.x_block = w->steps[1][0], d.y_block = w->steps[1][1];
  while (count > 0) {
    const int64_t left = w->sizes[0] - w->at[0];
    d.lines = left < count ? left : count;
    d.x = w->data[0];
    d.y = w->data[1];
    d.blocks = blocks_of(w, r, count);
    r->run(&d);
    count -= d.lines * d.blocks;
    if (d.blocks > 1) w->at[1] += d.blocks - 1;
    w->at[0] += d.lines - 1;
    w->data[0] += (d.lines - 1) * d.x_line + (d.blocks - 1) * d.x_block;
    w->data[1] += (d.lines - 1) * d.y_line + (d.blocks - 1) * d.y_block;
    oyi_lines_next(w);
  }
  return OY_OK;
}

bool oyi_scan_direct(const oyi_lines* lines, oy_dtype from, oy_dtype to, int64_t n,
                     bool is_product) {
  const bool widens = to == OY_DTYPE_I64 && oy_dtype_is_integral(from, true);
  direct_run how = {.run = g_loops[from][is_product],
                    .n = n,
                    .x_item = oyi_dtype_bytes[from],
                    .y_item = oyi_dtype_bytes[to]};
#if defined(__x86_64__)
  how.gathers = oyi_cpu_level() > 0 && (from == OY_DTYPE_F32 || from == OY_DTYPE_F64);
#endif
  if (!how.run || !(widens || (from == to && !oy_dtype_is_integral(from, true))))
    return false;
  (void)!oyi_lines_run_beside(lines, n, run_some, &how);
  return true;
}
