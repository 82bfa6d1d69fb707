// SPDX-License-Identifier: Apache-2.0
// Mixed precision by region (torch.autocast). Inside one, listed operators cast their
// arguments before they run: products of matrices to a lower precision, what loses too
// much there to float32, and some to the widest dtype among their arguments. All others,
// in-place and out= forms among them, run as they are (reference, section 6.2).
//
//   oy_autocast_guard guard;
//   OY_TRY(oy_autocast_enter(OY_BACKEND_CPU, OY_DTYPE_ANY, true, &guard));
//   oy_tensor* y = oy_mm(x, w);  // bfloat16, of float32 arguments
//   oy_autocast_leave(&guard);
//
// Only floating point tensors of the region's kind of device are cast, and float64 never.
// Casts are recorded: gradients of float32 leaves are float32. Everything here concerns
// the calling thread only.
#ifndef OPYARD_AUTOCAST_H_
#define OPYARD_AUTOCAST_H_

#include "opyard/tensor.h"

OY_BEGIN_DECLS

// Backends that have an Autocast key: CPU, XPU, IPU, HPU, XLA, MPS, CUDA, PrivateUse1.
// opyard has lists for the CPU and CUDA; kernels that a program registers for another
// key, such as AutocastPrivateUse1, are reached in regions of that backend.
enum { OY_AUTOCAST_BACKENDS = 8 };

// What a thread has set. In a new thread no backend is enabled, the lower precision is
// bfloat16 on the CPU, HPU and XLA and float16 elsewhere, and casts are kept. Where only
// the key sets go along (oy_dispatch_state), |enabled| does, and the rest does not.
typedef struct oy_autocast_state {
  oy_dtype dtypes[OY_AUTOCAST_BACKENDS];  // by key, from AutocastCPU on
  uint8_t enabled;                        // bit i: the backend of dtypes[i]
  bool cache;
} oy_autocast_state;

// ---------------------------------------------------------------------- regions

// Lives in the caller's frame and is left by the thread that entered, in reverse order,
// also on the way out of a failed call. Zero, or after an enter that failed: leaving it
// does nothing.
typedef struct oy_autocast_guard {
  oy_autocast_state before;
  uint8_t backends;  // which of them leaving restores
  bool entered;
} oy_autocast_guard;

// Begins a region, with lower precision |dtype|, or the one in force if it is
// OY_DTYPE_ANY. Without |enabled| calls run uncast inside, within an outer region too.
// FAILED_PRECONDITION: "User specified an unsupported autocast device_type 'meta'" for a
// backend without Autocast key. INVALID_ARGUMENT if |dtype| is not floating point; but on
// the CPU any dtype other than bfloat16 and float16 only warns (oy_warning_handler_set),
// and the region is not enabled.
OY_API OY_MUST_USE oy_status oy_autocast_enter(oy_backend backend, oy_dtype dtype,
                                               bool enabled,
                                               oy_autocast_guard* out_guard);
// Begins a region with all of |state|, as oy_autocast_state_get gave it here or in another
// thread: for work that is done elsewhere, or later. Without a guard there is no region.
OY_API void oy_autocast_enter_state(oy_autocast_state state,
                                    oy_autocast_guard* out_guard);
// Restores what the region changed; at the end of the outermost one the casts that were
// kept are given up. Takes NULL.
OY_API void oy_autocast_leave(const oy_autocast_guard* guard);

// -------------------------------------------------------------- what is in force

OY_API oy_autocast_state oy_autocast_state_get(void);
// Enabled is: the Autocast key is not in the thread's exclude set (state.h). False for a
// backend without such a key.
OY_API bool oy_autocast_enabled_get(oy_backend backend);
// The lower precision; OY_DTYPE_ANY for a backend without Autocast key.
OY_API oy_dtype oy_autocast_dtype_get(oy_backend backend);
// Raw setters, without a region: FAILED_PRECONDITION for a backend without Autocast key,
// INVALID_ARGUMENT for a dtype that is not floating point.
OY_API OY_MUST_USE oy_status oy_autocast_enabled_set(oy_backend backend, bool enabled);
OY_API OY_MUST_USE oy_status oy_autocast_dtype_set(oy_backend backend, oy_dtype dtype);

// -------------------------------------------------------------------- kept casts

// The cast of a float32 leaf that requires a gradient, and is no view, to the lower
// precision is made once in a region, also where grad mode is off, and made again when the
// leaf was written to. The thread holds these casts, with their history, and so the leaves.
// A region may turn that off; leaving it restores what was before.
OY_API bool oy_autocast_cache_get(void);
OY_API void oy_autocast_cache_set(bool on);
// Gives up all casts that this thread holds, inside a region too.
OY_API void oy_autocast_cache_clear(void);

OY_END_DECLS

#endif  // OPYARD_AUTOCAST_H_
