// SPDX-License-Identifier: Apache-2.0
// What becomes of the rows of a bag, as PyTorch numbers it.
#ifndef OPYARD_SRC_BACKENDS_CPU_NEURAL_EMBEDDING_BAG_H_
#define OPYARD_SRC_BACKENDS_CPU_NEURAL_EMBEDDING_BAG_H_

enum { BAG_SUM, BAG_MEAN, BAG_MAX };

#endif  // OPYARD_SRC_BACKENDS_CPU_NEURAL_EMBEDDING_BAG_H_
