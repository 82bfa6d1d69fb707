// SPDX-License-Identifier: Apache-2.0
// mm of small float matrices that lie together: what checks, shapes and packing cost is
// more than the product. Sums in float, in the order of k, as the larger products of
// each level have them.
#ifndef OPYARD_SRC_BACKENDS_CPU_LINALG_SMALL_PRODUCT_H_
#define OPYARD_SRC_BACKENDS_CPU_LINALG_SMALL_PRODUCT_H_

#include "opyard/value.h"

enum { OYI_SMALL_SIDE = 32 };

// c = a x b, each side of OYI_SMALL_SIDE at most; c lies apart from both.
typedef void (*oyi_small_product)(int64_t n, int64_t k, int64_t m, const float* a,
                                  const float* b, float* c);

// The result of mm, a new tensor or |out|; NULL without an error if the operands are not
// such, or there is no memory.
oy_object* oyi_small_mm(oy_object* self, oy_object* mat2);
oy_object* oyi_small_mm_out(oy_object* self, oy_object* mat2, oy_object* out);

void oyi_small_product_v3(int64_t n, int64_t k, int64_t m, const float* a, const float* b,
                          float* c);
void oyi_small_product_v4(int64_t n, int64_t k, int64_t m, const float* a, const float* b,
                          float* c);

#endif  // OPYARD_SRC_BACKENDS_CPU_LINALG_SMALL_PRODUCT_H_
