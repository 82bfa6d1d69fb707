// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/conv/conv_phases.h"

#include "backends/cpu/conv/conv_tiles.h"
#include "base/memory.h"

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
                         .tiles = oyi_conv_tiles_for(dtype),
                         .step = {1, 1, 1},
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

bool oyi_conv_phases_are_image(const oyi_conv* c) {
  for (size_t d = 0; d < OYI_SPATIAL; d++)
    if (c->stride[d] != 1 || c->padding[d] != 0 || c->map[d] > c->image[d]) return false;
  return true;
}

bool oyi_conv_has_thin_padding(const oyi_conv* c) {
  const int64_t end = (c->map[2] - 2) * c->stride[2] - c->padding[2] +
                      (c->kernel[2] - 1) * c->dilation[2] + 1;
  return c->padding[2] <= c->stride[2] && end <= c->image[2];
}

void oyi_conv_phases_use_image(oyi_conv_phases* p) {
  memcpy(p->size, p->conv->image, sizeof(p->size));
  memcpy(p->step, p->conv->stride, sizeof(p->step));
  p->volume = p->channel = oyi_volume(p->size);
  p->is_image = true;
}

// ------------------------------------------------------------------------- the copy

// Which lines, or planes, of a phase fall on the image: |at| is where the first would be.
typedef struct stretch {
  int64_t from, to;
} stretch;

static stretch inside(const oyi_conv_phases* p, size_t d, int64_t at) {
  const int64_t step = p->conv->stride[d], room = p->conv->image[d] - at;
  stretch s = {at < 0 ? oyi_divide_up(-at, step) : 0,
               room <= 0 ? 0 : oyi_divide_up(room, step)};
  if (s.to > p->size[d]) s.to = p->size[d];
  if (s.from > s.to) s.from = s.to;
  return s;
}

// What a line of a phase is made of: |count| elements of a line of the image, |step|
// apart from |first| on, behind |before| zeros and before |after|.
typedef struct line {
  int64_t before, first, count, after;
} line;

// |at| is where the first of the line would be in the image.
static line line_from(const oyi_conv_phases* p, int64_t at) {
  const int64_t step = p->conv->stride[2], width = p->size[2];
  const stretch s = inside(p, 2, at);
  if (s.from == s.to) return (line){.before = width};
  return (line){s.from, at + s.from * step, s.to - s.from, width - s.to};
}

// |count| elements of each of |rows| lines: mostly one or two.
static void clear(const oyi_conv_phases* p, char* to, int64_t rows, int64_t count) {
  const int64_t pitch = p->size[2] * p->item;
  if (p->is_clear) return;
  for (int64_t i = 0; i < count * p->item; i += 4)
    for (int64_t y = 0; y < rows; y++) memset(to + y * pitch + i, 0, 4);
}

// An element of each of |rows| lines of the image, |step| elements apart.
static void copy_column(const oyi_conv_phases* p, const char* from, int64_t step,
                        int64_t rows, char* to) {
  const int64_t pitch = p->size[2];
  if (p->item == sizeof(float))
    for (int64_t y = 0; y < rows; y++)
      ((float*)to)[y * pitch] = ((const float*)from)[y * step];
  else
    for (int64_t y = 0; y < rows; y++)
      ((double*)to)[y * pitch] = ((const double*)from)[y * step];
}

// |rows| lines, from the image's |from| on.
static void copy_one(const oyi_conv_phases* p, const char* from, int64_t rows,
                     const line* l, char* out) {
  const oyi_conv* c = p->conv;
  const int64_t item = p->item, pitch = p->size[2], step = c->image[2] * c->stride[1];
  char* to = out + l->before * item;
  from += l->first * item;
  if (l->count == 0)
    ;  // padding only
  else if (c->stride[2] == 1)
    p->tiles->copy(from, step, rows, l->count, to, pitch);
  else if (c->stride[2] == 2)
    p->tiles->halve(from, step, rows, l->count, to, pitch);
  else
    p->tiles->pick(from, step, rows, l->count, c->stride[2], to, pitch);
  clear(p, out, rows, l->before);
  clear(p, out + (l->before + l->count) * item, rows, l->after);
}

// Both phases of lines with a stride of two, from the first on: |rows| lines, from the
// image's |from| on. A line of a phase may have an element more than that of the other.
static void copy_both(const oyi_conv_phases* p, const char* from, int64_t rows,
                      const line l[2], char* out) {
  const oyi_conv* c = p->conv;
  const int64_t item = p->item, other = p->volume * item;
  const int64_t count = l[0].count < l[1].count ? l[0].count : l[1].count;
  const int64_t step = c->image[2] * c->stride[1];
  const int early = l[0].first < l[1].first ? 0 : 1;  // which has the first element
  char* to[2] = {out + l[0].before * item, out + other + l[1].before * item};
  p->tiles->split(from + l[early].first * item, step, rows, count, to[early],
                  to[1 - early], p->size[2]);
  for (int i = 0; i < 2; i++) {
    char* at = out + i * other;
    clear(p, at, rows, l[i].before);
    at += (l[i].before + count) * item;
    if (l[i].count > count)
      copy_column(p, from + (l[i].first + 2 * count) * item, step, rows, at);
    clear(p, at + (l[i].count - count) * item, rows, l[i].after);
  }
}

// Lines |from| to |to| of a phase, or of both, that fall on the image's |lines|.
static void copy_lines(const oyi_conv_phases* p, const char* lines, int64_t from,
                       int64_t to, int64_t at, const line l[2], bool both, char* out) {
  const oyi_conv* c = p->conv;
  const int64_t size = p->size[2] * p->item, step = c->image[2] * p->item;
  lines += (from * c->stride[1] + at) * step;
  out += from * size;
  if (both)
    copy_both(p, lines, to - from, l, out);
  else
    copy_one(p, lines, to - from, l, out);
}

// The same of one phase and its padding as a row of columns, where lines are moved by vectors.
static void copy_row(const oyi_conv_phases* p, const char* image, int64_t channels,
                     const int64_t a[3], char* copy) {
  oyi_conv c = *p->conv;
  memcpy(c.map, p->size, sizeof(c.map));
  for (size_t d = 0; d < OYI_SPATIAL; d++) c.kernel[d] = c.dilation[d] = 1;
  c.kernel[0] = p->count;  // rows of a channel
  const stretch x = inside(p, 2, a[2] - c.padding[2]);
  p->tiles->column(&c, image, channels, a, (const int64_t[]){x.from, x.to}, 0, p->volume,
                   copy);
}

// Lines of no more than a vector: of longer ones both phases of a stride of two go at once.
static bool takes_rows(const oyi_conv_phases* p) {
  return p->conv->stride[2] <= p->tiles->column_stride && p->size[2] <= p->tiles->lanes;
}

// The phase that begins at |a|, without the padding; or, |both|, that and the next one. Where its
// lines are is asked once for |channels|.
static void copy_phase(const oyi_conv_phases* p, const char* image, int64_t channels,
                       const int64_t a[3], bool both, char* copy) {
  const oyi_conv* c = p->conv;
  const int64_t item = p->item, size = p->size[2] * item, lines = p->size[1];
  const int64_t read = c->image[1] * c->image[2] * item;
  const line l[2] = {line_from(p, a[2] - c->padding[2]),
                     line_from(p, a[2] + 1 - c->padding[2])};
  const stretch y = inside(p, 1, a[1] - c->padding[1]);
  for (int64_t i = 0; i < channels * p->size[0]; i++) {
    const int64_t channel = i / p->size[0], z = i % p->size[0];
    const int64_t d = z * c->stride[0] + a[0] - c->padding[0];
    const bool is_inside = d >= 0 && d < c->image[0] && y.from < y.to;
    const int64_t from = is_inside ? y.from : lines, to = is_inside ? y.to : lines;
    char* out = copy + channel * p->channel * item + z * lines * size;
    for (int k = 0; k < 1 + both && !p->is_clear; k++) {
      char* plane = out + k * p->volume * item;
      memset(plane, 0, (size_t)(from * size));
      memset(plane + to * size, 0, (size_t)((lines - to) * size));
    }
    if (is_inside)
      copy_lines(p, image + (channel * c->image[0] + d) * read, from, to,
                 a[1] - c->padding[1], l, both, out);
  }
}

// ------------------------------------------------------------------- element by element

// Of the phase |a|, which is at |to| in the copy, the lines of plane |z|.
static void list_plane(oyi_conv_phases* p, const int64_t a[3], int64_t z, int64_t to) {
  const oyi_conv* c = p->conv;
  const int64_t plane = z * c->stride[0] + a[0] - c->padding[0];
  if (plane < 0 || plane >= c->image[0]) return;
  for (int64_t y = 0; y < p->size[1]; y++)
    for (int64_t x = 0; x < p->size[2]; x++, to++) {
      const int64_t down = y * c->stride[1] + a[1] - c->padding[1];
      const int64_t at = x * c->stride[2] + a[2] - c->padding[2];
      if (down < 0 || down >= c->image[1] || at < 0 || at >= c->image[2]) continue;
      const int64_t from = (plane * c->image[1] + down) * c->image[2] + at;
      p->moves[p->moved++] = (oyi_conv_move){(int32_t)from, (int32_t)to};
    }
}

static void list_phases(oyi_conv_phases* p) {
  const oyi_conv* c = p->conv;
  int64_t to = 0;
  for (int64_t i = 0; i < oyi_volume(c->stride); i++) {
    const int64_t a[] = {i / c->stride[2] / c->stride[1], i / c->stride[2] % c->stride[1],
                         i % c->stride[2]};
    if (!is_used(c, 0, a[0]) || !is_used(c, 1, a[1]) || !is_used(c, 2, a[2])) continue;
    for (int64_t z = 0; z < p->size[0]; z++, to += p->size[1] * p->size[2])
      list_plane(p, a, z, to);
  }
}

oy_status oyi_conv_phases_list(oyi_conv_phases* p, int64_t channels) {
  enum { LINE = 4, LINE_APART = 6, CHANNELS = 8, MOST = 1 << 16 };
  const oyi_conv* c = p->conv;
  if (channels < CHANNELS || c->stride[2] == 1 ||
      p->size[2] > (c->stride[2] == 2 ? LINE : LINE_APART) || p->channel > MOST ||
      oyi_volume(c->image) > MOST)
    return OY_OK;
  p->moves = oyi_calloc((size_t)p->channel, sizeof(*p->moves));
  if (!p->moves) return OY_OUT_OF_MEMORY;
  list_phases(p);
  return OY_OK;
}

static void move_channels(const oyi_conv_phases* p, const char* image, int64_t channels,
                          char* copy) {
  const int64_t read = oyi_volume(p->conv->image);
  if (!p->is_clear) memset(copy, 0, (size_t)(channels * p->channel * p->item));
  for (int64_t k = 0; k < channels; k++)
    if (p->item == sizeof(float)) {
      const float* from = (const float*)(const void*)image + k * read;
      float* to = (float*)(void*)copy + k * p->channel;
      for (int64_t i = 0; i < p->moved; i++) to[p->moves[i].to] = from[p->moves[i].from];
    } else {
      const double* from = (const double*)(const void*)image + k * read;
      double* to = (double*)(void*)copy + k * p->channel;
      for (int64_t i = 0; i < p->moved; i++) to[p->moves[i].to] = from[p->moves[i].from];
    }
}

static void copy_channels(const oyi_conv_phases* p, const char* image, int64_t channels,
                          char* copy) {
  const oyi_conv* c = p->conv;
  const bool rows = takes_rows(p);
  int64_t a[3];
  for (a[0] = 0; a[0] < c->stride[0]; a[0]++)
    for (a[1] = 0; a[1] < c->stride[1]; a[1]++)
      for (a[2] = 0; a[2] < c->stride[2]; a[2]++) {
        if (!is_used(c, 0, a[0]) || !is_used(c, 1, a[1]) || !is_used(c, 2, a[2]))
          continue;
        const bool both = a[2] == 0 && c->stride[2] == 2 && is_used(c, 2, 1);
        for (int64_t k = 0; k <= both && rows; k++)
          copy_row(p, image, channels, (const int64_t[]){a[0], a[1], a[2] + k},
                   copy + k * p->volume * p->item);
        if (!rows) copy_phase(p, image, channels, a, both, copy);
        copy += (1 + both) * p->volume * p->item;
        a[2] += both;
      }
}

void oyi_conv_phases_copy(const oyi_conv_phases* p, const char* image, int64_t channels,
                          char* copy) {
  if (p->moves) {
    move_channels(p, image, channels, copy);
    return;
  }
  enum { NEAR_BYTES = 16 << 10 };  // of the image, which each phase reads
  const int64_t read = oyi_volume(p->conv->image) * p->item;
  const int64_t some = NEAR_BYTES / read + 1;
  for (int64_t i = 0; i < channels; i += some)
    copy_channels(p, image + i * read, oyi_at_most(some, channels - i),
                  copy + i * p->channel * p->item);
}

// ----------------------------------------------------------------------- the offsets

int64_t oyi_conv_phases_place(const oyi_conv_phases* p, const int64_t k[OYI_SPATIAL]) {
  const oyi_conv* c = p->conv;
  int64_t phase = 0, place = 0;
  for (size_t d = 0; d < OYI_SPATIAL; d++) {
    const int64_t at = k[d] * c->dilation[d];
    if (p->is_image) {
      place = place * p->size[d] + at;
      continue;
    }
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
