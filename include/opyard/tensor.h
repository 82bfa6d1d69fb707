// SPDX-License-Identifier: Apache-2.0
// Tensors: a shape over a storage, an element type, a device, a key set.
//
// oy_tensor is another name for oy_object, so that what an operator returns goes
// into these functions without a cast; each checks that it was given a tensor.
// Functions that return a tensor return a new reference, NULL on failure; given
// NULL they return NULL and keep the error that is pending. Questions about NULL
// or about another kind of object answer 0 or NULL and set INVALID_ARGUMENT.
//
// A tensor may be read by any number of threads; who writes it, or changes its
// shape, must be alone with it.
#ifndef OPYARD_TENSOR_H_
#define OPYARD_TENSOR_H_

#include "opyard/memory.h"
#include "opyard/object.h"
#include "opyard/value.h"

OY_BEGIN_DECLS

typedef oy_object oy_tensor;

enum { OY_TENSOR_MAX_DIMS = 64 };

// PyTorch's numbers for MemoryFormat arguments.
typedef enum oy_memory_format {
  OY_MEMORY_CONTIGUOUS,
  OY_MEMORY_PRESERVE,
  OY_MEMORY_CHANNELS_LAST,
  OY_MEMORY_CHANNELS_LAST_3D
} oy_memory_format;

static inline oy_device oy_device_make(oy_backend backend, int16_t index) {
  oy_device d;
  d.backend = (int16_t)backend;
  d.index = index;
  d.reserved = 0;
  return d;
}
static inline oy_device oy_device_cpu(void) {
  return oy_device_make(OY_BACKEND_CPU, -1);
}
static inline oy_device oy_device_meta(void) {
  return oy_device_make(OY_BACKEND_Meta, -1);
}
static inline bool oy_device_equal(oy_device a, oy_device b) {
  return a.backend == b.backend && a.index == b.index;
}
// "cpu", "cuda:0", NUL-terminated and cut off at |size|; the whole length.
OY_API size_t oy_device_print(oy_device device, char* buffer, size_t size);
// Reads "cpu", "cuda:1". PARSE with PyTorch's texts.
OY_API OY_MUST_USE oy_status oy_device_parse(oy_str text, oy_device* out_device);

// View of a C array: OY_DIMS(2, 3).
#define OY_DIMS(...)                         \
  ((oy_ints){(const int64_t[]){__VA_ARGS__}, \
             sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)})
// The shape of a scalar: no dimensions.
static inline oy_ints oy_dims_none(void) {
  static const int64_t none = 0;
  oy_ints dims;
  dims.data = &none;
  dims.size = 0;
  return dims;
}

// ------------------------------------------------------------------- making

// Uninitialised, contiguous, on the CPU, without data on Meta, or on a device with hooks
// (device.h), whose index is -1 for the current one.
// INVALID_ARGUMENT for a negative or overflowing size, or a device that is not there;
// FAILED_PRECONDITION for a backend without devices.
OY_API oy_tensor* oy_tensor_empty(oy_ints sizes, oy_dtype dtype, oy_device device);
// On the CPU, with a copy of |data|, which holds as many elements as |sizes| say.
OY_API oy_tensor* oy_tensor_from_data(const void* data, oy_ints sizes, oy_dtype dtype);
// A 0-d tensor: bool, int64, float32 or complex64 by the tag of the scalar.
OY_API oy_tensor* oy_tensor_from_scalar(oy_scalar scalar);

// Around memory of somebody else. |deleter| (may be NULL) is called once, when
// the last tensor over the memory goes; not if this function fails.
typedef struct oy_tensor_memory {
  void* data;
  size_t nbytes;  // size of the memory; checked against sizes and strides
  void (*deleter)(void* context, void* data);
  void* context;
  oy_device device;
} oy_tensor_memory;
// |strides| in elements; data NULL means contiguous.
OY_API oy_tensor* oy_tensor_from_memory(const oy_tensor_memory* memory, oy_ints sizes,
                                        oy_ints strides, oy_dtype dtype);
// Without storage: a stand-in that has a shape, a type, a device and exactly
// these keys. For backends that keep their data elsewhere, and for tests.
OY_API oy_tensor* oy_tensor_opaque(oy_keyset keys, oy_ints sizes, oy_dtype dtype,
                                   oy_device device);
// What the dispatcher sees of a tensor on |device|: its dense or quantized key,
// its Autocast key and ADInplaceOrView; Autograd comes with requires_grad.
OY_API oy_keyset oy_tensor_keys_for(oy_device device, oy_dtype dtype);

static inline oy_tensor* oy_tensor_retain(oy_tensor* tensor) {
  oy_object_retain(tensor);
  return tensor;
}
// Takes NULL.
static inline void oy_tensor_release(oy_tensor* tensor) {
  oy_object_release(tensor);
}

// ---------------------------------------------------------------- questions

OY_API bool oy_object_is_tensor(const oy_object* object);
OY_API int64_t oy_tensor_ndim(const oy_tensor* tensor);
// Borrowed from the tensor, valid until its shape changes.
OY_API oy_ints oy_tensor_sizes(const oy_tensor* tensor);
OY_API oy_ints oy_tensor_strides(const oy_tensor* tensor);
// Size of one dimension; negative ones count from the end. -1 if out of range.
OY_API int64_t oy_tensor_size(const oy_tensor* tensor, int64_t dim);
OY_API int64_t oy_tensor_numel(const oy_tensor* tensor);
OY_API int64_t oy_tensor_storage_offset(const oy_tensor* tensor);
OY_API oy_device oy_tensor_device(const oy_tensor* tensor);
OY_API bool oy_tensor_is_contiguous(const oy_tensor* tensor, oy_memory_format format);
OY_API bool oy_tensor_is_non_overlapping_and_dense(const oy_tensor* tensor);
OY_API oy_memory_format oy_tensor_suggest_memory_format(const oy_tensor* tensor);
// Whether two tensors lie on one storage.
OY_API bool oy_tensor_is_alias_of(const oy_tensor* a, const oy_tensor* b);
// Address of the first element; NULL for empty tensors and those without data.
OY_API void* oy_tensor_data(const oy_tensor* tensor);
// Counts in-place changes; shared by views and detached aliases. FAILED_PRECONDITION
// and 0 for inference tensors, which have none.
OY_API uint32_t oy_tensor_version(const oy_tensor* tensor);
// Whether it was made in inference mode (autograd.h), or views what was. False, with the
// error set, for what is no tensor.
OY_API bool oy_tensor_is_inference(const oy_tensor* tensor);
// Nothing for inference tensors; outside of inference mode with FAILED_PRECONDITION set.
OY_API void oy_tensor_bump_version(oy_tensor* tensor);

// The element at |index| (one number a dimension, negative ones from the end), and the
// only element. OUT_OF_RANGE, INVALID_ARGUMENT with PyTorch's texts. A complex number
// comes as an owned value: give it up with oy_value_release, which does nothing for
// others.
OY_API OY_MUST_USE oy_status oy_tensor_get(const oy_tensor* tensor, oy_ints index,
                                           oy_scalar* out_scalar);
OY_API OY_MUST_USE oy_status oy_tensor_item(const oy_tensor* tensor,
                                            oy_scalar* out_scalar);
// INVALID_ARGUMENT if the dtype cannot hold the number ("value cannot be converted to
// type int8_t without overflow").
OY_API OY_MUST_USE oy_status oy_tensor_set(oy_tensor* tensor, oy_ints index,
                                           oy_scalar scalar);
// As PyTorch prints it: "tensor([1., 2.], requires_grad=True)". Freed with
// oy_text_free.
OY_API OY_MUST_USE oy_status oy_tensor_print(const oy_tensor* tensor, char** out_text);

// -------------------------------------------------------------------- views

// Geometry only: no history and no dispatch; operators of the same names are
// what programs call. They share the storage and its version.
OY_API oy_tensor* oy_tensor_as_strided(const oy_tensor* tensor, oy_ints sizes,
                                       oy_ints strides, int64_t offset);
OY_API oy_tensor* oy_tensor_view(const oy_tensor* tensor, oy_ints sizes);
OY_API oy_tensor* oy_tensor_expand(const oy_tensor* tensor, oy_ints sizes);
OY_API oy_tensor* oy_tensor_transpose(const oy_tensor* tensor, int64_t dim0,
                                      int64_t dim1);

// ---------------------------------------------------------------- in place

// Another shape, contiguous; the storage grows if it must and never shrinks, and
// elements that were there stay in their order. FAILED_PRECONDITION if it would have to
// grow and is memory of somebody else.
OY_API OY_MUST_USE oy_status oy_tensor_resize(oy_tensor* tensor, oy_ints sizes);
OY_API size_t oy_tensor_storage_nbytes(const oy_tensor* tensor);
// PyTorch's set_: |tensor| becomes a view of the storage of |source|, which grows if the
// shape needs more. Its version goes on counting by itself.
OY_API OY_MUST_USE oy_status oy_tensor_set_source(oy_tensor* tensor,
                                                  const oy_tensor* source, int64_t offset,
                                                  oy_ints sizes, oy_ints strides);
// PyTorch's .data: an alias that has a version of its own, so that writes to it are not
// noticed by what was recorded with |tensor|.
OY_API oy_tensor* oy_tensor_data_alias(const oy_tensor* tensor);
// PyTorch's x.data = y: storage, shape, dtype and device of |data|; history and version
// stay. TYPE_MISMATCH for another kind of tensor (sparse, without storage).
OY_API OY_MUST_USE oy_status oy_tensor_set_data(oy_tensor* tensor, const oy_tensor* data);

// ---------------------------------------------------------- weak references

typedef struct oy_weak oy_weak;
// Does not keep |tensor|. A new reference to be given to oy_weak_release; NULL on
// failure. Any thread may take, lock and release weak references.
OY_API oy_weak* oy_tensor_weak(oy_tensor* tensor);
// A new reference to the tensor, NULL if it is gone (no error is set).
OY_API oy_tensor* oy_weak_lock(oy_weak* weak);
// Takes NULL.
OY_API void oy_weak_release(oy_weak* weak);

// ------------------------------------------------------------------- dtypes

OY_API bool oy_dtype_is_floating(oy_dtype dtype);
OY_API bool oy_dtype_is_complex(oy_dtype dtype);
OY_API bool oy_dtype_is_integral(oy_dtype dtype, bool include_bool);
OY_API bool oy_dtype_is_quantized(oy_dtype dtype);
// "Float", as error messages name it. "Undefined" for OY_DTYPE_ANY.
OY_API const char* oy_dtype_pytorch_name(oy_dtype dtype);
// The dtype that both go to (reference, 8.7). OY_DTYPE_ANY stands for
// Undefined. TYPE_MISMATCH for quantized, float8 and unsigned types.
OY_API OY_MUST_USE oy_status oy_dtype_promote(oy_dtype a, oy_dtype b,
                                              oy_dtype* out_dtype);
// The dtype of a computation over |tensors| (8.8): tensors with dimensions come
// first, then 0-d ones, then numbers. &oy_none_object is skipped.
OY_API OY_MUST_USE oy_status oy_result_type(oy_tensor* const* tensors, size_t count,
                                            oy_dtype* out_dtype);
// Whether a result of |from| may be stored as |to|.
OY_API bool oy_dtype_can_cast(oy_dtype from, oy_dtype to);
// float32; what factories and integer division use.
OY_API oy_dtype oy_dtype_default(void);

// What PyTorch says as a warning ("An output with one or more elements was resized
// ...") goes to |handler|; NULL, as in the beginning, drops it. Set it before other
// threads call operators.
typedef void (*oy_warning_handler)(void* user_data, const char* message);
OY_API void oy_warning_handler_set(oy_warning_handler handler, void* user_data);

OY_END_DECLS

#endif  // OPYARD_TENSOR_H_
