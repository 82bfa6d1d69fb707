// SPDX-License-Identifier: Apache-2.0
// Libraries by macro in a file without constructors: the functions to call by
// name, and what makes them fail.
#ifndef OPYARD_TESTS_DISPATCH_LIBRARY_BLOCKS_H_
#define OPYARD_TESTS_DISPATCH_LIBRARY_BLOCKS_H_

#include "opyard/library.h"

oy_status oy_load_explicit(void);              // OY_LIBRARY(explicit, m)
oy_status oy_load_explicit_more(void);         // a FRAGMENT
oy_status oy_load_explicit_CPU_kernels(void);  // an IMPL
oy_status oy_load_fragile_half(void);          // fails while |g_blocks_fail|
oy_status oy_load_selected(void);              // a selective build
extern bool g_blocks_fail;

#endif  // OPYARD_TESTS_DISPATCH_LIBRARY_BLOCKS_H_
