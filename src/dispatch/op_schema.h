// SPDX-License-Identifier: Apache-2.0
// Schemas of operators. A definition is checked when it is made, but what is kept is
// its text: most operators are called and never asked for their schema. The first
// question parses the text again, and the schema then lives as long as the definition.
#ifndef OPYARD_SRC_DISPATCH_OP_SCHEMA_H_
#define OPYARD_SRC_DISPATCH_OP_SCHEMA_H_

#include "dispatch/registry.h"

// The schema of a linked definition; NULL with the error set if memory is short.
// The registry's lock is held.
const oy_schema* oyi_definition_schema(oy_registration* definition);
// NOT_FOUND if there is no definition, OUT_OF_MEMORY. Needs no lock.
oy_status oyi_op_schema(const oyi_op* op, const oy_schema** out_schema);
// An operator gets and loses its definition. The registry's lock is held.
void oyi_definition_begin(oyi_op* op, oy_registration* definition);
void oyi_definition_end(oyi_op* op);

#endif  // OPYARD_SRC_DISPATCH_OP_SCHEMA_H_
