// SPDX-License-Identifier: Apache-2.0
// Gradients of groups of few channels with few windows, which are far apart: element by element,
// where to go through all phases of an image would take longer than all that is added up.
#include <string.h>

#include "backends/cpu/conv/conv_phases.h"
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

// About how long the kernels of a group take for a sample, in nanoseconds: each line of windows for
// each of their elements.
static double time_of(const oyi_conv* c) {
  const double lines = (double)(c->map[0] * c->map[1]);
  const double kernels =
      (double)(c->image_channels / c->groups) * (double)(c->map_channels / c->groups);
  return kernels *
         (10 * (double)c->kernel[2] +
          (double)oyi_volume(c->kernel) * (1 + lines * (3 + 0.8 * (double)c->map[2])));
}

static bool is_of_few(const oyi_convolve* v) {
  const bool is_float = v->dtype == OY_DTYPE_F32 || v->dtype == OY_DTYPE_F64;
  return is_float && !v->pairs && oyi_convolve_is_by_lines(v->conv) && v->conv->batch > 0;
}

// A line of each phase, or of those that are together, takes this long, even if it is empty.
bool oyi_convolve_has_far_images(const oyi_convolve* v) {
  const double line = 5, beginning = 80;  // nanoseconds
  const oyi_conv* c = v->conv;
  const double lines = (double)(c->image[0] * c->image[1] * c->stride[2]) *
                       (double)(c->image_channels / c->groups);
  return is_of_few(v) && oyi_volume(c->stride) > 1 &&
         time_of(c) < line * lines + beginning;
}

bool oyi_convolve_has_far_weights(const oyi_convolve* v, double instead) {
  const double clearly = 1.2;
  const oyi_conv* c = v->conv;
  return is_of_few(v) &&
         c->image_channels / c->groups * (c->map_channels / c->groups) *
                 oyi_volume(c->kernel) <=
             MOST_WEIGHTS &&
         clearly * (double)c->batch * time_of(c) < instead;
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
