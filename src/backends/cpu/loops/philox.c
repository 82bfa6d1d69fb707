// SPDX-License-Identifier: Apache-2.0
#define LEVELED(name) name
#include "backends/cpu/loops/philox_body.h"
#include "base/cpu.h"

void oyi_philox(oy_generator_state state, uint64_t first, uint64_t stream, int64_t count,
                uint32_t* out) {
  first += state.offset;
#if defined(__x86_64__)
  if (oyi_cpu_level() >= 1) {
    oyi_philox_steps_v3(state.seed, first, stream, count, out);
    return;
  }
#endif
  oyi_philox_steps(state.seed, first, stream, count, out);
}
