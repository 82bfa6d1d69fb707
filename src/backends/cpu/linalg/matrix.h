// SPDX-License-Identifier: Apache-2.0
// Matrix products of the CPU as operators: checked by their rule, then computed by the
// product that |pick| gives for their dtype. A library that multiplies faster registers
// the same operators with a pick of its own.
#ifndef OPYARD_SRC_BACKENDS_CPU_LINALG_MATRIX_H_
#define OPYARD_SRC_BACKENDS_CPU_LINALG_MATRIX_H_

#include "backends/cpu/linalg/gemm.h"
#include "backends/cpu/linalg/small_product.h"

typedef oyi_gemm_fn (*oyi_gemm_pick)(oy_dtype dtype);

// What an operator was given. |self| NULL: nothing is added.
typedef struct oyi_matrix_call {
  oy_object *self, *a, *b;
  oy_scalar beta, alpha;
  oy_object* out;  // NULL: a new tensor
  oyi_gemm_pick pick;
  bool whole;  // the product has threads of its own: it is not cut for those of the pool
} oyi_matrix_call;

// One product, by several threads if it is worth that. Elements of the operands have
// |item| bytes, those of the result |result_item|.
oy_status oyi_multiply(oyi_gemm_fn gemm, const oyi_gemm* g, int64_t item,
                       int64_t result_item);

oy_object* oyi_cpu_addmm(const oyi_matrix_call* call);
oy_object* oyi_cpu_baddbmm(const oyi_matrix_call* call);
oy_object* oyi_cpu_addbmm_sum(const oyi_matrix_call* call);
oy_object* oyi_cpu_addmv_call(const oyi_matrix_call* call);
// Of operands of one dtype that has products; and of any, which are promoted.
oy_object* oyi_cpu_addr(const oyi_matrix_call* call);
oy_object* oyi_cpu_addr_any(const oyi_matrix_call* call);

#endif  // OPYARD_SRC_BACKENDS_CPU_LINALG_MATRIX_H_
