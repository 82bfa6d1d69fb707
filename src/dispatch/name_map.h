// SPDX-License-Identifier: Apache-2.0
// Operators by name. Finding takes no lock: entries are only added, into a free
// cell with one release store, and a map that is full is replaced as a whole.
#ifndef OPYARD_SRC_DISPATCH_NAME_MAP_H_
#define OPYARD_SRC_DISPATCH_NAME_MAP_H_

#include "dispatch/registry.h"

uint32_t oyi_name_hash(oy_str name);
// NULL if there is none. Inside oy_call_enter, or with the lock held.
oyi_op* oyi_name_map_find(const oyi_name_map* map, oy_str name, uint32_t hash);
// Room for one more: may replace registry->names. Lock held.
oy_status oyi_name_map_reserve(oy_registry* registry);
// After reserve; cannot fail. Lock held.
void oyi_name_map_add(oy_registry* registry, oyi_op* op);
void oyi_name_map_free(oyi_name_map* map);

#endif  // OPYARD_SRC_DISPATCH_NAME_MAP_H_
