// SPDX-License-Identifier: Apache-2.0
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#include "backends/cpu/order/scan_rows.h"

// A product and a sum are rounded twice, as they are one by one.
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#else
#pragma GCC optimize("fp-contract=off")
#endif

typedef float four_f32 __attribute__((vector_size(16)));
typedef float any_f32 __attribute__((vector_size(16), aligned(4), may_alias));
typedef float pair_f32 __attribute__((vector_size(8), aligned(4), may_alias));
typedef double four_f64 __attribute__((vector_size(32)));

#define IN_LINE static inline __attribute__((always_inline))

// Rows become columns.
IN_LINE void turn(four_f32* r) {
  const four_f32 a = __builtin_shufflevector(r[0], r[1], 0, 4, 1, 5);
  const four_f32 b = __builtin_shufflevector(r[2], r[3], 0, 4, 1, 5);
  const four_f32 c = __builtin_shufflevector(r[0], r[1], 2, 6, 3, 7);
  const four_f32 d = __builtin_shufflevector(r[2], r[3], 2, 6, 3, 7);
  r[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
  r[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
  r[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
  r[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
}

IN_LINE four_f32 step(four_f64* total, four_f32 x, const bool is_product) {
  const four_f64 by = __builtin_convertvector(x, four_f64);
  *total = is_product ? *total * by : *total + by;
  return __builtin_convertvector(*total, four_f32);
}

// |x|, |y|: the first of four lines for each of |chains|, which do not wait for each other.
IN_LINE void chains_f32(const oyi_scan_rows* r, const char* x, char* y, const int chains,
                        const bool is_product) {
  const int64_t n = r->n, x_line = r->x_line, y_line = r->y_line;
  const double start = is_product ? 1 : 0;
  four_f64 totals[2];
  for (int c = 0; c < chains; c++) totals[c] = (four_f64){start, start, start, start};
  int64_t i = 0;
  for (; i + 4 <= n; i += 4, x += 16, y += 16) {
    four_f32 at[2][4];
    for (int k = 0; k < 4 * chains; k++)
      at[k / 4][k % 4] = *(const any_f32*)(const void*)(x + k * x_line);
    for (int c = 0; c < chains; c++) turn(at[c]);
    for (int k = 0; k < 4; k++)
      for (int c = 0; c < chains; c++) at[c][k] = step(&totals[c], at[c][k], is_product);
    for (int c = 0; c < chains; c++) turn(at[c]);
    for (int k = 0; k < 4 * chains; k++)
      *(any_f32*)(void*)(y + k * y_line) = at[k / 4][k % 4];
  }
  for (; i < n; i++, x += 4, y += 4)
    for (int c = 0; c < chains; c++) {
      const char* from = x + 4 * c * x_line;
      const four_f32 at = {*(const float*)(const void*)from,
                           *(const float*)(const void*)(from + x_line),
                           *(const float*)(const void*)(from + 2 * x_line),
                           *(const float*)(const void*)(from + 3 * x_line)};
      const four_f32 out = step(&totals[c], at, is_product);
      for (int k = 0; k < 4; k++) *(float*)(void*)(y + (4 * c + k) * y_line) = out[k];
    }
}

IN_LINE int64_t run_f32(const oyi_scan_rows* r, const bool is_product) {
  int64_t l = 0;
  for (; l + 8 <= r->lines; l += 8)
    chains_f32(r, r->x + l * r->x_line, r->y + l * r->y_line, 2, is_product);
  for (; l + 4 <= r->lines; l += 4)
    chains_f32(r, r->x + l * r->x_line, r->y + l * r->y_line, 1, is_product);
  return l;
}

int64_t oyi_scan_rows_f32_v3(const oyi_scan_rows* r, bool is_product) {
  return is_product ? run_f32(r, true) : run_f32(r, false);
}

// ---------------------------------------------------------------------------- doubles

typedef double any_f64 __attribute__((vector_size(32), aligned(8), may_alias));

IN_LINE void turn_f64(four_f64* r) {
  const four_f64 a = __builtin_shufflevector(r[0], r[1], 0, 4, 2, 6);
  const four_f64 b = __builtin_shufflevector(r[0], r[1], 1, 5, 3, 7);
  const four_f64 c = __builtin_shufflevector(r[2], r[3], 0, 4, 2, 6);
  const four_f64 d = __builtin_shufflevector(r[2], r[3], 1, 5, 3, 7);
  r[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
  r[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
  r[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
  r[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

IN_LINE void four_lines_f64(const oyi_scan_rows* r, const char* x, char* y,
                            const bool is_product) {
  const int64_t n = r->n, x_line = r->x_line, y_line = r->y_line;
  const double start = is_product ? 1 : 0;
  four_f64 total = {start, start, start, start};
  int64_t i = 0;
  for (; i + 4 <= n; i += 4, x += 32, y += 32) {
    four_f64 at[4];
    for (int k = 0; k < 4; k++) at[k] = *(const any_f64*)(const void*)(x + k * x_line);
    turn_f64(at);
    for (int k = 0; k < 4; k++)
      at[k] = total = is_product ? total * at[k] : total + at[k];
    turn_f64(at);
    for (int k = 0; k < 4; k++) *(any_f64*)(void*)(y + k * y_line) = at[k];
  }
  for (; i < n; i++, x += 8, y += 8)
    for (int k = 0; k < 4; k++) {
      const double by = *(const double*)(const void*)(x + k * x_line);
      total[k] = is_product ? total[k] * by : total[k] + by;
      *(double*)(void*)(y + k * y_line) = total[k];
    }
}

IN_LINE int64_t run_f64(const oyi_scan_rows* r, const bool is_product) {
  int64_t l = 0;
  for (; l + 4 <= r->lines; l += 4)
    four_lines_f64(r, r->x + l * r->x_line, r->y + l * r->y_line, is_product);
  return l;
}

int64_t oyi_scan_rows_f64_v3(const oyi_scan_rows* r, bool is_product) {
  return is_product ? run_f64(r, true) : run_f64(r, false);
}

// --------------------------------------------------------------------- complex numbers

// By the plain formula.
IN_LINE four_f64 product_of(four_f64 a, four_f64 b) {
  const four_f64 along = a * __builtin_shufflevector(b, b, 0, 0, 2, 2);
  const four_f64 across = __builtin_shufflevector(a, a, 1, 0, 3, 2) *
                          __builtin_shufflevector(b, b, 1, 1, 3, 3);
  return __builtin_shufflevector(along - across, along + across, 0, 5, 2, 7);
}

// As above, of two lines for each.
IN_LINE void chains_c64(const oyi_scan_rows* r, const char* x, char* y, const int chains,
                        const bool is_product) {
  const int64_t n = r->n, x_line = r->x_line, y_line = r->y_line;
  const double start = is_product ? 1 : 0;
  four_f64 totals[2];
  for (int c = 0; c < chains; c++) totals[c] = (four_f64){start, 0, start, 0};
  const int64_t x_step = r->x_step, y_step = r->y_step;
  for (int64_t i = 0; i < n; i++, x += x_step, y += y_step)
    for (int c = 0; c < chains; c++) {
      const char* from = x + 2 * c * x_line;
      const pair_f32 first = *(const pair_f32*)(const void*)from;
      const pair_f32 second = *(const pair_f32*)(const void*)(from + x_line);
      const four_f32 both = __builtin_shufflevector(first, second, 0, 1, 2, 3);
      const four_f64 by = __builtin_convertvector(both, four_f64);
      totals[c] = is_product ? product_of(totals[c], by) : totals[c] + by;
      const four_f32 out = __builtin_convertvector(totals[c], four_f32);
      char* to = y + 2 * c * y_line;
      *(pair_f32*)(void*)to = __builtin_shufflevector(out, out, 0, 1);
      *(pair_f32*)(void*)(to + y_line) = __builtin_shufflevector(out, out, 2, 3);
    }
}

IN_LINE int64_t run_c64(const oyi_scan_rows* r, const bool is_product) {
  int64_t l = 0;
  for (; l + 4 <= r->lines; l += 4)
    chains_c64(r, r->x + l * r->x_line, r->y + l * r->y_line, 2, is_product);
  for (; l + 2 <= r->lines; l += 2)
    chains_c64(r, r->x + l * r->x_line, r->y + l * r->y_line, 1, is_product);
  return l;
}

int64_t oyi_scan_rows_c64_v3(const oyi_scan_rows* r, bool is_product) {
  return is_product ? run_c64(r, true) : run_c64(r, false);
}
