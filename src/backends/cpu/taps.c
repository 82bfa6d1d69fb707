// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/taps.h"

#include <complex.h>
#include <string.h>

#include "backends/cpu/staging.h"
#include "base/memory.h"
#include "base/threads.h"
#include "tensor/block_cache.h"

bool oyi_taps_new(oyi_taps* taps, int64_t places, int64_t count) {
  *taps = (oyi_taps){.places = places, .count = count};
  int64_t total;
  if (__builtin_mul_overflow(places, count, &total)) total = INT64_MAX;
  taps->index = oyi_calloc((size_t)total, sizeof(int64_t));
  if (taps->index && count > 1) taps->weight = oyi_calloc((size_t)total, sizeof(double));
  return taps->index && (count == 1 || taps->weight);
}

void oyi_taps_free(oyi_taps* taps) {
  oyi_free(taps->index);
  oyi_free(taps->weight);
}

static inline double weight_at(const oyi_taps* t, int64_t i) {
  return t->weight ? t->weight[i] : 1;
}

typedef struct walk walk;
typedef void (*plane_fn)(const walk* a, const void* in, void* out, void* scratch);
struct walk {
  const oyi_resample* r;
  const oyi_taps* taps;
  plane_fn plane;
  const char* in;
  char* out;
  int64_t item, in_step, out_step;  // bytes of an element, and of planes
  int64_t chunk;
};

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
#define JOIN_(a, b) a##_##b
#define JOIN(a, b)  JOIN_(a, b)
#define T           float
#define ID          f32
#include "backends/cpu/taps_tmpl.h"
#undef T
#undef ID
#define T  double
#define ID f64
#include "backends/cpu/taps_tmpl.h"
#undef T
#undef ID
#define T  float complex
#define ID c64
#include "backends/cpu/taps_tmpl.h"
#undef T
#undef ID
#define T  double complex
#define ID c128
#include "backends/cpu/taps_tmpl.h"

typedef struct resample_loops {
  plane_fn apply, spread;
} resample_loops;

static const resample_loops* loops_of(oy_dtype dtype) {
  static const resample_loops f32 = {apply_f32, spread_f32},
                              f64 = {apply_f64, spread_f64},
                              c64 = {apply_c64, spread_c64},
                              c128 = {apply_c128, spread_c128};
  switch (dtype) {
    case OY_DTYPE_F32: return &f32;
    case OY_DTYPE_F64: return &f64;
    case OY_DTYPE_C64: return &c64;
    case OY_DTYPE_C128: return &c128;
    default: return NULL;
  }
}

// ------------------------------------------------------------------------ moving

#define MOVE_ROW(type)                                                           \
  do {                                                                           \
    for (int64_t x = 0; x < n; x++) ((type*)to)[x] = ((const type*)from)[at[x]]; \
  } while (0)

typedef struct pair {
  uint64_t low, high;
} pair;

static void move_row(int64_t item, const void* from, const int64_t* at, int64_t n,
                     void* to) {
  switch (item) {
    case 1: MOVE_ROW(uint8_t); break;
    case 2: MOVE_ROW(uint16_t); break;
    case 4: MOVE_ROW(uint32_t); break;
    case 8: MOVE_ROW(uint64_t); break;
    default: MOVE_ROW(pair);
  }
}

static void move_plane(const walk* a, const void* in, void* out, void* scratch) {
  (void)scratch;
  const oyi_resample* r = a->r;
  char* to = out;
  for (int64_t d = 0; d < r->out[0]; d++)
    for (int64_t h = 0; h < r->out[1]; h++, to += r->out[2] * a->item) {
      int64_t row = a->taps[0].index[d] * r->in[1] + a->taps[1].index[h];
      move_row(a->item, (const char*)in + row * r->in[2] * a->item, a->taps[2].index,
               r->out[2], to);
    }
}

// ------------------------------------------------------------------------ planes

static oy_status run_planes(int64_t index, void* context) {
  const walk* a = context;
  const int64_t last = (index + 1) * a->chunk;
  void* block;
  void* scratch = oyi_data_alloc((size_t)(a->r->in[2] * a->item) + 1, &block);
  if (!scratch) return OY_OUT_OF_MEMORY;
  for (int64_t i = index * a->chunk; i < last && i < a->r->planes; i++)
    a->plane(a, a->in + i * a->in_step, a->out + i * a->out_step, scratch);
  oyi_data_free(block, scratch);
  return OY_OK;
}

enum { GRAIN = 32768 };

static int64_t volume(const int64_t* sizes) {
  return sizes[0] * sizes[1] * sizes[2];
}

static oy_status run(walk* a, const oyi_tensor* in, oyi_tensor* out, bool backward) {
  const int64_t here = volume(a->r->in), there = volume(a->r->out);
  a->item = oyi_item(in);
  a->in = oyi_data(in);
  a->out = oyi_data(out);
  a->in_step = (backward ? there : here) * a->item;
  a->out_step = (backward ? here : there) * a->item;
  const int64_t work = here > there ? here : there;
  a->chunk = work >= GRAIN ? 1 : GRAIN / (work ? work : 1);
  return oyi_parallel_chunks((a->r->planes + a->chunk - 1) / a->chunk, run_planes, a);
}

static oy_status staged(walk* a, oy_dtype type, oyi_tensor* in, oyi_tensor* out,
                        bool backward) {
  oyi_tensor* x = oyi_stage_in(in, type);
  oyi_tensor* y = x ? oyi_stage_out(out, type) : NULL;
  oy_status status = y ? run(a, x, y, backward) : OY_OK;
  status = oyi_unstage(out, y, status);
  oy_tensor_release(oyi_tensor_object(x));
  return status;
}

oy_status oyi_taps_apply(const char* name, const oyi_resample* r, const oyi_taps* taps,
                         oyi_tensor* in, oyi_tensor* out) {
  walk a = {.r = r, .taps = taps, .plane = move_plane};
  if (!taps[0].weight && !taps[1].weight && !taps[2].weight)
    return staged(&a, in->header.dtype, in, out, false);
  const oy_dtype type = oyi_compute_dtype(in->header.dtype);
  const resample_loops* loops = loops_of(type);
  if (!loops || oy_dtype_is_complex(type)) return oyi_not_for(name, in->header.dtype);
  a.plane = loops->apply;
  return staged(&a, type, in, out, false);
}

oy_status oyi_taps_spread(const char* name, const oyi_resample* r, const oyi_taps* taps,
                          oyi_tensor* grad, oyi_tensor* out) {
  const oy_dtype type = oyi_compute_dtype(grad->header.dtype);
  const resample_loops* loops = loops_of(type);
  if (!loops) return oyi_not_for(name, grad->header.dtype);
  walk a = {.r = r, .taps = taps, .plane = loops->spread};
  return staged(&a, type, grad, out, true);
}
