// SPDX-License-Identifier: Apache-2.0
// Gradients of groups of few channels with few windows, which are far apart: element by element,
// where to go through all phases of an image would take longer than all that is added up.
#include <string.h>

#include "backends/cpu/conv/conv_plan.h"
#include "backends/cpu/conv/convolve.h"
#include "base/threads.h"

enum {
  PART_WORK = 48 * 48 * 48,  // multiply-adds that are worth a thread
  MOST_WEIGHTS = 512         // of a group
};

typedef struct far {
  const oyi_convolve* v;
  int64_t in, out, taps, places, volume;  // of a group; of a kernel, a map and an image
  int64_t units, chunk;                   // samples of groups, or groups
} far;

static far far_of(const oyi_convolve* v) {
  const oyi_conv* c = v->conv;
  return (far){.v = v,
               .in = c->image_channels / c->groups,
               .out = c->map_channels / c->groups,
               .taps = oyi_volume(c->kernel),
               .places = oyi_volume(c->map),
               .volume = oyi_volume(c->image)};
}

// About how long one kernel takes for a sample, in nanoseconds: each line of windows for each of
// its elements; and all of a group.
static double time_of_kernel(const oyi_conv* c) {
  const double lines = (double)(c->map[0] * c->map[1]);
  return 10 * (double)c->kernel[2] +
         (double)oyi_volume(c->kernel) * (1 + lines * (0.9 + 0.25 * (double)c->map[2]));
}
static double time_of(const oyi_conv* c) {
  return (double)(c->image_channels / c->groups) * (double)(c->map_channels / c->groups) *
         time_of_kernel(c);
}

double oyi_convolve_time_of_far_images(const oyi_conv* c) {
  const double often = 0.85;  // of that, since most lines are next to others
  return often * (double)(c->batch * c->groups) *
         (time_of(c) + 0.03 * (double)oyi_volume(c->image));
}

// The same of images as columns, which all maps of a group share; and line by line, those of
// phases that are together even if they are empty.
static double time_of_columns(const oyi_conv* c) {
  return 50 + (double)(c->image_channels / c->groups) * time_of_kernel(c);
}
static double time_of_lines(const oyi_conv* c) {
  enum { LINES = 4 };  // that are put into place at once
  int64_t sums[OYI_SPATIAL];
  for (size_t d = 0; d < OYI_SPATIAL; d++)
    sums[d] = (c->image[d] - 1 + c->padding[d]) / c->stride[d] -
              c->padding[d] / c->stride[d] + 1;
  const int64_t together = c->stride[2] <= OYI_CONV_TOGETHER ? c->stride[2] : 1;
  const double stretches = (double)(oyi_volume(c->stride) / together) * (double)sums[0] *
                           (double)oyi_divide_up(sums[1], LINES) *
                           (double)(c->image_channels / c->groups);
  return stretches *
         (15 + 4 * (double)together + 8 * (double)oyi_at_most(sums[1], LINES));
}

static bool is_of_few(const oyi_convolve* v) {
  const bool is_float = v->dtype == OY_DTYPE_F32 || v->dtype == OY_DTYPE_F64;
  return is_float && !v->pairs && oyi_convolve_is_by_lines(v->conv) && v->conv->batch > 0;
}

bool oyi_convolve_has_far_images(const oyi_convolve* v, bool by_columns) {
  const double clearly = 1.1;
  const oyi_conv* c = v->conv;
  return is_of_few(v) && oyi_volume(c->stride) > 1 &&
         clearly * time_of(c) < (by_columns ? time_of_columns(c) : time_of_lines(c));
}

bool oyi_convolve_has_far_weights(const oyi_convolve* v, double instead) {
  const double clearly = 1.2, wait = 0.8;  // for the sum before, for each product
  const oyi_conv* c = v->conv;
  const double products = (double)(c->image_channels / c->groups) *
                          (double)(c->map_channels / c->groups) *
                          (double)oyi_volume(c->kernel) * (double)oyi_volume(c->map);
  return is_of_few(v) &&
         c->image_channels / c->groups * (c->map_channels / c->groups) *
                 oyi_volume(c->kernel) <=
             MOST_WEIGHTS &&
         clearly * (double)c->batch * (time_of(c) + wait * products) < instead;
}

static void one_image(const far* f, int64_t unit) {
  const oyi_convolve* v = f->v;
  const int64_t item = v->item, group = unit % v->conv->groups;
  for (int64_t i = 0; i < f->in; i++) {
    char* image = v->images + (unit * f->in + i) * f->volume * item;
    if (v->bias)
      v->columns->fill(image, v->bias + (group * f->in + i) * item, f->volume);
    else
      memset(image, 0, (size_t)(f->volume * item));
    for (int64_t o = 0; o < f->out; o++)
      v->columns->spread(v->conv, v->maps + (unit * f->out + o) * f->places * item,
                         v->weights + ((group * f->out + o) * f->in + i) * f->taps * item,
                         image);
  }
}

static void one_weights(const far* f, int64_t group) {
  const oyi_convolve* v = f->v;
  const int64_t item = v->item, groups = v->conv->groups;
  const int64_t count = f->out * f->in * f->taps;
  double sums[MOST_WEIGHTS];
  memset(sums, 0, (size_t)count * sizeof(double));
  for (int64_t s = 0; s < v->conv->batch; s++)
    for (int64_t k = 0; k < f->out * f->in; k++) {
      const int64_t unit = s * groups + group;
      const int64_t map = unit * f->out + k / f->in, image = unit * f->in + k % f->in;
      v->columns->correlate(v->conv, v->maps + map * f->places * item,
                            v->images + image * f->volume * item, sums + k * f->taps);
    }
  char* to = v->weights + group * count * item;
  for (int64_t i = 0; i < count; i++)
    if (v->dtype == OY_DTYPE_F32)
      ((float*)(void*)to)[i] = (float)sums[i];
    else
      ((double*)(void*)to)[i] = sums[i];
}

static oy_status run_images(int64_t index, void* context) {
  const far* f = context;
  const int64_t end = oyi_at_most((index + 1) * f->chunk, f->units);
  for (int64_t i = index * f->chunk; i < end; i++) one_image(f, i);
  return OY_OK;
}

static oy_status run_weights(int64_t index, void* context) {
  const far* f = context;
  const int64_t end = oyi_at_most((index + 1) * f->chunk, f->units);
  for (int64_t i = index * f->chunk; i < end; i++) one_weights(f, i);
  return OY_OK;
}

static oy_status run(far* f, int64_t units, double work, oyi_chunk_fn fn) {
  f->units = units;
  f->chunk = work < PART_WORK ? (int64_t)(PART_WORK / (work + 1)) + 1 : 1;
  return oyi_parallel_chunks(oyi_divide_up(units, f->chunk), fn, f);
}

oy_status oyi_convolve_images_far(const oyi_convolve* v) {
  far f = far_of(v);
  return run(&f, v->conv->batch * v->conv->groups, 8 * time_of(v->conv), run_images);
}

oy_status oyi_convolve_weights_far(const oyi_convolve* v) {
  far f = far_of(v);
  const double work = 8 * (double)v->conv->batch * time_of(v->conv);
  return run(&f, v->conv->groups, work, run_weights);
}
