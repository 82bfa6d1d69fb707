// SPDX-License-Identifier: Apache-2.0
#define LEVELED(name) name
#include "backends/cpu/loops/philox_body.h"
#include "base/cpu.h"

// One counter: lanes would be computed in vain.
static void one_step(uint64_t seed, uint64_t step, uint64_t stream, uint32_t* out) {
  uint32_t a = (uint32_t)step, b = (uint32_t)(step >> 32);
  uint32_t c = (uint32_t)stream, d = (uint32_t)(stream >> 32);
  uint32_t key0 = (uint32_t)seed, key1 = (uint32_t)(seed >> 32);
  for (int r = 0; r < ROUNDS; r++) {
    const uint64_t left = (uint64_t)a * 0xD2511F53u, right = (uint64_t)c * 0xCD9E8D57u;
    a = (uint32_t)(right >> 32) ^ b ^ key0;
    c = (uint32_t)(left >> 32) ^ d ^ key1;
    b = (uint32_t)right;
    d = (uint32_t)left;
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
  out[0] = a, out[1] = b, out[2] = c, out[3] = d;
}

void oyi_philox(oy_generator_state state, uint64_t first, uint64_t stream, int64_t count,
                uint32_t* out) {
  first += state.offset;
  if (count == 1) {
    one_step(state.seed, first, stream, out);
    return;
  }
#if defined(__x86_64__)
  if (oyi_cpu_level() >= 1) {
    oyi_philox_steps_v3(state.seed, first, stream, count, out);
    return;
  }
#endif
  oyi_philox_steps(state.seed, first, stream, count, out);
}

void oyi_stream_units(oyi_stream* s, int64_t n, double* out) {
  enum { PIECE = 64, EACH = 2 };
  uint32_t words[PIECE * 4];
  const uint64_t step = s->step + s->state.offset;
  while (n > 0) {
    const int64_t some = n < PIECE * EACH ? n : PIECE * EACH, count = (some + 1) / EACH;
#if defined(__x86_64__)
    if (oyi_cpu_level() >= 1)
      oyi_philox_streams_v3(s->state.seed, step, s->stream, count, words);
    else
#endif
      oyi_philox_streams(s->state.seed, step, s->stream, count, words);
    for (int64_t i = 0; i < some; i++)
      // NOLINT: the streams wrote them
      out[i] = oyi_unit_f64(words[2 * i], words[2 * i + 1]);
    s->stream += (uint64_t)count;
    n -= some;
    out += some;
  }
}
