// SPDX-License-Identifier: Apache-2.0
// Exponentials of small matrices of doubles: a matrix by vectors of its rows, or, where it has
// few columns, several of one degree side by side. Products of a BLAS take longer to begin than
// such a product takes. What a matrix gives does not depend on those beside it.
#include <math.h>
#include <string.h>

#include "backends/cpu/linalg/linalg_exp.h"
#include "tensor/block_cache.h"

// Up to this side, matrices lie side by side.
enum { SIDE_BY_SIDE = 8 };

typedef struct small {
  oyi_expm e;
  int lanes, parts;
  double* x;  // of all
  oy_status (*rest)(void* context, double* x);
  void* context;
} small;

// Matrices that wait for others of their degree.
typedef struct group {
  int count;
  int squares[OYI_EXP_WIDEST];
  double* x[OYI_EXP_WIDEST];
} group;

static double* matrix(const small* s, int k) {
  return (double*)(void*)s->e.at[k];
}
static int64_t numbers(const small* s) {
  return s->e.n * s->e.n * s->parts;
}

// ------------------------------------------------------------------------- copies

static void load_side_by_side(const small* s, int count, double* const* x) {
  const int64_t size = s->e.n * s->e.n;
  double* to = matrix(s, 0);
  for (int l = 0; l < s->lanes; l++)
    for (int p = 0; p < s->parts; p++) {
      double* lane = to + p * size * s->lanes + l;
      for (int64_t i = 0; i < size; i++, lane += s->lanes)
        *lane = l < count ? x[l][i * s->parts + p] : 0;
    }
}

// Rows; what is behind them stays zero.
static void load_one(const small* s, const double* x) {
  const int64_t n = s->e.n, step = s->e.shape.columns * s->lanes;
  double* to = matrix(s, 0);
  for (int p = 0; p < s->parts; p++)
    for (int64_t i = 0; i < n; i++, to += step) {
      for (int64_t j = 0; j < n; j++) to[j] = x[(i * n + j) * s->parts + p];
      memset(to + n, 0, (size_t)(step - n) * sizeof(*to));
    }
}

static void load(const small* s, int count, double* const* x) {
  if (s->e.shape.many)
    load_side_by_side(s, count, x);
  else
    load_one(s, x[0]);  // NOLINT: there is one at least
}

static void store(const small* s, int l, double* x) {
  const int64_t n = s->e.n, part = s->e.count / s->parts;
  const bool many = s->e.shape.many;
  const int64_t row = s->e.shape.columns * s->lanes, column = many ? s->lanes : 1;
  for (int p = 0; p < s->parts; p++)
    for (int64_t i = 0; i < n; i++) {
      const double* from = matrix(s, 0) + p * part + i * row + (many ? l : 0);
      for (int64_t j = 0; j < n; j++) x[(i * n + j) * s->parts + p] = from[j * column];
    }
}

// --------------------------------------------------------------------- exponentials

static void halve(const small* s, const int* squares, int most) {
  _Alignas(64) double factors[OYI_EXP_WIDEST];
  if (!most) return;
  for (int l = 0; l < s->lanes; l++)
    factors[l] = ldexp(1, -squares[s->e.shape.many ? l : 0]);
  s->e.loops->scale(s->e.count, factors, matrix(s, 0));
}

static void square(small* s, const int* squares, int most) {
  _Alignas(64) int64_t mask[OYI_EXP_WIDEST];
  for (int k = 1; k <= most; k++) {
    const double* a = matrix(s, 0);
    s->e.loops->multiply(&s->e.shape, a, a, matrix(s, 1));
    bool all = true;
    for (int l = 0; l < s->lanes; l++) {
      mask[l] = -(int64_t)(k <= squares[s->e.shape.many ? l : 0]);
      all &= mask[l] != 0;
    }
    if (!all) {
      s->e.loops->replace(s->e.count, mask, matrix(s, 1), matrix(s, 0));
      continue;
    }
    char* other = s->e.at[0];
    s->e.at[0] = s->e.at[1], s->e.at[1] = other;
  }
}

// Results that are not finite are left to who looks whether to go on squaring them.
static oy_status finish(small* s, group* g) {
  _Alignas(64) double found[OYI_EXP_WIDEST];
  s->e.loops->check(s->e.count, matrix(s, 0), found);
  if (!s->e.shape.many)
    for (int l = 1; l < s->lanes; l++) found[0] += found[l];
  for (int l = 0; l < g->count; l++) {
    if (found[l] == 0)
      store(s, l, g->x[l]);
    else
      OY_TRY(s->rest(s->context, g->x[l]));
  }
  return OY_OK;
}

// |loaded|: matrix 0 is that already.
static oy_status compute(small* s, group* g, int degree, bool loaded) {
  int most = 0;
  for (int l = 0; l < g->count; l++)
    if (g->squares[l] > most) most = g->squares[l];
  for (int l = g->count; l < s->lanes; l++) g->squares[l] = most;
  if (!loaded) load(s, g->count, g->x);
  halve(s, g->squares, most);
  OY_TRY(oyi_exp_degrees[degree].polynomial(&s->e));
  square(s, g->squares, most);
  const oy_status status = finish(s, g);
  g->count = 0;
  return status;
}

// ------------------------------------------------------------------------ all of them

// Puts the |count| matrices from |x| on into the group of their degree.
static oy_status sort(small* s, int count, double* x, group* groups) {
  enum { MOST_SQUARES = 64 };
  _Alignas(64) double norms[OYI_EXP_WIDEST];
  double* each[OYI_EXP_WIDEST];
  for (int l = 0; l < count; l++) each[l] = x + l * numbers(s);
  load(s, count, each);
  s->e.loops->norms(&s->e.shape, matrix(s, 0), norms);
  if (!s->e.shape.many)
    for (int l = 1; l < s->lanes; l++) norms[0] = fmax(norms[0], norms[l]);
  for (int l = 0; l < count; l++) {
    int squares;
    const int degree = oyi_exp_degree_of(norms[l], 1, &squares);
    if (!isfinite(norms[l]) || squares > MOST_SQUARES) {
      OY_TRY(s->rest(s->context, each[l]));
      continue;
    }
    group* g = groups + degree;
    g->squares[g->count] = squares;
    g->x[g->count++] = each[l];
    if (g->count == (s->e.shape.many ? s->lanes : 1))
      OY_TRY(compute(s, g, degree, g->x[0] == each[0]));
  }
  return OY_OK;
}

static oy_status compute_all(small* s, int64_t count) {
  group groups[OYI_EXP_DEGREES];
  for (int d = 0; d < OYI_EXP_DEGREES; d++) groups[d].count = 0;
  const int at_once = s->e.shape.many ? s->lanes : 1;
  for (int64_t i = 0; i < count; i += at_once) {
    const int some = count - i < at_once ? (int)(count - i) : at_once;
    OY_TRY(sort(s, some, s->x + i * numbers(s), groups));
  }
  for (int d = 0; d < OYI_EXP_DEGREES; d++)
    if (groups[d].count) OY_TRY(compute(s, groups + d, d, false));
  return OY_OK;
}

oy_status oyi_exp_small(int64_t n, bool is_complex, int64_t count, double* x,
                        oy_status (*rest)(void* context, double* x), void* context) {
  const oyi_exp_loops* loops = oyi_exp_loops_table();
  small s = {.lanes = loops->lanes,
             .parts = is_complex ? 2 : 1,
             .x = x,
             .rest = rest,
             .context = context};
  const bool many = n <= SIDE_BY_SIDE;
  const int64_t columns = many ? n : (n + s.lanes - 1) / s.lanes;
  s.e = (oyi_expm){.n = n,
                   .count = n * columns * s.lanes * s.parts,
                   .dtype = OY_DTYPE_F64,
                   .loops = loops,
                   .shape = {n, columns, many, is_complex}};
  const size_t size = (size_t)s.e.count * sizeof(double);
  void* block = NULL;
  char* room = oyi_data_alloc(OYI_EXP_MATRICES * size, &block);
  if (!room) return OY_OUT_OF_MEMORY;
  for (int i = 0; i < OYI_EXP_MATRICES; i++) s.e.at[i] = room + (size_t)i * size;
  const oy_status status = compute_all(&s, count);
  oyi_data_free(block, room);
  return status;
}
