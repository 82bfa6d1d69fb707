// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/conv/conv_pairs.h"

#include "backends/cpu/conv/conv_phases.h"
#include "backends/cpu/linalg/gemm_words.h"
#include "base/threads.h"
#include "tensor/block_cache.h"

#if defined(__x86_64__)
// Lines of |length| elements, |channels| of them to a group, to half as many of pairs.
typedef struct lines {
  const uint16_t* from;
  uint32_t* to;
  int64_t groups, channels, length, chunk;
} lines;

static int64_t half(int64_t channels) {
  return oyi_divide_up(channels, 2);
}

static oy_status pair_lines(int64_t index, void* context) {
  const lines* l = context;
  const int64_t pairs = half(l->channels);
  const int64_t end = oyi_at_most((index + 1) * l->chunk, l->groups * pairs);
  for (int64_t i = index * l->chunk; i < end; i++) {
    const int64_t channel = i % pairs * 2;
    const uint16_t* from = l->from + (i / pairs * l->channels + channel) * l->length;
    oyi_conv_pair_lines(from, channel + 1 < l->channels ? from + l->length : NULL,
                        l->length, l->to + i * l->length);
  }
  return OY_OK;
}

// |groups| of |channels| lines, as pairs. NULL: no memory.
static char* make_pairs(const char* from, int64_t groups, int64_t channels,
                        int64_t length, void** block) {
  enum { WORTH_A_THREAD = 1 << 15 };  // pairs
  const int64_t count = groups * half(channels);
  char* to = oyi_data_alloc((size_t)(count * length) * sizeof(uint32_t), block);
  lines l = {.from = (const uint16_t*)(const void*)from,
             .to = (uint32_t*)(void*)to,
             .groups = groups,
             .channels = channels,
             .length = length,
             .chunk = WORTH_A_THREAD / (length + 1) + 1};
  if (!to || oyi_parallel_chunks(oyi_divide_up(count, l.chunk), pair_lines, &l) == OY_OK)
    return to;
  oyi_data_free(*block, to);
  return NULL;
}

// Of |v|, as floats with half of the channels that are read.
static oyi_convolve paired(const oyi_convolve* v, bool back, oyi_conv* conv) {
  oyi_convolve made = *v;
  *conv = *v->conv;
  int64_t* channels = back ? &conv->map_channels : &conv->image_channels;
  *channels = half(*channels / conv->groups) * conv->groups;
  made.conv = conv, made.pairs = true;
  return made;
}

bool oyi_convolve_suits_pairs(const oyi_convolve* v, bool back) {
  const oyi_conv* c = v->conv;
  if (!oyi_gemm_bf16_f32() || c->batch == 0 ||
      (back ? c->map_channels : c->image_channels) == c->groups ||
      oyi_convolve_is_by_lines(c))
    return false;
  oyi_conv conv;
  const oyi_convolve made = paired(v, back, &conv);
  return oyi_convolve_is_turned_tiled(&made, back);
}

oy_status oyi_convolve_by_pairs(const oyi_convolve* v, bool back) {
  const oyi_conv* c = v->conv;
  const int64_t in = c->image_channels / c->groups, out = c->map_channels / c->groups;
  const int64_t taps = oyi_volume(c->kernel);
  oyi_conv conv;
  oyi_convolve made = paired(v, back, &conv);
  void* blocks[2] = {NULL, NULL};
  char** read = back ? &made.maps : &made.images;
  *read = make_pairs(*read, c->batch * c->groups, back ? out : in,
                     oyi_volume(back ? c->map : c->image), &blocks[0]);
  made.weights = back ? make_pairs(v->weights, c->groups, out, in * taps, &blocks[1])
                      : make_pairs(v->weights, c->map_channels, in, taps, &blocks[1]);
  oy_status status = OY_OUT_OF_MEMORY;
  if (*read && made.weights)
    status = back ? oyi_convolve_images(&made) : oyi_convolve_maps(&made);
  if (*read) oyi_data_free(blocks[0], *read);
  if (made.weights) oyi_data_free(blocks[1], made.weights);
  return status;
}
#else
bool oyi_convolve_suits_pairs(const oyi_convolve* v, bool back) {
  return (void)v, (void)back, false;
}
oy_status oyi_convolve_by_pairs(const oyi_convolve* v, bool back) {
  (void)v, (void)back;
  return OY_FAIL(NOT_IMPLEMENTED, "convolution: no pairs on this machine");
}
void oyi_conv_tiles_take_pairs(oyi_conv_tiles* tiles) {
  (void)tiles;
}
#endif
