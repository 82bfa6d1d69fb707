// SPDX-License-Identifier: Apache-2.0
// Fake tensors (reference, 6.6): tensors of Meta's keys that name another device and have a
// handler, which hangs on them with their mode. It runs calls on plain Meta aliases of them.
// They also have the Fake key, right above Python, so that no call gets to a kernel with them
// when handlers are off: there is no data for it.
#ifndef OPYARD_SRC_LAYERS_MODES_FAKE_H_
#define OPYARD_SRC_LAYERS_MODES_FAKE_H_

#include "layers/modes/modes.h"
#include "opyard/fake.h"

struct oy_fake_mode {
  oyi_handled handled;  // first; its references are the mode's
  oyi_own_mode own;
  oy_fake_options options;
};

// The handler of fake tensors, and of modes that are entered.
oy_status oyi_fake_handle(oy_handler_call* call);

// The fallback of the Fake key.
oy_status oyi_fake_fallback(const oy_op* op, oy_keyset keys, oy_stack* stack,
                            const oy_kernel* kernel);

// Makes a tensor of Meta, which must be the caller's alone, a fake one on |device|.
oy_status oyi_fake_mark(oy_fake_mode* mode, oyi_tensor* t, oy_device device);
// Tells of a tensor of Meta that has a handler, and is the caller's alone, that it is on
// |device|; and keeps it from kernels.
void oyi_no_data_mark(oyi_tensor* t, oy_device device);
// A plain Meta tensor on the same storage, or of the same shape if |t| is real.
oyi_tensor* oyi_fake_plain(const oyi_tensor* t);
bool oyi_is_fake(const oy_object* o);

// The fallback of the Meta key, and whether an operator has anything else there.
oy_status oyi_meta_fallback(const oy_op* op, oy_keyset keys, oy_stack* stack,
                            const oy_kernel* kernel);
bool oyi_has_meta_kernel(const oy_op* op);

// ------------------------------------------------- what is known of operators

// Sets the error |exception|, as PyTorch calls it, for |op|.
oy_status oyi_fake_refuse(const char* exception, const oy_op* op);
// Sets the error if the result of the call depends on data.
oy_status oyi_fake_check_data(const oy_op* op, const oy_schema* schema,
                              const oy_value* arguments);
// Whether the operator makes fake tensors of real ones, constants of a program.
bool oyi_fake_is_lift(const oy_schema* schema);
// Whether tensors of several devices may meet: the first one's is the result's then.
bool oyi_fake_any_device(const oy_schema* schema);
// The device that the tensors among the arguments share, in *device, if there are any.
oy_status oyi_fake_common_device(const oy_op* op, const oy_schema* schema,
                                 const oy_value* arguments, oy_device* device);

#endif  // OPYARD_SRC_LAYERS_MODES_FAKE_H_
