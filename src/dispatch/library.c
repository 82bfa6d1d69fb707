// SPDX-License-Identifier: Apache-2.0
// Libraries: which kind there may be, and what becomes of it at its end (PyTorch
// reference, section 3). What is registered through them is in library_def.c and
// library_impl.c, the records in registration.c.
#include "opyard/library.h"

#include "base/memory.h"
#include "dispatch/library_name.h"
#include "dispatch/library_text.h"
#include "dispatch/op.h"
#include "dispatch/owner.h"
#include "dispatch/place.h"
#include "dispatch/registration.h"

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
    if (oyi_owner_is_replaced(l)) continue;
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
  oyi_text_release(library->place);
  oyi_text_release(library->recent);
  oyi_free(library);
}

// "ns" and "ns::", behind the handle.
static void put_namespace(oy_library* library, const char* ns) {
  size_t size = strlen(ns);
  char* at = (char*)(library + 1);
  memcpy(at, ns, size + 1);
  library->ns = at;
  at += size + 1;
  memcpy(at, ns, size);
  memcpy(at + size, "::", 3);
  library->prefix = at;
  library->prefix_size = size + 2;
  library->allows_variables = strcmp(ns, "aten") == 0 || strcmp(ns, "prim") == 0;
}

static oy_library* make_library(const oy_library_params* p, oy_registry* registry) {
  static const char no_prefix[OYI_SMALL_PREFIX] = "";
  size_t texts = is_wildcard(p->ns) ? 0 : 2 * strlen(p->ns) + 1 + OYI_SMALL_PREFIX;
  oy_library* library = oyi_zalloc(sizeof(*library) + texts);
  if (!library) return NULL;
  library->registry = registry;
  library->kind = p->kind;
  library->key = p->key;
  library->line = p->line;
  library->prefix = no_prefix;
  if (texts) put_namespace(library, p->ns);
  library->place = oyi_text_create(p->file ? p->file : "(unknown)");
  if (library->place) {
    library->file = library->place->data;
    return library;
  }
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
  if (!registry) return oy_failure();
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
  if (oyi_owner_adopt(library) != OY_OK) {
    oy_library_close(library);
    return OY_OUT_OF_MEMORY;
  }
  *out_library = library;
  return OY_OK;
}

void oy_library_close(oy_library* library) {
  if (!library) return;
  oyi_owner_forget(library);
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
  if (registration->kind == OYI_DEF && registration->sibling) {
    oyi_unlink(registration->sibling);
    registration->sibling = NULL;
  }
  oyi_unlink(registration);
  oyi_registry_unlock(registry);
}
