// SPDX-License-Identifier: Apache-2.0
// A small convolutional network: conv 3x3, relu, max pool, twice; then a linear layer.
#ifndef EXAMPLES_TRAIN_NETWORK_H_
#define EXAMPLES_TRAIN_NETWORK_H_

#include "images.h"
#include "opyard/generator.h"

enum { PARAMETERS = 6 };

typedef struct network {
  oy_tensor* parameters[PARAMETERS];
} network;

extern const char* const parameter_names[PARAMETERS];

// For images of the size of those in |set|, which must be at least 4 x 4. Parameters are
// drawn as PyTorch's layers draw theirs, evenly within 1 / sqrt(inputs of the layer).
OY_MUST_USE oy_status network_create(const images* set, oy_generator* generator,
                                     network* out);
// Takes empty ones.
void network_free(network* net);

// Scores [N, CLASSES] for images [N, 1, rows, columns]. Call it with a scope open; the
// result belongs to that.
oy_tensor* network_run(const network* net, oy_tensor* x);

#endif  // EXAMPLES_TRAIN_NETWORK_H_
