// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/neural/pool.h"

#include <math.h>
#include <string.h>

#include "backends/cpu/loops/integer_math.h"
#include "backends/cpu/neural/pool_ways.h"
#include "backends/cpu/staging.h"
#include "base/cpu.h"
#include "base/memory.h"
#include "base/threads.h"

typedef oyi_pool_range range;
typedef oyi_pool_windows windows;

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
// A macro, since it is asked of integers too, which are never.
#define IS_NAN(x)    ((x) != (x))
#define JOIN_(a, b)  a##_##b
#define JOIN(a, b)   JOIN_(a, b)
#define BYTES        16
#define T            float
#define INT          int32_t
#define ID           f32
#define LATE_ODD     0, 2, 5, 7
#define LEAST        (-INFINITY)
#define ADD(a, b)    ((a) + (b))
#define DIVIDE(a, b) ((a) / (b))
#include "backends/cpu/neural/pool_lanes_tmpl.h"
#include "backends/cpu/neural/pool_max_tmpl.h"
#include "backends/cpu/neural/pool_tmpl.h"
#undef T
#undef INT
#undef ID
#undef LATE_ODD
#define T        double
#define INT      int64_t
#define ID       f64
#define LATE_ODD 0, 3
#include "backends/cpu/neural/pool_lanes_tmpl.h"
#include "backends/cpu/neural/pool_max_tmpl.h"
#include "backends/cpu/neural/pool_tmpl.h"
#undef T
#undef INT
#undef ID
#undef LEAST
#undef ADD
#undef DIVIDE
#define T            int64_t
#define ID           i64
#define LEAST        INT64_MIN
#define ADD(a, b)    ((int64_t)((uint64_t)(a) + (uint64_t)(b)))
#define DIVIDE(a, b) oyi_int_div(a, b)
#include "backends/cpu/neural/pool_max_tmpl.h"
#include "backends/cpu/neural/pool_tmpl.h"

typedef void (*plane_fn)(const windows* w, const void* in, void* out, int64_t* indices);
typedef struct pool_loops {
  plane_fn max, average, spread;
} pool_loops;
#define ROW(id) \
  { max_##id, average_##id, spread_average_##id }

static const pool_loops* loops_of(oy_dtype dtype) {
  static const pool_loops f32 = ROW(f32), f64 = ROW(f64), i64 = ROW(i64);
  return dtype == OY_DTYPE_F32   ? &f32
         : dtype == OY_DTYPE_F64 ? &f64
         : dtype == OY_DTYPE_I64 ? &i64
                                 : NULL;
}

// ------------------------------------------------------------------------ planes

typedef struct walk {
  const windows* w;
  plane_fn plane, together;  // of one plane; of |group| planes, or NULL
  const char* in;
  char* out;
  int64_t* indices;
  int64_t in_step, out_step;  // of a plane, in bytes
  int64_t places;             // of a plane of the output
  int64_t planes, group, chunk;
  bool adds;  // to the planes of |out|, which are zeros first
} walk;

static void run_plane(const walk* a, plane_fn fn, int64_t i) {
  char* out = a->out + i * a->out_step;
  if (a->adds && !a->w->are_tiles) memset(out, 0, (size_t)a->out_step);
  fn(a->w, a->in + i * a->in_step, out, a->indices ? a->indices + i * a->places : NULL);
}

// The last group lies over those before it.
static oy_status run_planes(int64_t index, void* context) {
  const walk* a = context;
  const int64_t first = index * a->chunk,
                last = first + a->chunk < a->planes ? first + a->chunk : a->planes;
  int64_t i = first;
  if (a->together && last - first >= a->group)
    for (; i < last; i += a->group)
      run_plane(a, a->together, i + a->group <= last ? i : last - a->group);
  for (; i < last; i++) run_plane(a, a->plane, i);
  return OY_OK;
}

static int64_t volume(const int64_t* sizes) {
  return sizes[0] * sizes[1] * sizes[2];
}

enum { GRAIN = 8192 };  // elements that are worth a thread

typedef enum operation { AVERAGE, MAXIMUM, SPREAD } operation;

typedef struct loops_found {
  plane_fn plane, together;
} loops_found;

static oy_status run(const oyi_pool* p, const windows* w, loops_found loops,
                     operation what, const oyi_tensor* in, oyi_tensor* out,
                     oyi_tensor* indices) {
  const int64_t item = oyi_item(in), here = volume(p->in) * w->channels,
                there = volume(p->out) * w->channels;
  walk a = {.w = w,
            .plane = loops.plane,
            .together = loops.together,
            .in = oyi_data(in),
            .out = oyi_data(out),
            .indices = indices ? oyi_data(indices) : NULL,
            .in_step = (what == SPREAD ? there : here) * item,
            .out_step = (what == SPREAD ? here : there) * item,
            .places = there,
            .planes = p->planes / w->channels,
            .group = loops.together ? w->places->planes : 1,
            .adds = what == SPREAD};
  const int64_t work = here > there ? here : there;
  a.chunk = work >= GRAIN ? 1 : GRAIN / (work ? work : 1);
  a.chunk = (a.chunk + a.group - 1) / a.group * a.group;
  return oyi_parallel_chunks((a.planes + a.chunk - 1) / a.chunk, run_planes, &a);
}

static plane_fn plane_of(const pool_loops* loops, operation what, const windows* w) {
#if defined(__x86_64__)
  // Places are as wide as elements there.
  if (what == MAXIMUM && oyi_cpu_level() > 0 && w->is_small)
    return loops == loops_of(OY_DTYPE_F32) ? oyi_pool_max_f32_v3 : oyi_pool_max_f64_v3;
#else
  (void)w;
#endif
  return what == AVERAGE ? loops->average : what == MAXIMUM ? loops->max : loops->spread;
}

static const oyi_pool_ways* ways_of(oy_dtype type) {
#if defined(__x86_64__)
  if (oyi_cpu_level() > 0)
    return type == OY_DTYPE_F32 ? &oyi_pool_ways_f32_v3 : &oyi_pool_ways_f64_v3;
#endif
  return type == OY_DTYPE_F32 ? &oyi_pool_ways_f32 : &oyi_pool_ways_f64;
}

static bool is_in_order(const windows* w, operation what, int64_t item) {
  for (int64_t i = 0; what == AVERAGE && i < w->out[2]; i++)
    if (!oyi_pool_is_narrow(w->ranges[2][i].to - w->ranges[2][i].from, item))
      return false;
  return true;
}

// The loops of a plane, and of some together; planes of which channels lie side by side are
// whole images.
static loops_found find_loops(const oyi_pool* p, windows* w, operation what,
                              const oyi_tensor* in, oy_dtype type, bool spreads) {
  loops_found f = {plane_of(loops_of(type), what, w), NULL};
  const oyi_pool_ways* ways = ways_of(type);
  if (spreads && type != OY_DTYPE_I64 && !w->are_tiles && w->in[2] >= ways->lanes)
    f.plane = ways->spread_channels;
  if (type == OY_DTYPE_I64 || what == SPREAD) return f;
  if (in->ndim == 4 && w->is_small && in->sizes[1] >= ways->lanes &&
      oyi_spatial_format(in) == OY_MEMORY_CHANNELS_LAST) {
    w->channels = in->sizes[1];
    f.plane = what == MAXIMUM ? ways->max_channels : ways->average_channels;
    return f;
  }
  if (is_in_order(w, what, ways->item))
    w->places = oyi_pool_places_new(w, p->planes, ways);
  if (w->places) f.together = what == MAXIMUM ? ways->max_places : ways->average_places;
  return f;
}

// Whether the gradients of an average are those of three dimensions, of which the last one has the
// channels, in windows of one each: where channels lie side by side, and where lines are so short
// that it is worth turning them.
static bool spreads_channels(const oyi_pool* p, operation what, const oyi_tensor* out) {
  enum { NARROW = 8, SOME = 8 };
  if (what != SPREAD || out->ndim != 4 || out->sizes[1] < 2 || p->in[0] != 1 ||
      p->out[0] != 1)
    return false;
  return oyi_spatial_format(out) == OY_MEMORY_CHANNELS_LAST ||
         (out->sizes[3] <= NARROW && out->sizes[1] >= SOME);
}

static oyi_pool with_channels(const oyi_pool* p, int64_t channels) {
  oyi_pool wide = *p;
  for (size_t d = 0; d + 1 < OYI_SPATIAL; d++) {
    wide.in[d] = p->in[d + 1], wide.out[d] = p->out[d + 1];
    wide.kernel[d] = p->kernel[d + 1], wide.stride[d] = p->stride[d + 1];
    wide.padding[d] = p->padding[d + 1], wide.dilation[d] = p->dilation[d + 1];
  }
  const size_t last = OYI_SPATIAL - 1;
  wide.in[last] = wide.out[last] = channels;
  wide.kernel[last] = wide.stride[last] = wide.dilation[last] = 1;
  wide.padding[last] = 0;
  wide.planes = p->planes / channels;
  return wide;
}

oyi_tensor* oyi_pool_turned(oyi_tensor* t, bool are_last) {
  if (!t) return NULL;
  if (!are_last) return oyi_tensor_cast(oy_tensor_retain(&t->header));
  const int64_t *n = t->sizes, *s = oyi_strides(t);
  return oyi_tensor_alias(t, OY_DIMS(n[0], n[2], n[3], n[1]),
                          OY_DIMS(s[0], s[2], s[3], s[1]), t->offset);
}

static oy_status compute_turned(const oyi_pool* p, const windows* w, loops_found loops,
                                operation what, oy_dtype type, oyi_tensor* in,
                                oyi_tensor* out, oyi_tensor* indices) {
  oyi_tensor* x = oyi_stage_in(in, type);
  oyi_tensor* i = x && indices ? oyi_stage_out(indices, OY_DTYPE_I64) : NULL;
  oyi_tensor* y = x && (i || !indices) ? oyi_stage_out(out, type) : NULL;
  oy_status status = OY_OK;
  if (y) status = run(p, w, loops, what, x, y, i);
  status = oyi_unstage(out, y, status);
  if (indices) status = oyi_unstage(indices, i, status);
  oy_tensor_release(oyi_tensor_object(x));
  return status;
}

static oy_status compute(const oyi_pool* p, const oyi_pool_how* how, operation what,
                         oyi_tensor* in, oyi_tensor* out, oyi_tensor* indices) {
  const oy_dtype type = oyi_compute_dtype(in->header.dtype);
  if (!loops_of(type) || (type == OY_DTYPE_I64 && (what == MAXIMUM || how->adaptive)))
    return oyi_not_for(how->name, in->header.dtype);
  windows w;
  const bool spreads = spreads_channels(p, what, out);
  const oyi_pool wide = spreads ? with_channels(p, in->sizes[1]) : *p;
  OY_TRY(spreads ? oyi_pool_windows_apart(&wide, how, &w)
                 : oyi_pool_windows_of(p, how, what == AVERAGE ? oy_dtype_size(type) : 0,
                                       &w));
  const loops_found loops = find_loops(p, &w, what, in, type, spreads);
  const bool turns = spreads || w.channels > 1;
  oyi_tensor *x = oyi_pool_turned(in, turns), *y = oyi_pool_turned(out, turns),
             *i = oyi_pool_turned(indices, turns);
  oy_status status = OY_OK;
  if (x && y && (i || !indices))
    status = compute_turned(&wide, &w, loops, what, type, x, y, i);
  else
    status = oy_failure();
  oy_tensor_release(oyi_tensor_object(x));
  oy_tensor_release(oyi_tensor_object(y));
  oy_tensor_release(oyi_tensor_object(i));
  oyi_free((void*)w.places);
  oyi_free(w.block);
  return status;
}

oy_status oyi_pool_average(const oyi_pool* p, const oyi_pool_how* how, oyi_tensor* in,
                           oyi_tensor* out) {
  return compute(p, how, AVERAGE, in, out, NULL);
}
oy_status oyi_pool_max(const oyi_pool* p, const oyi_pool_how* how, oyi_tensor* in,
                       oyi_tensor* out, oyi_tensor* indices) {
  return compute(p, how, MAXIMUM, in, out, indices);
}
oy_status oyi_pool_average_backward(const oyi_pool* p, const oyi_pool_how* how,
                                    oyi_tensor* grad, oyi_tensor* out) {
  return compute(p, how, SPREAD, grad, out, NULL);
}

// -------------------------------------------------------------------- by samples

// The first window begins at the begin, the last one ends at the end.
static void sampled_ranges(const oyi_pool* p, size_t d, double sample, bool is_float,
                           range* r) {
  const int64_t room = p->in[d] - p->kernel[d], count = p->out[d];
  const double step = count > 1 ? (double)room / (double)(count - 1) : 0;
  const float step_f = (float)room / (float)(count > 1 ? count - 1 : 1);
  for (int64_t i = 0; i < count; i++) {
    int64_t from = room;
    if (i < count - 1 && is_float)
      from = (int64_t)(((float)i + (float)sample) * step_f) -
             (int64_t)((float)sample * step_f);
    else if (i < count - 1)
      from = (int64_t)(((double)i + sample) * step) - (int64_t)(sample * step);
    if (from > room) from = room;
    r[i] = (range){from, from + p->kernel[d], p->kernel[d]};
  }
}

static oy_status sampled_windows(const oyi_pool* p, const char* name, size_t ndim,
                                 const double* samples, bool is_float, windows* w) {
  for (size_t k = 0; k < ndim; k++) {
    const size_t d = OYI_SPATIAL - ndim + k;
    const double sample = samples[ndim == 2 ? 1 - k : k];
    OY_CHECK(sample >= 0 && sample <= 1, INVALID_ARGUMENT,
             "%s: expected random samples from 0 to 1, got %g", name, sample);
    sampled_ranges(p, d, sample, is_float, w->ranges[d]);
  }
  return OY_OK;
}

oy_status oyi_pool_max_at(const oyi_pool* p, const char* name, size_t ndim,
                          oyi_tensor* in, oyi_tensor* samples, oyi_tensor* out,
                          oyi_tensor* indices) {
  const oy_dtype type = oyi_compute_dtype(in->header.dtype);
  const pool_loops* loops = loops_of(type);
  if (!loops || type == OY_DTYPE_I64) return oyi_not_for(name, in->header.dtype);
  windows w;
  // Of a dimension that is not pooled the only window is all of it.
  OY_TRY(oyi_pool_windows_apart(p, &(oyi_pool_how){.name = name, .adaptive = true}, &w));
  w.first = w.last = 0;  // which come one image after the other
  oyi_tensor* x = oyi_stage_in(in, type);
  oyi_tensor* s = x ? oyi_stage_in(samples, OY_DTYPE_F64) : NULL;
  oyi_tensor* i = s ? oyi_stage_out(indices, OY_DTYPE_I64) : NULL;
  oyi_tensor* y = i ? oyi_stage_out(out, type) : NULL;
  oy_status status = y ? OY_OK : oy_failure();
  const int64_t here = volume(p->in), there = volume(p->out);
  for (int64_t k = 0; status == 0 && k < p->planes; k++) {
    status = sampled_windows(p, name, ndim, (double*)oyi_data(s) + k * (int64_t)ndim,
                             type == OY_DTYPE_F32, &w);
    if (status == 0)
      loops->max(&w, (char*)oyi_data(x) + k * here * oyi_item(x),
                 (char*)oyi_data(y) + k * there * oyi_item(y),
                 (int64_t*)oyi_data(i) + k * there);
  }
  status = oyi_unstage(out, y, status);
  status = oyi_unstage(indices, i, status);
  oy_tensor_release(oyi_tensor_object(x));
  oy_tensor_release(oyi_tensor_object(s));
  oyi_free(w.block);
  return status;
}
