// SPDX-License-Identifier: Apache-2.0
// What elements that are not 0 say, for one type; T and ID are given, ANY_WHOLE and ALL_WHOLE
// may be: WHOLE of reduce_fold_tmpl.h for any number of elements.
#define A          uint8_t
#define R          uint8_t
#define NAME       any
#define START      0
#define STEP(a, x) (uint8_t)((a) | ((x) != 0))
#define JOIN(a, b) (uint8_t)((a) | (b))
#define RESULT(a)  (a)
#ifdef ANY_WHOLE
#define WHOLE      ANY_WHOLE
#define WHOLE_STEP 1
#endif
#include "backends/cpu/reduce/reduce_fold_tmpl.h"
#define NAME       all
#define START      1
#define STEP(a, x) (uint8_t)((a) & ((x) != 0))
#define JOIN(a, b) (uint8_t)((a) & (b))
#define RESULT(a)  (a)
#ifdef ALL_WHOLE
#define WHOLE      ALL_WHOLE
#define WHOLE_STEP 1
#endif
#include "backends/cpu/reduce/reduce_fold_tmpl.h"
#undef A
#undef R
#define A          int64_t
#define R          int64_t
#define NAME       count
#define START      0
#define STEP(a, x) ((a) + ((x) != 0))
#define JOIN(a, b) ((a) + (b))
#define RESULT(a)  (a)
#include "backends/cpu/reduce/reduce_fold_tmpl.h"
#undef A
#undef R
#undef T
#undef ID
