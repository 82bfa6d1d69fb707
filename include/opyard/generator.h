// SPDX-License-Identifier: Apache-2.0
// Generators of random numbers: what a `Generator` argument of an operator is.
//
// The numbers come from a counter (Philox 4x32-10): number i of a call is a function of
// the generator's seed, its offset when the call began, and i. So a seed gives the same
// numbers on every device, with any number of threads, and for any layout of the result.
// A call takes as many steps of the offset as it has use for, also if nothing is computed.
//
// Generators are counted objects and may be shared by threads: each call takes its
// numbers at once.
#ifndef OPYARD_GENERATOR_H_
#define OPYARD_GENERATOR_H_

#include "opyard/object.h"
#include "opyard/value.h"

OY_BEGIN_DECLS

typedef oy_object oy_generator;

// What a new generator, and the default ones, are seeded with; PyTorch's number.
#define OY_GENERATOR_DEFAULT_SEED 67280421310721ull

// All that there is to a generator.
typedef struct oy_generator_state {
  uint64_t seed;
  uint64_t offset;  // numbers that were taken, in steps of 128 bits
} oy_generator_state;

// A generator for |device|, seeded with OY_GENERATOR_DEFAULT_SEED; the caller's. NULL:
// OUT_OF_MEMORY.
OY_API oy_generator* oy_generator_create(oy_device device);
// Another one in the same state.
OY_API oy_generator* oy_generator_clone(const oy_generator* generator);
// What operators on |device| use that are given none; index -1 is the current one's.
// Borrowed; it lives as long as the library. NULL with INVALID_ARGUMENT if there is no such
// device, EXHAUSTED for more than 256 beyond the first ones of their backends.
OY_API oy_generator* oy_generator_default(oy_device device);

OY_API bool oy_object_is_generator(const oy_object* object);
OY_API oy_device oy_generator_device(const oy_generator* generator);

// Starts again from |seed|. TYPE_MISMATCH if |generator| is none.
OY_API OY_MUST_USE oy_status oy_generator_manual_seed(oy_generator* generator,
                                                      uint64_t seed);
// Seeds with a number that the system draws, and tells it.
OY_API OY_MUST_USE oy_status oy_generator_seed(oy_generator* generator,
                                               uint64_t* out_seed);
// The seed that it was last given; 0 with the error set if |generator| is none.
OY_API uint64_t oy_generator_initial_seed(const oy_generator* generator);
OY_API OY_MUST_USE oy_status oy_generator_get_state(const oy_generator* generator,
                                                    oy_generator_state* out_state);
OY_API OY_MUST_USE oy_status oy_generator_set_state(oy_generator* generator,
                                                    oy_generator_state state);
// For kernels: takes |steps| of 128 bits for a call on |device|; *out_state is where they
// begin. |generator| is NULL or &oy_none_object for the default one. INVALID_ARGUMENT if
// it is another device's ("Expected a 'cuda' device type for generator but found 'cpu'").
OY_API OY_MUST_USE oy_status oy_generator_take(oy_object* generator, oy_device device,
                                               uint64_t steps,
                                               oy_generator_state* out_state);
// Seeds the default generators of all devices, as torch.manual_seed does.
OY_API void oy_manual_seed(uint64_t seed);

OY_END_DECLS

#endif  // OPYARD_GENERATOR_H_
