// SPDX-License-Identifier: Apache-2.0
// Dispatch keys and key sets: PyTorch's keys by name and by order.
//
// A key set is two words: one bit per functionality, one bit per backend. So a
// set cannot tell {AutogradCUDA, CPU} from {AutogradCPU, CUDA}: both are the
// cross product (PyTorch reference, sections 1.1 to 1.5).
//
// All functions here are pure and thread-safe unless they say otherwise.
#ifndef OPYARD_KEY_H_
#define OPYARD_KEY_H_

#include "opyard/status.h"

OY_BEGIN_DECLS

// A key: a functionality (1..48), a runtime key of a per-backend functionality
// (functionality + (backend bit + 1) * 256), an alias key (32768 + index) or 0,
// Undefined. Numbers are stable within a major version; names are for storage.
typedef uint16_t oy_key;

// A backend component: the bit in oy_keyset.backends, 0..63.
typedef int oy_backend;
#define OY_BACKEND_NONE      (-1)
#define OY_BACKEND_COUNT_MAX 64

#define OY_KEY_OF(functionality, backend) ((functionality) | (((backend) + 1) << 8))
#define OY_KEY_ALIAS_BIT                  0x8000

enum oy_key_values {
  OY_KEY_Undefined = 0,
#define OY_FUNCTIONALITY(name, value, prefix) OY_KEY_##name = value,
#include "opyard/keys.def"
#undef OY_FUNCTIONALITY
  // Not PyTorch's: calls of a traced thread pass through these two. They never
  // print and are part of every FULL_AFTER set, so that redispatch is traced.
  OY_KEY_Trace = 48,
  OY_KEY_TraceRedispatch = 47,
  OY_FUNCTIONALITY_COUNT = 49,
#define OY_BACKEND(name, bit, autograd)                            \
  OY_KEY_##name = OY_KEY_OF(OY_KEY_Dense, bit),                    \
  OY_KEY_Quantized##name = OY_KEY_OF(OY_KEY_Quantized, bit),       \
  OY_KEY_Sparse##name = OY_KEY_OF(OY_KEY_Sparse, bit),             \
  OY_KEY_SparseCsr##name = OY_KEY_OF(OY_KEY_SparseCsr, bit),       \
  OY_KEY_NestedTensor##name = OY_KEY_OF(OY_KEY_NestedTensor, bit), \
  OY_KEY_Autograd##name = OY_KEY_OF(OY_KEY_AutogradFunctionality, bit),
#include "opyard/keys.def"
#undef OY_BACKEND
#define OY_ALIAS_KEY(name, index) OY_KEY_##name = OY_KEY_ALIAS_BIT | index,
#include "opyard/keys.def"
#undef OY_ALIAS_KEY
  // Names that PyTorch keeps for compatibility.
  OY_KEY_CatchAll = OY_KEY_CompositeImplicitAutograd,
  OY_KEY_DefaultBackend = OY_KEY_CompositeExplicitAutograd,
  OY_KEY_Autocast = OY_KEY_AutocastCUDA
};

enum oy_backend_values {
#define OY_BACKEND(name, bit, autograd) OY_BACKEND_##name = bit,
#include "opyard/keys.def"
#undef OY_BACKEND
};

enum { OY_ALIAS_KEY_COUNT = 6 };

// Functionalities that own one slot per backend.
#define OY_PER_BACKEND_MASK                                                  \
  (1ull << OY_KEY_Dense | 1ull << OY_KEY_Quantized | 1ull << OY_KEY_Sparse | \
   1ull << OY_KEY_SparseCsr | 1ull << OY_KEY_NestedTensor |                  \
   1ull << OY_KEY_AutogradFunctionality)

typedef struct oy_keyset {
  uint64_t functionality;  // bit k is the functionality with value k
  uint64_t backends;       // bit b is the backend b
} oy_keyset;

// ------------------------------------------------------------------- one key

static inline bool oy_key_is_alias(oy_key key) {
  return (key & OY_KEY_ALIAS_BIT) != 0;
}
// Undefined for an alias key.
static inline oy_key oy_key_functionality(oy_key key) {
  return oy_key_is_alias(key) ? (oy_key)OY_KEY_Undefined : (oy_key)(key & 0xff);
}
// OY_BACKEND_NONE for keys that are not of one backend.
static inline oy_backend oy_key_backend(oy_key key) {
  return oy_key_is_alias(key) ? OY_BACKEND_NONE : (key >> 8) - 1;
}
// Has a slot in every table: Undefined, single functionalities, per-backend
// runtime keys; not alias keys, nor a bare per-backend functionality.
OY_API bool oy_key_is_runtime(oy_key key);

// "CPU", "AutogradCUDA", "CompositeImplicitAutograd", "Dense", "Undefined";
// names of backends added at run time included. Valid for the process.
// "Unknown" for a number that is no key. Takes no lock.
OY_API const char* oy_key_name(oy_key key);
// Reads every name that oy_key_name gives, and PyTorch's synonyms (CatchAll,
// DefaultBackend, Math, CPUTensorId, ...).
// PARSE, "could not parse dispatch key: <text>", with the nearest name.
OY_API OY_MUST_USE oy_status oy_key_parse(oy_str text, oy_key* out_key);
// All keys in enum order (Undefined, functionalities, runtime keys by
// functionality, alias keys): i = 0, 1, ... until it returns false. The Trace
// keys are left out. A backend added meanwhile moves the places of later keys.
OY_API bool oy_key_at(size_t i, oy_key* out_key);

// ----------------------------------------------------------------- backends

// Finds or adds the backend |name| (an identifier). Names that PyTorch knows
// keep their bit. New ones take the next free bit below Meta; they own the six
// per-backend keys, so "Npu" gives keys Npu, AutogradNpu, SparseNpu, ...
// Every table grows by one block. EXHAUSTED after 49 new ones; INVALID_ARGUMENT
// if the name is no identifier, is longer than 40 characters, or would make two
// keys, or two devices, of one name. Also finds by the spelling of devices. If
// memory for the tables is short, no backend is added. Thread-safe; takes a lock.
OY_API OY_MUST_USE oy_status oy_backend_register(oy_str name, oy_backend* out_backend);
// Gives PrivateUse1, PrivateUse2 or PrivateUse3 another name, once: its keys, errors and
// devices have that from then on, and are found by the old names, too. The same name again
// is fine. Else PyTorch's errors: FAILED_PRECONDITION if it was renamed before,
// INVALID_ARGUMENT for a device of PyTorch's own ("cuda"), and as oy_backend_register.
// Thread-safe.
OY_API OY_MUST_USE oy_status oy_backend_rename(oy_backend backend, oy_str name);
// NULL if there is no such backend.
OY_API const char* oy_backend_name(oy_backend backend);
// By name, "CPU" or "cpu" (device spelling: lower case, and "privateuseone");
// false if there is none. Takes no lock.
OY_API bool oy_backend_find(oy_str name, oy_backend* out_backend);
// Bits of all known backends.
OY_API uint64_t oy_backend_all(void);
// Whether the backend has an Autograd key of its own (else AutogradOther).
OY_API bool oy_backend_has_autograd(oy_backend backend);

// ----------------------------------------------------------------- key sets

static inline oy_keyset oy_keyset_make(uint64_t functionality, uint64_t backends) {
  oy_keyset s;
  s.functionality = functionality;
  s.backends = backends;
  return s;
}
static inline oy_keyset oy_keyset_empty(void) {
  return oy_keyset_make(0, 0);
}
// Empty for Undefined and alias keys.
static inline oy_keyset oy_keyset_of(oy_key key) {
  oy_key f = oy_key_functionality(key);
  oy_backend b = oy_key_backend(key);
  return oy_keyset_make(f ? 1ull << f : 0, b >= 0 ? 1ull << b : 0);
}
static inline oy_keyset oy_keyset_of_backend(oy_backend b) {
  return oy_keyset_make(0, b >= 0 && b < 64 ? 1ull << b : 0);
}
static inline oy_keyset oy_keyset_or(oy_keyset a, oy_keyset b) {
  return oy_keyset_make(a.functionality | b.functionality, a.backends | b.backends);
}
static inline oy_keyset oy_keyset_and(oy_keyset a, oy_keyset b) {
  return oy_keyset_make(a.functionality & b.functionality, a.backends & b.backends);
}
static inline oy_keyset oy_keyset_xor(oy_keyset a, oy_keyset b) {
  return oy_keyset_make(a.functionality ^ b.functionality, a.backends ^ b.backends);
}
// Removes functionalities only; backend bits of |a| are never removed.
static inline oy_keyset oy_keyset_minus(oy_keyset a, oy_keyset b) {
  return oy_keyset_make(a.functionality & ~b.functionality, a.backends);
}
static inline bool oy_keyset_equal(oy_keyset a, oy_keyset b) {
  return a.functionality == b.functionality && a.backends == b.backends;
}
static inline bool oy_keyset_is_empty(oy_keyset a) {
  return (a.functionality | a.backends) == 0;
}
static inline oy_keyset oy_keyset_add(oy_keyset a, oy_key key) {
  return oy_keyset_or(a, oy_keyset_of(key));
}
static inline oy_keyset oy_keyset_remove(oy_keyset a, oy_key key) {
  return oy_keyset_minus(a, oy_keyset_of(key));
}
static inline oy_keyset oy_keyset_remove_backend(oy_keyset a, oy_backend b) {
  return oy_keyset_make(a.functionality, a.backends & ~oy_keyset_of_backend(b).backends);
}
// Every bit of the other is present; has(Undefined) is false.
static inline bool oy_keyset_has_all(oy_keyset a, oy_keyset b) {
  return oy_keyset_equal(oy_keyset_and(a, b), b);
}
static inline bool oy_keyset_has(oy_keyset a, oy_key key) {
  oy_keyset k = oy_keyset_of(key);
  return !oy_keyset_is_empty(k) && oy_keyset_has_all(a, k);
}
static inline bool oy_keyset_has_any(oy_keyset a, oy_keyset b) {
  return !oy_keyset_is_empty(oy_keyset_and(a, b));
}
static inline bool oy_keyset_has_backend(oy_keyset a, oy_backend b) {
  return oy_keyset_has_any(a, oy_keyset_of_backend(b));
}
static inline oy_key oy_keyset_highest_functionality(oy_keyset a) {
  return (oy_key)(63 - __builtin_clzll(a.functionality | 1));
}
static inline oy_backend oy_keyset_highest_backend(oy_keyset a) {
  return a.backends ? 63 - __builtin_clzll(a.backends) : OY_BACKEND_NONE;
}
// The runtime key: highest functionality, with the highest backend if it is
// per-backend. Without a backend bit that is the bare functionality.
OY_API oy_key oy_keyset_highest(oy_keyset a);
// The same among Dense, Quantized, Sparse and SparseCsr.
OY_API oy_key oy_keyset_highest_backend_key(oy_keyset a);

// All functionalities, the Trace keys too, and all backends that exist.
OY_API oy_keyset oy_keyset_full(void);
// Everything below |key|'s functionality, all backends, PythonDispatcher:
// what a layer masks its key set with before it redispatches.
static inline oy_keyset oy_keyset_full_after(oy_key key) {
  uint64_t below = ((1ull << oy_key_functionality(key)) - 1) & ~1ull;
  uint64_t always = 1ull << OY_KEY_PythonDispatcher | 1ull << OY_KEY_TraceRedispatch;
  return oy_keyset_make(below | always, ~0ull);
}

// Ascending runtime keys of a set: the functionalities in order, a per-backend
// one once for each backend bit. Undefined and bare backend bits yield nothing.
// So do backends that do not exist and the Trace keys. Start with *cursor = 0;
// false at the end.
OY_API bool oy_keyset_next(oy_keyset set, uint32_t* cursor, oy_key* out_key);
// "DispatchKeySet(CPU, AutogradCPU)", NUL-terminated into |buffer| and cut off
// at |size|; returns the whole length. A per-backend functionality without a
// backend bit prints by its own name.
OY_API size_t oy_keyset_print(oy_keyset set, char* buffer, size_t size);
// PyTorch's packed word (15 backend bits, functionalities above them), and
// back. Backends and keys that PyTorch lacks are dropped.
OY_API uint64_t oy_keyset_to_raw(oy_keyset set);
OY_API oy_keyset oy_keyset_from_raw(uint64_t raw);

// ---------------------------------------------- named sets (section 1.6, 1.7)

typedef enum oy_keyset_name {
  OY_KEYSET_AUTOGRAD,
  OY_KEYSET_AUTOGRAD_WITH_ADINPLACEORVIEW,
  OY_KEYSET_AUTOCAST,
  OY_KEYSET_DEFAULT_INCLUDED,
  OY_KEYSET_DEFAULT_EXCLUDED,
  OY_KEYSET_PYTHON,
  OY_KEYSET_AUTOGRADOTHER_BACKENDS,
  OY_KEYSET_BACKENDS,
  OY_KEYSET_NON_FUNCTIONAL_BACKENDS,
  OY_KEYSET_MATH,
  OY_KEYSET_NESTED,
  OY_KEYSET_AFTER_AUTOGRAD,
  OY_KEYSET_AFTER_ADINPLACEORVIEW,
  OY_KEYSET_AFTER_FUNCTIONALIZE,
  OY_KEYSET_FUNCTORCH_TRANSFORMS,
  OY_KEYSET_FUNCTORCH_BATCHED,
  OY_KEYSET_BACKEND_FUNCTIONALITIES
} oy_keyset_name;
OY_API oy_keyset oy_keyset_named(oy_keyset_name name);

// The runtime keys that an alias key stands for, as a set; a runtime key gives
// its own set. One function for membership and for refreshing tables.
OY_API oy_keyset oy_key_expand(oy_key key);
// Whether runtime key |key| gets the kernels of |alias|. Undefined is in none.
OY_API bool oy_key_in_alias(oy_key key, oy_key alias);
// AutogradCPU for CPU; AutogradOther for backends without a key of their own.
OY_API oy_key oy_key_autograd_of_backend(oy_backend backend);
// AutocastCPU for CPU; Undefined if the backend has none.
OY_API oy_key oy_key_autocast_of_backend(oy_backend backend);
// The keys whose kernels an autograd key guards: AutogradX gives {X}.
OY_API oy_keyset oy_key_backends_of_autograd(oy_key key);
// What autograd adds to a tensor of |backend|: ADInplaceOrView + Autograd<b>.
OY_API oy_keyset oy_keyset_autograd_related(oy_backend backend);
OY_API oy_keyset oy_keyset_autocast_related(oy_backend backend);
// isBackendDispatchKey of the reference, section 1.6.
OY_API bool oy_key_is_backend(oy_key key);
// The device's dense, quantized or sparse key ("cpu" + layout): KEY-11.
typedef enum oy_layout {
  OY_LAYOUT_STRIDED,
  OY_LAYOUT_SPARSE,
  OY_LAYOUT_SPARSE_CSR,
  OY_LAYOUT_MKLDNN,
  OY_LAYOUT_SPARSE_CSC,
  OY_LAYOUT_SPARSE_BSR,
  OY_LAYOUT_SPARSE_BSC,
  OY_LAYOUT_JAGGED
} oy_layout;
OY_API OY_MUST_USE oy_status oy_key_of_device(oy_backend backend, oy_layout layout,
                                              bool quantized, oy_key* out_key);

OY_END_DECLS

#endif  // OPYARD_KEY_H_
