// SPDX-License-Identifier: Apache-2.0
// The registry's records. Guarded by registry->mutex, but for the members that
// calls read (marked "atomic"), which are published with release stores and
// taken back through the limbo.
//
//   registry -> ops (never freed before it) -> kernels by key, newest first
//   library -> registrations that it made, newest first
//
// A registration is the record of one def, impl or fallback; the kernel record
// that slots point to is part of it.
#ifndef OPYARD_SRC_DISPATCH_REGISTRY_H_
#define OPYARD_SRC_DISPATCH_REGISTRY_H_

#include <pthread.h>

#include "dispatch/epoch.h"
#include "dispatch/signature.h"
#include "opyard/library.h"

typedef enum oyi_registration_kind {
  OYI_DEF,
  OYI_IMPL,
  OYI_FALLBACK
} oyi_registration_kind;

struct oy_registration {
  oyi_retired retired;
  oy_kernel kernel;  // IMPL, FALLBACK
  void (*destroy_state)(void* state);
  struct oyi_op* op;              // DEF, IMPL
  struct oy_registration* older;  // IMPL: next in the stack of its key
  oy_library* library;
  struct oy_registration *previous, *next;  // in the library
  const char* file;                         // the library's, or |text|
  char* text;                               // owned: a file or debug text of its own
  int line;
  oy_key key;    // IMPL, FALLBACK (alias keys stay as they are)
  uint8_t kind;  // oyi_registration_kind
  uint8_t dtype_filter;
  uint8_t cpu_level;
  bool fallthrough;
  bool typed;          // has a typed entry of its own
  bool is_debug_text;  // |file| replaces "registered at"
  int16_t priority;
  oy_schema* schema;  // DEF: the schema; else the inferred one, NULL
  // DEF only
  const oyi_signature* signature;
  char* tags;
  uint8_t alias_kind;
  bool alias_defaulted;
  bool unobserved;
  struct oy_registration* sibling;  // IMPL made by the same def call
};

// Kernels of one operator at one key.
typedef struct oyi_key_kernels {
  oy_key key;
  oy_registration* newest;
} oyi_key_kernels;

// Stands in a slot whose kernel depends on the dtype of the call. Made when a
// registration with a dtype reaches the slot; kept until the operator has none,
// so that removing never has to allocate.
typedef struct oyi_variants {
  oyi_retired retired;
  oy_kernel kernel;
  struct oyi_variants* next;                  // of the same operator
  oy_key key;                                 // the slot
  const oy_kernel* by_dtype[OY_DTYPE_LIMIT];  // atomic; never NULL
  const oy_kernel* any;                       // atomic: for dtypes beyond
} oyi_variants;

typedef struct oyi_op {
  oy_op hot;                       // first
  oy_boxed_fn unbox;               // atomic: boxed call of a typed kernel
  const oyi_signature* signature;  // atomic; NULL without a schema
  const oy_schema* schema;         // atomic; NULL while not defined
  oy_registry* registry;
  oy_registration* def;
  oyi_key_kernels* keys;
  size_t key_count, key_capacity;
  oyi_variants* variants;
  uint32_t dtype_kernels;  // registrations with a dtype
  uint32_t registrations;  // def and impl together
  uint32_t name_size;
  uint32_t hash;
  void (*error_callback)(const oy_op* op, oy_key key, void* user_data);
  void* error_user_data;
  char name[];
} oyi_op;

typedef struct oyi_name_map oyi_name_map;

typedef struct oyi_listener_node {
  struct oyi_listener_node* next;
  oy_listener listener;
  int id;
} oyi_listener_node;

struct oy_registry {
  pthread_mutex_t mutex;
  oyi_name_map* names;  // atomic
  oyi_op** ops;
  size_t op_count, op_capacity;
  oy_library* libraries;
  // Fallbacks by key: single functionalities, then per-backend rows.
  oy_registration* fallback_single[OY_FUNCTIONALITY_COUNT];
  oy_registration* fallback_backend[6][OY_BACKEND_COUNT_MAX];
  oyi_limbo limbo;
  uint64_t generation;  // atomic
  oyi_listener_node* listeners;
  int next_listener;
  oy_warning_sink warning_sink;
  void* warning_user_data;
  oy_dtype_rule dtype_rule;  // atomic
  struct oy_registry* next;  // in the list of all registries
};

struct oy_library {
  oy_registry* registry;
  oy_library_kind kind;
  char* ns;  // NULL: none
  oy_key key;
  char* file;
  int line;
  oy_registration *first, *last;
  oy_library *previous, *next;
};

static inline oyi_op* oyi_op_of(const oy_op* op) {
  return (oyi_op*)(uintptr_t)op;
}
// For trampolines: the signature class of |op|, NULL while it is not defined.
static inline const oyi_signature* oyi_op_signature(const oy_op* op) {
  return __atomic_load_n(&oyi_op_of(op)->signature, __ATOMIC_ACQUIRE);
}
// Calls read the arity without a lock. An operator may come back with another one
// while they run: nobody takes more off a stack than there is.
static inline size_t oyi_argument_count(const oy_op* op) {
  return __atomic_load_n(&op->argument_count, __ATOMIC_RELAXED);
}
static inline size_t oyi_arguments_on(const oy_op* op, const oy_stack* stack) {
  size_t n = oyi_argument_count(op);
  return n < stack->size ? n : stack->size;
}
static inline oy_registration* oyi_registration_of(const oy_kernel* kernel) {
  return (oy_registration*)((uintptr_t)kernel - offsetof(oy_registration, kernel));
}

#endif  // OPYARD_SRC_DISPATCH_REGISTRY_H_
