// SPDX-License-Identifier: Apache-2.0
// Equations with small triangles of whole numbers, for every number of right sides around the
// lengths of vectors: what is found is what the right sides were made of.
#include <complex.h>

#include "base/memory.h"
#include "support/tensors.h"

enum { BATCH = 3, MOST = 16, SIDES = 11 };

static const oy_dtype g_dtypes[] = {OY_DTYPE_F32, OY_DTYPE_F64, OY_DTYPE_C64,
                                    OY_DTYPE_C128};

static int part_at(int64_t i, int which) {
  return (int)((i * 7 + which * 5 + i / 3) % 5) - 2;
}
static double complex number_at(int64_t i, int which, bool pairs) {
  return part_at(2 * i, which) + (pairs ? I * part_at(2 * i + 1, which) : 0);
}

typedef struct triangle {
  int64_t n;
  bool upper, unit, pairs;
} triangle;

// Number (i, j) of matrix |k|, whose diagonal has inverses that are whole numbers. |stored|: as
// it lies, where the diagonal of a unit triangle is not to be read.
static double complex number_of(const triangle* t, int64_t k, int64_t i, int64_t j,
                                bool stored) {
  if (i == j && t->unit) return stored ? NAN : 1;
  if (i == j) return (i + k) % 2 ? -1 : t->pairs && i % 4 == 2 ? I : 1;
  const bool is_there = t->upper ? j > i : j < i;
  return is_there ? number_at((k * t->n + i) * t->n + j, 0, t->pairs) : 0;
}

static oy_tensor* made_of(const double complex* all, int64_t rows, int64_t columns,
                          oy_dtype dtype) {
  const bool pairs = oy_dtype_is_complex(dtype);
  const oy_dtype part = dtype == OY_DTYPE_C64 ? OY_DTYPE_F32 : OY_DTYPE_F64;
  oy_tensor* wide =
      oy_tensor_from_data(all, OY_DIMS(BATCH, rows, columns, 2), OY_DTYPE_F64);
  oy_tensor* kept = pairs ? oy_tensor_retain(wide) : oy_select_int(wide, 3, 0);
  oy_tensor* typed = oy_to_dtype(kept, pairs ? part : dtype, false, true, oy_none());
  oy_tensor* together = oy_contiguous(typed, OY_MEMORY_CONTIGUOUS);
  oy_tensor* made = pairs ? oy_view_as_complex(together) : oy_tensor_retain(together);
  oy_tensor* const all_made[] = {wide, kept, typed, together};
  for (int i = 0; i < 4; i++) oy_tensor_release(all_made[i]);
  return made;
}

static void one(const triangle* t, int64_t columns, oy_dtype dtype) {
  static double complex a[BATCH * MOST * MOST], x[BATCH * MOST * SIDES],
      b[BATCH * MOST * SIDES];
  const int64_t n = t->n;
  for (int64_t i = 0; i < BATCH * n * columns; i++) x[i] = number_at(i, 1, t->pairs);
  for (int64_t k = 0; k < BATCH; k++)
    for (int64_t i = 0; i < n; i++) {
      for (int64_t j = 0; j < n; j++)
        a[(k * n + i) * n + j] = number_of(t, k, i, j, true);
      for (int64_t c = 0; c < columns; c++) {
        double complex sum = 0;
        for (int64_t j = 0; j < n; j++)
          sum += number_of(t, k, i, j, false) * x[(k * n + j) * columns + c];
        b[(k * n + i) * columns + c] = sum;
      }
    }
  oy_tensor *left = made_of(a, n, n, dtype), *right = made_of(b, n, columns, dtype);
  oy_tensor* want = made_of(x, n, columns, dtype);
  oy_tensor* got = oy_linalg_solve_triangular(left, right, t->upper, true, t->unit);
  assert_non_null(got);
  bool same = false;
  assert_int_equal(oy_equal(got, want, &same), OY_OK);
  assert_true(same);
  oy_tensor* const made[] = {left, right, want, got};
  for (int i = 0; i < 4; i++) oy_tensor_release(made[i]);
}

static void solutions_are_exact(void** state) {
  (void)state;
  static const int64_t sizes[] = {1, 2, 3, 7, 16};
  for (size_t d = 0; d < OY_ARRAY_SIZE(g_dtypes); d++)
    for (size_t s = 0; s < OY_ARRAY_SIZE(sizes); s++)
      for (int64_t columns = 1; columns <= SIDES; columns++)
        for (int how = 0; how < 4; how++) {
          const bool pairs = oy_dtype_is_complex(g_dtypes[d]);
          const triangle t = {sizes[s], (how & 1) != 0, (how & 2) != 0, pairs};
          one(&t, columns, g_dtypes[d]);
        }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(solutions_are_exact)};
  return cmocka_run_group_tests(tests, init_library, shut_library);
}
