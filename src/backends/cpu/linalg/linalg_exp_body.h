// SPDX-License-Identifier: Apache-2.0
// The loops of linalg_exp.h for the level that the including file is built for. It defines
// EXP_TABLE, the name of the table; LANES, doubles of a vector; ROWS, of complex numbers whose
// sums fit into registers, two vectors of each.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "no-trapping-math", "no-math-errno")
#endif
#include <math.h>

#include "backends/cpu/linalg/linalg_exp.h"
#include "base/template.h"

typedef double vec __attribute__((vector_size(LANES * sizeof(double)), may_alias));
typedef int64_t bits __attribute__((vector_size(LANES * sizeof(int64_t)), may_alias));

#define IN_LINE static inline __attribute__((always_inline))

// The element of the matrix on the left that belongs to each lane.
IN_LINE vec left_of(const bool many, const double* a) {
  if (many) return *(const vec*)(const void*)a;
  return *a - (vec){0};  // one broadcast, whatever the sign of *a
}

// |rows| of c by |wide| vectors; |part| numbers lie before the imaginary part.
IN_LINE void block(const bool many, const bool is_complex, const int rows, const int wide,
                   const oyi_exp_shape* s, int64_t part, const double* a, const double* b,
                   double* c) {
  const int64_t step = s->columns * LANES, next = many ? LANES : 1;
  vec re[4][2], im[4][2];
  OYI_UNROLL_BY(8)
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < wide; j++) re[i][j] = (vec){0}, im[i][j] = (vec){0};
  for (int64_t k = 0; k < s->n; k++, a += next, b += step) {
    const vec *y_re = (const vec*)(const void*)b,
              *y_im = (const vec*)(const void*)(b + part);
    OYI_UNROLL_BY(8)
    for (int i = 0; i < rows; i++) {
      const vec x = left_of(many, a + i * step);
      for (int j = 0; j < wide; j++) re[i][j] += x * y_re[j];
      if (!is_complex) continue;
      const vec z = left_of(many, a + i * step + part);
      for (int j = 0; j < wide; j++) {
        im[i][j] += x * y_im[j];
        re[i][j] -= z * y_im[j];
        im[i][j] += z * y_re[j];
      }
    }
  }
  OYI_UNROLL_BY(8)
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < wide; j++) {
      *(vec*)(void*)(c + i * step + j * LANES) = re[i][j];
      if (is_complex) *(vec*)(void*)(c + i * step + j * LANES + part) = im[i][j];
    }
}

IN_LINE void lines(const bool many, const bool is_complex, const int rows,
                   const oyi_exp_shape* s, int64_t part, const double* a, const double* b,
                   double* c) {
  int64_t j = 0;
  for (; j + 2 <= s->columns; j += 2, b += 2 * LANES, c += 2 * LANES)
    block(many, is_complex, rows, 2, s, part, a, b, c);
  if (j < s->columns) block(many, is_complex, rows, 1, s, part, a, b, c);
}

IN_LINE void product(const bool many, const bool is_complex, const oyi_exp_shape* s,
                     const double* a, const double* b, double* c) {
  const int rows = is_complex ? ROWS : 4;
  const int64_t step = s->columns * LANES, part = s->n * step;
  int64_t left = s->n;
  for (; left >= rows; left -= rows, a += rows * step, c += rows * step)
    lines(many, is_complex, rows, s, part, a, b, c);
  if (rows > 2 && (left & 2)) {
    lines(many, is_complex, 2, s, part, a, b, c);
    a += 2 * step, c += 2 * step;
  }
  if (left & 1) lines(many, is_complex, 1, s, part, a, b, c);
}

static void multiply(const oyi_exp_shape* s, const double* a, const double* b,
                     double* c) {
  if (s->many && s->is_complex)
    product(true, true, s, a, b, c);
  else if (s->many)
    product(true, false, s, a, b, c);
  else if (s->is_complex)
    product(false, true, s, a, b, c);
  else
    product(false, false, s, a, b, c);
}

IN_LINE void combined(const int terms, int64_t count, const double* by,
                      const double* const* x, double* out) {
  for (int64_t i = 0; i < count; i += LANES) {
    vec sum = by[0] * *(const vec*)(const void*)(x[0] + i);
    OYI_UNROLL_BY(8)
    for (int k = 1; k < terms; k++) sum += by[k] * *(const vec*)(const void*)(x[k] + i);
    *(vec*)(void*)(out + i) = sum;
  }
}
static void combine(int64_t count, int terms, const double* by, const double* const* x,
                    double* out) {
  switch (terms) {
    case 2: combined(2, count, by, x, out); break;
    case 3: combined(3, count, by, x, out); break;
    case 4: combined(4, count, by, x, out); break;
    default: combined(5, count, by, x, out);
  }
}

static void norms(const oyi_exp_shape* s, const double* x, double* found) {
  const int64_t step = s->columns * LANES, part = s->n * step;
  for (int l = 0; l < LANES; l++) found[l] = 0;
  for (int64_t j = 0; j < step; j += LANES) {
    double sums[LANES] = {0};
    for (int64_t i = j; i < part; i += step)
      for (int l = 0; l < LANES; l++) {
        const double re = x[i + l], im = s->is_complex ? x[i + l + part] : 0;
        sums[l] += s->is_complex ? sqrt(re * re + im * im) : fabs(re);
      }
    for (int l = 0; l < LANES; l++) found[l] = sums[l] > found[l] ? sums[l] : found[l];
  }
}

static void scale(int64_t count, const double* factors, double* x) {
  for (int64_t i = 0; i < count; i += LANES)
    *(vec*)(void*)(x + i) *= *(const vec*)(const void*)factors;
}

static void replace(int64_t count, const int64_t* mask, const double* from, double* to) {
  const bits take = *(const bits*)(const void*)mask;
  for (int64_t i = 0; i < count; i += LANES) {
    bits* const out = (bits*)(void*)(to + i);
    *out = (*(const bits*)(const void*)(from + i) & take) | (*out & ~take);
  }
}

static void check(int64_t count, const double* x, double* found) {
  vec sum = {0};
  for (int64_t i = 0; i < count; i += LANES)
    sum += *(const vec*)(const void*)(x + i) * 0.0;
  *(vec*)(void*)found = sum;
}

extern const oyi_exp_loops EXP_TABLE;
const oyi_exp_loops EXP_TABLE = {LANES, multiply, combine, norms, scale, replace, check};
