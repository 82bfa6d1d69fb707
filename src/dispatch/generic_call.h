// SPDX-License-Identifier: Apache-2.0
// Trampolines for any signature class: between typed and boxed calls without
// code made for the class. The text of the class says where each argument is;
// the C side works on a picture of the argument registers and of the words that
// were passed in memory, and a few instructions of assembly (arch/) move between
// the picture and the machine.
//
// What an argument takes, by letter:  t i b o g D  one integer word
//   s v T I F B V M  two integer words   d  one float   z  two floats
// Both words of a pair are in registers, or both are in memory.
#ifndef OPYARD_SRC_DISPATCH_GENERIC_CALL_H_
#define OPYARD_SRC_DISPATCH_GENERIC_CALL_H_

#include "opyard/inline.h"

#if defined(__x86_64__) && defined(__LP64__)
#define OYI_GENERIC_CALL  1
#define OYI_INT_REGISTERS 6
// A single word may still use a register that a pair did not fit into.
#define OYI_SPILL_ENDS_REGISTERS 0
#elif defined(__aarch64__) && !defined(__APPLE__) && !defined(__ILP32__)
#define OYI_GENERIC_CALL         1
#define OYI_INT_REGISTERS        8
#define OYI_SPILL_ENDS_REGISTERS 1
#else
#define OYI_GENERIC_CALL         0
#define OYI_INT_REGISTERS        8
#define OYI_SPILL_ENDS_REGISTERS 1
#endif
#define OYI_FLOAT_REGISTERS 8

enum { OYI_MAX_ARGUMENTS = 64, OYI_MAX_RESULTS = 64 };

// The layout is known to arch/*.S.
typedef struct oyi_registers {
  uint64_t ints[OYI_INT_REGISTERS];
  uint64_t floats[OYI_FLOAT_REGISTERS];  // bits of doubles
  uint64_t* memory;                      // arguments passed on the machine stack
} oyi_registers;

// How much of a picture the arguments so far take.
typedef struct oyi_cursor {
  size_t ints, floats, words;
} oyi_cursor;

static inline uint64_t* oyi_next_ints(oyi_registers* r, oyi_cursor* at, size_t n) {
  if (at->ints + n <= OYI_INT_REGISTERS) {
    at->ints += n;
    return &r->ints[at->ints - n];
  }
  if (OYI_SPILL_ENDS_REGISTERS) at->ints = OYI_INT_REGISTERS;
  at->words += n;
  return &r->memory[at->words - n];
}

static inline uint64_t* oyi_next_floats(oyi_registers* r, oyi_cursor* at, size_t n) {
  if (at->floats + n <= OYI_FLOAT_REGISTERS) {
    at->floats += n;
    return &r->floats[at->floats - n];
  }
  if (OYI_SPILL_ENDS_REGISTERS) at->floats = OYI_FLOAT_REGISTERS;
  at->words += n;
  return &r->memory[at->words - n];
}

// The typed entries: any signature, and so called through a cast alone.
void oyi_generic_box(void);
void oyi_generic_variant(void);
// Boxed call of kernel->typed.
oy_status oyi_generic_unbox(const oy_op* op, oy_keyset keys, oy_stack* stack,
                            const oy_kernel* kernel);

// Where there is no assembly: NOT_IMPLEMENTED, with the signature.
oy_status oyi_generic_missing(const oy_op* op);

// ------------------------------------------------------------ C side of arch/

// The typed call in |r| as a boxed one; an object or a status.
uint64_t oyi_generic_box_call(oyi_registers* r);

// Where a call by dtype goes on; |typed| NULL: it failed and gives |result|.
typedef struct oyi_picked {
  oy_typed_fn typed;
  uint64_t result;
} oyi_picked;
oyi_picked oyi_generic_pick(oyi_registers* r);

// Calls |typed| with the picture, of which |words| are in memory.
uint64_t oyi_generic_invoke(oy_typed_fn typed, const oyi_registers* r, size_t words);

#endif  // OPYARD_SRC_DISPATCH_GENERIC_CALL_H_
