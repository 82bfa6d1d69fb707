// SPDX-License-Identifier: Apache-2.0
// Kernels and fallbacks.
#include "base/memory.h"
#include "dispatch/library_name.h"
#include "dispatch/library_text.h"
#include "dispatch/name_map.h"
#include "dispatch/op.h"
#include "dispatch/registration.h"
#include "dispatch/table.h"

static inline __attribute__((always_inline)) oy_status add_kernel(
    oy_library* library, oyi_op* op, oy_key key, const oy_impl_params* params,
    oy_registration** out_registration) {
  oy_registration* r;
  OY_TRY(oyi_registration_create(library, OYI_IMPL, params->place, &params->kernel, &r));
  r->key = key;
  oy_status status = oyi_link_impl(r, op, params->allow_override);
  if (status != OY_OK)
    oyi_registration_discard(r);
  else if (out_registration)
    *out_registration = r;
  return status;
}

// A kernel for an operator that exists, under the name that it has, at a key that
// needs nothing: all there is to check is the kernel. False if it is not that simple.
static inline __attribute__((always_inline)) bool impl_known(
    oy_library* library, const oy_impl_params* params, oy_registration** out_registration,
    oy_status* out_status) {
  char buffer[OYI_NAME_MAX_SIZE];
  oy_str name;
  oy_key key = oyi_effective_key(library, params->key);
  if (!oyi_key_is_ready(key) || (library->key != OY_KEY_Undefined && key != library->key))
    return false;
  if (!oyi_prefixed(library, oy_str_of(params->name), buffer, &name)) return false;
  oy_registry* registry = library->registry;
  pthread_mutex_lock(&registry->mutex);
  oyi_op* op = oyi_name_map_find(registry->names, name, oyi_name_hash(name));
  bool known = op && op->registrations;
  if (known) {
    *out_status = oyi_check_kernel(&params->kernel);
    if (*out_status == OY_OK)
      *out_status = add_kernel(library, op, key, params, out_registration);
  }
  oyi_registry_unlock(registry);
  return known;
}

// Any name, key and operator, checked in this order.
OYI_COLD static oy_status impl_any(oy_library* library, const oy_impl_params* params,
                                   oy_registration** out_registration) {
  oy_op_name parsed;
  oy_str text = oy_str_of(params->name);
  OY_TRY(oy_op_name_parse(text, &parsed));
  OY_TRY(oyi_check_namespace(library, "impl", text, parsed.ns));
  OY_TRY(oyi_check_impl_key(library, params));
  if (!library->ns && parsed.ns.size == 0)
    return OY_FAIL(INVALID_ARGUMENT,
                   "impl(\"%s\", ...): expected a name with a namespace in a "
                   "block for the wildcard namespace _",
                   params->name);
  oy_key key = oyi_effective_key(library, params->key);
  OY_TRY(oyi_check_kernel_key(key));
  OY_TRY(oyi_use_backend_of(key));
  char buffer[OYI_NAME_MAX_SIZE];
  oy_str name;
  OY_TRY(oyi_full_name(library, parsed, buffer, &name));
  OY_TRY(oyi_check_kernel(&params->kernel));
  pthread_mutex_lock(&library->registry->mutex);
  oyi_op* op;
  oy_status status = oyi_op_intern(library->registry, name, &op);
  if (status == OY_OK) {
    status = add_kernel(library, op, key, params, out_registration);
    if (status != OY_OK) oyi_op_settle(op);
  }
  oyi_registry_unlock(library->registry);
  return status;
}

oy_status oy_library_impl(oy_library* library, const oy_impl_params* params,
                          oy_registration** out_registration) {
  if (out_registration) *out_registration = NULL;
  OY_CHECK(params->name, INVALID_ARGUMENT,
           "impl: expected the name of an operator, got NULL");
  oy_status status;
  return impl_known(library, params, out_registration, &status)
             ? status
             : impl_any(library, params, out_registration);
}
// ------------------------------------------------------------------- fallback

oy_status oy_library_fallback(oy_library* library, oy_key key,
                              const oy_kernel_params* kernel, oy_place place,
                              oy_registration** out_registration) {
  if (out_registration) *out_registration = NULL;
  OY_TRY(oyi_check_fallback(library, key));
  if (key == OY_KEY_Undefined) key = library->key;
  OY_CHECK(!(kernel->typed && !kernel->boxed), INVALID_ARGUMENT,
           "expected a boxed kernel or a fallthrough as fallback for %s, got a "
           "typed one, which fits one signature only",
           oy_key_name(key));
  OY_TRY(oyi_check_kernel_key(key));
  // A fallback alone brings no backend into use: the first call of it does, and finds this.
  OY_TRY(oyi_check_kernel(kernel));
  oy_registration* r;
  pthread_mutex_lock(&library->registry->mutex);
  oy_status status = oyi_registration_create(library, OYI_FALLBACK, place, kernel, &r);
  if (status == OY_OK) {
    r->key = key;
    status = oyi_link_fallback(r);
    if (status != OY_OK)
      oyi_registration_discard(r);
    else if (out_registration)
      *out_registration = r;
  }
  oyi_registry_unlock(library->registry);
  return status;
}
