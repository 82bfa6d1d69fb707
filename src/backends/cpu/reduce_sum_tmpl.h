// SPDX-License-Identifier: Apache-2.0
// Sums and products of one type; T, A, ID and ADD_STEP, a running sum after one element more,
// are given.
#define NAME       sum
#define START      0
#define STEP       ADD_STEP
#define JOIN(a, b) ((a) + (b))
#define RESULT(a)  MEAN(a)
#ifdef EXACT_SUMS
#define EXACT
#endif
#ifdef SUM_WHOLE_STEPS
#define WHOLE(p, n) sum_floats(p, n)
#define WHOLE_STEP  SUM_STEP
#endif
#include "backends/cpu/reduce_fold_tmpl.h"

#define NAME       nansum
#define START      0
#define STEP(a, x) ((a) + ((x) == (x) ? (A)(x) : 0))
#define JOIN(a, b) ((a) + (b))
#define RESULT(a)  (a)
#ifdef EXACT_SUMS
#define EXACT
#endif
#include "backends/cpu/reduce_fold_tmpl.h"

#define NAME       prod
#define START      1
#define STEP(a, x) ((a) * (A)(x))
#define JOIN(a, b) ((a) * (b))
#define RESULT(a)  (a)
#include "backends/cpu/reduce_fold_tmpl.h"
