// SPDX-License-Identifier: Apache-2.0
// Meta kernels, made from the table: the rule of an operator's family is all that
// there is to run. Adding an operator to a family gives it a Meta kernel.
#include "backends/meta/meta.h"

#include "base/memory.h"
#include "ops/rules.h"
#include "tensor/iterator.h"

static oy_object* elementwise(oy_object* out, oy_object* a, oy_object* b,
                              unsigned flags) {
  oyi_iter it;
  oy_object* inputs[] = {a, b};
  if (oyi_iter_elementwise(&it, out, inputs, b ? 2 : 1, flags) != 0) return NULL;
  it.runs = false;
  return oyi_iter_finish(&it);
}

static oy_object* elementwise_alpha(oy_object* out, oy_object* a, oy_object* b,
                                    oy_scalar alpha, unsigned flags) {
  oyi_iter it;
  oy_object* inputs[] = {a, b};
  if (oyi_iter_elementwise(&it, out, inputs, 2, flags) != 0) return NULL;
  it.runs = false;
  if (oyi_check_alpha(it.dtype, alpha) == 0) return oyi_iter_finish(&it);
  oyi_iter_abandon(&it);
  return NULL;
}

static oy_object* reduction(oy_object* self, oy_ints dim, bool keepdim, oy_value dtype,
                            oy_object* out, const char* schema) {
  oyi_reduction r;
  unsigned flags = strncmp(schema, "mean", 4) == 0 ? OYI_REDUCE_FLOAT : 0;
  if (oyi_rule_reduction(&r, self, dim, keepdim, dtype, out, flags) != 0) return NULL;
  return &r.out->header;
}

static oy_object* matrix(oy_object* self, oy_object* mat2, oy_object* out, bool batched) {
  return oyi_tensor_object(batched ? oyi_rule_bmm(self, mat2)
                                   : oyi_rule_mm(self, mat2, out));
}

// The device argument is set: BackendSelect, or empty_like, chose Meta by it.
static oy_object* empty(oy_ints size, const oy_ints* stride, oy_value dtype,
                        oy_value layout, oy_value device, oy_value pin_memory,
                        oy_value memory_format) {
  oyi_options options;
  if (oyi_options_read(dtype, layout, device, pin_memory, oy_dtype_default(),
                       oy_device_meta(), &options) != 0)
    return NULL;
  int64_t format =
      memory_format.tag == OY_TAG_NONE ? OY_MEMORY_CONTIGUOUS : memory_format.as.i;
  return oyi_tensor_object(stride ? oyi_rule_empty_strided(size, *stride, &options)
                                  : oyi_rule_empty(size, &options, format, NULL));
}

static oy_object* copy(oy_object* self, oy_object* src) {
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

#define META_UNARY            return elementwise(NULL, self, NULL, 0);
#define META_UNARY_OUT        return elementwise(out, self, NULL, 0);
#define META_UNARY_INPLACE    return elementwise(self, self, NULL, OYI_ITER_INPLACE);
#define META_BINARY           return elementwise(NULL, self, other, 0);
#define META_BINARY_OUT       return elementwise(out, self, other, 0);
#define META_BINARY_INPLACE   return elementwise(self, self, other, OYI_ITER_INPLACE);
#define META_BINARY_FLOAT     return elementwise(NULL, self, other, OYI_ITER_INT_TO_FLOAT);
#define META_BINARY_FLOAT_OUT return elementwise(out, self, other, OYI_ITER_INT_TO_FLOAT);
#define META_BINARY_FLOAT_INPLACE \
  return elementwise(self, self, other, OYI_ITER_INT_TO_FLOAT | OYI_ITER_INPLACE);
#define META_COMPARISON       return elementwise(NULL, self, other, OYI_ITER_BOOL_OUTPUT);
#define META_BINARY_ALPHA     return elementwise_alpha(NULL, self, other, alpha, 0);
#define META_BINARY_ALPHA_OUT return elementwise_alpha(out, self, other, alpha, 0);
#define META_BINARY_ALPHA_INPLACE \
  return elementwise_alpha(self, self, other, alpha, OYI_ITER_INPLACE);
#define META_THRESHOLD return elementwise_alpha(NULL, grad_output, self, threshold, 0);
#define META_REDUCTION_ALL \
  return reduction(self, oy_dims_none(), false, dtype, NULL, schema);
#define META_REDUCTION     return reduction(self, dim, keepdim, dtype, NULL, schema);
#define META_REDUCTION_OUT return reduction(self, dim, keepdim, dtype, out, schema);
#define META_MATRIX        return matrix(self, mat2, NULL, schema[0] == 'b');
#define META_MATRIX_OUT    return matrix(self, mat2, out, false);
#define META_COPY_INPLACE  return (void)non_blocking, copy(self, src);
#define META_FILL_INPLACE  return (void)value, self;
#define META_FACTORY_EMPTY \
  return empty(size, NULL, dtype, layout, device, pin_memory, memory_format);
#define META_FACTORY_STRIDED \
  return empty(size, &stride, dtype, layout, device, pin_memory, oy_none());
#define META_NUMBER        \
  *out_number = oy_none(); \
  return (void)self,       \
         OY_FAIL(NOT_IMPLEMENTED, "Tensor.item() cannot be called on meta tensors");

#define DEFINE(family, id, text)            \
  static OYI_KERNEL(family, oy_meta_##id) { \
    static const char schema[] = text;      \
    (void)op, (void)keys, (void)schema;     \
    META_##family                           \
  }
#define IN_KERNEL(family, id, text)         DEFINE(family, id, text)
#define IN_KERNEL_TYPED(family, id, text)   DEFINE(family, id, text)
#define IN_FACTORY_KERNEL(family, id, text) DEFINE(family, id, text)
#define IN_FACTORY(family, id, text)
#define IN_IMPLICIT(family, id, text)
#define IN_EXPLICIT(family, id, text)
#define OY_OP(family, id, where, backward, schema, doc) IN_##where(family, id, schema)
#include "ops/ops.def"
#undef OY_OP
#undef DEFINE

#define DEFINE(family, id, text) {OYI_OP_##id, 0, (oy_typed_fn)oy_meta_##id, __FILE__},
static const oyi_kernel_row g_rows[] = {
#define OY_OP(family, id, where, backward, schema, doc) IN_##where(family, id, schema)
#include "ops/ops.def"
#undef OY_OP
};

oy_status oyi_register_meta(oy_library* library) {
  return oyi_register_rows(library, OY_KEY_Meta, g_rows, OY_ARRAY_SIZE(g_rows));
}
