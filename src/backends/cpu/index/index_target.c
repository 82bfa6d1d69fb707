// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/index/index_target.h"

#include <string.h>

#include "ops/rules/reduction.h"
#include "ops/rules/rules.h"
#include "tensor/element.h"
#include "tensor/iterator.h"

oy_status oyi_check_inputs_apart(const oyi_tensor* out, const oyi_tensor* const* inputs,
                                 int count) {
  for (int k = 0; k < count; k++) {
    bool dense = out->flags & inputs[k]->flags & OYI_DENSE;
    if (out == inputs[k] || (dense && oyi_may_share(out, inputs[k])))
      return oyi_output_overlaps();
  }
  return OY_OK;
}

oy_status oyi_check_apart(const oyi_tensor* out, const oyi_tensor* const* inputs,
                          int count) {
  OY_TRY(oyi_output_check_overlap(out, inputs, count));
  return oyi_check_inputs_apart(out, inputs, count);
}

void oyi_warn_expanded(const oyi_tensor* out, const char* op, const char* as) {
  if (oyi_has_internal_overlap(out))
    oyi_warn(
        "Use of %s on expanded tensors is deprecated. Please clone() the tensor before "
        "performing this operation. This also applies to advanced indexing e.g. "
        "tensor[%s",
        op, as);
}

oyi_tensor* oyi_index_apart(const oyi_tensor* index, const oyi_tensor* target) {
  if (oyi_may_share(index, target)) return oyi_converted(index, index->header.dtype);
  oy_object* object = oyi_tensor_object(index);
  oy_tensor_retain(object);
  return oyi_tensor_cast(object);
}

// A view of |t|, of the shape |sizes|, |offset| elements from its first one, that stays there
// along |dim|.
static oyi_tensor* slice(const oyi_tensor* t, int64_t dim, int64_t offset,
                         oy_ints sizes) {
  int64_t strides[OY_TENSOR_MAX_DIMS];
  memcpy(strides, oyi_strides(t), t->ndim * sizeof(*strides));
  strides[dim] = 0;
  return oyi_tensor_alias(t, sizes, (oy_ints){strides, t->ndim}, t->offset + offset);
}

oy_status oyi_index_copy(const oyi_tensor* to, int64_t to_offset, const oyi_tensor* from,
                         int64_t from_offset, int64_t dim, oy_ints sizes) {
  oyi_tensor* target = oyi_tensor_alias(to, sizes, (oy_ints){oyi_strides(to), to->ndim},
                                        to->offset + to_offset);
  oyi_tensor* source = target ? slice(from, dim, from_offset, sizes) : NULL;
  if (source) {
    oyi_convert(target, source);
    oy_tensor_release(&source->header);
  }
  if (target) oy_tensor_release(&target->header);
  return source ? OY_OK : oy_failure();
}

oy_status oyi_index_target(oyi_tensor* self, oy_object* out,
                           const oyi_tensor* const* inputs, int count,
                           oyi_tensor** target) {
  *target = NULL;
  OY_TRY(oyi_check_memory(self));
  for (int k = 0; k < count; k++) OY_TRY(oyi_check_memory(inputs[k]));
  if (!out) {
    oy_device device = oyi_tensor_device(self);
    *target = oyi_is_meta(self)
                  ? oyi_tensor_new(oyi_sizes_view(self), self->header.dtype, device)
                  : oyi_converted(self, self->header.dtype);
    return *target ? OY_OK : oy_failure();
  }
  oyi_tensor* t = oyi_tensor_of(out);
  if (!t) return oy_failure();
  OY_TRY(oyi_check_apart(t, inputs, count));
  if (t != self) {
    const oyi_tensor* from[] = {self};
    OY_TRY(oyi_output_check_overlap(t, from, 1));
    OY_TRY(oyi_output_exact(t, oyi_sizes_view(self), self->header.dtype,
                            oyi_tensor_device(self)));
    if (!oyi_is_meta(t)) oyi_convert(t, self);
  }
  *target = t;
  return OY_OK;
}
