// SPDX-License-Identifier: Apache-2.0
// Debug text of a registration: "registered at file:line", or what it was given.
#ifndef OPYARD_SRC_DISPATCH_PLACE_H_
#define OPYARD_SRC_DISPATCH_PLACE_H_

#include "base/strbuf.h"
#include "dispatch/registry.h"

void oyi_place_print(const oy_registration* registration, oyi_strbuf* out);
// Stores |place| in |registration|, with a copy only if the text is not the
// library's own. OUT_OF_MEMORY.
oy_status oyi_place_set(oy_registration* registration, const oy_library* library,
                        oy_place place);

#endif  // OPYARD_SRC_DISPATCH_PLACE_H_
