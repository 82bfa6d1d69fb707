// SPDX-License-Identifier: Apache-2.0
// What OpenBLAS' LAPACK makes of symmetric and Hermitian matrices: inverses by their Cholesky
// factors, and factors by diagonal pivoting.
#include "backends/cpu/linalg/openblas_functions.h"

int32_t oyi_openblas_invert_factor(oy_dtype dtype, bool upper, int64_t n, void* a) {
  const int size = (int)n, ld = oyi_at_least_one(n);
  int info = 0;
  oyi_openblas_f[oyi_letter_of(dtype)].potri(upper ? "U" : "L", &size, a, &ld, &info, 1);
  return info;
}

// Up to so many columns LAPACK takes them one by one, and needs no room. It takes more by blocks of
// as many as it has room for, which are faster narrow: what a block has of its own is by vectors.
enum { UNBLOCKED = 64, BLOCK = 32 };

int32_t oyi_openblas_ldl(oy_dtype dtype, bool hermitian, int64_t n, void* a,
                         int32_t* pivots) {
  const int letter = oyi_letter_of(dtype), order = (int)n, ld = oyi_at_least_one(n);
  const oyi_openblas_functions* f = &oyi_openblas_f[letter];
  int info = 0;
  if (n <= UNBLOCKED) {
    (hermitian ? f->hetf2 : f->sytf2)("L", &order, a, &ld, pivots, &info, 1);
    return info;
  }
  const sytrf_fn factor = hermitian ? f->hetrf : f->sytrf;
  const int size = order * BLOCK;
  void* work = oyi_malloc((size_t)size * oyi_letter_item(letter));
  if (!work) return OYI_LAPACK_NO_MEMORY;
  factor("L", &order, a, &ld, pivots, work, &size, &info, 1);
  oyi_free(work);
  return info;
}
