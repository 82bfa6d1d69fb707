// SPDX-License-Identifier: Apache-2.0
// Inverses of matrices by their Cholesky factors, where a library makes the one of the other.
#include <complex.h>

#include "backends/cpu/linalg/linalg.h"
#include "backends/cpu/linalg/linalg_small.h"

typedef struct inversion {
  const oyi_lapack* lapack;
  oyi_tensor* a;
  bool upper;
  bool singular;  // written by any thread, if at all
} inversion;

// Whether the library takes less than equations do: vectors take small ones apart, its products of
// floats are faster than its triangles, and threads share the columns of a great matrix.
static bool inverts(const oyi_lapack* lapack, const oyi_tensor* a) {
  enum { SOME = 80, GREAT = 128 };
  const oy_dtype dtype = a->header.dtype;
  const int64_t n = oyi_rows(a);
  if (!lapack->invert_factor || n <= OYI_LINALG_SMALL || dtype == OY_DTYPE_F32 ||
      (dtype == OY_DTYPE_F64 && n < SOME))
    return false;
  return n < GREAT || oyi_matrix_count(a) > 1 || oy_get_num_threads() == 1;
}

// The other triangle, conjugated.
#define REFLECT(T, CONJ)                                         \
  for (int64_t j = 0; j < n; j++)                                \
    for (int64_t i = j + 1; i < n; i++) {                        \
      T *low = (T*)a + (i + j * n), *high = (T*)a + (j + i * n); \
      if (upper)                                                 \
        *low = CONJ(*high);                                      \
      else                                                       \
        *high = CONJ(*low);                                      \
    }                                                            \
  break
static void reflect(oy_dtype dtype, bool upper, int64_t n, void* a) {
  switch (dtype) {
    case OY_DTYPE_F32: REFLECT(float, );
    case OY_DTYPE_F64: REFLECT(double, );
    case OY_DTYPE_C64: REFLECT(float complex, conjf);
    default: REFLECT(double complex, conj);
  }
}

static oy_status invert_some(int64_t begin, int64_t end, void* context) {
  inversion* r = context;
  const oy_dtype dtype = r->a->header.dtype;
  const int64_t n = oyi_rows(r->a);
  for (int64_t i = begin; i < end; i++) {
    char* a = oyi_matrix_at(r->a, i);
    const int32_t info = r->lapack->invert_factor(dtype, r->upper, n, a);
    OY_TRY(oyi_check_info(info));
    if (info > 0) __atomic_store_n(&r->singular, true, __ATOMIC_RELAXED);
    reflect(dtype, r->upper, n, a);
  }
  return OY_OK;
}

oyi_tensor* oyi_factors_inverse(const oyi_lapack* lapack, oy_object* a, bool upper,
                                oy_status* status) {
  const oyi_tensor* t = oyi_tensor_cast(a);
  if (oyi_is_meta(t) || t->numel == 0 || !inverts(lapack, t)) return NULL;
  inversion run = {lapack, oyi_matrices_work(lapack, a), upper, false};
  *status =
      run.a ? oyi_matrices_each(run.a, oyi_rows(t), invert_some, &run) : oy_failure();
  if (*status == OY_OK && !run.singular) return run.a;
  oy_tensor_release(oyi_tensor_object(run.a));
  return NULL;
}
