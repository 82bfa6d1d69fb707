// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/conv/conv_phases.h"

#include "backends/cpu/conv/conv_tiles.h"

#include <string.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

// Whether an element of the kernel falls on phase |a| of dimension |d|.
static bool is_used(const oyi_conv* c, size_t d, int64_t a) {
  for (int64_t k = 0; k < c->kernel[d] && k < c->stride[d]; k++)
    if (k * c->dilation[d] % c->stride[d] == a) return true;
  return false;
}

// How many phases of dimension |d| below |a| are used: only those are copied.
static int64_t used_below(const oyi_conv* c, size_t d, int64_t a) {
  int64_t used = 0;
  for (int64_t i = 0; i < a; i++) used += is_used(c, d, i);
  return used;
}

static void measure(oyi_conv_phases* p) {
  const oyi_conv* c = p->conv;
  for (size_t d = 0; d < OYI_SPATIAL; d++) {
    const int64_t extent =
        (c->map[d] - 1) * c->stride[d] + (c->kernel[d] - 1) * c->dilation[d] + 1;
    p->size[d] = oyi_divide_up(extent, c->stride[d]);
  }
  p->volume = oyi_volume(p->size);
  p->channel = p->count * p->volume;
  p->plane = (c->map[1] - 1) * p->size[2] + c->map[2];
}

bool oyi_conv_phases_begin(oyi_conv_phases* p, const oyi_conv* c, oy_dtype dtype) {
  *p = (oyi_conv_phases){.conv = c,
                         .item = dtype == OY_DTYPE_F32 ? sizeof(float) : sizeof(double),
                         .halve = oyi_conv_tiles_for(dtype)->halve,
                         .count = 1};
  for (size_t d = 0; d < OYI_SPATIAL; d++) {
    if (c->map[d] < 1 || c->image[d] < 1) return false;
    p->count *= used_below(c, d, c->stride[d]);
  }
  measure(p);
  double copied = (double)p->count, image = 1;
  for (size_t d = 0; d < OYI_SPATIAL; d++)
    copied *= (double)p->size[d], image *= (double)c->image[d];
  return (double)c->image_channels * (copied - 2.5 * image) <= 65536;
}

void oyi_conv_phases_cut(oyi_conv_phases* p, const oyi_conv* part) {
  p->conv = part;
  measure(p);
}

// ------------------------------------------------------------------------- the copy

// What a line of a phase is made of: |count| elements of a line of the image, |step|
// apart from |first| on, behind |before| zeros and before |after|.
typedef struct line {
  int64_t before, first, count, after;
} line;

// |at| is where the first of the line would be in the image.
static line line_from(const oyi_conv_phases* p, int64_t at) {
  const oyi_conv* c = p->conv;
  const int64_t step = c->stride[2], width = p->size[2], room = c->image[2] - at;
  const int64_t from = at < 0 ? oyi_divide_up(-at, step) : 0;
  int64_t to = room <= 0 ? 0 : oyi_divide_up(room, step);
  if (to > width) to = width;
  if (to <= from) return (line){.before = width};
  return (line){from, at + from * step, to - from, width - to};
}

static void clear(char* to, int64_t bytes) {
  for (int64_t i = 0; i < bytes; i += 4) memset(to + i, 0, 4);  // mostly one or two
}

static void copy_line(const oyi_conv_phases* p, const char* image, const line* l,
                      char* to) {
  const int64_t item = p->item, step = p->conv->stride[2];
  const char* from = image + l->first * item;
  clear(to, l->before * item);
  to += l->before * item;
  if (step == 1)
    memcpy(to, from, (size_t)(l->count * item));
  else if (step == 2)
    p->halve(from, l->count, to);
  else if (item == sizeof(float))
    for (int64_t i = 0; i < l->count; i++)
      ((float*)to)[i] = ((const float*)from)[i * step];
  else
    for (int64_t i = 0; i < l->count; i++)
      ((double*)to)[i] = ((const double*)from)[i * step];
  clear(to + l->count * item, l->after * item);
}

// The phase that begins at |a|, without the padding.
static void copy_phase(const oyi_conv_phases* p, const char* image, const int64_t a[3],
                       char* out) {
  const oyi_conv* c = p->conv;
  const int64_t size = p->size[2] * p->item;
  const line l = line_from(p, a[2] - c->padding[2]);
  for (int64_t z = 0; z < p->size[0]; z++)
    for (int64_t y = 0; y < p->size[1]; y++, out += size) {
      const int64_t d = z * c->stride[0] + a[0] - c->padding[0];
      const int64_t h = y * c->stride[1] + a[1] - c->padding[1];
      if (d >= 0 && d < c->image[0] && h >= 0 && h < c->image[1])
        copy_line(p, image + (d * c->image[1] + h) * c->image[2] * p->item, &l, out);
      else
        memset(out, 0, (size_t)size);
    }
}

void oyi_conv_phases_copy(const oyi_conv_phases* p, const char* image, char* copy) {
  const oyi_conv* c = p->conv;
  int64_t a[3];
  for (a[0] = 0; a[0] < c->stride[0]; a[0]++)
    for (a[1] = 0; a[1] < c->stride[1]; a[1]++)
      for (a[2] = 0; a[2] < c->stride[2]; a[2]++) {
        if (!is_used(c, 0, a[0]) || !is_used(c, 1, a[1]) || !is_used(c, 2, a[2]))
          continue;
        copy_phase(p, image, a, copy);
        copy += p->volume * p->item;
      }
}

// ----------------------------------------------------------------------- the offsets

int64_t oyi_conv_phases_place(const oyi_conv_phases* p, const int64_t k[OYI_SPATIAL]) {
  const oyi_conv* c = p->conv;
  int64_t phase = 0, place = 0;
  for (size_t d = 0; d < OYI_SPATIAL; d++) {
    const int64_t at = k[d] * c->dilation[d];
    phase = phase * used_below(c, d, c->stride[d]) + used_below(c, d, at % c->stride[d]);
    place = place * p->size[d] + at / c->stride[d];
  }
  return phase * p->volume + place;
}

void oyi_conv_phases_offsets(const oyi_conv_phases* p, int64_t channels,
                             int64_t* out_offsets) {
  const oyi_conv* c = p->conv;
  const int64_t taps = oyi_volume(c->kernel);
  int64_t k[3], *to = out_offsets;
  for (k[0] = 0; k[0] < c->kernel[0]; k[0]++)
    for (k[1] = 0; k[1] < c->kernel[1]; k[1]++)
      for (k[2] = 0; k[2] < c->kernel[2]; k[2]++) *to++ = oyi_conv_phases_place(p, k);
  for (int64_t i = taps; i < channels * taps; i++)
    out_offsets[i] = out_offsets[i - taps] + p->channel;
}
