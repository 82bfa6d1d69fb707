// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/conv/convolve.h"

#include "base/threads.h"
#include "tensor/block_cache.h"

// What the columns of one part may take, so that they stay in the cache; and what a part
// must compute to be worth a thread, in multiply-adds.
enum { COLUMN_BYTES = 768 << 10, PART_WORK = 48 * 48 * 48 };

typedef struct shape {
  int64_t in, out;         // channels of an image and of a map, of one group
  int64_t taps, rows;      // elements of a kernel; of a kernel over all channels
  int64_t places, volume;  // elements of a map and of an image
} shape;

static shape shape_of(const oyi_conv* c) {
  shape s = {.in = c->image_channels / c->groups,
             .out = c->map_channels / c->groups,
             .taps = oyi_volume(c->kernel),
             .places = oyi_volume(c->map),
             .volume = oyi_volume(c->image)};
  s.rows = s.in * s.taps;
  return s;
}

// Columns are the image itself.
static bool is_pointwise(const oyi_conv* c) {
  for (size_t i = 0; i < OYI_SPATIAL; i++)
    if (c->kernel[i] != 1 || c->stride[i] != 1 || c->padding[i] != 0) return false;
  return true;
}

// What the adjoint puts at every second place, or fewer: columns, which are as large as maps,
// cost less than to put sums together tile by tile, unless maps are small.
static bool is_spread(const oyi_conv* c) {
  enum { LEAST = 180 };  // elements of an image
  return oyi_volume(c->kernel) == 1 &&
         oyi_volume(c->map) * oyi_volume(c->stride) >= LEAST;
}

// Of small maps whose image is much larger most elements see few of the windows, and tiles
// would compute the others in vain; but not where strides make it larger, if tiles have enough.
static bool is_grown(const oyi_conv* c) {
  enum { LEAST = 4, ENOUGH = 32, MOST = 128, TIMES = 3, FEW = 4 };
  const int64_t places = oyi_volume(c->map);
  const int64_t strides =
      places < ENOUGH || c->image_channels / c->groups <= FEW ? 1 : oyi_volume(c->stride);
  return places >= LEAST && places <= MOST &&
         oyi_volume(c->image) >= TIMES * places * strides;
}

// Of an adjoint whose windows hardly overlap, or that has few of them, to put kernels in order
// for tiles, which few channels or narrow maps leave mostly empty, takes longer than columns, if
// each of these is a product of many maps. But threads do not share those of one sample.
static bool is_sparse(const oyi_conv* c) {
  enum { MAPS = 16, MORE_MAPS = 24, FEW = 12, NARROW = 5 };
  enum { WINDOWS = 256, OVERLAP = 3, PHASES = 4 };
  const double most = 2 << 20;  // products of a sample
  const int64_t maps = c->map_channels / c->groups, places = oyi_volume(c->map);
  const int64_t channels = c->image_channels / c->groups;
  const int64_t taps = oyi_volume(c->kernel), apart = oyi_volume(c->stride);
  const bool are_few = channels <= FEW;
  // As given, or turned (convolve_turned.c).
  const bool is_narrow = c->map[2] <= NARROW || (c->map[1] > 1 && c->map[1] <= NARROW);
  // Phases of planes, lines and columns are so many that each has next to nothing.
  const bool is_deep = c->stride[0] > 1 && taps <= PHASES * apart;
  if (maps < (is_deep || (is_narrow && 2 * taps <= apart) ? MAPS / 2 : MAPS) ||
      (double)(maps * channels * taps) * (double)places > most)
    return false;
  const int64_t windows = places * c->batch;
  return (are_few || is_deep ? taps : 2 * taps) <= apart ||
         (is_deep && 2 * windows <= WINDOWS) ||
         (maps >= MORE_MAPS && windows <= (are_few ? 2 : 1) * WINDOWS &&
          (are_few || taps <= apart + OVERLAP));
}

// Pairs are half as many products, but not those of columns.
static bool is_by_columns(const oyi_convolve* v) {
  return is_spread(v->conv) || is_grown(v->conv) || (!v->pairs && is_sparse(v->conv));
}

bool oyi_convolve_is_tiled(const oyi_convolve* v, bool back) {
  const oyi_conv* c = v->conv;
  return !is_pointwise(c) && (!back || !is_by_columns(v)) &&
         oyi_convolve_is_shifted(v, back);
}

static int64_t at_most(int64_t a, int64_t b) {
  return a < b ? a : b;
}

// Units of work, numbered through sample, group and |pieces| of each; |chunk| of them are
// done at once.
typedef struct work {
  const oyi_convolve* v;
  shape s;
  bool pointwise;
  int64_t piece, pieces;  // size and number of pieces
  int64_t units, chunk;
  size_t scratch;  // bytes of columns
  oy_status (*unit)(const struct work* w, int64_t sample, int64_t group, int64_t first,
                    int64_t count, char* columns);
  int64_t whole;  // what pieces are pieces of
} work;

static oy_status run_chunk(int64_t index, void* context) {
  const work* w = context;
  void* block = NULL;
  char* columns = w->scratch ? oyi_data_alloc(w->scratch, &block) : NULL;
  if (w->scratch && !columns) return OY_OUT_OF_MEMORY;
  const int64_t end = at_most((index + 1) * w->chunk, w->units);
  oy_status status = OY_OK;
  for (int64_t i = index * w->chunk; i < end && status == OY_OK; i++) {
    int64_t first = i % w->pieces * w->piece, at = i / w->pieces;
    status = w->unit(w, at / w->v->conv->groups, at % w->v->conv->groups, first,
                     at_most(w->piece, w->whole - first), columns);
  }
  oyi_data_free(block, columns);
  return status;
}

// Cuts |whole|, each of which needs |bytes| of columns and |cost| multiply-adds.
static oy_status run(work* w, int64_t samples, int64_t whole, int64_t least, double bytes,
                     double cost) {
  if (samples == 0 || whole == 0) return OY_OK;
  double piece = COLUMN_BYTES / (bytes > 1 ? bytes : 1);
  w->whole = whole;
  w->piece = piece < (double)least ? least : (int64_t)piece;
  if (w->piece > whole) w->piece = whole;
  w->pieces = (whole + w->piece - 1) / w->piece;
  w->piece = (whole + w->pieces - 1) / w->pieces;  // threads get the same
  w->units = samples * w->v->conv->groups * w->pieces;
  double each = cost * (double)w->piece;
  w->chunk = each < PART_WORK ? (int64_t)(PART_WORK / (each > 1 ? each : 1)) : 1;
  if (w->chunk > w->units) w->chunk = w->units;
  double scratch = bytes * (double)w->piece;
  if (scratch > 0x1p62) return OY_FAIL(OUT_OF_MEMORY, "convolution: too many columns");
  w->scratch = w->pointwise ? 0 : (size_t)scratch;
  return oyi_parallel_chunks((w->units + w->chunk - 1) / w->chunk, run_chunk, w);
}

static oyi_number number(int64_t i) {
  return oyi_number_of_scalar(oy_int(i));
}

// |by_columns|: but for channels side by side, which always take less, and windows that are far
// apart.
static oy_status without_columns(const oyi_convolve* v, bool back, bool by_columns,
                                 bool* out_done) {
  if (v->pairs) return oyi_convolve_shifted(v, back, out_done);
  OY_TRY(oyi_convolve_channels(v, back, out_done));
  if (!*out_done && back && oyi_convolve_has_far_images(v, by_columns)) {
    *out_done = true;
    return oyi_convolve_images_far(v);
  }
  if (*out_done || by_columns) return OY_OK;
  OY_TRY(oyi_convolve_lines(v, back, out_done));
  return *out_done ? OY_OK : oyi_convolve_shifted(v, back, out_done);
}

// ------------------------------------------------------------------------- maps

static void add_bias(const oyi_convolve* v, int64_t channel, int64_t channels,
                     int64_t stride, int64_t count, char* out) {
  for (int64_t i = 0; v->bias && i < channels; i++)
    v->columns->fill(out + i * stride * v->item, v->bias + (channel + i) * v->item,
                     count);
}

static oy_status maps_unit(const work* w, int64_t sample, int64_t group, int64_t first,
                           int64_t count, char* columns) {
  const oyi_convolve* v = w->v;
  const shape* s = &w->s;
  const char* image = v->images + (sample * v->conv->image_channels + group * s->in) *
                                      s->volume * v->item;
  const int64_t channel = group * s->out;
  char* out = v->maps +
              ((sample * v->conv->map_channels + channel) * s->places + first) * v->item;
  if (!w->pointwise) v->columns->im2col(v->conv, image, s->in, first, count, columns);
  oyi_gemm g = {.n = s->out,
                .m = count,
                .k = s->rows,
                .a = v->weights + channel * s->rows * v->item,
                .b = w->pointwise ? image + first * v->item : columns,
                .c = out,
                .a_row = s->rows,
                .a_column = 1,
                .b_row = w->pointwise ? s->places : count,
                .b_column = 1,
                .c_row = s->places,
                .c_column = 1,
                .alpha = number(1),
                .beta = number(0)};
  if (v->bias && oyi_gemm_by_row(v->dtype, &g, v->bias + channel * v->item)) return OY_OK;
  add_bias(v, channel, s->out, s->places, count, out);
  g.beta = number(v->bias != NULL);
  return v->gemm(&g);
}

// A group of one channel: |first| to |first| + |count| of its maps.
static oy_status slide_unit(const work* w, int64_t sample, int64_t group, int64_t first,
                            int64_t count, char* columns) {
  (void)columns;
  const oyi_convolve* v = w->v;
  const shape* s = &w->s;
  const char* image =
      v->images + (sample * v->conv->image_channels + group) * s->volume * v->item;
  for (int64_t i = first; i < first + count; i++) {
    const int64_t channel = group * s->out + i;
    char* out =
        v->maps + (sample * v->conv->map_channels + channel) * s->places * v->item;
    if (v->bias)
      add_bias(v, channel, 1, s->places, s->places, out);
    else
      memset(out, 0, (size_t)(s->places * v->item));
    v->columns->slide(v->conv, image, v->weights + channel * s->taps * v->item, out);
  }
  return OY_OK;
}

// Groups of few channels whose windows are planes apart: of points, or of small maps, phases
// take longer to copy than columns, or rows of |DEEP| kernels, which have nothing that no
// window sees.
enum { DEEP = 27 };
static bool is_scattered(const oyi_conv* c) {
  enum { SMALL = 64, SMALL_DEEP = 32 };
  const int64_t taps = oyi_volume(c->kernel);
  return c->stride[0] > 1 && oyi_convolve_is_by_lines(c) &&
         !oyi_convolve_few_take_tiles(c, false) &&
         (taps == 1 || oyi_volume(c->map) <= (taps < DEEP ? SMALL : SMALL_DEEP));
}

oy_status oyi_convolve_maps_as_given(const oyi_convolve* v) {
  work w = {.v = v, .s = shape_of(v->conv), .pointwise = is_pointwise(v->conv)};
  const shape* s = &w.s;
  bool done = w.pointwise;
  const bool scattered = is_scattered(v->conv);
  if (!done) OY_TRY(without_columns(v, false, scattered, &done));
  if (done && !w.pointwise) return OY_OK;
  if (!done && (oyi_convolve_takes_rows(v) || (scattered && s->taps >= DEEP)))
    return oyi_convolve_maps_rows(v);
  if (!scattered && s->in == 1 && s->out <= 4 && v->conv->groups > 1) {
    w.pointwise = true;
    w.unit = slide_unit;
    return run(&w, v->conv->batch, s->out, 1, 0, (double)s->taps * (double)s->places);
  }
  w.unit = maps_unit;
  return run(&w, v->conv->batch, s->places, 192, (double)s->rows * (double)v->item,
             (double)s->rows * (double)s->out);
}

// ----------------------------------------------------------------------- images

// Channels |first| to |first| + |count| of a group.
static oy_status images_unit(const work* w, int64_t sample, int64_t group, int64_t first,
                             int64_t count, char* columns) {
  const oyi_convolve* v = w->v;
  const shape* s = &w->s;
  const int64_t channel = group * s->in + first;
  char* image =
      v->images + (sample * v->conv->image_channels + channel) * s->volume * v->item;
  const char* maps =
      v->maps + (sample * v->conv->map_channels + group * s->out) * s->places * v->item;
  if (v->bias)
    add_bias(v, channel, count, s->volume, s->volume, image);
  else
    memset(image, 0, (size_t)(count * s->volume * v->item));
  oyi_gemm g = {.n = count * s->taps,
                .m = s->places,
                .k = s->out,
                .a = v->weights + (group * s->out * s->rows + first * s->taps) * v->item,
                .b = maps,
                .c = w->pointwise ? image : columns,
                .a_row = 1,
                .a_column = s->rows,
                .b_row = s->places,
                .b_column = 1,
                .c_row = s->places,
                .c_column = 1,
                .alpha = number(1),
                .beta = number(w->pointwise && v->bias)};
  OY_TRY(v->gemm(&g));
  if (!w->pointwise) v->columns->col2im(v->conv, columns, count, image);
  return OY_OK;
}

oy_status oyi_convolve_images_as_given(const oyi_convolve* v) {
  work w = {.v = v,
            .s = shape_of(v->conv),
            .pointwise = is_pointwise(v->conv),
            .unit = images_unit};
  bool done = w.pointwise;
  const bool by_columns = is_by_columns(v);
  if (!done && oyi_convolve_has_few_images(v)) return oyi_convolve_images_rows(v);
  if (!done) OY_TRY(without_columns(v, true, by_columns, &done));
  if (done && !w.pointwise) return OY_OK;
  if (!done && oyi_convolve_has_wide_rows(v, is_grown(v->conv)))
    return oyi_convolve_images_rows(v);
  const double rows = (double)w.s.taps * (double)w.s.places;
  return run(&w, v->conv->batch, w.s.in, 1, rows * (double)v->item,
             rows * (double)w.s.out);
}

// ---------------------------------------------------------------------- weights

static oy_status weights_unit(const work* w, int64_t none, int64_t group, int64_t first,
                              int64_t count, char* columns) {
  (void)none;
  const oyi_convolve* v = w->v;
  const oyi_conv* c = v->conv;
  const shape* s = &w->s;
  for (int64_t i = 0; i < c->batch; i++) {
    const char* image =
        v->images + (i * c->image_channels + group * s->in + first) * s->volume * v->item;
    if (!w->pointwise) v->columns->im2col(c, image, count, 0, s->places, columns);
    oyi_gemm g = {
        .n = s->out,
        .m = count * s->taps,
        .k = s->places,
        .a = v->maps + (i * c->map_channels + group * s->out) * s->places * v->item,
        .b = w->pointwise ? image : columns,
        .c = v->weights + (group * s->out * s->rows + first * s->taps) * v->item,
        .a_row = s->places,
        .a_column = 1,
        .b_row = 1,
        .b_column = s->places,
        .c_row = s->rows,
        .c_column = 1,
        .alpha = number(1),
        .beta = number(i > 0)};
    OY_TRY(v->gemm(&g));
  }
  return OY_OK;
}

oy_status oyi_convolve_weights(const oyi_convolve* v) {
  work w = {.v = v,
            .s = shape_of(v->conv),
            .pointwise = is_pointwise(v->conv),
            .unit = weights_unit};
  const double rows = (double)w.s.taps * (double)w.s.places;
  if (v->conv->batch == 0) {
    memset(v->weights, 0, (size_t)(v->conv->map_channels * w.s.rows * v->item));
    return OY_OK;
  }
  const bool columns =
      w.pointwise;  // which are the images: products of groups may be small
  bool done = false;
  if (!columns || v->conv->groups > 1) OY_TRY(oyi_convolve_weights_channels(v, &done));
  if (!done && (!columns || v->conv->groups > 1)) {
    const oyi_conv_way way = oyi_convolve_weights_way(v);
    if (way == OYI_CONV_ROWS) return oyi_convolve_weights_rows(v);
    if (way == OYI_CONV_FAR) return oyi_convolve_weights_far(v);
    if (way == OYI_CONV_TILES) OY_TRY(oyi_convolve_weights_tiled(v, true, &done));
    if (!done) OY_TRY(oyi_convolve_weights_lines(v, &done));
  }
  if (!done && !columns && oyi_convolve_has_few_rows(v))
    return oyi_convolve_weights_rows(v);
  if (!done && !columns) OY_TRY(oyi_convolve_weights_tiled(v, false, &done));
  if (!done && !columns) OY_TRY(oyi_convolve_weights_few(v, &done));
  if (done) return OY_OK;
  if (!columns && oyi_convolve_has_rows(v)) return oyi_convolve_weights_rows(v);
  return run(&w, 1, w.s.in, 1, rows * (double)v->item,
             rows * (double)w.s.out * (double)v->conv->batch);
}
