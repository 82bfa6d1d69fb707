// SPDX-License-Identifier: Apache-2.0
// Definitions. A schema is parsed to check it and to know its signature class; what is
// kept is its text (op_schema.h).
#include "base/memory.h"
#include "base/strbuf.h"
#include "dispatch/library_name.h"
#include "dispatch/library_text.h"
#include "dispatch/op.h"
#include "dispatch/owner.h"
#include "dispatch/registration.h"
#include "dispatch/schema_parser.h"

// A schema that was read to check it. Views of it are of the caller's text or |text|.
typedef struct read_def {
  oy_schema schema;
  oyi_arena arena;
  char* text;  // what was parsed, if that is not the caller's text
  oy_str name;
  oy_str rest;  // behind the name
  unsigned flags;
  bool inferred;
  char buffer[OYI_NAME_MAX_SIZE];
  uint64_t memory[160];
} read_def;

static void free_read(read_def* d) {
  oyi_arena_free(&d->arena);
  oyi_free(d->text);
}

// The text to parse: with the namespace, and with the kernel's signature where
// only a name was given.
static char* def_text(const oy_def_params* params, oy_str name, bool inferred) {
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

// Up to the first blank or parenthesis.
static size_t plain_head(const char* schema) {
  const char* p = schema;
  while (*p > ' ' && *p != '(') p++;
  return (size_t)(p - schema);
}

// A schema as most are: its name has no blanks, and is the library's. Whatever is not
// is left to read_any, and so are errors, which show the text with the namespace.
// OUT_OF_MEMORY, or OK and whether it was read.
static oy_status read_plain(const oy_library* library, const oy_def_params* params,
                            read_def* d, bool* out_done) {
  *out_done = false;
  size_t head = plain_head(params->schema);
  if (params->schema[head] != '(') return OY_OK;
  unsigned flags = d->flags;
  if (library->allows_variables) flags |= OY_SCHEMA_ALLOW_TYPE_VARIABLES;
  oy_str text = oy_str_of(params->schema);
  oy_status status = oyi_schema_read(text, flags, &d->arena, &d->schema);
  if (status != OY_OK) return status == OY_OUT_OF_MEMORY ? status : OY_OK;
  oy_str ns = d->schema.name.ns;
  d->rest = (oy_str){text.data + head, text.size - head};
  if (ns.size == 0) {
    *out_done = oyi_prefixed(library, d->schema.full_name, d->buffer, &d->name);
    d->schema.name.ns = oy_str_of(library->ns);
    d->schema.full_name = d->name;
  } else {
    d->name = d->schema.full_name;
    *out_done =
        oy_str_equal(ns, oy_str_of(library->ns)) && d->name.size < OYI_NAME_MAX_SIZE;
  }
  return OY_OK;
}

static oy_status read_any(const oy_library* library, const oy_def_params* params,
                          read_def* d) {
  const char* paren = strchr(params->schema, '(');
  oy_str head = {params->schema,
                 paren ? (size_t)(paren - params->schema) : strlen(params->schema)};
  while (head.size && head.data[head.size - 1] == ' ') head.size--;
  oy_op_name name;
  OY_TRY(oy_op_name_parse(head, &name));
  OY_TRY(oyi_check_namespace(library, "def", head, name.ns));
  OY_TRY(oyi_full_name(library, name, d->buffer, &d->name));
  d->inferred = paren == NULL;
  if (!paren && !(params->kernel && params->kernel->signature))
    return oyi_fail_not_inferable(library, params->schema);
  d->text = def_text(params, d->name, d->inferred);
  if (!d->text) return OY_OUT_OF_MEMORY;
  oy_str text = oy_str_of(d->text);
  d->rest = (oy_str){text.data + d->name.size, text.size - d->name.size};
  if (d->inferred) d->flags |= OY_SCHEMA_SIGNATURE;
  return oyi_schema_read(text, d->flags, &d->arena, &d->schema);
}

static oy_status read_schema(const oy_library* library, const oy_def_params* params,
                             read_def* d) {
  d->text = NULL;
  d->inferred = false;
  d->flags =
      params->allow_type_variables ? OY_SCHEMA_ALLOW_TYPE_VARIABLES : OY_SCHEMA_DEFAULT;
  oyi_arena_init_at(&d->arena, d->memory, sizeof(d->memory));
  bool done;
  oy_status status = read_plain(library, params, d, &done);
  if (status == OY_OK && !done) {
    oyi_arena_free(&d->arena);
    oyi_arena_init_at(&d->arena, d->memory, sizeof(d->memory));
    status = read_any(library, params, d);
  }
  if (status != OY_OK) free_read(d);
  return status;
}

static oy_status make_def(oy_library* library, const oy_def_params* params,
                          const read_def* d, oy_registration** out) {
  OY_TRY(oyi_definition_create(library, params->place, d->rest, params->tags, out));
  oy_registration* r = *out;
  r->parse_flags = (uint8_t)d->flags;
  r->alias_defaulted = params->alias_defaulted;
  r->alias_kind = (uint8_t)(params->has_alias_kind ? params->alias_kind
                            : d->inferred          ? OY_ALIAS_CONSERVATIVE
                                                   : OY_ALIAS_FROM_SCHEMA);
  r->unobserved = params->unobserved;
  return OY_OK;
}

// The kernel that comes with a definition. The lock is dropped to bring its backend
// into use.
static oy_status make_def_kernel(oy_library* library, const oy_def_params* params,
                                 oy_registration** out) {
  OY_TRY(oyi_check_kernel(params->kernel));
  OY_TRY(oyi_registration_create(library, OYI_IMPL, params->place, params->kernel, out));
  (*out)->key = oyi_effective_key(library, params->key);
  oy_status status = oyi_check_kernel_key((*out)->key);
  if (status != OY_OK) return status;
  pthread_mutex_unlock(&library->registry->mutex);
  status = oyi_use_backend_of((*out)->key);
  pthread_mutex_lock(&library->registry->mutex);
  return status;
}

// A definition that is there may be the same one, of code that is being replaced.
static bool take_over(const oyi_op* op, oy_registration** def) {
  if (strcmp(op->def->text, (*def)->text) != 0 ||
      !oyi_owner_take_definition(op->def, (*def)->library))
    return false;
  oyi_registration_discard(*def);
  *def = op->def;
  return true;
}

static oy_status link_def_and_impl(oy_registration** def, oy_registration* impl,
                                   const read_def* d) {
  oyi_op* op;
  OY_TRY(oyi_op_intern((*def)->library->registry, d->name, &op));
  oy_status status = OY_OK;
  bool taken = op->def && take_over(op, def);
  if (op->def && !taken) status = oyi_fail_duplicate_def(op, *def, &d->schema);
  if (status == OY_OK && !taken) status = oyi_link_def(*def, op, &d->schema);
  if (status == OY_OK && impl) {
    status = oyi_link_impl(impl, op, false);
    // The record of a definition that is taken back is freed by the limbo; one that was
    // taken over goes back with the rest.
    if (status != OY_OK && !taken) oyi_unlink(*def);
  }
  oyi_op_settle(op);
  return status;
}

static oy_status define(oy_library* library, const oy_def_params* params,
                        const read_def* d, oy_registration** out_registration) {
  oy_registration *def = NULL, *impl = NULL;
  pthread_mutex_lock(&library->registry->mutex);
  oy_status status = make_def(library, params, d, &def);
  if (status == OY_OK && params->kernel) status = make_def_kernel(library, params, &impl);
  if (status == OY_OK) status = link_def_and_impl(&def, impl, d);
  if (status == OY_OK) {
    def->sibling = impl;
    if (out_registration) *out_registration = def;
  } else {
    if (def && !def->op) oyi_registration_discard(def);
    if (impl) oyi_registration_discard(impl);
  }
  oyi_registry_unlock(library->registry);
  return status;
}

oy_status oy_library_def(oy_library* library, const oy_def_params* params,
                         oy_registration** out_registration) {
  if (out_registration) *out_registration = NULL;
  OY_CHECK(params->schema, INVALID_ARGUMENT,
           "def: expected a schema or a name, got NULL");
  if (library->kind == OY_LIBRARY_IMPL)
    return oyi_fail_def_in_impl(library, params->schema);
  read_def d;
  OY_TRY(read_schema(library, params, &d));
  oy_status status = define(library, params, &d, out_registration);
  free_read(&d);
  return status;
}
