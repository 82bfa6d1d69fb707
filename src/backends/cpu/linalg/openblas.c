// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/linalg/openblas.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "backends/cpu/conv/convolution.h"
#include "backends/cpu/linalg/distance_product.h"
#include "base/cpu.h"
#include "base/memory.h"
#include "ops/kernel.h"
#include "ops/library.h"
#include "tensor/iterator.h"

// ------------------------------------------------------------------------ loading

// Where Debian and its relatives, Fedora's and a local build put it.
static const char* const g_places[] = {
#if defined(__x86_64__)
    "/usr/lib/x86_64-linux-gnu/libopenblas.so.0",
#elif defined(__aarch64__)
    "/usr/lib/aarch64-linux-gnu/libopenblas.so.0",
#endif
    "/usr/lib64/libopenblas.so.0", "/usr/lib/libopenblas.so.0",
    "/usr/local/lib/libopenblas.so.0"};

const char* oyi_openblas_path(void) {
  const char* given = getenv("OPYARD_OPENBLAS");
  if (given) return strcmp(given, "off") != 0 && access(given, R_OK) == 0 ? given : NULL;
  for (size_t i = 0; i < OY_ARRAY_SIZE(g_places); i++)
    if (access(g_places[i], R_OK) == 0) return g_places[i];
  return NULL;
}

enum { ROW_MAJOR = 101, NO_TRANS = 111, TRANS = 112 };
typedef void (*sgemm_fn)(int order, int trans_a, int trans_b, int n, int m, int k,
                         float alpha, const float* a, int lda, const float* b, int ldb,
                         float beta, float* c, int ldc);
typedef void (*dgemm_fn)(int order, int trans_a, int trans_b, int n, int m, int k,
                         double alpha, const double* a, int lda, const double* b, int ldb,
                         double beta, double* c, int ldc);
// Complex ones take numbers by address.
typedef void (*zgemm_fn)(int order, int trans_a, int trans_b, int n, int m, int k,
                         const void* alpha, const void* a, int lda, const void* b,
                         int ldb, const void* beta, void* c, int ldc);

typedef void (*sgemv_fn)(int order, int trans, int n, int m, float alpha, const float* a,
                         int lda, const float* x, int incx, float beta, float* y,
                         int incy);
typedef void (*dgemv_fn)(int order, int trans, int n, int m, double alpha,
                         const double* a, int lda, const double* x, int incx, double beta,
                         double* y, int incy);
typedef void (*zgemv_fn)(int order, int trans, int n, int m, const void* alpha,
                         const void* a, int lda, const void* x, int incx,
                         const void* beta, void* y, int incy);

static struct {
  void* library;
  bool ready;  // loaded, and everything found
  sgemm_fn sgemm;
  dgemm_fn dgemm;
  zgemm_fn cgemm, zgemm;
  sgemv_fn sgemv;
  dgemv_fn dgemv;
  zgemv_fn cgemv, zgemv;
  void (*set_threads)(int);
  int (*get_threads)(void);
} g_blas;
static pthread_once_t g_once = PTHREAD_ONCE_INIT;

static void load(void) {
  const char* path = oyi_openblas_path();
  void* was_here = path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD | RTLD_LOCAL) : NULL;
  void* library = was_here ? was_here : path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!library) {
    oyi_warn("cannot load OpenBLAS: %s", path ? dlerror() : "the file is gone");
    return;
  }
  g_blas.library = library;
  g_blas.set_threads = (void (*)(int))dlsym(library, "openblas_set_num_threads");
  g_blas.get_threads = (int (*)(void))dlsym(library, "openblas_get_num_threads");
  g_blas.sgemm = (sgemm_fn)dlsym(library, "cblas_sgemm");
  g_blas.dgemm = (dgemm_fn)dlsym(library, "cblas_dgemm");
  g_blas.cgemm = (zgemm_fn)dlsym(library, "cblas_cgemm");
  g_blas.zgemm = (zgemm_fn)dlsym(library, "cblas_zgemm");
  g_blas.sgemv = (sgemv_fn)dlsym(library, "cblas_sgemv");
  g_blas.dgemv = (dgemv_fn)dlsym(library, "cblas_dgemv");
  g_blas.cgemv = (zgemv_fn)dlsym(library, "cblas_cgemv");
  g_blas.zgemv = (zgemv_fn)dlsym(library, "cblas_zgemv");
  // One thread each: opyard's own pool splits the work. Where the program had the library
  // before, its setting stays.
  if (g_blas.set_threads && !was_here) g_blas.set_threads(1);
  bool ready = g_blas.sgemm && g_blas.dgemm && g_blas.cgemm && g_blas.zgemm &&
               g_blas.sgemv && g_blas.dgemv && g_blas.cgemv && g_blas.zgemv;
  __atomic_store_n(&g_blas.ready, ready, __ATOMIC_RELEASE);
}

void* oyi_openblas_library(void) {
  pthread_once(&g_once, load);
  return g_blas.library;
}
void* oyi_openblas_symbol(void* library, const char* name) {
  return dlsym(library, name);
}

// --------------------------------------------------------------------- one product

typedef struct operand {
  int trans;
  int64_t ld;
} operand;

// How BLAS would read a matrix of |rows| x |columns|; false if no way.
static bool as_operand(int64_t row, int64_t column, int64_t rows, int64_t columns,
                       operand* out) {
  if ((column == 1 || columns == 1) && (row >= columns || rows == 1)) {
    *out = (operand){NO_TRANS, rows == 1 ? (columns > row ? columns : row) : row};
  } else if ((row == 1 || rows == 1) && (column >= rows || columns == 1)) {
    *out = (operand){TRANS, columns == 1 ? (rows > column ? rows : column) : column};
  } else {
    return false;
  }
  if (out->ld < 1) out->ld = 1;
  return out->ld <= INT_MAX;
}

static void call_blas(oy_dtype dtype, const oyi_gemm* g, operand a, operand b,
                      operand c) {
  const int n = (int)g->n, m = (int)g->m, k = (int)g->k;
  const int lda = (int)a.ld, ldb = (int)b.ld, ldc = (int)c.ld;
  const double re[2] = {g->alpha.re, g->beta.re}, im[2] = {g->alpha.im, g->beta.im};
  const float c_alpha[2] = {(float)re[0], (float)im[0]};
  const float c_beta[2] = {(float)re[1], (float)im[1]};
  const double z_alpha[2] = {re[0], im[0]}, z_beta[2] = {re[1], im[1]};
  switch (dtype) {
    case OY_DTYPE_F32:
      g_blas.sgemm(ROW_MAJOR, a.trans, b.trans, n, m, k, (float)re[0], g->a, lda, g->b,
                   ldb, (float)re[1], g->c, ldc);
      break;
    case OY_DTYPE_F64:
      g_blas.dgemm(ROW_MAJOR, a.trans, b.trans, n, m, k, re[0], g->a, lda, g->b, ldb,
                   re[1], g->c, ldc);
      break;
    case OY_DTYPE_C64:
      g_blas.cgemm(ROW_MAJOR, a.trans, b.trans, n, m, k, c_alpha, g->a, lda, g->b, ldb,
                   c_beta, g->c, ldc);
      break;
    default:
      g_blas.zgemm(ROW_MAJOR, a.trans, b.trans, n, m, k, z_alpha, g->a, lda, g->b, ldb,
                   z_beta, g->c, ldc);
  }
}

static void call_blas_vector(oy_dtype dtype, const oyi_gemm* g, int trans, int rows,
                             int columns, int lda) {
  const int incx = (int)g->b_row, incy = (int)g->c_row;
  const double alpha[2] = {g->alpha.re, g->alpha.im}, beta[2] = {g->beta.re, g->beta.im};
  const float c_alpha[2] = {(float)alpha[0], (float)alpha[1]};
  const float c_beta[2] = {(float)beta[0], (float)beta[1]};
  switch (dtype) {
    case OY_DTYPE_F32:
      g_blas.sgemv(ROW_MAJOR, trans, rows, columns, c_alpha[0], g->a, lda, g->b, incx,
                   c_beta[0], g->c, incy);
      break;
    case OY_DTYPE_F64:
      g_blas.dgemv(ROW_MAJOR, trans, rows, columns, alpha[0], g->a, lda, g->b, incx,
                   beta[0], g->c, incy);
      break;
    case OY_DTYPE_C64:
      g_blas.cgemv(ROW_MAJOR, trans, rows, columns, c_alpha, g->a, lda, g->b, incx,
                   c_beta, g->c, incy);
      break;
    default:
      g_blas.zgemv(ROW_MAJOR, trans, rows, columns, alpha, g->a, lda, g->b, incx, beta,
                   g->c, incy);
  }
}

// Rows that one register holds: the library takes longer to begin with each, but for those of
// two and three real numbers.
static inline bool is_short(oy_dtype dtype, const oyi_gemm* g) {
  enum { SHORT = 16 };
  return g->k <= SHORT && (dtype == OY_DTYPE_C64 || (g->k != 2 && g->k != 3));
}

// Products with a vector: no packing, and memory's own speed. False if these are not such, or do
// not lie as BLAS wants them.
static bool call_vector(oy_dtype dtype, const oyi_gemm* given) {
  const oyi_gemm g = given->m == 1 ? *given : oyi_gemm_flipped(given);
  operand a;
  if ((is_short(dtype, &g) || oyi_gemm_is_narrow(&g)) && oyi_gemm_by_vector(dtype, &g))
    return true;
  if (g.m != 1 || g.b_row < 1 || g.b_row > INT_MAX || g.c_row < 1 || g.c_row > INT_MAX ||
      !as_operand(g.a_row, g.a_column, g.n, g.k, &a))
    return false;
  const bool flip = a.trans == TRANS;
  const int rows = (int)(flip ? g.k : g.n), columns = (int)(flip ? g.n : g.k);
  call_blas_vector(dtype, &g, a.trans, rows, columns, (int)a.ld);
  return true;
}

// Great products are left the library's threads, where the program lets it have some: they
// share one well, and wait awake for the next, so that those of opyard would have to wait
// where the program's own products are in turn with ours.
static bool is_left_to_library(double work) {
  enum { GREAT = 1 << 26 };  // products of numbers: 400 x 400 x 400
  return work > GREAT && __atomic_load_n(&g_blas.ready, __ATOMIC_ACQUIRE) &&
         oy_get_num_threads() > 1 && g_blas.get_threads && g_blas.get_threads() > 1;
}

// The portable kernel for AVX-512 is the faster one in float, but for products with
// vectors, and depths at which tiles leave the caches. The choice does not depend on the
// library's threads, so that results do not either.
static inline bool is_portable_faster(int64_t n, int64_t m, int64_t k) {
  return n >= 4 && m >= 4 && k <= OYI_GEMM_DEEP && oyi_cpu_level() == 2;
}

// Up to here the portable kernel is done before BLAS has looked at its arguments.
enum { SMALL = 8 * 8 * 8 };

static inline bool is_small(const oyi_gemm* g) {
  return g->n <= SMALL && g->m <= SMALL && g->k <= SMALL && g->n * g->m * g->k <= SMALL;
}

// The same goes for sides of a few numbers, and for complex numbers of which none are added up.
static inline bool is_few(oy_dtype dtype, const oyi_gemm* g) {
  enum { SHORT = 4 };
  return oy_dtype_is_complex(dtype) ? g->k == 1 && (g->m >= SHORT || g->c_row == 1)
                                    : oyi_gemm_few_of(g) != OYI_GEMM_MANY;
}

static __attribute__((noinline)) oy_status multiply_large(oy_dtype dtype,
                                                          const oyi_gemm* given) {
  oyi_gemm g = *given;
  operand a, b, c;
  if (g.k == 0 || g.n > INT_MAX || g.m > INT_MAX || g.k > INT_MAX ||
      (double)g.n * (double)g.m * (double)g.k <= SMALL)
    return oyi_gemm_portable(dtype)(given);
  pthread_once(&g_once, load);
  if (g_blas.ready && (g.n == 1 || g.m == 1) && call_vector(dtype, &g)) return OY_OK;
  if (!as_operand(g.c_row, g.c_column, g.n, g.m, &c) || c.trans != NO_TRANS) {
    g = oyi_gemm_flipped(given);
    if (!as_operand(g.c_row, g.c_column, g.n, g.m, &c) || c.trans != NO_TRANS)
      return oyi_gemm_portable(dtype)(given);
  }
  if (!g_blas.ready || !as_operand(g.a_row, g.a_column, g.n, g.k, &a) ||
      !as_operand(g.b_row, g.b_column, g.k, g.m, &b))
    return oyi_gemm_portable(dtype)(given);
  call_blas(dtype, &g, a, b, c);
  return OY_OK;
}

static inline oy_status multiply(oy_dtype dtype, const oyi_gemm* g) {
  return is_small(g) || is_few(dtype, g) ? oyi_gemm_portable(dtype)(g)
                                         : multiply_large(dtype, g);
}

static oy_status multiply_f32(const oyi_gemm* g) {
  if (is_small(g) || is_few(OY_DTYPE_F32, g) || is_portable_faster(g->n, g->m, g->k))
    return oyi_gemm_portable(OY_DTYPE_F32)(g);
  return multiply_large(OY_DTYPE_F32, g);
}
static oy_status multiply_f64(const oyi_gemm* g) {
  return multiply(OY_DTYPE_F64, g);
}
static oy_status multiply_c64(const oyi_gemm* g) {
  return multiply(OY_DTYPE_C64, g);
}
static oy_status multiply_c128(const oyi_gemm* g) {
  return multiply(OY_DTYPE_C128, g);
}

oyi_gemm_fn oyi_openblas_gemm(oy_dtype dtype) {
  switch (dtype) {
    case OY_DTYPE_F32: return multiply_f32;
    case OY_DTYPE_F64: return multiply_f64;
    case OY_DTYPE_C64: return multiply_c64;
    case OY_DTYPE_C128: return multiply_c128;
    default: return oyi_gemm_portable(dtype);
  }
}

static bool g_registered;
oyi_gemm_fn oyi_fastest_gemm(oy_dtype dtype) {
  return __atomic_load_n(&g_registered, __ATOMIC_RELAXED) ? oyi_openblas_gemm(dtype)
                                                          : oyi_gemm_portable(dtype);
}

// ------------------------------------------------------------------------- threads

// A program that uses the library too may let it have threads. Those serve one product at
// a time, so that products of opyard's threads would wait for each other: while such a
// kernel runs the library takes one thread for each product, then what the program had set.
static pthread_mutex_t g_quiet_lock = PTHREAD_MUTEX_INITIALIZER;
static int g_quiet;   // kernels that run
static int g_theirs;  // the setting of the program
static pthread_once_t g_fork_once = PTHREAD_ONCE_INIT;

// The kernels of other threads do not run in the child.
static void after_fork_in_child(void) {
  g_quiet_lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
  g_quiet = 0;
}
static void watch_forks(void) {
  (void)pthread_atfork(NULL, NULL, after_fork_in_child);
}

// Nothing to do with a single thread of opyard's, or if the library has one anyway.
static __attribute__((noinline)) bool make_quiet(void) {
  if (oy_get_num_threads() == 1 || oy_in_parallel_region() || !g_blas.set_threads ||
      !g_blas.get_threads)
    return false;
  if (__atomic_load_n(&g_quiet, __ATOMIC_RELAXED) == 0 && g_blas.get_threads() == 1)
    return false;
  pthread_once(&g_fork_once, watch_forks);
  pthread_mutex_lock(&g_quiet_lock);
  if (g_quiet == 0) {
    g_theirs = g_blas.get_threads();
    g_blas.set_threads(1);
  }
  __atomic_store_n(&g_quiet, g_quiet + 1, __ATOMIC_RELAXED);
  pthread_mutex_unlock(&g_quiet_lock);
  return true;
}

// Small products never load the library.
static inline bool is_loaded(void) {
  return OY_UNLIKELY(__atomic_load_n(&g_blas.ready, __ATOMIC_ACQUIRE));
}
bool oyi_openblas_begin_quiet(void) {
  return is_loaded() && make_quiet();
}

void oyi_openblas_end_quiet(void) {
  pthread_mutex_lock(&g_quiet_lock);
  __atomic_store_n(&g_quiet, g_quiet - 1, __ATOMIC_RELAXED);
  if (g_quiet == 0) g_blas.set_threads(g_theirs);
  pthread_mutex_unlock(&g_quiet_lock);
}

// Whether rows or columns of |t| lie as the library wants them.
static bool is_readable(const oyi_tensor* t) {
  if (t->ndim != 2) return false;
  const int64_t* strides = oyi_strides(t);
  return (strides[1] == 1 && strides[0] >= t->sizes[1]) ||
         (strides[0] == 1 && strides[1] >= t->sizes[0]);
}
static bool is_great(const oyi_matrix_call* call) {
  const oyi_tensor *a = oyi_tensor_of(call->a), *b = a ? oyi_tensor_of(call->b) : NULL;
  const oyi_tensor* c = call->out ? oyi_tensor_of(call->out) : b;
  return b && c && b->ndim == 2 &&
         is_left_to_library((double)a->numel * (double)b->sizes[1]) &&
         !oy_in_parallel_region() && is_readable(a) && is_readable(b) && is_readable(c);
}

// Whether the library has no part in it.
static bool is_own(const oyi_matrix_call* call) {
  const oyi_tensor *a = oyi_tensor_of(call->a), *b = oyi_tensor_of(call->b);
  if (!a || !b || a->header.dtype != OY_DTYPE_F32 || a->ndim < 2 || b->ndim != a->ndim)
    return false;
  const int64_t* sizes = a->sizes + a->ndim - 2;
  return is_portable_faster(sizes[0], b->sizes[b->ndim - 1], sizes[1]);
}

static __attribute__((noinline)) oy_object* multiply_loaded(
    oy_object* (*product)(const oyi_matrix_call*), const oyi_matrix_call* call) {
  if (is_own(call)) return product(call);
  if (is_great(call)) {
    oyi_matrix_call whole = *call;
    whole.whole = true;
    return product(&whole);
  }
  if (!make_quiet()) return product(call);
  oy_object* result = product(call);
  oyi_openblas_end_quiet();
  return result;
}

static inline oy_object* quietly(oy_object* (*product)(const oyi_matrix_call*),
                                 const oyi_matrix_call* call) {
  return is_loaded() ? multiply_loaded(product, call) : product(call);
}

// ------------------------------------------------------------------------- kernels

#define OPENBLAS(id)        static OYI_TYPED_KERNEL(id, openblas_##id)
#define KERNEL(id)          OPENBLAS(id)
#define PICK                oyi_openblas_gemm
#define RUN(function, call) quietly(function, call)
#include "backends/cpu/linalg/matrix_rows_tmpl.h"

OPENBLAS(addmv) {
  return quietly(oyi_cpu_addmv_call, CALL_ADD(mat, vec, NULL));
}
OPENBLAS(addmv_) {
  return quietly(oyi_cpu_addmv_call, CALL_ADD(mat, vec, self));
}
OPENBLAS(addmv_out) {
  return quietly(oyi_cpu_addmv_call, CALL_ADD(mat, vec, out));
}

OPENBLAS(convolution) {
  const bool begun = oyi_openblas_begin_quiet();
  oy_object* result = oyi_cpu_convolution(OYI_CONV_CALL(bias), oyi_openblas_gemm);
  if (begun) oyi_openblas_end_quiet();
  return result;
}
OPENBLAS(convolution_backward) {
  oy_object* grads[3] = {NULL, NULL, NULL};
  const bool begun = oyi_openblas_begin_quiet();
  oy_status status = oyi_cpu_convolution_backward(
      OYI_CONV_CALL(&oy_none_object), grad_output, output_mask, oyi_openblas_gemm, grads);
  if (begun) oyi_openblas_end_quiet();
  *out_0 = grads[0], *out_1 = grads[1], *out_2 = grads[2];
  return status;
}

OPENBLAS(_cdist_forward) {
  const bool begun = oyi_openblas_begin_quiet();
  oy_object* result = oyi_cpu_cdist(x1, x2, p, compute_mode, oyi_openblas_gemm);
  if (begun) oyi_openblas_end_quiet();
  return result;
}

enum { PRIORITY = 100 };  // above the portable ones
#define ROW(id, dtype)                                               \
  {                                                                  \
    OYI_OP_##id, OY_FOR_DTYPE(OY_DTYPE_##dtype), PRIORITY, __LINE__, \
        (oy_typed_fn)openblas_##id, __FILE__                         \
  }
#define ROWS(id)      ROW(id, F32), ROW(id, F64), ROW(id, C64), ROW(id, C128)
#define HALF_ROWS(id) ROW(id, F16), ROW(id, BF16)  // computed as f32
static const oyi_kernel_row g_rows[] = {ROWS(convolution),
                                        HALF_ROWS(convolution),
                                        ROWS(convolution_backward),
                                        HALF_ROWS(convolution_backward),
                                        ROW(_cdist_forward, F32),
                                        ROW(_cdist_forward, F64),
                                        HALF_ROWS(_cdist_forward),
                                        ROWS(mm),
                                        ROWS(mm_out),
                                        ROWS(bmm),
                                        ROWS(bmm_out),
                                        ROWS(addmm),
                                        ROWS(addmm_out),
                                        ROWS(addmm_),
                                        ROWS(baddbmm),
                                        ROWS(baddbmm_out),
                                        ROWS(baddbmm_),
                                        ROWS(addbmm),
                                        ROWS(addbmm_out),
                                        ROWS(addbmm_),
                                        ROWS(addmv),
                                        ROWS(addmv_),
                                        ROWS(addmv_out)};

oy_status oyi_register_openblas(oy_library* library) {
  const bool is_there = oyi_openblas_path() != NULL;
  __atomic_store_n(&g_registered, is_there, __ATOMIC_RELAXED);
  if (!is_there) return OY_OK;
  return oyi_register_rows(library, OY_KEY_CPU, g_rows, OY_ARRAY_SIZE(g_rows));
}
