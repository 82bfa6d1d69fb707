// SPDX-License-Identifier: Apache-2.0
// Results of many rows at once, for rows of up to OYI_REDUCE_MANY numbers that lie
// together. A call for each row takes as long as its elements, most of it for what a vector
// comes to; here the vectors of as many rows as a vector has lanes are joined to one of results.
#ifndef OPYARD_SRC_BACKENDS_CPU_REDUCE_REDUCE_ROWS_H_
#define OPYARD_SRC_BACKENDS_CPU_REDUCE_REDUCE_ROWS_H_

#include "backends/cpu/reduce/reduce.h"

// Of AVX-512, whose loads and stores take parts of vectors; others take rows one by one.
#if defined(__x86_64__)
#define OYI_ROWS(name)                                                      \
  void oyi_##name##_rows(void* out, int64_t rows, const char* x, int64_t n, \
                         int64_t row_step, const void* args);
OYI_ROWS(sum_f32)
OYI_ROWS(sum_f64)
OYI_ROWS(sum_c64)
OYI_ROWS(sum_c128)
OYI_ROWS(sum_i64)
OYI_ROWS(prod_f32)
OYI_ROWS(prod_f64)
OYI_ROWS(prod_c64)
OYI_ROWS(prod_c128)
OYI_ROWS(prod_i64)
OYI_ROWS(norm2_f32)
OYI_ROWS(amax_f32)
OYI_ROWS(amax_f64)
OYI_ROWS(amin_f32)
OYI_ROWS(amin_f64)
#undef OYI_ROWS
#endif

#endif  // OPYARD_SRC_BACKENDS_CPU_REDUCE_REDUCE_ROWS_H_
