// SPDX-License-Identifier: Apache-2.0
// Sums and products of one type; T, A, ID, ADD_STEP, a running sum after one element more,
// and TIMES, the type of a number of elements that A is multiplied by, are given. SUM_WHOLE,
// NANSUM_WHOLE and PROD_WHOLE, with WHOLE_STEPS, and SUM_STRIPS and so on, with STRIP, may be:
// what WHOLE and STRIPS of reduce_fold_tmpl.h are; SUM_FEW and NANSUM_FEW, what FEW_COLUMNS
// is, with SUM_FEW_MOST and so on, what FEW_MOST and FEW_EXACT are. PROD_STEP, a running product
// after one element more, may be, where it is not C's product, and MEANS(to, n), what makes means
// of sums, where MEAN(a) does not.
#define OYI_REPEAT(a, times) ((a) * (TIMES)(times))

#define ALL_COLUMNS
#define NAME       sum
#define REPEAT     OYI_REPEAT
#define START      0
#define STEP       ADD_STEP
#define JOIN(a, b) ((a) + (b))
#define RESULT(a)  MEAN(a)
#ifdef MEANS
#define RESULTS MEANS
#endif
#ifdef EXACT_SUMS
#define EXACT
#define FEW_EXACT SUM_FEW_EXACT
#define TREE(x)   ((A)(x))
#endif
#ifdef SUM_WHOLE
#define WHOLE      SUM_WHOLE
#define WHOLE_STEP WHOLE_STEPS
#endif
#ifdef SUM_STRIPS
#define STRIPS SUM_STRIPS
#endif
#ifdef SUM_FEW
#define FEW_COLUMNS SUM_FEW
#endif
#ifdef SUM_FEW_MOST
#define FEW_MOST SUM_FEW_MOST
#endif
#include "backends/cpu/reduce/reduce_fold_tmpl.h"

#define ALL_COLUMNS
#define FILLED
#define NAME       nansum
#define REPEAT     OYI_REPEAT
#define START      0
#define STEP(a, x) ((a) + ((x) == (x) ? (A)(x) : 0))
#define JOIN(a, b) ((a) + (b))
#define RESULT(a)  (a)
#ifdef EXACT_SUMS
#define EXACT
#define FEW_EXACT NANSUM_FEW_EXACT
#define TREE(x)   ((x) == (x) ? (A)(x) : 0)
#endif
#ifdef NANSUM_WHOLE
#define WHOLE      NANSUM_WHOLE
#define WHOLE_STEP WHOLE_STEPS
#endif
#ifdef NANSUM_STRIPS
#define STRIPS NANSUM_STRIPS
#endif
#ifdef NANSUM_FEW
#define FEW_COLUMNS NANSUM_FEW
#endif
#ifdef NANSUM_FEW_MOST
#define FEW_MOST NANSUM_FEW_MOST
#endif
#include "backends/cpu/reduce/reduce_fold_tmpl.h"

#define ALL_COLUMNS
#define NAME  prod
#define START 1
#ifdef PROD_STEP
#define STEP PROD_STEP
#define JOIN PROD_STEP
#else
#define STEP(a, x) ((a) * (A)(x))
#define JOIN(a, b) ((a) * (b))
#endif
#define RESULT(a) (a)
#ifdef PROD_WHOLE
#define WHOLE      PROD_WHOLE
#define WHOLE_STEP WHOLE_STEPS
#endif
#ifdef PROD_STRIPS
#define STRIPS PROD_STRIPS
#endif
#include "backends/cpu/reduce/reduce_fold_tmpl.h"
#undef OYI_REPEAT
