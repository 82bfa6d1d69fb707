// SPDX-License-Identifier: Apache-2.0
// Generic kernels of devices with hooks.
#ifndef OPYARD_SRC_BACKENDS_DEVICE_DEVICE_H_
#define OPYARD_SRC_BACKENDS_DEVICE_DEVICE_H_

#include "ops/kernel.h"
#include "ops/library.h"

#define OYI_DEVICE(id) OYI_TYPED_KERNEL(id, oy_device_##id)

// All of them.
#define OYI_DEVICE_KERNELS(X) \
  X(empty_memory_format)      \
  X(empty_strided)            \
  X(copy_)                    \
  X(fill__Scalar)             \
  X(fill__Tensor)             \
  X(zero_)                    \
  X(_local_scalar_dense)
#define OYI_DEVICE_DECLARE(id) OYI_DEVICE(id);
OYI_DEVICE_KERNELS(OYI_DEVICE_DECLARE)
#undef OYI_DEVICE_DECLARE

// What any kernel of a plugin has: it is taken instead of these.
enum { OYI_PRIORITY_GENERIC = -16384 };

// Registers, for every backend that has hooks or gets them, the kernels of this folder
// and what |more| registers (may be NULL): kernels that compute no element, which
// backends share.
oy_status oyi_device_kernels_start(oy_registry* registry,
                                   oy_status (*more)(oy_library* library, oy_key key));
// Withdraws them all.
void oyi_device_kernels_stop(void);

#endif  // OPYARD_SRC_BACKENDS_DEVICE_DEVICE_H_
