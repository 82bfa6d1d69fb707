// SPDX-License-Identifier: Apache-2.0
// Where the lines along a dimension of two tensors are, a few at a time.
#ifndef OPYARD_SRC_BACKENDS_CPU_FFT_FFT_WALK_H_
#define OPYARD_SRC_BACKENDS_CPU_FFT_FFT_WALK_H_

#include "backends/cpu/fft/fft.h"
#include "tensor/impl.h"

// The other dimensions, the fastest first; those that both tensors step through like one
// are one. Steps in bytes.
typedef struct walk {
  char *in, *out;
  int64_t count;  // of lines
  int ndim;       // 1 or more
  int64_t sizes[OY_TENSOR_MAX_DIMS];
  int64_t in_steps[OY_TENSOR_MAX_DIMS], out_steps[OY_TENSOR_MAX_DIMS];
} walk;

static walk lines_along(const oyi_tensor* in, const oyi_tensor* out, int64_t dim) {
  walk w = {.in = oyi_data(in), .out = oyi_data(out), .count = 1};
  for (int64_t d = out->ndim; d-- > 0;) {
    const int64_t size = out->sizes[d];
    if (d == dim || size == 1) continue;
    const int64_t in_step = oyi_strides(in)[d] * oyi_item(in);
    const int64_t out_step = oyi_strides(out)[d] * oyi_item(out);
    const int last = w.ndim - 1;
    w.count *= size;
    if (w.ndim > 0 && w.in_steps[last] * w.sizes[last] == in_step &&
        w.out_steps[last] * w.sizes[last] == out_step) {
      w.sizes[last] *= size;
      continue;
    }
    w.sizes[w.ndim] = size;
    w.in_steps[w.ndim] = in_step, w.out_steps[w.ndim] = out_step;
    w.ndim++;
  }
  if (w.ndim == 0) w.sizes[w.ndim++] = 1;
  return w;
}

// A line of both, and how many there are from it on.
typedef struct spot {
  int64_t left;
  int64_t index[OY_TENSOR_MAX_DIMS];
  char *in, *out;
} spot;

static spot spot_of(const walk* w, int64_t line) {
  spot p = {.left = w->count - line, .in = w->in, .out = w->out};
  for (int d = 0; d < w->ndim; d++) {
    p.index[d] = line % w->sizes[d];
    line /= w->sizes[d];
    p.in += p.index[d] * w->in_steps[d];
    p.out += p.index[d] * w->out_steps[d];
  }
  return p;
}

static void advance(const walk* w, spot* p, int64_t count) {
  p->left -= count;
  p->index[0] += count;
  p->in += count * w->in_steps[0], p->out += count * w->out_steps[0];
  for (int d = 0; d + 1 < w->ndim && p->index[d] == w->sizes[d]; d++) {
    p->index[d] = 0, p->index[d + 1]++;
    p->in += w->in_steps[d + 1] - w->sizes[d] * w->in_steps[d];
    p->out += w->out_steps[d + 1] - w->sizes[d] * w->out_steps[d];
  }
}

// Lines that are transformed side by side: runs of them, |apart| bytes from one to the
// next.
typedef struct lines {
  int count, runs;
  int64_t apart;
  int sizes[OYI_FFT_LANES];
  char* at[OYI_FFT_LANES];  // where a run begins
} lines;

// The next lines of both tensors, which have them in the same runs; false at the end.
static bool next_lines(const walk* w, spot* p, lines* in, lines* out) {
  in->count = in->runs = 0;
  in->apart = w->in_steps[0], out->apart = w->out_steps[0];
  while (p->left > 0 && in->count < OYI_FFT_LANES) {
    const int64_t rest = w->sizes[0] - p->index[0], most = OYI_FFT_LANES - in->count;
    const int run = (int)(rest < most ? rest : most);
    in->at[in->runs] = p->in, out->at[in->runs] = p->out;
    in->sizes[in->runs] = out->sizes[in->runs] = run;
    in->runs++, in->count += run;
    advance(w, p, run);
  }
  out->runs = in->runs, out->count = in->count;
  return in->count > 0;
}

#endif  // OPYARD_SRC_BACKENDS_CPU_FFT_FFT_WALK_H_
