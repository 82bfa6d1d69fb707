// SPDX-License-Identifier: Apache-2.0
// All inner loops of one type: T, its name ID, and W, the type that sums and
// products are computed in (unsigned for integers, whose overflow wraps).
#define NAME add
#define OUT  T
#define WITH_ARG
#define EXPR(a, b) ((W)(a) + (W)arg * (W)(b))
#include "backends/cpu/binary_loop_tmpl.h"

#define NAME sub
#define OUT  T
#define WITH_ARG
#define EXPR(a, b) ((W)(a) - (W)arg * (W)(b))
#include "backends/cpu/binary_loop_tmpl.h"

#define NAME       mul
#define OUT        T
#define EXPR(a, b) ((W)(a) * (W)(b))
#include "backends/cpu/binary_loop_tmpl.h"

#define NAME threshold
#define OUT  T
#define WITH_ARG
#define EXPR(a, b) ((b) <= arg ? (T)0 : (a))
#include "backends/cpu/binary_loop_tmpl.h"

#define NAME    neg
#define EXPR(a) ((W)0 - (W)(a))
#include "backends/cpu/unary_loop_tmpl.h"

// NaN stays NaN.
#define NAME    relu
#define EXPR(a) ((a) <= (T)0 ? (T)0 : (a))
#include "backends/cpu/unary_loop_tmpl.h"

#include "backends/cpu/compare_loops_tmpl.h"
