// SPDX-License-Identifier: Apache-2.0
// Typed entries that fit every signature, because they touch no argument: each
// jumps to the entry that the operator (the first argument) has for the purpose.
// So one kernel record can stand in the tables of all operators.
#ifndef OPYARD_SRC_DISPATCH_THUNKS_H_
#define OPYARD_SRC_DISPATCH_THUNKS_H_

void oyi_thunk_box(void);      // jumps to op->box
void oyi_thunk_fail(void);     // jumps to op->fail
void oyi_thunk_variant(void);  // jumps to op->variant

#endif  // OPYARD_SRC_DISPATCH_THUNKS_H_
