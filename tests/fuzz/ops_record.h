// SPDX-License-Identifier: Apache-2.0
// What a call gave, as bytes that another process can read: whether it went well, and the
// elements of its results in row-major order, however they lie.
#ifndef OPYARD_TESTS_FUZZ_OPS_RECORD_H_
#define OPYARD_TESTS_FUZZ_OPS_RECORD_H_

#include "opyard/opyard.h"

typedef struct ops_record {
  char* data;
  size_t capacity, size;
  bool full;  // something did not fit
} ops_record;

// At most so many results of a call are offered to later ones.
enum { OPS_OFFERED = 2 };
// Whether result |i| is one that others may take: a small tensor with elements.
bool ops_is_offered(const oy_stack* stack, size_t i);

// Appends one call. Results that are neither tensors, lists of them nor numbers count as
// nothing. |offers|: whether results may be offered at all.
void ops_record_call(ops_record* record, oy_status status, const oy_stack* stack,
                     bool offers);

// How far results may be apart.
typedef struct ops_leeway {
  bool status;    // one may go well and the other not
  bool elements;  // they are compared at all
  double scale;   // the largest number that went in, or its square; at least 1
  double digits;  // of the coarsest floats that went in, as ops_digits
  bool
      extreme;  // infinities, NaN, huge numbers or a division by 0: results may end anywhere
} ops_leeway;

// What a float of |dtype| may differ by, beside its size; 0 for others.
double ops_digits(oy_dtype dtype);

// Reads one call at |at|, of each, and goes on to the next. NULL if they agree: both went
// well or neither did, dtypes and sizes are the same, integers are equal and floats are
// near. The text lives until the next call.
const char* ops_record_compare(const ops_record* a, const ops_record* b, size_t at[2],
                               const ops_leeway* leeway);

// The tensors that the call at |at| offers, contiguous and new; how many.
size_t ops_record_tensors(const ops_record* record, size_t at,
                          oy_object* out[OPS_OFFERED]);

#endif  // OPYARD_TESTS_FUZZ_OPS_RECORD_H_
