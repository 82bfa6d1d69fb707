// SPDX-License-Identifier: Apache-2.0
// Least squares by OpenBLAS' LAPACK: with column pivoting, and of matrices of full rank without.
#include <math.h>

#include "backends/cpu/linalg/openblas_functions.h"

// How many times as much as the rank is told by, where columns were not exchanged.
enum { FEW = 16 };

int32_t oyi_openblas_least_squares(oy_dtype dtype, int64_t m, int64_t n, int64_t columns,
                                   void* a, void* b, double rcond, int32_t* rank) {
  const int letter = oyi_letter_of(dtype), rows = (int)m, across = (int)n,
            right = (int)columns, lda = oyi_at_least_one(m), ldb = (int)(m > n ? m : n);
  const int64_t block = 32, least = oyi_least(m, n);
  // As documented for blocks of that size.
  const int size =
      (int)oyi_least(INT_MAX, 2 * least + 3 * n + block * (least + n + 1 + columns));
  const float rcond_s = (float)rcond;
  const void* limit =
      oyi_letter_real(letter) == sizeof(float) ? (const void*)&rcond_s : &rcond;
  int info = 0, *pivots = oyi_calloc((size_t)n, sizeof(int));
  void* work = oyi_malloc((size_t)size * oyi_letter_item(letter));
  void* reals = letter < 2 ? work : oyi_malloc((size_t)n * 2 * oyi_letter_real(letter));
  if (!pivots || !work || !reals)
    info = OYI_LAPACK_NO_MEMORY;
  else if (letter < 2)
    oyi_openblas_f[letter].gelsy(&rows, &across, &right, a, &lda, b, &ldb, pivots, limit,
                                 rank, work, &size, &info, NULL);
  else
    oyi_openblas_f[letter].gelsy(&rows, &across, &right, a, &lda, b, &ldb, pivots, limit,
                                 rank, work, &size, reals, &info);
  oyi_free(pivots);
  oyi_free(work);
  if (letter >= 2) oyi_free(reals);
  return info;
}

// The size of the diagonal's element |i| of R, m x n.
static double diagonal_size(int letter, const void* r, int64_t m, int64_t i) {
  const int parts = oyi_letter_is_real(letter) ? 1 : 2;
  const int64_t at = i * (m + 1) * parts;
  double size = 0;
  for (int k = 0; k < parts; k++)
    size = fmax(size, fabs(oyi_letter_real(letter) == sizeof(float)
                               ? (double)((const float*)r)[at + k]
                               : ((const double*)r)[at + k]));
  return size;
}

// Whether R has nothing on its diagonal that rounding alone could have left of a column, which a
// NaN has not.
static bool is_of_full_rank(int letter, const void* r, int64_t m, int64_t n,
                            double rcond) {
  double least = INFINITY, most = 0;
  for (int64_t i = 0; i < n; i++) {
    const double size = diagonal_size(letter, r, m, i);
    if (!(size > 0)) return false;
    least = fmin(least, size);
    most = fmax(most, size);
  }
  return least > FEW * rcond * most;
}

int32_t oyi_openblas_full_rank_squares(oy_dtype dtype, bool turned, int64_t m, int64_t n,
                                       int64_t columns, void* a, void* b, double rcond,
                                       bool* full) {
  const int letter = oyi_letter_of(dtype), order = (int)n, right = (int)columns,
            ld = (int)m;
  const oyi_lapack* lapack = oyi_lapack_openblas();
  oyi_openblas_room room;
  char* tau = oyi_openblas_room_begin(&room, (size_t)n * oyi_letter_item(letter));
  int32_t info = tau ? lapack->qr(dtype, m, n, a, tau) : OYI_LAPACK_NO_MEMORY;
  *full = info == 0 && is_of_full_rank(letter, a, m, n, rcond);
  if (*full) {
    const char op = !turned ? 'N' : letter < 2 ? 'T' : 'C';
    if (!turned) info = lapack->multiply_q(dtype, true, m, columns, n, a, tau, b);
    oyi_openblas_f[letter].trsm("L", "U", &op, "N", &order, &right,
                                oyi_letter_one(letter), a, &ld, b, &ld, 1, 1, 1, 1);
    if (turned) info = lapack->multiply_q(dtype, false, m, columns, n, a, tau, b);
  }
  oyi_openblas_room_end(&room);
  return info;
}

typedef struct values_call {
  int letter, m, n, columns, ldb;
  void *a, *b, *values, *reals;
  int *places, *rank;
  const void* limit;
} values_call;

static int call_gelsd(const values_call* c, void* work, int size) {
  const int lda = oyi_at_least_one(c->m);
  int info = 0;
  if (oyi_letter_is_real(c->letter))
    oyi_openblas_f[c->letter].gelsd(&c->m, &c->n, &c->columns, c->a, &lda, c->b, &c->ldb,
                                    c->values, c->limit, c->rank, work, &size, c->places,
                                    &info, NULL);
  else
    oyi_openblas_f[c->letter].gelsd(&c->m, &c->n, &c->columns, c->a, &lda, c->b, &c->ldb,
                                    c->values, c->limit, c->rank, work, &size, c->reals,
                                    c->places, &info);
  return info;
}

static size_t up(size_t size) {
  return (size + 15) / 16 * 16;
}

// Calls it with the room that it asks for: what it takes, real numbers beside complex ones, places.
static int32_t call_with_room(values_call* c) {
  const size_t item = oyi_letter_item(c->letter), real = oyi_letter_real(c->letter);
  double query[2], reals = 0;
  int places = 1;
  c->reals = &reals, c->places = &places;
  int32_t info = call_gelsd(c, query, -1);
  if (info != 0) return info;
  const int size = oyi_openblas_asked(c->letter, query);
  const int beside = oyi_letter_is_real(c->letter)
                         ? 0
                         : oyi_openblas_asked(real == sizeof(float) ? 0 : 1, &reals);
  const size_t first = up((size_t)size * item), second = up((size_t)beside * real);
  oyi_openblas_room room;
  char* work =
      oyi_openblas_room_begin(&room, first + second + (size_t)places * sizeof(int));
  if (!work) return OYI_LAPACK_NO_MEMORY;
  c->reals = work + first, c->places = (int*)(work + first + second);
  info = call_gelsd(c, work, size);
  oyi_openblas_room_end(&room);
  return info;
}

int32_t oyi_openblas_squares_by_values(oy_dtype dtype, int64_t m, int64_t n,
                                       int64_t columns, void* a, void* b, void* values,
                                       double rcond, int32_t* rank) {
  const int letter = oyi_letter_of(dtype);
  const float rcond_s = (float)rcond;
  values_call c = {
      .letter = letter,
      .m = (int)m,
      .n = (int)n,
      .columns = (int)columns,
      .ldb = (int)(m > n ? m : n),
      .a = a,
      .b = b,
      .values = values,
      .rank = rank,
      .limit = oyi_letter_real(letter) == sizeof(float) ? (const void*)&rcond_s : &rcond};
  return call_with_room(&c);
}
