// SPDX-License-Identifier: Apache-2.0
// Signature classes: how the typed calls of an operator pass their arguments,
// as a short text computed from the schema. Operators of one class share their
// trampolines. Classes are interned and counted; a writer's lock of its own.
//
// One letter for each argument, '>' and one for each result:
//   t Tensor, Tensor?   T Tensor[], Tensor?[]   i int-like   b bool   d float
//   z complex   s str   D Device   v Scalar and optionals that are not lists
//   I int[]   F float[]   B bool[]   V other lists, tuples   M Dict
//   g Generator   o other objects
// A Tensor result that is argument n is "rn" ("ttv>r0"). Results of lists,
// strings and optionals come through an oy_value*, owned; all others as the
// argument form of their letter.
#ifndef OPYARD_SRC_DISPATCH_SIGNATURE_H_
#define OPYARD_SRC_DISPATCH_SIGNATURE_H_

#include "opyard/library.h"

// Immutable once made. When trampolines for its class are registered later, it
// is taken out of the table, and the next operator of the class gets a new one.
typedef struct oyi_signature {
  struct oyi_signature* next;  // in its hash chain
  char* abi;
  int references;
  uint32_t hash;
  bool linked;          // still in the table
  bool returns_object;  // exactly one result, 't' or 'r'
  oy_typed_fn box;
  oy_boxed_fn unbox;
  oy_typed_fn variant;
} oyi_signature;

// The class of |schema|, with a reference. OUT_OF_MEMORY.
oy_status oyi_signature_acquire(const oy_schema* schema,
                                const oyi_signature** out_signature);
// Takes NULL.
void oyi_signature_release(const oyi_signature* signature);

#endif  // OPYARD_SRC_DISPATCH_SIGNATURE_H_
