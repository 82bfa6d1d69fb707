// SPDX-License-Identifier: Apache-2.0
// Taylor polynomials of matrices by few products (P. Bader, S. Blanes, F. Casas, "Computing the
// matrix exponential with an optimized Taylor polynomial approximation", Mathematics 7, 2019).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#include <math.h>
#include <string.h>

#include "backends/cpu/linalg/linalg_exp.h"
#include "backends/cpu/linalg/matrix.h"
#include "tensor/iterator.h"

enum { PIECE = 256 };

static bool is_single(const oyi_expm* e) {
  return e->dtype == OY_DTYPE_F32 || e->dtype == OY_DTYPE_C64;
}
static int64_t parts_of(oy_dtype dtype) {
  return oy_dtype_is_complex(dtype) ? 2 : 1;
}

oy_status oyi_expm_multiply(const oyi_expm* e, int a, int b, int c) {
  const int64_t n = e->n;
  if (e->loops) {
    e->loops->multiply(&e->shape, (double*)(void*)e->at[a], (double*)(void*)e->at[b],
                       (double*)(void*)e->at[c]);
    return OY_OK;
  }
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
#define COMBINE(T, name)                                                            \
  static void name(const oyi_expm* e, const double* by, const int* which, int to) { \
    T* out = (T*)(void*)e->at[to];                                                  \
    const T* x[OYI_EXP_TERMS];                                                      \
    int terms = 0;                                                                  \
    for (; terms < OYI_EXP_TERMS && which[terms] >= 0; terms++)                     \
      x[terms] = (const T*)(const void*)e->at[which[terms]];                        \
    T sums[PIECE];                                                                  \
    for (int64_t at = 0; at < e->count; at += PIECE) {                              \
      const int64_t some = e->count - at < PIECE ? e->count - at : PIECE;           \
      memset(sums, 0, (size_t)some * sizeof(T));                                    \
      for (int k = 0; k < terms; k++) {                                             \
        const T c = (T)by[k + 1], *from = x[k] + at;                                \
        for (int64_t i = 0; i < some; i++) sums[i] += c * from[i];                  \
      }                                                                             \
      memcpy(out + at, sums, (size_t)some * sizeof(T));                             \
    }                                                                               \
    const int64_t step = (e->n + 1) * parts_of(e->dtype);                           \
    for (int64_t i = 0; i < e->count; i += step) out[i] += (T)by[0];                \
  }
COMBINE(float, combine_f32)
COMBINE(double, combine_f64)
#undef COMBINE

// Of small matrices, whose identity is in real parts alone.
static void combine_small(const oyi_expm* e, const double* by, const int* which, int to) {
  double* out = (double*)(void*)e->at[to];
  const double* x[OYI_EXP_TERMS];
  int terms = 0;
  for (; terms < OYI_EXP_TERMS && which[terms] >= 0; terms++)
    x[terms] = (const double*)(const void*)e->at[which[terms]];
  e->loops->combine(e->count, terms, by + 1, x, out);
  const int lanes = e->loops->lanes, each = e->shape.many ? lanes : 1;
  const int64_t step = e->shape.columns * lanes + each;
  for (int64_t i = 0; i < e->n && by[0] != 0; i++, out += step)
    for (int l = 0; l < each; l++) out[l] += by[0];
}

static void combine(const oyi_expm* e, const double* by, const int* which, int to) {
  if (e->loops)
    combine_small(e, by, which, to);
  else if (is_single(e))
    combine_f32(e, by, which, to);
  else
    combine_f64(e, by, which, to);
}
#define COMBINED(to, which, ...) \
  combine(e, (const double[]){__VA_ARGS__}, (const int[]){ONLY which, -1}, to)
#define ONLY(...) __VA_ARGS__

// ------------------------------------------------------------------------ polynomials

// Matrix 0 becomes the polynomial of itself; the others are room.
static oy_status degree_2(const oyi_expm* e) {
  OY_TRY(oyi_expm_multiply(e, 0, 0, 1));
  COMBINED(0, (0, 1), 1, 1, 0.5);
  return OY_OK;
}

static oy_status degree_4(const oyi_expm* e) {
  OY_TRY(oyi_expm_multiply(e, 0, 0, 1));
  COMBINED(2, (0, 1), 0.5, 1 / 6.0, 1 / 24.0);
  OY_TRY(oyi_expm_multiply(e, 1, 2, 3));
  COMBINED(0, (0, 3), 1, 1, 1);
  return OY_OK;
}

// 1: A^2, 2: of degree 4.
static oy_status degree_8(const oyi_expm* e) {
  const double root = sqrt(177), x3 = 2.0 / 3;
  OY_TRY(oyi_expm_multiply(e, 0, 0, 1));
  COMBINED(3, (0, 1), 0, x3 * (1 + root) / 88, x3 * (1 + root) / 352);
  OY_TRY(oyi_expm_multiply(e, 1, 3, 2));
  COMBINED(3, (1, 2), 0, x3, 1);
  COMBINED(4, (0, 1, 2), (-271 + 29 * root) / (315 * x3), 11 * (-1 + root) / (1260 * x3),
           11 * (-9 + root) / (5040 * x3), (89 - root) / (5040 * x3 * x3));
  OY_TRY(oyi_expm_multiply(e, 3, 4, 5));
  COMBINED(0, (0, 1, 5), 1, 1, (857 - 58 * root) / 630, 1);
  return OY_OK;
}

// 1: A^2, 2: A^3.
static oy_status degree_12(const oyi_expm* e) {
  OY_TRY(oyi_expm_multiply(e, 0, 0, 1));
  OY_TRY(oyi_expm_multiply(e, 0, 1, 2));
  COMBINED(3, (0, 1, 2), -2.0861320e-13, -0.13181061013830184015, -0.02027855540589259079,
           -0.00675951846863086359);
  OY_TRY(oyi_expm_multiply(e, 3, 3, 4));
  COMBINED(4, (0, 1, 2, 4), 0.18188869982170434744, 0.05502798439925399070,
           0.09351590770535414968, 0.00610700528898058230, 1);  // of degree 6
  COMBINED(3, (0, 1, 2, 4), 5.31597895759871264183, 1.19926790417132231573,
           0.01179296240992997031, 0.01108844528519167989, 1);
  OY_TRY(oyi_expm_multiply(e, 3, 4, 5));
  COMBINED(0, (0, 1, 2, 5), 9.0198e-16, 0.46932117595418237389, -0.20099424927047284052,
           -0.04623946134063071740, 1);
  return OY_OK;
}

// 1: A^2, 2: A^3, 3: A^6.
static oy_status degree_18(const oyi_expm* e) {
  OY_TRY(oyi_expm_multiply(e, 0, 0, 1));
  OY_TRY(oyi_expm_multiply(e, 0, 1, 2));
  OY_TRY(oyi_expm_multiply(e, 2, 2, 3));
  COMBINED(4, (0, 1, 2), 0, -1.00365581030144618291e-01, -8.02924648241156932449e-03,
           -8.92138498045729985177e-04);
  COMBINED(5, (1, 2, 3), 0, -9.23364619367118555360e-02, -1.69364939002081722752e-02,
           -1.40086798182036094347e-05);
  OY_TRY(oyi_expm_multiply(e, 4, 5, 6));
  COMBINED(4, (0, 1, 2, 3, 6), -9.04316832390810593223e-02, -6.76404519071381882256e-02,
           6.75961301770459654925e-02, 2.95552570429315521194e-02,
           -1.39180257516060693404e-05, 1);  // of degree 9
  COMBINED(5, (0, 1, 2, 3, 4), -1.09676396052962061844e+01, 1.68015813878906206114e+00,
           5.71779846478865511061e-02, -6.98210122488052056106e-03,
           3.34975017086070470649e-05, 1);
  OY_TRY(oyi_expm_multiply(e, 5, 4, 6));
  COMBINED(0, (0, 1, 2, 3, 6), 0, 3.97849749499645077844e-01, 1.36783778460411720168e+00,
           4.98289622525382669416e-01, -6.37898194594723280150e-04, 1);
  return OY_OK;
}

// Up to which norm each is exact, in floats and in doubles.
const oyi_exp_degree oyi_exp_degrees[OYI_EXP_DEGREES] = {
    {{5.978858893805233e-04, 2.580956802971767e-08}, degree_2},
    {{5.116619363445086e-02, 3.397168839976962e-04}, degree_4},
    {{5.800524627688768e-01, 4.991228871115323e-02}, degree_8},
    {{1.461661507209034e+00, 2.996158913811580e-01}, degree_12},
    {{3.010066362817634e+00, 1.090863719290036e+00}, degree_18}};

int oyi_exp_degree_of(double norm, int kind, int* squares) {
  int degree = 0;
  while (degree < OYI_EXP_DEGREES - 1 && !(norm <= oyi_exp_degrees[degree].norm[kind]))
    degree++;
  const double most = oyi_exp_degrees[degree].norm[kind];
  *squares = 0;
  if (isfinite(norm) && norm > most && frexp(norm / most, squares) == 0.5) --*squares;
  return degree;
}
