// SPDX-License-Identifier: Apache-2.0
// Norms of one type; T, ID, ABS(x) and SQUARE(x), doubles, are given. SIZE(x) may be, what
// norms of infinite order compare, with SIZE_OF(a), the size that it stands for; and MAX_WHOLE
// and so on, with STRIP, what WHOLE and STRIPS of reduce_fold_tmpl.h are for them and for the
// norm of order 1; and POWERS, where reduce_norm_powers_tmpl.h is for this type.
#ifndef SIZE
#define SIZE ABS
#endif
#ifndef SIZE_OF
#define SIZE_OF(a) (a)
#endif
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
#ifdef SUM_WHOLE
#define WHOLE      SUM_WHOLE
#define WHOLE_STEP 1
#define STRIPS     SUM_STRIPS
#endif
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
#define STEP(a, x) JOIN(a, SIZE(x))
#define JOIN(a, b) ((b) > (a) || (b) != (b) ? (b) : (a))
#define RESULT(a)  SIZE_OF(a)
#ifdef MAX_WHOLE
#define WHOLE      MAX_WHOLE
#define WHOLE_STEP 1
#define WHOLE_FROM 1
#define STRIPS     MAX_STRIPS
#endif
#include "backends/cpu/reduce/reduce_fold_tmpl.h"
#define NAME       norm_min
#define START      INFINITY
#define STEP(a, x) JOIN(a, SIZE(x))
#define JOIN(a, b) ((b) < (a) || (b) != (b) ? (b) : (a))
#define RESULT(a)  SIZE_OF(a)
#ifdef MIN_WHOLE
#define WHOLE      MIN_WHOLE
#define WHOLE_STEP 1
#define WHOLE_FROM 1
#define STRIPS     MIN_STRIPS
#endif
#include "backends/cpu/reduce/reduce_fold_tmpl.h"
#define NAME  norm_any
#define START 0
#define SETUP                                \
  const double order = *(const double*)args; \
  (void)order
#define STEP(a, x) ((a) + pow(ABS(x), order))
#define JOIN(a, b) ((a) + (b))
#define RESULT(a)  pow(a, 1 / order)
#ifdef POWERS
#define WHOLE(p, n) OYI_JOIN(sum_of_powers, ID)(p, n, order)
#define WHOLE_STEP  1
#define WHOLE_FROM  4
#define FEW_COLUMNS(to, n, x, rows, row_step) \
  OYI_JOIN(sums_of_powers, ID)(to, n, x, rows, row_step, *(const double*)args)
#endif
#include "backends/cpu/reduce/reduce_fold_tmpl.h"
#undef T
#undef ID
#undef ABS
#undef SIZE
#undef SIZE_OF
#undef SQUARE
#undef POWERS
#undef SUM_WHOLE
#undef SUM_STRIPS
#undef MAX_WHOLE
#undef MAX_STRIPS
#undef MIN_WHOLE
#undef MIN_STRIPS
#undef STRIP
