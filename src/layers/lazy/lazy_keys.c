// SPDX-License-Identifier: Apache-2.0
// The keys: Conjugate, Negative, ZeroTensor; and Named, which has a fallback and nothing else.
#include "base/memory.h"
#include "layers/lazy/lazy.h"
#include "layers/lazy/lazy_register.h"
#include "ops/calls.h"

// ------------------------------------------------------------- conjugate, negative

// The memory itself, without the key.
static oy_object* plain_of(const oyi_lazy* lazy, oy_object* tensor) {
  oyi_tensor* plain = oyi_tensor_alias_same(oyi_tensor_cast(tensor));
  if (plain) plain->header.keys.functionality &= ~(1ull << lazy->key);
  return oyi_tensor_object(plain);
}

static oy_object* turned(const oyi_lazy* lazy, oy_object* value) {
  return lazy->key == OY_KEY_Conjugate ? oyi_call_conj_physical(value)
                                       : oyi_call_neg(value);
}

static oy_object* computed(const oyi_lazy* lazy, oy_object* tensor) {
  oy_object* plain = plain_of(lazy, tensor);
  oy_object* result = plain ? turned(lazy, plain) : NULL;
  oy_tensor_release(plain);
  return result;
}

static oy_object* cloned(const oyi_lazy* lazy, oy_object* tensor, oy_value format) {
  oy_object* plain = plain_of(lazy, tensor);
  oy_object* out = plain ? oyi_call_empty_like(plain, oy_none(), oy_none(), oy_none(),
                                               oy_none(), format)
                         : NULL;
  // It is new, and no write to it counts.
  oy_guard guard = oy_guard_below_adinplaceorview();
  oy_object* result = !out ? NULL
                      : lazy->key == OY_KEY_Conjugate
                          ? oyi_call_conj_physical_out(plain, out)
                          : oyi_call_neg_out(plain, out);
  oy_guard_end(&guard);
  if (!result) oy_tensor_release(out);
  oy_tensor_release(plain);
  return result;
}

static oy_status written(const oyi_lazy* lazy, oy_object* target, oy_object* value) {
  oy_object* plain = plain_of(lazy, target);
  oy_object* made = plain ? turned(lazy, value) : NULL;
  // The layers above have counted the write.
  oy_guard guard = oy_guard_below_adinplaceorview();
  bool good = made && oyi_call_copy_(plain, made, false);
  oy_guard_end(&guard);
  oy_tensor_release(made);
  oy_tensor_release(plain);
  return good ? OY_OK : oy_failure();
}

// --------------------------------------------------------------------------- zeros

static oy_object* zeros(const oyi_lazy* lazy, oy_object* tensor) {
  (void)lazy;
  const oyi_tensor* t = oyi_tensor_cast(tensor);
  oy_object* zero = oyi_call_zeros(oy_dims_none(), oy_int(t->header.dtype), oy_none(),
                                   oy_value_device(oyi_tensor_device(t)), oy_none());
  oy_object* result = zero ? oyi_call_expand(zero, oyi_sizes_view(t), false) : NULL;
  oy_tensor_release(zero);
  return result;
}

static const oyi_lazy g_keys[] = {
    {OY_KEY_Conjugate, "conjugate", computed, cloned, written, NULL},
    {OY_KEY_Negative, "negation", computed, cloned, written, NULL},
    {OY_KEY_ZeroTensor, "zero", zeros, NULL, NULL,
     "ZeroTensors are immutable. Please use the materialized zero tensor obtained using "
     ".clone() if you want a mutable tensor."},
};

// ---------------------------------------------------------------------------- Named

static oy_status named(const oy_op* op, oy_keyset keys, oy_stack* stack,
                       const oy_kernel* kernel) {
  (void)keys, (void)kernel;
  oy_stack_drop(stack, op->argument_count);
  return OY_FAIL(
      NOT_IMPLEMENTED,
      "%.*s is not yet supported with named tensors. Please drop names via "
      "`tensor = tensor.rename(None)`, call the op with an unnamed tensor, and "
      "set names on the result of the operation.",
      OY_STR_ARG(oy_op_name_of(op)));
}

// --------------------------------------------------------------------- registration

oy_status oyi_register_lazy_fallbacks(oy_library* fallbacks) {
  for (size_t i = 0; i < OY_ARRAY_SIZE(g_keys); i++) {
    oy_kernel_params spec = {.boxed = oyi_lazy_fallback,
                             .state = (void*)(uintptr_t)&g_keys[i]};
    OY_TRY(oy_library_fallback(fallbacks, g_keys[i].key, &spec, OY_HERE, NULL));
  }
  return oy_library_fallback(fallbacks, OY_KEY_Named, &OY_BOXED(named), OY_HERE, NULL);
}
