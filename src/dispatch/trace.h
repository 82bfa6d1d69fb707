// SPDX-License-Identifier: Apache-2.0
// Records in the slots of the two trace keys of every table.
#ifndef OPYARD_SRC_DISPATCH_TRACE_H_
#define OPYARD_SRC_DISPATCH_TRACE_H_

#include "opyard/inline.h"

extern const oy_kernel oyi_trace_kernel;
extern const oy_kernel oyi_trace_redispatch_kernel;

#endif  // OPYARD_SRC_DISPATCH_TRACE_H_
