// SPDX-License-Identifier: Apache-2.0
// OpenBLAS' LAPACK as the functions of one matrix, and the kernels that use it as variants
// beside the portable ones. Matrices are small as often as not, so OpenBLAS has one thread.
#include <limits.h>
#include <pthread.h>

#include "backends/cpu/linalg/openblas.h"
#include "backends/cpu/linalg/openblas_functions.h"
#include "base/memory.h"

oyi_openblas_functions oyi_openblas_f[OYI_LETTERS];
static bool g_ready;
static pthread_once_t g_once = PTHREAD_ONCE_INIT;

static bool load_letter(void* library, int letter, oyi_openblas_functions* f) {
  const bool real = letter < 2;
  const char l = "sdcz"[letter];
  struct {
    const char* name;
    void* to;
  } const all[] = {{"getrf_", &f->getrf},
                   {"potrf_", &f->potrf},
                   {"laswp_", &f->laswp},
                   {"trsm_", &f->trsm},
                   {"gemm_", &f->gemm},
                   {"geqr2_", &f->geqr2},
                   {real ? "org2r_" : "ung2r_", &f->org2r},
                   {"geqrf_", &f->geqrf},
                   {real ? "orgqr_" : "ungqr_", &f->orgqr},
                   {real ? "ormqr_" : "unmqr_", &f->ormqr},
                   {"gelsy_", &f->gelsy},
                   {"gelsd_", &f->gelsd},
                   {"gesdd_", &f->gesdd},
                   {real ? "syevd_" : "heevd_", &f->syevd},
                   {"geev_", &f->geev},
                   {"potri_", &f->potri},
                   {"sytf2_", &f->sytf2},
                   {real ? "sytf2_" : "hetf2_", &f->hetf2},
                   {"sytrf_", &f->sytrf},
                   {real ? "sytrf_" : "hetrf_", &f->hetrf}};
  for (size_t i = 0; i < OY_ARRAY_SIZE(all); i++) {
    char name[16] = {l};
    strcat(name, all[i].name);
    void* found = oyi_openblas_symbol(library, name);
    if (!found) return false;
    memcpy(all[i].to, &found, sizeof found);
  }
  return true;
}

static void load(void) {
  void* library = oyi_openblas_library();
  g_ready = library != NULL;
  for (int i = 0; g_ready && i < OYI_LETTERS; i++)
    g_ready = load_letter(library, i, &oyi_openblas_f[i]);
}

// Up to this many reflectors LAPACK takes one by one, and needs room for a row alone: to have
// it ask itself which way to go takes as long as a small matrix.
enum { UNBLOCKED = 32 };

static void solve_triangle(oy_dtype dtype, const oyi_triangle* how, int64_t n,
                           int64_t columns, const void* a, void* b) {
  const int letter = oyi_letter_of(dtype), rows = (int)n, right = (int)columns,
            ld = oyi_at_least_one(n);
  if (n == 0 || columns == 0) return;
  oyi_openblas_f[letter].trsm("L", how->upper ? "U" : "L", &how->op,
                              how->unit ? "U" : "N", &rows, &right,
                              oyi_letter_one(letter), a, &ld, b, &ld, 1, 1, 1, 1);
}

static int32_t small_qr(int letter, int m, int n, void* a, void* tau) {
  const int lda = m;
  int info = 0;
  oyi_openblas_room room;
  char* work = oyi_openblas_room_begin(&room, (size_t)n * oyi_letter_item(letter));
  if (!work) return OYI_LAPACK_NO_MEMORY;
  oyi_openblas_f[letter].geqr2(&m, &n, a, &lda, tau, work, &info);
  oyi_openblas_room_end(&room);
  return info;
}

static int32_t qr(oy_dtype dtype, int64_t m, int64_t n, void* a, void* tau) {
  int letter = oyi_letter_of(dtype), rows = (int)m, columns = (int)n,
      lda = oyi_at_least_one(m);
  int size = -1, info = 0;
  double query[2];
  if (m == 0 || n == 0) return 0;
  if (m == 1 && letter < 2) {  // a row is R
    memset(tau, 0, oyi_letter_item(letter));
    return 0;
  }
  if (oyi_least(m, n) <= UNBLOCKED) return small_qr(letter, rows, columns, a, tau);
  oyi_openblas_f[letter].geqrf(&rows, &columns, a, &lda, tau, query, &size, &info);
  size = oyi_openblas_asked(letter, query);
  void* work = oyi_calloc((size_t)size, oyi_letter_item(letter));
  if (!work) return OYI_LAPACK_NO_MEMORY;
  oyi_openblas_f[letter].geqrf(&rows, &columns, a, &lda, tau, work, &size, &info);
  oyi_free(work);
  return info;
}

static int32_t make_small_q(int letter, int m, int n, int k, void* a, const void* tau) {
  const int lda = m;
  int info = 0;
  oyi_openblas_room room;
  char* work = oyi_openblas_room_begin(&room, (size_t)n * oyi_letter_item(letter));
  if (!work) return OYI_LAPACK_NO_MEMORY;
  oyi_openblas_f[letter].org2r(&m, &n, &k, a, &lda, tau, work, &info);
  oyi_openblas_room_end(&room);
  return info;
}

static int32_t make_q(oy_dtype dtype, int64_t m, int64_t n, int64_t k, void* a,
                      const void* tau) {
  int letter = oyi_letter_of(dtype), rows = (int)m, columns = (int)n, count = (int)k;
  int lda = oyi_at_least_one(m), size = -1, info = 0;
  double query[2];
  if (m == 0 || n == 0) return 0;
  if (k <= UNBLOCKED) return make_small_q(letter, rows, columns, count, a, tau);
  oyi_openblas_f[letter].orgqr(&rows, &columns, &count, a, &lda, tau, query, &size,
                               &info);
  size = oyi_openblas_asked(letter, query);
  void* work = oyi_calloc((size_t)size, oyi_letter_item(letter));
  if (!work) return OYI_LAPACK_NO_MEMORY;
  oyi_openblas_f[letter].orgqr(&rows, &columns, &count, a, &lda, tau, work, &size, &info);
  oyi_free(work);
  return info;
}

static int32_t multiply_q(oy_dtype dtype, bool adjoint, int64_t m, int64_t n, int64_t k,
                          const void* a, const void* tau, void* c) {
  int letter = oyi_letter_of(dtype), rows = (int)m, columns = (int)n, count = (int)k;
  int ld = oyi_at_least_one(m), size = -1, info = 0;
  const char* op = !adjoint ? "N" : letter < 2 ? "T" : "C";
  double query[2];
  if (m == 0 || n == 0 || k == 0) return 0;
  if (k > UNBLOCKED)
    oyi_openblas_f[letter].ormqr("L", op, &rows, &columns, &count, a, &ld, tau, c, &ld,
                                 query, &size, &info, 1, 1);
  size = k > UNBLOCKED ? oyi_openblas_asked(letter, query) : columns;
  void* work = oyi_calloc((size_t)size, oyi_letter_item(letter));
  if (!work) return OYI_LAPACK_NO_MEMORY;
  oyi_openblas_f[letter].ormqr("L", op, &rows, &columns, &count, a, &ld, tau, c, &ld,
                               work, &size, &info, 1, 1);
  oyi_free(work);
  return info;
}

static const oyi_lapack g_openblas = {.native = true,
                                      .lu = oyi_blocked_lu,
                                      .cholesky = oyi_blocked_cholesky,
                                      .invert_factor = oyi_openblas_invert_factor,
                                      .ldl = oyi_openblas_ldl,
                                      .solve_triangle = solve_triangle,
                                      .qr = qr,
                                      .make_q = make_q,
                                      .multiply_q = multiply_q,
                                      .least_squares = oyi_openblas_least_squares,
                                      .full_rank_squares = oyi_openblas_full_rank_squares,
                                      .squares_by_values = oyi_openblas_squares_by_values,
                                      .svd = oyi_openblas_svd,
                                      .eigh = oyi_openblas_eigh,
                                      .eig = oyi_openblas_eig};

const oyi_lapack* oyi_lapack_openblas(void) {
  pthread_once(&g_once, load);
  return g_ready ? &g_openblas : &oyi_lapack_portable;
}

// -------------------------------------------------------------------------- kernels

// clang-format off: it does not come to an end with this list
#define KERNELS(X)                  \
  X(linalg_lu_factor_ex)            \
  X(linalg_lu_factor_ex_out)        \
  X(linalg_lu)                      \
  X(linalg_lu_out)                  \
  X(_linalg_det)                    \
  X(_linalg_det_result)             \
  X(_linalg_slogdet)                \
  X(_linalg_slogdet_sign)           \
  X(linalg_cholesky_ex)             \
  X(linalg_cholesky_ex_L)           \
  X(cholesky)                       \
  X(cholesky_out)                   \
  X(linalg_lu_solve)                \
  X(linalg_lu_solve_out)            \
  X(_linalg_solve_ex)               \
  X(_linalg_solve_ex_result)        \
  X(linalg_inv_ex)                  \
  X(linalg_inv_ex_inverse)          \
  X(linalg_solve_triangular)        \
  X(linalg_solve_triangular_out)    \
  X(triangular_solve)               \
  X(triangular_solve_X)             \
  X(_cholesky_solve_helper)         \
  X(cholesky_inverse)               \
  X(cholesky_inverse_out)           \
  X(linalg_ldl_factor_ex)           \
  X(linalg_ldl_factor_ex_out)       \
  X(geqrf)                          \
  X(geqrf_a)                        \
  X(linalg_qr)                      \
  X(linalg_qr_out)                  \
  X(linalg_lstsq)                   \
  X(linalg_matrix_exp)              \
  X(linalg_householder_product)     \
  X(linalg_householder_product_out) \
  X(ormqr)                          \
  X(ormqr_out)                      \
  X(_linalg_svd)                    \
  X(_linalg_svd_U)                  \
  X(_linalg_eigh)                   \
  X(_linalg_eigh_eigenvalues)       \
  X(linalg_eig)                     \
  X(linalg_eig_out)                 \
  X(_linalg_eigvals)                \
  X(linalg_eigvals_out)
// clang-format on

#define DECLARE(id) \
  OYI_RESULT_##id oyi_openblas_##id(const oy_op*, oy_keyset, OYI_PARAMS_##id);
KERNELS(DECLARE)

enum { PRIORITY = 100 };  // above the portable ones
#define ROW(id, dtype)                                               \
  {                                                                  \
    OYI_OP_##id, OY_FOR_DTYPE(OY_DTYPE_##dtype), PRIORITY, __LINE__, \
        (oy_typed_fn)oyi_openblas_##id, __FILE__                     \
  }
#define ROWS(id) ROW(id, F32), ROW(id, F64), ROW(id, C64), ROW(id, C128),
static const oyi_kernel_row g_rows[] = {KERNELS(ROWS)};

oy_status oyi_register_openblas_lapack(oy_library* library) {
  if (!oyi_openblas_path()) return OY_OK;
  return oyi_register_rows(library, OY_KEY_CPU, g_rows, OY_ARRAY_SIZE(g_rows));
}
