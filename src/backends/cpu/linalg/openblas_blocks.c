// SPDX-License-Identifier: Apache-2.0
// Factors and triangles of one great matrix by OpenBLAS: halves of halves, whose products are
// most of the work and go by stripes, which opyard's threads share. The library has one thread.
// Blocks and stripes depend on sizes alone, so that any number of threads above one finds the same.
#include "backends/cpu/linalg/openblas.h"
#include "backends/cpu/linalg/openblas_functions.h"
#include "base/threads.h"

enum {
  GREAT = 128,  // smaller matrices are the library's
  LEAF = 128,   // and so are panels
  TILE = 16,    // rows that its products take at once
  FEW = 4       // columns
};

static const void* minus_one(int letter) {
  static const float single[2] = {-1, 0};
  static const double twice[2] = {-1, 0};
  return oyi_letter_real(letter) == sizeof(float) ? (const void*)single : twice;
}

// Halves gain where the library's products of floats are faster than its own way to factors; of
// other numbers they gain what further threads do.
static bool is_great(int letter, int64_t n) {
  return n >= GREAT && (letter == 0 || oy_get_num_threads() > 1);
}

// A part of a matrix by columns.
typedef struct part {
  int letter;
  char* at;
  int64_t ld;
} part;

static part from(const part* p, int64_t row, int64_t column) {
  const int64_t item = (int64_t)oyi_letter_item(p->letter);
  return (part){p->letter, p->at + (row + column * p->ld) * item, p->ld};
}

static int64_t half(int64_t n) {
  return (n / 2 + TILE - 1) / TILE * TILE;
}

static void each_stripe(int64_t count, int64_t stripe, oyi_chunk_fn fn, void* context) {
  if (count > 0) (void)oyi_parallel_chunks((count - 1) / stripe + 1, fn, context);
}

// op(A) X = B or X op(A) = B, in place of B, which is rows x columns.
static void solve(const char* side, const oyi_triangle* how, const part* a, const part* b,
                  int64_t rows, int64_t columns) {
  const int m = (int)rows, n = (int)columns, lda = (int)a->ld, ldb = (int)b->ld;
  oyi_openblas_f[a->letter].trsm(side, how->upper ? "U" : "L", &how->op,
                                 how->unit ? "U" : "N", &m, &n, oyi_letter_one(a->letter),
                                 a->at, &lda, b->at, &ldb, 1, 1, 1, 1);
}

// C -= A op(B), rows x columns, of |depth| products.
static void subtract(const char* op, const part* a, const part* b, const part* c,
                     int64_t rows, int64_t columns, int64_t depth) {
  const int m = (int)rows, n = (int)columns, k = (int)depth, lda = (int)a->ld,
            ldb = (int)b->ld, ldc = (int)c->ld;
  if (m > 0 && n > 0)
    oyi_openblas_f[a->letter].gemm("N", op, &m, &n, &k, minus_one(a->letter), a->at, &lda,
                                   b->at, &ldb, oyi_letter_one(a->letter), c->at, &ldc, 1,
                                   1);
}

// ------------------------------------------------------------------------------ LU

static void exchange_rows(const part* a, int64_t columns, const int32_t* pivots,
                          int64_t count) {
  const int n = (int)columns, lda = (int)a->ld, first = 1, last = (int)count, step = 1;
  oyi_openblas_f[a->letter].laswp(&n, a->at, &lda, &first, &last, pivots, &step);
}

// The columns to the right of a panel that is taken apart, and those to its left.
typedef struct lu_run {
  part a, right;
  int64_t m, panel, columns, stripe;
  const int32_t* pivots;
} lu_run;

static oy_status lu_stripe(int64_t index, void* context) {
  static const oyi_triangle lower = {'N', false, true};
  const lu_run* r = context;
  const int64_t begin = index * r->stripe;
  const int64_t columns = oyi_least(r->stripe, r->columns - begin);
  const part top = from(&r->right, 0, begin), rest = from(&r->right, r->panel, begin);
  const part below = from(&r->a, r->panel, 0);
  exchange_rows(&top, columns, r->pivots, r->panel);
  solve("L", &lower, &r->a, &top, r->panel, columns);
  subtract("N", &below, &top, &rest, r->m - r->panel, columns, r->panel);
  return OY_OK;
}

static int32_t lu_whole(const part* a, int64_t m, int64_t n, int32_t* pivots) {
  const int rows = (int)m, columns = (int)n, lda = (int)a->ld;
  int info = 0;
  oyi_openblas_f[a->letter].getrf(&rows, &columns, a->at, &lda, pivots, &info);
  return info;
}

static int32_t lu_of(const part* a, int64_t m, int64_t n, int32_t* pivots) {
  const int64_t least = oyi_least(m, n);
  if (least <= LEAF) return lu_whole(a, m, n, pivots);
  const int64_t panel = half(least);
  const int32_t info = lu_of(a, m, panel, pivots);
  lu_run run = {
      *a, from(a, 0, panel), m, panel, n - panel, oyi_stripe_of(n - panel, FEW), pivots};
  each_stripe(run.columns, run.stripe, lu_stripe, &run);
  const part rest = from(a, panel, panel), left = from(a, panel, 0);
  const int32_t last = lu_of(&rest, m - panel, n - panel, pivots + panel);
  exchange_rows(&left, panel, pivots + panel, least - panel);
  for (int64_t i = panel; i < least; i++) pivots[i] += (int32_t)panel;
  return info != 0 || last == 0 ? info : last + (int32_t)panel;
}

int32_t oyi_blocked_lu(oy_dtype dtype, int64_t m, int64_t n, void* a, int32_t* pivots) {
  const part whole = {oyi_letter_of(dtype), a, oyi_at_least_one(m)};
  if (m == 0 || n == 0) return 0;
  if (!is_great(whole.letter, oyi_least(m, n))) return lu_whole(&whole, m, n, pivots);
  const bool begun = oyi_openblas_begin_quiet();
  const int32_t info = lu_of(&whole, m, n, pivots);
  if (begun) oyi_openblas_end_quiet();
  return info;
}

// ------------------------------------------------------------------------ Cholesky

// The rows below a panel that is taken apart, and the columns to its right.
typedef struct cholesky_run {
  part panel, below, rest;
  int64_t columns, rows, stripe;
} cholesky_run;

static const char* adjoint(int letter) {
  return oyi_letter_is_real(letter) ? "T" : "C";
}

static oy_status cholesky_rows(int64_t index, void* context) {
  const cholesky_run* r = context;
  const oyi_triangle how = {*adjoint(r->panel.letter), false, false};
  const int64_t begin = index * r->stripe;
  const part rows = from(&r->below, begin, 0);
  solve("R", &how, &r->panel, &rows, oyi_least(r->stripe, r->rows - begin), r->columns);
  return OY_OK;
}

// Of the lower triangle alone, but for what of the other one is in its way.
static oy_status cholesky_columns(int64_t index, void* context) {
  const cholesky_run* r = context;
  const int64_t begin = index * r->stripe;
  const part rows = from(&r->below, begin, 0), to = from(&r->rest, begin, begin);
  subtract(adjoint(rows.letter), &rows, &rows, &to, r->rows - begin,
           oyi_least(r->stripe, r->rows - begin), r->columns);
  return OY_OK;
}

static int32_t cholesky_whole(const part* a, int64_t n) {
  const int size = (int)n, lda = (int)a->ld;
  int info = 0;
  oyi_openblas_f[a->letter].potrf("L", &size, a->at, &lda, &info, 1);
  return info;
}

static int32_t cholesky_of(const part* a, int64_t n) {
  if (n <= LEAF) return cholesky_whole(a, n);
  const int64_t panel = half(n), rows = n - panel;
  const int32_t info = cholesky_of(a, panel);
  if (info != 0) return info;
  cholesky_run run = {*a,   from(a, panel, 0),        from(a, panel, panel), panel,
                      rows, oyi_stripe_of(rows, TILE)};
  each_stripe(rows, run.stripe, cholesky_rows, &run);
  // Columns on the right are short.
  run.stripe = (run.stripe / 2 + FEW - 1) / FEW * FEW;
  each_stripe(rows, run.stripe, cholesky_columns, &run);
  const int32_t last = cholesky_of(&run.rest, rows);
  return last == 0 ? 0 : last + (int32_t)panel;
}

int32_t oyi_blocked_cholesky(oy_dtype dtype, int64_t n, void* a) {
  const part whole = {oyi_letter_of(dtype), a, oyi_at_least_one(n)};
  if (n == 0) return 0;
  if (!is_great(whole.letter, n)) return cholesky_whole(&whole, n);
  const bool begun = oyi_openblas_begin_quiet();
  const int32_t info = cholesky_of(&whole, n);
  if (begun) oyi_openblas_end_quiet();
  return info;
}
