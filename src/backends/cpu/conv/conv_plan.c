// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/conv/conv_plan.h"

#include "backends/cpu/conv/conv_tiles.h"
#include "base/memory.h"
#include "base/threads.h"
#include "tensor/block_cache.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

// ------------------------------------------------------------------------ the adjoint

// Element h of the image and kernel element k meet map element y where
// h + padding = y * stride + k * dilation. Of those with h + padding = t * stride + phase,
// kernel elements with k * dilation = q * stride + phase see y = t - q: a pass goes over t.
static int64_t most_q(const oyi_conv* c, size_t d) {
  return (c->kernel[d] - 1) * c->dilation[d] / c->stride[d];
}
static int64_t first_t(const oyi_conv* c, size_t d) {
  return c->padding[d] / c->stride[d];
}

static oyi_conv adjoint(const oyi_conv* c) {
  oyi_conv back = *c;
  back.image_channels = c->map_channels, back.map_channels = c->image_channels;
  for (size_t d = 0; d < OYI_SPATIAL; d++) {
    const int64_t q = most_q(c, d), t = first_t(c, d);
    back.image[d] = c->map[d];
    back.map[d] = (c->image[d] - 1 + c->padding[d]) / c->stride[d] - t + 1;
    back.padding[d] = q - t;
    back.stride[d] = 1;
    if (c->stride[d] > 1) back.kernel[d] = q + 1, back.dilation[d] = 1;
  }
  return back;
}

bool oyi_conv_plan_begin(oyi_conv_plan* p, const oyi_convolve* v, bool back) {
  const oyi_conv* c = v->conv;
  if ((v->dtype != OY_DTYPE_F32 && v->dtype != OY_DTYPE_F64) || c->batch == 0)
    return false;
  *p = (oyi_conv_plan){.v = v, .back = back, .count = 1, .together = 1};
  if (back) {
    p->count = oyi_volume(c->stride);
    if (c->stride[2] <= OYI_CONV_TOGETHER) p->together = c->stride[2];
  }
  p->conv = back ? adjoint(c) : *c;
  p->in = p->conv.image_channels / c->groups, p->out = p->conv.map_channels / c->groups;
  p->from = back ? v->maps : v->images;
  p->to = back ? v->images : v->maps;
  memcpy(p->size, back ? c->image : c->map, sizeof(p->size));
  return oyi_conv_phases_begin(&p->phases, &p->conv, v->dtype);
}

// -------------------------------------------------------------------------- the passes

// The element of the kernel with number |k|, in each dimension.
static void position(const oyi_conv* c, int64_t k, int64_t at[OYI_SPATIAL]) {
  at[2] = k % c->kernel[2];
  at[1] = k / c->kernel[2] % c->kernel[1];
  at[0] = k / c->kernel[2] / c->kernel[1];
}

static bool is_of_phase(const oyi_conv* c, int64_t k, const int64_t* phase) {
  int64_t at[OYI_SPATIAL];
  position(c, k, at);
  for (size_t d = 0; d < OYI_SPATIAL; d++)
    if (at[d] * c->dilation[d] % c->stride[d] != phase[d]) return false;
  return true;
}

// Which element of the adjoint's kernel an element is, along a dimension.
static int64_t turned(const oyi_conv* c, size_t d, int64_t k) {
  return c->stride[d] > 1 ? most_q(c, d) - k * c->dilation[d] / c->stride[d]
                          : c->kernel[d] - 1 - k;
}

// What a kernel element reads, in the copy of one channel, for the first sum.
static int64_t place_back(const oyi_conv_plan* p, int64_t k) {
  const oyi_conv* c = p->v->conv;
  int64_t at[OYI_SPATIAL];
  position(c, k, at);
  for (size_t d = 0; d < OYI_SPATIAL; d++) at[d] = turned(c, d, at[d]);
  return oyi_conv_phases_place(&p->phases, at);
}

// Of the elements that belong to |phase|: they are equally far apart.
static oyi_conv_reach reach_back(const oyi_conv_plan* p, size_t d, int64_t phase) {
  const oyi_conv* c = p->v->conv;
  oyi_conv_reach r = {0};
  for (int64_t k = 0; k < c->kernel[d]; k++) {
    if (k * c->dilation[d] % c->stride[d] != phase) continue;
    const int64_t at = turned(c, d, k) * p->conv.dilation[d];
    if (r.count == 0) r.first = at;
    if (r.count == 1) r.step = at - r.first;
    r.count++;
  }
  return r;
}

// The pass of a phase, the |index|-th; its taps and offsets are put at |taps| and
// |offsets|.
static void put_phase(const oyi_conv_plan* p, int64_t index, int64_t* taps,
                      int64_t* offsets, oyi_conv_pass* out) {
  const oyi_conv* c = p->v->conv;
  int64_t phase[OYI_SPATIAL], rest = index;
  for (size_t d = OYI_SPATIAL; d-- > 0; rest /= c->stride[d]) {
    phase[d] = rest % c->stride[d];
    out->step[d] = c->stride[d];
    out->first[d] = first_t(c, d) * c->stride[d] + phase[d] - c->padding[d];
    out->reach[d] = reach_back(p, d, phase[d]);
  }
  for (int64_t k = 0; k < oyi_volume(c->kernel); k++)
    if (is_of_phase(c, k, phase)) taps[out->taps++] = k;
  for (int64_t j = 0; j < out->taps; j++) offsets[j] = place_back(p, taps[j]);
  for (int64_t i = out->taps; i < p->in * out->taps; i++)
    offsets[i] = offsets[i - out->taps] + p->phases.channel;
}

static void put_passes(oyi_conv_plan* p) {
  int64_t *taps = p->taps, *offsets = p->offsets;
  char* weights = p->weights;
  for (int64_t i = 0; i < p->count; i++) {
    oyi_conv_pass* pass = &p->passes[i];
    *pass = (oyi_conv_pass){
        .tap = taps, .offsets = offsets, .weights = weights, .step = {1, 1, 1}};
    if (p->back) {
      put_phase(p, i, taps, offsets, pass);
    } else {
      pass->taps = oyi_volume(p->conv.kernel);
      for (int64_t k = 0; k < pass->taps; k++) taps[k] = k;
      oyi_conv_phases_offsets(&p->phases, p->in, offsets);
      for (size_t d = 0; d < OYI_SPATIAL; d++)
        pass->reach[d] = (oyi_conv_reach){p->conv.kernel[d], 0, p->conv.dilation[d]};
    }
    pass->depth = p->in * pass->taps;
    taps += pass->taps, offsets += pass->depth;
    weights += p->conv.groups * p->blocks * p->rows * pass->depth * p->v->item;
  }
}

// ------------------------------------------------------------------------- the weights

void oyi_conv_pack_few(int64_t item, int64_t rows, const char* in, int64_t count,
                       int64_t step, int64_t length, char* out) {
  if (rows == 1)
    memcpy(out, in, (size_t)(length * item));
  else if (item == sizeof(float))
    for (int64_t r = 0; r < count; r++)
      for (int64_t i = 0; i < length; i++)
        ((float*)out)[i * rows + r] = ((const float*)in)[r * step + i];
  else
    for (int64_t r = 0; r < count; r++)
      for (int64_t i = 0; i < length; i++)
        ((double*)out)[i * rows + r] = ((const double*)in)[r * step + i];
}

static void pack_lines(const oyi_conv_plan* p, const char* from, int64_t count,
                       int64_t step, int64_t length, char* to) {
  if (p->pack)
    p->pack(from, count, step, length, to);
  else
    oyi_conv_pack_few(p->v->item, p->rows, from, count, step, length, to);
}

// Elements |first| to |first| + |count| of the kernel, of a channel |in|, which stand in
// |rows|, where each pass that reads one of them has it.
static void deal(const oyi_conv_plan* p, int64_t block, int64_t in, int64_t first,
                 int64_t count, const char* rows) {
  const int64_t row = p->rows * p->v->item;
  for (int64_t i = 0; i < p->count; i++) {
    const oyi_conv_pass* pass = &p->passes[i];
    char* to = (char*)pass->weights + (block * pass->depth + in * pass->taps) * row;
    for (int64_t j = 0; j < pass->taps; j++) {
      const int64_t k = pass->tap[j] - first;
      if (k >= 0 && k < count) memcpy(to + j * row, rows + k * row, (size_t)row);
    }
  }
}

// A block of an adjoint whose kernel has one element: its maps lie side by side already.
static void put_points(const oyi_conv_plan* p, const char* from, int64_t count,
                       char* to) {
  const int64_t item = p->v->item, row = p->rows * item;
  for (int64_t i = 0; i < p->in; i++, from += p->out * item, to += row) {
    if (count == p->rows && row == 64) {  // the compiler should see the common one
      memcpy(to, from, 64);
      continue;
    }
    memcpy(to, from, (size_t)(count * item));
    memset(to + count * item, 0, (size_t)(row - count * item));
  }
}

// Channels that are asked for ahead; elements of a kernel that are dealt at once.
enum { AHEAD = 3, DEALT = 16 };

static oy_status put_block(int64_t index, void* context) {
  const oyi_conv_plan* p = context;
  const int64_t group = index / p->blocks, first = index % p->blocks * p->rows;
  const int64_t count = oyi_at_most(p->rows, p->out - first), item = p->v->item;
  const int64_t taps = oyi_volume(p->v->conv->kernel), depth = p->in * taps;
  const char* from = p->v->weights + group * p->out * depth * item;
  char* to = (char*)p->passes[0].weights + index * depth * p->rows * item;
  if (!p->back) {
    pack_lines(p, from + first * depth * item, count, depth, depth, to);
    return OY_OK;
  }
  if (taps == 1) {
    put_points(p, from + first * item, count, to);
    return OY_OK;
  }
  _Alignas(64) char rows[DEALT * OYI_CONV_ROW_MAX];
  for (int64_t i = 0; i < p->in; i++) {
    const char* kernel = from + (i * p->out + first) * taps * item;
    for (int64_t b = 0; b < count * taps * item && i + AHEAD < p->in; b += 64)
      __builtin_prefetch(kernel + AHEAD * p->out * taps * item + b);
    if (p->count == 1)
      pack_lines(p, kernel, count, taps, taps, to + i * taps * p->rows * item);
    for (int64_t k = 0; k < taps && p->count > 1; k += DEALT) {
      const int64_t some = oyi_at_most(DEALT, taps - k);
      pack_lines(p, kernel + k * item, count, taps, some, rows);
      deal(p, index, i, k, some, rows);
    }
  }
  return OY_OK;
}

oy_status oyi_conv_plan_fill(oyi_conv_plan* p, int64_t rows, oyi_conv_pack* pack) {
  const int64_t taps = oyi_volume(p->v->conv->kernel);
  p->rows = rows, p->blocks = oyi_divide_up(p->out, rows), p->pack = pack;
  const int64_t weights = p->conv.groups * p->blocks * rows * p->in * taps * p->v->item;
  p->passes = oyi_calloc((size_t)p->count, sizeof(*p->passes));
  p->taps = oyi_calloc((size_t)((p->in + 1) * taps), sizeof(int64_t));
  p->weights = oyi_data_alloc((size_t)weights, &p->block);
  if (!p->passes || !p->taps || !p->weights) return OY_OUT_OF_MEMORY;
  p->offsets = p->taps + taps;
  put_passes(p);
  return oyi_parallel_chunks(p->conv.groups * p->blocks, put_block, p);
}

void oyi_conv_plan_end(oyi_conv_plan* p) {
  if (p->weights) oyi_data_free(p->block, p->weights);
  oyi_free(p->taps);
  oyi_free(p->passes);
}

// ------------------------------------------------------------------------ the results

// A division takes as long as a short line.
static int64_t steps(int64_t a, int64_t step) {
  return step == 1 ? a : oyi_divide_up(a, step);
}

oyi_conv_stretch oyi_conv_plan_stretch(const oyi_conv_plan* p, const oyi_conv_pass* pass,
                                       const int64_t at[OYI_SPATIAL], int64_t count) {
  const int64_t z = at[0] * pass->step[0] + pass->first[0];
  const int64_t y = at[1] * pass->step[1] + pass->first[1];
  const int64_t x = at[2] * pass->step[2] + pass->first[2];
  if (z < 0 || z >= p->size[0] || y < 0 || y >= p->size[1])
    return (oyi_conv_stretch){.step = 1};
  const int64_t step = p->together > 1 ? 1 : pass->step[2], room = p->size[2] - x;
  const int64_t from = x < 0 ? steps(-x, step) : 0;
  int64_t to = room <= 0 ? 0 : steps(room, step);
  if (to > count * p->together) to = count * p->together;
  if (to <= from) return (oyi_conv_stretch){.step = 1};
  return (oyi_conv_stretch){from, to - from,
                            (z * p->size[1] + y) * p->size[2] + x + from * step, step};
}

oyi_conv_part oyi_conv_plan_inside(const oyi_conv_plan* p, const oyi_conv_pass* pass,
                                   size_t d, int64_t at) {
  const oyi_conv_reach* r = &pass->reach[d];
  const int64_t first = at * p->conv.stride[d] - p->conv.padding[d] + r->first;
  const uint64_t room = (uint64_t)p->conv.image[d];
  oyi_conv_part part = {0, r->count};
  while (part.from < part.to && (uint64_t)(first + part.from * r->step) >= room)
    part.from++;
  while (part.to > part.from && (uint64_t)(first + (part.to - 1) * r->step) >= room)
    part.to--;
  return part;
}

void oyi_conv_plan_mix(const oyi_conv_plan* p, const char* sums, int64_t pitch,
                       int64_t count, char* mixed) {
  const int64_t item = p->v->item;
  if (p->together == 2)
    p->phases.tiles->zip(sums, sums + pitch * item, 0, 1, 0, 2 * count, mixed, 0);
  else
    p->phases.tiles->mix(sums, pitch, p->together, count, mixed);
}

bool oyi_conv_plan_is_empty(const oyi_conv_plan* p, const oyi_conv_pass* passes) {
  for (int64_t i = 0; i < p->together; i++)
    if (passes[i].depth > 0) return false;
  return true;
}

void oyi_conv_plan_store(const oyi_conv_plan* p, const oyi_conv_stretch* s,
                         const char* sums, const char* bias, char* channel) {
  const int64_t item = p->v->item, step = s->step;
  char* to = channel + s->out * item;
  sums += s->from * item;
  if (step == 1 && !bias) {
    memcpy(to, sums, (size_t)(s->count * item));
  } else if (item == sizeof(float)) {
    const float add = bias ? *(const float*)bias : 0;
    if (step == 1)
      for (int64_t i = 0; i < s->count; i++)
        ((float*)to)[i] = ((const float*)sums)[i] + add;
    else
      for (int64_t i = 0; i < s->count; i++)
        ((float*)to)[i * step] = ((const float*)sums)[i] + add;
  } else {
    const double add = bias ? *(const double*)bias : 0;
    for (int64_t i = 0; i < s->count; i++)
      ((double*)to)[i * step] = ((const double*)sums)[i] + add;
  }
}
