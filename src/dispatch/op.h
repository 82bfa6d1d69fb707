// SPDX-License-Identifier: Apache-2.0
// Operator entries, for the files that register. Lock held in all of them.
#ifndef OPYARD_SRC_DISPATCH_OP_H_
#define OPYARD_SRC_DISPATCH_OP_H_

#include "dispatch/registry.h"

// Finds or makes the entry; a dead one gets a table again. An entry that stays
// without registrations is put back with oyi_op_settle.
oy_status oyi_op_intern(oy_registry* registry, oy_str name, oyi_op** out_op);
// Gives up the table of an operator that has no registrations left.
void oyi_op_settle(oyi_op* op);
// Unlocks, and frees what no call can see any more.
void oyi_registry_unlock(oy_registry* registry);

#endif  // OPYARD_SRC_DISPATCH_OP_H_
