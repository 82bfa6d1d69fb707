// SPDX-License-Identifier: Apache-2.0
// What the program is told on its command line.
#ifndef EXAMPLES_TRAIN_OPTIONS_H_
#define EXAMPLES_TRAIN_OPTIONS_H_

#include "opyard/optim.h"

typedef struct options {
  const char* data;
  oy_optimizer_kind optimizer;
  double lr;
  int64_t epochs, batch;
  int64_t limit;  // samples of each set, 0: all
  int64_t steps;  // to stop after, counted from the beginning; -1: none
  uint64_t seed;
  bool in_order;           // no shuffling
  const char* checkpoint;  // NULL: none, and so for the others
  const char* resume;
  const char* losses;
  double want;  // accuracy in percent that has to be reached, 0: none
} options;

const char* optimizer_name(oy_optimizer_kind kind);
// False, with a message and the usage on stderr, for what it does not understand.
bool options_parse(int argc, char** argv, options* out);

#endif  // EXAMPLES_TRAIN_OPTIONS_H_
