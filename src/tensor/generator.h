// SPDX-License-Identifier: Apache-2.0
// Generators as kernels use them.
#ifndef OPYARD_SRC_TENSOR_GENERATOR_H_
#define OPYARD_SRC_TENSOR_GENERATOR_H_

#include "opyard/generator.h"

// Takes |steps| of 128 bits for a call on |device|: *out_state is where they begin.
// |generator| may be None: the default one. INVALID_ARGUMENT if it is another
// device's.
oy_status oyi_generator_take(oy_value generator, oy_device device, uint64_t steps,
                             oy_generator_state* out_state);

#endif  // OPYARD_SRC_TENSOR_GENERATOR_H_
