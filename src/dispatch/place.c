// SPDX-License-Identifier: Apache-2.0
#include "dispatch/place.h"

#include "base/memory.h"

oyi_text* oyi_text_create(const char* text) {
  size_t size = strlen(text);
  oyi_text* made = oyi_malloc(sizeof(*made) + size + 1);
  if (!made) return NULL;
  made->references = 1;
  memcpy(made->data, text, size + 1);
  return made;
}

static oyi_text* retain(oyi_text* text) {
  __atomic_add_fetch(&text->references, 1, __ATOMIC_RELAXED);
  return text;
}

void oyi_text_release(oyi_text* text) {
  if (text && __atomic_sub_fetch(&text->references, 1, __ATOMIC_ACQ_REL) == 0)
    oyi_free(text);
}

void oyi_place_print(const oy_registration* registration, oyi_strbuf* out) {
  const char* file = registration->place->data;
  if (registration->is_debug_text)
    oyi_strbuf_puts(out, file);
  else
    oyi_strbuf_printf(out, "registered at %s:%d", file, registration->line);
}

oy_status oyi_place_set(oy_registration* registration, oy_library* library,
                        oy_place place) {
  const char* text = place.debug ? place.debug : place.file;
  registration->is_debug_text = place.debug != NULL;
  registration->line = text ? place.line : library->line;
  oyi_text* shared = library->place;
  if (text && strcmp(text, shared->data) != 0) {
    shared = library->recent;
    if (!shared || strcmp(text, shared->data) != 0) {
      shared = oyi_text_create(text);
      if (!shared) return OY_OUT_OF_MEMORY;
      oyi_text_release(library->recent);
      library->recent = shared;
    }
  }
  registration->place = retain(shared);
  return OY_OK;
}
