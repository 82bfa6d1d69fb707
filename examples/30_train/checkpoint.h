// SPDX-License-Identifier: Apache-2.0
// The whole state of a training in one safetensors file: what is trained, what the
// optimizer keeps, and where in which order of the samples it stands.
#ifndef EXAMPLES_TRAIN_CHECKPOINT_H_
#define EXAMPLES_TRAIN_CHECKPOINT_H_

#include "network.h"
#include "opyard/optim.h"

typedef struct position {
  uint64_t epoch, batch;  // that come next
  uint64_t step;          // taken so far
  // Of the generator, when the order of this epoch was drawn from it.
  oy_generator_state order;
  // A training goes on with what it began with.
  uint64_t samples, batch_size, optimizer;
} position;

OY_MUST_USE oy_status checkpoint_write(const char* path, const network* net,
                                       const oy_optimizer* optimizer, const position* at);
// Fills |net| and |optimizer|, and |at|, which says which training it has to be of. Errors
// say what does not fit.
OY_MUST_USE oy_status checkpoint_read(const char* path, network* net,
                                      oy_optimizer* optimizer, position* at);

#endif  // EXAMPLES_TRAIN_CHECKPOINT_H_
