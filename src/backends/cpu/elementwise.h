// SPDX-License-Identifier: Apache-2.0
// One elementwise operation, from the arguments of an operator to its result: |out|
// NULL makes a new tensor; with OYI_ITER_INPLACE it is |self| too. |flags| are the
// iterator's. NULL with the error set on failure.
#ifndef OPYARD_SRC_BACKENDS_CPU_ELEMENTWISE_H_
#define OPYARD_SRC_BACKENDS_CPU_ELEMENTWISE_H_

#include "backends/cpu/kernels.h"
#include "backends/cpu/loops.h"

oy_object* oyi_cpu_unary(oy_object* out, oy_object* self, unsigned flags,
                         oyi_cpu_loop which);
oy_object* oyi_cpu_binary(oy_object* out, oy_object* self, oy_object* other,
                          unsigned flags, oyi_cpu_loop which);
// With a number, which the loop gets in the common dtype.
oy_object* oyi_cpu_binary_alpha(oy_object* out, oy_object* self, oy_object* other,
                                oy_scalar alpha, unsigned flags, oyi_cpu_loop which);

#endif  // OPYARD_SRC_BACKENDS_CPU_ELEMENTWISE_H_
