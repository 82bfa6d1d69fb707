// SPDX-License-Identifier: Apache-2.0
// The CPU's kernels as a const table.
#include "backends/cpu/kernels.h"
#include "backends/cpu/linalg/gemm_words.h"
#include "backends/cpu/linalg/openblas.h"
#include "backends/cpu/loops/loops.h"
#include "backends/cpu/neural/pool.h"
#include "base/memory.h"

#define ROW(id, name)         {OYI_OP_##id, 0, 0, 0, (oy_typed_fn)(name), NULL},
#define IN_KERNEL(id)         ROW(id, oy_cpu_##id)
#define IN_KERNEL_SPLIT(id)   ROW(id, oy_cpu_##id)
#define IN_FACTORY_KERNEL(id) ROW(id, oy_cpu_##id)
#define IN_FACTORY(id)
#define IN_IMPLICIT(id)
#define IN_EXPLICIT(id)
#define OY_OP(family, id, where, backward, schema, doc) IN_##where(id)

static const oyi_kernel_row g_cpu[] = {
#include "ops/ops.def"
};

// On tensors without memory these do all but compute, so Meta has the same rules.
#undef IN_KERNEL_SPLIT
#undef IN_FACTORY_KERNEL
#define IN_KERNEL_SPLIT(id)
#define IN_FACTORY_KERNEL(id)
static const oyi_kernel_row g_meta[] = {
#include "ops/ops.def"
};
#undef OY_OP

// Kernels that compute no element and call operators for the rest: right on any device.
enum { GENERIC = -16384 };
#define ANYWHERE(id) \
  { OYI_OP_##id, 0, GENERIC, __LINE__, (oy_typed_fn)oy_cpu_##id, __FILE__ }
static const oyi_kernel_row g_anywhere[] = {
    ANYWHERE(_reshape_alias),
    ANYWHERE(unfold),
    ANYWHERE(view_as_real),
    ANYWHERE(view_as_complex),
    ANYWHERE(narrow_copy),
    ANYWHERE(narrow_copy_out),
    ANYWHERE(resize_),
    ANYWHERE(set_),
    ANYWHERE(set__source_Tensor),
    ANYWHERE(is_set_to),
    ANYWHERE(split_with_sizes_copy_out),
};

oy_status oyi_register_views(oy_library* library, oy_key key) {
  return oyi_register_rows(library, key, g_anywhere, OY_ARRAY_SIZE(g_anywhere));
}

oy_status oyi_register_cpu(oy_library* library) {
  oyi_cpu_loops_init();
  oyi_register_pool_lines();
  OY_TRY(oyi_register_rows(library, OY_KEY_CPU, g_cpu, OY_ARRAY_SIZE(g_cpu)));
  OY_TRY(oyi_register_gemm_words(library));
  OY_TRY(oyi_register_openblas(library));
  OY_TRY(oyi_register_openblas_lapack(library));
  return oyi_register_rows(library, OY_KEY_Meta, g_meta, OY_ARRAY_SIZE(g_meta));
}
