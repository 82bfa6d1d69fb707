// SPDX-License-Identifier: Apache-2.0
// A thread's include and exclude sets, and guards that change them for a while.
// Effective set of a call: ((arguments | included) - excluded) & mask; exclusion
// wins, and only functionalities can be excluded (PyTorch reference, 5.2).
// Everything here concerns the calling thread only.
#ifndef OPYARD_STATE_H_
#define OPYARD_STATE_H_

#include "opyard/inline.h"
#include "opyard/threads.h"

OY_BEGIN_DECLS

OY_API oy_keyset oy_included_get(void);
OY_API oy_keyset oy_excluded_get(void);
OY_API bool oy_included_has(oy_key key);
OY_API bool oy_excluded_has(oy_key key);
// Raw setters. INVALID_ARGUMENT for alias keys.
OY_API oy_status oy_included_set(oy_key key, bool on);
OY_API oy_status oy_excluded_set(oy_key key, bool on);

// A copy of a thread's sets that can be carried to another thread. Stored XOR
// the defaults, so that all zero is the state of a new thread.
typedef struct oy_dispatch_state {
  oy_keyset included_xor;
  oy_keyset excluded_xor;
} oy_dispatch_state;
OY_API oy_dispatch_state oy_dispatch_state_get(void);
OY_API void oy_dispatch_state_set(oy_dispatch_state state);

// As oy_parallel_for, with the caller's sets in force wherever |fn| runs.
OY_API OY_MUST_USE oy_status oy_parallel_for_with_state(int64_t begin, int64_t end,
                                                        int64_t grain, oy_range_fn fn,
                                                        void* context);

// A guard lives in the caller's frame and is ended by the thread that began it,
// in reverse order of beginning; also on the way out of a failed call.
typedef struct oy_guard {
  oy_keyset include;  // what this guard added, or the whole set to restore
  oy_keyset exclude;
  bool restore;
} oy_guard;

// Adds what is not there yet; the end removes exactly that.
OY_API oy_guard oy_guard_include(oy_keyset keys);
OY_API oy_guard oy_guard_exclude(oy_keyset keys);
// Snapshots both sets and sets them; the end restores the snapshot.
OY_API oy_guard oy_guard_force(oy_keyset included, oy_keyset excluded);
// Snapshots only.
OY_API oy_guard oy_guard_preserve(void);
// Excludes functionalities that are given as bits: the autograd keys, these and
// ADInplaceOrView, Functionalize.
OY_API oy_guard oy_guard_exclude_functionalities(uint64_t keys);
OY_API oy_guard oy_guard_below_autograd(void);
OY_API oy_guard oy_guard_below_adinplaceorview(void);
OY_API oy_guard oy_guard_skip_functionalize(void);
OY_API void oy_guard_end(const oy_guard* guard);
// Sets both sets: the end of a guard that restores. By value: a guard whose address
// is given away has to lie in memory.
OY_API void oy_guard_restore(oy_keyset included, oy_keyset excluded);

// Layers begin and end these around every call they make: bits, and nothing else.
// The library exports functions of the same names.
#ifndef OY_GUARD_INLINE
#define OY_GUARD_INLINE extern inline __attribute__((gnu_inline, always_inline))
#endif
OY_GUARD_INLINE oy_guard oy_guard_exclude_functionalities(uint64_t keys) {
  oy_guard guard = {{0, 0}, {keys & oy_tls.keep, 0}, false};
  oy_tls.keep &= ~keys;
  return guard;
}
#define OY_AUTOGRAD_BITS_                                                \
  (1ull << OY_KEY_AutogradOther | 1ull << OY_KEY_AutogradFunctionality | \
   1ull << OY_KEY_AutogradNestedTensor)
OY_GUARD_INLINE oy_guard oy_guard_below_autograd(void) {
  return oy_guard_exclude_functionalities(OY_AUTOGRAD_BITS_);
}
OY_GUARD_INLINE oy_guard oy_guard_below_adinplaceorview(void) {
  return oy_guard_exclude_functionalities(OY_AUTOGRAD_BITS_ |
                                          1ull << OY_KEY_ADInplaceOrView);
}
OY_GUARD_INLINE oy_guard oy_guard_skip_functionalize(void) {
  return oy_guard_exclude_functionalities(1ull << OY_KEY_Functionalize);
}
OY_GUARD_INLINE void oy_guard_end(const oy_guard* guard) {
  if (guard->restore) {
    oy_guard_restore(guard->include, guard->exclude);
    return;
  }
  oy_tls.included.functionality &= ~guard->include.functionality;
  oy_tls.included.backends &= ~guard->include.backends;
  oy_tls.keep |= guard->exclude.functionality;
  oy_tls.excluded_backends &= ~guard->exclude.backends;
}

// --------------------------------------------------------------- temporaries

// While a scope is open, every new object that an operator call made directly
// by this thread (not inside a kernel) returns belongs to the scope and goes
// with it, so that nested expressions need no clean-up:
//
//   oy_scope scope;
//   oy_scope_open(&scope);
//   oy_object* y = oy_keep(oy_sum(oy_mul(oy_add(x, w, oy_int(1)), x)));
//   oy_scope_close(&scope);
//
// Scopes nest. A scope is closed by the thread that opened it.
enum { OY_SCOPE_INLINE = 14 };
typedef struct oy_scope {
  struct oy_scope* outer;
  oy_object** objects;
  size_t size;
  size_t capacity;
  uint64_t idle;  // the thread's idle mark before
  oy_object* storage[OY_SCOPE_INLINE];
} oy_scope;
OY_API void oy_scope_open(oy_scope* scope);
OY_API void oy_scope_close(oy_scope* scope);
// A reference of the caller's own, which survives the scope. Takes NULL.
OY_API oy_object* oy_keep(oy_object* object);

// -------------------------------------------------------------------- trace

// One line per dispatch of this thread, before the kernel runs (section 7.1):
//   " [call] op=[aten::add.Tensor], key=[AutogradCPU]"
// Works in release builds and costs nothing while off. A new thread starts with
// what OPYARD_SHOW_DISPATCH_TRACE says (0 or 1; TORCH_SHOW_DISPATCH_TRACE is
// read if that is not set); other values are ignored with a note to stderr.
OY_API void oy_trace_set(bool on);
OY_API bool oy_trace_get(void);
// Where lines go, without the newline; NULL restores stderr. Process-wide; set
// it before threads trace.
typedef void (*oy_trace_sink)(void* user_data, const char* line);
OY_API void oy_trace_set_sink(oy_trace_sink sink, void* user_data);

OY_END_DECLS

#endif  // OPYARD_STATE_H_
