// SPDX-License-Identifier: Apache-2.0
// Devices other than the CPU: giving a backend its hooks (abi.h), the current device, and
// what kernels of a backend ask of tensors that lie there.
//
//   oy_device_hooks hooks = {.struct_size = sizeof(hooks), .count = count, ...};
//   OY_TRY(oy_device_hooks_set(backend, &hooks));
//
// A backend with hooks has, without a kernel of its own: empty, empty_strided, views,
// resize_, set_, copy_ (to, from and between devices, strided and converting), fill_,
// zero_, item; so also zeros, to, clone, contiguous, printing. Kernels that it registers
// are taken instead of these.
#ifndef OPYARD_DEVICE_H_
#define OPYARD_DEVICE_H_

#include "opyard/abi.h"
#include "opyard/tensor.h"

OY_BEGIN_DECLS

// Gives |backend| the devices behind |hooks|, which is copied; NULL takes them back, with
// the kernels that came with them. Memory that was allocated with hooks is released with
// the same ones, whatever is set by then, so their code has to stay until there is none
// (oy_device_memory_count).
// INVALID_ARGUMENT if there is no such backend, it is the CPU or Meta, or the struct is
// not sound; nothing is changed then. Thread-safe; calls in flight go on with what they
// found.
OY_API OY_MUST_USE oy_status oy_device_hooks_set(oy_backend backend,
                                                 const oy_device_hooks* hooks);
// Whether the backend has hooks. True for the CPU and Meta.
OY_API bool oy_device_is_available(oy_backend backend);

// Number of devices; 1 for the CPU and Meta, 0 without hooks.
OY_API OY_MUST_USE oy_status oy_device_count(oy_backend backend, int16_t* out_count);
// The device that an index of -1 stands for: the current one of the thread, 0 where the
// backend has one device alone. The CPU and Meta stay as they are.
OY_API OY_MUST_USE oy_status oy_device_resolve(oy_device* device);
// Waits for all work of the device. Nothing for the CPU and Meta.
OY_API OY_MUST_USE oy_status oy_device_synchronize(oy_device device);
// NOT_IMPLEMENTED if the backend does not say.
OY_API OY_MUST_USE oy_status oy_device_get_properties(oy_device device,
                                                      oy_device_properties* out);
// Memory that a device holds for later goes back to the system.
OY_API void oy_device_trim(oy_device device);

// Blocks and bytes of |backend| that storages hold, under any hooks that it had.
typedef struct oy_device_memory {
  uint64_t blocks, bytes;
} oy_device_memory;
OY_API oy_device_memory oy_device_memory_count(oy_backend backend);

// ------------------------------------------------------------------------ guards

// Lives on the stack between enter and leave, on one thread.
typedef struct oy_device_guard {
  int16_t backend;
  int16_t before;
  bool entered;  // there is something to put back
} oy_device_guard;

// Makes |device| current; an index of -1 leaves the current one, and the CPU and Meta
// need nothing. FAILED_PRECONDITION for a backend without hooks; *out_guard can be left
// all the same.
OY_API OY_MUST_USE oy_status oy_device_guard_enter(oy_device device,
                                                   oy_device_guard* out_guard);
// Puts back what was current. A second time it does nothing.
OY_API oy_status oy_device_guard_leave(oy_device_guard* guard);

// -------------------------------------------------------------- memory of tensors

// For kernels. The block under |tensor| as |allocate| gave it (NULL without memory), the
// context of the block (NULL for memory of somebody else), the |state| of the hooks that
// allocated it, by which a plugin knows its own, and the bytes from the start of the block
// to the first element. All 0, with the error set, for what is no tensor.
OY_API void* oy_tensor_storage_data(const oy_tensor* tensor);
OY_API void* oy_tensor_storage_context(const oy_tensor* tensor);
OY_API void* oy_tensor_storage_state(const oy_tensor* tensor);
OY_API size_t oy_tensor_byte_offset(const oy_tensor* tensor);

// Uninitialised with these strides, in elements, for any device that has memory. As
// oy_tensor_empty otherwise.
OY_API oy_tensor* oy_tensor_empty_strided(oy_ints sizes, oy_ints strides, oy_dtype dtype,
                                          oy_device device);
// A new tensor on |device| with the elements of |tensor| as |dtype| (OY_DTYPE_ANY: its
// own), contiguous. Complete when it returns. Works without any kernel.
OY_API oy_tensor* oy_tensor_copy_to(const oy_tensor* tensor, oy_dtype dtype,
                                    oy_device device);
// All elements of |source|, broadcast and converted, into |tensor|, through the host where
// devices or layouts differ. What the generic copy_ does.
OY_API OY_MUST_USE oy_status oy_tensor_copy_from(oy_tensor* tensor,
                                                 const oy_tensor* source,
                                                 bool non_blocking);

OY_END_DECLS

#endif  // OPYARD_DEVICE_H_
