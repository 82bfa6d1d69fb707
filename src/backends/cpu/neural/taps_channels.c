// SPDX-License-Identifier: Apache-2.0
#define WAYS oyi_channel_ways_plain
#include "backends/cpu/neural/taps_channels_body.h"

#include <string.h>

#include "backends/cpu/staging.h"
#include "base/cpu.h"
#include "base/memory.h"
#include "base/threads.h"
#include "tensor/move.h"

enum { FEW = 4, GRAIN = 32768 };

typedef struct job {
  oyi_channel_taps taps;
  oyi_channel_apply apply;  // one of the two
  oyi_channel_spread spread;
  const char* in;
  char* out;
  int64_t in_h, out_h, images, chunk;
} job;

static bool are_simple(const oyi_taps* taps, const oyi_tensor* t, int64_t channels) {
  return t->ndim == 4 && t->sizes[1] >= channels && taps[1].count == taps[2].count &&
         taps[1].count <= 2 && !taps[1].used && !taps[2].used && !taps[0].weight;
}

bool oyi_taps_have_channels(const oyi_taps* taps, const oyi_tensor* in,
                            const oyi_tensor* out) {
  return are_simple(taps, in, FEW) && oyi_spatial_format(in) == OY_MEMORY_CHANNELS_LAST &&
         oyi_spatial_format(out) == OY_MEMORY_CHANNELS_LAST;
}

bool oyi_taps_are_worth_channels(const oyi_taps* taps, const oyi_tensor* in,
                                 const oyi_tensor* out) {
  enum { SOME = 8, NARROW = 16 };
  return are_simple(taps, in, SOME) && taps[1].weight && in->sizes[3] <= NARROW &&
         out->sizes[3] <= NARROW;
}

// Elements of any dtype are moved.
static void move_line(const oyi_channel_taps* t, int64_t h, const void* image,
                      void* line) {
  const size_t bytes = (size_t)(t->channels * t->item);
  const char* row = (const char*)image + (size_t)(t->at_h[h] * t->in_w) * bytes;
  void (*copy)(char*, const char*, size_t) = oyi_moves_of_machine()->copy;
  char* to = line;
  for (int64_t x = 0; x < t->out_w; x++, to += bytes)
    copy(to, row + (size_t)t->at_w[x] * bytes, bytes);
}

static oy_status run_lines(int64_t index, void* context) {
  const job* j = context;
  const oyi_channel_taps* t = &j->taps;
  const int64_t end = (index + 1) * j->chunk, lines = j->images * j->out_h,
                point = t->channels * t->item;
  for (int64_t i = index * j->chunk; i < end && i < lines; i++)
    j->apply(t, i % j->out_h, j->in + i / j->out_h * j->in_h * t->in_w * point,
             j->out + i * t->out_w * point);
  return OY_OK;
}

static oy_status run_images(int64_t index, void* context) {
  const job* j = context;
  const oyi_channel_taps* t = &j->taps;
  const int64_t point = t->channels * t->item, image = j->in_h * t->in_w * point,
                line = t->out_w * point;
  const int64_t end = (index + 1) * j->chunk;
  for (int64_t i = index * j->chunk; i < end && i < j->images; i++) {
    char* out = j->out + i * image;
    memset(out, 0, (size_t)image);
    for (int64_t h = 0; h < j->out_h; h++)
      j->spread(t, h, j->in + (i * j->out_h + h) * line, out);
  }
  return OY_OK;
}

static oyi_tensor* turned(const oyi_tensor* t) {
  const int64_t *n = t->sizes, *s = oyi_strides(t);
  return oyi_tensor_alias(t, OY_DIMS(n[0], n[2], n[3], n[1]),
                          OY_DIMS(s[0], s[2], s[3], s[1]), t->offset);
}

// The weights as elements; false without memory.
static bool find_weights(const oyi_taps* t, bool is_double, void** out_weight) {
  *out_weight = NULL;
  if (!t->weight) return true;
  const int64_t n = t->places * t->count;
  *out_weight = oyi_calloc((size_t)n, is_double ? sizeof(double) : sizeof(float));
  for (int64_t i = 0; *out_weight && i < n; i++)
    if (is_double)
      ((double*)*out_weight)[i] = t->weight[i];
    else
      ((float*)*out_weight)[i] = (float)t->weight[i];
  return *out_weight != NULL;
}

// Through copies in |type| where that is another dtype.
static oy_status run(job* j, oy_dtype type, oyi_tensor* in, oyi_tensor* out) {
  oyi_tensor *from = turned(in), *to = turned(out);
  oyi_tensor* x = from && to ? oyi_stage_in(from, type) : NULL;
  oyi_tensor* y = x ? oyi_stage_out(to, type) : NULL;
  oy_status status = y ? OY_OK : oy_failure();
  if (y) {
    j->in = oyi_data(x);
    j->out = oyi_data(y);
    const oyi_channel_taps* t = &j->taps;
    const int64_t each = (j->apply             ? 1
                          : j->in_h > j->out_h ? j->in_h
                                               : j->out_h) *
                         t->channels * (t->in_w > t->out_w ? t->in_w : t->out_w);
    const int64_t count = j->apply ? j->images * j->out_h : j->images;
    j->chunk = each >= GRAIN ? 1 : GRAIN / (each ? each : 1);
    status = oyi_parallel_chunks((count + j->chunk - 1) / j->chunk,
                                 j->apply ? run_lines : run_images, j);
  }
  if (to) status = oyi_unstage(to, y, status);
  oy_tensor_release(oyi_tensor_object(x));
  oy_tensor_release(oyi_tensor_object(from));
  oy_tensor_release(oyi_tensor_object(to));
  return status;
}

static oy_status with_weights(job* j, const char* name, const oyi_resample* r,
                              const oyi_taps* taps, oyi_tensor* in, oyi_tensor* out,
                              bool is_spread) {
  const bool moves = !is_spread && !taps[1].weight;
  const oy_dtype type = moves ? in->header.dtype : oyi_compute_dtype(in->header.dtype);
  const bool is_double = type == OY_DTYPE_F64;
  if (!moves && type != OY_DTYPE_F32 && !is_double)
    return oyi_not_for(name, in->header.dtype);
  const oyi_channel_ways* ways = &oyi_channel_ways_plain;
#if defined(__x86_64__)
  if (oyi_cpu_level() > 0) ways = &oyi_channel_ways_v3;
#endif
  void* weights[2] = {NULL, NULL};
  const bool ready = find_weights(&taps[1], is_double, &weights[0]) &&
                     find_weights(&taps[2], is_double, &weights[1]);
  *j = (job){.taps = {taps[1].index, taps[2].index, weights[0], weights[1], taps[1].count,
                      r->in[2], r->out[2], in->sizes[1], oyi_dtype_bytes[type]},
             .apply = is_spread ? NULL
                      : moves   ? move_line
                                : ways->apply[is_double],
             .spread = ways->spread[is_double],
             .in_h = r->in[1],
             .out_h = r->out[1],
             .images = in->sizes[0]};
  const oy_status status = ready ? run(j, type, in, out) : OY_OUT_OF_MEMORY;
  oyi_free(weights[0]);
  oyi_free(weights[1]);
  return status;
}

oy_status oyi_taps_apply_channels(const char* name, const oyi_resample* r,
                                  const oyi_taps* taps, oyi_tensor* in, oyi_tensor* out) {
  job j;
  return with_weights(&j, name, r, taps, in, out, false);
}
oy_status oyi_taps_spread_channels(const char* name, const oyi_resample* r,
                                   const oyi_taps* taps, oyi_tensor* grad,
                                   oyi_tensor* out) {
  job j;
  return with_weights(&j, name, r, taps, grad, out, true);
}
