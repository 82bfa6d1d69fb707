// SPDX-License-Identifier: Apache-2.0
// Debug text of a registration: "registered at file:line", or what it was given.
#ifndef OPYARD_SRC_DISPATCH_PLACE_H_
#define OPYARD_SRC_DISPATCH_PLACE_H_

#include "base/strbuf.h"
#include "dispatch/registry.h"

void oyi_place_print(const oy_registration* registration, oyi_strbuf* out);
// Stores |place| in |registration|, with a copy only if the text is neither the
// library's own nor that of the registration before. OUT_OF_MEMORY. Lock held.
oy_status oyi_place_set(oy_registration* registration, oy_library* library,
                        oy_place place);

// A text with one reference; NULL with the error set.
oyi_text* oyi_text_create(const char* text);
void oyi_text_release(oyi_text* text);  // takes NULL

#endif  // OPYARD_SRC_DISPATCH_PLACE_H_
