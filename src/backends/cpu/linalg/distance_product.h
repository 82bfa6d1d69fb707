// SPDX-License-Identifier: Apache-2.0
// Euclidean distances of many rows by a matrix product: fewer operations than differences.
#ifndef OPYARD_SRC_BACKENDS_CPU_LINALG_DISTANCE_PRODUCT_H_
#define OPYARD_SRC_BACKENDS_CPU_LINALG_DISTANCE_PRODUCT_H_

#include "backends/cpu/linalg/matrix.h"
#include "tensor/impl.h"

// Whether cdist computes p-norms so, of |rows| rows from |others|; |mode| is its compute_mode,
// and may be none.
bool oyi_distance_by_product(double p, oy_value mode, int64_t rows, int64_t others);

// From rows as |as|, by |product|, or by differences if that is NULL.
typedef struct oyi_distance_way {
  oyi_gemm_fn product;
  oy_dtype as;
} oyi_distance_way;
// That by a product, where results are of |dtype| and rows have |columns|.
oyi_distance_way oyi_distance_way_of(oy_dtype dtype, int64_t rows, int64_t others,
                                     int64_t columns, oyi_gemm_pick pick);

// Those of the rows of |a| from those of |b|, all three contiguous and of one dtype, f32 or f64, or
// |out| of f32 and the others of bf16; by the product |gemm|, which is of these dtypes. |out| is
// written; OUT_OF_MEMORY leaves anything in it.
oy_status oyi_distance_products(oyi_tensor* out, const oyi_tensor* a, const oyi_tensor* b,
                                oyi_gemm_fn gemm);

// The operator, whose products are those of |pick|.
oy_object* oyi_cpu_cdist(oy_object* x1, oy_object* x2, double p, oy_value compute_mode,
                         oyi_gemm_pick pick);

#endif  // OPYARD_SRC_BACKENDS_CPU_LINALG_DISTANCE_PRODUCT_H_
