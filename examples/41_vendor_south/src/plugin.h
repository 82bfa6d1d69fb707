// SPDX-License-Identifier: Apache-2.0
// What the three files of the plugin south share.
#ifndef SOUTH_PLUGIN_H_
#define SOUTH_PLUGIN_H_

#include <opyard/opyard.h>

enum { SOUTH_DEVICES = 2 };

// The hooks of the device; src/device.c.
const oy_device_hooks* south_hooks(void);
// Registers the kernels at |key|; src/kernels.c.
oy_status south_kernels(oy_library* library, oy_key key);

// Where the bytes under |tensor| are for who plays the device: its first element. The host
// gets at them by copies alone.
void* south_memory(const oy_tensor* tensor);

#endif  // SOUTH_PLUGIN_H_
