// SPDX-License-Identifier: Apache-2.0
// Exponentials of matrices: what polynomials work on, and loops for small matrices.
#ifndef OPYARD_SRC_BACKENDS_CPU_LINALG_LINALG_EXP_H_
#define OPYARD_SRC_BACKENDS_CPU_LINALG_LINALG_EXP_H_

#include "backends/cpu/linalg/gemm.h"

enum { OYI_EXP_MATRICES = 7, OYI_EXP_TERMS = 5, OYI_EXP_DEGREES = 5, OYI_EXP_WIDEST = 8 };

// Small matrices of doubles, in vectors of |lanes|; real parts, then imaginary ones, if any,
// lie as matrices of their own. One matrix has |columns| vectors to a row, the last of them
// with zeros behind; where there are |many|, a vector has one element of |lanes| matrices,
// and |columns| is |n|.
typedef struct oyi_exp_shape {
  int64_t n, columns;
  bool many, is_complex;
} oyi_exp_shape;

typedef struct oyi_exp_loops {
  int lanes;
  // c = a x b; c lies apart from both.
  void (*multiply)(const oyi_exp_shape* s, const double* a, const double* b, double* c);
  // |out|, of |count| numbers, becomes the sum of by[k] times x[k]; it may be one of them.
  void (*combine)(int64_t count, int terms, const double* by, const double* const* x,
                  double* out);
  // The greatest sum of magnitudes of a column, in each lane; that of a NaN is any number.
  void (*norms)(const oyi_exp_shape* s, const double* x, double* norms);
  // Each lane by its factor.
  void (*scale)(int64_t count, const double* factors, double* x);
  // Lanes of |to| whose |mask| has all bits set become those of |from|.
  void (*replace)(int64_t count, const int64_t* mask, const double* from, double* to);
  // 0, or NaN in lanes that have what is not finite.
  void (*check)(int64_t count, const double* x, double* found);
} oyi_exp_loops;

// One matrix, or several: |at| are OYI_EXP_MATRICES of its size, the first of which is A and
// then the result.
typedef struct oyi_expm {
  int64_t n, count;            // of a side; real numbers
  oy_dtype dtype;              // F32, F64, C64 or C128, and F64 with |loops|
  const oyi_exp_loops* loops;  // NULL: products of |gemm|
  oyi_exp_shape shape;
  oyi_gemm_fn gemm;
  bool shares;  // threads may share a product
  char* at[OYI_EXP_MATRICES];
} oyi_expm;

// c = a x b, of matrices by their number.
oy_status oyi_expm_multiply(const oyi_expm* e, int a, int b, int c);

// Up to which norm each degree is exact, in floats and in doubles.
typedef struct oyi_exp_degree {
  double norm[2];
  oy_status (*polynomial)(const oyi_expm* e);
} oyi_exp_degree;
extern const oyi_exp_degree oyi_exp_degrees[OYI_EXP_DEGREES];
// The least degree that is exact for |norm|, if one is, and how often its argument, halved as
// often before, is to be squared. |kind| 0: in floats, 1: in doubles.
int oyi_exp_degree_of(double norm, int kind, int* squares);

// At the level of this machine.
const oyi_exp_loops* oyi_exp_loops_table(void);

// |count| of |n| x |n|, of doubles or complex ones, in place. Those that this cannot, since
// what is not finite turns up, are left as they were, and handed to |rest|.
enum { OYI_EXP_SMALL = 64 };
oy_status oyi_exp_small(int64_t n, bool is_complex, int64_t count, double* x,
                        oy_status (*rest)(void* context, double* x), void* context);

#endif  // OPYARD_SRC_BACKENDS_CPU_LINALG_LINALG_EXP_H_
