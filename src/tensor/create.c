// SPDX-License-Identifier: Apache-2.0
// The public ways to make tensors, and the public questions about them.
#include "tensor/element.h"
#include "tensor/hooks.h"
#include "tensor/impl.h"
#include "tensor/iterator.h"

static bool dtype_has_elements(oy_dtype dtype) {
  if (oyi_dtype_bytes[dtype]) return true;
  OY_FAIL(INVALID_ARGUMENT, "there is no element type with number %d", dtype);
  return false;
}

oy_tensor* oy_tensor_empty(oy_ints sizes, oy_dtype dtype, oy_device device) {
  if (!dtype_has_elements(dtype)) return NULL;
  if (OY_LIKELY(device.backend == OY_BACKEND_CPU))
    return oyi_tensor_object(oyi_tensor_new(sizes, dtype, device));
  if (oy_device_resolve(&device) != OY_OK) return NULL;
  return oyi_with_memory(oyi_tensor_new(sizes, dtype, device));
}

static bool check_strides(oy_ints sizes, oy_ints strides, oy_dtype dtype,
                          size_t* out_needed) {
  if (sizes.size != strides.size) {
    OY_FAIL(INVALID_ARGUMENT,
            "dimensionality of sizes (%zu) must match dimensionality of strides (%zu)",
            sizes.size, strides.size);
    return false;
  }
  return oyi_strided_check(sizes, strides, 0, oyi_dtype_bytes[dtype], SIZE_MAX,
                           out_needed) == OY_OK;
}

oy_tensor* oy_tensor_empty_strided(oy_ints sizes, oy_ints strides, oy_dtype dtype,
                                   oy_device device) {
  size_t needed, nbytes;
  int64_t numel;
  if (!dtype_has_elements(dtype) || oy_device_resolve(&device) != OY_OK ||
      oyi_sizes_check(sizes, oyi_dtype_bytes[dtype], &numel, &nbytes) != OY_OK ||
      !check_strides(sizes, strides, dtype, &needed))
    return NULL;
  oyi_storage* s = oyi_storage_new(needed, device);
  if (!s) return NULL;
  oyi_tensor* t = oyi_tensor_on_storage(s, oyi_tensor_new_keys(device, dtype), sizes,
                                        strides, 0, dtype, device);
  oyi_storage_release(s);
  return oyi_with_memory(t);
}

oy_tensor* oy_tensor_from_data(const void* data, oy_ints sizes, oy_dtype dtype) {
  oy_tensor* object = oy_tensor_empty(sizes, dtype, oy_device_cpu());
  if (!object) return NULL;
  oyi_tensor* t = oyi_tensor_cast(object);
  if (t->numel) memcpy(oyi_data(t), data, (size_t)(t->numel * oyi_item(t)));
  return object;
}

oy_tensor* oy_tensor_from_scalar(oy_scalar scalar) {
  oy_dtype dtype;
  switch (scalar.tag) {
    case OY_TAG_BOOL: dtype = OY_DTYPE_BOOL; break;
    case OY_TAG_INT: dtype = OY_DTYPE_I64; break;
    case OY_TAG_FLOAT: dtype = OY_DTYPE_F32; break;
    case OY_TAG_COMPLEX: dtype = OY_DTYPE_C64; break;
    default:
      OY_FAIL(TYPE_MISMATCH, "expected a number, got %s", oy_value_type_name(scalar));
      return NULL;
  }
  oyi_tensor* t = oyi_tensor_new(oy_dims_none(), dtype, oy_device_cpu());
  if (t) oyi_element_store(dtype, oyi_data(t), oyi_number_of_scalar(scalar));
  return oyi_tensor_object(t);
}

static oy_status check_memory(const oy_tensor_memory* memory, oy_ints sizes,
                              oy_ints strides, oy_dtype dtype) {
  int64_t numel;
  size_t nbytes, needed, item = oyi_dtype_bytes[dtype];
  OY_TRY(oyi_sizes_check(sizes, item, &numel, &nbytes));
  OY_CHECK(sizes.size == strides.size, INVALID_ARGUMENT,
           "expected one stride for each of %zu dimensions, got %zu", sizes.size,
           strides.size);
  for (size_t i = 0; i < strides.size; i++)
    // NOLINT: sizes that are too many failed above
    OY_CHECK(strides.data[i] >= 0, INVALID_ARGUMENT,
             "strides must not be negative, got %s", oyi_dims_print(strides).text);
  OY_TRY(oyi_storage_needed(sizes, strides, 0, item, &needed));
  OY_CHECK(needed <= memory->nbytes, INVALID_ARGUMENT,
           "sizes %s and strides %s need %zu bytes, but the memory has %zu",
           oyi_dims_print(sizes).text, oyi_dims_print(strides).text, needed,
           memory->nbytes);
  OY_CHECK(memory->data || needed == 0, INVALID_ARGUMENT, "the memory is NULL");
  return OY_OK;
}

oy_tensor* oy_tensor_from_memory(const oy_tensor_memory* memory, oy_ints sizes,
                                 oy_ints strides, oy_dtype dtype) {
  int64_t contiguous[OY_TENSOR_MAX_DIMS];
  if (!dtype_has_elements(dtype)) return NULL;
  if (!strides.data && sizes.size <= OY_TENSOR_MAX_DIMS) {
    oyi_strides_contiguous(sizes, contiguous);
    strides = (oy_ints){contiguous, sizes.size};
  }
  if (check_memory(memory, sizes, strides, dtype) != 0) return NULL;
  oyi_storage* s = oyi_storage_new(0, memory->device);
  if (!s) return NULL;
  oyi_tensor* t = oyi_tensor_on_storage(s, oyi_tensor_new_keys(memory->device, dtype),
                                        sizes, strides, 0, dtype, memory->device);
  if (t) {
    s->data = memory->data;
    s->nbytes = memory->nbytes;
    s->deleter = memory->deleter;
    s->context = memory->context;
    s->resizable = 0;
  }
  oyi_storage_release(s);
  return oyi_tensor_object(t);
}

oy_tensor* oy_tensor_opaque(oy_keyset keys, oy_ints sizes, oy_dtype dtype,
                            oy_device device) {
  int64_t numel, strides[OY_TENSOR_MAX_DIMS];
  size_t nbytes;
  if (!dtype_has_elements(dtype) ||
      oyi_sizes_check(sizes, oyi_dtype_bytes[dtype], &numel, &nbytes) != 0)
    return NULL;
  oyi_strides_contiguous(sizes, strides);
  bool is_inference = oyi_makes_inference();
  if (is_inference) keys.functionality &= ~OYI_GRADIENT_KEYS;
  oyi_tensor* t = oyi_tensor_on_storage(NULL, keys, sizes, (oy_ints){strides, sizes.size},
                                        0, dtype, device);
  if (t && is_inference) t->flags |= OYI_NO_VERSION;
  return oyi_tensor_object(t);
}

// ---------------------------------------------------------------- questions

bool oy_object_is_tensor(const oy_object* object) {
  return oyi_is_tensor(object);
}
int64_t oy_tensor_ndim(const oy_tensor* tensor) {
  const oyi_tensor* t = oyi_tensor_of(tensor);
  return t ? t->ndim : 0;
}
oy_ints oy_tensor_sizes(const oy_tensor* tensor) {
  const oyi_tensor* t = oyi_tensor_of(tensor);
  return t ? oyi_sizes_view(t) : (oy_ints){NULL, 0};
}
oy_ints oy_tensor_strides(const oy_tensor* tensor) {
  const oyi_tensor* t = oyi_tensor_of(tensor);
  return t ? oyi_strides_view(t) : (oy_ints){NULL, 0};
}
int64_t oy_tensor_size(const oy_tensor* tensor, int64_t dim) {
  const oyi_tensor* t = oyi_tensor_of(tensor);
  if (!t) return -1;
  int64_t d = oyi_dim_wrap(dim, t->ndim);
  if (d < 0) return -1;
  if (t->ndim > 0) return t->sizes[d];
  OY_FAIL(OUT_OF_RANGE, "dimension specified as %lld but tensor has no dimensions",
          (long long)dim);
  return -1;
}
int64_t oy_tensor_numel(const oy_tensor* tensor) {
  const oyi_tensor* t = oyi_tensor_of(tensor);
  return t ? t->numel : 0;
}
int64_t oy_tensor_storage_offset(const oy_tensor* tensor) {
  const oyi_tensor* t = oyi_tensor_of(tensor);
  return t ? t->offset : 0;
}
oy_device oy_tensor_device(const oy_tensor* tensor) {
  const oyi_tensor* t = oyi_tensor_of(tensor);
  return t ? oyi_tensor_device(t) : oy_device_cpu();
}
bool oy_tensor_is_alias_of(const oy_tensor* a, const oy_tensor* b) {
  const oyi_tensor* x = oyi_tensor_of(a);
  const oyi_tensor* y = x ? oyi_tensor_of(b) : NULL;
  return y && x->storage && x->storage == y->storage;
}
void* oy_tensor_data(const oy_tensor* tensor) {
  const oyi_tensor* t = oyi_tensor_of(tensor);
  return t && t->numel ? oyi_data(t) : NULL;
}
uint32_t oy_tensor_version(const oy_tensor* tensor) {
  const oyi_tensor* t = oyi_tensor_of(tensor);
  if (!t || !oyi_is_inference(t)) return t ? oyi_version(t) : 0;
  OY_FAIL(FAILED_PRECONDITION, "Inference tensors do not track version counter.");
  return 0;
}
void oy_tensor_bump_version(oy_tensor* tensor) {
  oyi_tensor* t = oyi_tensor_of(tensor);
  if (t) (void)!oyi_version_count(t);
}
