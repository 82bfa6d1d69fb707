// SPDX-License-Identifier: Apache-2.0
#ifndef OPYARD_TESTS_DISPATCH_SHARED_LIBRARY_PLUGIN_H_
#define OPYARD_TESTS_DISPATCH_SHARED_LIBRARY_PLUGIN_H_

#include "opyard/library.h"

oy_status oy_load_plug(void);
oy_status oy_load_plug_CPU_m(void);

#endif  // OPYARD_TESTS_DISPATCH_SHARED_LIBRARY_PLUGIN_H_
