// SPDX-License-Identifier: Apache-2.0
// Libraries: which kind may register what, and the texts when it may not
// (PyTorch reference, section 3). The records are linked in registration.c.
#include "opyard/library.h"

#include "base/memory.h"
#include "base/strbuf.h"
#include "dispatch/library_text.h"
#include "dispatch/op.h"
#include "dispatch/registration.h"
#include "dispatch/table.h"

// ------------------------------------------------------------ create, destroy

static bool is_wildcard(const char* ns) {
  return !ns || !*ns || strcmp(ns, "_") == 0;
}

static bool is_identifier(const char* text) {
  if (*text >= '0' && *text <= '9') return false;
  for (; *text; text++) {
    bool letter = (*text >= 'a' && *text <= 'z') || (*text >= 'A' && *text <= 'Z');
    if (!letter && *text != '_' && !(*text >= '0' && *text <= '9')) return false;
  }
  return true;
}

static oy_status check_params(const oy_library_params* p) {
  OY_CHECK(is_wildcard(p->ns) || is_identifier(p->ns), INVALID_ARGUMENT,
           "expected a namespace that is an identifier, got \"%s\"", p->ns);
  if (p->kind == OY_LIBRARY_IMPL) return OY_OK;
  oy_str kind = oy_str_of(oyi_kind_name(p->kind));
  OY_CHECK(!is_wildcard(p->ns), INVALID_ARGUMENT,
           "%s: cannot define %s with the wildcard namespace _ (every %s "
           "defines operators for a distinct namespace!) Did you mean to use "
           "TORCH_LIBRARY_IMPL instead?  (Error occurred while processing %s "
           "block at %s:%d)",
           kind.data, kind.data, kind.data, kind.data, p->file ? p->file : "(unknown)",
           p->line);
  OY_CHECK(p->key == OY_KEY_Undefined, INVALID_ARGUMENT,
           "%s: expected no dispatch key, got %s; put kernels for one key in a "
           "TORCH_LIBRARY_IMPL block  (Error occurred while processing %s block "
           "at %s:%d)",
           kind.data, oy_key_name(p->key), kind.data, p->file ? p->file : "(unknown)",
           p->line);
  return OY_OK;
}

static oy_status check_only_def(const oy_registry* registry, const oy_library* library) {
  if (library->kind != OY_LIBRARY_DEF) return OY_OK;
  for (const oy_library* l = registry->libraries; l; l = l->next) {
    if (l->kind != OY_LIBRARY_DEF || strcmp(l->ns, library->ns) != 0) continue;
    return OY_FAIL(
        ALREADY_EXISTS,
        "Only a single TORCH_LIBRARY can be used to register the namespace %s; "
        "please put all of your definitions in a single TORCH_LIBRARY block.  "
        "If you were trying to specify implementations, consider using "
        "TORCH_LIBRARY_IMPL (which can be duplicated).  If you really intended "
        "to define operators for a single namespace in a distributed way, you "
        "can use TORCH_LIBRARY_FRAGMENT to explicitly indicate this.  Previous "
        "registration of TORCH_LIBRARY was registered at %s:%d; latest "
        "registration was registered at %s:%d",
        library->ns, l->file, l->line, library->file, library->line);
  }
  return OY_OK;
}

static void free_library(oy_library* library) {
  oyi_free(library->ns);
  oyi_free(library->file);
  oyi_free(library);
}

static oy_library* make_library(const oy_library_params* p, oy_registry* registry) {
  oy_library* library = oyi_zalloc(sizeof(*library));
  if (!library) return NULL;
  library->registry = registry;
  library->kind = p->kind;
  library->key = p->key;
  library->line = p->line;
  const char* file = p->file ? p->file : "(unknown)";
  library->file = oyi_strndup(file, strlen(file));
  if (!is_wildcard(p->ns)) library->ns = oyi_strndup(p->ns, strlen(p->ns));
  if (library->file && (library->ns || is_wildcard(p->ns))) return library;
  free_library(library);
  return NULL;
}

static void link_library(oy_library* library) {
  oy_registry* registry = library->registry;
  library->next = registry->libraries;
  if (library->next) library->next->previous = library;
  registry->libraries = library;
}

static void unlink_library(oy_library* library) {
  if (library->previous)
    library->previous->next = library->next;
  else
    library->registry->libraries = library->next;
  if (library->next) library->next->previous = library->previous;
}

oy_status oy_library_create(const oy_library_params* params, oy_library** out_library) {
  *out_library = NULL;
  OY_TRY(check_params(params));
  oy_registry* registry = params->registry ? params->registry : oy_registry_default();
  if (!registry) return oy_error_get()->code;
  oy_library* library = make_library(params, registry);
  if (!library) return OY_OUT_OF_MEMORY;
  pthread_mutex_lock(&registry->mutex);
  oy_status status = check_only_def(registry, library);
  if (status == OY_OK) link_library(library);
  oyi_registry_unlock(registry);
  if (status != OY_OK) {
    free_library(library);
    return status;
  }
  *out_library = library;
  return OY_OK;
}

void oy_library_close(oy_library* library) {
  if (!library) return;
  oy_registry* registry = library->registry;
  pthread_mutex_lock(&registry->mutex);
  while (library->last) oyi_unlink(library->last);
  unlink_library(library);
  oyi_registry_unlock(registry);
  free_library(library);
}

void oy_registration_remove(oy_registration* registration) {
  if (!registration) return;
  oy_registry* registry = registration->library->registry;
  pthread_mutex_lock(&registry->mutex);
  if (registration->sibling) {
    oyi_unlink(registration->sibling);
    registration->sibling = NULL;
  }
  oyi_unlink(registration);
  oyi_registry_unlock(registry);
}

// ---------------------------------------------------------------------- names

enum { NAME_MAX_SIZE = 256 };

static char* put(char* at, oy_str text) {
  if (text.size) memcpy(at, text.data, text.size);
  return at + text.size;
}

// "ns::base.overload" for a name in the library's namespace, into |buffer|.
static oy_status full_name(const oy_library* library, oy_op_name name, char* buffer,
                           oy_str* out_name) {
  oy_str ns = name.ns.size ? name.ns : oy_str_of(library->ns);
  size_t size = ns.size + 2 + name.base.size;
  if (name.overload.size) size += 1 + name.overload.size;
  OY_CHECK(size < NAME_MAX_SIZE, INVALID_ARGUMENT,
           "expected an operator name of at most %d bytes, got %zu", NAME_MAX_SIZE - 1,
           size);
  char* at = put(buffer, ns);
  at = put(at, (oy_str){"::", 2});
  at = put(at, name.base);
  if (name.overload.size) at = put(put(at, (oy_str){".", 1}), name.overload);
  *at = '\0';
  *out_name = (oy_str){buffer, size};
  return OY_OK;
}

// Blocks of backends are made before the registry's lock is taken.
static oy_status use_backend_of(oy_key key) {
  oy_backend backend = oy_key_backend(key);
  return backend < 0 ? OY_OK : oyi_backend_activate(backend);
}

static oy_key effective_key(const oy_library* library, oy_key key) {
  if (key == OY_KEY_Undefined) key = library->key;
  return key == OY_KEY_Undefined ? (oy_key)OY_KEY_CompositeImplicitAutograd : key;
}

static oy_status check_kernel_key(oy_key key) {
  // The trace's own keys are in every table from the start.
  bool is_trace = key == OY_KEY_Trace || key == OY_KEY_TraceRedispatch;
  bool is_alias = key >= OY_KEY_ALIAS_BIT && key < OY_KEY_ALIAS_BIT + OY_ALIAS_KEY_COUNT;
  OY_CHECK(is_alias || (oy_key_is_runtime(key) && !is_trace), INVALID_ARGUMENT,
           "expected a runtime or alias key for a kernel, got %s", oy_key_name(key));
  return OY_OK;
}

// ------------------------------------------------------------------------ def

// The text to parse: with the namespace, and with the kernel's signature where
// only a name was given.
static char* def_text(const oy_library* library, const oy_def_params* params, oy_str name,
                      bool inferred) {
  (void)library;
  oyi_strbuf text = OYI_STRBUF_INIT;
  oyi_strbuf_str(&text, name);
  if (inferred) {
    oyi_strbuf_puts(&text, params->kernel->signature);
  } else {
    const char* arguments = strchr(params->schema, '(');
    oyi_strbuf_puts(&text, arguments ? arguments : "");
  }
  return oyi_strbuf_take(&text);
}

static oy_status parse_def(oy_library* library, const oy_def_params* params, char* buffer,
                           oy_schema** out_schema, bool* out_inferred, oy_str* out_name) {
  const char* paren = strchr(params->schema, '(');
  oy_str head = {params->schema,
                 paren ? (size_t)(paren - params->schema) : strlen(params->schema)};
  while (head.size && head.data[head.size - 1] == ' ') head.size--;
  oy_op_name name;
  OY_TRY(oy_op_name_parse(head, &name));
  OY_TRY(oyi_check_namespace(library, "def", head, name.ns));
  OY_TRY(full_name(library, name, buffer, out_name));
  *out_inferred = paren == NULL;
  if (!paren && !(params->kernel && params->kernel->signature))
    return oyi_fail_not_inferable(library, params->schema);
  char* text = def_text(library, params, *out_name, *out_inferred);
  if (!text) return OY_OUT_OF_MEMORY;
  unsigned flags = *out_inferred ? OY_SCHEMA_SIGNATURE : OY_SCHEMA_DEFAULT;
  if (params->allow_type_variables) flags |= OY_SCHEMA_ALLOW_TYPE_VARIABLES;
  oy_status status = oy_schema_parse(oy_str_of(text), flags, out_schema);
  oyi_free(text);
  return status;
}

static oy_status make_def(oy_library* library, const oy_def_params* params,
                          oy_schema* schema, bool inferred, oy_registration** out) {
  oy_status status = oyi_registration_create(library, OYI_DEF, params->place, NULL, out);
  if (status != OY_OK) {
    oy_schema_free(schema);
    return status;
  }
  oy_registration* r = *out;
  r->schema = schema;
  r->alias_defaulted = params->alias_defaulted;
  r->alias_kind = (uint8_t)(params->has_alias_kind ? params->alias_kind
                            : inferred             ? OY_ALIAS_CONSERVATIVE
                                                   : OY_ALIAS_FROM_SCHEMA);
  r->unobserved = params->unobserved;
  if (!params->tags) return OY_OK;
  r->tags = oyi_strndup(params->tags, strlen(params->tags));
  if (r->tags) return OY_OK;
  oyi_registration_discard(r);
  *out = NULL;
  return OY_OUT_OF_MEMORY;
}

static oy_status link_def_and_impl(oy_registration* def, oy_registration* impl,
                                   oy_str name) {
  oyi_op* op;
  OY_TRY(oyi_op_intern(def->library->registry, name, &op));
  oy_status status = OY_OK;
  if (op->def) status = oyi_fail_duplicate_def(op, def);
  if (status == OY_OK) status = oyi_link_def(def, op);
  if (status == OY_OK && impl) {
    status = oyi_link_impl(impl, op, false);
    // The record of a definition that is taken back is freed by the limbo.
    if (status != OY_OK) oyi_unlink(def);
  }
  oyi_op_settle(op);
  return status;
}

oy_status oy_library_def(oy_library* library, const oy_def_params* params,
                         oy_registration** out_registration) {
  if (out_registration) *out_registration = NULL;
  OY_CHECK(params->schema, INVALID_ARGUMENT,
           "def: expected a schema or a name, got NULL");
  if (library->kind == OY_LIBRARY_IMPL)
    return oyi_fail_def_in_impl(library, params->schema);
  char buffer[NAME_MAX_SIZE];
  oy_schema* schema = NULL;
  bool inferred;
  oy_str name;
  OY_TRY(parse_def(library, params, buffer, &schema, &inferred, &name));
  oy_registration *def = NULL, *impl = NULL;
  OY_TRY(make_def(library, params, schema, inferred, &def));
  oy_status status = OY_OK;
  if (params->kernel) {
    status =
        oyi_registration_create(library, OYI_IMPL, params->place, params->kernel, &impl);
    if (status == OY_OK) {
      impl->key = effective_key(library, params->key);
      status = check_kernel_key(impl->key);
    }
    if (status == OY_OK) status = use_backend_of(impl->key);
  }
  if (status == OY_OK) {
    pthread_mutex_lock(&library->registry->mutex);
    status = link_def_and_impl(def, impl, name);
    if (status == OY_OK) {
      def->sibling = impl;
      if (out_registration) *out_registration = def;
    }
    bool linked_def = def->op != NULL;
    oyi_registry_unlock(library->registry);
    if (status == OY_OK) return OY_OK;
    if (linked_def) def = NULL;
  }
  if (def) oyi_registration_discard(def);
  if (impl) oyi_registration_discard(impl);
  return status;
}

// ----------------------------------------------------------------------- impl

oy_status oy_library_impl(oy_library* library, const oy_impl_params* params,
                          oy_registration** out_registration) {
  if (out_registration) *out_registration = NULL;
  OY_CHECK(params->name, INVALID_ARGUMENT,
           "impl: expected the name of an operator, got NULL");
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
  oy_key key = effective_key(library, params->key);
  OY_TRY(check_kernel_key(key));
  OY_TRY(use_backend_of(key));
  char buffer[NAME_MAX_SIZE];
  oy_str name;
  OY_TRY(full_name(library, parsed, buffer, &name));
  oy_registration* r;
  OY_TRY(oyi_registration_create(library, OYI_IMPL, params->place, &params->kernel, &r));
  r->key = key;
  pthread_mutex_lock(&library->registry->mutex);
  oyi_op* op;
  oy_status status = oyi_op_intern(library->registry, name, &op);
  if (status == OY_OK) {
    status = oyi_link_impl(r, op, params->allow_override);
    if (status != OY_OK) oyi_op_settle(op);
  }
  oyi_registry_unlock(library->registry);
  if (status != OY_OK) {
    oyi_registration_discard(r);
    return status;
  }
  if (out_registration) *out_registration = r;
  return OY_OK;
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
  OY_TRY(check_kernel_key(key));
  OY_TRY(use_backend_of(key));
  oy_registration* r;
  OY_TRY(oyi_registration_create(library, OYI_FALLBACK, place, kernel, &r));
  r->key = key;
  pthread_mutex_lock(&library->registry->mutex);
  oy_status status = oyi_link_fallback(r);
  oyi_registry_unlock(library->registry);
  if (status != OY_OK) {
    oyi_registration_discard(r);
    return status;
  }
  if (out_registration) *out_registration = r;
  return OY_OK;
}
