// SPDX-License-Identifier: Apache-2.0
// The functions of OpenBLAS' LAPACK, as Fortran calls them, for the files openblas_*.c.
#ifndef OPYARD_SRC_BACKENDS_CPU_LINALG_OPENBLAS_FUNCTIONS_H_
#define OPYARD_SRC_BACKENDS_CPU_LINALG_OPENBLAS_FUNCTIONS_H_

#include <limits.h>

#include "backends/cpu/linalg/linalg.h"
#include "base/memory.h"

// Fortran's: everything by address, lengths of texts behind.
typedef void (*getrf_fn)(const int* m, const int* n, void* a, const int* lda, int* pivots,
                         int* info);
typedef void (*potrf_fn)(const char* uplo, const int* n, void* a, const int* lda,
                         int* info, size_t);
typedef void (*trsm_fn)(const char* side, const char* uplo, const char* op,
                        const char* unit, const int* m, const int* n, const void* alpha,
                        const void* a, const int* lda, void* b, const int* ldb, size_t,
                        size_t, size_t, size_t);
typedef void (*laswp_fn)(const int* n, void* a, const int* lda, const int* first,
                         const int* last, const int* pivots, const int* step);
typedef void (*geqrf_fn)(const int* m, const int* n, void* a, const int* lda, void* tau,
                         void* work, const int* size, int* info);
// One reflector after the other.
typedef void (*geqr2_fn)(const int* m, const int* n, void* a, const int* lda, void* tau,
                         void* work, int* info);
typedef void (*org2r_fn)(const int* m, const int* n, const int* k, void* a,
                         const int* lda, const void* tau, void* work, int* info);
typedef void (*orgqr_fn)(const int* m, const int* n, const int* k, void* a,
                         const int* lda, const void* tau, void* work, const int* size,
                         int* info);
typedef void (*ormqr_fn)(const char* side, const char* op, const int* m, const int* n,
                         const int* k, const void* a, const int* lda, const void* tau,
                         void* c, const int* ldc, void* work, const int* size, int* info,
                         size_t, size_t);
typedef void (*gesdd_fn)(const char* job, const int* m, const int* n, void* a,
                         const int* lda, void* s, void* u, const int* ldu, void* vt,
                         const int* ldvt, void* work, const int* size, void* more,
                         void* last, void* info);
typedef void (*syevd_fn)(const char* job, const char* uplo, const int* n, void* a,
                         const int* lda, void* w, void* work, const int* size, void* b,
                         void* c, void* d, void* e, void* f, void* g);
typedef void (*geev_fn)(const char* left, const char* right, const int* n, void* a,
                        const int* lda, void* w, void* b, void* c, void* d, void* e,
                        void* f, void* g, void* h, void* i);

typedef void (*gelsy_fn)(const int* m, const int* n, const int* columns, void* a,
                         const int* lda, void* b, const int* ldb, int* pivots,
                         const void* rcond, int* rank, void* work, const int* size,
                         void* c, void* d);

typedef void (*gelsd_fn)(const int* m, const int* n, const int* columns, void* a,
                         const int* lda, void* b, const int* ldb, void* s,
                         const void* rcond, int* rank, void* work, const int* size,
                         void* c, void* d, void* e);

typedef void (*potri_fn)(const char* uplo, const int* n, void* a, const int* lda,
                         int* info, size_t);
typedef void (*sytf2_fn)(const char* uplo, const int* n, void* a, const int* lda,
                         int* pivots, int* info, size_t);
typedef void (*sytrf_fn)(const char* uplo, const int* n, void* a, const int* lda,
                         int* pivots, void* work, const int* size, int* info, size_t);

typedef void (*gemm_fn)(const char* a_op, const char* b_op, const int* m, const int* n,
                        const int* k, const void* alpha, const void* a, const int* lda,
                        const void* b, const int* ldb, const void* beta, void* c,
                        const int* ldc, size_t, size_t);

typedef struct oyi_openblas_functions {
  getrf_fn getrf;
  potrf_fn potrf;
  laswp_fn laswp;
  trsm_fn trsm;
  gemm_fn gemm;
  geqr2_fn geqr2;
  org2r_fn org2r;
  geqrf_fn geqrf;
  orgqr_fn orgqr;
  ormqr_fn ormqr;
  gelsy_fn gelsy;
  gelsd_fn gelsd;
  gesdd_fn gesdd;
  syevd_fn syevd;
  geev_fn geev;
  potri_fn potri;
  // Of symmetric matrices, and of Hermitian ones; by columns, and by blocks of them.
  sytf2_fn sytf2, hetf2;
  sytrf_fn sytrf, hetrf;
} oyi_openblas_functions;

// One of each for each of four dtypes, by the letters s, d, c, z.
enum { OYI_LETTERS = 4 };
static inline int oyi_letter_of(oy_dtype dtype) {
  return dtype == OY_DTYPE_F32   ? 0
         : dtype == OY_DTYPE_F64 ? 1
         : dtype == OY_DTYPE_C64 ? 2
                                 : 3;
}
static inline bool oyi_letter_is_real(int letter) {
  return letter < 2;
}
static inline size_t oyi_letter_item(int letter) {
  static const size_t items[] = {4, 8, 8, 16};
  return items[letter];
}
// The size of a part.
static inline size_t oyi_letter_real(int letter) {
  return letter % 2 == 0 ? sizeof(float) : sizeof(double);
}

// 1, as its functions read it.
static inline const void* oyi_letter_one(int letter) {
  static const float single[2] = {1, 0};
  static const double twice[2] = {1, 0};
  return oyi_letter_real(letter) == sizeof(float) ? (const void*)single : twice;
}

// Filled before oyi_lapack_openblas gives its functions away, and then only read.
extern oyi_openblas_functions oyi_openblas_f[OYI_LETTERS];

static inline int oyi_at_least_one(int64_t n) {
  return n > 0 ? (int)n : 1;
}

// How much work a query asked for, in elements.
static inline int oyi_openblas_asked(int letter, const void* work) {
  const double size = oyi_letter_real(letter) == sizeof(float)
                          ? (double)*(const float*)work
                          : *(const double*)work;
  return size < 1 ? 1 : size > INT_MAX / 2 ? INT_MAX / 2 : (int)size;
}

// Memory for the work of one matrix: of a small one what the caller has, for taking it from
// the heap is felt there.
typedef struct oyi_openblas_room {
  _Alignas(16) char here[4096];
  void* there;
} oyi_openblas_room;
static inline char* oyi_openblas_room_begin(oyi_openblas_room* room, size_t size) {
  room->there = size > sizeof(room->here) ? oyi_malloc(size) : NULL;
  return size > sizeof(room->here) ? room->there : room->here;
}
static inline void oyi_openblas_room_end(oyi_openblas_room* room) {
  if (room->there) oyi_free(room->there);
}

// Functions of oyi_lapack.
int32_t oyi_blocked_lu(oy_dtype dtype, int64_t m, int64_t n, void* a, int32_t* pivots);
int32_t oyi_blocked_cholesky(oy_dtype dtype, int64_t n, void* a);
int32_t oyi_openblas_least_squares(oy_dtype dtype, int64_t m, int64_t n, int64_t columns,
                                   void* a, void* b, double rcond, int32_t* rank);
int32_t oyi_openblas_full_rank_squares(oy_dtype dtype, bool turned, int64_t m, int64_t n,
                                       int64_t columns, void* a, void* b, double rcond,
                                       bool* full);
int32_t oyi_openblas_squares_by_values(oy_dtype dtype, int64_t m, int64_t n,
                                       int64_t columns, void* a, void* b, void* values,
                                       double rcond, int32_t* rank);
int32_t oyi_openblas_svd(oy_dtype dtype, bool full, int64_t m, int64_t n, void* a,
                         void* s, void* u, void* vh);
int32_t oyi_openblas_eigh(oy_dtype dtype, bool vectors, int64_t n, void* a, void* values);
int32_t oyi_openblas_eig(oy_dtype dtype, int64_t n, void* a, void* values, void* vectors);
int32_t oyi_openblas_invert_factor(oy_dtype dtype, bool upper, int64_t n, void* a);
int32_t oyi_openblas_ldl(oy_dtype dtype, bool hermitian, int64_t n, void* a,
                         int32_t* pivots);

#endif  // OPYARD_SRC_BACKENDS_CPU_LINALG_OPENBLAS_FUNCTIONS_H_
