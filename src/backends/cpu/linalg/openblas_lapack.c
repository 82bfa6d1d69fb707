// SPDX-License-Identifier: Apache-2.0
// OpenBLAS' LAPACK as the functions of one matrix, and the kernels that use it as variants
// beside the portable ones. Matrices are small as often as not, so OpenBLAS has one thread.
#include <limits.h>
#include <pthread.h>

#include "backends/cpu/linalg/linalg.h"
#include "backends/cpu/linalg/openblas.h"
#include "base/memory.h"

// One function for each of the four dtypes, by the letters s, d, c, z.
enum { LETTERS = 4 };
static int letter_of(oy_dtype dtype) {
  return dtype == OY_DTYPE_F32   ? 0
         : dtype == OY_DTYPE_F64 ? 1
         : dtype == OY_DTYPE_C64 ? 2
                                 : 3;
}
static size_t item_of(int letter) {
  static const size_t items[] = {4, 8, 8, 16};
  return items[letter];
}
static size_t real_of(int letter) {
  return letter % 2 == 0 ? sizeof(float) : sizeof(double);
}

// Fortran's: everything by address, lengths of texts behind.
typedef void (*getrf_fn)(const int* m, const int* n, void* a, const int* lda, int* pivots,
                         int* info);
typedef void (*potrf_fn)(const char* uplo, const int* n, void* a, const int* lda,
                         int* info, size_t);
typedef void (*trsm_fn)(const char* side, const char* uplo, const char* op,
                        const char* unit, const int* m, const int* n, const void* alpha,
                        const void* a, const int* lda, void* b, const int* ldb, size_t,
                        size_t, size_t, size_t);
typedef void (*geqrf_fn)(const int* m, const int* n, void* a, const int* lda, void* tau,
                         void* work, const int* size, int* info);
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

typedef struct functions {
  getrf_fn getrf;
  potrf_fn potrf;
  trsm_fn trsm;
  geqrf_fn geqrf;
  orgqr_fn orgqr;
  ormqr_fn ormqr;
  gelsy_fn gelsy;
  gesdd_fn gesdd;
  syevd_fn syevd;
  geev_fn geev;
} functions;

static functions g_f[LETTERS];
static bool g_ready;
static pthread_once_t g_once = PTHREAD_ONCE_INIT;

static bool load_letter(void* library, int letter, functions* f) {
  const bool real = letter < 2;
  const char l = "sdcz"[letter];
  struct {
    const char* name;
    void* to;
  } const all[] = {{"getrf_", &f->getrf},
                   {"potrf_", &f->potrf},
                   {"trsm_", &f->trsm},
                   {"geqrf_", &f->geqrf},
                   {real ? "orgqr_" : "ungqr_", &f->orgqr},
                   {real ? "ormqr_" : "unmqr_", &f->ormqr},
                   {"gelsy_", &f->gelsy},
                   {"gesdd_", &f->gesdd},
                   {real ? "syevd_" : "heevd_", &f->syevd},
                   {"geev_", &f->geev}};
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
  for (int i = 0; g_ready && i < LETTERS; i++) g_ready = load_letter(library, i, &g_f[i]);
}

static int at_least_one(int64_t n) {
  return n > 0 ? (int)n : 1;
}

// --------------------------------------------------------------------- workspaces

// How much work a query asked for, in elements.
static int asked(int letter, const void* work) {
  double size = real_of(letter) == sizeof(float) ? (double)*(const float*)work
                                                 : *(const double*)work;
  return size < 1 ? 1 : size > INT_MAX / 2 ? INT_MAX / 2 : (int)size;
}

// Up to this many reflectors LAPACK takes one by one, and needs room for a row alone: asking
// takes longer than a small matrix.
enum { UNBLOCKED = 32 };

// What a query was about and said: the next matrix of a batch has the same sizes.
typedef struct answer {
  const char* job;
  int letter, m, n, size, reals, places;
} answer;

static bool is_about(const answer* a, const char* job, int letter, int m, int n) {
  return a->job && *a->job == *job && a->letter == letter && a->m == m && a->n == n;
}

// ------------------------------------------------------------------------ functions

static int32_t lu(oy_dtype dtype, int64_t m, int64_t n, void* a, int32_t* pivots) {
  int rows = (int)m, columns = (int)n, lda = at_least_one(m), info = 0;
  if (m == 0 || n == 0) return 0;
  g_f[letter_of(dtype)].getrf(&rows, &columns, a, &lda, pivots, &info);
  return info;
}

static int32_t cholesky(oy_dtype dtype, int64_t n, void* a) {
  int size = (int)n, lda = at_least_one(n), info = 0;
  if (n > 0) g_f[letter_of(dtype)].potrf("L", &size, a, &lda, &info, 1);
  return info;
}

static void solve_triangle(oy_dtype dtype, const oyi_triangle* how, int64_t n,
                           int64_t columns, const void* a, void* b) {
  static const float one_s[2] = {1, 0};
  static const double one_d[2] = {1, 0};
  int letter = letter_of(dtype), rows = (int)n, right = (int)columns,
      ld = at_least_one(n);
  if (n == 0 || columns == 0) return;
  const void* one = real_of(letter) == sizeof(float) ? (const void*)one_s : one_d;
  g_f[letter].trsm("L", how->upper ? "U" : "L", &how->op, how->unit ? "U" : "N", &rows,
                   &right, one, a, &ld, b, &ld, 1, 1, 1, 1);
}

static int32_t qr(oy_dtype dtype, int64_t m, int64_t n, void* a, void* tau) {
  int letter = letter_of(dtype), rows = (int)m, columns = (int)n, lda = at_least_one(m);
  int size = -1, info = 0;
  double query[2];
  if (m == 0 || n == 0) return 0;
  if (oyi_least(m, n) > UNBLOCKED)
    g_f[letter].geqrf(&rows, &columns, a, &lda, tau, query, &size, &info);
  size = oyi_least(m, n) > UNBLOCKED ? asked(letter, query) : columns;
  void* work = oyi_calloc((size_t)size, item_of(letter));
  if (!work) return OYI_LAPACK_NO_MEMORY;
  g_f[letter].geqrf(&rows, &columns, a, &lda, tau, work, &size, &info);
  oyi_free(work);
  return info;
}

static int32_t make_q(oy_dtype dtype, int64_t m, int64_t n, int64_t k, void* a,
                      const void* tau) {
  int letter = letter_of(dtype), rows = (int)m, columns = (int)n, count = (int)k;
  int lda = at_least_one(m), size = -1, info = 0;
  double query[2];
  if (m == 0 || n == 0) return 0;
  if (k > UNBLOCKED)
    g_f[letter].orgqr(&rows, &columns, &count, a, &lda, tau, query, &size, &info);
  size = k > UNBLOCKED ? asked(letter, query) : columns;
  void* work = oyi_calloc((size_t)size, item_of(letter));
  if (!work) return OYI_LAPACK_NO_MEMORY;
  g_f[letter].orgqr(&rows, &columns, &count, a, &lda, tau, work, &size, &info);
  oyi_free(work);
  return info;
}

static int32_t multiply_q(oy_dtype dtype, bool adjoint, int64_t m, int64_t n, int64_t k,
                          const void* a, const void* tau, void* c) {
  int letter = letter_of(dtype), rows = (int)m, columns = (int)n, count = (int)k;
  int ld = at_least_one(m), size = -1, info = 0;
  const char* op = !adjoint ? "N" : letter < 2 ? "T" : "C";
  double query[2];
  if (m == 0 || n == 0 || k == 0) return 0;
  if (k > UNBLOCKED)
    g_f[letter].ormqr("L", op, &rows, &columns, &count, a, &ld, tau, c, &ld, query, &size,
                      &info, 1, 1);
  size = k > UNBLOCKED ? asked(letter, query) : columns;
  void* work = oyi_calloc((size_t)size, item_of(letter));
  if (!work) return OYI_LAPACK_NO_MEMORY;
  g_f[letter].ormqr("L", op, &rows, &columns, &count, a, &ld, tau, c, &ld, work, &size,
                    &info, 1, 1);
  oyi_free(work);
  return info;
}

static int32_t least_squares(oy_dtype dtype, int64_t m, int64_t n, int64_t columns,
                             void* a, void* b, double rcond, int32_t* rank) {
  const int letter = letter_of(dtype), rows = (int)m, across = (int)n,
            right = (int)columns, lda = at_least_one(m), ldb = (int)(m > n ? m : n);
  const int64_t block = 32, least = oyi_least(m, n);
  // As documented for blocks of that size.
  const int size =
      (int)oyi_least(INT_MAX, 2 * least + 3 * n + block * (least + n + 1 + columns));
  const float rcond_s = (float)rcond;
  const void* limit = real_of(letter) == sizeof(float) ? (const void*)&rcond_s : &rcond;
  int info = 0, *pivots = oyi_calloc((size_t)n, sizeof(int));
  void* work = oyi_malloc((size_t)size * item_of(letter));
  void* reals = letter < 2 ? work : oyi_malloc((size_t)n * 2 * real_of(letter));
  if (!pivots || !work || !reals)
    info = OYI_LAPACK_NO_MEMORY;
  else if (letter < 2)
    g_f[letter].gelsy(&rows, &across, &right, a, &lda, b, &ldb, pivots, limit, rank, work,
                      &size, &info, NULL);
  else
    g_f[letter].gelsy(&rows, &across, &right, a, &lda, b, &ldb, pivots, limit, rank, work,
                      &size, reals, &info);
  oyi_free(pivots);
  oyi_free(work);
  if (letter >= 2) oyi_free(reals);
  return info;
}

static void unit(oy_dtype dtype, int64_t n, void* a) {
  size_t item = item_of(letter_of(dtype));
  if (a) memset(a, 0, (size_t)(n * n) * item);
  for (int64_t i = 0; a && i < n; i++) {
    oyi_number one = {.kind = OYI_NUMBER_FLOAT, .i = 1, .re = 1};
    oyi_element_store(dtype, (char*)a + (size_t)(i + i * n) * item, one);
  }
}

typedef struct svd_call {
  int letter, m, n, ldu, ldvt;
  const char* job;
  void *a, *s, *u, *vt, *real_work;
  int* places;
} svd_call;

static int call_svd(const svd_call* c, void* work, int size) {
  int info = 0, lda = at_least_one(c->m);
  if (c->letter < 2)
    g_f[c->letter].gesdd(c->job, &c->m, &c->n, c->a, &lda, c->s, c->u, &c->ldu, c->vt,
                         &c->ldvt, work, &size, c->places, &info, NULL);
  else
    g_f[c->letter].gesdd(c->job, &c->m, &c->n, c->a, &lda, c->s, c->u, &c->ldu, c->vt,
                         &c->ldvt, work, &size, c->real_work, c->places, &info);
  return info;
}

static int svd_room(const svd_call* c, int* info) {
  static __thread answer last;
  double query[2];
  if (is_about(&last, c->job, c->letter, c->m, c->n)) return last.size;
  *info = call_svd(c, query, -1);
  if (*info != 0) return 1;
  last = (answer){c->job, c->letter, c->m, c->n, asked(c->letter, query), 0, 0};
  return last.size;
}

static int32_t svd(oy_dtype dtype, bool full, int64_t m, int64_t n, void* a, void* s,
                   void* u, void* vh) {
  if (m == 0 || n == 0) {
    // Nothing to take apart: the whole bases are unit matrices.
    unit(dtype, full ? m : 0, u);
    unit(dtype, full ? n : 0, vh);
    return 0;
  }
  int letter = letter_of(dtype);
  int64_t least = oyi_least(m, n), most = m > n ? m : n;
  svd_call c = {.letter = letter,
                .m = (int)m,
                .n = (int)n,
                .ldu = at_least_one(m),
                .a = a,
                .s = s,
                .u = u,
                .vt = vh,
                .job = !u     ? "N"
                       : full ? "A"
                              : "S"};
  c.ldvt = full ? (int)n : (int)least;
  int64_t reals =
      least * (5 * least + 7 > 2 * most + 2 * least + 1 ? 5 * least + 7
                                                        : 2 * most + 2 * least + 1);
  c.places = oyi_calloc((size_t)least * 8, sizeof(int));
  c.real_work = letter < 2 ? c.places : oyi_calloc((size_t)reals, real_of(letter));
  int info = c.places && c.real_work ? 0 : OYI_LAPACK_NO_MEMORY;
  int size = info == 0 ? svd_room(&c, &info) : 1;
  void* work = info == 0 ? oyi_malloc((size_t)size * item_of(letter)) : NULL;
  if (info == 0) info = work ? call_svd(&c, work, size) : OYI_LAPACK_NO_MEMORY;
  oyi_free(work);
  if (letter >= 2) oyi_free(c.real_work);
  oyi_free(c.places);
  return info;
}

typedef struct eigh_call {
  int letter, n;
  const char* job;
  void *a, *values;
} eigh_call;

static int call_eigh(const eigh_call* c, void* work, const int* size, void* real_work,
                     const int* reals, int* places, const int* place_count) {
  syevd_fn f = g_f[c->letter].syevd;
  int info = 0;
  if (c->letter < 2)
    f(c->job, "L", &c->n, c->a, &c->n, c->values, work, size, places,
      (void*)(uintptr_t)place_count, &info, NULL, NULL, NULL);
  else
    f(c->job, "L", &c->n, c->a, &c->n, c->values, work, size, real_work,
      (void*)(uintptr_t)reals, places, (void*)(uintptr_t)place_count, &info, NULL);
  return info;
}

static int eigh_room(const eigh_call* c, answer* out) {
  static __thread answer last;
  double query[2], real_query[2] = {0};
  const int minus = -1;
  int places = 1, info = 0;
  if (!is_about(&last, c->job, c->letter, c->n, c->n)) {
    info = call_eigh(c, query, &minus, real_query, &minus, &places, &minus);
    if (info != 0) return info;
    last = (answer){c->job,
                    c->letter,
                    c->n,
                    c->n,
                    asked(c->letter, query),
                    c->letter < 2 ? 1 : asked(c->letter, real_query),
                    places};
  }
  *out = last;
  return 0;
}

static int32_t eigh(oy_dtype dtype, bool vectors, int64_t n, void* a, void* values) {
  if (n == 0) return 0;
  const eigh_call c = {letter_of(dtype), (int)n, vectors ? "V" : "N", a, values};
  answer room;
  int info = eigh_room(&c, &room);
  if (info != 0) return info;
  void* work = oyi_malloc((size_t)room.size * item_of(c.letter));
  void* real_work = oyi_malloc((size_t)room.reals * real_of(c.letter));
  int* places = oyi_malloc((size_t)at_least_one(room.places) * sizeof(int));
  info = work && real_work && places ? call_eigh(&c, work, &room.size, real_work,
                                                 &room.reals, places, &room.places)
                                     : OYI_LAPACK_NO_MEMORY;
  oyi_free(work);
  oyi_free(real_work);
  oyi_free(places);
  return info;
}

// ------------------------------------------------------------------------ eigenvalues

static double real_at(int letter, const void* x, int64_t i) {
  return letter % 2 == 0 ? (double)((const float*)x)[i] : ((const double*)x)[i];
}
static void put(int letter, void* x, int64_t i, double re, double im) {
  if (letter % 2 == 0)
    ((float*)x)[2 * i] = (float)re, ((float*)x)[2 * i + 1] = (float)im;
  else
    ((double*)x)[2 * i] = re, ((double*)x)[2 * i + 1] = im;
}

// Pairs of conjugate eigenvectors come as real and imaginary part in two columns.
static void widen(int letter, int64_t n, const void* wr, const void* wi, const void* v,
                  void* values, void* vectors) {
  for (int64_t k = 0; k < n; k++) {
    double im = real_at(letter, wi, k);
    put(letter, values, k, real_at(letter, wr, k), im);
    for (int64_t i = 0; vectors && i < n; i++) {
      int64_t re_at = im < 0 ? k - 1 : k, im_at = im < 0 ? k : k + 1;
      double y = im == 0 ? 0 : real_at(letter, v, i + im_at * n);
      put(letter, vectors, i + k * n, real_at(letter, v, i + re_at * n), im < 0 ? -y : y);
    }
  }
}

static int32_t eig_real(int letter, int64_t n, void* a, void* values, void* vectors) {
  int size_n = (int)n, lda = at_least_one(n), one = 1, size = -1, info = 0;
  const char* job = vectors ? "V" : "N";
  size_t item = real_of(letter);
  char* w = oyi_calloc((size_t)(2 * n + (vectors ? n * n : 0)) + 1, item);
  if (!w) return OYI_LAPACK_NO_MEMORY;
  char *wi = w + (size_t)n * item, *v = wi + (size_t)n * item;
  double query[2];
  geev_fn f = g_f[letter].geev;
  f("N", job, &size_n, a, &lda, w, wi, NULL, &one, v, &lda, query, &size, &info);
  size = asked(letter, query);
  void* work = oyi_calloc((size_t)size, item);
  if (work) f("N", job, &size_n, a, &lda, w, wi, NULL, &one, v, &lda, work, &size, &info);
  if (work && info == 0) widen(letter, n, w, wi, v, values, vectors);
  oyi_free(w);
  oyi_free(work);
  return work ? info : OYI_LAPACK_NO_MEMORY;
}

static int32_t eig(oy_dtype dtype, int64_t n, void* a, void* values, void* vectors) {
  int letter = letter_of(dtype), size_n = (int)n, lda = at_least_one(n), one = 1,
      info = 0;
  if (n == 0) return 0;
  if (letter < 2) return eig_real(letter, n, a, values, vectors);
  const char* job = vectors ? "V" : "N";
  double query[2];
  int size = -1;
  void* real_work = oyi_calloc((size_t)n * 2, real_of(letter));
  geev_fn f = g_f[letter].geev;
  if (real_work)
    f("N", job, &size_n, a, &lda, values, NULL, &one, vectors, &lda, query, &size,
      real_work, &info);
  size = real_work ? asked(letter, query) : 1;
  void* work = oyi_calloc((size_t)size, item_of(letter));
  if (work && real_work)
    f("N", job, &size_n, a, &lda, values, NULL, &one, vectors, &lda, work, &size,
      real_work, &info);
  else
    info = OYI_LAPACK_NO_MEMORY;
  oyi_free(work);
  oyi_free(real_work);
  return info;
}

static const oyi_lapack g_openblas = {.native = true,
                                      .lu = lu,
                                      .cholesky = cholesky,
                                      .solve_triangle = solve_triangle,
                                      .qr = qr,
                                      .make_q = make_q,
                                      .multiply_q = multiply_q,
                                      .least_squares = least_squares,
                                      .svd = svd,
                                      .eigh = eigh,
                                      .eig = eig};

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
