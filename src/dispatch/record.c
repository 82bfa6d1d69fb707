// SPDX-License-Identifier: Apache-2.0
// The records of registrations: made, filled, given back. Linking them is the matter
// of registration.c.
#include "base/memory.h"
#include "dispatch/call.h"
#include "dispatch/place.h"
#include "dispatch/registration.h"
#include "dispatch/thunks.h"

static void set_kernel(oy_registration* r, const oy_kernel_params* kernel) {
  r->older = NULL;
  r->fallthrough = kernel->fallthrough;
  r->typed = kernel->typed != NULL;
  r->kernel.typed = kernel->typed ? kernel->typed : oyi_thunk_box;
  r->kernel.boxed = kernel->fallthrough ? oyi_boxed_fallthrough
                    : kernel->boxed     ? kernel->boxed
                                        : oyi_boxed_typed;
  r->kernel.user_data = kernel->state;
  r->destroy_state = kernel->destroy_state;
  r->dtype_filter = kernel->dtype_filter;
  r->cpu_level = kernel->cpu_level;
  r->priority = kernel->priority;
}

oy_status oyi_check_kernel(const oy_kernel_params* kernel) {
  bool has_entry = kernel->typed || kernel->boxed;
  OY_CHECK(has_entry || kernel->fallthrough, INVALID_ARGUMENT,
           "expected a kernel with a typed entry, a boxed entry, or the mark "
           "for a fallthrough, got none of them");
  OY_CHECK(!(has_entry && kernel->fallthrough), INVALID_ARGUMENT,
           "expected a kernel or a fallthrough, got both in one registration");
  OY_CHECK(kernel->dtype_filter <= OY_DTYPE_LIMIT, INVALID_ARGUMENT,
           "expected a dtype below %d, got %d", OY_DTYPE_LIMIT, kernel->dtype_filter - 1);
  OY_CHECK(kernel->cpu_level <= OY_CPU_V4, INVALID_ARGUMENT,
           "expected a CPU level from %d to %d, got %d", OY_CPU_BASELINE, OY_CPU_V4,
           kernel->cpu_level);
  OY_CHECK(!kernel->fallthrough || !kernel->signature, INVALID_ARGUMENT,
           "expected a fallthrough without a signature, got \"%s\"", kernel->signature);
  return OY_OK;
}

// What all kinds have.
static oy_status begin(oy_registration* r, oy_library* library, oyi_slab* slab,
                       oyi_registration_kind kind, oy_place place) {
  r->other = NULL;
  r->op = NULL;
  r->library = library;
  r->slab = slab;
  r->place = NULL;
  r->schema = NULL;
  r->kind = (uint8_t)kind;
  return oyi_place_set(r, library, place);
}

oy_status oyi_registration_create(oy_library* library, oyi_registration_kind kind,
                                  oy_place place, const oy_kernel_params* kernel,
                                  oy_registration** out_registration) {
  *out_registration = NULL;
  oyi_slab* slab;
  oy_registration* r = oyi_slabs_take(&library->registry->kernels, sizeof(*r), &slab);
  if (!r) return OY_OUT_OF_MEMORY;
  oy_status status = begin(r, library, slab, kind, place);
  if (status == OY_OK && kernel->signature)
    status =
        oy_schema_parse(oy_str_of(kernel->signature),
                        OY_SCHEMA_SIGNATURE | OY_SCHEMA_ALLOW_TYPE_VARIABLES, &r->schema);
  if (status != OY_OK) {
    oyi_registration_discard(r);
    return status;
  }
  set_kernel(r, kernel);
  *out_registration = r;
  return OY_OK;
}

static void* definition_alloc(oy_registry* registry, size_t size, oyi_slab** out_slab) {
  size_t least = OYI_DEFINITION_LEAST, step = OYI_DEFINITION_STEP;
  size_t i = size <= least ? 0 : (size - least + step - 1) / step;
  *out_slab = NULL;
  if (i >= OYI_DEFINITION_SIZES) return oyi_malloc(size);
  return oyi_slabs_take(&registry->definitions[i], least + i * step, out_slab);
}

static char* put_text(char* at, const char* text, size_t size) {
  memcpy(at, text, size);
  at[size] = '\0';
  return at + size + 1;
}

oy_status oyi_definition_create(oy_library* library, oy_place place, oy_str text,
                                const char* tags, oy_registration** out_registration) {
  *out_registration = NULL;
  size_t tags_size = tags ? strlen(tags) : 0;
  oyi_slab* slab;
  size_t size = offsetof(oy_registration, text) + text.size + tags_size + 2;
  oy_registration* r = definition_alloc(library->registry, size, &slab);
  if (!r) return OY_OUT_OF_MEMORY;
  char* at = put_text(r->text, text.data, text.size);
  r->tags = tags ? at : NULL;
  if (tags) put_text(at, tags, tags_size);
  r->signature = NULL;
  r->sibling = NULL;
  oy_status status = begin(r, library, slab, OYI_DEF, place);
  if (status != OY_OK) {
    oyi_registration_discard(r);
    return status;
  }
  *out_registration = r;
  return OY_OK;
}

void oyi_registration_discard(oy_registration* r) {
  oyi_text_release(r->place);
  oy_schema_free(r->schema);
  if (r->kind == OYI_DEF) oyi_signature_release(r->signature);
  if (r->slab)
    oyi_slab_return(r->slab, r);
  else
    oyi_free(r);
}
