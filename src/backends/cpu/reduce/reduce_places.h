// SPDX-License-Identifier: Apache-2.0
#ifndef OPYARD_SRC_BACKENDS_CPU_REDUCE_REDUCE_PLACES_H_
#define OPYARD_SRC_BACKENDS_CPU_REDUCE_REDUCE_PLACES_H_

#include <stdint.h>

// The most extreme elements of |n| columns, and their rows, go on with |rows| rows, one at least,
// of which the first is row |first|. Where the first place is below 0 there are none yet.
#define OYI_PLACES(ID, T)                                                               \
  void oyi_argmax_##ID##_columns_v4(T* value, int64_t* place, int64_t n, const char* x, \
                                    int64_t rows, int64_t row_step, int64_t first);     \
  void oyi_argmin_##ID##_columns_v4(T* value, int64_t* place, int64_t n, const char* x, \
                                    int64_t rows, int64_t row_step, int64_t first);
OYI_PLACES(f32, float)
OYI_PLACES(f64, double)
OYI_PLACES(i32, int32_t)
OYI_PLACES(i64, int64_t)
#undef OYI_PLACES

#endif  // OPYARD_SRC_BACKENDS_CPU_REDUCE_REDUCE_PLACES_H_
