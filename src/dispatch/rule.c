// SPDX-License-Identifier: Apache-2.0
// The rule: which kernel a slot of an operator gets, first match wins
// (PyTorch reference, section 4.1). It is a pure function of the registrations,
// which is why their order cannot matter. Tables, dumps and explanations all
// ask here.
#include "base/cpu.h"
#include "dispatch/table.h"

const char* oyi_provenance_name(oyi_provenance provenance) {
  static const char* const names[] = {
      "kernel",         "default backend kernel",  "nested kernel",
      "math kernel",    "ambiguous autogradother", "autograd kernel",
      "batched kernel", "backend fallback",        "missing"};
  return names[provenance];
}

oy_registration* oyi_kernels_at(const oyi_op* op, oy_key key) {
  oy_registration* r = op->kernels;
  while (r && r->key != key) r = r->other;
  return r;
}

bool oyi_registration_beats(const oy_registration* a, const oy_registration* b) {
  if ((a->dtype_filter != 0) != (b->dtype_filter != 0)) return a->dtype_filter != 0;
  if (a->priority != b->priority) return a->priority > b->priority;
  return a->cpu_level >= b->cpu_level;
}

oy_registration* oyi_best_kernel(oy_registration* newest, oy_dtype dtype) {
  oy_registration* best = NULL;
  uint8_t filter = dtype == OY_DTYPE_ANY ? 0 : OY_FOR_DTYPE(dtype);
  uint8_t level = (uint8_t)oy_cpu_level_get();
  // Newest first, so an older one has to be strictly better.
  for (oy_registration* r = newest; r; r = r->older) {
    if (r->dtype_filter != 0 && r->dtype_filter != filter) continue;
    if (r->cpu_level > level) continue;
    if (!best || !oyi_registration_beats(best, r)) best = r;
  }
  return best;
}

static int backend_row(oy_key functionality) {
  switch (functionality) {
    case OY_KEY_Dense: return 0;
    case OY_KEY_Quantized: return 1;
    case OY_KEY_Sparse: return 2;
    case OY_KEY_SparseCsr: return 3;
    case OY_KEY_NestedTensor: return 4;
    case OY_KEY_AutogradFunctionality: return 5;
    default: return -1;
  }
}

oy_registration** oyi_fallback_slot(oy_registry* registry, oy_key key) {
  oy_backend backend = oy_key_backend(key);
  oy_key functionality = oy_key_functionality(key);
  int row = backend_row(functionality);
  if (backend >= 0 && row >= 0) return &registry->fallback_backend[row][backend];
  return &registry->fallback_single[functionality];
}

oy_registration* oyi_fallback_at(const oy_registry* registry, oy_key key) {
  // Questions may name a key that is none.
  if (oy_key_functionality(key) >= OY_FUNCTIONALITY_COUNT ||
      oy_key_backend(key) >= OY_BACKEND_COUNT_MAX)
    return NULL;
  return *oyi_fallback_slot((oy_registry*)(uintptr_t)registry, key);
}

static oyi_cell cell_of(oy_registration* r, oyi_provenance provenance) {
  return (oyi_cell){&r->kernel, r, provenance};
}

static bool has_usable_kernel(const oy_registration* newest) {
  uint8_t level = (uint8_t)oy_cpu_level_get();
  for (const oy_registration* r = newest; r; r = r->older)
    if (r->cpu_level <= level) return true;
  return false;
}

// Whether the operator has a kernel of any dtype registered directly at a key
// of |set|.
static bool has_kernel_in(const oyi_op* op, oy_keyset set) {
  if (set.functionality == 0) return false;
  for (const oy_registration* r = op->kernels; r; r = r->other)
    if (!oy_key_is_alias(r->key) && oy_keyset_has(set, r->key) && has_usable_kernel(r))
      return true;
  return false;
}

static unsigned alias_index(oy_key alias) {
  return alias & ~(unsigned)OY_KEY_ALIAS_BIT;
}

void oyi_rule_begin(oyi_rule* rule, const oyi_op* op, oy_dtype dtype) {
  rule->op = op;
  rule->dtype = dtype;
  rule->has_alias = false;
  if (!op->aliases) return;
  memset(rule->alias, 0, sizeof(rule->alias));
  for (oy_registration* r = op->kernels; r; r = r->other) {
    if (!oy_key_is_alias(r->key)) continue;
    oyi_rule_alias* a = &rule->alias[alias_index(r->key)];
    a->kernel = oyi_active_kernel(r, dtype);
    a->covers = oy_key_expand(r->key);
    rule->has_alias |= a->kernel != NULL;
  }
}

static const oyi_rule_alias* alias_of(const oyi_rule* rule, oy_key alias) {
  return &rule->alias[alias_index(alias)];
}

static bool covers(const oyi_rule_alias* alias, oy_key key, bool undefined) {
  return key == OY_KEY_Undefined ? undefined : oy_keyset_has(alias->covers, key);
}

// Steps 4 and 6: the composite that decomposes into other operators.
static bool implicit_cell(const oyi_rule* rule, oy_key key, oyi_cell* out) {
  const oyi_rule_alias* a = alias_of(rule, OY_KEY_CompositeImplicitAutograd);
  if (!a->kernel || !covers(a, key, true)) return false;
  if (key == OY_KEY_AutogradOther &&
      has_kernel_in(rule->op, oy_keyset_named(OY_KEYSET_AUTOGRADOTHER_BACKENDS))) {
    *out = (oyi_cell){&oyi_ambiguous_kernel, NULL, OYI_AMBIGUOUS};
    return true;
  }
  if (alias_of(rule, OY_KEY_CompositeExplicitAutograd)->kernel ||
      has_kernel_in(rule->op, oy_key_backends_of_autograd(key)))
    return false;
  *out = cell_of(a->kernel, OYI_MATH_KERNEL);
  return true;
}

// Aliases that hold, in the order of the rule; implicit comes between.
static bool alias_cell(const oyi_rule* rule, oy_key key, oy_key alias, bool undefined,
                       oyi_provenance provenance, oyi_cell* out) {
  const oyi_rule_alias* a = alias_of(rule, alias);
  if (!a->kernel || !covers(a, key, undefined)) return false;
  *out = cell_of(a->kernel, provenance);
  return true;
}

static oyi_cell fallback_cell(const oyi_op* op, oy_key key) {
  oy_registration* r =
      key == OY_KEY_Undefined ? NULL : oyi_fallback_at(op->registry, key);
  if (r) return cell_of(r, OYI_BACKEND_FALLBACK);
  return (oyi_cell){&oyi_missing_kernel, NULL, OYI_MISSING};
}

oyi_cell oyi_rule_cell(const oyi_rule* rule, oy_key key) {
  oyi_cell cell;
  oy_registration* direct = oyi_active_kernel(oyi_kernels_at(rule->op, key), rule->dtype);
  if (direct) return cell_of(direct, OYI_KERNEL);
  if (!rule->has_alias) return fallback_cell(rule->op, key);
  if (alias_cell(rule, key, OY_KEY_CompositeExplicitAutogradNonFunctional, true,
                 OYI_DEFAULT_BACKEND_KERNEL, &cell) ||
      alias_cell(rule, key, OY_KEY_CompositeExplicitAutograd, true,
                 OYI_DEFAULT_BACKEND_KERNEL, &cell) ||
      alias_cell(rule, key, OY_KEY_CompositeImplicitAutogradNestedTensor, false,
                 OYI_NESTED_KERNEL, &cell) ||
      implicit_cell(rule, key, &cell) ||
      alias_cell(rule, key, OY_KEY_Autograd, false, OYI_AUTOGRAD_KERNEL, &cell) ||
      alias_cell(rule, key, OY_KEY_FuncTorchBatchedDecomposition, false,
                 OYI_BATCHED_KERNEL, &cell))
    return cell;
  return fallback_cell(rule->op, key);
}

oyi_cell oyi_compute_cell(const oyi_op* op, oy_key key, oy_dtype dtype) {
  oyi_rule rule;
  oyi_rule_begin(&rule, op, dtype);
  return oyi_rule_cell(&rule, key);
}

oy_cpu_level oy_cpu_level_get(void) {
  return (oy_cpu_level)oyi_cpu_level();
}
