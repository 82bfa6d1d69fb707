// SPDX-License-Identifier: Apache-2.0
// Calls of any operator with arguments made up from its schema. A call is a function of
// the operator's name, a style and a number, so each can be made again alone.
#ifndef OPYARD_TESTS_OPS_HOSTILE_H_
#define OPYARD_TESTS_OPS_HOSTILE_H_

#include "opyard/opyard.h"
#include "tensor/impl.h"

typedef enum hostile_style {
  HOSTILE_WILD,     // anything at all
  HOSTILE_MIXED,    // arguments that fit together, but for some
  HOSTILE_FITTING,  // arguments that may well do
  HOSTILE_META,     // the same as HOSTILE_FITTING, on Meta
  HOSTILE_STEP      // as HOSTILE_FITTING, larger, or out of |offered|
} hostile_style;

enum {
  HOSTILE_ARGUMENTS = 64,
  HOSTILE_TENSORS = 64,
  HOSTILE_MEMORY = 1 << 16,
  HOSTILE_LIMIT = 64 << 20  // bytes in one allocation
};

// What a tensor was before the call.
typedef struct hostile_snapshot {
  oyi_tensor* tensor;
  bool written;  // by the schema
  oy_dtype dtype;
  oy_keyset keys;
  int64_t sizes[OY_TENSOR_MAX_DIMS], strides[OY_TENSOR_MAX_DIMS], offset;
  size_t ndim;
  uint32_t version;
  oyi_storage* storage;
  size_t nbytes;
  uint64_t hash;  // of the data of the storage
} hostile_snapshot;

typedef struct hostile_call {
  uint64_t random;
  const oy_op* op;
  const oy_schema* schema;
  hostile_style style;
  uint64_t number;
  bool unchecked;  // passed on without oy_op_push_defaults
  // Of HOSTILE_STEP, from whoever makes the call: tensors of which an argument may be a
  // copy, and whether tensors that are only read are to be contiguous.
  oy_object* const* offered;
  size_t offered_count;
  bool contiguous;
  // What arguments that fit together have in common.
  oy_dtype dtype;
  size_t rank;
  int64_t extent;
  oy_object* tensors[HOSTILE_TENSORS];  // given back at the end
  bool written[HOSTILE_TENSORS];
  size_t tensor_count;
  oy_value arguments[HOSTILE_ARGUMENTS];
  hostile_snapshot before[HOSTILE_TENSORS];
  size_t used;
  _Alignas(16) char memory[HOSTILE_MEMORY];  // of lists and numbers
} hostile_call;

// ------------------------------------------------------------------- random numbers

uint64_t hostile_random(hostile_call* c);
static inline int64_t hostile_below(hostile_call* c, int64_t n) {
  return (int64_t)(hostile_random(c) % (uint64_t)n);
}
static inline bool hostile_chance(hostile_call* c, int percent) {
  return hostile_below(c, 100) < percent;
}
// Whether the next thing made up need not fit.
bool hostile_is_wild(hostile_call* c);

// ------------------------------------------------------------------------ arguments

// Memory for |count| elements that lives as long as the call; NULL when it is used up.
void* hostile_memory(hostile_call* c, size_t count, size_t size);
// A tensor, or something that stands in its place; belongs to the call.
oy_object* hostile_tensor(hostile_call* c, oy_str name, bool written);
// In memory of its own, as it lies or contiguous; the caller's.
oy_object* hostile_copy(const oy_object* tensor, bool contiguous);
// Anything of the type of |argument|, or nearly.
oy_value hostile_value(hostile_call* c, const oy_argument* argument);
// Whether memory of a tensor that a call made up was written to outside its bounds.
bool hostile_memory_is_whole(void);

// ---------------------------------------------------------------------------- calls

// Makes up the arguments.
void hostile_call_make(hostile_call* c, const oy_op* op, hostile_style style,
                       uint64_t number);
// Makes the call; the results are on |stack|.
oy_status hostile_call_run(hostile_call* c, oy_stack* stack);
void hostile_call_end(hostile_call* c);
// What is wrong with the outcome, NULL if nothing is.
const char* hostile_call_check(hostile_call* c, oy_status status, const oy_stack* stack);
// What is wrong with a tensor in itself, NULL if nothing is.
const char* hostile_tensor_check(const oy_object* tensor);

#endif  // OPYARD_TESTS_OPS_HOSTILE_H_
