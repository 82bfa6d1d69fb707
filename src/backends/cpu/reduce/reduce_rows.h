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
#define OYI_ROWS_OF_KIND(KIND) \
  KIND(f32) KIND(f16) KIND(bf16) KIND(f64) KIND(c64) KIND(c128)
#define OYI_ROWS_OF_INTEGERS(KIND) KIND(i64) KIND(i32) KIND(i16) KIND(i8) KIND(u8)
#define OYI_SUM_ROWS(id)           OYI_ROWS(sum_##id)
#define OYI_PROD_ROWS(id)          OYI_ROWS(prod_##id)
#define OYI_NORM2_ROWS(id)         OYI_ROWS(norm2_##id)
OYI_ROWS_OF_KIND(OYI_SUM_ROWS)
OYI_ROWS_OF_INTEGERS(OYI_SUM_ROWS)
OYI_ROWS_OF_KIND(OYI_PROD_ROWS)
OYI_ROWS_OF_INTEGERS(OYI_PROD_ROWS)
OYI_ROWS_OF_KIND(OYI_NORM2_ROWS)
// Of rows of a few 16-bit floats, and of others.
#define OYI_HALF_ROWS(name, id) OYI_ROWS(name##_few_##id) OYI_ROWS(name##_many_##id)
OYI_HALF_ROWS(sum, f16)
OYI_HALF_ROWS(sum, bf16)
OYI_HALF_ROWS(norm2, f16)
OYI_HALF_ROWS(norm2, bf16)
OYI_ROWS(nansum_f32)
OYI_ROWS(nansum_f64)
OYI_ROWS(amax_f32)
OYI_ROWS(amax_f64)
OYI_ROWS(amin_f32)
OYI_ROWS(amin_f64)
#undef OYI_ROWS

// By the dtype of the input, for each reducer; NULL: there is none.
#define OYI_ROWS_TABLE(name) \
  extern const oyi_reduce_rows_fn oyi_##name##_rows_of[OYI_ROWS_DTYPES];
OYI_ROWS_TABLE(sum_f32)
OYI_ROWS_TABLE(sum_f64)
OYI_ROWS_TABLE(sum_c64)
OYI_ROWS_TABLE(sum_c128)
OYI_ROWS_TABLE(sum_i64)
OYI_ROWS_TABLE(prod_f32)
OYI_ROWS_TABLE(prod_f64)
OYI_ROWS_TABLE(prod_c64)
OYI_ROWS_TABLE(prod_c128)
OYI_ROWS_TABLE(prod_i64)
OYI_ROWS_TABLE(norm2_f32)
OYI_ROWS_TABLE(norm2_f64)
OYI_ROWS_TABLE(norm2_c64)
OYI_ROWS_TABLE(norm2_c128)
OYI_ROWS_TABLE(nansum_f32)
OYI_ROWS_TABLE(nansum_f64)
OYI_ROWS_TABLE(amax_f32)
OYI_ROWS_TABLE(amax_f64)
OYI_ROWS_TABLE(amin_f32)
OYI_ROWS_TABLE(amin_f64)
#undef OYI_ROWS_TABLE
#endif

#endif  // OPYARD_SRC_BACKENDS_CPU_REDUCE_REDUCE_ROWS_H_
