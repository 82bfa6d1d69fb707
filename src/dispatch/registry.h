// SPDX-License-Identifier: Apache-2.0
// The registry's records. Guarded by registry->mutex, but for the members that
// calls read (marked "atomic"), which are published with release stores and
// taken back through the limbo.
//
//   registry -> ops (never freed before it) -> keys -> kernels, newest first
//   library -> registrations that it made, newest first
//
// A registration is the record of one def, impl or fallback; the kernel record
// that slots point to is part of it.
#ifndef OPYARD_SRC_DISPATCH_REGISTRY_H_
#define OPYARD_SRC_DISPATCH_REGISTRY_H_

#include <pthread.h>

#include "base/arena.h"
#include "base/slab.h"
#include "dispatch/epoch.h"
#include "dispatch/signature.h"
#include "opyard/library.h"

typedef enum oyi_registration_kind {
  OYI_DEF,
  OYI_IMPL,
  OYI_FALLBACK
} oyi_registration_kind;

// Text that registrations share, counted.
typedef struct oyi_text {
  uint32_t references;  // atomic
  char data[];
} oyi_text;

// Kinds differ in what they need at the end; a definition ends with its texts.
struct oy_registration {
  union {
    oyi_retired retired;  // once it is unlinked
    struct {
      struct oy_registration *previous, *next;  // in the library
      // IMPL: the newest at another key of the operator; of the newest at its key.
      struct oy_registration* other;
    };
  };
  struct oyi_op* op;  // DEF, IMPL; NULL until it is linked
  oy_library* library;
  oyi_slab* slab;     // NULL: a block of its own (large DEF)
  oyi_text* place;    // a file, or debug text
  oy_schema* schema;  // DEF: NULL until somebody asks; else the inferred one or NULL
  int line;
  oy_key key;  // IMPL, FALLBACK (alias keys stay as they are)
  uint8_t dtype_filter;
  uint8_t cpu_level;
  int16_t priority;
  uint8_t kind;  // oyi_registration_kind
  bool fallthrough;
  bool typed;          // has a typed entry of its own
  bool is_debug_text;  // |place| replaces "registered at"
  union {
    struct {             // IMPL, FALLBACK
      oy_kernel kernel;  // read by calls, also after it is unlinked
      void (*destroy_state)(void* state);
      // Next in the stack of its key. FALLBACK: of a lesser priority.
      struct oy_registration* older;
    };
    struct {  // DEF
      const oyi_signature* signature;
      struct oy_registration* sibling;  // IMPL made by the same def call
      const char* tags;                 // behind |text|, or NULL
      uint8_t alias_kind;
      uint8_t parse_flags;  // oy_schema_flags
      bool alias_defaulted;
      bool unobserved;
      char text[];  // of the schema, from '(' on
    };
  };
};

// Stands in a slot whose kernel depends on the dtype of the call. Made when a
// registration with a dtype reaches the slot; kept until the operator has none,
// so that removing never has to allocate.
typedef struct oyi_variants {
  oyi_retired retired;
  oy_variants open;           // what calls read
  struct oyi_variants* next;  // of the same operator
  oy_key key;                 // the slot
} oyi_variants;

typedef struct oyi_error_callback {
  void (*call)(const oy_op* op, oy_key key, void* user_data);
  void* user_data;
} oyi_error_callback;

typedef struct oyi_op {
  oy_op hot;                       // first
  oy_boxed_fn unbox;               // atomic: boxed call of a typed kernel
  const oyi_signature* signature;  // atomic; NULL while not defined
  const oy_schema* schema;         // atomic; NULL while nobody asked: oyi_op_schema
  oy_registry* registry;
  oy_registration* def;      // atomic: who unpacks a schema has another lock
  oy_registration* kernels;  // the newest of each key, in the order of the keys
  oyi_variants* variants;
  oyi_error_callback* on_error;  // NULL: none
  uint32_t dtype_kernels;        // registrations with a dtype
  uint32_t registrations;        // def and impl together
  uint32_t hash;
  uint16_t name_size;
  uint8_t aliases;  // bit i: there are kernels at alias key i
  char name[];
} oyi_op;

typedef struct oyi_name_map oyi_name_map;

typedef struct oyi_listener_node {
  struct oyi_listener_node* next;
  oy_listener listener;
  int id;
} oyi_listener_node;

// Definitions are as large as their texts: slabs for a few sizes, in steps.
enum { OYI_DEFINITION_LEAST = 144, OYI_DEFINITION_STEP = 16, OYI_DEFINITION_SIZES = 16 };

struct oy_registry {
  pthread_mutex_t mutex;
  oyi_name_map* names;  // atomic
  oyi_arena memory;     // of the operators
  oyi_slabs tables, kernels, definitions[OYI_DEFINITION_SIZES];
  oyi_returned returned;  // of all of these
  // The table of an operator without kernels, which new ones are copied from; bytes
  // are 0 if it has to be made again.
  unsigned char* prototype;
  size_t prototype_bytes;
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
  const char* ns;      // NULL: none
  const char* prefix;  // "ns::", "" for none
  size_t prefix_size;
  bool allows_variables;  // of types, in schemas: its namespace is aten or prim
  oy_key key;
  const char* file;
  int line;
  oyi_text* place;   // |file|
  oyi_text* recent;  // place of the latest registration that had one of its own
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
