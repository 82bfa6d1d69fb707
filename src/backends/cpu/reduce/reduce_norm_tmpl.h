// SPDX-License-Identifier: Apache-2.0
// Norms of one type; T, ID, ABS(x) and SQUARE(x), doubles, are given.
#define NAME       norm0
#define START      0
#define STEP(a, x) ((a) + ((x) != 0))
#define JOIN(a, b) ((a) + (b))
#define RESULT(a)  (a)
#include "backends/cpu/reduce/reduce_fold_tmpl.h"
#define NAME       norm1
#define START      0
#define STEP(a, x) ((a) + ABS(x))
#define JOIN(a, b) ((a) + (b))
#define RESULT(a)  (a)
#include "backends/cpu/reduce/reduce_fold_tmpl.h"
#define NAME       norm2
#define START      0
#define STEP(a, x) ((a) + SQUARE(x))
#define JOIN(a, b) ((a) + (b))
#define RESULT(a)  sqrt(a)
#include "backends/cpu/reduce/reduce_fold_tmpl.h"
// Once a NaN is there it stays.
#define NAME       norm_max
#define START      0
#define STEP(a, x) JOIN(a, ABS(x))
#define JOIN(a, b) ((b) > (a) || (b) != (b) ? (b) : (a))
#define RESULT(a)  (a)
#include "backends/cpu/reduce/reduce_fold_tmpl.h"
#define NAME       norm_min
#define START      INFINITY
#define STEP(a, x) JOIN(a, ABS(x))
#define JOIN(a, b) ((b) < (a) || (b) != (b) ? (b) : (a))
#define RESULT(a)  (a)
#include "backends/cpu/reduce/reduce_fold_tmpl.h"
#define NAME  norm_any
#define START 0
#define SETUP                                \
  const double order = *(const double*)args; \
  (void)order
#define STEP(a, x) ((a) + pow(ABS(x), order))
#define JOIN(a, b) ((a) + (b))
#define RESULT(a)  pow(a, 1 / order)
#include "backends/cpu/reduce/reduce_fold_tmpl.h"
#undef T
#undef ID
#undef ABS
#undef SQUARE
