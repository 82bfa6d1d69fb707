// SPDX-License-Identifier: Apache-2.0
// Making and destroying tensors, and questions about them. Every way to make one
// ends in oyi_tensor_new (memory of its own) or oyi_tensor_on_storage.
#include "base/memory.h"
#include "tensor/block_cache.h"
#include "tensor/hooks.h"
#include "tensor/impl.h"
#include "tensor/view_block.h"

// With a shape or a record of its own.
static __attribute__((noinline)) void end_slow(oyi_tensor* t) {
  if (t->flags & OYI_HEAP_DIMS) oyi_free(t->sizes);
  oyi_storage* s = t->storage;
  oyi_storage* left_over = NULL;
  if (t->side) left_over = oyi_side_end(t);
  if (t->flags & OYI_VIEW_BLOCK) oyi_pool_give(t, t->block);
  oyi_storage_release(s);  // frees the block that they share
  if (left_over) oyi_storage_release(left_over);
}
// A view, or with a storage that others have as well.
static __attribute__((noinline)) void end_apart(oyi_tensor* t) {
  const bool is_view = t->flags & OYI_VIEW_BLOCK;
  oyi_storage* s = t->storage;
  if (oyi_storage_drop(s)) oyi_storage_free(s);  // a block that they share goes, too
  if (is_view) oyi_view_give_plain(t);
}

// Each way ends in a tail call at most, so that none saves registers.
void oyi_tensor_end(oyi_tensor* t) {
  oyi_storage* s = t->storage;
  if (OY_UNLIKELY(t->side != NULL || (t->flags & OYI_HEAP_DIMS) || !s))
    end_slow(t);
  else if ((t->flags & OYI_VIEW_BLOCK) ||
           __atomic_load_n(&s->references, __ATOMIC_ACQUIRE) != 1)
    end_apart(t);
  else
    oyi_storage_free(s);  // and the block that they share
}

static void tensor_destroy(oy_object* object) {
  oyi_tensor* t = oyi_tensor_cast(object);
  if (t->meta)
    t->meta->klass->destroy(t);
  else
    oyi_tensor_end(t);
}

const oy_object_class oyi_tensor_class = {"Tensor", tensor_destroy};

oyi_tensor* oyi_tensor_wrong(const oy_object* o) {
  if (!o) {
    if (oy_error_get()->code == OY_OK)
      OY_FAIL(INVALID_ARGUMENT, "expected a tensor, got NULL");
  } else if (oy_object_is_none(o)) {
    OY_FAIL(INVALID_ARGUMENT, "expected a tensor, got None");
  } else {
    OY_FAIL(TYPE_MISMATCH, "expected a tensor, got an object of class %s",
            o->klass ? o->klass->name : "(none)");
  }
  return NULL;
}

static __attribute__((noinline)) oy_keyset keys_for(oy_device device, oy_dtype dtype) {
  oy_keyset keys = oy_keyset_make(
      (oy_dtype_is_quantized(dtype) ? 1ull << OY_KEY_Quantized : 1ull << OY_KEY_Dense) |
          1ull << OY_KEY_ADInplaceOrView,
      0);
  keys = oy_keyset_or(keys, oy_keyset_of_backend(device.backend));
  return oy_keyset_add(keys, oy_key_autocast_of_backend(device.backend));
}

// The common case, without a question to a table.
static inline bool is_plain(oy_device device, oy_dtype dtype) {
  return device.backend == OY_BACKEND_CPU &&
         (dtype < OY_DTYPE_QI8 || dtype == OY_DTYPE_BF16);
}
oy_keyset oy_tensor_keys_for(oy_device device, oy_dtype dtype) {
  if (OY_LIKELY(is_plain(device, dtype))) return oy_keyset_make(OYI_TENSOR_KEYS, 1);
  return keys_for(device, dtype);
}

oy_keyset oyi_tensor_new_keys(oy_device device, oy_dtype dtype) {
  oy_keyset keys = oy_tensor_keys_for(device, dtype);
  keys.functionality &= ~(OYI_TENSOR_KEYS ^ oyi_pool.tensor_keys);
  return keys;
}
static inline oy_keyset new_keys(oy_device device, oy_dtype dtype) {
  if (OY_LIKELY(is_plain(device, dtype))) return oy_keyset_make(oyi_pool.tensor_keys, 1);
  return oyi_tensor_new_keys(device, dtype);
}

// Where a block of |offset| bytes and |ndim| dimensions ends: long shapes are apart.
static inline size_t dims_end(size_t offset, size_t ndim) {
  return offset + (ndim <= OYI_INLINE_DIMS ? 2 * ndim * sizeof(int64_t) : 0);
}

_Static_assert(offsetof(oyi_tensor, backend) % 8 == 0 &&
                   offsetof(oyi_storage, backend) % 8 == 0 &&
                   offsetof(oyi_storage, references) % 8 == 0,
               "words begin there");
// What is one word of a tensor, from |backend| on.
static inline void put_word(oyi_tensor* t, oy_device device, size_t ndim, unsigned flags,
                            unsigned units) {
  const uint64_t word = OYI_IN_WORD(oyi_tensor, backend, (uint16_t)device.backend) |
                        OYI_IN_WORD(oyi_tensor, device_index, (uint16_t)device.index) |
                        OYI_IN_WORD(oyi_tensor, ndim, (uint8_t)ndim) |
                        OYI_IN_WORD(oyi_tensor, capacity, (uint8_t)ndim) |
                        OYI_IN_WORD(oyi_tensor, flags, flags) |
                        OYI_IN_WORD(oyi_tensor, block, units);
  memcpy(&t->backend, &word, sizeof(word));
}
// A storage in a block of |units| with nothing to free.
static inline void put_storage(oyi_storage* s, oy_device device, void* data,
                               size_t nbytes, unsigned units) {
  const uint64_t count = OYI_IN_WORD(oyi_storage, references, 1);  // version 0
  memcpy(&s->references, &count, sizeof(count));
  s->data = data;
  s->nbytes = nbytes;
  s->deleter = NULL;
  s->context = NULL;
  const bool grows = device.backend == OY_BACKEND_CPU;
  const uint64_t word = OYI_IN_WORD(oyi_storage, backend, (uint16_t)device.backend) |
                        OYI_IN_WORD(oyi_storage, device_index, (uint16_t)device.index) |
                        OYI_IN_WORD(oyi_storage, block, units) |
                        OYI_IN_WORD(oyi_storage, embedded, 1) |
                        OYI_IN_WORD(oyi_storage, resizable, grows);
  memcpy(&s->backend, &word, sizeof(word));
}

// Room for |ndim| dimensions, which lie at |offset| or on the heap.
static inline __attribute__((always_inline)) bool dims_init(oyi_tensor* t, size_t offset,
                                                            size_t ndim) {
  t->sizes = (int64_t*)(void*)((char*)t + offset);
  if (OY_LIKELY(ndim <= OYI_INLINE_DIMS)) return true;
  t->sizes = oyi_calloc(2 * ndim, sizeof(int64_t));
  t->flags |= OYI_HEAP_DIMS;
  return t->sizes != NULL;
}

// Fills a header of |units|; the shape is copied to |offset|, to the heap if it is long.
static inline __attribute__((always_inline)) bool header_init(
    oyi_tensor* t, unsigned units, size_t offset, oy_keyset keys, oy_ints sizes,
    oy_dtype dtype, oy_device device) {
  t->header.keys = keys;
  t->header.klass = &oyi_tensor_class;
  oyi_header_begin(&t->header, dtype);
  t->byte_offset = 0;
  t->offset = 0;
  t->storage = NULL;
  t->meta = NULL;
  put_word(t, device, sizes.size, 0, units);
  t->side = NULL;
  if (OY_UNLIKELY(!dims_init(t, offset, sizes.size))) return false;
  for (size_t i = 0; i < sizes.size; i++) t->sizes[i] = sizes.data[i];
  return true;
}

// Places the storage record in the block, with its data if it fits.
static inline __attribute__((always_inline)) oy_status storage_init(oyi_tensor* t,
                                                                    size_t nbytes) {
  oyi_storage* s = (oyi_storage*)(void*)((char*)t + OYI_STORAGE_OFFSET);
  put_storage(s, oyi_tensor_device(t), NULL, nbytes, t->block);
  if (s->resizable && nbytes > 0) {
    if (nbytes <= OYI_INLINE_DATA) {
      s->data = (char*)t + dims_end(OYI_DIMS_OFFSET, t->ndim);
    } else {
      s->data = oyi_data_alloc(nbytes, &s->context);
      if (!s->data) return OY_OUT_OF_MEMORY;
      s->deleter = oyi_data_free;
    }
  } else if (OY_UNLIKELY(!s->resizable)) {
    OY_TRY(oyi_device_storage_fill(s));
  }
  t->storage = s;
  return OY_OK;
}

// Everything but the strides; numel and nbytes are those of |sizes|.
static inline oyi_tensor* tensor_make_sized(oy_ints sizes, oy_dtype dtype,
                                            oy_device device, int64_t numel,
                                            size_t nbytes) {
  const unsigned units =
      oyi_pool_units(OY_LIKELY(nbytes <= OYI_INLINE_DATA) ? nbytes : 0) +
      (unsigned)dims_end(OYI_DIMS_OFFSET, sizes.size) / OYI_POOL_UNIT;
  oyi_tensor* t = oyi_pool_take(units);
  if (!t) return NULL;
  if (!header_init(t, units, OYI_DIMS_OFFSET, new_keys(device, dtype), sizes, dtype,
                   device)) {
    oyi_pool_give(t, units);
    return NULL;
  }
  t->numel = numel;
  if (storage_init(t, nbytes) == 0) return t;
  if (t->flags & OYI_HEAP_DIMS) oyi_free(t->sizes);
  oyi_pool_give(t, units);
  return NULL;
}

static inline void lay_out(oyi_tensor* t) {
  int64_t* strides = oyi_strides(t);
  int64_t stride = 1;
  for (size_t i = t->ndim; i-- > 0;) {
    strides[i] = stride;
    stride *= t->sizes[i] > 1 ? t->sizes[i] : 1;
  }
  t->flags |= OYI_CONTIGUOUS | OYI_DENSE;
}

// What oyi_sizes_check finds, of shapes that are small in every way; false of others.
static inline bool sizes_small(oy_ints sizes, size_t item, int64_t* out_numel,
                               size_t* out_nbytes) {
  const uint64_t most = 1 << 11;  // to the fifth power, times 16, it is a number
  if (sizes.size > OYI_INLINE_DIMS) return false;
  uint64_t numel = 1, all = 0;
  for (size_t i = 0; i < sizes.size; i++) {
    all |= (uint64_t)sizes.data[i];
    numel *= (uint64_t)sizes.data[i];
  }
  *out_numel = (int64_t)numel;
  *out_nbytes = numel * item;
  return all < most;
}

static oyi_tensor* tensor_make(oy_ints sizes, oy_dtype dtype, oy_device device) {
  int64_t numel;
  size_t nbytes;
  if (oyi_sizes_check(sizes, oyi_dtype_bytes[dtype], &numel, &nbytes) != 0) return NULL;
  return tensor_make_sized(sizes, dtype, device, numel, nbytes);
}

// A plain tensor of the CPU with its numbers in its block, of which the thread has a free
// one: nearly all that are made over and over. There is at least one number, so that every
// size is one stride after the other. NULL: it has to be made the other way.
static inline __attribute__((always_inline)) oyi_tensor* new_small(
    oy_ints sizes, oy_dtype dtype, int16_t device_index, int64_t numel, size_t nbytes) {
  const size_t ndim = sizes.size;
  const unsigned units = OYI_DIMS_OFFSET / OYI_POOL_UNIT + (unsigned)ndim +
                         (unsigned)(nbytes + OYI_POOL_UNIT - 1) / OYI_POOL_UNIT;
  if (OY_UNLIKELY(!oyi_pool.head[units - 1])) return NULL;
  oyi_tensor* t = oyi_pool_take(units);
  const oy_device device = oy_device_make(OY_BACKEND_CPU, device_index);
  int64_t* dims = (int64_t*)(void*)((char*)t + OYI_DIMS_OFFSET);
  oyi_storage* s = (oyi_storage*)(void*)((char*)t + OYI_STORAGE_OFFSET);
  t->header.keys = oy_keyset_make(oyi_pool.tensor_keys, 1);
  t->header.klass = &oyi_tensor_class;
  oyi_header_begin(&t->header, dtype);
  t->byte_offset = 0;
  t->numel = numel;
  t->offset = 0;
  t->storage = s;
  t->sizes = dims;
  t->meta = NULL;
  put_word(t, device, ndim, OYI_CONTIGUOUS | OYI_DENSE, units);
  t->side = NULL;
  put_storage(s, device, dims + 2 * ndim, nbytes, units);
  int64_t stride = 1;
  for (size_t i = ndim; i-- > 0;) {
    dims[i] = sizes.data[i];
    dims[ndim + i] = stride;
    stride *= sizes.data[i];
  }
  return t;
}
static inline bool is_small(size_t ndim, size_t nbytes) {
  return nbytes - 1 < OYI_INLINE_DATA && ndim <= OYI_INLINE_DIMS;
}

static __attribute__((noinline)) oyi_tensor* new_like_slow(const oyi_tensor* like) {
  oyi_tensor* t = tensor_make_sized(oyi_sizes_view(like), like->header.dtype,
                                    oy_device_make(OY_BACKEND_CPU, like->device_index),
                                    like->numel, (size_t)(like->numel * oyi_item(like)));
  if (!t) return NULL;
  lay_out(t);
  return t;
}

oyi_tensor* oyi_tensor_new_like(const oyi_tensor* like) {
  // What |like| has fits already.
  const oy_dtype dtype = like->header.dtype;
  const size_t nbytes = (size_t)(like->numel * oyi_item(like));
  if (OY_UNLIKELY(!is_plain(oyi_tensor_device(like), dtype) ||
                  !is_small(like->ndim, nbytes)))
    return new_like_slow(like);
  oyi_tensor* t =
      new_small(oyi_sizes_view(like), dtype, like->device_index, like->numel, nbytes);
  return OY_LIKELY(t != NULL) ? t : new_like_slow(like);
}

static __attribute__((noinline)) oyi_tensor* new_slow(oy_ints sizes, oy_dtype dtype,
                                                      oy_device device) {
  oyi_tensor* t = tensor_make(sizes, dtype, device);
  if (!t) return NULL;
  lay_out(t);
  return t;
}

oyi_tensor* oyi_tensor_new(oy_ints sizes, oy_dtype dtype, oy_device device) {
  int64_t numel;
  size_t nbytes;
  if (OY_UNLIKELY(!is_plain(device, dtype) ||
                  !sizes_small(sizes, oyi_dtype_bytes[dtype], &numel, &nbytes) ||
                  !is_small(sizes.size, nbytes)))
    return new_slow(sizes, dtype, device);
  oyi_tensor* t = new_small(sizes, dtype, device.index, numel, nbytes);
  return OY_LIKELY(t != NULL) ? t : new_slow(sizes, dtype, device);
}

oyi_tensor* oyi_tensor_new_strided(oy_ints sizes, oy_ints strides, oy_dtype dtype,
                                   oy_device device) {
  oyi_tensor* t = tensor_make(sizes, dtype, device);
  if (!t) return NULL;
  for (size_t i = 0; i < strides.size; i++) oyi_strides(t)[i] = strides.data[i];
  oyi_tensor_geometry(t);
  return t;
}

oyi_tensor* oyi_tensor_on_storage(oyi_storage* storage, oy_keyset keys, oy_ints sizes,
                                  oy_ints strides, int64_t offset, oy_dtype dtype,
                                  oy_device device) {
  const unsigned units = oyi_pool_units(dims_end(OYI_VIEW_DIMS_OFFSET, sizes.size));
  oyi_tensor* t = oyi_pool_take(units);
  if (!t) return NULL;
  if (!header_init(t, units, OYI_VIEW_DIMS_OFFSET, keys, sizes, dtype, device)) {
    oyi_pool_give(t, units);
    return NULL;
  }
  t->flags |= OYI_VIEW_BLOCK;
  oyi_view_prepare_room(t);
  for (size_t i = 0; i < strides.size; i++) oyi_strides(t)[i] = strides.data[i];
  oyi_tensor_geometry(t);
  oyi_storage_retain(storage);
  t->storage = storage;
  t->offset = offset;
  t->byte_offset = offset * oyi_dtype_bytes[dtype];
  return t;
}

// Room for |nbytes| in the storage; what was there stays. On Meta the bytes are counted.
oy_status oyi_storage_grow(oyi_storage* s, size_t nbytes) {
  if (nbytes <= s->nbytes) return OY_OK;
  if (s->backend == OY_BACKEND_Meta) {
    s->nbytes = nbytes;
    return OY_OK;
  }
  OY_CHECK(s->resizable, FAILED_PRECONDITION,
           "Trying to resize storage that is not resizable");
  if (s->backend != OY_BACKEND_CPU) return oyi_device_storage_grow(s, nbytes);
  void* context;
  void* data = oyi_data_alloc(nbytes, &context);
  if (!data) return OY_OUT_OF_MEMORY;
  if (s->data && s->nbytes) memcpy(data, s->data, s->nbytes);
  if (s->deleter) s->deleter(s->context, s->data);
  s->data = data;
  s->deleter = oyi_data_free;
  s->context = context;
  s->nbytes = nbytes;
  return OY_OK;
}

oy_status oyi_dims_reserve(oyi_tensor* t, size_t ndim) {
  if (ndim <= t->capacity) return OY_OK;
  int64_t* dims = oyi_calloc(2 * ndim, sizeof(int64_t));
  if (!dims) return OY_OUT_OF_MEMORY;
  for (size_t i = 0; i < t->ndim; i++) {
    dims[i] = t->sizes[i];
    dims[ndim + i] = oyi_strides(t)[i];
  }
  if (t->flags & OYI_HEAP_DIMS) oyi_free(t->sizes);
  t->sizes = dims;
  t->capacity = (uint8_t)ndim;
  t->flags |= OYI_HEAP_DIMS;
  return OY_OK;
}

oy_status oyi_tensor_resize(oyi_tensor* t, oy_ints sizes) {
  int64_t numel;
  size_t nbytes;
  OY_TRY(oyi_sizes_check(sizes, (size_t)oyi_item(t), &numel, &nbytes));
  if (__builtin_add_overflow(nbytes, (size_t)t->byte_offset, &nbytes) ||
      nbytes > INT64_MAX)
    return OY_FAIL(INVALID_ARGUMENT, "the size of the tensor overflows");
  // A stand-in that had no elements would have some now, and no memory for them.
  OY_CHECK(t->storage || numel == 0 || t->backend != OY_BACKEND_CPU, NOT_IMPLEMENTED,
           "a CPU tensor without data cannot be resized");
  OY_TRY(oyi_dims_reserve(t, sizes.size));
  if (t->storage && numel > 0) OY_TRY(oyi_storage_grow(t->storage, nbytes));
  t->ndim = (uint8_t)sizes.size;
  for (size_t i = 0; i < sizes.size; i++) t->sizes[i] = sizes.data[i];
  oyi_strides_contiguous(oyi_sizes_view(t), oyi_strides(t));
  oyi_tensor_geometry(t);
  return OY_OK;
}

oy_status oyi_tensor_reshape(oyi_tensor* t, oy_ints sizes, oy_ints strides,
                             int64_t offset) {
  OY_TRY(oyi_dims_reserve(t, sizes.size));
  t->ndim = (uint8_t)sizes.size;
  for (size_t i = 0; i < sizes.size; i++) {
    t->sizes[i] = sizes.data[i];
    oyi_strides(t)[i] = strides.data[i];
  }
  t->offset = offset;
  t->byte_offset = offset * oyi_item(t);
  oyi_tensor_geometry(t);
  return OY_OK;
}
