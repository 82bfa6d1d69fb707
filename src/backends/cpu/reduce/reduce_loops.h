// SPDX-License-Identifier: Apache-2.0
// What files of reducers begin with, and which reducers there are. Each file is
// built for the baseline and, where it pays, for higher capability levels.
#ifndef OPYARD_SRC_BACKENDS_CPU_REDUCE_REDUCE_LOOPS_H_
#define OPYARD_SRC_BACKENDS_CPU_REDUCE_REDUCE_LOOPS_H_

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3", "align-loops=32")
#endif
#define OYI_UNROLL OYI_UNROLL_BY(8)

#include <complex.h>
#undef I
#include <math.h>

#include "backends/cpu/reduce/reduce.h"
#include "backends/cpu/reduce/reduce_rows.h"
#include "base/cpu.h"
#include "base/template.h"

// One row of a table: the functions name_start_id, name_row_id, ...
#define OYI_REDUCER_ROW_OF(name, id, in, first, second, block, turned, repeat, all,    \
                           rows, ...)                                                  \
  {                                                                                    \
    OY_DTYPE_##in, {OY_DTYPE_##first, OY_DTYPE_##second}, block, turned,               \
        name##_RUNNING_##id, name##_HELD_##id, name##_start_##id, name##_row_##id,     \
        name##_columns_##id, name##_merge_##id, name##_finish_##id, repeat, all, rows, \
        __VA_ARGS__                                                                    \
  }
#define OYI_REDUCER_ROW(name, id, in, first, second)                         \
  OYI_REDUCER_ROW_OF(name, id, in, first, second, OYI_REDUCE_BLOCK,          \
                     OYI_REDUCE_TURNED_LONG, NULL, NULL, NULL, {NULL, NULL}, \
                     {NULL, NULL})
// Of tables for processors that may have AVX-512.
#if defined(__AVX2__)
#define OYI_ROWS_OF(name, id) oyi_##name##_##id##_rows_of
#else
#define OYI_ROWS_OF(name, id) NULL
#endif

// A table for each level, and the function that gives that of this processor.
#if defined(__x86_64__)
#define OYI_REDUCERS(name)                                                              \
  extern const oyi_fold oyi_##name##_reducers_base[];                                   \
  extern const oyi_fold oyi_##name##_reducers_v3[];                                     \
  static inline const oyi_fold* oyi_##name##_reducers(void) {                           \
    return oyi_cpu_level() > 0 ? oyi_##name##_reducers_v3 : oyi_##name##_reducers_base; \
  }
#else
#define OYI_REDUCERS(name)                                    \
  extern const oyi_fold oyi_##name##_reducers_base[];         \
  static inline const oyi_fold* oyi_##name##_reducers(void) { \
    return oyi_##name##_reducers_base;                        \
  }
#endif

OYI_REDUCERS(sum)     // f32 f64 c64 c128 i64; |args|: a double to divide by, or NULL
OYI_REDUCERS(nansum)  // f32 f64
OYI_REDUCERS(prod)    // as sum, |args| NULL
OYI_REDUCERS(amin)    // u8 i8 i16 i32 i64 f32 f64
OYI_REDUCERS(amax)
OYI_REDUCERS(aminmax)
OYI_REDUCERS(argmin)  // values and their places, of one dimension
OYI_REDUCERS(argmax)
OYI_REDUCERS(any)  // as amin, and c64 c128
OYI_REDUCERS(all)
OYI_REDUCERS(count)
OYI_REDUCERS(norm0)  // f32 f64 c64 c128; |args|: the exponent, a double
OYI_REDUCERS(norm1)
OYI_REDUCERS(norm2)
OYI_REDUCERS(norm3)  // f32
OYI_REDUCERS(norm4)
OYI_REDUCERS(norm_max)
OYI_REDUCERS(norm_min)
OYI_REDUCERS(norm_any)
OYI_REDUCERS(var)  // f32 f64 c64 c128: variance and mean; |args|: oyi_var_args

typedef struct oyi_var_args {
  double correction;
  bool is_std;
} oyi_var_args;

#endif  // OPYARD_SRC_BACKENDS_CPU_REDUCE_REDUCE_LOOPS_H_
