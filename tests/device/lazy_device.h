// SPDX-License-Identifier: Apache-2.0
// A device that does nothing until it has to: work stays on its stream until somebody waits
// for that, and memory is NaN before it is written. So what should have been waited for and
// was not is seen, every time. Kernels of float: mul, add, add_.
#ifndef OPYARD_TESTS_DEVICE_LAZY_DEVICE_H_
#define OPYARD_TESTS_DEVICE_LAZY_DEVICE_H_

#include "opyard/opyard.h"

// Adds the backend |name|, of two devices. One at a time.
oy_status lazy_device_open(const char* name, oy_backend* out_backend);
// Takes its kernels and devices back. No memory of it is in use.
oy_status lazy_device_close(void);

// On which streams |mul| was called since the last time this was asked, oldest first.
size_t lazy_device_muls(uint64_t* streams, size_t room);
// How often memory was said to be used on another stream.
int lazy_device_recorded(void);

#endif  // OPYARD_TESTS_DEVICE_LAZY_DEVICE_H_
