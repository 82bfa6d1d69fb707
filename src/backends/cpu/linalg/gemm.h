// SPDX-License-Identifier: Apache-2.0
// c = alpha * (a x b) + beta * c for matrices with any strides: what all matrix
// products of the CPU come down to. Portable C, for every dtype that can be
// multiplied; libraries are variants beside it (openblas.c).
#ifndef OPYARD_SRC_BACKENDS_CPU_LINALG_GEMM_H_
#define OPYARD_SRC_BACKENDS_CPU_LINALG_GEMM_H_

#include "opyard/value.h"
#include "tensor/element.h"

typedef struct oyi_gemm {
  int64_t n, m, k;  // c is n x m, a is n x k, b is k x m
  const void *a, *b;
  void* c;
  int64_t a_row, a_column, b_row, b_column, c_row, c_column;  // in elements
  oyi_number alpha, beta;  // |beta| zero: c is not read
  // What counts |beta| times in place of c, if not NULL: rows that lie together, of a
  // product that oyi_gemm_is_outer. Not looked at where |beta| is zero.
  const void* added;
  int64_t added_row;
  bool conjugate;  // of a, minded by portable products of complex numbers alone
} oyi_gemm;

// Of two vectors, with a result in rows that lie together.
static inline bool oyi_gemm_is_outer(const oyi_gemm* g) {
  return g->k == 1 && g->m >= 16 && g->b_column == 1 && g->c_column == 1;
}

// Computes; OUT_OF_MEMORY leaves c as it was. Low-precision floats are added up in
// float and rounded once, integers wrap.
typedef oy_status (*oyi_gemm_fn)(const oyi_gemm* g);

enum { OYI_GEMM_DTYPES = OY_DTYPE_BF16 + 1 };

// The portable kernel for |dtype| at the level of this machine; NULL if there is none.
oyi_gemm_fn oyi_gemm_portable(oy_dtype dtype);

static inline bool oyi_number_is_zero(oyi_number x) {
  return x.kind == OYI_NUMBER_INT || x.kind == OYI_NUMBER_UINT ? x.i == 0
                                                               : x.re == 0 && x.im == 0;
}

// A product with a value of |by_row|, of |dtype|, added to each row, and |beta| zero: false
// where no kernel does both at once, and nothing is written.
bool oyi_gemm_by_row(oy_dtype dtype, const oyi_gemm* g, const void* by_row);

// By capability level.
#define OYI_GEMM_TABLE(level) extern const oyi_gemm_fn oyi_gemm_##level[OYI_GEMM_DTYPES]
OYI_GEMM_TABLE(base);
OYI_GEMM_TABLE(v3);
OYI_GEMM_TABLE(v4);

#endif  // OPYARD_SRC_BACKENDS_CPU_LINALG_GEMM_H_
