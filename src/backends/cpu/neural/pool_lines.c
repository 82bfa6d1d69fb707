// SPDX-License-Identifier: Apache-2.0
// The maximum of windows along the last dimension, without the places where they were
// found: what max_pool1d computes where no gradient will ask for them.
#include <math.h>
#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "backends/cpu/neural/pool.h"
#include "backends/cpu/staging.h"
#include "base/cpu.h"
#include "base/template.h"
#include "base/threads.h"

// One line, as all are.
typedef struct line {
  int64_t size, places, taps, stride, padding, dilation;
  // Windows from |first| to below |last| are inside of the line.
  int64_t first, last;
} line;

enum { AT_ONCE = 4 };  // vectors, so that none waits for the one before
#define UNROLL             OYI_UNROLL_BY(4)
#define JOIN_(a, b)        a##_##b
#define JOIN(a, b)         JOIN_(a, b)
#define SHUFFLE(a, b, ...) __builtin_shufflevector(a, b, __VA_ARGS__)
// Elements |s| apart, one by one: a loop would pass through memory.
#define TWO(x, s)   (x)[0], (x)[s]
#define FOUR(x, s)  TWO(x, s), TWO((x) + 2 * (s), s)
#define EIGHT(x, s) FOUR(x, s), FOUR((x) + 4 * (s), s)
#define T           float
#define INT         int32_t
#define ID          f32
#define BYTES       16
#define ATTRIBUTE
#define EVEN     0, 2, 4, 6
#define ODD      1, 3, 5, 7
#define LATE_ODD 0, 2, 5, 7
#define MAXIMUM  _mm_max_ps
#define APART    FOUR
#include "backends/cpu/neural/pool_lines_tmpl.h"
#if defined(__x86_64__)
#define ID        f32_avx2
#define BYTES     32
#define ATTRIBUTE __attribute__((target("avx2")))
#define EVEN      0, 2, 4, 6, 8, 10, 12, 14
#define ODD       1, 3, 5, 7, 9, 11, 13, 15
#define LATE_ODD  0, 2, 4, 6, 9, 11, 13, 15
#define MAXIMUM   _mm256_max_ps
#define APART     EIGHT
#include "backends/cpu/neural/pool_lines_tmpl.h"
#endif
#undef T
#undef INT
#define T     double
#define INT   int64_t
#define ID    f64
#define BYTES 16
#define ATTRIBUTE
#define EVEN     0, 2
#define ODD      1, 3
#define LATE_ODD 0, 3
#define MAXIMUM  _mm_max_pd
#define APART    TWO
#include "backends/cpu/neural/pool_lines_tmpl.h"
#if defined(__x86_64__)
#define ID        f64_avx2
#define BYTES     32
#define ATTRIBUTE __attribute__((target("avx2")))
#define EVEN      0, 2, 4, 6
#define ODD       1, 3, 5, 7
#define LATE_ODD  0, 2, 5, 7
#define MAXIMUM   _mm256_max_pd
#define APART     FOUR
#include "backends/cpu/neural/pool_lines_tmpl.h"
#endif

typedef void (*line_fn)(const line* l, const void* in, void* out);

static line_fn line_fn_of(oy_dtype dtype) {
#if defined(__x86_64__)
  if (oyi_cpu_level() > 0)
    return dtype == OY_DTYPE_F32 ? max_of_line_f32_avx2 : max_of_line_f64_avx2;
#endif
  return dtype == OY_DTYPE_F32 ? max_of_line_f32 : max_of_line_f64;
}

typedef struct lines {
  line line;
  line_fn run;
  const char* in;
  char* out;
  int64_t item, count, chunk;
} lines;

static oy_status run_lines(int64_t index, void* context) {
  const lines* a = context;
  const int64_t last = (index + 1) * a->chunk;
  for (int64_t i = index * a->chunk; i < last && i < a->count; i++)
    a->run(&a->line, a->in + i * a->line.size * a->item,
           a->out + i * a->line.places * a->item);
  return OY_OK;
}

enum { GRAIN = 65536 };

static oy_status max_of_lines(const oyi_pool* p, const oyi_tensor* in, oyi_tensor* out) {
  lines a = {.line = {.size = p->in[2],
                      .places = p->out[2],
                      .taps = p->kernel[2],
                      .stride = p->stride[2],
                      .padding = p->padding[2],
                      .dilation = p->dilation[2]},
             .run = line_fn_of(in->header.dtype),
             .in = oyi_data(in),
             .out = oyi_data(out),
             .item = oyi_item(in),
             .count = p->planes};
  OY_TRY(oyi_check_data(in));
  line* l = &a.line;
  const int64_t room = l->size + l->padding - (l->taps - 1) * l->dilation;
  l->first = (l->padding + l->stride - 1) / l->stride;
  l->last = room > 0 ? (room - 1) / l->stride + 1 : 0;
  if (l->last > l->places) l->last = l->places;
  if (l->first > l->last) l->first = l->last = 0;
  a.chunk = l->size >= GRAIN ? 1 : GRAIN / l->size;
  return oyi_parallel_chunks((a.count + a.chunk - 1) / a.chunk, run_lines, &a);
}

void oyi_register_pool_lines(void) {
  oyi_pool_lines = max_of_lines;
}
