// SPDX-License-Identifier: Apache-2.0
// Shapes of matrix products: each rule checks the operands and makes the output, or
// prepares |out| (which may be |self|). |self| is what is added, and may be NULL for
// products without. NULL with the error set on failure; a new output is the caller's.
#ifndef OPYARD_SRC_OPS_RULES_MATRIX_H_
#define OPYARD_SRC_OPS_RULES_MATRIX_H_

#include "opyard/value.h"
#include "tensor/impl.h"

// (n, k) x (k, m).
oyi_tensor* oyi_rule_mm(oy_object* self, oy_object* mat1, oy_object* mat2,
                        oy_object* out);
// The same of int8, in int32.
oyi_tensor* oyi_rule_int_mm(oy_object* self, oy_object* mat2, oy_object* out);
// (b, n, k) x (b, k, m). |sums|: addbmm, whose result is (n, m).
oyi_tensor* oyi_rule_bmm(oy_object* self, oy_object* batch1, oy_object* batch2,
                         oy_object* out, bool sums);
// (n, k) x (k). |self| may have one element.
oyi_tensor* oyi_rule_addmv(oy_object* self, oy_object* mat, oy_object* vec,
                           oy_object* out);
// (n) x (m), as a matrix.
oyi_tensor* oyi_rule_addr(oy_object* self, oy_object* vec1, oy_object* vec2,
                          oy_object* out);
// (n) x (n), as a number.
oyi_tensor* oyi_rule_dot(oy_object* self, oy_object* other, oy_object* out);
// Numbers that products and sums are multiplied by go with the dtype.
oy_status oyi_check_alpha_beta(oy_dtype dtype, oy_scalar alpha, oy_scalar beta);
// A matrix of numbers, or a batch, for |name|; NULL with the error set.
const oyi_tensor* oyi_check_numbers(oy_object* a, const char* name);

#endif  // OPYARD_SRC_OPS_RULES_MATRIX_H_
