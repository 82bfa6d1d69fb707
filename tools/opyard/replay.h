// SPDX-License-Identifier: Apache-2.0
// The parts of `opyard replay`.
#ifndef OPYARD_TOOLS_OPYARD_REPLAY_H_
#define OPYARD_TOOLS_OPYARD_REPLAY_H_

#include "base/strbuf.h"
#include "model.h"

// Registers all that |model| has, with stand-in kernels, into |registry|. A
// |seed| other than 0 mixes the order, but for kernels of one operator and key,
// where the order is what is registered.
typedef struct cli_replayed {
  oy_library** libraries;
  char** names;  // their namespaces
  size_t count, capacity, name_capacity;
} cli_replayed;
oy_status cli_replay_register(const cli_model* model, oy_registry* registry,
                              uint64_t seed, cli_replayed* out_replayed);
// Closes the libraries, newest first; also what a failure left.
void cli_replay_close(cli_replayed* replayed);

// The state and table dumps that PyTorch prints, written from the model alone.
void cli_state_text(const cli_model_op* op, oyi_strbuf* out);
void cli_table_text(const cli_model_op* op, oyi_strbuf* out);

#endif  // OPYARD_TOOLS_OPYARD_REPLAY_H_
