// SPDX-License-Identifier: Apache-2.0
// The portable functions of one matrix, in double: factorisations by the template,
// singular values and Hermitian eigenvalues by Jacobi's rotations, which need no library
// and are accurate; eigenvalues of any matrix in linalg_eig.c.
#include "backends/cpu/linalg/linalg_portable.h"

#include <complex.h>
#include <math.h>

#include "base/memory.h"

#define EPSILON    2.3e-16
#define ROOT(x)    sqrt(x)
#define T          double
#define R          double
#define NAME(x)    x##_f64
#define CONJ(x)    (x)
#define RE(x)      (x)
#define IM(x)      0.0
#define MAKE(x, y) (x)
#define SIZE1(x)   fabs(x)
#define SQUARE(x)  ((x) * (x))
#define MAGNITUDE  fabs
#include "backends/cpu/linalg/linalg_tmpl.h"
#undef T
#undef NAME
#undef CONJ
#undef RE
#undef IM
#undef MAKE
#undef SIZE1
#undef SQUARE
#undef MAGNITUDE
#define T          double complex
#define NAME(x)    x##_c128
#define CONJ(x)    conj(x)
#define RE(x)      creal(x)
#define IM(x)      cimag(x)
#define MAKE(x, y) __builtin_complex(x, y)
#define SIZE1(x)   (fabs(creal(x)) + fabs(cimag(x)))
#define SQUARE(x)  (creal(x) * creal(x) + cimag(x) * cimag(x))
#define MAGNITUDE  cabs
#include "backends/cpu/linalg/linalg_tmpl.h"

typedef double complex z;

static size_t item_of(oy_dtype dtype) {
  return dtype == OY_DTYPE_C128 ? sizeof(z) : sizeof(double);
}

static int32_t lu(oy_dtype dtype, int64_t m, int64_t n, void* a, int32_t* pivots) {
  return dtype == OY_DTYPE_F64 ? lu_f64(m, n, a, m, pivots) : lu_c128(m, n, a, m, pivots);
}
static int32_t cholesky(oy_dtype dtype, int64_t n, void* a) {
  return dtype == OY_DTYPE_F64 ? cholesky_f64(n, a, n) : cholesky_c128(n, a, n);
}
static void solve_triangle(oy_dtype dtype, const oyi_triangle* how, int64_t n,
                           int64_t columns, const void* a, void* b) {
  if (dtype == OY_DTYPE_F64)
    solve_triangle_f64(how, n, columns, a, n, b, n);
  else
    solve_triangle_c128(how, n, columns, a, n, b, n);
}
static int32_t qr(oy_dtype dtype, int64_t m, int64_t n, void* a, void* tau) {
  if (dtype == OY_DTYPE_F64)
    qr_f64(m, n, a, m, tau);
  else
    qr_c128(m, n, a, m, tau);
  return 0;
}
static int32_t make_q(oy_dtype dtype, int64_t m, int64_t n, int64_t k, void* a,
                      const void* tau) {
  if (dtype == OY_DTYPE_F64)
    make_q_f64(m, n, k, a, m, tau);
  else
    make_q_c128(m, n, k, a, m, tau);
  return 0;
}
static int32_t multiply_q(oy_dtype dtype, bool adjoint, int64_t m, int64_t n, int64_t k,
                          const void* a, const void* tau, void* c) {
  if (dtype == OY_DTYPE_F64)
    multiply_q_f64(adjoint, m, n, k, a, m, tau, c, m);
  else
    multiply_q_c128(adjoint, m, n, k, a, m, tau, c, m);
  return 0;
}

// -------------------------------------------------------------- order, and the rest

static void* unit_matrix(oy_dtype dtype, int64_t n) {
  char* v = oyi_calloc((size_t)n * (size_t)n + 1, item_of(dtype));
  for (int64_t i = 0; v && i < n; i++) {
    double* one = (double*)(void*)(v + (size_t)(i + i * n) * item_of(dtype));
    *one = 1;
  }
  return v;
}

// Indices in the order of |keys|.
static void order_by(const double* keys, int64_t n, bool down, int64_t* order) {
  for (int64_t i = 0; i < n; i++) {
    int64_t at = i;
    for (; at > 0; at--) {
      double before = keys[order[at - 1]];
      if (down ? before >= keys[i] : before <= keys[i]) break;
      order[at] = order[at - 1];
    }
    order[at] = i;
  }
}

static double norm_of(oy_dtype dtype, int64_t n, const void* x) {
  return dtype == OY_DTYPE_F64 ? norm_f64(n, x) : norm_c128(n, x);
}

// Columns from |known| on become what is orthogonal to those before: the rest of Q of a
// factorisation of them. |u| is m x n.
static int32_t complete(oy_dtype dtype, int64_t m, int64_t known, int64_t n, char* u) {
  if (known == n) return 0;
  size_t item = item_of(dtype), bytes = (size_t)(m * n) * item;
  char* q = oyi_malloc(bytes + (size_t)n * item);
  if (!q) return OYI_LAPACK_NO_MEMORY;
  memcpy(q, u, (size_t)(m * known) * item);
  qr(dtype, m, known, q, q + bytes);
  make_q(dtype, m, n, known, q, q + bytes);
  memcpy(u + (size_t)(m * known) * item, q + (size_t)(m * known) * item,
         (size_t)(m * (n - known)) * item);
  oyi_free(q);
  return 0;
}

static void scale_column(oy_dtype dtype, int64_t m, const char* from, char* to,
                         double by) {
  int64_t parts = dtype == OY_DTYPE_F64 ? m : 2 * m;
  for (int64_t i = 0; i < parts; i++)
    ((double*)(void*)to)[i] = ((const double*)(const void*)from)[i] * by;
}

// |to|, n x m, becomes the adjoint of |from|, m x n.
static void adjoint(oy_dtype dtype, int64_t m, int64_t n, const void* from, void* to) {
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = 0; i < m; i++)
      if (dtype == OY_DTYPE_F64)
        ((double*)to)[j + i * n] = ((const double*)from)[i + j * m];
      else
        ((z*)to)[j + i * n] = conj(((const z*)from)[i + j * m]);
}

// ------------------------------------------------------------------ singular values

typedef struct svd_work {
  oy_dtype dtype;
  int64_t m, n;   // m >= n
  char *a, *v;    // m x n, n x n
  double* norms;  // of the columns of a: the singular values, in any order
  int64_t* order;
} svd_work;

static void svd_end(svd_work* w) {
  oyi_free(w->a);
  oyi_free(w->v);
  oyi_free(w->norms);
  oyi_free(w->order);
}

static int32_t svd_begin(svd_work* w, const void* a, bool flipped) {
  size_t item = item_of(w->dtype);
  w->a = oyi_malloc((size_t)(w->m * w->n) * item + 1);
  w->v = unit_matrix(w->dtype, w->n);
  w->norms = oyi_calloc((size_t)w->n + 1, sizeof(double));
  w->order = oyi_calloc((size_t)w->n + 1, sizeof(int64_t));
  if (!w->a || !w->v || !w->norms || !w->order) return OYI_LAPACK_NO_MEMORY;
  if (flipped)
    adjoint(w->dtype, w->n, w->m, a, w->a);
  else if (w->m * w->n > 0)
    memcpy(w->a, a, (size_t)(w->m * w->n) * item);
  bool ended =
      w->dtype == OY_DTYPE_F64
          ? jacobi_svd_f64(w->m, w->n, (double*)(void*)w->a, (double*)(void*)w->v)
          : jacobi_svd_c128(w->m, w->n, (z*)(void*)w->a, (z*)(void*)w->v);
  for (int64_t j = 0; j < w->n; j++)
    w->norms[j] = norm_of(w->dtype, w->m, w->a + (size_t)(j * w->m) * item);
  order_by(w->norms, w->n, true, w->order);
  return ended ? 0 : 1;
}

// U of |columns| columns, and V of n, sorted.
static int32_t svd_vectors(const svd_work* w, int64_t columns, char* u, char* v) {
  size_t item = item_of(w->dtype), column = (size_t)w->m * item;
  int64_t known = 0;
  double least = w->n ? w->norms[w->order[0]] * 1e-300 : 0;
  for (int64_t k = 0; k < w->n; k++) {
    int64_t j = w->order[k];
    memcpy(v + (size_t)(k * w->n) * item, w->v + (size_t)(j * w->n) * item,
           (size_t)w->n * item);
    if (!(w->norms[j] > least)) continue;
    scale_column(w->dtype, w->m, w->a + (size_t)j * column, u + (size_t)k * column,
                 1 / w->norms[j]);
    known = k + 1;
  }
  return complete(w->dtype, w->m, known, columns, u);
}

// Of a matrix with more columns than rows the adjoint is taken apart.
static int32_t svd(oy_dtype dtype, bool full, int64_t m, int64_t n, void* a, void* s,
                   void* u, void* vh) {
  bool flipped = m < n;
  svd_work w = {.dtype = dtype, .m = flipped ? n : m, .n = flipped ? m : n};
  int64_t columns = full ? w.m : w.n;
  int32_t info = svd_begin(&w, a, flipped);
  for (int64_t k = 0; info >= 0 && k < w.n; k++) ((double*)s)[k] = w.norms[w.order[k]];
  char* left =
      info == 0 && u ? oyi_calloc((size_t)(w.m * columns) + 1, item_of(dtype)) : NULL;
  char* right = left ? oyi_calloc((size_t)(w.n * w.n) + 1, item_of(dtype)) : NULL;
  if (info == 0 && u)
    info = right ? svd_vectors(&w, columns, left, right) : OYI_LAPACK_NO_MEMORY;
  if (info == 0 && u) {
    size_t item = item_of(dtype);
    if (flipped) {
      memcpy(u, right, (size_t)(w.n * w.n) * item);
      adjoint(dtype, w.m, columns, left, vh);
    } else {
      memcpy(u, left, (size_t)(w.m * columns) * item);
      adjoint(dtype, w.n, w.n, right, vh);
    }
  }
  oyi_free(left);
  oyi_free(right);
  svd_end(&w);
  return info;
}

// ------------------------------------------------------------- Hermitian eigenvalues

// The upper triangle from the lower one, and a real diagonal.
static void mirror(oy_dtype dtype, int64_t n, void* a) {
  for (int64_t j = 0; j < n; j++)
    for (int64_t i = j; i < n; i++)
      if (dtype == OY_DTYPE_F64)
        ((double*)a)[j + i * n] = ((double*)a)[i + j * n];
      else
        ((z*)a)[j + i * n] =
            i == j ? creal(((z*)a)[i + j * n]) : conj(((z*)a)[i + j * n]);
}

static int32_t eigh(oy_dtype dtype, bool vectors, int64_t n, void* a, void* values) {
  size_t item = item_of(dtype), step = (size_t)n * item;
  mirror(dtype, n, a);
  char* v = unit_matrix(dtype, n);
  double* found = oyi_calloc((size_t)n + 1, sizeof(double));
  int64_t* order = oyi_calloc((size_t)n + 1, sizeof(int64_t));
  int32_t info = v && found && order ? 0 : OYI_LAPACK_NO_MEMORY;
  if (info == 0) {
    bool ended = dtype == OY_DTYPE_F64 ? jacobi_eigh_f64(n, a, (double*)(void*)v)
                                       : jacobi_eigh_c128(n, a, (z*)(void*)v);
    info = ended ? 0 : 1;
    for (int64_t i = 0; i < n; i++)
      found[i] = *(double*)(void*)((char*)a + (size_t)(i + i * n) * item);
    order_by(found, n, false, order);
    for (int64_t k = 0; k < n; k++) {
      ((double*)values)[k] = found[order[k]];
      if (vectors) memcpy((char*)a + (size_t)k * step, v + (size_t)order[k] * step, step);
    }
  }
  oyi_free(v);
  oyi_free(found);
  oyi_free(order);
  return info;
}

// ------------------------------------------------------------------------ eigenvalues

// In complex numbers, whatever the matrix has.
static int32_t eig(oy_dtype dtype, int64_t n, void* a, void* values, void* vectors) {
  if (dtype == OY_DTYPE_C128) return oyi_eig(n, a, values, vectors);
  double complex* wide = oyi_calloc((size_t)(n * n) + 1, sizeof(*wide));
  if (!wide) return OYI_LAPACK_NO_MEMORY;
  for (int64_t i = 0; i < n * n; i++) wide[i] = ((double*)a)[i];
  int32_t info = oyi_eig(n, wide, values, vectors);
  oyi_free(wide);
  return info;
}

const oyi_lapack oyi_lapack_portable = {
    .lu = lu,
    .cholesky = cholesky,
    .solve_triangle = solve_triangle,
    .qr = qr,
    .make_q = make_q,
    .multiply_q = multiply_q,
    .svd = svd,
    .eigh = eigh,
    .eig = eig,
};
