// SPDX-License-Identifier: Apache-2.0
// What view operators and those that return lists share.
#include "ops/rules/shape.h"

#include "ops/calls.h"
#include "ops/rules/rules.h"
#include "tensor/iterator.h"
#include "tensor/view_plain.h"

static __attribute__((noinline)) oy_object* view_without_long(const oyi_tensor* t,
                                                              size_t dim,
                                                              int64_t offset) {
  oyi_shape s;
  s.ndim = 0;
  oyi_shape_keep(&s, t, 0, dim);
  oyi_shape_keep(&s, t, dim + 1, t->ndim);
  return oyi_shape_view(&s, t, t->offset + offset);
}

oy_object* oyi_view_without(const oyi_tensor* t, size_t dim, int64_t offset) {
  oyi_tensor* v = oyi_view_counted(oyi_plain_without(t, dim, offset));
  return OY_LIKELY(v != NULL) ? oyi_tensor_object(v) : view_without_long(t, dim, offset);
}

oy_object* oyi_view_as_dtype(const oyi_tensor* t, const oyi_shape* s, int64_t offset,
                             oy_dtype dtype) {
  oy_device device = oyi_tensor_device(t);
  // What is put off to whoever reads is put off for the other dtype, too.
  const uint64_t lazy = 1ull << OY_KEY_Conjugate | 1ull << OY_KEY_Negative;
  oy_keyset keys = oy_tensor_keys_for(device, dtype);
  keys.functionality |= t->header.keys.functionality & lazy;
  if (oyi_is_inference(t)) keys.functionality &= ~OYI_GRADIENT_KEYS;
  return oyi_tensor_object(
      oyi_tensor_on_storage(t->storage, keys, (oy_ints){s->sizes, s->ndim},
                            (oy_ints){s->strides, s->ndim}, offset, dtype, device));
}

oy_status oyi_dims_mask(oy_ints dims, int64_t ndim, uint64_t* out_mask) {
  *out_mask = 0;
  for (size_t i = 0; i < dims.size; i++) {
    int64_t d = oyi_dim_wrap(dims.data[i], ndim);
    if (d < 0) return OY_OUT_OF_RANGE;
    OY_CHECK(!(*out_mask >> d & 1), INVALID_ARGUMENT,
             "dim %lld appears multiple times in the list of dims", (long long)d);
    *out_mask |= 1ull << d;
  }
  return OY_OK;
}

oy_status oyi_list_new(size_t count, oy_value* out_list, oy_object*** out_items) {
  OY_TRY(oy_value_new_list(OY_TAG_TENSOR_LIST, count, out_list));
  *out_items = (oy_object**)(uintptr_t)out_list->as.tensors;
  return OY_OK;
}

oy_status oyi_list_fail(oy_value* list) {
  oy_value_release(list);
  *list = oy_none();
  return oy_failure();
}

static oy_status store(oyi_tensor* out, const oyi_tensor* from) {
  OY_TRY(oyi_output_check_exact(out, from->header.dtype));
  const oy_device want = oyi_tensor_device(from), got = oyi_tensor_device(out);
  char names[2][64];
  // A device without an index is the current one.
  const bool other = want.index != got.index && want.index >= 0 && got.index >= 0;
  if (other || want.backend != got.backend) {
    oy_device_print(want, names[0], sizeof(names[0]));
    oy_device_print(got, names[1], sizeof(names[1]));
    return OY_FAIL(INVALID_ARGUMENT,
                   "Expected out tensor to have device %s, but got %s instead", names[0],
                   names[1]);
  }
  OY_TRY(oyi_output_prepare(out, oyi_sizes_view(from), from->header.dtype,
                            oyi_tensor_device(from)));
  oy_object* copied = oyi_call_copy_(&out->header, oyi_tensor_object(from), false);
  return copied ? OY_OK : oy_failure();
}

oy_object* oyi_stored(oy_object* out, oy_object* result) {
  const oyi_tensor* from = oyi_tensor_of(result);
  oyi_tensor* to = from ? oyi_tensor_of(out) : NULL;
  bool good = to && store(to, from) == 0;
  oy_tensor_release(result);
  return good ? out : NULL;
}

oy_status oyi_stored_each(oy_status status, oy_value* list, oy_tensors out) {
  OY_TRY(status);
  if (list->count != out.size)
    status = OY_FAIL(INVALID_ARGUMENT, "expected %u out= tensors, got %zu", list->count,
                     out.size);
  for (size_t i = 0; i < list->count && status == 0; i++)
    if (!oyi_stored(out.data[i], oy_tensor_retain(list->as.tensors[i])))
      status = oy_failure();
  oy_value_release(list);
  return status;
}

oy_object* oyi_cloned(oy_object* view) {
  oy_object* copy = oyi_call_clone(view, oy_int(OY_MEMORY_CONTIGUOUS));
  oy_tensor_release(view);
  return copy;
}
