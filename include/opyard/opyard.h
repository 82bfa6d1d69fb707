// SPDX-License-Identifier: Apache-2.0
// All of opyard. Ownership in five sentences:
//
// A new object (from *_create, *_copy, an operator, an |out_| pointer) is one
// reference of the caller's, and what *_get, *_of and in-place operators give is
// borrowed. Arguments are borrowed for the call; who keeps one retains it. What
// is given up with *_release, *_free or *_close may be NULL. Views (oy_str,
// oy_ints) never own and live as long as what they look at. Every failure is a
// NULL or a status, with the reason in the thread's oy_error_get().
#ifndef OPYARD_OPYARD_H_
#define OPYARD_OPYARD_H_

#include "opyard/abi.h"
#include "opyard/allocator.h"
#include "opyard/autocast.h"
#include "opyard/autograd.h"
#include "opyard/base.h"
#include "opyard/checkpoint.h"
#include "opyard/defaults.h"
#include "opyard/device.h"
#include "opyard/dispatcher.h"
#include "opyard/dlpack.h"
#include "opyard/fake.h"
#include "opyard/fallback.h"
#include "opyard/files.h"
#include "opyard/forward.h"
#include "opyard/function.h"
#include "opyard/functionalize.h"
#include "opyard/generator.h"
#include "opyard/gradcheck.h"
#include "opyard/graph.h"
#include "opyard/inline.h"
#include "opyard/key.h"
#include "opyard/library.h"
#include "opyard/memory.h"
#include "opyard/mode.h"
#include "opyard/object.h"
#include "opyard/observe.h"
#include "opyard/ops.h"
#include "opyard/optim.h"
#include "opyard/plugin.h"
#include "opyard/profiler.h"
#include "opyard/saved_hooks.h"
#include "opyard/schema.h"
#include "opyard/state.h"
#include "opyard/status.h"
#include "opyard/stream.h"
#include "opyard/tensor.h"
#include "opyard/threads.h"
#include "opyard/value.h"
#include "opyard/vmap.h"

OY_BEGIN_DECLS

// Registers the operators, the CPU and Meta backends, autograd and autocast in the default
// registry, once: later calls give the result of the first one that succeeded.
// Nothing else does it, so call it before using operators. Thread-safe.
OY_API OY_MUST_USE oy_status oy_init(void);

// Closes what oy_init opened, for tests and leak checkers: no operator call may
// be in flight, and typed calls fail until oy_init runs again.
OY_API void oy_shutdown(void);

OY_END_DECLS

#endif  // OPYARD_OPYARD_H_
