// SPDX-License-Identifier: Apache-2.0
// Meta kernels of operators that differ there from the CPU, and registration.
#include "backends/meta/meta.h"

#include "base/memory.h"
#include "ops/rules/rules.h"

// The device argument is set: BackendSelect, or empty_like, chose Meta by it.
static bool read_options(oy_value dtype, oy_value layout, oy_value device,
                         oy_value pin_memory, oyi_options* out) {
  return oyi_options_read(dtype, layout, device, pin_memory, oy_dtype_default(),
                          oy_device_meta(), out) == 0;
}

OYI_META(empty_memory_format) {
  oyi_options options;
  if (!read_options(dtype, layout, device, pin_memory, &options)) return NULL;
  int64_t format =
      memory_format.tag == OY_TAG_NONE ? OY_MEMORY_CONTIGUOUS : memory_format.as.i;
  return oyi_tensor_object(oyi_rule_empty(size, &options, format, NULL));
}

OYI_META(empty_strided) {
  oyi_options options;
  if (!read_options(dtype, layout, device, pin_memory, &options)) return NULL;
  return oyi_tensor_object(oyi_rule_empty_strided(size, stride, &options));
}

OYI_META(tril_indices) {
  oyi_options options;
  if (!read_options(dtype, layout, device, pin_memory, &options)) return NULL;
  return oyi_tensor_object(oyi_rule_triangle_indices(row, col, &offset, true, &options));
}
OYI_META(triu_indices) {
  oyi_options options;
  if (!read_options(dtype, layout, device, pin_memory, &options)) return NULL;
  return oyi_tensor_object(oyi_rule_triangle_indices(row, col, &offset, false, &options));
}

OYI_META(copy_) {
  const oyi_tensor* to = oyi_tensor_of(self);
  const oyi_tensor* from = to ? oyi_tensor_of(src) : NULL;
  if (!from) return NULL;
  if (to->backend != OY_BACKEND_Meta) {
    OY_FAIL(NOT_IMPLEMENTED, "Cannot copy out of meta tensor; no data!");
    return NULL;
  }
  oy_object* wide = oy_tensor_expand(src, oyi_sizes_view(to));
  if (!wide) return NULL;
  oy_tensor_release(wide);
  return self;
}

OYI_META(fill__Scalar) {
  return self;
}
OYI_META(zero_) {
  return self;
}

OYI_META(_local_scalar_dense) {
  *out_result = oy_none();
  return OY_FAIL(NOT_IMPLEMENTED, "Tensor.item() cannot be called on meta tensors");
}

#define ROW(id) {OYI_OP_##id, 0, 0, 0, (oy_typed_fn)oy_meta_##id, NULL},
#define IN_KERNEL(id)
#define IN_KERNEL_SPLIT(id)   ROW(id)
#define IN_FACTORY_KERNEL(id) ROW(id)
#define IN_FACTORY(id)
#define IN_IMPLICIT(id)
#define IN_EXPLICIT(id)
static const oyi_kernel_row g_rows[] = {
#define OY_OP(family, id, where, backward, schema, doc) IN_##where(id)
#include "ops/ops.def"
#undef OY_OP
};

oy_status oyi_register_meta(oy_library* library) {
  return oyi_register_rows(library, OY_KEY_Meta, g_rows, OY_ARRAY_SIZE(g_rows));
}
