// SPDX-License-Identifier: Apache-2.0
// Computed tables: the rule that gives each slot of an operator its kernel
// (PyTorch reference, section 4.1), and keeping stored tables equal to it.
#ifndef OPYARD_SRC_DISPATCH_TABLE_H_
#define OPYARD_SRC_DISPATCH_TABLE_H_

#include "dispatch/registry.h"

typedef enum oyi_provenance {
  OYI_KERNEL,
  OYI_DEFAULT_BACKEND_KERNEL,
  OYI_NESTED_KERNEL,
  OYI_MATH_KERNEL,
  OYI_AMBIGUOUS,
  OYI_AUTOGRAD_KERNEL,
  OYI_BATCHED_KERNEL,
  OYI_BACKEND_FALLBACK,
  OYI_MISSING
} oyi_provenance;

// What a slot should hold.
typedef struct oyi_cell {
  const oy_kernel* kernel;        // never NULL
  oy_registration* registration;  // NULL: missing or ambiguous
  oyi_provenance provenance;
} oyi_cell;

// "math kernel" and the like.
const char* oyi_provenance_name(oyi_provenance provenance);

// The rule. |key| is a runtime key, in use or not; |dtype| is OY_DTYPE_ANY for
// what holds without regard to dtype variants. Lock held.
oyi_cell oyi_compute_cell(const oyi_op* op, oy_key key, oy_dtype dtype);

// The same for many keys of one operator: what holds for all of them is found once.
typedef struct oyi_rule_alias {
  oy_registration* kernel;  // NULL: none for the dtype
  oy_keyset covers;
} oyi_rule_alias;
typedef struct oyi_rule {
  const oyi_op* op;
  oy_dtype dtype;
  bool has_alias;  // else |alias| is not set
  oyi_rule_alias alias[OY_ALIAS_KEY_COUNT];
} oyi_rule;
void oyi_rule_begin(oyi_rule* rule, const oyi_op* op, oy_dtype dtype);
oyi_cell oyi_rule_cell(const oyi_rule* rule, oy_key key);

// The newest kernel of |op| at exactly |key|, NULL if none. Lock held.
oy_registration* oyi_kernels_at(const oyi_op* op, oy_key key);
// Of it and the older ones that for |dtype|: registered for it rather than for every
// dtype, then greatest priority, then capability, then newest. NULL if each needs
// another dtype or a better machine. OY_DTYPE_ANY leaves those with a dtype out.
oy_registration* oyi_best_kernel(oy_registration* newest, oy_dtype dtype);
static inline oy_registration* oyi_active_kernel(oy_registration* newest,
                                                 oy_dtype dtype) {
  // As most are: alone, for every dtype and machine.
  bool only = newest && !newest->older && !(newest->dtype_filter | newest->cpu_level);
  return only ? newest : oyi_best_kernel(newest, dtype);
}
// Whether |a| beats |b|, both usable, |a| the newer one.
bool oyi_registration_beats(const oy_registration* a, const oy_registration* b);
oy_registration* oyi_fallback_at(const oy_registry* registry, oy_key key);
oy_registration** oyi_fallback_slot(oy_registry* registry, oy_key key);

// Records that stand for "no kernel" and "ambiguous" in any operator.
extern const oy_kernel oyi_missing_kernel;
extern const oy_kernel oyi_ambiguous_kernel;
bool oyi_kernel_is_fallthrough(const oy_kernel* kernel);

// A table for a new operator: fallbacks and nothing else. OUT_OF_MEMORY.
oy_status oyi_table_create(oyi_op* op);
void oyi_table_retire(oyi_op* op);  // back to the shared table of dead ops
// After a change of fallbacks: tables to come are made anew.
void oyi_prototype_drop(oy_registry* registry);
// Stores what the rule gives for the slots that a change at |key| can reach.
void oyi_table_refresh(oyi_op* op, oy_key key);
void oyi_table_refresh_all(oyi_op* op);
void oyi_table_refresh_slot(oyi_op* op, oy_key key);
// The stored slot of a runtime key; NULL if its backend is not in use.
const oy_kernel* oyi_table_stored(const oyi_op* op, oy_key key);
uint64_t oyi_table_mask(const oyi_op* op, oy_backend backend);
size_t oyi_table_bytes(void);

// Variant records for every slot that |key| reaches, before a registration with
// a dtype is linked. OUT_OF_MEMORY leaves what was made, which does no harm.
oy_status oyi_variants_ensure(oyi_op* op, oy_key key);
oyi_variants* oyi_variants_at(const oyi_op* op, oy_key slot);
// The stored kernel for |dtype|; never NULL.
const oy_kernel* oyi_variant_stored(const oyi_variants* variants, oy_dtype dtype);
// Stores what the rule gives for each dtype; whether any differs from the kernel
// for calls without one.
bool oyi_variants_fill(const oyi_op* op, oyi_variants* variants);
void oyi_variants_retire(oyi_op* op);
extern const oy_kernel oyi_inactive_kernel;

// Appends a block to every table of every registry, before the bit of
// |backend| is handed out. Nothing changes if it fails. Called with the
// backend lock held.
oy_status oyi_backend_activate(oy_backend backend);
bool oyi_backend_is_active(oy_backend backend);
// Whether kernels can be registered at |key| right now: an alias or runtime key, and
// its backend is in use.
bool oyi_key_is_ready(oy_key key);
// Backends that have a block. Written with every registry's lock held.
extern uint64_t oyi_table_backends;

// The list of all registries, guarded by this lock (taken before a registry's).
extern pthread_mutex_t oyi_registries_mutex;
extern oy_registry* oyi_registries;

#endif  // OPYARD_SRC_DISPATCH_TABLE_H_
