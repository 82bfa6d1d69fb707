// SPDX-License-Identifier: Apache-2.0
#include "backends/cpu/neural/taps.h"

#include <complex.h>
#include <string.h>

#include "backends/cpu/neural/taps_channels.h"
#include "backends/cpu/staging.h"
#include "base/memory.h"
#include "base/template.h"
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
  oyi_free(taps->used);
}

// The tap after the last one of a place.
static inline int64_t taps_end(const oyi_taps* t, int64_t place) {
  return place * t->count + (t->used ? t->used[place] : t->count);
}

typedef struct walk walk;
// One row of the output, at |d| and |h|, from an image.
typedef void (*row_fn)(const walk* a, const void* in, int64_t d, int64_t h, void* to,
                       void* room);
// An image of the input, of zeros, from one of the output.
typedef void (*plane_fn)(const walk* a, const void* grad, void* out, void* room);
struct walk {
  const oyi_resample* r;
  const oyi_taps* taps;
  void* weight[OYI_SPATIAL];  // as the elements are; NULL: 1
  row_fn row;
  plane_fn plane;
  int64_t paired;  // places of a row, from the first on, whose two taps are neighbours
  bool doubles;    // places of a row see its elements twice each, in their order
  // For spread_nearest: where what sees each element of the input begins, and how many
  // there are of each if that is the same for all, else 0.
  int64_t* begin;
  int64_t each;
  const char* in;
  char* out;
  int64_t item, in_step, out_step;  // bytes of an element, and of planes
  int64_t rows, chunk;
};

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif
// What has two or four taps is known when this is compiled.
#define UNROLL      OYI_UNROLL_BY(4)
#define JOIN_(a, b) a##_##b
#define JOIN(a, b)  JOIN_(a, b)

// A place takes two neighbours times two weights: each of them is one load, and four places
// are two vectors. Gives how many of |n| places are done.
static int64_t gather_pairs(const int64_t* at, const float* weight, const float* row,
                            int64_t n, float* to) {
  typedef float quad __attribute__((vector_size(16)));
  typedef int64_t halves __attribute__((vector_size(16)));
  int64_t x = 0;
  for (; x + 4 <= n; x += 4) {
    int64_t pair[4];
    quad by[2];
    for (int k = 0; k < 4; k++) memcpy(&pair[k], row + at[2 * (x + k)], sizeof(*pair));
    memcpy(by, weight + 2 * x, sizeof(by));
    const quad low = (quad)(halves){pair[0], pair[1]} * by[0];
    const quad high = (quad)(halves){pair[2], pair[3]} * by[1];
    const quad sum = __builtin_shufflevector(low, high, 0, 2, 4, 6) +
                     __builtin_shufflevector(low, high, 1, 3, 5, 7);
    memcpy(to + x, &sum, sizeof(sum));
  }
  return x;
}

#define PAIRS(...) gather_pairs(__VA_ARGS__)
#define T          float
#define W          float
#define ID         f32
#include "backends/cpu/neural/taps_tmpl.h"
#undef T
#undef W
#undef ID
#undef PAIRS
#define PAIRS(...) 0
#define T          double
#define W          double
#define ID         f64
#include "backends/cpu/neural/taps_tmpl.h"
#undef T
#undef W
#undef ID
#define T  float complex
#define W  float
#define ID c64
#include "backends/cpu/neural/taps_tmpl.h"
#undef T
#undef W
#undef ID
#define T  double complex
#define W  double
#define ID c128
#include "backends/cpu/neural/taps_tmpl.h"

typedef struct resample_loops {
  row_fn apply;
  plane_fn spread, spread_nearest;
} resample_loops;

static const resample_loops* loops_of(oy_dtype dtype) {
  static const resample_loops f32 = {apply_f32, spread_f32, spread_nearest_f32},
                              f64 = {apply_f64, spread_f64, spread_nearest_f64},
                              c64 = {apply_c64, spread_c64, spread_nearest_c64},
                              c128 = {apply_c128, spread_c128, spread_nearest_c128};
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

#define DOUBLE_ROW(type)                                  \
  do {                                                    \
    const type* restrict each = from;                     \
    type* restrict twice = to;                            \
    for (int64_t i = 0; i < n / 2; i++)                   \
      twice[2 * i] = each[i], twice[2 * i + 1] = each[i]; \
    if (n % 2) twice[n - 1] = each[n / 2];                \
  } while (0)

// As images of twice the size have them.
static void double_row(int64_t item, const void* from, int64_t n, void* to) {
  switch (item) {
    case 1: DOUBLE_ROW(uint8_t); break;
    case 2: DOUBLE_ROW(uint16_t); break;
    case 4: DOUBLE_ROW(uint32_t); break;
    case 8: DOUBLE_ROW(uint64_t); break;
    default: DOUBLE_ROW(pair);
  }
}

static bool sees_twice(const oyi_taps* t) {
  for (int64_t x = 0; x < t->places; x++)
    if (t->index[x] != x / 2) return false;
  return true;
}

static void apply_move(const walk* a, const void* in, int64_t d, int64_t h, void* to,
                       void* room) {
  (void)room;
  const oyi_resample* r = a->r;
  const int64_t row = a->taps[0].index[d] * r->in[1] + a->taps[1].index[h];
  const char* from = (const char*)in + row * r->in[2] * a->item;
  if (a->doubles)
    double_row(a->item, from, r->out[2], to);
  else
    move_row(a->item, from, a->taps[2].index, r->out[2], to);
}

// ------------------------------------------------------------------------- tables

// False without memory.
static bool find_weights(walk* a, oy_dtype type) {
  const bool is_double = type == OY_DTYPE_F64 || type == OY_DTYPE_C128;
  for (size_t d = 0; d < OYI_SPATIAL; d++) {
    const oyi_taps* t = &a->taps[d];
    if (!t->weight) continue;
    const int64_t n = t->places * t->count;
    a->weight[d] = oyi_calloc((size_t)n, is_double ? sizeof(double) : sizeof(float));
    if (!a->weight[d]) return false;
    for (int64_t i = 0; i < n; i++)
      if (is_double)
        ((double*)a->weight[d])[i] = t->weight[i];
      else
        ((float*)a->weight[d])[i] = (float)t->weight[i];
  }
  return true;
}

static int64_t paired_places(const oyi_taps* t) {
  int64_t x = 0;
  if (t->count == 2 && !t->used)
    while (x < t->places && t->index[2 * x + 1] == t->index[2 * x] + 1) x++;
  return x;
}

static bool rises(const oyi_taps* t) {
  for (int64_t i = 1; i < t->places; i++)
    if (t->index[i] < t->index[i - 1]) return false;
  return true;
}

// Each place sees one, and the places of one lie together. False without memory.
static bool find_ranges(walk* a) {
  const int64_t width = a->r->in[2], places = a->r->out[2];
  a->begin = oyi_calloc((size_t)width + 1, sizeof(int64_t));
  if (!a->begin) return false;
  for (int64_t i = 0, x = 0; i <= width; i++) {
    while (x < places && a->taps[2].index[x] < i) x++;
    a->begin[i] = x;
  }
  a->each = a->begin[1];
  for (int64_t i = 0; i < width; i++)
    if (a->begin[i + 1] - a->begin[i] != a->each) a->each = 0;
  return true;
}

static void drop_tables(walk* a) {
  for (size_t d = 0; d < OYI_SPATIAL; d++) oyi_free(a->weight[d]);
  oyi_free(a->begin);
}

// ------------------------------------------------------------------ rows and planes

static int64_t volume(const int64_t* sizes) {
  return sizes[0] * sizes[1] * sizes[2];
}

static oy_status run_rows(int64_t index, void* context) {
  const walk* a = context;
  const int64_t* out = a->r->out;
  const int64_t end = (index + 1) * a->chunk, last = end < a->rows ? end : a->rows;
  void* block;
  void* room = oyi_data_alloc((size_t)(a->r->in[2] * a->item) + 1, &block);
  if (!room) return OY_OUT_OF_MEMORY;
  for (int64_t i = index * a->chunk; i < last; i++) {
    const int64_t plane = i / (out[0] * out[1]), row = i - plane * out[0] * out[1];
    a->row(a, a->in + plane * a->in_step, row / out[1], row % out[1],
           a->out + i * out[2] * a->item, room);
  }
  oyi_data_free(block, room);
  return OY_OK;
}

static oy_status run_planes(int64_t index, void* context) {
  const walk* a = context;
  const int64_t* sizes = a->r->in[2] > a->r->out[2] ? a->r->in : a->r->out;
  const int64_t last = (index + 1) * a->chunk;
  void* block;
  void* room = oyi_data_alloc((size_t)(sizes[2] * a->item) + 1, &block);
  if (!room) return OY_OUT_OF_MEMORY;
  for (int64_t i = index * a->chunk; i < last && i < a->r->planes; i++) {
    memset(a->out + i * a->out_step, 0, (size_t)a->out_step);
    a->plane(a, a->in + i * a->in_step, a->out + i * a->out_step, room);
  }
  oyi_data_free(block, room);
  return OY_OK;
}

enum { GRAIN = 32768 };

static int64_t chunk_of(int64_t work) {
  return work >= GRAIN ? 1 : GRAIN / (work ? work : 1);
}

static oy_status run(walk* a, const oyi_tensor* in, oyi_tensor* out) {
  const int64_t here = volume(a->r->in), there = volume(a->r->out);
  const bool backward = a->plane != NULL;
  a->item = oyi_item(in);
  a->in = oyi_data(in);
  a->out = oyi_data(out);
  a->in_step = (backward ? there : here) * a->item;
  a->out_step = (backward ? here : there) * a->item;
  a->rows = backward ? a->r->planes : a->r->planes * a->r->out[0] * a->r->out[1];
  if (backward)
    a->chunk = chunk_of(here > there ? here : there);
  else
    a->chunk = chunk_of(a->r->in[2] > a->r->out[2] ? a->r->in[2] : a->r->out[2]);
  return oyi_parallel_chunks((a->rows + a->chunk - 1) / a->chunk,
                             backward ? run_planes : run_rows, a);
}

static oy_status staged(walk* a, oy_dtype type, oyi_tensor* in, oyi_tensor* out) {
  oyi_tensor* x = oyi_stage_in(in, type);
  oyi_tensor* y = x ? oyi_stage_out(out, type) : NULL;
  oy_status status = y ? run(a, x, y) : OY_OK;
  status = oyi_unstage(out, y, status);
  oy_tensor_release(oyi_tensor_object(x));
  return status;
}

static bool has_weights(const oyi_taps* taps) {
  return taps[0].weight || taps[1].weight || taps[2].weight;
}

oy_status oyi_taps_apply(const char* name, const oyi_resample* r, const oyi_taps* taps,
                         oyi_tensor* in, oyi_tensor* out) {
  if (oyi_taps_have_channels(taps, in, out))
    return oyi_taps_apply_channels(name, r, taps, in, out);
  walk a = {.r = r, .taps = taps, .row = apply_move};
  if (!has_weights(taps)) {
    a.doubles = sees_twice(&taps[2]);
    return staged(&a, in->header.dtype, in, out);
  }
  const oy_dtype type = oyi_compute_dtype(in->header.dtype);
  const resample_loops* loops = loops_of(type);
  if (!loops || oy_dtype_is_complex(type)) return oyi_not_for(name, in->header.dtype);
  a.row = loops->apply;
  a.paired = paired_places(&taps[2]);
  oy_status status =
      find_weights(&a, type) ? staged(&a, type, in, out) : OY_OUT_OF_MEMORY;
  drop_tables(&a);
  return status;
}

oy_status oyi_taps_spread(const char* name, const oyi_resample* r, const oyi_taps* taps,
                          oyi_tensor* grad, oyi_tensor* out) {
  const oy_dtype type = oyi_compute_dtype(grad->header.dtype);
  if (!oy_dtype_is_complex(type) && (oyi_taps_have_channels(taps, grad, out) ||
                                     oyi_taps_are_worth_channels(taps, grad, out)))
    return oyi_taps_spread_channels(name, r, taps, grad, out);
  const resample_loops* loops = loops_of(type);
  if (!loops) return oyi_not_for(name, grad->header.dtype);
  walk a = {.r = r, .taps = taps, .plane = loops->spread};
  bool ready = find_weights(&a, type);
  if (ready && !has_weights(taps) && r->out[2] > r->in[2] && rises(&taps[2])) {
    a.plane = loops->spread_nearest;
    ready = find_ranges(&a);
  }
  oy_status status = ready ? staged(&a, type, grad, out) : OY_OUT_OF_MEMORY;
  drop_tables(&a);
  return status;
}
