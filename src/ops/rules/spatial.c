// SPDX-License-Identifier: Apache-2.0
#include "ops/rules/spatial.h"

#include "ops/rules/rules.h"
#include "tensor/iterator.h"

oy_memory_format oyi_spatial_format(const oyi_tensor* t) {
  return oy_tensor_suggest_memory_format(&t->header);
}

static void channels_last_strides(oy_ints sizes, int64_t* out) {
  int64_t stride = sizes.data[1] > 0 ? sizes.data[1] : 1;
  out[1] = 1;
  for (size_t i = sizes.size; i-- > 2;) {
    out[i] = stride;
    stride *= sizes.data[i] > 0 ? sizes.data[i] : 1;
  }
  out[0] = stride;
}

static oy_status prepare(oyi_tensor* o, oy_ints sizes, oy_dtype dtype,
                         const oyi_tensor* like, oy_memory_format format) {
  OY_TRY(oyi_output_check_exact(o, dtype));
  OY_TRY(oyi_check_same_device(like, o));
  OY_TRY(oyi_output_check_overlap(o, &like, 1));
  OY_TRY(oyi_output_check_shape(o, like, sizes));
  int64_t strides[OY_TENSOR_MAX_DIMS];
  oy_ints view = {strides, sizes.size};
  if (format == OY_MEMORY_CONTIGUOUS) return oyi_output_resize(o, sizes, NULL);
  channels_last_strides(sizes, strides);
  return oyi_output_resize(o, sizes, &view);
}

oyi_tensor* oyi_rule_spatial(oy_ints sizes, oy_dtype dtype, const oyi_tensor* like,
                             oy_memory_format format, oy_object* out) {
  bool channels_last = (format == OY_MEMORY_CHANNELS_LAST && sizes.size == 4) ||
                       (format == OY_MEMORY_CHANNELS_LAST_3D && sizes.size == 5);
  if (!channels_last) format = OY_MEMORY_CONTIGUOUS;
  oyi_options options = {dtype, oyi_tensor_device(like)};
  if (!out) return oyi_rule_empty(sizes, &options, format, NULL);
  oyi_tensor* o = oyi_tensor_of(out);
  return o && prepare(o, sizes, dtype, like, format) == 0 ? o : NULL;
}
