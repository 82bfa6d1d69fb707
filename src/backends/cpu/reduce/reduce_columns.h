// SPDX-License-Identifier: Apache-2.0
#ifndef OPYARD_SRC_BACKENDS_CPU_REDUCE_REDUCE_COLUMNS_H_
#define OPYARD_SRC_BACKENDS_CPU_REDUCE_REDUCE_COLUMNS_H_

#include <stdbool.h>
#include <stdint.h>

// The sums, some of which may be no numbers where float does not hold a part of them, of |rows|
// rows, one at least, of |n| columns of floats, a multiple of 16.
void oyi_sum_f32_columns_v4(double* to, int64_t n, const char* x, int64_t rows,
                            int64_t row_step);
// The same of any number of columns, a few: their sums stay in registers over all rows. Whether
// all are numbers.
enum { OYI_FEW_COLUMNS = 48 };
bool oyi_sum_f32_few_v4(double* to, int64_t n, const char* x, int64_t rows,
                        int64_t row_step);
// The products of |rows| rows of |n| columns of floats, a multiple of 16.
void oyi_prod_f32_columns_v4(double* to, int64_t n, const char* x, int64_t rows,
                             int64_t row_step);
// The product of |n| floats, of which there may be any number, in four parts.
void oyi_prod_f32_lanes_v4(double* to, const float* p, int64_t n);

#endif  // OPYARD_SRC_BACKENDS_CPU_REDUCE_REDUCE_COLUMNS_H_
