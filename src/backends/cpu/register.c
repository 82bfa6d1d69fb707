// SPDX-License-Identifier: Apache-2.0
// The CPU's kernels as a const table.
#include "backends/cpu/kernels.h"
#include "base/memory.h"

#define ROW(id, name, filter) {OYI_OP_##id, filter, (oy_typed_fn)(name), __FILE__},
#define IN_KERNEL(id)         ROW(id, oy_cpu_##id, 0)
#define IN_FACTORY_KERNEL(id) ROW(id, oy_cpu_##id, 0)
#define IN_KERNEL_TYPED(id)                              \
  ROW(id, oy_cpu_##id##_f32, OY_FOR_DTYPE(OY_DTYPE_F32)) \
  ROW(id, oy_cpu_##id##_f64, OY_FOR_DTYPE(OY_DTYPE_F64)) \
  ROW(id, oy_cpu_##id##_i64, OY_FOR_DTYPE(OY_DTYPE_I64))
#define IN_FACTORY(id)
#define IN_IMPLICIT(id)
#define IN_EXPLICIT(id)

static const oyi_kernel_row g_rows[] = {
#define OY_OP(family, id, where, backward, schema, doc) IN_##where(id)
#include "ops/ops.def"
#undef OY_OP
};

oy_status oyi_register_cpu(oy_library* library) {
  return oyi_register_rows(library, OY_KEY_CPU, g_rows, OY_ARRAY_SIZE(g_rows));
}
