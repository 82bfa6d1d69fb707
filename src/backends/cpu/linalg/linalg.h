// SPDX-License-Identifier: Apache-2.0
// What the kernels of linear algebra share: batches of matrices by columns, as LAPACK wants
// them, and the functions of one matrix, portable or from a library.
//
// A kernel is written once, LINALG(id) { ... }, and sees |lapack|: it becomes oy_cpu_<id>,
// with the portable functions, and oyi_openblas_<id>, a variant beside it.
#ifndef OPYARD_SRC_BACKENDS_CPU_LINALG_LINALG_H_
#define OPYARD_SRC_BACKENDS_CPU_LINALG_LINALG_H_

#include "backends/cpu/kernels.h"
#include "ops/linalg_errors.h"
#include "tensor/element.h"
#include "tensor/promotion.h"

typedef struct oyi_triangle {
  char op;  // 'N': as it is, 'T': transposed, 'C': and conjugated
  bool upper, unit;
} oyi_triangle;

enum { OYI_LAPACK_NO_MEMORY = -100 };

// Matrices are column-major and without gaps: element (i, j) of m rows is at a[i + j * m].
// What they give is LAPACK's |info|: 0, or what is wrong with the matrix, or
// OYI_LAPACK_NO_MEMORY.
typedef struct oyi_lapack {
  bool native;  // for all four dtypes; if not, for F64 and C128
  // |pivots| count from 1.
  int32_t (*lu)(oy_dtype dtype, int64_t m, int64_t n, void* a, int32_t* pivots);
  int32_t (*cholesky)(oy_dtype dtype, int64_t n, void* a);  // lower triangle
  // The inverse of A A^H, of A^H A if it is the upper triangle, in place of A: this triangle of
  // it. A as it was where it has a zero on the diagonal. NULL if equations are there for it.
  int32_t (*invert_factor)(oy_dtype dtype, bool upper, int64_t n, void* a);
  // Of the lower triangle, with |pivots| as LAPACK has them. NULL if linalg_ldl.c's own is the
  // only one.
  int32_t (*ldl)(oy_dtype dtype, bool hermitian, int64_t n, void* a, int32_t* pivots);
  void (*solve_triangle)(oy_dtype dtype, const oyi_triangle* how, int64_t n,
                         int64_t columns, const void* a, void* b);
  int32_t (*qr)(oy_dtype dtype, int64_t m, int64_t n, void* a, void* tau);
  // The first |n| columns of Q, in place of |k| reflectors.
  int32_t (*make_q)(oy_dtype dtype, int64_t m, int64_t n, int64_t k, void* a,
                    const void* tau);
  // C, m x n, becomes Q C or Q^H C.
  int32_t (*multiply_q)(oy_dtype dtype, bool adjoint, int64_t m, int64_t n, int64_t k,
                        const void* a, const void* tau, void* c);
  // The least squares solution of least norm in place of |b|, max(m, n) x |columns|. The part
  // of A whose condition is better than 1 / |rcond| says the rank. Destroys |a|. NULL if only
  // singular values are there for it.
  int32_t (*least_squares)(oy_dtype dtype, int64_t m, int64_t n, int64_t columns, void* a,
                           void* b, double rcond, int32_t* rank);
  // The same by QR of A, m x n with m >= n, or of A^H where A^H is |turned| to A for equations
  // with fewer rows than unknowns, whose right side is the first n rows of |b|; else what is
  // left of it is in the rows below the solution. Not |full|: the rank may be less than n, and
  // |b| is as it was. NULL if |least_squares| is.
  int32_t (*full_rank_squares)(oy_dtype dtype, bool turned, int64_t m, int64_t n,
                               int64_t columns, void* a, void* b, double rcond,
                               bool* full);
  // The same by singular |values|, of finite numbers; what is left is in the rows below the
  // solution where the rank is n. NULL if |least_squares| is.
  int32_t (*squares_by_values)(oy_dtype dtype, int64_t m, int64_t n, int64_t columns,
                               void* a, void* b, void* values, double rcond,
                               int32_t* rank);
  // Of finite numbers. Destroys |a|. |u| and |vh| NULL: values alone; else m x k and k x n,
  // or whole.
  int32_t (*svd)(oy_dtype dtype, bool full, int64_t m, int64_t n, void* a, void* s,
                 void* u, void* vh);
  // Of finite numbers. Reads the lower triangle; |a| becomes the vectors if they are wanted.
  int32_t (*eigh)(oy_dtype dtype, bool vectors, int64_t n, void* a, void* values);
  // |values| and |vectors| (or NULL) are complex. Destroys |a|.
  int32_t (*eig)(oy_dtype dtype, int64_t n, void* a, void* values, void* vectors);
} oyi_lapack;

extern const oyi_lapack oyi_lapack_portable;
// OpenBLAS' where it is there and has them, else the portable ones.
const oyi_lapack* oyi_lapack_openblas(void);

#define LINALG(id)                                                               \
  static OYI_RESULT_##id linalg_##id(const oyi_lapack* lapack, OYI_PARAMS_##id); \
  OYI_CPU(id) {                                                                  \
    return linalg_##id(&oyi_lapack_portable, OYI_ARGS_##id);                     \
  }                                                                              \
  OYI_RESULT_##id oyi_openblas_##id(const oy_op*, oy_keyset, OYI_PARAMS_##id);   \
  OYI_TYPED_KERNEL(id, oyi_openblas_##id) {                                      \
    return linalg_##id(oyi_lapack_openblas(), OYI_ARGS_##id);                    \
  }                                                                              \
  static OYI_RESULT_##id linalg_##id(OYI_UNUSED const oyi_lapack* lapack, OYI_PARAMS_##id)

// ------------------------------------------------------------------------ batches

static inline int64_t oyi_rows(const oyi_tensor* t) {
  return t->sizes[t->ndim - 2];
}
static inline int64_t oyi_columns(const oyi_tensor* t) {
  return t->sizes[t->ndim - 1];
}
static inline int64_t oyi_least(int64_t a, int64_t b) {
  return a < b ? a : b;
}
static inline oy_dtype oyi_complex_dtype(oy_dtype dtype) {
  return dtype == OY_DTYPE_F32   ? OY_DTYPE_C64
         : dtype == OY_DTYPE_F64 ? OY_DTYPE_C128
                                 : dtype;
}
// How many matrices there are.
int64_t oyi_matrix_count(const oyi_tensor* t);
// Matrix |i| of a batch by columns or rows, without gaps.
static inline void* oyi_matrix_at(const oyi_tensor* t, int64_t i) {
  return (char*)oyi_data(t) + i * oyi_rows(t) * oyi_columns(t) * oyi_item(t);
}
// Row |i| of a contiguous tensor of rows.
static inline void* oyi_row_at(const oyi_tensor* t, int64_t i) {
  return (char*)oyi_data(t) + i * (t->ndim ? t->sizes[t->ndim - 1] : 1) * oyi_item(t);
}

// Calls |fn|, as oy_parallel_for does, with stretches of the matrices of |t|. Each takes about
// |times| as long as to read it.
oy_status oyi_matrices_each(const oyi_tensor* t, int64_t times, oy_range_fn fn,
                            void* context);
// The same with |parts| of each matrix, which |fn| counts as matrices.
oy_status oyi_matrices_each_part(const oyi_tensor* t, int64_t parts, int64_t times,
                                 oy_range_fn fn, void* context);
// How many of the |count| rows or columns of one great matrix go together where threads share
// them, in units of |unit|.
int64_t oyi_stripe_of(int64_t count, int64_t unit);

// New, for the batch of |like|: matrices by columns or by rows, rows, numbers.
oyi_tensor* oyi_matrices_new(const oyi_tensor* like, int64_t rows, int64_t columns,
                             oy_dtype dtype, bool by_columns);
oyi_tensor* oyi_batch_rows_new(const oyi_tensor* like, int64_t size, oy_dtype dtype);
oyi_tensor* oyi_batch_new(const oyi_tensor* like, oy_dtype dtype);
oyi_tensor* oyi_nothing_new(const oyi_tensor* like, oy_dtype dtype);

// In what |lapack| computes for |dtype|.
oy_dtype oyi_lapack_dtype(const oyi_lapack* lapack, oy_dtype dtype);
// A copy of |a| by columns, in that. NULL with the error set; takes NULL.
oyi_tensor* oyi_matrices_work(const oyi_lapack* lapack, oy_object* a);
// |work| as |dtype|, by columns; takes it over, and NULL.
oy_object* oyi_matrices_done(oyi_tensor* work, oy_dtype dtype);
// A copy of |a| as |dtype|, by columns; a batch of numbers or rows, contiguous, as |dtype|,
// where the second takes |row| over, and NULL.
oyi_tensor* oyi_matrices_copy(const oyi_tensor* a, oy_dtype dtype);
oy_object* oyi_batch_done(oyi_tensor* row, oy_dtype dtype);
// Zeros below or above the diagonal of matrices by columns or rows.
void oyi_matrices_keep(oyi_tensor* t, bool upper);
// Conjugates what a new tensor holds; nothing for real numbers and on Meta.
void oyi_conjugate(oyi_tensor* t);
// |a| of the same dtype with batches of the sizes |batch|; a new reference.
oy_object* oyi_matrices_expand(oy_object* a, oy_ints batch);
// The batch of both, broadcast. |out| has room for OY_TENSOR_MAX_DIMS numbers.
oy_status oyi_batch_broadcast(const oyi_tensor* a, const oyi_tensor* b, int64_t* out,
                              size_t* out_count);
// |t| with its last two dimensions exchanged, a new view.
oy_object* oyi_flipped(oy_object* t);

// ------------------------------------------------------------------------- checks

// The tensor, if it is a batch of matrices of floating or complex numbers. |name| is what
// messages begin with.
const oyi_tensor* oyi_check_matrix(oy_object* a, const char* name);
const oyi_tensor* oyi_check_square(oy_object* a, const char* name);
// That op(A) X = B, or X op(A) = B, can be.
oy_status oyi_check_solver(const oyi_tensor* a, const oyi_tensor* b, bool left,
                           const char* name);
oy_status oyi_check_info(int32_t info);

// --------------------------------------------------------------- parts of kernels

// LU of |a| in |lu| (by columns), pivots and info; those are new tensors.
typedef struct oyi_lu {
  oyi_tensor *lu, *pivots, *info;
} oyi_lu;
oy_status oyi_lu_make(const oyi_lapack* lapack, oy_object* a, oyi_lu* out);
void oyi_lu_drop(oyi_lu* lu);
// op(A) X = B in place of |b| (by columns), for matching batches.
oy_status oyi_lu_solve(const oyi_lapack* lapack, const oyi_tensor* lu,
                       const oyi_tensor* pivots, char op, oyi_tensor* b);
// The same with triangles.
oy_status oyi_triangles_solve(const oyi_lapack* lapack, const oyi_tensor* a,
                              oyi_triangle how, oyi_tensor* b);

// The inverse of what |a| is the Cholesky factor of, by |lapack|'s own way to it, a new tensor by
// columns. NULL where |status| is a failure, or equations are the way, as they are to that of a
// singular matrix.
oyi_tensor* oyi_factors_inverse(const oyi_lapack* lapack, oy_object* a, bool upper,
                                oy_status* status);

// Hands |made| over, each to a result, if |status| is OK and all are there; else releases
// them.
oy_status oyi_give_results(oy_status status, int count, oy_object* const* made,
                           oy_object** const* results);

#endif  // OPYARD_SRC_BACKENDS_CPU_LINALG_LINALG_H_
