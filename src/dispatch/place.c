// SPDX-License-Identifier: Apache-2.0
#include "dispatch/place.h"

#include "base/memory.h"

void oyi_place_print(const oy_registration* registration, oyi_strbuf* out) {
  const char* file = registration->file ? registration->file : "(unknown)";
  if (registration->is_debug_text)
    oyi_strbuf_puts(out, file);
  else
    oyi_strbuf_printf(out, "registered at %s:%d", file, registration->line);
}

oy_status oyi_place_set(oy_registration* registration, const oy_library* library,
                        oy_place place) {
  registration->line = place.line;
  const char* text = place.debug ? place.debug : place.file;
  registration->is_debug_text = place.debug != NULL;
  registration->file = library->file;
  if (!text) {
    registration->line = library->line;
    return OY_OK;
  }
  if (!place.debug && library->file && strcmp(text, library->file) == 0) return OY_OK;
  registration->text = oyi_strndup(text, strlen(text));
  registration->file = registration->text;
  return registration->text ? OY_OK : OY_OUT_OF_MEMORY;
}
