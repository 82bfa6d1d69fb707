// SPDX-License-Identifier: Apache-2.0
// Which moves are taken, and those for every processor.
#define LEVELED(name) name
#include "base/cpu.h"
#include "tensor/move_body.h"

const oyi_move_table* oyi_moves_of_machine(void) {
#if defined(__x86_64__)
  if (oyi_cpu_level() >= 1) return &oyi_moves_v3;
#endif
  return &oyi_moves;
}
