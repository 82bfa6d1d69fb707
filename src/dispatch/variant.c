// SPDX-License-Identifier: Apache-2.0
// Kernels that depend on the dtype of the call. Such a slot holds a variant
// record with one kernel for each dtype; operators without any pay nothing.
#include "base/memory.h"
#include "base/strbuf.h"
#include "dispatch/table.h"
#include "dispatch/thunks.h"

oyi_variants* oyi_variants_at(const oyi_op* op, oy_key slot) {
  for (oyi_variants* v = op->variants; v; v = v->next)
    if (v->key == slot) return v;
  return NULL;
}

static oy_dtype greatest_dtype(oy_object* const* tensors, size_t count) {
  size_t index = 0;
  for (size_t i = 0; i < count; i++) index = oy_variant_join(index, tensors[i]);
  return (oy_dtype)(index - 1);
}

static bool agree(oy_object* const* tensors, size_t count, oy_dtype dtype) {
  for (size_t i = 0; i < count; i++)
    if (!oy_variant_agrees((uint8_t)(dtype + 1u), tensors[i])) return false;
  return true;
}

// The registry's rule is for tensors whose dtypes differ.
static oy_dtype dtype_of_call(const oy_op* op, oy_object* const* tensors, size_t count) {
  oy_dtype greatest = greatest_dtype(tensors, count);
  if (agree(tensors, count, greatest)) return greatest;
  oy_dtype_rule rule =
      __atomic_load_n(&oyi_op_of(op)->registry->dtype_rule, __ATOMIC_ACQUIRE);
  return rule ? rule(op, tensors, count) : greatest;
}

// No kernel is NULL there, so that calls need to know no address.
static const oy_kernel* by_dtype(const oy_variants* v, oy_dtype dtype) {
  size_t index = dtype < OY_DTYPE_LIMIT ? dtype + 1u : 0;
  const oy_kernel* kernel = __atomic_load_n(&v->by_dtype[index], __ATOMIC_ACQUIRE);
  return kernel ? kernel : &oyi_missing_kernel;
}

const oy_kernel* oyi_variant_stored(const oyi_variants* variants, oy_dtype dtype) {
  return by_dtype(&variants->open, dtype);
}

static const oy_variants* variants_of(const oy_kernel* kernel) {
  return (const oy_variants*)(const void*)kernel;
}

static const char* name_of(oy_dtype dtype) {
  const char* name = oy_dtype_name(dtype);
  return name ? name : "none";
}

// "float16, float32": what kernels at |key| are registered for.
static void list_dtypes(const oy_op* op, oy_key key, oyi_strbuf* out) {
  oyi_op* o = oyi_op_of(op);
  pthread_mutex_lock(&o->registry->mutex);
  int last = 0;
  for (const oy_registration* r = oyi_kernels_at(o, key); r; r = r->older) {
    if (r->dtype_filter == last) continue;
    oyi_strbuf_printf(out, "%s%s", out->size ? ", " : "",
                      name_of((oy_dtype)(r->dtype_filter - 1)));
    last = r->dtype_filter;
  }
  pthread_mutex_unlock(&o->registry->mutex);
}

static const oy_kernel* missing(const oy_op* op, oy_keyset keys, oy_dtype dtype) {
  oy_str op_name = oy_op_name_of(op);
  oy_key key = oy_keyset_highest(oy_keyset_unmarked(keys));
  oyi_strbuf dtypes = OYI_STRBUF_INIT;
  list_dtypes(op, key, &dtypes);
  OY_FAIL(NOT_IMPLEMENTED,
          "Could not run '%.*s' with arguments from the '%s' backend. There is "
          "no kernel for dtype %s.\n  kernels at %s: %s\n  next: convert the "
          "arguments, or register a kernel for %s and %s",
          OY_STR_ARG(op_name), oy_key_name(key), name_of(dtype), oy_key_name(key),
          dtypes.data ? dtypes.data : "none", oy_key_name(key), name_of(dtype));
  oyi_strbuf_reset(&dtypes);
  oy_error_set_op(op_name);
  char* table = NULL;
  if (oy_op_dump_table(op, &table) == OY_OK) oy_error_set_detail(oy_str_of(table));
  oy_text_free(table);
  return NULL;
}

const oy_kernel* oy_kernel_pick(const oy_op* op, oy_keyset keys, const oy_kernel* kernel,
                                oy_object* const* tensors, size_t count) {
  // A writer may have put a plain kernel there meanwhile: that one, then.
  if (kernel->typed != oyi_thunk_variant) return kernel;
  oy_dtype dtype = dtype_of_call(op, tensors, count);
  const oy_kernel* picked = by_dtype(variants_of(kernel), dtype);
  return picked == &oyi_missing_kernel ? missing(op, keys, dtype) : picked;
}

enum { MAX_TENSORS = 64 };

// The tensors among boxed arguments; lists count with their elements.
static size_t collect(const oy_value* arguments, size_t n, oy_object** tensors) {
  size_t count = 0;
  for (size_t i = 0; i < n; i++) {
    const oy_value* v = &arguments[i];
    if (v->tag == OY_TAG_TENSOR && count < MAX_TENSORS) tensors[count++] = v->as.object;
    if (v->tag == OY_TAG_TENSOR_LIST)
      for (size_t k = 0; k < v->count && count < MAX_TENSORS; k++)
        tensors[count++] = v->as.tensors[k];
  }
  return count;
}

static oy_status variants_boxed(const oy_op* op, oy_keyset keys, oy_stack* stack,
                                const oy_kernel* kernel) {
  oy_object* tensors[MAX_TENSORS] = {NULL};
  size_t n = oyi_arguments_on(op, stack);
  size_t count = collect(oy_stack_last(stack, n), n, tensors);
  const oy_kernel* picked = oy_kernel_pick(op, keys, kernel, tensors, count);
  if (!picked) {
    oy_stack_drop(stack, n);
    return oy_failure();
  }
  return picked->boxed(op, keys, stack, picked);
}

static void store(const oy_kernel** place, const oy_kernel* kernel) {
  __atomic_store_n(place, kernel == &oyi_missing_kernel ? NULL : kernel,
                   __ATOMIC_RELEASE);
}

bool oyi_variants_fill(const oyi_op* op, oyi_variants* v) {
  const oy_kernel* any = oyi_compute_cell(op, v->key, OY_DTYPE_ANY).kernel;
  bool differs = false;
  for (unsigned d = 0; d < OY_DTYPE_LIMIT; d++) {
    const oy_kernel* kernel = oyi_compute_cell(op, v->key, (oy_dtype)d).kernel;
    differs |= kernel != any;
    store(&v->open.by_dtype[d + 1], kernel);
  }
  store(&v->open.by_dtype[0], any);
  return differs;
}

static oy_status ensure_slot(oyi_op* op, oy_key slot) {
  if (oyi_variants_at(op, slot)) return OY_OK;
  oyi_variants* v = oyi_zalloc(sizeof(*v));
  if (!v) return OY_OUT_OF_MEMORY;
  v->open.kernel = (oy_kernel){oyi_thunk_variant, variants_boxed, &v->open.kernel};
  v->open.rule = &op->registry->dtype_rule;
  v->key = slot;
  oyi_variants_fill(op, v);
  v->next = op->variants;
  op->variants = v;
  return OY_OK;
}

oy_status oyi_variants_ensure(oyi_op* op, oy_key key) {
  oy_keyset set = oy_key_expand(key);
  // A kernel at CompositeExplicitAutograd keeps the implicit composite away from
  // keys that it does not cover itself: these depend on its dtype, too.
  if (key == OY_KEY_CompositeExplicitAutograd)
    set = oy_keyset_or(set, oy_key_expand(OY_KEY_CompositeImplicitAutograd));
  set.backends &= oyi_table_backends;
  uint32_t cursor = 0;
  oy_key slot;
  while (oy_keyset_next(set, &cursor, &slot)) OY_TRY(ensure_slot(op, slot));
  return oy_key_is_alias(key) ? ensure_slot(op, OY_KEY_Undefined) : OY_OK;
}

static void free_variants(oyi_retired* retired) {
  oyi_free(retired);
}

void oyi_variants_retire(oyi_op* op) {
  oyi_variants* next;
  oyi_variants* v = op->variants;
  op->variants = NULL;
  // Slots must not show a record that is about to go.
  if (v) oyi_table_refresh_all(op);
  for (; v; v = next) {
    next = v->next;
    oyi_retire(&op->registry->limbo, &v->retired, free_variants);
  }
}

static void* only_state(const oy_variants* v) {
  void* state = NULL;
  for (unsigned d = 0; d <= OY_DTYPE_LIMIT; d++) {
    void* one = by_dtype(v, (oy_dtype)d)->user_data;
    if (one && state && one != state) return NULL;
    if (one) state = one;
  }
  return state;
}

void* oy_kernel_state(const oy_op* op, oy_keyset keys) {
  const oy_kernel* kernel = oy_op_select_exact(op, oy_keyset_unmarked(keys));
  if (kernel->typed != oyi_thunk_variant) return kernel->user_data;
  return only_state(variants_of(kernel));
}
