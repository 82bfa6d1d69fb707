// SPDX-License-Identifier: Apache-2.0
// Explaining a call without running it. The key set is computed as a call does
// it and the winner comes from the rule that fills the tables; what is added
// here is only why each other candidate lost.
#include "base/memory.h"
#include "base/strbuf.h"
#include "dispatch/place.h"
#include "dispatch/table.h"

typedef struct builder {
  oy_explanation* e;
  size_t capacity;
  const oyi_op* op;
  oyi_cell chosen;
  bool failed;
} builder;

static void add_step(builder* b, oy_key key, oy_step_verdict verdict, oyi_strbuf* kernel,
                     const char* provenance, oyi_strbuf* reason) {
  oy_explanation* e = b->e;
  oy_explain_step step = {key, verdict, oyi_strbuf_take(kernel),
                          oyi_strndup(provenance, strlen(provenance)),
                          oyi_strbuf_take(reason)};
  if (!step.kernel || !step.provenance || !step.reason ||
      !oyi_grow(&e->steps, &b->capacity, e->step_count + 1, sizeof(*e->steps))) {
    b->failed = true;
    oyi_free(step.kernel);
    oyi_free(step.provenance);
    oyi_free(step.reason);
    return;
  }
  e->steps[e->step_count++] = step;
}

static void print_kernel(const oy_registration* r, oyi_strbuf* out) {
  if (r->fallthrough) oyi_strbuf_puts(out, "fallthrough ");
  oyi_place_print(r, out);
  if (r->dtype_filter) {
    const char* name = oy_dtype_name((oy_dtype)(r->dtype_filter - 1));
    oyi_strbuf_printf(out, " for %s", name ? name : "an unknown dtype");
  }
  if (r->priority) oyi_strbuf_printf(out, ", priority %d", r->priority);
}

// Why |r|, registered at the same key as |winner|, is not it.
static void lost_to_sibling(const builder* b, const oy_registration* r,
                            const oy_registration* winner, oyi_strbuf* out) {
  oy_dtype dtype = b->e->dtype;
  if (r->dtype_filter && r->dtype_filter != OY_FOR_DTYPE(dtype)) {
    const char* name = dtype == OY_DTYPE_ANY ? "no dtype" : oy_dtype_name(dtype);
    oyi_strbuf_printf(out, "for another dtype: the call has %s",
                      name ? name : "an unknown one");
  } else if (r->cpu_level > (uint8_t)oy_cpu_level_get()) {
    oyi_strbuf_puts(out, "needs a higher CPU level than this machine has");
  } else if (!winner) {
    oyi_strbuf_puts(out, "is not used at this key");
  } else if (winner->dtype_filter && !r->dtype_filter) {
    oyi_strbuf_puts(out, "a kernel for the dtype of the call comes first");
  } else if (winner->priority != r->priority) {
    oyi_strbuf_printf(out, "lower priority: %d, the winner has %d", r->priority,
                      winner->priority);
  } else if (winner->cpu_level != r->cpu_level) {
    oyi_strbuf_puts(out, "the winner uses a higher CPU level");
  } else {
    oyi_strbuf_puts(out, "older than the winner (inactive)");
  }
}

static const char* lost_alias(const builder* b, oy_key alias) {
  if (alias == OY_KEY_CompositeImplicitAutograd && b->chosen.provenance == OYI_AMBIGUOUS)
    return "ambiguous: a backend that maps to AutogradOther has a kernel too";
  if (alias == OY_KEY_CompositeImplicitAutograd && b->chosen.provenance > OYI_MATH_KERNEL)
    return "not used here: the backend, or CompositeExplicitAutograd, has a "
           "kernel of its own, and autograd must not decompose above it";
  return "comes later in the order: kernel, CompositeExplicitAutograd"
         "NonFunctional, CompositeExplicitAutograd, nested, Composite"
         "ImplicitAutograd, Autograd, batched, fallback";
}

static void add_registrations(builder* b, oy_key slot, oy_key at) {
  const oy_registration* winner = b->chosen.registration;
  bool same_key = winner && winner->kind == OYI_IMPL && winner->key == at;
  for (const oy_registration* r = oyi_kernels_at(b->op, at); r; r = r->older) {
    if (r == winner) continue;
    oyi_strbuf kernel = OYI_STRBUF_INIT, reason = OYI_STRBUF_INIT;
    print_kernel(r, &kernel);
    bool unusable = (r->dtype_filter && r->dtype_filter != OY_FOR_DTYPE(b->e->dtype)) ||
                    r->cpu_level > (uint8_t)oy_cpu_level_get();
    if (at == slot || same_key || unusable)
      lost_to_sibling(b, r, same_key ? winner : NULL, &reason);
    else
      oyi_strbuf_puts(&reason, lost_alias(b, at));
    add_step(b, slot, OY_STEP_LOST, &kernel, oy_key_name(at), &reason);
  }
}

static const char* why_chosen(oyi_provenance provenance) {
  switch (provenance) {
    case OYI_KERNEL: return "registered for this key";
    case OYI_DEFAULT_BACKEND_KERNEL:
      return "a composite for every backend; nothing is registered for this key";
    case OYI_NESTED_KERNEL: return "the composite for nested tensors";
    case OYI_MATH_KERNEL:
      return "decomposes into other operators; no backend kernel is in its way";
    case OYI_AMBIGUOUS:
      return "reports: composite and a backend without an autograd key of its own";
    case OYI_AUTOGRAD_KERNEL: return "registered for all autograd keys";
    case OYI_BATCHED_KERNEL: return "the decomposition for batched tensors";
    case OYI_BACKEND_FALLBACK: return "the fallback of this key for all operators";
    default: return "no kernel, composite or fallback";
  }
}

static void add_chosen(builder* b, oy_key slot, oy_step_verdict verdict, oyi_cell cell) {
  oyi_strbuf kernel = OYI_STRBUF_INIT, reason = OYI_STRBUF_INIT;
  if (cell.registration)
    print_kernel(cell.registration, &kernel);
  else
    oyi_strbuf_puts(
        &kernel, cell.provenance == OYI_AMBIGUOUS ? "ambiguous_autogradother" : "(none)");
  oyi_strbuf_puts(&reason, why_chosen(cell.provenance));
  add_step(b, slot, verdict, &kernel, oyi_provenance_name(cell.provenance), &reason);
}

static const oy_key g_aliases[] = {OY_KEY_CompositeExplicitAutogradNonFunctional,
                                   OY_KEY_CompositeExplicitAutograd,
                                   OY_KEY_CompositeImplicitAutogradNestedTensor,
                                   OY_KEY_CompositeImplicitAutograd,
                                   OY_KEY_Autograd,
                                   OY_KEY_FuncTorchBatchedDecomposition};

static void add_candidates(builder* b, oy_key slot) {
  b->chosen = oyi_compute_cell(b->op, slot, b->e->dtype);
  add_chosen(b, slot, OY_STEP_CHOSEN, b->chosen);
  add_registrations(b, slot, slot);
  for (size_t i = 0; i < OY_ARRAY_SIZE(g_aliases); i++)
    if (slot == OY_KEY_Undefined || oy_key_in_alias(slot, g_aliases[i]))
      add_registrations(b, slot, g_aliases[i]);
  oy_registration* fallback = slot ? oyi_fallback_at(b->op->registry, slot) : NULL;
  if (!fallback || fallback == b->chosen.registration) return;
  oyi_strbuf kernel = OYI_STRBUF_INIT, reason = OYI_STRBUF_INIT;
  print_kernel(fallback, &kernel);
  oyi_strbuf_puts(&reason, "a fallback is used only when nothing else is there");
  add_step(b, slot, OY_STEP_LOST, &kernel, "backend fallback", &reason);
}

static void add_next(builder* b) {
  oy_keyset rest = b->e->effective;
  for (;;) {
    oy_key f = oy_keyset_highest_functionality(rest);
    if (f == OY_KEY_Undefined) return;
    rest.functionality &= ~(1ull << f);
    if (rest.functionality == 0) return;
    oy_key key = oy_keyset_highest(rest);
    if (!oy_key_is_runtime(key)) continue;
    oyi_cell cell = oyi_compute_cell(b->op, key, b->e->dtype);
    add_chosen(b, key, OY_STEP_NEXT, cell);
  }
}

// ------------------------------------------------------------- the key set

static oy_dtype dtype_of(const oyi_op* op, const oy_argument_keys* arguments,
                         size_t count) {
  static const oy_object_class klass = {"Explained", NULL};
  oy_object objects[64];
  oy_object* pointers[64];
  size_t n = 0;
  for (size_t i = 0; i < count && n < 64; i++) {
    if (arguments[i].dtype == OY_DTYPE_ANY) continue;
    objects[n] = (oy_object){arguments[i].keys,  &klass,           1,
                             arguments[i].dtype, OY_OBJECT_STATIC, 0};
    pointers[n] = &objects[n];
    n++;
  }
  if (n == 0 || op->dtype_kernels == 0) return OY_DTYPE_ANY;
  if (op->registry->dtype_rule) return op->registry->dtype_rule(&op->hot, pointers, n);
  oy_dtype dtype = objects[0].dtype;
  for (size_t i = 1; i < n; i++)
    if (objects[i].dtype > dtype) dtype = objects[i].dtype;
  return dtype;
}

// The mask of a backend that is not in use yet is that of any other for single
// functionalities; its own slots hold no fallthrough but from fallbacks.
static uint64_t mask_for(const oyi_op* op, oy_backend backend) {
  oy_backend b = backend == OY_BACKEND_NONE ? OY_BACKEND_CPU : backend;
  if (oyi_backend_is_active(b)) return oyi_table_mask(op, b);
  uint64_t mask = oyi_table_mask(op, OY_BACKEND_CPU) | OY_PER_BACKEND_MASK;
  for (oy_key f = 1; f < OY_FUNCTIONALITY_COUNT; f++)
    if (OY_PER_BACKEND_MASK >> f & 1 &&
        oyi_kernel_is_fallthrough(
            oyi_compute_cell(op, (oy_key)OY_KEY_OF(f, b), OY_DTYPE_ANY).kernel))
      mask &= ~(1ull << f);
  return mask;
}

static void compute_keys(oy_explanation* e, const oyi_op* op,
                         const oy_argument_keys* arguments) {
  for (size_t i = 0; i < e->argument_count; i++) {
    e->argument_keys[i] = arguments[i].keys;
    e->arguments = oy_keyset_or(e->arguments, arguments[i].keys);
  }
  e->included = oy_included_get();
  e->excluded = oy_excluded_get();
  oy_keyset all = oy_keyset_or(e->arguments, e->included);
  oy_keyset kept = oy_keyset_minus(all, e->excluded);
  uint64_t mask = mask_for(op, oy_keyset_highest_backend(all));
  e->masked = oy_keyset_make(kept.functionality & ~mask, kept.backends);
  e->effective = oy_keyset_make(kept.functionality & mask, kept.backends);
  e->slot = oy_keyset_highest(e->effective);
  // Without a backend bit a per-backend functionality lands on the CPU's slot.
  if (!oy_key_is_runtime(e->slot)) e->slot = (oy_key)OY_KEY_OF(e->slot, OY_BACKEND_CPU);
}

oy_status oy_explain(const oy_op* op, const oy_argument_keys* arguments, size_t count,
                     oy_explanation** out_explanation) {
  *out_explanation = NULL;
  oy_explanation* e = oyi_zalloc(sizeof(*e));
  if (!e) return OY_OUT_OF_MEMORY;
  e->op = op;
  e->argument_count = count;
  e->argument_keys = oyi_calloc(count + 1, sizeof(*e->argument_keys));
  if (!e->argument_keys) {
    oy_explanation_free(e);
    return OY_OUT_OF_MEMORY;
  }
  builder b = {e, 0, oyi_op_of(op), {0}, false};
  pthread_mutex_lock(&b.op->registry->mutex);
  compute_keys(e, b.op, arguments);
  e->dtype = dtype_of(b.op, arguments, count);
  add_candidates(&b, e->slot);
  add_next(&b);
  pthread_mutex_unlock(&b.op->registry->mutex);
  if (b.failed) {
    oy_explanation_free(e);
    return OY_OUT_OF_MEMORY;
  }
  *out_explanation = e;
  return OY_OK;
}

void oy_explanation_free(oy_explanation* explanation) {
  if (!explanation) return;
  for (size_t i = 0; i < explanation->step_count; i++) {
    oyi_free(explanation->steps[i].kernel);
    oyi_free(explanation->steps[i].provenance);
    oyi_free(explanation->steps[i].reason);
  }
  oyi_free(explanation->steps);
  oyi_free(explanation->argument_keys);
  oyi_free(explanation);
}
