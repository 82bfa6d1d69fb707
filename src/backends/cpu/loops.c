// SPDX-License-Identifier: Apache-2.0
// The portable inner loops, made by inclusion once for each type, and their
// tables. They are plain C that compilers turn into vector code; -O3 is asked for
// because gcc's vectoriser leaves most of them alone below that.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#define OYI_INDEPENDENT _Pragma("GCC ivdep")
#else
#define OYI_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#endif

#include <math.h>

#include "backends/cpu/loops.h"

#define OYI_JOIN__(a, b) a##_##b
#define OYI_JOIN_(a, b)  OYI_JOIN__(a, b)
#define OYI_JOIN(a, b)   OYI_JOIN_(a, b)

#define NAME       div
#define OUT        T
#define EXPR(a, b) ((a) / (b))
#define T          float
#define W          float
#define ID         f32
#include "backends/cpu/binary_loop_tmpl.h"
#define NAME    exp
#define EXPR(a) expf(a)
#include "backends/cpu/unary_loop_tmpl.h"
// All that is not for floats only.
#include "backends/cpu/loops_tmpl.h"
#define ACC double
#include "backends/cpu/sum_loop_tmpl.h"
#undef T
#undef W
#undef ID

#define NAME       div
#define OUT        T
#define EXPR(a, b) ((a) / (b))
#define T          double
#define W          double
#define ID         f64
#include "backends/cpu/binary_loop_tmpl.h"
#define NAME    exp
#define EXPR(a) exp(a)
#include "backends/cpu/unary_loop_tmpl.h"
// All that is not for floats only.
#include "backends/cpu/loops_tmpl.h"
#include "backends/cpu/sum_loop_tmpl.h"
#undef ACC
#undef T
#undef W
#undef ID

#define T  int64_t
#define W  uint64_t
#define ID i64
#include "backends/cpu/loops_tmpl.h"
#define ACC uint64_t
#include "backends/cpu/sum_loop_tmpl.h"
#undef ACC
#undef T
#undef W
#undef ID

#define T  int32_t
#define W  uint32_t
#define ID i32
#include "backends/cpu/loops_tmpl.h"
#undef T
#undef W
#undef ID

#define T  uint8_t
#define W  uint32_t
#define ID u8
#include "backends/cpu/loops_tmpl.h"
#undef ID

// A bool is a byte that is 0 or 1: sums are "or", products "and".
#define ID   b1
#define NAME add
#define OUT  T
#define WITH_ARG
#define EXPR(a, b) ((a) | (arg & (b)))
#include "backends/cpu/binary_loop_tmpl.h"
#define NAME       mul
#define OUT        T
#define EXPR(a, b) ((a) & (b))
#include "backends/cpu/binary_loop_tmpl.h"
#include "backends/cpu/compare_loops_tmpl.h"

#define FLOATS(name) [OY_DTYPE_F32] = name##_f32, [OY_DTYPE_F64] = name##_f64
#define NUMBERS(name)                                                     \
  FLOATS(name), [OY_DTYPE_I64] = name##_i64, [OY_DTYPE_I32] = name##_i32, \
                [OY_DTYPE_U8] = name##_u8
#define ALL(name) NUMBERS(name), [OY_DTYPE_BOOL] = name##_b1

const oyi_loop oyi_cpu_loops[OYI_LOOP_COUNT][OYI_LOOP_DTYPES] = {
#define OY_LOOP(name, types) [OYI_LOOP_##name] = {types(name)},
#include "backends/cpu/loops.def"
#undef OY_LOOP
};

const char* const oyi_cpu_loop_names[OYI_LOOP_COUNT] = {
#define OY_LOOP(name, types) [OYI_LOOP_##name] = #name,
#include "backends/cpu/loops.def"
#undef OY_LOOP
};

const oyi_loop oyi_cpu_sum_loops[OYI_LOOP_DTYPES] = {
    FLOATS(sum), [OY_DTYPE_I64] = sum_i64};
