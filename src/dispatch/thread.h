// SPDX-License-Identifier: Apache-2.0
// What a thread gets at its first call.
#ifndef OPYARD_SRC_DISPATCH_THREAD_H_
#define OPYARD_SRC_DISPATCH_THREAD_H_

#include "opyard/state.h"

#define OYI_INCLUDED_BY_DEFAULT \
  (1ull << OY_KEY_BackendSelect | 1ull << OY_KEY_ADInplaceOrView)
// What |oy_tls.included| begins with (trace.c).
#define OYI_INCLUDED_AT_FIRST (OYI_INCLUDED_BY_DEFAULT | 1ull << OY_KEY_TraceRedispatch)

void oyi_thread_state_init(void);  // the trace as the environment wants it

#endif  // OPYARD_SRC_DISPATCH_THREAD_H_
