// SPDX-License-Identifier: Apache-2.0
#include "dispatch/library_text.h"

#include "base/strbuf.h"
#include "dispatch/place.h"

#define CONTEXT       "(Error occurred while processing %s block at %s:%d)"
#define CONTEXT_OF(l) oyi_kind_name((l)->kind), (l)->file, (l)->line

const char* oyi_kind_name(oy_library_kind kind) {
  switch (kind) {
    case OY_LIBRARY_DEF: return "TORCH_LIBRARY";
    case OY_LIBRARY_FRAGMENT: return "TORCH_LIBRARY_FRAGMENT";
    default: return "TORCH_LIBRARY_IMPL";
  }
}

oy_status oyi_check_namespace(const oy_library* library, const char* verb, oy_str name,
                              oy_str ns) {
  if (ns.size == 0 || !library->ns || oy_str_equal(ns, oy_str_of(library->ns)))
    return OY_OK;
  if (strcmp(verb, "def") == 0)
    return OY_FAIL(INVALID_ARGUMENT,
                   "Explicitly provided namespace (%.*s) in schema string does not match "
                   "namespace of enclosing %s block (%s).  Move this definition to the "
                   "(unique) TORCH_LIBRARY block corresponding to this namespace (and "
                   "consider deleting the namespace from your schema string.)  " CONTEXT,
                   OY_STR_ARG(ns), oyi_kind_name(library->kind), library->ns,
                   CONTEXT_OF(library));
  return OY_FAIL(INVALID_ARGUMENT,
                 "impl(\"%.*s\", ...): Explicitly provided namespace (%.*s) in operator "
                 "name does not match namespace of enclosing %s block (%s).  Move this "
                 "definition to the %s block corresponding to this namespace (and "
                 "consider deleting the namespace from your schema string.)  " CONTEXT,
                 OY_STR_ARG(name), OY_STR_ARG(ns), oyi_kind_name(library->kind),
                 library->ns, oyi_kind_name(library->kind), CONTEXT_OF(library));
}

oy_status oyi_check_impl_key(const oy_library* library, const oy_impl_params* params) {
  if (library->key == OY_KEY_Undefined || params->key == OY_KEY_Undefined ||
      library->key == params->key)
    return OY_OK;
  return OY_FAIL(
      INVALID_ARGUMENT,
      "impl(\"%s\", ...): Explicitly provided dispatch key (%s) is inconsistent "
      "with the dispatch key of the enclosing %s block (%s).  Please declare a "
      "separate %s block for this dispatch key and move your impl() there.  " CONTEXT,
      params->name, oy_key_name(params->key), oyi_kind_name(library->kind),
      oy_key_name(library->key), oyi_kind_name(library->kind), CONTEXT_OF(library));
}

oy_status oyi_check_fallback(const oy_library* library, oy_key key) {
  if (library->kind != OY_LIBRARY_IMPL)
    return OY_FAIL(INVALID_ARGUMENT,
                   "fallback(...): Cannot define an operator inside of a %s "
                   "block.  Did you mean to call this function inside a "
                   "TORCH_LIBRARY_IMPL block?  " CONTEXT,
                   oyi_kind_name(library->kind), CONTEXT_OF(library));
  oy_key wanted = key == OY_KEY_Undefined ? library->key : key;
  if (library->ns)
    return OY_FAIL(INVALID_ARGUMENT,
                   "fallback(...): Fallback functions which apply to only a single "
                   "namespace (you specified %s) are not supported.  If you intended to "
                   "apply this fallback function globally, please define a separate "
                   "block:\n\n    TORCH_LIBRARY_IMPL(_, %s, m) { m.fallback(...); "
                   "}\n\n" CONTEXT,
                   library->ns, oy_key_name(wanted), CONTEXT_OF(library));
  if (wanted == OY_KEY_Undefined)
    return OY_FAIL(INVALID_ARGUMENT,
                   "fallback(...): expected a dispatch key, from the block or "
                   "the call, got none  " CONTEXT,
                   CONTEXT_OF(library));
  if (library->key != OY_KEY_Undefined && library->key != wanted)
    return OY_FAIL(INVALID_ARGUMENT,
                   "fallback(...): Explicitly provided dispatch key (%s) is "
                   "inconsistent with the dispatch key of the enclosing %s "
                   "block (%s).  " CONTEXT,
                   oy_key_name(wanted), oyi_kind_name(library->kind),
                   oy_key_name(library->key), CONTEXT_OF(library));
  return OY_OK;
}

oy_status oyi_fail_def_in_impl(const oy_library* library, const char* name) {
  const char* paren = strchr(name, '(');
  int size = paren ? (int)(paren - name) : (int)strlen(name);
  return OY_FAIL(INVALID_ARGUMENT,
                 "def(\"%.*s\"): Cannot define an operator inside of a %s "
                 "block.  All def()s should be placed in the (unique) "
                 "TORCH_LIBRARY block for their namespace.  " CONTEXT,
                 size, name, oyi_kind_name(library->kind), CONTEXT_OF(library));
}

oy_status oyi_fail_not_inferable(const oy_library* library, const char* name) {
  return OY_FAIL(INVALID_ARGUMENT,
                 "def(\"%s\"): Full schema string was not specified, and we "
                 "couldn't infer schema either.  Please explicitly provide a "
                 "schema string.  " CONTEXT,
                 name, CONTEXT_OF(library));
}

oy_status oyi_fail_duplicate_def(const oyi_op* op, const oy_registration* def,
                                 const oy_schema* new_schema) {
  oyi_strbuf now = OYI_STRBUF_INIT, was = OYI_STRBUF_INIT;
  oyi_place_print(def, &now);
  oyi_place_print(op->def, &was);
  char* schema = NULL;
  oy_status status = oy_schema_print(new_schema, &schema);
  if (status == OY_OK)
    status =
        OY_FAIL(ALREADY_EXISTS,
                "Tried to register an operator (%s) with the same name and overload "
                "name multiple times. Each overload's schema should only be registered "
                "with a single call to def(). Duplicate registration: %s. Original "
                "registration: %s",
                schema, now.data ? now.data : "", was.data ? was.data : "");
  oy_text_free(schema);
  oyi_strbuf_reset(&now);
  oyi_strbuf_reset(&was);
  return status;
}
