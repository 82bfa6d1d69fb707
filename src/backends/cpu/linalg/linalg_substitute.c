// SPDX-License-Identifier: Apache-2.0
// Equations whose matrices are triangles, or factors of LU, for stripes of right sides.
#include "backends/cpu/linalg/linalg.h"
#include "backends/cpu/linalg/linalg_small.h"
#include "opyard/threads.h"

typedef struct solve_run {
  const oyi_lapack* lapack;
  const oyi_tensor *a, *pivots;  // |pivots| NULL: |a| is a triangle
  oyi_triangle how;              // of LU its |op| alone
  oyi_tensor* b;
  int64_t stripe, stripes;  // columns that go together, and how many times in a matrix
} solve_run;

// Columns of a matrix of B that lie together, and the matrix of A.
typedef struct sides {
  const oyi_lapack* lapack;
  oy_dtype dtype;
  int64_t n, columns;
  const void* a;
  char* b;
} sides;

// Of columns of |n| elements of |item| bytes, one after the other: a column stays in the cache.
static inline __attribute__((always_inline)) void permute_columns(const int32_t* pivot,
                                                                  bool back, int64_t n,
                                                                  int64_t columns,
                                                                  char* b, size_t item) {
  char save[16];
  for (int64_t j = 0; j < columns; j++, b += (size_t)n * item)
    for (int64_t s = 0; s < n; s++) {
      const int64_t i = back ? n - 1 - s : s;
      char *x = b + (size_t)i * item, *y = b + (size_t)(pivot[i] - 1) * item;
      // NOLINT: where there are columns there is memory
      memcpy(save, x, item);
      memcpy(x, y, item);
      memcpy(y, save, item);
    }
}

// The rows of B in the order that the factorisation gave those of A, or back.
static void permute(const int32_t* pivot, bool back, const sides* s) {
  switch (oyi_dtype_bytes[s->dtype]) {
    case 4: permute_columns(pivot, back, s->n, s->columns, s->b, 4); break;
    case 8: permute_columns(pivot, back, s->n, s->columns, s->b, 8); break;
    default: permute_columns(pivot, back, s->n, s->columns, s->b, 16); break;
  }
}

// op(A) X = B.
static void solve_triangle(const sides* s, const oyi_triangle* how) {
  if (s->n <= OYI_LINALG_SMALL)
    oyi_small_solve_triangle(s->dtype, how, s->n, s->columns, s->a, s->b);
  else
    s->lapack->solve_triangle(s->dtype, how, s->n, s->columns, s->a, s->b);
}

static void solve_lu(const sides* s, char op, const int32_t* pivot) {
  const oyi_triangle lower = {op, false, true}, upper = {op, true, false};
  if (op == 'N') permute(pivot, false, s);
  solve_triangle(s, op == 'N' ? &lower : &upper);
  solve_triangle(s, op == 'N' ? &upper : &lower);
  if (op != 'N') permute(pivot, true, s);
}

static oy_status solve_some(int64_t begin, int64_t end, void* context) {
  const solve_run* r = context;
  const int64_t n = oyi_rows(r->a), columns = oyi_columns(r->b);
  for (int64_t i = begin; i < end; i++) {
    const int64_t k = i / r->stripes, first = i % r->stripes * r->stripe;
    const sides s = {r->lapack,
                     r->a->header.dtype,
                     n,
                     oyi_least(r->stripe, columns - first),
                     oyi_matrix_at(r->a, k),
                     (char*)oyi_matrix_at(r->b, k) + first * n * oyi_item(r->b)};
    if (r->pivots)
      solve_lu(&s, r->how.op, oyi_row_at(r->pivots, k));
    else
      solve_triangle(&s, &r->how);
  }
  return OY_OK;
}

// Of a few great matrices the columns are shared by threads, of more of them the matrices.
static oy_status run_stripes(solve_run* r) {
  enum { GREAT = 96, FEW = 8, UNIT = 4 };
  const int64_t columns = oyi_columns(r->b);
  r->stripe = columns > 0 ? columns : 1;
  if (oyi_rows(r->a) >= GREAT && oyi_matrix_count(r->b) < FEW && oy_get_num_threads() > 1)
    r->stripe = oyi_stripe_of(r->stripe, UNIT);
  r->stripes = (columns + r->stripe - 1) / r->stripe;
  return oyi_matrices_each_part(r->b, r->stripes, oyi_rows(r->a), solve_some, r);
}

oy_status oyi_lu_solve(const oyi_lapack* lapack, const oyi_tensor* lu,
                       const oyi_tensor* pivots, char op, oyi_tensor* b) {
  solve_run run = {
      .lapack = lapack, .a = lu, .pivots = pivots, .how = {.op = op}, .b = b};
  return run_stripes(&run);
}

oy_status oyi_triangles_solve(const oyi_lapack* lapack, const oyi_tensor* a,
                              oyi_triangle how, oyi_tensor* b) {
  solve_run run = {.lapack = lapack, .a = a, .how = how, .b = b};
  return run_stripes(&run);
}
