// SPDX-License-Identifier: Apache-2.0
// Filling a tensor with random numbers: each element is a function of its position, so
// that layout and threads do not matter.
#ifndef OPYARD_SRC_BACKENDS_CPU_RANDOM_RANDOM_FILL_H_
#define OPYARD_SRC_BACKENDS_CPU_RANDOM_RANDOM_FILL_H_

#include "backends/cpu/loops/philox.h"
#include "tensor/generator.h"
#include "tensor/impl.h"

// A distribution. |transform| makes |n| numbers of dtype |work| of random words, |n| being
// even where a pair is made together.
typedef struct oyi_random {
  void (*transform)(const struct oyi_random* r, const uint32_t* words, int64_t n,
                    void* out);
  oy_dtype work;   // F32, F64 or I64
  int per_step;    // numbers that 128 bits make: 4 or 2
  double a, b;     // parameters
  uint64_t range;  // of integers: above 0, or 0 for all 64 bits
  int64_t base;
} oyi_random;

// Fills |self|, of any layout, and gives it; NULL on failure. On Meta only the generator
// goes on.
oy_object* oyi_random_fill(oy_object* self, oy_value generator, const oyi_random* r);

// A number for each element of |a|, which it replaces, from a stream of its own; |b| is as
// long. Both are contiguous and double. |like| tells the device.
typedef double (*oyi_random_number)(double a, double b, oyi_stream* s);
oy_status oyi_random_numbers(const oyi_tensor* like, oyi_tensor* a, const oyi_tensor* b,
                             oy_value generator, oyi_random_number number);

// Standard normal numbers, times b, plus a: for a float dtype.
oyi_random oyi_random_normal(oy_dtype dtype, double mean, double std);
// Uniform over 0 to 1 in double: what most transforms begin with.
void oyi_random_units(const uint32_t* words, int64_t n, double* out);

#endif  // OPYARD_SRC_BACKENDS_CPU_RANDOM_RANDOM_FILL_H_
