// SPDX-License-Identifier: Apache-2.0
// What a tensor is made of. One pooled block holds the header, the storage record, the
// shape (up to five dimensions) and up to 96 bytes of data; the block of a view has room
// for a record of autograd's instead, which nearly every view gets:
//
//   [ oyi_tensor 96 | oyi_storage 48 | sizes, strides | data ]   176 bytes for one number
//   [ oyi_tensor 96 | record 96      | sizes, strides ]          224 bytes for a matrix
//
// Invariants:
//  - the first element is |byte_offset| bytes into the storage's data, which may
//    move when the storage grows, so tensors do not keep its address;
//  - a storage that lies in a tensor's block outlives the tensor if views hold
//    it: the block goes back to the pool when storage->references reaches 0;
//  - |numel| and |flags| are those of sizes and strides (oyi_tensor_geometry).
#ifndef OPYARD_SRC_TENSOR_IMPL_H_
#define OPYARD_SRC_TENSOR_IMPL_H_

#include "base/strbuf.h"
#include "opyard/tensor.h"
#include "tensor/bias.h"

typedef struct oyi_tensor oyi_tensor;

typedef struct oyi_storage {
  int32_t references;  // atomic; the tensor of the block holds one
  uint32_t version;    // atomic; counts in-place changes of all tensors on it
  void* data;
  size_t nbytes;
  void (*deleter)(void* context, void* data);  // NULL: nothing to free
  void* context;
  int16_t backend;
  int16_t device_index;
  uint8_t block;     // units of the pool block that it lies in
  uint8_t embedded;  // behind the header in a tensor's block
  uint8_t resizable;
  uint8_t reserved;
} oyi_storage;

// What a layer hangs on a tensor. The first member of its record.
typedef struct oyi_tensor_meta {
  const struct oyi_tensor_meta_class* klass;
} oyi_tensor_meta;
typedef struct oyi_tensor_meta_class {
  // Ends the record, and then the tensor by oyi_tensor_end.
  void (*destroy)(oyi_tensor* tensor);
  // Appends what a printed tensor ends with, "requires_grad=True", or nothing.
  void (*print)(const oyi_tensor* tensor, oyi_strbuf* buf);
  // The storage of the tensor is about to be replaced: whoever borrows it from the tensor
  // holds a reference of its own from here on, as does the tensor.
  void (*hold_storage)(oyi_tensor* tensor);
  // Takes a reference to |tensor|, which has none, if it is still there (FOUND_AGAIN). The
  // caller sees to it that the record is. NULL: never.
  bool (*find_again)(oyi_tensor* tensor);
} oyi_tensor_meta_class;
// Of what nearly every view gets, autograd's. Only its address is known here, which blocks of
// views keep (view_block.h).
extern const oyi_tensor_meta_class oyi_variable_class;

enum {
  OYI_INLINE_DIMS = 5,
  OYI_STORAGE_OFFSET = 96,
  OYI_DIMS_OFFSET = 144,
  OYI_META_OFFSET = 96,  // of a view: room for a record of autograd's
  OYI_META_BYTES = 96,
  OYI_VIEW_DIMS_OFFSET = OYI_META_OFFSET + OYI_META_BYTES,
  OYI_INLINE_DATA = 96  // bytes
};
enum oyi_tensor_flags {
  OYI_CONTIGUOUS = 1,
  OYI_DENSE = 2,       // non-overlapping and dense
  OYI_HEAP_DIMS = 4,   // sizes and strides are a block of their own
  OYI_NO_VERSION = 8,  // opaque inference tensors
  OYI_VIEW_BLOCK = 16  // the block has no storage, and room at OYI_META_OFFSET
};

struct oyi_tensor {
  oy_object header;
  int64_t byte_offset;
  int64_t numel;
  int64_t offset;        // in elements
  oyi_storage* storage;  // NULL: opaque
  // --- end of the first cache line
  int64_t* sizes;         // |ndim| sizes; strides follow after |capacity| words
  oyi_tensor_meta* meta;  // NULL until autograd needs it
  int16_t backend;
  int16_t device_index;
  uint8_t ndim;
  uint8_t capacity;
  uint8_t flags;
  uint8_t block;          // units of this block
  struct oyi_side* side;  // NULL for nearly all; atomic
};
_Static_assert(sizeof(oyi_tensor) <= OYI_STORAGE_OFFSET, "see the picture above");
_Static_assert(sizeof(oyi_storage) <= OYI_DIMS_OFFSET - OYI_STORAGE_OFFSET,
               "see the picture above");

// Of a plain tensor on the CPU.
#define OYI_TENSOR_KEYS \
  (1ull << OY_KEY_Dense | 1ull << OY_KEY_ADInplaceOrView | 1ull << OY_KEY_AutocastCPU)

// Of what has, or may come to have, a history.
#define OYI_AUTOGRAD_KEYS                                                \
  (1ull << OY_KEY_AutogradFunctionality | 1ull << OY_KEY_AutogradOther | \
   1ull << OY_KEY_AutogradNestedTensor)
// What inference tensors lack.
#define OYI_GRADIENT_KEYS (OYI_AUTOGRAD_KEYS | 1ull << OY_KEY_ADInplaceOrView)

extern const oy_object_class oyi_tensor_class;

static inline bool oyi_is_tensor(const oy_object* o) {
  return o && o->klass == &oyi_tensor_class;
}
// Stores before it are done before those after it: two that follow each other to one cache
// line cost what one costs, and a header has tens of them.
static inline void oyi_stores_stay(void) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
// Small members that lie side by side are written as one word: |x| where |member| is in it.
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define OYI_IN_WORD(type, member, x) ((uint64_t)(x) << 8 * (offsetof(type, member) % 8))
#else
#define OYI_IN_WORD(type, member, x) \
  ((uint64_t)(x) << (64 - 8 * (offsetof(type, member) % 8 + sizeof(((type*)0)->member))))
#endif
// The word that begins with |references|: those, the dtype and no flags.
static inline void oyi_header_begin(oy_object* o, oy_dtype dtype) {
  const uint64_t word =
      OYI_IN_WORD(oy_object, references, 1) | OYI_IN_WORD(oy_object, dtype, dtype);
  memcpy(&o->references, &word, sizeof(word));
}
// Says that somebody without a reference to |o| may come to take one.
static inline void oyi_found_again(oy_object* o) {
  __atomic_fetch_or(&o->references, OY_OBJECT_FOUND_AGAIN, __ATOMIC_RELAXED);
}
// Takes a reference to such an object, if anybody has one.
bool oyi_retain_if_any(oy_object* o);
// For objects that are known to be tensors.
static inline oyi_tensor* oyi_tensor_cast(const oy_object* o) {
  return (oyi_tensor*)(uintptr_t)o;
}
oyi_tensor* oyi_tensor_wrong(const oy_object* o);
// NULL with the error set if |o| is no tensor; a pending error is kept if it is
// NULL.
static inline oyi_tensor* oyi_tensor_of(const oy_object* o) {
  return OY_LIKELY(oyi_is_tensor(o)) ? oyi_tensor_cast(o) : oyi_tensor_wrong(o);
}
// Whether |o| is a tensor or None; the error is set if it is neither.
static inline bool oyi_is_optional(const oy_object* o) {
  return o == &oy_none_object || oyi_tensor_of(o);
}
static inline oy_tensor* oyi_tensor_object(const oyi_tensor* t) {
  return t ? (oy_tensor*)(uintptr_t)&t->header : NULL;
}
// Address of the first element; NULL without memory.
static inline void* oyi_data(const oyi_tensor* t) {
  const oyi_storage* s = t->storage;
  return s && s->data ? (char*)s->data + t->byte_offset : NULL;
}
// Bytes of an element, 0 if there is no such dtype.
extern const uint8_t oyi_dtype_bytes[256];
static inline int64_t oyi_item(const oyi_tensor* t) {
  return oyi_dtype_bytes[t->header.dtype];
}
static inline int64_t* oyi_strides(const oyi_tensor* t) {
  return t->sizes + t->capacity;
}
static inline oy_ints oyi_sizes_view(const oyi_tensor* t) {
  return (oy_ints){t->sizes, t->ndim};
}
static inline oy_ints oyi_strides_view(const oyi_tensor* t) {
  return (oy_ints){oyi_strides(t), t->ndim};
}
// Gives |t|, contiguous as |like| is, its strides: they may differ where a dimension has one
// element, or nothing has any.
static inline void oyi_strides_keep(const oyi_tensor* t, const oyi_tensor* like) {
  memcpy(oyi_strides(t), oyi_strides(like), like->ndim * sizeof(int64_t));
}
static inline oy_device oyi_tensor_device(const oyi_tensor* t) {
  return (oy_device){t->backend, t->device_index, 0};
}
// A shape without data: kernels check, make their outputs, and compute nothing.
static inline bool oyi_is_meta(const oyi_tensor* t) {
  return t->backend == OY_BACKEND_Meta;
}
static inline bool oyi_same_sizes(oy_ints a, oy_ints b) {
  if (a.size != b.size) return false;
  for (size_t i = 0; i < a.size; i++)
    if (a.data[i] != b.data[i]) return false;
  return true;
}

// ---------------------------------------------------------------- making

// Contiguous and uninitialised, with memory for CPU tensors and none elsewhere.
oyi_tensor* oyi_tensor_new(oy_ints sizes, oy_dtype dtype, oy_device device);
// The same shape and dtype as |like|, which is contiguous and on the CPU.
oyi_tensor* oyi_tensor_new_like(const oyi_tensor* like);
// As oyi_tensor_new with given strides, which must be non-overlapping and dense.
oyi_tensor* oyi_tensor_new_strided(oy_ints sizes, oy_ints strides, oy_dtype dtype,
                                   oy_device device);
// A header on |storage| (retained; may be NULL), shape not yet checked.
oyi_tensor* oyi_tensor_on_storage(oyi_storage* storage, oy_keyset keys, oy_ints sizes,
                                  oy_ints strides, int64_t offset, oy_dtype dtype,
                                  oy_device device);
// A view of |t|: same storage, keys without Autograd. Bounds are the caller's.
oyi_tensor* oyi_tensor_alias(const oyi_tensor* t, oy_ints sizes, oy_ints strides,
                             int64_t offset);
// The same of the same shape. Who changes it afterwards computes the flags anew.
oyi_tensor* oyi_tensor_alias_same(const oyi_tensor* t);
// The same with two dimensions, in range, exchanged.
oyi_tensor* oyi_tensor_transposed(const oyi_tensor* t, size_t a, size_t b);
// The same with |size| of the slices of |dim|, |step| apart, from |start| on.
oyi_tensor* oyi_tensor_slice(const oyi_tensor* t, size_t dim, int64_t start, int64_t size,
                             int64_t step);
// Number of elements and bytes; INVALID_ARGUMENT on a negative or huge size.
oy_status oyi_sizes_check(oy_ints sizes, size_t item, int64_t* out_numel,
                          size_t* out_nbytes);
// Gives the tensor another contiguous shape; the storage grows if it must.
oy_status oyi_tensor_resize(oyi_tensor* t, oy_ints sizes);
// Gives the tensor the geometry of a view of it; bounds are the caller's.
oy_status oyi_tensor_reshape(oyi_tensor* t, oy_ints sizes, oy_ints strides,
                             int64_t offset);
// The same in two steps: room for dimensions, room for bytes.
oy_status oyi_dims_reserve(oyi_tensor* t, size_t ndim);
oy_status oyi_storage_grow(oyi_storage* s, size_t nbytes);

// Ends a tensor that nobody has, and whose record is gone.
void oyi_tensor_end(oyi_tensor* t);

oyi_storage* oyi_storage_new(size_t nbytes, oy_device device);
void oyi_storage_release(oyi_storage* storage);
// Frees what nobody holds.
void oyi_storage_free(oyi_storage* storage);
// Gives a reference up; true: it was the last.
static inline bool oyi_storage_drop(oyi_storage* storage) {
  return oyi_bias_drop(&storage->references);
}
static inline void oyi_storage_retain(oyi_storage* storage) {
  if (storage) oyi_bias_retain(&storage->references);
}

// ------------------------------------------------------------- inference

// Tensors made in inference mode have no key ADInplaceOrView, and no version. Opaque ones
// have the keys that their maker wants, and so a flag besides.
static inline bool oyi_has_view_key(const oy_object* o) {
  return o->keys.functionality & 1ull << OY_KEY_ADInplaceOrView;
}
static inline bool oyi_is_inference(const oyi_tensor* t) {
  return OY_UNLIKELY(!oyi_has_view_key(&t->header)) &&
         (t->storage || (t->flags & OYI_NO_VERSION));
}
// What oy_tensor_keys_for says of a new tensor of this thread, which may be in inference
// mode.
oy_keyset oyi_tensor_new_keys(oy_device device, oy_dtype dtype);
// Whether new tensors of this thread are inference tensors.
bool oyi_makes_inference(void);
void oyi_makes_inference_set(bool on);

// ------------------------------------------------------------------ side

// What a layer hangs on a tensor and on its aliases; such tensors are few. The first member
// of the layer's record.
typedef struct oyi_attachment {
  int32_t references;  // atomic
  const char* name;    // of a handler: what a printed tensor begins with
  void (*destroy)(struct oyi_attachment* attachment);
} oyi_attachment;

// What few tensors have: a version that is not their storage's (after .data, set_ and
// set_data), weak references, an embedded storage that is no longer theirs, an attachment.
typedef struct oyi_counter {
  int32_t references;  // atomic
  uint32_t version;    // atomic
} oyi_counter;
typedef struct oyi_side {
  oyi_counter* counter;        // NULL: the storage counts
  struct oy_weak* weak;        // atomic; NULL: none yet
  oyi_storage* left_over;      // keeps the block of the tensor
  oyi_attachment* attachment;  // of a handler
  oyi_attachment* wrapped;     // what the tensor stands for, without a storage of its own
} oyi_side;
// The record, made if there is none; NULL: OUT_OF_MEMORY.
oyi_side* oyi_side_get(oyi_tensor* t);
// Gives |t| a counter of its own that starts at |version|.
oy_status oyi_version_separate(oyi_tensor* t, uint32_t version);
// |view| counts with |t|, if that has a counter of its own, and has what hangs on it.
oy_status oyi_side_share(oyi_tensor* view, const oyi_tensor* t);
// Retain |attachment|, which may be NULL, and release what was there.
oy_status oyi_attach(oyi_tensor* t, oyi_attachment* attachment);
oy_status oyi_wrap(oyi_tensor* t, oyi_attachment* wrapped);
// Takes NULL.
void oyi_attachment_release(oyi_attachment* attachment);
static inline oyi_attachment* oyi_attached(const oyi_tensor* t) {
  return t->side ? t->side->attachment : NULL;
}
static inline oyi_attachment* oyi_wrapped_of(const oyi_tensor* t) {
  return t->side ? t->side->wrapped : NULL;
}
// |t|, which goes, is not to be had by weak references from here on.
void oyi_weak_forget(oyi_tensor* t);
// Ends the record of a tensor that goes; gives what has to be released after it.
oyi_storage* oyi_side_end(oyi_tensor* t);

static inline uint32_t* oyi_version_word(const oyi_tensor* t) {
  if (OY_UNLIKELY(t->side && t->side->counter)) return &t->side->counter->version;
  return t->storage ? &t->storage->version : NULL;
}
static inline uint32_t oyi_version(const oyi_tensor* t) {
  uint32_t* word = oyi_version_word(t);
  return word ? __atomic_load_n(word, __ATOMIC_RELAXED) : 0;
}
static inline void oyi_version_bump(oyi_tensor* t) {
  uint32_t* word = oyi_version_word(t);
  if (word) oyi_bias_count(word);
}
// The same for what may be an inference tensor: FAILED_PRECONDITION outside of inference
// mode.
oy_status oyi_version_bump_slow(oyi_tensor* t);
static inline oy_status oyi_version_count(oyi_tensor* t) {
  if (OY_UNLIKELY(!oyi_has_view_key(&t->header))) return oyi_version_bump_slow(t);
  oyi_version_bump(t);
  return OY_OK;
}

// -------------------------------------------------------------- geometry

// Recomputes numel and flags from sizes and strides.
void oyi_tensor_geometry(oyi_tensor* t);
void oyi_strides_contiguous(oy_ints sizes, int64_t* out_strides);
bool oyi_is_contiguous(oy_ints sizes, oy_ints strides, int64_t numel);
bool oyi_is_dense(oy_ints sizes, oy_ints strides);
// A dimension in 0..ndim-1, or -1 with OUT_OF_RANGE set.
int64_t oyi_dim_wrap_slow(int64_t dim, int64_t ndim);
static inline int64_t oyi_dim_wrap(int64_t dim, int64_t ndim) {
  return OY_LIKELY((uint64_t)dim < (uint64_t)ndim) ? dim : oyi_dim_wrap_slow(dim, ndim);
}
// Resolves one -1. |out| has room for sizes.size numbers.
oy_status oyi_infer_size(oy_ints sizes, int64_t numel, int64_t* out);
// Strides of a view with |new_sizes|; false if there is none (no error is set).
bool oyi_view_strides(const oyi_tensor* t, oy_ints new_sizes, int64_t* out);
// Bytes that a storage must have.
oy_status oyi_storage_needed(oy_ints sizes, oy_ints strides, int64_t offset, size_t item,
                             size_t* out_bytes);
// as_strided's arguments: lengths, signs, and that they stay within |have| bytes.
oy_status oyi_strided_check(oy_ints sizes, oy_ints strides, int64_t offset, size_t item,
                            size_t have, size_t* out_needed);
// The broadcast of two shapes; |out| has room for OY_TENSOR_MAX_DIMS numbers.
oy_status oyi_broadcast(oy_ints a, oy_ints b, int64_t* out, size_t* out_ndim);
// "[2, 3]"
void oyi_print_dims(oyi_strbuf* buf, oy_ints dims);
// The same as text on the stack; long ones are cut off.
typedef struct oyi_dims_text {
  char text[160];
} oyi_dims_text;
oyi_dims_text oyi_dims_print(oy_ints dims);

typedef enum oyi_overlap {
  OYI_OVERLAP_NO,
  OYI_OVERLAP_YES,
  OYI_OVERLAP_TOO_HARD
} oyi_overlap;
bool oyi_has_internal_overlap(const oyi_tensor* t);
// The dimensions that say so, along which elements are one in memory; how many.
size_t oyi_shared_dims(const oyi_tensor* t, int64_t dims[OY_TENSOR_MAX_DIMS]);
// Partial or full overlap of two different tensors' elements.
oyi_overlap oyi_overlap_of(const oyi_tensor* a, const oyi_tensor* b);
// Whether the bytes that they span meet, whatever storages they come from: false is
// certain, true is not.
bool oyi_may_share(const oyi_tensor* a, const oyi_tensor* b);

#endif  // OPYARD_SRC_TENSOR_IMPL_H_
