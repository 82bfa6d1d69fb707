// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/conv_phases.h"

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

bool oyi_conv_phases_begin(oyi_conv_phases* p, const oyi_conv* c, int64_t item) {
  *p = (oyi_conv_phases){.conv = c, .item = item, .count = 1};
  double copied = (double)c->image_channels;
  for (size_t d = 0; d < OYI_SPATIAL; d++) {
    const int64_t extent =
        (c->map[d] - 1) * c->stride[d] + (c->kernel[d] - 1) * c->dilation[d] + 1;
    const int64_t used = used_below(c, d, c->stride[d]);
    p->size[d] = oyi_divide_up(extent, c->stride[d]);
    p->count *= used;
    copied *= (double)p->size[d] * (double)used;
  }
  const double image = (double)c->image_channels * (double)oyi_volume(c->image);
  if (copied > 2.5 * image + 65536) return false;
  p->volume = oyi_volume(p->size);
  p->channel = p->count * p->volume;
  p->plane = (c->map[1] - 1) * p->size[2] + c->map[2];
  return true;
}

// ------------------------------------------------------------------------- the copy

// Each |step|-th element. Two apart are so common that the compiler should see it.
static void gather(const char* from, int64_t step, int64_t count, int64_t item,
                   char* to) {
  if (item == sizeof(float) && step == 2)
    for (int64_t i = 0; i < count; i++) ((float*)to)[i] = ((const float*)from)[i * 2];
  else if (item == sizeof(float))
    for (int64_t i = 0; i < count; i++) ((float*)to)[i] = ((const float*)from)[i * step];
  else
    for (int64_t i = 0; i < count; i++)
      ((double*)to)[i] = ((const double*)from)[i * step];
}

// Elements from |from| to below |to| of a line of a phase are inside the image; |at| is
// where the first of the line would be.
static void copy_line(const oyi_conv_phases* p, const char* image, int64_t at,
                      char* line) {
  const oyi_conv* c = p->conv;
  const int64_t step = c->stride[2], item = p->item, width = p->size[2];
  int64_t from = at < 0 ? oyi_divide_up(-at, step) : 0;
  const int64_t room = c->image[2] - at;
  int64_t to = room <= 0 ? 0 : oyi_divide_up(room, step);
  if (to > width) to = width;
  if (to <= from) from = to = 0;
  const char* source = image + (at + from * step) * item;
  memset(line, 0, (size_t)(from * item));
  if (to > from && step == 1)
    memcpy(line + from * item, source, (size_t)((to - from) * item));
  else
    gather(source, step, to - from, item, line + from * item);
  memset(line + to * item, 0, (size_t)((width - to) * item));
}

static void copy_phase(const oyi_conv_phases* p, const char* image, const int64_t a[3],
                       char* out) {
  const oyi_conv* c = p->conv;
  const int64_t line = p->size[2] * p->item;
  for (int64_t z = 0; z < p->size[0]; z++)
    for (int64_t y = 0; y < p->size[1]; y++, out += line) {
      const int64_t d = z * c->stride[0] + a[0] - c->padding[0];
      const int64_t h = y * c->stride[1] + a[1] - c->padding[1];
      if (d >= 0 && d < c->image[0] && h >= 0 && h < c->image[1])
        copy_line(p, image + (d * c->image[1] + h) * c->image[2] * p->item,
                  a[2] - c->padding[2], out);
      else
        memset(out, 0, (size_t)line);
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

void oyi_conv_phases_offsets(const oyi_conv_phases* p, int64_t channels,
                             int64_t* out_offsets) {
  const oyi_conv* c = p->conv;
  int64_t k[3], *to = out_offsets;
  for (int64_t i = 0; i < channels; i++)
    for (k[0] = 0; k[0] < c->kernel[0]; k[0]++)
      for (k[1] = 0; k[1] < c->kernel[1]; k[1]++)
        for (k[2] = 0; k[2] < c->kernel[2]; k[2]++) {
          int64_t phase = 0, place = 0;
          for (size_t d = 0; d < OYI_SPATIAL; d++) {
            const int64_t at = k[d] * c->dilation[d];
            phase = phase * used_below(c, d, c->stride[d]) +
                    used_below(c, d, at % c->stride[d]);
            place = place * p->size[d] + at / c->stride[d];
          }
          *to++ = i * p->channel + phase * p->volume + place;
        }
}
