// SPDX-License-Identifier: Apache-2.0
// The exponential of a matrix: exp(A) = exp(A / 2^s)^(2^s), where the smaller one is a Taylor
// polynomial by few products (P. Bader, S. Blanes, F. Casas, "Computing the matrix exponential
// with an optimized Taylor polynomial approximation", Mathematics 7, 2019), of a degree that is
// exact enough for its norm. Powers of one matrix commute: rows may stand for columns.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#include <math.h>
#include <string.h>

#include "backends/cpu/linalg/linalg.h"
#include "backends/cpu/linalg/matrix.h"
#include "backends/cpu/linalg/openblas.h"
#include "tensor/block_cache.h"
#include "tensor/iterator.h"

enum { MATRICES = 7, TERMS = 5, PIECE = 256 };

// One matrix: |at| are MATRICES of its size, the first of which is A and then the result.
typedef struct expm {
  int64_t n, count;  // of a side; real numbers
  oy_dtype dtype;    // F32, F64, C64 or C128
  oyi_gemm_fn gemm;
  bool shares;  // threads may share a product
  char* at[MATRICES];
} expm;

static bool is_single(const expm* e) {
  return e->dtype == OY_DTYPE_F32 || e->dtype == OY_DTYPE_C64;
}
static int64_t parts_of(oy_dtype dtype) {
  return oy_dtype_is_complex(dtype) ? 2 : 1;
}

static oy_status multiply(const expm* e, int a, int b, int c) {
  const int64_t n = e->n;
  const oyi_gemm g = {.n = n,
                      .m = n,
                      .k = n,
                      .a = e->at[a],
                      .b = e->at[b],
                      .c = e->at[c],
                      .a_row = n,
                      .a_column = 1,
                      .b_row = n,
                      .b_column = 1,
                      .c_row = n,
                      .c_column = 1,
                      .alpha = oyi_number_of_scalar(oy_int(1)),
                      .beta = oyi_number_of_scalar(oy_int(0))};
  const int64_t item = oyi_dtype_bytes[e->dtype];
  return e->shares ? oyi_multiply(e->gemm, &g, item, item) : e->gemm(&g);
}

// Matrix |to| becomes by[0], times the identity, and by[k] times matrix which[k - 1], as many
// as there are before -1; it may be one of them.
#define COMBINE(T, name)                                                        \
  static void name(const expm* e, const double* by, const int* which, int to) { \
    T* out = (T*)(void*)e->at[to];                                              \
    const T* x[TERMS];                                                          \
    int terms = 0;                                                              \
    for (; terms < TERMS && which[terms] >= 0; terms++)                         \
      x[terms] = (const T*)(const void*)e->at[which[terms]];                    \
    T sums[PIECE];                                                              \
    for (int64_t at = 0; at < e->count; at += PIECE) {                          \
      const int64_t some = e->count - at < PIECE ? e->count - at : PIECE;       \
      memset(sums, 0, (size_t)some * sizeof(T));                                \
      for (int k = 0; k < terms; k++) {                                         \
        const T c = (T)by[k + 1], *from = x[k] + at;                            \
        for (int64_t i = 0; i < some; i++) sums[i] += c * from[i];              \
      }                                                                         \
      memcpy(out + at, sums, (size_t)some * sizeof(T));                         \
    }                                                                           \
    const int64_t step = (e->n + 1) * parts_of(e->dtype);                       \
    for (int64_t i = 0; i < e->count; i += step) out[i] += (T)by[0];            \
  }
COMBINE(float, combine_f32)
COMBINE(double, combine_f64)
#undef COMBINE

static void combine(const expm* e, const double* by, const int* which, int to) {
  if (is_single(e))
    combine_f32(e, by, which, to);
  else
    combine_f64(e, by, which, to);
}
#define COMBINED(to, which, ...) \
  combine(e, (const double[]){__VA_ARGS__}, (const int[]){ONLY which, -1}, to)
#define ONLY(...) __VA_ARGS__

// ------------------------------------------------------------------------ polynomials

// Matrix 0 becomes the polynomial of itself; the others are room.
static oy_status degree_2(const expm* e) {
  OY_TRY(multiply(e, 0, 0, 1));
  COMBINED(0, (0, 1), 1, 1, 0.5);
  return OY_OK;
}

static oy_status degree_4(const expm* e) {
  OY_TRY(multiply(e, 0, 0, 1));
  COMBINED(2, (0, 1), 0.5, 1 / 6.0, 1 / 24.0);
  OY_TRY(multiply(e, 1, 2, 3));
  COMBINED(0, (0, 3), 1, 1, 1);
  return OY_OK;
}

// 1: A^2, 2: of degree 4.
static oy_status degree_8(const expm* e) {
  const double root = sqrt(177), x3 = 2.0 / 3;
  OY_TRY(multiply(e, 0, 0, 1));
  COMBINED(3, (0, 1), 0, x3 * (1 + root) / 88, x3 * (1 + root) / 352);
  OY_TRY(multiply(e, 1, 3, 2));
  COMBINED(3, (1, 2), 0, x3, 1);
  COMBINED(4, (0, 1, 2), (-271 + 29 * root) / (315 * x3), 11 * (-1 + root) / (1260 * x3),
           11 * (-9 + root) / (5040 * x3), (89 - root) / (5040 * x3 * x3));
  OY_TRY(multiply(e, 3, 4, 5));
  COMBINED(0, (0, 1, 5), 1, 1, (857 - 58 * root) / 630, 1);
  return OY_OK;
}

// 1: A^2, 2: A^3.
static oy_status degree_12(const expm* e) {
  OY_TRY(multiply(e, 0, 0, 1));
  OY_TRY(multiply(e, 0, 1, 2));
  COMBINED(3, (0, 1, 2), -2.0861320e-13, -0.13181061013830184015, -0.02027855540589259079,
           -0.00675951846863086359);
  OY_TRY(multiply(e, 3, 3, 4));
  COMBINED(4, (0, 1, 2, 4), 0.18188869982170434744, 0.05502798439925399070,
           0.09351590770535414968, 0.00610700528898058230, 1);  // of degree 6
  COMBINED(3, (0, 1, 2, 4), 5.31597895759871264183, 1.19926790417132231573,
           0.01179296240992997031, 0.01108844528519167989, 1);
  OY_TRY(multiply(e, 3, 4, 5));
  COMBINED(0, (0, 1, 2, 5), 9.0198e-16, 0.46932117595418237389, -0.20099424927047284052,
           -0.04623946134063071740, 1);
  return OY_OK;
}

// 1: A^2, 2: A^3, 3: A^6.
static oy_status degree_18(const expm* e) {
  OY_TRY(multiply(e, 0, 0, 1));
  OY_TRY(multiply(e, 0, 1, 2));
  OY_TRY(multiply(e, 2, 2, 3));
  COMBINED(4, (0, 1, 2), 0, -1.00365581030144618291e-01, -8.02924648241156932449e-03,
           -8.92138498045729985177e-04);
  COMBINED(5, (1, 2, 3), 0, -9.23364619367118555360e-02, -1.69364939002081722752e-02,
           -1.40086798182036094347e-05);
  OY_TRY(multiply(e, 4, 5, 6));
  COMBINED(4, (0, 1, 2, 3, 6), -9.04316832390810593223e-02, -6.76404519071381882256e-02,
           6.75961301770459654925e-02, 2.95552570429315521194e-02,
           -1.39180257516060693404e-05, 1);  // of degree 9
  COMBINED(5, (0, 1, 2, 3, 4), -1.09676396052962061844e+01, 1.68015813878906206114e+00,
           5.71779846478865511061e-02, -6.98210122488052056106e-03,
           3.34975017086070470649e-05, 1);
  OY_TRY(multiply(e, 5, 4, 6));
  COMBINED(0, (0, 1, 2, 3, 6), 0, 3.97849749499645077844e-01, 1.36783778460411720168e+00,
           4.98289622525382669416e-01, -6.37898194594723280150e-04, 1);
  return OY_OK;
}

// Up to which norm each is exact, in floats and in doubles.
static const struct {
  double norm[2];
  oy_status (*polynomial)(const expm* e);
} g_degrees[] = {{{5.978858893805233e-04, 2.580956802971767e-08}, degree_2},
                 {{5.116619363445086e-02, 3.397168839976962e-04}, degree_4},
                 {{5.800524627688768e-01, 4.991228871115323e-02}, degree_8},
                 {{1.461661507209034e+00, 2.996158913811580e-01}, degree_12},
                 {{3.010066362817634e+00, 1.090863719290036e+00}, degree_18}};
enum { DEGREES = sizeof(g_degrees) / sizeof(*g_degrees) };

// ------------------------------------------------------------------------ one matrix

static double number_at(const expm* e, int64_t i) {
  return is_single(e) ? (double)((const float*)(const void*)e->at[0])[i]
                      : ((const double*)(const void*)e->at[0])[i];
}

static double size_at(const expm* e, int64_t i) {
  const double re = number_at(e, i), im = number_at(e, i + 1);
  // Squares of floats are no more than double holds.
  return is_single(e) ? sqrt(re * re + im * im) : hypot(re, im);
}

// The greatest sum of magnitudes of a column, or a row: NaN if one is.
static double norm_of(const expm* e) {
  const int64_t parts = parts_of(e->dtype);
  double most = 0;
  for (int64_t i = 0; i < e->count;) {
    double sum = 0;
    for (const int64_t end = i + e->n * parts; i < end; i += parts)
      sum += parts == 2 ? size_at(e, i) : fabs(number_at(e, i));
    if (sum > most || sum != sum) most = sum;
    if (sum != sum) break;
  }
  return most;
}

static void scale(const expm* e, int squares) {
  float* floats = (float*)(void*)e->at[0];
  double* doubles = (double*)(void*)e->at[0];
  for (int64_t i = 0; squares && i < e->count; i++)
    if (is_single(e))
      floats[i] = ldexpf(floats[i], -squares);
    else
      doubles[i] = ldexp(doubles[i], -squares);
}

static oy_status exponential(expm* e) {
  const double norm = norm_of(e);
  const int kind = is_single(e) ? 0 : 1;
  int degree = 0;
  while (degree < DEGREES - 1 && !(norm <= g_degrees[degree].norm[kind])) degree++;
  const double most = g_degrees[degree].norm[kind];
  int squares = isfinite(norm) && norm > most ? (int)ceil(log2(norm / most)) : 0;
  scale(e, squares);
  OY_TRY(g_degrees[degree].polynomial(e));
  for (; squares > 0 && isfinite(norm_of(e)); squares--) {  // else it stays so
    OY_TRY(multiply(e, 0, 0, 1));
    memcpy(e->at[0], e->at[1],
           (size_t)e->count * oyi_dtype_bytes[e->dtype] / (size_t)parts_of(e->dtype));
  }
  return OY_OK;
}

// ------------------------------------------------------------------------ all of them

typedef struct batch {
  oyi_tensor* t;
  oyi_gemm_fn gemm;
} batch;

static oy_status run(int64_t begin, int64_t end, void* context) {
  const batch* b = context;
  const oyi_tensor* t = b->t;
  expm e = {.n = oyi_rows(t), .dtype = t->header.dtype, .gemm = b->gemm};
  const size_t size = (size_t)(e.n * e.n) * oyi_dtype_bytes[e.dtype];
  void* block = NULL;
  char* room = oyi_data_alloc((MATRICES - 1) * size, &block);
  if (!room) return OY_OUT_OF_MEMORY;
  e.count = e.n * e.n * parts_of(e.dtype);
  e.shares = oyi_matrix_count(t) == 1;
  for (int i = 1; i < MATRICES; i++) e.at[i] = room + (size_t)(i - 1) * size;
  oy_status status = OY_OK;
  for (int64_t i = begin; i < end && status == OY_OK; i++) {
    e.at[0] = oyi_matrix_at(t, i);
    status = exponential(&e);
  }
  oyi_data_free(block, room);
  return status;
}

// Squares lose digits, which matrices that take no time keep in double.
static oy_dtype dtype_of_work(const oyi_tensor* t) {
  enum { NO_TIME = 64 };
  const bool is_complex = oy_dtype_is_complex(t->header.dtype);
  if (oyi_rows(t) <= NO_TIME) return is_complex ? OY_DTYPE_C128 : OY_DTYPE_F64;
  const bool small = t->header.dtype == OY_DTYPE_F16 || t->header.dtype == OY_DTYPE_BF16;
  return small ? OY_DTYPE_F32 : t->header.dtype;
}

LINALG(linalg_matrix_exp) {
  const oyi_tensor* t = oyi_tensor_of(self);
  if (!t) return NULL;
  // Small floats are welcome here.
  bool small = self->dtype == OY_DTYPE_F16 || self->dtype == OY_DTYPE_BF16;
  if ((!small || t->ndim < 2 || oyi_rows(t) != oyi_columns(t)) &&
      !oyi_check_square(self, "linalg.matrix_exp"))
    return NULL;
  oyi_tensor* work = oyi_matrices_copy(t, dtype_of_work(t));
  if (!work || oyi_is_meta(work) || work->numel == 0)
    return oyi_matrices_done_by_rows(work, self->dtype);
  const oy_dtype dtype = work->header.dtype;
  batch b = {work, lapack == &oyi_lapack_portable ? oyi_gemm_portable(dtype)
                                                  : oyi_openblas_gemm(dtype)};
  const oy_status status = oyi_matrix_count(work) == 1
                               ? run(0, 1, &b)
                               : oyi_matrices_each(work, 8 * oyi_rows(work), run, &b);
  if (status == OY_OK) return oyi_matrices_done_by_rows(work, self->dtype);
  oy_tensor_release(&work->header);
  return NULL;
}
