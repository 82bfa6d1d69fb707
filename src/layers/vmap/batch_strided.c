// SPDX-License-Identifier: Apache-2.0
// as_strided of what is batched: a slice lies in the memory of all as it shows, strides and
// offset of the first one; the mapped dimension keeps its stride.
#include "layers/vmap/batch.h"
#include "ops/calls.h"

// That what is viewed of a slice lies within it: else it would be seen what is in others.
static oy_status check_within(const oyi_tensor* self, oy_ints size, oy_ints stride,
                              int64_t offset) {
  int64_t last = offset, own = self->offset;
  for (size_t i = 0; i < size.size; i++) {
    if (size.data[i] == 0) return OY_OK;
    last += (size.data[i] - 1) * stride.data[i];
  }
  for (size_t i = 0; i < self->ndim; i++)
    own += (self->sizes[i] - 1) * oyi_strides(self)[i];
  OY_CHECK(offset >= self->offset && last <= own, INVALID_ARGUMENT,
           "vmap: as_strided(size=%s, stride=%s, storage_offset=%lld): the result views "
           "memory outside of the slice that it is taken of",
           oyi_dims_print(size).text, oyi_dims_print(stride).text, (long long)offset);
  return OY_OK;
}

static oy_object* strided(const oyi_batch* b, oy_object* self, oy_ints size,
                          oy_ints stride, oy_value offset) {
  const oyi_wrapper* w = oyi_wrapper_at(self, b->layer);
  const oyi_tensor* all = oyi_tensor_of(w->value);
  if (!all) return NULL;
  const int64_t from = offset.tag == OY_TAG_NONE ? all->offset : offset.as.i;
  if (size.size != stride.size || size.size >= OY_TENSOR_MAX_DIMS) {
    OY_FAIL(INVALID_ARGUMENT, "mismatch in length of strides and shape");
    return NULL;
  }
  if (check_within(oyi_tensor_cast(self), size, stride, from) != OY_OK) return NULL;
  int64_t sizes[OY_TENSOR_MAX_DIMS], strides[OY_TENSOR_MAX_DIMS];
  sizes[0] = all->sizes[w->bdim];
  strides[0] = oyi_strides(all)[w->bdim];
  for (size_t i = 0; i < size.size; i++) {
    sizes[i + 1] = size.data[i];
    strides[i + 1] = stride.data[i];
  }
  const size_t n = size.size + 1;
  return oyi_call_as_strided(w->value, (oy_ints){sizes, n}, (oy_ints){strides, n},
                             oy_int(from));
}

// With |arguments| what is seen so is copied.
OYI_BATCH_RULE(as_strided) {
  (void)keys;
  const oyi_batch_rule* rule = kernel->user_data;
  oyi_batch b;
  OY_TRY(oyi_batch_begin(&b, op, stack));
  const oy_value* a = oyi_batch_arg(&b, 0);
  if (a[0].tag != OY_TAG_TENSOR || !oyi_batch_has(&b, &a[0])) return oyi_batch_pass(&b);
  const oy_ints size = {a[1].as.ints, a[1].count}, stride = {a[2].as.ints, a[2].count};
  uint64_t keep = oyi_batch_below();
  oy_object* result = strided(&b, a[0].as.object, size, stride, a[3]);
  if (result && rule->arguments) {
    oy_object* view = result;
    result = oyi_call_clone(view, oy_int(OY_MEMORY_CONTIGUOUS));
    oy_tensor_release(view);
  }
  oyi_batch_above(keep);
  OY_TRY(oyi_batch_push(&b, result));
  OY_TRY(oyi_batch_wrap(&b, 1, 0));
  oyi_batch_drop_arguments(&b);
  return OY_OK;
}
