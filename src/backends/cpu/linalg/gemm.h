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
  // product that oyi_gemm_is_outer, or of floats or bfloat16 that says it reads such. Not looked
  // at where |beta| is zero.
  const void* added;
  int64_t added_row, added_step;  // |added_step|: from one matrix of a batch to the next
  bool conjugate;  // of a, minded by portable products of complex numbers alone
} oyi_gemm;

// Of two vectors, with a result in rows that lie together.
static inline bool oyi_gemm_is_outer(const oyi_gemm* g) {
  return g->k == 1 && g->m >= 16 && g->b_column == 1 && g->c_column == 1;
}

// The transposed product, whose result is row-major if c is column-major.
static inline oyi_gemm oyi_gemm_flipped(const oyi_gemm* g) {
  oyi_gemm f = *g;
  f.n = g->m, f.m = g->n;
  f.a = g->b, f.b = g->a;
  f.a_row = g->b_column, f.a_column = g->b_row;
  f.b_row = g->a_column, f.b_column = g->a_row;
  f.c_row = g->c_column, f.c_column = g->c_row;
  return f;
}

// Two sides of two to four numbers: many points by a transformation, which are the rows of a
// or the columns of b, or the products of their coordinates. Portable kernels of real numbers are
// made for these where points follow each other, and results are sums alone.
typedef enum oyi_gemm_few {
  OYI_GEMM_MANY,  // none of them
  OYI_GEMM_POINTS,
  OYI_GEMM_TURNED,
  OYI_GEMM_SQUARES
} oyi_gemm_few;
static inline bool oyi_gemm_are_points(const oyi_gemm* g) {
  return g->a_column == 1 && g->a_row == g->k &&
         (g->c_row == 1 || (g->c_column == 1 && g->c_row == g->m));
}
static inline oyi_gemm_few oyi_gemm_few_of(const oyi_gemm* g) {
  enum { MANY = 32, FEW = 4 };
  const bool n = (uint64_t)(g->n - 2) <= FEW - 2, m = (uint64_t)(g->m - 2) <= FEW - 2,
             k = (uint64_t)(g->k - 2) <= FEW - 2;
  if (OY_LIKELY(n + m + k != 2) || (n ? m ? g->k : g->m : g->n) < MANY ||
      g->alpha.re != 1 || g->beta.re != 0)
    return OYI_GEMM_MANY;
  if (!k) {
    const bool follow =
        g->a_row == 1 && g->a_column == g->n && g->b_column == 1 && g->b_row == g->m;
    return follow && g->n == g->m ? OYI_GEMM_SQUARES : OYI_GEMM_MANY;
  }
  const oyi_gemm flipped = oyi_gemm_flipped(g);
  if (!oyi_gemm_are_points(n ? &flipped : g)) return OYI_GEMM_MANY;
  return n ? OYI_GEMM_TURNED : OYI_GEMM_POINTS;
}

// Few columns that follow each other by a vector.
static inline bool oyi_gemm_is_narrow(const oyi_gemm* g) {
  enum { FEW = 16, LONG = 16 };
  return g->m == 1 && g->n > 1 && g->n < FEW && g->k >= LONG && g->a_row == 1 &&
         g->a_column == g->n;
}

// Up to this depth the portable product of floats is the faster one at level 2: tiles leave the
// caches beyond it.
enum { OYI_GEMM_DEEP = 4096 };

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

// Whether products of floats take such as |added| with |g|, and its parts of at least four rows:
// those that are made where their operands lie, by whichever way such are.
// |results| are those of all of a batch.
bool oyi_gemm_f32_reads_added(const oyi_gemm* g, int64_t results);

// A product with a value of |by_row|, of |dtype|, added to each row, and |beta| zero: false
// where no kernel does both at once, and nothing is written.
bool oyi_gemm_by_row(oy_dtype dtype, const oyi_gemm* g, const void* by_row);

// A matrix whose rows lie together by a vector, or one of few columns: false where no kernel reads
// a few rows at once, and nothing is written.
bool oyi_gemm_by_vector(oy_dtype dtype, const oyi_gemm* g);
bool oyi_gemm_by_vector_v4(oy_dtype dtype, const oyi_gemm* g);
// The same of bytes of either sign; here results are those of |g| as they are.
bool oyi_gemm_bytes_by_vector_v4(const oyi_gemm* g);

// Whole numbers of 32 and 64 bits by few columns, all of which lie together, or few rows: false
// where it is no such product, and nothing is written.
bool oyi_gemm_inner_whole_v4(oy_dtype dtype, const oyi_gemm* g);

// From one matrix of a batch to the next, in elements.
typedef struct oyi_gemm_steps {
  int64_t count, a, b, c;
} oyi_gemm_steps;

// Few rows by few columns, in all matrices of a batch: false where no kernel is for these, or the
// operands do not lie as it reads them, and nothing is written.
bool oyi_gemm_thin(oy_dtype dtype, const oyi_gemm* g, const oyi_gemm_steps* steps);
bool oyi_gemm_thin_v4(oy_dtype dtype, const oyi_gemm* g, const oyi_gemm_steps* steps);

// By capability level.
#define OYI_GEMM_TABLE(level) extern const oyi_gemm_fn oyi_gemm_##level[OYI_GEMM_DTYPES]
OYI_GEMM_TABLE(base);
OYI_GEMM_TABLE(v3);
OYI_GEMM_TABLE(v4);

#endif  // OPYARD_SRC_BACKENDS_CPU_LINALG_GEMM_H_
