// SPDX-License-Identifier: Apache-2.0
// Fake tensors: sizes, strides, dtype and any device, but no data (PyTorch's FakeTensor). A
// program runs with them as it would on the devices that they name, which need not be there.
// Operators compute shapes through their Meta kernels, and the result is on the device that
// it would be on: that which is asked for, else the one that the arguments share; CPU tensors
// without dimensions go with any device.
//
// What needs data is refused: item, nonzero, masked_select, unique.
#ifndef OPYARD_FAKE_H_
#define OPYARD_FAKE_H_

#include "opyard/tensor.h"

OY_BEGIN_DECLS

// What fake tensors belong to; those of two modes do not mix.
typedef struct oy_fake_mode oy_fake_mode;

typedef struct oy_fake_options {
  bool allow_non_fake_inputs;  // take real tensors that are only read for fake ones
} oy_fake_options;

// One reference of the caller's; every fake tensor has one, too. |options| may be NULL.
OY_API OY_MUST_USE oy_status oy_fake_mode_create(const oy_fake_options* options,
                                                 oy_fake_mode** out_mode);
// Takes NULL.
OY_API void oy_fake_mode_release(oy_fake_mode* mode);

// While it is entered, what operators make in this thread is fake. Fake tensors need no mode
// that is entered. It lies below the modes of opyard/mode.h, whichever came first, and one
// that is entered inside another takes its place.
typedef struct oy_fake_guard {
  const void* before;
} oy_fake_guard;
OY_API oy_fake_guard oy_fake_mode_enter(oy_fake_mode* mode);
// In reverse order of entering.
OY_API void oy_fake_mode_leave(const oy_fake_guard* guard);

// A contiguous fake tensor. Index -1 stands for device 0 of backends that count theirs.
OY_API oy_tensor* oy_fake_empty(oy_fake_mode* mode, oy_ints sizes, oy_dtype dtype,
                                oy_device device);
// With sizes, strides, dtype and device of |tensor|, and a leaf that requires a gradient
// if it does. |tensor| itself if it is fake already. INVALID_ARGUMENT for fake tensors of
// another mode.
OY_API oy_tensor* oy_fake_from(oy_fake_mode* mode, oy_tensor* tensor);
// The mode of a fake tensor, borrowed; NULL for any other object.
OY_API oy_fake_mode* oy_fake_mode_of(const oy_tensor* tensor);

OY_END_DECLS

#endif  // OPYARD_FAKE_H_
