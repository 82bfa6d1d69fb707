// SPDX-License-Identifier: Apache-2.0
// Convolutions of narrow images or maps, whose lines would leave vectors and tiles mostly empty:
// with columns as lines they are others, which are not narrow.
#include "backends/cpu/conv/conv_phases.h"
#include "backends/cpu/conv/convolve.h"
#include "base/threads.h"
#include "tensor/block_cache.h"

// ---------------------------------------------------------------- one element wide

// Images and maps that are one element wide are the same memory as one line each; of a kernel
// only the column that sees no padding counts then.
static bool is_line(const oyi_conv* given, oyi_conv* c, int64_t* column) {
  *c = *given;
  if (c->image[2] != 1 || c->map[2] != 1 || c->image[1] == 1) return false;
  *column = c->padding[2] / c->dilation[2];
  if (*column * c->dilation[2] != c->padding[2] || *column >= c->kernel[2]) return false;
  int64_t* const parts[] = {c->image, c->map, c->kernel, c->stride, c->dilation};
  for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
    parts[i][2] = parts[i][1], parts[i][1] = 1;
  c->padding[2] = c->padding[1], c->padding[1] = 0;
  return true;
}

// |n| elements of |item| bytes, |step| elements apart.
static void take_column(const char* from, int64_t step, int64_t item, int64_t n,
                        char* to) {
  enum { FLOAT = 4, DOUBLE = 8 };
  if (item == FLOAT)  // sizes that the compiler should see
    for (int64_t i = 0; i < n; i++)
      memcpy(to + i * FLOAT, from + i * step * FLOAT, FLOAT);
  else if (item == DOUBLE)
    for (int64_t i = 0; i < n; i++)
      memcpy(to + i * DOUBLE, from + i * step * DOUBLE, DOUBLE);
  else
    for (int64_t i = 0; i < n; i++)
      memcpy(to + i * item, from + i * step * item, (size_t)item);
}

typedef oy_status make_fn(const oyi_convolve*);

static oy_status run_line(const oyi_convolve* v, const oyi_conv* c, int64_t column,
                          make_fn* make) {
  oyi_convolve turned = *v;
  turned.conv = c;
  const int64_t width = v->conv->kernel[2], item = v->item;
  if (width == 1) return make(&turned);
  void* block = NULL;
  const int64_t n =
      c->map_channels * (c->image_channels / c->groups) * oyi_volume(c->kernel);
  turned.weights = oyi_data_alloc((size_t)(n * item), &block);
  if (!turned.weights) return OY_OUT_OF_MEMORY;
  take_column(v->weights + column * item, width, item, n, turned.weights);
  const oy_status status = make(&turned);
  oyi_data_free(block, turned.weights);
  return status;
}

// ------------------------------------------------------------------ a few elements

enum {
  NARROW = 4,               // windows of a line
  TALL = 6,                 // lines that are worth it
  DEPTH = 32,               // products of a window
  FAR_DEPTH = 200,          // of one that is more than two from the next
  WINDOWS = 48,             // that are worth to turn the weights
  WORTH_A_THREAD = 1 << 14  // elements
};

// Whether lines of sums are short, and columns are not.
static bool is_narrow(const oyi_convolve* v, bool back, oyi_conv* c) {
  const oyi_conv* g = v->conv;
  const int64_t width = back ? g->image[2] / g->stride[2] : g->map[2];
  const int64_t height = back ? g->image[1] / g->stride[1] : g->map[1];
  const int64_t depth =
      (back ? g->map_channels : g->image_channels) / g->groups * oyi_volume(g->kernel);
  const int64_t least = !back && g->stride[1] > 2 ? FAR_DEPTH : DEPTH;
  if (width > NARROW || height < TALL || height < 2 * width || depth < least ||
      (double)g->batch * (double)(width * height) < WINDOWS ||
      oyi_convolve_is_by_lines(g))
    return false;
  *c = *g;
  int64_t* const parts[] = {c->image,  c->map,     c->kernel,
                            c->stride, c->padding, c->dilation};
  for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
    const int64_t size = parts[i][1];
    parts[i][1] = parts[i][2], parts[i][2] = size;
  }
  oyi_convolve turned = *v;
  turned.conv = c;
  return oyi_convolve_is_tiled(&turned, back);
}

// Planes of |lines| lines of |width| elements, to as many of which these are columns.
typedef struct planes {
  const char* from;
  char* to;
  int64_t count, lines, width, item, chunk;
} planes;

static oy_status turn_planes(int64_t index, void* context) {
  const planes* p = context;
  const int64_t end = oyi_at_most((index + 1) * p->chunk, p->count);
  const int64_t line = p->lines * p->item, size = line * p->width;
  for (int64_t i = index * p->chunk; i < end; i++)
    for (int64_t k = 0; k < p->width; k++)
      take_column(p->from + i * size + k * p->item, p->width, p->item, p->lines,
                  p->to + i * size + k * line);
  return OY_OK;
}

// |size| is of the planes in |from|.
static oy_status turn(const char* from, int64_t count, const int64_t size[OYI_SPATIAL],
                      int64_t item, char* to) {
  planes p = {.from = from,
              .to = to,
              .count = count * size[0],
              .lines = size[1],
              .width = size[2],
              .item = item};
  p.chunk = WORTH_A_THREAD / (p.lines * p.width + 1) + 1;
  return oyi_parallel_chunks(oyi_divide_up(p.count, p.chunk), turn_planes, &p);
}

static oy_status run_narrow(const oyi_convolve* v, bool back, const oyi_conv* c,
                            make_fn* make) {
  const oyi_conv* g = v->conv;
  const int64_t item = v->item, images = g->batch * g->image_channels;
  const int64_t maps = g->batch * g->map_channels;
  const int64_t kernels = g->map_channels * (g->image_channels / g->groups);
  const int64_t bytes[] = {images * oyi_volume(g->image) * item,
                           maps * oyi_volume(g->map) * item,
                           kernels * oyi_volume(g->kernel) * item};
  void* block = NULL;
  char* room = oyi_data_alloc((size_t)(bytes[0] + bytes[1] + bytes[2]), &block);
  if (!room) return OY_OUT_OF_MEMORY;
  oyi_convolve turned = *v;
  turned.conv = c;
  turned.images = room, turned.maps = room + bytes[0];
  turned.weights = turned.maps + bytes[1];
  oy_status status = turn(v->weights, kernels, g->kernel, item, turned.weights);
  if (status == OY_OK)
    status = back ? turn(v->maps, maps, g->map, item, turned.maps)
                  : turn(v->images, images, g->image, item, turned.images);
  if (status == OY_OK) status = make(&turned);
  if (status == OY_OK)
    status = back ? turn(turned.images, images, c->image, item, v->images)
                  : turn(turned.maps, maps, c->map, item, v->maps);
  oyi_data_free(block, room);
  return status;
}

// ----------------------------------------------------------------------- the whole

bool oyi_convolve_is_turned_tiled(const oyi_convolve* v, bool back) {
  oyi_conv c;
  int64_t column;
  oyi_convolve turned = *v;
  if (is_line(v->conv, &c, &column))
    turned.conv = &c;
  else if (is_narrow(v, back, &c))
    return true;
  return oyi_convolve_is_tiled(&turned, back);
}

static oy_status run(const oyi_convolve* v, bool back, make_fn* make) {
  oyi_conv c;
  int64_t column;
  if (is_line(v->conv, &c, &column)) return run_line(v, &c, column, make);
  return is_narrow(v, back, &c) ? run_narrow(v, back, &c, make) : make(v);
}

oy_status oyi_convolve_maps(const oyi_convolve* v) {
  return run(v, false, oyi_convolve_maps_as_given);
}
oy_status oyi_convolve_images(const oyi_convolve* v) {
  return run(v, true, oyi_convolve_images_as_given);
}
