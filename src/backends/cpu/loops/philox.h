// SPDX-License-Identifier: Apache-2.0
// Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011):
// 128 random bits as a function of a key and a counter of 128 bits.
#ifndef OPYARD_SRC_BACKENDS_CPU_LOOPS_PHILOX_H_
#define OPYARD_SRC_BACKENDS_CPU_LOOPS_PHILOX_H_

#include <stdint.h>

#include "opyard/generator.h"

// Steps |first| to below |first| + |count| of a call, four words each. |stream| sets
// elements apart that draw as often as they need to.
void oyi_philox(oy_generator_state state, uint64_t first, uint64_t stream, int64_t count,
                uint32_t* out);
// The same of a counter that begins at |first|, by capability.
void oyi_philox_steps(uint64_t seed, uint64_t first, uint64_t stream, int64_t count,
                      uint32_t* out);
void oyi_philox_steps_v3(uint64_t seed, uint64_t first, uint64_t stream, int64_t count,
                         uint32_t* out);
// The same of one step, in |count| streams from |first| on.
void oyi_philox_streams(uint64_t seed, uint64_t step, uint64_t first, int64_t count,
                        uint32_t* out);
void oyi_philox_streams_v3(uint64_t seed, uint64_t step, uint64_t first, int64_t count,
                           uint32_t* out);

// Uniform over 0 to 1, without 1: 24 and 53 bits.
static inline float oyi_unit_f32(uint32_t bits) {
  return (float)(bits >> 8) * 0x1p-24f;
}
static inline double oyi_unit_f64(uint32_t low, uint32_t high) {
  return (double)(((uint64_t)high << 32 | low) >> 11) * 0x1p-53;
}

// A stream of its own: numbers one after the other.
typedef struct oyi_stream {
  oy_generator_state state;
  uint64_t step, stream;
  uint32_t words[4];
  int used;  // of the words
} oyi_stream;
static inline oyi_stream oyi_stream_begin(oy_generator_state state, uint64_t step) {
  return (oyi_stream){.state = state, .step = step, .stream = 0, .used = 4};
}
// One whose words of |block| are |words|, none of them used yet.
static inline oyi_stream oyi_stream_after(oy_generator_state state, uint64_t step,
                                          uint64_t block, const uint32_t words[4]) {
  return (oyi_stream){.state = state,
                      .step = step,
                      .stream = block + 1,
                      .words = {words[0], words[1], words[2], words[3]}};
}
static inline double oyi_stream_unit(oyi_stream* s) {
  if (s->used == 4) {
    oyi_philox(s->state, s->step, s->stream++, 1, s->words);
    s->used = 0;
  }
  s->used += 2;
  return oyi_unit_f64(s->words[s->used - 2], s->words[s->used - 1]);
}
// The next |n| of a stream of which no words are left; an odd one leaves none either.
void oyi_stream_units(oyi_stream* s, int64_t n, double* out);

#endif  // OPYARD_SRC_BACKENDS_CPU_LOOPS_PHILOX_H_
